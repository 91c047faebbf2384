/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions without what only the compiler needs: template arguments, parameters. */
#include "demangle.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST 60u /* characters; longer names lose their outer scopes */
#define KEPT    16  /* characters of template arguments that are no longer */
#define NESTING 16u /* lambdas in scopes of lambdas */

/* Lambdas of these scopes are the library's own. */
static const char *const libraries[] = { "RAJA::",    "Kokkos::", "thrust::",   "std::",
					 "rocprim::", "hipcub::", "umpire::",   "camp::",
					 "amrex::",   "rmm::",    "rocthrust::" };

/* Returns the bracket that closes the one at `open`, or NULL if none does. */
static const char *closing(const char *open)
{
	unsigned depth = 0;

	for (const char *at = open; *at; at++) {
		if (strchr("(<{[", *at))
			depth++;
		else if (strchr(")}]", *at) || (*at == '>' && (at == open || at[-1] != '-')))
			depth--;
		if (depth == 0)
			return at;
	}
	return NULL;
}

static bool ends_with(const GString *text, const char *end)
{
	return g_str_has_suffix(text->str, end);
}

/* "{lambda(int)#1}" or "'lambda0'(int)" begins here. */
static bool is_lambda(const char *at)
{
	return g_str_has_prefix(at, "{lambda(") || g_str_has_prefix(at, "'lambda");
}

/* Copies a lambda without its parameters. Returns the character behind it. */
static const char *copy_lambda(GString *to, const char *at)
{
	const char *open = strchr(at, '('), *close = open ? closing(open) : NULL;
	const char *end;

	if (!close)
		return at + strlen(at);
	g_string_append(to, *at == '{' ? "{lambda" : "");
	if (*at == '\'')
		g_string_append_len(to, at, open - at);
	end = close + 1;
	if (*at != '{')
		return end;
	at = end;
	end = strchr(at, '}');
	if (!end)
		return at + strlen(at);
	g_string_append_len(to, at, end + 1 - at);
	return end + 1;
}

/* Returns the beginning of the qualified name that ends at `end`, not before `from`. */
static const char *scope_before(const char *from, const char *end)
{
	int depth = 0;
	const char *at;

	for (at = end; at > from; at--) {
		char c = at[-1];

		if (strchr(")>}", c) && !(c == '>' && at - 1 > from && at[-2] == '-'))
			depth++;
		else if (strchr("(<{", c) && depth-- == 0)
			break;
		else if (depth == 0 && (c == ',' || c == ' '))
			break;
	}
	return at;
}

static bool is_of_library(const char *scope)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(libraries); i++)
		if (g_str_has_prefix(scope, libraries[i]))
			return true;
	return false;
}

static char *shorten(const char *name, char **lambda, unsigned nesting);

/* Finds the last lambda of the program's among template arguments; NULL without any. */
static char *lambda_in(const char *from, const char *end, unsigned nesting)
{
	for (const char *at = end; nesting < NESTING && at-- > from;) {
		const char *scope, *behind;
		GString *ignored;
		char *whole, *found;

		if (!is_lambda(at) || (*at == '\'' && at > from && at[-1] != ':'))
			continue;
		scope = scope_before(from, at);
		if (is_of_library(scope))
			continue;
		ignored = g_string_new(NULL);
		behind = copy_lambda(ignored, at);
		g_string_free(ignored, TRUE);
		whole = g_strndup(scope, (gsize)(MIN(behind, end) - scope));
		found = shorten(whole, NULL, nesting + 1);
		g_free(whole);
		return found;
	}
	return NULL;
}

/* Copies template arguments as "<...>". Returns the character behind them. */
static const char *elide(GString *to, const char *at, char **lambda, unsigned nesting)
{
	const char *close = closing(at);

	if (!close)
		return at + strlen(at);
	if (lambda && !*lambda)
		*lambda = lambda_in(at + 1, close, nesting);
	if (close - at - 1 <= KEPT)
		g_string_append_len(to, at, close + 1 - at);
	else
		g_string_append(to, "<...>");
	return close + 1;
}

