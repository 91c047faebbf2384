/* SPDX-License-Identifier: Apache-2.0 */
/* The overview of one recording as JSON: names, frames and stacks once each, rows as arrays. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/analyze.h"
#include "analyzer/isa/disasm.h"
#include "analyzer/ranks.h"
#include "analyzer/replay/thread_names.h"
#include "history.h"
#include "json_values.h"

#define SPAN_MEMBERS 8

struct view {
	const struct analysis *analysis;
	const struct overview *overview;
	struct json_object *names, *frames, *stacks;
	GHashTable *name_index;    /* name -> index + 1 */
	GHashTable *frame_index;   /* text -> index + 1 */
	GHashTable *site_index;    /* struct memory_site -> index + 1 */
	GHashTable *process_index; /* struct process -> index */
};

static struct json_object *number(uint64_t value)
{
	return json_object_new_int64((int64_t)value);
}

static void add(struct json_object *list, struct json_object *value)
{
	json_object_array_add(list, value);
}

/* Returns a time in the view, which counts from the first event. */
static struct json_object *moment(const struct view *view, int64_t ns)
{
	return json_object_new_int64(overview_moment(view->overview, ns));
}

static struct json_object *name(struct view *view, const char *text)
{
	gpointer known = g_hash_table_lookup(view->name_index, text);

	if (!known) {
		add(view->names, text_value(text));
		known = GSIZE_TO_POINTER(json_object_array_length(view->names));
		g_hash_table_insert(view->name_index, g_strdup(text), known);
	}
	return number(GPOINTER_TO_SIZE(known) - 1);
}

static struct json_object *process_of(const struct view *view, const struct process *process)
{
	return number(GPOINTER_TO_UINT(g_hash_table_lookup(view->process_index, process)));
}

static struct json_object *processes(struct view *view)
{
	const GPtrArray *all = view->analysis->replay.processes;
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < all->len; i++) {
		const struct process *process = all->pdata[i];
		const struct memory_peaks *peaks = overview_peaks(view->overview, process);
		struct json_object *object = json_object_new_object();
		int rank = process_rank(process);

		g_hash_table_insert(view->process_index, (gpointer)process, GUINT_TO_POINTER(i));
		put(object, "pid", json_object_new_int(process->pid));
		put(object, "rank", rank < 0 ? NULL : json_object_new_int(rank));
		put(object, "command",
		    text_value(process->cmdline[0] ? process->cmdline : process->exe));
		put(object, "peak", peaks ? number(peaks->peak) : NULL);
		put(object, "peak_ns", peaks ? moment(view, peaks->peak_ns) : NULL);
		add(list, object);
	}
	return list;
}

/* ---- call stacks ---- */

/* [function, file, line, module]: names by index, -1 where it is not known. */
static struct json_object *frame(struct view *view, const struct source_frame *frame)
{
	const char *const texts[] = { frame->function, frame->file, NULL, frame->module };
	char *key = g_strdup_printf("%s\n%s\n%u\n%s", frame->function ? frame->function : "",
				    frame->file ? frame->file : "", frame->line,
				    frame->module ? frame->module : "");
	gpointer known = g_hash_table_lookup(view->frame_index, key);
	struct json_object *row;

	if (known) {
		g_free(key);
		return number(GPOINTER_TO_SIZE(known) - 1);
	}
	row = json_object_new_array();
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		add(row, i == 2     ? json_object_new_int64(frame->line)
			 : texts[i] ? name(view, texts[i])
				    : json_object_new_int(-1));
	}
	add(view->frames, row);
	known = GSIZE_TO_POINTER(json_object_array_length(view->frames));
	g_hash_table_insert(view->frame_index, key, known);
	return number(GPOINTER_TO_SIZE(known) - 1);
}

/* Returns the index of a stack, innermost frame first. */
static struct json_object *stack(struct view *view, const struct memory_site *site)
{
	const GPtrArray *frames =
	    symbolize_stack(view->analysis->symbolizer, site->process, site->stack_id);
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < frames->len; i++)
		add(list, frame(view, frames->pdata[i]));
	add(view->stacks, list);
	return number(json_object_array_length(view->stacks) - 1);
}

/* ---- memory ---- */

static const char *kind_of(const struct memory_site *site)
{
	static const char *const names[] = {
		[KIND_UNKNOWN] = "unknown", [KIND_SYSTEM] = "pageable", [KIND_MANAGED] = "managed",
		[KIND_PINNED] = "pinned",   [KIND_DEVICE] = "device",
	};

	return names[site->kind];
}

static struct json_object *sites(struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < view->overview->sites->len; i++) {
		struct memory_site *site = view->overview->sites->pdata[i];
		struct json_object *object = json_object_new_object();
		char *place =
		    stack_place(view->analysis->symbolizer, site->process, site->stack_id);
		char *call = memory_site_call(site);

