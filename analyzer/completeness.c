/* SPDX-License-Identifier: Apache-2.0 */
/* Judges if a recording is complete, by what processes counted against what was read. */
#include "completeness.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/rules/engine/words.h"
#include "tracer/missed.h"
#include "tracer/process_messages.h"

static const char *const status_names[] = {
	[RECORDING_COMPLETE] = "complete",
	[RECORDING_PARTIAL] = "partial",
	[RECORDING_UNKNOWN] = "unknown",
	[RECORDING_INCOMPLETE] = "incomplete",
};

const char *recording_status_name(enum recording_status status)
{
	return status_names[status];
}

int recording_status_by_name(const char *name)
{
	for (int i = 0; name && i < (int)G_N_ELEMENTS(status_names); i++)
		if (strcmp(status_names[i], name) == 0)
			return i;
	return -1;
}

static __attribute__((format(printf, 3, 4))) void
add_reason(struct completeness *completeness, enum recording_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(completeness->reasons, g_strdup_vprintf(format, args));
	va_end(args);
	completeness->status = MAX(completeness->status, status);
}

static uint64_t sum(const uint64_t *counts, unsigned length)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < length; i++)
		total += counts[i];
	return total;
}

static char *missing_text(const struct counts_gap *gap)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
	char *text;

	for (unsigned group = 0; group < HG_GROUPS; group++) {
		if (gap->missing[group]) {
			g_ptr_array_add(parts,
					g_strdup_printf("%" PRIu64 " of %" PRIu64 " %s",
							gap->missing[group], gap->counted[group],
							counts_group_name(group)));
		}
	}
	text = words_list(parts);
	g_ptr_array_free(parts, TRUE);
	return text;
}

static char *unrecorded_text(const struct counts_process *process)
{
	static const char *const names[HG_UNRECORDED_KINDS] = {
		[HG_UNRECORDED_CALL] = "other calls",
		[HG_UNRECORDED_ALLOC] = "allocations",
		[HG_UNRECORDED_FREE] = "frees",
	};
	static const unsigned order[] = { HG_UNRECORDED_ALLOC, HG_UNRECORDED_FREE,
					  HG_UNRECORDED_CALL };
	GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
	char *text;

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
		if (process->unrecorded[order[i]]) {
			g_ptr_array_add(parts, g_strdup_printf("%" PRIu64 " %s",
							       process->unrecorded[order[i]],
							       names[order[i]]));
		}
	}
	text = words_list(parts);
	g_ptr_array_free(parts, TRUE);
	return text;
}

static void judge_process(struct completeness *completeness, const struct counts_process *process,
			  bool compared)
{
	struct completeness_gap row = { process, counts_compare(process, compared) };
	uint64_t unrecorded = sum(process->unrecorded, HG_UNRECORDED_KINDS);
	char *name = process->program[0]
			 ? g_strdup_printf("process %d (%s)", process->pid, process->program)
			 : g_strdup_printf("process %d", process->pid);
	char *text;

	if (row.gap.total) {
		text = missing_text(&row.gap);
		add_reason(completeness, RECORDING_INCOMPLETE, "%s: %s are missing", name, text);
		g_free(text);
	}
	text = unrecorded_text(process);
	if (process->confined) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "%s: it restricted its system calls (seccomp) %.3f s after its first "
			   "record and was not recorded from then on%s%s",
			   name, (double)process->confined_after / 1e9, unrecorded ? ": " : "",
			   text);
	} else if (unrecorded) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "%s: its recording ended before the process: %s were not recorded", name,
			   text);
	}
	g_free(text);
	g_free(name);
	completeness->missing += row.gap.total + unrecorded;
	if (row.gap.total || unrecorded)
		g_array_append_val(completeness->gaps, row);
}

/*
 * A process of the trace that left no file, or one of the programs that it ran did not: each says
 * at first what it is.
 */
static bool is_uncounted(const struct counts_process *process)
{
	return process->files ? process->images > process->files
			      : process->images || hg_ring_sum(process->read);
}

