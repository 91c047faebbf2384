/* SPDX-License-Identifier: Apache-2.0 */
/* HG5xx: copies that could be fewer, larger, smaller, or beside something else. */
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/ids/hg5xx.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_sync.h"

/* hipMemcpyKind, H523. */
enum { KIND_HOST_TO_HOST, KIND_HOST_TO_DEVICE, KIND_DEVICE_TO_HOST, KIND_DEVICE_TO_DEVICE };

static uint64_t copy_bytes(const struct hg_ev_copy *copy)
{
	return copy->size * (copy->rows ? copy->rows : 1) * (copy->depth ? copy->depth : 1);
}

/*
 * Returns true if it is always the GPU's own memory: neither pinned host memory nor memory that can
 * migrate.
 */
static bool is_device_memory(const struct process *process, const struct place *place)
{
	struct grain grain;
	bool device;

	if (place->kind != PLACE_ALLOCATION || place->allocation->layer != LAYER_HIP)
		return false;
	grain = place_grain_brief(process, place);
	device = grain.location == LOCATION_DEVICE && grain.certain;
	return device;
}

static bool is_host_memory(const struct process *process, const struct place *place)
{
	struct grain grain;
	bool host;

	if (is_system_memory(place))
		return true;
	if (place->kind != PLACE_ALLOCATION)
		return false;
	grain = place_grain_brief(process, place);
	host = grain.location == LOCATION_HOST;
	return host;
}

/*
 * Returns true for functions that return when the bytes are there; with them the host waits for all
 * work before.
 */
static bool is_blocking(unsigned api)
{
	switch (api) {
	case HG_API_hipMemcpy:
	case HG_API_hipMemcpy_spt:
	case HG_API_hipMemcpyHtoD:
	case HG_API_hipMemcpyDtoH:
	case HG_API_hipMemcpy2D:
	case HG_API_hipMemcpy2D_spt:
		return true;
	default:
		return false;
	}
}

/* Returns the finding about one call, by its call site; counted once. */
static struct finding *call_finding(const struct rules_context *context, enum rule_id rule,
				    unsigned api, uint32_t stack_id, int64_t ns, bool *is_new)
{
	struct finding *finding =
	    findings_get(context->findings, rule, context->process, is_new, "%u %u", api, stack_id);

	finding_hit(finding, ns, stack_id);
	if (*is_new)
		finding->api = g_strdup(hg_api_name(api));
	return finding;
}

/* ---- HG502 ---- */

/* With a finding of HG502: whether its message speaks of rows of a matrix. */
static const struct attachment_type rows_type = { sizeof(bool), NULL, NULL };

static void describe_run(struct copy_run *run)
{
	struct finding *finding = run->finding;
	bool *rows = attachment_get(&finding->evidence, &rows_type);
	bool in_one = !run->same_size || (run->dst_step == run->size && run->src_step == run->size);

	/* The figures that it grew to replace those that it had. */
	memcpy(finding->figures, run->before, sizeof(finding->figures));
	finding_figure(finding, 0, FIGURE_RANGE, run->count);
	finding_figure(finding, 1, FIGURE_RANGE, run->bytes);
	finding_figure(finding, 2, FIGURE_RANGE, run->size);
	finding_figure(finding, 3, FIGURE_RANGE, run->dst_step);
	finding_figure(finding, 4, FIGURE_RANGE, run->src_step);
	if (finding->count > 1) {
		finding->varies |= *rows != !in_one;
		return;
	}
	*rows = !in_one;
	if (in_one) {
		finding_set_message(
		    finding, g_strdup_printf("%s is called %s times in a row for %s bytes in all, "
					     "each copy beginning where the one before ended, on "
					     "both sides: each costs a separate call and command.",
					     finding->api, FIGURE(0), FIGURE(1)));
		finding_set_fix(finding,
				g_strdup_printf("copy the %s bytes with one call", FIGURE(1)));
	} else {
		finding_set_message(
		    finding,
		    g_strdup_printf("%s is called %s times in a row, each time for %s bytes, %s "
				    "bytes further on in the destination and %s in the source: the "
				    "rows of a matrix.",
				    finding->api, FIGURE(0), FIGURE(2), FIGURE(3), FIGURE(4)));
		finding_set_fix(finding,
				g_strdup_printf("copy them with one hipMemcpy2DAsync: width %s, "
						"height %s, pitches %s and %s",
						FIGURE(2), FIGURE(0), FIGURE(3), FIGURE(4)));
	}
}

