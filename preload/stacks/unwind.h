/* SPDX-License-Identifier: Apache-2.0 */
/* This walks stacks, and recognises those that were walked before. */
#ifndef HIPGRAIN_PRELOAD_STACKS_UNWIND_H
#define HIPGRAIN_PRELOAD_STACKS_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/* This says where a walk stands: a return address, and the registers after that return. */
struct hg_frame {
	uintptr_t ip, sp, bp;
};

struct hg_cached_word {
	uintptr_t address, value;
};

/*
 * This is what a walk has read of the stack. A walk follows from where it begins and the words that
 * it reads: if these are the same again, so is the stack, without walking.
 */
struct hg_cached_walk {
	struct hg_frame start; /* sp 0: there is none */
	uintptr_t caller;
	uintptr_t bp_mask; /* of start.bp: which bits matter, all or none */
	uintptr_t end;     /* of the stack that was known to be readable */
	uint32_t generation, id;
	uint64_t python; /* hg_python_same(); 0: no function of Python is in the stack */
	/* start.sp, if nothing else has to be looked at but what hg_stack_marked_id() does; or 0.
	 */
	uintptr_t marked_sp;
	uintptr_t last; /* the outermost word's address, less start.sp */
	/*
	 * These describe `packed`: steps of words that are neighbours, which come first; if there
	 * are others, one of these that is half full or NULL, and those of words that have no
	 * neighbour, except two, which are here (where they are, less start.sp).
	 */
	uint32_t pairs, words;
	int more;
	const void *half, *alone;
	uintptr_t odd_at[2], odd[2];
	/* These serve a walk in progress: if more words were read than there was room for, they are
	 * of no use. */
	struct hg_cached_word *read;
	uint32_t count, room;
	bool bp_used;
	bool found; /* again, since it was kept */
	/* start.bp and start.ip, as they lie in the stack below start.sp, and the bits of them that
	 * do not matter. */
	uint64_t first[2] __attribute__((aligned(16))), any[2];
	uint64_t packed[] __attribute__((aligned(16))); /* stack_cache.h */
};

int hg_unwind_init(void);
void hg_unwind_flush(void); /* forget rules of code that may have been unloaded */
/*
 * Puts the return addresses from `caller` on outwards, at most `room`, into `frames`, mixes their
 * hash into *hash, and returns how many they are. They end at a frame of which it is not known how
 * to leave it. Returns 0 if the caller was not found.
 */
unsigned hg_unwind(const void *caller, uint64_t *frames, unsigned room, uint64_t *hash);

/*
 * These are the two steps of hg_unwind(). The first finds where the program's own frames begin, and
 * returns false if that could not be determined.
 */
bool hg_unwind_start(struct hg_frame *frame);
bool hg_unwind_is_own(uintptr_t ip); /* an address in code of this library */
/* Returns the address to which the outermost function of ours returns, from this frame on. */
void *hg_unwind_out_of_own(const uintptr_t *frame);
/* `frames` may be NULL, and *hash is of no use then. The words that are read are noted in `trail`,
 * unless it is NULL. */
unsigned hg_unwind_from(const struct hg_frame *start, const void *caller, uint64_t *frames,
			unsigned room, uint64_t *hash, struct hg_cached_walk *trail);

/*
 * The frames of such a walk of the calling thread, its latest, as they are remembered (past.h): one
 * for each of its `count` addresses, and one more behind them, above all others if there is none.
 * NULL: they are not.
 */
struct hg_past_frame;
const struct hg_past_frame *hg_unwind_last(const struct hg_frame *start, const uint64_t *frames,
					   unsigned count);
/*
 * Returns true if a page can be read, by a system call that reads it and then refuses; keeps errno.
 */
bool hg_page_readable(uintptr_t page);

/*
 * The calling thread's place for the trail of such a walk; NULL if there is no memory for it, or it
 * is not to be kept.
 * *id: of the stack, if its trail is there and holds; else 0, and the place is empty.
 */
struct hg_cached_walk *hg_stack_cache_find(const struct hg_frame *start, const void *caller,
					   uint32_t generation, uint32_t *id);
/* Does the same for a trail that is known not to hold. */
struct hg_cached_walk *hg_stack_cache_place(const struct hg_frame *start, const void *caller);
/*
 * The walk was made and its stack is `id`, with these frames of Python: keep it, if it is worth
 * keeping.
 */
void hg_stack_cache_keep(struct hg_cached_walk *trail, const struct hg_frame *start,
			 const void *caller, uint32_t generation, uint64_t python, uint32_t id);

#endif
