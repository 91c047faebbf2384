/* SPDX-License-Identifier: Apache-2.0 */
#include "containers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/codeobj/codeobj.h"
#include "unpack.h"

/* One uncompressed bundle; what it takes is in *extent, 0 if that is unknown. */
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
	free(bytes);
	*extent = used;
}

/* Bundles one after the other, with padding between them. */
static void walk_section(const uint8_t *data, size_t size, const struct container_sink *sink)
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
	if (!from)
		sink->problem(sink->user, "section .hip_fatbin holds no offload bundle");
}

static void walk_host(const uint8_t *data, size_t size, const struct container_sink *sink)
{
	struct codeobj_error error = { "" };
	struct codeobj_section section;
	int status = codeobj_elf_section(data, size, ".hip_fatbin", &section, &error);

	if (status == -ENOENT)
		sink->problem(sink->user, "no device code in it (no section .hip_fatbin)");
	else if (status)
		sink->problem(sink->user, error.text);
	else
		walk_section(data + section.offset, (size_t)section.size, sink);
}

void containers_walk(const void *data, size_t size, const struct container_sink *sink)
{
	uint64_t extent;

	switch (codeobj_identify(data, size)) {
	case CODEOBJ_ELF:
		sink->object(sink->user, data, size, NULL);
		break;
	case CODEOBJ_BUNDLE:
		walk_bundle(data, size, sink, NULL);
		break;
	case CODEOBJ_HOST_ELF:
		walk_host(data, size, sink);
		break;
	case CODEOBJ_COMPRESSED:
		walk_compressed(data, size, sink, &extent);
		break;
	default:
		sink->problem(sink->user, "neither an ELF file nor an offload bundle");
		break;
	}
}
