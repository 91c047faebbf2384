/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of suppressions (--suppressions) that omits the findings of this report: a line each, with
 * a comment that says what it is about. To be shortened by hand before it is used.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/text.h"
#include "causes.h"
#include "json_values.h"

/* The name as a glob that matches it and nothing else; NULL: a line cannot hold it. */
static char *exactly(const char *name)
{
	GString *glob = g_string_new(NULL);

	for (; *name; name++) {
		if (strchr("*?[]\\", *name))
			g_string_append_c(glob, '\\');
		g_string_append_c(glob, *name);
		if (*name == '\n' || *name == '\r') {
			g_string_free(glob, TRUE);
			return NULL;
		}
	}
	return g_string_free(glob, FALSE);
}

/* Returns "file.cpp:12", or the function, of the innermost frame; NULL: neither is known. */
static char *site_of(struct json_object *stack)
{
	struct json_object *frame;
	char *base, *site;

	if (!array_length(stack))
		return NULL;
	frame = json_object_array_get_idx(stack, 0);
	if (!*get_text(frame, "file"))
		return *get_text(frame, "function") ? g_strdup(get_text(frame, "function")) : NULL;
	base = g_path_get_basename(get_text(frame, "file"));
	site = g_strdup_printf("%s:%d", base, (int)get_number(frame, "line"));
	g_free(base);
	return site;
}

/*
 * Returns what rules' suppressions are compared with (suppression_files.c): the kernel's symbol,
 * else the place of the call or of the allocation, else the call, else the subject, else anything.
 */
static char *pattern_of(struct json_object *finding)
{
	static const char *const members[] = { "kernel_symbol", "kernel", "api", "subject" };
	char *site = NULL, *pattern;

	if (!*get_text(finding, "kernel"))
		site = site_of(get_array(finding, "call_stack"));
	if (!site && !*get_text(finding, "kernel"))
		site = site_of(get_array(get_member(finding, "allocation"), "stack"));
	if (site) {
		pattern = exactly(site);
		g_free(site);
		return pattern;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(members); i++)
		if (*get_text(finding, members[i]))
			return exactly(get_text(finding, members[i]));
	return g_strdup("*");
}

static void put_comment(FILE *stream, const char *text)
{
	char *line = text_one_line(text);

	fprintf(stream, "# %s\n", line ? line : "?");
	free(line);
}

int json_as_suppressions(struct json_object *report, FILE *stream)
{
	struct json_object *findings = causes_findings(get_array(report, "findings"));
	GHashTable *written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		const struct rule *rule = rule_by_name(get_text(finding, "rule"));
		char *pattern = pattern_of(finding), *line;

		put_comment(stream, get_text(finding, "message"));
		if (!pattern || !rule) {
			fputs(rule ? "# (its name cannot be written here)\n"
				   : "# (of a rule that is not known here)\n",
			      stream);
			g_free(pattern);
			continue;
		}
		line = g_strdup_printf("%s:%s", rule->id, pattern);
		g_free(pattern);
		if (g_hash_table_contains(written, line)) {
			fputs("# (by the same line)\n", stream);
			g_free(line);
			continue;
		}
		fprintf(stream, "%s\n", line);
		g_hash_table_add(written, line);
	}
	g_hash_table_destroy(written);
	json_object_put(findings);
	return 0;
}
