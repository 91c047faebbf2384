/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links or copies code objects from processes' directories into the bundle of an attached
 * recording.
 */
#include "tracer/code_objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/bundle.h"
#include "tracer/message.h"

static int copy_file(int from_folder, int to_folder, const char *name, bool own)
{
	char temporary[96], buffer[65536];
	int from, to, result = 0;
	ssize_t got;

	/* A file of another user could be changed later. */
	if (own && (linkat(from_folder, name, to_folder, name, 0) == 0 || errno == EEXIST))
		return 0;
	snprintf(temporary, sizeof(temporary), ".%.64s.new", name);
	from = openat(from_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	to = openat(to_folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (from < 0 || to < 0) {
		result = -errno;
		goto out;
	}
	while ((got = read(from, buffer, sizeof(buffer))) > 0) {
		if (write(to, buffer, (size_t)got) != got) {
			result = errno ? -errno : -EIO;
			goto out;
		}
	}
	if (got < 0 || renameat(to_folder, temporary, to_folder, name))
		result = -errno;
out:
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (result)
		unlinkat(to_folder, temporary, 0);
	return result;
}

void code_objects_collect(const char *directory, int to_folder)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int folder = home < 0 ? -1
			      : openat(home, BUNDLE_CODE_OBJECTS,
				       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct stat status;
		int result;

		if (strlen(entry->d_name) != 64 ||
		    strspn(entry->d_name, "0123456789abcdef") != 64 ||
		    fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		result = copy_file(folder, to_folder, entry->d_name, status.st_uid == geteuid());
		if (result) {
			message_warning("code object %s/%s: %s", directory, entry->d_name,
					strerror(-result));
		}
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	if (home >= 0)
		close(home);
}
