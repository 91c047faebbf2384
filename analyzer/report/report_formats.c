/* SPDX-License-Identifier: Apache-2.0 */
/* A report in one of the formats. */
#include "report.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

enum { OVERVIEW = 1, SEVERAL = 2 };

static const struct {
	const char *name;
	int (*write)(const struct analysis *analysis, unsigned style, FILE *stream);
	unsigned needs;
} formats[] = {
#define FORMAT(id, name, function, needs) { name, function, needs },
	REPORT_FORMATS(FORMAT)
#undef FORMAT
};

int report_format_by_name(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* "a, b or c" of those that need all of `needs`. */
static char *list_of(unsigned needs)
{
	GPtrArray *names = g_ptr_array_new();
	GString *list = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++)
		if ((formats[i].needs & needs) == needs)
			g_ptr_array_add(names, (gpointer)formats[i].name);
	for (unsigned i = 0; i < names->len; i++) {
		g_string_append_printf(list, "%s%s",
				       i == 0                ? ""
				       : i + 1 == names->len ? " or "
							     : ", ",
				       (const char *)names->pdata[i]);
	}
	g_ptr_array_free(names, TRUE);
	return g_string_free(list, FALSE);
}

char *report_format_list(void)
{
	return list_of(0);
}

char *report_format_list_of_several(void)
{
	return list_of(SEVERAL);
}

bool report_needs_overview(enum report_format format)
{
	return formats[format].needs & OVERVIEW;
}

bool report_takes_several(enum report_format format)
{
	return formats[format].needs & SEVERAL;
}

int report_of_json(enum report_format format, struct json_object *report, FILE *stream)
{
	switch (format) {
#define FORMAT(id, name)  \
	case REPORT_##id: \
		return json_as_##name(report, stream);
		REPORT_FORMATS_OF_JSON(FORMAT)
#undef FORMAT
	default:
		return -EINVAL;
	}
}

#define FORMAT(id, name)                                                                 \
	int report_##name(const struct analysis *analysis, unsigned style, FILE *stream) \
	{                                                                                \
		struct json_object *report = report_json_object(analysis);               \
		int result = json_as_##name(report, stream);                             \
                                                                                         \
		(void)style;                                                             \
		json_object_put(report);                                                 \
		return result;                                                           \
	}
REPORT_FORMATS_OF_JSON(FORMAT)
#undef FORMAT

int report_write(const struct analysis *analysis, enum report_format format, unsigned style,
		 FILE *stream)
{
	int result = formats[format].write(analysis, style, stream);

	if (result == 0 && (fflush(stream) != 0 || ferror(stream)))
		result = errno ? -errno : -EIO;
	return result;
}
