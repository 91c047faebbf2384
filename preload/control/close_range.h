/* SPDX-License-Identifier: Apache-2.0 */
/* close_range(2) and closefrom(3), which C libraries before glibc 2.34 do not declare. */
#ifndef HIPGRAIN_PRELOAD_CLOSE_RANGE_H
#define HIPGRAIN_PRELOAD_CLOSE_RANGE_H

#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range \
	436 /* linux/include/uapi/asm-generic/unistd.h, the same on every architecture */
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1) /* linux/include/uapi/linux/close_range.h */
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
#endif

#endif
