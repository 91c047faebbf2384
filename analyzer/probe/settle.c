/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concludes what a step does from the end of the child that had begun it. A process that the
 * runtime ends, or that crashes, shows what the step does. A process that reached the time limit
 * does not: a busy machine delays every step. Neither does a process that somebody else ended.
 */
#include <signal.h>

#include "probe.h"

/* Signals that neither a GPU's fault nor the runtime raises: the out-of-memory killer, limits of
 * the processor time, people. */
static bool from_outside(int signal)
{
	return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
	       signal == SIGQUIT || signal == SIGXCPU;
}

static enum probe_state state_after(struct probe_outcome outcome)
{
	switch (outcome.ending) {
	case PROBE_TIMED_OUT:
	case PROBE_STUCK:
		return PROBE_TIME_LIMIT;
	case PROBE_ENDED_BY_SIGNAL:
		return from_outside(outcome.signal) ? PROBE_KILLED : PROBE_FAULTS;
	default:
		return PROBE_FAULTS;
	}
}

/* Skips the steps from `from` to before `to` if `step`, without which they make no sense, did not
 * work. */
static void skip_after(struct probe_memory *memory, int step, int from, int to)
{
	enum probe_state why = (enum probe_state)memory->steps[step].state;

	if (why <= PROBE_WORKS)
		return;
	for (int other = from; other < to; other++)
		if (memory->steps[other].state == PROBE_PENDING)
			memory->steps[other].state =
			    probe_state_unknown(why) ? PROBE_NOT_TRIED : PROBE_SKIPPED;
}

static void skip_what_follows(struct probe_memory *memory)
{
	enum { GPU_FROM = PROBE_STEP_LOAD, GPU_TO = PROBE_STEP_FILL };

	skip_after(memory, PROBE_STEP_ALLOCATE, PROBE_STEP_GRANULARITY, PROBE_STEPS);
	skip_after(memory, PROBE_STEP_LOAD, GPU_FROM, GPU_TO);
	skip_after(memory, PROBE_STEP_STORE, GPU_FROM, GPU_TO);
	skip_after(memory, PROBE_STEP_HOST, PROBE_STEP_STREAM_WAIT, PROBE_STEP_FILL);
}

bool probe_settle(struct probe_mode *mode, struct probe_outcome outcome)
{
	bool any = false;

	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++) {
		struct probe_memory *memory = &mode->memory[i];

		for (unsigned step = 0; step < PROBE_STEPS; step++) {
			struct probe_result *result = &memory->steps[step];

			if (result->state != PROBE_STARTED)
				continue;
			any = true;
			result->signal = (uint8_t)outcome.signal;
			result->state = (uint8_t)state_after(outcome);
		}
		skip_what_follows(memory);
	}
	return any;
}
