/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG215, HG401 to HG404, HG406, HG602, HG701, HG703: uses of the same memory that nothing orders.
 */
#include "access_history.h"
#include "overlap.h"
#include "analyzer/replay/stream_names.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/model/waits.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg4xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"

/* ---- names ---- */

char *order_stream_text(const struct process *process, const struct use *use)
{
	char *name, *text;

	switch ((enum stream_kind)use->kind) {
	case STREAM_KIND_LEGACY:
		return g_strdup("the null stream");
	case STREAM_KIND_PER_THREAD:
		return g_strdup("a thread's default stream");
	case STREAM_KIND_NON_BLOCKING:
	case STREAM_KIND_BLOCKING:
		break;
	}
	name = stream_number_name(process, use->stream);
	if (use->kind != STREAM_KIND_NON_BLOCKING)
		return name;
	text = g_strconcat(name, " (non-blocking)", NULL);
	g_free(name);
	return text;
}

const char *use_name(const struct use *use)
{
	return use->code ? use->code->name : hg_api_name(use->api);
}

static const char *verb(const struct use *use)
{
	return use->access & ACCESS_ATOMIC  ? "updates"
	       : use->access & ACCESS_WRITE ? "writes"
					    : "reads";
}

/* The same for what may go on. */
static const char *infinitive(const struct use *use)
{
	return use->access & ACCESS_ATOMIC  ? "update"
	       : use->access & ACCESS_WRITE ? "write"
					    : "read";
}

static char *memory_text(const struct allocation *allocation)
{
	return g_strdup_printf("%s bytes from %s", FIGURE(0), hg_api_name(allocation->api));
}

/* Returns the part of the allocation that a copy or fill touches; a kernel's part is not known. */
static char *touched_text(const struct allocation *allocation, const struct finding *finding,
			  const struct use *use)
{
	const char *api = hg_api_name(allocation->api);
	char *piece, *text;

	if (finding->piece) {
		piece = piece_words(finding->piece, FIGURE(2));
		text = use->end ? g_strdup_printf("%s bytes of %s", FIGURE(1), piece)
				: g_strdup_printf("memory in %s", piece);
		g_free(piece);
		return text;
	}

	return use->end ? g_strdup_printf("%s bytes of a block of %s bytes from %s", FIGURE(1),
					  FIGURE(0), api)
			: g_strdup_printf("memory in a block of %s bytes from %s", FIGURE(0), api);
}

/* ---- reports ---- */

/* With a finding: the moment of its latest occurrence. */
static const struct attachment_type latest_type = { sizeof(struct moment), NULL, NULL };

/* Sets the other party of a finding: what it is, in which stream. */
static void set_related(struct finding *finding, const struct use *earlier)
{
	char *stream = order_stream_text(finding->process, earlier);

	finding->related = g_strdup_printf("%s in %s, before it", use_name(earlier), stream);
	finding->related_stack_id = earlier->stack_id;
	g_free(stream);
}

void order_count_launch(const struct rules_context *context, struct finding *finding,
			const struct launch_use *from)
{
	const struct hg_ev_launch *launch = context->event->launch;

	if (!from)
		return;
	finding->launches++;
	finding->work_items =
	    MAX(finding->work_items, (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
					 launch->block_x * launch->block_y * launch->block_z);
}

void order_set_later(const struct rules_context *context, struct finding *finding,
		     struct allocation *allocation, const struct use *later,
		     const struct launch_use *from)
{
	struct pointer_argument pointer;
	struct launch launch = { .code = later->code };
	struct place place;
	bool is_launch = context->event->type == HG_EVENT_launch && from;

	finding->about_order = true;
	if (is_launch) {
		launch.args = process_args(context->process, context->event->launch->args_id);
		launch.kernel = process_kernel(context->process, context->event->launch->kernel_id);
		pointer = (struct pointer_argument){ .kernarg = from->kernarg,
						     .index = -1,
						     .address = from->address,
						     .chain = from->chain,
						     .path = from->path };
		pointer.place = process_place(context->process, from->address);
		if (from->kernarg != NO_KERNARG)
			launch_argument(&launch, from->kernarg, &pointer);
		finding_set_launch(finding, &launch, &pointer);
		return;
	}
	finding->api = g_strdup(hg_api_name(later->api));
	finding->address = later->start;
	finding->offset =
	    later->start - allocation->ptr < allocation->size ? later->start - allocation->ptr : 0;
	finding->allocation = allocation_ref(allocation);
	place = process_place(context->process, later->start);
	if (place.allocation == allocation)
		finding_set_piece(finding, &place);
}

static struct finding *race_finding(const struct rules_context *context, enum rule_id rule,
				    struct allocation *allocation, const struct use *earlier,
				    const struct use *later, const struct launch_use *from,
				    bool *is_new)
{
	struct finding *finding = findings_get(
	    context->findings, rule, context->process, is_new, "%s %u %s %u %u %u %s",
	    use_name(earlier), earlier->stack_id, use_name(later), later->stack_id,
	    allocation->stack_id, from ? from->kernarg : 0, from && from->chain ? from->path : "");

	finding_hit(finding, later->ns, later->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation });
	/* The sentence names both streams. */
	finding_detail(finding, ((uint64_t)earlier->stream << 32) ^ ((uint64_t)later->stream << 8) ^
				    ((uint64_t)earlier->kind << 4) ^ later->kind);
	order_count_launch(context, finding, from);
	*(struct moment *)attachment_get(&finding->evidence, &latest_type) = later->moment;
	if (*is_new) {
		order_set_later(context, finding, allocation, later, from);
		set_related(finding, earlier);
	}
	return finding;
}

