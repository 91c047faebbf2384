/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in batches, each in full (tracer/batch_events.h). */
#ifndef HIPGRAIN_LAUNCHES_H
#define HIPGRAIN_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/events.h"

/*
 * A copy of a batch's `*words` words, for g_free(), in which each HG_RECORD_LAUNCH_CHANGED is the
 * HG_RECORD_LAUNCH that it stands for; *words: of the copy. One without a launch that it changes
 * becomes an HG_RECORD_RELAUNCH of nothing, so that it counts as an orphan. A record that is not
 * whole, or not known, ends the copy as it ends the batch. The input may be anything.
 */
uint64_t *launches_expand(const uint64_t *records, uint32_t *words);

/*
 * The launch that an HG_RECORD_LAUNCH of launches_expand() is, without its args_id. *bytes: its
 * arguments, so many, inside the record.
 */
void launches_read(const uint64_t *record, struct hg_ev_launch *launch, const uint8_t **bytes,
		   uint32_t *length);

/*
 * Ids of the arguments of batched launches, which have no event in which the recorder would have
 * given them one: above those of the recorder's. One stands for a hash of 64 bits, as the
 * recorder's do.
 */
struct launch_arguments;
struct launch_arguments *launch_arguments_new(void);
void launch_arguments_free(struct launch_arguments *arguments);

/*
 * Sets the launch's args_id; true if that is new, and to be announced by an `args`. `image` differs
 * for each program image of one pid. Where there are very many, some get a second id.
 */
bool launch_arguments_id(struct launch_arguments *arguments, int32_t pid, unsigned image,
			 struct hg_ev_launch *launch, const uint8_t *bytes, uint32_t length);
/* The recorder gave these an id itself: whole, and not veiled. */
void launch_arguments_known(struct launch_arguments *arguments, int32_t pid, unsigned image,
			    const struct hg_ev_args *known);

#endif
