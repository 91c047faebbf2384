/* SPDX-License-Identifier: Apache-2.0 */
/* Walks directory trees by descriptors: removal, permissions, size. */
#include "tracer/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Levels of directories. A trace in chunks has six; each level takes a file descriptor. */
#define DEPTH_MAX      32

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/*
 * Called for each entry, for a directory after its entries. `folder` is the directory that it is
 * in, `opened` its own descriptor if it is a directory, or -1. 0, or -errno to end the walk.
 */
typedef int (*visit)(int folder, const char *name, const struct stat *status, int opened,
		     void *data);

int tree_open_parent(const char *path, char *name, unsigned name_size)
{
	size_t length = strlen(path), start;
	char parent[PATH_MAX];
	int fd;

	while (length > 1 && path[length - 1] == '/')
		length--;
	for (start = length; start > 0 && path[start - 1] != '/'; start--) {
	}
	if (length - start >= name_size || start >= sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(name, path + start, length - start);
	name[length - start] = '\0';
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EINVAL;
	memcpy(parent, path, start);
	parent[start] = '\0';
	fd = open(start ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES) {
		/* A directory that may be entered and not listed is enough. */
		fd = open(start ? parent : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/* Opens a directory of the caller's own, and returns its descriptor and its status; -errno if it
 * fails, -EPERM if it is another user's. */
static int open_own(int parent, const char *name, struct stat *status)
{
	int fd = openat(parent, name, OPEN_DIRECTORY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, status) || status->st_uid != geteuid()) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int tree_open(int parent, const char *name)
{
	struct stat status;

	return open_own(parent, name, &status);
}

/*
 * Visit what is in directory `folder`, whose file system is `device`. With `strict`, a directory
 * that may not be entered ends the walk with an error; otherwise it is left out.
 */
static int walk(int folder, dev_t device, unsigned depth, bool strict, visit function, void *data)
{
	/* A description of its own: a position in the directory that nobody else moves. */
	int again = openat(folder, ".", OPEN_DIRECTORY), result = 0;
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!list) {
		result = -errno;
		if (again >= 0)
			close(again);
		return result;
	}
	while (!result && (errno = 0, entry = readdir(list))) {
		const char *name = entry->d_name;
		struct stat status;
		int opened = -1;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)) {
			result = errno == ENOENT || !strict ? 0 : -errno;
			continue;
		}
		if (S_ISDIR(status.st_mode)) {
			opened = depth < DEPTH_MAX ? open_own(folder, name, &status) : -ELOOP;
			if (opened >= 0 && status.st_dev != device) {
				close(opened);
				opened = -EXDEV;
			}
			if (opened < 0) {
				result = strict ? opened : 0;
				continue;
			}
			result = walk(opened, device, depth + 1, strict, function, data);
		}
		if (!result)
			result = function(folder, name, &status, opened, data);
		if (opened >= 0)
			close(opened);
	}
	if (!result && errno && strict)
		result = -errno;
	closedir(list);
	return result;
}

static int only_look(int folder, const char *name, const struct stat *status, int opened,
		     void *data)
{
	(void)folder;
	(void)name;
	(void)status;
	(void)opened;
	(void)data;
	return 0;
}

/* Returns true if the name still leads to what was examined. */
static bool is_same(int folder, const char *name, const struct stat *status)
{
	struct stat now;

	return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	       now.st_dev == status->st_dev && now.st_ino == status->st_ino;
}

static int remove_entry(int folder, const char *name, const struct stat *status, int opened,
			void *data)
{
	(void)data;
	if (opened >= 0 && !is_same(folder, name, status))
		return -EBUSY;
	return unlinkat(folder, name, opened >= 0 ? AT_REMOVEDIR : 0) && errno != ENOENT ? -errno
											 : 0;
}

int tree_remove(int parent, const char *name)
{
	struct stat above, status;
	int result, folder = open_own(parent, name, &status);

	if (folder < 0)
		return folder;
	result = fstat(parent, &above) ? -errno : above.st_dev != status.st_dev ? -EXDEV : 0;
	/* Everything is examined before anything is removed. */
	if (!result)
		result = walk(folder, status.st_dev, 0, true, only_look, NULL);
	if (!result)
		result = walk(folder, status.st_dev, 0, true, remove_entry, NULL);
	if (!result)
		result = remove_entry(parent, name, &status, folder, NULL);
	close(folder);
	return result;
}

int tree_remove_path(const char *path)
{
	char name[NAME_MAX + 1];
	int parent = tree_open_parent(path, name, sizeof(name)), result;

	if (parent < 0)
		return parent;
	result = tree_remove(parent, name);
	close(parent);
	return result;
}

static int hide_entry(int folder, const char *name, const struct stat *status, int opened,
		      void *data)
{
	struct stat now;
	int fd = -1;

	(void)data;
	if (!(status->st_mode & (S_IRWXG | S_IRWXO)))
		return 0;
	/* A FIFO or a device is not opened: that may block, or have an effect. */
	if (opened < 0 && S_ISREG(status->st_mode))
		fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/* Another name of a file elsewhere keeps its permissions. */
	if (opened >= 0)
		fchmod(opened, status->st_mode & S_IRWXU);
	else if (fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode) && now.st_nlink == 1 &&
		 now.st_uid == geteuid())
		fchmod(fd, now.st_mode & S_IRWXU);
	if (fd >= 0)
		close(fd);
	return 0;
}

void tree_hide(int folder)
{
	struct stat status;

	if (fstat(folder, &status) == 0) {
		walk(folder, status.st_dev, 0, false, hide_entry, NULL);
		fchmod(folder, status.st_mode & S_IRWXU);
	}
}

static int add_bytes(int folder, const char *name, const struct stat *status, int opened,
		     void *data)
{
	(void)folder;
	(void)name;
	(void)opened;
	if (S_ISREG(status->st_mode))
		*(uint64_t *)data += (uint64_t)status->st_size;
	return 0;
}

uint64_t tree_bytes(int folder)
{
	struct stat status;
	uint64_t bytes = 0;

	if (fstat(folder, &status) == 0)
		walk(folder, status.st_dev, 0, false, add_bytes, &bytes);
	return bytes;
}

int tree_write(int file, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t written = write(file, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		at += written;
		size -= (size_t)written;
	}
	return 0;
}
