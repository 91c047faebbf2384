/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of pages are passed on by time, of all processes together, up to the moment up to which
 * the recorder has reported each process's to be complete. A child begins with what its parent had
 * then, so the order of processes matters, too.
 */
#include "record_order.h"

#include <glib.h>

/* A process about which the recorder reports nothing for so long holds nothing back. */
#define SILENT_NS INT64_C(5000000000)

struct held {
	int64_t ns;
	void *item;
};

struct process {
	bool told;     /* by order_reach(), and not that nothing follows */
	int64_t until; /* records up to that moment were added */
};

struct event_order {
	bool drops_late;
	struct order_calls calls;
	void *data;
	GHashTable *processes; /* by pid */
	GQueue held;           /* of struct held; by time */
	GPtrArray *runs;       /* a heap by their next records' times */
	int64_t reached;       /* the time of the last event that went on */
	int64_t latest;        /* the latest moment that was reported */
};

/* ---- processes ---- */

struct event_order *order_new(const struct order_calls *calls, void *data)
{
	struct event_order *order = g_new0(struct event_order, 1);

	order->calls = *calls;
	order->data = data;
	order->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	order->runs = runs_new();
	order->reached = order->latest = INT64_MIN;
	g_queue_init(&order->held);
	return order;
}

void order_free(struct event_order *order)
{
	g_hash_table_destroy(order->processes);
	runs_free(order->runs);
	g_free(order);
}

static struct process *find(struct event_order *order, int32_t pid)
{
	return g_hash_table_lookup(order->processes, GINT_TO_POINTER(pid));
}

static struct process *find_or_make(struct event_order *order, int32_t pid)
{
	struct process *process = find(order, pid);

	if (!process) {
		process = g_new0(struct process, 1);
		g_hash_table_insert(order->processes, GINT_TO_POINTER(pid), process);
	}
	return process;
}

/* ---- letting go ---- */

/* Returns the moment up to which the records of all processes were added. */
static int64_t bound(const struct event_order *order)
{
	int64_t least = INT64_MAX;
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, order->processes);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct process *process = value;

		if (process->told)
			least = MIN(least, process->until);
	}
	return order->latest > INT64_MIN + SILENT_NS ? MAX(least, order->latest - SILENT_NS)
						     : least;
}

static void pass_item(struct event_order *order)
{
	struct held *held = g_queue_pop_head(&order->held);

	order->reached = MAX(order->reached, held->ns);
	order->calls.item(held->item, order->data);
	g_free(held);
}

/*
 * Events behind this one were passed on before: the process's clock was set back, a thread was
 * stopped for long while it stored a record, or the process was not waited for any more.
 */
static void pass_record(const struct order_record *record, void *data)
{
	struct event_order *order = data;
	struct order_record late = *record;

	if (record->ns < order->reached && order->drops_late)
		return;
	late.ns = order->reached = MAX(order->reached, record->ns);
	order->calls.record(&late, order->data);
}

/* Passes on everything up to that moment. */
static void release(struct event_order *order, int64_t until)
{
	for (;;) {
		const struct held *held = g_queue_peek_head(&order->held);
		const struct record_run *run = runs_first(order->runs);

		/* Items that were held back go before records of the same moment. */
		if (run && run_ns(run) <= until && (!held || run_ns(run) < held->ns))
			runs_pass(order->runs, held ? MIN(until, held->ns - 1) : until, pass_record,
				  order);
		else if (held && held->ns <= until)
			pass_item(order);
		else
			return;
	}
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
	g_queue_push_tail(&order->held, held);
	return true;
}

void order_expect(struct event_order *order, int32_t pid)
{
	struct process *process = find_or_make(order, pid);

	if (!process->told)
		*process = (struct process){ true, INT64_MIN };
}

void order_run(struct event_order *order, int32_t pid, struct record_run *run)
{
	order_expect(order, pid);
	runs_add(order->runs, run);
}

void order_drop_late(struct event_order *order)
{
	order->drops_late = true;
}

void order_reach(struct event_order *order, int32_t pid, int64_t ns)
{
	struct process *process = find_or_make(order, pid);

	process->told = ns != INT64_MAX;
	process->until = ns;
	if (process->told)
		order->latest = MAX(order->latest, ns);
	release(order, bound(order));
}

void order_end(struct event_order *order)
{
	release(order, INT64_MAX);
}
