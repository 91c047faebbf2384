/* SPDX-License-Identifier: Apache-2.0 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

/* The probe templates of LTTng-UST shadow and convert; that is theirs to mend. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "tracer/tracepoints.h"
#pragma GCC diagnostic pop

#include <lttng/ust-fork.h>

#include "tracer/provider.h"

#define HG_EMIT(name)                                             \
	static void emit_##name(const struct hg_ev_##name *event) \
	{                                                         \
		lttng_ust_tracepoint(hipgrain, name, event);      \
	}
HG_EVENTS(HG_EMIT)
#undef HG_EMIT

/* In liblttng-ust-common since 2.13, for its own liblttng-ust-fd; in no header. */
int lttng_ust_safe_close_fd(int fd, int (*real)(int fd)) __attribute__((weak));

/* Before LTTng-UST's own destructor, because it is this object's dependency. */
static void (*at_exit)(void);

__attribute__((destructor)) static void destruct(void)
{
	if (at_exit)
		at_exit();
}

static const struct hg_provider provider = {
	.version = HG_PROVIDER_VERSION,
	.recording = &lttng_ust_tracepoint_hipgrain___alloc.state,
#define HG_MEMBER(name) .name = emit_##name,
	HG_EVENTS(HG_MEMBER)
#undef HG_MEMBER
	    .before_fork = lttng_ust_before_fork,
	.after_fork_parent = lttng_ust_after_fork_parent,
	.after_fork_child = lttng_ust_after_fork_child,
	.safe_close = lttng_ust_safe_close_fd,
	.at_exit = &at_exit,
};

__attribute__((visibility("default"))) const struct hg_provider *hipgrain_provider(void)
{
	return &provider;
}
