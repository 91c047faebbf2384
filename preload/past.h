/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that call the HIP runtime past us. */
#ifndef HIPGRAIN_PRELOAD_PAST_H
#define HIPGRAIN_PRELOAD_PAST_H

#include "preload.h"

#define HG_PAST_NAMES 256u

/* Both are called in a callback of dl_iterate_phdr(), and take no lock. */

/* Whether an object is linked to a HIP runtime by itself. */
bool hg_past_concerns(const struct dl_phdr_info *info);

/*
 * Look where the references of an object [start, end) to HIP functions lead now: `names` becomes
 * those that lead into one of the runtimes instead of to us or to another tool, separated by
 * spaces, cut short with "..." where they are too many. Whether that will stay so: all are bound.
 */
struct hg_past_range {
	uintptr_t start, end;
};
bool hg_past_look(const struct dl_phdr_info *info, struct hg_past_range object,
		  const struct hg_past_range *runtimes, size_t count, char names[HG_PAST_NAMES]);

#endif
