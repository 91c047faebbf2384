/* SPDX-License-Identifier: Apache-2.0 */
/* The time, in ns. */
#ifndef HIPGRAIN_PRELOAD_CORE_CLOCK_H
#define HIPGRAIN_PRELOAD_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t hg_now(void) /* ns, monotonic */
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same within a microsecond, not in order with other readings: clock.c. */
uint64_t hg_now_about(void);

#endif
