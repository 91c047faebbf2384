/* SPDX-License-Identifier: Apache-2.0 */
/* This decides how large a session's trace buffers are. */
#ifndef HIPGRAIN_TRACER_BUFFERS_H
#define HIPGRAIN_TRACER_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/* LTTng makes one ring of these for each possible CPU, and every process maps all of them. */
struct buffers {
	uint64_t size;  /* bytes of a sub-buffer, a power of two */
	uint64_t count; /* sub-buffers per CPU, a power of two */
};

/* Returns how many CPUs there are as LTTng-UST counts them: the highest number that one may have on
 * this machine, plus 1. */
unsigned buffers_cpus(void);

/*
 * Chooses buffers for `cpus` possible CPUs when `available` bytes of shared memory are free. Larger
 * ones ride out a slower consumer before the program has to wait. With what LTTng needs beside them
 * all together take 64 MiB at most, up to 512 CPUs, and 128 KiB for each of more. Returns 0, or
 * -ENOSPC with the smallest useful size in *buffers.
 */
int buffers_choose(struct buffers *buffers, unsigned cpus, uint64_t available);

/*
 * Does the same for this machine: its CPUs, and what is free of the shared memory that LTTng's
 * buffers live in. Returns 0 or -errno with one line in `why`.
 */
int buffers_measure(struct buffers *buffers, char *why, size_t why_size);

/*
 * Chooses buffers for a flight recorder: together they are as near to `bytes` as powers of two get
 * without exceeding it. Returns 0, or -errno with one line in `why`.
 */
int buffers_ring(struct buffers *buffers, uint64_t bytes, char *why, size_t why_size);

#endif
