/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process on standby only remembers calls (live_state.c), until a recorder wants it to be
 * recorded (trace/recorder_requests.c); it records the state then, and from then on itself.
 */
#include "preload/core/base.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/stacks/modules.h"
#include "tracer/provider.h"

/* The provider that stands in. */

#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name)                                            \
	static void idle_##name(const struct hg_ev_##name *event) \
	{                                                         \
		(void)event;                                      \
	}
#include "tracer/events/names.def"

static const volatile int not_recording;

static const struct hg_provider idle_provider = {
	.recording = &not_recording,
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) .name = idle_##name,
#include "tracer/events/names.def"
};

/*
 * Begins without a file. The program that the command executes may end, or execute another program,
 * before it does anything that is recorded; most programs that scripts run do. So, like a process
 * that fork() made, it has no file until its first event (fork.c). This does not apply to the
 * command itself, which is in every recording.
 */
static void early(void)
{
	hg_provider = &idle_provider;
	if (hg_config.recorded)
		hg_modules_find();
}

static void forked(void)
{
	hg_provider = &idle_provider;
}

HG_PART(.name = "standby", .order = 61, .early = early, .fork_standby = forked);
