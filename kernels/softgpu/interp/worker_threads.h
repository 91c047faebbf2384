/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads that execute work-groups. */
#ifndef SOFTGPU_THREADS_H
#define SOFTGPU_THREADS_H

#define SG_MAX_THREADS 256

/* Have `n` threads, the caller included, for sg_threads_run(); returns how many there are, >= 1. */
unsigned sg_threads_prepare(unsigned n);

/*
 * Call body(argument, i) for i = 0 .. n - 1 on as many threads (0: this one), and return when all
 * are back. `n` is at most what sg_threads_prepare() returned; one call at a time.
 */
void sg_threads_run(unsigned n, void (*body)(void *argument, unsigned i), void *argument);

#endif
