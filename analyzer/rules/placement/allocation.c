/* SPDX-License-Identifier: Apache-2.0 */
/* HG2xx and HG6xx: calls that allocate, register, advise and release memory wrongly. */
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"

enum {
	/* hipHostMalloc and hipHostRegister flags, hipError_t: H523. */
	HOST_MAPPED = 0x2,
	REGISTER_COARSE_GRAINED = 0x8,
	INVALID_VALUE = 1,
	ERROR_ALREADY_REGISTERED = 712,
	ERROR_NOT_REGISTERED = 713,
	ADVICE_SET_COARSE_GRAIN = 100,
};
#define HOST_COHERENT     0x40000000u
#define HOST_NON_COHERENT 0x80000000u

/*
 * Returns a finding about one call: its stack is the key; it is counted, and filled in when it is
 * new.
 */
static struct finding *call(const struct rules_context *context, enum rule_id rule, unsigned api,
			    uint32_t stack_id, const struct place *place, uint64_t address,
			    bool *is_new)
{
	struct finding *finding = findings_get(context->findings, rule, context->process, is_new,
					       "%u %u %d", api, stack_id, place->kind);

	finding_hit(finding, context->event->ns, stack_id);
	finding_met(finding, place);
	if (*is_new) {
		finding->api = g_strdup(hg_api_name(api));
		finding_set_place(finding, place, address);
	}
	return finding;
}

/* ---- allocation ---- */

struct flag_rule {
	uint16_t api;
	uint64_t bits; /* all of them set */
	enum rule_id rule;
	const char *message;
	const char *fix;
};

static const struct flag_rule flag_rules[] = {
	{ HG_API_hipHostMalloc, HOST_MAPPED | HOST_NON_COHERENT, RULE_HG203,
	  "hipHostMallocMapped requests fine-grained memory and hipHostMallocNonCoherent "
	  "coarse-grained: the runtime made it coarse-grained, contrary to the documentation.",
	  "drop hipHostMallocMapped (all pinned memory is mapped), or hipHostMallocNonCoherent" },
	{ HG_API_hipHostRegister, REGISTER_COARSE_GRAINED, RULE_HG206,
	  "hipExtHostRegisterCoarseGrained has no effect: the memory is fine-grained.",
	  "for coarse-grained host memory use hipHostMalloc(&p, n, hipHostMallocNonCoherent)" },
};

static void check_flags(const struct rules_context *context, const struct place *place)
{
	const struct allocation *allocation = place->allocation;

	for (unsigned i = 0; i < G_N_ELEMENTS(flag_rules); i++) {
		const struct flag_rule *row = &flag_rules[i];
		struct finding *finding;
		bool is_new;

		if (row->api != allocation->api || (allocation->flags & row->bits) != row->bits)
			continue;
		finding = call(context, row->rule, allocation->api, allocation->stack_id, place,
			       allocation->ptr, &is_new);
		if (is_new) {
			finding->message = g_strdup(row->message);
			finding->fix = g_strdup(row->fix);
		}
	}
}

/* Memory that is not where its allocator's name says. */
static void check_place(const struct rules_context *context, const struct place *place)
{
	const struct allocation *allocation = place->allocation;
	struct model_environment environment = process_environment(context->process);
	struct model_memory memory;
	struct finding *finding;
	bool is_new;

	if (allocation->api != HG_API_hipHostAlloc && allocation->api != HG_API_hipMallocManaged)
		return;
	memory = model_memory(allocation->api, allocation->flags, &environment);
	if (!memory.certain)
		return;
	if (allocation->api == HG_API_hipHostAlloc && memory.location == LOCATION_DEVICE) {
		finding = call(context, RULE_HG201, allocation->api, allocation->stack_id, place,
			       allocation->ptr, &is_new);
		if (is_new) {
			finding->message = g_strdup(
			    "hipHostAlloc of this runtime returns coarse-grained device memory: "
			    "the host reaches it over the bus, slowly, or not at all.");
			finding->fix = g_strdup("use hipHostMalloc");
		}
	} else if (allocation->api == HG_API_hipMallocManaged && memory.location == LOCATION_HOST) {
		finding = call(context, RULE_HG208, allocation->api, allocation->stack_id, place,
			       allocation->ptr, &is_new);
		if (is_new) {
			finding->message = g_strdup(
			    "without HMM in the kernel hipMallocManaged returns pinned "
			    "coarse-grained host memory: nothing migrates, and prefetch and "
			    "advice succeed without effect.");
			finding->fix = g_strdup("run on a kernel with HMM, or use hipMalloc and "
						"copies");
		}
	}
}

