/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts calls on lanes by time, and merges them as they become too many. A lane holds one kind of
 * call, so that launches and copies which alternate can be merged among themselves.
 */
#include "overview_internal.h"
#include "analyzer/replay/stream_names.h"
#include "analyzer/replay/thread_names.h"

#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_gpu_time.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_sync.h"

#define FIRST_GAP_NS 1000

void free_lane(void *data)
{
	struct lane *lane = data;

	g_array_unref(lane->spans);
	g_free(lane);
}

/* To be freed. */
static char *lane_key(const struct process *process, int32_t device, uint64_t stream,
		      enum span_kind kind)
{
	return g_strdup_printf("%p %d %" G_GUINT64_FORMAT " %d", (const void *)process, device,
			       stream, (int)kind);
}

static struct lane *lane_of(struct overview *overview, struct process *process, int32_t device,
			    uint64_t stream, enum span_kind kind)
{
	char *key = lane_key(process, device, stream, kind);
	struct lane *lane = g_hash_table_lookup(overview->lane_index, key);

	if (!lane) {
		lane = g_new0(struct lane, 1);
		lane->process = process;
		lane->device = device;
		lane->stream = stream;
		lane->kind = kind;
		lane->spans = g_array_new(FALSE, FALSE, sizeof(struct span));
		g_ptr_array_add(overview->lanes, lane);
		g_hash_table_insert(overview->lane_index, key, lane);
	} else {
		g_free(key);
	}
	lane->last = stream_number(process, stream);
	lane->first = lane->first ? lane->first : lane->last;
	return lane;
}

char *lane_name(const struct lane *lane)
{
	char *stream, *name;

	if (lane->kind == SPAN_SYNC) {
		stream = thread_name(lane->process, (int32_t)lane->stream);
		name = g_strdup_printf("%s waits", stream);
		g_free(stream);
		return name;
	}
	if (lane->kind == SPAN_GPU && !lane->stream)
		return g_strdup("copy engines, as measured");
	if (lane->kind == SPAN_GPU)
		return g_strdup_printf("GPU %d, queue 0x%" G_GINT64_MODIFIER "x, as measured",
				       lane->device, lane->stream);
	stream = lane->first == lane->last ? stream_name(lane->process, lane->stream, lane->last)
					   : g_strdup_printf("streams %u to %u that had one handle",
							     lane->first, lane->last);
	name = g_strdup_printf("GPU %d, %s", lane->device, stream);
	g_free(stream);
	return name;
}

/* When a call began that ended at `ns`; a damaged trace may name any numbers. */
static int64_t beginning(int64_t ns, uint64_t duration)
{
	int64_t begin;

	return __builtin_sub_overflow(ns, (int64_t)MIN(duration, (uint64_t)INT64_MAX / 2), &begin)
		   ? INT64_MIN
		   : begin;
}

static bool merges(const struct span *before, const struct span *after, int64_t gap)
{
	return after->start_ns - before->end_ns <= gap;
}

static void merge(struct span *into, const struct span *next)
{
	into->end_ns = MAX(into->end_ns, next->end_ns);
	into->count += next->count;
	into->bytes += next->bytes;
	if (into->name != next->name)
		into->name = OVERVIEW_MIXED;
	into->done_ns = into->done_ns && next->done_ns ? MAX(into->done_ns, next->done_ns) : 0;
	if (into->to != next->to)
		into->to = NULL;
	if (into->from != next->from)
		into->from = NULL;
}

/* Launches are waited for in the order of their stream: those without an end come last. */
static void find_open(struct lane *lane)
{
	lane->open = lane->spans->len;
	while (lane->open && !g_array_index(lane->spans, struct span, lane->open - 1).done_ns)
		lane->open--;
}

