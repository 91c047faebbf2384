/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG114, HG115: data that wavefronts hand over to each other without release or acquire: the
 * machine code stores data and then writes a flag, or reads a flag and then data, and nothing
 * between orders the two. Both sides must be known: in one kernel, or in two that were launched
 * into different streams with the same memory.
 *
 * On gfx94x and gfx950 the work-groups of a kernel run on several XCDs, each with an L2 cache that
 * is not coherent with the others [LUG, "Memory Model GFX942"]: there the data are stale (HG114;
 * seen on MI300X [HECB292] and MI350 [RCCL1932]). On gfx90a one L2 cache serves them all (HG115).
 */
#include <string.h>

#include "handovers.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "codeobj/processor.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_stream.h"

/* Launches with handovers that are kept to be compared with later ones. */
#define SIDES_MOST 256u

/* Describes a side of a handover that a launch made. */
struct side {
	const struct isa_handover *handover; /* the kernel's, which stays */
	const struct isa_kernel *code;
	uint64_t flag, data, stream;
	struct allocation *allocation; /* of the data: a reference, or NULL */
	int32_t device;
	uint32_t stack_id;
};

static void clear_sides(void *data)
{
	GArray **sides = data;

	for (unsigned i = 0; *sides && i < (*sides)->len; i++)
		allocation_unref(g_array_index(*sides, struct side, i).allocation);
	g_clear_pointer(sides, g_array_unref);
}

static const struct attachment_type sides_type = { sizeof(GArray *), NULL, clear_sides };

static bool has_several_l2(const char *arch)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);

	return processor && processor->l2 == CODEOBJ_L2_SEVERAL;
}

/*
 * Returns true if an L2 cache of the GPU holds memory of that kind of a host whose GPUs are no APUs
 * [KFD]. What is not known to be is not.
 */
static bool holds_host(const char *arch, enum granularity granularity)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);
	enum codeobj_host host = processor ? processor->host : CODEOBJ_HOST_UNKNOWN;

	return host == CODEOBJ_HOST_ALL ||
	       (host == CODEOBJ_HOST_COARSE && granularity == GRAIN_COARSE);
}

/*
 * Returns true if no L2 cache keeps the memory (MTYPE UC), or it is written through it (CC) [KFD]:
 * it was requested so, or is the host's and the GPU, which has memory of its own, holds none of it.
 */
static bool is_uncached(const struct rules_context *context, const struct pointer_argument *pointer)
{
	const struct device *device = context->launch->device;
	const struct allocation *allocation = pointer->place.allocation;
	struct grain grain;
	char *flags;
	bool uncached;

	if (pointer->place.kind != PLACE_ALLOCATION)
		return false;
	flags = model_flags_text(allocation->api, allocation->flags);
	uncached = strstr(flags, "Uncached") != NULL;
	g_free(flags);
	grain = place_grain(context->process, &pointer->place);
	uncached |= grain.location == LOCATION_HOST && (!device || device->integrated != 1) &&
		    !holds_host(context->launch->arch, grain.granularity);
	grain_clear(&grain);
	return uncached;
}

/* False if it leads nowhere, or nothing can be stale there. */
static bool find_memory(const struct rules_context *context, const struct isa_party *party,
			struct pointer_argument *pointer)
{
	if (party->symbol) {
		memset(pointer, 0, sizeof(*pointer));
		return true;
	}
	return launch_pointer(context, context->launch, party->kernarg, pointer) &&
	       pointer->address && !is_uncached(context, pointer);
}

static void add_instruction(struct finding *finding, const struct isa_party *party)
{
	finding_add_instruction(finding, &(struct code_site){ .instruction = party->mnemonic,
							      .code_offset = party->kernel_offset,
							      .file = party->file,
							      .line = party->line });
}

/* " (FILE:LINE)"; "" if the finding lists the instruction, or it has none. */
static char *line_of(const struct isa_party *party, bool listed)
{
	return party->file && !listed ? g_strdup_printf(" (%s:%u)", party->file, party->line)
				      : g_strdup("");
}

/*
 * Returns what is missing and in which instructions it shows; the finding lists those of `named`.
 */
