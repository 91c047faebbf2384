/* SPDX-License-Identifier: Apache-2.0 */
/* The tool and its rules in SARIF. */
#include "sarif.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "config.h"
#include "json_values.h"
#include "rule_text.h"

/* The manual is installed with the tool; URIs of its pages are in the form of systemd.unit(5). */
#define MAIN_PAGE  "man:hipgrain(1)"
#define RULES_PAGE "man:hipgrain-rules(7)"

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

/* Returns a message, or a description, of one member. */
struct json_object *sarif_message(const char *value)
{
	struct json_object *object = json_object_new_object();

	put(object, "text", text_value(value));
	return object;
}

const char *sarif_level(enum severity severity)
{
	static const char *const levels[] = {
		[SEVERITY_NOTE] = "note",
		[SEVERITY_ADVICE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return levels[severity];
}

/* The first paragraph describes the rule, all of them are its help. */
static void put_rule_text(struct json_object *object, const char *whole)
{
	const char *end = whole ? strchrnul(whole, '\n') : NULL;
	char *first;

	if (!whole)
		return;
	first = g_strndup(whole, (gsize)(end - whole));
	put(object, "fullDescription", sarif_message(first));
	put(object, "help", sarif_message(whole));
	g_free(first);
}

/* "hw-fp-atomic" as "HwFpAtomic": names of rules in SARIF begin their words with capitals. */
static struct json_object *rule_name(const char *slug)
{
	GString *name = g_string_new(NULL);
	struct json_object *object;
	bool begins = true;

	for (; *slug; slug++) {
		if (*slug != '-')
			g_string_append_c(name, begins ? g_ascii_toupper(*slug) : *slug);
		begins = *slug == '-';
	}
	object = text(name->str);
	g_string_free(name, TRUE);
	return object;
}

/* Returns the address of what is said of a rule: its page where the site is known, else the
 * manual's. */
static struct json_object *help_uri(const struct rule *rule)
{
#ifdef HIPGRAIN_SITE
	char *uri = g_strdup_printf("%s/rules/%s/", HIPGRAIN_SITE, rule->id);
	struct json_object *object = text(uri);

	g_free(uri);
	return object;
#else
	(void)rule;
	return text(RULES_PAGE);
#endif
}

static struct json_object *one_rule(const struct rule *rule)
{
	struct json_object *object = json_object_new_object();
	struct json_object *configuration = json_object_new_object();
	struct json_object *properties = json_object_new_object();
	struct json_object *tags = json_object_new_array();

	put(object, "id", text(rule->id));
	put(object, "name", rule_name(rule->slug));
	put(object, "shortDescription", sarif_message(rule->title));
	put_rule_text(object, rule_text(rule));
	put(object, "helpUri", help_uri(rule));
	put(configuration, "level", text(sarif_level(rule->severity)));
	put(object, "defaultConfiguration", configuration);
	json_object_array_add(tags, text(severity_name(rule->severity)));
	put(properties, "tags", tags);
	put(properties, "slug", text(rule->slug));
	put(properties, "sources", text(rule->sources));
	put(object, "properties", properties);
	return object;
}

struct json_object *sarif_driver(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();

	put(object, "name", text("hipgrain"));
	put(object, "informationUri", text(MAIN_PAGE));
	put(object, "semanticVersion", text(HIPGRAIN_VERSION));
	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
		json_object_array_add(list, one_rule(rule));
	put(object, "rules", list);
	return object;
}
