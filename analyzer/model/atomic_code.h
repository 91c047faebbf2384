/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compilers' translation of an atomic update in the source: the hardware's instruction or a
 * compare-and-swap loop. atomic_code.def is the table.
 */
#ifndef HIPGRAIN_ATOMIC_CODE_H
#define HIPGRAIN_ATOMIC_CODE_H

#include "analyzer/model/model.h"

/* The ways in which the source writes an update. */
enum atomic_construct {
	CONSTRUCT_UNKNOWN,
	CONSTRUCT_ATOMIC,        /* atomicAdd, atomicMin, atomicMax, ... */
	CONSTRUCT_ATOMIC_SYSTEM, /* atomicAdd_system, ... */
	CONSTRUCT_SAFE,          /* safeAtomicAdd, ... */
	CONSTRUCT_UNSAFE,        /* unsafeAtomicAdd, ... */
	CONSTRUCT_FETCH,         /* __hip_atomic_fetch_add of agent scope or narrower, ... */
	CONSTRUCT_FETCH_SYSTEM,  /* the same of system scope */
	CONSTRUCT_GENERIC,       /* __atomic_fetch_add */
	CONSTRUCT_BUILTIN,       /* __builtin_amdgcn_flat_atomic_fadd_f64, ... */
	CONSTRUCT_ATTRIBUTE,     /* FETCH in a block [[clang::atomic(fine_grained_memory)]] */
	CONSTRUCT_LOOP,          /* a loop around atomicCAS */
	CONSTRUCT_OMP,           /* #pragma omp atomic */
};

enum code_operation {
	CODE_F32_ADD,
	CODE_F64_ADD,
	CODE_F32_MINMAX,
	CODE_F64_MINMAX,
	CODE_INT_MINMAX,
	CODE_INT_BITS,
	CODE_INT_INC,
	CODE_OPERATIONS,
};

enum code_options {
	OPTIONS_NONE,   /* or -mno-unsafe-fp-atomics: the same */
	OPTIONS_UNSAFE, /* -munsafe-fp-atomics */
	OPTIONS_FINE,   /* -mno-unsafe-fp-atomics -fatomic-fine-grained-memory */
	OPTIONS_REMOTE, /* as FINE, and -fatomic-remote-memory */
};

/* Releases of clang, both included. */
struct clang_range {
	int first, last;
};

/* Rows of these answer for releases on one side of the change: see atomics.h. */
#define CLANG_EARLY ((struct clang_range){ 0, 20 })
#define CLANG_LATE  ((struct clang_range){ 21, 1000 })

/*
 * The releases of the table that speak for one release: itself, or those next to it on both sides.
 * From 21 on all of them: HIP's headers decide, too, and a code object does not name them.
 */
struct clang_range atomic_code_range(int clang);

/*
 * The letter of the table (atomic_code.def) in which all rows of the range agree; 0 if they do not,
 * or one of them has none, or there is no row. `arch` as in "gfx90a".
 */
char atomic_code(struct clang_range range, const char *arch, enum atomic_construct construct,
		 enum code_operation operation, enum code_options options);

#endif
