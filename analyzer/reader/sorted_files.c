/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a directory by name. */
#include "sorted_files.h"

#include <string.h>

static gint compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *sorted_entries(const char *directory)
{
	GDir *entries = g_dir_open(directory, 0, NULL);
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (entries && (name = g_dir_read_name(entries)) != NULL)
		g_ptr_array_add(paths, g_build_filename(directory, name, NULL));
	if (entries)
		g_dir_close(entries);
	g_ptr_array_sort(paths, compare);
	return paths;
}

GPtrArray *sorted_files(const char *directory)
{
	GPtrArray *paths = sorted_entries(directory);

	for (guint i = 0; i < paths->len;)
		if (g_file_test(paths->pdata[i], G_FILE_TEST_IS_REGULAR))
			i++;
		else
			g_ptr_array_remove_index(paths, i);
	return paths;
}
