/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This tells how an address is reached through pointers that lie in memory: from the addresses that
 * memory instructions were seen with to the paths of isa.h.
 */
#ifndef HIPGRAIN_ISA_PATH_H
#define HIPGRAIN_ISA_PATH_H

#include "flow.h"
#include "isa.h"

/*
 * Every path by which `access` may reach memory, ascending and each once; none with a reason in
 * paths->why if one of them is not known. 0 or -ENOMEM, and then nothing is
 * to be released.
 */
int path_find(struct flow *flow, const struct access *access, struct isa_paths *paths);

/*
 * Finds the same for a word that it stores, as if that were an address: where the pointer leads.
 * There is none, and no reason in paths->why, if it is a constant.
 */
int path_find_word(struct flow *flow, const struct access *access, unsigned word,
		   struct isa_paths *paths);

/* Finds the same for a word of which `access` and another store each store one half. */
int path_find_halves(struct flow *flow, const struct access *access, value_id low, value_id high,
		     struct isa_paths *paths);

/* Returns true if two paths lead to the same place. */
bool path_same(const struct isa_path *a, const struct isa_path *b);

/* Release what it owns, not `path` itself. */
void path_free(struct isa_path *path);
/* Release what it owns, not `paths` itself. */
void path_clear(struct isa_paths *paths);

/* Add what an access does by each of its paths to the kernel's list. Takes over nothing. 0 or
 * -ENOMEM. */
int path_use(struct isa_kernel *kernel, const struct isa_paths *paths, unsigned access,
	     isa_when when);

/*
 * Adds the same of what it stores there: so many bytes, `distance` from where the paths lead.
 * `values` is what path_find_word() found, or NULL if it is not known what is stored; `certain` is
 * that of struct isa_store.
 */
int path_store(struct isa_kernel *kernel, const struct isa_paths *paths, int64_t distance,
	       uint32_t size, const struct isa_paths *values, isa_when when, isa_when certain);

#endif
