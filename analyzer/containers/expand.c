/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of bytes from files that may be damaged: zlib, zstd. */
#include "expand.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_ROOM 65536u
#define STEP_MAX   (1u << 30) /* zlib counts in 32 bits */

/* The bytes that have come out so far. */
struct growing {
	uint8_t *bytes;
	size_t size, room, limit; /* limit: as claimed */
};

/* Make room for more; one byte beyond the claim, to notice that more wants to come. */
static int grow(struct growing *to)
{
	size_t room = to->room ? to->room * 2 : FIRST_ROOM;
	uint8_t *bytes;

	if (to->size < to->room)
		return 0;
	if (room > to->limit + 1)
		room = to->limit + 1;
	if (room <= to->size)
		return -E2BIG;
	bytes = realloc(to->bytes, room);
	if (!bytes)
		return -ENOMEM;
	to->bytes = bytes;
	to->room = room;
	return 0;
}

/* Both return 0 and the bytes taken in *used, or a negative errno: -EINVAL if cut off or damaged.
 */

static int expand_zlib(const uint8_t *data, size_t size, struct growing *to, size_t *used)
{
	z_stream stream = { 0 };
	size_t taken = 0;
	int status, code = Z_OK;

	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	for (status = 0; !status && code != Z_STREAM_END;) {
		size_t in = size - taken < STEP_MAX ? size - taken : STEP_MAX, out;

		status = grow(to);
		if (status)
			break;
		out = to->room - to->size < STEP_MAX ? to->room - to->size : STEP_MAX;
		stream.next_in = (Bytef *)(uintptr_t)(data + taken);
		stream.avail_in = (uInt)in;
		stream.next_out = to->bytes + to->size;
		stream.avail_out = (uInt)out;
		code = inflate(&stream, Z_NO_FLUSH);
		taken += in - stream.avail_in;
		to->size += out - stream.avail_out;
		if (code == Z_MEM_ERROR)
			status = -ENOMEM;
		else if (code != Z_OK && code != Z_STREAM_END)
			status = -EINVAL;
	}
	inflateEnd(&stream);
	*used = taken;
	return status;
}

static int expand_zstd(const uint8_t *data, size_t size, struct growing *to, size_t *used)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, size, 0 };
	size_t rest = 1;
	int status = stream ? 0 : -ENOMEM;

	while (!status && rest) {
		ZSTD_outBuffer out;
		size_t taken = in.pos;

		status = grow(to);
		if (status)
			break;
		out = (ZSTD_outBuffer){ to->bytes + to->size, to->room - to->size, 0 };
		rest = ZSTD_decompressStream(stream, &out, &in);
		to->size += out.pos;
		if (ZSTD_isError(rest) ||
		    (rest && !out.pos && in.pos == taken && in.pos == in.size))
			status = -EINVAL;
	}
	ZSTD_freeDStream(stream);
	*used = in.pos;
	return status;
}

int expand(enum expand_method method, const uint8_t *data, size_t size, size_t claimed,
	   uint8_t **out, size_t *used)
{
	struct growing to = { .limit = claimed };
	int status = method == EXPAND_ZSTD ? expand_zstd(data, size, &to, used)
					   : expand_zlib(data, size, &to, used);

	if (!status && to.size != to.limit)
		status = to.size > to.limit ? -E2BIG : -EINVAL;
	if (status) {
		free(to.bytes);
		to.bytes = NULL;
	}
	*out = to.bytes;
	return status;
}
