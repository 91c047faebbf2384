// SPDX-License-Identifier: Apache-2.0
/* Decodes the packets of a copy engine. Their words come from the program: any may be there. */
#include "kernels/softkfd/sdma.h"

#include <errno.h>

#define OPERATION(header)     ((header)&0xff)
#define SUBOPERATION(header)  ((header) >> 8 & 0xff)
#define NOP_WORDS(header)     ((header) >> 16 & 0x3fff)
#define POLL_FLUSHES(header)  ((header) >> 26 & 1) /* or waits for the HDP's registers */
#define POLL_FUNCTION(header) ((header) >> 28 & 7)
#define POLL_MEMORY(header)   ((header) >> 31)
#define ATOMIC(header)        ((header) >> 25)
#define ELEMENT(header)       ((header) >> 29) /* log2 of its bytes */
#define FILL_ELEMENT(header)  ((header) >> 30)
#define SWAPS                 0x03030000u /* of both sides: other byte orders */

enum { ATOMIC_ADD64 = 47, LARGEST_ELEMENT = 4, FILL_WORDS = 2 };

/* The operation, suboperation and number of words of each packet. */
static const struct row {
	enum sdma_kind kind;
	uint8_t operation, suboperation, words;
} rows[] = {
	{ SDMA_NOP, 0, 0, 1 },    { SDMA_COPY, 1, 0, 7 },  { SDMA_COPY_RECTANGLE, 1, 4, 13 },
	{ SDMA_FENCE, 5, 0, 4 },  { SDMA_TRAP, 6, 0, 2 },  { SDMA_POLL, 8, 0, 6 },
	{ SDMA_ADD64, 10, 0, 8 }, { SDMA_FILL, 11, 0, 5 }, { SDMA_TIMESTAMP, 13, 2, 3 },
	{ SDMA_FLUSH, 17, 1, 5 },
};

static uint64_t pair(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

static int decode_copy(const uint32_t *words, struct sdma_packet *packet)
{
	if (words[2] & SWAPS)
		return -EINVAL;
	packet->size = (uint64_t)(words[1] & 0x3fffffff) + 1;
	packet->source = pair(&words[3]);
	packet->address = pair(&words[5]);
	return 0;
}

/* Decodes five words: address, x and y, z and pitch, slice. Offsets and distances are in
 * elements. */
static struct sdma_side decode_side(const uint32_t *words, unsigned element)
{
	uint64_t x = words[2] & 0x3fff, y = words[2] >> 16 & 0x3fff, z = words[3] & 0x7ff;
	struct sdma_side side = {
		.pitch = (uint64_t)((words[3] >> 13) + 1) << element,
		.slice = (uint64_t)((words[4] & 0xfffffff) + 1) << element,
	};

	side.address = pair(words) + (x << element) + y * side.pitch + z * side.slice;
	return side;
}

static int decode_rectangle(const uint32_t *words, struct sdma_packet *packet)
{
	unsigned element = ELEMENT(words[0]);

	if (element > LARGEST_ELEMENT || words[12] & SWAPS)
		return -EINVAL;
	packet->from = decode_side(&words[1], element);
	packet->to = decode_side(&words[6], element);
	packet->width = (uint64_t)((words[11] & 0x3fff) + 1) << element;
	packet->height = (words[11] >> 16 & 0x3fff) + 1;
	packet->depth = (words[12] & 0x7ff) + 1;
	return 0;
}

static int decode_poll(const uint32_t *words, struct sdma_packet *packet)
{
	/* Without memory it waits for registers, which the runtime does to flush the HDP. */
	if (POLL_FLUSHES(words[0]) || !POLL_MEMORY(words[0])) {
		packet->kind = SDMA_FLUSH;
		return 0;
	}
	packet->address = pair(&words[1]);
	packet->value = words[3];
	packet->mask = words[4];
	packet->function = POLL_FUNCTION(words[0]);
	return packet->function == 7 ? -EINVAL : 0;
}

static int decode_fill(const uint32_t *words, struct sdma_packet *packet)
{
	if (FILL_ELEMENT(words[0]) > FILL_WORDS)
		return -EINVAL;
	packet->element = 1u << FILL_ELEMENT(words[0]);
	packet->address = pair(&words[1]);
	packet->value = words[3];
	/* The count is that of bytes less one element. */
	packet->size = (words[4] & 0x3fffff & ~(packet->element - 1)) + packet->element;
	return 0;
}

static const struct row *find(uint32_t header)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].operation == OPERATION(header) &&
		    rows[i].suboperation == SUBOPERATION(header))
			return &rows[i];
	return NULL;
}

int sdma_decode(const uint32_t *words, size_t count, struct sdma_packet *packet)
{
	const struct row *row;

	*packet = (struct sdma_packet){ .words = 1 };
	if (!count)
		return -EAGAIN;
	row = find(words[0]);
	if (!row)
		return -EINVAL;
	packet->kind = row->kind;
	packet->words = row->words;
	if (row->kind == SDMA_NOP)
		packet->words += NOP_WORDS(words[0]);
	else if (count < row->words)
		return -EAGAIN;
	switch (row->kind) {
	case SDMA_COPY:
		return decode_copy(words, packet);
	case SDMA_COPY_RECTANGLE:
		return decode_rectangle(words, packet);
	case SDMA_POLL:
		return decode_poll(words, packet);
	case SDMA_FILL:
		return decode_fill(words, packet);
	case SDMA_FENCE:
		packet->address = pair(&words[1]);
		packet->value = words[3];
		break;
	case SDMA_TRAP:
		packet->value = words[1] & 0xfffffff;
		break;
	case SDMA_ADD64:
		if (ATOMIC(words[0]) != ATOMIC_ADD64)
			return -EINVAL;
		packet->address = pair(&words[1]);
		packet->value = pair(&words[3]);
		break;
	case SDMA_TIMESTAMP:
		packet->address = pair(&words[1]);
		break;
	case SDMA_NOP:
	case SDMA_FLUSH:
		break;
	}
	return 0;
}

bool sdma_poll_passes(const struct sdma_packet *packet, uint32_t value)
{
	uint32_t reference = (uint32_t)packet->value;

	value &= packet->mask;
	switch (packet->function) {
	case 0:
		return true;
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	default:
		return value > reference;
	}
}
