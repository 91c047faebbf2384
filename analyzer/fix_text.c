/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a fix, filled in with what the source files have. */
#include "fix_text.h"

#include <string.h>

#include "analyzer/fix_language.h"
#include "analyzer/fix_site.h"
#include "analyzer/rules/atomics/atomic_fixes.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/words.h"
#include "tracer/api/hip_alloc_managed.h"

/* ---- tokens ---- */

static void replace(struct finding *finding, const char *token, const char *by)
{
	char **parts = g_strsplit(finding->fix, token, -1);

	g_free(finding->fix);
	finding->fix = g_strjoinv(by, parts);
	g_strfreev(parts);
}

/* The alternative that holds `token` is left out: nothing is known to put there. */
static void leave_out(struct finding *finding, const char *token)
{
	char **alternatives = g_strsplit(finding->fix, ";\nor ", -1);
	GString *kept = g_string_new(NULL);

	for (unsigned i = 0; alternatives[i]; i++) {
		if (!strstr(alternatives[i], token)) {
			g_string_append_printf(kept, "%s%s", kept->len ? ";\nor " : "",
					       alternatives[i]);
		}
	}
	g_strfreev(alternatives);
	g_free(finding->fix);
	finding->fix = g_string_free(kept, kept->len == 0);
}

/* Returns true if the line of `frame` requests the memory of a wrapper, which allocates it. */
static bool is_wrapped(const struct finding *finding, struct symbolizer *symbolizer,
		       const struct source_frame *frame)
{
	return frame && innermost_frame(symbolize_stack(symbolizer, finding->process,
							finding->allocation->stack_id)) != frame;
}

/* Returns the note on the names that stand for what the source does not tell; `sized`: the fix has
 * a size. */
static const char *note_of(const char *variable, const char *size, bool sized,
			   enum source_language language)
{
	if (language == LANGUAGE_FORTRAN)
		return sized ? " (with hipfort; p, bytes: the type(c_ptr) of this memory and its "
			       "size)"
			     : " (p: the type(c_ptr) of this memory)";
	if (language == LANGUAGE_PYTHON)
		return sized
			   ? " (with HIP Python; p, bytes: the pointer to this memory and its size)"
			   : " (p: the pointer to this memory)";
	if (sized && !size)
		return variable ? " (bytes: the size of this memory)"
				: " (p, bytes: the pointer to this memory and its size)";
	return variable ? "" : " (p: the pointer to this memory)";
}

/* Says that a line allocates for others, too, and which one requests this memory. */
static void name_requester(struct finding *finding, const struct source_frame *frame,
			   const struct source_frame *requester)
{
	bool managed = finding->allocation->api == HG_API_hipMallocManaged;
	char *name =
	    frame->function ? g_strndup(frame->function, strcspn(frame->function, "(")) : NULL;
	char *fix = g_strdup_printf(
	    "%s\n%s:%u%s%s%s allocates for others, too; this memory is requested %sat %s:%u",
	    finding->fix, frame->file, frame->line, name ? " (" : "", name ? name : "",
	    name ? ")" : "", managed ? "as managed " : "", requester->file, requester->line);

	g_free(name);
	g_free(finding->fix);
	finding->fix = fix;
}

/*
 * The first alternative is advice, to be inserted behind the allocation. Nothing else is: where a
 * prefetch belongs depends on who writes the memory in between.
 */
static void set_edit(struct finding *finding, const struct fix_site *site)
{
	const char *call = strstr(finding->fix, ": hipMemAdvise(");
	const char *end = call ? strchr(call, ';') : NULL;
	struct finding part;

	if (!g_str_has_prefix(finding->fix, "insert" FIX_SITE) || !end || site->obstacle)
		return;
	part.fix = g_strndup(call + 2, (gsize)(end + 1 - (call + 2)));
	replace(&part, FIX_POINTER, site->variable);
	replace(&part, FIX_SIZE, site->size);
	finding->edit = fix_site_edit(site, part.fix);
	g_free(part.fix);
}