		g_hash_table_insert(view->site_index, site, GUINT_TO_POINTER(i + 1));
		put(object, "process", process_of(view, site->process));
		put(object, "api", text_value(call));
		put(object, "granularity", text_value(model_granularity_name(site->granularity)));
		put(object, "location", text_value(model_location_name(site->location)));
		put(object, "kind", text_value(kind_of(site)));
		put(object, "place", text_value(place));
		put(object, "stack", stack(view, site));
		put(object, "count", number(site->count));
		put(object, "bytes", number(site->bytes));
		put(object, "peak", number(site->peak_bytes));
		/* Registered memory is another allocation's. */
		put(object, "at_peak", number(site->layer == LAYER_REGISTERED ? 0 : site->at_peak));
		put(object, "largest", number(site->largest));
		put(object, "live_count", number(site->live_count));
		put(object, "live_bytes", number(site->live_bytes));
		put(object, "used", site->totals ? NULL : number(site->used_bytes));
		add(list, object);
		g_free(call);
		g_free(place);
	}
	return list;
}

/* Returns the index of a site, -1 for no site, or for several. */
static struct json_object *site_of(const struct view *view, const struct memory_site *site)
{
	gpointer index = site ? g_hash_table_lookup(view->site_index, site) : NULL;

	return json_object_new_int64((int64_t)GPOINTER_TO_UINT(index) - 1);
}

/* [site, address, size, start, end]; end is null while it lives. */
static struct json_object *bars(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < view->overview->bars->len; i++) {
		const struct memory_bar *bar =
		    &g_array_index(view->overview->bars, struct memory_bar, i);
		struct json_object *row = json_object_new_array();

		add(row, site_of(view, bar->site));
		add(row, number(bar->address));
		add(row, number(bar->size));
		add(row, moment(view, bar->start_ns));
		add(row, bar->end_ns == INT64_MAX ? NULL : moment(view, bar->end_ns));
		add(list, row);
	}
	return list;
}

/* ---- what was done ---- */

static struct json_object *kernel_name(struct view *view, const struct process *process,
				       uint32_t id)
{
	const struct kernel_ref *kernel = process_kernel(process, id);
	char *text = kernel ? isa_demangle(kernel->symbol) : NULL;
	struct json_object *value = name(view, text ? text : "?");

	free(text);
	return value;
}

static struct json_object *span_name(struct view *view, const struct lane *lane,
				     const struct span *span)
{
	if (span->name == OVERVIEW_MIXED)
		return json_object_new_int(-1);
	if (lane->kind == SPAN_GPU && !span->name)
		return name(view, "copy or fill");
	if (lane->kind != SPAN_LAUNCH && lane->kind != SPAN_GPU)
		return name(view, hg_api_name(span->name));
	return kernel_name(view, lane->process, span->name);
}

/*
 * [start, end, count, bytes, name, done, to, from]; name -1: several; done 0: not known. The last
 * ones are left out where they say nothing.
 */
static struct json_object *span_row(struct view *view, const struct lane *lane,
				    const struct span *span)
{
	struct json_object *row = json_object_new_array();
	unsigned length = span->from ? 8 : span->to ? 7 : span->done_ns ? 6 : 5;
	struct json_object *const members[SPAN_MEMBERS] = {
		moment(view, span->start_ns),
		moment(view, span->end_ns),
		number(span->count),
		number(span->bytes),
		span_name(view, lane, span),
		span->done_ns ? moment(view, span->done_ns) : number(0),
		site_of(view, span->to),
		site_of(view, span->from),
	};

	for (unsigned i = 0; i < SPAN_MEMBERS; i++)
		if (i < length)
			add(row, members[i]);
		else
			json_object_put(members[i]);
	return row;
}

static struct json_object *lanes(struct view *view)
{
	static const char *const kinds[] = {
		[SPAN_LAUNCH] = "launch",     [SPAN_COPY] = "copy", [SPAN_FILL] = "fill",
		[SPAN_PREFETCH] = "prefetch", [SPAN_SYNC] = "sync", [SPAN_GPU] = "gpu",
	};
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < view->overview->lanes->len; i++) {
		const struct lane *lane = view->overview->lanes->pdata[i];
		struct json_object *object = json_object_new_object();
		struct json_object *spans = json_object_new_array();
		char stream[24], *name = lane_name(lane);

		snprintf(stream, sizeof(stream), "%" G_GUINT64_FORMAT, lane->stream);
		put(object, "process", process_of(view, lane->process));
		put(object, "device", json_object_new_int(lane->device));
		put(object, "stream", json_object_new_string(stream)); /* 64 bits */
		put(object, "name", json_object_new_string(name));
		put(object, "number", json_object_new_int64(lane->last));
		g_free(name);
		put(object, "kind", json_object_new_string(kinds[lane->kind]));
		for (unsigned j = 0; j < lane->spans->len; j++) {
			add(spans,
			    span_row(view, lane, &g_array_index(lane->spans, struct span, j)));
		}
		put(object, "spans", spans);
		add(list, object);
	}
	return list;
}

