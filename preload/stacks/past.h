/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps the frames that a thread's walks have found, for the walks to come: stacks differ from
 * those before in their inner frames.
 *
 * The frames lie as they do in the stack, by their addresses, the outermost last. A walk that comes
 * to one of them in the same state needs no rules as long as the words that led from one to the
 * next are the same again: each word is compared, so that nothing is assumed about what happened in
 * between. Frames further out than a walk has gone stay for others.
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_PAST_H
#define HIPGRAIN_PRELOAD_STACKS_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"

#define HG_PAST_OWN_FRAMES 24u /* between the walk and the application; more is a runaway */
#define HG_PAST_WALK       (HG_STACK_DEPTH_MAX + HG_PAST_OWN_FRAMES + 1)
#define HG_PAST_FRAMES     320u

/*
 * These are the lowest bits of a frame's sp, which is a multiple of 8: they say what decides that
 * it follows the one before, and what is known of rbp.
 */
enum hg_past_flags {
	HG_PAST_RETURN = 0, /* the return address below sp */
	HG_PAST_BP = 1,     /* and where the frame before ends, which is found by rbp */
	HG_PAST_NONE = 2,   /* something else, or it does not follow */
	HG_PAST_LINK = 3,   /* these bits */
	HG_PAST_SAVED = 4,  /* it is known where rbp is saved, and not what it is */
	HG_PAST_FLAGS = 7,
};

struct hg_past_frame {
	uintptr_t ip, sp;
};

/* The rest of a frame, which is seldom needed. */
struct hg_past_more {
	uintptr_t bp; /* rbp, or where it is saved */
	uint64_t rule;
};

/*
 * There are as many of each kind, so that what belongs together has the same distance. Few frames
 * are kept at the end of `frames`, and go through the begin of `fresh`: that, with what else is
 * needed, is in one page, and so is what belongs to it.
 */
struct hg_past {
	struct hg_past_frame frames[HG_PAST_FRAMES + 1], fresh[HG_PAST_WALK];
	const void *walker; /* hg_tls of the thread that is walking; NULL: none is */
	uint32_t epoch;     /* of the rules; 0: the frames must not be used */
	uint32_t first;     /* of `frames`; the last one is above all others */
	struct hg_past_more more[HG_PAST_FRAMES + 1] __attribute__((aligned(4096)));
	struct hg_past_more fresh_more[HG_PAST_WALK];
};
_Static_assert(offsetof(struct hg_past, fresh_more) - offsetof(struct hg_past, more) ==
		   offsetof(struct hg_past, fresh),
	       "distance");

/* A walk beside the frames that are known. */
struct hg_past_walk {
	struct hg_past *past;            /* NULL: there is no memory for it */
	const struct hg_past_frame *old; /* none further in can be that of the walk */
	struct hg_past_frame *next;      /* of `fresh`: the frames that the walk found otherwise */
	/* Since here, of `frames`, it found what was known; how it came there. NULL: it did not. */
	const struct hg_past_frame *run;
	uintptr_t flags, run_flags; /* of the frame that comes next, of `run` */
	bool of_no_use;             /* its frames do not lie one after the other */
};

static inline struct hg_past_more *hg_past_more(const struct hg_past_frame *frame)
{
	_Static_assert(sizeof(struct hg_past_more) == sizeof(struct hg_past_frame), "distance");
	return (struct hg_past_more *)(void *)((char *)(uintptr_t)frame +
					       offsetof(struct hg_past, more) -
					       offsetof(struct hg_past, frames));
}

static inline uintptr_t hg_past_sp(const struct hg_past_frame *frame)
{
	return frame->sp & ~(uintptr_t)HG_PAST_FLAGS;
}

/* Adds a frame that the walk found otherwise. */
static inline void hg_past_add(struct hg_past_frame *next, uintptr_t ip, uintptr_t sp,
			       uintptr_t flags, uintptr_t bp, uint32_t rule)
{
	*next = (struct hg_past_frame){ ip, sp | flags };
	*hg_past_more(next) = (struct hg_past_more){ bp, rule };
}

/*
 * Begins a walk of the calling thread; *walk is zero. A walk in a signal's handler that has
 * interrupted another walk knows no frames. Every walk is to be ended.
 */
void hg_past_begin(struct hg_past_walk *walk, uint32_t epoch);
void hg_past_end(struct hg_past_walk *walk);
/* Ends the run of known frames at this frame, from which the walk goes on otherwise. */
void hg_past_end_run(struct hg_past_walk *walk, const struct hg_past_frame *at);
/* Keeps what the walk found, for the walks to come. The walk must be of use. */
void hg_past_keep(struct hg_past_walk *walk);

#endif
