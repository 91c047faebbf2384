/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the machine by sysfs, and keeps measurements of it by that identity. */
#include "tracer/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "codeobj/codeobj.h"
#include "config.h"
#include "tracer/message.h"

#define KFD_NODES "/sys/class/kfd/kfd/topology/nodes"

/* A probe of 16 GPUs in two modes takes some 10 MB. */
#define PROBE_BYTES_MOST (64 << 20)

extern char **environ;

/* The first line of a file, without its end; false if it cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *stream = fopen(path, "re");
	bool read = stream && fgets(line, (int)size, stream);

	if (stream)
		fclose(stream);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

void machine_driver(char *text, size_t size)
{
	char version[64] = "";
	struct utsname system;
	bool known = read_line("/sys/module/amdgpu/version", version, sizeof(version));

	*text = '\0';
	if (uname(&system) == 0)
		snprintf(text, size, "%s %s%s%s", system.sysname, system.release,
			 known ? ", amdgpu " : "", version);
}

/* ---- identity ---- */

/* Adds the lines of a node's or link's properties on which the memory's behaviour depends; not its
 * serial number, nor sizes that vary from start to start. */
static void add_properties(const char *path, FILE *out)
{
	static const char *const names[] = { "vendor_id ",  "device_id ", "gfx_target_version ",
					     "simd_count ", "num_xcc ",   "capability ",
					     "type ",       "flags ",     "node_to " };
	FILE *stream = fopen(path, "re");
	char line[256];

	while (stream && fgets(line, sizeof(line), stream))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strncmp(line, names[i], strlen(names[i])) == 0)
				fputs(line, out);
	if (stream)
		fclose(stream);
}

static void add_kfd(FILE *out)
{
	/* The kernel numbers nodes, and links of a node, without gaps. */
	for (unsigned node = 0;; node++) {
		char path[128];

		snprintf(path, sizeof(path), KFD_NODES "/%u", node);
		if (access(path, F_OK) != 0)
			return;
		fprintf(out, "node %u\n", node);
		snprintf(path, sizeof(path), KFD_NODES "/%u/properties", node);
		add_properties(path, out);
		for (unsigned link = 0;; link++) {
			snprintf(path, sizeof(path), KFD_NODES "/%u/io_links/%u/properties", node,
				 link);
			if (access(path, F_OK) != 0)
				break;
			add_properties(path, out);
		}
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Variables that do not change what memory does: order of work, speed, and what is logged. */
static bool is_of_memory(const char *variable)
{
	static const char *const others[] = { "SOFTGPU_SEED=", "SOFTGPU_THREADS=", "SOFTGPU_XCDS=",
					      "SOFTGPU_CACHE", "SOFTGPU_CHECK" };
	size_t name = strcspn(variable, "=");

	if (strncmp(variable, "SOFTGPU_", 8) != 0 ||
	    (name > 4 && strncmp(variable + name - 4, "_LOG", 4) == 0))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(variable, others[i], strlen(others[i])) == 0)
			return false;
	return true;
}

static void add_softgpu(FILE *out)
{
	size_t count = 0, most = 0;
	char **list;

	fputs("software GPU " HIPGRAIN_VERSION "\n", out);
	for (char **variable = environ; *variable; variable++)
		most++;
	list = calloc(most + 1, sizeof(*list));
	for (size_t i = 0; list && i < most; i++)
		if (is_of_memory(environ[i]))
			list[count++] = environ[i];
	if (list)
		qsort(list, count, sizeof(*list), by_text);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s\n", list[i]);
	free(list);
}

static void add_board(FILE *out)
{
	static const char *const files[] = { "/sys/class/dmi/id/sys_vendor",
					     "/sys/class/dmi/id/product_name",
					     "/sys/class/dmi/id/board_name" };
	char line[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (read_line(files[i], line, sizeof(line)))
			fprintf(out, "%s\n", line);
}

void machine_key(bool softgpu, char key[MACHINE_KEY_SIZE])
{
	char hex[CODEOBJ_SHA256_SIZE], driver[256];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	memset(key, '0', MACHINE_KEY_SIZE - 1);
	key[MACHINE_KEY_SIZE - 1] = '\0';
	if (!out)
		return;
	if (softgpu) {
		add_softgpu(out);
	} else {
		machine_driver(driver, sizeof(driver));
		fprintf(out, "%s\n", driver);
		add_board(out);
		add_kfd(out);
	}
	if (fclose(out) == 0) {
		codeobj_sha256(text, size, hex);
		memcpy(key, hex, MACHINE_KEY_SIZE - 1);
	}
	free(text);
}

/* ---- measurements ---- */

char *machine_probe_directory(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int length;

	/* The XDG Base Directory Specification: relative paths are ignored. */
	if (state && state[0] == '/')
		length = asprintf(&path, "%s/hipgrain/probes", state);
	else if (home && home[0] == '/')
		length = asprintf(&path, "%s/.local/state/hipgrain/probes", home);
	else
		return NULL;
	return length < 0 ? NULL : path;
}

static int copy_bytes(int from, int to)
{
	char buffer[65536];
	ssize_t count;

	while ((count = read(from, buffer, sizeof(buffer))) > 0)
		for (ssize_t done = 0, step; done < count; done += step) {
			step = write(to, buffer + done, (size_t)(count - done));
			if (step < 0)
				return -errno;
		}
	return count < 0 ? -errno : 0;
}

/* Only regular files of the user's own, or of root: others must not choose what is believed. */
static int copy_probe(int from_directory, int to_directory, const char *name)
{
	int from = openat(from_directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	int to, result;

	if (from < 0)
		return -errno;
	if (fstat(from, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > PROBE_BYTES_MOST || (status.st_uid != geteuid() && status.st_uid)) {
		close(from);
		return -EINVAL;
	}
	to = openat(to_directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	result = to < 0 ? -errno : copy_bytes(from, to);
	if (to >= 0 && close(to) != 0 && !result)
		result = -errno;
	if (to >= 0 && result)
		unlinkat(to_directory, name, 0);
	close(from);
	return result;
}

static bool is_of(const char *name, const char *key)
{
	size_t length = strlen(name);

	return length > 5 && strcmp(name + length - 5, ".json") == 0 &&
	       strncmp(name, key, strlen(key)) == 0 && name[strlen(key)] == '-';
}

void machine_copy_probes(int bundle, const char *path, bool softgpu)
{
	char *directory = machine_probe_directory(), key[MACHINE_KEY_SIZE];
	DIR *cache = directory ? opendir(directory) : NULL;
	int probes = -1, result = 0;

	free(directory);
	if (!cache)
		return; /* nothing was measured yet */
	machine_key(softgpu, key);
	for (struct dirent *entry = readdir(cache); entry && !result; entry = readdir(cache)) {
		if (!is_of(entry->d_name, key))
			continue;
		if (probes < 0 && mkdirat(bundle, MACHINE_PROBES, 0700) != 0 && errno != EEXIST)
			result = -errno;
		if (!result && probes < 0)
			probes = openat(bundle, MACHINE_PROBES,
					O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (!result)
			result =
			    probes < 0 ? -errno : copy_probe(dirfd(cache), probes, entry->d_name);
	}
	if (probes >= 0)
		close(probes);
	closedir(cache);
	if (result)
		message_warning("'%s': what 'hipgrain probe' measured cannot be copied: %s", path,
				strerror(-result));
}
