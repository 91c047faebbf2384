/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan has what `hipgrain run` found out about kernels before the program was started, in
 * lines such as these:
 *
 *   hipgrain-fix-plan 1
 *   object SHA256            a code object that was looked at
 *   kernel SYMBOL OFFSET...  of that object: where the pointers lie among its arguments through
 *                            which it does floating-point atomics that fine-grained memory loses;
 *                            with a "?" if it has others whose memory is not known
 */
#ifndef HIPGRAIN_PRELOAD_HIP_PLANNED_FIXES_H
#define HIPGRAIN_PRELOAD_HIP_PLANNED_FIXES_H

#include <stdbool.h>
#include <stdint.h>

struct hg_fix_kernel {
	struct hg_fix_kernel *next;
	const char *symbol;
	bool partial; /* it has atomics whose memory is not known */
	uint32_t count;
	uint32_t offsets[]; /* bytes in the kernarg segment */
};

/* Reads the file, which stays in memory. Returns "", or one line that says why it failed. */
const char *hg_fix_plan_read(const char *path, uint32_t *objects, uint32_t *kernels);

/* Returns true if the code object was looked at; *kernel is NULL if there is nothing to do for this
 * kernel. */
bool hg_fix_plan_find(const char *sha256, const char *symbol, const struct hg_fix_kernel **kernel);

#endif
