/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool that Kokkos loads because KOKKOS_TOOLS_LIBS names it: it tells the preload library the
 * labels of Views and the names of kernels, regions, copies and fences. Kokkos asks the first
 * library of that list alone, so the one behind is loaded here and gets each call. A function that
 * is not recorded is looked up there whenever Kokkos looks it up here: Kokkos takes another way
 * for some that it finds, as for those of tuning.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/hipgrain.h"

#define SHOWN __attribute__((visibility("default")))

/* A memory space's name, which need not end with a zero. */
struct space {
	char name[64];
};

typedef void function(void);

static void *next; /* the tool behind this one, or NULL */
static hipgrain_entry *record;

static function *of_next(const char *name)
{
	return next ? (function *)dlsym(next, name) : NULL;
}

static void tell(unsigned act, const void *ptr, uint64_t size, const char *space, const char *name)
{
	if (record)
		record(act, ptr, size, space, name);
}

static void push(const char *name)
{
	tell(HIPGRAIN_RANGE_PUSH, NULL, 0, NULL, name);
}

static void pop(void)
{
	tell(HIPGRAIN_RANGE_POP, NULL, 0, NULL, NULL);
}

static void mark(const char *name)
{
	tell(HIPGRAIN_MARK, NULL, 0, NULL, name);
}

static void view(const struct space *space, const char *label, const void *ptr, uint64_t size)
{
	char name[sizeof(space->name) + 1] = { 0 };

	memcpy(name, space->name, sizeof(space->name));
	tell(HIPGRAIN_NAME, ptr, size, *name ? name : "?", label);
}

#define TOLD(name, params, args, before, after) \
	static void(*next_##name) params;       \
	SHOWN void kokkosp_##name params;       \
	SHOWN void kokkosp_##name params        \
	{                                       \
		before;                         \
		if (next_##name)                \
			next_##name args;       \
		after;                          \
	}

/* dlsym() calls the resolver, and returns what that returns. */
#define ANSWERED(name, answer)                                     \
	static __attribute__((used)) function *answer_##name(void) \
	{                                                          \
		return answer;                                     \
	}                                                          \
	SHOWN __attribute__((ifunc("answer_" #name))) void kokkosp_##name(void);

#define PASSED(name) ANSWERED(name, of_next("kokkosp_" #name))

#include "preload/ranges/kokkos.def"

/* Unless a tool says otherwise Kokkos waits for the GPU before it calls it. */
static void need_no_fences(uint32_t count, bool *settings)
{
	if (count)
		settings[0] = false;
}

ANSWERED(request_tool_settings,
	 next ? of_next("kokkosp_request_tool_settings") : (function *)need_no_fences)

/*
 * Kokkos would load the library behind this one, and say so if it can't. The loader makes this
 * library's symbols global after its constructors, so that a tool that calls functions of its own
 * by these names finds its own first.
 */
static __attribute__((constructor)) void start(void)
{
	const char *list = getenv("KOKKOS_TOOLS_LIBS");
	const char *rest = list ? strchr(list, ';') : NULL;
	char *path = rest ? strndup(rest + 1, strcspn(rest + 1, ";")) : NULL;

	record = (hipgrain_entry *)dlsym(RTLD_DEFAULT, "hipgrain_kokkos");
	if (path && *path)
		next = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (path && *path && !next)
		fprintf(stderr, "Error: unable to load a Kokkos tool: %s\n", dlerror());
	free(path);
#undef TOLD
#undef PASSED
#define TOLD(name, params, args, before, after) \
	next_##name = (void(*) params)of_next("kokkosp_" #name);
#define PASSED(name)
#include "preload/ranges/kokkos.def"
}
