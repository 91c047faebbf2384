/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG614: a memory access fault shows the memory and the kernel, and no other finding says so;
 * or an error stopped a queue.
 * Faults on memory of the operating system lead to HG209 and HG806 instead.
 */
#include "faults.h"
#include "suspects.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/omp_copy.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_device.h"

#include <string.h>
#include <sys/mman.h>

/* ---- which GPUs may access each other's memory ---- */

struct peer_access {
	GHashTable *pairs; /* (device << 32 | peer) + 1 */
	bool otherwise;    /* access to pools or mapped memory was given as well */
};

static void init_peers(void *data)
{
	((struct peer_access *)data)->pairs =
	    g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static void clear_peers(void *data)
{
	g_hash_table_destroy(((struct peer_access *)data)->pairs);
}

static const struct attachment_type peers_type = { sizeof(struct peer_access), init_peers,
						   clear_peers };

static int64_t pair_of(int32_t device, int32_t peer)
{
	return (int64_t)device << 32 | (uint32_t)peer;
}

void note_peer_access(const struct rules_context *context)
{
	const struct hg_ev_call *call = context->event->call;
	int64_t pair = pair_of(call->device, (int32_t)call->value);
	struct peer_access *peers;

	switch (call->api) {
	case HG_API_hipDeviceEnablePeerAccess:
		peers = attachment_get(&context->process->attachments, &peers_type);
		g_hash_table_add(peers->pairs, g_memdup2(&pair, sizeof(pair)));
		break;
	case HG_API_hipDeviceDisablePeerAccess:
		peers = attachment_get(&context->process->attachments, &peers_type);
		g_hash_table_remove(peers->pairs, &pair);
		break;
	case HG_API_hipMemSetAccess:
	case HG_API_hipMemPoolSetAccess:
		peers = attachment_get(&context->process->attachments, &peers_type);
		peers->otherwise = true;
		break;
	default:
		break;
	}
}

/* Returns true if the memory is another GPU's, and nothing gave the one that faulted access. */
static bool is_unopened_peers(const struct rules_context *context, const struct fault *fault)
{
	const struct peer_access *peers =
	    attachment_find(&context->process->attachments, &peers_type);
	const struct allocation *allocation = fault->place.allocation;
	int64_t pair;

	if (fault->place.kind != PLACE_ALLOCATION || fault->device < 0 ||
	    allocation->layer != LAYER_HIP || allocation->device < 0 ||
	    allocation->device == fault->device ||
	    place_grain_brief(context->process, &fault->place).location != LOCATION_DEVICE)
		return false;
	pair = pair_of(fault->device, allocation->device);
	return !peers || (!peers->otherwise && !g_hash_table_contains(peers->pairs, &pair));
}

/* ---- what the memory is ---- */

enum cause {
	CAUSE_HARDWARE,
	CAUSE_NULL,
	CAUSE_FREED,
	CAUSE_PAST_END,
	CAUSE_OMP_PART,
	CAUSE_READ_ONLY,
	CAUSE_READ_ONLY_MAPPED,
	CAUSE_READ_ONLY_OTHER,
	CAUSE_PEER,
	CAUSE_HOST_ADDRESS,
	CAUSE_SYSTEM,
	CAUSE_OMP_SYSTEM,
	CAUSE_OTHER,
	CAUSE_NOWHERE,
};

static const struct {
	bool explained;  /* the memory is one that the GPU cannot access so */
	bool by_pointer; /* the kernel's pointers tell which memory it is about */
	enum rule_id rule;
	const char *slug; /* in the fingerprint */
	const char *fix;
} causes[] = {
	[CAUSE_HARDWARE] = { true, false, RULE_HG614, "hardware",
			     "look at the GPU's error counters, and run it again on "
			     "another GPU: the program need not be the reason" FIX_NOT_TESTED },
	[CAUSE_NULL] = { true, false, RULE_HG614, "null",
			 "check the pointer before the launch: it is null, or an offset to null" },
	[CAUSE_FREED] = { true, false, RULE_HG614, "freed",
			  "release the memory after the last kernel that uses it has finished" },
	[CAUSE_PAST_END] = { true, true, RULE_HG614, "past-the-end",
			     "compare the kernel's index with the number of elements, or allocate "
			     "as many as it uses" },
	[CAUSE_OMP_PART] = { true, true, RULE_HG614, "omp-part",
			     "map all that the region uses of it: map(tofrom: " FIX_POINTER
			     "[:n]), n being the number of elements; or compare the region's index "
			     "with what is mapped" },
	[CAUSE_READ_ONLY] = { true, false, RULE_HG614, "read-only",
			      "map the memory with PROT_WRITE, or let the kernel write elsewhere" },
	[CAUSE_READ_ONLY_MAPPED] = { true, false, RULE_HG614, "read-only",
				     "give the GPU write access before the launch: hipMemSetAccess "
				     "with hipMemAccessFlagsProtReadWrite" FIX_NOT_TESTED },
	[CAUSE_READ_ONLY_OTHER] = { true, false, RULE_HG614, "read-only",
				    "let the kernel write elsewhere: nothing that is recorded "
				    "made this memory one that it may write" FIX_NOT_TESTED },
	[CAUSE_PEER] = { true, false, RULE_HG614, "peer",
			 "call hipDeviceEnablePeerAccess before the launch, with the kernel's GPU "
			 "as the current device, or use memory of the kernel's own GPU" },
	[CAUSE_HOST_ADDRESS] = { true, false, RULE_HG614, "host-address",
				 "pass what hipHostGetDevicePointer returns for this memory" },
	[CAUSE_SYSTEM] = { true, false, RULE_HG209, "system",
			   "allocate the memory with hipMallocManaged or hipMalloc, or run with "
			   "HSA_XNACK=1 on a GPU and kernel that support it (MI200 and later)" },
	[CAUSE_OMP_SYSTEM] = { true, false, RULE_HG806, "system",
			       "map the memory that the region uses: what a pointer in a mapped "
			       "struct leads to needs a map of its own" },
	[CAUSE_OTHER] = { false, false, RULE_HG614, "other",
			  "look at what was done with this memory before the "
			  "launch" FIX_NOT_TESTED },
	[CAUSE_NOWHERE] = { true, true, RULE_HG614, "nowhere",
			    "look at how the kernel computes its addresses: a wrong index, a "
			    "number that overflows, or a pointer that was never set" },
};

/* Returns what to do. Where no kernel was in flight the address need not be one that a kernel
 * computed. */
static const char *cause_fix(enum cause cause, const struct suspects *suspects)
{
	if (cause == CAUSE_NOWHERE && !suspects->list->len)
		return "look at the addresses that the program gave to copies and fills, and to "
		       "packets and signals of HSA's queues" FIX_NOT_TESTED;
	return causes[cause].fix;
}

/*
 * Returns true for memory that the process may only read: if the GPU reaches such memory at all, a
 * write faulted.
 */
static bool is_read_only(const struct rules_context *context, const struct fault *fault)
{
	const struct device *device = process_device(context->process, fault->device);
	const struct place *place = &fault->place;

	return device && device->xnack == 1 && place->kind == PLACE_ALLOCATION &&
	       place->allocation->api == HG_API_mmap &&
	       !(place->allocation->flags >> 32 & PROT_WRITE);
}

/* Returns true if the address is the host's, of memory that has another one for GPUs. */
static bool is_host_address(const struct place *place, uint64_t address)
{
	const struct allocation *allocation = place->allocation;

	return place->kind == PLACE_ALLOCATION && allocation->device_ptr != allocation->ptr &&
	       address - allocation->device_ptr >= allocation->size;
}

/* Returns true for memory of the operating system if the GPU has no mapping for it. */
static bool is_unreachable_system(const struct rules_context *context, const struct fault *fault)
{
	const struct device *device = process_device(context->process, fault->device);

	return is_system_memory(&fault->place) && !(device && device->xnack == 1);
}

/* Holds a fault behind the copy of a part of the host's memory, where the rest would be. */
struct part {
	const struct omp_copy *copy;
	struct place whole; /* of the copy's first byte on the host */
	uint64_t used;      /* the byte of that allocation where the fault is */
};

/* Returns true behind that copy, if the likeliest work gets its address, or that of the whole. */
static bool is_behind(const struct rules_context *context, const struct fault *fault,
		      const struct suspect *first, struct part *part)
{
	uint64_t from;

	part->whole = process_place(context->process, part->copy->host);
	part->used = part->whole.offset + (fault->page - part->copy->ptr);
	from = part->copy->ptr - part->whole.offset;
	return fault->page >= part->copy->ptr + part->copy->size &&
	       part->whole.kind == PLACE_ALLOCATION && part->used < part->whole.allocation->size &&
	       first->pointer.address - from < part->whole.offset + part->copy->size;
}

/*
 * Returns true if it is one. Other memory may lie between the copy and the page: which work-item
 * faults first is chance.
 */
static bool find_part(const struct rules_context *context, const struct fault *fault,
		      const struct suspects *suspects, struct part *part)
{
	const struct address_space *space = &context->process->space;
	const struct suspect *first =
	    suspects->list->len ? &g_array_index(suspects->list, struct suspect, 0) : NULL;
	uint64_t address = fault->page, distance;
	const struct allocation *before;

	if (!first || (fault->place.kind != PLACE_PAST_END && fault->place.kind != PLACE_UNKNOWN))
		return false;
	while ((before = address_space_find_before(space, address, &distance)) != NULL) {
		part->copy = omp_copy_in(before);
		if (part->copy && is_behind(context, fault, first, part))
			return true;
		address -= distance + before->size + 1;
	}
	return false;
}

static bool is_omp(const struct suspects *suspects)
{
	const struct kernel_ref *kernel =
	    suspects->list->len ? g_array_index(suspects->list, struct suspect, 0).kernel : NULL;
	const struct launch launch = { .kernel = kernel };

	return kernel && launch_is_omp(&launch);
}

/* Returns why the memory may only be read. */
static enum cause cause_of_write(const struct place *place)
{
	if (place->kind == PLACE_ALLOCATION && place->allocation->api == HG_API_mmap)
		return CAUSE_READ_ONLY;
	return place->kind == PLACE_ALLOCATION && place->allocation->layer == LAYER_MAPPED
		   ? CAUSE_READ_ONLY_MAPPED
		   : CAUSE_READ_ONLY_OTHER;
}

static enum cause cause_of(const struct rules_context *context, const struct fault_row *row,
			   const struct fault *fault, const struct suspects *suspects, bool is_part)
{
	const struct place *place = &fault->place;

	if (row->reason & FAULT_HARDWARE)
		return CAUSE_HARDWARE;
	if (fault->writes || is_read_only(context, fault))
		return cause_of_write(place);
	if (is_part)
		return CAUSE_OMP_PART;
	switch (place->kind) {
	case PLACE_NULL:
		return CAUSE_NULL;
	case PLACE_FREED:
		return CAUSE_FREED;
	case PLACE_PAST_END:
		return CAUSE_PAST_END;
	case PLACE_UNKNOWN:
		return CAUSE_NOWHERE;
	default:
		break;
	}
	if (is_host_address(place, fault->page))
		return CAUSE_HOST_ADDRESS;
	if (is_unreachable_system(context, fault))
		return is_omp(suspects) ? CAUSE_OMP_SYSTEM : CAUSE_SYSTEM;
	return is_unopened_peers(context, fault) ? CAUSE_PEER : CAUSE_OTHER;
}

/*
 * Returns the rule of the finding: a kernel that was given a pointer to memory that had been
 * released is HG601, also where only the fault shows that nothing came there since.
 */
static enum rule_id rule_of(enum cause cause, const struct suspects *suspects)
{
	const struct suspect *first =
	    suspects->list->len ? &g_array_index(suspects->list, struct suspect, 0) : NULL;

	return cause == CAUSE_FREED && first && first->kernel && first->reach == REACH_MEMORY
		   ? RULE_HG601
		   : causes[cause].rule;
}

static char *part_text(const struct part *part)
{
	char *memory = place_text(&part->whole), *text;

	text = g_strdup_printf("uses byte %" G_GUINT64_FORMAT
			       " of %s, or one behind it, of which the device has a copy of bytes "
			       "%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
			       " alone (0x%" G_GINT64_MODIFIER
			       "x on the host): a map has that part only",
			       part->used, memory, part->whole.offset,
			       part->whole.offset + part->copy->size - 1, part->copy->host);
	g_free(memory);
	return text;
}

/* Returns the memory that the fault is in, or may be in. The caller frees the text. */
static char *memory_text(const struct rules_context *context, const struct fault *fault)
{
	unsigned others;
	char *blocks, *text;

	if (!fault->vague)
		return place_text(&fault->place);
	blocks = page_blocks_text(context, fault, fault->place.allocation, &others);
	text = g_strdup_printf("a page with %s", blocks);
	g_free(blocks);
	return text;
}

/* Returns "accesses ..." with the memory. The caller frees it. */
static char *what_happened(const struct rules_context *context, enum cause cause,
			   const struct part *part, const struct fault_row *row,
			   const struct fault *fault)
{
	const struct allocation *allocation = fault->place.allocation;
	char *memory = memory_text(context, fault), *text = NULL, *past;

	switch (cause) {
	case CAUSE_HARDWARE:
		break;
	case CAUSE_NULL:
		text = g_strdup("uses a null pointer, or an offset to one");
		break;
	case CAUSE_FREED:
		text = g_strdup_printf("uses memory that was released by %s: %s",
				       hg_api_name(allocation->free_api), memory);
		break;
	case CAUSE_PAST_END:
		past = fault->place.offset
			   ? g_strdup_printf(", by %" G_GUINT64_FORMAT " bytes or more",
					     fault->place.offset)
			   : g_strdup("");
		text = g_strdup_printf("goes past the end of %s%s", memory, past);
		g_free(past);
		break;
	case CAUSE_OMP_PART:
		text = part_text(part);
		break;
	case CAUSE_READ_ONLY:
		text =
		    g_strdup_printf("writes to memory that the process may only read: %s", memory);
		break;
	case CAUSE_READ_ONLY_MAPPED:
	case CAUSE_READ_ONLY_OTHER:
		text = g_strdup_printf("writes to memory that the GPU may only read: %s", memory);
		break;
	case CAUSE_PEER:
		text =
		    g_strdup_printf("uses memory of GPU %d on GPU %d, which was never given access "
				    "to it: %s",
				    allocation->device, fault->device, memory);
		break;
	case CAUSE_HOST_ADDRESS:
		text =
		    g_strdup_printf("uses the host's address of %s, whose address is another one "
				    "on the GPU",
				    memory);
		break;
	case CAUSE_SYSTEM:
	case CAUSE_OMP_SYSTEM:
		text =
		    g_strdup_printf("uses %s, which is the operating system's memory: with XNACK "
				    "off the GPU has no mapping for it",
				    memory);
		break;
	case CAUSE_OTHER:
		text = g_strdup_printf("uses %s, which the GPU could not access; why is not known",
				       memory);
		break;
	case CAUSE_NOWHERE:
		text = g_strdup_printf("uses the address 0x%" G_GINT64_MODIFIER
				       "x, where no memory is known%s",
				       row->address,
				       context->process->state.late
					   ? "; memory that was made before the recording began "
					     "may be there"
					   : "");
		break;
	}
	g_free(memory);
	return text;
}

/* ---- who ---- */

#define NAMED 3u /* suspects in a message */

static const struct suspect *suspect_at(const struct suspects *suspects, unsigned i)
{
	return &g_array_index(suspects->list, struct suspect, i);
}

/*
 * Returns the likeliest suspect that is other work than the first, not just another launch of its
 * kernel, or NULL.
 */
static const struct suspect *runner_up(const struct suspects *suspects)
{
	const struct suspect *first = suspect_at(suspects, 0);

	for (unsigned i = 1; i < suspects->list->len; i++) {
		const struct suspect *other = suspect_at(suspects, i);

		if (!first->kernel || other->kernel != first->kernel)
			return other;
	}
	return NULL;
}

/* Returns true if the first is likelier than all other work. */
static bool stands_out(const struct suspects *suspects)
{
	const struct suspect *second;

	if (suspects->list->len == 0)
		return false;
	second = runner_up(suspects);
	return !second || suspect_at(suspects, 0)->reach > second->reach;
}

static char *names_text(const struct suspects *suspects)
{
	GString *text = g_string_new(NULL);
	GPtrArray *names = g_ptr_array_new();

	for (unsigned i = 0; i < suspects->list->len; i++) {
		const char *name = suspect_name(suspect_at(suspects, i));

		if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			g_ptr_array_add(names, (gpointer)name);
	}
	for (unsigned i = 0; i < names->len && i < NAMED; i++)
		g_string_append_printf(text, "%s%s", i ? ", or " : "", (char *)names->pdata[i]);
	if (names->len > NAMED)
		g_string_append_printf(text, ", or one of %u others", names->len - NAMED);
	g_ptr_array_free(names, TRUE);
	return g_string_free(text, FALSE);
}

static char *who_text(const struct suspects *suspects)
{
	if (suspects->list->len == 0)
		return g_strdup("Unknown work");
	return stands_out(suspects) ? g_strdup(suspect_name(suspect_at(suspects, 0)))
				    : names_text(suspects);
}

static char *gpu_text(const struct fault_row *row)
{
	return row->device < 0 ? g_strdup("A GPU") : g_strdup_printf("GPU %d", row->device);
}

/* ---- the finding ---- */

static void set_suspect(const struct rules_context *context, struct finding *finding,
			const struct suspect *suspect)
{
	const struct flight *flight = suspect->flight;
	struct launch launch = { .kernel = suspect->kernel, .code = suspect->code };
	bool of_pointer =
	    suspect->reach == REACH_MEMORY ||
	    (suspect->reach == REACH_COMPUTED && suspect->ways == 1 && !suspect->partly);

	if (suspect->kernel) {
		finding_set_launch(finding, &launch, NULL);
		finding->launches = flight->count;
		finding->work_items = flight->work_items;
	} else {
		finding->api = g_strdup(hg_api_name(flight->api));
	}
	if (suspect->kernel && of_pointer && suspect->pointer.kernarg != NO_KERNARG) {
		finding->kernarg_offset = suspect->pointer.kernarg;
		finding->argument = suspect->pointer.index;
		finding->argument_name = g_strdup(suspect->pointer.name);
	}
	/* If nothing is there, the finding has the memory from which the kernel went there. */
	if (!finding->allocation && of_pointer && suspect->pointer.place.allocation &&
	    suspect->pointer.place.kind == PLACE_ALLOCATION)
		finding_set_place(finding, &suspect->pointer.place, suspect->pointer.address);
	finding_hit(finding, context->event->ns, flight->stack_id);
	finding->count = 1; /* one fault, whatever launched it */
}

/* Adds the doubts about what is not certain. */
static void doubt(const struct rules_context *context, struct finding *finding, enum cause cause,
		  const struct fault *fault, const struct suspects *suspects)
{
	bool by_pointer = causes[cause].by_pointer || fault->place.kind == PLACE_HEAP;
	const struct suspect *first = suspects->list->len ? suspect_at(suspects, 0) : NULL;

	if (cause == CAUSE_HARDWARE) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"which work met the error does not follow from it");
		return;
	}
	if (!first) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"no work is known that was in flight and could get there");
		return;
	}
	if (!stands_out(suspects)) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"several pieces of work were in flight that could get there, the "
				"likeliest is named first");
	} else if (runner_up(suspects)) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"other work was in flight as well, which is less likely to get "
				"there");
	}
	if (!suspects->all) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"work may have been in flight that is not known");
	}
	if (by_pointer && first->partly &&
	    (first->reach < REACH_MEMORY || fault->place.kind == PLACE_HEAP)) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"not all of its accesses are known from the machine code");
	} else if (by_pointer && first->reach == REACH_COMPUTED && first->ways > 1) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"from which of its pointers it got there is not known");
	}
	if (context->process->state.late && (cause == CAUSE_NOWHERE || cause == CAUSE_PAST_END))
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"memory that was made before the recording began may be there");
	if (cause == CAUSE_FREED && fault->place.allocation->layer == LAYER_HOST) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"a smaller block that is not recorded may have been there since");
	}
	if (!causes[cause].explained)
		finding_at_most(finding, CONFIDENCE_LIKELY, "why the access faulted is not known");
}

