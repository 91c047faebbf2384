/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in memory: two sorted arrays, of words and of what is known whole. */
#include "contents_internal.h"

#include <string.h>

void contents_init(struct contents *contents)
{
	memset(contents, 0, sizeof(*contents));
	contents->words = g_array_new(FALSE, FALSE, sizeof(struct content_word));
	contents->ranges = g_array_new(FALSE, FALSE, sizeof(struct content_range));
	contents->fresh = g_array_new(FALSE, FALSE, sizeof(struct content_range));
	contents->filled = g_array_new(FALSE, FALSE, sizeof(struct content_range));
	contents->sets = g_ptr_array_new_with_free_func(g_free);
	contents->pending = g_array_new(FALSE, FALSE, sizeof(struct content_pending));
	contents->settling.words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	contents->events = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	contents->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void contents_clear(struct contents *contents)
{
	g_array_free(contents->words, TRUE);
	g_array_free(contents->ranges, TRUE);
	g_array_free(contents->fresh, TRUE);
	g_array_free(contents->filled, TRUE);
	g_ptr_array_free(contents->sets, TRUE);
	g_array_free(contents->pending, TRUE);
	g_array_free(contents->settling.words, TRUE);
	g_hash_table_destroy(contents->events);
	g_hash_table_destroy(contents->threads);
}

unsigned content_first_word(const struct contents *contents, uint64_t address)
{
	unsigned low = 0, high = contents->words->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (content_word_at(contents, middle)->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

unsigned content_first_range(const GArray *ranges, uint64_t address)
{
	unsigned low = 0, high = ranges->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (content_range_at(ranges, middle)->end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- changes ---- */

void content_cut(GArray *ranges, uint64_t start, uint64_t end)
{
	unsigned at = content_first_range(ranges, start);

	while (at < ranges->len && content_range_at(ranges, at)->start < end) {
		struct content_range *range = content_range_at(ranges, at);
		struct content_range after = *range;

		if (range->start < start && range->end > end) {
			range->end = start;
			after.start = end;
			g_array_insert_val(ranges, at + 1, after);
			return;
		}
		if (range->start < start) {
			range->end = start;
			at++;
		} else if (range->end > end) {
			range->start = end;
			return;
		} else {
			g_array_remove_index(ranges, at);
		}
	}
}

/* Returns true if a kernel stored any of what is known there. */
static bool any_stored(const struct contents *contents, uint64_t start, uint64_t end)
{
	for (unsigned i = content_first_range(contents->ranges, start);
	     i < contents->ranges->len && content_range_at(contents->ranges, i)->start < end; i++)
		if (content_range_at(contents->ranges, i)->stored)
			return true;
	return false;
}

/* Takes away the pattern of some bytes. */
static void cut_filled(struct contents *contents, uint64_t start, uint64_t end)
{
	unsigned at = content_first_range(contents->filled, start);

	if (at < contents->filled->len && content_range_at(contents->filled, at)->start < end) {
		content_cut(contents->filled, start, end);
		contents->filled_version++;
	}
}

void contents_fill(struct contents *contents, uint64_t start, uint64_t end, uint32_t pattern,
		   struct content_stamp stamp)
{
	unsigned turn = start % 4 * 8, same = content_first_range(contents->filled, start);
	struct content_range range = { .start = start,
				       .end = end,
				       .stamp = stamp,
				       .pattern = turn ? pattern << turn | pattern >> (32 - turn)
						       : pattern };
	struct content_range *old =
	    same < contents->filled->len ? content_range_at(contents->filled, same) : NULL;

	if (old && old->start == start && old->end == end && old->pattern == range.pattern) {
		old->stamp = stamp;
		return;
	}
	cut_filled(contents, start, end);
	if (start >= end || contents->filled->len >= CONTENT_FILLED)
		return;
	g_array_insert_val(contents->filled, content_first_range(contents->filled, start), range);
	contents->filled_version++;
}

bool contents_number(const struct contents *contents, uint64_t address, unsigned size,
		     uint32_t *number, struct content_stamp *stamp)
{
	unsigned at = content_first_range(contents->filled, address), turn = address % 4 * 8;
	const struct content_range *range;

	if (at == contents->filled->len)
		return false;
	range = content_range_at(contents->filled, at);
	if (range->start > address || range->end - address < size)
		return false;
	*number = turn ? range->pattern >> turn | range->pattern << (32 - turn) : range->pattern;
	*number &= size >= 4 ? UINT32_MAX : (1u << 8 * size) - 1;
	*stamp = range->stamp;
	return true;
}

void contents_forget(struct contents *contents, uint64_t start, uint64_t size)
{
	uint64_t end = content_end(start, size);
	unsigned first, last;

	cut_filled(contents, start, end);
	if (!size ||
	    (contents->words->len == 0 && contents->ranges->len == 0 && contents->fresh->len == 0))
		return;
	/* A word that is overwritten in part is another one. */
	start &= ~(uint64_t)(WORD - 1);
	end = content_end(end, WORD - 1) & ~(uint64_t)(WORD - 1);
	content_cut(contents->fresh, start, end);
	if (any_stored(contents, start, end))
		contents->version++;
	content_cut(contents->ranges, start, end);
	first = content_first_word(contents, start);
	last = content_first_word(contents, end);
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
		const struct content_word *word = content_word_at(contents, first + (unsigned)i);

		if (word->address != start + pairs[2 * i] || word->value != pairs[2 * i + 1])
			return false;
	}
	return true;
}

void contents_learn(struct contents *contents, uint64_t start, uint64_t size, const uint64_t *pairs,
		    uint64_t count, struct content_stamp stamp)
{
	struct content_range range = { .start = start,
				       .end = content_end(start, size),
				       .stamp = stamp };
	unsigned first = content_first_word(contents, start),
		 last = content_first_word(contents, range.end);
	unsigned room = CONTENT_WORDS - MIN(contents->words->len - (last - first), CONTENT_WORDS);

	if (!size)
		return;
	content_cut(contents->fresh, range.start, range.end);
	if (any_stored(contents, range.start, range.end))
		contents->version++;
	content_cut(contents->ranges, range.start, range.end);
	if (count > room || contents->ranges->len >= CONTENT_RANGES) {
		contents->left_out += count;
		contents_forget(contents, start, size);
		return;
	}
	if (!is_same(contents, first, last, start, pairs, count)) {
		struct content_word *list = g_new(struct content_word, count + 1);

		for (uint64_t i = 0; i < count; i++) {
			list[i] = (struct content_word){ .address = start + pairs[2 * i],
							 .value = pairs[2 * i + 1] };
		}
		if (last > first)
			g_array_remove_range(contents->words, first, last - first);
		g_array_insert_vals(contents->words, first, list, (unsigned)count);
		contents->version++;
		g_free(list);
	}
	for (unsigned i = first; i < first + count; i++)
		content_word_at(contents, i)->stamp = stamp;
	g_array_insert_val(contents->ranges, content_first_range(contents->ranges, start), range);
}

/* ---- what kernels store ---- */

bool content_values_add(struct content_values *values, uint64_t address, bool vague)
{
	unsigned at = 0;

	while (at < values->count &&
	       (values->at[at].address < address ||
		(values->at[at].address == address && values->at[at].vague < vague)))
		at++;
	if (at < values->count && values->at[at].address == address &&
	    values->at[at].vague == vague)
		return true;
	if (values->count == CONTENT_VALUES)
		return false;
	memmove(&values->at[at + 1], &values->at[at], (values->count - at) * sizeof(values->at[0]));
	values->at[at] = (struct content_value){ address, vague };
	values->count++;
	return true;
}

static bool is_equal(const struct content_values *a, const struct content_values *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (a->at[i].address != b->at[i].address || a->at[i].vague != b->at[i].vague)
			return false;
	return true;
}

/* The kept set with these values; NULL: there is no room. */
static const struct content_values *keep_values(struct contents *contents,
						const struct content_values *values)
{
	for (unsigned i = contents->sets->len; i-- > 0;)
		if (is_equal(contents->sets->pdata[i], values))
			return contents->sets->pdata[i];
	if (contents->sets->len == CONTENT_SETS)
		return NULL;
	g_ptr_array_add(contents->sets, g_memdup2(values, sizeof(*values)));
	return contents->sets->pdata[contents->sets->len - 1];
}

/* Adds to one range what may have been stored. Returns false if it cannot be kept. */
static bool store_in(struct contents *contents, struct content_range *range,
		     const struct content_values *values, int64_t ns)
{
	struct content_values all = { 0 };
	const struct content_values *stored;

	if (range->stored)
		all = *range->stored;
	for (unsigned i = 0; i < values->count; i++)
		if (!content_values_add(&all, values->at[i].address, values->at[i].vague))
			return false;
	stored = keep_values(contents, &all);
	if (!stored)
		return false;
	if (stored != range->stored) {
		range->stored_ns = range->stored ? range->stored_ns : ns;
		range->stored = stored;
		contents->version++;
	}
	return true;
}

/* Makes an edge between two ranges. Returns false if there are too many. */
static bool split_at(struct contents *contents, uint64_t address)
{
	unsigned at = content_first_range(contents->ranges, address);
	struct content_range after;

	if (at == contents->ranges->len || content_range_at(contents->ranges, at)->start >= address)
		return true;
	if (contents->ranges->len >= CONTENT_RANGES)
		return false;
	after = *content_range_at(contents->ranges, at);
	after.start = address;
	content_range_at(contents->ranges, at)->end = address;
	g_array_insert_val(contents->ranges, at + 1, after);
	return true;
}

/* Makes known, from now on, what was never written. */
static void use_fresh(struct contents *contents, uint64_t start, uint64_t end, int64_t ns)
{
	for (unsigned i = content_first_range(contents->fresh, start);
	     i < contents->fresh->len && content_range_at(contents->fresh, i)->start < end; i++) {
		struct content_range range = {
			.start = MAX(content_range_at(contents->fresh, i)->start, start),
			.end = MIN(content_range_at(contents->fresh, i)->end, end),
			.stamp = { .ns = ns, .source = CONTENT_STORED },
		};

		if (contents->ranges->len < CONTENT_RANGES)
			g_array_insert_val(contents->ranges,
					   content_first_range(contents->ranges, range.start),
					   range);
	}
	content_cut(contents->fresh, start, end);
}

void contents_store(struct contents *contents, uint64_t start, uint64_t size,
		    const struct content_values *values, int64_t ns)
{
	uint64_t end = content_end(start, size);
	bool kept = start % WORD == 0;

	cut_filled(contents, start, end);
	end -= (end - start) % WORD;
	if (!values->count && kept) {
		/* Numbers: what lay there, or none. */
		use_fresh(contents, start, end, ns);
		return;
	}
	use_fresh(contents, start, end, ns);
	kept = kept && split_at(contents, start) && split_at(contents, end);
	for (unsigned i = content_first_range(contents->ranges, start);
	     kept && i < contents->ranges->len &&
	     content_range_at(contents->ranges, i)->start < end;
	     i++)
		kept = store_in(contents, content_range_at(contents->ranges, i), values, ns);
	if (!kept)
		contents_forget(contents, start, size);
}

bool content_is_just(const struct contents *contents, uint64_t address,
		     const struct content_values *values)
{
	unsigned word = content_first_word(contents, address),
		 at = content_first_range(contents->ranges, address);
	const struct content_range *range;

	if (at == contents->ranges->len ||
	    (word < contents->words->len && content_word_at(contents, word)->address == address))
		return false;
	range = content_range_at(contents->ranges, at);
	return range->start <= address && range->end - address >= WORD &&
	       (range->stored ? is_equal(range->stored, values) : !values->count);
}

bool content_set(struct contents *contents, uint64_t address, const struct content_values *values,
		 int64_t ns)
{
	struct content_range range = { .start = address,
				       .end = content_end(address, WORD),
				       .stamp = { .ns = ns, .source = CONTENT_STORED },
				       .stored_ns = ns };

	contents_forget(contents, address, WORD);
	contents->version++;
	if (values->count)
		range.stored = keep_values(contents, values);
	if (contents->ranges->len >= CONTENT_RANGES || (values->count && !range.stored))
		return false;
	g_array_insert_val(contents->ranges, content_first_range(contents->ranges, address), range);
	return true;
}

/* ---- queries ---- */

/* Returns one word of what may have been stored. */
static struct content_word stored_word(const struct content_range *range, uint64_t address,
				       unsigned i)
{
	return (struct content_word){
		.address = address,
		.value = range->stored->at[i].address,
		.stamp = { .ns = range->stored_ns, .source = CONTENT_STORED },
		.vague = range->stored->at[i].vague,
	};
}

enum content contents_at(const struct contents *contents, uint64_t address,
			 struct content_choices *choices)
{
	unsigned at = content_first_word(contents, address);
	const struct content_range *range = NULL;

	choices->count = 0;
	if (at < contents->words->len && content_word_at(contents, at)->address == address)
		choices->at[choices->count++] = *content_word_at(contents, at);
	at = content_first_range(contents->ranges, address);
	/* Only aligned words were looked at. */
	if (address % WORD == 0 && at < contents->ranges->len &&
	    content_range_at(contents->ranges, at)->start <= address &&
	    content_range_at(contents->ranges, at)->end - address >= WORD)
		range = content_range_at(contents->ranges, at);
	for (unsigned i = 0; range && range->stored && i < range->stored->count; i++) {
		struct content_word word = stored_word(range, address, i);

		if (!choices->count || choices->at[0].value != word.value || word.vague)
			choices->at[choices->count++] = word;
	}
	return choices->count ? CONTENT_ADDRESS : range ? CONTENT_NUMBER : CONTENT_UNKNOWN;
}

bool contents_each(const struct contents *contents, uint64_t start, uint64_t end,
		   bool (*function)(void *data, const struct content_word *word), void *data)
{
	unsigned first = content_first_range(contents->ranges, start), i;
	uint64_t known = start;

	for (i = first; i < contents->ranges->len &&
			content_range_at(contents->ranges, i)->start <= known && known < end;
	     i++)
		known = content_range_at(contents->ranges, i)->end;
	for (i = content_first_word(contents, start);
	     i < contents->words->len && content_word_at(contents, i)->address < end; i++)
		if (!function(data, content_word_at(contents, i)))
			return false;
	for (i = first;
	     i < contents->ranges->len && content_range_at(contents->ranges, i)->start < end; i++) {
		const struct content_range *range = content_range_at(contents->ranges, i);

		for (unsigned k = 0; range->stored && k < range->stored->count; k++) {
			struct content_word word = stored_word(range, MAX(range->start, start), k);

			if (!function(data, &word))
				return false;
		}
	}
	return known >= end;
}