static bool continues(const struct copy_run *run, const struct hg_ev_copy *copy)
{
	uint64_t dst_step = copy->dst - run->dst, src_step = copy->src - run->src;

	if (run->count == 0 || run->api != copy->api || run->stack_id != copy->stack_id ||
	    run->stream != copy->stream || copy->dst <= run->dst || copy->src <= run->src ||
	    dst_step < run->size || src_step < run->size)
		return false;
	if (dst_step == run->size && src_step == run->size) {
		return run->count == 1 || !run->same_size ||
		       (run->dst_step == dst_step && run->src_step == src_step);
	}
	return run->same_size && copy->size == run->size &&
	       (run->count == 1 || (run->dst_step == dst_step && run->src_step == src_step));
}

static void check_small(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct copy_run *run = &history->run;
	uint64_t bytes = copy_bytes(copy);
	bool is_new;

	if (copy->rows > 1 || copy->depth > 1 || bytes == 0 || bytes >= SMALL_COPY || !copy->dst ||
	    !copy->src || !copy->stack_id) {
		run->count = 0;
		return;
	}
	if (!continues(run, copy)) {
		*run = (struct copy_run){ .api = copy->api,
					  .stack_id = copy->stack_id,
					  .stream = copy->stream,
					  .same_size = true };
	} else {
		run->dst_step = copy->dst - run->dst;
		run->src_step = copy->src - run->src;
		run->same_size = run->same_size && copy->size == run->size;
	}
	run->dst = copy->dst;
	run->src = copy->src;
	run->size = copy->size;
	run->count++;
	run->bytes += bytes;
	if (run->count < SMALL_COPY_RUN)
		return;
	if (!run->finding) {
		run->finding = call_finding(context, RULE_HG502, run->api, run->stack_id,
					    context->event->ns, &is_new);
		memcpy(run->before, run->finding->figures, sizeof(run->before));
	}
	/* The first run of a call site is described, as long as it grows; of others the numbers. */
	describe_run(run);
}

/* ---- HG505 ---- */

static void report_unused(struct process_history *history, const struct rules_context *context,
			  const struct allocation *allocation, const struct upload *upload,
			  const char *what)
{
	const struct device *device = process_device(context->process, allocation->device);
	struct place place = { .kind = PLACE_ALLOCATION,
			       .allocation = (struct allocation *)allocation,
			       .offset = upload->offset };
	struct finding *finding;
	bool is_new;

	if (history->hidden_work)
		return;
	finding = findings_get(context->findings, RULE_HG505, context->process, &is_new, "%u %u %u",
			       upload->api, upload->stack_id, allocation->stack_id);
	finding_hit(finding, upload->ns, upload->stack_id);
	finding_figure(finding, 0, FIGURE_MOST, upload->size);
	finding->unneeded += upload->size;
	finding_detail(finding, g_str_hash(what));
	finding_met(finding, &place);
	if (is_new) {
		finding->absence = ABSENCE_BETWEEN;
		finding->api = g_strdup(hg_api_name(upload->api));
		finding->fix =
		    g_strdup("omit the copy, or copy only data that a kernel reads afterwards");
	}
	/* If one call makes several copies, the largest is described. */
	if (upload->size > finding->bytes) {
		allocation_unref(finding->allocation);
		finding_set_place(finding, &place, allocation->ptr + upload->offset);
		finding_set_message(finding,
				    g_strdup_printf("%s copies %s bytes into device memory that %s "
						    "before any kernel or copy reads them.",
						    finding->api, FIGURE(0), what));
		finding->bytes = upload->size;
	}
	if (is_new && (!device || device->large_bar != 0)) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the host can address this memory and may have read it");
	}
}

static void forget_uploads(struct memory_history *memory)
{
	memory->upload_count = 0;
}

static void forget_all_uploads(struct process_history *history)
{
	history->upload_turn++;
}

