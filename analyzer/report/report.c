/* SPDX-License-Identifier: Apache-2.0 */
/* A report in one of the formats. */
#include "report.h"

#include <errno.h>
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

char *report_format_list(void)
{
	GString *list = g_string_new(formats[0].name);

	for (unsigned i = 1; i < G_N_ELEMENTS(formats); i++) {
		g_string_append(list, i + 1 < G_N_ELEMENTS(formats) ? ", " : " or ");
		g_string_append(list, formats[i].name);
	}
	return g_string_free(list, FALSE);
}

bool report_needs_overview(enum report_format format)
{
	return formats[format].needs & OVERVIEW;
}

bool report_takes_several(enum report_format format)
{
	return formats[format].needs & SEVERAL;
}

int report_write(const struct analysis *analysis, enum report_format format, unsigned style,
		 FILE *stream)
{
	int result = formats[format].write(analysis, style, stream);

	if (result == 0 && (fflush(stream) != 0 || ferror(stream)))
		result = errno ? -errno : -EIO;
	return result;
}
