/* SPDX-License-Identifier: Apache-2.0 */
/* This finds objects that call the HIP runtime without passing the preload library. */
#ifndef HIPGRAIN_PRELOAD_STACKS_HIP_BYPASS_H
#define HIPGRAIN_PRELOAD_STACKS_HIP_BYPASS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HG_BYPASS_NAMES 256u

/* Both are called in a callback of dl_iterate_phdr(), and take no lock. */

/* Returns true if an object is linked to a HIP runtime by itself. */
bool hg_bypass_concerns(const struct dl_phdr_info *info);

/*
 * Checks where the references of an object [start, end) to HIP functions lead now. `names` gets
 * those that lead into one of the runtimes instead of to us or to another tool, separated by
 * spaces, cut short with "..." if they are too many. Returns true if this is final: all are bound.
 */
struct hg_bypass_range {
	uintptr_t start, end;
};
bool hg_bypass_look(const struct dl_phdr_info *info, struct hg_bypass_range object,
		    const struct hg_bypass_range *runtimes, size_t count,
		    char names[HG_BYPASS_NAMES]);

#endif
