/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a call began, for its duration, at a third of the clock's cost: the processor's counter,
 * relative to where clock and counter were last read together. Only for durations: the two drift
 * apart between readings, and the order of threads must be determined by the clock itself.
 */
#include "preload/core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#if defined(__x86_64__)

#define APART_NS 1000000u /* the clock may be adjusted by 500 ppm: half a microsecond by then */
#define CLOSE    2000u    /* ticks: a reading of the clock that took longer was interrupted */
#define LEAST_NS 1000000u /* between the readings that determine how fast the counter counts */
#define SHIFT    32u

/* The first reading, and the counter's speed: ns a tick, in units of 2^-SHIFT. */
static uint64_t first_ticks, first_ns;
static uint64_t speed; /* atomic */
static uint64_t apart; /* atomic; ticks; 0: the speed is not known */

enum { UNKNOWN, BEING_LOOKED_AT, USABLE, UNUSABLE };
static int usable; /* atomic */

static __thread struct {
	uint64_t ticks, ns; /* 0: never read */
} last __attribute__((tls_model("initial-exec")));

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

/* Both, if nothing came in between. */
static bool read_both(uint64_t *ticks, uint64_t *ns)
{
	uint64_t before = __rdtsc(), after;

	*ns = hg_now();
	after = __rdtsc();
	*ticks = before + (after - before) / 2;
	return after - before < CLOSE;
}

static void measure(uint64_t ticks, uint64_t ns)
{
	uint64_t passed = ns - first_ns, counted = ticks - first_ticks, found;

	if (passed < LEAST_NS || !counted || passed >> SHIFT)
		return;
	found = (passed << SHIFT) / counted;
	if (!found)
		return;
	__atomic_store_n(&speed, found, __ATOMIC_RELAXED);
	__atomic_store_n(&apart, ((uint64_t)APART_NS << SHIFT) / found, __ATOMIC_RELEASE);
}

static void begin(void)
{
	int unknown = UNKNOWN, saved = errno, cancel;

	if (!__atomic_compare_exchange_n(&usable, &unknown, BEING_LOOKED_AT, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	cancel = hg_keep_thread();
	__atomic_store_n(
	    &usable, is_clock_source() && read_both(&first_ticks, &first_ns) ? USABLE : UNUSABLE,
	    __ATOMIC_RELEASE);
	hg_release_thread(cancel);
	errno = saved;
}

static __attribute__((noinline)) uint64_t read_again(void)
{
	uint64_t ticks, ns;

	if (__atomic_load_n(&usable, __ATOMIC_ACQUIRE) != USABLE) {
		if (__atomic_load_n(&usable, __ATOMIC_RELAXED) == UNKNOWN)
			begin();
		return hg_now();
	}
	last.ticks = 0;
	if (!read_both(&ticks, &ns))
		return ns;
	measure(ticks, ns);
	last.ticks = ticks;
	last.ns = ns;
	return ns;
}

uint64_t hg_now_about(void)
{
	uint64_t passed = __rdtsc() - last.ticks;

	/* A counter that went back has passed very far. */
	if (HG_UNLIKELY(passed > __atomic_load_n(&apart, __ATOMIC_ACQUIRE)))
		return read_again();
	return last.ns + (passed * __atomic_load_n(&speed, __ATOMIC_RELAXED) >> SHIFT);
}

#else

uint64_t hg_now_about(void)
{
	return hg_now();
}

#endif
