/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule is given: the state at the event, the event, and who the pointers belong to. */
#ifndef HIPGRAIN_RULES_CONTEXT_H
#define HIPGRAIN_RULES_CONTEXT_H

#include "analyzer/isa/isa.h"
#include "analyzer/model/model.h"
#include "analyzer/rules/findings.h"

struct kernels; /* cache of analysed kernels, see kernels.h */

struct rules_context {
	struct findings *findings;
	struct kernels *kernels;
	struct process *process;
	const struct hg_event *event;
};

/* A launch with everything that is known about it. */
struct launch {
	const struct kernel_ref *kernel;
	const struct kernel_args *args;
	const struct isa_kernel *code; /* NULL if the machine code is not available */
	const struct device *device;   /* NULL if no device was recorded */
	const char *arch;              /* "gfx90a", "" if unknown */
	int clang;                     /* major release of the compiler, 0 if unknown */
	bool amd_clang;                /* AMD's own */
	uint64_t work_items;
	bool *items_matter; /* set where what is found depends on their number */
	GPtrArray *hits;    /* findings that this launch leads to: see launch_hit */
};

#define NO_KERNARG UINT32_MAX /* the address did not come through the arguments */

/* Doubt about a use of memory that is not certain. */
#define ONE_OF_SEVERAL "the access goes through one of several arguments"
#define NOT_SEEN       "the code dereferences the pointer; that this launch got there is not recorded"

/* A pointer argument: the word at a kernarg offset, and where it points. */
struct pointer_argument {
	uint32_t kernarg;
	int index;        /* of the explicit argument, -1 if the metadata has none there */
	const char *name; /* or NULL */
	uint64_t address;
	struct place place;
};

/*
 * One of several words of a struct that was passed by value, as in a table of pointers: what the
 * program left unset there holds anything. Says so among the limits.
 */
bool maybe_unset(const struct rules_context *context, const struct launch *launch,
		 const struct isa_use *use, const struct pointer_argument *pointer);

/* Granularity of memory at this moment. */
struct grain {
	enum granularity granularity;
	enum location location;
	bool mixed; /* some of its pages are coarse-grained, others fine-grained */
	bool certain;
	unsigned how; /* GRAIN_BY_*: what changed the table's answer */
	char *why;    /* owned by the caller */
	const char *sources;
};
#define GRAIN_BY_ADVICE 1u
#define GRAIN_BY_ANSWER 2u /* the runtime's own */

/* The word at a kernarg offset as a pointer. False if the recorded bytes end before it. */
bool launch_pointer(const struct rules_context *context, const struct launch *launch,
		    uint32_t kernarg, struct pointer_argument *pointer);

/* What the pages behind a place are to the GPU: what the runtime said, else what the table and
 * the advice so far say. */
struct grain place_grain(const struct process *process, const struct place *place);
/* The same by table and advice alone. */
struct grain place_table_grain(const struct process *process, const struct place *place);
void grain_clear(struct grain *grain);

/* Whether hipMemPrefetchAsync takes this memory, as far as is known: a fix may name it. */
bool can_be_prefetched(const struct process *process, const struct allocation *allocation);

/* What of the process' environment and devices the model asks for. */
struct model_environment process_environment(const struct process *process);

/* Fill in the parts of a new finding that follow from the launch and the pointer. */
void finding_set_launch(struct finding *finding, const struct launch *launch,
			const struct pointer_argument *pointer);
void finding_set_place(struct finding *finding, const struct place *place, uint64_t address);

/* The launch at hand leads to this finding: counted now and whenever it is repeated. */
void launch_hit(const struct launch *launch, struct finding *finding);

/* Lower a finding's confidence to at most `confidence`, because of `doubt` (a clause). */
void finding_at_most(struct finding *finding, enum confidence confidence, const char *doubt);

/* Memory of the operating system's that HIP knows nothing about: pageable. */
bool is_system_memory(const struct place *place);

/* "64 bytes from hipHostMalloc", "the stack of a thread"; the caller frees. */
char *place_text(const struct place *place);

/* "hipHostMalloc" -> how a person calls the memory: "pinned host memory". */
const char *allocation_noun(const struct allocation *allocation);

/* The rule families, one file each. */
void check_atomics(const struct rules_context *context, const struct launch *launch);
void check_launch_placement(const struct rules_context *context, const struct launch *launch);
void check_launch_lifetime(const struct rules_context *context, const struct launch *launch);
void check_carried(const struct rules_context *context, const struct launch *launch);
void check_alloc(const struct rules_context *context);
/* At the allocation of `place`. */
void check_pinned(const struct rules_context *context, const struct place *place);
void check_memory(const struct rules_context *context);
/* Fine-grained device memory that was asked for, at its allocation. */
void check_fine_request(const struct rules_context *context, const struct place *place);
void check_free(const struct rules_context *context); /* before the replay applies it */
void check_refused_allocation(const struct rules_context *context);
void check_neighbours(const struct rules_context *context);
void check_advise(const struct rules_context *context);
void check_prefetch(const struct rules_context *context);
void check_copy(const struct rules_context *context);
void check_fill(const struct rules_context *context);
void check_failed_transfer(const struct rules_context *context);
void check_error(const struct rules_context *context);

#endif
