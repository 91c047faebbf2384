/* SPDX-License-Identifier: Apache-2.0 */
/* The files of state.h share this: the lanes that are set aside, by the names of their masks. */
#ifndef HIPGRAIN_ISA_STATE_INTERNAL_H
#define HIPGRAIN_ISA_STATE_INTERNAL_H

#include "state.h"

/* Set a file, of which this takes a reference, aside as number `at`. 0, or -ENOSPC: too many. */
int state_aside_insert(struct state *state, unsigned at, uint32_t name, struct lane_file *file);

/* Returns the place of a name among the files set aside: 0 the root, -1 absent. */
int state_place_of(const struct state *state, uint32_t name);

/*
 * Forget masks of sites that this state has not passed, or has left: elsewhere their names may come
 * to stand for other lanes. And those of site `renewed`, which now stands for others (SITE_ROOT:
 * none). 1 if there were any, else 0.
 */
int state_forget_masks(struct value_store *store, struct state *state, uint32_t renewed);

#endif
