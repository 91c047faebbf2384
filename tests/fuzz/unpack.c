/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever a program registers as a compressed bundle, taking a device's code object out of it (as
 * the preload library does) ends, and what comes out is readable. The first byte of the input says
 * whether the rest is such a bundle itself, or what one is to be made of, so that not only the
 * decoders see damage: bits 0 and 1 the method or "itself", bits 2 to 4 how far off the size is
 * that it claims, bit 5 whether the end is cut off.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the rest of the preload library would provide. */
struct hg_libc hg_libc;

size_t hg_readable_extent(const void *address)
{
	(void)address;
	return 0;
}

#define HEADER 24u
#define ROOM   (1u << 17)

/* Version 2 [docs/code-objects.md#compressed-bundles]. Returns its size. */
static size_t make(uint8_t *to, const uint8_t *data, size_t size, uint8_t how)
{
	uint16_t version = 2, method = how & 1;
	uint32_t total, claimed = (uint32_t)(size + (how >> 2 & 7) * (how >> 2 & 7) * 97);
	uLongf packed = ROOM - HEADER;

	if (method)
		packed = (uLongf)ZSTD_compress(to + HEADER, packed, data, size, 1);
	else
		compress2(to + HEADER, &packed, data, size, 1);
	total = (uint32_t)(HEADER + packed);
	memcpy(to, "CCOB", 4);
	memcpy(to + 4, &version, 2);
	memcpy(to + 6, &method, 2);
	memcpy(to + 8, &total, 4);
	memcpy(to + 12, &claimed, 4);
	memset(to + 16, 0, 8);
	return how & 1u << 5 ? total / 2 : total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hg_hip_device device = { .name = "gpu", .arch = "gfx90a:sramecc+:xnack-" };
	struct hg_hip_unpacked result = { 0 };
	char problem[HG_HIP_PROBLEM];
	uint8_t *image;
	size_t length;

	if (!device.known) {
		hg_libc.mmap = mmap;
		hg_libc.munmap = munmap;
		hg_libc.dlsym = dlsym;
		device.known = !codeobj_target_parse(device.arch, &device.target);
	}
	/* What is compressed must fit. */
	if (size < 9 || size > ROOM / 2)
		return 0;
	if (data[0] & 2) {
		length = size - 1;
		image = malloc(length);
		if (image)
			memcpy(image, data + 1, length);
	} else {
		uint8_t *made = malloc(ROOM);

		length = made ? make(made, data + 1, size - 1, data[0]) : 0;
		/* Of its exact size, for the address sanitizer. */
		image = malloc(length + 1);
		if (made && image) {
			memcpy(image, made, length);
			image = realloc(image, length);
		}
		free(made);
	}
	if (!image)
		return 0;
	hg_hip_unpack_prepare(image);
	if (!hg_hip_unpack(image, length, &device, &result, problem)) {
		volatile uint8_t last = result.size ? result.data[result.size - 1] : 0;

		(void)last;
		if (result.data < (uint8_t *)result.mapping ||
		    result.data + result.size > (uint8_t *)result.mapping + result.length)
			abort();
		munmap(result.mapping, result.length);
	}
	free(image);
	return 0;
}
