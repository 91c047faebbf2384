/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, locks, replaces and removes bundle directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tracer/bundle.h"
#include "tracer/event_layout.h"
#include "tracer/control.h"
#include "tracer/message.h"
#include "tracer/missed.h"
#include "tracer/witness.h"
#include "tracer/ring.h"
#include "tracer/places.h"
#include "tracer/tree.h"

/* A manifest is a few kilobytes; a larger file is not one. */
#define MANIFEST_MAX (16 << 20)

enum directory_kind {
	DIRECTORY_ABSENT,
	DIRECTORY_EMPTY,
	DIRECTORY_BUNDLE,
	DIRECTORY_FOREIGN, /* not empty, not ours */
	NOT_A_DIRECTORY,
};

struct json_object *bundle_manifest_at(int folder)
{
	int file = openat(folder, BUNDLE_MANIFEST, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct json_object *root = NULL;
	struct stat status;

	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size <= MANIFEST_MAX)
		root = json_object_from_fd(file);
	if (file >= 0)
		close(file);
	return root;
}

/* Does directory `folder` hold a manifest of ours, of any version? */
static bool has_manifest(int folder)
{
	static const char family[] = "hipgrain-manifest/";
	struct json_object *root = bundle_manifest_at(folder), *schema;
	bool result = false;

	if (root && json_object_object_get_ex(root, "schema", &schema)) {
		const char *text = json_object_get_string(schema);

		result = text && strncmp(text, family, sizeof(family) - 1) == 0;
	}
	json_object_put(root);
	return result;
}

static int is_empty(int folder, bool *empty)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!list) {
		int error = errno;

		if (again >= 0)
			close(again);
		return -error;
	}
	*empty = true;
	while ((entry = readdir(list))) {
		*empty =
		    *empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	}
	closedir(list);
	return 0;
}

/* Determines what `name` of directory `parent` is, and its owner. Returns 0, or -errno. */
static int classify(int parent, const char *name, enum directory_kind *kind, uid_t *owner)
{
	struct stat status;
	int result, folder;
	bool empty;

	*owner = geteuid();
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)) {
		*kind = DIRECTORY_ABSENT;
		return errno == ENOENT ? 0 : -errno;
	}
	if (!S_ISDIR(status.st_mode)) {
		*kind = NOT_A_DIRECTORY;
		return 0;
	}
	folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	result = fstat(folder, &status) ? -errno : is_empty(folder, &empty);
	if (!result) {
		*owner = status.st_uid;
		*kind = empty                  ? DIRECTORY_EMPTY
			: has_manifest(folder) ? DIRECTORY_BUNDLE
					       : DIRECTORY_FOREIGN;
	}
	close(folder);
	return result;
}

/* Returns true if a recorder is writing to the bundle `name` of directory `parent`. */
static bool is_locked(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool locked;

	if (fd < 0)
		return false;
	locked = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

/* Remove what an earlier recording left as NAME.old. `kind`: its type, `owner`: its user. */
static int remove_old(int parent, const char *old, enum directory_kind kind, uid_t owner, char *why,
		      size_t why_size)
{
	int result = 0;

	if (kind == DIRECTORY_FOREIGN || kind == NOT_A_DIRECTORY) {
		return refuse(why, why_size, EEXIST,
			      "the bundle there would be renamed to %s, which exists and is not "
			      "a hipgrain bundle",
			      old);
	}
	if (owner != geteuid()) {
		return refuse(
		    why, why_size, EPERM,
		    "the bundle there would be renamed to %s, which exists and belongs to "
		    "user %u",
		    old, (unsigned)owner);
	}
	if (kind != DIRECTORY_ABSENT)
		result = is_locked(parent, old) ? -EBUSY : tree_remove(parent, old);
	return result
		   ? refuse(why, why_size, -result, "cannot remove %s: %s", old, strerror(-result))
		   : 0;
}

/* Rename the bundle `name` of directory `parent` to NAME.old. */
static int move_aside(int parent, const char *name, char *why, size_t why_size)
{
	char old[NAME_MAX + sizeof(".old")];
	enum directory_kind kind;
	uid_t owner;
	int result;

	if (is_locked(parent, name))
		return refuse(why, why_size, EBUSY, "another hipgrain is recording into it");
	snprintf(old, sizeof(old), "%s.old", name);
	result = classify(parent, old, &kind, &owner);
	if (result)
		return refuse(why, why_size, -result, "%s: %s", old, strerror(-result));
	result = remove_old(parent, old, kind, owner, why, why_size);
	if (!result && renameat(parent, name, parent, old)) {
		result = refuse(why, why_size, errno, "cannot rename it to %s: %s", old,
				strerror(errno));
	}
	return result;
}

/* The owner of a directory can put links into it, and the owner of a link can redirect it. */
static int check_link(const char *path, char *why, size_t why_size)
{
	struct stat status;

	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid != geteuid() &&
	    status.st_uid != 0) {
		return refuse(why, why_size, ELOOP, "it is a symbolic link of user %u",
			      (unsigned)status.st_uid);
	}
	return 0;
}

