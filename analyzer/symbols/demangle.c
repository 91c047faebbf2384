/* SPDX-License-Identifier: Apache-2.0 */
/* Linker symbols as their programmers wrote them. */
#include "demangle.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* libstdc++'s demangler (Itanium C++ ABI); the result is malloc'ed. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* Demangles a name of gfortran: __module_MOD_procedure; in submodules
 * __module.submodule_MOD_procedure. */
static char *gfortran_name(const char *symbol)
{
	const char *middle = g_str_has_prefix(symbol, "__") ? strstr(symbol + 2, "_MOD_") : NULL;

	if (!middle || middle == symbol + 2 || !middle[5])
		return NULL;
	return g_strdup_printf("%.*s::%s", (int)(middle - symbol - 2), symbol + 2, middle + 5);
}

/*
 * Demangles a name of flang: _Q, then scopes, outermost first: M module, S submodule, F procedure
 * that holds others; then P procedure. Names are lower-case, the letters of scopes are not. _QQmain
 * is the program.
 */
static char *flang_name(const char *symbol)
{
	GString *text;
	const char *at = symbol + 2;

	if (!g_str_has_prefix(symbol, "_Q"))
		return NULL;
	if (strcmp(at, "Qmain") == 0)
		return g_strdup("main program");
	text = g_string_new(NULL);
	while (*at && strchr("MSFP", *at)) {
		size_t length = strcspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ.");

		if (length == 0)
			break;
		g_string_append_printf(text, "%s%.*s", text->len ? "::" : "", (int)length, at + 1);
		at += 1 + length;
	}
	if (*at || !text->len) { /* another scheme, or parts that are not known here */
		g_string_free(text, TRUE);
		return NULL;
	}
	return g_string_free(text, FALSE);
}

char *demangled(const char *symbol)
{
	char *text, *result;
	int status = 0;

	if (!symbol)
		return NULL;
	text = g_str_has_prefix(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	if (text) {
		result = g_strdup(text);
		free(text);
		return result;
	}
	result = gfortran_name(symbol);
	if (!result)
		result = flang_name(symbol);
	return result ? result : g_strdup(symbol);
}
