/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what hipgrain-rules(7) says about a rule, and the list of rules. */
#include "analyzer/output.h"
#include "analyzer/report/rule_text.h"
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	long number = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (number <= 0 && ioctl(output_descriptor(stream), TIOCGWINSZ, &size) == 0)
		number = size.ws_col;
	return number >= 40 ? (unsigned)MIN(number, 100) : 80;
}

/* Returns true for words that begin a paragraph of their own. */
static bool begins_paragraph(const char *word)
{
	static const char *const heads[] = { "Evidence:", "Fix:", "Sources:" };

	for (unsigned i = 0; i < G_N_ELEMENTS(heads); i++)
		if (g_str_has_prefix(word, heads[i]))
			return true;
	return false;
}

static void print_wrapped(const char *text, unsigned indent, FILE *stream)
{
	unsigned columns = width(stream), column = indent;

	fprintf(stream, "%*s", (int)indent, "");
	while (*text) {
		size_t length = strcspn(text, " \n");
		unsigned glyphs = (unsigned)g_utf8_strlen(text, (gssize)length);
		bool fresh = column == indent;

		if (!fresh &&
		    (begins_paragraph(text) || text[-1] == '\n' || column + 1 + glyphs > columns)) {
			fprintf(stream, "\n%*s", (int)indent, "");
			column = indent;
			fresh = true;
		}
		fprintf(stream, "%s%.*s", fresh ? "" : " ", (int)length, text);
		column += glyphs + !fresh;
		text += length + (text[length] != 0);
	}
	fputc('\n', stream);
}

void explain_rules(FILE *stream)
{
	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
		fprintf(stream, "%s  %-8s %s\n", rule->id, severity_name(rule->severity),
			rule->title);
}

void explain_rule(const struct rule *rule, FILE *stream)
{
	const char *text = rule_text(rule);
	const char *tag = rule->sources;

	fprintf(stream, "%s, %s (%s)\n%s\n\n", rule->id, rule->slug, severity_name(rule->severity),
		rule->title);
	if (text) {
		print_wrapped(text, 2, stream);
		fputc('\n', stream);
	}
	while (*tag) {
		size_t length = strcspn(tag, ",");

		text = source_text(tag, length);
		fprintf(stream, "  %-8.*s  %s\n", (int)length, tag, text ? text : "");
		tag += length + (tag[length] == ',');
	}
}
