/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace event format (JSON object form), which Perfetto's user interface opens: one
 * process a process, one thread a stream or a waiting host thread, one complete event ("X") a
 * call or several that lie close together; an asynchronous event from a launch to the end of the
 * next wait for its stream, which is an upper bound of the kernel's end; and counters of memory
 * that is live; chrome_migration.c adds the pages that moved, chrome_ranges.c the program's ranges.
 */
#include "chrome.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/disasm.h"
#include "analyzer/ranks.h"
#include "json_values.h"
#include "report.h"

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

struct json_object *chrome_moment(const struct chrome_trace *trace, int64_t ns)
{
	return json_object_new_double((double)(ns - trace->overview->first_ns) / 1000.0);
}

struct json_object *chrome_event(struct chrome_trace *trace, const char *phase, const char *name,
				 int32_t pid, int tid)
{
	struct json_object *object = json_object_new_object();

	put(object, "ph", text(phase));
	put(object, "name", text_value(name));
	put(object, "pid", json_object_new_int(pid));
	put(object, "tid", json_object_new_int(tid));
	json_object_array_add(trace->events, object);
	return object;
}

/* Metadata events give processes and rows their names. */
static void name_row(struct chrome_trace *trace, const char *kind, int32_t pid, int tid,
		     const char *name)
{
	struct json_object *arguments = json_object_new_object();

	put(arguments, "name", text_value(name));
	put(chrome_event(trace, "M", kind, pid, tid), "args", arguments);
}

int chrome_row(struct chrome_trace *trace, int32_t pid, const char *key, const char *name)
{
	gpointer known = g_hash_table_lookup(trace->rows, key);
	int row;

	if (known)
		return GPOINTER_TO_INT(known);
	row = (int)g_hash_table_size(trace->rows) + 1;
	g_hash_table_insert(trace->rows, g_strdup(key), GINT_TO_POINTER(row));
	name_row(trace, "thread_name", pid, row, name);
	return row;
}

/* Lanes of different kinds on one stream are one row. */
int chrome_lane_row(struct chrome_trace *trace, const struct lane *lane)
{
	char *key = g_strdup_printf("%p %d %" G_GUINT64_FORMAT, (const void *)lane->process,
				    lane->device, lane->stream);
	char *name = lane_name(lane);
	int row;

	row = chrome_row(trace, lane->process->pid, key, name);
	g_free(key);
	g_free(name);
	return row;
}

static char *span_name(const struct lane *lane, const struct span *span)
{
	static const char *const several[] = {
		[SPAN_LAUNCH] = "several kernels", [SPAN_COPY] = "several kinds of copies",
		[SPAN_FILL] = "several fills",     [SPAN_PREFETCH] = "several prefetches",
		[SPAN_SYNC] = "several waits",     [SPAN_GPU] = "several kernels and copies",
	};
	const struct kernel_ref *kernel;

	if (span->name == OVERVIEW_MIXED)
		return strdup(several[lane->kind]);
	if (lane->kind == SPAN_GPU && !span->name)
		return strdup("copy or fill");
	if (lane->kind != SPAN_LAUNCH && lane->kind != SPAN_GPU)
		return strdup(hg_api_name(span->name));
	kernel = process_kernel(lane->process, span->name);
	return kernel ? isa_demangle(kernel->symbol) : strdup("?");
}

/*
 * Bounds of several launches in a stream overlap without lying within each other, which complete
 * events must not: so they are asynchronous ones, with rows of their own.
 */
static void add_bound(struct chrome_trace *trace, const struct lane *lane, const struct span *span,
		      const char *kernel, int row)
{
	char *name = g_strdup_printf("at most: %s", kernel);
	const int64_t moments[] = { span->start_ns, span->done_ns };

	trace->bounds++;
	for (unsigned i = 0; i < G_N_ELEMENTS(moments); i++) {
		struct json_object *object =
		    chrome_event(trace, i ? "e" : "b", name, lane->process->pid, row);

		put(object, "cat", text("upper bound"));
		put(object, "id", json_object_new_int64(trace->bounds));
		put(object, "ts", chrome_moment(trace, moments[i]));
		if (i == 0) {
			struct json_object *arguments = json_object_new_object();

			put(arguments, "upper bound",
			    text("from the launch to the end of the next wait for its stream; "
				 "when the kernel ended is not recorded"));
			put(object, "args", arguments);
		}
	}
	g_free(name);
}

