/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to programs on standby, through the page that they map. */
#include "tracer/record_request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracer/message.h"
#include "tracer/requests.h"
#include "tracer/rings.h"
#include "tracer/tree.h"

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Opens the file. Returns -1 if there is none. The directory may be another user's, who may do
 * anything with it. */
static int open_file(int home)
{
	int file = openat(home, HG_REQUESTS, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (file >= 0 && (fstat(file, &status) || !S_ISREG(status.st_mode) ||
			  status.st_size != (off_t)sizeof(struct hg_requests))) {
		close(file);
		file = -1;
	}
	return file;
}

/* Reads it by a system call: what was truncated meanwhile leads to an error, not to a signal. */
static bool read_page(int file, struct hg_requests *page)
{
	return file >= 0 && pread(file, page, sizeof(*page), 0) == (ssize_t)sizeof(*page) &&
	       page->version == HG_REQUESTS_VERSION;
}

static off_t place_of(uint32_t at, size_t member)
{
	return (off_t)(offsetof(struct hg_requests, rows) + at * sizeof(struct hg_request) +
		       member);
}

/*
 * Frees a row, whose recorder is cleared first: nobody counts any more. Returns the files that were
 * made because of it.
 */
static uint32_t free_row(int file, uint32_t at)
{
	const struct hg_request none = { 0 };
	const int32_t nobody = 0;
	uint32_t files = 0;

	(void)!pwrite(file, &nobody, sizeof(nobody),
		      place_of(at, offsetof(struct hg_request, state.recorder)));
	if (pread(file, &files, sizeof(files),
		  place_of(at, offsetof(struct hg_request, state.files))) != sizeof(files))
		files = 0;
	(void)!pwrite(file, &none, sizeof(none), place_of(at, 0));
	return files;
}

/* The recorder of a free row is the last of its members that is written. */
static bool write_row(int file, uint32_t at, const struct hg_request *row)
{
	return pwrite(file, row, offsetof(struct hg_request, state), place_of(at, 0)) > 0 &&
	       pwrite(file, &row->state, sizeof(row->state),
		      place_of(at, offsetof(struct hg_request, state))) > 0;
}

static void announce(int file, uint32_t changes)
{
	changes++;
	(void)!pwrite(file, &changes, sizeof(changes), offsetof(struct hg_requests, changes));
}

/* Returns true if the recorder of that row holds the lock on its folder. */
static bool recorder_lives(int home, const struct hg_request *row)
{
	char name[HG_RINGS_NAME];
	bool lives;
	int folder;

	snprintf(name, sizeof(name), HG_RINGS_OF, row->since);
	folder = openat(home, name, FOLDER);
	lives = folder >= 0 && flock(folder, LOCK_SH | LOCK_NB) != 0;
	if (folder >= 0)
		close(folder);
	return lives;
}

/* Frees the rows of killed recorders. Called with the lock of the file. */
static void clean(int home, int file, struct hg_requests *page)
{
	const struct hg_request none = { 0 };

	for (uint32_t i = 0; i < HG_REQUESTS_ROWS; i++)
		if (page->rows[i].state.recorder && !recorder_lives(home, &page->rows[i])) {
			free_row(file, i);
			page->rows[i] = none;
		}
}

/* ---- folders of killed recorders ---- */

/* Returns true if a file with records is in no bundle: across file systems there are no links. */
static bool is_unsaved(int folder)
{
	DIR *list = fdopendir(folder);
	struct dirent *entry;
	struct stat status;
	bool unsaved = false;

	while (list && !unsaved && (entry = readdir(list)))
		unsaved = !fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
			  S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_size;
	if (list)
		closedir(list);
	else
		close(folder);
	return unsaved;
}

/*
 * Calls `function` for each folder whose recorder does not live. Called with the lock of the file,
 * which a recorder has until it holds the lock of its folder.
 */
static void each_left(int home, record_request_found *function, void *data)
{
	int copy = openat(home, ".", FOLDER), folder;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		if (strncmp(entry->d_name, HG_RINGS "-", strlen(HG_RINGS "-")) != 0)
			continue;
		folder = openat(home, entry->d_name, FOLDER);
		if (folder >= 0 && !flock(folder, LOCK_SH | LOCK_NB))
			function(home, entry->d_name, is_unsaved(folder), data);
		else if (folder >= 0)
			close(folder);
	}
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
}

/* Stops the processes that have a file there. Files whose records are in no bundle stay. */
static void remove_left(int home, const char *name, bool unsaved, void *directory)
{
	rings_stop(home, name);
	if (unsaved)
		message_warning("'%s/%s' has the records of a recorder that was killed, which are "
				"in no bundle: move its files into '" HG_RINGS "' of that "
				"recorder's bundle, or remove it",
				(const char *)directory, name);
	else
		tree_remove(home, name);
}

void record_request_each_left(const char *directory, record_request_found *function, void *data)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int file = home < 0 ? -1 : open_file(home);

	if (file >= 0 && !flock(file, LOCK_SH))
		each_left(home, function, data);
	if (file >= 0)
		close(file);
	if (home >= 0)
		close(home);
}