static void name_allocation(struct finding *finding, struct symbolizer *symbolizer,
			    int64_t began_ns)
{
	const struct allocation *allocation = finding->allocation;
	uint32_t stack = allocation ? allocation->stack_id : 0;
	const struct source_frame *frame = stack_user_frame(symbolizer, finding->process, stack);
	const struct source_frame *requester =
	    allocation ? stack_requester(symbolizer, finding->process, stack) : NULL;
	bool wraps = allocation && is_wrapped(finding, symbolizer, frame);
	enum source_language language = fix_language(frame);
	struct fix_site site = { 0 };
	char *text;

	fix_advise_in(&finding->fix, language, finding->process->runtime_version);
	if (frame && frame->file && allocation) {
		site = fix_site_at(symbolizer, frame, hg_api_name(allocation->api), began_ns);
		set_edit(finding, &site);
	}
	text = site.file ? fix_site_text(&site, wraps) : g_strdup(" after the allocation");
	replace(finding, FIX_SITE, text);
	g_free(text);
	replace(finding, FIX_POINTER, site.variable ? site.variable : "p");
	replace(finding, FIX_POINTER_NOTE,
		note_of(site.variable, site.size, strstr(finding->fix, FIX_SIZE), language));
	/* The number would be that of one instance. */
	replace(finding, FIX_SIZE, site.size ? site.size : "bytes");
	if (site.file && requester && requester->file)
		name_requester(finding, frame, requester);
	fix_site_clear(&site);
}

/* The lines of the kernel that a fix changes. */
struct updates {
	char *places; /* "k.hip:5 and k.hip:7"; NULL without line tables */
	char *others; /* of the same finding, where the update is written otherwise; NULL: none */
};

/*
 * Names the lines of all instructions of the finding, each once. The fix is worded for the name
 * that the first one has for the update: lines without that name are `others`.
 */
static struct updates name_lines(const struct finding *finding, struct symbolizer *symbolizer)
{
	const char *name = finding_source(finding)->name;
	GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
	GPtrArray *others = g_ptr_array_new_with_free_func(g_free);
	struct updates updates = { 0 };

	for (unsigned i = 0; i < finding->instructions->len; i++) {
		const struct code_site *site = finding->instructions->pdata[i];
		const char *line =
		    site->file ? source_line(symbolizer, site->file, site->line) : NULL;
		GPtrArray *list = i && line && name && !strstr(line, name) ? others : places;
		char *place = site->file ? g_strdup_printf("%s:%u", site->file, site->line) : NULL;

		if (place && !g_ptr_array_find_with_equal_func(list, place, g_str_equal, NULL))
			g_ptr_array_add(list, g_steal_pointer(&place));
		g_free(place);
	}
	updates.places = places->len ? words_list(places) : NULL;
	updates.others = others->len ? words_list(others) : NULL;
	if (places->len > 1) /* each has its own */
		g_clear_pointer(&finding_source(finding)->arguments, g_free);
	g_ptr_array_free(places, TRUE);
	g_ptr_array_free(others, TRUE);
	return updates;
}

static void name_update(struct finding *finding, struct symbolizer *symbolizer)
{
	static const struct {
		const char *token;
		char *(*text)(const struct atomic_source *, const char *);
	} texts[] = {
		{ FIX_LOOP, atomic_loop_text },
		{ FIX_INSTRUCTION, atomic_instruction_text },
	};
	struct updates updates;

	if (finding->device_file)
		atomic_source_look(
		    finding_source(finding),
		    source_line(symbolizer, finding->device_file, finding->device_line));
	updates = name_lines(finding, symbolizer);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts) && finding->fix; i++) {
		char *text, *whole;

		if (!strstr(finding->fix, texts[i].token))
			continue;
		text = texts[i].text(finding_source(finding), updates.places);
		whole = text && updates.others ? g_strdup_printf("%s, and otherwise written at %s",
								 text, updates.others)
					       : g_strdup(text);
		if (whole)
			replace(finding, texts[i].token, whole);
		else
			leave_out(finding, texts[i].token);
		g_free(whole);
		g_free(text);
	}
	g_free(updates.places);
	g_free(updates.others);
}

void fixes_finish(struct findings *findings, struct symbolizer *symbolizer, int64_t began_ns)
{
	for (unsigned i = 0; i < findings->list->len; i++) {
		struct finding *finding = findings->list->pdata[i];

		if (finding->fix && finding_source(finding))
			name_update(finding, symbolizer);
		if (finding->fix && strchr(finding->fix, '{'))
			name_allocation(finding, symbolizer, began_ns);
	}
}
