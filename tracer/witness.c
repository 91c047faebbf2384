/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and reads DIR/witness for the recorder. */
#include "tracer/witness.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/running.h"

void witness_make(int bundle)
{
	const struct hg_witness_table *none = NULL;
	const uint64_t magic = HG_WITNESS_MAGIC;
	int file =
	    openat(bundle, HG_WITNESS, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (file < 0)
		return; /* or it is there: ranks share a directory of standby */
	/* Processes map it: a page for which the disk has no room would end them. */
	if (posix_fallocate(file, 0, sizeof(*none)) ||
	    pwrite(file, &magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
		unlinkat(bundle, HG_WITNESS, 0);
	close(file);
}

void witness_close(int bundle)
{
	static const uint32_t closed = 1;
	int file = openat(bundle, HG_WITNESS, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file < 0)
		return;
	(void)!pwrite(file, &closed, sizeof(closed), offsetof(struct hg_witness_table, closed));
	close(file);
}

/* ---- the driver ---- */

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static uint32_t count_queues(int processes, const char *pid)
{
	char name[64];
	uint32_t count = 0;
	struct dirent *entry;
	DIR *list = NULL;
	int folder;

	snprintf(name, sizeof(name), "%s/queues", pid);
	folder = openat(processes, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list = folder < 0 ? NULL : fdopendir(folder);
	while (list && (entry = readdir(list)))
		count += is_number(entry->d_name);
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	return count;
}

_Static_assert(RUNNING_NAME == HG_WITNESS_PROGRAM, "a row takes a name");

static void note_queues(struct hg_witness_table *table, const char *pid, uint32_t queues)
{
	struct hg_witness_row *row = hg_witness_row(table, (int32_t)strtol(pid, NULL, 10));

	if (row && row->queues < queues) {
		row->queues = queues;
		if (!row->program[0])
			running_read_name(pid, row->program);
	}
}

bool witness_look(int bundle, const char *path, const char *kfd)
{
	DIR *list = opendir(kfd);
	struct hg_witness_table *table = MAP_FAILED;
	char *variable = NULL;
	struct dirent *entry;
	int file;

	if (!list)
		return false;
	file = openat(bundle, HG_WITNESS, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file >= 0)
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (table != MAP_FAILED && asprintf(&variable, "HIPGRAIN_DIR=%s", path) >= 0) {
		while ((entry = readdir(list))) {
			uint32_t queues =
			    is_number(entry->d_name) ? count_queues(dirfd(list), entry->d_name) : 0;

			if (queues && running_has_variable(entry->d_name, variable))
				note_queues(table, entry->d_name, queues);
		}
		free(variable);
	}
	if (table != MAP_FAILED)
		munmap(table, sizeof(*table));
	if (file >= 0)
		close(file);
	closedir(list);
	return true;
}

/* ---- attached ---- */

struct hg_witness_table *witness_start(const char *directory)
{
	struct hg_witness_table *table = malloc(sizeof(*table));
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file = -1;
	struct stat status;
	bool good = false;

	if (home >= 0)
		file = openat(home, HG_WITNESS, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file >= 0 && table)
		good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		       pread(file, table, sizeof(*table), 0) == (ssize_t)sizeof(*table) &&
		       table->magic == HG_WITNESS_MAGIC;
	if (file >= 0)
		close(file);
	if (home >= 0)
		close(home);
	if (good)
		return table;
	free(table);
	return NULL;
}

static bool is_among(int32_t pid, const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return count == 0;
}

/*
 * Subtracts the counts at the start. Rows are never taken back, so each that there was still has
 * its place.
 */
static void subtract(struct hg_witness_table *now, const struct hg_witness_table *start,
		     const pid_t *pids, size_t pid_count)
{
	now->others -= start->others;
	for (unsigned i = 0; i < HG_WITNESS_ROWS; i++) {
		struct hg_witness_row *row = &now->rows[i];

		if (start->rows[i].pid == row->pid)
			row->kernels -= start->rows[i].kernels;
		if (!is_among(row->pid, pids, pid_count))
			row->kernels = 0;
	}
}

void witness_keep(struct hg_witness_table *start, const char *directory, const pid_t *pids,
		  size_t pid_count, int bundle)
{
	struct hg_witness_table *now = start ? witness_start(directory) : NULL;
	int file;

	if (now) {
		subtract(now, start, pids, pid_count);
		/* The first directory's table is kept if there are several. */
		file = openat(bundle, HG_WITNESS,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (file >= 0) {
			if (write(file, now, sizeof(*now)) != (ssize_t)sizeof(*now))
				unlinkat(bundle, HG_WITNESS, 0);
			close(file);
		}
	}
	free(now);
	free(start);
}
