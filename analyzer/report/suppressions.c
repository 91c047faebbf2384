/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of suppressions (--suppressions) that omits the findings of this report: a line each, with
 * a comment that says what it is about. To be shortened by hand before it is used.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/text.h"
#include "selection.h"

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

/*
 * What rules' suppressions are compared with (suppression_files.c): the kernel's symbol, else the
 * call, else the subject, else anything.
 */
static char *pattern_of(const struct finding *finding)
{
	const char *name = finding->kernel
			       ? finding->kernel_symbol ? finding->kernel_symbol : finding->kernel
			   : finding->api     ? finding->api
			   : finding->subject ? finding->subject
					      : NULL;

	return name ? exactly(name) : g_strdup("*");
}

static void put_comment(FILE *stream, const char *text)
{
	char *line = text_one_line(text);

	fprintf(stream, "# %s\n", line ? line : "?");
	free(line);
}

int report_suppressions(const struct analysis *analysis, unsigned style, FILE *stream)
{
	const GPtrArray *list = analysis->findings.list;
	GHashTable *written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	(void)style;
	for (unsigned i = 0; i < list->len; i++) {
		const struct finding *finding = list->pdata[i];
		char *pattern = pattern_of(finding), *line;

		put_comment(stream, finding->message);
		if (!pattern) {
			fputs("# (its name cannot be written here)\n", stream);
			continue;
		}
		line = g_strdup_printf("%s:%s", finding->rule->id, pattern);
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
	return 0;
}