/* Returns the sentence on who else it may have been, with a space before it. */
static char *others_text(const struct suspects *suspects)
{
	char *list, *text;

	if (!suspects->list->len)
		return g_strdup(" No kernel or copy that is recorded was in flight: it was a copy "
				"of the HSA runtime's functions, a packet without a kernel or its "
				"signal, or work that is not known.");
	if (!runner_up(suspects) && !suspects->all)
		return g_strdup("");
	if (!runner_up(suspects))
		return g_strdup(" No other work that could get there was in flight.");
	list = suspects_text(suspects);
	text = g_strdup_printf(" In flight were, the likeliest first: %s.", list);
	g_free(list);
	return text;
}

static char *message_text(const struct rules_context *context, enum cause cause,
			  const struct part *part, const struct fault_row *row,
			  const struct fault *fault, const struct suspects *suspects)
{
	char *reason = fault_reason(row->reason), *gpu = gpu_text(row), *text;
	char *who = who_text(suspects), *what = what_happened(context, cause, part, row, fault);
	char *others = others_text(suspects);

	if (what) {
		text = g_strdup_printf("%s %s. %s reported a memory access fault there (%s).%s",
				       who, what, gpu, reason, others);
	} else {
		text = g_strdup_printf("%s reported a fault of its own: %s.", gpu, reason);
	}
	g_free(others);
	g_free(reason);
	g_free(gpu);
	g_free(who);
	g_free(what);
	return text;
}

