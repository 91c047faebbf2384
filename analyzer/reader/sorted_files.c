/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the regular files of a directory by name. */
#include "sorted_files.h"

#include <string.h>

static gint compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *sorted_files(const char *directory)
{
	GDir *entries = g_dir_open(directory, 0, NULL);
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (entries && (name = g_dir_read_name(entries)) != NULL) {
		char *path = g_build_filename(directory, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			g_ptr_array_add(paths, path);
		else
			g_free(path);
	}
	if (entries)
		g_dir_close(entries);
	g_ptr_array_sort(paths, compare);
	return paths;
}
