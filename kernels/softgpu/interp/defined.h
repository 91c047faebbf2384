/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for uninitialised memory (SOFTGPU_INITCHECK): what of memory was written (defined.c), and
 * what of a wave's registers depends on bytes that were not (follow.c).
 *
 * Unwritten bytes may be loaded, moved and stored again: structures have padding. They count when a
 * wave decides by them where it goes or which address it accesses, when an atomic changes them, and
 * when a result that was computed with them is stored to global memory.
 */
#ifndef SOFTGPU_DEFINED_H
#define SOFTGPU_DEFINED_H

#include "check.h"

/* This is known of a byte of memory. */
enum sg_written {
	SG_UNWRITTEN, /* nothing wrote it, or an unwritten byte was stored there */
	SG_WRITTEN,
	SG_COMPUTED, /* LDS: it depends on an unwritten byte otherwise */
};

/* ---- global memory ---- */

/* Bytes of memory of which something is known, and their enum sg_written. */
struct sg_known {
	uint64_t first, end;
	uint8_t *written; /* [end - first] */
};

/* The result of sg_known_find stays valid between these two. */
void sg_known_lock(void);
void sg_known_unlock(void);
/* Returns the bytes around `address`; NULL: nothing is known, so everything counts as written. */
const struct sg_known *sg_known_find(uint64_t address);
/*
 * Returns true if byte `at` of `known` has what it was filled with. What has not is written, as is
 * all around it that is one with it: by the host, or by instructions that are not followed.
 */
bool sg_known_unwritten(const struct sg_known *known, uint64_t at);

/* ---- registers ---- */

/* Executes an instruction, and may change `touched`. */
typedef void (*sg_access_fn)(struct sg_wave *wave, const struct sg_insn *in,
			     struct sg_touched *touched);

/*
 * Has an instruction executed that `touch` described by `touched`, and follows what it loads and
 * stores.
 */
void sg_follow_memory(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
		      sg_access_fn execute);
/* Executes an instruction that accesses memory which `touch` does not describe. */
void sg_follow_untouched(struct sg_wave *wave, const struct sg_insn *in);
/* Executes any other instruction of a wave whose registers depend on unwritten bytes. */
void sg_follow(struct sg_wave *wave, const struct sg_insn *in);
/* Sorts `in`, which was just decoded. */
void sg_follow_prepare(struct sg_insn *in);
/* A wave starts, whose registers are all defined. */
void sg_follow_start(struct sg_wave *wave);
void sg_follow_free(struct sg_wave *wave);
/* Nothing of the group's LDS is written. */
void sg_follow_group(struct sg_group *group);

#endif
