/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary directories, and how they go with the process. */
#include "temporary.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Nodes stay, because a signal's handler may look at them at any time. */
struct temporary {
	struct temporary *next;
	char *folder;
	pid_t owner; /* a child that it forked leaves them alone */
	atomic_bool gone;
};

static _Atomic(struct temporary *) all;

static void add(const char *folder)
{
	struct temporary *temporary = g_new0(struct temporary, 1);

	temporary->folder = g_strdup(folder);
	temporary->owner = getpid();
	temporary->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &temporary->next, temporary)) {
	}
}

static void remove_at_exit(void)
{
	if (atexit(temporary_remove_all) != 0)
		g_warning("temporary directories may be left behind");
}

char *temporary_make(const char *kind)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *name = g_strdup_printf("hipgrain-%s-XXXXXX", kind);
	char *folder = g_dir_make_tmp(name, NULL);

	g_free(name);
	if (folder) {
		pthread_once(&once, remove_at_exit);
		add(folder);
	}
	return folder;
}

/* getdents64(2) */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* readdir() may allocate, which a signal's handler may not. */
static void remove_files(const char *folder)
{
	_Alignas(struct entry) char buffer[4096];
	int directory = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool any = true;

	while (directory >= 0 && any) {
		long size;

		any = false;
		lseek(directory, 0, SEEK_SET);
		while ((size = syscall(SYS_getdents64, directory, buffer, sizeof(buffer))) > 0) {
			for (long at = 0; at < size;) {
				const struct entry *entry =
				    (const struct entry *)(const void *)&buffer[at];

				/* Not "." and "..". */
				any |= unlinkat(directory, entry->name, 0) == 0;
				at += entry->size;
			}
		}
	}
	if (directory >= 0)
		close(directory);
	rmdir(folder);
}

void temporary_remove(char *folder)
{
	if (!folder)
		return;
	remove_files(folder);
	for (struct temporary *temporary = atomic_load(&all); temporary;
	     temporary = temporary->next)
		if (strcmp(temporary->folder, folder) == 0)
			atomic_store(&temporary->gone, true);
	g_free(folder);
}

void temporary_remove_all(void)
{
	for (struct temporary *temporary = atomic_load(&all); temporary;
	     temporary = temporary->next)
		if (temporary->owner == getpid() && !atomic_exchange(&temporary->gone, true))
			remove_files(temporary->folder);
}
