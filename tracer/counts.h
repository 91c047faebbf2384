/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorded process counts: how many events of each kind it passed to LTTng-UST while its
 * session recorded. The counts are in a file of the bundle that the process has mapped, so that
 * they are preserved however it ends: DIR/counts/<pid>-<hexadecimal number>, one for each program
 * image and each forked process. The analyzer compares: what was counted and is not in the trace is
 * missing.
 *
 * An event is counted after LTTng-UST took it or discarded it. A thread that is killed between the
 * two has recorded one event more than it counted.
 */
#ifndef HIPGRAIN_TRACER_COUNTS_H
#define HIPGRAIN_TRACER_COUNTS_H

#include <stdint.h>

#include "tracer/batch_events.h"
#include "tracer/provider.h"

/* The records in batches (batch_events.h), counted when the batch is recorded. */
#define HG_COUNTED_RECORDS(RECORD) \
	RECORD(batched_alloc)      \
	RECORD(batched_free)       \
	RECORD(batched_relaunch)   \
	RECORD(batched_copy)       \
	RECORD(batched_launch)     \
	RECORD(batched_stack)      \
	RECORD(batched_other)

/* Every event type, then the records. */
enum hg_count {
#define HG_EVENT(name, ...) HG_COUNT_##name,
#include "tracer/events.def"
#define HG_COUNT_OF(name) HG_COUNT_##name,
	HG_COUNTED_RECORDS(HG_COUNT_OF)
#undef HG_COUNT_OF
	    HG_COUNTS_USED,
};

/* As what a record is counted, by its first word. */
static inline enum hg_count hg_count_of_record(uint64_t first)
{
	switch ((enum hg_record)(first >> 56)) {
	case HG_RECORD_ALLOC:
	case HG_RECORD_ALLOC_STACK:
		return HG_COUNT_batched_alloc;
	case HG_RECORD_FREE:
		return HG_COUNT_batched_free;
	case HG_RECORD_RELAUNCH:
		return HG_COUNT_batched_relaunch;
	case HG_RECORD_COPY:
		return HG_COUNT_batched_copy;
	case HG_RECORD_LAUNCH:
	case HG_RECORD_LAUNCH_CHANGED:
		return HG_COUNT_batched_launch;
	case HG_RECORD_STACK:
		return HG_COUNT_batched_stack;
	case HG_RECORD_PACKED: /* its records count as what they are */
	case HG_RECORD_EVENT:
	case HG_RECORD_BEGIN:
	case HG_RECORD_KINDS:
		break;
	}
	return HG_COUNT_batched_other;
}

/*
 * Calls that a process made while it should have been recorded, but was not yet, or not any more.
 */
enum hg_unrecorded {
	HG_UNRECORDED_CALL, /* of HIP and others */
	HG_UNRECORDED_ALLOC,
	HG_UNRECORDED_FREE,
	HG_UNRECORDED_KINDS,
	HG_UNRECORDED_OURS = HG_UNRECORDED_KINDS, /* not the program's: not counted */
};

/* Restrictions that a process imposed on itself and that its recording does not survive. */
enum hg_confined_by {
	HG_CONFINED_NOT,
	HG_CONFINED_SECCOMP, /* restricted its system calls */
	HG_CONFINED_ALONE,   /* changed rights or namespaces of one thread */
	HG_CONFINED_CLOSED,  /* closed LTTng's descriptors without the C library */
	HG_CONFINED_KINDS,
};

/* How the program image ended. */
enum hg_ended {
	HG_ENDED_UNKNOWN, /* it was confined, or the file is older */
	HG_ENDED_NOT,     /* so far; at the end of the recording: something else ended it */
	HG_ENDED_ITSELF,  /* by exit() or a relative, or it executed another one */
	HG_ENDED_LATER,   /* the recorder's: it lived when the recording ended */
};

enum hg_begun {
	HG_BEGUN_NOT,
	HG_BEGUN,       /* by LTTng */
	HG_BEGUN_EARLY, /* its events are early ones only, so far (early_events.h) */
};

#define HG_COUNTS "counts"
/* An empty file there: the session has ended, processes that begin now are not recorded. */
#define HG_COUNTS_CLOSED  "closed"
#define HG_COUNTS_MAGIC   UINT64_C(0x3173746e756f6367)
#define HG_COUNTS_KINDS   64u
#define HG_COUNTS_ROWS    16u /* threads share rows: a row's counts are not one thread's */
#define HG_COUNTS_NAME    24u
#define HG_COUNTS_PROGRAM 32u
#define HG_COUNTS_HEAD    4096u

struct hg_counts {
	uint64_t magic;
	uint32_t kinds, rows; /* as above; the first says how many names there are, too */
	int32_t pid;
	uint32_t begun;    /* atomic, enum hg_begun: its session has begun to record it */
	uint32_t closed;   /* atomic, the recorder's: its session is about to end */
	uint32_t expected; /* it was started to be recorded, not on standby */
	uint64_t unrecorded[HG_UNRECORDED_KINDS]; /* atomic; not counted once it is closed */
	char program[HG_COUNTS_PROGRAM];          /* NUL-terminated: its name */
	/* Kinds by their names, NUL-terminated: an enumerator may change its number. */
	char names[HG_COUNTS_KINDS][HG_COUNTS_NAME];
	uint32_t confined; /* atomic, enum hg_confined_by: why it was not recorded from then on */
	uint32_t ended;    /* atomic, enum hg_ended */
	char unused[HG_COUNTS_HEAD - 40 - HG_UNRECORDED_KINDS * 8 - HG_COUNTS_PROGRAM -
		    HG_COUNTS_KINDS * HG_COUNTS_NAME];
	uint64_t counts[HG_COUNTS_ROWS][HG_COUNTS_KINDS]; /* atomic */
};
_Static_assert(sizeof(struct hg_counts) == 3 * 4096, "pages");
_Static_assert(HG_COUNTS_USED < HG_COUNTS_KINDS, "a name for each, and one that is empty");

#endif
