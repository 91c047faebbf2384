/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the statement around a call, and whether another one may follow it. */
#include "statement.h"

#include <string.h>

#include "tokens.h"

struct view {
	const struct token *tokens;
	unsigned count;
	unsigned call, close;  /* the call's name and its last parenthesis */
	unsigned first;        /* token of the statement */
	unsigned last;         /* its end */
	const char *directive; /* before it, which it may belong to; NULL: none */
};

static bool is_control(const struct token *token)
{
	static const char *const words[] = { "if",     "else",   "for",          "while",
					     "do",     "switch", "return",       "using",
					     "static", "goto",   "throw",        "co_return",
					     "catch",  "try",    "thread_local", "typedef" };

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		if (token_is(token, words[i]))
			return true;
	return false;
}

static int kind_at(const struct view *view, unsigned at)
{
	return at < view->count ? view->tokens[at].kind : ';';
}

/* Returns the number of the bracket that closes the one at `open`; `count` if there is none. */
static unsigned closing(const struct view *view, unsigned open)
{
	unsigned depth = 0, at;

	for (at = open; at < view->count; at++) {
		depth += kind_at(view, at) < 256 && strchr("([{", kind_at(view, at));
		depth -= kind_at(view, at) < 256 && strchr(")]}", kind_at(view, at));
		if (depth == 0)
			break;
	}
	return at;
}

/* Returns the number of the semicolon that ends the statement at `at`; `count` if it has none. */
static unsigned semicolon(const struct view *view, unsigned at)
{
	for (; at < view->count && kind_at(view, at) != ';'; at++)
		if (kind_at(view, at) < 256 && strchr("([{", kind_at(view, at)))
			at = closing(view, at);
		else if (kind_at(view, at) == '}')
			return view->count;
	return at;
}

static unsigned after_directives(const struct view *view, unsigned at)
{
	while (kind_at(view, at) == TOKEN_DIRECTIVE)
		at++;
	return at;
}

/* ---- the call ---- */

static bool is_call(const struct view *view, unsigned at, const char *function)
{
	return token_is(&view->tokens[at], function) && kind_at(view, at + 1) == '(';
}

/* Returns how many calls lie between two tokens; the last one in *found. */
static unsigned calls_between(const struct view *view, unsigned from, unsigned to,
			      const char *function, unsigned *found)
{
	unsigned calls = 0;

	for (unsigned i = from; i < to && i < view->count; i++) {
		if (is_call(view, i, function)) {
			*found = i;
			calls++;
		}
	}
	return calls;
}

static unsigned first_on(const struct view *view, unsigned line)
{
	unsigned at = 0;

	while (at < view->count &&
	       (view->tokens[at].line < line || view->tokens[at].kind == TOKEN_DIRECTIVE))
		at++;
	return at;
}

/* Returns the number of the semicolon or brace behind `at`. */
static unsigned end_of_phrase(const struct view *view, unsigned at)
{
	while (at < view->count && kind_at(view, at) != ';' && kind_at(view, at) != '{' &&
	       kind_at(view, at) != '}')
		at++;
	return at;
}

/* Sets view->call. Returns what prevents that, or NULL. */
static char *find_call(struct view *view, unsigned line, const char *function)
{
	unsigned from = first_on(view, line), to = first_on(view, line + 1);
	unsigned calls = calls_between(view, from, to, function, &view->call);

	/* A call in the arguments of a macro has the macro's line. */
	if (!calls && from < to)
		calls = calls_between(view, from, end_of_phrase(view, from), function, &view->call);
	if (calls == 1)
		view->close = closing(view, view->call + 1);
	return calls == 0  ? g_strdup_printf("there is no call of %s in that line", function)
	       : calls > 1 ? g_strdup_printf("that line calls %s several times", function)
	       : view->close == view->count ? g_strdup("the call's end was not found")
					    : NULL;
}

static char *call_text(const struct view *view)
{
	GString *text = g_string_new(NULL);
	const char *end = NULL;

	for (unsigned i = view->call; i <= view->close; i++) {
		const struct token *token = &view->tokens[i];

		if (end && end != token->text)
			g_string_append_c(text, ' ');
		g_string_append_len(text, token->text, (gssize)token->length);
		end = token->text + token->length;
	}
	return g_string_free(text, FALSE);
}

/* ---- the statement ---- */

