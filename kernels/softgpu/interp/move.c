/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers <-> memory for whole waves. Consecutive lanes that access consecutive elements move as
 * vectors (aligned words of 4, 8 and 16 bytes still in one piece each); anything else goes lane by
 * lane.
 */
#include "move.h"

/* Compiled twice where the loader can choose; its choice runs too early for the thread sanitizer.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

CLONES static bool bounds_all(const uint32_t *low, const uint32_t *high, uint32_t *least,
			      uint32_t *greatest)
{
	uint32_t min = low[0], max = low[0], differ = 0;
	unsigned l;

	for (l = 0; l < SG_LANES; l++) {
		min = low[l] < min ? low[l] : min;
		max = low[l] > max ? low[l] : max;
	}
	for (l = 0; high && l < SG_LANES; l++)
		differ |= high[l] ^ high[0];
	*least = min;
	*greatest = max;
	return !differ;
}

CLONES static bool bounds_some(const uint32_t *low, const uint32_t *high, const uint32_t *mask,
			       unsigned first, uint32_t *least, uint32_t *greatest)
{
	uint32_t some = low[first], top = high ? high[first] : 0, min = some, max = some,
		 differ = 0;
	unsigned l;

	for (l = 0; l < SG_LANES; l++) {
		uint32_t x = (low[l] & mask[l]) | (some & ~mask[l]);

		min = x < min ? x : min;
		max = x > max ? x : max;
	}
	for (l = 0; high && l < SG_LANES; l++)
		differ |= (high[l] ^ top) & mask[l];
	*least = min;
	*greatest = max;
	return !differ;
}

bool sg_bounds(struct sg_wave *wave, const uint32_t *low, const uint32_t *high, uint32_t *least,
	       uint32_t *greatest)
{
	uint64_t exec = sg_exec(wave);

	if (!~exec)
		return bounds_all(low, high, least, greatest);
	return bounds_some(low, high, sg_lane_mask(wave), (unsigned)__builtin_ctzll(exec), least,
			   greatest);
}

/* Do active lanes access consecutive elements? */
CLONES static bool consecutive(const uint32_t *offset, unsigned size)
{
	uint32_t differ = 0;
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		differ |= offset[l] - offset[0] - l * size;
	return !differ;
}

CLONES static bool consecutive_some(const uint32_t *offset, unsigned size, const uint32_t *mask,
				    unsigned first)
{
	uint32_t differ = 0, start = offset[first] - first * size;
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		differ |= (offset[l] - start - l * size) & mask[l];
	return !differ;
}

/* ---- loads ---- */

CLONES static void load_rows(uint32_t (*d)[SG_LANES], const uint8_t *p, unsigned size, bool sign)
{
	unsigned l;

#define EACH(type, step, code)                            \
	for (l = 0; l < SG_LANES; l++) {                  \
		type x;                                   \
                                                          \
		memcpy(&x, p + l * (step), sizeof(type)); \
		code                                      \
	}
	switch (size) {
	case 1:
		if (sign)
			EACH(int8_t, 1, d[0][l] = (uint32_t)x;)
		else
			EACH(uint8_t, 1, d[0][l] = x;)
		break;
	case 2:
		if (sign)
			EACH(int16_t, 2, d[0][l] = (uint32_t)x;)
		else
			EACH(uint16_t, 2, d[0][l] = x;)
		break;
	case 4:
		memcpy(d[0], p, sizeof(d[0]));
		break;
	case 8:
		EACH(uint64_t, 8, d[0][l] = (uint32_t)x; d[1][l] = (uint32_t)(x >> 32);)
		break;
	case 16:
		for (l = 0; l < SG_LANES; l++) {
			sg_quad x = sg_load_quad(p + 16 * l);

			for (unsigned i = 0; i < 4; i++)
				d[i][l] = x[i];
		}
		break;
	default:
		for (unsigned i = 0; i < size / 4; i++)
			EACH(uint32_t, size, memcpy(&x, p + l * size + 4 * i, 4); d[i][l] = x;)
	}
#undef EACH
}

CLONES static void load_masked(uint32_t *d, const uint8_t *p, const uint32_t *mask)
{
	const uint32_t __attribute__((may_alias, aligned(1))) *from = (const void *)p;
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		if (mask[l])
			d[l] = from[l];
}

