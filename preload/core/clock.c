/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time by the processor's counter, relative to where clock and counter were last read together.
 * The two drift apart between such readings: a thread reads both again after a fifth of a
 * millisecond, and the counter's speed is determined anew each tenth of a second, from the last one
 * or two tenths. Where the prediction was wrong all the same, as after the clock was adjusted, the
 * clock itself is read until the speed is known again.
 */
#include "preload/core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"

static int call_kernel(clockid_t clock, struct timespec *time)
{
	return (int)hg_syscall(SYS_clock_gettime, clock, time);
}

__typeof__(clock_gettime) *hg_clock_gettime = call_kernel;

#if defined(__x86_64__)

#define APART_NS   200000u    /* the clock may be adjusted by 500 ppm: 100 ns by then */
#define LEAST_NS   1000000u   /* between the first readings that determine the speed */
#define SPEED_NS   100000000u /* between later ones, also after a prediction was wrong */
#define MOST_NS    2000000000u
#define WRONG_NS   40u
#define WRONG_MOST 3u /* predictions in a row: the clock was adjusted */
#define TRIES      2u
#define CLOSE      400u  /* ticks: a reading that takes longer cannot become the measure */
#define SELDOM_NS  8000u /* between two calls: to read both takes as long as ten save */
#define SKIPPED    64u   /* calls after both could not be read together */

/* Speed is measured from here. */
static struct {
	int busy;           /* atomic: somebody is at it */
	uint64_t ticks, ns; /* 0: nothing was read */
} origin;
struct hg_clock_rate hg_clock_rate;
static uint64_t quickest; /* atomic: ticks that a reading of the clock takes; 0: not known */

enum { UNKNOWN, BEING_LOOKED_AT, USABLE, UNUSABLE };
static int usable; /* atomic */

__thread struct hg_clock_base hg_clock_base __attribute__((tls_model("initial-exec")));

/* Linux takes the counter for its clock only where it runs evenly and alike on all processors. */
static bool is_clock_source(void)
{
	char name[8] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	if (fd >= 0)
		hg_libc.close(fd);
	return length == 4 && !memcmp(name, "tsc\n", 4);
}

/* Reads both, and returns true if nothing came in between. The fences keep the readings in
 * order. */
static bool read_both(uint64_t *ticks, uint64_t *ns)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before, took, least = __atomic_load_n(&quickest, __ATOMIC_RELAXED);

		_mm_lfence();
		before = __rdtsc();
		*ns = hg_now();
		_mm_lfence();
		took = __rdtsc() - before;
		*ticks = before + took / 2;
		if (!least || took < least)
			__atomic_store_n(&quickest, least = took, __ATOMIC_RELAXED);
		/* Mostly it is in the middle, also where another thread of the core slows all of
		 * it. */
		if (took <= 2 * least)
			return true;
		/* Or the processor has become slower. */
		if (least < CLOSE)
			__atomic_store_n(&quickest, least + least / 8, __ATOMIC_RELAXED);
	}
	return false;
}

static void set_origin(uint64_t ticks, uint64_t ns)
{
	origin.ticks = ticks;
	__atomic_store_n(&origin.ns, ns, __ATOMIC_RELAXED);
}

/* With these readings of both; `wrong`: they are not what the speed predicted. */
static void measure(uint64_t ticks, uint64_t ns, bool wrong)
{
	uint64_t passed, counted, found;
	int nobody = 0;

	if (!__atomic_compare_exchange_n(&origin.busy, &nobody, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	passed = ns - origin.ns;
	counted = ticks - origin.ticks;
	if (wrong || passed > MOST_NS || !counted) {
		__atomic_store_n(&hg_clock_rate.apart, 0, __ATOMIC_RELAXED);
		set_origin(ticks, ns);
	} else if (passed >= (__atomic_load_n(&hg_clock_rate.speed, __ATOMIC_RELAXED) ? SPEED_NS
										      : LEAST_NS)) {
		found = (passed << HG_CLOCK_SHIFT) / counted;
		if (found) {
			__atomic_store_n(&hg_clock_rate.speed, found, __ATOMIC_RELAXED);
			__atomic_store_n(&hg_clock_rate.apart,
					 ((uint64_t)APART_NS << HG_CLOCK_SHIFT) / found,
					 __ATOMIC_RELEASE);
		}
		if (passed >= SPEED_NS)
			set_origin(ticks, ns);
	}
	__atomic_store_n(&origin.busy, 0, __ATOMIC_RELEASE);
}

static void begin(void)
{
	int unknown = UNKNOWN, saved = errno, cancel;
	uint64_t ticks, ns;

	if (!__atomic_compare_exchange_n(&usable, &unknown, BEING_LOOKED_AT, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	cancel = hg_keep_thread();
	if (is_clock_source() && (read_both(&ticks, &ns) || read_both(&ticks, &ns))) {
		set_origin(ticks, ns);
		__atomic_store_n(&usable, USABLE, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&usable, UNUSABLE, __ATOMIC_RELEASE);
	}
	hg_release_thread(cancel);
	errno = saved;
}

/* Returns true if the base was not too old for a prediction, and that was wrong. */
static bool is_wrong(uint64_t ticks, uint64_t ns)
{
	uint64_t passed = ticks - hg_clock_base.ticks, predicted;

	if (passed > 2 * __atomic_load_n(&hg_clock_rate.apart, __ATOMIC_RELAXED))
		return false;
	predicted =
	    hg_clock_base.ns +
	    (passed * __atomic_load_n(&hg_clock_rate.speed, __ATOMIC_RELAXED) >> HG_CLOCK_SHIFT);
	return predicted - ns + WRONG_NS > 2 * WRONG_NS;
}

/* Returns true if the speed is known, or can be measured by now. */
static bool is_measurable(uint64_t ns)
{
	uint64_t needed =
	    __atomic_load_n(&hg_clock_rate.speed, __ATOMIC_RELAXED) ? SPEED_NS : LEAST_NS;

	return __atomic_load_n(&hg_clock_rate.apart, __ATOMIC_RELAXED) ||
	       ns - __atomic_load_n(&origin.ns, __ATOMIC_RELAXED) >= needed;
}

/* A thread that calls seldom reads the clock: a base would be old again. */
__attribute__((noinline)) uint64_t hg_now_again(void)
{
	struct hg_clock_base *base = &hg_clock_base;
	uint64_t now = hg_now(), since = now - base->called, ticks, ns;
	bool wrong;

	base->valid = 0;
	base->called = now;
	if (since > SELDOM_NS)
		return now;
	if (__atomic_load_n(&usable, __ATOMIC_ACQUIRE) != USABLE) {
		if (__atomic_load_n(&usable, __ATOMIC_RELAXED) == UNKNOWN)
			begin();
		return now;
	}
	if (base->skipped) {
		base->skipped--;
		return now;
	}
	if (!is_measurable(now))
		return now;
	if (!read_both(&ticks, &ns)) {
		base->skipped = SKIPPED;
		return ns;
	}
	base->wrong = is_wrong(ticks, ns) ? base->wrong + 1 : 0;
	wrong = base->wrong == WRONG_MOST;
	base->ticks = ticks;
	base->ns = ns;
	/* A signal's handler finds no base, or a whole one. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	base->valid = 1;
	measure(ticks, ns, wrong);
	return ns;
}

#endif
