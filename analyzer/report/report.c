/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	int (*write)(const struct analysis *analysis, unsigned style, FILE *stream);
} formats[] = {
	[REPORT_TEXT] = { "text", report_text },       [REPORT_JSON] = { "json", report_json },
	[REPORT_SARIF] = { "sarif", report_sarif },    [REPORT_HTML] = { "html", report_html },
	[REPORT_CHROME] = { "chrome", report_chrome },
};

int report_format_by_name(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

int report_write(const struct analysis *analysis, enum report_format format, unsigned style,
		 FILE *stream)
{
	int result = formats[format].write(analysis, style, stream);

	if (result == 0 && (fflush(stream) != 0 || ferror(stream))) {
		result = errno ? -errno : -EIO;
	}
	return result;
}
