/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for libraries below ROCM_PATH and /opt/rocm*. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comgr/rocm.h"

/* Orders /opt/rocm before /opt/rocm-6.2, which the first is a link to, and 6.10 before 6.2. */
static int newest_first(const void *left, const void *right)
{
	return strverscmp(*(char *const *)right, *(char *const *)left);
}

struct list {
	char **paths;
	size_t count;
};

static void add(struct list *list, const char *pattern)
{
	glob_t found;

	if (!list->paths || glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), newest_first);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char **more = realloc(list->paths, (list->count + 2) * sizeof(*more));

		if (!more)
			break;
		list->paths = more;
		more[list->count] = strdup(found.gl_pathv[i]);
		if (!more[list->count])
			break;
		more[++list->count] = NULL;
	}
	globfree(&found);
}

static void add_below(struct list *list, const char *directory, const char *name)
{
	char pattern[4096];

	if (snprintf(pattern, sizeof(pattern), "%s/%s.[0-9]*", directory, name) <
	    (int)sizeof(pattern))
		add(list, pattern);
}

char **rocm_libraries_in(const char *directory, const char *name)
{
	struct list list = { .paths = calloc(1, sizeof(char *)) };

	add_below(&list, directory, name);
	return list.paths;
}

char **rocm_libraries(const char *name)
{
	struct list list = { .paths = calloc(1, sizeof(char *)) };
	const char *rocm = getenv("ROCM_PATH");
	char library[4096];

	if (rocm && *rocm == '/' &&
	    snprintf(library, sizeof(library), "%s/lib", rocm) < (int)sizeof(library))
		add_below(&list, library, name);
	add_below(&list, "/opt/rocm*/lib", name);
	add_below(&list, "/opt/rocm*/core-*/lib", name);
	return list.paths;
}

void rocm_libraries_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
