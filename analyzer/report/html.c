/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one HTML file without anything from elsewhere: the page of html/, and in it the JSON
 * report, a view of each recording and what the manual says of the rules, as data. The page never
 * takes data for markup; and no data can end the element that holds it, because '<' is written as
 * an escape.
 */
#include "html.h"

#include <errno.h>
#include <string.h>

#include "html_page.h"
#include "json_values.h"
#include "report.h"
#include "rule_text.h"
#include "view.h"

/* Returns { tag: what it stands for }. */
static struct json_object *rule_sources(const char *tags)
{
	struct json_object *object = json_object_new_object();
	char **parts = g_strsplit(tags, ",", -1);

	for (char **part = parts; *part; part++) {
		const char *text = source_text(*part, strlen(*part));

		if (**part)
			put(object, *part, text_or_null(text));
	}
	g_strfreev(parts);
	return object;
}

/* Returns { id: what the manual says }, of the rules that found something. */
static struct json_object *rules_of(struct json_object *report)
{
	struct json_object *findings = get_array(report, "findings");
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i), *entry;
		const struct rule *rule = rule_by_name(get_text(finding, "rule"));

		if (!rule || get_member(object, rule->id))
			continue;
		entry = json_object_new_object();
		put(entry, "title", text_value(rule->title));
		put(entry, "text", text_or_null(rule_text(rule)));
		put(entry, "sources", rule_sources(rule->sources));
		put(object, rule->id, entry);
	}
	return object;
}

/* '<' stands in strings only, where an escape means the same. */
static void write_escaped(const char *text, FILE *stream)
{
	while (*text) {
		size_t plain = strcspn(text, "<");

		fwrite(text, 1, plain, stream);
		text += plain;
		if (*text) {
			fputs("\\u003c", stream);
			text++;
		}
	}
}

int html_write(struct json_object *report, struct json_object *views, FILE *stream)
{
	struct json_object *data = json_object_new_object();
	const char *text;
	int result = 0;

	put(data, "report", json_object_get(report));
	put(data, "views", json_object_get(views));
	put(data, "rules", rules_of(report));
	text = json_object_to_json_string_ext(data, JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text) {
		fputs(html_before_data, stream);
		write_escaped(text, stream);
		putc('\n', stream);
		fputs(html_after_data, stream);
	} else {
		result = -ENOMEM;
	}
	json_object_put(data);
	return result;
}

int report_html(const struct analysis *analysis, unsigned style, FILE *stream)
{
	struct json_object *report = report_json_object(analysis);
	struct json_object *views = json_object_new_array();
	int result;

	(void)style;
	json_object_array_add(views, view_object(analysis));
	result = html_write(report, views, stream);
	json_object_put(report);
	json_object_put(views);
	return result;
}
