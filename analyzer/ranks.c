/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the ranks of a job: the same ones united, those of single ranks named. */
#include "ranks.h"

#include "analyzer/rank_lines.h"
#include "analyzer/rules/engine/evidence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AMOUNT_NOTE    " kernels, the median of "
#define OUTLIERS_NAMED 4 /* with a line for each */

/*
 * A launcher inside a batch job sees the batch system's variables too: the innermost first. Open
 * MPI, MVAPICH2, PALS, Flux, PMIx, MPICH and others with PMI, and Slurm's srun.
 */
static const char *const rank_variables[] = {
	"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID",
	"FLUX_TASK_RANK",       "PMIX_RANK",           "PMI_RANK",
	"SLURM_PROCID",
};

int process_rank(const struct process *process)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(rank_variables); i++) {
		const char *text = process_env(process, rank_variables[i]);
		char *end;
		long rank = text ? strtol(text, &end, 10) : -1;

		if (text && *text && !*end && rank >= 0 && rank <= G_MAXINT)
			return (int)rank;
	}
	return -1;
}

/* Returns true if a rank's amount is far from the median of all. */
static bool is_outlier(uint64_t amount, uint64_t median)
{
	uint64_t more = MAX(amount, median), less = MIN(amount, median);

	return more > 2 * less && more - less > 10;
}

static bool has_rank(const GArray *ranks, int rank)
{
	for (unsigned i = 0; i < ranks->len; i++)
		if (g_array_index(ranks, int, i) == rank)
			return true;
	return false;
}

GArray *ranks_outliers(const GArray *ranks, const GArray *all, uint64_t unrecorded)
{
	GArray *outliers = g_array_new(FALSE, FALSE, sizeof(int));
	bool few = all->len >= 3 && ranks->len * 4 <= all->len + 1;
	bool most =
	    all->len >= 3 && ranks->len < all->len && (all->len - ranks->len) * 4 <= all->len + 1;

	for (unsigned i = 0; (few || most) && !unrecorded && i < all->len; i++) {
		int rank = g_array_index(all, int, i);

		if (has_rank(ranks, rank) == few)
			g_array_append_val(outliers, rank);
	}
	return outliers;
}

char *ranks_list(const GArray *ranks)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < ranks->len;) {
		int first = g_array_index(ranks, int, i), last = first;

		while (++i < ranks->len && g_array_index(ranks, int, i) == last + 1)
			last++;
		g_string_append_printf(text, "%s%d", text->len ? "," : "", first);
		if (last > first)
			g_string_append_printf(text, "%c%d", last > first + 1 ? '-' : ',', last);
	}
	return g_string_free(text, FALSE);
}

char *ranks_text(const GArray *ranks, const GArray *all, uint64_t unrecorded)
{
	GArray *outliers = ranks_outliers(ranks, all, unrecorded);
	bool few = outliers->len && has_rank(ranks, g_array_index(outliers, int, 0));
	char *list = ranks_list(outliers->len ? outliers : ranks);
	GString *rest = g_string_new("");
	char *text;

	if (unrecorded) {
		g_string_printf(rest,
				" that were recorded; of %" PRIu64 " process%s not all is known",
				unrecorded, unrecorded == 1 ? "" : "es");
	}
	text = g_strdup_printf("%s%s%s (%u of %u ranks%s)",
			       !outliers->len ? ""
			       : few          ? "only rank"
					      : "all but rank",
			       !outliers->len       ? ""
			       : outliers->len == 1 ? " "
						    : "s ",
			       list, ranks->len, all->len, rest->str);
	g_string_free(rest, TRUE);
	g_array_free(outliers, TRUE);
	g_free(list);
	return text;
}

/* ---- findings ---- */

GArray *finding_ranks(const struct finding *finding)
{
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(int));

	for (unsigned i = 0; i < finding->ranks->len; i++) {
		int rank = g_array_index(finding->ranks, struct finding_rank, i).rank;

		if (!has_rank(ranks, rank))
			g_array_append_val(ranks, rank);
	}
	return ranks;
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
	const struct finding_rank *one = a, *other = b;

	return one->rank != other->rank ? one->rank - other->rank
					: (one->pid > other->pid) - (one->pid < other->pid);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

