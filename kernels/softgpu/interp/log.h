/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of atomic updates and of memory accesses, for tests. */
#ifndef SOFTGPU_LOG_H
#define SOFTGPU_LOG_H

#include "interp.h"

/* A description of the memory that an instruction updates; most lanes update the same. */
struct sg_place {
	uint64_t first, last; /* bytes allocated together */
	char text[512];
};

/*
 * Prints KERNEL OFFSET ADDRESS KERNARG MNEMONIC done|dropped PLACE for one lane, into
 * softgpu_config.atomic_log. `place` is kept between the lanes of an instruction; it is zero at
 * first.
 */
void sg_log_atomic(const struct sg_wave *wave, const struct sg_insn *in, uint64_t address,
		   bool dropped, struct sg_place *place);
void sg_log_flush(void);

/* A stale read, into softgpu_config.stale_log, and to whom softgpu_watch_stale_reads() named. */
void sg_log_stale(const struct softgpu_stale_read *read);

enum sg_access_kind { SG_READ = 1, SG_WRITE = 2, SG_ATOMIC = 4 };

/* Note one lane's access to global memory, if softgpu_config.access_log asks for it. */
void sg_note_slow(struct sg_wave *wave, uint64_t address, enum sg_access_kind kind);

static inline void sg_note(struct sg_wave *wave, uint64_t address, enum sg_access_kind kind)
{
	if (__builtin_expect(softgpu_config.access_log != NULL, 0))
		sg_note_slow(wave, address, kind);
}

/* Frees the notes that a worker did not write. */
void sg_notes_free(struct sg_worker *worker);

#endif
