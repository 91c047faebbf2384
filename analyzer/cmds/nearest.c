/* SPDX-License-Identifier: Apache-2.0 */
/* The distance between two words: optimal string alignment, a row of the table at a time. */
#include "analyzer/cmds/nearest.h"

#include <glib.h>
#include <string.h>

/* Words are verbs, options and names of rules: longer ones are somebody's text. */
#define LONGEST_WORD 40

/* Returns the number of single changes that make `a` of `b`; both have at most LONGEST_WORD bytes.
 */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST_WORD + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	unsigned columns = (unsigned)strlen(b);

	for (unsigned j = 0; j <= columns; j++)
		before[j] = last[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned *spare = before;

		now[0] = i;
		for (unsigned j = 1; j <= columns; j++) {
			unsigned other = last[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = MIN(other, MIN(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = MIN(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[columns];
}

struct nearest nearest_to(const char *word)
{
	return (struct nearest){ .word = word, .distance = MAX((unsigned)strlen(word) / 3, 1) + 1 };
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	unsigned found;

	if (strlen(nearest->word) > LONGEST_WORD || strlen(name) > LONGEST_WORD)
		return;
	found = distance(nearest->word, name);
	if (found < nearest->distance) {
		nearest->name = name;
		nearest->distance = found;
	}
}

GPtrArray *options_beginning(const char *usage, const char *word)
{
	GPtrArray *options = g_ptr_array_new_with_free_func(g_free);
	size_t typed = strcspn(word, "=");

	for (const char *at = strstr(usage, " --"); at; at = strstr(at + 1, " --")) {
		size_t length = strspn(at + 3, "abcdefghijklmnopqrstuvwxyz0123456789-");
		char *option = g_strndup(at + 1, length + 2);

		if (length && strncmp(option, word, typed) == 0 &&
		    !g_ptr_array_find_with_equal_func(options, option, g_str_equal, NULL))
			g_ptr_array_add(options, option);
		else
			g_free(option);
	}
	return options;
}

char *nearest_option(const char *usage, const char *word)
{
	char *typed = g_strndup(word, strcspn(word, "=")), *found;
	GPtrArray *options = options_beginning(usage, "--");
	struct nearest nearest = nearest_to(typed);

	for (guint i = 0; i < options->len; i++)
		nearest_offer(&nearest, g_ptr_array_index(options, i));
	found = nearest.name && nearest.distance ? g_strdup(nearest.name) : NULL;
	g_ptr_array_free(options, TRUE);
	g_free(typed);
	return found;
}