static int refuse_owner(uid_t owner, char *why, size_t why_size)
{
	return refuse(why, why_size, EPERM, "it belongs to user %u, who could change its contents",
		      (unsigned)owner);
}

int bundle_check_owner(int folder, char *why, size_t why_size)
{
	struct stat status;

	if (fstat(folder, &status))
		return refuse(why, why_size, errno, "%s", strerror(errno));
	return status.st_uid == geteuid() ? 0 : refuse_owner(status.st_uid, why, why_size);
}

void bundle_hide(const struct bundle *bundle)
{
	tree_hide(bundle->lock);
}

/* Returns true if the file system shows another owner than the one who made a file: statfs(2). */
static bool maps_owners(int folder)
{
	static const unsigned long types[] = {
		0x6969 /* NFS */,      0x65735546 /* FUSE */, 0xff534d42 /* CIFS */,
		0xfe534d42 /* SMB2 */, 0x01021997 /* 9P */,   0x4d44 /* FAT */,
	};
	struct statfs status;

	for (size_t i = 0; fstatfs(folder, &status) == 0 && i < sizeof(types) / sizeof(types[0]);
	     i++)
		if ((unsigned long)status.f_type == types[i])
			return true;
	return false;
}

/* Open and lock the bundle's directory, which is `made` just now or was there. */
static int open_bundle(struct bundle *bundle, int parent, const char *name, bool made, char *why,
		       size_t why_size)
{
	bool empty = true;
	int result;

	bundle->lock = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (bundle->lock < 0)
		return refuse(why, why_size, errno, "%s", strerror(errno));
	result =
	    made && maps_owners(bundle->lock) ? 0 : bundle_check_owner(bundle->lock, why, why_size);
	if (result)
		return result;
	fchmod(bundle->lock, S_IRWXU);
	/* A filesystem without locks only loses the protection against a second recorder. */
	if (flock(bundle->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return refuse(why, why_size, EBUSY, "another hipgrain is recording into it");
	/* Until now other users could read it. */
	if (is_empty(bundle->lock, &empty) == 0 && !empty)
		return refuse(why, why_size, EEXIST, "files were created there meanwhile");
	return 0;
}

/* Returns true if `path` leads to what `folder` is open for. */
static bool leads_to(const char *path, int folder)
{
	struct stat named, opened;

	return stat(path, &named) == 0 && fstat(folder, &opened) == 0 &&
	       named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Remove only what is empty or ours: a command may have put files there meanwhile. */
static void remove_made(int folder)
{
	unlinkat(folder, BUNDLE_MANIFEST, 0);
	unlinkat(folder, CONTROL_SOCKET, 0);
	unlinkat(folder, HG_MISSED, 0);
	unlinkat(folder, HG_WITNESS, 0);
	unlinkat(folder, HG_PLACES, 0);
	unlinkat(folder, BUNDLE_CTF, AT_REMOVEDIR);
	unlinkat(folder, BUNDLE_CODE_OBJECTS, AT_REMOVEDIR);
	unlinkat(folder, HG_LAYOUT, 0);
	unlinkat(folder, HG_RINGS "/" HG_RINGS_DRAINED, 0);
	unlinkat(folder, HG_RINGS "/" HG_RINGS_ENDED, AT_REMOVEDIR);
	unlinkat(folder, HG_RINGS, AT_REMOVEDIR);
}

/* Make, open and lock directory `name` of `parent`, and make its contents. */
static int make_bundle(struct bundle *bundle, int parent, const char *name, char *why,
		       size_t why_size)
{
	static const char *const folders[] = { BUNDLE_CTF, BUNDLE_CODE_OBJECTS };
	enum directory_kind kind;
	uid_t owner;
	int result = classify(parent, name, &kind, &owner);

	if (result)
		return refuse(why, why_size, -result, "%s", strerror(-result));
	if (kind == NOT_A_DIRECTORY)
		return refuse(why, why_size, ENOTDIR,
			      "exists and is not a directory; choose another name (-o)");
	if (kind == DIRECTORY_FOREIGN) {
		return refuse(
		    why, why_size, EEXIST,
		    "exists, is not empty and is not a hipgrain bundle; choose another name (-o)");
	}
	if (owner != geteuid())
		return refuse_owner(owner, why, why_size);
	if (kind == DIRECTORY_BUNDLE) {
		result = move_aside(parent, name, why, why_size);
		if (result)
			return result;
	}
	if (kind != DIRECTORY_EMPTY && mkdirat(parent, name, 0700))
		return refuse(why, why_size, errno, "cannot create it: %s", strerror(errno));
	result = open_bundle(bundle, parent, name, kind != DIRECTORY_EMPTY, why, why_size);
	if (result)
		return result;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (mkdirat(bundle->lock, folders[i], 0700)) {
			result =
			    refuse(why, why_size, errno, "cannot write there: %s", strerror(errno));
			remove_made(bundle->lock);
			return result;
		}
	}
	return 0;
}

int bundle_create(struct bundle *bundle, const char *path, char *why, size_t why_size)
{
	char resolved[PATH_MAX], trimmed[PATH_MAX], name[NAME_MAX + 1];
	size_t length = strlen(path);
	struct stat status;
	int result, parent;

	bundle->path = NULL;
	bundle->lock = -1;
	if (!length)
		return refuse(why, why_size, EINVAL, "the name is empty");
	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length >= sizeof(trimmed))
		return refuse(why, why_size, ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
	memcpy(trimmed, path, length);
	trimmed[length] = '\0';

	result = check_link(trimmed, why, why_size);
	if (result)
		return result;
	/* Through a symbolic link, work on what it points to: the link stays valid. */
	if (stat(trimmed, &status) == 0) {
		if (!realpath(trimmed, resolved))
			return refuse(why, why_size, errno, "%s", strerror(errno));
		strcpy(trimmed, resolved);
	}
	parent = tree_open_parent(trimmed, name, sizeof(name));
	if (parent < 0)
		return refuse(why, why_size, -parent, "cannot create it: %s%s", strerror(-parent),
			      parent == -ENOENT ? "; create the directory above it first" : "");
	result = make_bundle(bundle, parent, name, why, why_size);
	if (!result && (!realpath(trimmed, resolved) || !leads_to(resolved, bundle->lock))) {
		result = refuse(why, why_size, EBUSY, "another process has replaced it");
		remove_made(bundle->lock);
	}
	if (!result) {
		bundle->path = strdup(resolved);
		result = bundle->path ? 0 : refuse(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	}
	close(parent);
	if (result)
		bundle_close(bundle);
	return result;
}

void bundle_remove(const struct bundle *bundle)
{
	char name[NAME_MAX + 1];
	int parent = tree_open_parent(bundle->path, name, sizeof(name));

	/* LTTng may have begun a trace. */
	tree_remove(bundle->lock, BUNDLE_CTF);
	remove_made(bundle->lock);
	if (parent >= 0) {
		if (leads_to(bundle->path, bundle->lock))
			unlinkat(parent, name, AT_REMOVEDIR);
		close(parent);
	}
}

void bundle_close(struct bundle *bundle)
{
	if (bundle->lock >= 0)
		close(bundle->lock);
	free(bundle->path);
	bundle->path = NULL;
	bundle->lock = -1;
}
