/* SPDX-License-Identifier: Apache-2.0 */
/* How many events each process made, from the files that it left. */
#include "counts.h"

#include <stdio.h>
#include <string.h>

#include "open_batches.h"
#include "sorted_files.h"
#include "whole_records.h"

/* Of a batch that was open: not in the trace, as far as is known. */
struct page {
	int32_t pid;
	uint32_t number;
	uint64_t begin;
	uint64_t records[COUNTS_KINDS];
	bool seen; /* in the trace, or taken from the file */
};

struct counts {
	GHashTable *processes; /* by pid */
	struct counts_process *last;
	GArray *pages; /* struct page */
	GPtrArray *sorted;
};

static const char *const names[HG_COUNTS_USED] = {
#define HG_EVENT(name, ...) [HG_COUNT_##name] = #name,
#include "tracer/events.def"
#define NAME(name) [HG_COUNT_##name] = #name,
	HG_COUNTED_RECORDS(NAME)
#undef NAME
};

/* ---- processes ---- */

struct counts *counts_new(void)
{
	struct counts *counts = g_new0(struct counts, 1);

	counts->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	counts->pages = g_array_new(FALSE, FALSE, sizeof(struct page));
	counts->sorted = g_ptr_array_new();
	return counts;
}

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	g_hash_table_destroy(counts->processes);
	g_array_free(counts->pages, TRUE);
	g_ptr_array_free(counts->sorted, TRUE);
	g_free(counts);
}

static struct counts_process *find(struct counts *counts, int32_t pid)
{
	struct counts_process *process = counts->last;

	if (process && process->pid == pid)
		return process;
	process = g_hash_table_lookup(counts->processes, GINT_TO_POINTER(pid));
	if (!process) {
		process = g_new0(struct counts_process, 1);
		process->pid = pid;
		g_hash_table_insert(counts->processes, GINT_TO_POINTER(pid), process);
	}
	counts->last = process;
	return process;
}

unsigned counts_kind(const char *name)
{
	for (unsigned kind = 0; kind < HG_COUNTS_USED; kind++)
		if (strcmp(names[kind], name) == 0)
			return kind;
	return COUNTS_OTHER;
}

/* ---- records ---- */

/* Whole ones. */
static void add_records(uint64_t *sums, const uint64_t *records, uint32_t words)
{
	for (uint32_t at = 0; at < words; at += hg_record_words(records[at]))
		/* An event is counted as such. */
		if (records[at] >> 56 != HG_RECORD_EVENT && records[at] >> 56 != HG_RECORD_BEGIN)
			sums[hg_count_of_record(records[at])]++;
}

static struct page *find_page(struct counts *counts, int32_t pid, uint32_t number, uint64_t begin)
{
	for (guint i = 0; i < counts->pages->len; i++) {
		struct page *page = &g_array_index(counts->pages, struct page, i);

		if (page->pid == pid && page->number == number && page->begin == begin)
			return page;
	}
	return NULL;
}

static void add_page(const struct hg_open_batch *source, void *data)
{
	struct counts *counts = data;
	struct page page = { .pid = source->pid, .number = source->number, .begin = source->begin };

	/* What the recorder kept of a process that went on may be there twice. */
	if (!find_page(counts, page.pid, page.number, page.begin)) {
		uint32_t words = source->words;
		uint64_t *records = whole_records(source->records, &words);

		add_records(page.records, records, words);
		g_free(records);
		g_array_append_val(counts->pages, page);
		find(counts, page.pid)->pages++;
	}
}

/* ---- files ---- */

static void add_file(struct counts *counts, const struct hg_counts *file)
{
	struct counts_process *process = find(counts, file->pid);
	unsigned kinds[HG_COUNTS_KINDS];

	for (unsigned kind = 0; kind < HG_COUNTS_KINDS; kind++) {
		char name[HG_COUNTS_NAME];

		g_strlcpy(name, file->names[kind], sizeof(name));
		kinds[kind] = counts_kind(name);
	}
	for (unsigned row = 0; row < HG_COUNTS_ROWS; row++)
		for (unsigned kind = 0; kind < HG_COUNTS_KINDS; kind++)
			process->counted[kinds[kind]] += file->counts[row][kind];
	for (unsigned what = 0; what < HG_UNRECORDED_KINDS; what++)
		process->unrecorded[what] += file->unrecorded[what];
	process->files++;
	process->recorded += file->begun != 0;
	process->expected |= file->expected != 0;
	if (file->confined < HG_CONFINED_KINDS)
		process->confined |= 1u << file->confined;
	process->ended = (enum hg_ended)file->ended;
	g_strlcpy(process->program, file->program, sizeof(process->program));
	for (char *at = process->program; *at; at++)
		*at = g_ascii_isprint(*at) ? *at : '?';
}

static void read_file(struct counts *counts, const char *path)
{
	struct hg_counts *content = g_new(struct hg_counts, 1);
	FILE *file = fopen(path, "rbe");

	if (file && fread(content, sizeof(*content), 1, file) == 1 &&
	    content->magic == HG_COUNTS_MAGIC && content->kinds == HG_COUNTS_KINDS &&
	    content->rows == HG_COUNTS_ROWS) {
		content->program[HG_COUNTS_PROGRAM - 1] = 0;
		for (unsigned kind = 0; kind < HG_COUNTS_KINDS; kind++)
			content->names[kind][HG_COUNTS_NAME - 1] = 0;
		add_file(counts, content);
	}
	if (file)
		fclose(file);
	g_free(content);
}

