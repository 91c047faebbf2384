/* SPDX-License-Identifier: Apache-2.0 */
/* ELF headers of code objects and of the host files that carry them
 * (docs/code-objects.md#target-ids). */
#include <elf.h>
#include <errno.h>

#include "codeobj_internal.h"
#include "processor.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

/* e_flags */
#define MACH_MASK          0xffu
#define V3_XNACK           0x100u
#define V3_SRAMECC         0x200u
#define V4_XNACK_SHIFT     8
#define V4_SRAMECC_SHIFT   10
#define ABI_VERSION_HSA_V3 1u

/* The header, copied (input need not be aligned), with its tables inside the file. */
static int read_header(const void *elf, size_t size, Elf64_Ehdr *header,
		       struct codeobj_error *error)
{
	if (size < sizeof(*header))
		return codeobj_fail(error, -EINVAL, "ELF file of %zu bytes is too short", size);
	memcpy(header, elf, sizeof(*header));
	if (memcmp(header->e_ident, ELFMAG, SELFMAG))
		return codeobj_fail(error, -EINVAL, "not an ELF file");
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return codeobj_fail(error, -ENOTSUP, "not a 64-bit little-endian ELF file");
	if (header->e_phnum &&
	    (header->e_phentsize != sizeof(Elf64_Phdr) ||
	     !codeobj_inside(header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr),
			     size)))
		return codeobj_fail(error, -EINVAL, "ELF program headers lie outside of the file");
	if (header->e_shnum &&
	    (header->e_shentsize != sizeof(Elf64_Shdr) ||
	     !codeobj_inside(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr),
			     size)))
		return codeobj_fail(error, -EINVAL, "ELF section headers lie outside of the file");
	return 0;
}

static Elf64_Phdr program_header(const void *elf, const Elf64_Ehdr *header, unsigned index)
{
	Elf64_Phdr phdr;

	memcpy(&phdr, (const uint8_t *)elf + header->e_phoff + index * sizeof(phdr), sizeof(phdr));
	return phdr;
}

static Elf64_Shdr section_header(const void *elf, const Elf64_Ehdr *header, unsigned index)
{
	Elf64_Shdr shdr;

	memcpy(&shdr, (const uint8_t *)elf + header->e_shoff + index * sizeof(shdr), sizeof(shdr));
	return shdr;
}

enum codeobj_format codeobj_identify(const void *data, size_t size)
{
	static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
	Elf64_Ehdr header;

	if (size >= sizeof(bundle) - 1 && !memcmp(data, bundle, sizeof(bundle) - 1))
		return CODEOBJ_BUNDLE;
	if (size >= 4 && !memcmp(data, "CCOB", 4))
		return CODEOBJ_COMPRESSED;
	if (size >= 4 && !memcmp(data, CODEOBJ_OFFLOAD_MAGIC, 4))
		return CODEOBJ_OFFLOAD;
	if (size >= 8 && (!memcmp(data, "!<arch>\n", 8) || !memcmp(data, "!<thin>\n", 8)))
		return CODEOBJ_ARCHIVE;
	if (size >= 4 && !memcmp(data, "\3\2#\7", 4))
		return CODEOBJ_SPIRV;
	if (size >= 4 && !memcmp(data, "BC\xc0\xde", 4))
		return CODEOBJ_BITCODE;
	if (size < sizeof(header))
		return CODEOBJ_UNKNOWN;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return CODEOBJ_UNKNOWN;
	return header.e_machine == EM_AMDGPU ? CODEOBJ_ELF : CODEOBJ_HOST_ELF;
}

int codeobj_elf_check(const void *elf, size_t size, struct codeobj_error *error)
{
	Elf64_Ehdr header;
	int rc = read_header(elf, size, &header, error);

	if (rc)
		return rc;
	if (header.e_machine != EM_AMDGPU)
		return codeobj_fail(error, -EINVAL, "ELF file for machine %u, not for AMDGPU (224)",
				    header.e_machine);
	return 0;
}

int codeobj_elf_extent(const void *elf, size_t size, uint64_t *extent, struct codeobj_error *error)
{
	Elf64_Ehdr header;
	uint64_t end = sizeof(header);
	int rc = codeobj_elf_check(elf, size, error);

	if (rc)
		return rc;
	memcpy(&header, elf, sizeof(header));
	if (header.e_phnum && header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr) > end)
		end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
	if (header.e_shnum && header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr) > end)
		end = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr phdr = program_header(elf, &header, i);

		if (!codeobj_inside(phdr.p_offset, phdr.p_filesz, size))
			return codeobj_fail(error, -EINVAL,
					    "ELF segment %u lies outside of the file", i);
		if (phdr.p_offset + phdr.p_filesz > end)
			end = phdr.p_offset + phdr.p_filesz;
	}
	for (unsigned i = 0; i < header.e_shnum; i++) {
		Elf64_Shdr shdr = section_header(elf, &header, i);

		if (shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL)
			continue;
		if (!codeobj_inside(shdr.sh_offset, shdr.sh_size, size))
			return codeobj_fail(error, -EINVAL,
					    "ELF section %u lies outside of the file", i);
		if (shdr.sh_offset + shdr.sh_size > end)
			end = shdr.sh_offset + shdr.sh_size;
	}
	*extent = end;
	return 0;
}

