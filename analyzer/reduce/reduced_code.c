/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects: no offset of theirs is trusted, and nothing moves. */
#include "code.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Larger is no name, and no table of them, of a program. */
#define NAME_MOST    (16u << 10)
#define SYMBOLS_MOST (1u << 18)

struct code {
	char *data;
	size_t size;
	Elf64_Shdr *sections; /* a copy */
	unsigned count;
	struct names *names;
	const char *needed;
	GHashTable *kernels; /* names */
	char *touched;       /* a byte for each of `data`: it belongs to a name that was replaced */
};

/* Returns true if the section's bytes are in the file. */
static bool is_inside(const struct code *code, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && section->sh_offset <= code->size &&
	       section->sh_size <= code->size - section->sh_offset;
}

/* Returns the string at `offset` of a string table, or NULL. */
static char *string_at(const struct code *code, const Elf64_Shdr *table, uint64_t offset)
{
	char *text;

	if (!is_inside(code, table) || offset >= table->sh_size)
		return NULL;
	text = code->data + table->sh_offset + offset;
	return memchr(text, 0, MIN(table->sh_size - offset, NAME_MOST)) ? text : NULL;
}

static const char *section_name(const struct code *code, const Elf64_Shdr *section)
{
	Elf64_Ehdr header;
	const char *name;

	memcpy(&header, code->data, sizeof(header));
	name = header.e_shstrndx < code->count
		   ? string_at(code, &code->sections[header.e_shstrndx], section->sh_name)
		   : NULL;
	return name ? name : "";
}

typedef const char *symbol_visitor(struct code *code, const Elf64_Sym *symbol, char *name);

/* Calls `visit` for each symbol with a name, until it returns why it cannot go on. */
static const char *each_symbol(struct code *code, symbol_visitor *visit)
{
	const char *problem = NULL;

	for (unsigned i = 0; i < code->count; i++) {
		const Elf64_Shdr *section = &code->sections[i];
		bool has_symbols =
		    (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM) &&
		    is_inside(code, section) && section->sh_link < code->count;

		if (section->sh_size > SYMBOLS_MOST * sizeof(Elf64_Sym) &&
		    (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM))
			return "it has too many symbols";
		for (size_t at = 0;
		     has_symbols && !problem && section->sh_size - at >= sizeof(Elf64_Sym);
		     at += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;
			char *name;

			memcpy(&symbol, code->data + section->sh_offset + at, sizeof(symbol));
			name = string_at(code, &code->sections[section->sh_link], symbol.st_name);
			if (name && *name)
				problem = visit(code, &symbol, name);
		}
	}
	return problem;
}

static const char *find_kernel(struct code *code, const Elf64_Sym *symbol, char *name)
{
	(void)symbol;
	if (g_str_has_suffix(name, ".kd"))
		g_hash_table_add(code->kernels, g_strndup(name, strlen(name) - strlen(".kd")));
	return NULL;
}

/* Returns where a symbol's bytes are in the file, with *size, or NULL. */
static char *bytes_of(const struct code *code, const Elf64_Sym *symbol, size_t *size)
{
	const Elf64_Shdr *section =
	    symbol->st_shndx < code->count ? &code->sections[symbol->st_shndx] : NULL;
	uint64_t offset;

	if (!section || !is_inside(code, section) || symbol->st_value < section->sh_addr)
		return NULL;
	offset = symbol->st_value - section->sh_addr;
	if (offset > section->sh_size || symbol->st_size > section->sh_size - offset)
		return NULL;
	*size = symbol->st_size;
	return code->data + section->sh_offset + offset;
}

/* Before the names are replaced. */
static const char *empty_kernel(struct code *code, const Elf64_Sym *symbol, char *name)
{
	size_t size;
	char *bytes = bytes_of(code, symbol, &size);

	if (bytes && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	    g_hash_table_contains(code->kernels, name) && !strstr(code->needed, name))
		memset(bytes, 0, size);
	return NULL;
}

/* Keeps the descriptors of kernels when data become zeros: marks them. */
static const char *mark_descriptor(struct code *code, const Elf64_Sym *symbol, char *name)
{
	size_t size;
	char *bytes = bytes_of(code, symbol, &size);

	if (bytes && g_str_has_suffix(name, ".kd"))
		memset(code->touched + (bytes - code->data), 1, size);
	return NULL;
}

static void empty_data(struct code *code)
{
	each_symbol(code, mark_descriptor);
	for (unsigned i = 0; i < code->count; i++) {
		const Elf64_Shdr *section = &code->sections[i];
		bool is_data = section->sh_type == SHT_PROGBITS && is_inside(code, section) &&
			       (section->sh_flags & SHF_ALLOC) &&
			       !(section->sh_flags & SHF_EXECINSTR);

		for (uint64_t at = section->sh_offset;
		     is_data && at < section->sh_offset + section->sh_size; at++)
			if (!code->touched[at])
				code->data[at] = 0;
	}
	memset(code->touched, 0, code->size);
}

/* Replaces the name at `name`, once. */
static const char *replace(struct code *code, char *name, size_t length, enum name_kind kind)
{
	char *touched = code->touched + (name - code->data);

	if (touched[0] == 2)
		return NULL; /* another symbol has the same one */
	if (memchr(touched, 1, length) || memchr(touched, 2, length))
		return "names in its table of strings overlap";
	memset(touched, 1, length);
	*touched = 2;
	names_overwrite(code->names, name, length, kind);
	return NULL;
}

