/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `record --stage`: a bundle is written to a node's own disk, and goes to the parallel file system
 * at the end, as few large sequential writes.
 */
#ifndef HIPGRAIN_TRACER_STAGE_H
#define HIPGRAIN_TRACER_STAGE_H

/*
 * Copy directories and regular files of directory `from`, which is the caller's, into directory
 * `to`, with the same permissions. Other files are left out. 0, or -errno: then `to` is incomplete.
 */
int stage_copy(int from, int to);

#endif
