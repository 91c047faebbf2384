/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the debug information of a code object into memory, without compressed sections. */
#include "debug_image.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/containers/expand.h"
#include "codeobj/codeobj.h"
#include "codeobj/text.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* gABI; not in the C library's header before glibc 2.38 */
#endif

/* Compilers make about 20 kinds. */
#define SECTIONS_MAX 64u
#define NAME_ROOM    64u
/* Before gABI's flag: the name .zdebug_*, "ZLIB", and the size as a big-endian number. */
#define GNU_MAGIC  "ZLIB"
#define GNU_HEADER 12u

/* A section of debug information. */
struct section {
	char name[NAME_ROOM]; /* as libdw knows it: .debug_* */
	const uint8_t *data;  /* in the code object, or `expanded` */
	uint64_t size;
	uint8_t *expanded;
};

struct builder {
	const uint8_t *elf;
	uint64_t elf_size;
	Elf64_Ehdr header;
	struct section section[SECTIONS_MAX];
	unsigned count;
	uint64_t total; /* bytes of all sections, decompressed */
	char *problem;
	size_t problem_size;
};

__attribute__((format(printf, 3, 4))) static int fail(struct builder *builder, int status,
						      const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Names of sections are the file's. */
	text_copy_visible(builder->problem, builder->problem_size, text);
	return status;
}

static bool inside(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static Elf64_Shdr section_header(const struct builder *builder, unsigned index)
{
	Elf64_Shdr header;

	memcpy(&header, builder->elf + builder->header.e_shoff + index * sizeof(header),
	       sizeof(header));
	return header;
}

/* Returns the name at `at` of the section of names; "" if it has none that ends. */
static const char *name_of(const struct builder *builder, const Elf64_Shdr *names, uint32_t at)
{
	const char *name = (const char *)builder->elf + names->sh_offset + at;

	return at < names->sh_size && memchr(name, 0, (size_t)(names->sh_size - at)) ? name : "";
}

/* `section` has the compressed stream; it gets the bytes that come out. */
static int expand_section(struct builder *builder, struct section *section,
			  enum expand_method method, uint64_t claimed)
{
	uint64_t limit = DEBUG_IMAGE_BYTES + DEBUG_IMAGE_RATIO * builder->elf_size;
	size_t used;
	int status;

	if (claimed > limit - builder->total)
		return fail(builder, -E2BIG,
			    "debug information: %s claims to expand %llu bytes to %llu, which is "
			    "beyond the limit",
			    section->name, (unsigned long long)section->size,
			    (unsigned long long)claimed);
	status = expand(method, section->data, (size_t)section->size, (size_t)claimed,
			&section->expanded, &used);
	if (status)
		return fail(builder, status,
			    status == -ENOMEM  ? "debug information: %s: out of memory"
			    : status == -E2BIG ? "debug information: %s expands to more than it "
						 "claims"
					       : "debug information: %s is damaged or cut off",
			    section->name);
	section->data = section->expanded;
	section->size = claimed;
	return 0;
}

static int expand_gabi(struct builder *builder, struct section *section)
{
	Elf64_Chdr header;

	if (section->size < sizeof(header))
		return fail(builder, -EINVAL, "debug information: %s has no compression header",
			    section->name);
	memcpy(&header, section->data, sizeof(header));
	if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != ELFCOMPRESS_ZSTD)
		return fail(builder, -ENOTSUP, "debug information: %s is compressed by method %u",
			    section->name, header.ch_type);
	section->data += sizeof(header);
	section->size -= sizeof(header);
	return expand_section(builder, section,
			      header.ch_type == ELFCOMPRESS_ZSTD ? EXPAND_ZSTD : EXPAND_ZLIB,
			      header.ch_size);
}

static int expand_gnu(struct builder *builder, struct section *section)
{
	uint64_t claimed;

	if (section->size < GNU_HEADER || memcmp(section->data, GNU_MAGIC, strlen(GNU_MAGIC)))
		return fail(builder, -EINVAL, "debug information: %s has no compression header",
			    section->name);
	memcpy(&claimed, section->data + strlen(GNU_MAGIC), sizeof(claimed));
	section->data += GNU_HEADER;
	section->size -= GNU_HEADER;
	return expand_section(builder, section, EXPAND_ZLIB, be64toh(claimed));
}

static int add_section(struct builder *builder, const Elf64_Shdr *header, const char *name)
{
	bool gnu = !strncmp(name, ".zdebug_", 8);
	struct section *section = &builder->section[builder->count];
	int status = 0;

	if (builder->count == SECTIONS_MAX || strlen(name) >= NAME_ROOM)
		return fail(builder, -E2BIG,
			    "debug information: more than %u sections, or long names",
			    SECTIONS_MAX);
	if (!inside(header->sh_offset, header->sh_size, builder->elf_size))
		return fail(builder, -EINVAL, "debug information: %s lies outside of the file",
			    name);
	snprintf(section->name, sizeof(section->name), ".%s", name + (gnu ? 2 : 1));
	section->data = builder->elf + header->sh_offset;
	section->size = header->sh_size;
	section->expanded = NULL;
	builder->count++;
	if (header->sh_flags & SHF_COMPRESSED)
		status = expand_gabi(builder, section);
	else if (gnu)
		status = expand_gnu(builder, section);
	if (status)
		return status;
	builder->total += section->size;
	/* Several headers may name the same bytes. */
	if (builder->total > DEBUG_IMAGE_BYTES + DEBUG_IMAGE_RATIO * builder->elf_size)
		return fail(builder, -E2BIG, "debug information: its sections exceed the limit");
	return 0;
}

