/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source that findings name, as they were recorded: where memory is allocated, kernels are
 * launched and atomics stand. */
#include "source_files.h"
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
	unsigned around;
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
	for (unsigned at = line > sources->around ? line - sources->around : 1;
	     at <= line + sources->around; at++)
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
	if (finding->piece) {
		add_stack(sources, process, finding->piece->stack_id);
		if (finding->piece->freed)
			add_stack(sources, process, finding->piece->free_stack_id);
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

/* Returns the lines that findings name, and so many around each: file -> line -> text. */
static struct json_object *lines_of(const struct analysis *analysis, unsigned around)
{
	struct sources sources = { .symbolizer = analysis->symbolizer,
				   .files = json_object_new_object(),
				   .around = around };

	for (unsigned i = 0; i < analysis->findings.list->len; i++)
		add_finding(&sources, analysis->findings.list->pdata[i]);
	return sources.files;
}

struct json_object *view_sources(const struct analysis *analysis)
{
	return lines_of(analysis, AROUND);
}

struct json_object *json_source_files(const struct analysis *analysis)
{
	struct json_object *files = lines_of(analysis, 0), *root = json_object_new_object();

	json_object_object_foreach(files, file, lines)
	{
		const struct source_file *source = symbolizer_source(analysis->symbolizer, file);
		struct json_object *entry = json_object_new_object();

		put(entry, "sha256", source->sha256[0] ? text_value(source->sha256) : NULL);
		put(entry, "changed_ns",
		    source->changed_ns ? json_object_new_int64(source->changed_ns) : NULL);
		put(entry, "differs", json_object_new_boolean(source->differs));
		put(entry, "lines", json_object_get(lines));
		put(root, file, entry);
	}
	json_object_put(files);
	return root;
}

const char *json_source_line(struct json_object *files, const char *file, unsigned line)
{
	struct json_object *lines = get_member(get_member(files, file), "lines");
	char key[16];
	const char *text;

	snprintf(key, sizeof(key), "%u", line);
	if (!get_member(lines, key))
		return NULL;
	for (text = get_text(lines, key); g_ascii_isspace(*text);)
		text++;
	return text;
}

void json_source_files_unite(struct json_object *files, struct json_object *more)
{
	if (!json_object_is_type(more, json_type_object))
		return;
	json_object_object_foreach(more, file, entry)
	{
		struct json_object *known = get_member(files, file);
		struct json_object *lines = get_member(entry, "lines");

		if (!known) {
			put(files, file, json_object_get(entry));
			continue;
		}
		/* Of nodes with different files of that name, the first one's is shown. */
		if (strcmp(get_text(known, "sha256"), get_text(entry, "sha256")) != 0 ||
		    !json_object_is_type(lines, json_type_object) ||
		    !json_object_is_type(get_member(known, "lines"), json_type_object))
			continue;
		json_object_object_foreach(lines, number, text)
		    put(get_member(known, "lines"), number, json_object_get(text));
	}
}
