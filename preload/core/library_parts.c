/* SPDX-License-Identifier: Apache-2.0 */
/* The list of parts that the linker collects, sorted by their order. */
#include "preload/core/parts.h"

/* Put between these two by the linker. */
extern const struct hg_part *const __start_hg_part_rows[] __attribute__((visibility("hidden")));
extern const struct hg_part *const __stop_hg_part_rows[] __attribute__((visibility("hidden")));

const struct hg_part *hg_parts[HG_PARTS_MAX];
unsigned hg_part_count;

void hg_parts_init(void)
{
	for (const struct hg_part *const *row = __start_hg_part_rows; row < __stop_hg_part_rows;
	     row++) {
		unsigned at = hg_part_count;

		if (at == HG_PARTS_MAX)
			__builtin_trap(); /* seen by every test */
		for (; at && hg_parts[at - 1]->order > (*row)->order; at--)
			hg_parts[at] = hg_parts[at - 1];
		hg_parts[at] = *row;
		hg_part_count++;
	}
}