/* Close gaps, wider ones each time, until a quarter of the room is free. */
static void merge_spans(struct overview *overview)
{
	while (overview->span_count > overview->most_spans / 4 * 3) {
		if (overview->merge_gap_ns > INT64_MAX / 4)
			break; /* one span a lane: as few as it gets */
		overview->merge_gap_ns = MAX(overview->merge_gap_ns * 2, FIRST_GAP_NS);
		overview->span_count = 0;
		for (unsigned i = 0; i < overview->lanes->len; i++) {
			struct lane *lane = overview->lanes->pdata[i];
			GArray *spans = lane->spans;
			unsigned kept = 0;

			for (unsigned j = 1; j < spans->len; j++) {
				struct span *last = &g_array_index(spans, struct span, kept);
				struct span *next = &g_array_index(spans, struct span, j);

				if (merges(last, next, overview->merge_gap_ns)) {
					merge(last, next);
				} else {
					kept++;
					g_array_index(spans, struct span, kept) = *next;
				}
			}
			if (spans->len)
				g_array_set_size(spans, kept + 1);
			find_open(lane);
			overview->span_count += spans->len;
		}
	}
}

static void add(struct overview *overview, struct lane *lane, struct span span)
{
	struct span *last = lane->spans->len
				? &g_array_index(lane->spans, struct span, lane->spans->len - 1)
				: NULL;

	if (last && overview->merge_gap_ns && merges(last, &span, overview->merge_gap_ns)) {
		merge(last, &span);
		lane->open = MIN(lane->open, lane->spans->len - 1);
		return;
	}
	g_array_append_val(lane->spans, span);
	if (++overview->span_count > overview->most_spans)
		merge_spans(overview);
}