static const char *rename_symbol(struct code *code, const Elf64_Sym *symbol, char *name)
{
	size_t length = strlen(name);
	bool is_kernel = g_hash_table_contains(code->kernels, name);

	(void)symbol;
	if (g_str_has_suffix(name, ".kd")) {
		length -= strlen(".kd");
		is_kernel = true;
	}
	return length ? replace(code, name, length, is_kernel ? NAME_KERNEL : NAME_FUNCTION) : NULL;
}

/* Returns the text that a string of MessagePack at `at` has, with *length, or NULL. */
static char *packed_text(char *at, const char *end, size_t *length)
{
	unsigned char first = at < end ? (unsigned char)*at : 0;

	if (first >= 0xa0 && first <= 0xbf) {
		*length = first & 0x1f;
		at += 1;
	} else if (first == 0xd9 && end - at >= 2) {
		*length = (unsigned char)at[1];
		at += 2;
	} else if (first == 0xda && end - at >= 3) {
		*length = (size_t)((unsigned char)at[1] << 8 | (unsigned char)at[2]);
		at += 3;
	} else {
		return NULL;
	}
	return *length <= (size_t)(end - at) ? at : NULL;
}

/* Replaces the names in the metadata of code objects from version 3 on. */
static const char *rename_metadata(struct code *code, const Elf64_Shdr *section)
{
	static const char *const keys[] = { "\xa5.name", "\xa7.symbol", "\xaa.type_name" };
	char *begin = code->data + section->sh_offset, *end = begin + section->sh_size;
	const char *problem = NULL;

	if (memmem(begin, section->sh_size, "\nKernels:", strlen("\nKernels:")))
		return "its metadata are of version 2";
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const size_t key_size = strlen(keys[i]);
		char *at = begin;

		while (!problem && (at = memmem(at, (size_t)(end - at), keys[i], key_size))) {
			size_t length = 0;
			char *text = packed_text(at + key_size, end, &length);
			bool is_kernel;
			char *name;

			at += key_size;
			if (!text || !length)
				continue;
			if (length > 3 && memcmp(text + length - 3, ".kd", 3) == 0)
				length -= 3;
			name = g_strndup(text, length);
			is_kernel = g_hash_table_contains(code->kernels, name);
			problem = replace(code, text, length, is_kernel ? NAME_KERNEL : NAME_TEXT);
			g_free(name);
		}
	}
	return problem;
}

/* Replaces each string of a table of debug information. */
static void rename_strings(struct code *code, const Elf64_Shdr *section)
{
	char *at = code->data + section->sh_offset, *end = at + section->sh_size;

	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));

		if (length)
			names_overwrite(code->names, at, length,
					memchr(at, '/', length) ? NAME_FILE : NAME_FUNCTION);
		at += length + 1;
	}
}

/* Returns true if names stand in tables of strings alone: DWARF 5 that is not compressed. */
static bool has_tables(const struct code *code, const Elf64_Shdr *section, const char *name)
{
	uint16_t version;

	if (section->sh_flags & SHF_COMPRESSED)
		return false;
	if (strcmp(name, ".debug_line") != 0 || section->sh_size < 6)
		return true;
	memcpy(&version, code->data + section->sh_offset + 4, sizeof(version));
	return version >= 5;
}

static void rename_debug(struct code *code)
{
	bool usable = true;

	for (unsigned i = 0; i < code->count; i++) {
		const Elf64_Shdr *section = &code->sections[i];
		const char *name = section_name(code, section);

		if (g_str_has_prefix(name, ".debug") && is_inside(code, section))
			usable &= has_tables(code, section, name);
	}
	for (unsigned i = 0; i < code->count; i++) {
		const Elf64_Shdr *section = &code->sections[i];
		const char *name = section_name(code, section);

		if (!is_inside(code, section) || section->sh_flags & SHF_ALLOC)
			continue;
		if (!usable &&
		    (g_str_has_prefix(name, ".debug") || g_str_has_prefix(name, ".zdebug")))
			memset(code->data + section->sh_offset, 0, section->sh_size);
		else if (strcmp(name, ".debug_str") == 0 || strcmp(name, ".debug_line_str") == 0)
			rename_strings(code, section);
	}
}

static const char *reduce_sections(struct code *code)
{
	const char *problem = NULL;

	each_symbol(code, find_kernel);
	if (code->needed) {
		each_symbol(code, empty_kernel);
		empty_data(code);
	}
	problem = each_symbol(code, rename_symbol);
	for (unsigned i = 0; i < code->count && !problem; i++)
		if (code->sections[i].sh_type == SHT_NOTE && is_inside(code, &code->sections[i]))
			problem = rename_metadata(code, &code->sections[i]);
	if (!problem)
		rename_debug(code);
	return problem;
}

const char *reduce_code(char *data, size_t size, struct names *names, const char *needed)
{
	struct code code = { .data = data, .size = size, .names = names, .needed = needed };
	const char *problem;
	Elf64_Ehdr header;

	if (size < sizeof(header) || memcmp(data, ELFMAG, SELFMAG) != 0 ||
	    data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB)
		return "it is no ELF file of 64 bits";
	memcpy(&header, data, sizeof(header));
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > size ||
	    header.e_shnum > (size - header.e_shoff) / sizeof(Elf64_Shdr))
		return "its table of sections is damaged";
	code.count = header.e_shnum;
	code.sections = g_memdup2(data + header.e_shoff, code.count * sizeof(Elf64_Shdr));
	code.kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	code.touched = g_malloc0(size);
	problem = reduce_sections(&code);
	g_free(code.touched);
	g_free(code.sections);
	g_hash_table_destroy(code.kernels);
	return problem;
}
