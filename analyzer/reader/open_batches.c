/* SPDX-License-Identifier: Apache-2.0 */
#include "open_batches.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The first page has its magic where the others have their begin. */
static bool read_page(FILE *file, struct hg_open_batch *page)
{
	return fread(page, sizeof(*page), 1, file) == 1;
}

static void read_file(const char *path,
		      void (*function)(const struct hg_open_batch *page, void *data), void *data)
{
	FILE *file = fopen(path, "rbe");
	struct hg_open_batch page;

	if (!file) {
		return;
	}
	if (read_page(file, &page) && page.begin == HG_OPEN_BATCHES_MAGIC) {
		while (read_page(file, &page)) {
			if (page.pid && page.words && page.words <= HG_BATCH_WORDS) {
				function(&page, data);
			}
		}
	}
	fclose(file);
}

static gint compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void open_batches_each(const char *folder,
		       void (*function)(const struct hg_open_batch *page, void *data), void *data)
{
	GDir *directory = g_dir_open(folder, 0, NULL);
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(folder, name, NULL);

		/* A pipe of that name would not end. */
		if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
			g_ptr_array_add(paths, path);
		} else {
			g_free(path);
		}
	}
	g_ptr_array_sort(paths, compare);
	for (guint i = 0; i < paths->len; i++) {
		read_file(paths->pdata[i], function, data);
	}
	g_ptr_array_free(paths, TRUE);
	if (directory) {
		g_dir_close(directory);
	}
}