/* Names the host's memory, and the construct that maps a part of it. */
static void set_part(struct finding *finding, const struct part *part)
{
	struct place used = part->whole;

	used.offset = part->used;
	finding_set_place(finding, &used, used.allocation->ptr + used.offset);
	finding->related = g_strdup("the construct that maps a part of it");
	finding->related_stack_id = part->copy->stack_id;
}

/*
 * Finds which block of the page the fault is about: the one that the likeliest work is given a
 * pointer to, if that is one alone, or one that is not recorded. The fault is vague if it may be
 * about others.
 */
static void choose_block(const struct suspects *suspects, struct fault *fault)
{
	const struct suspect *first = stands_out(suspects) ? suspect_at(suspects, 0) : NULL;
	struct place *place = &fault->place;

	if (place->kind != PLACE_ALLOCATION)
		return;
	fault->vague = !page_means(fault, place->allocation, suspects);
	if (!fault->vague || !first || first->reach != REACH_MEMORY)
		return;
	if (first->block && !first->others) {
		*place = (struct place){ .kind = PLACE_ALLOCATION,
					 .allocation = (struct allocation *)first->block };
		fault->vague = !page_means(fault, place->allocation, suspects);
	} else if (!first->block && first->pointer.place.kind == PLACE_HEAP) {
		*place = first->pointer.place;
		fault->vague = false;
	}
}

