/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/missed, which the recorder makes and recorded processes map: whether the recorder still
 * records, how many files of records processes made, so that one which is removed afterwards is
 * missed, and processes that are not in the recording although recorded ones started them. There is
 * a row for each program and reason, however many processes they are.
 */
#ifndef HIPGRAIN_TRACER_MISSED_H
#define HIPGRAIN_TRACER_MISSED_H

#include <stdbool.h>
#include <stdint.h>

#define HG_MISSED         "missed"
#define HG_MISSED_MAGIC   UINT64_C(0x64657373696d6768)
#define HG_MISSED_ROWS    255u
#define HG_MISSED_PROGRAM 40u

/* These reasons stand for what is written after them: MISSED(enumerator, reason after the program's
 * name) */
#define HG_MISSED_REASONS(MISSED)                                                                  \
	MISSED(STATIC, "is statically linked")                                                     \
	MISSED(MUSL, "uses musl, and the preload library is for the GNU C library")                \
	MISSED(WORDS, "is a 32-bit program")                                                       \
	MISSED(MACHINE, "is a program of another machine")                                         \
	MISSED(RIGHTS, "gets rights that its caller does not have, and nothing is preloaded then") \
	MISSED(ENVIRONMENT, "was executed without LD_PRELOAD or HIPGRAIN_DIR in its environment")  \
	MISSED(PLACE, "could not open the recording: another user, or another root directory")     \
	MISSED(CONFINED, "was executed by a process that had restricted its system calls "         \
			 "(seccomp)")                                                              \
	MISSED(ROOM,                                                                               \
	       "had no room for its records: a full disk, or a limit on its files or memory")      \
	MISSED(NAMESPACE,                                                                          \
	       "opened a library in a namespace of its own (dlmopen), where calls of a "           \
	       "GPU's runtime are not recorded")                                                   \
	MISSED(HANDLER, "began in a signal's handler, or where the loader calls it back, where "   \
			"a recording cannot begin")

enum hg_missed {
	HG_MISSED_NOT,
#define HG_MISSED_ENUMERATOR(name, text) HG_MISSED_##name,
	HG_MISSED_REASONS(HG_MISSED_ENUMERATOR)
#undef HG_MISSED_ENUMERATOR
	    HG_MISSED_KINDS,
};

/* Returns true if the rest of what the process did is recorded. */
static inline bool hg_missed_partly(uint32_t why)
{
	return why == HG_MISSED_NAMESPACE || why == HG_MISSED_HANDLER;
}

enum { HG_MISSED_FREE, HG_MISSED_TAKEN, HG_MISSED_READY };

struct hg_missed_row {
	uint32_t state; /* atomic; the enumeration above */
	uint32_t why;   /* enum hg_missed */
	int32_t pid;    /* of the first */
	uint32_t zero;
	uint64_t count;                  /* atomic; processes */
	char program[HG_MISSED_PROGRAM]; /* NUL-terminated: its file's name, cut */
};

struct hg_missed_table {
	uint64_t magic;
	uint64_t others;   /* atomic; processes for which there was no row */
	uint32_t closed;   /* atomic; the recording has ended: nobody adds to it */
	int32_t recording; /* atomic; not 0: events are wanted (preload/trace/ring_events.c) */
	uint32_t filters;  /* of system calls, under which the recorder itself runs */
	uint32_t files;    /* atomic; of records (tracer/ring.h), that processes made */
	uint32_t zero[8];
	struct hg_missed_row rows[HG_MISSED_ROWS];
};
_Static_assert(sizeof(struct hg_missed_row) == 64 && sizeof(struct hg_missed_table) == 4 * 4096,
	       "pages");

/*
 * The recorder calls these: missed_make() makes the table in a bundle, if there is room, and
 * returns its descriptor, or -1. missed_close() closes it at the end; missed_stop() tells the
 * processes that nobody records any more, if they are to count that.
 */
int missed_make(int bundle);
void missed_close(int bundle);
void missed_stop(int file);

/* Returns how many processes are in the table for that reason. */
uint64_t missed_count(int bundle, enum hg_missed why);

#endif
