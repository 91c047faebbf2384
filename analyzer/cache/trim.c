/* SPDX-License-Identifier: Apache-2.0 */
/* The cache's size. */
#include "cache_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Seconds after which nobody writes to a file any more. */
#define ABANDONED 3600

struct entry {
	char *name;
	uint64_t size;
	struct timespec used;
};

struct list {
	struct entry *entry;
	size_t count, room;
	uint64_t size;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static void add(struct list *list, const char *name, const struct stat *status)
{
	struct entry *grown = list->entry;

	if (list->count == list->room) {
		list->room = list->room ? list->room * 2 : 256;
		grown = reallocarray(list->entry, list->room, sizeof(*grown));
		if (!grown) {
			list->room = list->count;
			return;
		}
		list->entry = grown;
	}
	grown[list->count].name = strdup(name);
	if (!grown[list->count].name)
		return;
	grown[list->count].size = (uint64_t)status->st_size;
	grown[list->count++].used = status->st_mtim;
	list->size += (uint64_t)status->st_size;
}

/* Lists the entries, and deletes what was abandoned. */
static void read_list(DIR *folder, struct list *list)
{
	struct dirent *row;
	struct stat status;

	while ((row = readdir(folder))) {
		if (*row->d_name == '.' ||
		    fstatat(dirfd(folder), row->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		if (strncmp(row->d_name, CACHE_TEMPORARY, strlen(CACHE_TEMPORARY)) != 0)
			add(list, row->d_name, &status);
		else if (time(NULL) - status.st_mtime > ABANDONED)
			(void)unlinkat(dirfd(folder), row->d_name, 0); /* or the next time */
	}
}

void cache_trim(int directory, uint64_t most)
{
	int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	struct list list = { 0 };
	bool over;

	if (!folder) {
		if (copy >= 0)
			close(copy);
		return;
	}
	read_list(folder, &list);
	over = list.size > most;
	if (over)
		qsort(list.entry, list.count, sizeof(*list.entry), by_use);
	for (size_t i = 0; i < list.count; i++) {
		/* Another process may have deleted it already. */
		if (over && list.size > most / 8 * 7) {
			(void)unlinkat(directory, list.entry[i].name, 0);
			list.size -= list.entry[i].size;
		}
		free(list.entry[i].name);
	}
	free(list.entry);
	closedir(folder);
}
