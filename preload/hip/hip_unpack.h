/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed bundles. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_UNPACK_H
#define HIPGRAIN_PRELOAD_HIP_HIP_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hip/hip_runtime.h"
#include "codeobj/codeobj.h"

struct hg_hip_device;

#define HG_HIP_PROBLEM sizeof(((struct codeobj_error *)0)->text)

struct hg_hip_unpacked {
	void *mapping; /* to be unmapped, `length` bytes */
	size_t length;
	const uint8_t *data; /* the code object, inside */
	uint64_t size;
	char target[256]; /* the entry's target id, by which it was chosen */
};

/*
 * Makes the decoder available, if a compressed bundle is at `image` (NULL and unreadable memory are
 * none). This is not called under a lock of ours: it may need the dynamic linker's.
 */
void hg_hip_unpack_prepare(const void *image);

/*
 * Unpacks the code object for a device from the compressed bundle at `image`, of which at most
 * `limit` bytes are readable. Returns 0, or a negative errno with the reason in `problem`, which
 * holds HG_HIP_PROBLEM bytes. On success the caller unmaps result->mapping.
 */
int hg_hip_unpack(const uint8_t *image, size_t limit, const struct hg_hip_device *device,
		  struct hg_hip_unpacked *result, char *problem);

#endif