static inline __attribute__((always_inline)) void
load_lane(uint32_t (*d)[SG_LANES], unsigned l, const uint8_t *p, unsigned size, bool sign)
{
	uint16_t h;
	uint64_t q;

	switch (size) {
	case 1:
		d[0][l] = sign ? (uint32_t)(int8_t)*p : *p;
		break;
	case 2:
		memcpy(&h, p, 2);
		d[0][l] = sign ? (uint32_t)(int16_t)h : h;
		break;
	case 4:
		memcpy(&d[0][l], p, 4);
		break;
	case 8:
		memcpy(&q, p, 8); /* one access: device code polls 64-bit values */
		d[0][l] = (uint32_t)q;
		d[1][l] = (uint32_t)(q >> 32);
		break;
	case 16: {
		sg_quad x = sg_load_quad(p);

		for (unsigned i = 0; i < 4; i++)
			d[i][l] = x[i];
		break;
	}
	default:
		for (unsigned i = 0; i < size / 4; i++)
			memcpy(&d[i][l], p + 4 * i, 4);
	}
}

/* An instruction may overwrite its own addresses: each lane's is read before its data is written.
 */
#define FOR_ACTIVE(code)                                          \
	do {                                                      \
		if (!~exec) {                                     \
			for (l = 0; l < SG_LANES; l++)            \
				code;                             \
		} else {                                          \
			for (uint64_t m = exec; m; m &= m - 1) {  \
				l = (unsigned)__builtin_ctzll(m); \
				code;                             \
			}                                         \
		}                                                 \
	} while (0)

void sg_gather(struct sg_wave *wave, uint32_t (*d)[SG_LANES], const uint8_t *base,
	       const uint32_t *offset, unsigned size, bool sign)
{
	uint64_t exec = sg_exec(wave);
	unsigned l;

	if (!~exec && consecutive(offset, size)) {
		load_rows(d, base + offset[0], size, sign);
		return;
	}
	if (~exec && size == 4) {
		const uint32_t *mask = sg_lane_mask(wave);
		unsigned first = (unsigned)__builtin_ctzll(exec);

		if (consecutive_some(offset, 4, mask, first)) {
			load_masked(d[0], base + offset[first] - first * 4, mask);
			return;
		}
	}
	switch (size) {
	case 1:
		if (sign)
			FOR_ACTIVE(load_lane(d, l, base + offset[l], 1, true));
		else
			FOR_ACTIVE(load_lane(d, l, base + offset[l], 1, false));
		break;
	case 2:
		if (sign)
			FOR_ACTIVE(load_lane(d, l, base + offset[l], 2, true));
		else
			FOR_ACTIVE(load_lane(d, l, base + offset[l], 2, false));
		break;
	case 4:
		FOR_ACTIVE(load_lane(d, l, base + offset[l], 4, false));
		break;
	case 8:
		FOR_ACTIVE(load_lane(d, l, base + offset[l], 8, false));
		break;
	case 12:
		FOR_ACTIVE(load_lane(d, l, base + offset[l], 12, false));
		break;
	default:
		FOR_ACTIVE(load_lane(d, l, base + offset[l], 16, false));
	}
}

/* ---- stores ---- */

CLONES static void store_rows(const uint32_t (*d)[SG_LANES], uint8_t *p, unsigned size)
{
	unsigned l;

	switch (size) {
	case 4:
		memcpy(p, d[0], sizeof(d[0]));
		break;
	case 8:
		for (l = 0; l < SG_LANES; l++) {
			uint64_t q = (uint64_t)d[1][l] << 32 | d[0][l];

			memcpy(p + 8 * l, &q, 8);
		}
		break;
	default:
		for (l = 0; l < SG_LANES; l++)
			memcpy(p + size * l, &d[0][l], size);
	}
}

static inline __attribute__((always_inline)) void store_lane(const uint32_t (*d)[SG_LANES],
							     unsigned l, uint8_t *p, unsigned size)
{
	uint64_t q;

	if (size <= 4) {
		memcpy(p, &d[0][l], size);
	} else if (size == 8) {
		q = (uint64_t)d[1][l] << 32 | d[0][l];
		memcpy(p, &q, 8);
	} else if (size == 16) {
		sg_store_quad(p, (sg_quad){ d[0][l], d[1][l], d[2][l], d[3][l] });
	} else {
		for (unsigned i = 0; i < size / 4; i++)
			memcpy(p + 4 * i, &d[i][l], 4);
	}
}

void sg_scatter(struct sg_wave *wave, const uint32_t (*d)[SG_LANES], uint8_t *base,
		const uint32_t *offset, unsigned size)
{
	uint64_t exec = sg_exec(wave);
	unsigned l;

	if (!~exec && size <= 8 && consecutive(offset, size)) {
		store_rows(d, base + offset[0], size);
		return;
	}
	switch (size) {
	case 1:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 1));
		break;
	case 2:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 2));
		break;
	case 4:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 4));
		break;
	case 8:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 8));
		break;
	case 12:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 12));
		break;
	default:
		FOR_ACTIVE(store_lane(d, l, base + offset[l], 16));
	}
}
