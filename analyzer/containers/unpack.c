/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_ROOM 65536u
#define STEP_MAX   (1u << 30) /* zlib counts in 32 bits */

/* What has come out so far. */
struct growing {
	uint8_t *bytes;
	size_t size, room, limit; /* limit: as claimed */
};

static int fail(struct codeobj_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct codeobj_error *error, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return status;
}

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

int unpack_bundle(const void *data, size_t size, uint8_t **out, size_t *out_size, size_t *used,
		  struct codeobj_error *error)
{
	struct codeobj_compressed header;
	struct growing to = { 0 };
	size_t payload, taken = 0;
	const uint8_t *bytes = data;
	int status = codeobj_compressed_header(data, size, &header, error);

	*out = NULL;
	*out_size = *used = 0;
	if (status)
		return status;
	payload = header.total_size ? (size_t)header.total_size : size;
	payload -= (size_t)header.header_size;
	if (header.uncompressed_size > UNPACK_LIMIT ||
	    header.uncompressed_size / UNPACK_RATIO > payload)
		return fail(error, -E2BIG,
			    "compressed bundle claims to expand %zu bytes to %llu, which is absurd",
			    payload, (unsigned long long)header.uncompressed_size);
	to.limit = (size_t)header.uncompressed_size;
	bytes += header.header_size;
	status = header.method ? expand_zstd(bytes, payload, &to, &taken)
			       : expand_zlib(bytes, payload, &to, &taken);
	if (!status && to.size != to.limit)
		status = to.size > to.limit ? -E2BIG : -EINVAL;
	if (status) {
		free(to.bytes);
		if (status == -E2BIG)
			return fail(
			    error, -E2BIG,
			    "compressed bundle expands to more than the %zu bytes it claims",
			    to.limit);
		return fail(error, status,
			    status == -ENOMEM ? "compressed bundle: out of memory"
					      : "compressed bundle is damaged or cut off");
	}
	*out = to.bytes;
	*out_size = to.size;
	*used = (size_t)(header.total_size ? header.total_size : header.header_size + taken);
	return 0;
}
