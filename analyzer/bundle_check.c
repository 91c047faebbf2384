/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a directory looks like a bundle, by kinds and sizes of its files, before any is
 * read. */
#include "bundle_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobj/text.h"
#include "tracer/bundle.h"

/* A trace in chunks uses six. */
#define DEPTH_MAX 32

#define MIB       ((int64_t)1 << 20)
#define GIB       ((int64_t)1 << 30)

/*
 * A file this large of which next to nothing is on the disk was made to be large. A file system
 * that compresses does not get traces that small.
 */
#define SPARSE_MIN   GIB
#define SPARSE_RATIO 64

/* Names in the bundle's own directory; others are not read, but for files of processes, each of
 * which its reader checks, so that one does not hide the others (reader/ring_file.c). "" stands for
 * all in a directory of that name. */
static const struct rule {
	const char *folder, *name; /* fnmatch(3) */
	int64_t size;              /* at most */
} rules[] = {
	{ "", "manifest.json", 16 * MIB }, { "", "cost", 64 * MIB },
	{ "", "messages", MIB },           { "", "perf-*.map", GIB },
	{ "code-objects", "*", 2 * GIB }, /* relocations of code reach 2 GiB */
	{ "open-calls", "*", MIB },        { "", "event-layout", MIB },
	{ "ctf", "metadata", 64 * MIB },   { "ctf", "*", INT64_MAX },
	{ "", "symbols", 32 * MIB },       { "sources", "*", 16 * MIB },
};

static const char *kind_of(mode_t mode)
{
	return S_ISFIFO(mode)   ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISBLK(mode)  ? "a block device"
	       : S_ISCHR(mode)  ? "a character device"
				: "a directory";
}

/* Returns the rule for a file of that name, or NULL if it is not read. */
static const struct rule *rule_for(const char *folder, const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(rules[i].folder, folder) == 0 && fnmatch(rules[i].name, name, 0) == 0)
			return &rules[i];
	return NULL;
}

static int refuse_file(const char *folder, const char *name, const char *what, char **error)
{
	if (asprintf(error, "%s%s%s is %s", folder, *folder ? "/" : "", name, what) < 0)
		*error = NULL;
	return -EINVAL;
}

/* Bundles are their users' own. `name`: within the bundle; NULL: the bundle itself. */
static int refuse_access(const char *name, char **error)
{
	if (asprintf(error, "%s%spermission denied", name ? name : "", name ? ": " : "") < 0)
		*error = NULL;
	return -EACCES;
}

/* Checks the file that a name stands for, also through a link: links themselves lead out of some
 * bundles. */
static int check_file(const char *folder, const char *name, const struct stat *status,
		      const struct rule *rule, char **error)
{
	char what[128];

	if (!S_ISREG(status->st_mode)) {
		snprintf(what, sizeof(what), "%s, not a file", kind_of(status->st_mode));
		return refuse_file(folder, name, what, error);
	}
	if (status->st_size > rule->size) {
		snprintf(what, sizeof(what), "too large: %" PRId64 " MiB",
			 (int64_t)status->st_size / MIB);
		return refuse_file(folder, name, what, error);
	}
	if (status->st_size >= SPARSE_MIN &&
	    status->st_blocks < status->st_size / 512 / SPARSE_RATIO) {
		snprintf(what, sizeof(what), "a sparse file of %" PRId64 " MiB",
			 (int64_t)status->st_size / MIB);
		return refuse_file(folder, name, what, error);
	}
	return 0;
}

/* `folder` is the rules' name of what `parent`/`name` is; a trace's directories have their own. */
static int check_folder(int parent, const char *name, const char *folder, unsigned depth,
			char **error)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		int why = errno;

		if (fd >= 0)
			close(fd);
		/* The reader says why else it cannot be read. */
		return why == EACCES ? refuse_access(depth ? name : NULL, error) : 0;
	}
	while (!result && (entry = readdir(list))) {
		const char *inner = *folder ? folder : entry->d_name;
		const struct rule *rule = rule_for(folder, entry->d_name);
		struct stat own, status;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    fstatat(fd, entry->d_name, &own, AT_SYMLINK_NOFOLLOW) ||
		    fstatat(fd, entry->d_name, &status, 0))
			continue;
		if (S_ISDIR(own.st_mode) && (strcmp(inner, "ctf") == 0 || !*folder)) {
			result = depth < DEPTH_MAX
				     ? check_folder(fd, entry->d_name, inner, depth + 1, error)
				     : refuse_file(folder, entry->d_name, "too deep", error);
		} else if (rule && !(S_ISDIR(status.st_mode) && *folder)) {
			result = check_file(folder, entry->d_name, &status, rule, error);
			if (!result && faccessat(fd, entry->d_name, R_OK, 0) && errno == EACCES)
				result = refuse_access(entry->d_name, error);
		}
	}
	closedir(list);
	return result;
}

static bool has(const char *path, const char *name)
{
	char inner[4096];

	snprintf(inner, sizeof(inner), "%s/%s", path, name);
	return access(inner, F_OK) == 0;
}

static const char *text_of(struct json_object *manifest, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(manifest, name, &value) &&
		       json_object_is_type(value, json_type_string)
		   ? json_object_get_string(value)
		   : NULL;
}

/* Bundles of other formats are not read: nobody can say what would be missing. */
static int check_format(const char *path, char **error)
{
	char file[4096], version[64], format[64];
	struct json_object *manifest;
	const char *schema, *text;
	int result = 0;

	snprintf(file, sizeof(file), "%s/" BUNDLE_MANIFEST, path);
	manifest = json_object_from_file(file);
	schema = text_of(manifest, "schema");
	text = text_of(manifest, "version");
	text_copy_visible(version, sizeof(version), text ? text : "of another version");
	text_copy_visible(format, sizeof(format), schema ? schema : "an earlier format");
	if (schema ? strcmp(schema, BUNDLE_MANIFEST_SCHEMA) != 0
		   : has(path, "early-events") || has(path, "open-batches")) {
		result = -EINVAL;
		if (asprintf(
			error,
			"hipgrain %s recorded it in %s; this version reads " BUNDLE_MANIFEST_SCHEMA
			": use that version to read it, or record again",
			version, format) < 0)
			*error = NULL;
	}
	json_object_put(manifest);
	return result;
}

int bundle_check(const char *path, char **error)
{
	bool bundle = has(path, "ctf");
	int result;

	*error = NULL;
	/* A directory of traces without a bundle around it is read like a bundle's. */
	result = check_folder(AT_FDCWD, path, bundle ? "" : "ctf", 0, error);
	return result || !bundle ? result : check_format(path, error);
}
