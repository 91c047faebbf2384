/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of runs. */
#include "runs.h"

#include "tracer/batch_events.h"

bool run_look(struct record_run *run)
{
	if (run->at >= run->words)
		return false;
	run->ns = run->begin + (int64_t)(uint32_t)run->records[run->at + 1];
	return true;
}

static void free_run(gpointer data)
{
	struct record_run *run = data;

	g_free(run->records);
	g_free(run);
}

static struct record_run *run_at(const GPtrArray *runs, guint at)
{
	return runs->pdata[at];
}

static void swap_runs(GPtrArray *runs, guint one, guint other)
{
	gpointer kept = runs->pdata[one];

	runs->pdata[one] = runs->pdata[other];
	runs->pdata[other] = kept;
}

static void sift_down(GPtrArray *runs)
{
	for (guint at = 0, child; (child = 2 * at + 1) < runs->len; at = child) {
		if (child + 1 < runs->len && run_at(runs, child + 1)->ns < run_at(runs, child)->ns)
			child++;
		if (run_at(runs, at)->ns <= run_at(runs, child)->ns)
			return;
		swap_runs(runs, at, child);
	}
}

GPtrArray *runs_new(void)
{
	return g_ptr_array_new_with_free_func(free_run);
}

void runs_add(GPtrArray *runs, const struct record_run *run)
{
	struct record_run *copy = g_memdup2(run, sizeof(*run));
	guint at = runs->len;

	if (!run_look(copy)) {
		free_run(copy);
		return;
	}
	g_ptr_array_add(runs, copy);
	for (; at && run_at(runs, at)->ns < run_at(runs, (at - 1) / 2)->ns; at = (at - 1) / 2)
		swap_runs(runs, at, (at - 1) / 2);
}

const struct record_run *runs_first(const GPtrArray *runs)
{
	return runs->len ? run_at(runs, 0) : NULL;
}

/* The first run stays the first as long as its records are not later than this. */
static int64_t next_run_ns(const GPtrArray *runs)
{
	int64_t ns = INT64_MAX;

	for (guint i = 1; i <= 2 && i < runs->len; i++)
		ns = MIN(ns, run_at(runs, i)->ns);
	return ns;
}

int64_t runs_pass(GPtrArray *runs, int64_t until,
		  void (*pass)(const struct order_records *records, void *data), void *data)
{
	struct record_run *run = run_at(runs, 0);
	struct order_records records = { .pid = run->pid,
					 .tid = run->tid,
					 .begin_ns = run->begin,
					 .words = &run->records[run->at] };
	int64_t last = MIN(until, next_run_ns(runs)), reached;
	uint32_t from = run->at;
	bool any;

	do {
		reached = run->ns;
		run->at += hg_record_words(run->records[run->at]);
		any = run_look(run);
	} while (any && run->ns <= last);
	records.count = run->at - from;
	pass(&records, data);
	if (!any) {
		swap_runs(runs, 0, runs->len - 1);
		g_ptr_array_set_size(runs, (gint)runs->len - 1); /* frees it */
	}
	sift_down(runs);
	return reached;
}