enum rule_id report_fault(const struct rules_context *context, struct fault_row *row,
			  struct fault *fault)
{
	struct place place;
	enum cause cause;
	enum rule_id rule;
	const struct suspect *second;
	struct suspects suspects;
	struct finding *finding;
	struct part part;
	bool is_new;

	suspects_find(context, fault, &suspects);
	choose_block(&suspects, fault);
	row->vague = fault->vague;
	place = fault->place;
	if (place.kind == PLACE_PAST_END) /* offsets of findings are from the beginning */
		place.offset += place.allocation->size;
	cause =
	    cause_of(context, row, fault, &suspects, find_part(context, fault, &suspects, &part));
	rule = rule_of(cause, &suspects);
	finding = findings_get(context->findings, rule, context->process, &is_new,
			       "fault %s %" G_GINT64_MODIFIER "x %d", causes[cause].slug,
			       fault->page, row->device);
	if (is_new) {
		finding->subject = g_strdup(causes[cause].slug);
		finding->message = message_text(context, cause, &part, row, fault, &suspects);
		finding->fix = g_strdup(cause_fix(cause, &suspects));
		if (cause == CAUSE_OMP_PART)
			set_part(finding, &part);
		else if (place.allocation && cause != CAUSE_HARDWARE)
			finding_set_place(finding, &place, row->address);
		doubt(context, finding, cause, fault, &suspects);
		if (fault->vague && cause != CAUSE_HARDWARE)
			page_doubt(context, fault, place.allocation, true, finding);
		if (!suspects.list->len || cause == CAUSE_HARDWARE) {
			finding->api = g_strdup("gpu_memory_fault");
			finding_hit(finding, row->ns, 0);
		} else {
			set_suspect(context, finding, suspect_at(&suspects, 0));
			second = runner_up(&suspects);
			if (second) {
				g_free(finding->related);
				finding->related =
				    g_strdup_printf("%s, in flight as well", suspect_name(second));
				finding->related_stack_id = second->flight->stack_id;
			}
		}
	} else {
		finding->count++;
	}
	suspects_clear(&suspects);
	return rule;
}

