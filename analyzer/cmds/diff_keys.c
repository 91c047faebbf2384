/* SPDX-License-Identifier: Apache-2.0 */
/* The key by which `hipgrain diff` takes two findings for the same. */
#include "analyzer/cmds/diff_keys.h"

#include <inttypes.h>

#include "analyzer/report/json_values.h"

static bool has_stack(struct json_object *object, const char *name)
{
	return array_length(get_array(object, name)) > 0;
}

bool diff_lacks_stacks(struct json_object *report)
{
	/* The findings that stand for a cause decide: either all of a report have stacks or none.
	 */
	struct json_object *list = get_array(report, "findings");
	size_t length = array_length(list);

	for (size_t i = 0; i < length; i++) {
		struct json_object *finding = json_object_array_get_idx(list, i);

		if (has_stack(finding, "call_stack") || has_stack(finding, "related_stack") ||
		    has_stack(get_member(finding, "launches"), "stack") ||
		    has_stack(get_member(finding, "allocation"), "stack"))
			return false;
	}
	return length > 0;
}

/* Describes a finding as analyzer/report/fingerprint.c does. */
static char *without_places(struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");

	return g_strdup_printf("%s|%s|%" PRId64 "|%s|%s|%s|%s|%s|%s", get_text(finding, "rule"),
			       get_text(finding, "kernel_symbol"),
			       get_number(finding, "kernarg_offset"),
			       get_text(finding, "instruction"), get_text(finding, "api"),
			       get_text(allocation, "api"), get_text(allocation, "symbol"),
			       get_text(finding, "subject"), get_text(finding, "related"));
}

struct diff_keys diff_keys(struct json_object *finding, bool without_stacks)
{
	if (without_stacks)
		return (struct diff_keys){ without_places(finding), NULL };
	return (struct diff_keys){ g_strdup(get_text(finding, "fingerprint")),
				   get_member(finding, "former_fingerprint")
				       ? g_strdup(get_text(finding, "former_fingerprint"))
				       : NULL };
}
