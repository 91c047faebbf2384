/* SPDX-License-Identifier: Apache-2.0 */
/* Unites lines about ranks. */
#include "rank_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/ranks.h"

#define NUMBERS " (the numbers are those of rank "

struct line {
	char *rest;    /* without what names ranks */
	bool prefixed; /* it is about the ranks, which its beginning names */
	bool varies;   /* in numbers */
	GArray *ranks; /* int, in order of appearance */
	bool unknown;  /* it is not known whose it is */
	int pid;       /* of the first one, -1 if not known */
	int first;     /* rank whose numbers it has */
};

struct rank_lines {
	GPtrArray *list;  /* struct line */
	GHashTable *seen; /* text without numbers -> struct line, borrowed */
};

static void free_line(gpointer data)
{
	struct line *line = data;

	g_free(line->rest);
	g_array_free(line->ranks, TRUE);
	g_free(line);
}

struct rank_lines *rank_lines_new(void)
{
	struct rank_lines *lines = g_new0(struct rank_lines, 1);

	lines->list = g_ptr_array_new_with_free_func(free_line);
	lines->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return lines;
}

static bool has_rank(const GArray *ranks, int rank)
{
	for (unsigned i = 0; i < ranks->len; i++)
		if (g_array_index(ranks, int, i) == rank)
			return true;
	return false;
}

static void add_ranks(GArray *to, const GArray *ranks)
{
	for (unsigned i = 0; ranks && i < ranks->len; i++) {
		int rank = g_array_index(ranks, int, i);

		if (!has_rank(to, rank))
			g_array_append_val(to, rank);
	}
}

/* Reads "0-3,7". Returns the character behind it, NULL if it is no such list. */
static const char *read_list(const char *text, GArray *ranks)
{
	char *end;

	for (;; text = end + 1) {
		long first = strtol(text, &end, 10), last = first;

		if (end == text || first < 0)
			return NULL;
		if (*end == '-') {
			text = end + 1;
			last = strtol(text, &end, 10);
			if (end == text || last < first || last - first > 1000000)
				return NULL;
		}
		for (int rank = (int)first; rank <= (int)last; rank++)
			g_array_append_val(ranks, rank);
		if (*end != ',' || !g_ascii_isdigit(end[1]))
			return end;
	}
}

/* Reads "ranks 0-3: " or "rank 3 (process 12): ". Returns the rest, or NULL. */
static const char *read_prefix(const char *text, struct line *line)
{
	const char *at = g_str_has_prefix(text, "ranks ")  ? text + strlen("ranks ")
			 : g_str_has_prefix(text, "rank ") ? text + strlen("rank ")
							   : NULL;

	at = at ? read_list(at, line->ranks) : NULL;
	if (at && g_str_has_prefix(at, " (process ")) {
		char *end;

		line->pid = (int)strtol(at + strlen(" (process "), &end, 10);
		at = *end == ')' ? end + 1 : NULL;
	}
	if (at && g_str_has_prefix(at, ": ") && line->ranks->len)
		return at + 2;
	g_array_set_size(line->ranks, 0);
	return NULL;
}

/* Reads " (ranks 1,3)" at the end. Returns its length, 0 without one. */
static size_t read_suffix(const char *text, struct line *line)
{
	const char *open = strrchr(text, '('), *at = NULL;

	if (open && g_str_has_prefix(open, "(ranks "))
		at = read_list(open + strlen("(ranks "), line->ranks);
	else if (open && g_str_has_prefix(open, "(rank "))
		at = read_list(open + strlen("(rank "), line->ranks);
	if (at && strcmp(at, ")") == 0 && open > text && open[-1] == ' ')
		return strlen(open) + 1;
	g_array_set_size(line->ranks, 0);
	return 0;
}

