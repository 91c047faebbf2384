/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source for the HTML report: where memory is allocated, kernels are launched and atomics
 * stand. */
#include "view.h"

#include <string.h>

#include "analyzer/analyze.h"
#include "analyzer/rules/engine/evidence.h"
#include "json_values.h"

#define AROUND     4u    /* lines before and after one that is named */
#define LINES_KEPT 20000 /* in one recording */
#define LINE_BYTES 400   /* of one line; the rest of longer ones is left out */

struct sources {
	struct symbolizer *symbolizer;
	struct json_object *files;
	unsigned count;
};

static void add_line(struct sources *sources, struct json_object *lines, const char *file,
		     unsigned line)
{
	const char *text = source_text_line(sources->symbolizer, file, line);
	char key[16], *cut;

	snprintf(key, sizeof(key), "%u", line);
	if (!text || sources->count >= LINES_KEPT || get_member(lines, key))
		return;
	sources->count++;
	cut = g_strndup(text, LINE_BYTES); /* text_value() mends a character that was cut */
	put(lines, key, text_value(cut));
	g_free(cut);
}

static void add_place(struct sources *sources, const char *file, unsigned line)
{
	struct json_object *lines;
	char *name;

	if (!file || !line || !source_line(sources->symbolizer, file, line))
		return;
	name = g_utf8_make_valid(file, -1); /* as text_value() has it elsewhere */
	lines = get_member(sources->files, name);
	if (!lines) {
		lines = json_object_new_object();
		put(sources->files, name, lines);
	}
	for (unsigned at = line > AROUND ? line - AROUND : 1; at <= line + AROUND; at++)
		add_line(sources, lines, file, at);
	g_free(name);
}

static void add_stack(struct sources *sources, const struct process *process, uint32_t stack_id)
{
	const struct source_frame *frame = stack_user_frame(sources->symbolizer, process, stack_id);

	if (frame)
		add_place(sources, frame->file, frame->line);
}

static void add_finding(struct sources *sources, const struct finding *finding)
{
	const struct process *process = finding->process;

	for (unsigned i = 0; i < finding->instructions->len; i++) {
		const struct code_site *site = finding->instructions->pdata[i];

		add_place(sources, site->file, site->line);
	}
	add_place(sources, finding->device_file, finding->device_line);
	add_place(sources, finding->edit.file, finding->edit.line);
	if (finding->allocation) {
		add_stack(sources, process, finding->allocation->stack_id);
		if (finding->allocation->freed)
			add_stack(sources, process, finding->allocation->free_stack_id);
	}
	if (finding->sites->len)
		add_stack(sources, process, g_array_index(finding->sites, struct site, 0).stack_id);
	if (finding->related_stack_id)
		add_stack(sources, process, finding->related_stack_id);
	for (unsigned i = 0; i < finding->pages->len; i++) {
		const struct page_stretch *stretch =
		    &g_array_index(finding->pages, struct page_stretch, i);

		if (stretch->advised)
			add_stack(sources, process, stretch->call.stack_id);
	}
	for (unsigned i = 0; i < finding->candidates->len; i++) {
		const struct candidate *candidate = finding->candidates->pdata[i];

		add_stack(sources, process, candidate->allocation->stack_id);
	}
}

struct json_object *view_sources(const struct analysis *analysis)
{
	struct sources sources = { .symbolizer = analysis->symbolizer,
				   .files = json_object_new_object() };

	for (unsigned i = 0; i < analysis->findings.list->len; i++)
		add_finding(&sources, analysis->findings.list->pdata[i]);
	return sources.files;
}
