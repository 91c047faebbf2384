/* SPDX-License-Identifier: Apache-2.0 */
/* Sums recorded times; matches totals of a database with the launches of a recording. */
#include "gpu_times.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/analyze.h"
#include "rocpd.h"

/*
 * The recording has CLOCK_MONOTONIC, and so has an early version of what writes databases
 * (common/utility.hpp) [ROCPD]. Of later ones it is not known here; CLOCK_BOOTTIME is the same
 * where the machine was not suspended. Times of a GPU are translated into it, not quite exactly.
 */
#define EARLY_NS        INT64_C(10000000)
#define LATE_NS         INT64_C(60000000000) /* from a kernel's launch to its begin */

#define LINES_OF_A_FILE 20u

/* This is the database that is being added. */
struct adding {
	struct analysis *analysis;
	struct gpu_times *times;
	const char *path;
	unsigned lines, more_lines;
};

static void add_line(struct adding *adding, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_line(struct adding *adding, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (adding->lines == LINES_OF_A_FILE) {
		adding->more_lines++;
		return;
	}
	adding->lines++;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_ptr_array_add(adding->times->lines, g_strdup_printf("%s: %s", adding->path, text));
	g_free(text);
}

/* ---- what was launched ---- */

static const struct kernel_ref *kernel_of(const struct kernel_total *total)
{
	return process_kernel(total->process, total->kernel_id);
}

/* Returns the process of that number that launched anything; NULL: there is none, or several. */
static const struct process *process_of(const struct adding *adding, int32_t pid)
{
	const GPtrArray *kernels = adding->analysis->overview->kernels;
	const struct process *found = NULL;

	for (guint i = 0; i < kernels->len; i++) {
		const struct kernel_total *total = kernels->pdata[i];

		if (total->process->pid != pid || total->process == found)
			continue;
		if (found)
			return NULL;
		found = total->process;
	}
	return found;
}

/* Returns the launches of a kernel, and in *first_ns the first one's time by CLOCK_MONOTONIC. A
 * symbol may be in several code objects. */
static uint64_t launches_of(const struct adding *adding, const struct process *process,
			    const char *symbol, int64_t *first_ns)
{
	const GPtrArray *kernels = adding->analysis->overview->kernels;
	uint64_t launches = 0;

	*first_ns = INT64_MAX;
	for (guint i = 0; i < kernels->len; i++) {
		const struct kernel_total *total = kernels->pdata[i];

		if (total->process != process || strcmp(kernel_of(total)->symbol, symbol) != 0)
			continue;
		launches += total->launches;
		*first_ns =
		    MIN(*first_ns, total->first_ns - adding->analysis->stats.clock_origin_ns);
	}
	return launches;
}

/* ---- matching ---- */

static const struct rocpd_total *total_at(const GArray *totals, guint at)
{
	return &g_array_index(totals, struct rocpd_total, at);
}

/* Returns false, after a line that says why, if the kernels from `at` to `end`, which are of one
 * process, did not begin when this one launched them. */
static bool is_of_this_run(struct adding *adding, const struct process *process,
			   const GArray *kernels, guint at, guint end)
{
	int64_t late = INT64_MAX, first;

	for (guint i = at; i < end; i++)
		if (launches_of(adding, process, total_at(kernels, i)->name, &first))
			late = MIN(late, total_at(kernels, i)->first_ns - first);
	if (late == INT64_MAX)
		add_line(adding, "it has none of the kernels that process %d launched",
			 process->pid);
	else if (late < -EARLY_NS || late > LATE_NS)
		add_line(adding,
			 "kernels of process %d begin %.3f s %s they were launched: it is of "
			 "another run, or the machine was suspended since its start",
			 process->pid, (double)ABS(late) / 1e9, late < 0 ? "before" : "after");
	else
		return true;
	return false;
}

static void add_kernel(struct adding *adding, const struct process *process,
		       const struct rocpd_total *total)
{
	int64_t first;
	uint64_t launches = launches_of(adding, process, total->name, &first);
	struct gpu_time *time;

	adding->times->kernels_ns += total->ns;
	if (total->wrong)
		add_line(adding, "%" G_GUINT64_FORMAT " dispatches of %s have no end", total->wrong,
			 total->name);
	if (launches != total->count)
		add_line(adding,
			 "%s ran %" G_GUINT64_FORMAT
			 " times in process %d, of which %" G_GUINT64_FORMAT
			 " launches were recorded",
			 total->name, total->count, process->pid, launches);
	if (!launches)
		return;
	time = g_new0(struct gpu_time, 1);
	*time = (struct gpu_time){ .process = process,
				   .symbol = g_strdup(total->name),
				   .launches = launches,
				   .dispatches = total->count,
				   .ns = total->ns,
				   .most_ns = total->most_ns };
	g_ptr_array_add(adding->times->kernels, time);
}

/* Says which kernels of the process were launched and have no time. */
static void name_untimed(struct adding *adding, const struct process *process)
{
	const GPtrArray *kernels = adding->analysis->overview->kernels;

	for (guint i = 0; i < kernels->len; i++) {
		const struct kernel_total *total = kernels->pdata[i];
		const char *symbol = kernel_of(total)->symbol;

		if (total->process == process && !gpu_time_of(adding->times, process, symbol))
			add_line(adding, "it has no times of %s, which process %d launched", symbol,
				 process->pid);
	}
}

static void add_copies(struct adding *adding, const GArray *copies, int32_t pid)
{
	for (guint i = 0; i < copies->len; i++) {
		if (total_at(copies, i)->pid == pid) {
			adding->times->copies_ns += total_at(copies, i)->ns;
			adding->times->copies += total_at(copies, i)->count;
		}
	}
}

static bool is_there_already(const struct gpu_times *times, const struct process *process)
{
	for (guint i = 0; i < times->kernels->len; i++)
		if (((const struct gpu_time *)times->kernels->pdata[i])->process == process)
			return true;
	return false;
}

/* Adds the kernels from `at` to `end`, which are of one process, and its copies. */
static void add_process(struct adding *adding, const struct rocpd *database, guint at, guint end)
{
	int32_t pid = total_at(database->kernels, at)->pid;
	const struct process *process = process_of(adding, pid);

	if (!process) {
		add_line(adding,
			 "its process %d is none, or not one alone, that launched kernels "
			 "in the recording",
			 pid);
		return;
	}
	if (is_there_already(adding->times, process)) {
		add_line(adding, "times of process %d are known already", pid);
		return;
	}
	if (!is_of_this_run(adding, process, database->kernels, at, end))
		return;
	for (guint i = at; i < end; i++)
		add_kernel(adding, process, total_at(database->kernels, i));
	name_untimed(adding, process);
	add_copies(adding, database->copies, pid);
}

static gint by_ns(gconstpointer one, gconstpointer other)
{
	const struct gpu_time *const *a = one, *const *b = other;

	if ((*a)->ns != (*b)->ns)
		return (*a)->ns < (*b)->ns ? 1 : -1;
	return strcmp((*a)->symbol, (*b)->symbol);
}

static void free_time(gpointer time)
{
	g_free(((struct gpu_time *)time)->symbol);
	g_free(time);
}

static struct gpu_times *new_times(void)
{
	struct gpu_times *times = g_new0(struct gpu_times, 1);

	times->files = g_ptr_array_new_with_free_func(g_free);
	times->kernels = g_ptr_array_new_with_free_func(free_time);
	times->lines = g_ptr_array_new_with_free_func(g_free);
	return times;
}

/* ---- what was recorded ---- */

/* A symbol may be in several code objects. */
static struct gpu_time *time_of(struct gpu_times *times, const struct process *process,
				const char *symbol)
{
	struct gpu_time *time = (struct gpu_time *)gpu_time_of(times, process, symbol);

	if (!time) {
		time = g_new0(struct gpu_time, 1);
		time->process = process;
		time->symbol = g_strdup(symbol);
		g_ptr_array_add(times->kernels, time);
	}
	return time;
}

static void add_recorded(struct gpu_times *times, const struct process *process)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, process->kernels);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct kernel_ref *kernel = value;
		struct gpu_time *time;

		if (!kernel->dispatches)
			continue;
		time = time_of(times, process, kernel->symbol);
		time->launches += kernel->launches;
		time->dispatches += kernel->dispatches;
		time->ns += kernel->gpu_ns;
		time->most_ns = MAX(time->most_ns, kernel->gpu_most_ns);
		times->kernels_ns += kernel->gpu_ns;
	}
	times->copies += process->copy_times.copies;
	times->copies_ns += process->copy_times.copies_ns;
	if (process->copy_times.left_out) {
		g_ptr_array_add(times->lines,
				g_strdup_printf("%" G_GUINT64_FORMAT
						" kernels or copies of process %d have no time",
						process->copy_times.left_out, process->pid));
	}
}