/* Returns true if the process is of another recording: of its own it has a file. */
static bool is_other(const struct counts_process *process, const struct recording_facts *facts)
{
	return !process->files && facts->is_foreign && facts->is_foreign(process->pid, facts->data);
}

static void judge_processes(struct completeness *completeness, const struct reader_stats *stats,
			    const struct recording_facts *facts)
{
	const GPtrArray *processes = counts_processes(stats->counts);
	unsigned counted = 0, uncounted = 0;
	int64_t files = 0, expected;
	int32_t first = 0;

	for (guint i = 0; i < processes->len; i++) {
		const struct counts_process *process = processes->pdata[i];

		if (is_other(process, facts))
			continue;
		if (is_uncounted(process))
			first = uncounted++ ? first : process->pid;
		else
			counted += process->files > 0;
		files += process->files;
		judge_process(completeness, process, facts->compared);
	}
	/* A file may be made while a recording that goes on is read. */
	expected = facts->ended ? MAX(facts->files, facts->made) : facts->files;
	/* More of them are no loss: a process may have been about to make one. */
	if (facts->compared && files < expected)
		add_reason(
		    completeness, RECORDING_INCOMPLETE,
		    "%" PRId64 " of %" PRId64
		    " files of processes are missing, or cannot be read: unknown what was in them",
		    expected - files, expected);
	completeness->counted = counted && !uncounted && facts->compared;
	if (!facts->compared)
		return;
	if (!files) {
		add_reason(
		    completeness, RECORDING_UNKNOWN,
		    "no process left a count of its events: unknown whether events are missing");
	} else if (uncounted) {
		add_reason(completeness, RECORDING_UNKNOWN,
			   "%u of %u processes left no count of all their events (process %d): "
			   "unknown whether some are missing",
			   uncounted, counted + uncounted, first);
	}
}

/* Judges by what is known without the processes' counts: less than what is missing, or a bound. */
static void judge_losses(struct completeness *completeness, const struct reader_stats *stats,
			 const struct recording_facts *facts)
{
	uint64_t discarded = stats->lost + stats->lost_packets;

	if (completeness->counted) {
		if (discarded) {
			add_reason(completeness, RECORDING_INCOMPLETE,
				   "LTTng discarded %" PRIu64
				   " events or packets: its buffers were full for too long",
				   discarded);
			completeness->missing = MAX(completeness->missing, discarded);
		}
		return;
	}
	if (facts->silent) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "LTTng's daemons ended early or did not answer: the number of events "
			   "that they did not write is unknown");
	}
	discarded += stats->orphans;
	completeness->missing = MAX(completeness->missing, discarded);
	if (discarded)
		completeness->status = RECORDING_INCOMPLETE;
}

/* Adds reasons for processes that are not in the trace at all. */
static void judge_missed(struct completeness *completeness, const struct recording_facts *facts)
{
	for (guint i = 0; facts->missed && i < facts->missed->len; i++) {
		const struct recording_missed *row =
		    &g_array_index(facts->missed, struct recording_missed, i);

		if (row->count > 1) {
			add_reason(completeness, RECORDING_INCOMPLETE,
				   "%" PRIu64 " processes were not recorded%s (process %d first): "
				   "%s%s%s",
				   row->count, row->partly ? " as a whole" : "", row->pid,
				   row->program, *row->program ? " " : "", row->why);
		} else {
			add_reason(completeness, RECORDING_INCOMPLETE,
				   "process %d was not recorded%s: %s%s%s", row->pid,
				   row->partly ? " as a whole" : "", row->program,
				   *row->program ? " " : "", row->why);
		}
	}
	/* Nobody makes one for what is attached to or imported. */
	if (facts->missed_unread && facts->manifest && !facts->attached && !facts->imported) {
		add_reason(completeness, RECORDING_UNKNOWN,
			   "the bundle's file '" HG_MISSED
			   "' is missing or damaged: unknown whether "
			   "processes were not recorded");
	}
	if (facts->missed_others) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "%" PRIu64 " more processes were not recorded", facts->missed_others);
	}
}

