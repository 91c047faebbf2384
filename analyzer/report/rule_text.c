/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what hipgrain-rules(7) says about rules and sources, compiled in by rules_text.py. */
#include "rule_text.h"

#include <string.h>

#include "analyzer/rules/engine/findings.h"

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

const char *rule_text(const struct rule *rule)
{
	return find(rule_texts, G_N_ELEMENTS(rule_texts), rule->id, strlen(rule->id));
}

const char *source_text(const char *tag, size_t length)
{
	return find(source_texts, G_N_ELEMENTS(source_texts), tag, length);
}
