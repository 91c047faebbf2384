/* SPDX-License-Identifier: Apache-2.0 */
/* Files of suppressions. */
#include "analyzer/input_file.h"
#include "selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* ---- reading ---- */

static bool is_rule_glob(const char *glob)
{
	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
		if (fnmatch(glob, rule->id, FNM_CASEFOLD) == 0 || fnmatch(glob, rule->slug, 0) == 0)
			return true;
	return false;
}

static int add_line(struct selection *selection, const char *path, unsigned line, char *text,
		    char **error)
{
	char *colon = strchr(text, ':');
	struct suppression *suppression;
	char *word;

	if (!colon || colon == text || !colon[1]) {
		*error = g_strdup_printf("%s:%u: '%s' is not RULE:PATTERN, alloc:PATTERN or "
					 "lib:PATTERN",
					 path, line, text);
		return -EINVAL;
	}
	word = g_strndup(text, (gsize)(colon - text));
	g_strchomp(word);
	if (strcmp(word, "alloc") != 0 && strcmp(word, "lib") != 0 && !is_rule_glob(word)) {
		*error = g_strdup_printf(
		    "%s:%u: '%s' is not a rule (see hipgrain-rules(7)), alloc or lib", path, line,
		    word);
		g_free(word);
		return -EINVAL;
	}
	suppression = g_new0(struct suppression, 1);
	suppression->kind = strcmp(word, "alloc") == 0 ? SUPPRESS_ALLOC
			    : strcmp(word, "lib") == 0 ? SUPPRESS_LIB
						       : SUPPRESS_RULE;
	suppression->rule = word;
	suppression->pattern = g_strstrip(g_strdup(colon + 1));
	suppression->text = g_strdup(text);
	suppression->file = g_strdup(path);
	suppression->line = line;
	g_ptr_array_add(selection->suppressions, suppression);
	return 0;
}

int selection_read_suppressions(struct selection *selection, const char *path, char **error)
{
	char *content = input_file_read(path, error), **lines;
	int result = 0;

	if (!content)
		return -EIO;
	lines = g_strsplit(content, "\n", -1);
	for (unsigned i = 0; lines[i] && result == 0; i++) {
		char *text = g_strstrip(lines[i]);

		if (*text && *text != '#')
			result = add_line(selection, path, i + 1, text, error);
	}
	g_strfreev(lines);
	g_free(content);
	return result;
}

/* ---- matching ---- */

static bool fits(const char *pattern, const char *name)
{
	return name && fnmatch(pattern, name, 0) == 0;
}

/*
 * Returns true if the pattern fits a demangled name as it is, without parameters, or without
 * namespaces and what returns.
 */
static bool fits_function(const char *pattern, const char *name)
{
	char *plain, *kept, *last;
	unsigned depth = 0;
	size_t length = 0;
	bool match;

	if (!name)
		return false;
	if (fits(pattern, name))
		return true;
	plain = g_strdup(name);
	kept = g_strdup(name);
	for (const char *at = name; *at; at++) {
		if (*at == '(' && depth == 0 && strncmp(at, "(anonymous", 10) != 0) {
			plain[at - name] = 0;
			break;
		}
		depth += *at == '<';
		if (depth == 0)
			kept[length++] = *at;
		depth -= *at == '>' && depth > 0;
	}
	kept[length] = 0;
	last = strrchr(kept, ' ') ? strrchr(kept, ' ') + 1 : kept;
	match = fits(pattern, plain) || fits(pattern, kept) || fits(pattern, last);
	while (!match && (last = strstr(last, "::")) != NULL) {
		last += 2;
		match = fits(pattern, last);
	}
	g_free(plain);
	g_free(kept);
	return match;
}

static bool fits_path(const char *pattern, const char *path)
{
	char *base;
	bool match;

	if (!path || !*path)
		return false;
	base = g_path_get_basename(path);
	match = fits(pattern, path) || fits(pattern, base);
	g_free(base);
	return match;
}

static bool fits_frame(const char *pattern, const struct source_frame *frame)
{
	char *position;
	bool match = fits_function(pattern, frame->function) || fits_path(pattern, frame->file) ||
		     fits_path(pattern, frame->module);

	if (!match && frame->file) {
		position = g_strdup_printf("%s:%u", frame->file, frame->line);
		match = fits_path(pattern, position);
		g_free(position);
	}
	return match;
}

static bool fits_stack(const struct suppression *suppression, const struct analysis *analysis,
		       const struct process *process, uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);

	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		if (suppression->kind == SUPPRESS_LIB
			? fits_path(suppression->pattern, frame->module)
			: fits_frame(suppression->pattern, frame))
			return true;
	}
	return false;
}

/* Does the kernel come from a file that matches? */
static bool fits_code(const char *pattern, const struct finding *finding)
{
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, finding->process->kernels);
	while (finding->kernel_symbol && g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct kernel_ref *kernel = value;
		const struct code_object_ref *object = g_hash_table_lookup(
		    finding->process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));

		if (object && strcmp(kernel->symbol, finding->kernel_symbol) == 0 &&
		    fits_path(pattern, object->path))
			return true;
	}
	return false;
}

/* Does the stack of a call that the finding is about match, or that of the allocation? */
static bool fits_site(const struct suppression *suppression, const struct analysis *analysis,
		      const struct finding *finding)
{
	for (unsigned i = 0; i < finding->sites->len; i++)
		if (fits_stack(suppression, analysis, finding->process,
			       g_array_index(finding->sites, struct site, i).stack_id))
			return true;
	return finding->allocation &&
	       fits_stack(suppression, analysis, finding->process, finding->allocation->stack_id);
}

static bool matches_rule(const struct suppression *suppression, const struct analysis *analysis,
			 const struct finding *finding)
{
	const char *pattern = suppression->pattern;

	if (fnmatch(suppression->rule, finding->rule->id, FNM_CASEFOLD) != 0 &&
	    !fits(suppression->rule, finding->rule->slug))
		return false;
	if (finding->kernel &&
	    (fits(pattern, finding->kernel_symbol) || fits_function(pattern, finding->kernel)))
		return true;
	if (finding_is_about_launches(finding))
		return false;
	return fits(pattern, finding->api) || fits(pattern, finding->subject) ||
	       strcmp(pattern, "*") == 0 ||
	       (!finding->kernel && fits_site(suppression, analysis, finding));
}

static bool matches_lib(const struct suppression *suppression, const struct analysis *analysis,
			const struct finding *finding)
{
	return fits_site(suppression, analysis, finding) ||
	       fits_code(suppression->pattern, finding);
}

bool suppression_matches(const struct suppression *suppression, const struct analysis *analysis,
			 const struct finding *finding)
{
	switch (suppression->kind) {
	case SUPPRESS_RULE:
		return matches_rule(suppression, analysis, finding);
	case SUPPRESS_ALLOC:
		return finding->allocation &&
		       (fits(suppression->pattern, finding->allocation->symbol) ||
			fits_stack(suppression, analysis, finding->process,
				   finding->allocation->stack_id));
	case SUPPRESS_LIB:
		return matches_lib(suppression, analysis, finding);
	}
	return false;
}
