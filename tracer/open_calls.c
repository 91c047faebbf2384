/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps what remains of processes' open calls when a recording ends. Anybody may have written the
 * files.
 */
#include "tracer/open_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/process_lives.h"

#define PIECE 4096u

static int open_folder(int parent)
{
	return openat(parent, HG_OPEN_CALLS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool has_open_call(int file, const struct hg_open_calls *head)
{
	struct hg_open_call call;

	for (uint32_t i = 0; i < HG_OPEN_CALLS_SLOTS; i++) {
		if (pread(file, &call, sizeof(call), (off_t)(sizeof(*head) + i * sizeof(call))) !=
		    (ssize_t)sizeof(call))
			return false;
		if (call.state)
			return true;
	}
	return false;
}

static void copy(int file, const char *name, int bundle)
{
	char piece[PIECE];
	int folder, to = -1;
	ssize_t got;
	off_t at = 0;

	mkdirat(bundle, HG_OPEN_CALLS, 0700); /* or it is there */
	folder = open_folder(bundle);
	if (folder >= 0)
		to = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	/* A part is missing on a full disk; nothing else depends on it. */
	while (to >= 0 &&
	       at < (off_t)(HG_OPEN_CALLS_SLOTS + 1) * (off_t)sizeof(struct hg_open_call) &&
	       (got = pread(file, piece, sizeof(piece), at)) > 0 &&
	       write(to, piece, (size_t)got) == got)
		at += got;
	if (to >= 0)
		close(to);
	if (folder >= 0)
		close(folder);
}

static void end_file(int folder, const char *name, int bundle)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct hg_open_calls head;
	struct stat status;
	bool open;

	if (file < 0)
		return;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	    pread(file, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    head.magic == HG_OPEN_CALLS_MAGIC) {
		open = has_open_call(file, &head);
		if (open && bundle >= 0)
			copy(file, name, bundle);
		if ((head.ended || !process_lives(head.pid)) && (!open || bundle >= 0))
			unlinkat(folder, name, 0);
	}
	close(file);
}

void open_calls_end(const char *directory, int bundle)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int folder = home < 0 ? -1 : open_folder(home);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			end_file(folder, entry->d_name, bundle);
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	if (home < 0)
		return;
	unlinkat(home, HG_OPEN_CALLS, AT_REMOVEDIR); /* if nothing is in it */
	close(home);
}
