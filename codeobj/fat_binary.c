/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binary wrappers, offload bundles, the header of compressed ones (docs/code-objects.md). */
#include <errno.h>

#include "codeobj_internal.h"

#define WRAPPER_MAGIC 0x48495046u /* "FPIH" in memory */
#define BUNDLE_MAGIC  "__CLANG_OFFLOAD_BUNDLE__"
#define BUNDLE_HEADER 32u /* magic and the number of entries */
#define ENTRY_HEADER  24u /* offset, size, length of the id */
#define CCOB_MAGIC    "CCOB"

static const size_t magic_size = sizeof(BUNDLE_MAGIC) - 1;

int codeobj_wrapper(const void *data, size_t size, uint64_t *binary, struct codeobj_error *error)
{
	const uint8_t *bytes = data;

	if (size < CODEOBJ_WRAPPER_SIZE)
		return codeobj_fail(error, -EINVAL, "fat binary wrapper of %zu bytes is too short",
				    size);
	if (codeobj_u32(bytes) != WRAPPER_MAGIC)
		return codeobj_fail(error, -EINVAL, "fat binary wrapper has unknown magic 0x%08x",
				    codeobj_u32(bytes));
	if (codeobj_u32(bytes + 4) != 1)
		return codeobj_fail(error, -ENOTSUP, "fat binary wrapper has unknown version %u",
				    codeobj_u32(bytes + 4));
	*binary = codeobj_u64(bytes + 8);
	return 0;
}

int codeobj_bundle_open(struct codeobj_bundle *bundle, const void *data, size_t size,
			struct codeobj_error *error)
{
	memset(bundle, 0, sizeof(*bundle));
	if (size >= 4 && !memcmp(data, CCOB_MAGIC, 4))
		return codeobj_fail(error, -ENOTSUP, "compressed bundle (CCOB)");
	if (size < BUNDLE_HEADER)
		return codeobj_fail(error, -EINVAL, "offload bundle of %zu bytes is too short",
				    size);
	if (memcmp(data, BUNDLE_MAGIC, magic_size))
		return codeobj_fail(error, -EINVAL, "not an offload bundle");
	bundle->data = data;
	bundle->size = size;
	bundle->count = codeobj_u64(bundle->data + magic_size);
	bundle->position = BUNDLE_HEADER;
	return 0;
}

/*
 * "<kind>-<triple>[-<target id>]" where the triple itself has two, three or four parts, some of
 * them empty: the target id is the last part that starts with "gfx" after a dash, or "amdgcnspirv".
 */
static void split_id(struct codeobj_entry *entry)
{
	size_t kind_length = strcspn(entry->id, "-");

	if (kind_length >= sizeof(entry->kind))
		kind_length = sizeof(entry->kind) - 1;
	memcpy(entry->kind, entry->id, kind_length);
	entry->kind[kind_length] = 0;
	entry->target = entry->id + strlen(entry->id);
	for (const char *p = entry->id; (p = strstr(p, "-gfx")); p++)
		entry->target = p + 1;
	if (!*entry->target && strstr(entry->id, "-amdgcnspirv"))
		entry->target = strstr(entry->id, "-amdgcnspirv") + 1;
}

int codeobj_bundle_next(struct codeobj_bundle *bundle, struct codeobj_entry *entry,
			struct codeobj_error *error)
{
	const uint8_t *head = bundle->data + bundle->position;
	uint64_t index = bundle->next, length;

