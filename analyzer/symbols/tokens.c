/* SPDX-License-Identifier: Apache-2.0 */
/* Divides C and C++ source into tokens. */
#include "tokens.h"

#include <string.h>

struct scanner {
	const char *at;
	unsigned line;
	bool fresh; /* only blanks so far on this line */
	GArray *tokens;
};

static bool is_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '$' || (c & 0x80);
}

static void step(struct scanner *scanner)
{
	if (*scanner->at == '\n') {
		scanner->line++;
		scanner->fresh = true;
	}
	scanner->at++;
}

/* Returns true at a backslash that continues the line. */
static bool is_continued(const char *at)
{
	return at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'));
}

/* Skips that, to the next line. */
static void skip_continuation(struct scanner *scanner)
{
	while (*scanner->at != '\n')
		step(scanner);
	step(scanner);
}

/* Skips a comment. Returns false if there is none. */
static bool skip_comment(struct scanner *scanner)
{
	if (scanner->at[0] != '/' || (scanner->at[1] != '/' && scanner->at[1] != '*'))
		return false;
	if (scanner->at[1] == '/') {
		while (*scanner->at && *scanner->at != '\n')
			if (is_continued(scanner->at))
				skip_continuation(scanner);
			else
				step(scanner);
		return true;
	}
	scanner->at += 2;
	while (*scanner->at && !(scanner->at[0] == '*' && scanner->at[1] == '/'))
		step(scanner);
	scanner->at += *scanner->at ? 2 : 0;
	return true;
}

/* Skips the line, and those that it is continued on. */
static void skip_directive(struct scanner *scanner)
{
	while (*scanner->at && *scanner->at != '\n') {
		if (skip_comment(scanner))
			continue;
		if (is_continued(scanner->at))
			skip_continuation(scanner);
		else
			step(scanner);
	}
}

/* Skips a string or character; unclosed, it ends with its line. */
static void skip_quoted(struct scanner *scanner)
{
	char quote = *scanner->at;

	step(scanner);
	while (*scanner->at && *scanner->at != quote && *scanner->at != '\n') {
		if (scanner->at[0] == '\\' && scanner->at[1])
			step(scanner);
		step(scanner);
	}
	if (*scanner->at == quote)
		step(scanner);
}

/* Skips R"delimiter(...)delimiter"; `at` is the quote. */
static void skip_raw(struct scanner *scanner)
{
	gsize length = strcspn(scanner->at + 1, "( )\\\n\"");
	char *end = g_strdup_printf(")%.*s\"", (int)length, scanner->at + 1);
	const char *found = strstr(scanner->at, end);
	const char *stop = found ? found + strlen(end) : scanner->at + strlen(scanner->at);

	while (scanner->at < stop)
		step(scanner);
	g_free(end);
}

static void skip_word(struct scanner *scanner)
{
	const char *start = scanner->at;

	while (is_word(*scanner->at))
		scanner->at++;
	if (*scanner->at == '"' && scanner->at[-1] == 'R' && scanner->at - start <= 3)
		skip_raw(scanner);
}

/* Skips a number, which may have separators (1'000) and an exponent. */
static void skip_number(struct scanner *scanner)
{
	while (is_word(*scanner->at) || *scanner->at == '.' ||
	       (*scanner->at == '\'' && is_word(scanner->at[1])) ||
	       (*scanner->at && strchr("+-", *scanner->at) && strchr("eEpP", scanner->at[-1])))
		scanner->at++;
}

static int skip_punctuation(struct scanner *scanner)
{
	static const struct {
		char text[3];
		int kind;
	} pairs[] = {
		{ "::", TOKEN_SCOPE },
		{ "->", TOKEN_ARROW },
		{ "&&", TOKEN_AND },
		{ "||", TOKEN_OR },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(pairs); i++) {
		if (strncmp(scanner->at, pairs[i].text, 2) == 0) {
			scanner->at += 2;
			return pairs[i].kind;
		}
	}
	return *scanner->at++;
}

static void add_token(struct scanner *scanner)
{
	struct token token = { .text = scanner->at, .line = scanner->line };
	char c = *scanner->at;

	if (c == '#' && scanner->fresh) {
		token.kind = TOKEN_DIRECTIVE;
		skip_directive(scanner);
	} else if (c == '"' || c == '\'') {
		token.kind = TOKEN_LITERAL;
		skip_quoted(scanner);
	} else if (g_ascii_isdigit(c)) {
		token.kind = TOKEN_LITERAL;
		skip_number(scanner);
	} else if (is_word(c)) {
		skip_word(scanner);
		token.kind = scanner->at[-1] == '"' ? TOKEN_LITERAL : TOKEN_WORD;
	} else {
		token.kind = skip_punctuation(scanner);
	}
	scanner->fresh = false;
	token.length = (gsize)(scanner->at - token.text);
	token.last_line = scanner->line;
	g_array_append_val(scanner->tokens, token);
}

GArray *tokens_of(const char *source)
{
	struct scanner scanner = { source, 1, true,
				   g_array_new(FALSE, FALSE, sizeof(struct token)) };

	while (*scanner.at)
		if (g_ascii_isspace(*scanner.at) || *scanner.at == '\\')
			step(&scanner);
		else if (!skip_comment(&scanner))
			add_token(&scanner);
	return scanner.tokens;
}

bool token_is(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && strlen(word) == token->length &&
	       memcmp(token->text, word, token->length) == 0;
}
