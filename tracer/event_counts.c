/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, closes and copies the files in which processes count their events. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/event_counts.h"
#include "tracer/counts.h"
#include "tracer/process_lives.h"

#define NAME_MOST 64

struct event_counts_start {
	size_t count;
	struct one {
		char name[NAME_MOST];
		struct hg_counts counts;
	} * files;
};

/* A file's content; false if it is not a file of counts. Any user may have made it. */
static bool read_counts(int file, struct hg_counts *counts)
{
	struct stat status;

	return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	       pread(file, counts, sizeof(*counts), 0) == (ssize_t)sizeof(*counts) &&
	       counts->magic == HG_COUNTS_MAGIC && counts->kinds == HG_COUNTS_KINDS &&
	       counts->rows == HG_COUNTS_ROWS;
}

typedef void visitor(int file, const char *name, const struct hg_counts *counts, void *data);

/* Call `function` for each file below the directory. */
static void each(const char *directory, visitor *function, void *data)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder = -1;
	struct hg_counts *counts = malloc(sizeof(*counts));
	struct dirent *entry;
	DIR *list = NULL;

	if (home >= 0) {
		folder = openat(home, HG_COUNTS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(home);
	}
	list = folder < 0 ? NULL : fdopendir(folder);
	while (list && counts && (entry = readdir(list))) {
		int file =
		    openat(folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (file < 0)
			continue;
		if (strlen(entry->d_name) < NAME_MOST && read_counts(file, counts))
			function(file, entry->d_name, counts, data);
		close(file);
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	free(counts);
}

static void add_file(int file, const char *name, const struct hg_counts *counts, void *data)
{
	struct event_counts_sum *sum = data;

	(void)file;
	(void)name;
	sum->processes++;
	sum->begun += counts->begun == HG_BEGUN;
	sum->early += counts->begun == HG_BEGUN_EARLY;
	/* The records of a batch are events, too, but were recorded as one. */
	for (unsigned row = 0; row < HG_COUNTS_ROWS; row++)
		for (unsigned kind = 0; kind < HG_COUNT_batched_alloc; kind++)
			sum->events += counts->counts[row][kind];
}

struct event_counts_sum event_counts_sum(const char *directory)
{
	struct event_counts_sum sum = { 0 };

	each(directory, add_file, &sum);
	return sum;
}

/* Returns how the process ended by now, as its own count does not say that it lives. */
static uint32_t ended_by_now(const struct hg_counts *counts)
{
	return counts->ended == HG_ENDED_NOT && process_lives(counts->pid) ? HG_ENDED_LATER
									   : counts->ended;
}

static void close_file(int file, const char *name, const struct hg_counts *counts, void *data)
{
	const uint32_t closed = 1;

	(void)name;
	(void)counts;
	(void)data;
	/*
	 * A process whose file cannot be written continues to count: too many events are then
	 * missing, not too few.
	 */
	(void)!pwrite(file, &closed, sizeof(closed), offsetof(struct hg_counts, closed));
}

struct ending {
	int folder;
};

/* Processes that begin from now on make no file: it would not be compared with anything. */
static void mark_closed(int folder)
{
	int mark = openat(folder, HG_COUNTS_CLOSED,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (mark >= 0)
		close(mark);
}

void event_counts_close(const char *directory)
{
	each(directory, close_file, NULL);
}

static void end_file(int file, const char *name, const struct hg_counts *counts, void *data)
{
	static const uint64_t none[HG_UNRECORDED_KINDS];
	struct ending *ending = data;

	if (ended_by_now(counts) == HG_ENDED_LATER) {
		static const uint32_t later = HG_ENDED_LATER;

		(void)!pwrite(file, &later, sizeof(later), offsetof(struct hg_counts, ended));
	}
	if (counts->closed)
		return;
	if (counts->begun) {
		close_file(file, name, counts, NULL);
		/* What it did after the session stopped was not to be recorded. */
		(void)!pwrite(file, none, sizeof(none), offsetof(struct hg_counts, unrecorded));
	} else {
		/* It began when the session had stopped. */
		unlinkat(ending->folder, name, 0);
	}
}

void event_counts_end(const char *directory)
{
	struct ending ending = { .folder = -1 };
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (home >= 0) {
		ending.folder =
		    openat(home, HG_COUNTS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(home);
	}
	if (ending.folder >= 0) {
		mark_closed(ending.folder);
		each(directory, end_file, &ending);
		close(ending.folder);
	}
}

/* ---- attached ---- */

static void note_file(int file, const char *name, const struct hg_counts *counts, void *data)
{
	struct event_counts_start *start = data;
	struct one *more = realloc(start->files, (start->count + 1) * sizeof(*more));

	(void)file;
	if (more) {
		start->files = more;
		snprintf(more[start->count].name, NAME_MOST, "%s", name);
		more[start->count++].counts = *counts;
	}
}

struct event_counts_start *event_counts_start(const char *directory)
{
	struct event_counts_start *start = calloc(1, sizeof(*start));

	if (start)
		each(directory, note_file, start);
	return start;
}

void event_counts_start_free(struct event_counts_start *start)
{
	if (start) {
		free(start->files);
		free(start);
	}
}

struct keeping {
	const struct event_counts_start *start;
	const pid_t *pids;
	size_t pid_count;
	bool same_numbers;
	int folder;
};

static bool is_kept(const struct keeping *keeping, const struct hg_counts *counts)
{
	bool found = keeping->pid_count == 0;

	for (size_t i = 0; i < keeping->pid_count; i++)
		found |= keeping->pids[i] == counts->pid;
	return found && counts->begun;
}

static void keep_file(int file, const char *name, const struct hg_counts *counts, void *data)
{
	const struct keeping *keeping = data;
	struct hg_counts since = *counts;
	int copy;

	(void)file;
	if (!is_kept(keeping, counts))
		return;
	for (size_t i = 0; keeping->start && i < keeping->start->count; i++) {
		const struct one *one = &keeping->start->files[i];

		if (strcmp(one->name, name) != 0)
			continue;
		for (unsigned row = 0; row < HG_COUNTS_ROWS; row++)
			for (unsigned kind = 0; kind < HG_COUNTS_KINDS; kind++)
				since.counts[row][kind] -= one->counts.counts[row][kind];
	}
	if (keeping->same_numbers)
		since.ended = ended_by_now(counts);
	else if (since.ended == HG_ENDED_NOT)
		since.ended = HG_ENDED_UNKNOWN;
	copy = openat(keeping->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	/* On a full disk it is not written, and the process's count is unknown. */
	if (copy >= 0) {
		if (write(copy, &since, sizeof(since)) != (ssize_t)sizeof(since))
			unlinkat(keeping->folder, name, 0);
		close(copy);
	}
}

void event_counts_keep(const char *directory, const struct event_counts_start *start,
		       const pid_t *pids, size_t pid_count, bool same_numbers, int bundle)
{
	struct keeping keeping = {
		.start = start, .pids = pids, .pid_count = pid_count, .same_numbers = same_numbers
	};

	mkdirat(bundle, HG_COUNTS, 0700); /* or it is there */
	keeping.folder = openat(bundle, HG_COUNTS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (keeping.folder >= 0) {
		each(directory, keep_file, &keeping);
		close(keeping.folder);
	}
}