/* Returns true if anything is compressed, of whatever name. */
static bool any_compressed(const struct builder *builder, const Elf64_Shdr *names)
{
	for (unsigned i = 0; i < builder->header.e_shnum; i++) {
		const Elf64_Shdr header = section_header(builder, i);

		if (header.sh_flags & SHF_COMPRESSED ||
		    !strncmp(name_of(builder, names, header.sh_name), ".zdebug_", 8))
			return true;
	}
	return false;
}

static int collect(struct builder *builder, const Elf64_Shdr *names)
{
	int status = 0;

	for (unsigned i = 0; !status && i < builder->header.e_shnum; i++) {
		const Elf64_Shdr header = section_header(builder, i);
		const char *name = name_of(builder, names, header.sh_name);

		if (header.sh_type == SHT_PROGBITS &&
		    (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8)))
			status = add_section(builder, &header, name);
	}
	return status;
}

/* Builds header, sections, their names, and the section headers (none, names, sections). */
static int build(struct builder *builder, struct debug_image *image)
{
	static const char own_name[] = ".shstrtab";
	size_t names_size = 1 + sizeof(own_name), at = sizeof(Elf64_Ehdr), names, name = 1;
	Elf64_Ehdr header = {
		.e_type = ET_DYN,
		.e_machine = builder->header.e_machine,
		.e_version = EV_CURRENT,
		.e_flags = builder->header.e_flags,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)(builder->count + 2),
		.e_shstrndx = 1,
	};
	Elf64_Shdr row[SECTIONS_MAX + 2] = { 0 };

	memcpy(header.e_ident, builder->header.e_ident, EI_NIDENT);
	for (unsigned i = 0; i < builder->count; i++) {
		names_size += strlen(builder->section[i].name) + 1;
		at += (builder->section[i].size + 7) & ~(size_t)7;
	}
	names = at;
	header.e_shoff = (names + names_size + 7) & ~(size_t)7;
	image->size = header.e_shoff + header.e_shnum * sizeof(row[0]);
	image->owned = calloc(1, image->size);
	if (!image->owned)
		return fail(builder, -ENOMEM, "debug information: out of memory");
	image->data = image->owned;
	row[1] = (Elf64_Shdr){ .sh_name = 1,
			       .sh_type = SHT_STRTAB,
			       .sh_offset = names,
			       .sh_size = names_size,
			       .sh_addralign = 1 };
	memcpy(image->owned + names + name, own_name, sizeof(own_name));
	name += sizeof(own_name);
	at = sizeof(header);
	for (unsigned i = 0; i < builder->count; i++) {
		struct section *section = &builder->section[i];

		row[i + 2] = (Elf64_Shdr){ .sh_name = (Elf64_Word)name,
					   .sh_type = SHT_PROGBITS,
					   .sh_offset = at,
					   .sh_size = section->size,
					   .sh_addralign = 1 };
		if (section->size)
			memcpy(image->owned + at, section->data, section->size);
		memcpy(image->owned + names + name, section->name, strlen(section->name) + 1);
		name += strlen(section->name) + 1;
		at += (section->size + 7) & ~(size_t)7;
		free(section->expanded);
		section->expanded = NULL;
	}
	memcpy(image->owned, &header, sizeof(header));
	memcpy(image->owned + header.e_shoff, row, header.e_shnum * sizeof(row[0]));
	return 0;
}

int debug_image_open(struct debug_image *image, const void *elf, size_t size, char *problem,
		     size_t problem_size)
{
	struct builder builder = {
		.elf = elf, .elf_size = size, .problem = problem, .problem_size = problem_size
	};
	struct codeobj_error error = { "" };
	Elf64_Shdr names;
	int status = codeobj_elf_check(elf, size, &error);

	*image = (struct debug_image){ elf, size, NULL };
	if (status)
		return fail(&builder, status, "%s", error.text);
	memcpy(&builder.header, elf, sizeof(builder.header));
	if (!builder.header.e_shnum || builder.header.e_shstrndx >= builder.header.e_shnum)
		return 0; /* without names there is no debug information */
	names = section_header(&builder, builder.header.e_shstrndx);
	if (names.sh_type == SHT_NOBITS || !inside(names.sh_offset, names.sh_size, size))
		return fail(&builder, -EINVAL, "section names lie outside of the file");
	if (!any_compressed(&builder, &names))
		return 0;
	status = collect(&builder, &names);
	if (!status)
		status = build(&builder, image);
	for (unsigned i = 0; i < builder.count; i++)
		free(builder.section[i].expanded);
	return status;
}

void debug_image_close(struct debug_image *image)
{
	free(image->owned);
	*image = (struct debug_image){ NULL, 0, NULL };
}
