/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one fix for the findings of a cause: it names the lines of all, if the sentences differ in
 * them alone.
 */
#include "causes.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/rules/engine/words.h"
#include "json_values.h"

#define SEPARATOR ";\nor "
#define DIFFERS   " (the fixes of others differ in this)"

/* Returns true for "file.hip:12", perhaps with punctuation behind it. */
static bool is_place(const char *word)
{
	const char *colon = strrchr(word, ':');

	if (colon && !colon[1])
		while (colon > word && *--colon != ':')
			;
	return colon && colon > word && g_ascii_isdigit(colon[1]);
}

/* Returns the number of characters of punctuation that end a word. */
static size_t punctuation(const char *word)
{
	size_t length = strlen(word), end = length;

	while (end && strchr(",;:", word[end - 1]))
		end--;
	return length - end;
}

/*
 * Returns the place of the only word in which two sentences differ; -1 if they are equal, -2 if
 * they differ otherwise.
 */
static int different_word(char **one, char **other)
{
	int found = -1;

	for (unsigned i = 0; one[i] || other[i]; i++) {
		if (!one[i] || !other[i])
			return -2;
		if (strcmp(one[i], other[i]) == 0)
			continue;
		if (found >= 0 || !is_place(one[i]) || !is_place(other[i]))
			return -2;
		found = (int)i;
	}
	return found;
}

/* Adds the place without its punctuation, unless it is there. */
static void add_place(GPtrArray *places, const char *word)
{
	char *place = g_strndup(word, strlen(word) - punctuation(word));

	if (g_ptr_array_find_with_equal_func(places, place, g_str_equal, NULL))
		g_free(place);
	else
		g_ptr_array_add(places, place);
}

/* Returns one alternative for all of these; the caller frees it. */
static char *unite(const GPtrArray *alternatives)
{
	const char *first = alternatives->pdata[0];
	char **words = g_strsplit(first, " ", -1), *text;
	GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
	bool alike = true;
	int at = -1;

	for (unsigned i = 1; i < alternatives->len && alike; i++) {
		char **other = g_strsplit(alternatives->pdata[i], " ", -1);
		int word = different_word(words, other);

		alike = word != -2 && (at < 0 || word < 0 || word == at);
		if (alike && word >= 0) {
			at = word;
			add_place(places, words[word]);
			add_place(places, other[word]);
		}
		g_strfreev(other);
	}
	if (alike && at >= 0) {
		char *list = words_list(places);

		text =
		    g_strconcat(list, words[at] + strlen(words[at]) - punctuation(words[at]), NULL);
		g_free(list);
		g_free(words[at]);
		words[at] = text;
	}
	text = g_strjoinv(" ", words);
	if (!alike) {
		char *with = g_strconcat(text, DIFFERS, NULL);

		g_free(text);
		text = with;
	}
	g_ptr_array_free(places, TRUE);
	g_strfreev(words);
	return text;
}

/* Returns alternative number `at` of a fix, or NULL. */
static char *alternative(const char *fix, unsigned at)
{
	char **parts = g_strsplit(fix, SEPARATOR, -1);
	char *text = g_strdup(at < g_strv_length(parts) ? parts[at] : NULL);

	g_strfreev(parts);
	return text;
}

/* The same alternative of all; a finding that lacks it does not matter. */
static char *united(struct json_object *finding, unsigned at)
{
	struct json_object *others = get_array(finding, "others");
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	char *text = alternative(get_text(finding, "fix"), at);

	g_ptr_array_add(list, text);
	for (size_t i = 0; text && i < array_length(others); i++) {
		char *other =
		    alternative(get_text(json_object_array_get_idx(others, i), "fix"), at);

		if (other)
			g_ptr_array_add(list, other);
	}
	text = text ? unite(list) : NULL;
	g_ptr_array_free(list, TRUE);
	return text;
}

char *cause_fix(struct json_object *finding)
{
	GString *fix = g_string_new(NULL);
	char *text;

	if (!get_array(finding, "others") || !get_member(finding, "fix")) {
		g_string_free(fix, TRUE);
		return NULL;
	}
	for (unsigned at = 0; (text = united(finding, at)); at++) {
		g_string_append_printf(fix, "%s%s", at ? SEPARATOR : "", text);
		g_free(text);
	}
	return g_string_free(fix, FALSE);
}

/* Adds the edits that are not there. Returns false if the finding has none. */
static bool add_edits(struct json_object *list, struct json_object *finding)
{
	struct json_object *edits = get_array(finding, "edits");

	for (size_t i = 0; i < array_length(edits); i++) {
		struct json_object *edit = json_object_array_get_idx(edits, i);
		bool before = false;

		for (size_t k = 0; k < array_length(list) && !before; k++)
			before = json_object_equal(json_object_array_get_idx(list, k), edit);
		if (!before)
			json_object_array_add(list, json_object_get(edit));
	}
	return array_length(edits) > 0;
}

struct json_object *cause_edits(struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");
	struct json_object *list = others ? json_object_new_array() : NULL;
	bool all = others && add_edits(list, finding);

	for (size_t i = 0; all && i < array_length(others); i++)
		all = add_edits(list, json_object_array_get_idx(others, i));
	if (all)
		return list;
	json_object_put(list);
	return NULL;
}