/* Forgets uploads that were forgotten with all others. */
static void settle_uploads(const struct process_history *history, struct memory_history *memory)
{
	if (memory->upload_turn != history->upload_turn)
		forget_uploads(memory);
	memory->upload_turn = history->upload_turn;
}

/* Bytes that are written over: uploads that lie within were for nothing. */
static void overwrite(struct process_history *history, const struct rules_context *context,
		      struct memory_history *memory, uint64_t offset, uint64_t size)
{
	unsigned kept = 0;

	settle_uploads(history, memory);
	for (unsigned i = 0; i < memory->upload_count; i++) {
		const struct upload upload = memory->uploads[i];

		if (offset <= upload.offset && upload.offset + upload.size <= offset + size) {
			report_unused(history, context, memory->allocation, &upload,
				      "is written over");
		} else if (upload.offset + upload.size <= offset ||
			   offset + size <= upload.offset) {
			memory->uploads[kept++] = upload;
		}
	}
	memory->upload_count = kept;
}

static void remember_upload(struct process_history *history, const struct rules_context *context,
			    const struct place *dst, uint64_t size)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct memory_history *memory = call_history_memory(history, dst->allocation);

	/* A kernel that still runs may poll what is copied now. */
	if (!is_blocking(copy->api) &&
	    (memory->last_use > history->waited || history->unknown > history->waited))
		return;
	settle_uploads(history, memory);
	if (size >= SMALL_COPY && memory->upload_count < PENDING_UPLOADS &&
	    dst->offset + size <= dst->allocation->size) {
		memory->uploads[memory->upload_count++] =
		    (struct upload){ dst->offset, size, copy->api, copy->stack_id,
				     context->event->ns };
	}
}

static void on_release(struct process_history *history, const struct rules_context *context,
		       struct allocation *allocation)
{
	struct memory_history *memory = g_hash_table_lookup(history->memory, allocation);

	if (memory)
		settle_uploads(history, memory);
	for (unsigned i = 0; memory && i < memory->upload_count; i++)
		report_unused(history, context, allocation, &memory->uploads[i], "is released");
}

/* ---- HG503 ---- */

static void forget_large(struct process_history *history)
{
	history->large_turn++;
	history->large_uploads = 0;
}

static void report_large(const struct rules_context *context, const struct memory_history *memory)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = memory->allocation };
	struct finding *finding;
	bool is_new;

	/* Compilers unroll short loops: the memory stays the same, the call site need not. */
	finding = findings_get(context->findings, RULE_HG503, context->process, &is_new, "%u %u",
			       memory->large_api, memory->allocation->stack_id);
	finding_hit(finding, context->event->ns, memory->large_site);
	finding_figure(finding, 0, FIGURE_RANGE, memory->large_size);
	finding_met(finding, &place);
	if (!is_new)
		return;
	finding->least_count = LARGE_COPY_REPEATS;
	finding->api = g_strdup(hg_api_name(memory->large_api));
	finding_set_place(finding, &place, memory->allocation->ptr);
	finding->message = g_strdup_printf(
	    "%s copies %s bytes at once, and the kernel that needs them runs directly after it, "
	    "repeatedly; the program uses one stream, so the GPU computes nothing during the copy.",
	    finding->api, FIGURE(0));
	finding->fix = g_strdup("copy and compute in pieces on two to four streams, from pinned "
				"memory: while one piece is computed the next is copied");
}

static void check_large_use(struct process_history *history, const struct rules_context *context,
			    const struct launch_memory *launch)
{
	if (!history->large_uploads)
		return;
	for (unsigned i = 0; i < launch->touched->len && !history->several_streams; i++) {
		struct memory_history *memory =
		    g_array_index(launch->touched, struct touched, i).memory;

		if (memory->large_turn == history->large_turn && !history->hidden_work) {
			report_large(context, memory);
			memory->large_turn = 0;
		}
	}
	forget_large(history);
}

/* ---- HG506, HG513 ---- */

static void describe_blocking(struct finding *finding)
{
	finding->least_count = BLOCKING_REPEATS;
	finding->message =
	    g_strdup_printf("%s repeatedly copies %s bytes between launches: each time the host "
			    "waits for the GPU, and then the GPU for the host.",
			    finding->api, FIGURE(0));
	finding->fix = g_strdup("copy with hipMemcpyAsync from or to pinned memory on a second "
				"stream with two buffers in turn, and wait for an event where the "
				"bytes are needed" FIX_NOT_TESTED);
}

