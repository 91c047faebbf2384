/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in memory: two sorted arrays, of words and of what is known whole. */
#include "contents.h"

#include <string.h>

#include "replay.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_modules.h"

#define WORD 8u

void contents_init(struct contents *contents)
{
	memset(contents, 0, sizeof(*contents));
	contents->words = g_array_new(FALSE, FALSE, sizeof(struct content_word));
	contents->ranges = g_array_new(FALSE, FALSE, sizeof(struct content_range));
	contents->pending = g_array_new(FALSE, FALSE, sizeof(struct content_pending));
	contents->launches = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void contents_clear(struct contents *contents)
{
	g_array_free(contents->words, TRUE);
	g_array_free(contents->ranges, TRUE);
	g_array_free(contents->pending, TRUE);
	g_hash_table_destroy(contents->launches);
}

static struct content_word *word_at(const struct contents *contents, unsigned index)
{
	return &g_array_index(contents->words, struct content_word, index);
}

static struct content_range *range_at(const struct contents *contents, unsigned index)
{
	return &g_array_index(contents->ranges, struct content_range, index);
}

/* The first word at or after an address. */
static unsigned first_word(const struct contents *contents, uint64_t address)
{
	unsigned low = 0, high = contents->words->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (word_at(contents, middle)->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first range that ends after an address. */
static unsigned first_range(const struct contents *contents, uint64_t address)
{
	unsigned low = 0, high = contents->ranges->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (range_at(contents, middle)->end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where size bytes end; not beyond the last address. */
static uint64_t end_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/* ---- changes ---- */

static void cut_ranges(struct contents *contents, uint64_t start, uint64_t end)
{
	unsigned at = first_range(contents, start);

	while (at < contents->ranges->len && range_at(contents, at)->start < end) {
		struct content_range *range = range_at(contents, at);
		struct content_range after = *range;

		if (range->start < start && range->end > end) {
			range->end = start;
			after.start = end;
			g_array_insert_val(contents->ranges, at + 1, after);
			return;
		}
		if (range->start < start) {
			range->end = start;
			at++;
		} else if (range->end > end) {
			range->start = end;
			return;
		} else {
			g_array_remove_index(contents->ranges, at);
		}
	}
}

void contents_forget(struct contents *contents, uint64_t start, uint64_t size)
{
	uint64_t end = end_of(start, size);
	unsigned first, last;

	if (!size || (contents->words->len == 0 && contents->ranges->len == 0))
		return;
	/* A word that is overwritten in part is another one. */
	start &= ~(uint64_t)(WORD - 1);
	end = end_of(end, WORD - 1) & ~(uint64_t)(WORD - 1);
	cut_ranges(contents, start, end);
	first = first_word(contents, start);
	last = first_word(contents, end);
	if (last > first) {
		g_array_remove_range(contents->words, first, last - first);
		contents->version++;
	}
}

static bool is_same(const struct contents *contents, unsigned first, unsigned last, uint64_t start,
		    const uint64_t *pairs, uint64_t count)
{
	if (last - first != count)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const struct content_word *word = word_at(contents, first + (unsigned)i);

		if (word->address != start + pairs[2 * i] || word->value != pairs[2 * i + 1])
			return false;
	}
	return true;
}

/* All that is known of [start, start + size) from now on: pairs of offset and address. */
static void learn(struct contents *contents, uint64_t start, uint64_t size, const uint64_t *pairs,
		  uint64_t count, struct content_stamp stamp)
{
	struct content_range range = { start, end_of(start, size), stamp };
	unsigned first = first_word(contents, start), last = first_word(contents, range.end);
	unsigned room = CONTENT_WORDS - MIN(contents->words->len - (last - first), CONTENT_WORDS);

	if (!size)
		return;
	cut_ranges(contents, range.start, range.end);
	if (count > room || contents->ranges->len >= CONTENT_RANGES) {
		contents->left_out += count;
		contents_forget(contents, start, size);
		return;
	}
	if (!is_same(contents, first, last, start, pairs, count)) {
		struct content_word *list = g_new(struct content_word, count + 1);

		for (uint64_t i = 0; i < count; i++) {
			list[i].address = start + pairs[2 * i];
			list[i].value = pairs[2 * i + 1];
		}
		if (last > first)
			g_array_remove_range(contents->words, first, last - first);
		g_array_insert_vals(contents->words, first, list, (unsigned)count);
		contents->version++;
		g_free(list);
	}
	for (unsigned i = first; i < first + count; i++)
		word_at(contents, i)->stamp = stamp;
	g_array_insert_val(contents->ranges, first_range(contents, start), range);
}

static bool is_pending(const struct contents *contents, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < contents->pending->len; i++) {
		const struct content_pending *pending =
		    &g_array_index(contents->pending, struct content_pending, i);

		if (pending->start < end && start < pending->end)
			return true;
	}
	return contents->all_pending;
}

void contents_pend(struct contents *contents, uint64_t start, uint64_t size, uint64_t stream,
		   int32_t device)
{
	struct content_pending pending = { start, end_of(start, size), stream, device };

	for (unsigned i = 0; i < contents->pending->len; i++) {
		struct content_pending *old =
		    &g_array_index(contents->pending, struct content_pending, i);

		if (old->stream == stream && old->device == device && old->start <= start &&
		    old->end >= pending.end)
			return;
	}
	if (contents->pending->len == CONTENT_PENDING) {
		contents->all_pending = true;
		return;
	}
	g_array_append_val(contents->pending, pending);
}

void contents_doubt(struct contents *contents, int64_t ns)
{
	contents->doubtful_ns = ns;
	contents->doubt_pending = true;
}

void contents_waited_stream(struct contents *contents, uint64_t stream)
{
	for (unsigned i = contents->pending->len; i-- > 0;)
		if (g_array_index(contents->pending, struct content_pending, i).stream == stream)
			g_array_remove_index_fast(contents->pending, i);
}

void contents_waited_device(struct contents *contents, int32_t device)
{
	for (unsigned i = contents->pending->len; i-- > 0;)
		if (device < 0 ||
		    g_array_index(contents->pending, struct content_pending, i).device == device)
			g_array_remove_index_fast(contents->pending, i);
	contents->all_pending &= device >= 0;
	contents->doubt_pending &= device >= 0;
}

/* ---- queries ---- */

enum content contents_at(const struct contents *contents, uint64_t address,
			 struct content_word *word)
{
	unsigned at = first_word(contents, address);

	if (at < contents->words->len && word_at(contents, at)->address == address) {
		*word = *word_at(contents, at);
		return CONTENT_ADDRESS;
	}
	at = first_range(contents, address);
	/* Only aligned words were looked at. */
	if (address % WORD == 0 && at < contents->ranges->len &&
	    range_at(contents, at)->start <= address &&
	    range_at(contents, at)->end - address >= WORD) {
		*word = (struct content_word){ .address = address,
					       .stamp = range_at(contents, at)->stamp };
		return CONTENT_NUMBER;
	}
	return CONTENT_UNKNOWN;
}

bool contents_each(const struct contents *contents, uint64_t start, uint64_t end,
		   bool (*function)(void *data, const struct content_word *word), void *data)
{
	uint64_t known = start;

	for (unsigned i = first_range(contents, start);
	     i < contents->ranges->len && range_at(contents, i)->start <= known && known < end; i++)
		known = range_at(contents, i)->end;
	for (unsigned i = first_word(contents, start);
	     i < contents->words->len && word_at(contents, i)->address < end; i++)
		if (!function(data, word_at(contents, i)))
			return false;
	return known >= end;
}

/* Memory that the host writes without a call: all but what lies on a GPU. */
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
		return true;
	default:
		return false;
	}
}

const char *contents_doubt_of(const struct process *process, const struct hg_event *launch,
			      const struct content_word *word)
{
	const struct contents *contents = &process->contents;
	const int64_t *times =
	    g_hash_table_lookup(contents->launches, GINT_TO_POINTER(launch->tid));
	bool read_now = word->stamp.source == HG_POINTERS_READ && word->stamp.tid == launch->tid &&
			word->stamp.ns > (times ? times[1] : 0);

	if (!read_now && is_of_host(process, word->address))
		return "the host may have changed a pointer in memory since it was recorded";
	if (read_now ? contents->doubt_pending : word->stamp.ns <= contents->doubtful_ns) {
		return "a kernel whose stores could not all be followed may have changed a pointer "
		       "in memory";
	}
	return NULL;
}

/* ---- events ---- */

/* Runs of words, as in the event; what is malformed ends it. */
static void apply_pointers(struct contents *contents, const struct hg_event *event)
{
	const struct hg_ev_pointers *from = &event->pointers;
	struct content_stamp stamp = { event->ns, event->tid, from->source };

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
		/* Read before earlier work was done: that will have changed it. */
		if (from->source != HG_POINTERS_READ ||
		    !is_pending(contents, start, end_of(start, size)))
			learn(contents, start, size, pairs, count, stamp);
		at += (uint32_t)(2 * count);
	}
}