bool race_is_reported(const struct rules_context *context, struct moment moment)
{
	const GPtrArray *list = context->findings->list;

	for (unsigned i = 0; i < list->len; i++) {
		const struct finding *finding = list->pdata[i];
		const struct moment *latest = attachment_find(&finding->evidence, &latest_type);

		if (latest && latest->slot == moment.slot && latest->epoch == moment.epoch)
			return true;
	}
	return false;
}

static void doubt(struct finding *finding, const struct allocation *allocation,
		  const struct use *earlier, const struct use *later)
{
	const char *why;
	int sure = uses_overlap(allocation, earlier, later, &why);

	if (why)
		finding_at_most(finding, (enum confidence)sure, why);
	if (((earlier->access | later->access) & ACCESS_ATOMIC) &&
	    !uses_are_atomic(earlier, later)) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"the other one may intentionally read a running kernel's atomics");
	}
	if (earlier->doubt || later->doubt) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				earlier->doubt ? earlier->doubt : later->doubt);
	}
	if (earlier->polls) {
		finding_at_most(
		    finding, CONFIDENCE_POSSIBLE,
		    "the host may intentionally poll the kernel's progress in this memory");
	}
}

static const char *race_reason(enum rule_id rule, const struct use *earlier)
{
	switch ((unsigned)rule) {
	case RULE_HG703:
		return "the null stream and a non-blocking stream do not wait for each other";
	case RULE_HG404:
		return model_wait_depends(earlier->api) && earlier->code == NULL
			   ? "the call only submits the work and does not wait for it"
			   : "";
	case RULE_HG402:
		return "a stream waits for an event after it, but the host does not";
	case RULE_HG403:
	case RULE_HG215:
		return "the host did not wait for it";
	case RULE_HG406:
		return "atomics on coarse-grained memory are atomic within one device only";
	default:
		return "nothing makes one stream wait for the other";
	}
}

static char *race_fix(const struct process *process, enum rule_id rule, const struct use *earlier,
		      const struct use *later)
{
	char *first = order_stream_text(process, earlier),
	     *second = order_stream_text(process, later), *fix;

	switch ((unsigned)rule) {
	case RULE_HG215:
	case RULE_HG402:
	case RULE_HG403:
		fix = g_strdup_printf("call hipStreamSynchronize for %s before %s", first,
				      use_name(later));
		break;
	case RULE_HG406:
		fix = g_strdup("allocate it fine-grained (hipExtMallocWithFlags with "
			       "hipDeviceMallocFinegrained, or hipHostMalloc), or let each device "
			       "update separate memory");
		break;
	default:
		fix = g_strdup_printf("call hipEventRecord(event, ...) for %s after %s, and "
				      "hipStreamWaitEvent(..., event, 0) for %s before %s",
				      first, use_name(earlier), second, use_name(later));
		break;
	}
	g_free(first);
	g_free(second);
	return fix;
}