void counts_load(struct counts *counts, const char *bundle)
{
	char *folder = g_build_filename(bundle, HG_COUNTS, NULL);
	GPtrArray *paths = sorted_files(folder);

	for (guint i = 0; i < paths->len; i++)
		read_file(counts, paths->pdata[i]);
	g_ptr_array_free(paths, TRUE);
	g_free(folder);
	folder = g_build_filename(bundle, HG_OPEN_BATCHES, NULL);
	open_batches_each(folder, add_page, counts);
	g_free(folder);
}

/* Returns the kind under which the report counts it; a batch is no more than its records. */
static enum counts_group group_of(unsigned kind)
{
	switch (kind) {
	case HG_COUNT_alloc:
	case HG_COUNT_host_alloc:
	case HG_COUNT_batched_alloc:
		return COUNTS_ALLOCATIONS;
	case HG_COUNT_free:
	case HG_COUNT_host_free:
	case HG_COUNT_batched_free:
		return COUNTS_FREES;
	case HG_COUNT_launch:
	case HG_COUNT_relaunch:
	case HG_COUNT_batched_relaunch:
	case HG_COUNT_batched_launch:
		return COUNTS_LAUNCHES;
	case HG_COUNT_copy:
	case HG_COUNT_batched_copy:
		return COUNTS_COPIES;
	case HG_COUNT_batch:
	case HG_COUNT_batch_open:
		return COUNTS_GROUPS;
	default:
		return COUNTS_OTHERS;
	}
}

static uint64_t launches_among(const uint64_t *kinds, const uint64_t *others)
{
	uint64_t launches = 0;

	for (unsigned kind = 0; kind < COUNTS_KINDS; kind++)
		if (group_of(kind) == COUNTS_LAUNCHES)
			launches += MAX(kinds[kind], others[kind]);
	return launches;
}

/* ---- the trace ---- */

void counts_event(struct counts *counts, int32_t pid, unsigned kind)
{
	find(counts, pid)->read[kind]++;
}

void counts_batch(struct counts *counts, int32_t pid, const struct order_batch *batch,
		  uint64_t begin)
{
	struct page *page =
	    counts->pages->len ? find_page(counts, pid, batch->number, begin) : NULL;

	if (page)
		page->seen = true;
	add_records(find(counts, pid)->read, batch->records, batch->words);
}

void counts_found(struct counts *counts, const struct hg_open_batch *source)
{
	struct page *page = find_page(counts, source->pid, source->number, source->begin);

	if (page && !page->seen) {
		page->seen = true;
		find(counts, source->pid)->found_launches +=
		    launches_among(page->records, page->records);
	}
}

void counts_end(struct counts *counts)
{
	for (guint i = 0; i < counts->pages->len; i++) {
		const struct page *page = &g_array_index(counts->pages, struct page, i);
		struct counts_process *process =
		    g_hash_table_lookup(counts->processes, GINT_TO_POINTER(page->pid));

		for (unsigned kind = 0;
		     kind < COUNTS_KINDS && process && process->files && !page->seen; kind++)
			process->counted[kind] += page->records[kind];
	}
	g_array_set_size(counts->pages, 0);
}

static gint compare_pids(gconstpointer a, gconstpointer b)
{
	int32_t left = (*(const struct counts_process *const *)a)->pid;
	int32_t right = (*(const struct counts_process *const *)b)->pid;

	return left < right ? -1 : left > right;
}

const GPtrArray *counts_processes(struct counts *counts)
{
	GHashTableIter iterator;
	gpointer value;

	g_ptr_array_set_size(counts->sorted, 0);
	g_hash_table_iter_init(&iterator, counts->processes);
	while (g_hash_table_iter_next(&iterator, NULL, &value))
		g_ptr_array_add(counts->sorted, value);
	g_ptr_array_sort(counts->sorted, compare_pids);
	return counts->sorted;
}

/* ---- comparing ---- */

struct counts_gap counts_compare(const struct counts_process *process)
{
	/* One that was recorded as the recording ended may not be counted. */
	uint64_t written =
	    MAX(process->counted[HG_COUNT_batch], process->read[HG_COUNT_batch]) + process->pages;
	uint64_t opened = process->counted[HG_COUNT_batch_open];
	struct counts_gap gap = { .batches = opened > written ? opened - written : 0 };
	uint64_t batches = 0;

	for (unsigned kind = 0; kind < COUNTS_KINDS; kind++) {
		enum counts_group group = group_of(kind);
		uint64_t missing = process->counted[kind] > process->read[kind]
				       ? process->counted[kind] - process->read[kind]
				       : 0;

		if (group == COUNTS_GROUPS) {
			batches += missing;
			continue;
		}
		gap.missing[group] += missing;
		gap.counted[group] += process->counted[kind];
		gap.total += missing;
	}
	/* Their records may have been found elsewhere; that events are missing is still so. */
	if (!gap.total && batches) {
		gap.total = gap.missing[COUNTS_OTHERS] = batches;
		gap.counted[COUNTS_OTHERS] += batches;
	}
	return gap;
}

uint64_t counts_launches(const struct counts_process *process)
{
	return launches_among(process->counted, process->read) + process->found_launches;
}

bool counts_has_devices(const struct counts_process *process)
{
	return MAX(process->counted[HG_COUNT_device], process->read[HG_COUNT_device]) > 0;
}

enum hg_ended counts_ended(struct counts *counts, int32_t pid)
{
	const struct counts_process *process =
	    g_hash_table_lookup(counts->processes, GINT_TO_POINTER(pid));

	return process && process->recorded ? process->ended : HG_ENDED_UNKNOWN;
}

const char *counts_group_name(enum counts_group group)
{
	static const char *const group_names[COUNTS_GROUPS] = {
		[COUNTS_ALLOCATIONS] = "allocations", [COUNTS_FREES] = "frees",
		[COUNTS_LAUNCHES] = "launches",       [COUNTS_COPIES] = "copies",
		[COUNTS_OTHERS] = "other events",
	};

	return group_names[group];
}
