/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a place among rows that are sorted by an address. */
#ifndef HIPGRAIN_ISA_SEARCH_H
#define HIPGRAIN_ISA_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Returns the number of rows whose address is at most `address`: the index behind the last of them.
 * `rows` is an array of `count` structures of `size` bytes with the address, 64 bits, `offset`
 * bytes inside.
 */
static inline size_t rows_up_to(const void *rows, size_t count, size_t size, size_t offset,
				uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;

		memcpy(&at, (const char *)rows + middle * size + offset, sizeof(at));
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define ROWS_UP_TO(rows, count, member, address) \
	rows_up_to(rows, count, sizeof(*(rows)), offsetof(__typeof__(*(rows)), member), address)

#endif
