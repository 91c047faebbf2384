/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of the files of records (tracer/ring.h). */
#ifndef HIPGRAIN_TRACER_RINGS_H
#define HIPGRAIN_TRACER_RINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the directory in the bundle, of which `bundle` is the descriptor; `drained`: processes keep
 * their files small, and wait for the recorder. Returns 0 or -errno.
 */
int rings_make(int bundle, bool drained);

/*
 * Here and below `parent` has the directory `name`, HG_RINGS of a bundle or that of a request. Has
 * the processes record their state again: who reads the trace does not know what was before.
 */
void rings_again(int parent, const char *name);

/* Returns true if that process, by its own number, has done so in each file that it goes on with.
 */
bool rings_answered(int parent, const char *name, int32_t pid);

/*
 * The files are in the bundle, too. Where that is on another file system they are copied, if
 * `ended`; else that is left for later. Returns 0 or -errno.
 */
int rings_collect(int folder, int bundle, bool ended);

/* The recording has ended: nothing more is stored in any of the files. */
void rings_stop(int parent, const char *name);

/*
 * Gives back the room that files of ended processes have and do not use. Returns the number of
 * records that were lost in all files.
 */
uint64_t rings_end(int bundle);

/* Returns how many files processes have made. */
uint64_t rings_count(int bundle);

/* Returns how the file's process has ended by now: enum hg_ring_end. */
struct hg_ring;
uint32_t ring_end_by_now(const struct hg_ring *ring);

#endif
