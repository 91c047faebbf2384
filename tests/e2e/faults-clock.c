/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that jumps by JUMP seconds, to and fro each 10 calls: to be preloaded. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static unsigned calls;
	const char *by = getenv("JUMP");
	int result = (int)syscall(SYS_clock_gettime, clock, time);

	if (by && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 20 >= 10)
		time->tv_sec += atol(by);
	return result;
}