/* Sets view->first. Returns what prevents that, or NULL. */
static char *find_start(struct view *view, const GArray *tokens)
{
	GArray *levels = scopes_at(tokens, view->call);
	const struct scope_level *level;
	unsigned at = levels->len - 1;
	enum scope scope;

	do {
		level = &g_array_index(levels, struct scope_level, at);
	} while (level->scope == SCOPE_PARENTHESES && at--);
	scope = level->scope;
	view->first = after_directives(view, level->start);
	for (unsigned i = level->start; i < view->first; i++)
		view->directive = view->tokens[i].text;
	g_array_free(levels, TRUE);
	return scope == SCOPE_INITIALISER ? g_strdup("the call is part of an initialiser in braces")
	       : scope == SCOPE_BLOCK || scope == SCOPE_LAMBDA
		   ? NULL
		   : g_strdup("the call stands outside of functions");
}

/* Returns true for what controls the next statement: "#pragma omp", not "#pragma unroll". */
static bool is_construct(const char *directive)
{
	static const char *const words[] = { "pragma omp", "pragma acc" };
	GString *plain = g_string_new(NULL);
	bool found = false;

	for (const char *at = directive ? directive + 1 : ""; *at && *at != '\n'; at++)
		if (!strchr(" \t", *at))
			g_string_append_c(plain, *at);
		else if (plain->len && plain->str[plain->len - 1] != ' ')
			g_string_append_c(plain, ' ');
	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		found |= g_str_has_prefix(plain->str, words[i]);
	g_string_free(plain, TRUE);
	return found;
}

/* Returns what decides before the call, at the same place, whether it is made; or NULL. */
static char *condition_before(const struct view *view)
{
	for (unsigned i = view->first; i < view->call; i++) {
		int kind = kind_at(view, i);

		if (kind == '?' || kind == TOKEN_AND || kind == TOKEN_OR)
			return g_strdup("it depends on a condition whether the call is made");
		if (kind == '(' && closing(view, i) < view->call && i > view->first &&
		    kind_at(view, i - 1) == TOKEN_WORD &&
		    kind_at(view, closing(view, i) + 1) == TOKEN_WORD) {
			return g_strdup_printf(
			    "the call follows %.*s(...), which may be a condition",
			    (int)view->tokens[i - 1].length, view->tokens[i - 1].text);
		}
	}
	return NULL;
}

/* Returns true if something behind the call, in its statement, may use what it returned. */
static bool goes_on(const struct view *view)
{
	unsigned depth = 0;

	for (unsigned i = view->first; i < view->last; i++) {
		int kind = kind_at(view, i), next = kind_at(view, i + 1);

		depth += kind < 256 && strchr("([{", kind);
		depth -= kind < 256 && strchr(")]}", kind);
		if (i < view->close)
			continue;
		if ((kind == ',' && depth == 0) ||
		    (kind == ')' && (next == TOKEN_WORD || next == '{')) ||
		    ((kind == '?' || kind == TOKEN_AND || kind == TOKEN_OR) &&
		     next != TOKEN_LITERAL))
			return true;
	}
	return false;
}

/* Returns true for `if (call)`, `if ((e = call) != hipSuccess)`: it fails, and there is no else. */
static bool is_failure_check(const struct view *view, unsigned close)
{
	unsigned at = view->close + 1;

	for (unsigned i = view->first + 2; i < view->call; i++)
		if (kind_at(view, i) != '(' && kind_at(view, i) != '=' &&
		    kind_at(view, i) != TOKEN_WORD && kind_at(view, i) != TOKEN_SCOPE)
			return false;
	while (at < close && kind_at(view, at) == ')')
		at++;
	if (at + 2 < close && kind_at(view, at) == '!' && kind_at(view, at + 1) == '=' &&
	    token_is(&view->tokens[at + 2], "hipSuccess"))
		at += 3;
	while (at < close && kind_at(view, at) == ')')
		at++;
	return at == close;
}

/* Sets view->last to the end of an `if` whose condition has the call. */
static char *find_end_of_if(struct view *view)
{
	unsigned close = kind_at(view, view->first + 1) == '(' ? closing(view, view->first + 1) : 0;
	unsigned body = close + 1;

	if (close < view->call || !is_failure_check(view, close))
		return g_strdup("the call is part of 'if'");
	if (body < view->count && is_control(&view->tokens[body]) &&
	    !token_is(&view->tokens[body], "return") && !token_is(&view->tokens[body], "throw") &&
	    !token_is(&view->tokens[body], "goto"))
		return g_strdup("the call is part of 'if'");
	view->last = kind_at(view, body) == '{' ? closing(view, body) : semicolon(view, body);
	if (view->last < view->count && after_directives(view, view->last + 1) < view->count &&
	    token_is(&view->tokens[after_directives(view, view->last + 1)], "else"))
		return g_strdup("the call is part of 'if' with 'else'");
	return NULL;
}

