/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes calls of the HSA runtime that may last, or never return (trace/enter_calls.h): waits
 * for signals, the runtime's start, copies that block. They make no events. Calls come by name
 * only: those of libraries that this one does not see are not published.
 *
 * Programs wait often, so that no stack is walked; what HIP does, and what belongs to a target
 * region, is published as that.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/ompt/ompt.h"
#include "preload/trace/enter.h"
#include "preload/trace/enter_calls.h"
#include "tracer/api/hsa.h"

int hg_hsa_waits;

/* The frame of the thread's published call; what is called in a signal's handler lies below it. */
static __thread const char *published __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) bool begin_first(uint16_t api, const void *caller)
{
	int saved = errno;
	bool entered = hg_enter();

	if (entered) {
		hg_open_call_begin(api, hg_now(), caller, 0);
		hg_leave();
	}
	errno = saved;
	return entered;
}

/*
 * Returns the time of the next tick of the kernel's clock, some ms from now: nobody looks at a wait
 * that is shorter, and the counter would take longer to read than such a wait. It is not that of
 * the last tick, as events that the process made since then must not seem to follow the call: the
 * call of a process of which nothing is known yet is left out.
 */
static inline uint64_t about_now(void)
{
	static uint64_t tick; /* atomic: ns; 0: not known */
	uint64_t length = __atomic_load_n(&tick, __ATOMIC_RELAXED);
	struct timespec now;

	if (HG_UNLIKELY(!length)) {
		clock_getres(CLOCK_MONOTONIC_COARSE, &now);
		length = hg_ns(&now);
		__atomic_store_n(&tick, length, __ATOMIC_RELAXED);
	}
	hg_clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return hg_ns(&now) + length;
}

static inline bool begin(uint16_t api, const void *caller, const char *frame)
{
	if (HG_LIKELY(!__atomic_load_n(&hg_hsa_waits, __ATOMIC_RELAXED)) || hg_tls.hip ||
	    hg_tls.busy || !hg_awake() || !*hg_provider->recording || hg_ompt_in_region() ||
	    (published && frame < published))
		return false;
	if (HG_UNLIKELY(hg_hsa_hip_reports) && hg_hip_has_caller(caller))
		return false;
	if (HG_UNLIKELY(!hg_tls.open_call || hg_tls.open_call == &hg_open_call_new)) {
		if (!begin_first(api, caller))
			return false;
	} else {
		hg_open_call_begin(api, about_now(), caller, 0);
	}
	published = frame;
	return true;
}

static inline void end(void)
{
	published = NULL;
	hg_open_call_end();
}

#define FRAME ((const char *)__builtin_frame_address(0))

#define WAIT(type, name, params, args)                         \
	HSA_HEAD(type, name, params)                           \
	{                                                      \
		HSA_REACHED(type, name, params);               \
		type result;                                   \
                                                               \
		if (!begin(HG_API_##name, HG_CALLER(), FRAME)) \
			return real args;                      \
		result = real args;                            \
		end();                                         \
		return result;                                 \
	}

#define FOR_SIGNAL \
	(struct hsa_handle signal, int condition, int64_t compare, uint64_t timeout, int state)
#define FOR_SIGNALS                                                                     \
	(uint32_t count, struct hsa_handle * signals, int *conditions, int64_t *values, \
	 uint64_t timeout, int state, int64_t *satisfying)

WAIT(int64_t, hsa_signal_wait_scacquire, FOR_SIGNAL, (signal, condition, compare, timeout, state))
WAIT(int64_t, hsa_signal_wait_relaxed, FOR_SIGNAL, (signal, condition, compare, timeout, state))
WAIT(int64_t, hsa_signal_wait_acquire, FOR_SIGNAL, (signal, condition, compare, timeout, state))
WAIT(uint32_t, hsa_amd_signal_wait_any, FOR_SIGNALS,
     (count, signals, conditions, values, timeout, state, satisfying))
WAIT(uint32_t, hsa_amd_signal_wait_all, FOR_SIGNALS,
     (count, signals, conditions, values, timeout, state, satisfying))

bool hg_hsa_publish(uint16_t api, const void *caller, const char *frame)
{
	return begin(api, caller, frame);
}

void hg_hsa_published_end(void)
{
	end();
}
