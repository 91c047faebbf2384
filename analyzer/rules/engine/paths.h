/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells where the paths of a kernel (struct isa_path) lead at a launch, by the arguments that were
 * recorded and by the addresses that are known to lie in memory (replay/contents.h).
 */
#ifndef HIPGRAIN_RULES_PATHS_H
#define HIPGRAIN_RULES_PATHS_H

#include "analyzer/rules/engine/rule_api.h"

#define PATH_TARGETS 256u  /* to which one access may lead; others are not listed */
#define PATH_ALIKE   64u   /* of these in one allocation with pages of one kind */
#define PATH_NODES   4096u /* pointers that are followed for them */

struct path_targets {
	GArray *list; /* struct pointer_argument; what they borrow is in `texts` */
	GPtrArray *texts;
	bool complete;   /* there are no others */
	const char *why; /* why not; static, or NULL */
	bool chosen;     /* an index chooses among pointers in memory: not each of them is used */
	bool stored;     /* a kernel stored one of several, and it is not known which */
	bool own;        /* ... it may be the launch itself that did */
	bool doubted;    /* something else may have changed a pointer since it was recorded */
};

/*
 * Finds the targets of all of these paths. A pointer that the launch itself may store is one of
 * several, or its targets are not all known. The caller gives them to path_targets_clear().
 */
void path_targets_find(const struct rules_context *context, const struct launch *launch,
		       const struct isa_path *paths, size_t count, struct path_targets *targets);
void path_targets_clear(struct path_targets *targets);

/*
 * The same by memory as it was before the launch, but for pointers of which the code tells that the
 * launch itself stores them first (isa_step.stored_before), as far as `stores` says what they are.
 */
struct kept_stores;
void path_targets_before(const struct rules_context *context, const struct launch *launch,
			 const struct isa_path *paths, size_t count,
			 const struct kept_stores *stores, struct path_targets *targets);

/* The same of pointers that are only copied: what is no address, or null, is not among them. */
void path_values_find(const struct rules_context *context, const struct launch *launch,
		      const struct isa_path *paths, size_t count, struct path_targets *targets);

/*
 * Memory that a launch uses through one pointer that lies in memory. The use is of the argument
 * that it starts from (NO_KERNARG: a variable), and certain if there is no other memory that it
 * could be.
 */
struct path_memory_use {
	struct isa_use use;
	struct pointer_argument pointer; /* with a chain */
};

struct path_memory {
	GArray *list;     /* struct path_memory_use */
	GPtrArray *texts; /* holds what these borrow */
	bool complete;    /* with the uses of arguments, that is all that the launch uses */
	bool doubted;     /* ... unless a pointer was changed since it was recorded */
};

/* Finds all of it. The caller gives it to path_memory_clear(). */
void path_memory_find(const struct rules_context *context, const struct launch *launch,
		      struct path_memory *memory);
void path_memory_clear(struct path_memory *memory);

/*
 * Returns true if it is certain that the launch uses no other memory than this and its arguments'.
 */
bool path_memory_known(const struct launch *launch, const struct path_memory *memory);

/* Changes when the answer may, in one epoch of the address space; always 0 without such uses. */
uint64_t path_memory_version(const struct rules_context *context, const struct isa_kernel *code);

/* All memory that the launch uses, through its arguments and through pointers in memory. */
typedef void launch_use_function(const struct rules_context *context, const struct launch *launch,
				 const struct isa_use *use, const struct pointer_argument *pointer);
void launch_each_use(const struct rules_context *context, const struct launch *launch,
		     launch_use_function *function);

/*
 * Returns true if it is known where all accesses through pointers in memory lead, as far as was
 * recorded.
 */
bool paths_known(const struct rules_context *context, const struct launch *launch);

/* Returns true if the launch itself may store to any of these bytes (stored.c). */
bool launch_may_store(const struct rules_context *context, const struct launch *launch,
		      uint64_t address, unsigned size);

/*
 * Finds the pointers that a launch itself may store to words of these bytes. Returns false if they
 * are not all known. Stores of which the code does not tell where they go are left out.
 */
bool launch_stores(const struct rules_context *context, const struct launch *launch, uint64_t start,
		   uint64_t size, struct content_values *values);

/*
 * Finds the pointers of which the launch has left one in a word, once a work-item has stored there.
 * Returns false if they are not all known, or something else may be there.
 */
bool launch_leaves(const struct rules_context *context, const struct launch *launch,
		   uint64_t address, struct content_values *values);
/* The same as far as these stores are all that the launch has. */
bool stores_leave(const struct rules_context *context, const struct kept_stores *stores,
		  uint64_t address, struct content_values *values);

/* A part of memory of up to 8 bytes. */
struct word {
	uint64_t address;
	unsigned size;
};

/*
 * Returns true if a launch may store to any of these words (struct word) as far as an evaluation
 * says what it executes.
 */
bool evaluation_may_store(const struct rules_context *context, const struct launch *launch,
			  const struct isa_evaluation *evaluation, const GArray *words);

/*
 * Returns true if they lead to one allocation, or to several that one call made: what holds for one
 * of them holds for all.
 */
bool path_targets_alike(const struct path_targets *targets);

#endif
