/* SPDX-License-Identifier: Apache-2.0 */
/* A code object as it is loaded: sections, symbols, relocations. */
#include "code_image.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/codeobj.h"
#include "search.h"

#define MAX_SYMBOLS (1u << 20)

/* Dynamic relocation types of AMDGPU code objects [LUG, "Relocation Records"]. */
enum { R_ABS64 = 3, R_RELATIVE64 = 13 };

static bool inside(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static int by_address(const void *a, const void *b)
{
	const struct isa_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static int reloc_by_address(const void *a, const void *b)
{
	const struct isa_reloc *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static bool string_at(const struct isa_image *image, const Elf64_Shdr *strings, uint32_t offset,
		      const char **text)
{
	const char *start;

	if (strings->sh_type == SHT_NOBITS ||
	    !inside(strings->sh_offset, strings->sh_size, image->size))
		return false;
	start = (const char *)image->data + strings->sh_offset;
	if (offset >= strings->sh_size || !memchr(start + offset, 0, strings->sh_size - offset))
		return false;
	*text = start + offset;
	return true;
}

static void load_header(const struct isa_image *image, const Elf64_Ehdr *elf, unsigned index,
			Elf64_Shdr *header)
{
	memcpy(header, image->data + elf->e_shoff + (uint64_t)index * sizeof(*header),
	       sizeof(*header));
}

static int load_symbols(struct isa_image *image, const Elf64_Ehdr *elf, const Elf64_Shdr *table)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	struct isa_symbol *grown;
	Elf64_Shdr strings;
	uint64_t i;

	if (!inside(table->sh_offset, table->sh_size, image->size) ||
	    table->sh_link >= elf->e_shnum || count > MAX_SYMBOLS)
		return -EINVAL;
	load_header(image, elf, table->sh_link, &strings);
	grown = reallocarray(image->symbols, image->symbol_count + count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	image->symbols = grown;
	for (i = 0; i < count; i++) {
		struct isa_symbol *symbol = &image->symbols[image->symbol_count];
		Elf64_Sym sym;

		memcpy(&sym, image->data + table->sh_offset + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS ||
		    (ELF64_ST_TYPE(sym.st_info) != STT_FUNC &&
		     ELF64_ST_TYPE(sym.st_info) != STT_OBJECT))
			continue;
		if (!string_at(image, &strings, sym.st_name, &symbol->name))
			return -EINVAL;
		symbol->address = sym.st_value;
		symbol->size = sym.st_size;
		symbol->function = ELF64_ST_TYPE(sym.st_info) == STT_FUNC;
		symbol->global = ELF64_ST_BIND(sym.st_info) != STB_LOCAL;
		image->symbol_count++;
	}
	return 0;
}

static int load_relocs(struct isa_image *image, const Elf64_Ehdr *elf, const Elf64_Shdr *table)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Rela), i;
	Elf64_Shdr symbols = { 0 }, strings = { 0 };
	struct isa_reloc *grown;

	if (!inside(table->sh_offset, table->sh_size, image->size) || count > MAX_SYMBOLS)
		return -EINVAL;
	if (table->sh_link && table->sh_link < elf->e_shnum) {
		load_header(image, elf, table->sh_link, &symbols);
		if (symbols.sh_link < elf->e_shnum)
			load_header(image, elf, symbols.sh_link, &strings);
		if (!inside(symbols.sh_offset, symbols.sh_size, image->size))
			return -EINVAL;
	}
	grown = reallocarray(image->relocs, image->reloc_count + count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	image->relocs = grown;
	for (i = 0; i < count; i++) {
		struct isa_reloc *reloc = &image->relocs[image->reloc_count];
		Elf64_Rela rela;
		uint64_t index;

		memcpy(&rela, image->data + table->sh_offset + i * sizeof(rela), sizeof(rela));
		reloc->address = rela.r_offset;
		reloc->target = (uint64_t)rela.r_addend;
		reloc->undefined = NULL;
		index = ELF64_R_SYM(rela.r_info);
		if (ELF64_R_TYPE(rela.r_info) == R_ABS64) {
			Elf64_Sym sym;

			if (!inside(index * sizeof(sym), sizeof(sym), symbols.sh_size))
				return -EINVAL;
			memcpy(&sym, image->data + symbols.sh_offset + index * sizeof(sym),
			       sizeof(sym));
			if (sym.st_shndx == SHN_UNDEF) {
				if (!string_at(image, &strings, sym.st_name, &reloc->undefined))
					return -EINVAL;
			} else {
				reloc->target += sym.st_value;
			}
		} else if (ELF64_R_TYPE(rela.r_info) != R_RELATIVE64) {
			continue;
		}
		image->reloc_count++;
	}
	return 0;
}

static size_t slot_of(const struct isa_image *image, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;
	size_t slot;

	for (const char *at = name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	slot = (size_t)(hash ^ hash >> 32) & (image->by_name_size - 1);
	while (image->by_name[slot] &&
	       strcmp(image->symbols[image->by_name[slot] - 1].name, name) != 0)
		slot = (slot + 1) & (image->by_name_size - 1);
	return slot;
}

/* If several symbols have one name, the first by address is found. */
static int index_names(struct isa_image *image)
{
	image->by_name_size = 16;
	while (image->by_name_size < image->symbol_count * 2)
		image->by_name_size *= 2;
	image->by_name = calloc(image->by_name_size, sizeof(*image->by_name));
	if (!image->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < image->symbol_count; i++) {
		size_t slot = slot_of(image, image->symbols[i].name);

		if (!image->by_name[slot])
			image->by_name[slot] = (uint32_t)i + 1;
	}
	return 0;
}

int isa_image_open(struct isa_image *image, const void *data, size_t size, char *error,
		   size_t error_size)
{
	Elf64_Ehdr elf;
	Elf64_Shdr header;
	unsigned i, kind;
	int status = -EINVAL;
	const char *what = "truncated ELF header";

	memset(image, 0, sizeof(*image));
	image->data = data;
	image->size = size;
	image->clang = isa_image_clang(data, size);
	if (size < sizeof(elf))
		goto out;
	memcpy(&elf, data, sizeof(elf));
	what = "not a 64-bit little-endian AMDGPU ELF";
	/* EM_AMDGPU is 224 [LELF]. */
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_machine != 224)
		goto out;
	what = "section headers outside of the file (truncated?)";
	if (!elf.e_shnum || elf.e_shentsize != sizeof(header) ||
	    !inside(elf.e_shoff, (uint64_t)elf.e_shnum * sizeof(header), size))
		goto out;
	status = -ENOMEM;
	what = "out of memory";
	image->sections = calloc(elf.e_shnum, sizeof(*image->sections));
	if (!image->sections)
		goto out;
	status = -EINVAL;
	for (i = 0; i < elf.e_shnum; i++) {
		struct isa_section *section = &image->sections[image->section_count];

		load_header(image, &elf, i, &header);
		section->address = header.sh_addr;
		section->size = header.sh_size;
		section->offset = header.sh_offset;
		section->bits = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
		section->alloc = header.sh_flags & SHF_ALLOC;
		section->writable = header.sh_flags & SHF_WRITE;
		section->exec = header.sh_flags & SHF_EXECINSTR;
		what = "a section lies outside of the file (truncated?)";
		if (section->bits && !inside(section->offset, section->size, size))
			goto out;
		image->section_count++;
	}
	/* .symtab also has local functions; .dynsym is what a stripped object keeps. */
	for (kind = 0; kind < 2 && !image->symbol_count; kind++) {
		for (i = 0; i < elf.e_shnum; i++) {
			load_header(image, &elf, i, &header);
			if (header.sh_type != (kind ? SHT_DYNSYM : SHT_SYMTAB))
				continue;
			what = "malformed symbol table";
			status = load_symbols(image, &elf, &header);
			if (status)
				goto out;
		}
	}
	for (i = 0; i < elf.e_shnum; i++) {
		load_header(image, &elf, i, &header);
		if (header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
			continue;
		what = "malformed relocation table";
		status = load_relocs(image, &elf, &header);
		if (status)
			goto out;
	}
	if (image->symbol_count)
		qsort(image->symbols, image->symbol_count, sizeof(*image->symbols), by_address);
	status = index_names(image);
	what = "out of memory";
	if (status)
		goto out;
	if (image->reloc_count)
		qsort(image->relocs, image->reloc_count, sizeof(*image->relocs), reloc_by_address);
	status = 0;
out:
	if (status) {
		snprintf(error, error_size, "%s", what);
		isa_image_close(image);
	}
	return status;
}

void isa_image_close(struct isa_image *image)
{
	free(image->sections);
	free(image->symbols);
	free(image->by_name);
	free(image->relocs);
	memset(image, 0, sizeof(*image));
}

const struct isa_section *isa_image_section(const struct isa_image *image, uint64_t address)
{
	size_t i;

	for (i = 0; i < image->section_count; i++) {
		const struct isa_section *section = &image->sections[i];

		if (section->alloc && address >= section->address &&
		    address - section->address < section->size)
			return section;
	}
	return NULL;
}

size_t isa_image_read(const struct isa_image *image, uint64_t address, void *to, size_t length)
{
	const struct isa_section *section = isa_image_section(image, address);
	uint64_t skip;

	if (!section || !section->bits)
		return 0;
	skip = address - section->address;
	if (length > section->size - skip)
		length = (size_t)(section->size - skip);
	memcpy(to, image->data + section->offset + skip, length);
	return length;
}

const struct isa_symbol *isa_image_symbol(const struct isa_image *image, const char *name)
{
	size_t slot = slot_of(image, name);

	return image->by_name[slot] ? &image->symbols[image->by_name[slot] - 1] : NULL;
}

const struct isa_symbol *isa_image_symbol_at(const struct isa_image *image, uint64_t address,
					     bool function)
{
	size_t count = ROWS_UP_TO(image->symbols, image->symbol_count, address, address);

	/* A few steps back: other kinds of symbols and aliases may begin at the same place. */
	for (size_t steps = 0; count && steps < 16; steps++) {
		const struct isa_symbol *symbol = &image->symbols[--count];

		if (symbol->function == function && address - symbol->address < symbol->size)
			return symbol;
	}
	return NULL;
}

uint64_t isa_image_next_symbol(const struct isa_image *image, uint64_t address)
{
	size_t next = ROWS_UP_TO(image->symbols, image->symbol_count, address, address);

	return next < image->symbol_count ? image->symbols[next].address : UINT64_MAX;
}

static bool is_descriptor(const struct isa_symbol *symbol)
{
	size_t length = strlen(symbol->name);

	return length > 3 && !strcmp(symbol->name + length - 3, ".kd");
}

const struct isa_symbol *isa_image_variable_after(const struct isa_image *image, uint64_t address,
						  uint64_t distance)
{
	size_t i = ROWS_UP_TO(image->symbols, image->symbol_count, address, address);

	for (; i < image->symbol_count && image->symbols[i].address - address <= distance; i++) {
		const struct isa_symbol *symbol = &image->symbols[i];

		if (!symbol->function && symbol->size && !is_descriptor(symbol))
			return symbol;
	}
	return NULL;
}

const struct isa_reloc *isa_image_reloc(const struct isa_image *image, uint64_t address)
{
	size_t count = ROWS_UP_TO(image->relocs, image->reloc_count, address, address);

	return count && image->relocs[count - 1].address == address ? &image->relocs[count - 1]
								    : NULL;
}

unsigned isa_image_clang(const void *elf, size_t size)
{
	static const char name[] = "clang version ";
	struct codeobj_section section;
	unsigned version, highest = 0;

	if (codeobj_elf_section(elf, size, ".comment", &section, NULL))
		return 0;
	for (const char *at = (const char *)elf + section.offset, *end = at + section.size;
	     at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
		const char *found = memmem(at, (size_t)(end - at), name, sizeof(name) - 1);

		if (!found)
			break;
		version = (unsigned)strtoul(found + sizeof(name) - 1, NULL, 10);
		highest = version > highest ? version : highest;
		at = found;
	}
	return highest;
}