/* Reads "process 12: " or "process 12 (program): ". Returns the rest, or NULL. */
static const char *read_process(const char *text, int *pid)
{
	const char *colon = strstr(text, ": ");
	char *end;

	if (!g_str_has_prefix(text, "process ") || !colon)
		return NULL;
	*pid = (int)strtol(text + strlen("process "), &end, 10);
	if (end == text + strlen("process ") || end > colon)
		return NULL;
	return end == colon || (*end == ' ' && end[1] == '(' && colon[-1] == ')') ? colon + 2
										  : NULL;
}

static struct line *parse(const char *text, const GArray *ranks, int (*rank_of)(int, void *),
			  void *data)
{
	struct line *line = g_new0(struct line, 1);
	const char *rest;
	int pid = -1, rank;

	line->ranks = g_array_new(FALSE, FALSE, sizeof(int));
	line->pid = -1;
	rest = read_process(text, &pid);
	rank = rest && rank_of ? rank_of(pid, data) : -1;
	if (rank >= 0) {
		g_array_append_val(line->ranks, rank);
		line->pid = pid;
	} else {
		rest = read_prefix(text, line);
	}
	line->prefixed = rest != NULL;
	line->rest = g_strdup(rest ? rest : text);
	if (!rest) {
		line->rest[strlen(text) - read_suffix(text, line)] = 0;
		/* A line about amounts names its ranks itself. */
		if (!line->ranks->len && !ranks_is_amount_note(text))
			add_ranks(line->ranks, ranks);
		line->unknown = !line->ranks->len;
	}
	line->first = line->ranks->len ? g_array_index(line->ranks, int, 0) : -1;
	return line;
}

/* What lines of several ranks have in common: all but the numbers. */
static char *key_of(const struct line *line)
{
	GString *key = g_string_new(line->prefixed ? "p" : "l");
	const char *note = strstr(line->rest, NUMBERS);
	bool digit = false;

	for (const char *at = line->rest; *at && at != note; at++) {
		bool is = g_ascii_isdigit(*at);

		if (!is || !line->prefixed)
			g_string_append_c(key, *at);
		else if (!digit)
			g_string_append_c(key, '#');
		digit = is;
	}
	return g_string_free(key, FALSE);
}

void rank_lines_add(struct rank_lines *lines, const char *text, const GArray *ranks,
		    int (*rank_of)(int pid, void *data), void *data)
{
	struct line *line = parse(text, ranks, rank_of, data), *before;
	char *key = key_of(line);

	before = g_hash_table_lookup(lines->seen, key);
	if (!before) {
		g_ptr_array_add(lines->list, line);
		g_hash_table_insert(lines->seen, key, line);
		return;
	}
	before->varies |= strcmp(before->rest, line->rest) != 0;
	before->unknown |= line->unknown;
	add_ranks(before->ranks, line->ranks);
	g_free(key);
	free_line(line);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return *(const int *)a - *(const int *)b;
}

static char *text_of(struct line *line, const GArray *all)
{
	bool one = line->ranks->len == 1;
	char *list, *text, *note;

	g_array_sort(line->ranks, compare_numbers);
	list = ranks_list(line->ranks);
	note = line->varies && !strstr(line->rest, NUMBERS)
		   ? g_strdup_printf(NUMBERS "%d)", line->first)
		   : g_strdup("");
	if (line->prefixed && one && line->pid >= 0)
		text = g_strdup_printf("rank %s (process %d): %s", list, line->pid, line->rest);
	else if (line->prefixed)
		text = g_strdup_printf("rank%s %s: %s%s", one ? "" : "s", list, line->rest, note);
	else if (line->unknown || line->ranks->len >= all->len)
		text = g_strdup(line->rest);
	else
		text = g_strdup_printf("%s (rank%s %s)", line->rest, one ? "" : "s", list);
	g_free(note);
	g_free(list);
	return text;
}

GPtrArray *rank_lines_finish(struct rank_lines *lines, const GArray *all)
{
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < lines->list->len; i++)
		g_ptr_array_add(texts, text_of(lines->list->pdata[i], all));
	g_hash_table_destroy(lines->seen);
	g_ptr_array_free(lines->list, TRUE);
	g_free(lines);
	return texts;
}
