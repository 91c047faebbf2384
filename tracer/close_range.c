/* SPDX-License-Identifier: Apache-2.0 */
/* close_range(2) for a GLib that is linked in and newer than the C library (tests/portable). */
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range \
	436 /* linux/include/uapi/asm-generic/unistd.h, the same on every architecture */
#endif

int close_range(unsigned first, unsigned last, int flags);

int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}
