/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with a function of their own by the name of one of the C library, say connect(), for a
 * purpose of its own. If a library that such a program is linked with calls the C library's, the
 * linker exports the program's, and the loader then binds all libraries to it, LTTng-UST and this
 * one as well: the executable comes first, also before what is preloaded. Their calls would do what
 * the program's function does. So such a program is not recorded.
 *
 * Named are the functions that LTTng-UST (2.13 to 2.16) or the preload library call, but for those
 * whose names nobody uses for another purpose: pthread_...(), sem_...(), sig...(), dl...(),
 * mem...(), str...(), get...() of a process, and allocators with what maps memory, which programs
 * replace by their like (tcmalloc has its own mmap()).
 */
#include "preload/core/libc_symbols.h"

#include <stddef.h>

#include "preload/core/base.h"

static const char *const names[] = {
	"abort",    "accept",  "access",   "bind",    "close",   "closedir",  "connect",
	"exit",     "fclose",  "fcntl",    "fcntl64", "fflush",  "fileno",    "flock",
	"fopen",    "fork",    "fprintf",  "fread",   "fstat",   "fsync",     "ftruncate",
	"fwrite",   "ioctl",   "kill",     "listen",  "lseek",   "nanosleep", "open",
	"open64",   "opendir", "perror",   "pipe2",   "poll",    "qsort",     "raise",
	"read",     "readdir", "readlink", "recvmsg", "send",    "sendmsg",   "setsockopt",
	"shutdown", "sleep",   "snprintf", "socket",  "stat",    "syscall",   "sysconf",
	"time",     "umask",   "uname",    "unlink",  "waitpid", "write",     "writev",
};

const char *hg_own_function(void)
{
	const struct link_map *program = _r_debug.r_map;

	if (!program || hg_object_function(program, HG_PASSES_ON))
		return NULL;
	return hg_object_has(program, names, HG_COUNT(names));
}
