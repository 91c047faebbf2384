/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the HIP runtime that the dynamic linker finds, trying its names from the newest release
 * down.
 */
#include "hip_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define HIGHEST 99
#define LOWEST  3

/* The linker's sentence on a file that it did not find ends so; all else is about one that it
 * found. */
static const char absent[] = "cannot open shared object file: No such file or directory";

void *hip_library_open(char *error, size_t size)
{
	const char *base = "libamdhip64.so";
	char name[32];

	snprintf(error, size, "%s: %s", base, absent);
	for (int number = HIGHEST; number >= LOWEST - 1; number--) {
		void *library;
		const char *why;

		if (number >= LOWEST)
			snprintf(name, sizeof(name), "%s.%d", base, number);
		else
			snprintf(name, sizeof(name), "%s", base);
		library = dlopen(name, RTLD_NOW);
		if (library)
			return library;
		why = dlerror();
		/* Its own file, not one that it needs. */
		if (why && !(strncmp(why, name, strlen(name)) == 0 && strstr(why, absent)) &&
		    strstr(error, absent))
			snprintf(error, size, "%s", why);
	}
	return NULL;
}
