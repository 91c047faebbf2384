/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects within files: ELF sections, fat binaries, bundles, compressed or not. */
#include "containers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/codeobj.h"
#include "unpack.h"

/* Walks through an uncompressed bundle. Stores its size in *extent, 0 if that is unknown. */
static void walk_bundle(const void *data, size_t size, const struct container_sink *sink,
			uint64_t *extent)
{
	struct codeobj_error error = { "" };
	struct codeobj_bundle bundle;
	struct codeobj_entry entry;
	int status = codeobj_bundle_open(&bundle, data, size, &error);

	if (!status)
		while ((status = codeobj_bundle_next(&bundle, &entry, &error)) > 0)
			if (entry.size && strcmp(entry.kind, "host"))
				sink->object(sink->user, entry.data, (size_t)entry.size,
					     entry.target);
	if (status < 0)
		sink->problem(sink->user, error.text);
	if (extent && (status || codeobj_bundle_extent(data, size, extent, NULL)))
		*extent = 0;
}

static void walk_compressed(const void *data, size_t size, const struct container_sink *sink,
			    uint64_t *extent)
{
	struct codeobj_error error = { "" };
	uint8_t *bytes;
	size_t length, used;
	int status = unpack_bundle(data, size, &bytes, &length, &used, &error);

	if (status)
		sink->problem(sink->user, error.text);
	else
		walk_bundle(bytes, length, sink, NULL);
	if (bytes && sink->keep)
		sink->keep(sink->user, bytes, length);
	else
		free(bytes);
	*extent = used;
}

/* Walks through an offload binary. Stores its size in *extent, 0 if that is unknown. */
static void walk_offload(const uint8_t *data, size_t size, const struct container_sink *sink,
			 uint64_t *extent)
{
	struct codeobj_error error = { "" };
	struct codeobj_offload offload;
	char text[160];
	int status = codeobj_offload(data, size, &offload, &error);

	*extent = offload.total_size;
	if (status) {
		sink->problem(sink->user, error.text);
	} else if (codeobj_identify(offload.data, (size_t)offload.size) == CODEOBJ_ELF ||
		   codeobj_identify(offload.data, (size_t)offload.size) == CODEOBJ_SPIRV) {
		sink->object(sink->user, offload.data, (size_t)offload.size, offload.arch);
	} else if (!strncmp(offload.triple, "amdgcn", 6)) {
		snprintf(text, sizeof(text), "its image for %.64s is %s, not machine code",
			 offload.arch,
			 offload.kind == CODEOBJ_IMAGE_BITCODE
			     ? "bitcode that is compiled when it is linked"
			     : "of an unknown kind");
		sink->problem(sink->user, text);
	}
}

/* Walks through bundles in a row, with padding between them. */
static bool walk_fatbin(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	size_t from = 0, at;

	while (!codeobj_bundle_find(data, size, from, &at)) {
		uint64_t extent = 0;

		if (codeobj_identify(data + at, size - at) == CODEOBJ_COMPRESSED)
			walk_compressed(data + at, size - at, sink, &extent);
		else
			walk_bundle(data + at, size - at, sink, &extent);
		/* Unknown: look for the next magic. */
		from = at + (extent ? (size_t)extent : 8);
	}
	return from;
}

/* Walks through offload binaries in a row, with padding to a multiple of 8 between them. */
static bool walk_offloads(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	bool found = false;
	size_t at = 0;

	while (size - at >= 8) {
		uint64_t extent = 0;

		if (codeobj_identify(data + at, size - at) == CODEOBJ_OFFLOAD) {
			walk_offload(data + at, size - at, sink, &extent);
			found = true;
		}
		extent = extent ? (extent + 7) & ~(uint64_t)7 : 8;
		at = extent < size - at ? at + (size_t)extent : size;
	}
	return found;
}

/* Sections with device code, and what lies in them. */
static const struct {
	const char *name;
	bool (*walk)(const uint8_t *data, size_t size, const struct container_sink *sink);
} sections[] = {
	{ ".hip_fatbin", walk_fatbin },
	{ ".llvm.offloading", walk_offloads },
};

