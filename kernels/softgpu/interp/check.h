/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of memory accesses (SOFTGPU_CHECK): a row of an opcode table says by its function `touch`
 * what an instruction is about to access. Decoding chooses the checking executor, so that nothing
 * of this costs anything while checks are off.
 */
#ifndef SOFTGPU_CHECK_H
#define SOFTGPU_CHECK_H

#include "interp.h"
#include "log.h"

/* One instruction accesses `elements` times `size` bytes of each lane in `active`. */
struct sg_touched {
	enum sg_access_kind kind;
	bool lds;  /* addresses are offsets in the group's LDS */
	bool flat; /* addresses may lie in the apertures of LDS and private memory */
	unsigned size, elements;
	uint64_t active;
	uint64_t address[2][SG_LANES];
};

/* Has `in`, which was just decoded, checked at each execution, if checks are on. */
void sg_check_prepare(struct sg_insn *in);

/* This access of one lane is wrong, or meets another one. */
struct sg_suspicion {
	enum softgpu_check_kind kind;
	unsigned lane;
	uint64_t address;
	int64_t other_offset; /* SOFTGPU_CHECK_RACE: of the earlier access, from the entry */
	unsigned other_item;  /* its work-item, counted in the group */
	bool doubtful;        /* atomics or a flag may order the two */
};

/*
 * Notes the access of all lanes to LDS, and returns true with the first one that races with another
 * wave's since the last barrier. With `changes` NULL the access is a read; else the caller finds
 * out whether a store changes anything. In races.c.
 */
bool sg_race_find(struct sg_wave *wave, const struct sg_insn *in, const struct sg_touched *touched,
		  struct sg_suspicion *suspicion);

/*
 * Finds what is wrong with `size` bytes of global memory at `address`: returns true and the kind.
 * It takes a lock for reading, which the caller holds over many calls. In shadow.c.
 */
void sg_shadow_lock(void);
void sg_shadow_unlock(void);
bool sg_shadow_find(uint64_t address, unsigned size, enum softgpu_check_kind *kind);

#endif