/* ---- queues that stopped ---- */

#define QUEUE_MEMORY_FAULT 43u /* HSA_STATUS_ERROR_MEMORY_FAULT */

struct queue_error {
	uint32_t status; /* hsa_status_t */
	const char *name;
	const char *what;
	const char *fix;
};

static const struct queue_error *queue_error(uint64_t status)
{
	/* ROCr 5.2.3 has these numbers in hsa.h and hsa_ext_amd.h. */
	static const struct queue_error errors[] = {
		{ 0x1016, "HSA_STATUS_ERROR_EXCEPTION",
		  "stopped itself: abort(), an assert() that failed, or __builtin_trap() in the "
		  "kernel's code",
		  "look at why the kernel's code stops: the program's output has the text of an "
		  "assert()" FIX_NOT_TESTED },
		{ 42, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
		  "came to something that is not an instruction of this GPU",
		  "look at what the kernel calls or jumps to, and whether its code was compiled "
		  "for "
		  "this GPU" FIX_NOT_TESTED },
		{ 41, "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
		  "used an address that is in none of the GPU's address ranges",
		  "look at how the kernel computes its addresses, those of LDS and private memory "
		  "too" FIX_NOT_TESTED },
		{ 0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
		  "needs more of a resource than the GPU has: LDS, or private memory (scratch)",
		  "let the kernel use less private memory or LDS, or launch fewer "
		  "work-items" FIX_NOT_TESTED },
		{ 0x100D, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS",
		  "was launched with sizes that do not fit together",
		  "compare the sizes of the grid and the work-group, and LDS, with what the GPU "
		  "allows" FIX_NOT_TESTED },
		{ 0x1009, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT",
		  "was in a queue with a packet that is none of HSA's",
		  "look at what the program writes into the queue" FIX_NOT_TESTED },
		{ 0, NULL, "was in a queue that the runtime stopped",
		  "look up the error in hsa.h or hsa_ext_amd.h" FIX_NOT_TESTED },
	};
	size_t i = 0;

	while (errors[i].status && errors[i].status != status)
		i++;
	return &errors[i];
}

