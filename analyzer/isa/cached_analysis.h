/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a code object in the cache (analyzer/cache). A name there is made of the code object's
 * hash, the disassembler that reads it and what of it was analysed. Only what follows from these is
 * kept: no failures, and nothing that would be different with more disassemblers installed.
 */
#ifndef HIPGRAIN_ISA_CACHED_ANALYSIS_H
#define HIPGRAIN_ISA_CACHED_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "codeobj/codeobj.h"

struct isa_code_object;
struct isa_options;

struct kept {
	bool use;
	char sha256[CODEOBJ_SHA256_SIZE]; /* the caller's to set, after kept_begin() */
	char disassembler[512];           /* its name and build */
};

/* Returns true if results of this code object may be there: not without cache or disassembler. */
bool kept_begin(struct kept *kept, const void *elf, size_t size, const struct isa_options *options);

/* Stores what isa_session_analyze() would make in *out; returns false if it is not there. */
bool kept_find(const struct kept *kept, const struct isa_options *options,
	       struct isa_code_object **out);

/* Keeps what it made. */
void kept_add(const struct kept *kept, const struct isa_options *options,
	      const struct isa_code_object *object);

#endif