/* Returns the number of free rows that were taken; at most `count`. The same. */
static size_t add(int file, const struct hg_requests *page, uint64_t since, const pid_t *pids,
		  size_t count)
{
	size_t done = 0;

	for (uint32_t i = 0; i < HG_REQUESTS_ROWS && done < count; i++) {
		struct hg_request row = { .since = since,
					  .pid = pids ? (int32_t)pids[done] : 0,
					  .state.recorder = (int32_t)getpid() };

		if (!page->rows[i].state.recorder && write_row(file, i, &row))
			done++;
	}
	return done;
}

void record_request_withdraw(struct record_request *request)
{
	struct hg_requests page;

	if (request->file < 0 || flock(request->file, LOCK_EX))
		return;
	if (read_page(request->file, &page)) {
		for (uint32_t i = 0; i < HG_REQUESTS_ROWS; i++)
			if (page.rows[i].state.recorder && page.rows[i].since == request->since)
				request->files += free_row(request->file, i);
		announce(request->file, page.changes);
	}
	flock(request->file, LOCK_UN);
}

void record_request_end(struct record_request *request)
{
	if (request->folder >= 0) {
		tree_remove(request->home, request->name);
		close(request->folder);
	}
	if (request->file >= 0)
		close(request->file);
	if (request->home >= 0)
		close(request->home);
	request->home = request->file = request->folder = -1;
}

static int check_version(const struct hg_requests *page, const char *directory, char *why,
			 size_t why_size)
{
	if (page->version == HG_REQUESTS_VERSION)
		return 0;
	return refuse(why, why_size, EINVAL,
		      "'%s/" HG_REQUESTS
		      "' has format %u, and this version of hipgrain uses format %u",
		      directory, page->version, HG_REQUESTS_VERSION);
}

int record_request_check(int home, const char *directory, char *why, size_t why_size)
{
	int file = open_file(home), error = 0;
	struct hg_requests page;

	/* The process that made it is about to store the version. */
	if (file >= 0 && pread(file, &page, sizeof(page), 0) == (ssize_t)sizeof(page) &&
	    page.version)
		error = check_version(&page, directory, why, why_size);
	if (file >= 0)
		close(file);
	return error;
}

/* The folder belongs to whom the directory belongs to, as the processes check. 0 or -errno. */
static int make_folder(struct record_request *request)
{
	struct stat home;

	if (fstat(request->home, &home) || mkdirat(request->home, request->name, 0700))
		return -errno;
	request->folder = openat(request->home, request->name, FOLDER);
	if (request->folder < 0 || flock(request->folder, LOCK_EX | LOCK_NB))
		return -errno;
	if (geteuid() != home.st_uid && fchown(request->folder, home.st_uid, home.st_gid))
		return -errno;
	return 0;
}

int record_request_begin(struct record_request *request, const char *directory, const pid_t *pids,
			 size_t count, char *why, size_t why_size)
{
	size_t rows = count ? count : 1, done = 0;
	struct hg_requests page;
	int error;

	*request = (struct record_request){ .file = -1, .folder = -1, .since = now_ns() };
	snprintf(request->name, sizeof(request->name), HG_RINGS_OF, request->since);
	request->home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (request->home < 0)
		return refuse(why, why_size, errno, "'%s': %s", directory, strerror(errno));
	request->file = open_file(request->home);
	if (request->file < 0 || flock(request->file, LOCK_EX) ||
	    pread(request->file, &page, sizeof(page), 0) != (ssize_t)sizeof(page)) {
		record_request_end(request);
		return refuse(why, why_size, EINVAL, "'%s/" HG_REQUESTS "' cannot be read",
			      directory);
	}
	error = check_version(&page, directory, why, why_size);
	if (error) {
		record_request_end(request);
		return error;
	}
	error = make_folder(request);
	if (!error) {
		clean(request->home, request->file, &page);
		each_left(request->home, remove_left, (void *)directory);
		done = add(request->file, &page, request->since, count ? pids : NULL, rows);
		announce(request->file, page.changes);
	}
	flock(request->file, LOCK_UN);
	if (!error && done == rows)
		return 0;
	record_request_withdraw(request);
	record_request_end(request);
	if (error)
		return refuse(why, why_size, -error, "'%s': %s", directory, strerror(-error));
	return refuse(why, why_size, ENOSPC,
		      "'%s': at most %u processes can be requested at a time", directory,
		      HG_REQUESTS_ROWS);
}

bool record_request_is_heard(const struct record_request *request, pid_t pid)
{
	int copy = openat(request->folder, ".", FOLDER);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool heard = false;

	while (list && !heard && (entry = readdir(list)))
		heard = strchr(entry->d_name, '-') && strtol(entry->d_name, NULL, 10) == (long)pid;
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
	return heard;
}

uint64_t record_request_of(const char *directory, pid_t pid)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int file = home < 0 ? -1 : open_file(home);
	struct hg_requests page;
	uint64_t since = 0;

	if (read_page(file, &page))
		for (uint32_t i = 0; i < HG_REQUESTS_ROWS && !since; i++)
			if (hg_request_means(&page.rows[i], pid) &&
			    recorder_lives(home, &page.rows[i]))
				since = page.rows[i].since;
	if (file >= 0)
		close(file);
	if (home >= 0)
		close(home);
	return since;
}
