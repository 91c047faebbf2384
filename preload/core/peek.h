/* SPDX-License-Identifier: Apache-2.0 */
/* These read memory of the process itself, so that nothing faults and no page moves. */
#ifndef HIPGRAIN_PRELOAD_CORE_PEEK_H
#define HIPGRAIN_PRELOAD_CORE_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HG_PEEK_PIECES 16u

struct hg_piece {
	uint64_t address;
	size_t size;
};

/*
 * Copies the pieces, at most HG_PEEK_PIECES, one after the other to `to`, by process_vm_readv(2) or
 * where that is refused through a pipe. Returns how many bytes of them, from the first on, could be
 * read. Changes errno.
 */
size_t hg_peek(const struct hg_piece *pieces, unsigned count, void *to);

/*
 * Returns how many bytes from `address` on, at most `size`, lie in pages that are in the host's
 * memory: reading a page that is on a GPU would move it (docs/memory-model.md#residency). `pagemap`
 * is hg_pagemap_open()'s. Changes errno.
 */
size_t hg_resident(int pagemap, uint64_t address, size_t size);
int hg_pagemap_open(void); /* -1 where it is not allowed */
void hg_pagemap_close(int pagemap);

/* Returns true if something is mapped at an address (mincore(2)). Changes errno. */
bool hg_is_mapped(uint64_t address);

#endif
