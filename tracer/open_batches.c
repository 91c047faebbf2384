/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the batches that processes have not recorded when a recording ends. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracer/batch_events.h"
#include "tracer/early_events.h"
#include "tracer/open_batches.h"

/* Time for a thread to add the record that it had begun to add; so often, while one opens a batch.
 */
#define SETTLE_NS   (20 * 1000 * 1000)
#define SETTLE_MOST 50

/* Names of the copies that open_batches_keep() makes. */
#define HELD        ".held"

#define SHARED_PATH 64u

static bool is_held(int bundle, const char *name)
{
	char copy[300];

	snprintf(copy, sizeof(copy), HG_OPEN_BATCHES "/%s" HELD, name);
	return faccessat(bundle, copy, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void set_hold(int file, const char *name, int value)
{
	uint64_t hold = (uint64_t)value;

	(void)name;
	/*
	 * If it cannot be written here, recording ends all the same: its records are missing, and
	 * counted.
	 */
	(void)!pwrite(file, &hold, sizeof(hold), offsetof(struct hg_open_batch, hold));
}

static bool is_of_many(const char *name)
{
	return strncmp(name, HG_EARLY_BATCHES, strlen(HG_EARLY_BATCHES)) == 0;
}

/* Whether a page has records, or a process that lives may add some. */
static bool is_used(int file)
{
	struct hg_open_batch page;
	const size_t size = offsetof(struct hg_open_batch, records);
	off_t at = (off_t)sizeof(page);
	bool used = false;

	for (; pread(file, &page, size, at) == (ssize_t)size; at += (off_t)sizeof(page))
		used |= page.pid && (page.words || kill(page.pid, 0) == 0 || errno == EPERM);
	return used;
}

/*
 * Call `function` for each file of gathered records, but for those of which there is a copy in the
 * bundle (-1: for all); how many there are. The one that processes share does not count while none
 * uses it.
 */
static unsigned each(const char *directory, int bundle,
		     void (*function)(int file, const char *name, int value), int value)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder = -1;
	struct dirent *entry;
	unsigned count = 0;
	DIR *list = NULL;

	if (home >= 0) {
		folder =
		    openat(home, HG_OPEN_BATCHES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(home);
	}
	list = folder < 0 ? NULL : fdopendir(folder);
	while (list && (entry = readdir(list))) {
		struct hg_open_batch first;
		struct stat status;
		int file;

		if (strstr(entry->d_name, HELD) || (bundle >= 0 && is_held(bundle, entry->d_name)))
			continue;
		file = openat(folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		    pread(file, &first, sizeof(first), 0) == sizeof(first) &&
		    first.begin == HG_OPEN_BATCHES_MAGIC) {
			bool counts = !is_of_many(entry->d_name) || is_used(file);

			if (counts || function == set_hold)
				function(file, entry->d_name, value);
			count += counts;
		}
		if (file >= 0)
			close(file);
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	return count;
}

static bool opening;

/* Whether a thread is opening a batch: it was counted, and has no record yet. */
static void look_for_opening(int file, const char *name, int value)
{
	struct hg_open_batch page;
	const size_t size = offsetof(struct hg_open_batch, records);
	off_t at = (off_t)sizeof(page);

	(void)name;
	(void)value;
	for (; pread(file, &page, size, at) == (ssize_t)size; at += (off_t)sizeof(page))
		opening |= page.pid && page.number && !page.begin && kill(page.pid, 0) == 0;
}

/* The first page and those with records, as a file of the same form. */
static void copy_pages(int file, const char *name, int folder)
{
	struct hg_open_batch *page = malloc(sizeof(*page));
	char copy[300];
	off_t at = 0;
	int to = -1;

	snprintf(copy, sizeof(copy), "%s" HELD, name);
	while (page && pread(file, page, sizeof(*page), at) == sizeof(*page)) {
		bool first = at == 0;

		at += (off_t)sizeof(*page);
		if (!first && !page->words)
			continue;
		if (first) {
			to = openat(folder, copy,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		}
		/* On a full disk it is missing, and counted. */
		if (to < 0 || write(to, page, sizeof(*page)) != sizeof(*page))
			break;
	}
	if (to >= 0)
		close(to);
	free(page);
}

void open_batches_keep(const char *directory, int bundle)
{
	const struct timespec settle = { .tv_nsec = SETTLE_NS };
	int folder;

	if (!each(directory, bundle, set_hold, 1))
		return;
	opening = true;
	for (unsigned i = 0; i < SETTLE_MOST && opening; i++) {
		nanosleep(&settle, NULL);
		opening = false;
		each(directory, bundle, look_for_opening, 0);
	}
	mkdirat(bundle, HG_OPEN_BATCHES, 0700); /* or it is there */
	folder = openat(bundle, HG_OPEN_BATCHES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder >= 0) {
		each(directory, bundle, copy_pages, folder);
		close(folder);
	}
}

static void shared_path(char path[SHARED_PATH])
{
	char name[HG_EARLY_BATCHES_NAME];

	hg_early_batches(name);
	snprintf(path, SHARED_PATH, HG_OPEN_BATCHES "/%s", name);
}

int open_batches_share(int bundle)
{
	static const struct hg_open_batch first = { .begin = HG_OPEN_BATCHES_MAGIC };
	const off_t size = (HG_EARLY_BATCHES_PAGES + 1) * (off_t)sizeof(first);
	char path[SHARED_PATH];
	struct rlimit limit;
	int file, result;

	/* A process that makes a larger file than it may is sent a signal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < (rlim_t)size)
		return -EFBIG;
	if (mkdirat(bundle, HG_OPEN_BATCHES, 0700) && errno != EEXIST)
		return -errno;
	shared_path(path);
	file = openat(bundle, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	/* Processes reserve the other pages' room on the disk. */
	errno = ENOSPC;
	result = ftruncate(file, size) ||
			 pwrite(file, &first, sizeof(first), 0) != (ssize_t)sizeof(first)
		     ? -errno
		     : 0;
	close(file);
	if (result)
		unlinkat(bundle, path, 0);
	return result;
}

void open_batches_unshare(int bundle)
{
	char path[SHARED_PATH];
	int file;

	shared_path(path);
	file = openat(bundle, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return;
	set_hold(file, NULL, 1);
	if (!is_used(file))
		unlinkat(bundle, path, 0);
	close(file);
}

void open_batches_release(const char *directory)
{
	each(directory, -1, set_hold, 0);
}
