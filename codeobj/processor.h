/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of processors (arch.def). */
#ifndef HIPGRAIN_CODEOBJ_PROCESSOR_H
#define HIPGRAIN_CODEOBJ_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

enum codeobj_generation {
	CODEOBJ_GFX6,
	CODEOBJ_GFX7,
	CODEOBJ_GFX8,
	CODEOBJ_GFX9,
	CODEOBJ_GFX10,
	CODEOBJ_GFX11,
	CODEOBJ_GFX12,
	CODEOBJ_GFX12_5,
};

enum codeobj_xnack {
	CODEOBJ_XNACK_NONE,
	CODEOBJ_XNACK_NAMED,
	CODEOBJ_XNACK_SWITCHED,
	CODEOBJ_XNACK_ALWAYS,
};

enum codeobj_l2 { CODEOBJ_L2_UNKNOWN, CODEOBJ_L2_ONE, CODEOBJ_L2_SEVERAL };

enum codeobj_host {
	CODEOBJ_HOST_UNKNOWN,
	CODEOBJ_HOST_NONE,
	CODEOBJ_HOST_COARSE,
	CODEOBJ_HOST_ALL
};

enum codeobj_apu { CODEOBJ_APU_UNKNOWN, CODEOBJ_APU_NO, CODEOBJ_APU_CARVE_OUT, CODEOBJ_APU_HBM };

enum codeobj_f64 { CODEOBJ_F64_UNKNOWN, CODEOBJ_F64_NONE, CODEOBJ_F64_NAMED, CODEOBJ_F64_UNNAMED };

struct codeobj_processor {
	const char *name;
	uint8_t mach;
	enum codeobj_generation generation;
	enum codeobj_xnack xnack;
	enum codeobj_l2 l2;
	enum codeobj_host host;
	enum codeobj_apu apu;
	unsigned lds;        /* KiB; 0: unknown */
	const char *generic; /* or NULL */
	const char *code;    /* whose rows atomic_code.def has, or NULL */
	enum codeobj_f64 f64;
};

/*
 * Returns the facts of a processor by its name or target id ("gfx90a:xnack+"). Returns NULL if the
 * table does not have it; a generic processor has no facts.
 */
const struct codeobj_processor *codeobj_processor(const char *name);

/* Returns the name of a processor, generic or not, by its number in e_flags; NULL if unknown. */
const char *codeobj_processor_name(unsigned mach);

#endif
