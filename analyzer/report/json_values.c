/* SPDX-License-Identifier: Apache-2.0 */
#include "json_values.h"

#include <errno.h>
#include <glib.h>

void put(struct json_object *object, const char *name, struct json_object *value)
{
	json_object_object_add(object, name, value);
}

struct json_object *text_value(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);
	struct json_object *value = json_object_new_string(valid);

	g_free(valid);
	return value;
}

struct json_object *text_or_null(const char *text)
{
	return text ? text_value(text) : NULL;
}

int write_json(struct json_object *root, FILE *stream)
{
	const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
								    JSON_C_TO_STRING_NOSLASHESCAPE);
	int result = 0;

	if (!text) {
		result = -ENOMEM;
	} else if (fprintf(stream, "%s\n", text) < 0) {
		result = -errno;
	}
	json_object_put(root);
	return result;
}
