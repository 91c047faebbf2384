/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in sentences. */
#include "words.h"

const char *words_separator(guint at, guint count)
{
	return at == 0 ? "" : at + 1 == count ? " and " : ", ";
}

char *words_list(const GPtrArray *parts)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < parts->len; i++)
		g_string_append_printf(text, "%s%s", words_separator(i, parts->len),
				       (const char *)parts->pdata[i]);
	return g_string_free(text, FALSE);
}
