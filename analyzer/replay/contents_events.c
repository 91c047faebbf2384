/* SPDX-License-Identifier: Apache-2.0 */
/* Here events change the addresses that are known to lie in memory. */
#include "contents_internal.h"

#include "replay.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_modules.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_graph.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_pointers.h"
#include "tracer/events/ev_pointers_left_out.h"
#include "tracer/events/ev_prefetch.h"

/* Returns true for memory that the host writes without a call: all but what lies on a GPU. */
static bool is_of_host(const struct process *process, uint64_t address)
{
	const struct device *device = process_device(process, 0);
	uint64_t offset;
	const struct allocation *allocation = address_space_find(&process->space, address, &offset);

	if (!allocation || (allocation->layer != LAYER_HIP && allocation->layer != LAYER_MAPPED) ||
	    (device && device->integrated == 1))
		return true;
	switch (allocation->api) {
	case HG_API_hipMallocManaged:
	case HG_API___hipRegisterManagedVar:
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
	case HG_API_hipLibraryGetManaged:
		return true;
	default:
		return false;
	}
}

static bool is_graph(unsigned api)
{
	return api == HG_API_hipGraphLaunch || api == HG_API_hipGraphLaunch_spt;
}

bool contents_is_loose(unsigned api)
{
	switch (api) {
	case HG_API_hipExtLaunchKernel:
	case HG_API_hipExtModuleLaunchKernel:
	case HG_API_hipHccModuleLaunchKernel:
		return true;
	default:
		return false;
	}
}

const char *contents_doubt_of(const struct process *process, const struct hg_event *launch,
			      const struct content_word *word)
{
	const struct contents *contents = &process->contents;
	const struct content_thread *thread =
	    g_hash_table_lookup(contents->threads, GINT_TO_POINTER(launch->tid));
	bool read_now = word->stamp.source == HG_POINTERS_READ && word->stamp.tid == launch->tid &&
			word->stamp.ns > (thread ? thread->before_ns : 0);

	if (is_graph(launch->launch->api) && (!thread || !thread->in_order))
		return "other nodes of the graph may have changed a pointer in memory before";
	if (!read_now && is_of_host(process, word->address))
		return "the host may have changed a pointer in memory since it was recorded";
	if (read_now ? contents_doubt_pending(contents) : word->stamp.ns <= contents->doubtful_ns) {
		return "a kernel whose stores could not all be followed may have changed a pointer "
		       "in memory";
	}
	return NULL;
}

/* Learns what was read before earlier work was done: all but what that work changes. */
static void learn_apart(struct contents *contents, uint64_t start, uint64_t size,
			const uint64_t *pairs, uint64_t count, struct content_stamp stamp)
{
	uint64_t from = start, end = content_end(start, size), past, next = 0;

	if (contents->all_pending)
		return;
	while (from < end) {
		uint64_t to =
		    contents_next_pending(contents, from, end, &past) & ~(uint64_t)(WORD - 1);
		uint64_t *own, many = 0;

		own = g_new(uint64_t, 2 * (count - next) + 1);
		for (; next < count && pairs[2 * next] < to - start; next++) {
			own[2 * many] = pairs[2 * next] - (from - start);
			own[2 * many++ + 1] = pairs[2 * next + 1];
		}
		if (to > from)
			contents_learn(contents, from, to - from, own, many, stamp);
		g_free(own);
		to = MAX(to, content_end(past, WORD - 1) & ~(uint64_t)(WORD - 1));
		if (to <= from)
			return; /* at the last address */
		from = to;
		while (next < count && pairs[2 * next] < from - start)
			next++;
	}
}

/* Returns true if none of these bytes may be written by unfinished work. */
static bool is_settled(const struct contents *contents, uint64_t start, uint64_t end)
{
	uint64_t past;

	return !contents->all_pending && contents_next_pending(contents, start, end, &past) >= end;
}

/*
 * Numbers that a copy carried, or that were read before a launch, as if fills had written them;
 * what is malformed ends it.
 */
static void apply_numbers(struct contents *contents, const struct hg_event *event)
{
	const struct hg_ev_pointers *from = event->pointers;
	bool read = from->source == HG_POINTERS_NUMBERS_READ;
	struct content_stamp stamp = { event->ns, event->tid,
				       read ? HG_POINTERS_READ : HG_POINTERS_COPIED };

	for (uint32_t at = 0; from->count - at >= 3; at += 3) {
		uint64_t start = from->words[at], end = content_end(start, from->words[at + 1]);

		if (!start || from->words[at + 2] > UINT32_MAX)
			return;
		if (!read || is_settled(contents, start, end))
			contents_fill(contents, start, end, (uint32_t)from->words[at + 2], stamp);
	}
}

