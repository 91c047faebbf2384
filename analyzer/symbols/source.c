/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source files that may be quoted. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The extensions of the languages that programs for GPUs are written in. Case does not count. */
static const char *const extensions[] = {
	"c",   "cc",  "cpp", "cxx", "c++", "cp",  "h",   "hh",  "hpp", "hxx", "h++", "inl",
	"inc", "ipp", "tpp", "tcc", "txx", "def", "hip", "cu",  "cuh", "cl",  "clh", "f",
	"for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18", "fpp", "cuf", "m",   "mm",
	"rs",  "go",  "d",   "jl",  "py",  "pyx", "pxd", "y",   "l",   "s",   "ll",
};

static bool has_source_name(const char *file)
{
	const char *name = strrchr(file, '/'), *dot;

	name = name ? name + 1 : file;
	dot = strrchr(name, '.');
	for (size_t i = 0; dot && dot != name && i < G_N_ELEMENTS(extensions); i++)
		if (g_ascii_strcasecmp(dot + 1, extensions[i]) == 0)
			return true;
	return false;
}

/* Returns true if `path`, which is absolute and has no "..", is below `root`. */
static bool is_path_below(const char *path, const char *root)
{
	char *top = realpath(root, NULL);
	size_t length = top ? strlen(top) : 0;
	bool below = top && (strcmp(top, "/") == 0 ||
			     (strncmp(path, top, length) == 0 && path[length] == '/'));

	free(top);
	return below;
}

/* Returns true if the file that `fd` is open for lies below `root`, by its place, not by the name
 * it had. */
static bool is_below(int fd, const char *root)
{
	char name[32], path[PATH_MAX];
	ssize_t got;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	got = readlink(name, path, sizeof(path) - 1);
	if (got < 0)
		return false;
	path[got] = '\0';
	return is_path_below(path, root);
}

bool source_was_below(const char *file, const char *root)
{
	char *path = g_canonicalize_filename(file, "/");
	struct stat status;
	bool below = lstat(file, &status) != 0 && is_path_below(path, root);

	g_free(path);
	return below;
}

static int open_source(const char *file, const char *root, size_t *size, int64_t *changed_ns)
{
	int fd = has_source_name(file)
		     ? open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
		     : -1;
	struct stat status;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > (off_t)SOURCE_MOST ||
	    (status.st_uid != geteuid() && !(status.st_mode & S_IROTH)) ||
	    (root && !is_below(fd, root))) {
		close(fd);
		return -1;
	}
	*size = (size_t)status.st_size;
	*changed_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
	return fd;
}

/* Returns up to `size` bytes, and a NUL byte behind them. */
static char *read_all(int fd, size_t size, gsize *length)
{
	char *content = g_malloc(size + 1);
	size_t used = 0;

	while (used < size) {
		ssize_t got = read(fd, content + used, size - used);

		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	content[used] = '\0';
	*length = used;
	return content;
}

char *regular_file_read(const char *path, size_t most, gsize *length)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	char *content = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (off_t)most)
		content = read_all(fd, (size_t)status.st_size, length);
	close(fd);
	return content;
}

char *source_content(const char *file, const char *root, gsize *length, int64_t *changed_ns)
{
	size_t size = 0;
	int fd = open_source(file, root, &size, changed_ns);
	char *content;

	*length = 0;
	if (fd < 0) {
		*changed_ns = 0;
		return NULL;
	}
	content = read_all(fd, size, length);
	close(fd);
	if (*length && !memchr(content, '\0', *length))
		return content;
	*changed_ns = 0;
	*length = 0;
	g_free(content);
	return NULL;
}
