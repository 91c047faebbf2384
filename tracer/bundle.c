/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tracer/bundle.h"
#include "tracer/message.h"

enum directory_kind {
	DIRECTORY_ABSENT,
	DIRECTORY_EMPTY,
	DIRECTORY_BUNDLE,
	DIRECTORY_FOREIGN, /* not empty, not ours */
	NOT_A_DIRECTORY,
};

/* Does `path` hold a manifest of ours, of any version? */
static bool has_manifest(const char *path)
{
	static const char family[] = "hipgrain-manifest/";
	struct json_object *root, *schema;
	bool result = false;
	char *file;

	if (asprintf(&file, "%s/%s", path, BUNDLE_MANIFEST) < 0) {
		return false;
	}
	root = json_object_from_file(file);
	if (root && json_object_object_get_ex(root, "schema", &schema)) {
		const char *text = json_object_get_string(schema);

		result = text && strncmp(text, family, sizeof(family) - 1) == 0;
	}
	json_object_put(root);
	free(file);
	return result;
}

/* What lies at `path`: 0 and *kind, or -errno. */
static int classify(const char *path, enum directory_kind *kind)
{
	struct dirent *entry;
	struct stat status;
	DIR *directory;

	if (stat(path, &status)) {
		*kind = DIRECTORY_ABSENT;
		return errno == ENOENT ? 0 : -errno;
	}
	if (!S_ISDIR(status.st_mode)) {
		*kind = NOT_A_DIRECTORY;
		return 0;
	}
	if (has_manifest(path)) {
		*kind = DIRECTORY_BUNDLE;
		return 0;
	}
	directory = opendir(path);
	if (!directory) {
		return -errno;
	}
	*kind = DIRECTORY_EMPTY;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
			*kind = DIRECTORY_FOREIGN;
			break;
		}
	}
	closedir(directory);
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *level)
{
	(void)status;
	(void)type;
	(void)level;
	return remove(path);
}

/* Remove a bundle. Symbolic links are removed, never followed. */
static int remove_tree(const char *path)
{
	return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) ? -errno : 0;
}

/* Is somebody recording into the bundle at `path`? */
static bool is_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked;

	if (fd < 0) {
		return false;
	}
	locked = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

/* Rename the bundle at `path` to PATH.old. */
static int move_aside(const char *path, char *why, size_t why_size)
{
	enum directory_kind kind;
	char *old;
	int result;

	if (is_locked(path)) {
		return refuse(why, why_size, EBUSY, "another hipgrain is recording into it");
	}
	if (asprintf(&old, "%s.old", path) < 0) {
		return refuse(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	}
	result = classify(old, &kind);
	if (result) {
		result = refuse(why, why_size, -result, "%s: %s", old, strerror(-result));
		goto out;
	}
	if (kind == DIRECTORY_FOREIGN || kind == NOT_A_DIRECTORY) {
		result = refuse(why, why_size, EEXIST,
				"the bundle there would be renamed to %s, which exists and is not "
				"a hipgrain bundle",
				old);
		goto out;
	}
	if (kind == DIRECTORY_BUNDLE) {
		result = is_locked(old) ? -EBUSY : remove_tree(old);
		if (result) {
			refuse(why, why_size, -result, "cannot remove %s: %s", old,
			       strerror(-result));
			goto out;
		}
	}
	if (rename(path, old)) {
		result = refuse(why, why_size, errno, "cannot rename it to %s: %s", old,
				strerror(errno));
	}
out:
	free(old);
	return result;
}

/* Whoever has a folder can put links into it, and whoever made a link can turn it elsewhere. */
static int check_link(const char *path, char *why, size_t why_size)
{
	struct stat status;

	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid != geteuid() &&
	    status.st_uid != 0) {
		return refuse(why, why_size, ELOOP, "it is a link that user %u has made",
			      (unsigned)status.st_uid);
	}
	return 0;
}

int bundle_check_owner(int folder, char *why, size_t why_size)
{
	struct stat status;

	if (fstat(folder, &status)) {
		return refuse(why, why_size, errno, "%s", strerror(errno));
	}
	if (status.st_uid != geteuid()) {
		return refuse(why, why_size, EPERM,
			      "it is user %u's, who could change what is put there",
			      (unsigned)status.st_uid);
	}
	return 0;
}

