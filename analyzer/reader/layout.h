/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many bytes each event of a trace takes, as its metadata says: enough to step from event to
 * event. Of metadata only what LTTng-UST 2.x writes on x86-64 is understood, word by word: CTF 1.8,
 * little-endian, every field at the next byte. All other metadata and all that events mean is
 * libbabeltrace2's business.
 */
#ifndef HIPGRAIN_READER_LAYOUT_H
#define HIPGRAIN_READER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout;
struct layout_stream;

/* Of a trace's directory; NULL if its metadata is of another form, or has no `batch`. layout_free()
 * it. */
struct layout *layout_read(const char *trace);
void layout_free(struct layout *layout);

/* What the packets of that number in their header hold, NULL if nothing is known; the layout's. */
const struct layout_stream *layout_stream(const struct layout *layout, uint32_t number);

/* Bytes from the start of a packet to its first event. */
#define LAYOUT_PACKET_HEAD 84u

/*
 * Where the event that begins at data[at] ends; 0 if that is beyond `size`, or its type is not
 * known. *records: where a `batch` has the number of its records (16 bits; the records follow, 64
 * bits each, up to the end), else 0.
 */
size_t layout_skip(const struct layout_stream *stream, const uint8_t *data, size_t at, size_t size,
		   size_t *records);

#endif
