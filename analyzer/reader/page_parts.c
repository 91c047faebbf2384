/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a record means may depend on those before it in its page, so all of a page's words are kept
 * until its last part has come, and are made whole records again with each part.
 */
#include "page_parts.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "tracer/ring.h"
#include "whole_records.h"

struct key {
	uint64_t file;
	int32_t pid;
	uint32_t number;
};

struct page {
	struct key key;
	GArray *words;
	uint32_t parts, taken;
	bool broken;  /* a part is missing */
	bool in_file; /* the process's file still has it */
	uint64_t tally[HG_GROUPS];
};

struct page_parts {
	GHashTable *pages; /* struct page, by their keys */
	GHashTable *open;  /* struct key, a set: pages that have ended, but were not full */
	struct key last;   /* the page that ended last, all of which was taken */
	struct page *page; /* whose part is taken */
	bool is_full;      /* the last part ended a full page: */
	uint64_t full[HG_GROUPS];
};

static guint hash_of(gconstpointer data)
{
	const struct key *key = data;

	return (guint)(key->file ^ key->file >> 32) * 31 + (guint)key->pid * 17 + key->number;
}

static gboolean is_same(gconstpointer one, gconstpointer other)
{
	const struct key *a = one, *b = other;

	return a->file == b->file && a->pid == b->pid && a->number == b->number;
}

static void free_page(gpointer data)
{
	struct page *page = data;

	g_array_unref(page->words);
	g_free(page);
}

struct page_parts *page_parts_new(void)
{
	struct page_parts *parts = g_new0(struct page_parts, 1);

	parts->pages = g_hash_table_new_full(hash_of, is_same, NULL, free_page);
	parts->open = g_hash_table_new_full(hash_of, is_same, g_free, NULL);
	return parts;
}

void page_parts_free(struct page_parts *parts)
{
	g_hash_table_destroy(parts->pages);
	g_hash_table_destroy(parts->open);
	g_free(parts);
}

static struct page *find_or_make(struct page_parts *parts, const struct key *key)
{
	struct page *page = g_hash_table_lookup(parts->pages, key);

	if (!page) {
		page = g_new0(struct page, 1);
		page->key = *key;
		page->words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		g_hash_table_insert(parts->pages, &page->key, page);
	}
	return page;
}

struct adding {
	void (*add)(int32_t pid, const struct order_batch *batch, uint64_t begin, void *data);
	void *data;
};

static void add_words(const struct adding *adding, const struct hg_ev_page *part,
		      const uint64_t *words, uint32_t count, uint64_t begin)
{
	struct order_batch batch = { .number = part->number, .tid = part->thread, .words = count };

	if (!count)
		return;
	batch.records = g_memdup2(words, count * sizeof(*words));
	adding->add(part->pid, &batch, begin, adding->data);
}

/* Adds what is new in the page. */
static void add_new(const struct adding *adding, const struct hg_ev_page *part, struct page *page)
{
	uint32_t words = page->words->len, from = page->taken;
	bool damaged = false; /* what is missing is counted */
	uint64_t *records = whole_records((uint64_t *)(void *)page->words->data, &words, &damaged);
	uint64_t begin = part->begin;

	for (uint32_t at = 0; at < words; at += hg_record_words(records[at])) {
		if (records[at] >> 56 != HG_RECORD_BEGIN)
			continue;
		if (at > from)
			add_words(adding, part, &records[from], at - from, begin);
		begin = records[at + 2];
		from = MAX(from, at + HG_RECORD_BEGIN_WORDS);
	}
	if (words > from)
		add_words(adding, part, &records[from], words - from, begin);
	page->taken = MAX(page->taken, words);
	g_free(records);
}

bool page_parts_take(struct page_parts *parts, const struct hg_ev_page *part,
		     void (*add)(int32_t pid, const struct order_batch *batch, uint64_t begin,
				 void *data),
		     void *data)
{
	const struct key key = { part->file, part->pid, part->number };
	const struct adding adding = { add, data };
	struct page *page = find_or_make(parts, &key);
	bool whole = page->broken || part->part == page->parts + 1;

	parts->page = page;
	parts->is_full = part->last == HG_PAGE_FULL;
	page->broken |= part->part != ++page->parts;
	page->parts = part->part;
	if (!page->broken &&
	    page->words->len + part->words <= HG_RING_PAGE / sizeof(uint64_t) * 2) {
		g_array_append_vals(page->words, part->records, part->words);
		add_new(&adding, part, page);
	}
	if (part->last) {
		memcpy(parts->full, page->tally, sizeof(parts->full));
		parts->last = key;
		if (!parts->is_full)
			g_hash_table_add(parts->open, g_memdup2(&key, sizeof(key)));
		g_hash_table_remove(parts->pages, &key);
	}
	return whole;
}

uint64_t *page_parts_tally(struct page_parts *parts)
{
	return parts->page->tally;
}

const uint64_t *page_parts_full(const struct page_parts *parts)
{
	return parts->is_full ? parts->full : NULL;
}

void page_parts_in_file(struct page_parts *parts, int32_t pid, uint64_t file, uint32_t number)
{
	const struct key key = { file, pid, number };
	struct page *page = g_hash_table_lookup(parts->pages, &key);

	if (page)
		page->in_file = true;
}

void page_parts_left(struct page_parts *parts,
		     void (*left)(int32_t pid, const uint64_t tally[HG_GROUPS], void *data),
		     void *data)
{
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, parts->pages);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct page *page = value;

		if (!page->in_file)
			left(page->key.pid, page->tally, data);
	}
	g_hash_table_remove_all(parts->pages);
}

uint32_t page_parts_taken(const struct page_parts *parts, int32_t pid, uint64_t file,
			  uint32_t number)
{
	const struct key key = { file, pid, number };
	const struct page *page = g_hash_table_lookup(parts->pages, &key);

	if (page)
		return page->taken;
	return is_same(&key, &parts->last) || g_hash_table_contains(parts->open, &key) ? UINT32_MAX
										       : 0;
}
