/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed offload bundles ("CCOB") to what they hold. */
#include "unpack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "expand.h"

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

int unpack_bundle(const void *data, size_t size, uint8_t **out, size_t *out_size, size_t *used,
		  struct codeobj_error *error)
{
	struct codeobj_compressed header;
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
		return fail(
		    error, -E2BIG,
		    "compressed bundle claims to expand %zu bytes to %llu, which is implausible",
		    payload, (unsigned long long)header.uncompressed_size);
	status = expand(header.method ? EXPAND_ZSTD : EXPAND_ZLIB, bytes + header.header_size,
			payload, (size_t)header.uncompressed_size, out, &taken);
	if (status == -E2BIG)
		return fail(error, status,
			    "compressed bundle expands to more than the %llu bytes it claims",
			    (unsigned long long)header.uncompressed_size);
	if (status)
		return fail(error, status,
			    status == -ENOMEM ? "compressed bundle: out of memory"
					      : "compressed bundle is damaged or cut off");
	*out_size = (size_t)header.uncompressed_size;
	*used = (size_t)(header.total_size ? header.total_size : header.header_size + taken);
	return 0;
}