static void report_race(const struct rules_context *context, enum rule_id rule,
			struct allocation *allocation, const struct use *earlier,
			const struct use *later, const struct launch_use *from)
{
	bool is_new;
	struct finding *finding =
	    race_finding(context, rule, allocation, earlier, later, from, &is_new);
	char *memory, *first, *second;

	if (later->end)
		finding_figure(finding, 1, FIGURE_RANGE, later->end - later->start);
	if (finding->piece)
		finding_figure(finding, 2, FIGURE_RANGE, finding->piece->size);
	if (!is_new)
		return;
	memory = touched_text(allocation, finding, later);
	first = order_stream_text(context->process, earlier);
	second = order_stream_text(context->process, later);
	finding->message = g_strdup_printf(
	    "%s in %s %s %s that %s in %s may still %s: %s.", use_name(later), second, verb(later),
	    memory, use_name(earlier), first, infinitive(earlier), race_reason(rule, earlier));
	finding->fix = race_fix(context->process, rule, earlier, later);
	doubt(finding, allocation, earlier, later);
	if (rule == RULE_HG406) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"devices that share a coherent link may carry them out");
	}
	g_free(memory);
	g_free(first);
	g_free(second);
}

/* ---- which rule ---- */

static bool known_to_a_stream(const struct order *order, struct moment moment)
{
	for (unsigned i = 0; i < order->slots; i++) {
		const struct order_stream *stream = order->owners[i];

		if (stream && i != moment.slot && order_before(order, moment, stream))
			return true;
	}
	return false;
}

static bool is_legacy_and_non_blocking(const struct use *a, const struct use *b)
{
	return (a->kind == STREAM_KIND_LEGACY && b->kind == STREAM_KIND_NON_BLOCKING) ||
	       (a->kind == STREAM_KIND_NON_BLOCKING && b->kind == STREAM_KIND_LEGACY);
}

/* Returns the rule that two unordered uses break, or RULE_NONE. */
static enum rule_id classify(const struct order *order, const struct use *earlier,
			     const struct use *later, const struct grain *grain)
{
	bool host_memory = grain->location == LOCATION_HOST;

	if (uses_are_split_atomics(earlier, later, grain))
		return RULE_HG406;
	if (uses_are_atomic(earlier, later) ||
	    !((earlier->access | later->access) & ACCESS_CHANGES))
		return RULE_NONE;
	if (later->host && host_memory) {
		/* In fine-grained memory kernels and host may work together on purpose. */
		if (earlier->code && grain->granularity != GRAIN_COARSE)
			return RULE_NONE;
		if (!(later->access & ACCESS_WRITE))
			return known_to_a_stream(order, earlier->moment) ? RULE_HG402 : RULE_HG403;
		if (earlier->code)
			return RULE_HG215;
	}
	if (earlier->kind == STREAM_KIND_LEGACY && model_wait_depends(earlier->api) &&
	    !earlier->code)
		return RULE_HG404;
	return is_legacy_and_non_blocking(earlier, later) ? RULE_HG703 : RULE_HG701;
}

static void meet(const struct rules_context *context, struct process_order *at,
		 struct allocation *allocation, const struct use *later,
		 const struct launch_use *from)
{
	const struct order_stream *stream = at->order.owners[later->moment.slot];
	const struct access_history *history = access_history_of(allocation);
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

	for (unsigned i = 0; history && stream && i < history->count; i++) {
		const struct use *earlier = &history->at[i];
		enum rule_id rule;
		struct grain grain;
		const char *why;

		if (earlier->moment.slot == later->moment.slot ||
		    order_before(&at->order, earlier->moment, stream) ||
		    uses_overlap(allocation, earlier, later, &why) < 0)
			continue;
		grain = place_grain_brief(context->process, &place);
		rule = classify(&at->order, earlier, later, &grain);
		if (rule != RULE_NONE)
			report_race(context, rule, allocation, earlier, later, from);
	}
}

/* ---- launches, copies, fills ---- */

/* Leaves out the work-items by which a dimension may have been rounded up to whole groups. */
static uint64_t least_items(const struct hg_ev_launch *launch)
{
	const uint64_t grid[] = { launch->grid_x, launch->grid_y, launch->grid_z };
	const uint64_t block[] = { launch->block_x, launch->block_y, launch->block_z };
	uint64_t items = 1;

	for (unsigned i = 0; i < G_N_ELEMENTS(grid); i++) {
		uint64_t more = grid[i] && block[i] ? (grid[i] - 1) * block[i] + 1 : 0;

		if (__builtin_mul_overflow(items, more, &items))
			return 0;
	}
	return items;
}

/* Returns the bytes that so many work-items use, or 0 if that is not known. */
static uint64_t extent_of(uint64_t items, unsigned width)
{
	uint64_t extent;

	return __builtin_mul_overflow(items, width, &extent) ? 0 : extent;
}

