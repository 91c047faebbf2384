/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with a function of their own by the name of one of the C library, say exit(), for a
 * purpose of its own. If a library that such a program is linked with calls the C library's, the
 * linker exports the program's, and the loader then binds this library to it as well: the
 * executable comes first, also before what is preloaded. Calls of ours would do what the program's
 * function does. So such a program is not recorded.
 *
 * Most that this library calls has no such name: it makes system calls itself (direct_calls.c), and
 * nobody uses pthread_...(), sem_...(), sig...(), dl...(), mem...(), str...() or getpagesize()
 * for another purpose, nor allocators with what maps memory, which programs replace by
 * their like (tcmalloc has its own mmap()). Named are the others.
 */
#include "preload/core/libc_symbols.h"

#include <stddef.h>

#include "preload/core/base.h"

static const char *const names[] = {
	"abort",     "close_range", "execve",   "execvpe", "exit",
	"faccessat", "prctl",       "snprintf", "sysconf", "vsnprintf",
};

const char *hg_own_function(void)
{
	const struct link_map *program = _r_debug.r_map;

	return program ? hg_object_has(program, names, HG_COUNT(names)) : NULL;
}