/* Skips a parameter list, or copies what only looks like one. NULL: the name ends here. */
static const char *parentheses(GString *to, const char *at)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *close = closing(at);

	if (g_str_has_prefix(at, anonymous)) {
		g_string_append(to, anonymous);
		return at + strlen(anonymous);
	}
	if (ends_with(to, "operator") && close == at + 1) {
		g_string_append(to, "()");
		return close + 1;
	}
	return close && g_str_has_prefix(close + 1, "::") ? close + 1 : NULL;
}

static char *shorten(const char *name, char **lambda, unsigned nesting)
{
	GString *text = g_string_new(NULL);
	const char *at = name;

	while (at && *at) {
		if (is_lambda(at)) {
			at = copy_lambda(text, at);
		} else if (*at == '<' && !ends_with(text, "operator") &&
			   !ends_with(text, "operator<")) {
			at = elide(text, at, lambda, nesting);
		} else if (*at == '(') {
			at = parentheses(text, at);
		} else if (*at == ' ' && at[1] == '<') {
			at++; /* "operator<< <int>" */
		} else if (*at == ' ' && !ends_with(text, "operator")) {
			g_string_truncate(text, 0); /* that was the result's type */
			at++;
		} else {
			g_string_append_c(text, *at++);
		}
	}
	return g_string_free(text, FALSE);
}

/* Frees the name. Takes off outer scopes while it is too long and more than two are left. */
static char *without_scopes(char *name)
{
	const char *at = name;
	char *kept;

	while (strlen(at) > LONGEST) {
		const char *next = strstr(at, "::");
		const char *second = next ? strstr(next + 2, "::") : NULL;

		if (!second || memchr(at, '<', (size_t)(next - at)))
			break;
		at = next + 2;
	}
	kept = at == name ? g_strdup(name) : g_strconcat("...", at, NULL);
	g_free(name);
	return kept;
}

/* A name that is short enough keeps its parameters. */
static bool is_short(const char *name)
{
	const char *open = strchr(name, '<'), *close = open ? closing(open) : NULL;

	return strlen(name) <= LONGEST && !(open && (!close || close - open - 1 > KEPT));
}

char *with_short_name(const char *text, const char *name)
{
	char **parts, *shortened, *joined;

	if (!text || !name || !*name || is_short(name) || !strstr(text, name))
		return g_strdup(text);
	shortened = short_name(name);
	parts = g_strsplit(text, name, -1);
	joined = g_strjoinv(shortened, parts);
	g_strfreev(parts);
	g_free(shortened);
	return joined;
}

/* Returns the end of the name that `text` begins with and ": " follows; NULL without one. */
static const char *name_end(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at; at++)
		if (strchr("(<{[", *at))
			depth++;
		else if (strchr(")}]", *at) || (*at == '>' && at > text && at[-1] != '-'))
			depth--;
		else if (depth <= 0 && g_str_has_prefix(at, ": "))
			return at;
	return NULL;
}

char *limit_with_short_name(const char *text)
{
	static const char begin[] = "kernel ";
	const char *end = g_str_has_prefix(text, begin) ? name_end(text + strlen(begin)) : NULL;
	char *name, *line;

	if (!end)
		return g_strdup(text);
	name = g_strndup(text + strlen(begin), (gsize)(end - text) - strlen(begin));
	line = with_short_name(text, name);
	g_free(name);
	return line;
}

char *short_name(const char *name)
{
	char *lambda = NULL, *text, *both;

	if (!name)
		return NULL;
	text = without_scopes(shorten(name, &lambda, 0));
	if (!*text) {
		g_free(text);
		text = g_strdup(name);
	}
	if (!lambda)
		return text;
	both = g_strdup_printf("%s in %s", lambda, text);
	g_free(lambda);
	g_free(text);
	return both;
}
