/* SPDX-License-Identifier: Apache-2.0 */
/* A target is what an address may point to. */
#ifndef HIPGRAIN_ISA_POINTER_TARGET_H
#define HIPGRAIN_ISA_POINTER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "value.h"

/*
 * It is one thing that a pair of address halves may be, for every alternative: by what the upper
 * half's base is and the matching alternative of the lower half.
 */
enum target_kind {
	TARGET_KERNARG_SEGMENT, /* constant = byte offset, if exact */
	TARGET_RUNTIME,         /* dispatch packet and alike */
	TARGET_PRIVATE,         /* constant = private address, if exact */
	TARGET_LDS,
	TARGET_IMAGE,   /* constant = address or offset from the symbol, if exact */
	TARGET_POINTER, /* base: dword of the kernarg segment or of a load */
	TARGET_NUMBER,  /* a constant address */
	TARGET_UNKNOWN,
};

#define TARGET_DISTANCES 3u

struct target {
	enum target_kind kind;
	bool exact;
	bool null; /* of TARGET_NUMBER: in the first page, where no memory is */
	bool constant_known;
	int32_t constant;
	/* If not exact, TARGET_POINTER and TARGET_IMAGE are the constant plus a multiple of this;
	 * 1: of anything. */
	uint32_t stride;
	/* If not exact, TARGET_POINTER has the least and the greatest distance, if known. */
	bool bounded;
	int64_t first, last;
	uint32_t base; /* low half's base, 0 if none */
	const char *why;
	int32_t more[TARGET_DISTANCES]; /* of TARGET_POINTER, if exact: other constants */
	unsigned more_count;
	uint32_t other[ALT_TERMS]; /* further bases that match both halves as well */
	unsigned other_count;
};

#define TARGETS_MAX 96

/* The targets of two halves, if these are few: the same halves are looked up many times. */
#define KNOWN_FEW 2u
struct known_targets {
	value_id low, high;
	unsigned count; /* 0: of none */
	struct target target[KNOWN_FEW];
};
#define KNOWN_TARGETS 64u /* a power of two */

#endif
