/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the braces of C and C++ source that are blocks of functions, by the tokens before them. */
#include "tokens.h"

#include <string.h>

struct walk {
	const struct token *tokens;
	unsigned at;
	GArray *levels;  /* struct scope_level */
	GPtrArray *open; /* struct conditional */
};

/* An #if without its #endif: where it stands, and in which levels. */
struct conditional {
	unsigned at;
	GArray *levels;
};

static struct scope_level *top(const struct walk *walk)
{
	return &g_array_index(walk->levels, struct scope_level, walk->levels->len - 1);
}

static bool is_any(const struct token *token, const char *const *words)
{
	for (; *words; words++)
		if (token_is(token, *words))
			return true;
	return false;
}

/* Returns the number of the bracket that the one at `close` closes; 0 at the latest. */
static unsigned opening(const struct token *tokens, unsigned close)
{
	unsigned depth = 0;

	for (unsigned i = close;; i--) {
		depth += tokens[i].kind < 256 && strchr(")]}", tokens[i].kind) != NULL;
		depth -= tokens[i].kind < 256 && strchr("([{", tokens[i].kind) != NULL;
		if (depth == 0 || i == 0)
			return i;
	}
}

/* Returns true if the bracket at `open` begins a lambda's captures. */
static bool is_introducer(const struct token *tokens, unsigned open)
{
	int before = open ? tokens[open - 1].kind : ';';

	return tokens[open].kind == '[' && tokens[open + 1].kind != '[' && before != TOKEN_WORD &&
	       before != ')' && before != ']' && before != '[';
}

/* Returns true if the brace at `at` begins the block of a lambda. */
static bool opens_lambda(const struct token *tokens, unsigned at)
{
	static const char *const words[] = { "mutable", "noexcept", "constexpr", NULL };
	unsigned i = at;

	if (i == 0)
		return false;
	i--;
	/* The type that it returns. */
	for (unsigned k = i; tokens[k].kind == TOKEN_WORD || tokens[k].kind == TOKEN_SCOPE ||
			     (tokens[k].kind < 256 && strchr("<>*&,", tokens[k].kind));
	     k--) {
		if (k == 0)
			return false;
		if (tokens[k - 1].kind == TOKEN_ARROW && k > 1) {
			i = k - 2;
			break;
		}
	}
	while (i && is_any(&tokens[i], words))
		i--;
	if (tokens[i].kind == ')') {
		i = opening(tokens, i);
		if (i == 0)
			return false;
		i--;
	}
	return tokens[i].kind == ']' && is_introducer(tokens, opening(tokens, i));
}

/* Describes what a statement has outside of its brackets, before a brace. */
struct head {
	const struct token *first; /* NULL: nothing */
	const struct token *last;
	bool parentheses, colon_behind, equals, type, enumeration, namespaced;
};

/* Skips "template <...>". Returns the token behind it. */
static unsigned skip_template(const struct token *tokens, unsigned at, unsigned end)
{
	unsigned depth = 0;

	if (at + 1 >= end || !token_is(&tokens[at], "template") || tokens[at + 1].kind != '<')
		return at;
	for (at++; at < end; at++) {
		depth += tokens[at].kind == '<';
		depth -= tokens[at].kind == '>';
		if (depth == 0)
			return skip_template(tokens, at + 1, end);
	}
	return at;
}

static struct head head_of(const struct token *tokens, unsigned start, unsigned end)
{
	static const char *const types[] = { "struct", "class", "union", NULL };
	struct head head = { 0 };
	unsigned depth = 0;

	while (start < end && tokens[start].kind == TOKEN_DIRECTIVE)
		start++;
	for (unsigned i = skip_template(tokens, start, end); i < end; i++) {
		const struct token *token = &tokens[i];

		if (token->kind == TOKEN_DIRECTIVE)
			continue;
		head.first = head.first ? head.first : token;
		head.last = token;
		if (depth == 0) {
			head.colon_behind |= token->kind == ':' && head.parentheses;
			head.parentheses |= token->kind == '(';
			head.equals |=
			    token->kind == '=' && !token_is(&tokens[i ? i - 1 : 0], "operator");
			head.type |= is_any(token, types);
			head.enumeration |= token_is(token, "enum");
			head.namespaced |= token_is(token, "namespace");
		}
		depth += token->kind < 256 && strchr("([{", token->kind);
		depth -= depth && token->kind < 256 && strchr(")]}", token->kind);
	}
	return head;
}

static enum scope block_in_function(const struct head *head)
{
	static const char *const before[] = { "else", "do", "try", NULL };

	if (!head->first || head->last->kind == ')' || is_any(head->last, before))
		return SCOPE_BLOCK;
	return head->type && !head->equals ? SCOPE_CLASS : SCOPE_INITIALISER;
}

static enum scope block_outside(const struct head *head)
{
	bool named = head->last && (head->last->kind == TOKEN_WORD || head->last->kind == '>');

