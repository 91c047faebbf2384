/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the plan of --fix: which kernels need what. */
#include "preload/hip/planned_fixes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/libc.h"
#include "preload/core/pool.h"
#include "tracer/events.h"

#define FIRST_LINE  "hipgrain-fix-plan 1"
#define MAX_BYTES   (64u << 20)
#define MAX_OFFSETS 512u

struct object {
	struct object *next;
	const char *sha256;
	struct hg_fix_kernel *kernels;
};

static struct object *objects;

/* Returns the whole file with a 0 behind it, or NULL if it cannot be read or is too large. */
static char *read_all(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	char *text = NULL;
	size_t used = 0;
	ssize_t got = 1;

	if (file < 0)
		return NULL;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    (uint64_t)status.st_size < MAX_BYTES)
		text = hg_pool_alloc((size_t)status.st_size + 1);
	while (text && got > 0 && used < (size_t)status.st_size) {
		got = read(file, text + used, (size_t)status.st_size - used);
		used += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[used] = 0;
	hg_libc.close(file);
	return text;
}

/* Reads "SYMBOL OFFSET... ?" into a kernel of `object`. Returns 0 or -errno. */
static int read_kernel(struct object *object, char *line)
{
	uint32_t offsets[MAX_OFFSETS], count = 0;
	struct hg_fix_kernel *kernel;
	bool partial = false;
	char *word, *rest = NULL, *symbol = strtok_r(line, " ", &rest), *end;

	if (!symbol)
		return -EINVAL;
	while ((word = strtok_r(NULL, " ", &rest))) {
		unsigned long offset = strtoul(word, &end, 10);

		if (!strcmp(word, "?"))
			partial = true;
		else if (*end || end == word || offset > HG_ARGS_MAX || count == MAX_OFFSETS)
			return -EINVAL;
		else
			offsets[count++] = (uint32_t)offset;
	}
	kernel = hg_pool_alloc(sizeof(*kernel) + count * sizeof(offsets[0]));
	if (!kernel)
		return -ENOMEM;
	*kernel = (struct hg_fix_kernel){
		.next = object->kernels, .symbol = symbol, .partial = partial, .count = count
	};
	memcpy(kernel->offsets, offsets, count * sizeof(offsets[0]));
	object->kernels = kernel;
	return 0;
}

const char *hg_fix_plan_read(const char *path, uint32_t *object_count, uint32_t *kernel_count)
{
	char *text = read_all(path), *rest = NULL, *line;
	struct object *object;

	if (!text)
		return "the list of kernels cannot be read";
	line = strtok_r(text, "\n", &rest);
	if (!line || strcmp(line, FIRST_LINE))
		return "the list of kernels is none of this version";
	while ((line = strtok_r(NULL, "\n", &rest))) {
		if (!strncmp(line, "object ", 7)) {
			object = hg_pool_alloc(sizeof(*object));
			if (!object)
				return "no memory for the list of kernels";
			*object = (struct object){ .next = objects, .sha256 = line + 7 };
			objects = object;
			++*object_count;
		} else if (!strncmp(line, "kernel ", 7) && objects &&
			   !read_kernel(objects, line + 7)) {
			++*kernel_count;
		} else {
			return "the list of kernels is damaged";
		}
	}
	return "";
}

bool hg_fix_plan_find(const char *sha256, const char *symbol, const struct hg_fix_kernel **kernel)
{
	*kernel = NULL;
	for (struct object *object = objects; object; object = object->next) {
		if (strcmp(object->sha256, sha256))
			continue;
		for (*kernel = object->kernels; *kernel; *kernel = (*kernel)->next)
			if (!strcmp((*kernel)->symbol, symbol))
				break;
		return true;
	}
	return false;
}