static void check_refused(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct place place = process_place(context->process, error->ptr);
	struct finding *finding;
	bool is_new;

	if (error->api == HG_API_hipHostMalloc && (error->flags & HOST_COHERENT) &&
	    (error->flags & HOST_NON_COHERENT)) {
		place = (struct place){ .kind = PLACE_UNKNOWN };
		finding =
		    call(context, RULE_HG204, error->api, error->stack_id, &place, 0, &is_new);
		if (is_new) {
			finding->message = g_strdup_printf(
			    "hipHostMalloc with hipHostMallocCoherent and "
			    "hipHostMallocNonCoherent failed with %s (%d): no memory was "
			    "allocated, and the pointer was not set.",
			    model_hip_error_name(error->code), error->code);
			finding->fix = g_strdup("drop one of the two flags, and check the result");
		}
	}
	if ((error->api == HG_API_hipHostRegister && error->code == ERROR_ALREADY_REGISTERED) ||
	    (error->api == HG_API_hipHostUnregister && error->code == ERROR_NOT_REGISTERED)) {
		finding = call(context, RULE_HG604, error->api, error->stack_id, &place, error->ptr,
			       &is_new);
		if (is_new) {
			finding->message =
			    g_strdup_printf("%s failed with %s (%d).", finding->api,
					    model_hip_error_name(error->code), error->code);
			finding->fix = g_strdup("register each range once, and unregister it once");
		}
	}
}

/* ---- release ---- */

static void report_release(const struct rules_context *context, const struct place *place,
			   const char *what, const char *fix)
{
	const struct hg_ev_free *from = context->event->free;
	struct finding *finding;
	bool is_new;

	finding = call(context, RULE_HG605, from->api, from->stack_id, place, from->ptr, &is_new);
	finding_detail(finding, g_str_hash(what));
	if (is_new) {
		finding->message =
		    g_strdup_printf("%s is given a pointer %s; the call may still report success.",
				    finding->api, what);
		finding->fix = g_strdup(fix);
	}
}

static void check_hip_release(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;
	struct place place = process_place(context->process, from->ptr);

	if (address_space_find_base(&context->process->space, from->ptr, from->api))
		return;
	if (place.kind == PLACE_FREED && place.offset == 0) {
		report_release(context, &place, "that was released before",
			       "release it once, and set the pointer to NULL afterwards");
	} else if (place.kind == PLACE_ALLOCATION && place.allocation->layer == LAYER_HIP) {
		report_release(context, &place, "into the middle of an allocation",
			       "pass the pointer that the allocation returned");
	} else if (place.kind == PLACE_ALLOCATION && place.allocation->layer == LAYER_HOST) {
		report_release(context, &place, "that HIP did not allocate",
			       "release it with the counterpart of the function that allocated "
			       "it" FIX_NOT_TESTED);
	}
}

/*
 * Reports that [start, start + size) is released while it is registered. Memory that came `since`
 * the registration lies where the registered memory was released before: that has been reported.
 */
static void check_registered(const struct rules_context *context, uint64_t start, uint64_t size,
			     int64_t since)
{
	const struct hg_ev_free *from = context->event->free;
	struct place place = { .kind = PLACE_ALLOCATION };
	struct finding *finding;
	bool is_new;

	place.allocation =
	    address_space_overlapping(&context->process->space, LAYER_REGISTERED, start, size);
	if (!place.allocation || since > place.allocation->ns)
		return;
	finding = call(context, RULE_HG603, from->api, from->stack_id, &place, from->ptr, &is_new);
	finding_figure(finding, 0, FIGURE_RANGE, place.allocation->size);
	if (is_new) {
		finding->message = g_strdup_printf(
		    "%s releases memory that is still registered with hipHostRegister (%s bytes): "
		    "%s.",
		    finding->api, FIGURE(0),
		    allocation_is_in_place(place.allocation)
			? "the runtime takes what is allocated there next for registered memory"
			: "the GPU keeps a mapping of pages that were released");
		finding->fix = g_strdup("call hipHostUnregister first");
	}
}

static void check_block_release(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;
	const struct address_space *space = &context->process->space;
	const struct host_block *block;
	const struct allocation *allocation;

	/* This is so nearly always; and blocks are released often. */
	if (!g_tree_nnodes(space->layers[LAYER_REGISTERED]))
		return;
	block = address_space_block(space, from->ptr);
	if (block) {
		check_registered(context, block->ptr, block->size, block->ns);
		return;
	}
	allocation = address_space_find_base(space, from->ptr, from->api);
	if (allocation)
		check_registered(context, allocation->ptr, allocation->size, allocation->ns);
}

/* Pieces of the segment that were unmapped before have been looked at then. */
static void check_detached(const struct rules_context *context)
{
	const struct allocation *segment = address_space_find_base(
	    &context->process->space, context->event->free->ptr, HG_API_shmdt);

	if (segment)
		check_registered(context, segment->ptr, segment->size, segment->ns);
}

/* Pages are released one by one: of several mappings the first that is there decides. */
static void check_unmapped(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;
	const struct allocation *mapping = address_space_overlapping(
	    &context->process->space, LAYER_MAPPING, from->ptr, from->size);

	check_registered(context, from->ptr, from->size, mapping ? mapping->ns : INT64_MIN);
}

