/* SPDX-License-Identifier: Apache-2.0 */
/* Reads compiled test files: code objects, or offload bundles with one. */
#include "tests/unit/isa/variant.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/code_image.h"

uint8_t *variant_read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long length;

	if (!file || fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(99);
	}
	rewind(file);
	bytes = malloc((size_t)length + 1);
	*size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
	fclose(file);
	if (!bytes || *size != (size_t)length)
		exit(99);
	bytes[length] = 0;
	return bytes;
}

static void load(struct variant *variant, const char *path)
{
	const char *base = strrchr(path, '/');
	struct codeobj_bundle bundle;
	struct codeobj_entry entry;

	snprintf(variant->name, sizeof(variant->name), "%s", base ? base + 1 : path);
	variant->name[strcspn(variant->name, ".")] = 0;
	variant->bytes = variant_read_file(path, &variant->size);
	if (codeobj_identify(variant->bytes, variant->size) == CODEOBJ_ELF) {
		struct codeobj_section lines;

		variant->elf = variant->bytes;
		variant->elf_size = variant->size;
		variant->stripped = codeobj_elf_section(variant->elf, variant->elf_size,
							".debug_line", &lines, NULL) != 0;
		return;
	}
	if (codeobj_bundle_open(&bundle, variant->bytes, variant->size, NULL))
		exit(99);
	while (codeobj_bundle_next(&bundle, &entry, NULL) > 0) {
		if (!entry.size || !strcmp(entry.kind, "host"))
			continue;
		variant->elf = entry.data;
		variant->elf_size = (size_t)entry.size;
	}
	if (!variant->elf) {
		fprintf(stderr, "%s: no code object\n", path);
		exit(99);
	}
}

void variant_load(struct variant *variant, const char *path)
{
	load(variant, path);
	variant->clang = isa_image_clang(variant->elf, variant->elf_size);
}
