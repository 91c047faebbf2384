/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever instructions a kernel consists of, the analysis of its data flow ends and answers: the
 * input is the code of the one kernel of an otherwise sound code object.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT 4096u /* offset and address of the code */

/* MessagePack: a kernel "k" with two pointers and a number. */
static const char metadata[] = "\x82\xae"
			       "amdhsa.version\x92\x01\x01\xae"
			       "amdhsa.kernels\x91\x84"
			       "\xa5.name\xa1k"
			       "\xa7.symbol\xa4k.kd"
			       "\xb5.kernarg_segment_size\x18"
			       "\xa5.args\x93"
			       "\x83\xa7.offset\x00\xa5.size\x08\xab.value_kind\xad"
			       "global_buffer"
			       "\x83\xa7.offset\x08\xa5.size\x08\xab.value_kind\xad"
			       "global_buffer"
			       "\x83\xa7.offset\x10\xa5.size\x08\xab.value_kind\xa8"
			       "by_value";

static const char strings[] = "\0k\0k.kd";

enum { NOTE = 64, DESCRIPTOR = 1024, SYMBOLS = 1152, STRINGS = 1280, HEADERS = 2048 };

static void put_note(uint8_t *file)
{
	const Elf64_Nhdr note = { 7, sizeof(metadata) - 1, 32 };

	memcpy(file + NOTE, &note, sizeof(note));
	memcpy(file + NOTE + sizeof(note), "AMDGPU", 7);
	memcpy(file + NOTE + sizeof(note) + 8, metadata, sizeof(metadata) - 1);
}

static void put_headers(uint8_t *file, size_t code)
{
	const Elf64_Ehdr elf = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64, 2 },
		.e_type = ET_DYN,
		.e_machine = 224,
		.e_version = EV_CURRENT,
		.e_shoff = HEADERS,
		.e_flags = 0x53f, /* gfx90a */
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 6,
	};
	const Elf64_Shdr sections[6] = {
		[1] = { .sh_type = SHT_NOTE,
			.sh_flags = SHF_ALLOC,
			.sh_addr = NOTE,
			.sh_offset = NOTE,
			.sh_size = DESCRIPTOR - NOTE },
		[2] = { .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = DESCRIPTOR,
			.sh_offset = DESCRIPTOR,
			.sh_size = 64 },
		[3] = { .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = TEXT,
			.sh_offset = TEXT,
			.sh_size = code },
		[4] = { .sh_type = SHT_SYMTAB,
			.sh_offset = SYMBOLS,
			.sh_link = 5,
			.sh_size = 2 * sizeof(Elf64_Sym),
			.sh_entsize = sizeof(Elf64_Sym) },
		[5] = { .sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = sizeof(strings) },
	};
	const Elf64_Sym symbols[2] = {
		{ .st_name = 1,
		  .st_info = STT_FUNC,
		  .st_shndx = 3,
		  .st_value = TEXT,
		  .st_size = code },
		{ .st_name = 3,
		  .st_info = STT_OBJECT,
		  .st_shndx = 2,
		  .st_value = DESCRIPTOR,
		  .st_size = 64 },
	};
	const int64_t entry = TEXT - DESCRIPTOR;
	const uint16_t properties = 1 | 1 << 3; /* scratch descriptor, kernarg pointer */

	memcpy(file, &elf, sizeof(elf));
	memcpy(file + HEADERS, sections, sizeof(sections));
	memcpy(file + SYMBOLS, symbols, sizeof(symbols));
	memcpy(file + STRINGS, strings, sizeof(strings));
	memcpy(file + DESCRIPTOR + 16, &entry, sizeof(entry));
	memcpy(file + DESCRIPTOR + 56, &properties, sizeof(properties));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct isa_code_object *object = NULL;
	char *error = NULL;
	uint8_t *file;

	size &= ~(size_t)3;
	if (!size || size > 4096)
		return 0;
	file = calloc(1, TEXT + size);
	if (!file)
		return 0;
	put_note(file);
	put_headers(file, size);
	memcpy(file + TEXT, data, size);
	/* Only the code is in doubt. */
	if (isa_analyze(file, TEXT + size, NULL, &object, &error) || object->kernel_count != 1)
		abort();
	isa_code_object_free(object);
	free(error);
	free(file);
	return 0;
}
