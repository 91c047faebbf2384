/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract machine state at one point of a kernel, for all lanes of a wave at once.
 *
 * Vector registers and private memory change only in lanes that exec enables. So there is one
 * lane file for the active lanes, and one for each group of lanes that was switched off: at a
 * "shrink site" (s_and_saveexec and alike) the active file is set aside under the site's name,
 * and it is joined back when exec grows again. A register that an if-branch overwrites keeps its
 * old contents for the lanes that did not take the branch.
 */
#ifndef HIPGRAIN_ISA_STATE_H
#define HIPGRAIN_ISA_STATE_H

#include "insn.h"
#include "lane_file.h"
#include "value.h"

struct aside {
	uint32_t name; /* shrink site; see state_shrink() */
	struct lane_file *file;
	bool grown; /* the active file has it joined in since lanes were last added */
};

#define ASIDE_MAX 24
#define SITE_ROOT 0u         /* name of the state before any shrink */
#define SITE_LOST 0x7ffffffu /* lanes whose history is not known */

enum exec_mode {
	EXEC_NORMAL, /* `active` is what vector instructions see */
	EXEC_BOTH,   /* `active` and the last file set aside (the else part being set up) */
	EXEC_ALL,    /* every lane */
	EXEC_OFF,    /* the lanes that are off otherwise; for a moment */
	EXEC_SOME,   /* the lanes of state.some, on or off until now; within a block only */
};

/* Registers that still matter, in lanes that are active and in others. */
struct state_live {
	const struct reg_set *active, *aside;
	const struct reg_set *mask; /* scalar ones that matter as lane masks only */
};

struct state {
	value_id scalar[REG_VECTOR];
	struct lane_file *active;
	unsigned aside_count;
	unsigned floor; /* files below are those of lanes that were off when the function began */
	enum exec_mode mode;
	uint32_t some; /* with EXEC_SOME: a bit for each lane */
	/* In an evaluation (concrete.h), `dead` means that no lane is active; `narrowed` is how
	 * often lanes were switched off of which it is not known which ones. */
	bool dead;
	unsigned narrowed;
	bool breaks; /* ... the last time where lanes leave a loop: it ends when none is left */
	unsigned index_mode; /* registers are indexed at run time: 1 sources, 2 destinations */
	/* Known conditions; they are forgotten at the end of a block. */
	int8_t scc;                    /* 0 not known, 1 true, -1 false */
	bool conditions;               /* scalar registers may hold BASE_TRUE or BASE_FALSE */
	struct aside aside[ASIDE_MAX]; /* last: copies have the first aside_count of them */
};

/* A state in which nothing was written; its files, and those of its copies, come from `pool` (may
 * be NULL). 0 or -ENOMEM. */
int state_init(struct state *state, struct lane_pool *pool);
void state_clear(struct state *state);
/* Share the files of `from`; they are copied when written. */
void state_copy(struct state *to, const struct state *from);
/*
 * Does into |= from, as far as it is `live` (NULL: all of it), which `into` was kept to. Returns 1
 * if it changed, 0 if not, -ENOMEM. With `widen` it converges. With `inner`, `from` comes from
 * inside of a loop that begins here.
 */
int state_join(struct value_store *store, struct state *into, const struct state *from,
	       const struct state_live *live, bool inner, bool widen);
/* Forget registers that are not live. 0 or -ENOMEM. */
int state_keep(struct state *state, const struct state_live *live);
bool state_equal(const struct state *a, const struct state *b);

value_id state_get(struct value_store *store, const struct state *state, unsigned reg);
int state_set(struct value_store *store, struct state *state, unsigned reg, value_id value);
/* In every lane, active or not (v_writelane ignores exec). */
int state_write_lane(struct value_store *store, struct state *state, unsigned reg, uint32_t lane,
		     value_id value);
/* A vector register as lanes of any activity may hold it. */
value_id state_get_any(struct value_store *store, const struct state *state, unsigned reg);

/*
 * Private memory; `dword` is a byte address / 4. A stray store, through a pointer of which nothing
 * is known, is seen by loads through flat addresses only: compilers address spill slots and frame
 * variables whose address nobody takes directly.
 */
value_id state_private_load(struct value_store *store, const struct state *state, uint32_t dword,
			    bool flat);
int state_private_store(struct value_store *store, struct state *state, uint32_t dword,
			value_id value);
/* Under EXEC_SOME: these lanes of a register are loaded or stored. */
int state_private_some(struct value_store *store, struct state *state, uint32_t dword, unsigned reg,
		       bool load);
/* These are for an address that is not known. */
value_id state_private_load_any(struct value_store *store, const struct state *state);
int state_private_store_any(struct value_store *store, struct state *state, value_id value,
			    bool stray);

/* Notes that the active lanes store to a dword of other memory. 0 or -ENOMEM. */
int state_note_stored(struct state *state, struct stored_dword dword);
/* Returns true if each active lane has stored to it before. */
bool state_has_stored(const struct state *state, struct stored_dword dword);

/* ---- exec ---- */

/* Returns the name of exec's present value. */
uint32_t state_exec_name(const struct state *state);
/*
 * exec &= something, at site `name`. *before (may be NULL) is the name of the mask that exec was
 * before: that one or, where the site was passed already, one that includes it.
 */
int state_shrink(struct value_store *store, struct state *state, uint32_t name, uint32_t *before);
/* exec becomes what it was when `name` was its name. */
int state_restore(struct value_store *store, struct state *state, uint32_t name);
/* exec |= lanes nobody knows. */
int state_grow(struct value_store *store, struct state *state);
/* Sets exec to anything. */
int state_lose(struct value_store *store, struct state *state);
/* Sets exec to -1 for a moment. */
void state_all(struct state *state);
/* Sets exec to ~exec for a moment. */
void state_off(struct state *state);
/* Sets exec to a few lanes by number for a moment. */
void state_some(struct state *state, uint32_t lanes);
/* exec = the lanes of `name` that it does not have now (swap), or those in addition (both). */
int state_complement(struct value_store *store, struct state *state, uint32_t name, bool both);
/* End of EXEC_BOTH: only the lanes set aside last, or (joined) both as one. */
int state_end_both(struct value_store *store, struct state *state, bool swap);
/* No lane is active: the way of s_cbranch_execz. */
int state_none(struct state *state);

/*
 * A function begins: remember which lanes are off. It ends: those that it switched off are on
 * again (exec is preserved by calls [LUG, "Non-Kernel Functions"]).
 */
void state_enter(struct state *state, unsigned *floor, unsigned *count);
int state_leave(struct value_store *store, struct state *state, unsigned floor, unsigned count);

/* Run the next vector instruction on the other file of EXEC_BOTH. */
void state_swap_both(struct state *state);

/* Forget what a function that cannot be analysed may change. */
int state_clobber(struct value_store *store, struct state *state, const char *why);

#endif