struct moved {
	GArray *pairs;
	GArray *stamps; /* struct content_stamp: of each pair */
	uint64_t from;
};

static bool move_word(void *data, const struct content_word *word)
{
	struct moved *moved = data;
	uint64_t offset = word->address - moved->from;

	g_array_append_val(moved->pairs, offset);
	g_array_append_val(moved->pairs, word->value);
	g_array_append_val(moved->stamps, word->stamp);
	return true;
}

/*
 * From one place to another, word by word, which are as old as they were; the host's own memory may
 * have changed meanwhile.
 */
static void move(struct process *process, uint64_t to, uint64_t from, uint64_t size,
		 const struct hg_event *event)
{
	struct contents *contents = &process->contents;
	struct content_stamp stamp = { event->ns, event->tid, HG_POINTERS_COPIED };
	struct moved moved = { .from = from };
	bool known = false;

	if (contents->ranges->len == 0)
		return;
	moved.pairs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	moved.stamps = g_array_new(FALSE, FALSE, sizeof(struct content_stamp));
	if ((to - from) % WORD == 0 && size && !is_of_host(process, from))
		known = contents_each(contents, from, end_of(from, size), move_word, &moved);
	contents_forget(contents, to, size);
	if (known)
		learn(contents, to, size, (const uint64_t *)(void *)moved.pairs->data,
		      moved.stamps->len, stamp);
	for (unsigned i = 0, at = first_word(contents, to);
	     known && i < moved.stamps->len && at + i < contents->words->len; i++)
		if (word_at(contents, at + i)->address ==
		    to + g_array_index(moved.pairs, uint64_t, 2 * i))
			word_at(contents, at + i)->stamp =
			    g_array_index(moved.stamps, struct content_stamp, i);
	g_array_free(moved.pairs, TRUE);
	g_array_free(moved.stamps, TRUE);
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

static void apply_copy(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_copy *copy = &event->copy;

	if (!copy->dst)
		return;
	if (copy->rows == 1 && copy->depth <= 1 && copy->size) {
		move(process, copy->dst, copy->src, copy->size, event);
		return;
	}
	contents_forget(&process->contents, copy->dst,
			extent(copy->size ? copy->size : 1u << 30, copy->rows, copy->dst_pitch,
			       copy->depth, copy->dst_slice));
}

static void note_launch(struct contents *contents, const struct hg_event *event)
{
	int64_t *times = g_hash_table_lookup(contents->launches, GINT_TO_POINTER(event->tid));

	if (!times) {
		times = g_new0(int64_t, 2);
		g_hash_table_insert(contents->launches, GINT_TO_POINTER(event->tid), times);
	}
	times[1] = times[0];
	times[0] = event->ns;
}

/* Memory that is new by this call. Variables may have been copied to before they are recorded, and
 * what is registered keeps its contents. */
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

/* What lies there is indeterminate until it is written. [CLR7] */
static bool is_discard(unsigned api)
{
	return api == HG_API_hipMemDiscardBatchAsync || api == HG_API_hipDrvMemDiscardBatchAsync ||
	       api == HG_API_hipMemDiscardAndPrefetchBatchAsync ||
	       api == HG_API_hipDrvMemDiscardAndPrefetchBatchAsync;
}

void contents_event(struct process *process, const struct hg_event *event)
{
	struct contents *contents = &process->contents;

	switch (event->type) {
	case HG_EVENT_pointers:
		apply_pointers(contents, event);
		break;
	case HG_EVENT_pointers_left_out:
		contents->unexamined = event->pointers_left_out;
		break;
	case HG_EVENT_launch:
		note_launch(contents, event);
		break;
	case HG_EVENT_alloc:
		if (event->alloc.ptr && is_made(event->alloc.api))
			contents_forget(contents, event->alloc.ptr, event->alloc.size);
		break;
	case HG_EVENT_copy:
		apply_copy(process, event);
		break;
	case HG_EVENT_fill:
		contents_forget(contents, event->fill.dst,
				extent(event->fill.size, event->fill.rows, event->fill.pitch,
				       event->fill.depth, event->fill.slice));
		break;
	case HG_EVENT_omp_data:
		if (event->omp_data.op == HG_OMP_TO_DEVICE)
			contents_forget(contents, event->omp_data.dst, event->omp_data.size);
		break;
	case HG_EVENT_call:
		if (is_discard(event->call.api))
			contents_forget(contents, event->call.ptr, event->call.size);
		break;
	case HG_EVENT_prefetch:
		if (is_discard(event->prefetch.api))
			contents_forget(contents, event->prefetch.ptr, event->prefetch.size);
		break;
	default:
		break;
	}
}
