/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions by name in loaded objects, read from their symbol tables without the loader's help.
 *
 * No function of the C library is called here: in programs built with a sanitizer they are the
 * sanitizer's, which looks up the real ones through ours before it works itself.
 */
#include "preload/core/libc_symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Returns the path from the last slash on, or all of it if it has none. */
static const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path;
	return base;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* This says where an object has its symbols, by its dynamic section (gABI; DT_GNU_HASH). */
struct symbols {
	uintptr_t base;
	const Elf64_Sym *table;
	const char *strings;
	const uint32_t *hashes; /* NULL: it has none */
};

static struct symbols symbols_of(const struct link_map *map)
{
	struct symbols found = { .base = map->l_addr };

	for (const Elf64_Dyn *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++)
		if (dyn->d_tag == DT_SYMTAB)
			found.table = (const Elf64_Sym *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_STRTAB)
			found.strings = (const char *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_GNU_HASH)
			found.hashes = (const uint32_t *)dyn->d_un.d_ptr;
	if (!found.table || !found.strings || (found.hashes && !found.hashes[0]))
		found.hashes = NULL;
	return found;
}

static const Elf64_Sym *find(const struct symbols *symbols, const char *name, unsigned type)
{
	const uint32_t *table = symbols->hashes, *buckets, *chain;
	uint32_t hash = gnu_hash(name), at;

	if (!table)
		return NULL;
	/* Header: buckets, first symbol, words in the Bloom filter (64 bits each), shift. */
	buckets = table + 4 + 2 * table[2];
	chain = buckets + table[0];
	at = buckets[hash % table[0]];
	if (at < table[1])
		return NULL;
	for (;; at++) {
		uint32_t entry = chain[at - table[1]];
		const Elf64_Sym *symbol = &symbols->table[at];

		if ((entry | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbol->st_info) == type &&
		    is_same(symbols->strings + symbol->st_name, name))
			return symbol;
		if (entry & 1)
			return NULL;
	}
}

static void *find_function(const struct symbols *symbols, const char *name)
{
	const Elf64_Sym *symbol = find(symbols, name, STT_FUNC);

	return symbol ? (void *)(symbols->base + symbol->st_value) : NULL;
}

void *hg_object_function(const struct link_map *map, const char *name)
{
	struct symbols symbols = symbols_of(map);

	return find_function(&symbols, name);
}

void *hg_object_symbol(const struct link_map *map, const char *name, bool function, size_t *size)
{
	struct symbols symbols = symbols_of(map);
	const Elf64_Sym *symbol = find(&symbols, name, function ? STT_FUNC : STT_OBJECT);

	if (!symbol)
		return NULL;
	*size = symbol->st_size;
	return (void *)(symbols.base + symbol->st_value);
}

void *hg_data_symbol(const char *name)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		size_t size;
		void *found;

		/* The kernel's own object has no file, and addresses that were not adjusted. */
		if (map->l_name[0] && base_name(map->l_name)[0] != '/')
			continue;
		found = hg_object_symbol(map, name, false, &size);
		if (found)
			return found;
	}
	return NULL;
}

const char *hg_object_has(const struct link_map *map, const char *const *names, size_t count)
{
	struct symbols symbols = symbols_of(map);

	for (size_t i = 0; i < count; i++)
		if (find_function(&symbols, names[i]))
			return names[i];
	return NULL;
}

void *hg_libc_function(const char *name)
{
	/* dlsym is in libc.so.6 since glibc 2.34, in libdl.so.2 before. */
	static const char *const files[] = { "/libc.so.6", "/libdl.so.2" };

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		for (size_t i = 0; i < HG_COUNT(files); i++) {
			void *function;

			if (!is_same(base_name(map->l_name), files[i]))
				continue;
			function = hg_object_function(map, name);
			if (function)
				return function;
		}
	}
	return NULL;
}

void *hg_function_behind(const char *name)
{
	bool behind = false;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		void *function;

		if (is_same(base_name(map->l_name), "/libhipgrain-preload.so")) {
			behind = true;
			continue;
		}
		function = behind && base_name(map->l_name)[0] == '/'
			       ? hg_object_function(map, name)
			       : NULL;
		if (function)
			return function;
	}
	return NULL;
}

const char *hg_sanitizer;

void hg_find_sanitizer(void)
{
	static const struct {
		const char *function, *name;
	} known_ones[] = {
		{ "__asan_init", "AddressSanitizer" },
		{ "__tsan_init", "ThreadSanitizer" },
		{ "__msan_init", "MemorySanitizer" },
		{ "__hwasan_init", "HWAddressSanitizer" },
	};

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct symbols symbols;

		/* The kernel's own object has no file, and addresses that were not adjusted. */
		if (map->l_name[0] && base_name(map->l_name)[0] != '/')
			continue;
		symbols = symbols_of(map);
		for (size_t i = 0; i < HG_COUNT(known_ones); i++)
			if (find_function(&symbols, known_ones[i].function))
				hg_sanitizer = known_ones[i].name;
	}
}