static void describe_fetched(struct finding *finding)
{
	finding->least_count = FETCHED_REPEATS;
	finding->message = g_strdup_printf(
	    "%s fetches %s bytes between launches, %s times: each time the host waits for "
	    "all work of the stream, and the GPU has none until the next launch.",
	    finding->api, FIGURE(0), FIGURE(1));
	finding->fix = g_strdup(
	    "fetch the value after every 16th iteration, if some more do no harm;\nor copy "
	    "it with hipMemcpyAsync to pinned memory, and launch the next iteration before "
	    "the host waits for the value" FIX_NOT_TESTED);
}

static void check_blocking(struct process_history *history, const struct rules_context *context,
			   const struct place *host, bool to_device)
{
	const struct hg_ev_copy *copy = context->event->copy;
	uint64_t bytes = copy_bytes(copy);
	bool few = bytes <= FETCHED_SIZE && !to_device;
	struct site_history *site;
	struct finding *finding;
	uint64_t before;
	bool is_new;

	if (!is_blocking(copy->api) || (bytes < SMALL_COPY && !few) || !bytes || !copy->stack_id)
		return;
	site = call_history_site(history, copy->api, copy->stack_id);
	before = site->copy_launches;
	site->copy_launches = context->process->launches;
	if (context->process->launches == before)
		return;
	finding = call_finding(context, few ? RULE_HG513 : RULE_HG506, copy->api, copy->stack_id,
			       context->event->ns, &is_new);
	finding_figure(finding, 0, FIGURE_RANGE, bytes);
	if (few)
		finding_figure(finding, 1, FIGURE_SUM, 1);
	finding_met(finding, host);
	if (!is_new)
		return;
	finding_set_place(finding, host, host->allocation ? host->allocation->ptr : 0);
	if (few)
		describe_fetched(finding);
	else
		describe_blocking(finding);
}

/* ---- HG508 ---- */

static bool has_kind(unsigned api)
{
	switch (api) {
	case HG_API_hipMemcpy:
	case HG_API_hipMemcpy_spt:
	case HG_API_hipMemcpyAsync:
	case HG_API_hipMemcpyAsync_spt:
	case HG_API_hipMemcpyWithStream:
	case HG_API_hipMemcpy2D:
	case HG_API_hipMemcpy2D_spt:
	case HG_API_hipMemcpy2DAsync:
	case HG_API_hipMemcpy2DAsync_spt:
		return true;
	default:
		return false;
	}
}

/* With XNACK off the operating system's memory cannot be meant by "device". */
static bool contradicts(const struct process *process, bool says_device, const struct place *place)
{
	const struct device *device = process_device(process, 0);

	return says_device ? is_system_memory(place) && device && device->xnack == 0
			   : is_device_memory(process, place);
}

static void check_kind(const struct rules_context *context, const struct place *dst,
		       const struct place *src)
{
	static const char *const names[] = { "hipMemcpyHostToHost", "hipMemcpyHostToDevice",
					     "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice" };
	const struct hg_ev_copy *copy = context->event->copy;
	const struct place *wrong = NULL;
	struct finding *finding;
	bool is_new, to_device, from_device;
	char *what;

	if (!has_kind(copy->api) || copy->kind < KIND_HOST_TO_HOST ||
	    copy->kind > KIND_DEVICE_TO_DEVICE)
		return;
	to_device = copy->kind == KIND_HOST_TO_DEVICE || copy->kind == KIND_DEVICE_TO_DEVICE;
	from_device = copy->kind == KIND_DEVICE_TO_HOST || copy->kind == KIND_DEVICE_TO_DEVICE;
	if (contradicts(context->process, to_device, dst))
		wrong = dst;
	else if (contradicts(context->process, from_device, src))
		wrong = src;
	else
		return;
	finding = call_finding(context, RULE_HG508, copy->api, copy->stack_id, context->event->ns,
			       &is_new);
	what = place_figure(finding, 0, wrong);
	finding_detail(finding, ((uint64_t)g_str_hash(what) << 32) | ((uint64_t)copy->kind << 1) |
				    (wrong == dst));
	finding_met(finding, wrong);
	if (!is_new) {
		g_free(what);
		return;
	}
	finding_set_place(finding, wrong, wrong == dst ? copy->dst : copy->src);
	finding->message = g_strdup_printf(
	    "%s is called with %s, but its %s is %s (%s); the runtime used the pointers.",
	    finding->api, names[copy->kind], wrong == dst ? "destination" : "source", what,
	    is_system_memory(wrong) ? "host memory" : "device memory");
	finding->fix = g_strdup("pass the matching kind, or hipMemcpyDefault");
	g_free(what);
}