/* Runs of words, as in the event; what is malformed ends it. */
static void apply_pointers(struct contents *contents, const struct hg_event *event)
{
	const struct hg_ev_pointers *from = event->pointers;
	struct content_stamp stamp = { event->ns, event->tid, from->source };

	if (from->source == HG_POINTERS_NUMBERS || from->source == HG_POINTERS_NUMBERS_READ) {
		apply_numbers(contents, event);
		return;
	}
	for (uint32_t at = 0; from->count - at >= 3;) {
		uint64_t start = from->words[at], size = from->words[at + 1];
		uint64_t count = from->words[at + 2];
		const uint64_t *pairs = from->words + at + 3;

		at += 3;
		if (count > (from->count - at) / 2)
			return;
		for (uint64_t i = 0; i < count; i++)
			if (pairs[2 * i] >= size || (i && pairs[2 * i] <= pairs[2 * i - 2]))
				return;
		if (from->source == HG_POINTERS_READ)
			learn_apart(contents, start, size, pairs, count, stamp);
		else
			contents_learn(contents, start, size, pairs, count, stamp);
		at += (uint32_t)(2 * count);
	}
}

/* This is what is known of some bytes: copies, in their order. */
struct known {
	GArray *words, *ranges; /* as in struct contents */
};

static struct known known_of(const struct contents *contents, uint64_t start, uint64_t end)
{
	struct known known = { g_array_new(FALSE, FALSE, sizeof(struct content_word)),
			       g_array_new(FALSE, FALSE, sizeof(struct content_range)) };

	for (unsigned i = content_first_word(contents, start);
	     i < contents->words->len &&
	     content_end(content_word_at(contents, i)->address, WORD) <= end;
	     i++)
		g_array_append_vals(known.words, content_word_at(contents, i), 1);
	for (unsigned i = content_first_range(contents->ranges, start);
	     i < contents->ranges->len && content_range_at(contents->ranges, i)->start < end; i++) {
		struct content_range range = *content_range_at(contents->ranges, i);

		range.start = MAX(range.start, start);
		range.end = MIN(range.end, end);
		g_array_append_val(known.ranges, range);
	}
	return known;
}

/* Returns true for the same pointers, however old. */
static bool is_known_same(const struct known *a, const struct known *b)
{
	if (a->words->len != b->words->len)
		return false;
	for (unsigned i = 0; i < a->ranges->len; i++)
		if (g_array_index(a->ranges, struct content_range, i).stored)
			return false;
	for (unsigned i = 0; i < a->words->len; i++) {
		const struct content_word *x = &g_array_index(a->words, struct content_word, i);
		const struct content_word *y = &g_array_index(b->words, struct content_word, i);

		if (x->address != y->address || x->value != y->value)
			return false;
	}
	return true;
}

static void known_clear(struct known *known)
{
	g_array_free(known->words, TRUE);
	g_array_free(known->ranges, TRUE);
}

/* All of it lies elsewhere as well, in bytes of which nothing is known. */
static void put_known(struct contents *contents, const struct known *known)
{
	if (known->words->len > CONTENT_WORDS - MIN(contents->words->len, CONTENT_WORDS) ||
	    known->ranges->len > CONTENT_RANGES - MIN(contents->ranges->len, CONTENT_RANGES)) {
		contents->left_out += known->words->len;
		return;
	}
	if (known->ranges->len) {
		const struct content_range *first = content_range_at(known->ranges, 0);

		g_array_insert_vals(contents->ranges,
				    content_first_range(contents->ranges, first->start), first,
				    known->ranges->len);
	}
	if (known->words->len) {
		const struct content_word *first =
		    &g_array_index(known->words, struct content_word, 0);

		g_array_insert_vals(contents->words, content_first_word(contents, first->address),
				    first, known->words->len);
	}
}

/*
 * From one place to another, word by word, which are as old as they were; the host's own memory may
 * have changed meanwhile.
 */
static void move(struct process *process, uint64_t to, uint64_t from, uint64_t size)
{
	struct contents *contents = &process->contents;
	uint64_t version = contents->version;
	struct known known, before;

	if (contents->ranges->len == 0 && contents->fresh->len == 0)
		return;
	if ((to - from) % WORD || is_of_host(process, from) || !size) {
		contents_forget(contents, to, size);
		return;
	}
	before = known_of(contents, to, content_end(to, size));
	known = known_of(contents, from, content_end(from, size));
	for (unsigned i = 0; i < known.words->len; i++)
		g_array_index(known.words, struct content_word, i).address += to - from;
	for (unsigned i = 0; i < known.ranges->len; i++) {
		content_range_at(known.ranges, i)->start += to - from;
		content_range_at(known.ranges, i)->end += to - from;
	}
	contents_forget(contents, to, size);
	put_known(contents, &known);
	contents->version = is_known_same(&known, &before) && is_known_same(&before, &known)
				? version
				: contents->version + 1;
	known_clear(&known);
	known_clear(&before);
}

