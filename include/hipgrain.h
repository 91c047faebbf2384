/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for what hipgrain records: hipgrain(3). Nothing is linked; in a process that hipgrain does
 * not record each function does nothing, and costs a comparison. With HIPGRAIN_OFF defined nothing
 * is left of them, as a program needs that is linked statically.
 */
#ifndef HIPGRAIN_H
#define HIPGRAIN_H

#include <stddef.h>
#include <stdint.h>
#ifndef HIPGRAIN_OFF
#include <dlfcn.h>
#endif

/* Grows with what is added; nothing is removed. */
#define HIPGRAIN_API_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

/* These are the acts of annotations. Recorders ignore those that they do not know. */
enum hipgrain_act {
	HIPGRAIN_ALLOC = 1,
	HIPGRAIN_FREE = 2,
	HIPGRAIN_NAME = 3,
	HIPGRAIN_RANGE_PUSH = 4,
	HIPGRAIN_RANGE_POP = 5,
	HIPGRAIN_RANGE_START = 6, /* `ptr` is its number, as for the stop */
	HIPGRAIN_RANGE_STOP = 7,
	HIPGRAIN_MARK = 8,
	HIPGRAIN_EXPECT_BEGIN = 9, /* `size` is a sum of enum hipgrain_expectation */
	HIPGRAIN_EXPECT_END = 10,
	HIPGRAIN_SEEN = 11 /* as HIPGRAIN_ALLOC; the piece may go and come without a word */
};

/* A program expects that these do not happen in a region: HG710 tells of those that do. */
enum hipgrain_expectation {
	HIPGRAIN_NO_WAIT = 1,      /* a call of the thread that waits for a GPU */
	HIPGRAIN_NO_MIGRATION = 2, /* of pages of the process, whichever thread causes it */
	HIPGRAIN_NO_ALLOCATION = 4 /* a call of the thread that allocates or registers memory */
};

typedef void hipgrain_entry(unsigned act, const void *ptr, size_t size, const char *pool,
			    const char *name);

/* The recorder's entry has this name. It may be called from any thread, and keeps errno. */
#define HIPGRAIN_ENTRY "hipgrain_annotate"

#ifdef HIPGRAIN_OFF
#define HIPGRAIN_ANNOTATE(act, ptr, size, pool, name) \
	((void)(ptr), (void)(size), (void)(pool), (void)(name))
#else
static inline hipgrain_entry *hipgrain_find(hipgrain_entry **kept)
{
	void *found = dlsym((void *)0 /* RTLD_DEFAULT */, HIPGRAIN_ENTRY);
	hipgrain_entry *entry = (hipgrain_entry *)(found ? (uintptr_t)found : (uintptr_t)1);

	__atomic_store_n(kept, entry, __ATOMIC_RELAXED);
	return entry;
}

static inline __attribute__((always_inline)) void
hipgrain_annotation(unsigned act, const void *ptr, size_t size, const char *pool, const char *name)
{
	static hipgrain_entry *kept; /* NULL: not looked for; 1: there is none */
	hipgrain_entry *entry = __atomic_load_n(&kept, __ATOMIC_RELAXED);

	if (__builtin_expect(!entry, 0))
		entry = hipgrain_find(&kept);
	if (__builtin_expect((uintptr_t)entry != 1, 0))
		entry(act, ptr, size, pool, name);
}
#define HIPGRAIN_ANNOTATE(act, ptr, size, pool, name) \
	hipgrain_annotation(act, ptr, size, pool, name)
#endif

/*
 * A pool gave out `size` bytes at `ptr`, which lie in memory that it had allocated. From now on
 * until hipgrain_free() they are an allocation of their own in findings. `pool` and `name` are
 * copied, up to 255 bytes, and may be NULL.
 */
static inline __attribute__((always_inline)) void hipgrain_alloc(const char *pool, const void *ptr,
								 size_t size, const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_ALLOC, ptr, size, pool, name);
}

/* The piece that begins at `ptr` is given back to its pool. NULL is ignored. */
static inline __attribute__((always_inline)) void hipgrain_free(const void *ptr)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_FREE, ptr, (size_t)0, (const char *)0, (const char *)0);
}

/* Names the piece, or else the allocation, that begins at `ptr`. */
static inline __attribute__((always_inline)) void hipgrain_name(const void *ptr, const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_NAME, ptr, (size_t)0, (const char *)0, name);
}

/* Begins a range of the calling thread, inside of those that it is in. `name` is copied. */
static inline __attribute__((always_inline)) void hipgrain_range_push(const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_RANGE_PUSH, (const void *)0, (size_t)0, (const char *)0, name);
}

/* Ends the range that the calling thread began last. */
static inline __attribute__((always_inline)) void hipgrain_range_pop(void)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_RANGE_POP, (const void *)0, (size_t)0, (const char *)0,
			  (const char *)0);
}

/* Begins a range that any thread may end, by the number that the program gives it. */
static inline __attribute__((always_inline)) void hipgrain_range_start(uintptr_t id,
								       const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_RANGE_START, (const void *)id, (size_t)0, (const char *)0, name);
}

/* Ends the range that was started with this number. */
static inline __attribute__((always_inline)) void hipgrain_range_stop(uintptr_t id)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_RANGE_STOP, (const void *)id, (size_t)0, (const char *)0,
			  (const char *)0);
}

/* Marks this moment of the calling thread. */
static inline __attribute__((always_inline)) void hipgrain_mark(const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_MARK, (const void *)0, (size_t)0, (const char *)0, name);
}

/*
 * Begins a region of the calling thread, inside of those that it is in, in which the program
 * expects nothing of `what` to happen: a sum of enum hipgrain_expectation. `name` is copied.
 */
static inline __attribute__((always_inline)) void hipgrain_expect_begin(unsigned what,
									const char *name)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_EXPECT_BEGIN, (const void *)0, (size_t)what, (const char *)0,
			  name);
}

/* Ends the region that the calling thread began last. */
static inline __attribute__((always_inline)) void hipgrain_expect_end(void)
{
	HIPGRAIN_ANNOTATE(HIPGRAIN_EXPECT_END, (const void *)0, (size_t)0, (const char *)0,
			  (const char *)0);
}

#ifdef __cplusplus
}
#endif

#endif
