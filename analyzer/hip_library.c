/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the HIP runtime that the dynamic linker finds, trying its names from the newest release
 * down, and then places that the linker does not know.
 */
#include "hip_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "comgr/rocm.h"

#define HIGHEST 99
#define LOWEST  3

/* The linker's sentence on a file that it did not find ends so; all else is about one that it
 * found. */
static const char absent[] = "cannot open shared object file: No such file or directory";

/* Opens `name`, a file or a soname. In place of a name that is not there, error[size] tells what is
 * wrong with a library that is. */
static void *try(const char *name, char *error, size_t size)
{
	void *library = dlopen(name, RTLD_NOW);
	const char *why = library ? NULL : dlerror();

	/* The message is about the file itself, not about a library that it needs. */
	if (why && !(strncmp(why, name, strlen(name)) == 0 && strstr(why, absent)) &&
	    strstr(error, absent))
		snprintf(error, size, "%s", why);
	return library;
}

void *hip_library_open(const char *path, char *error, size_t size)
{
	const char *base = "libamdhip64.so";
	void *library = NULL;
	char name[32], **list;

	snprintf(error, size, "%s: %s", path ? path : base, absent);
	if (path)
		return try(path, error, size);
	for (int number = HIGHEST; number >= LOWEST - 1 && !library; number--) {
		if (number >= LOWEST)
			snprintf(name, sizeof(name), "%s.%d", base, number);
		else
			snprintf(name, sizeof(name), "%s", base);
		library = try(name, error, size);
	}
	if (library)
		return library;
	list = rocm_libraries(base);
	for (size_t i = 0; list && list[i] && !library; i++)
		library = try(list[i], error, size);
	rocm_libraries_free(list);
	return library;
}
