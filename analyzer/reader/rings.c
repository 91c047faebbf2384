/* SPDX-License-Identifier: Apache-2.0 */
/* The files are other users': whatever they have is checked. */
#include "rings.h"

#include <glib.h>
#include <string.h>

#include "sorted_files.h"
#include "tracer/batch_events.h"
#include "tracer/ring.h"
#include "whole_records.h"

struct rings {
	GArray *steps; /* struct ring_step, by time */
	GPtrArray *records;
	guint at;
};

static void note_damage(char **damage, const char *path, const char *what)
{
	if (!*damage)
		*damage = g_strdup_printf("'%s' is damaged: %s", path, what);
}

/* Returns the time of the last record of a page, or its begin. */
static uint64_t last_time(uint64_t begin, const uint64_t *records, uint32_t words)
{
	uint64_t last = 0;

	for (uint32_t at = 0; at < words; at += hg_record_words(records[at]))
		last = MAX(last, records[at + 1] & UINT32_MAX);
	return begin + last;
}

static void add_page(struct rings *rings, const struct hg_ring *ring,
		     const struct hg_ring_page *page, const char *path, char **damage)
{
	struct ring_step step = { .pid = ring->pid,
				  .tid = page->thread,
				  .number = page->number,
				  .ns = page->begin,
				  .origin = ring->origin,
				  .begin = page->begin };
	uint64_t *records;

	if (page->state == HG_RING_FREE || !page->number)
		return;
	if (page->words > G_N_ELEMENTS(page->records)) {
		note_damage(damage, path, "a page has more records than room");
		return;
	}
	step.words = page->words;
	records = whole_records(page->records, &step.words);
	g_ptr_array_add(rings->records, records);
	step.records = records;
	g_array_append_val(rings->steps, step);
	step.ends = true;
	step.ns = last_time(page->begin, records, step.words);
	g_array_append_val(rings->steps, step);
}

static gint by_time(gconstpointer one, gconstpointer other)
{
	const struct ring_step *a = one, *b = other;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	/* A page that begins when another one ends may have the record that comes first. */
	return (int)a->ends - (int)b->ends;
}

/* Marks the earliest page of the file, whose steps begin at `from`. */
static void mark_first(struct rings *rings, guint from)
{
	struct ring_step *first = NULL;

	for (guint i = from; i < rings->steps->len; i++) {
		struct ring_step *step = &g_array_index(rings->steps, struct ring_step, i);

		if (!step->ends && (!first || by_time(step, first) < 0))
			first = step;
	}
	if (first)
		first->first = true;
}

static void add_file(struct rings *rings, const char *path, char **damage)
{
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	const struct hg_ring *ring = file ? (void *)g_mapped_file_get_contents(file) : NULL;
	size_t size = file ? g_mapped_file_get_length(file) : 0;
	guint from = rings->steps->len;

	if (size < sizeof(*ring) || ring->magic != HG_RING_MAGIC ||
	    ring->page_bytes != HG_RING_PAGE ||
	    ring->pages > (size - sizeof(*ring)) / HG_RING_PAGE) {
		if (size)
			note_damage(damage, path, "it is no file of records of this version");
	} else {
		for (uint32_t i = 0; i < ring->pages; i++)
			add_page(rings, ring,
				 (const struct hg_ring_page *)(const void *)(ring + 1) + i, path,
				 damage);
		mark_first(rings, from);
	}
	if (file)
		g_mapped_file_unref(file);
}

struct rings *rings_open(const char *folder, char **damage)
{
	GPtrArray *paths;
	struct rings *rings;

	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		return NULL;
	rings = g_new0(struct rings, 1);
	rings->steps = g_array_new(FALSE, FALSE, sizeof(struct ring_step));
	rings->records = g_ptr_array_new_with_free_func(g_free);
	paths = sorted_files(folder);
	for (guint i = 0; i < paths->len; i++)
		add_file(rings, paths->pdata[i], damage);
	g_ptr_array_free(paths, TRUE);
	g_array_sort(rings->steps, by_time);
	return rings;
}

void rings_close(struct rings *rings)
{
	if (!rings)
		return;
	g_array_free(rings->steps, TRUE);
	g_ptr_array_free(rings->records, TRUE);
	g_free(rings);
}

const struct ring_step *rings_next(struct rings *rings)
{
	return rings->at < rings->steps->len
		   ? &g_array_index(rings->steps, struct ring_step, rings->at)
		   : NULL;
}

void rings_take(struct rings *rings)
{
	rings->at++;
}
