/* SPDX-License-Identifier: Apache-2.0 */
/* Events and records of batches by time: what is open is waited for. */
#include "order.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "open_batches.h"
#include "whole_records.h"

struct held {
	int64_t ns;
	void *item;
};

struct open {
	uint32_t number;
	int32_t tid;
	int64_t ns;
};

struct process {
	int32_t pid;
	GQueue held;      /* of struct held; by time */
	GPtrArray *runs;  /* a heap by their next records' times */
	GArray *open;     /* few: as many as threads that record */
	unsigned overdue; /* events in a row that came long after the oldest of these */
	int64_t reached;  /* the time of the last event that went on */
	int64_t first;    /* the time of the first event, if the trace begins in its middle */
	bool within;      /* ... and it has not announced itself since */
	bool told;        /* by order_reach(): */
	int64_t until;    /* records up to that moment were added */
	struct order_missing missing;
};

struct event_order {
	struct order_calls calls;
	void *data;
	GHashTable *processes; /* by pid */
	struct process *last;  /* the one looked up last */
	uint64_t holding, held_most;
};

/* ---- processes ---- */

static void free_process(gpointer data)
{
	struct process *process = data;

	g_ptr_array_free(process->runs, TRUE);
	g_array_free(process->open, TRUE);
	g_free(process);
}

struct event_order *order_new(const struct order_calls *calls, void *data)
{
	struct event_order *order = g_new0(struct event_order, 1);

	order->calls = *calls;
	order->data = data;
	order->processes = g_hash_table_new_full(NULL, NULL, NULL, free_process);
	return order;
}

void order_free(struct event_order *order)
{
	g_hash_table_destroy(order->processes);
	g_free(order);
}

static struct process *find(struct event_order *order, int32_t pid)
{
	struct process *process = order->last;

	if (process && process->pid == pid)
		return process;
	process = g_hash_table_lookup(order->processes, GINT_TO_POINTER(pid));
	if (process)
		order->last = process;
	return process;
}

static struct process *find_or_make(struct event_order *order, int32_t pid)
{
	struct process *process = find(order, pid);

	if (!process) {
		process = g_new0(struct process, 1);
		process->pid = pid;
		process->reached = process->first = INT64_MIN;
		g_queue_init(&process->held);
		process->runs = runs_new();
		process->open = g_array_new(FALSE, FALSE, sizeof(struct open));
		g_hash_table_insert(order->processes, GINT_TO_POINTER(pid), process);
		order->last = process;
	}
	return process;
}

/* ---- letting go ---- */

static void pass_item(struct event_order *order, struct process *process)
{
	struct held *held = g_queue_pop_head(&process->held);

	order->holding--;
	process->reached = held->ns;
	order->calls.item(held->item, order->data);
	g_free(held);
}

/* Everything up to that moment. */
static void release_until(struct event_order *order, struct process *process, int64_t until)
{
	for (;;) {
		const struct held *held = g_queue_peek_head(&process->held);
		const struct record_run *run = runs_first(process->runs);

		/* What was held back goes before records of the same moment. */
		if (run && run->ns <= until && (!held || run->ns < held->ns))
			process->reached =
			    runs_pass(process->runs, held ? MIN(until, held->ns - 1) : until,
				      order->calls.records, order->data);
		else if (held && held->ns <= until)
			pass_item(order, process);
		else
			return;
	}
}

static void release(struct event_order *order, struct process *process)
{
	int64_t until = process->within ? process->first
			: process->told ? process->until
					: INT64_MAX;

	for (guint i = 0; i < process->open->len; i++)
		until = MIN(until, g_array_index(process->open, struct open, i).ns);
	release_until(order, process, until);
}

/* ---- what comes ---- */

/* Whoever records something writes what is older than a tenth of a second: these were lost. */
#define OVERDUE_NS     INT64_C(10000000000)
#define OVERDUE_EVENTS 10000u

static void count_missing(struct process *process, uint64_t batches)
{
	process->missing.batches += batches;
	process->missing.records += batches * HG_BATCH_RECORDS;
}

static guint oldest_open(const struct process *process)
{
	guint oldest = 0;

	for (guint i = 1; i < process->open->len; i++)
		if (g_array_index(process->open, struct open, i).ns <
		    g_array_index(process->open, struct open, oldest).ns)
			oldest = i;
	return oldest;
}

static void look_for_overdue(struct event_order *order, struct process *process, int64_t ns)
{
	guint oldest = oldest_open(process);

	if (process->within && ns - process->first >= OVERDUE_NS) {
		process->within = false;
		release(order, process);
	}
	if (!process->open->len)
		return;
	if (ns - g_array_index(process->open, struct open, oldest).ns < OVERDUE_NS) {
		process->overdue = 0;
	} else if (++process->overdue >= OVERDUE_EVENTS) {
		process->overdue = 0;
		g_array_remove_index_fast(process->open, oldest);
		count_missing(process, 1);
		release(order, process);
	}
}

void order_heard(struct event_order *order, int32_t pid, int64_t ns, bool announces)
{
	struct process *process = find(order, pid);

	if (!process) {
		process = find_or_make(order, pid);
		process->within = !announces;
		process->first = announces ? INT64_MIN : ns;
	} else if (announces && process->within) {
		process->within = false;
		release(order, process);
	}
}

