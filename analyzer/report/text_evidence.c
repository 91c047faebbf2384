/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the text report about what a finding unites: instructions, memory, pages, candidates. */
#include "printer.h"

#include <string.h>

#include "analyzer/rules/engine/evidence.h"

/* ---- instructions ---- */

static bool is_same_line(const struct code_site *a, const struct code_site *b)
{
	return a->line == b->line && g_strcmp0(a->file, b->file) == 0 &&
	       g_strcmp0(a->function, b->function) == 0 &&
	       g_strcmp0(a->instruction, b->instruction) == 0;
}

/* One row for each line of the source: unrolled loops have many instructions on one. */
void put_instructions(const struct printer *printer, const struct finding *finding)
{
	const GPtrArray *sites = finding->instructions;
	bool *done = g_new0(bool, sites->len + 1);
	const char *label = sites->len > 1 ? "instructions" : "instruction";

	for (unsigned i = 0; i < sites->len; i++) {
		const struct code_site *site = sites->pdata[i];
		GString *row;

		if (done[i])
			continue;
		row = g_string_new(site->instruction);
		g_string_append_printf(row, " at +0x%" G_GINT64_MODIFIER "x", site->code_offset);
		for (unsigned k = i + 1; k < sites->len; k++) {
			const struct code_site *other = sites->pdata[k];

			if (!done[k] && site->file && is_same_line(site, other)) {
				g_string_append_printf(row, ", +0x%" G_GINT64_MODIFIER "x",
						       other->code_offset);
				done[k] = true;
			}
		}
		if (site->function)
			g_string_append_printf(row, " of %s", site->function);
		if (site->file)
			g_string_append_printf(row, " (%s:%u)", site->file, site->line);
		put_row(printer, label, row->str);
		label = "";
		g_string_free(row, TRUE);
	}
	g_free(done);
}

/* ---- memory ---- */

char *memory_extent(const struct finding *finding)
{
	const struct memory_range *met = &finding->met;
	GString *text = g_string_new(NULL);

	if (!met->any || met->first_offset == met->last_offset) {
		g_string_append_printf(text, " %" G_GUINT64_FORMAT, finding->offset);
	} else {
		g_string_append_printf(text, "s %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
				       met->first_offset, met->last_offset);
	}
	return g_string_free(text, FALSE);
}

void put_several(const struct printer *printer, const struct finding *finding)
{
	const struct memory_range *met = &finding->met;

	if (!met->several)
		return;
	put_row_owned(printer, "",
		      met->least == met->most
			  ? g_strdup("the first of several allocations of that size")
			  : g_strdup_printf("the first of several allocations, %" G_GUINT64_FORMAT
					    " to %" G_GUINT64_FORMAT " bytes",
					    met->least, met->most));
}

void put_pages(const struct printer *printer, const struct finding *finding)
{
	GString *row = g_string_new(NULL);
	enum granularity last = GRAIN_UNKNOWN;
	uint64_t start = 0;

	for (unsigned i = 0; i < finding->pages->len; i++) {
		const struct page_stretch *stretch =
		    &g_array_index(finding->pages, struct page_stretch, i);
		uint64_t end = stretch->offset + stretch->size;
		bool ends = i + 1 == finding->pages->len ||
			    g_array_index(finding->pages, struct page_stretch, i + 1).granularity !=
				stretch->granularity;

		if (stretch->granularity != last) {
			start = stretch->offset;
			last = stretch->granularity;
		}
		if (ends) {
			g_string_append_printf(
			    row, "%soffsets %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " are %s",
			    row->len ? ", " : "", start, end - 1, model_granularity_name(last));
		}
	}
	if (row->len) {
		g_string_append(row, finding->met.several ? " (of the first allocation)" : "");
		put_row(printer, "pages", row->str);
	}
	g_string_free(row, TRUE);
	for (unsigned i = 0; i < finding->pages->len; i++) {
		const struct page_stretch *stretch =
		    &g_array_index(finding->pages, struct page_stretch, i);
		const struct page_call *call = &stretch->call;
		uint64_t base = finding->allocation->ptr;
		bool before = false;

		for (unsigned k = 0; k < i; k++) {
			const struct page_stretch *earlier =
			    &g_array_index(finding->pages, struct page_stretch, k);

			before |= earlier->advised && earlier->call.ns == call->ns &&
				  earlier->call.ptr == call->ptr;
		}
		if (!stretch->advised || before)
			continue;
		put_stack(printer, "advised", finding->process, call->stack_id);
		put_row_owned(
		    printer, "",
		    call->ptr >= base
			? g_strdup_printf("%s, %" G_GUINT64_FORMAT
					  " bytes from offset %" G_GUINT64_FORMAT " on",
					  page_call_name(call), call->size, call->ptr - base)
			: g_strdup_printf("%s, %" G_GUINT64_FORMAT " bytes from %" G_GUINT64_FORMAT
					  " bytes before the allocation on",
					  page_call_name(call), call->size, base - call->ptr));
	}
}

void put_candidates(const struct printer *printer, const struct finding *finding)
{
	for (unsigned i = 0; i < finding->candidates->len; i++) {
		const struct candidate *candidate = finding->candidates->pdata[i];
		const struct allocation *allocation = candidate->allocation;
		GString *row = g_string_new(NULL);

		if (candidate->count > 1) {
			g_string_append_printf(row, "%" G_GUINT64_FORMAT " allocations of ",
					       candidate->count);
		}
		g_string_append_printf(row, "%" G_GUINT64_FORMAT, candidate->least);
		if (candidate->least != candidate->most)
			g_string_append_printf(row, " to %" G_GUINT64_FORMAT, candidate->most);
		g_string_append_printf(row, " bytes from %s%s%s, %s%s",
				       hg_api_name(allocation->api), allocation->symbol ? " " : "",
				       allocation->symbol ? allocation->symbol : "",
				       candidate->mixed ? "in part " : "",
				       model_granularity_name(candidate->granularity));
		if (candidate->kernarg >= 0) {
			g_string_append_printf(
			    row, ", passed at byte %" G_GINT64_FORMAT " of the arguments",
			    candidate->kernarg);
		}
		put_row(printer, "candidate", row->str);
		if (candidate->why)
			put_row(printer, "", candidate->why);
		if (!allocation->symbol)
			put_stack(printer, "", finding->process, allocation->stack_id);
		g_string_free(row, TRUE);
	}
	if (finding->candidates_left_out) {
		put_row_owned(printer, "",
			      g_strdup_printf("%" G_GUINT64_FORMAT " more are not listed",
					      finding->candidates_left_out));
	}
}
