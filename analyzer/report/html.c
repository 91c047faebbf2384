/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTML file without anything from elsewhere: the page of html/, and in it the JSON report and
 * the overview as data. The page never takes data for markup; and no data can end the element that
 * holds it, because '<' is written as an escape.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/disasm.h"
#include "html_page.h"
#include "json_values.h"

struct page {
	const struct analysis *analysis;
	const struct overview *overview;
	struct json_object *names;
	GHashTable *name_index; /* name -> index + 1 */
	GHashTable *site_index; /* struct memory_site -> index */
};

static struct json_object *number(uint64_t value)
{
	return json_object_new_int64((int64_t)value);
}

static void add(struct json_object *list, struct json_object *value)
{
	json_object_array_add(list, value);
}

/* Times in the page count from the first event. */
static struct json_object *moment(const struct page *page, int64_t ns)
{
	return json_object_new_int64(overview_moment(page->overview, ns));
}

static struct json_object *name(struct page *page, const char *text)
{
	gpointer known = g_hash_table_lookup(page->name_index, text);

	if (!known) {
		add(page->names, text_value(text));
		known = GSIZE_TO_POINTER(json_object_array_length(page->names));
		g_hash_table_insert(page->name_index, g_strdup(text), known);
	}
	return number(GPOINTER_TO_SIZE(known) - 1);
}

static struct json_object *sites(struct page *page)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < page->overview->sites->len; i++) {
		struct memory_site *site = page->overview->sites->pdata[i];
		struct json_object *object = json_object_new_object();
		char *place =
		    stack_place(page->analysis->symbolizer, site->process, site->stack_id);
		char *call = memory_site_call(site);

		g_hash_table_insert(page->site_index, site, GUINT_TO_POINTER(i));
		put(object, "pid", json_object_new_int(site->process->pid));
		put(object, "api", text_value(call));
		put(object, "granularity", text_value(model_granularity_name(site->granularity)));
		put(object, "location", text_value(model_location_name(site->location)));
		put(object, "place", text_value(place));
		put(object, "count", number(site->count));
		put(object, "bytes", number(site->bytes));
		put(object, "peak", number(site->peak_bytes));
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

/* [site, address, size, start, end]; end is null while it lives. */
static struct json_object *bars(const struct page *page)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < page->overview->bars->len; i++) {
		const struct memory_bar *bar =
		    &g_array_index(page->overview->bars, struct memory_bar, i);
		struct json_object *row = json_object_new_array();

		add(row,
		    number(GPOINTER_TO_UINT(g_hash_table_lookup(page->site_index, bar->site))));
		add(row, number(bar->address));
		add(row, number(bar->size));
		add(row, moment(page, bar->start_ns));
		add(row, bar->end_ns == INT64_MAX ? NULL : moment(page, bar->end_ns));
		add(list, row);
	}
	return list;
}

static struct json_object *kernel_name(struct page *page, const struct process *process,
				       uint32_t id)
{
	const struct kernel_ref *kernel = process_kernel(process, id);
	char *text = kernel ? isa_demangle(kernel->symbol) : NULL;
	struct json_object *value = name(page, text ? text : "?");

	free(text);
	return value;
}

static struct json_object *span_name(struct page *page, const struct lane *lane,
				     const struct span *span)
{
	if (span->name == OVERVIEW_MIXED)
		return json_object_new_int(-1);
	if (lane->kind != SPAN_LAUNCH)
		return name(page, hg_api_name(span->name));
	return kernel_name(page, lane->process, span->name);
}

/* Spans as [start, end, count, bytes, name]; name -1: several. */
static struct json_object *lanes(struct page *page)
{
	static const char *const kinds[] = {
		[SPAN_LAUNCH] = "launch",     [SPAN_COPY] = "copy", [SPAN_FILL] = "fill",
		[SPAN_PREFETCH] = "prefetch", [SPAN_SYNC] = "sync",
	};
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < page->overview->lanes->len; i++) {
		const struct lane *lane = page->overview->lanes->pdata[i];
		struct json_object *object = json_object_new_object();
		struct json_object *spans = json_object_new_array();
		char stream[24];

		snprintf(stream, sizeof(stream), "%" G_GUINT64_FORMAT, lane->stream);
		put(object, "pid", json_object_new_int(lane->process->pid));
		put(object, "device", json_object_new_int(lane->device));
		put(object, "stream", json_object_new_string(stream)); /* 64 bits */
		put(object, "kind", json_object_new_string(kinds[lane->kind]));
		for (unsigned j = 0; j < lane->spans->len; j++) {
			const struct span *span = &g_array_index(lane->spans, struct span, j);
			struct json_object *row = json_object_new_array();

			add(row, moment(page, span->start_ns));
			add(row, moment(page, span->end_ns));
			add(row, number(span->count));
			add(row, number(span->bytes));
			add(row, span_name(page, lane, span));
			add(spans, row);
		}
		put(object, "spans", spans);
		add(list, object);
	}
	return list;
}

/* [pid, name, launches, work-items] */
static struct json_object *kernels(struct page *page)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < page->overview->kernels->len; i++) {
		const struct kernel_total *total = page->overview->kernels->pdata[i];
		struct json_object *row = json_object_new_array();

		add(row, json_object_new_int(total->process->pid));
		add(row, kernel_name(page, total->process, total->kernel_id));
		add(row, number(total->launches));
		add(row, number(total->work_items));
		add(list, row);
	}
	return list;
}

static struct json_object *histogram(const uint64_t *counts)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < OVERVIEW_CLASSES; i++)
		add(list, number(counts[i]));
	return list;
}

static struct json_object *overview_object(const struct analysis *analysis)
{
	const struct overview *overview = analysis->overview;
	struct page page = {
		.analysis = analysis,
		.overview = overview,
		.names = json_object_new_array(),
		.name_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.site_index = g_hash_table_new(NULL, NULL),
	};
	struct json_object *object = json_object_new_object();

	put(object, "duration_ns", json_object_new_int64(overview_duration(overview)));
	put(object, "sites", sites(&page));
	put(object, "bars", bars(&page));
	put(object, "bars_left_out", number(overview->bars_left_out));
	put(object, "bar_minimum", number(overview->bar_minimum));
	put(object, "lanes", lanes(&page));
	put(object, "merge_gap_ns", json_object_new_int64(overview->merge_gap_ns));
	put(object, "kernels", kernels(&page));
	put(object, "size_histogram", histogram(overview->size_histogram));
	put(object, "lifetime_histogram", histogram(overview->lifetime_histogram));
	put(object, "transfer_histogram", histogram(overview->transfer_histogram));
	put(object, "names", page.names);
	g_hash_table_unref(page.name_index);
	g_hash_table_unref(page.site_index);
	return object;
}

/* '<' stands in strings only, where an escape means the same. */
static void write_escaped(const char *text, FILE *stream)
{
	while (*text) {
		size_t plain = strcspn(text, "<");

		fwrite(text, 1, plain, stream);
		text += plain;
		if (*text) {
			fputs("\\u003c", stream);
			text++;
		}
	}
}

int report_html(const struct analysis *analysis, unsigned style, FILE *stream)
{
	struct json_object *data = json_object_new_object();
	const char *text;
	int result = 0;

	(void)style;
	put(data, "report", report_json_object(analysis));
	put(data, "overview", overview_object(analysis));
	text = json_object_to_json_string_ext(data, JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text) {
		fputs(html_before_data, stream);
		write_escaped(text, stream);
		putc('\n', stream);
		fputs(html_after_data, stream);
	} else {
		result = -ENOMEM;
	}
	json_object_put(data);
	return result;
}