static char *describe(const struct isa_handover *writes, const struct isa_kernel *writer,
		      const struct isa_handover *reads, const struct isa_kernel *reader,
		      const struct isa_kernel *named, bool several_l2)
{
	GString *text = g_string_new(NULL);
	char *data = line_of(&writes->data, writer == named);
	char *flag = line_of(&writes->flag, writer == named);
	char *seen = line_of(&reads->flag, reader == named);
	char *used = line_of(&reads->data, reader == named);

	g_string_append_printf(text, "%s stores data with %s%s and then writes %s with %s%s",
			       writer->name, writes->data.mnemonic, data,
			       writes->pointer ? "a pointer to them" : "a flag",
			       writes->flag.mnemonic, flag);
	if (!writes->ordered)
		g_string_append_printf(text, ", without %s between",
				       several_l2 ? "buffer_wbl2 sc1" : "s_waitcnt vmcnt(0)");
	g_string_append_printf(text, "; %s reads the %s with %s%s and then the data%s with %s%s",
			       reader == writer ? "another work-group" : reader->name,
			       reads->pointer ? "pointer" : "flag", reads->flag.mnemonic, seen,
			       reads->pointer ? " behind it" : "", reads->data.mnemonic, used);
	if (!reads->ordered)
		g_string_append_printf(text, ", without %s between",
				       several_l2 ? "buffer_inv sc1" : "buffer_wbinvl1_vol");
	g_string_append(
	    text, several_l2 ? ": where the two run on different XCDs, the reader may get what its "
			       "L2 cache had before, or what memory has before the writer's L2 "
			       "cache is written back."
			     : ": one L2 cache serves all work-groups here, so this mostly works; "
			       "on gfx942 each XCD has one of its own.");
	g_free(data);
	g_free(flag);
	g_free(seen);
	g_free(used);
	return g_string_free(text, FALSE);
}

/* Returns true if they are of one kernel, with whatever arguments. */
static bool is_same(const struct isa_kernel *a, const struct isa_kernel *b)
{
	return a->symbol == b->symbol;
}

static void report(const struct rules_context *context, const struct side *writes,
		   const struct side *reads, const struct pointer_argument *data)
{
	const struct launch *launch = context->launch;
	bool several_l2 = has_several_l2(launch->arch);
	const struct isa_handover *w = writes->handover, *r = reads->handover;
	const char *what = w->pointer ? "pointer" : "flag";
	struct finding *finding;
	bool is_new;

	finding = findings_get(
	    context->findings, several_l2 ? RULE_HG114 : RULE_HG115, context->process, &is_new,
	    "%s %" G_GINT64_MODIFIER "x %s %" G_GINT64_MODIFIER "x", writes->code->symbol,
	    (uint64_t)w->data.kernel_offset, reads->code->symbol, (uint64_t)r->data.kernel_offset);
	launch_hit(launch, finding);
	if (!is_new) {
		if (data->place.kind == PLACE_ALLOCATION)
			finding_met(finding, &data->place);
		return;
	}
	finding_set_launch(finding, launch, data->address ? data : NULL);
	handover_remember(finding, writes->code, w->data.kernel_offset, reads->code,
			  r->data.kernel_offset);
	/* Only of the kernel that the finding names. */
	if (is_same(launch->code, writes->code)) {
		add_instruction(finding, &w->data);
		add_instruction(finding, &w->flag);
	}
	if (is_same(launch->code, reads->code)) {
		add_instruction(finding, &r->flag);
		add_instruction(finding, &r->data);
	}
	finding->message = describe(w, writes->code, r, reads->code, launch->code, several_l2);
	finding->fix = g_strdup_printf(
	    "call __threadfence() between the stores and the write of the %s, and again between "
	    "reading the %s and the data;\nor write the %s with __ATOMIC_RELEASE and read it "
	    "with __ATOMIC_ACQUIRE, of __HIP_MEMORY_SCOPE_AGENT",
	    what, what, what);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			several_l2 ? "unknown whether work-groups on different XCDs take part, and "
				     "whether a device is a single XCD here (CPX mode)"
				   : "unknown whether different work-groups take part");
	if (is_same(writes->code, reads->code))
		return;
	finding->related =
	    g_strdup(is_same(launch->code, writes->code) ? reads->code->name : writes->code->name);
	finding->related_stack_id =
	    is_same(launch->code, writes->code) ? reads->stack_id : writes->stack_id;
	finding_at_most(finding, CONFIDENCE_POSSIBLE,
			"unknown whether both kernels run at the same time");
}