static int close_entry(const char *path, const struct stat *status, int type, struct FTW *level)
{
	(void)level;
	if (type != FTW_SL && type != FTW_NS && (status->st_mode & (S_IRWXG | S_IRWXO))) {
		chmod(path, status->st_mode & S_IRWXU);
	}
	return 0;
}

void bundle_hide(const struct bundle *bundle)
{
	nftw(bundle->path, close_entry, 16, FTW_PHYS | FTW_MOUNT);
}

int bundle_create(struct bundle *bundle, const char *path, char *why, size_t why_size)
{
	static const char *const folders[] = { BUNDLE_CTF, BUNDLE_CODE_OBJECTS };
	char resolved[PATH_MAX], trimmed[PATH_MAX];
	enum directory_kind kind;
	size_t length = strlen(path);
	int result;

	bundle->path = NULL;
	bundle->lock = -1;
	if (!length) {
		return refuse(why, why_size, EINVAL, "the name is empty");
	}
	while (length > 1 && path[length - 1] == '/') {
		length--;
	}
	if (length >= sizeof(trimmed)) {
		return refuse(why, why_size, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
	}
	memcpy(trimmed, path, length);
	trimmed[length] = '\0';

	result = check_link(trimmed, why, why_size);
	if (result) {
		return result;
	}
	result = classify(trimmed, &kind);
	if (result) {
		return refuse(why, why_size, -result, "%s", strerror(-result));
	}
	/* Through a symbolic link, work on what it points to: the link stays valid. */
	if (kind != DIRECTORY_ABSENT) {
		if (!realpath(trimmed, resolved)) {
			return refuse(why, why_size, errno, "%s", strerror(errno));
		}
		strcpy(trimmed, resolved);
	}
	switch (kind) {
	case NOT_A_DIRECTORY:
		return refuse(why, why_size, ENOTDIR, "exists and is not a directory");
	case DIRECTORY_FOREIGN:
		return refuse(why, why_size, EEXIST,
			      "exists, is not empty and is not a hipgrain bundle");
	case DIRECTORY_BUNDLE:
		result = move_aside(trimmed, why, why_size);
		if (result) {
			return result;
		}
		break;
	case DIRECTORY_ABSENT:
	case DIRECTORY_EMPTY:
		break;
	}
	if (kind != DIRECTORY_EMPTY && mkdir(trimmed, 0700)) {
		return refuse(why, why_size, errno, "cannot create it: %s", strerror(errno));
	}
	if (!realpath(trimmed, resolved)) {
		return refuse(why, why_size, errno, "%s", strerror(errno));
	}
	bundle->path = strdup(resolved);
	if (!bundle->path) {
		return refuse(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	}
	bundle->lock = open(resolved, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (bundle->lock < 0) {
		result = refuse(why, why_size, errno, "%s", strerror(errno));
		goto error;
	}
	/* What was made just now is ours, even where a file system says otherwise. */
	result = kind == DIRECTORY_EMPTY ? bundle_check_owner(bundle->lock, why, why_size) : 0;
	if (result) {
		goto error;
	}
	fchmod(bundle->lock, S_IRWXU);
	/* A filesystem without locks only loses the protection against a second recorder. */
	if (flock(bundle->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		result = refuse(why, why_size, EBUSY, "another hipgrain is recording into it");
		goto error;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (mkdirat(bundle->lock, folders[i], 0700) && errno != EEXIST) {
			result =
			    refuse(why, why_size, errno, "cannot write there: %s", strerror(errno));
			bundle_remove(bundle);
			goto error;
		}
	}
	return 0;
error:
	bundle_close(bundle);
	return result;
}

void bundle_remove(const struct bundle *bundle)
{
	/* Only what is empty or our own: a command could have put files there meanwhile. */
	unlinkat(bundle->lock, BUNDLE_MANIFEST, 0);
	unlinkat(bundle->lock, BUNDLE_CTF, AT_REMOVEDIR);
	unlinkat(bundle->lock, BUNDLE_CODE_OBJECTS, AT_REMOVEDIR);
	rmdir(bundle->path);
}

void bundle_close(struct bundle *bundle)
{
	if (bundle->lock >= 0) {
		close(bundle->lock);
	}
	free(bundle->path);
	bundle->path = NULL;
	bundle->lock = -1;
}
