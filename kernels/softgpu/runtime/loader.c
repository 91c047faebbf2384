// SPDX-License-Identifier: Apache-2.0
/*
 * Load a code object: ELF64, EM_AMDGPU, of this processor (docs/code-objects.md). The file comes
 * from outside: every offset in it is checked before use.
 */
#include "runtime.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define EM_AMDGPU_ 224
#define MACH_MASK  0xffu
/* LUG, "AMDGPU ELF Header": EF_AMDGPU_MACH */
#define MACH_GFX90A     0x3fu
#define MACH_GFX942     0x4cu
#define MACH_GFX950     0x4fu
#define MACH_GFX9_4     0x5fu /* generic: gfx942, gfx950 */
#define XNACK_MASK      0x300u
#define XNACK_OFF       0x200u
#define XNACK_ON        0x300u
#define SRAMECC_MASK    0xc00u
#define SRAMECC_OFF     0x800u

#define DESCRIPTOR_SIZE 64 /* docs/code-objects.md#kernel-descriptor */

/* Relocation types: LLVM's AMDGPUUsage, "Relocation Records" [LUG]. */
enum {
	R_AMDGPU_NONE = 0,
	R_AMDGPU_ABS32_LO = 1,
	R_AMDGPU_ABS32_HI = 2,
	R_AMDGPU_ABS64 = 3,
	R_AMDGPU_REL32 = 4,
	R_AMDGPU_REL64 = 5,
	R_AMDGPU_ABS32 = 6,
	R_AMDGPU_RELATIVE64 = 13,
};

struct file {
	const uint8_t *image;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segments;
	const Elf64_Shdr *sections;
	const Elf64_Sym *symbols;
	size_t symbol_count;
	const char *strings;
	size_t strings_size;
	uint64_t span; /* bytes of virtual address space, from 0 */
};

static bool inside(const struct file *file, uint64_t offset, uint64_t length)
{
	return offset <= file->size && length <= file->size - offset;
}

static hsa_status_t bad(const char *what)
{
	sg_warn("code object: %s", what);
	return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

static bool is_own(uint32_t mach)
{
	if (softgpu_config.processor == SOFTGPU_GFX942)
		return mach == MACH_GFX942 || mach == MACH_GFX9_4;
	if (softgpu_config.processor == SOFTGPU_GFX950)
		return mach == MACH_GFX950 || mach == MACH_GFX9_4;
	return mach == MACH_GFX90A;
}

static hsa_status_t check_target(const Elf64_Ehdr *header)
{
	uint32_t flags = header->e_flags;
	const char *what = NULL;

	if (header->e_machine != EM_AMDGPU_ || !is_own(flags & MACH_MASK))
		what = softgpu_config.processor == SOFTGPU_GFX950   ? "is not for gfx950"
		       : softgpu_config.processor == SOFTGPU_GFX942 ? "is not for gfx942"
								    : "is not for gfx90a";
	else if (header->e_ident[EI_ABIVERSION] < 2)
		what = "has a version before 4";
	else if ((flags & XNACK_MASK) == (softgpu_config.xnack ? XNACK_OFF : XNACK_ON))
		what = softgpu_config.xnack ? "requires xnack-" : "requires xnack+";
	else if ((flags & SRAMECC_MASK) == SRAMECC_OFF)
		what = "requires sramecc-";
	if (!what)
		return HSA_STATUS_SUCCESS;
	sg_warn("code object %s (e_flags %#x)", what, flags);
	return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}

/* Fill *file in; afterwards all its pointers hold what the headers promise. */
static hsa_status_t parse(const void *image, size_t size, struct file *file)
{
	const Elf64_Ehdr *header = image;
	hsa_status_t status;

	*file = (struct file){ .image = image, .size = size, .header = header };
	if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return bad("not a little-endian ELF64 file");
	status = check_target(header);
	if (status)
		return status;
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % 8 ||
	    !inside(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr)))
		return bad("broken program headers");
	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
	    !inside(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return bad("broken section headers");
	file->segments = (const void *)(file->image + header->e_phoff);
	file->sections = (const void *)(file->image + header->e_shoff);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = &file->segments[i];
		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_filesz > segment->p_memsz || segment->p_vaddr > UINT32_MAX ||
		    segment->p_memsz > UINT32_MAX ||
		    !inside(file, segment->p_offset, segment->p_filesz))
			return bad("broken segment");
		if (segment->p_vaddr + segment->p_memsz > file->span)
			file->span = segment->p_vaddr + segment->p_memsz;
	}
	if (!file->span)
		return bad("nothing to load");
	for (unsigned i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i], *strings;
		if (section->sh_type != SHT_DYNSYM)
			continue;
		if (section->sh_link >= header->e_shnum)
			return bad("dynamic symbols without strings");
		strings = &file->sections[section->sh_link];
		if (!inside(file, section->sh_offset, section->sh_size) || section->sh_offset % 8 ||
		    !inside(file, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
		    file->image[strings->sh_offset + strings->sh_size - 1])
			return bad("broken dynamic symbols");
		file->symbols = (const void *)(file->image + section->sh_offset);
		file->symbol_count = section->sh_size / sizeof(Elf64_Sym);
		file->strings = (const char *)(file->image + strings->sh_offset);
		file->strings_size = strings->sh_size;
	}
	return HSA_STATUS_SUCCESS;
}

