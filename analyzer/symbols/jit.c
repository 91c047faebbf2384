/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code that was made at run time, from perf-PID.map. */
#include "jit.h"

#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES (256 << 20)

struct code {
	uint64_t start, size;
	uint32_t order; /* of its line: code that was compiled later may lie where other code was */
	uint32_t name;  /* offset in names */
};

struct jit_map {
	GArray *codes; /* struct code, by start, then by order */
	char *names;   /* the file's text, lines cut into strings */
};

static gint by_start(gconstpointer a, gconstpointer b)
{
	const struct code *first = a, *second = b;

	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	return (first->order > second->order) - (first->order < second->order);
}

/* Lines that are not of that form are left out: the writer may have been stopped in one. */
static void parse(struct jit_map *map)
{
	uint32_t order = 0;

	for (char *line = map->names; *line;) {
		char *end = strchr(line, '\n'), *at = line;
		struct code code = { .order = order++ };

		if (!end)
			return;
		*end = 0;
		code.start = g_ascii_strtoull(line, &at, 16);
		if (at != line && *at == ' ') {
			char *second = at + 1;

			code.size = g_ascii_strtoull(second, &at, 16);
			if (at != second && *at == ' ' && at[1] && code.size) {
				code.name = (uint32_t)(at + 1 - map->names);
				g_array_append_val(map->codes, code);
			}
		}
		line = end + 1;
	}
}

static bool is_trusted(int fd, int64_t began_ns)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       (status.st_uid == geteuid() || status.st_uid == 0) &&
	       (int64_t)status.st_mtim.tv_sec >= began_ns / 1000000000;
}

static char *read_all(int fd)
{
	GString *text = g_string_new(NULL);
	char block[65536];
	ssize_t length;

	while (text->len < MAX_BYTES && (length = read(fd, block, sizeof(block))) > 0)
		g_string_append_len(text, block, length);
	return g_string_free(text, FALSE);
}

struct jit_map *jit_map_read(const char *bundle, int pid, int64_t began_ns)
{
	char *name = g_strdup_printf("perf-%d.map", pid);
	char *path = g_build_filename(bundle ? bundle : "", name, NULL);
	struct jit_map *map = NULL;
	int fd = bundle ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	g_free(path);
	if (fd < 0) {
		path = g_build_filename("/tmp", name, NULL);
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		g_free(path);
		if (fd >= 0 && !is_trusted(fd, began_ns)) {
			close(fd);
			fd = -1;
		}
	}
	g_free(name);
	if (fd >= 0) {
		map = g_new0(struct jit_map, 1);
		map->codes = g_array_new(FALSE, FALSE, sizeof(struct code));
		map->names = read_all(fd);
		close(fd);
		parse(map);
		g_array_sort(map->codes, by_start);
	}
	return map;
}

void jit_map_free(struct jit_map *map)
{
	if (map) {
		g_array_unref(map->codes);
		g_free(map->names);
		g_free(map);
	}
}

const char *jit_map_find(const struct jit_map *map, uint64_t address, uint64_t *offset)
{
	unsigned low = 0, high = map->codes->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(map->codes, struct code, middle).start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low) {
		const struct code *code = &g_array_index(map->codes, struct code, low - 1);

		*offset = address - code->start;
		if (*offset < code->size)
			return map->names + code->name;
	}
	return NULL;
}
