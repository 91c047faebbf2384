/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes the call of HIP that each thread of a process is in, or the wait of the HSA runtime, or
 * the target construct of OpenMP.
 *
 * Calls are recorded when they have returned, so the one in which a process dies, or which never
 * returns, is not in the trace. Before a thread enters the runtime it therefore publishes its call
 * in a file that it has mapped: DIR/open-calls/<pid>-<hexadecimal number>, one for each process
 * that makes such a call. Its content outlives the process, and can be read while it runs.
 *
 * The file has struct hg_open_calls, then `slots` times `slot_size` bytes, each of which begins
 * with struct hg_open_call. Only the outermost call of a thread is there. Later versions may make
 * both longer; a file of another form has another magic.
 *
 * A reader of a process that runs reads a slot twice: `state` and `start` are the same if it was
 * the same call all the time. Between these two a call's arguments may not be there yet (0).
 */
#ifndef HIPGRAIN_TRACER_OPEN_CALLS_H
#define HIPGRAIN_TRACER_OPEN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define HG_OPEN_CALLS         "open-calls"
#define HG_OPEN_CALLS_MAGIC   UINT64_C(0x31736c6c61636768)
#define HG_OPEN_CALLS_SLOTS   511u
#define HG_OPEN_CALLS_PROGRAM 48u

struct hg_open_calls {
	uint64_t magic;
	int32_t pid;
	uint32_t slots, slot_size; /* bytes */
	uint32_t header_size;      /* bytes: where the first slot begins */
	uint32_t ended;   /* atomic: the process ended by itself, or executed another program */
	uint32_t without; /* atomic: threads that found no slot, whose calls are not here */
	uint64_t zero[6];
	char program[HG_OPEN_CALLS_PROGRAM]; /* as in counts.h; ends with a NUL if it is shorter */
};

/*
 * Members for arguments that a function does not have are 0. Pointers and handles are as the
 * program has them.
 */
struct hg_open_call {
	uint64_t state;    /* atomic: the function's id (tracer/api.def); 0: none is open */
	uint64_t start;    /* ns of CLOCK_MONOTONIC */
	uint64_t caller;   /* return address */
	int32_t thread;    /* 0: the slot is free */
	uint32_t stack_id; /* 0: not known, the caller is */
	uint64_t stream;
	uint64_t ptr;         /* the memory that is written, or that the call is about */
	uint64_t src;         /* of a copy */
	uint64_t size;        /* bytes of a row, or of all */
	uint64_t rows, depth; /* of a copy or fill */
	uint64_t ptr_pitch, src_pitch, ptr_slice, src_slice;
	int32_t kind;       /* hipMemcpyKind */
	uint32_t kernel_id; /* of a launch */
	uint64_t event;     /* an event's handle */
};
_Static_assert(sizeof(struct hg_open_calls) == 128 && sizeof(struct hg_open_call) == 128, "form");

/*
 * Removes, at the end of a recording, the files below `directory` of processes that ended and left
 * no open call. `bundle` is the descriptor of the recording's own directory, to which the rest is
 * copied, if that is another one (of processes on standby); else -1.
 */
void open_calls_end(const char *directory, int bundle);

#endif
