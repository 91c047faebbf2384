/* SPDX-License-Identifier: Apache-2.0 */
/* Finds hipgrain's own files relative to its executable. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "tracer/build_mark.h"
#include "tracer/install.h"

#define PRELOAD_NAME  "libhipgrain-preload.so"
#define PROVIDER_NAME "libhipgrain-provider.so"
#define SHIM_NAME     "libhipgrain-sessiond.so"
#define KOKKOS_NAME   "libhipgrain-kokkos.so"
#define PROBE_NAME    "probe.hipfb"
#define DEMO_NAME     "hipgrain-demo"
#define DEMO_CODE     "energy.hipfb" /* kernels/demo/energy_demo.c opens it */
#define DRIVER_NAME   "libhipgrain-softkfd.so"

/* A portable tree (tests/portable) brings along what is in this folder, beside the preload
 * library. */
#define BUNDLED "bundled"

/* Layouts to try, relative to the directory of the executable. */
static const struct {
	const char *preload, *driver, *probe, *demo;
} layouts[] = {
	/* build tree */
	{ ".", "kernels/softkfd", "kernels/probe", "kernels/demo" },
	/* installed */
	{ HIPGRAIN_LIBDIR_FROM_BIN, HIPGRAIN_LIBDIR_FROM_BIN "/softgpu", HIPGRAIN_LIBDIR_FROM_BIN,
	  HIPGRAIN_LIBDIR_FROM_BIN },
};

/* Returns BASE/FOLDER/FILE without links and dots if it exists, malloc'ed, or else NULL. */
static char *find(const char *base, const char *folder, const char *file)
{
	char *path, *resolved;

	if (asprintf(&path, "%s/%s/%s", base, folder, file) < 0)
		return NULL;
	resolved = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
	free(path);
	return resolved;
}

/* Finds the directory of the executable. Returns 0 or -errno. */
static int find_base(char base[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", base, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return -errno;
	base[length] = '\0';
	slash = strrchr(base, '/');
	if (slash)
		*slash = '\0';
	return 0;
}

char *install_bundled(const char *file)
{
	char base[PATH_MAX];

	return find_base(base) ? NULL : find(base, HIPGRAIN_LIBDIR_FROM_BIN "/" BUNDLED, file);
}

/* Makes a directory that nobody else can write to, if it is not there. Returns 0 or -errno. */
static int own_directory(const char *path)
{
	struct stat status;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &status))
		return -errno;
	return S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
		       !(status.st_mode & (S_IWGRP | S_IWOTH))
		   ? 0
		   : -EPERM;
}

