/* SPDX-License-Identifier: Apache-2.0 */
/* The lines about processes that a text report begins with: those that are alike are one. */
#include "analyzer/ranks.h"
#include "analyzer/rules/order/stuck_calls.h"
#include "printer.h"
#include "report.h"

#include <string.h>

#define ALIKE_UNRANKED 4u /* processes without ranks are listed one by one if they are fewer */

/* Returns true if the process uses a GPU by HIP, by OpenMP, or by the HSA runtime below them. */
static bool uses_gpu(const struct analysis *analysis, const struct process *process)
{
	return process->device_count >= 0 || process->target_regions || process->launches ||
	       process_device(process, 0) || open_calls_of(&analysis->findings, process);
}

/* Processes that run the same command on the same kind of GPU. */
struct kin {
	GPtrArray *processes; /* struct process, borrowed */
	bool ranked;
};

static void free_kin(gpointer data)
{
	struct kin *kin = data;

	g_ptr_array_free(kin->processes, TRUE);
	g_free(kin);
}

/* Returns "120" or "100 to 120": a number of each of the processes, at `offset` in it. */
static char *amount(const struct kin *kin, size_t offset)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < kin->processes->len; i++) {
		const char *process = kin->processes->pdata[i];
		uint64_t value = *(const uint64_t *)(const void *)(process + offset);

		least = MIN(least, value);
		most = MAX(most, value);
	}
	return least == most
		   ? g_strdup_printf("%" G_GUINT64_FORMAT, most)
		   : g_strdup_printf("%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, least, most);
}
#define AMOUNT(kin, member) amount(kin, offsetof(struct process, member))

static void put_amount(const struct printer *printer, const char *before, char *number,
		       const char *one, const char *many)
{
	fprintf(printer->stream, "%s%s %s", before, number, strcmp(number, "1") ? many : one);
	g_free(number);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

/* Returns "process 12", "64 processes (ranks 0-63)" or "5 processes (12-16)". */
static char *who(const struct kin *kin)
{
	const struct process *first = kin->processes->pdata[0];
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(int));
	char *list, *text;

	for (unsigned i = 0; i < kin->processes->len; i++) {
		const struct process *process = kin->processes->pdata[i];
		int number = kin->ranked ? process_rank(process) : process->pid;

		g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, compare_numbers);
	list = ranks_list(numbers);
	if (kin->processes->len > 1) {
		text = g_strdup_printf("%u processes (%s%s)", kin->processes->len,
				       kin->ranked ? "ranks " : "", list);
	} else if (kin->ranked) {
		text = g_strdup_printf("rank %s, process %d", list, first->pid);
	} else {
		text = g_strdup_printf("process %d", first->pid);
	}
	g_array_free(numbers, TRUE);
	g_free(list);
	return text;
}

static void put_regions(const struct printer *printer, const struct kin *kin)
{
	const struct process *first = kin->processes->pdata[0];

	if (!first->target_regions)
		return;
	put_amount(printer, ", ", AMOUNT(kin, target_regions), "OpenMP target region",
		   "OpenMP target regions");
	if (first->host_regions) {
		char *number = AMOUNT(kin, host_regions);

		fprintf(printer->stream, " (%s of them on the host)", number);
		g_free(number);
	}
	put_amount(printer, " with ", AMOUNT(kin, target_transfers), "transfer", "transfers");
}

static void put_kin(const struct printer *printer, const struct kin *kin)
{
	const struct process *first = kin->processes->pdata[0];
	const struct device *device = process_device(first, 0);
	char *name = who(kin);

	fprintf(printer->stream, "hipgrain: %s: %s\n", name,
		first->cmdline[0] ? first->cmdline : "(its start was not recorded)");
	g_free(name);
	put_amount(printer, "hipgrain: ", AMOUNT(kin, launches), "launch", "launches");
	put_amount(printer, ", ", AMOUNT(kin, allocations), "allocation", "allocations");
	put_amount(printer, ", ", AMOUNT(kin, copies), "copy", "copies");
	put_regions(printer, kin);
	if (kin->processes->len > 1)
		fputs(" each", printer->stream);
	if (device)
		fprintf(printer->stream, " on %s (%s)", device->name, device->arch);
	else if (!uses_gpu(printer->analysis, first))
		fputs(recording_status_fails(printer->analysis->recording.status)
			  ? "; no HIP call of it is in the recording"
			  : "; it made no HIP call",
		      printer->stream);
	fputc('\n', printer->stream);
}

/* Returns what processes of one line have in common. */
static char *key_of(const struct process *process)
{
	const struct device *device = process_device(process, 0);

	return g_strdup_printf("%d|%s|%s|%s|%d%d", process_rank(process) >= 0, process->cmdline,
			       device ? device->name : "", device ? device->arch : "",
			       process->target_regions > 0, process->host_regions > 0);
}

/* Returns the lines, in the order of their first processes. */
static GPtrArray *find_kin(const struct analysis *analysis)
{
	const GPtrArray *processes = analysis->replay.processes;
	GPtrArray *list = g_ptr_array_new_with_free_func(free_kin);
	GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < processes->len; i++) {
		struct process *process = processes->pdata[i];
		char *key = key_of(process);
		struct kin *kin = g_hash_table_lookup(known, key);

		if (!uses_gpu(analysis, process) && processes->len > 1) {
			g_free(key);
			continue;
		}
		if (!kin) {
			kin = g_new0(struct kin, 1);
			kin->processes = g_ptr_array_new();
			kin->ranked = process_rank(process) >= 0;
			g_ptr_array_add(list, kin);
			g_hash_table_insert(known, g_strdup(key), kin);
		}
		g_ptr_array_add(kin->processes, process);
		g_free(key);
	}
	g_hash_table_destroy(known);
	return list;
}

/* Shells and helpers that made no HIP call only count, unless there is nothing else. */
void put_processes(const struct printer *printer)
{
	const GPtrArray *processes = printer->analysis->replay.processes;
	GPtrArray *list = find_kin(printer->analysis);
	unsigned shown = 0;

	for (unsigned i = 0; i < list->len; i++) {
		const struct kin *kin = list->pdata[i];
		unsigned count = kin->processes->len;

		shown += count;
		if (kin->ranked || count >= ALIKE_UNRANKED) {
			put_kin(printer, kin);
			continue;
		}
		for (unsigned k = 0; k < count; k++) {
			struct kin one = { g_ptr_array_new(), false };

			g_ptr_array_add(one.processes, kin->processes->pdata[k]);
			put_kin(printer, &one);
			g_ptr_array_free(one.processes, TRUE);
		}
	}
	g_ptr_array_free(list, TRUE);
	if (shown < processes->len) {
		fprintf(printer->stream, "hipgrain: %u%s process%s %s\n", processes->len - shown,
			shown ? " other" : "", processes->len - shown == 1 ? "" : "es",
			recording_status_fails(printer->analysis->recording.status)
			    ? "without a HIP call in the recording"
			    : "made no HIP call");
	}
}
