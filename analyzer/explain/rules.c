/* SPDX-License-Identifier: Apache-2.0 */
/* What hipgrain-rules(7) says about a rule, and the list of rules. */
#include "analyzer/output.h"
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* From hipgrain-rules(7), by rules_text.py. */
static const struct text {
	const char *name;
	const char *text;
} rule_texts[] = {
#define RULE_TEXT(name, text) { name, text },
#define SOURCE_TEXT(name, text)
#include "analyzer/rules_text.inc"
#undef RULE_TEXT
#undef SOURCE_TEXT
}, source_texts[] = {
#define RULE_TEXT(name, text)
#define SOURCE_TEXT(name, text) { name, text },
#include "analyzer/rules_text.inc"
#undef RULE_TEXT
#undef SOURCE_TEXT
};

static const char *find(const struct text *texts, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(texts[i].name) == length && memcmp(texts[i].name, name, length) == 0)
			return texts[i].text;
	return NULL;
}

static unsigned width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	long number = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (number <= 0 && ioctl(output_descriptor(stream), TIOCGWINSZ, &size) == 0)
		number = size.ws_col;
	return number >= 40 ? (unsigned)MIN(number, 100) : 80;
}

/* Words that begin a paragraph of their own. */
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
	for (int i = 0; i < RULES; i++) {
		fprintf(stream, "%s  %-8s %s\n", rules[i].id, severity_name(rules[i].severity),
			rules[i].title);
	}
}

void explain_rule(const struct rule *rule, FILE *stream)
{
	const char *text = find(rule_texts, G_N_ELEMENTS(rule_texts), rule->id, strlen(rule->id));
	const char *tag = rule->sources;

	fprintf(stream, "%s, %s (%s)\n%s\n\n", rule->id, rule->slug, severity_name(rule->severity),
		rule->title);
	if (text) {
		print_wrapped(text, 2, stream);
		fputc('\n', stream);
	}
	while (*tag) {
		size_t length = strcspn(tag, ",");

		text = find(source_texts, G_N_ELEMENTS(source_texts), tag, length);
		fprintf(stream, "  %-8.*s  %s\n", (int)length, tag, text ? text : "");
		tag += length + (tag[length] == ',');
	}
}