bool order_hold(struct event_order *order, int32_t pid, int64_t ns, void *item)
{
	struct process *process = find(order, pid);
	struct held *held;

	if (!process)
		return false;
	if (!process->open->len && !process->within && !process->told) {
		process->reached = ns;
		return false;
	}
	held = g_new(struct held, 1);
	held->ns = ns;
	held->item = item;
	g_queue_push_tail(&process->held, held);
	order->held_most = MAX(order->held_most, ++order->holding);
	look_for_overdue(order, process, ns);
	return true;
}

void order_open(struct event_order *order, int32_t pid, int32_t tid, uint32_t number, int64_t ns)
{
	struct process *process = find_or_make(order, pid);
	struct open open = { number, tid, ns };

	/* A thread has one at a time. */
	for (guint i = 0; i < process->open->len; i++) {
		if (g_array_index(process->open, struct open, i).tid == tid) {
			g_array_remove_index_fast(process->open, i);
			count_missing(process, 1);
			break;
		}
	}
	g_array_append_val(process->open, open);
	release(order, process);
}

static bool take_open(struct process *process, uint32_t number)
{
	for (guint i = 0; i < process->open->len; i++) {
		if (g_array_index(process->open, struct open, i).number == number) {
			g_array_remove_index_fast(process->open, i);
			return true;
		}
	}
	return false;
}

/* Records whose beginning is unknown, while later ones were read: these can no longer come. */
static uint64_t skip_until(struct record_run *run, int64_t since)
{
	uint64_t skipped = 0;

	while (run_look(run) && run->ns < since) {
		run->at += hg_record_words(run->records[run->at]);
		skipped++;
	}
	return skipped;
}

static void add_records(struct process *process, const struct order_batch *batch, int64_t begin_ns,
			int64_t since_ns)
{
	struct record_run run = { .pid = process->pid,
				  .tid = batch->tid,
				  .begin = begin_ns,
				  .words = batch->words,
				  .records = batch->records };

	skip_until(&run, MAX(since_ns, process->first));
	/*
	 * Events behind these were passed on: the process's clock was set back, or a thread was
	 * stopped for long while it stored a record.
	 */
	if (run_look(&run) && run.ns < process->reached)
		run.begin += process->reached - run.ns;
	runs_add(process->runs, &run);
}

void order_batch(struct event_order *order, int32_t pid, const struct order_batch *batch,
		 int64_t begin_ns, int64_t since_ns)
{
	struct process *process = find_or_make(order, pid);

	take_open(process, batch->number);
	add_records(process, batch, begin_ns, since_ns);
	release(order, process);
}

bool order_knows(struct event_order *order, int32_t pid)
{
	return find(order, pid) != NULL;
}

void order_reach(struct event_order *order, int32_t pid, int64_t ns)
{
	struct process *process = find_or_make(order, pid);

	process->told = true;
	process->until = ns;
	release(order, process);
	if (ns == INT64_MAX)
		process->until = process->reached;
}

static void miss(struct event_order *order, struct process *process)
{
	count_missing(process, process->open->len);
	g_array_set_size(process->open, 0);
	process->within = process->told = false;
	release(order, process);
}

void order_forget(struct event_order *order, int32_t pid)
{
	struct process *process = find(order, pid);

	if (process && process->open->len)
		miss(order, process);
}

/* ---- the end ---- */

struct ending {
	struct event_order *order;
	int64_t offset_ns;
};

/* Numbers begin anew in each process: the page must have been begun right after that event. */
static bool is_its_page(const struct process *process, uint32_t number, int64_t begin)
{
	for (guint i = 0; i < process->open->len; i++) {
		const struct open *open = &g_array_index(process->open, struct open, i);

		if (open->number == number)
			return begin >= open->ns && begin - open->ns < OVERDUE_NS;
	}
	return false;
}

static void use_page(const struct hg_open_batch *page, void *data)
{
	struct ending *ending = data;
	struct process *process = find(ending->order, page->pid);
	int64_t begin = (int64_t)page->begin + ending->offset_ns;
	struct order_batch batch = { .number = page->number,
				     .tid = page->thread,
				     .words = page->words };

	if (process && is_its_page(process, page->number, begin) &&
	    take_open(process, page->number)) {
		if (ending->order->calls.found)
			ending->order->calls.found(page, ending->order->data);
		batch.records = whole_records(page->records, &batch.words);
		add_records(process, &batch, begin, INT64_MIN);
	}
}

void order_end(struct event_order *order, const char *folder, int64_t offset_ns, GArray *missing)
{
	struct ending ending = { order, offset_ns };
	GHashTableIter iterator;
	gpointer value;

	if (folder)
		open_batches_each(folder, use_page, &ending);
	g_hash_table_iter_init(&iterator, order->processes);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		struct process *process = value;

		miss(order, process);
		process->missing.pid = process->pid;
		if (process->missing.records)
			g_array_append_val(missing, process->missing);
		memset(&process->missing, 0, sizeof(process->missing));
	}
}

uint64_t order_held_most(const struct event_order *order)
{
	return order->held_most;
}
