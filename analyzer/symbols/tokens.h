/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of C and C++ source (statement.c), and the blocks that they stand in. */
#ifndef HIPGRAIN_SYMBOLS_TOKENS_H
#define HIPGRAIN_SYMBOLS_TOKENS_H

#include <glib.h>
#include <stdbool.h>

/* The kinds of tokens; of other punctuation it is the character. */
enum token_kind {
	TOKEN_WORD = 256,
	TOKEN_LITERAL,
	TOKEN_DIRECTIVE, /* of the preprocessor, with the lines that continue it */
	TOKEN_SCOPE,     /* :: */
	TOKEN_ARROW,     /* -> */
	TOKEN_AND,       /* && */
	TOKEN_OR,        /* || */
};

struct token {
	int kind;
	const char *text; /* in the source, `length` characters */
	gsize length;
	unsigned line, last_line; /* its first and last, from 1 */
};

/* Returns the tokens (struct token) of a source without its comments; they point into `source`. */
GArray *tokens_of(const char *source);

bool token_is(const struct token *token, const char *word);

/* A token stands in one of these. */
enum scope {
	SCOPE_FILE, /* or a namespace */
	SCOPE_CLASS,
	SCOPE_BLOCK,       /* of a function */
	SCOPE_LAMBDA,      /* the block of an expression */
	SCOPE_INITIALISER, /* braces with values */
	SCOPE_PARENTHESES, /* or brackets */
};

struct scope_level {
	enum scope scope;
	unsigned start; /* the first token of the statement that is at hand */
};

/* Returns the levels (struct scope_level) that enclose token number `at`, the outermost first. */
GArray *scopes_at(const GArray *tokens, unsigned at);

#endif
