/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of the copy engines of gfx9 (SDMA 4), those that AMD's runtime writes [ROCR24
 * sdma_registers.h].
 */
#ifndef SOFTKFD_SDMA_H
#define SOFTKFD_SDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDMA_MAX_WORDS 13u

enum sdma_kind {
	SDMA_NOP,
	SDMA_COPY,
	SDMA_COPY_RECTANGLE,
	SDMA_FENCE,
	SDMA_TRAP,
	SDMA_POLL,
	SDMA_FLUSH, /* of caches, which are coherent here */
	SDMA_ADD64,
	SDMA_FILL,
	SDMA_TIMESTAMP,
};

/* A side of a rectangle, in bytes. */
struct sdma_side {
	uint64_t address; /* of its first byte */
	uint64_t pitch, slice;
};

struct sdma_packet {
	enum sdma_kind kind;
	uint32_t words; /* its length in the ring */
	/* COPY, FILL: bytes. The address is also that of FENCE, POLL, ADD64, TIMESTAMP. */
	uint64_t address, source, size;
	uint64_t value;    /* FENCE, POLL: 32 bits; ADD64; FILL: a repeated word; TRAP: event */
	uint32_t mask;     /* POLL */
	unsigned function; /* POLL: how the value is compared, 0: always, 1: < ... 6: > */
	unsigned element;  /* FILL: bytes of the value */
	struct sdma_side from, to;     /* COPY_RECTANGLE */
	uint64_t width, height, depth; /* COPY_RECTANGLE: bytes, rows, slices */
};

/*
 * Reads the packet that starts at words[0], of which `count` words are there. 0; -EAGAIN: it is
 * longer (packet->words, if that is known); -EINVAL: it is none of the above.
 */
int sdma_decode(const uint32_t *words, size_t count, struct sdma_packet *packet);
/* Does the value at a poll's address let it pass? */
bool sdma_poll_passes(const struct sdma_packet *packet, uint32_t value);

#endif
