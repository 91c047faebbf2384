/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the source of an allocation, for fixes. */
#include "fix_site.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/symbols/statement.h"

/* ---- the call ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the only place where `line` calls `function`, at its "("; NULL if there is none, or
 * several. */
static const char *only_call(const char *line, const char *function, const char **name)
{
	size_t length = strlen(function);
	const char *found = NULL;

	for (const char *at = line; (at = strstr(at, function)); at += length) {
		const char *open = at + length;

		if ((at > line && is_word(at[-1])) || *open != '(')
			continue;
		if (found)
			return NULL;
		found = open;
		*name = at;
	}
	return found;
}

/* Splits off up to two arguments of the call that opens at `open`. Returns false if they do not end
 * on this line, or hold what is not understood here. */
static bool split_arguments(const char *open, char **first, char **second)
{
	const char *start = open + 1, *at;
	unsigned depth = 1, seen = 0;

	for (at = start; *at; at++) {
		if (strchr("\"'\\{};?", *at) || (at[0] == '/' && (at[1] == '/' || at[1] == '*')))
			return false;
		if (strchr("([", *at))
			depth++;
		else if (strchr(")]", *at))
			depth--;
		if (depth == 0 || (depth == 1 && *at == ',')) {
			char *argument = g_strstrip(g_strndup(start, (gsize)(at - start)));

			if (seen == 0)
				*first = argument;
			else if (seen == 1)
				*second = argument;
			else
				g_free(argument);
			seen++;
			start = at + 1;
		}
		if (depth == 0)
			return true;
	}
	return false;
}

/* Returns the length of a name such as `total`, `this->total` or `state.total` at `text`. */
static size_t name_length(const char *text)
{
	size_t at = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (is_word(text[at]) || (text[at] == '.' && is_word(text[at + 1])) ||
	       (text[at] == '-' && text[at + 1] == '>' && is_word(text[at + 2])) ||
	       (text[at] == '>' && at && text[at - 1] == '-'))
		at++;
	return at;
}

/* Returns "total" for "(void **)&total"; NULL for anything else than the address of a name. */
static char *pointed_name(const char *argument)
{
	const char *at = argument;

	if (*at == '(') {
		at = strchr(at, ')');
		if (!at || memchr(argument + 1, '(', (size_t)(at - argument - 1)))
			return NULL;
		at++;
	} else if (g_str_has_prefix(at, "reinterpret_cast<void**>(") ||
		   g_str_has_prefix(at, "reinterpret_cast<void **>(")) {
		at = strchr(at, '(') + 1;
		if (!g_str_has_suffix(at, ")"))
			return NULL;
	}
	while (*at == ' ')
		at++;
	if (*at++ != '&')
		return NULL;
	for (size_t length = name_length(at); length;) {
		const char *rest = at + length;

		return *rest == 0 || strcmp(rest, ")") == 0 ? g_strndup(at, length) : NULL;
	}
	return NULL;
}

/* Returns "total" for "double *total = (double *)malloc(", given the place of "malloc". */
static char *assigned_name(const char *line, const char *call)
{
	const char *equals = call, *end, *start;

	while (equals > line && equals[-1] != '=') {
		if (!is_word(equals[-1]) && !strchr(" *()<>:", equals[-1]))
			return NULL;
		equals--;
	}
	if (equals <= line + 1 || strchr("=!<>+-*/|&^%", equals[-2]))
		return NULL;
	for (end = equals - 1; end > line && end[-1] == ' ';)
		end--;
	for (start = end; start > line && (is_word(start[-1]) || strchr(".>-", start[-1]));)
		start--;
	return name_length(start) == (size_t)(end - start) && end > start
		   ? g_strndup(start, (gsize)(end - start))
		   : NULL;
}

/* Returns true if the text can be evaluated once more. */
static bool is_repeatable(const char *size)
{
	for (const char *at = size; *at; at++) {
		if ((at[0] == '+' && at[1] == '+') || (at[0] == '-' && at[1] == '-'))
			return false;
		if (*at == '=' && at[1] != '=' && (at == size || !strchr("=!<>", at[-1])))
			return false;
	}
	return *size != 0;
}

/* Returns true if the second argument is a size; hipMallocPitch has a place for one there. */
static bool has_size(const char *function)
{
	return !strstr(function, "Pitch") && !strstr(function, "3D") && !strstr(function, "Array");
}

