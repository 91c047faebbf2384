/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the streams of a process. */
#include "stream_names.h"

#include "stream_order.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_range.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

static uint64_t stream_of(const struct hg_event *event)
{
	switch (event->type) {
	case HG_EVENT_stream:
		return event->stream->stream;
	case HG_EVENT_launch:
		return event->launch->stream;
	case HG_EVENT_copy:
		return event->copy->stream;
	case HG_EVENT_fill:
		return event->fill->stream;
	case HG_EVENT_prefetch:
		return event->prefetch->stream;
	case HG_EVENT_sync:
		return event->sync->stream;
	case HG_EVENT_event:
		return event->event->stream;
	default:
		return 0;
	}
}

/* A handle may be anything: only a stream that is known has a name. */
static void name_stream(struct process *process, const struct hg_ev_range *event)
{
	unsigned number = stream_number(process, event->id);

	if (number && event->kind == HG_RANGE_NAMES_STREAM && *event->name)
		g_hash_table_replace(process->stream_labels, GUINT_TO_POINTER(number),
				     g_strdup(event->name));
}

void stream_names_event(struct process *process, const struct hg_event *event)
{
	uint64_t handle = stream_of(event);
	bool created =
	    event->type == HG_EVENT_stream && event->stream->api != HG_API_hipStreamDestroy;

	if (event->type == HG_EVENT_range)
		name_stream(process, event->range);
	if (handle <= STREAM_PER_THREAD || (!created && handle == process->latest_stream))
		return;
	if (created || !g_hash_table_contains(process->streams, &handle))
		g_hash_table_replace(process->streams, g_memdup2(&handle, sizeof(handle)),
				     GUINT_TO_POINTER(++process->stream_count));
	process->latest_stream = handle;
	process->latest_stream_number =
	    GPOINTER_TO_UINT(g_hash_table_lookup(process->streams, &handle));
}

unsigned stream_number(const struct process *process, uint64_t handle)
{
	if (handle && handle == process->latest_stream)
		return process->latest_stream_number;
	return GPOINTER_TO_UINT(g_hash_table_lookup(process->streams, &handle));
}

char *stream_number_name(const struct process *process, unsigned number)
{
	const char *given = g_hash_table_lookup(process->stream_labels, GUINT_TO_POINTER(number));

	return given ? g_strdup_printf("stream %u \"%s\"", number, given)
		     : g_strdup_printf("stream %u", number);
}

char *stream_name(const struct process *process, uint64_t handle, unsigned number)
{
	if (handle <= STREAM_LEGACY)
		return g_strdup("the null stream");
	if (handle == STREAM_PER_THREAD)
		return g_strdup("a thread's default stream");
	return number ? stream_number_name(process, number)
		      : g_strdup_printf("stream 0x%" G_GINT64_MODIFIER "x", handle);
}