static gint compare_amounts(gconstpointer a, gconstpointer b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Returns true if `one` stands for all rather than `other`: the surest does, and among equally sure
 * ones that of the lowest rank. */
static bool is_better(const struct finding *one, const struct finding *other)
{
	if (one->confidence != other->confidence)
		return one->confidence > other->confidence;
	return process_rank(one->process) < process_rank(other->process);
}

static void join(struct finding *to, const struct finding *from)
{
	to->count += from->count;
	to->launches += from->launches;
	to->work_items = MAX(to->work_items, from->work_items);
	if (to->ranks)
		g_array_append_vals(to->ranks, from->ranks->data, from->ranks->len);
	else
		g_array_append_vals(to->pids, from->pids->data, from->pids->len);
	finding_join(to, from);
}

/* Notes where a finding is, before others join it. */
static void set_process(struct finding *finding)
{
	struct finding_rank rank = { process_rank(finding->process), finding->process->pid,
				     finding->count };

	if (rank.rank >= 0) {
		finding->ranks = g_array_new(FALSE, FALSE, sizeof(rank));
		g_array_append_val(finding->ranks, rank);
	} else {
		finding->pids = g_array_new(FALSE, FALSE, sizeof(rank.pid));
		g_array_append_val(finding->pids, rank.pid);
	}
}

/*
 * Findings are one where fingerprint and sentences are the same, but for the numbers in these; of
 * processes without a rank (forked children, others of a script) also the program.
 */
static char *group_key(const struct finding *finding)
{
	const char *message =
	    finding->message_pattern ? finding->message_pattern : finding->message;

	return g_strdup_printf("%s|%s|%s|%d %s", finding->fingerprint,
			       finding->why ? finding->why : "", message ? message : "",
			       finding->ranks != NULL, finding->ranks ? "" : finding->process->exe);
}

/* Orders findings the same way in every order in which the ranks are read. */
static gint compare_findings(gconstpointer a, gconstpointer b)
{
	const struct finding *one = *(struct finding *const *)a;
	const struct finding *other = *(struct finding *const *)b;
	int order;

	if (finding_place(one) != finding_place(other))
		return (gint)finding_place(other) - (gint)finding_place(one);
	if (one->confidence != other->confidence)
		return (gint)other->confidence - (gint)one->confidence;
	order = strcmp(one->rule->id, other->rule->id);
	return order ? order : g_strcmp0(one->fingerprint, other->fingerprint);
}

static void group_findings(struct findings *findings)
{
	GHashTable *groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *list = findings->list;

	for (unsigned i = 0; i < list->len;) {
		struct finding *finding = list->pdata[i], *first;
		char *key;

		set_process(finding);
		key = group_key(finding);
		first = g_hash_table_lookup(groups, key);
		if (first && is_better(finding, first)) {
			unsigned at = 0;

			while (list->pdata[at] != first)
				at++;
			list->pdata[at] = finding;
			list->pdata[i] = first;
			g_hash_table_replace(groups, key, finding);
			join(finding, first);
			g_ptr_array_remove_index(list, i);
		} else if (first) {
			join(first, finding);
			g_ptr_array_remove_index(list, i);
			g_free(key);
		} else {
			g_hash_table_insert(groups, key, finding);
			i++;
		}
	}
	g_hash_table_destroy(groups);
	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i];

		if (finding->ranks)
			g_array_sort(finding->ranks, compare_ranks);
		else
			g_array_sort(finding->pids, compare_numbers);
	}
}

/* ---- amounts ---- */

/* Adds lines about outliers that are all above, or all below the median: one for each, or one for
 * all if there are many. */
static void note_outliers(const GArray *ranks, const GArray *launches, const GArray *outliers,
			  const char *median, GPtrArray *notes)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(int));
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < outliers->len; i++) {
		unsigned at = g_array_index(outliers, unsigned, i);
		uint64_t amount = g_array_index(launches, uint64_t, at);

		g_array_append_val(numbers, g_array_index(ranks, int, at));
		least = MIN(least, amount);
		most = MAX(most, amount);
		if (outliers->len <= OUTLIERS_NAMED) {
			g_ptr_array_add(
			    notes, g_strdup_printf("rank %d launched %" G_GUINT64_FORMAT "%s",
						   g_array_index(ranks, int, at), amount, median));
		}
	}
	if (outliers->len > OUTLIERS_NAMED) {
		char *list = ranks_list(numbers);

		g_ptr_array_add(notes, g_strdup_printf("ranks %s launched %" G_GUINT64_FORMAT
						       " to %" G_GUINT64_FORMAT "%s",
						       list, least, most, median));
		g_free(list);
	}
	g_array_free(numbers, TRUE);
}

