/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory model: what kind of memory an allocation is, and what an atomic operation does to
 * it. Tables in memory.def, access.def and atomics.def; knows nothing of traces or of machine code.
 */
#ifndef HIPGRAIN_MODEL_H
#define HIPGRAIN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum granularity {
	GRAIN_UNKNOWN,
	GRAIN_INACCESSIBLE, /* the GPU has no access at all */
	GRAIN_FINE,
	GRAIN_COARSE,
};

enum location {
	LOCATION_UNKNOWN,
	LOCATION_HOST,    /* always host memory */
	LOCATION_DEVICE,  /* always the GPU's own memory */
	LOCATION_MOVABLE, /* pages may migrate */
};

enum memory_kind {
	KIND_UNKNOWN,
	KIND_SYSTEM,  /* the operating system's, as it is */
	KIND_MANAGED, /* one address for both sides, pages may move */
	KIND_PINNED,  /* host memory that the GPU has mapped */
	KIND_DEVICE,
};

/* The conditions on which the answer depends besides the allocation itself. -1: unknown. */
struct model_environment {
	int xnack;
	int hmm;           /* managed memory is real (SVM/HMM), not pinned host memory */
	int fine_pool;     /* the GPU offers a fine-grained pool of its own */
	int host_coherent; /* HIP_HOST_COHERENT is set to something else than 0 */
	int large_bar;     /* the host can address device memory */
	int apu;           /* GPU and CPU share one memory */
	/*
	 * An APU's own part of that memory is so large that pages may move into it, depending on
	 * the release of Linux.
	 */
	int carve_out;
	bool no_extended_pool; /* model_lacks_extended_pool() */
	int runtime_version;   /* hipRuntimeGetVersion(): major * 10^7 + minor * 10^5 + patch; 0 */
};

struct model_memory {
	enum memory_kind kind;
	enum granularity granularity;
	enum location location;
	bool prefetchable; /* hipMemPrefetchAsync has an effect */
	bool advisable;    /* hipMemAdvise has an effect */
	bool certain;      /* no unknown condition was passed over to get here */
	const char *why;
	const char *sources; /* tags of hipgrain-rules(7), SOURCES; comma-separated */
};

/* Returns true if the GPU offers no memory of extended scope under this release, though it offers
 * that of other GPUs. */
bool model_lacks_extended_pool(const char *arch, int runtime_version);

/*
 * Returns the memory that `api` returned for `flags`. Host allocators answer for memory that the
 * application hands to the GPU as it is. Never fails: memory that the table does not know is
 * GRAIN_UNKNOWN.
 */
struct model_memory model_memory(unsigned api, uint64_t flags,
				 const struct model_environment *environment);

enum model_question {
	QUESTION_CPU,       /* the CPU's way to the memory */
	QUESTION_GPU,       /* the GPU's way to the memory */
	QUESTION_MIGRATION, /* the memory moves to the GPU by itself */
	QUESTION_PREFETCH,  /* hipMemPrefetchAsync has an effect */
	QUESTION_ADVICE,    /* hipMemAdvise has an effect */
	QUESTION_FILL,      /* hipMemset fills the memory */
	QUESTIONS,
};

enum model_access {
	ACCESS_UNKNOWN,
	ACCESS_NONE, /* there is no mapping */
	ACCESS_FAULT,
	ACCESS_LOCAL,  /* in place, in its own memory */
	ACCESS_REMOTE, /* in place, over the interconnect */
	ACCESS_MAY_MIGRATE,
	ACCESS_MIGRATES,
	ACCESS_NO,
	ACCESS_YES,
};

struct model_answer {
	enum model_access access;
	bool certain;
	const char *sources;
};

/* Answers a question about memory of a kind on such a machine: access.def. */
struct model_answer model_ask(enum model_question question, enum memory_kind kind,
			      const struct model_environment *environment);

/* Returns the text of an answer, such as "in place, remote"; static. */
const char *model_access_text(enum model_access access);
const char *model_question_text(enum model_question question);

/* Returns "hipHostMallocMapped | hipHostMallocCoherent", or "" for an interface without flags. The
 * caller frees it. Bits without a name are shown in hexadecimal. */
char *model_flags_text(unsigned api, uint64_t flags);

/* Operand of an atomic operation, as far as the hardware's behaviour depends on it. */
enum atomic_kind {
	ATOMIC_F32_ADD,
	ATOMIC_F32_MINMAX,
	ATOMIC_F64_ADD,
	ATOMIC_F64_MINMAX,
	ATOMIC_PK_F16_ADD,
	ATOMIC_PK_BF16_ADD,
	ATOMIC_INT_PCIE,   /* integer addition, exchange, compare-and-swap */
	ATOMIC_INT_MINMAX, /* integer minimum and maximum */
	ATOMIC_INT_OTHER,  /* the other integer operations */
	ATOMIC_KINDS,
};

enum atomic_outcome {
	OUTCOME_UNKNOWN,
	OUTCOME_WORKS,
	OUTCOME_LOST,       /* silently not performed; a returning form yields 0 */
	OUTCOME_NO_OPCODE,  /* this GPU has no such instruction: compilers emit a CAS loop */
	OUTCOME_DOWNGRADED, /* performed, but atomic only within the device */
};

struct model_outcome {
	enum atomic_outcome outcome;
	bool certain; /* no unknown condition was passed over to get here */
	const char *sources;
	const char *doubt; /* why this is possible at most; NULL: a source states or saw it */
};

/* Returns true for an operation on integers. */
static inline bool atomic_kind_is_integer(enum atomic_kind kind)
{
	return kind >= ATOMIC_INT_PCIE && kind < ATOMIC_KINDS;
}

enum model_link { LINK_UNKNOWN, LINK_PCIE, LINK_XGMI };

/* A hardware atomic on some memory. */
struct model_atomic_use {
	const char *arch; /* "gfx90a" */
	enum atomic_kind kind;
	enum granularity granularity;
	enum location location;
	bool system_scope;    /* the instruction asks for it */
	enum model_link link; /* from the GPU to host memory */
	int pcie_atomics;     /* the way to host memory carries atomics; -1: unknown */
	int apu;
};

/* Returns what the atomic does. */
struct model_outcome model_atomic(const struct model_atomic_use *use);

/* Returns "hipErrorInvalidValue" for 1; "unknown error" for a code that the table does not have. */
const char *model_hip_error_name(int code);

/* Return the names that reports use: "fine-grained", "device memory"; static. */
const char *model_granularity_name(enum granularity granularity);
const char *model_location_name(enum location location);

#endif
