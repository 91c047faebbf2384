/* SPDX-License-Identifier: Apache-2.0 */
/* libhipgrain-provider.so: the tracepoints, as a table of functions. */
#include "tracer/ust_names.h"

#ifdef HG_UST_OLD_NAMES
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#else
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#endif

/* The probe templates of LTTng-UST cause these warnings, which cannot be fixed here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "tracer/tracepoints.h"
#pragma GCC diagnostic pop

#include <dlfcn.h>
#include <errno.h>
#ifdef HG_UST_OLD_NAMES
#include <lttng/ust.h>
#else
#include <lttng/ust-fork.h>
#include <lttng/ust-thread.h>
#endif
#include <pthread.h>

#include "tracer/counts.h"
#include "tracer/provider.h"

static void (*counted)(unsigned kind);

/*
 * An event that no session wants is not made, and not counted. LTTng-UST wakes its consumer by
 * write(), and waits for room by poll(): a thread that is to be cancelled must not reach these
 * cancellation points.
 */
#define HG_EVENT(name, ...)                                              \
	static void emit_##name(const struct hg_ev_##name *event)        \
	{                                                                \
		int cancel;                                              \
                                                                         \
		if (!lttng_ust_tracepoint_enabled(hipgrain, name))       \
			return;                                          \
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); \
		lttng_ust_do_tracepoint(hipgrain, name, event);          \
		if (counted)                                             \
			counted((unsigned)HG_COUNT_##name);              \
		pthread_setcancelstate(cancel, NULL);                    \
	}
#include "tracer/events.def"

/*
 * Of LTTng-UST, if this release has it: functions that are in no header. Not by weak references,
 * which the linker leaves out here (meson.build).
 */
static void *find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* Before LTTng-UST's own destructor, because it is this object's dependency. */
static void (*at_exit)(void);

__attribute__((destructor)) static void destruct(void)
{
	if (at_exit)
		at_exit();
}

/*
 * LTTng-UST reports to a session which objects are loaded by events of a provider of its own, fired
 * when the session is started in this process, or on request (lttng regenerate statedump). Another
 * probe on the first of them (lttng-ust 2.13, lttng-ust-statedump-provider.h) is how we detect
 * that. In liblttng-ust-tracepoint.
 */
#ifndef HG_UST_OLD_NAMES
typedef int register_function(const char *provider, const char *event, void (*probe)(void),
			      void *data, const char *signature);
#endif

#ifdef HG_UST_OLD_NAMES
/* In liburcu-bp, which LTTng-UST 2.12 needs (urcu/static/urcu-bp.h). */
void urcu_bp_before_fork(void);
void urcu_bp_after_fork_child(void);
#endif

/* In liblttng-ust-common since 2.13 (lttng/urcu/urcu-ust.h, which not every package has). */
static void (*urcu_before_fork)(void), (*urcu_after_fork_child)(void);

static void forget_threads(void)
{
	urcu_before_fork();
	urcu_after_fork_child();
}

static void (*state_wanted)(void);

static void on_statedump(void *data, void *session)
{
	(void)data;
	(void)session;
	state_wanted();
}

static int on_state_wanted(void (*wanted)(void))
{
	state_wanted = wanted;
#ifdef HG_UST_OLD_NAMES
	/* lttng-ust 2.12, lttng/tracepoint.h, lttng-ust-statedump-provider.h */
	return __tracepoint_probe_register("lttng_ust_statedump:start",
					   (void (*)(void))on_statedump, NULL,
					   "struct lttng_session *, session");
#else
	register_function *add =
	    (register_function *)find("lttng_ust_tracepoint_provider_register");

	if (!add)
		return -ENOSYS;
	return add("lttng_ust_statedump", "start", (void (*)(void))on_statedump, NULL,
		   "struct lttng_ust_session *, session");
#endif
}

static struct hg_provider provider = {
	.version = HG_PROVIDER_VERSION,
#ifdef HG_UST_OLD_NAMES
	.recording = &__tracepoint_hipgrain___alloc.state,
#else
	.recording = &lttng_ust_tracepoint_hipgrain___alloc.state,
#endif
#define HG_EVENT(name, ...) .name = emit_##name,
#include "tracer/events.def"
	.before_fork = lttng_ust_before_fork,
	.after_fork_parent = lttng_ust_after_fork_parent,
	.after_fork_child = lttng_ust_after_fork_child,
	.forget_threads = forget_threads,
	.on_state_wanted = on_state_wanted,
#ifndef HG_UST_OLD_NAMES
	.init_thread = lttng_ust_init_thread,
#endif
	.at_exit = &at_exit,
	.counted = &counted,
};

__attribute__((visibility("default"))) const struct hg_provider *hipgrain_provider(void)
{
#ifdef HG_UST_OLD_NAMES
	urcu_before_fork = urcu_bp_before_fork;
	urcu_after_fork_child = urcu_bp_after_fork_child;
#else
	urcu_before_fork = (void (*)(void))find("lttng_ust_urcu_before_fork");
	urcu_after_fork_child = (void (*)(void))find("lttng_ust_urcu_after_fork_child");
#endif
	/* In liblttng-ust-common since 2.13, in liblttng-ust before, for its own liblttng-ust-fd.
	 */
	provider.safe_close = (int (*)(int, int (*)(int)))find("lttng_ust_safe_close_fd");
	if (!urcu_before_fork || !urcu_after_fork_child)
		provider.forget_threads = NULL;
	return &provider;
}