void ranks_note_amounts(const GArray *ranks, const GArray *launches, GPtrArray *notes)
{
	GArray *sorted, *outliers[2];
	uint64_t median;
	char *text;

	if (ranks->len < 3)
		return;
	sorted = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_array_append_vals(sorted, launches->data, launches->len);
	g_array_sort(sorted, compare_amounts);
	median = g_array_index(sorted, uint64_t, sorted->len / 2);
	g_array_free(sorted, TRUE);
	text = g_strdup_printf(AMOUNT_NOTE "%u ranks is %" G_GUINT64_FORMAT, ranks->len, median);
	for (unsigned above = 0; above < G_N_ELEMENTS(outliers); above++)
		outliers[above] = g_array_new(FALSE, FALSE, sizeof(unsigned));
	for (unsigned i = 0; i < ranks->len; i++) {
		uint64_t amount = g_array_index(launches, uint64_t, i);

		if (is_outlier(amount, median))
			g_array_append_val(outliers[amount > median], i);
	}
	for (unsigned above = 0; above < G_N_ELEMENTS(outliers); above++) {
		note_outliers(ranks, launches, outliers[above], text, notes);
		g_array_free(outliers[above], TRUE);
	}
	g_free(text);
}

bool ranks_is_amount_note(const char *line)
{
	return g_str_has_prefix(line, "rank") && strstr(line, " launched ") &&
	       strstr(line, AMOUNT_NOTE);
}

void ranks_group(struct analysis *analysis)
{
	const GPtrArray *processes = analysis->replay.processes;
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int));
	GArray *launches = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (unsigned i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];
		int rank = process_rank(process);

		if (rank >= 0 && process->device_count >= 0 && !has_rank(all, rank))
			g_array_append_val(all, rank);
	}
	g_array_sort(all, compare_numbers);
	g_array_set_size(launches, all->len);
	for (unsigned i = 0; i < all->len; i++) {
		uint64_t *sum = &g_array_index(launches, uint64_t, i);

		*sum = 0;
		for (unsigned k = 0; k < processes->len; k++) {
			const struct process *process = processes->pdata[k];

			if (process_rank(process) == g_array_index(all, int, i))
				*sum += process->launches;
		}
	}
	group_findings(&analysis->findings);
	if (all->len) {
		g_ptr_array_sort(analysis->findings.list, compare_findings);
		ranks_note_amounts(all, launches, analysis->findings.notes);
	}
	g_array_free(launches, TRUE);
	analysis->ranks = all;
}

/* ---- limits and notes ---- */

static int rank_of_pid(int pid, void *data)
{
	const struct analysis *analysis = data;
	const struct process *process = replay_process(&analysis->replay, pid);

	return process ? process_rank(process) : -1;
}

/* Returns the ranks whose events led to a line; NULL if it is of something else as well. */
static GArray *ranks_of_line(const struct findings *findings, const char *line)
{
	const GPtrArray *processes = findings_line_processes(findings, line);
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(int));

	for (unsigned i = 0; processes && i < processes->len; i++) {
		const struct process *process = processes->pdata[i];
		int rank = process ? process_rank(process) : -1;

		if (rank < 0) {
			g_array_free(ranks, TRUE);
			return NULL;
		}
		if (!has_rank(ranks, rank))
			g_array_append_val(ranks, rank);
	}
	return ranks;
}

static void name_lines(struct analysis *analysis, GPtrArray **list)
{
	struct rank_lines *lines = rank_lines_new();

	for (unsigned i = 0; i < (*list)->len; i++) {
		const char *text = (*list)->pdata[i];
		GArray *ranks = ranks_of_line(&analysis->findings, text);

		rank_lines_add(lines, text, ranks, rank_of_pid, analysis);
		if (ranks)
			g_array_free(ranks, TRUE);
	}
	g_ptr_array_free(*list, TRUE);
	*list = rank_lines_finish(lines, analysis->ranks);
}

void ranks_name_lines(struct analysis *analysis)
{
	if (!analysis->ranks->len)
		return;
	name_lines(analysis, &analysis->findings.limits);
	name_lines(analysis, &analysis->findings.notes);
}
