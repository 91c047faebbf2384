/* SPDX-License-Identifier: Apache-2.0 */
/* The time, in ns. */
#ifndef HIPGRAIN_PRELOAD_CORE_CLOCK_H
#define HIPGRAIN_PRELOAD_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "preload/core/base.h"

/*
 * The C library's clock_gettime(), which what is in front of it does not change: a program, or a
 * library that it was started with, may show another time than there is. Until it is known, a
 * system call.
 */
extern HG_HIDDEN __typeof__(clock_gettime) *hg_clock_gettime;

static inline uint64_t hg_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static inline uint64_t hg_now(void) /* ns, monotonic */
{
	struct timespec now;

	hg_clock_gettime(CLOCK_MONOTONIC, &now);
	return hg_ns(&now);
}

#if defined(__x86_64__)

/* The calling thread last read clock and processor's counter together at this point; it is
 * clock.c's. */
struct hg_clock_base {
	uint64_t ticks, ns;
	uint64_t called;  /* ns when hg_now_again() was last called */
	uint32_t valid;   /* both were read, and the thread calls often */
	uint32_t skipped; /* calls that the clock answers */
	uint32_t wrong;   /* predictions in a row that were */
};
extern HG_HIDDEN __thread struct hg_clock_base hg_clock_base
    __attribute__((tls_model("initial-exec")));
/* This is in a line of the cache of its own, as each record reads it. It is atomic. */
struct hg_clock_rate {
	uint64_t speed; /* ns a tick, in units of 2^-HG_CLOCK_SHIFT */
	uint64_t apart; /* ticks until a base is old; 0: always */
} __attribute__((aligned(128)));
extern HG_HIDDEN struct hg_clock_rate hg_clock_rate;
#define HG_CLOCK_SHIFT 32u

uint64_t hg_now_again(void); /* there is no base, or it is old */

/*
 * Returns the time, by the counter if a thread calls this often: within 20 ns of the clock, and 100
 * for a moment after the clock was adjusted, at two thirds of its cost. Like the clock, it is read
 * after everything that comes before in the program.
 */
static inline __attribute__((always_inline)) uint64_t hg_now_counted(void)
{
	const struct hg_clock_base *base = &hg_clock_base;
	uint64_t passed;

	if (__builtin_expect(base->valid, 1)) {
		_mm_lfence();
		passed = __rdtsc() - base->ticks;
		/* A counter that went back has passed very far. */
		if (__builtin_expect(
			passed <= __atomic_load_n(&hg_clock_rate.apart, __ATOMIC_RELAXED), 1))
			return base->ns +
			       (passed * __atomic_load_n(&hg_clock_rate.speed, __ATOMIC_RELAXED) >>
				HG_CLOCK_SHIFT);
	}
	return hg_now_again();
}

#else

static inline uint64_t hg_now_counted(void)
{
	return hg_now();
}

#endif

#endif