static void add_lane(struct chrome_trace *trace, const struct lane *lane)
{
	int row = chrome_lane_row(trace, lane);

	for (unsigned i = 0; i < lane->spans->len; i++) {
		const struct span *span = &g_array_index(lane->spans, struct span, i);
		struct json_object *arguments = json_object_new_object();
		char *name = span_name(lane, span);
		struct json_object *object =
		    chrome_event(trace, "X", name ? name : "?", lane->process->pid, row);

		put(object, "ts", chrome_moment(trace, span->start_ns));
		/* An arrow needs some length to begin at. */
		put(object, "dur",
		    json_object_new_double((double)MAX(span->end_ns - span->start_ns, 1) / 1000.0));
		put(arguments, "calls", json_object_new_int64((int64_t)span->count));
		if (span->bytes)
			put(arguments, "bytes", json_object_new_int64((int64_t)span->bytes));
		put(object, "args", arguments);
		if (span->done_ns)
			add_bound(trace, lane, span, name ? name : "?", row);
		free(name);
	}
}

/* ---- memory that is live: one step for each beginning and end of an allocation on the map ---- */

struct step {
	struct process *process;
	enum granularity granularity;
	int64_t ns, bytes;
};

static int by_time(gconstpointer a, gconstpointer b)
{
	const struct step *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static void add_counters(struct chrome_trace *trace)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct step));
	GHashTable *live = g_hash_table_new_full(NULL, NULL, NULL, g_free);

	for (unsigned i = 0; i < trace->overview->bars->len; i++) {
		const struct memory_bar *bar =
		    &g_array_index(trace->overview->bars, struct memory_bar, i);
		struct step step = { bar->site->process, bar->site->granularity, bar->start_ns,
				     (int64_t)bar->size };

		if (bar->site->layer != LAYER_HIP)
			continue;
		g_array_append_val(steps, step);
		step.ns = bar->end_ns;
		step.bytes = -step.bytes;
		if (bar->end_ns != INT64_MAX)
			g_array_append_val(steps, step);
	}
	g_array_sort(steps, by_time);
	for (unsigned i = 0; i < steps->len; i++) {
		const struct step *step = &g_array_index(steps, struct step, i);
		int64_t *totals = g_hash_table_lookup(live, step->process);
		struct json_object *arguments = json_object_new_object();
		struct json_object *object =
		    chrome_event(trace, "C", "memory from HIP", step->process->pid, 0);

		if (!totals) {
			totals = g_new0(int64_t, GRAIN_COARSE + 1);
			g_hash_table_insert(live, step->process, totals);
		}
		totals[step->granularity] += step->bytes;
		for (int grain = 0; grain <= GRAIN_COARSE; grain++) {
			put(arguments, model_granularity_name((enum granularity)grain),
			    json_object_new_int64(totals[grain]));
		}
		put(object, "ts", chrome_moment(trace, step->ns));
		put(object, "args", arguments);
	}
	g_hash_table_unref(live);
	g_array_unref(steps);
}

/* Ranks of a job stand in their order. */
static void name_process(struct chrome_trace *trace, const struct process *process)
{
	const char *command = process->cmdline[0] ? process->cmdline : process->exe;
	int rank = process_rank(process);
	struct json_object *arguments;
	char *name;

	if (rank < 0) {
		name_row(trace, "process_name", process->pid, 0, command);
		return;
	}
	name = g_strdup_printf("rank %d: %s", rank, command);
	name_row(trace, "process_name", process->pid, 0, name);
	g_free(name);
	arguments = json_object_new_object();
	put(arguments, "sort_index", json_object_new_int(rank));
	put(chrome_event(trace, "M", "process_sort_index", process->pid, 0), "args", arguments);
}

struct json_object *chrome_object(const struct analysis *analysis)
{
	struct chrome_trace trace = {
		.overview = analysis->overview,
		.events = json_object_new_array(),
		.rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
	struct json_object *root = json_object_new_object(), *other = json_object_new_object();

	for (unsigned i = 0; i < analysis->replay.processes->len; i++)
		name_process(&trace, analysis->replay.processes->pdata[i]);
	for (unsigned i = 0; i < trace.overview->lanes->len; i++)
		add_lane(&trace, trace.overview->lanes->pdata[i]);
	add_counters(&trace);
	chrome_migration(&trace, analysis);
	chrome_ranges(&trace);
	put(root, "traceEvents", trace.events);
	put(root, "displayTimeUnit", text("ns"));
	put(other, "first_ns", json_object_new_int64(trace.overview->first_ns));
	if (trace.overview->ranges_left_out)
		put(other, "ranges_left_out",
		    json_object_new_int64((int64_t)trace.overview->ranges_left_out));
	put(root, "otherData", other);
	g_hash_table_unref(trace.rows);
	return root;
}

int report_chrome(const struct analysis *analysis, unsigned style, FILE *stream)
{
	(void)style;
	return write_json(chrome_object(analysis), stream);
}