static const char *name_of(const struct file *file, const Elf64_Sym *symbol)
{
	return symbol->st_name < file->strings_size ? file->strings + symbol->st_name : "";
}

/* Run-time address of symbol `index`; false after a message. */
static bool resolve(const struct file *file, size_t index, uint64_t base,
		    const struct sg_agent *agent, const struct sg_define *defines,
		    uint64_t *address)
{
	const Elf64_Sym *symbol;

	*address = 0;
	if (!index)
		return true;
	if (index >= file->symbol_count) {
		bad("relocation names a symbol that is not there");
		return false;
	}
	symbol = &file->symbols[index];
	if (symbol->st_shndx != SHN_UNDEF) {
		*address = symbol->st_shndx == SHN_ABS ? symbol->st_value : base + symbol->st_value;
		return true;
	}
	for (; defines; defines = defines->next) {
		if (defines->agent == agent && !strcmp(defines->name, name_of(file, symbol))) {
			*address = defines->address;
			return true;
		}
	}
	if (ELF64_ST_BIND(symbol->st_info) == STB_WEAK)
		return true;
	sg_warn("code object: symbol %s is not defined", name_of(file, symbol));
	return false;
}

static hsa_status_t relocate_one(const struct file *file, const Elf64_Rela *rela, uint64_t base,
				 const struct sg_agent *agent, const struct sg_define *defines)
{
	unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
	unsigned width =
	    type == R_AMDGPU_ABS64 || type == R_AMDGPU_REL64 || type == R_AMDGPU_RELATIVE64 ? 8 : 4;
	uint64_t place = base + rela->r_offset, value, symbol;

	if (type == R_AMDGPU_NONE)
		return HSA_STATUS_SUCCESS;
	if (rela->r_offset > file->span || file->span - rela->r_offset < width)
		return bad("relocation outside the image");
	if (!resolve(file, ELF64_R_SYM(rela->r_info), base, agent, defines, &symbol))
		return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
	value = symbol + (uint64_t)rela->r_addend;
	switch (type) {
	case R_AMDGPU_ABS32_LO:
	case R_AMDGPU_ABS32:
	case R_AMDGPU_ABS64:
		break;
	case R_AMDGPU_ABS32_HI:
		value >>= 32;
		break;
	case R_AMDGPU_REL32:
	case R_AMDGPU_REL64:
		value -= place;
		break;
	case R_AMDGPU_RELATIVE64:
		value = base + (uint64_t)rela->r_addend;
		break;
	default:
		sg_warn("code object: relocation type %u is not supported", type);
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	}
	memcpy((void *)(uintptr_t)place, &value, width);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t relocate(const struct file *file, uint64_t base, const struct sg_agent *agent,
			     const struct sg_define *defines)
{
	for (unsigned i = 0; i < file->header->e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		const Elf64_Rela *relas;
		/* Sections that are not loaded hold relocations for debuggers. */
		if (section->sh_type != SHT_RELA || !(section->sh_flags & SHF_ALLOC))
			continue;
		if (!inside(file, section->sh_offset, section->sh_size) || section->sh_offset % 8)
			return bad("broken relocations");
		relas = (const void *)(file->image + section->sh_offset);
		for (size_t j = 0; j < section->sh_size / sizeof *relas; j++) {
			hsa_status_t status = relocate_one(file, &relas[j], base, agent, defines);
			if (status)
				return status;
		}
	}
	return HSA_STATUS_SUCCESS;
}

static bool ends_in_kd(const char *name)
{
	size_t length = strlen(name);
	return length > 3 && !strcmp(name + length - 3, ".kd");
}

static int collect_symbols(const struct file *file, struct sg_code_object *object)
{
	if (!file->symbol_count)
		return 0;
	object->strings = malloc(file->strings_size);
	object->symbols = calloc(file->symbol_count, sizeof *object->symbols);
	if (!object->strings || !object->symbols)
		return -1;
	memcpy(object->strings, file->strings, file->strings_size);
	for (size_t i = 1; i < file->symbol_count; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const char *name = name_of(file, symbol);
		struct sg_symbol *own = &object->symbols[object->symbol_count];

		if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
		    symbol->st_value > file->span ||
		    symbol->st_size > file->span - symbol->st_value)
			continue;
		own->name = object->strings + (name - file->strings);
		own->agent = object->agent;
		own->address = object->load_base + symbol->st_value;
		own->size = symbol->st_size;
		own->kernel = ends_in_kd(name) && symbol->st_size == DESCRIPTOR_SIZE;
		own->constant = symbol->st_shndx < file->header->e_shnum &&
				!(file->sections[symbol->st_shndx].sh_flags & SHF_WRITE);
		object->symbol_count++;
		if (own->kernel) {
			own->kernel_name = strndup(name, strlen(name) - 3);
			if (!own->kernel_name)
				return -1;
		}
	}
	return 0;
}

