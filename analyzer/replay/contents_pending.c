/* SPDX-License-Identifier: Apache-2.0 */
/* Work that has not been done yet and will change what lies in memory, and waits for it. */
#include "contents_internal.h"

#include "tracer/events/ev_device.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_launch.h"

/* hipStreamPerThread: a stream of each thread has this value. [H523] */
#define PER_THREAD_STREAM 2u

static struct content_pending *pending_at(const struct contents *contents, unsigned index)
{
	return &g_array_index(contents->pending, struct content_pending, index);
}

/* Returns true if the moment is the stream's own, of one device if it is the null stream. */
static bool is_in_stream(const struct content_moment *moment, uint64_t stream, int32_t device)
{
	return moment->stream == stream && (stream || device < 0 || moment->device == device);
}

static void pend(struct contents *contents, const struct content_pending *pending)
{
	for (unsigned i = 0; i < contents->pending->len; i++) {
		struct content_pending *old = pending_at(contents, i);

		if (old->start <= pending->start && old->end >= pending->end &&
		    old->anywhere == pending->anywhere &&
		    old->moment[0].stream == pending->moment[0].stream &&
		    old->moment[0].device == pending->moment[0].device) {
			/* Done when the later one is. */
			old->moment[0] = pending->moment[0];
			old->count = 1;
			return;
		}
	}
	if (contents->pending->len == CONTENT_PENDING)
		contents->all_pending = true;
	else
		g_array_append_vals(contents->pending, pending, 1);
}

void contents_pend(struct contents *contents, uint64_t start, uint64_t size, uint64_t stream,
		   int32_t device)
{
	struct content_pending pending = { .start = start,
					   .end = content_end(start, size),
					   .count = 1,
					   .moment = { { stream, ++contents->sequence, device } } };

	pend(contents, &pending);
}

void contents_doubt(struct contents *contents, int64_t ns, uint64_t stream, int32_t device)
{
	struct content_pending pending = { .anywhere = true,
					   .count = 1,
					   .moment = { { stream, ++contents->sequence, device } } };

	contents->doubtful_ns = ns;
	g_array_set_size(contents->fresh, 0);
	pend(contents, &pending);
}

bool contents_doubt_pending(const struct contents *contents)
{
	for (unsigned i = 0; i < contents->pending->len; i++)
		if (pending_at(contents, i)->anywhere)
			return true;
	return contents->all_pending;
}

/* Returns true if work that may store to a word need not be done when a stream's next work begins.
 */
static bool is_pending_elsewhere(const struct contents *contents, uint64_t address, uint64_t stream,
				 int32_t device)
{
	for (unsigned i = 0; i < contents->pending->len; i++) {
		const struct content_pending *pending = pending_at(contents, i);
		bool before = false;

		for (unsigned k = 0; k < pending->count; k++)
			before |= is_in_stream(&pending->moment[k], stream, device);
		if (!before && (pending->anywhere ||
				(pending->start < address + WORD && pending->end > address)))
			return true;
	}
	return contents->all_pending;
}

bool contents_pending_elsewhere(const struct contents *contents, uint64_t address,
				const struct hg_event *launch)
{
	return launch->launch->stream == PER_THREAD_STREAM ||
	       contents_is_loose(launch->launch->api) ||
	       is_pending_elsewhere(contents, address, launch->launch->stream,
				    launch->launch->device);
}

void contents_replace(struct contents *contents, uint64_t address,
		      const struct content_values *values, const struct hg_event *launch)
{
	struct content_settling *settling = &contents->settling;
	uint64_t stream = launch->launch->stream;
	int32_t device = launch->launch->device;

	if (address % WORD || content_is_just(contents, address, values) ||
	    settling->words->len == CONTENT_SETTLING ||
	    contents_pending_elsewhere(contents, address, launch))
		return;
	if (!content_set(contents, address, values, launch->ns))
		return;
	g_array_append_val(settling->words, address);
	settling->by = (struct content_moment){ .stream = stream, .device = device };
	settling->tid = launch->tid;
}

