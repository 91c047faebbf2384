// SPDX-License-Identifier: Apache-2.0
/*
 * Names of kernels: a loaded code object's first segment starts with its ELF header, and has the
 * dynamic symbols; a kernel's descriptor is the object NAME.kd. All of it is memory that the
 * program can write: every number in it is checked before use.
 */
#include "kernels/softkfd/queue.h"

#include <elf.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define EM_AMDGPU_   224
#define MAX_SEGMENTS 64u
#define MAX_DYNAMIC  256u
#define MAX_NAME     65536u
#define SUFFIX       ".kd"

/* A loaded code object: `memory` is the host's view of its `size` bytes. */
struct image {
	uint64_t base, size;
	const char *memory;
	const Elf64_Sym *symbols;
	uint64_t symbol_count;
	const char *strings;
	uint64_t strings_size;
};

/* Returns the `size` bytes at `offset` if they are within the image and aligned, else NULL. */
static const void *at(const struct image *image, uint64_t offset, uint64_t size, unsigned alignment)
{
	if (offset > image->size || size > image->size - offset || offset % alignment)
		return NULL;
	return image->memory + offset;
}

/* Symbols of a hash table of GNU's kind: the last chain's end. 0: it is broken. */
static uint64_t count_by_gnu_hash(const struct image *image, uint64_t offset)
{
	const uint32_t *header = at(image, offset, 16, 4), *buckets, *hash;
	uint64_t last = 0, chains;

	if (!header)
		return 0;
	offset += 16 + (uint64_t)header[2] * 8;
	buckets = at(image, offset, (uint64_t)header[0] * 4, 4);
	if (!buckets)
		return 0;
	for (uint32_t i = 0; i < header[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < header[1])
		return header[1];
	chains = offset + (uint64_t)header[0] * 4;
	do {
		hash = at(image, chains + (last - header[1]) * 4, 4, 4);
		last++;
	} while (hash && !(*hash & 1));
	return hash ? last : 0;
}

static bool read_dynamic(struct image *image, const Elf64_Phdr *segment)
{
	uint64_t symbols = 0, strings = 0, hash = 0, gnu_hash = 0;
	uint64_t count = segment->p_memsz / sizeof(Elf64_Dyn);
	const Elf64_Dyn *entries;
	const uint32_t *chains;

	if (count > MAX_DYNAMIC)
		count = MAX_DYNAMIC;
	entries = at(image, segment->p_vaddr, count * sizeof *entries, 8);
	for (uint64_t i = 0; entries && i < count && entries[i].d_tag != DT_NULL; i++) {
		uint64_t value = entries[i].d_un.d_val;

		switch (entries[i].d_tag) {
		case DT_SYMTAB:
			symbols = value;
			break;
		case DT_STRTAB:
			strings = value;
			break;
		case DT_STRSZ:
			image->strings_size = value;
			break;
		case DT_HASH:
			hash = value;
			break;
		case DT_GNU_HASH:
			gnu_hash = value;
			break;
		}
	}
	/* Loaders may have made addresses of them. */
	if (symbols >= image->base)
		symbols -= image->base, strings -= image->base, hash -= image->base,
		    gnu_hash -= image->base;
	chains = hash ? at(image, hash, 8, 4) : NULL;
	image->symbol_count = chains     ? chains[1]
			      : gnu_hash ? count_by_gnu_hash(image, gnu_hash)
					 : 0;
	image->symbols = at(image, symbols, image->symbol_count * sizeof *image->symbols, 8);
	image->strings = at(image, strings, image->strings_size, 1);
	return image->symbols && image->strings;
}

/*
 * Is there a code object at `memory`, GPU address `base`, of which `room` bytes follow each other,
 * that holds `address`?
 */
static bool read_image(struct image *image, const char *memory, uint64_t base, uint64_t room,
		       uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)memory;
	const Elf64_Phdr *segments, *dynamic = NULL;
	uint64_t end = 0;

	*image = (struct image){ .base = base, .size = room, .memory = memory };
	if (room < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != EM_AMDGPU_ || header->e_phentsize != sizeof *segments ||
	    header->e_phnum > MAX_SEGMENTS)
		return false;
	segments = at(image, header->e_phoff, header->e_phnum * sizeof *segments, 8);
	for (unsigned i = 0; segments && i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
		if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < room &&
		    segments[i].p_memsz <= room - segments[i].p_vaddr &&
		    segments[i].p_vaddr + segments[i].p_memsz > end)
			end = segments[i].p_vaddr + segments[i].p_memsz;
	}
	image->size = end;
	return dynamic && address - base < end && read_dynamic(image, dynamic);
}