static void check_free(const struct rules_context *context)
{
	const struct hg_ev_free *from = context->event->free;

	switch (from->api) {
	case HG_API_hipFree:
	case HG_API_hipHostFree:
	case HG_API_hipFreeHost:
		check_hip_release(context);
		break;
	case HG_API_munmap:
	case HG_API_brk:
	case HG_API_sbrk:
		check_unmapped(context);
		break;
	case HG_API_shmdt:
		check_detached(context);
		break;
	default:
		if (layer_of_api(from->api) == LAYER_HOST)
			check_block_release(context);
	}
}

/* ---- advice ---- */

/* Another live allocation on the page that [start, end) touches only in part. */
static const struct allocation *neighbour(const struct rules_context *context, uint64_t page,
					  const struct allocation *own)
{
	const struct address_space *space = &context->process->space;
	uint64_t size = context->process->page_size;

	for (int layer = LAYER_HIP; layer <= LAYER_HOST; layer++) {
		const struct allocation *found =
		    address_space_overlapping(space, (enum layer)layer, page, size);

		if (found == own && found->ptr + found->size < page + size) {
			uint64_t rest = found->ptr + found->size;

			found = address_space_overlapping(space, (enum layer)layer, rest,
							  page + size - rest);
		}
		if (found && found != own)
			return found;
	}
	return NULL;
}

static void check_neighbours(const struct rules_context *context)
{
	const struct hg_ev_advise *advise = context->event->advise;
	uint64_t mask = context->process->page_size - 1;
	uint64_t end = advise->ptr + advise->size;
	struct place place = process_place(context->process, advise->ptr);
	const struct allocation *other = NULL;
	struct finding *finding;
	bool is_new, omp;

	if (advise->advice != ADVICE_SET_COARSE_GRAIN || advise->size == 0 ||
	    place.kind != PLACE_ALLOCATION || place.allocation->layer == LAYER_REGISTERED)
		return;
	if (advise->ptr & mask)
		other = neighbour(context, advise->ptr & ~mask, place.allocation);
	if (!other && (end & mask))
		other = neighbour(context, end & ~mask, place.allocation);
	if (!other)
		return;
	omp = advise->api == HG_API_hsa_amd_svm_attributes_set && context->process->target_regions;
	if (omp && context->process->hsa_refused)
		return;
	finding = call(context, omp ? RULE_HG802 : RULE_HG213, advise->api, advise->stack_id,
		       &place, advise->ptr, &is_new);
	finding_figure(finding, 0, FIGURE_RANGE, other->size);
	finding_detail(finding, other->api);
	if (is_new && omp) {
		finding->message = g_strdup_printf(
		    "the map makes whole pages coarse-grained, for as long as they are mapped into "
		    "the process: also %s bytes from %s, which share a page with what is mapped.",
		    FIGURE(0), hg_api_name(other->api));
		finding->fix = g_strdup_printf(
		    "allocate with aligned_alloc(%u, n), n a multiple of %u; or leave the map out, "
		    "or set OMPX_DISABLE_USM_MAPS=1, so that the memory stays "
		    "fine-grained" FIX_NOT_TESTED,
		    context->process->page_size, context->process->page_size);
	} else if (is_new) {
		finding->message = g_strdup_printf(
		    "advice is for whole pages: this makes %s bytes from %s, which share a page "
		    "with it, coarse-grained as well.",
		    FIGURE(0), hg_api_name(other->api));
		finding->fix =
		    g_strdup_printf("allocate with aligned_alloc(%u, n), n a multiple of "
				    "%u, or with hipMallocManaged",
				    context->process->page_size, context->process->page_size);
	}
}

/* ---- HG221 ---- */

void check_no_size(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct finding *finding;
	bool is_new;

	if (error->api != HG_API_hipMallocManaged || error->size || error->code != INVALID_VALUE)
		return;
	finding = findings_get(context->findings, RULE_HG221, context->process, &is_new, "%u",
			       error->stack_id);
	finding_hit(finding, context->event->ns, error->stack_id);
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(error->api));
	finding->message = g_strdup_printf(
	    "%s of 0 bytes failed with %s (%d), and left the pointer as it was; hipMalloc returns "
	    "NULL and succeeds.",
	    finding->api, model_hip_error_name(error->code), error->code);
	finding->fix = g_strdup("allocate at least one byte, or set the pointer to NULL instead");
}

void check_allocations(const struct rules_context *context)
{
	struct place place;

	switch (context->wake) {
	case WAKE_ALLOC:
		if (is_new_allocation(context, &place)) {
			check_flags(context, &place);
			check_place(context, &place);
		}
		break;
	case WAKE_ERROR:
		check_refused(context);
		break;
	case WAKE_ADVISE:
		check_neighbours(context);
		break;
	default:
		check_free(context);
		break;
	}
}