/* Rows and slices lie apart; what is between them is forgotten as well. */
static uint64_t extent(uint64_t size, uint64_t rows, uint64_t pitch, uint64_t depth, uint64_t slice)
{
	uint64_t row = MAX(pitch, size), all;

	if (rows > UINT32_MAX || depth > UINT32_MAX || row > UINT64_MAX >> 34)
		return UINT64_MAX;
	all = depth > 1 ? MAX(slice, row * rows) : row * rows;
	return depth > 1 && all > UINT64_MAX / depth ? UINT64_MAX : all * MAX(depth, 1);
}

#define COPY_ROWS 4096u /* that are followed one by one */

static void apply_copy(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_copy *copy = event->copy;
	uint64_t depth = MAX(copy->depth, 1), rows = copy->rows;
	uint64_t from_row = MAX(copy->src_pitch, copy->size),
		 to_row = MAX(copy->dst_pitch, copy->size);

	if (!copy->dst)
		return;
	if (!copy->size || !rows || rows > COPY_ROWS || depth > COPY_ROWS ||
	    rows * depth > COPY_ROWS) {
		contents_forget(&process->contents, copy->dst,
				extent(copy->size ? copy->size : 1u << 30, rows, copy->dst_pitch,
				       copy->depth, copy->dst_slice));
		return;
	}
	for (uint64_t z = 0; z < depth; z++)
		for (uint64_t y = 0; y < rows; y++)
			move(process,
			     copy->dst + z * MAX(copy->dst_slice, to_row * rows) + y * to_row,
			     copy->src + z * MAX(copy->src_slice, from_row * rows) + y * from_row,
			     copy->size);
}

/* Returns what a fill writes, as a dword. */
static uint32_t fill_pattern(const struct hg_ev_fill *fill)
{
	switch (fill->api) {
	case HG_API_hipMemsetD32:
	case HG_API_hipMemsetD32Async:
		return fill->value;
	case HG_API_hipMemsetD16:
	case HG_API_hipMemsetD16Async:
		return (fill->value & 0xffff) * 0x10001u;
	case HG_API_hipMemset:
	case HG_API_hipMemsetAsync:
	case HG_API_hipMemsetD8:
	case HG_API_hipMemsetD8Async:
		return (fill->value & 0xff) * 0x1010101u;
	default:
		return 0;
	}
}

/* Nothing but zeros is known as well as any address. */
static void apply_fill(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_fill *fill = event->fill;
	uint64_t start = content_end(fill->dst, WORD - 1) & ~(uint64_t)(WORD - 1);
	uint64_t end = content_end(fill->dst, fill->size) & ~(uint64_t)(WORD - 1);
	struct content_stamp stamp = { event->ns, event->tid, HG_POINTERS_COPIED };
	bool whole = fill->rows == 1 && fill->depth <= 1;
	uint32_t pattern = fill_pattern(fill);

	contents_forget(&process->contents, fill->dst,
			extent(fill->size, fill->rows, fill->pitch, fill->depth, fill->slice));
	if (whole && fill->dst && (pattern || !fill->value))
		contents_fill(&process->contents, fill->dst, content_end(fill->dst, fill->size),
			      pattern, stamp);
	if (fill->value == 0 && whole && start < end)
		contents_learn(&process->contents, start, end - start, NULL, 0, stamp);
}

/* Returns true if memory is new by this call. Variables may have been copied to before they are
 * recorded, and what is registered keeps its contents. */
static bool is_made(unsigned api)
{
	switch (api) {
	case HG_API_hipHostRegister:
	case HG_API___hipRegisterVar:
	case HG_API___hipRegisterManagedVar:
	case HG_API_hipModuleGetGlobal:
	case HG_API_hipLibraryGetGlobal:
	case HG_API_hipLibraryGetManaged:
		return false;
	default:
		return true;
	}
}

/* Returns true if what lies there is indeterminate until it is written. [CLR7] */
static bool is_discard(unsigned api)
{
	return api == HG_API_hipMemDiscardBatchAsync || api == HG_API_hipDrvMemDiscardBatchAsync ||
	       api == HG_API_hipMemDiscardAndPrefetchBatchAsync ||
	       api == HG_API_hipDrvMemDiscardAndPrefetchBatchAsync;
}

/* Returns true for new device memory, which holds nothing yet and which the host does not write by
 * itself. */
