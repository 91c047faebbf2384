/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in which a process records its events: DIR/rings/<pid>-<hexadecimal number>, one for
 * each program image and each forked process. The process maps it; what was published outlives the
 * process, however it ends. The file is the recording: the analyzer reads it where it lies. Only
 * where a trace is sent away, rotated, overwritten or followed while it is made does the recorder
 * take what is in the files and record that by LTTng (tracer/drain.h); it makes HG_RINGS_DRAINED
 * in the directory then, and processes keep their files small.
 *
 * The file has struct hg_ring, then pages of struct hg_ring_page. A page belongs to one thread,
 * which alone writes to it; a record (tracer/event_record.h) is published by its first byte. The
 * states of a page:
 *
 *	FREE -> TAKEN  by a thread, which becomes its owner; what its last use had is still there
 *	TAKEN -> OPEN  by its owner, once it has no record and another number
 *	OPEN -> FULL   by its owner, which takes another one or ends
 *	FULL -> FREE   by the recorder, which has a copy; only of files that are drained
 *
 * So a page may be read at any time, and has whole records up to a first byte that is zero.
 *
 * Times. The recorder may order records of several threads only up to a time before which nothing
 * can follow: a thread sets `writing` before it reads the clock, and clears it when its record is
 * published. As both are ordinary stores, the recorder allows HG_RING_SLACK_NS for them to become
 * visible.
 *
 * Losses. A record that finds no page (the disk is full; or, of a file that is drained, the
 * recorder did not empty one in time) is counted in the file's `lost`. The file's `records` are
 * those of the pages that became FULL: a reader that finds fewer knows how many are missing. Killed
 * between the two, a thread has counted a page that is open. So these serve where pages are gone;
 * else the pages themselves say what they have, and of those that were made free `emptied` does.
 *
 * Of a file that is drained the recorder keeps the first page alone, when the process has ended,
 * with the records of all pages, also of those that did not become full.
 */
#ifndef HIPGRAIN_TRACER_RING_H
#define HIPGRAIN_TRACER_RING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HG_RINGS         "rings"
#define HG_RINGS_DRAINED "drained"
/* A directory in it has first pages of files that were drained to their end. */
#define HG_RINGS_ENDED "ended"
/* The directory of standby has this for an attached recording: "rings-<number of the request>". */
#define HG_RINGS_OF   HG_RINGS "-%lx"
#define HG_RINGS_NAME 32u /* bytes of such names */
/* "hgring", 0, and the version of what this header and event_record.h describe. */
#define HG_RING_MAGIC   UINT64_C(0x0300676e69726768)
#define HG_RING_PAGE    32768u /* bytes */
#define HG_RING_RECORDS (HG_RING_PAGE - 64u)
/* Pages of a file at most: 16 GiB; of one that is drained, 64 MiB. */
#define HG_RING_PAGES         524288u
#define HG_RING_PAGES_DRAINED 2048u
#define HG_RING_SLACK_NS      UINT64_C(1000000)
#define HG_RING_PROGRAM       48u

enum hg_ring_state { HG_RING_FREE, HG_RING_OPEN, HG_RING_FULL, HG_RING_TAKEN };

/* This says if the process goes on. */
enum hg_ring_end {
	HG_RING_RUNS,    /* so far; at the end of the recording: something else ended it */
	HG_RING_EXITED,  /* its own: by exit() or a relative, or it executed another program */
	HG_RING_LATER,   /* the recorder's: it lived when the recording ended */
	HG_RING_UNKNOWN, /* the recorder's: it cannot know that */
};

/* Records are counted by what they are of. */
enum hg_group {
	HG_GROUP_ALLOC,
	HG_GROUP_FREE,
	HG_GROUP_LAUNCH,
	HG_GROUP_COPY,
	HG_GROUP_OTHER, /* that describe the process, its objects and calls */
	HG_GROUPS,
};

/* Calls that a process made while it should have been recorded, but was not any more. */
enum hg_unrecorded {
	HG_UNRECORDED_CALL, /* of HIP and others */
	HG_UNRECORDED_ALLOC,
	HG_UNRECORDED_FREE,
	HG_UNRECORDED_KINDS,
	HG_UNRECORDED_OURS = HG_UNRECORDED_KINDS, /* not the program's: not counted */
};

