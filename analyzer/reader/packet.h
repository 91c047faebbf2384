/* SPDX-License-Identifier: Apache-2.0 */
/* Every packet that LTTng-UST 2.x writes starts like this, as its traces' metadata describe it. */
#ifndef HIPGRAIN_READER_PACKET_H
#define HIPGRAIN_READER_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define PACKET_MAGIC 0xc1fc1fc1u

/* packet.header and the first members of packet.context; little-endian, without gaps. */
struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream;
	uint64_t instance;
	uint64_t begin, end; /* time stamps of its first and last event */
	uint64_t content_bits, packet_bits;
};
_Static_assert(sizeof(struct packet_header) == 64, "as the file has it");

/* Returns true if a packet begins there that ends within the `left` bytes of its file. */
static inline bool packet_is_whole(const struct packet_header *header, uint64_t left)
{
	return header->magic == PACKET_MAGIC && header->packet_bits / 8 >= sizeof(*header) &&
	       header->packet_bits / 8 <= left;
}

#endif
