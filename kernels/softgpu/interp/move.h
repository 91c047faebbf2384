/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a whole wave's data between vector registers and host memory. */
#ifndef SOFTGPU_MOVE_H
#define SOFTGPU_MOVE_H

#include "interp.h"

#include <string.h>

/*
 * Four dwords of one lane <-> memory: one access if `p` is aligned to 16 bytes, since device code
 * polls such values (rocPRIM's look-back keeps a value and its flag in 16 bytes). Aligned 16-byte
 * moves are atomic on every x86-64 processor with AVX (Intel SDM volume 3, "Guaranteed Atomic
 * Operations"; AMD APM volume 2, "Access Atomicity").
 */
typedef uint32_t sg_quad __attribute__((vector_size(16), may_alias));

static inline sg_quad sg_load_quad(const uint8_t *p)
{
	sg_quad x;

	if ((uintptr_t)p % 16 == 0)
		return *(const volatile sg_quad *)(const void *)p;
	memcpy(&x, p, 16);
	return x;
}

static inline void sg_store_quad(uint8_t *p, sg_quad x)
{
	if ((uintptr_t)p % 16 == 0)
		*(volatile sg_quad *)(void *)p = x;
	else
		memcpy(p, &x, 16);
}

/*
 * Stores the least and the greatest of the active lanes' values in `low`, which has at least one.
 * False if `high` (may be NULL) is not the same in all of them.
 */
bool sg_bounds(struct sg_wave *wave, const uint32_t *low, const uint32_t *high, uint32_t *least,
	       uint32_t *greatest);

/*
 * Load `size` (1, 2, 4, 8, 12 or 16) bytes at base + offset[l] into rows d[0], d[1]... for every
 * active lane; narrow ones are extended, by sign if `sign`. `offset` may be one of the rows.
 */
void sg_gather(struct sg_wave *wave, uint32_t (*d)[SG_LANES], const uint8_t *base,
	       const uint32_t *offset, unsigned size, bool sign);

/* Copies the other way, lane after lane. */
void sg_scatter(struct sg_wave *wave, const uint32_t (*d)[SG_LANES], uint8_t *base,
		const uint32_t *offset, unsigned size);

#endif
