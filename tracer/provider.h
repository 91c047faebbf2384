/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LTTng-UST provider `hipgrain` as a table of functions.
 *
 * It is a shared object of its own, libhipgrain-provider.so, so that a process which is not
 * recorded never has LTTng-UST (its threads, its descriptors) in it: the preload library opens it
 * from its own folder when a recording was asked for.
 */
#ifndef HIPGRAIN_TRACER_PROVIDER_H
#define HIPGRAIN_TRACER_PROVIDER_H

#include <signal.h>

#include "tracer/events.h"

/* Every event type of events.h. */
#define HG_EVENTS(EVENT)         \
	EVENT(process)           \
	EVENT(state)             \
	EVENT(module)            \
	EVENT(region)            \
	EVENT(runtime)           \
	EVENT(device)            \
	EVENT(alloc)             \
	EVENT(free)              \
	EVENT(host_alloc)        \
	EVENT(host_free)         \
	EVENT(host_totals)       \
	EVENT(memory)            \
	EVENT(copy)              \
	EVENT(fill)              \
	EVENT(prefetch)          \
	EVENT(advise)            \
	EVENT(migration)         \
	EVENT(smi_source)        \
	EVENT(code_object)       \
	EVENT(kernel)            \
	EVENT(args)              \
	EVENT(launch)            \
	EVENT(relaunch)          \
	EVENT(stream)            \
	EVENT(event)             \
	EVENT(sync)              \
	EVENT(call)              \
	EVENT(error)             \
	EVENT(stack)             \
	EVENT(batch_open)        \
	EVENT(batch)             \
	HG_COST_EVENTS(EVENT)    \
	HG_OFFLOAD_EVENTS(EVENT) \
	HG_MIGRATION_EVENTS(EVENT)

#define HG_PROVIDER_VERSION 13u
#define HG_PROVIDER_SYMBOL  "hipgrain_provider"

struct hg_provider {
	unsigned version; /* HG_PROVIDER_VERSION */

	/* Not 0 while a session records allocations: then, and only then, events are worth making.
	 * May change at any time, on any thread. */
	const volatile int *recording;

	/* Record one event. Strings must not be NULL. Async-signal-safe as far as LTTng-UST is. */
#define HG_MEMBER(name) void (*name)(const struct hg_ev_##name *event);
	HG_EVENTS(HG_MEMBER)
#undef HG_MEMBER

	/* Around fork(), so that the child's events are the child's: lttng/ust-fork.h. */
	void (*before_fork)(sigset_t *saved);
	void (*after_fork_parent)(sigset_t *saved);
	void (*after_fork_child)(sigset_t *saved);

	/*
	 * Have `wanted` called whenever a session that is started, or asked for it, wants to know
	 * what there is already. It runs in a thread and under locks of LTTng-UST's: it must not
	 * wait for anything. 0, or -ENOSYS where this LTTng-UST cannot.
	 */
	int (*on_state_wanted)(void (*wanted)(void));

	/* close() by `real`, but for descriptors of LTTng-UST's: those fail with EBADF. NULL if
	 * this LTTng-UST cannot tell its own. */
	int (*safe_close)(int fd, int (*real)(int fd));

	/* Have LTTng-UST allocate the calling thread's variables: lttng/ust-thread.h. NULL: it
	 * has none. */
	void (*init_thread)(void);

	/* Called, if set, when the process ends and events can still be made. */
	void (**at_exit)(void);

	/*
	 * Called, if set, after each event that a session wanted: enum hg_count (counts.h) and the
	 * event. LTTng-UST may have discarded it.
	 */
	void (**counted)(unsigned kind, const void *event);
};

/* The one exported function; returns a table that lives as long as the process. */
const struct hg_provider *hipgrain_provider(void);

#endif
