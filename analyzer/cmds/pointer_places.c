/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the words that lead to memory from the paths of a kernel's accesses, and of what it
 * stores. */
#include "analyzer/cmds/pointer_places.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cache/cache.h"
#include "analyzer/isa/isa.h"
#include "codeobj/codeobj.h"

#define SIZE_MOST (INT64_C(1) << 30)

_Static_assert(HG_PLACES_STEPS == ISA_PATH_STEPS, "a path fits");

static struct {
	char name[65];
	void *elf;
	size_t size;
	struct isa_session *session;
	struct codeobj_metadata *metadata;
} open_object;

static void close_object(void)
{
	isa_session_close(open_object.session);
	codeobj_metadata_free(open_object.metadata);
	free(open_object.elf);
	memset(&open_object, 0, sizeof(open_object));
}

static bool read_object(int folder, const char *name)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	size_t done = 0;
	ssize_t got = 1;

	if (file < 0)
		return false;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    status.st_size <= SIZE_MOST)
		open_object.elf = malloc((size_t)status.st_size);
	while (open_object.elf && got > 0 && done < (size_t)status.st_size) {
		got = read(file, (char *)open_object.elf + done, (size_t)status.st_size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	close(file);
	open_object.size = done;
	return open_object.elf && done == (size_t)status.st_size;
}

static bool open_named(int folder, const char *name)
{
	struct codeobj_error problem;
	char *error = NULL;

	if (!strcmp(open_object.name, name))
		return true;
	close_object();
	if (read_object(folder, name) &&
	    !codeobj_metadata_read(open_object.elf, open_object.size, &open_object.metadata,
				   &problem) &&
	    !isa_session_open(open_object.elf, open_object.size, NULL, &open_object.session,
			      &error)) {
		strcpy(open_object.name, name);
		return true;
	}
	free(error); /* the report says what is wrong with this code object */
	close_object();
	return false;
}

/* Returns false if it does not fit. */
static bool add_path(const struct isa_path *from, struct hg_place_path *paths, unsigned *count)
{
	struct hg_place_path to = { .kernarg = from->symbol ? HG_PLACES_VARIABLE : from->kernarg,
				    .variable = from->symbol ? hg_places_symbol(from->symbol) : 0 };

	/* The last step is the address of the access. */
	to.step_count = from->step_count ? from->step_count - 1 : 0;
	if (!to.step_count)
		return true;
	for (unsigned i = 0; i < to.step_count; i++) {
		const struct isa_step *step = &from->step[i];

		if (step->offset < INT32_MIN || step->offset > INT32_MAX)
			return false;
		to.step[i].offset = (int32_t)step->offset;
		to.step[i].flags =
		    (step->exact ? 0 : HG_PLACE_CHOSEN) | (step->repeats ? HG_PLACE_REPEATS : 0);
	}
	/* Paths that differ in the access alone are one. */
	for (unsigned i = 0; i < *count; i++)
		if (!memcmp(&paths[i], &to, sizeof(to)))
			return true;
	if (*count == HG_PLACES_OF_KERNEL)
		return false;
	paths[(*count)++] = to;
	return true;
}

/* Returns true if the path leads to one place: a word that is copied lies there. */
static bool is_one_place(const struct isa_path *path)
{
	for (unsigned i = 0; i + 1 < path->step_count; i++)
		if (!path->step[i].exact || path->step[i].repeats)
			return false;
	return true;
}

/* Adds pointers that the kernel only moves: they are read as well if they are few words. */
static bool add_values(const struct isa_store *store, struct hg_place_path *paths, unsigned *count)
{
	for (size_t i = 0; store->value_known && i < store->value_count; i++)
		if (is_one_place(&store->value[i]) && !add_path(&store->value[i], paths, count))
			return false;
	return true;
}

/* Adds the paths to what an atomic updates. Returns false if they do not fit. */
static bool add_atomic(const struct isa_atomic *atomic, struct hg_place_path *paths,
		       unsigned *count)
{
	for (size_t i = 0; i < atomic->origin.paths.count; i++)
		if (!add_path(&atomic->origin.paths.path[i], paths, count))
			return false;
	return true;
}

/*
 * Adds all paths of the kernel, those first of which the memory's kind decides what becomes of a
 * result: of floating-point atomics, then of others. Returns false if they do not fit.
 */
static bool add_all(const struct isa_kernel *kernel, struct hg_place_path *paths, unsigned *count)
{
	for (unsigned other = 0; other < 2; other++)
		for (size_t i = 0; i < kernel->atomic_count; i++)
			if (kernel->atomics[i].fp == !other &&
			    !add_atomic(&kernel->atomics[i], paths, count))
				return false;
	for (size_t i = 0; i < kernel->path_use_count; i++)
		if (!add_path(&kernel->path_uses[i].path, paths, count))
			return false;
	for (size_t i = 0; i < kernel->store_count; i++)
		if (!add_values(&kernel->stores[i], paths, count))
			return false;
	return true;
}

static enum hg_place_state list(const struct isa_kernel *kernel, struct hg_place_path *paths,
				unsigned *count)
{
	*count = 0;
	if (!add_all(kernel, paths, count) || !kernel->paths_complete)
		return *count ? HG_PLACE_SOME : HG_PLACE_ANYWHERE;
	return *count ? HG_PLACE_LISTED : HG_PLACE_NONE;
}

static bool uses_cache;

void places_use_cache(void)
{
	uses_cache = true;
}

/* This process has closed what it inherited, the cache's directory too. */
static void open_cache(void)
{
	if (uses_cache)
		(void)cache_open(); /* the recorder has reported what is wrong with it */
	uses_cache = false;
}

enum hg_place_state places_find(int folder, const char *name, uint64_t symbol,
				struct hg_place_path *paths, unsigned *count)
{
	enum hg_place_state state = HG_PLACE_ANYWHERE;
	struct isa_code_object *object = NULL;
	struct isa_options options = { 0 };
	const struct isa_kernel *kernel;
	char *error = NULL;

	open_cache();
	if (!open_named(folder, name))
		return HG_PLACE_ANYWHERE;
	for (size_t i = 0; i < open_object.metadata->kernel_count && !options.only_symbol; i++)
		if (hg_places_symbol(open_object.metadata->kernels[i].name) == symbol)
			options.only_symbol = open_object.metadata->kernels[i].name;
	if (!options.only_symbol ||
	    isa_session_analyze(open_object.session, &options, &object, &error)) {
		free(error); /* likewise */
		return HG_PLACE_ANYWHERE;
	}
	kernel = isa_find_kernel(object, options.only_symbol);
	if (kernel)
		state = list(kernel, paths, count);
	isa_code_object_free(object);
	return state;
}
