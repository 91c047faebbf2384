/* SPDX-License-Identifier: Apache-2.0 */
/* Records of batches that were not traced when their process ended. */
#include "open_batches.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sorted_files.h"

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

	if (!file)
		return;
	if (read_page(file, &page) && page.begin == HG_OPEN_BATCHES_MAGIC) {
		while (read_page(file, &page))
			if (page.pid && page.words && page.words <= HG_BATCH_WORDS)
				function(&page, data);
	}
	fclose(file);
}

void open_batches_each(const char *folder,
		       void (*function)(const struct hg_open_batch *page, void *data), void *data)
{
	GPtrArray *paths = sorted_files(folder);

	for (guint i = 0; i < paths->len; i++)
		read_file(paths->pdata[i], function, data);
	g_ptr_array_free(paths, TRUE);
}
