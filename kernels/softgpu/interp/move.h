/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a whole wave's data between vector registers and host memory. */
#ifndef SOFTGPU_MOVE_H
#define SOFTGPU_MOVE_H

#include "interp.h"

/*
 * Least and greatest of the active lanes' values in `low`, which has at least one. False if `high`
 * (may be NULL) is not the same in all of them.
 */
bool sg_bounds(struct sg_wave *wave, const uint32_t *low, const uint32_t *high, uint32_t *least,
	       uint32_t *greatest);

/*
 * Load `size` (1, 2, 4, 8, 12 or 16) bytes at base + offset[l] into rows d[0], d[1]... for every
 * active lane; narrow ones are extended, by sign if `sign`. `offset` may be one of the rows.
 */
void sg_gather(struct sg_wave *wave, uint32_t (*d)[SG_LANES], const uint8_t *base,
	       const uint32_t *offset, unsigned size, bool sign);

/* The reverse, lane after lane. */
void sg_scatter(struct sg_wave *wave, const uint32_t (*d)[SG_LANES], uint8_t *base,
		const uint32_t *offset, unsigned size);

#endif