/* Returns the value of a two-bit feature field of V4 and later: unsupported, any, off, on. */
static int8_t v4_feature(uint32_t flags, unsigned shift)
{
	static const int8_t values[] = { CODEOBJ_ANY, CODEOBJ_ANY, CODEOBJ_OFF, CODEOBJ_ON };

	return values[(flags >> shift) & 3];
}

int codeobj_elf_target(const void *elf, size_t size, struct codeobj_target *target,
		       struct codeobj_error *error)
{
	const char *name;
	Elf64_Ehdr header;
	int rc = codeobj_elf_check(elf, size, error);

	if (rc)
		return rc;
	memcpy(&header, elf, sizeof(header));
	memset(target, 0, sizeof(*target));
	name = codeobj_processor_name(header.e_flags & MACH_MASK);
	if (name)
		snprintf(target->processor, sizeof(target->processor), "%s", name);
	else
		return codeobj_fail(error, -ENOTSUP,
				    "code object for unknown processor number 0x%x",
				    header.e_flags & MACH_MASK);
	if (header.e_ident[EI_ABIVERSION] <= ABI_VERSION_HSA_V3) {
		/*
		 * A clear bit meant "off" there, on processors that have the feature; the loaders
		 * of that time ignored it. "Any" makes no claim.
		 */
		target->xnack = header.e_flags & V3_XNACK ? CODEOBJ_ON : CODEOBJ_ANY;
		target->sramecc = header.e_flags & V3_SRAMECC ? CODEOBJ_ON : CODEOBJ_ANY;
	} else {
		target->xnack = v4_feature(header.e_flags, V4_XNACK_SHIFT);
		target->sramecc = v4_feature(header.e_flags, V4_SRAMECC_SHIFT);
	}
	return 0;
}

int codeobj_elf_section(const void *elf, size_t size, const char *name,
			struct codeobj_section *section, struct codeobj_error *error)
{
	Elf64_Ehdr header;
	Elf64_Shdr strings;
	size_t length = strlen(name) + 1;
	int rc = read_header(elf, size, &header, error);

	if (rc)
		return rc;
	if (!header.e_shnum || header.e_shstrndx >= header.e_shnum)
		return codeobj_fail(error, -ENOENT, "ELF file has no named sections");
	strings = section_header(elf, &header, header.e_shstrndx);
	if (strings.sh_type == SHT_NOBITS ||
	    !codeobj_inside(strings.sh_offset, strings.sh_size, size))
		return codeobj_fail(error, -EINVAL, "ELF section names lie outside of the file");
	for (unsigned i = 0; i < header.e_shnum; i++) {
		Elf64_Shdr shdr = section_header(elf, &header, i);

		if (shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL ||
		    !codeobj_inside(shdr.sh_name, length, strings.sh_size) ||
		    memcmp((const char *)elf + strings.sh_offset + shdr.sh_name, name, length))
			continue;
		if (!codeobj_inside(shdr.sh_offset, shdr.sh_size, size))
			return codeobj_fail(error, -EINVAL, "section %s lies outside of the file",
					    name);
		section->offset = shdr.sh_offset;
		section->size = shdr.sh_size;
		section->address = shdr.sh_addr;
		return 0;
	}
	return codeobj_fail(error, -ENOENT, "no section %s", name);
}

/* Finds the place in the file of section `index`. Returns false if it has no bytes there. */
static bool section_bytes(const void *elf, size_t size, const Elf64_Ehdr *header, unsigned index,
			  Elf64_Shdr *section)
{
	if (index >= header->e_shnum)
		return false;
	*section = section_header(elf, header, index);
	return section->sh_type != SHT_NOBITS &&
	       codeobj_inside(section->sh_offset, section->sh_size, size);
}

int codeobj_elf_defines(const void *elf, size_t size, const char *name)
{
	size_t length = strlen(name) + 1;
	Elf64_Shdr symbols, strings;
	Elf64_Ehdr header;
	unsigned index = 0;

	if (read_header(elf, size, &header, NULL))
		return -EINVAL;
	while (index < header.e_shnum && section_header(elf, &header, index).sh_type != SHT_DYNSYM)
		index++;
	if (!section_bytes(elf, size, &header, index, &symbols) ||
	    !section_bytes(elf, size, &header, symbols.sh_link, &strings))
		return -EINVAL;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, (const char *)elf + symbols.sh_offset + at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF &&
		    codeobj_inside(symbol.st_name, length, strings.sh_size) &&
		    !memcmp((const char *)elf + strings.sh_offset + symbol.st_name, name, length))
			return 1;
	}
	return 0;
}
