/* SPDX-License-Identifier: Apache-2.0 */
/* The provider of events: each is a record of its thread's page (tracer/event_record.h). */
#include <signal.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/parts.h"
#include "preload/trace/count_missed.h"
#include "preload/core/start.h"
#include "preload/trace/batch.h"
#include "preload/trace/own_ring.h"
#include "tracer/event_layout.h"
#include "tracer/events/all_events.h"

static const volatile int *recording;

static char *add(char *at, const void *data, size_t size)
{
	memcpy(at, data, size);
	return at + size;
}

/* Bytes of an event's fields. */
#define HG_FIELD(type, name, show, description) +sizeof(event->name)
#define HG_TEXT(name, description)              +strlen(event->name) + 1
#define HG_SEQUENCE(type, name, length, description) \
	+sizeof(uint32_t) + event->length * sizeof(*event->name)
#define HG_EVENT_OF_BATCHES(name, ...)
#define HG_EVENT(name, ...)                                            \
	static size_t size_of_##name(const struct hg_ev_##name *event) \
	{                                                              \
		return 0 __VA_ARGS__;                                  \
	}
#include "tracer/events.def"

#define HG_FIELD(type, name, show, description) at = add(at, &event->name, sizeof(event->name));
#define HG_TEXT(name, description)              at = add(at, event->name, strlen(event->name) + 1);
#define HG_SEQUENCE(type, name, length, description)         \
	at = add(at, &event->length, sizeof(event->length)); \
	at = add(at, event->name, event->length * sizeof(*event->name));
#define HG_EVENT_OF_BATCHES(name, ...)
#define HG_EVENT(name, ...)                                                                       \
	static void emit_##name(const struct hg_ev_##name *event)                                 \
	{                                                                                         \
		struct hg_batch_room room;                                                        \
		char *at;                                                                         \
                                                                                                  \
		if (!*recording) {                                                                \
			hg_ring_dropped(hg_group_of_type((unsigned)HG_TYPE_##name));              \
			return;                                                                   \
		}                                                                                 \
		at = hg_batch_take_event(&room, (unsigned)HG_TYPE_##name, size_of_##name(event)); \
		if (at) {                                                                         \
			__VA_ARGS__                                                               \
			hg_batch_put_event(&room, (unsigned)HG_TYPE_##name, at);                  \
		}                                                                                 \
	}
#include "tracer/events.def"

static struct hg_provider provider = {
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) .name = emit_##name,
#include "tracer/events/names.def"
};

/* ---- beginning and end ---- */

static const volatile int always = 1;

static bool early_begin(const struct hg_provider **found)
{
	const volatile int *wanted = hg_config.recorded ? hg_missed_recording() : &always;

	if (!wanted || !hg_batches_init())
		return false;
	/* If a recording can end while the process goes on, a word of its file says so. */
	recording = hg_config.standby ? hg_ring_recording() : wanted;
	provider.recording = recording;
	*found = &provider;
	return true;
}

static void end(void)
{
	hg_ring_end(HG_RING_EXITED);
}

static void again(void)
{
	hg_ring_end(HG_RING_RUNS);
}

HG_PART(.name = "ring-events", .order = 73, .early_begin = early_begin, .exit = end,
	.again = again);