	if (head->namespaced ||
	    (head->first && token_is(head->first, "extern") && head->last->kind == TOKEN_LITERAL))
		return SCOPE_FILE;
	if (head->equals)
		return SCOPE_INITIALISER;
	if (head->type && head->last->kind != ')')
		return SCOPE_CLASS;
	if (head->enumeration)
		return SCOPE_INITIALISER;
	if (head->parentheses)
		return head->colon_behind && named ? SCOPE_INITIALISER : SCOPE_BLOCK;
	return head->first ? SCOPE_INITIALISER : SCOPE_BLOCK;
}

static enum scope brace(const struct walk *walk)
{
	const struct scope_level *level = top(walk);
	struct head head;

	if (opens_lambda(walk->tokens, walk->at))
		return SCOPE_LAMBDA;
	head = head_of(walk->tokens, level->start, walk->at);
	switch (level->scope) {
	case SCOPE_PARENTHESES: /* GNU C's "({" is a block */
		return head.first ? SCOPE_INITIALISER : SCOPE_LAMBDA;
	case SCOPE_INITIALISER:
		return SCOPE_INITIALISER;
	case SCOPE_BLOCK:
	case SCOPE_LAMBDA:
		return block_in_function(&head);
	default:
		return block_outside(&head);
	}
}

static void push(const struct walk *walk, enum scope scope)
{
	struct scope_level level = { scope, walk->at + 1 };

	g_array_append_val(walk->levels, level);
}

/* A bracket that closes ends what was left open inside it as well. */
static void close_brackets(const struct walk *walk, bool braces)
{
	struct scope_level closed = { SCOPE_FILE, 0 };

	do {
		if (walk->levels->len == 1)
			return;
		closed = *top(walk);
		g_array_set_size(walk->levels, walk->levels->len - 1);
	} while (braces && closed.scope == SCOPE_PARENTHESES);
	if (closed.scope == SCOPE_BLOCK || closed.scope == SCOPE_FILE)
		top(walk)->start = walk->at + 1;
}

static void end_label(const struct walk *walk)
{
	struct scope_level *level = top(walk);
	const struct token *first = &walk->tokens[level->start];

	if (level->scope == SCOPE_PARENTHESES || level->scope == SCOPE_INITIALISER)
		return;
	if (token_is(first, "case") || token_is(first, "default") ||
	    (level->start + 1 == walk->at && first->kind == TOKEN_WORD))
		level->start = walk->at + 1;
}

static void free_conditional(gpointer data)
{
	struct conditional *conditional = data;

	g_array_free(conditional->levels, TRUE);
	g_free(conditional);
}

static void enter_conditional(const struct walk *walk)
{
	struct conditional *conditional = g_new0(struct conditional, 1);

	conditional->at = walk->at;
	conditional->levels = g_array_new(FALSE, FALSE, sizeof(struct scope_level));
	g_array_append_vals(conditional->levels, walk->levels->data, walk->levels->len);
	g_ptr_array_add(walk->open, conditional);
}

/* Each branch begins in the levels of the #if. */
static void enter_branch(const struct walk *walk, const struct conditional *conditional)
{
	unsigned first;

	g_array_set_size(walk->levels, 0);
	g_array_append_vals(walk->levels, conditional->levels->data, conditional->levels->len);
	first = top(walk)->start;
	while (first < conditional->at && walk->tokens[first].kind == TOKEN_DIRECTIVE)
		first++;
	if (first == conditional->at) /* no statement was begun before it */
		top(walk)->start = walk->at + 1;
}

static void pass_directive(const struct walk *walk)
{
	const char *name = walk->tokens[walk->at].text + 1;
	unsigned open = walk->open->len;

	name += strspn(name, " \t");
	if (g_str_has_prefix(name, "if"))
		enter_conditional(walk);
	else if (open && g_str_has_prefix(name, "el"))
		enter_branch(walk, walk->open->pdata[open - 1]);
	else if (open && g_str_has_prefix(name, "endif"))
		g_ptr_array_set_size(walk->open, (gint)open - 1);
}

GArray *scopes_at(const GArray *tokens, unsigned at)
{
	struct walk walk = { (const struct token *)(const void *)tokens->data, 0,
			     g_array_new(FALSE, FALSE, sizeof(struct scope_level)),
			     g_ptr_array_new_with_free_func(free_conditional) };
	struct scope_level file = { SCOPE_FILE, 0 };

	g_array_append_val(walk.levels, file);
	for (; walk.at < at; walk.at++) {
		int kind = walk.tokens[walk.at].kind;

		if (kind == TOKEN_DIRECTIVE)
			pass_directive(&walk);
		else if (kind == '(' || kind == '[')
			push(&walk, SCOPE_PARENTHESES);
		else if (kind == '{')
			push(&walk, brace(&walk));
		else if (kind == ')' || kind == ']')
			close_brackets(&walk, false);
		else if (kind == '}')
			close_brackets(&walk, true);
		else if (kind == ':')
			end_label(&walk);
		else if (kind == ';' && top(&walk)->scope != SCOPE_PARENTHESES)
			top(&walk)->start = walk.at + 1;
	}
	g_ptr_array_free(walk.open, TRUE);
	return walk.levels;
}