	if (index >= bundle->count)
		return 0;
	if (!codeobj_inside(bundle->position, ENTRY_HEADER, bundle->size))
		return codeobj_fail(error, -EINVAL,
				    "offload bundle ends inside its entry %llu of %llu",
				    (unsigned long long)index, (unsigned long long)bundle->count);
	memset(entry, 0, sizeof(*entry));
	entry->offset = codeobj_u64(head);
	entry->size = codeobj_u64(head + 8);
	length = codeobj_u64(head + 16);
	if (!codeobj_inside(bundle->position + ENTRY_HEADER, length, bundle->size))
		return codeobj_fail(error, -EINVAL,
				    "offload bundle ends inside the id of entry %llu",
				    (unsigned long long)index);
	if (length >= sizeof(entry->id))
		return codeobj_fail(
		    error, -EINVAL,
		    "id of offload bundle entry %llu has %llu bytes, which is implausible",
		    (unsigned long long)index, (unsigned long long)length);
	if (!codeobj_inside(entry->offset, entry->size, bundle->size))
		return codeobj_fail(error, -EINVAL,
				    "offload bundle entry %llu lies outside of the bundle",
				    (unsigned long long)index);
	memcpy(entry->id, head + ENTRY_HEADER, (size_t)length);
	entry->id[length] = 0;
	split_id(entry);
	entry->data = bundle->data + entry->offset;
	bundle->position += ENTRY_HEADER + (size_t)length;
	bundle->next++;
	return 1;
}

int codeobj_bundle_extent(const void *data, size_t size, uint64_t *extent,
			  struct codeobj_error *error)
{
	struct codeobj_bundle bundle;
	struct codeobj_entry entry;
	int rc = codeobj_bundle_open(&bundle, data, size, error);
	uint64_t end = BUNDLE_HEADER;

	if (rc)
		return rc;
	while ((rc = codeobj_bundle_next(&bundle, &entry, error)) > 0)
		if (entry.offset + entry.size > end)
			end = entry.offset + entry.size;
	if (end < bundle.position)
		end = bundle.position;
	*extent = end;
	return rc;
}

int codeobj_bundle_find(const void *section, size_t size, size_t from, size_t *offset)
{
	const uint8_t *bytes = section;

	if (from > SIZE_MAX - 7)
		return -ENOENT;
	for (size_t at = (from + 7) & ~(size_t)7; codeobj_inside(at, BUNDLE_HEADER, size);
	     at += 8) {
		struct codeobj_compressed header;

		if (memcmp(bytes + at, BUNDLE_MAGIC, magic_size) &&
		    (memcmp(bytes + at, CCOB_MAGIC, 4) ||
		     codeobj_compressed_header(bytes + at, size - at, &header, NULL)))
			continue;
		*offset = at;
		return 0;
	}
	return -ENOENT;
}

int codeobj_compressed_header(const void *data, size_t size, struct codeobj_compressed *header,
			      struct codeobj_error *error)
{
	const uint8_t *bytes = data;
	static const uint8_t header_sizes[] = { 0, 20, 24, 32 }; /* by version */

	memset(header, 0, sizeof(*header));
	if (size < 8 || memcmp(bytes, CCOB_MAGIC, 4))
		return codeobj_fail(error, -EINVAL, "not a compressed bundle");
	header->version = codeobj_u16(bytes + 4);
	header->method = codeobj_u16(bytes + 6);
	if (header->version < 1 || header->version > 3)
		return codeobj_fail(error, -ENOTSUP, "compressed bundle has unknown version %u",
				    header->version);
	header->header_size = header_sizes[header->version];
	if (size < header->header_size)
		return codeobj_fail(error, -EINVAL, "compressed bundle ends inside its header");
	if (header->method > 1)
		return codeobj_fail(error, -ENOTSUP,
				    "compressed bundle uses unknown compression method %u",
				    header->method);
	switch (header->version) {
	case 1:
		header->uncompressed_size = codeobj_u32(bytes + 8);
		break;
	case 2:
		header->total_size = codeobj_u32(bytes + 8);
		header->uncompressed_size = codeobj_u32(bytes + 12);
		break;
	default:
		header->total_size = codeobj_u64(bytes + 8);
		header->uncompressed_size = codeobj_u64(bytes + 16);
	}
	header->hash = codeobj_u64(bytes + header->header_size - 8);
	if (header->version > 1 &&
	    (header->total_size < header->header_size || header->total_size > size))
		return codeobj_fail(error, -EINVAL,
				    "compressed bundle claims %llu bytes where %zu are there",
				    (unsigned long long)header->total_size, size);
	return 0;
}