/* hip... functions store through their first argument, and have the size as the second. */
void fix_parse_allocation(const char *line, const char *function, char **variable, char **size)
{
	const char *name = NULL, *open = only_call(line, function, &name);
	char *first = NULL, *second = NULL;

	*variable = *size = NULL;
	if (!open || !split_arguments(open, &first, &second))
		goto out;
	if (!g_str_has_prefix(function, "hip")) {
		*variable = assigned_name(line, name);
		goto out;
	}
	*variable = first ? pointed_name(first) : NULL;
	if (*variable && second && has_size(function) && is_repeatable(second))
		*size = g_steal_pointer(&second);
out:
	g_free(first);
	g_free(second);
}

/* ---- the place ---- */

/* Returns why the source cannot be looked at, or NULL. */
static char *unusable(const struct source_file *source, const char *file, unsigned line)
{
	if (is_fortran_source(file))
		return g_strdup("the source is Fortran");
	if (!is_c_source(file))
		return g_strdup("the source is neither C nor C++");
	if (source->newer)
		return g_strdup("its source has changed since the recording began");
	if (source->differs && !source->lines[0])
		return g_strdup("its source has changed since it was recorded");
	if (line == 0 || line > source->line_count)
		return g_strdup("its source cannot be read");
	return NULL;
}

/* Returns why nothing is to be inserted into the file that is there, or NULL. */
static char *untouchable(const struct source_file *source, int64_t began_ns)
{
	if (source->differs)
		return g_strdup("its source has changed since it was recorded");
	if (began_ns == 0)
		return g_strdup("its source may have changed since the recording began");
	return NULL;
}

/* Reads the call, and what prevents an edit. */
static void look(struct fix_site *site, const struct source_file *source, const char *function,
		 int64_t began_ns)
{
	char *const *lines = source->lines;
	struct statement statement = statement_of_call(lines, site->line, function);
	bool hip = g_str_has_prefix(function, "hip");
	const char *line = lines[site->line - 1], *call = hip ? statement.call : line;

	if (call)
		fix_parse_allocation(call, function, &site->variable, &site->size);
	site->indentation = g_strndup(line, strspn(line, " \t"));
	site->obstacle = untouchable(source, began_ns);
	if (!site->obstacle)
		site->obstacle = g_steal_pointer(&statement.obstacle);
	if (!site->obstacle && !site->variable)
		site->obstacle = g_strdup("what gets the pointer is not a name");
	if (!site->obstacle && !site->size)
		site->obstacle = g_strdup("the size is not an argument that can be repeated");
	if (!site->obstacle) {
		site->line = statement.line;
		site->column = statement.column;
	}
	statement_clear(&statement);
}

struct fix_site fix_site_at(struct symbolizer *symbolizer, const struct source_frame *frame,
			    const char *function, int64_t began_ns)
{
	struct fix_site site = { .file = frame->file, .line = frame->line };
	const struct source_file *source = symbolizer_source(symbolizer, frame->file);

	site.obstacle = is_python_frame(frame) ? g_strdup("the source is Python")
					       : unusable(source, frame->file, frame->line);
	if (!site.obstacle)
		look(&site, source, function, began_ns);
	return site;
}

void fix_site_clear(struct fix_site *site)
{
	g_free(site->variable);
	g_free(site->size);
	g_free(site->obstacle);
	g_free(site->indentation);
}

struct fix_edit fix_site_edit(const struct fix_site *site, const char *statement)
{
	struct fix_edit edit = { 0 };

	if (site->obstacle)
		return edit;
	edit.file = g_strdup(site->file);
	edit.line = site->line;
	edit.column = site->column;
	/* With C++17 HIP's results may not be ignored. */
	edit.text =
	    g_strdup_printf("%s(void)%s", site->column ? " " : site->indentation, statement);
	return edit;
}

char *fix_site_text(const struct fix_site *site, bool requests)
{
	if (site->obstacle) {
		return g_strdup_printf(", once %s:%u has %s this memory (by hand: %s)", site->file,
				       site->line, requests ? "requested" : "allocated",
				       site->obstacle);
	}
	return site->column
		   ? g_strdup_printf(" after %s:%u:%u", site->file, site->line, site->column)
		   : g_strdup_printf(" after %s:%u", site->file, site->line);
}
