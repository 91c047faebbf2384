/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings: what mmap, munmap, mremap, shmat, shmdt and moves of the break do to ranges of pages,
 * which no base address names. */
#ifndef HIPGRAIN_MAPPINGS_H
#define HIPGRAIN_MAPPINGS_H

#include "analyzer/replay/replay.h"

/* Before a mapping is added: what lay there is unmapped. */
void mapping_make_room(struct process *process, const struct hg_event *event);

/* These pages are unmapped, and with them what they have of attributes. */
void mapping_drop(struct process *process, uint64_t start, uint64_t size);

/* `free` events of munmap and mremap. */
void mapping_free(struct process *process, const struct hg_event *event);

/* An mremap failed: nothing has changed. */
void mapping_failed(struct process *process, const struct hg_event *event);

#endif