hsa_status_t sg_load(const struct sg_agent *agent, const void *image, size_t size,
		     const struct sg_define *defines, struct sg_code_object **result)
{
	struct sg_code_object *object;
	struct file file;
	hsa_status_t status = parse(image, size, &file);

	if (status)
		return status;
	object = calloc(1, sizeof *object);
	if (!object)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	object->agent = agent;
	/* Code and globals: coarse-grained VRAM (docs/hip-api.md#hsa-calls-behind-hip-calls). */
	object->mapping = sg_memory_allocate(SG_CODE, file.span, 0, sg_gpu_bit(agent), NULL);
	if (!object->mapping) {
		free(object);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	object->load_base = object->mapping->gpu;
	object->code_size = file.span;
	object->storage = image;
	object->storage_size = size;
	for (unsigned i = 0; i < file.header->e_phnum; i++)
		if (file.segments[i].p_type == PT_LOAD)
			memcpy((void *)(uintptr_t)(object->load_base + file.segments[i].p_vaddr),
			       file.image + file.segments[i].p_offset, file.segments[i].p_filesz);
	status = relocate(&file, object->load_base, agent, defines);
	if (!status && collect_symbols(&file, object))
		status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (status) {
		sg_unload(object);
		return status;
	}
	sg_log("code object: %zu bytes at %#lx, %zu symbols", size, object->load_base,
	       object->symbol_count);
	*result = object;
	return HSA_STATUS_SUCCESS;
}

void sg_unload(struct sg_code_object *object)
{
	softgpu_code_invalidate(object->load_base, object->code_size);
	sg_memory_free(object->mapping);
	for (size_t i = 0; i < object->symbol_count; i++)
		free(object->symbols[i].kernel_name);
	free(object->strings);
	free(object->symbols);
	free(object);
}
