/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of comma-separated values (RFC 4180). */
#ifndef HIPGRAIN_REPORT_CSV_FIELD_H
#define HIPGRAIN_REPORT_CSV_FIELD_H

#include <stdio.h>

/* Prints the text in double quotes, those inside doubled; nothing at all for NULL. */
static inline void csv_field(FILE *stream, const char *text)
{
	if (!text)
		return;
	putc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', stream);
		putc(*text, stream);
	}
	putc('"', stream);
}

#endif
