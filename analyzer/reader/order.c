/* SPDX-License-Identifier: Apache-2.0 */
/* Records of pages by time: a process's are passed on as far as it is told that all are there. */
#include "order.h"

#include <glib.h>

#include "tracer/batch_events.h"

struct held {
	int64_t ns;
	void *item;
};

struct process {
	int32_t pid;
	GQueue held;     /* of struct held; by time */
	GPtrArray *runs; /* a heap by their next records' times */
	int64_t reached; /* the time of the last event that went on */
	bool told;       /* by order_reach(): */
	int64_t until;   /* records up to that moment were added */
};

struct event_order {
	bool drops_late;
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
		process->reached = INT64_MIN;
		g_queue_init(&process->held);
		process->runs = runs_new();
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
	release_until(order, process, process->told ? process->until : INT64_MAX);
}

/* ---- what comes ---- */

bool order_hold(struct event_order *order, int32_t pid, int64_t ns, void *item)
{
	struct process *process = find(order, pid);
	struct held *held;

	if (!process || !process->told)
		return false;
	held = g_new(struct held, 1);
	held->ns = ns;
	held->item = item;
	g_queue_push_tail(&process->held, held);
	order->held_most = MAX(order->held_most, ++order->holding);
	return true;
}

/* Leaves out the records before a moment. */
static void skip_until(struct record_run *run, int64_t since)
{
	while (run_look(run) && run->ns < since)
		run->at += hg_record_words(run->records[run->at]);
}

void order_batch(struct event_order *order, int32_t pid, const struct order_batch *batch,
		 int64_t begin_ns)
{
	struct process *process = find_or_make(order, pid);
	struct record_run run = { .pid = pid,
				  .tid = batch->tid,
				  .begin = begin_ns,
				  .words = batch->words,
				  .records = batch->records };

	/*
	 * Events behind these were passed on: the process's clock was set back, or a thread was
	 * stopped for long while it stored a record.
	 */
	if (order->drops_late)
		skip_until(&run, process->reached);
	else if (run_look(&run) && run.ns < process->reached)
		run.begin += process->reached - run.ns;
	runs_add(process->runs, &run);
	release(order, process);
}

void order_drop_late(struct event_order *order)
{
	order->drops_late = true;
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

void order_end(struct event_order *order)
{
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, order->processes);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		struct process *process = value;

		process->told = false;
		release(order, process);
	}
}

uint64_t order_held_most(const struct event_order *order)
{
	return order->held_most;
}
