/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM's own container of device images, in section .llvm.offloading of objects and executables
 * that clang compiled for OpenMP (or with --offload-new-driver), or in a file of its own. As the
 * files of clang 19 show it, little endian:
 *
 *   header   u8 magic[4] = 10 ff 10 ad, u32 version = 1, u64 size, u64 entry's offset, its size
 *   entry    u16 kind of image, u16 programming model, u32 flags, u64 strings' offset, their
 * number, u64 image's offset, its size string   u64 key's offset, u64 value's offset, both
 * NUL-terminated: "arch", "triple"
 *
 * Offsets are from the header. One header has one entry; several lie one after the other.
 */
#include <errno.h>

#include "codeobj_internal.h"

#define OFFLOAD_HEADER 32u
#define OFFLOAD_ENTRY  40u
#define OFFLOAD_STRING 16u

static bool string_at(const uint8_t *data, uint64_t size, uint64_t offset, const char **text)
{
	if (offset >= size || !memchr(data + offset, 0, (size_t)(size - offset)))
		return false;
	*text = (const char *)data + offset;
	return true;
}

int codeobj_offload(const void *data, size_t readable, struct codeobj_offload *offload,
		    struct codeobj_error *error)
{
	const uint8_t *bytes = data, *entry, *pair;
	uint64_t size, at, length, strings, count;
	const char *key, *value;

	memset(offload, 0, sizeof(*offload));
	offload->arch = offload->triple = "";
	if (readable < OFFLOAD_HEADER || memcmp(bytes, CODEOBJ_OFFLOAD_MAGIC, 4))
		return codeobj_fail(error, -EINVAL, "not an offload binary");
	if (codeobj_u32(bytes + 4) != 1)
		return codeobj_fail(error, -ENOTSUP, "offload binary has unknown version %u",
				    codeobj_u32(bytes + 4));
	size = codeobj_u64(bytes + 8);
	at = codeobj_u64(bytes + 16);
	length = codeobj_u64(bytes + 24);
	if (size < OFFLOAD_HEADER || size > readable)
		return codeobj_fail(error, -EINVAL,
				    "offload binary claims %llu bytes where %zu are there",
				    (unsigned long long)size, readable);
	offload->total_size = size;
	if (length < OFFLOAD_ENTRY || !codeobj_inside(at, length, size))
		return codeobj_fail(error, -EINVAL, "offload binary's entry lies outside of it");
	entry = bytes + at;
	offload->kind = codeobj_u16(entry);
	offload->size = codeobj_u64(entry + 32);
	at = codeobj_u64(entry + 24);
	if (!codeobj_inside(at, offload->size, size))
		return codeobj_fail(error, -EINVAL, "offload binary's image lies outside of it");
	offload->data = bytes + at;
	strings = codeobj_u64(entry + 8);
	count = codeobj_u64(entry + 16);
	if (count > size / OFFLOAD_STRING || !codeobj_inside(strings, count * OFFLOAD_STRING, size))
		return codeobj_fail(error, -EINVAL, "offload binary's strings lie outside of it");
	for (pair = bytes + strings; count; count--, pair += OFFLOAD_STRING) {
		if (!string_at(bytes, size, codeobj_u64(pair), &key) ||
		    !string_at(bytes, size, codeobj_u64(pair + 8), &value))
			return codeobj_fail(error, -EINVAL,
					    "offload binary's strings lie outside of it");
		if (!strcmp(key, "arch"))
			offload->arch = value;
		else if (!strcmp(key, "triple"))
			offload->triple = value;
	}
	return 0;
}