/* A symbolic link PATH to `target`, which may be there already. 0 or -errno. */
static int own_link(const char *path, const char *target)
{
	char there[PATH_MAX];
	ssize_t length;

	if (symlink(target, path) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	length = readlink(path, there, sizeof(there) - 1);
	if (length < 0)
		return -errno;
	there[length] = '\0';
	return strcmp(there, target) ? -EEXIST : 0;
}

/* If *path lies below `folder`, links and dots aside, it becomes one by way of `link`. */
static int lead_through(char **path, const char *folder, const char *link)
{
	char *real = *path ? realpath(*path, NULL) : NULL;
	size_t length = strlen(folder);
	int error = 0;

	if (real && strncmp(real, folder, length) == 0 && real[length] == '/') {
		free(*path);
		if (asprintf(path, "%s%s", link, real + length) < 0) {
			*path = NULL;
			error = -ENOMEM;
		}
	}
	free(real);
	return error;
}

/*
 * Makes paths without spaces and colons to what is preloaded, by way of their folder: a link in a
 * directory of the user's. It stays, because processes that outlive the recording name it in their
 * environment; its name is made of the folder's.
 */
static int link_preload(struct install_paths *paths, char *why, size_t why_size)
{
	static const char *const places[] = { "/tmp", "/var/tmp", "/dev/shm" };
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	char *folder = strdup(paths->preload), *slash, *place = NULL, *path = NULL;
	int error = folder ? -ENOENT : -ENOMEM;

	slash = folder ? strrchr(folder, '/') : NULL;
	if (slash)
		*slash = '\0';
	for (const char *at = folder; at && *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		free(place);
		free(path);
		place = path = NULL;
		if (asprintf(&place, "%s/hipgrain-preload-%u", places[i], (unsigned)geteuid()) < 0)
			place = NULL;
		if (asprintf(&path, "%s/%016llx", place ? place : "", (unsigned long long)hash) < 0)
			path = NULL;
		error = place && path ? own_directory(place) : -ENOMEM;
		if (!error)
			error = own_link(path, folder);
		if (!error)
			break;
	}
	if (!error) {
		/* The others are preloaded, too. */
		char **const all[] = { &paths->preload, &paths->shim, &paths->driver };

		for (size_t i = 0; !error && i < sizeof(all) / sizeof(*all); i++)
			error = lead_through(all[i], folder, path);
	}
	if (error) {
		snprintf(why, why_size,
			 "'%s' cannot be preloaded: its path has a space or a colon, and there can "
			 "be no link "
			 "to it in /tmp, /var/tmp and /dev/shm: %s",
			 paths->preload ? paths->preload : PRELOAD_NAME, strerror(-error));
	}
	free(folder);
	free(place);
	free(path);
	return error;
}

/* Returns true if the preload library is of this version, or cannot be read; else its own version
 * goes to `theirs`. */
static bool is_of_this_version(const char *path, char *theirs, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	const char *bytes, *mark;
	bool same = true;

	if (fd < 0)
		return true;
	bytes = fstat(fd, &status) == 0 && status.st_size > 0
		    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
		    : MAP_FAILED;
	close(fd);
	if (bytes == MAP_FAILED)
		return true;
	mark = memmem(bytes, (size_t)status.st_size, HG_BUILD_MARK_BEGIN,
		      sizeof(HG_BUILD_MARK_BEGIN) - 1);
	if (!mark || (size_t)(bytes + status.st_size - mark) < sizeof(HG_BUILD_MARK) ||
	    memcmp(mark, HG_BUILD_MARK, sizeof(HG_BUILD_MARK))) {
		same = false;
		snprintf(theirs, size, "%.40s",
			 mark ? mark + sizeof(HG_BUILD_MARK_BEGIN) - 1 : "unknown");
	}
	munmap((void *)(uintptr_t)bytes, (size_t)status.st_size);
	return same;
}

int install_find(struct install_paths *paths, char *why, size_t why_size)
{
	char base[PATH_MAX];
	int error = find_base(base);
	char theirs[64];

	*paths = (struct install_paths){ 0 };
	if (error) {
		snprintf(why, why_size, "/proc/self/exe: %s", strerror(-error));
		return error;
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) && !paths->preload; i++) {
		char *code;

		paths->preload = find(base, layouts[i].preload, PRELOAD_NAME);
		if (paths->preload) {
			paths->provider = find(base, layouts[i].preload, PROVIDER_NAME);
			paths->shim = find(base, layouts[i].preload, SHIM_NAME);
			paths->kokkos = find(base, layouts[i].preload, KOKKOS_NAME);
			paths->driver = find(base, layouts[i].driver, DRIVER_NAME);
			paths->probe = find(base, layouts[i].probe, PROBE_NAME);
			code = find(base, layouts[i].demo, DEMO_CODE);
			paths->demo = code ? find(base, layouts[i].demo, DEMO_NAME) : NULL;
			free(code);
		}
	}
	if (!paths->preload) {
		snprintf(why, why_size, "%s is neither in %s nor in %s/%s", PRELOAD_NAME, base,
			 base, HIPGRAIN_LIBDIR_FROM_BIN);
		return -ENOENT;
	}
	if (!paths->provider || !paths->shim) {
		snprintf(why, why_size, "%s is not beside %s",
			 paths->provider ? SHIM_NAME : PROVIDER_NAME, paths->preload);
		install_paths_free(paths);
		return -ENOENT;
	}
	if (!is_of_this_version(paths->preload, theirs, sizeof(theirs))) {
		snprintf(why, why_size, "'%s' is of another version (%s) than this hipgrain (%s)",
			 paths->preload, theirs, HG_BUILD_MARK + sizeof(HG_BUILD_MARK_BEGIN) - 1);
		install_paths_free(paths);
		return -EINVAL;
	}
	/* ld.so(8): LD_PRELOAD is a list separated by spaces or colons, without quoting. */
	if (strpbrk(paths->preload, " :")) {
		error = link_preload(paths, why, why_size);
		if (error)
			install_paths_free(paths);
		return error;
	}
	return 0;
}

void install_paths_free(struct install_paths *paths)
{
	free(paths->preload);
	free(paths->provider);
	free(paths->shim);
	free(paths->kokkos);
	free(paths->driver);
	free(paths->probe);
	free(paths->demo);
	*paths = (struct install_paths){ 0 };
}
