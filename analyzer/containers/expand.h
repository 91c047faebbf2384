/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of bytes from untrusted files. */
#ifndef HIPGRAIN_CONTAINERS_EXPAND_H
#define HIPGRAIN_CONTAINERS_EXPAND_H

#include <stddef.h>
#include <stdint.h>

enum expand_method { EXPAND_ZLIB, EXPAND_ZSTD };

/*
 * Expand the stream at `data`, of at most `size` bytes, to exactly `claimed` bytes in *out, which
 * the caller frees; *used is how many bytes the stream takes. Memory is only taken as bytes come
 * out, and never more than was claimed and one byte. -EINVAL if the stream is damaged, cut off or
 * shorter than claimed, -E2BIG if it is longer, -ENOMEM.
 */
int expand(enum expand_method method, const uint8_t *data, size_t size, size_t claimed,
	   uint8_t **out, size_t *used);

#endif