/* Returns true if there was any section with device code. */
static bool walk_host(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	bool found = false;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct codeobj_error error = { "" };
		struct codeobj_section section;
		char text[128];
		int status = codeobj_elf_section(data, size, sections[i].name, &section, &error);

		if (status == -ENOENT)
			continue;
		found = true;
		if (status) {
			sink->problem(sink->user, error.text);
			return true;
		}
		if (sections[i].walk(data + section.offset, (size_t)section.size, sink))
			continue;
		snprintf(text, sizeof(text), "section %s holds no device code", sections[i].name);
		sink->problem(sink->user, text);
	}
	return found;
}

/* Returns true for objects of -fgpu-rdc, which hold this text in place of device code (not with
 * --offload-new-driver). */
static bool is_relocatable(const uint8_t *data, size_t size)
{
	static const char name[] = "\0__CLANG_OFFLOAD_BUNDLE__hip";

	return memmem(data, size, name, sizeof(name) - 1);
}

static void no_device_code(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	sink->problem(sink->user,
		      is_relocatable(data, size)
			  ? "its device code is bitcode (-fgpu-rdc), which is compiled when it is "
			    "linked: no machine code"
			  : "no device code in it (no section .hip_fatbin or .llvm.offloading)");
}

bool containers_compressed(const void *data, size_t size)
{
	struct codeobj_section section;
	size_t at;

	if (codeobj_identify(data, size) != CODEOBJ_HOST_ELF ||
	    codeobj_elf_section(data, size, ".hip_fatbin", &section, NULL) ||
	    codeobj_bundle_find((const uint8_t *)data + section.offset, (size_t)section.size, 0,
				&at))
		return false;
	return codeobj_identify((const uint8_t *)data + section.offset + at,
				(size_t)section.size - at) == CODEOBJ_COMPRESSED;
}

bool containers_in_host(const void *data, size_t size)
{
	struct codeobj_section section;

	if (codeobj_identify(data, size) != CODEOBJ_HOST_ELF)
		return false;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!codeobj_elf_section(data, size, sections[i].name, &section, NULL))
			return true;
	return false;
}

/*
 * Walks through an archive: its members stand in a row at even offsets, each behind a header of 60
 * bytes of text with the size in decimal at 48 and "`\n" at 58 [ar(5)].
 */
static void walk_archive(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	enum { HEADER = 60, SIZE = 48, SIZE_DIGITS = 10 };
	bool found = false;
	size_t at = 8;

	if (!memcmp(data, "!<thin>", 7)) {
		sink->problem(sink->user, "a thin archive: its members are files of their own");
		return;
	}
	while (size - at >= HEADER) {
		char digits[SIZE_DIGITS + 1] = "", *end;
		const uint8_t *member = data + at + HEADER;
		unsigned long long length;

		memcpy(digits, data + at + SIZE, SIZE_DIGITS);
		length = strtoull(digits, &end, 10);
		if (memcmp(data + at + HEADER - 2, "`\n", 2) || end == digits ||
		    length > size - at - HEADER) {
			sink->problem(sink->user, "the archive is damaged or cut off");
			return;
		}
		if (codeobj_identify(member, (size_t)length) == CODEOBJ_HOST_ELF)
			found |= walk_host(member, (size_t)length, sink);
		at += HEADER + (size_t)length;
		at += at < size && at % 2;
	}
	if (!found)
		sink->problem(sink->user, "no device code in it (no member with a section "
					  ".hip_fatbin or .llvm.offloading)");
}

void containers_walk(const void *data, size_t size, const struct container_sink *sink)
{
	uint64_t extent;

	switch (codeobj_identify(data, size)) {
	case CODEOBJ_ELF:
	case CODEOBJ_SPIRV:
	case CODEOBJ_BITCODE:
		sink->object(sink->user, data, size, NULL);
		break;
	case CODEOBJ_BUNDLE:
		walk_bundle(data, size, sink, NULL);
		break;
	case CODEOBJ_HOST_ELF:
		if (!walk_host(data, size, sink))
			no_device_code(data, size, sink);
		break;
	case CODEOBJ_OFFLOAD:
		if (!walk_offloads(data, size, sink))
			sink->problem(sink->user, "offload binary is too short");
		break;
	case CODEOBJ_ARCHIVE:
		walk_archive(data, size, sink);
		break;
	case CODEOBJ_COMPRESSED:
		walk_compressed(data, size, sink, &extent);
		break;
	default:
		sink->problem(sink->user,
			      "neither an ELF file nor an offload bundle or an archive");
		break;
	}
}
