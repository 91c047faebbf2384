/* SPDX-License-Identifier: Apache-2.0 */
/* The word that somebody who mistyped another one most likely meant. */
#ifndef HIPGRAIN_ANALYZER_CMDS_NEAREST_H
#define HIPGRAIN_ANALYZER_CMDS_NEAREST_H

#include <glib.h>

struct nearest {
	const char *word; /* what was typed; borrowed */
	const char *name; /* the nearest so far; NULL: none is near; borrowed from the caller */
	unsigned distance;
};

/*
 * Starts a search for the names near `word`. A name is near if at most one letter in three of
 * `word` (and at least one) was added, left out, replaced or exchanged with its neighbour.
 */
struct nearest nearest_to(const char *word);

/* Offers a name, which must outlive `nearest`. Of names that are equally near the first one stays.
 */
void nearest_offer(struct nearest *nearest, const char *name);

/*
 * Returns the long option ("--format", without a value) of the help text `usage` that is near
 * `word` ("--fromat=json"), for the caller to free; NULL if `word` is such an option, or none is
 * near.
 */
char *nearest_option(const char *usage, const char *word);

/* Returns the long options ("--format") of the help text `usage` that begin with `word`, without
 * its value; free functions are set. */
GPtrArray *options_beginning(const char *usage, const char *word);

#endif