void gpu_times_record(struct analysis *analysis, bool software)
{
	const GPtrArray *processes = analysis->replay.processes;
	bool timed = false;

	for (guint i = 0; i < processes->len; i++)
		timed |= ((const struct process *)processes->pdata[i])->copy_times.timed > 0;
	if (!timed)
		return;
	analysis->gpu_times = new_times();
	g_ptr_array_add(analysis->gpu_times->files, g_strdup("this recording"));
	for (guint i = 0; i < processes->len; i++)
		add_recorded(analysis->gpu_times, processes->pdata[i]);
	if (software) {
		g_ptr_array_add(analysis->gpu_times->lines,
				g_strdup("these are times of the software GPU: they say nothing "
					 "about hardware"));
	}
	g_ptr_array_sort(analysis->gpu_times->kernels, by_ns);
}

/* ---- other tools' ---- */

int gpu_times_add(struct analysis *analysis, const char *path, char **error)
{
	struct adding adding = { .analysis = analysis, .path = path };
	struct rocpd database;
	int result = rocpd_read(path, &database, error);

	if (result < 0)
		return result;
	if (!analysis->gpu_times)
		analysis->gpu_times = new_times();
	adding.times = analysis->gpu_times;
	g_ptr_array_add(adding.times->files, g_strdup(path));
	for (guint at = 0, end; at < database.kernels->len; at = end) {
		for (end = at + 1;
		     end < database.kernels->len &&
		     total_at(database.kernels, end)->pid == total_at(database.kernels, at)->pid;
		     end++) {
		}
		add_process(&adding, &database, at, end);
	}
	if (!database.kernels->len)
		add_line(&adding, "it has no kernels");
	if (adding.more_lines)
		g_ptr_array_add(adding.times->lines, g_strdup_printf("%s: %u more of the like",
								     path, adding.more_lines));
	g_ptr_array_sort(adding.times->kernels, by_ns);
	rocpd_clear(&database);
	return 0;
}

void gpu_times_free(struct gpu_times *times)
{
	if (!times)
		return;
	g_ptr_array_free(times->files, TRUE);
	g_ptr_array_free(times->kernels, TRUE);
	g_ptr_array_free(times->lines, TRUE);
	g_free(times);
}

const struct gpu_time *gpu_time_of(const struct gpu_times *times, const struct process *process,
				   const char *symbol)
{
	for (guint i = 0; times && symbol && i < times->kernels->len; i++) {
		const struct gpu_time *time = times->kernels->pdata[i];

		if (time->process == process && strcmp(time->symbol, symbol) == 0)
			return time;
	}
	return NULL;
}

uint64_t gpu_times_sum(const struct gpu_times *times)
{
	return times->kernels_ns + times->copies_ns;
}