static bool is_interrupted(const struct recording_facts *facts)
{
	return facts->bundle && !(facts->manifest && facts->ended) && !facts->imported;
}

/*
 * The recorder did not come to its end, as in a job that its time limit killed, and nothing shows
 * that events are missing before that.
 */
static bool is_cut_short(const struct reader_stats *stats, const struct recording_facts *facts)
{
	return is_interrupted(facts) && !stats->lost && !stats->lost_packets && !stats->orphans;
}

/*
 * Returns true if launches passed the recorder. Those of a process that is recorded may have come
 * after an interrupted recording's end.
 */
static bool judge_witnessed(struct completeness *completeness, const struct reader_stats *stats,
			    const struct recording_facts *facts)
{
	bool interrupted = is_interrupted(facts), passed = false;

	/* The kernels that a part of a trace should have are unknown. */
	for (guint i = 0; facts->compared && facts->witnessed && i < facts->witnessed->len; i++) {
		const struct recording_witnessed *row =
		    &g_array_index(facts->witnessed, struct recording_witnessed, i);
		const struct counts_process *process =
		    stats->counts ? counts_find(stats->counts, row->pid) : NULL;
		uint64_t recorded = process ? process->launches : 0;
		char *name = *row->program
				 ? g_strdup_printf("process %d (%s)", row->pid, row->program)
				 : g_strdup_printf("process %d", row->pid);

		if (row->kernels > recorded) {
			add_reason(completeness, RECORDING_INCOMPLETE,
				   "%s: the GPU began %" PRIu64 " kernel%s, of which %" PRIu64
				   " %s in the recording: the other%s launched %sin a way that is "
				   "not recorded",
				   name, row->kernels, row->kernels == 1 ? "" : "s", recorded,
				   recorded == 1 ? "is" : "are",
				   row->kernels - recorded == 1 ? " was" : "s were",
				   interrupted && recorded ? "after its end, or " : "");
			passed |= !interrupted || !recorded;
		} else if (row->queues && !(process && process->devices)) {
			add_reason(completeness, RECORDING_INCOMPLETE,
				   "%s: the driver had %" PRIu32
				   " queue%s of it, and no call of HIP or HSA is in the recording",
				   name, row->queues, row->queues == 1 ? "" : "s");
			passed = true;
		}
		g_free(name);
	}
	return passed;
}

/* Adds what processes say themselves that they do not record; other messages are no gap. */
static void judge_messages(struct completeness *completeness, const struct recording_facts *facts)
{
	for (guint i = 0; facts->messages && i < facts->messages->len; i++)
		if (strstr(facts->messages->pdata[i], HG_MESSAGE_UNRECORDED))
			add_reason(completeness, RECORDING_INCOMPLETE, "%s",
				   (const char *)facts->messages->pdata[i]);
}

/* Returns true if there are reasons, and all are allocators ahead of the preload library. */
static bool is_only_host(const struct completeness *completeness)
{
	for (guint i = 0; i < completeness->reasons->len; i++)
		if (!strstr(completeness->reasons->pdata[i], HG_MESSAGE_HOST_MEMORY))
			return false;
	return completeness->reasons->len > 0;
}

static void judge_unseen(struct completeness *completeness, const struct recording_facts *facts)
{
	for (guint i = 0; facts->unseen && i < facts->unseen->len; i++)
		add_reason(completeness, RECORDING_INCOMPLETE, "%s",
			   (const char *)facts->unseen->pdata[i]);
}

static bool is_listed(const GPtrArray *running, int32_t pid)
{
	char *name = g_strdup_printf("process %d", pid);
	size_t length = strlen(name);
	bool found = false;

	for (guint i = 0; running && i < running->len && !found; i++) {
		const char *text = running->pdata[i];

		found = strncmp(text, name, length) == 0 && !g_ascii_isdigit(text[length]);
	}
	g_free(name);
	return found;
}

