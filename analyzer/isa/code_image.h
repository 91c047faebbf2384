/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A code object as the loader would see it: bytes by virtual address, symbols, relocations.
 * All input is hostile; every accessor checks bounds. The bytes are borrowed, not copied.
 */
#ifndef HIPGRAIN_ISA_CODE_IMAGE_H
#define HIPGRAIN_ISA_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_symbol {
	const char *name; /* inside the image, NUL-terminated there */
	uint64_t address;
	uint64_t size;
	bool function;
	bool global; /* other objects, and the host by its name, reach it */
};

/* A dynamic relocation of 64 bits at `address`; its value is `target` (symbol or base + addend). */
struct isa_reloc {
	uint64_t address;
	uint64_t target;
	const char *undefined; /* name of a symbol that another object defines, else NULL */
};

struct isa_section {
	uint64_t address, size, offset;   /* offset: in the file */
	bool alloc, writable, exec, bits; /* bits: has bytes in the file */
};

struct isa_image {
	const uint8_t *data;
	size_t size;
	struct isa_section *sections;
	size_t section_count;
	struct isa_symbol *symbols; /* defined ones, ascending by address */
	size_t symbol_count;
	uint32_t *by_name; /* hash table of them: index + 1, 0: free; a power of two of slots */
	size_t by_name_size;
	struct isa_reloc *relocs; /* ascending by address */
	size_t reloc_count;
	unsigned clang; /* isa_image_clang() */
};

/* Opens the ELF at `data`. Returns 0, or a negative errno with one line in error[error_size]. */
int isa_image_open(struct isa_image *image, const void *data, size_t size, char *error,
		   size_t error_size);
void isa_image_close(struct isa_image *image);

/* Returns the section that holds virtual address `address`, or NULL. */
const struct isa_section *isa_image_section(const struct isa_image *image, uint64_t address);

/* Copy up to `length` bytes at virtual address `address`; returns how many were there. */
size_t isa_image_read(const struct isa_image *image, uint64_t address, void *to, size_t length);

/* Returns the symbol of exactly that name, or NULL. */
const struct isa_symbol *isa_image_symbol(const struct isa_image *image, const char *name);

/* Returns where the next symbol begins that is behind `address`; UINT64_MAX if there is none. */
uint64_t isa_image_next_symbol(const struct isa_image *image, uint64_t address);

/* Returns the symbol (function or object) whose bytes contain `address`, or NULL. */
const struct isa_symbol *isa_image_symbol_at(const struct isa_image *image, uint64_t address,
					     bool function);

/*
 * Returns the variable that begins next after `address` and at most `distance` bytes later, or
 * NULL. Kernel descriptors are none.
 */
const struct isa_symbol *isa_image_variable_after(const struct isa_image *image, uint64_t address,
						  uint64_t distance);

/*
 * The major version of the newest clang that section .comment names; 0 if it names none. It says
 * how code was made, not what it does.
 */
unsigned isa_image_clang(const void *elf, size_t size);

/* Returns the relocation exactly at `address`, or NULL. */
const struct isa_reloc *isa_image_reloc(const struct isa_image *image, uint64_t address);

#endif
