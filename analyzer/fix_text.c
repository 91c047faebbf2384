/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a fix, filled in with what the source files have. */
#include "fix_text.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/rules/atomics/atomic_fixes.h"

/* ---- what an allocation's source line tells ---- */

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
	if (*variable && second && *second)
		*size = g_steal_pointer(&second);
out:
	g_free(first);
	g_free(second);
}

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

/* A line of the source without indentation and comment at its end; to be freed. */
static char *code_of(const char *line)
{
	char *text = g_strdup(line), *comment = strstr(text, "//");

	if (comment)
		*comment = 0;
	g_strstrip(text);
	if (g_str_has_prefix(text, "/*") && strstr(text, "*/") == text + strlen(text) - 2)
		*text = 0;
	return text;
}

/* Returns true if the text behind it is a statement of its own: not one that hangs on an `if`
 * without braces, and not in the middle of a macro. */
static bool ends_statement(const char *code)
{
	size_t length = strlen(code);

	if (*code == '#')
		return code[length - 1] != '\\';
	return length == 0 || strchr(";{}:", code[length - 1]);
}

static bool is_statement(const char *code)
{
	static const char *const controls[] = { "if",     "for",    "while", "else",
						"do",     "return", "case",  "default",
						"switch", "using",  "static" };
	size_t length = 0;

	while (is_word(code[length]))
		length++;
	for (unsigned i = 0; i < G_N_ELEMENTS(controls); i++)
		if (strlen(controls[i]) == length && strncmp(controls[i], code, length) == 0)
			return false;
	return !strpbrk(code, "{}#\"") && g_str_has_suffix(code, ";");
}

bool fix_may_follow(const char *before, const char *line)
{
	char *code = code_of(line), *earlier = before ? code_of(before) : NULL;
	bool may = earlier && ends_statement(earlier) && is_statement(code);

	g_free(code);
	g_free(earlier);
	return may;
}

/* The line before that one that is more than a comment, borrowed; "" above the first, NULL if it
 * cannot be had. */
static const char *code_before(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	while (line-- > 1) {
		const char *text = source_text_line(symbolizer, file, line);
		char *code = text ? code_of(text) : NULL;
		bool found = !code || *code;

		g_free(code);
		if (found)
			return text;
	}
	return "";
}

/*
 * The first alternative is advice, to be inserted behind the allocation. Nothing else is: where a
 * prefetch belongs depends on who writes the memory in between.
 */
static void set_edit(struct finding *finding, struct symbolizer *symbolizer,
		     const struct source_frame *frame, const char *variable, const char *size)
{
	const char *line = source_text_line(symbolizer, frame->file, frame->line);
	const char *before = code_before(symbolizer, frame->file, frame->line);
	const char *call = strstr(finding->fix, ": hipMemAdvise(");
	const char *end = call ? strchr(call, ';') : NULL;
	char *statement, **parts;
	size_t indent;

	if (!g_str_has_prefix(finding->fix, "insert" FIX_SITE) || !end || !line ||
	    !fix_may_follow(before, line))
		return;
	indent = strspn(line, " \t");
	statement = g_strndup(call + 2, (gsize)(end + 1 - (call + 2)));
	parts = g_strsplit(statement, FIX_POINTER, -1);
	g_free(statement);
	statement = g_strjoinv(variable, parts);
	g_strfreev(parts);
	parts = g_strsplit(statement, FIX_SIZE, -1);
	g_free(statement);
	statement = g_strjoinv(size, parts);
	g_strfreev(parts);
	finding->edit.file = g_strdup(frame->file);
	finding->edit.line = frame->line;
	finding->edit.text = g_strdup_printf("%.*s%s", (int)indent, line, statement);
	g_free(statement);
}

/* Returns true if the line of `frame` requests the memory of a wrapper, which allocates it. */
static bool is_wrapped(const struct finding *finding, struct symbolizer *symbolizer,
		       const struct source_frame *frame)
{
	return frame && innermost_frame(symbolize_stack(symbolizer, finding->process,
							finding->allocation->stack_id)) != frame;
}

/* Returns the note on the names that stand for pointer and size if the source does not tell. */
static const char *note_of(const char *variable, const char *size, bool many)
{
	if (many && !size)
		return variable ? " (bytes: the size of this memory)"
				: " (p, bytes: the pointer to this memory and its size)";
	return variable ? "" : " (p: the pointer to this memory)";
}

/* Says that a line allocates for others, too, and which one requests this memory. */
static void name_requester(struct finding *finding, const struct source_frame *frame,
			   const struct source_frame *requester)
{
	char *fix;

	if (!requester || !requester->file || !frame || !frame->file)
		return;
	fix = g_strdup_printf("%s\n%s:%u allocates for others, too; this memory is requested at "
			      "%s:%u",
			      finding->fix, frame->file, frame->line, requester->file,
			      requester->line);
	g_free(finding->fix);
	finding->fix = fix;
}

static void name_allocation(struct finding *finding, struct symbolizer *symbolizer)
{
	const struct allocation *allocation = finding->allocation;
	const struct source_frame *frame =
	    stack_user_frame(symbolizer, finding->process, allocation ? allocation->stack_id : 0);
	const char *line =
	    frame && frame->file ? source_line(symbolizer, frame->file, frame->line) : NULL;
	const struct source_frame *requester =
	    allocation ? stack_requester(symbolizer, finding->process, allocation->stack_id) : NULL;
	bool wraps = allocation && is_wrapped(finding, symbolizer, frame);
	bool many =
	    wraps || requester || (finding->met.any && finding->met.least != finding->met.most);
	char *variable = NULL, *size = NULL, *text;

	if (line && allocation)
		fix_parse_allocation(line, hg_api_name(allocation->api), &variable, &size);
	if (variable && size)
		set_edit(finding, symbolizer, frame, variable, size);
	text = frame && frame->file ? g_strdup_printf(" after %s:%u%s", frame->file, frame->line,
						      wraps ? ", which requests this memory" : "")
				    : g_strdup(" after the allocation");
	replace(finding, FIX_SITE, text);
	g_free(text);
	replace(finding, FIX_POINTER, variable ? variable : "p");
	replace(finding, FIX_POINTER_NOTE,
		note_of(variable, size, many && strstr(finding->fix, FIX_SIZE)));
	text = many ? g_strdup("bytes")
		    : g_strdup_printf("%" G_GUINT64_FORMAT, allocation ? allocation->size : 0);
	replace(finding, FIX_SIZE, size ? size : text);
	g_free(text);
	name_requester(finding, frame, requester);
	g_free(variable);
	g_free(size);
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
	char *place = NULL;

	if (finding->device_file) {
		place = g_strdup_printf("%s:%u", finding->device_file, finding->device_line);
		atomic_source_look(
		    finding_source(finding),
		    source_line(symbolizer, finding->device_file, finding->device_line));
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(texts) && finding->fix; i++) {
		char *text;

		if (!strstr(finding->fix, texts[i].token))
			continue;
		text = texts[i].text(finding_source(finding), place);
		if (text)
			replace(finding, texts[i].token, text);
		else
			leave_out(finding, texts[i].token);
		g_free(text);
	}
	g_free(place);
}

void fixes_finish(struct findings *findings, struct symbolizer *symbolizer)
{
	for (unsigned i = 0; i < findings->list->len; i++) {
		struct finding *finding = findings->list->pdata[i];

		if (finding->fix && finding_source(finding))
			name_update(finding, symbolizer);
		if (finding->fix && strchr(finding->fix, '{'))
			name_allocation(finding, symbolizer);
	}
}