static bool is_blank(const struct process *process, unsigned api)
{
	const struct device *device = process_device(process, 0);

	if (device && device->integrated == 1)
		return false;
	switch (api) {
	case HG_API_hipMalloc:
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
	case HG_API_hipMallocPitch:
	case HG_API_hipExtMallocWithFlags:
		return true;
	default:
		return false;
	}
}

static void apply_alloc(struct process *process, const struct hg_event *event)
{
	struct contents *contents = &process->contents;
	struct content_range range = { .start = event->alloc->ptr,
				       .end = content_end(event->alloc->ptr, event->alloc->size) };

	if (!range.start || !is_made(event->alloc->api))
		return;
	contents_forget(contents, range.start, event->alloc->size);
	if (range.start % WORD || !is_blank(process, event->alloc->api) ||
	    contents->fresh->len >= CONTENT_RANGES)
		return;
	content_cut(contents->fresh, range.start, range.end);
	g_array_insert_val(contents->fresh, content_first_range(contents->fresh, range.start),
			   range);
}

static struct content_thread *thread_of(struct contents *contents, const struct hg_event *event)
{
	struct content_thread *thread =
	    g_hash_table_lookup(contents->threads, GINT_TO_POINTER(event->tid));

	if (!thread) {
		thread = g_new0(struct content_thread, 1);
		g_hash_table_insert(contents->threads, GINT_TO_POINTER(event->tid), thread);
	}
	return thread;
}

static void begin_graph(struct contents *contents, const struct hg_event *event)
{
	struct content_thread *thread = thread_of(contents, event);

	thread->work = event->graph->work;
	thread->ordered = event->graph->ordered;
	thread->begun = false;
}

/* A launch, copy or fill: one of a graph's, if some are to come. */
static void note_work(struct contents *contents, const struct hg_event *event)
{
	struct content_thread *thread = thread_of(contents, event);

	thread->in_order = thread->work && thread->ordered;
	thread->ordered -= thread->in_order;
	thread->work -= thread->work > 0;
}

static void note_launch(struct contents *contents, const struct hg_event *event)
{
	struct content_thread *thread = thread_of(contents, event);
	bool later = thread->work && thread->begun;

	thread->begun = thread->work > 0;
	note_work(contents, event);
	if (later)
		return;
	thread->before_ns = thread->launched_ns;
	thread->launched_ns = event->ns;
}

/* A graph of which some nodes are unknown may store anywhere; one that failed was not launched. */
static void apply_graph(struct contents *contents, const struct hg_event *event)
{
	const struct hg_ev_call *call = event->call;

	thread_of(contents, event)->work = 0;
	contents_forget_events(contents);
	if (call->flags)
		contents_doubt(contents, event->ns, call->stream, call->device);
}

/* Work that a launch was recorded with ahead of the call, which then failed. */
static void take_back(struct contents *contents, const struct hg_event *event)
{
	if (is_graph(event->error->api))
		contents_forget(contents, 0, UINT64_MAX);
	contents_begun(contents, 0, -1, 0, true);
}

void contents_event(struct process *process, const struct hg_event *event)
{
	struct contents *contents = &process->contents;

	switch (event->type) {
	case HG_EVENT_pointers:
		apply_pointers(contents, event);
		break;
	case HG_EVENT_pointers_left_out:
		contents->unexamined = *event->pointers_left_out;
		break;
	case HG_EVENT_launch:
		if (contents->settling.words->len)
			contents_begun(contents, event->launch->stream, event->launch->device,
				       event->tid, contents_is_loose(event->launch->api));
		note_launch(contents, event);
		break;
	case HG_EVENT_graph:
		begin_graph(contents, event);
		break;
	case HG_EVENT_error:
		take_back(contents, event);
		break;
	case HG_EVENT_alloc:
		apply_alloc(process, event);
		break;
	case HG_EVENT_copy:
		contents_begun(contents, event->copy->stream, event->copy->device, event->tid,
			       false);
		note_work(contents, event);
		apply_copy(process, event);
		break;
	case HG_EVENT_fill:
		contents_begun(contents, event->fill->stream, event->fill->device, event->tid,
			       false);
		note_work(contents, event);
		apply_fill(process, event);
		break;
	case HG_EVENT_call:
		if (is_graph(event->call->api))
			apply_graph(contents, event);
		else if (is_discard(event->call->api))
			contents_forget(contents, event->call->ptr, event->call->size);
		break;
	case HG_EVENT_omp_data:
		if (event->omp_data->op == HG_OMP_TO_DEVICE)
			contents_forget(contents, event->omp_data->dst, event->omp_data->size);
		break;
	case HG_EVENT_prefetch:
		if (is_discard(event->prefetch->api))
			contents_forget(contents, event->prefetch->ptr, event->prefetch->size);
		break;
	default:
		break;
	}
}