static bool read_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	return kernel_args_number(user, offset, size, value);
}

/* Returns true if its work-groups are as large as each other, and numbers begin at 0. */
static bool is_of_whole_groups(const struct hg_ev_launch *launch)
{
	return layer_of_api(launch->api) == LAYER_HIP &&
	       launch->api != HG_API_hipExtModuleLaunchKernel &&
	       launch->api != HG_API_hipHccModuleLaunchKernel;
}

/* Sets what is known of the addresses that the launch at hand accesses from a pointer. */
static void set_touched(const struct rules_context *context, const struct launch_use *from,
			struct use *use)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct kernel_args *args = process_args(context->process, launch->args_id);
	int64_t first, end;

	memset(use->touched, 0, sizeof(use->touched));
	if (!from->reach || !args || !is_of_whole_groups(launch))
		return;
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		if (isa_reached(&from->reach[i], launch->grid_x, launch->block_x, read_argument,
				args, &first, &end))
			use->touched[i] = (struct reached_range){ use->start + (uint64_t)first,
								  use->start + (uint64_t)end };
}

/* Makes `use` that of one pointer. */
static void set_use(const struct rules_context *context, const struct launch_use *from,
		    uint64_t items, struct use *use)
{
	use->start = from->address;
	use->access = from->access;
	use->extent = extent_of(items, from->width);
	use->doubt = from->doubt;
	set_touched(context, from, use);
}

static void races_launch(const struct rules_context *context, struct process_order *at,
			 struct use use)
{
	const struct hg_ev_launch *launch = context->event->launch;
	const struct launch_uses *uses = context->work->uses;
	uint64_t groups = (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z;
	uint64_t items = groups * launch->block_x * launch->block_y * launch->block_z;
	uint64_t items_used = least_items(launch);

	if (at->unfollowed)
		return;
	use.code = uses->code;
	use.signature = uses->signature ^ groups * 0x9e3779b97f4a7c15u ^ items << 20;
	use.scalars = uses->scalars ^ items * 0x9e3779b97f4a7c15u;
	use.polls = uses->polls;
	for (unsigned i = 0; i < uses->count; i++) {
		const struct launch_use *from = &uses->at[i];

		set_use(context, from, items_used, &use);
		meet(context, at, from->allocation, &use, from);
	}
	for (unsigned i = 0; i < uses->count; i++) {
		set_use(context, &uses->at[i], items_used, &use);
		access_history_add(&at->order, uses->at[i].allocation, &use);
	}
}

static void use_range(const struct rules_context *context, struct process_order *at, struct use use,
		      uint64_t address, uint64_t size, uint8_t access)
{
	struct place place = process_place(context->process, address);

	if (at->unfollowed || size == 0 || place.kind != PLACE_ALLOCATION)
		return;
	use.start = address;
	use.end = address + size;
	use.access = access;
	meet(context, at, place.allocation, &use, NULL);
	access_history_add(&at->order, place.allocation, &use);
}

/* Bytes of a transfer that leaves no gaps; 0 if it does: what lies in them is somebody else's. */
static uint64_t gapless(uint64_t size, uint64_t rows, uint64_t pitch, uint64_t depth,
			uint64_t slice)
{
	if (rows > 1 && pitch != size)
		return 0;
	size *= MAX(rows, 1);
	if (depth > 1 && slice != size)
		return 0;
	return size * MAX(depth, 1);
}

static void races_copy(const struct rules_context *context, struct process_order *at,
		       struct use use)
{
	const struct hg_ev_copy *copy = context->event->copy;

	use_range(context, at, use, copy->src,
		  gapless(copy->size, copy->rows, copy->src_pitch, copy->depth, copy->src_slice),
		  ACCESS_READ);
	use_range(context, at, use, copy->dst,
		  gapless(copy->size, copy->rows, copy->dst_pitch, copy->depth, copy->dst_slice),
		  ACCESS_WRITE);
}

static void races_fill(const struct rules_context *context, struct process_order *at,
		       struct use use)
{
	const struct hg_ev_fill *fill = context->event->fill;

