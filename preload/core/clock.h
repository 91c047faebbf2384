/* SPDX-License-Identifier: Apache-2.0 */
/* The time, in ns. */
#ifndef HIPGRAIN_PRELOAD_CORE_CLOCK_H
#define HIPGRAIN_PRELOAD_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* One jump less. */
extern __typeof__(clock_gettime) clock_gettime __attribute__((noplt));

static inline uint64_t hg_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static inline uint64_t hg_now(void) /* ns, monotonic */
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return hg_ns(&now);
}

/* The same within a microsecond, not in order with other readings: clock.c. */
uint64_t hg_now_about(void);

#endif