static char *queue_error_text(const struct queue_error *error, const struct suspects *suspects,
			      const struct hg_ev_call *event)
{
	char *who = who_text(suspects), *text;
	char *gpu =
	    event->device < 0 ? g_strdup("a GPU") : g_strdup_printf("GPU %d", event->device);

	text = g_strdup_printf("%s %s. The runtime stopped a queue of %s with the error %s%s"
			       "0x%" G_GINT64_MODIFIER "x%s.",
			       who, error->what, gpu, error->name ? error->name : "",
			       error->name ? " (" : "", event->value, error->name ? ")" : "");
	g_free(gpu);
	g_free(who);
	return text;
}

/* Returns true if a check ended a kernel of the process, which HG715 reports. */
static bool was_ended(const struct rules_context *context)
{
	for (unsigned i = 0; i < context->findings->list->len; i++) {
		const struct finding *finding = context->findings->list->pdata[i];

		if (finding->rule == &rules[RULE_HG715] && finding->process == context->process)
			return true;
	}
	return false;
}

void report_queue_error(const struct rules_context *context)
{
	const struct hg_ev_call *event = context->event->call;
	const struct queue_error *error = queue_error(event->value);
	struct fault fault = { .device = event->device, .elsewhere = true };
	struct suspects suspects;
	struct finding *finding;
	bool is_new;

	/* gpu_memory_fault says more */
	if (event->value == QUEUE_MEMORY_FAULT || was_ended(context))
		return;
	finding = findings_get(context->findings, RULE_HG614, context->process, &is_new,
			       "queue %" G_GINT64_MODIFIER "x %d", event->value, event->device);
	if (!is_new) {
		finding->count++;
		return;
	}
	suspects_find(context, &fault, &suspects);
	finding->subject = g_strdup(QUEUE_ERROR);
	finding->message = queue_error_text(error, &suspects, event);
	finding->fix = g_strdup(error->fix);
	if (suspects.list->len) {
		set_suspect(context, finding, suspect_at(&suspects, 0));
	} else {
		finding->api = g_strdup("gpu_queue_error");
		finding_hit(finding, context->event->ns, 0);
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"no kernel is known that was in flight");
	}
	if (suspects.list->len && runner_up(&suspects)) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"several kernels were in flight, the latest is named first");
	} else if (!suspects.all) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"work may have been in flight that is not known");
	}
	suspects_clear(&suspects);
}