	use_range(context, at, use, fill->dst,
		  gapless(fill->size, fill->rows, fill->pitch, fill->depth, fill->slice),
		  ACCESS_WRITE);
}

static void races_take_back(const struct rules_context *context, const struct launch_uses *uses,
			    struct moment moment)
{
	for (unsigned i = 0; i < uses->count; i++)
		access_history_remove(uses->at[i].allocation, moment);
	for (unsigned i = 0; i < context->findings->list->len; i++) {
		struct finding *finding = context->findings->list->pdata[i];

		const struct moment *latest = attachment_find(&finding->evidence, &latest_type);

		if (latest && finding->kernel && finding->launches && latest->slot == moment.slot &&
		    latest->epoch == moment.epoch) {
			finding->launches--;
			finding->count--;
		}
	}
}

/* Returns the name of the call or launch whose stream releases memory in its order. */
static const char *releaser(unsigned api)
{
	return api == HG_API_hipFreeAsync ? hg_api_name(api) : "the graph's launch";
}

/* ---- HG602, HG401: at the end of memory ---- */

static void report_in_flight(const struct rules_context *context, struct allocation *allocation,
			     const struct use *earlier)
{
	const struct hg_ev_free *from = context->event->free;
	struct use later = { .api = from->api,
			     .start = allocation->ptr,
			     .ns = context->event->ns,
			     .stack_id = from->stack_id };
	bool is_new;
	struct finding *finding =
	    race_finding(context, RULE_HG602, allocation, earlier, &later, NULL, &is_new);
	char *memory, *stream;

	if (!is_new)
		return;
	memory = memory_text(allocation);
	stream = order_stream_text(context->process, earlier);
	finding->message = g_strdup_printf(
	    "%s releases %s while %s in %s, which %s it, can still be running: nothing makes the "
	    "release wait for it.",
	    hg_api_name(from->api), memory, use_name(earlier), stream, verb(earlier));
	finding->fix =
	    is_release_in_stream(from->api)
		? g_strdup_printf("free it in %s, or let the stream of %s wait for an event that "
				  "is recorded there after %s",
				  stream, releaser(from->api), use_name(earlier))
		: g_strdup_printf("call hipStreamSynchronize for %s before %s", stream,
				  hg_api_name(from->api));
	g_free(memory);
	g_free(stream);
}

static void report_fence(const struct rules_context *context, struct allocation *allocation,
			 const struct use *earlier)
{
	struct use later = { .api = context->event->free->api,
			     .start = allocation->ptr,
			     .ns = context->event->ns,
			     .stack_id = context->event->free->stack_id };
	bool is_new;
	struct finding *finding =
	    race_finding(context, RULE_HG401, allocation, earlier, &later, NULL, &is_new);
	char *memory;

	if (!is_new)
		return;
	memory = memory_text(allocation);
	finding->message =
	    g_strdup_printf("until %s the host waited for %s, which %s %s of coarse-grained host "
			    "memory, only by an event with hipEventDisableSystemFence: what it "
			    "wrote may not be visible to the host.",
			    hg_api_name(later.api), use_name(earlier), verb(earlier), memory);
	finding->fix =
	    g_strdup("create the event without hipEventDisableSystemFence, or call "
		     "hipStreamSynchronize before the host reads the memory" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"what the host reads of it is not in the trace");
	g_free(memory);
}

static void races_free(const struct rules_context *context, struct process_order *at,
		       struct allocation *allocation, const struct order_stream *stream, bool waits)
{
	const struct access_history *history = access_history_of(allocation);
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	struct grain grain;

	if (!history || at->unfollowed)
		return;
	grain = place_grain_brief(context->process, &place);
	for (unsigned i = 0; i < history->count; i++) {
		const struct use *use = &history->at[i];
		bool ordered = stream ? order_before(&at->order, use->moment, stream)
				      : order_done(&at->order, use->moment);

		if (!waits && !ordered)
			report_in_flight(context, allocation, use);
		else if (use->code && (use->access & ACCESS_CHANGES) &&
			 grain.location == LOCATION_HOST && grain.granularity == GRAIN_COARSE &&
			 order_done(&at->order, use->moment) &&
			 !order_visible(&at->order, use->moment))
			report_fence(context, allocation, use);
	}
}

void check_races(const struct rules_context *context)
{
	const struct work *work = context->work;

	switch (context->wake) {
	case WAKE_TAKEN_BACK:
		races_take_back(context, work->uses, work->moment);
		break;
	case WAKE_ORDERED_RELEASE:
		races_free(context, work->at, work->allocation, work->stream, work->waits);
		break;
	default:
		if (context->event->type == HG_EVENT_launch)
			races_launch(context, work->at, *work->use);
		else if (context->event->type == HG_EVENT_copy)
			races_copy(context, work->at, *work->use);
		else
			races_fill(context, work->at, *work->use);
		break;
	}
}
