/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a record may depend on those before it in its page: the page is one run (runs.h).
 */
#include "page_parts.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "tracer/events/ev_page.h"
#include "tracer/ring.h"

struct key {
	uint64_t file;
	int32_t pid;
	uint32_t number;
};

struct page {
	struct key key;
	struct record_run *run;
	struct hg_record_before before; /* behind what was taken */
	uint32_t parts, taken;          /* bytes */
	bool broken;                    /* a part is missing, or damaged */
	bool in_file;                   /* the process's file still has it */
	uint64_t tally[HG_GROUPS];
};

struct page_parts {
	GHashTable *pages; /* struct page, by their keys */
	GHashTable *open;  /* struct key, a set: pages that have ended, but were not full */
	struct key last;   /* the page that ended last, all of which was taken */
	struct event_order *order;
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

	run_close(page->run);
	g_free(page);
}

struct page_parts *page_parts_new(struct event_order *order)
{
	struct page_parts *parts = g_new0(struct page_parts, 1);

	parts->order = order;
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

static struct page *find_or_make(struct page_parts *parts, const struct hg_ev_page *part,
				 int64_t offset)
{
	const struct key key = { part->file, part->pid, part->number };
	struct page *page = g_hash_table_lookup(parts->pages, &key);

	if (!page) {
		page = g_new0(struct page, 1);
		page->key = key;
		page->run = run_new(part->pid, part->thread, part->begin, offset, HG_RING_RECORDS);
		g_hash_table_insert(parts->pages, &page->key, page);
	}
	return page;
}

/* Adds the part's records to the page. What is damaged of it is counted as missing. */
static void add_records(struct page *page, const struct hg_ev_page *part, group_of_type *group,
			void *data, struct page_taken *taken)
{
	const unsigned char *begin = (const unsigned char *)part->records;
	size_t size = MIN(part->words * sizeof(*part->records), HG_RING_RECORDS - page->taken);
	struct hg_records records = { .at = begin, .end = begin + size, .before = page->before };
	struct hg_record record;

	while (hg_record_next(&records, &record))
		if (record.kind != HG_KIND_BEGIN)
			taken->records[hg_record_group(&record, group, data)]++;
	size = (size_t)(records.at - begin);
	page->broken |= records.damaged;
	page->before = records.before;
	page->taken += (uint32_t)size;
	for (unsigned i = 0; i < HG_GROUPS; i++)
		page->tally[i] += taken->records[i];
	run_extend(page->run, begin, size);
}

void page_parts_take(struct page_parts *parts, const struct hg_ev_page *part, int64_t offset,
		     group_of_type *group, void *data, struct page_taken *taken)
{
	struct page *page = find_or_make(parts, part, offset);

	memset(taken, 0, sizeof(*taken));
	order_expect(parts->order, part->pid);
	if (!page->broken && part->part != page->parts + 1)
		taken->part_is_missing = page->broken = true;
	page->parts = part->part;
	if (!page->broken) {
		add_records(page, part, group, data, taken);
		order_run(parts->order, part->pid, page->run);
	}
	taken->full = part->last == HG_PAGE_FULL;
	taken->open = part->last == HG_PAGE_OPEN;
	memcpy(taken->all, page->tally, sizeof(taken->all));
	if (part->last) {
		parts->last = page->key;
		if (!taken->full)
			g_hash_table_add(parts->open, g_memdup2(&page->key, sizeof(page->key)));
		g_hash_table_remove(parts->pages, &page->key);
	}
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
