/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds functions by name in loaded objects, before dlsym() can be used. None of these calls a
 * function of the C library, allocates or takes a lock. They return NULL if there is none of that
 * name.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_LIBC_SYMBOLS_H
#define HIPGRAIN_PRELOAD_CORE_LIBC_SYMBOLS_H

#include <link.h>
#include <stdbool.h>

/* Returns a function that one object defines. */
void *hg_object_function(const struct link_map *map, const char *name);

/* A function, or else a variable, that one object defines, and its size in bytes. */
void *hg_object_symbol(const struct link_map *map, const char *name, bool function, size_t *size);

/* A variable of the first object that has it, in the loader's order. */
void *hg_data_symbol(const char *name);

/* The first of these names that is one of its functions. */
const char *hg_object_has(const struct link_map *map, const char *const *names, size_t count);

/* Returns a function of the C library. */
void *hg_libc_function(const char *name);

/*
 * Returns a function of an object that was loaded with the program, after this library. It does not
 * call dlsym(), which allocates a message if there is none: the caller may be inside of an
 * allocator that waits for us.
 */
void *hg_function_behind(const char *name);

/*
 * Returns the name of a function of the C library that this library calls and which the program has
 * in its place, or NULL if it has none (own_functions.c).
 */
const char *hg_own_function(void);

/* Sets hg_sanitizer (libc.h), whose runtime is in the executable or a library. */
void hg_find_sanitizer(void);

#endif
