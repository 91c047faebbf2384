/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST keeps a list of its file descriptors. A program that closes all of them by a direct
 * system call, which nobody can intercept, makes that list wrong: LTTng-UST's thread gets the
 * number of a closed descriptor for a new one, finds it in its list, and ends the process by an
 * assertion (lttng-ust 2.13 to 2.16, fd-tracker.c). Here such a number is first taken off the list.
 *
 * LTTng-UST calls both functions with its lock of the list held, which also protects ours. Both are
 * its interfaces between its own libraries since 2.13; where they do not exist nobody calls these.
 */
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/libc_symbols.h"

/* Higher numbers are passed through. */
#define NUMBERS 65536u

typedef int add_function(int fd);
typedef void delete_function(int fd);

/* Called by LTTng-UST alone; declared in none of its installed headers. */
int lttng_ust_add_fd_to_tracker(int fd);
void lttng_ust_delete_fd_from_tracker(int fd);

static uint64_t listed[NUMBERS / 64];

static bool is_listed(int fd)
{
	return (unsigned)fd < NUMBERS && (listed[fd / 64] >> (fd % 64) & 1);
}

static void set_listed(int fd, bool now)
{
	uint64_t bit = 1ull << (fd % 64);

	if ((unsigned)fd >= NUMBERS)
		return;
	if (now)
		listed[fd / 64] |= bit;
	else
		listed[fd / 64] &= ~bit;
}

/* The number that is listed, which is another one if `fd` is that of a standard stream; negative:
 * none. */
HG_EXPORT int lttng_ust_add_fd_to_tracker(int fd)
{
	static add_function *add;

	if (is_listed(fd))
		lttng_ust_delete_fd_from_tracker(fd);
	if (!add)
		add = (add_function *)hg_function_behind("lttng_ust_add_fd_to_tracker");
	fd = add ? add(fd) : fd;
	set_listed(fd, true);
	return fd;
}

HG_EXPORT void lttng_ust_delete_fd_from_tracker(int fd)
{
	static delete_function *delete;

	if (!delete)
		delete = (delete_function *)hg_function_behind("lttng_ust_delete_fd_from_tracker");
	set_listed(fd, false);
	if (delete)
		delete (fd);
}
