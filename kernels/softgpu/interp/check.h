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
	bool lds;    /* addresses are offsets in the group's LDS */
	bool flat;   /* addresses may lie in the apertures of LDS and private memory */
	bool scalar; /* one access for the wave, which may be wider than what is used */
	unsigned size, elements;
	uint64_t active;
	uint64_t base; /* the scalar base of all addresses; 0: none */
	uint64_t address[2][SG_LANES];
};

/* Has `in`, which was just decoded, checked at each execution, if checks are on. */
void sg_check_prepare(struct sg_insn *in);

/* This access of one lane is wrong, or meets another one. */
struct sg_suspicion {
	enum softgpu_check_kind kind;
	unsigned lane;
	uint64_t address;
	int64_t other_offset; /* as in struct softgpu_checked */
	unsigned other_item;  /* its work-item, counted in the group */
	uint64_t other_group; /* GLOBAL_RACE: its group, counted in the grid */
	bool doubtful;        /* atomics or a flag may order the two */
};

/* A load of unwritten bytes, and the instruction that uses them. */
struct sg_use {
	const char *name; /* mnemonic of the load */
	uint64_t pc, use; /* addresses of the two */
	unsigned size;
};

/* Reports what a suspicion says of such a use. */
void sg_check_use(struct sg_wave *wave, const struct sg_use *use,
		  const struct sg_suspicion *suspicion);

/* Tells of it, once for each pair of instructions: `name` is that of the one at `pc`. */
void sg_check_report(struct sg_wave *wave, const char *name, uint64_t pc,
		     const struct sg_touched *touched, const struct sg_suspicion *suspicion);

/* Reports a launch that is ended; `ended`: its work-groups that have ended by themselves. */
struct sg_endless;
void sg_check_endless(const struct sg_endless *place, uint64_t ended);

/*
 * Barriers that not all work-items reach, in barriers.c (synccheck). These are called when `in` was
 * decoded, when a wave that has passed_by lanes accesses memory, and when all waves that live wait.
 */
void sg_barrier_prepare(struct sg_insn *in);
void sg_barrier_touch(struct sg_wave *wave, const struct sg_insn *in,
		      const struct sg_touched *touched);
void sg_barrier_meet(struct sg_group *group);

/*
 * Notes the access of all lanes to LDS, and returns true with the first one that races with another
 * wave's since the last barrier. With `changes` NULL the access is a read; else the caller finds
 * out whether a store changes anything. In races.c.
 */
bool sg_race_find(struct sg_wave *wave, const struct sg_insn *in, const struct sg_touched *touched,
		  struct sg_suspicion *suspicion);

/*
 * Races in global memory between work-groups, in global_races.c: the first executes an instruction
 * that accesses memory other than LDS, and returns true with an access that races. The others are
 * for what was decoded, and for a launch that ended.
 */
bool sg_global_race_execute(struct sg_wave *wave, const struct sg_insn *in,
			    const struct sg_touched *touched, struct sg_suspicion *suspicion);
void sg_global_race_prepare(struct sg_insn *in);
void sg_global_races_free(struct sg_global_pages *pages);

/*
 * Finds what is wrong with `size` bytes of global memory at `address`: returns true and the kind.
 * It takes a lock for reading, which the caller holds over many calls. In shadow.c.
 */
void sg_shadow_lock(void);
void sg_shadow_unlock(void);
bool sg_shadow_find(uint64_t address, unsigned size, enum softgpu_check_kind *kind);

/* An allocation, up to the byte at `end`. */
struct sg_live {
	uint64_t first, end;
	bool loaded; /* a kernel loaded a pointer there */
};

/* Returns true with the allocation in which all bytes from `address` up to `last` are. */
bool sg_shadow_live(uint64_t address, uint64_t last, struct sg_live *live);

/* A value may point to these: the last is near allocations, but in none. */
enum sg_pointer { SG_POINTER_NONE, SG_POINTER_KNOWN, SG_POINTER_UNKNOWN };

/* Says what the value points to, and notes for the allocation that a kernel `loaded` it. */
enum sg_pointer sg_shadow_pointer(uint64_t value, bool loaded);

/* Gives the upper halves of all allocations' addresses: the least one, and how much greater the
 * greatest one is. Returns false if there are none. It needs no lock. */
bool sg_shadow_heights(uint32_t *least, uint32_t *span);

/*
 * Returns true, once in a launch, if nothing that the kernel has leads to the allocation, which it
 * accesses. The caller holds the lock. In origin.c.
 */
bool sg_origin_missing(struct sg_wave *wave, const struct sg_live *live);
/* Looks for pointers among what an instruction has loaded. */
void sg_origin_loaded(struct sg_wave *wave, const struct sg_insn *in,
		      const struct sg_touched *touched);
/* Says that there is code which loads what cannot be looked at. */
void sg_origin_unseen(void);

#endif