/* Names are kept: a program that loads the same code again gets the same one. */
static const char *keep(const char *name, size_t length)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *names;
	char *copy = strndup(name, length), **kept;

	if (!copy)
		return NULL;
	pthread_mutex_lock(&lock);
	kept = tsearch(copy, &names, (int (*)(const void *, const void *))strcmp);
	pthread_mutex_unlock(&lock);
	if (!kept || *kept != copy)
		free(copy);
	return kept ? *kept : NULL;
}

/* The name of the kernel with its descriptor `offset` bytes into the image; NULL: there is none. */
static const char *name_at(const struct image *image, uint64_t offset)
{
	for (uint64_t i = 1; i < image->symbol_count; i++) {
		const Elf64_Sym *symbol = &image->symbols[i];
		const char *name;
		size_t room, length;

		if (symbol->st_value != offset || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_name >= image->strings_size)
			continue;
		name = image->strings + symbol->st_name;
		room = image->strings_size - symbol->st_name;
		length = strnlen(name, room < MAX_NAME ? room : MAX_NAME);
		if (length > strlen(SUFFIX) && length < room &&
		    !strncmp(name + length - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)))
			return keep(name, length - strlen(SUFFIX));
	}
	return NULL;
}

const char *kfd_kernel_name_in(const char *memory, uint64_t first, uint64_t last, uint64_t kernel,
			       uint64_t *base, uint64_t *size)
{
	/* The nearest code object below; what looks like one may be data of another. */
	for (uint64_t page = kernel & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1); page >= first;
	     page -= SOFTGPU_PAGE_SIZE) {
		struct image image;
		const char *name = NULL;

		if (read_image(&image, memory + (page - first), page, last - page, kernel))
			name = name_at(&image, kernel - page);
		if (name) {
			*base = page;
			*size = image.size;
			return name;
		}
		if (page < SOFTGPU_PAGE_SIZE)
			break;
	}
	return NULL;
}

static const char *look_up(unsigned gpu, uint64_t kernel_object, uint64_t *base, uint64_t *size)
{
	uint64_t first, last;
	const char *memory;

	*base = *size = 0;
	if (!softgpu_memory_range(kernel_object, &first, &last))
		return NULL;
	first = (first + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	if (first > kernel_object)
		return NULL;
	memory = kfd_memory_host(gpu, first, last - first, false);
	return memory ? kfd_kernel_name_in(memory, first, last, kernel_object, base, size) : NULL;
}

/* The kernels found since memory changed last. Only the worker for kernels uses them. */
static struct known {
	unsigned gpu;
	uint64_t kernel, base, size, generation;
	const char *name;
} known[64];
static uint64_t forgotten = 1;

void kfd_kernel_names_forget(void)
{
	forgotten++;
}

const char *kfd_kernel_name(unsigned gpu, uint64_t kernel_object, uint64_t *base, uint64_t *size)
{
	struct known *entry = &known[kernel_object / 64 % (sizeof known / sizeof *known)];
	uint64_t generation = softgpu_memory_generation + forgotten;

	if (entry->kernel != kernel_object || entry->gpu != gpu ||
	    entry->generation != generation) {
		*entry =
		    (struct known){ .gpu = gpu, .kernel = kernel_object, .generation = generation };
		entry->name = look_up(gpu, kernel_object, &entry->base, &entry->size);
	}
	*base = entry->base;
	*size = entry->size;
	return entry->name;
}
