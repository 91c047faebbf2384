/* SPDX-License-Identifier: Apache-2.0 */
/* The languages and releases that a fix is written for. */
#include "fix_language.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/statement.h"

#define TAKES_LOCATION 100200000 /* HIP 10.2 [CLR102] */

/* The beginning of FIX_DEVICE; the number follows. */
#define DEVICE "{device "

enum source_language fix_language(const struct source_frame *frame)
{
	if (frame && is_python_frame(frame))
		return LANGUAGE_PYTHON;
	if (!frame || !frame->file)
		return LANGUAGE_CPP;
	if (is_fortran_source(frame->file))
		return LANGUAGE_FORTRAN;
	return g_str_has_suffix(frame->file, ".c") ? LANGUAGE_C : LANGUAGE_CPP;
}

static void replace(char **text, const char *token, const char *by)
{
	char **parts = g_strsplit(*text, token, -1);

	g_free(*text);
	*text = g_strjoinv(by, parts);
	g_strfreev(parts);
}

/* Returns what hipMemAdvise gets for a device. The caller frees it. */
static char *device_text(long device, enum source_language language, int version)
{
	if (version < TAKES_LOCATION || language == LANGUAGE_FORTRAN || language == LANGUAGE_PYTHON)
		return g_strdup_printf("%ld", device);
	return g_strdup_printf(language == LANGUAGE_C
				   ? "(hipMemLocation){hipMemLocationTypeDevice, %ld}"
				   : "hipMemLocation{hipMemLocationTypeDevice, %ld}",
			       device);
}

void fix_advise_in(char **fix, enum source_language language, int version)
{
	const char *found = strstr(*fix, DEVICE), *end = found ? strchr(found, '}') : NULL;
	char *token, *by;

	if (!end)
		return;
	token = g_strndup(found, (gsize)(end + 1 - found));
	by = device_text(strtol(found + strlen(DEVICE), NULL, 10), language, version);
	replace(fix, token, by);
	g_free(by);
	g_free(token);
	if (language == LANGUAGE_FORTRAN)
		replace(fix, ": hipMemAdvise(", ": istat = hipMemAdvise(");
	if (language == LANGUAGE_PYTHON) {
		replace(fix, ": hipMemAdvise(", ": hip.hipMemAdvise(");
		replace(fix, ", hipMemAdviseSet", ", hip.hipMemoryAdvise.hipMemAdviseSet");
	}
}