/* Looks for handovers in one launch. */
static void check_within(const struct rules_context *context)
{
	const struct isa_kernel *code = context->launch->code;

	for (size_t i = 0; i < code->handover_count; i++) {
		struct side writes = { .handover = &code->handovers[i], .code = code };
		struct pointer_argument data, flag;

		for (size_t k = 0; k < code->handover_count; k++) {
			struct side reads = { .handover = &code->handovers[k], .code = code };

			if (isa_handover_meets(writes.handover, reads.handover) &&
			    (!writes.handover->ordered || !reads.handover->ordered) &&
			    find_memory(context, &writes.handover->data, &data) &&
			    find_memory(context, &writes.handover->flag, &flag))
				report(context, &writes, &reads, &data);
		}
	}
}

/* Only a loop that waits shows that the other kernel is meant to run at the same time. */
static bool side_of(const struct rules_context *context, const struct isa_handover *handover,
		    struct side *side, struct pointer_argument *data)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct pointer_argument flag;

	if (handover->flag.symbol || handover->data.symbol || handover->pointer ||
	    (handover->reads && !handover->waits) || !find_memory(context, &handover->data, data) ||
	    !find_memory(context, &handover->flag, &flag))
		return false;
	*side = (struct side){ .handover = handover,
			       .code = context->launch->code,
			       .flag = flag.address,
			       .data = data->address,
			       .stream = event->stream,
			       .allocation = data->place.allocation,
			       .device = event->device,
			       .stack_id = event->stack_id };
	return true;
}

/* Looks for handovers between this launch and earlier ones of other kernels. */
static void check_others(const struct rules_context *context)
{
	const struct isa_kernel *code = context->launch->code;
	GArray **sides = attachment_get(&context->process->attachments, &sides_type);
	unsigned before = *sides ? (*sides)->len : 0;

	if (!*sides)
		*sides = g_array_new(FALSE, FALSE, sizeof(struct side));
	for (size_t i = 0; i < code->handover_count; i++) {
		struct pointer_argument data;
		struct side side;

		if (!side_of(context, &code->handovers[i], &side, &data))
			continue;
		for (unsigned k = 0; k < before; k++) {
			struct side other = g_array_index(*sides, struct side, k);

			if (is_same(other.code, code) ||
			    other.handover->reads == side.handover->reads ||
			    other.flag != side.flag || other.data != side.data ||
			    other.allocation != side.allocation || other.stream == side.stream ||
			    other.device != side.device ||
			    !isa_handover_places_meet(
				side.handover->reads ? other.handover : side.handover,
				side.handover->reads ? side.handover : other.handover,
				side.flag == side.data) ||
			    (other.handover->ordered && side.handover->ordered))
				continue;
			report(context, side.handover->reads ? &other : &side,
			       side.handover->reads ? &side : &other, &data);
		}
		if ((*sides)->len < SIDES_MOST) {
			if (side.allocation)
				allocation_ref(side.allocation);
			g_array_append_val(*sides, side);
		}
	}
}

void check_handovers(const struct rules_context *context)
{
	const struct launch *launch = context->launch;
	const struct hg_ev_launch *event = context->event->launch;
	const struct codeobj_processor *processor = codeobj_processor(launch->arch);

	/* Without that fact nothing can be said of the GPU's caches. */
	if (!launch->code->handover_count || !processor || processor->host == CODEOBJ_HOST_UNKNOWN)
		return;
	check_others(context);
	/* Waves of one work-group share an L1 cache, except in tgsplit mode. */
	*launch->items_matter = true;
	if ((uint64_t)event->grid_x * event->grid_y * event->grid_z > 1)
		check_within(context);
}