/* ---- events ---- */

static void on_copy(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct place dst = process_place(context->process, copy->dst);
	struct place src = process_place(context->process, copy->src);
	bool to_device = is_device_memory(context->process, &dst);
	bool from_host = is_host_memory(context->process, &src);
	uint64_t bytes = copy_bytes(copy);

	history->async_copies |= copy->stream != 0 && !is_blocking(copy->api);
	check_small(history, context);
	check_kind(context, &dst, &src);
	if (src.kind == PLACE_ALLOCATION)
		forget_uploads(call_history_memory(history, src.allocation));
	else if (!from_host)
		forget_all_uploads(history); /* an array, or memory that is not known */
	if (to_device && copy->rows <= 1 && copy->depth <= 1 && !dst.allocation->symbol) {
		overwrite(history, context, call_history_memory(history, dst.allocation),
			  dst.offset, bytes);
		if (from_host)
			remember_upload(history, context, &dst, bytes);
	}
	if (to_device && from_host)
		check_blocking(history, context, &src, true);
	else if (is_host_memory(context->process, &dst) && is_device_memory(context->process, &src))
		check_blocking(history, context, &dst, false);
	if (to_device && from_host && bytes >= LARGE_COPY && copy->stack_id) {
		struct memory_history *memory = call_history_memory(history, dst.allocation);

		memory->large_turn = history->large_turn;
		memory->large_site = copy->stack_id;
		memory->large_api = copy->api;
		memory->large_size = bytes;
		history->large_uploads++;
	} else if (bytes >= SMALL_COPY) {
		forget_large(history);
	}
}

static void on_fill(struct process_history *history, const struct rules_context *context)
{
	const struct hg_ev_fill *fill = context->event->fill;
	struct place dst = process_place(context->process, fill->dst);

	history->run.count = 0;
	history->run.finding = NULL;
	forget_large(history);
	if (dst.kind == PLACE_ALLOCATION && fill->rows <= 1 && fill->depth <= 1) {
		overwrite(history, context, call_history_memory(history, dst.allocation),
			  dst.offset, fill->size);
	}
}

static void on_launch(struct process_history *history, const struct rules_context *context,
		      const struct launch_memory *launch)
{
	history->run.count = 0;
	history->run.finding = NULL;
	check_large_use(history, context, launch);
	if (launch->unknown) {
		history->unknown = context->process->launches;
		forget_all_uploads(history);
		return;
	}
	for (unsigned i = 0; i < launch->touched->len; i++) {
		struct memory_history *memory =
		    g_array_index(launch->touched, struct touched, i).memory;

		memory->last_use = context->process->launches;
		forget_uploads(memory);
	}
}

static void on_other(struct process_history *history, const struct rules_context *context)
{
	const struct hg_event *event = context->event;

	history->run.count = 0;
	history->run.finding = NULL;
	if (event->type == HG_EVENT_sync && event->sync->api != HG_API_hipStreamQuery &&
	    event->sync->api != HG_API_hipStreamQuery_spt &&
	    event->sync->api != HG_API_hipEventQuery)
		history->waited = context->process->launches;
}

void check_transfers(const struct rules_context *context)
{
	struct process_history *history = context->history;

	switch (context->wake) {
	case WAKE_COPY:
		on_copy(history, context);
		break;
	case WAKE_FILL:
		on_fill(history, context);
		break;
	case WAKE_LAUNCH:
		on_launch(history, context, context->memory);
		break;
	case WAKE_RELEASE:
		if (context->released)
			on_release(history, context, context->released);
		break;
	default:
		on_other(history, context);
		break;
	}
}