/*
 * The recorder has ended the recording, or it was killed, as the process has found: what the
 * process does then should have been recorded, and is counted as lost.
 */
enum hg_ring_stop { HG_RING_STOPPED = 1, HG_RING_ORPHANED };

struct hg_ring {
	uint64_t magic; /* stored last */
	uint32_t page_bytes, page_limit;
	int32_t pid;     /* in its own namespace of processes */
	uint32_t pages;  /* atomic: pages that have room on the disk */
	uint64_t origin; /* ns of CLOCK_REALTIME less those of CLOCK_MONOTONIC */
	uint64_t clock;  /* a hash of the machine and of the namespace of time: whose clock it is */
	uint64_t pids;   /* number of the namespace of processes; 0: it is not known */
	uint32_t number; /* atomic: of the last page that was taken */
	uint32_t end;    /* atomic, enum hg_ring_end */
	uint32_t stop;   /* atomic, enum hg_ring_stop: nothing more is to be recorded */
	uint32_t epoch;  /* atomic, the recorder's: threads are to take other pages */
	uint32_t again;  /* atomic, the recorder's: the state is to be recorded again */
	int32_t recording; /* atomic; 0, by the recorder: the process is to look at `again` */
	uint32_t freed;    /* atomic, the recorder's: a futex, changes when pages become free */
	uint32_t drained;  /* the recorder empties pages; 0: the file only grows */
	uint64_t waiting;  /* atomic: threads that wait for that */
	uint64_t lost[HG_GROUPS];    /* atomic: records */
	uint64_t records[HG_GROUPS]; /* atomic: of pages that became full */
	/* Atomic; not once `stop` is set, but for those since `confined`. */
	uint64_t unrecorded[HG_UNRECORDED_KINDS];
	uint32_t confined; /* atomic: it restricted its system calls: not recorded from then on */
	uint32_t expected; /* it was started to be recorded, not on standby */
	char program[HG_RING_PROGRAM]; /* NUL-terminated, cut off */
	uint64_t confined_after;       /* ns since its first record */
	uint64_t settled; /* the recorder's, which took all: `records` are of open pages, too */
	/* The recorder's: records of pages that it made free; the other row is of one page less. */
	uint64_t emptied[2][HG_GROUPS];
	/* The row that holds, and above 32 bits the number of the page that it has last, which may
	 * be full yet. */
	uint64_t emptying;
	uint64_t exact; /* `emptied` is kept */
	uint32_t
	    answered; /* atomic: `again`, of which the state and what was counted are recorded */
	char unused[4096 - 316 - HG_RING_PROGRAM];
};

struct hg_ring_page {
	uint32_t state;   /* atomic, enum hg_ring_state */
	uint32_t writing; /* atomic: its owner is about to publish a record */
	uint32_t number;  /* of this use of the page: its place among the process's pages */
	int32_t thread;
	uint64_t begin; /* ns of CLOCK_MONOTONIC that the times of its records count from */
	uint32_t counted[HG_GROUPS]; /* records, once it is full */
	uint32_t zero[5];
	uint8_t records[HG_RING_RECORDS];
};
_Static_assert(sizeof(struct hg_ring) == 4096 && sizeof(struct hg_ring_page) == HG_RING_PAGE,
	       "no gaps");

/* Returns the number in a file's name, which is larger in later files: ns of CLOCK_MONOTONIC. */
static inline uint64_t hg_ring_id(const char *name)
{
	const char *dash = strchr(name, '-');

	return dash ? strtoull(dash + 1, NULL, 16) : 0;
}

static inline uint64_t hg_ring_sum(const uint64_t groups[HG_GROUPS])
{
	uint64_t sum = 0;

	for (unsigned group = 0; group < HG_GROUPS; group++)
		sum += groups[group];
	return sum;
}

static inline size_t hg_ring_bytes(uint32_t pages)
{
	return sizeof(struct hg_ring) + (size_t)pages * HG_RING_PAGE;
}

#endif
