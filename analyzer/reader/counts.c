/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what each process recorded, by the files that it left, with what was read. */
#include "counts.h"

#include <string.h>

#include "tracer/events/ev_process.h"

/* Holds what the recorder reported of one file. */
struct file {
	int32_t pid;
	uint64_t id, records, lost;
	uint64_t open[HG_GROUPS]; /* were read, of pages that were open at the end */
	bool settled;             /* its head counts these, too */
};

struct counts {
	GHashTable *processes; /* by pid */
	GHashTable *files;     /* struct file, a set by pid and id */
	struct counts_process *last;
	GPtrArray *sorted;
};

/* ---- processes ---- */

static guint hash_file(gconstpointer data)
{
	const struct file *file = data;

	return (guint)(file->id ^ file->id >> 32) ^ (guint)file->pid;
}

static gboolean is_same_file(gconstpointer one, gconstpointer other)
{
	const struct file *a = one, *b = other;

	return a->pid == b->pid && a->id == b->id;
}

struct counts *counts_new(void)
{
	struct counts *counts = g_new0(struct counts, 1);

	counts->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	counts->files = g_hash_table_new_full(hash_file, is_same_file, g_free, NULL);
	counts->sorted = g_ptr_array_new();
	return counts;
}

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	g_hash_table_destroy(counts->processes);
	g_hash_table_destroy(counts->files);
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

const struct counts_process *counts_find(const struct counts *counts, int32_t pid)
{
	return g_hash_table_lookup(counts->processes, GINT_TO_POINTER(pid));
}

static struct file *find_file(struct counts *counts, int32_t pid, uint64_t id)
{
	struct file key = { .pid = pid, .id = id },
		    *file = g_hash_table_lookup(counts->files, &key);

	if (!file) {
		file = g_memdup2(&key, sizeof(key));
		g_hash_table_add(counts->files, file);
	}
	return file;
}

/* ---- what was counted ---- */

static enum hg_ended ended_of(const struct hg_ring *head)
{
	static const enum hg_ended ends[] = {
		[HG_RING_RUNS] = HG_ENDED_NOT,
		[HG_RING_EXITED] = HG_ENDED_ITSELF,
		[HG_RING_LATER] = HG_ENDED_LATER,
		[HG_RING_UNKNOWN] = HG_ENDED_UNKNOWN,
	};

	/* Its end is not written either. */
	return head->confined || head->end >= G_N_ELEMENTS(ends) ? HG_ENDED_UNKNOWN
								 : ends[head->end];
}

void counts_head(struct counts *counts, const struct hg_ring *head, uint64_t id)
{
	struct counts_process *process = find(counts, head->pid);

	process->files++;
	process->expected |= head->expected != 0;
	process->confined |= head->confined != 0;
	if (head->confined)
		process->confined_after = head->confined_after;
	process->ended = ended_of(head);
	for (unsigned what = 0; what < HG_UNRECORDED_KINDS; what++)
		process->unrecorded[what] += head->unrecorded[what];
	for (unsigned group = 0; group < HG_GROUPS; group++) {
		process->counted[group] += head->records[group];
		process->lost[group] += head->lost[group];
	}
	if (head->settled) {
		struct file *file = find_file(counts, head->pid, id);

		counts_full(counts, head->pid, file->open);
		file->settled = true;
	}
	memcpy(process->program, head->program, HG_RING_PROGRAM);
	process->program[HG_RING_PROGRAM - 1] = 0;
	for (char *at = process->program; *at; at++)
		*at = g_ascii_isprint(*at) ? *at : '?';
}

void counts_told(struct counts *counts, int32_t pid, uint64_t id, uint64_t records, uint64_t lost)
{
	struct counts_process *process = find(counts, pid);
	struct file *file = find_file(counts, pid, id);

	if (records > file->records) {
		process->told += records - file->records;
		file->records = records;
	}
	if (lost > file->lost) {
		process->told_lost += lost - file->lost;
		file->lost = lost;
	}
}

/* ---- what was read ---- */

void counts_read(struct counts *counts, int32_t pid, const uint64_t records[HG_GROUPS])
{
	struct counts_process *process = find(counts, pid);

	for (unsigned group = 0; group < HG_GROUPS; group++)
		process->read[group] += records[group];
}

void counts_full(struct counts *counts, int32_t pid, const uint64_t records[HG_GROUPS])
{
	struct counts_process *process = find(counts, pid);

	for (unsigned group = 0; group < HG_GROUPS; group++)
		process->full[group] += records[group];
}

void counts_open(struct counts *counts, int32_t pid, uint64_t id, const uint64_t records[HG_GROUPS])
{
	struct file *file = find_file(counts, pid, id);

	if (file->settled)
		counts_full(counts, pid, records);
	for (unsigned group = 0; group < HG_GROUPS; group++)
		file->open[group] += records[group];
}

void counts_event(struct counts *counts, const struct hg_event *event)
{
	struct counts_process *process = find(counts, event->pid);

	process->images += event->type == HG_EVENT_process && !event->process->late;
	process->launches += event->type == HG_EVENT_launch;
	process->devices |= event->type == HG_EVENT_device;
}

/* ---- comparing ---- */

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

static uint64_t excess(uint64_t one, uint64_t other)
{
	return one > other ? one - other : 0;
}

struct counts_gap counts_compare(const struct counts_process *process, bool whole)
{
	struct counts_gap gap = { 0 };

	for (unsigned group = 0; group < HG_GROUPS; group++) {
		gap.missing[group] = process->lost[group];
		if (whole)
			gap.missing[group] += excess(process->counted[group], process->full[group]);
	}
	/* Nothing else is known of a process whose file is not there. */
	if (!process->files) {
		gap.missing[HG_GROUP_OTHER] += process->told_lost;
		if (whole)
			gap.missing[HG_GROUP_OTHER] +=
			    excess(process->told, hg_ring_sum(process->full));
	}
	for (unsigned group = 0; group < HG_GROUPS; group++)
		gap.counted[group] = process->read[group] + gap.missing[group];
	gap.total = hg_ring_sum(gap.missing);
	return gap;
}

const char *counts_group_name(enum hg_group group)
{
	static const char *const names[HG_GROUPS] = {
		[HG_GROUP_ALLOC] = "allocations",  [HG_GROUP_FREE] = "frees",
		[HG_GROUP_LAUNCH] = "launches",    [HG_GROUP_COPY] = "copies",
		[HG_GROUP_OTHER] = "other events",
	};

	return names[group];
}

enum hg_ended counts_ended(const struct counts *counts, int32_t pid)
{
	const struct counts_process *process = counts_find(counts, pid);

	return process ? process->ended : HG_ENDED_UNKNOWN;
}
