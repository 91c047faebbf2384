/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the bundle and of /proc, read without allocating. */
#include "preload/core/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int hg_open_folder(const char *name)
{
	int home = open(hg_config.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder, rc;
	struct stat status, above;

	if (home < 0)
		return -errno;
	/* Mostly it is there: mkdirat() takes the bundle's lock. */
	folder = openat(home, name, FOLDER);
	if (folder < 0 && errno == ENOENT && (!mkdirat(home, name, 0700) || errno == EEXIST))
		folder = openat(home, name, FOLDER);
	rc = folder < 0 || fstat(home, &above) || fstat(folder, &status) ? -errno
	     : status.st_uid != above.st_uid                             ? -EPERM
									 : 0;
	hg_libc.close(home);
	if (rc && folder >= 0)
		hg_libc.close(folder);
	return rc ? rc : folder;
}

bool hg_real_path(const char *path, char *real)
{
	int cancel = hg_keep_thread(), fd = open(path, O_PATH | O_CLOEXEC);
	char link[32];
	ssize_t length = -1;

	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, real, PATH_MAX - 1);
		hg_libc.close(fd);
	}
	hg_release_thread(cancel);
	real[length > 0 ? length : 0] = 0;
	return length > 0;
}

size_t hg_read_file(const char *path, char *text, size_t size)
{
	int cancel = hg_keep_thread(), fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got = 0;

	while (fd >= 0 && used < size - 1 && (got = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		hg_libc.close(fd);
	hg_release_thread(cancel);
	text[used] = 0;
	return used;
}

/* ---- mappings ---- */

/* This reads /proc/self/maps by the character. */
struct reader {
	int file;
	size_t at, end;
	char text[1024];
};

static int next_character(struct reader *reader)
{
	ssize_t got;

	if (reader->at == reader->end) {
		got = read(reader->file, reader->text, sizeof(reader->text));
		reader->at = 0;
		reader->end = got > 0 ? (size_t)got : 0;
		if (!reader->end)
			return -1;
	}
	return (unsigned char)reader->text[reader->at++];
}

/* Reads a hexadecimal number and the character behind it. */
static uint64_t next_number(struct reader *reader, int *behind)
{
	uint64_t value = 0;
	int c;

	while ((c = next_character(reader)) >= 0)
		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	*behind = c;
	return value;
}

/* The file has lines "START-END rwxp ..." (proc(5)), in ascending order; those that touch count as
 * one. */
size_t hg_readable_extent(const void *address)
{
	uint64_t at = (uintptr_t)address, reached = at;
	int cancel = hg_keep_thread(), behind = 0;
	struct reader reader = { .file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC) };

	while (reader.file >= 0 && behind >= 0) {
		uint64_t start = next_number(&reader, &behind);
		uint64_t end = next_number(&reader, &behind);
		int readable = next_character(&reader);

		while (behind >= 0 && behind != '\n')
			behind = next_character(&reader);
		if (start > reached || (start <= reached && reached < end && readable != 'r'))
			break;
		if (reached < end)
			reached = end;
	}
	if (reader.file >= 0)
		hg_libc.close(reader.file);
	hg_release_thread(cancel);
	return (size_t)(reached - at);
}
