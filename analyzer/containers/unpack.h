/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed offload bundles ("CCOB", versions 1 to 3, zlib or zstd;
 * docs/code-objects.md#compressed-bundles). Apart from codeobj, which is loaded into other
 * people's processes and depends on nothing.
 */
#ifndef HIPGRAIN_CONTAINERS_UNPACK_H
#define HIPGRAIN_CONTAINERS_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "codeobj/codeobj.h"

/* No bundle is expanded beyond this many bytes, nor beyond UNPACK_RATIO times what is there. */
#define UNPACK_LIMIT (UINT64_C(8) << 30)
#define UNPACK_RATIO 2048u

/*
 * Expand the compressed bundle at `data`, of which at most `size` bytes are readable. On success
 * *out is a buffer of *out_size bytes that the caller frees, and *used is how many bytes the
 * compressed bundle takes. The size that the header claims must be the real one, and memory is only
 * taken as bytes come out. -EINVAL if malformed or cut off, -ENOTSUP for an unknown version or
 * method, -E2BIG for what would exceed the limits, -ENOMEM; the reason is left in *error.
 */
int unpack_bundle(const void *data, size_t size, uint8_t **out, size_t *out_size, size_t *used,
		  struct codeobj_error *error);

#endif
