/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever bytes come as an ELF file or as its metadata note, they are read within their bounds. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/code_image.h"
#include "codeobj/codeobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_elf(const uint8_t *data, size_t size)
{
	struct codeobj_metadata *metadata;
	struct codeobj_section section;
	struct codeobj_target target;
	struct isa_image image;
	uint64_t extent;
	char text[128];

	codeobj_elf_extent(data, size, &extent, NULL);
	codeobj_elf_target(data, size, &target, NULL);
	codeobj_elf_section(data, size, ".text", &section, NULL);
	if (!codeobj_metadata_read(data, size, &metadata, NULL))
		codeobj_metadata_free(metadata);
	if (isa_image_open(&image, data, size, text, sizeof(text)))
		return;
	for (size_t i = 0; i < image.symbol_count; i++) {
		isa_image_read(&image, image.symbols[i].address, text, sizeof(text));
		isa_image_symbol(&image, image.symbols[i].name);
		isa_image_reloc(&image, image.symbols[i].address);
	}
	isa_image_close(&image);
}

/* The bytes as the note of a sound file. */
static void read_note(const uint8_t *data, size_t size)
{
	const size_t start = sizeof(Elf64_Ehdr) + sizeof(Elf64_Shdr);
	const Elf64_Nhdr note = { 7, (Elf64_Word)size, 32 };
	const Elf64_Ehdr elf = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64, 2 },
		.e_machine = 224,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 1,
	};
	const Elf64_Shdr section = { .sh_type = SHT_NOTE,
				     .sh_offset = start,
				     .sh_size = sizeof(note) + 8 + size };
	uint8_t *file = calloc(1, start + sizeof(note) + 8 + size);
	struct codeobj_metadata *metadata;

	if (!file)
		return;
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + sizeof(elf), &section, sizeof(section));
	memcpy(file + start, &note, sizeof(note));
	memcpy(file + start + sizeof(note), "AMDGPU", 7);
	memcpy(file + start + sizeof(note) + 8, data, size);
	if (!codeobj_metadata_read(file, start + sizeof(note) + 8 + size, &metadata, NULL))
		codeobj_metadata_free(metadata);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_elf(data, size);
	read_note(data, size);
	return 0;
}