/* Nothing is known of the words that were replaced. */
static void forget_settling(struct contents *contents)
{
	GArray *words = contents->settling.words;

	for (unsigned i = 0; i < words->len; i++)
		contents_forget(contents, g_array_index(words, uint64_t, i), WORD);
	g_array_set_size(words, 0);
}

void contents_begun(struct contents *contents, uint64_t stream, int32_t device, int32_t tid,
		    bool loose)
{
	const struct content_settling *settling = &contents->settling;

	if (settling->words->len &&
	    (loose || settling->tid != tid || !is_in_stream(&settling->by, stream, device)))
		forget_settling(contents);
}

void contents_waited_stream(struct contents *contents, uint64_t stream, int32_t device)
{
	if (is_in_stream(&contents->settling.by, stream, device))
		g_array_set_size(contents->settling.words, 0);
	for (unsigned i = contents->pending->len; i-- > 0;) {
		const struct content_pending *pending = pending_at(contents, i);
		bool done = false;

		for (unsigned k = 0; k < pending->count; k++)
			done |= is_in_stream(&pending->moment[k], stream, device);
		if (done)
			g_array_remove_index_fast(contents->pending, i);
	}
}

void contents_waited_device(struct contents *contents, int32_t device)
{
	if (device < 0 || contents->settling.by.device == device)
		g_array_set_size(contents->settling.words, 0);
	for (unsigned i = contents->pending->len; i-- > 0;)
		if (device < 0 || pending_at(contents, i)->moment[0].device == device)
			g_array_remove_index_fast(contents->pending, i);
	contents->all_pending &= device >= 0;
}

void contents_recorded(struct contents *contents, uint64_t event,
		       const struct content_moment *stream)
{
	struct content_moment *moment;

	if (!stream) {
		g_hash_table_remove(contents->events, &event);
		return;
	}
	if (g_hash_table_size(contents->events) >= CONTENT_EVENTS)
		g_hash_table_remove_all(contents->events);
	moment = g_memdup2(stream, sizeof(*stream));
	moment->sequence = contents->sequence;
	g_hash_table_insert(contents->events, g_memdup2(&event, sizeof(event)), moment);
}

void contents_forget_events(struct contents *contents)
{
	g_hash_table_remove_all(contents->events);
}

/* Returns true if the event stands for this work. */
static bool stands_for(const struct content_moment *event, const struct content_pending *pending)
{
	for (unsigned k = 0; k < pending->count; k++)
		if (is_in_stream(&pending->moment[k], event->stream, event->device) &&
		    pending->moment[k].sequence <= event->sequence)
			return true;
	return false;
}

void contents_stream_waits(struct contents *contents, uint64_t stream, int32_t device,
			   uint64_t event)
{
	const struct content_moment *moment = g_hash_table_lookup(contents->events, &event);

	for (unsigned i = 0; moment && i < contents->pending->len; i++) {
		struct content_pending *pending = pending_at(contents, i);

		if (stands_for(moment, pending) && pending->count < CONTENT_MOMENTS)
			pending->moment[pending->count++] =
			    (struct content_moment){ stream, ++contents->sequence, device };
	}
}

void contents_waited_event(struct contents *contents, uint64_t event)
{
	const struct content_moment *moment = g_hash_table_lookup(contents->events, &event);

	for (unsigned i = contents->pending->len; moment && i-- > 0;)
		if (stands_for(moment, pending_at(contents, i)))
			g_array_remove_index_fast(contents->pending, i);
}

uint64_t contents_next_pending(const struct contents *contents, uint64_t from, uint64_t end,
			       uint64_t *past)
{
	uint64_t first = end;

	*past = end;
	for (unsigned i = 0; i < contents->pending->len; i++) {
		const struct content_pending *pending = pending_at(contents, i);

		if (pending->end > from && pending->start < end &&
		    MAX(pending->start, from) <= first) {
			first = MAX(pending->start, from);
			*past = MIN(pending->end, end);
		}
	}
	return first;
}