/*
 * Returns the site of the allocation: bars of the memory that moved are found by the call stack of
 * its allocation.
 */
static struct json_object *site_of_allocation(const struct view *view,
					      const struct process *process,
					      const struct allocation *allocation)
{
	for (unsigned i = 0; allocation && i < view->overview->sites->len; i++) {
		const struct memory_site *site = view->overview->sites->pdata[i];

		if (site->process == process && site->api == allocation->api &&
		    site->stack_id == allocation->stack_id && site->flags == allocation->flags &&
		    site->device == allocation->device && !site->totals)
			return site_of(view, site);
	}
	return json_object_new_int(-1);
}

/* [process, start, end, from, to, bytes, cause, site, kernel]; kernel -1: none, or not known. */
static struct json_object *moves(struct view *view)
{
	const GPtrArray *all = migration_result(&view->analysis->findings)->spans;
	unsigned count = MIN(all->len, view->overview->most_spans);
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < count; i++) {
		const struct migration_span *span = all->pdata[i];
		struct json_object *row = json_object_new_array();

		add(row, process_of(view, span->process));
		add(row, moment(view, span->first_ns));
		add(row, moment(view, span->last_ns));
		add(row, json_object_new_int(span->from));
		add(row, json_object_new_int(span->to));
		add(row, number(span->bytes));
		add(row, name(view, move_cause_name(span->trigger)));
		add(row, site_of_allocation(view, span->process, span->allocation));
		add(row, span->kernel_id ? kernel_name(view, span->process, span->kernel_id)
					 : json_object_new_int(-1));
		add(list, row);
	}
	return list;
}

/* [process, name, launches, work-items] */
static struct json_object *kernels(struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < view->overview->kernels->len; i++) {
		const struct kernel_total *total = view->overview->kernels->pdata[i];
		struct json_object *row = json_object_new_array();

		add(row, process_of(view, total->process));
		add(row, kernel_name(view, total->process, total->kernel_id));
		add(row, number(total->launches));
		add(row, number(total->work_items));
		add(list, row);
	}
	return list;
}

/* [process, thread, level, start, end, name, the thread's name]; end is null where none was
 * recorded, and the last where the program gave none. */
static struct json_object *ranges(struct view *view)
{
	GArray *spans = overview_range_spans(view->overview);
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < spans->len; i++) {
		const struct range_span *span = &g_array_index(spans, struct range_span, i);
		struct json_object *row = json_object_new_array();
		const char *thread;

		add(row, process_of(view, span->process));
		add(row, json_object_new_int(span->tid));
		add(row, number(span->level));
		add(row, moment(view, span->start_ns));
		add(row, span->end_ns == INT64_MAX ? NULL : moment(view, span->end_ns));
		add(row, name(view, span->name));
		thread = thread_label(span->process, span->tid);
		add(row, thread ? name(view, thread) : NULL);
		add(list, row);
	}
	g_array_unref(spans);
	return list;
}

static struct json_object *histogram(const uint64_t *counts)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < OVERVIEW_CLASSES; i++)
		add(list, number(counts[i]));
	return list;
}

struct json_object *view_object(const struct analysis *analysis)
{
	const struct overview *overview = analysis->overview;
	struct view view = {
		.analysis = analysis,
		.overview = overview,
		.names = json_object_new_array(),
		.frames = json_object_new_array(),
		.stacks = json_object_new_array(),
		.name_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.frame_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.site_index = g_hash_table_new(NULL, NULL),
		.process_index = g_hash_table_new(NULL, NULL),
	};
	struct json_object *object = json_object_new_object();

	put(object, "duration_ns", json_object_new_int64(overview_duration(overview)));
	put(object, "processes", processes(&view));
	put(object, "sites", sites(&view));
	put(object, "bars", bars(&view));
	put(object, "bars_left_out", number(overview->bars_left_out));
	put(object, "bar_minimum", number(overview->bar_minimum));
	put(object, "lanes", lanes(&view));
	put(object, "merge_gap_ns", json_object_new_int64(overview->merge_gap_ns));
	put(object, "moves", moves(&view));
	put(object, "ranges", ranges(&view));
	put(object, "ranges_left_out", number(overview->ranges_left_out));
	put(object, "kernels", kernels(&view));
	put(object, "size_histogram", histogram(overview->size_histogram));
	put(object, "lifetime_histogram", histogram(overview->lifetime_histogram));
	put(object, "transfer_histogram", histogram(overview->transfer_histogram));
	put(object, "names", view.names);
	put(object, "frames", view.frames);
	put(object, "stacks", view.stacks);
	put(object, "sources", view_sources(analysis));
	g_hash_table_unref(view.name_index);
	g_hash_table_unref(view.frame_index);
	g_hash_table_unref(view.site_index);
	g_hash_table_unref(view.process_index);
	return object;
}