/* Sets view->last. Returns what prevents that, or NULL. */
static char *find_end(struct view *view)
{
	const struct token *first = &view->tokens[view->first];
	char *obstacle = condition_before(view);

	if (is_construct(view->directive)) {
		g_free(obstacle);
		return g_strdup("the statement belongs to a #pragma");
	}
	if (token_is(first, "if")) {
		g_free(obstacle);
		obstacle = find_end_of_if(view);
	} else if (is_control(first)) {
		g_free(obstacle);
		obstacle =
		    g_strdup_printf("the call is part of '%.*s'", (int)first->length, first->text);
	} else if (!obstacle) {
		view->last = semicolon(view, view->first);
		if (view->last < view->count && goes_on(view))
			obstacle = g_strdup("its statement goes on behind the call");
	}
	if (!obstacle && view->last >= view->count)
		return g_strdup("the statement's end was not found");
	for (unsigned i = view->first; !obstacle && i < view->last; i++)
		if (kind_at(view, i) == TOKEN_DIRECTIVE)
			return g_strdup("a directive divides the statement");
	return obstacle;
}

/* ---- the place behind it ---- */

static bool is_blank_or_comment(const char *text)
{
	const char *end;

	text += strspn(text, " \t\r");
	if (g_str_has_prefix(text, "//"))
		return text[strlen(text) - 1] != '\\';
	if (!g_str_has_prefix(text, "/*"))
		return *text == 0;
	end = strstr(text + 2, "*/");
	return end && is_blank_or_comment(end + 2);
}

/* Sets line and column. Returns what prevents that, or NULL. */
static char *find_place(const struct view *view, char *const *lines, struct statement *statement)
{
	const struct token *last = &view->tokens[view->last];
	const char *line = lines[last->line - 1], *begin = last->text;
	gsize length;

	while (begin[-1] != '\n')
		begin--;
	length = (gsize)(last->text + last->length - begin);
	statement->line = last->line;
	if (is_blank_or_comment(line + length))
		return NULL;
	statement->column = (unsigned)length;
	for (gsize i = 0; i < length; i++)
		if (line[i] & 0x80)
			return g_strdup("other code follows on the line");
	return NULL;
}

struct statement statement_of_call(char *const *lines, unsigned line, const char *function)
{
	struct statement statement = { 0 };
	char *joined = g_strjoinv("\n", (char **)lines);
	/* The first line has a character before it, too. */
	char *source = g_strconcat("\n", joined, NULL);
	GArray *tokens = tokens_of(source + 1);
	struct view view = { .tokens = (const struct token *)(const void *)tokens->data,
			     .count = tokens->len };

	statement.obstacle = find_call(&view, line, function);
	if (!statement.obstacle) {
		statement.call = call_text(&view);
		statement.obstacle = find_start(&view, tokens);
	}
	if (!statement.obstacle)
		statement.obstacle = find_end(&view);
	if (!statement.obstacle)
		statement.obstacle = find_place(&view, lines, &statement);
	g_array_free(tokens, TRUE);
	g_free(source);
	g_free(joined);
	return statement;
}

void statement_clear(struct statement *statement)
{
	g_free(statement->obstacle);
	g_free(statement->call);
}

/* ---- languages ---- */

static bool has_extension(const char *file, const char *const *extensions)
{
	const char *dot = strrchr(file, '.');

	for (; dot && *extensions; extensions++)
		if (g_ascii_strcasecmp(dot + 1, *extensions) == 0)
			return true;
	return false;
}

bool is_c_source(const char *file)
{
	static const char *const extensions[] = { "c",   "cc",  "cpp", "cxx", "c++", "cp",  "h",
						  "hh",  "hpp", "hxx", "h++", "inl", "ipp", "tpp",
						  "tcc", "txx", "hip", "cu",  "cuh", NULL };

	return has_extension(file, extensions);
}

bool is_fortran_source(const char *file)
{
	static const char *const extensions[] = { "f",   "for", "ftn", "f77", "f90", "f95",
						  "f03", "f08", "f18", "fpp", "cuf", NULL };

	return has_extension(file, extensions);
}
