/* SPDX-License-Identifier: Apache-2.0 */
/* Values of JSON that are the same wherever they stand. */
#include "json_values.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "analyzer/analyze.h"

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

void put_allocation(struct json_object *object, const struct analysis *analysis,
		    const struct process *process, const struct allocation *allocation)
{
	const struct source_frame *frame =
	    allocation ? stack_user_frame(analysis->symbolizer, process, allocation->stack_id)
		       : NULL;

	put(object, "api", text_or_null(allocation ? hg_api_name_if_known(allocation->api) : NULL));
	put(object, "size", allocation ? json_object_new_int64((int64_t)allocation->size) : NULL);
	put(object, "file", text_or_null(frame ? frame->file : NULL));
	put(object, "line", frame && frame->file ? json_object_new_int64(frame->line) : NULL);
}

int write_json(struct json_object *root, FILE *stream)
{
	const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
								    JSON_C_TO_STRING_NOSLASHESCAPE);
	int result = 0;

	if (!text)
		result = -ENOMEM;
	else if (fprintf(stream, "%s\n", text) < 0)
		result = -errno;
	json_object_put(root);
	return result;
}

struct json_object *get_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

struct json_object *get_array(struct json_object *object, const char *name)
{
	struct json_object *value = get_member(object, name);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

size_t array_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

const char *get_text(struct json_object *object, const char *name)
{
	const char *text = json_object_get_string(get_member(object, name));

	return text ? text : "";
}

void print_member(FILE *stream, struct json_object *object, const char *name, const char *between)
{
	const char *text = get_text(object, name);

	for (;;) {
		size_t length = strcspn(text, "\n");

		fprintf(stream, "%.*s", (int)length, text);
		if (!text[length])
			break;
		fputs(between, stream);
		text += length + 1;
	}
}

bool get_flag(struct json_object *object, const char *name)
{
	return json_object_get_boolean(get_member(object, name));
}

bool json_report_analysed(struct json_object *report)
{
	return get_flag(report, get_member(report, "analysed") ? "analysed" : "complete");
}

int64_t get_number(struct json_object *object, const char *name)
{
	return json_object_get_int64(get_member(object, name));
}