/* Names processes that the recorder did not find by their environment, which they may overwrite. */
static void judge_unlisted(struct completeness *completeness, const struct reader_stats *stats,
			   const struct recording_facts *facts)
{
	const GPtrArray *processes = stats->counts && facts->running && !facts->attached
					 ? counts_processes(stats->counts)
					 : NULL;

	for (guint i = 0; processes && i < processes->len; i++) {
		const struct counts_process *process = processes->pdata[i];

		if (process->ended == HG_ENDED_LATER && process->expected &&
		    !is_listed(facts->running, process->pid))
			add_reason(
			    completeness, RECORDING_INCOMPLETE,
			    "process %d (%s) was still running when the recording ended: what "
			    "it and its children do later is not in it",
			    process->pid, process->program);
	}
}

/* Lists what outlives the command: it may still use the GPU, itself or by a program that it starts.
 */
static void judge_running(struct completeness *completeness, const struct recording_facts *facts)
{
	completeness->only_later =
	    facts->running && facts->running->len && completeness->status < RECORDING_UNKNOWN;
	for (guint i = 0; facts->running && i < facts->running->len; i++)
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "%s was still running when the recording ended: what it and its "
			   "children do later is not in it",
			   (const char *)facts->running->pdata[i]);
}

void completeness_judge(struct completeness *completeness, const struct reader_stats *stats,
			const struct recording_facts *facts)
{
	guint reasons;
	bool passed;

	*completeness = (struct completeness){
		.reasons = g_ptr_array_new_with_free_func(g_free),
		.gaps = g_array_new(FALSE, FALSE, sizeof(struct completeness_gap)),
	};
	if (facts->partial)
		completeness->status = RECORDING_PARTIAL;
	if (facts->imported)
		add_reason(completeness, RECORDING_PARTIAL, "%s", facts->imported);
	if (facts->bundle && !facts->manifest) {
		add_reason(
		    completeness, RECORDING_INCOMPLETE,
		    "the bundle has no readable manifest.json: the recording may be cut off");
	} else if (facts->bundle && !facts->ended) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "the recording was interrupted: events of its last moments may be "
			   "missing");
	}
	if (stats->truncated) {
		add_reason(completeness, RECORDING_INCOMPLETE,
			   "the trace is damaged and was read up to the damage: %s",
			   stats->truncated);
	}
	if (stats->counts)
		judge_processes(completeness, stats, facts);
	judge_losses(completeness, stats, facts);
	judge_missed(completeness, facts);
	passed = judge_witnessed(completeness, stats, facts);
	reasons = completeness->reasons->len;
	judge_messages(completeness, facts);
	judge_unseen(completeness, facts);
	completeness->cut_short =
	    !passed && completeness->reasons->len == reasons && is_cut_short(stats, facts);
	judge_running(completeness, facts);
	judge_unlisted(completeness, stats, facts);
	completeness->only_host = !completeness->missing && is_only_host(completeness);
}

void completeness_clear(struct completeness *completeness)
{
	g_clear_pointer(&completeness->reasons, g_ptr_array_unref);
	g_clear_pointer(&completeness->gaps, g_array_unref);
}

uint64_t completeness_unrecorded(const struct completeness *completeness,
				 const struct recording_facts *facts)
{
	uint64_t count = facts->missed_others + completeness->gaps->len;

	for (guint i = 0; facts->missed && i < facts->missed->len; i++) {
		const struct recording_missed *row =
		    &g_array_index(facts->missed, struct recording_missed, i);

		count += row->count;
	}
	return count;
}

const char *recording_silence(int status, bool analysed)
{
	switch (status) {
	case RECORDING_INCOMPLETE:
		return ", but the recording is incomplete, and not everything was analysed";
	case RECORDING_UNKNOWN:
		return ", but it is unknown whether the recording is complete";
	default:
		return analysed ? "" : ", but not everything was analysed";
	}
}

bool recording_status_fails(enum recording_status status)
{
	return status >= RECORDING_UNKNOWN;
}