static void count_launch(struct overview *overview, struct process *process,
			 const struct hg_ev_launch *launch, int64_t ns)
{
	struct kernel_ref *kernel = process_kernel(process, launch->kernel_id);
	struct kernel_total *total;

	if (!kernel)
		return;
	total = g_hash_table_lookup(overview->kernel_index, kernel);
	if (!total) {
		total = g_new0(struct kernel_total, 1);
		total->process = process;
		total->kernel_id = launch->kernel_id;
		total->first_ns = ns;
		g_ptr_array_add(overview->kernels, total);
		g_hash_table_insert(overview->kernel_index, kernel, total);
	}
	total->launches++;
	total->work_items += (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
			     launch->block_x * launch->block_y * launch->block_z;
}

/* The subject of a host's wait in a call: `stream` of `device`, or all of the device. */
struct waited {
	int32_t device;
	uint64_t stream;
	bool whole_device;
	int64_t from_ns, until_ns;
};

/* 1 and 2 are names for streams that depend on the thread (hipStreamLegacy, hipStreamPerThread). */
#define LAST_NAMED_STREAM 2

#define DEVICE_TO_HOST    2 /* hipMemcpyKind */

/*
 * Only calls that certainly wait: a bound that is too early would be wrong, one that is missing is
 * not. Copies to the host count where they are not asynchronous.
 */
static bool waits(const struct hg_event *event, struct waited *waited)
{
	uint64_t duration = 0;

	*waited = (struct waited){ .until_ns = event->ns };
	if (event->type == HG_EVENT_sync) {
		waited->device = event->sync->device;
		waited->stream = event->sync->stream;
		duration = event->sync->duration;
		if (event->sync->api == HG_API_hipDeviceSynchronize)
			waited->whole_device = true;
		else if (event->sync->api != HG_API_hipStreamSynchronize)
			return false;
	} else if (event->type == HG_EVENT_copy && event->copy->kind == DEVICE_TO_HOST &&
		   (event->copy->api == HG_API_hipMemcpy ||
		    event->copy->api == HG_API_hipMemcpyWithStream)) {
		waited->device = event->copy->device;
		waited->stream = event->copy->stream;
		duration = event->copy->duration;
	} else {
		return false;
	}
	waited->from_ns = beginning(event->ns, duration);
	return waited->whole_device || !waited->stream || waited->stream > LAST_NAMED_STREAM;
}

/* Launches before the wait began are complete when it ends. */
static void end_launches(struct lane *lane, const struct waited *waited)
{
	for (; lane->open < lane->spans->len; lane->open++) {
		struct span *span = &g_array_index(lane->spans, struct span, lane->open);

		if (span->end_ns > waited->from_ns)
			break;
		span->done_ns = waited->until_ns;
	}
}

/* A wait for a device takes as long as there are lanes with launches that none was seen for. */
static void end_wait(struct overview *overview, const struct process *process,
		     const struct waited *waited)
{
	GPtrArray *waiting = overview->waiting;
	unsigned kept = 0;

	if (!waited->whole_device) {
		char *key = lane_key(process, waited->device, waited->stream, SPAN_LAUNCH);
		struct lane *lane = g_hash_table_lookup(overview->lane_index, key);

		g_free(key);
		if (lane)
			end_launches(lane, waited);
		return;
	}
	for (unsigned i = 0; i < waiting->len; i++) {
		struct lane *lane = waiting->pdata[i];

		if (lane->process == process && lane->device == waited->device)
			end_launches(lane, waited);
		lane->waiting = lane->open < lane->spans->len;
		if (lane->waiting)
			waiting->pdata[kept++] = lane;
	}
	g_ptr_array_set_size(waiting, (int)kept);
}

void overview_add_span(struct overview *overview, struct process *process,
		       const struct hg_event *event)
{
	struct span span = { .end_ns = event->ns, .count = 1 };
	enum span_kind kind;
	uint64_t duration = 0, stream = 0;
	int32_t device = 0;
	struct waited waited;
	struct lane *lane;

	if (waits(event, &waited))
		end_wait(overview, process, &waited);
	switch (event->type) {
	case HG_EVENT_launch:
		count_launch(overview, process, event->launch, event->ns);
		kind = SPAN_LAUNCH;
		span.name = event->launch->kernel_id;
		device = event->launch->device;
		stream = event->launch->stream;
		break;
	case HG_EVENT_copy:
		kind = SPAN_COPY;
		span.name = event->copy->api;
		span.bytes = event->copy->size * event->copy->rows * event->copy->depth;
		overview->transfer_histogram[class_of(span.bytes)]++;
		duration = event->copy->duration;
		device = event->copy->device;
		stream = event->copy->stream;
		span.to = overview_memory(overview, process, event->copy->dst);
		span.from = overview_memory(overview, process, event->copy->src);
		break;
	case HG_EVENT_fill:
		kind = SPAN_FILL;
		span.name = event->fill->api;
		span.bytes = event->fill->size * event->fill->rows * event->fill->depth;
		duration = event->fill->duration;
		device = event->fill->device;
		stream = event->fill->stream;
		span.to = overview_memory(overview, process, event->fill->dst);
		break;
	case HG_EVENT_prefetch:
		kind = SPAN_PREFETCH;
		span.name = event->prefetch->api;
		span.bytes = event->prefetch->size;
		duration = event->prefetch->duration;
		stream = event->prefetch->stream;
		span.to = overview_memory(overview, process, event->prefetch->ptr);
		break;
	case HG_EVENT_sync:
		kind = SPAN_SYNC;
		span.name = event->sync->api;
		duration = event->sync->duration;
		device = -1;
		stream = (uint64_t)event->tid;
		break;
	case HG_EVENT_gpu_time:
		if (event->gpu_time->kind == HG_GPU_TIME_NONE)
			return;
		kind = SPAN_GPU;
		span.name = event->gpu_time->kernel_id;
		span.bytes = event->gpu_time->size;
		duration = event->gpu_time->duration;
		device = event->gpu_time->device;
		stream = event->gpu_time->queue;
		span.end_ns = beginning(event->ns, event->gpu_time->began -
						       MIN(event->gpu_time->began, duration));
		break;
	default:
		return;
	}
	span.start_ns = beginning(span.end_ns, duration);
	lane = lane_of(overview, process, device, stream, kind);
	if (kind == SPAN_LAUNCH && !lane->waiting) {
		lane->waiting = true;
		g_ptr_array_add(overview->waiting, lane);
	}
	add(overview, lane, span);
}
