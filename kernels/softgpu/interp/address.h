/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFTGPU_ADDRESS_H
#define SOFTGPU_ADDRESS_H

#include "interp.h"

enum sg_space { SG_GLOBAL, SG_FLAT, SG_SCRATCH, SG_BUFFER };

/* Addresses of one vector memory instruction. */
struct sg_access {
	enum sg_space space; /* SG_GLOBAL, SG_FLAT, or SG_SCRATCH: offsets in private memory */
	uint64_t active;     /* lanes that access memory */
	uint64_t outside;    /* active lanes beyond a buffer's end: read 0, write nothing */
	uint64_t address[SG_LANES];
};

/*
 * Compute the addresses of `in`, whose operands are vaddr (number `v`) and what follows from the
 * space: saddr, or buffer resource and soffset, at number `s`. `size`: bytes per lane.
 * False after stopping the wave.
 */
bool sg_addresses(struct sg_wave *wave, const struct sg_insn *in, enum sg_space space, unsigned v,
		  unsigned s, unsigned size, struct sg_access *access);

/* The slow way of sg_access_pointer(). */
uint8_t *sg_access_resolve(struct sg_wave *wave, const struct sg_access *access, unsigned lane,
			   unsigned size, unsigned *state);

/*
 * Host pointer of one lane's access; NULL: nothing there (LDS) or the wave stopped. *state
 * receives the page's state, 0 for LDS and private memory.
 */
static inline uint8_t *sg_access_pointer(struct sg_wave *wave, const struct sg_access *access,
					 unsigned lane, unsigned size, unsigned *state)
{
	uint64_t address = access->address[lane], page = address >> SOFTGPU_PAGE_SHIFT;
	const struct sg_page *p = &wave->run->memory.page[page % SG_PAGE_CACHE];

	/* Apertures are never in the page cache, so flat addresses that hit it are global. */
	if (access->space != SG_SCRATCH && p->page == page + 1 &&
	    (address & (SOFTGPU_PAGE_SIZE - 1)) + size <= SOFTGPU_PAGE_SIZE) {
		*state = p->state;
		return (uint8_t *)(uintptr_t)(address + p->delta);
	}
	return sg_access_resolve(wave, access, lane, size, state);
}

/*
 * The common case: all lanes access consecutive elements of `size` bytes (4 or more) on one page
 * that is cached. Copied as vectors, aligned words still move in one piece. Returns the first one's
 * host pointer; NULL: go lane by lane.
 */
static inline uint8_t *sg_access_whole(const struct sg_wave *wave, const struct sg_access *access,
				       unsigned size)
{
	uint64_t first = access->address[0], page = first >> SOFTGPU_PAGE_SHIFT, differ = first & 3;
	const struct sg_page *p = &wave->run->memory.page[page % SG_PAGE_CACHE];
	unsigned l;

	if (~access->active || access->outside || access->space == SG_SCRATCH ||
	    p->page != page + 1 ||
	    (first & (SOFTGPU_PAGE_SIZE - 1)) + SG_LANES * size > SOFTGPU_PAGE_SIZE)
		return NULL;
	for (l = 0; l < SG_LANES; l++)
		differ |= access->address[l] - first - l * size;
	return differ ? NULL : (uint8_t *)(uintptr_t)(first + p->delta);
}

#endif
