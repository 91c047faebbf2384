/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence of stale reads: which store wrote each byte last, as long as a kernel runs on several
 * XCDs, and loads that a cache serves with something older. l2.c tells both; log.c writes it down.
 *
 * Only stores are known, no read-modify-write operations, and of as many lines as there is room
 * for: a stale read may go unnoticed, and none is noticed that is not one. Nothing is locked, see
 * l2.h.
 */
#ifndef SOFTGPU_STALE_H
#define SOFTGPU_STALE_H

#include "interp.h"

/* The store that wrote a byte last. */
struct sg_writer {
	const char *kernel; /* borrowed until the next call */
	int64_t offset;     /* of the instruction, bytes from the kernel's entry */
	uint64_t group;
	unsigned xcd;
	uint8_t value;
};

/* The wave stores `size` bytes at `address`, all in one line of the caches. */
void sg_stale_stored(const struct sg_wave *wave, uint64_t address, unsigned size,
		     const uint8_t *from);
/* Forgets who stored these bytes: they change otherwise. */
void sg_stale_forget(uint64_t address, unsigned size);
/* Forgets everything, as no cache holds anything any more. */
void sg_stale_clear(void);

/* Returns true if anything is known of the line of that byte. */
bool sg_stale_knows(uint64_t address);
/* Returns true if the last store to that byte is known, and stores it in *writer. */
bool sg_stale_writer(uint64_t address, struct sg_writer *writer);
/* The wave's current instruction loaded that byte from a cache, after `writer` stored. */
void sg_stale_seen(const struct sg_wave *wave, uint64_t address, const struct sg_writer *writer);

#endif
