/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled test file: a code object, or an offload bundle with one. */
#ifndef HIPGRAIN_TEST_ISA_VARIANT_H
#define HIPGRAIN_TEST_ISA_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/isa/isa.h"
#include "codeobj/codeobj.h"

struct variant {
	char name[64];
	uint8_t *bytes;
	size_t size;
	const uint8_t *elf; /* inside bytes */
	size_t elf_size;
	bool stripped;  /* it has no line tables */
	unsigned clang; /* major version of its compiler, 0 if it does not say */
	struct isa_code_object *object;
};

/* A file's bytes and a NUL, malloc'ed. Exits the process if it cannot be read. */
uint8_t *variant_read_file(const char *path, size_t *size);

/* "dir/safe-O2.hsaco" is variant safe-O2. Exits the process if it holds no code object. */
void variant_load(struct variant *variant, const char *path);

#endif
