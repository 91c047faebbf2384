/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose records say what is different, each in full (tracer/event_record.h). */
#ifndef HIPGRAIN_LAUNCHES_H
#define HIPGRAIN_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/event_record_reader.h"
#include "tracer/events.h"

struct hg_ev_args;
struct hg_ev_launch;

/* A launch, all of it. */
struct launch {
	uint16_t api, length; /* bytes of the arguments */
	uint32_t kernel_id;
	uint64_t words[HG_LAUNCH_WORDS]; /* enum hg_launch_word, then the arguments */
};

/* The latest launch of each slot of a page. */
struct launch_slots;
struct launch_slots *launch_slots_new(void);
void launch_slots_free(struct launch_slots *slots); /* NULL does nothing */

/*
 * Returns the launch that a record of one stands for, which lives until the next of its slot; NULL:
 * there is none of which it could say what is different. The record may be anything.
 */
const struct launch *launch_slots_take(struct launch_slots *slots, const struct hg_record *record);

/* Sets *launch but for its args_id. */
void launch_read(const struct launch *from, struct hg_ev_launch *launch);

static inline const uint8_t *launch_bytes(const struct launch *launch)
{
	return (const uint8_t *)&launch->words[HG_LAUNCH_STATE];
}

/*
 * Ids of the arguments of such launches, which have no event in which the recorder would have
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
