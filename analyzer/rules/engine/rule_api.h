/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of rules: the event, the state at that time, and the memory that pointers lead to.
 */
#ifndef HIPGRAIN_RULES_RULE_API_H
#define HIPGRAIN_RULES_RULE_API_H

#include "analyzer/isa/isa.h"
#include "analyzer/model/model.h"
#include "analyzer/rules/engine/findings.h"

struct dispatch;
struct kernels; /* cache of analysed kernels, see kernels.h */
struct launch_memory;
struct process_history;

/* Lists what wakes rules: a column of rules.def, and of listeners.def. */
enum wake {
	/* Events, after the replay applied them. */
	WAKE_ALLOC, /* not of the C library's memory */
	WAKE_MEMORY,
	WAKE_ADVISE,
	WAKE_PREFETCH,
	WAKE_COPY,
	WAKE_FILL,
	WAKE_LAUNCH, /* with the memory that it was given: context->memory */
	WAKE_STREAM,
	WAKE_EVENT,
	WAKE_SYNC,
	WAKE_CALL,
	WAKE_ERROR,
	WAKE_MIGRATION, /* `migration` and `smi_source` */
	WAKE_RESIDENCY,
	WAKE_ANNOTATION,
	WAKE_FIX,         /* and `fix_plan` */
	WAKE_OMP,         /* all of OpenMP's */
	WAKE_OPEN_CALL,   /* a call that did not return, by the state when it was made */
	WAKE_CALL_OF_HIP, /* any event but those of the C library's memory, before the others */
	/* A launch whose machine code is known, and that is not like one before it:
	   context->launch. Findings that it leads to are counted at each launch like it:
	   launch_hit(). */
	WAKE_CODE,
	/* Memory is about to be released: before the replay applies the event. */
	WAKE_RELEASE,      /* of HIP and below; if it is known, context->released */
	WAKE_HOST_RELEASE, /* of the C library */
	/* The order of work (order/ordering.h), in context->order. */
	WAKE_SUBMIT,     /* work is about to be put into a stream */
	WAKE_WORK,       /* the clock knows of it; before anything waits for it */
	WAKE_TAKEN_BACK, /* the launch of the latest `launch` event did not happen */
	WAKE_ORDERED_RELEASE,
	WAKE_EVENT_WAIT, /* for an event, by a stream or the host */
	WAKE_EVENT_END,
	/* The end, for each process. */
	WAKE_FINISH,
	WAKES,
};
#define ON(wake) (1u << WAKE_##wake)

/* A rule is called with this. Members that its wake does not name are NULL. */
struct rules_context {
	struct findings *findings;
	struct kernels *kernels;
	struct process *process;
	const struct hg_event *event; /* NULL at the end */
	const struct dispatch *dispatch;
	enum wake wake;
	struct process_history *history;    /* call_history.h: all but releases of the C library */
	const struct launch_memory *memory; /* WAKE_LAUNCH */
	const struct launch *launch;        /* WAKE_CODE */
	struct allocation *released;        /* WAKE_RELEASE; NULL: it is not known */
	const struct work *work;            /* order/ordering.h: what has to do with the order */
};

typedef void rule_function(const struct rules_context *context);

/* The functions that each wake calls, each once, ended by NULL: of rules.def, then listeners.def.
 */
struct dispatch {
	rule_function **woken[WAKES];
};

/* Call the functions whose rows name the wake. The context is the caller's, but for its wake. */
void rules_wake(const struct rules_context *context, enum wake wake);

/* Does the same for the wake that the context has. */
void rules_wake_as_is(const struct rules_context *context);

/* The functions of the other table; those of rules are in rules/ids/. */
#define LISTENER(function, wakes) rule_function function;
#include "analyzer/rules/listeners.def"
#undef LISTENER

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
	bool *items_matter;   /* set where what is found depends on their number */
	bool *numbers_matter; /* ... or on numbers in memory (contents_number()) */
	GPtrArray *hits;      /* findings that this launch leads to: see launch_hit */
};

#define NO_KERNARG UINT32_MAX /* the address did not come through the arguments */

/* A pointer argument: the word at a kernarg offset, and where it points. */
struct pointer_argument {
	uint32_t kernarg;
	int index;        /* of the explicit argument, -1 if the metadata has none there */
	const char *name; /* or NULL */
	uint64_t address;
	struct place place;
	/*
	 * These are NULL unless the pointer lies in memory (paths.h): the steps by which it is
	 * reached, for people and as a key; what is doubtful about it, and how sure it can be.
	 * Borrowed.
	 */
	const char *chain, *path, *doubt;
	enum confidence at_most; /* if there is a doubt */
	bool maybe_harmless; /* the doubt is about several pointers, of which others are harmless */
	/* The access may as well go through others that lead to the same: what identifies all of
	 * them. Borrowed; NULL: it does not. */
	const char *among;
	/* The access may go through several arguments that lead to the same memory: names them all.
	 * Borrowed; NULL: this one alone. */
	const char *several;
	bool vague; /* not at that address, but in that memory: a kernel computed the pointer */
	/* It is true if the address lies in memory: the access is at this distance from it. */
	bool placed;
	struct isa_step distance;
};

/*
 * Returns true if it is one of several words of a struct that was passed by value, as in a table of
 * pointers: those that the program left unset hold anything. Says so among the limits.
 */
bool maybe_unset(const struct rules_context *context, const struct launch *launch,
		 const struct isa_use *use, const struct pointer_argument *pointer);

/* Fills in name and index of the argument that holds the kernarg offset, if there is one. */
void launch_argument(const struct launch *launch, uint32_t kernarg,
		     struct pointer_argument *pointer);

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
#define GRAIN_BY_ADVICE  1u
#define GRAIN_BY_RUNTIME 2u /* the runtime's own */
#define GRAIN_BY_PROBE   4u /* measured on the machine */

/*
 * Reads the word at a kernarg offset as a pointer. Returns false if the recorded bytes end before
 * it.
 */
bool launch_pointer(const struct rules_context *context, const struct launch *launch,
		    uint32_t kernarg, struct pointer_argument *pointer);

/*
 * Tells how the GPU sees the pages behind a place: as the runtime reported, else by the table and
 * the advice so far.
 */
struct grain place_grain(const struct process *process, const struct place *place);
/* The same without the text: why is NULL, and nothing has to be cleared. */
struct grain place_grain_brief(const struct process *process, const struct place *place);
/* Does the same by table and advice alone. */
struct grain place_table_grain(const struct process *process, const struct place *place);
void grain_clear(struct grain *grain);

/*
 * Returns the call that registered the page of a pointer in place, if it is the operating system's
 * memory and not registered now: GPUs keep their access to it
 * (docs/memory-model.md#hiphostregister). NULL: they have none of this kind. Borrowed; valid until
 * the next event.
 */
const struct page_call *registration_left(const struct process *process,
					  const struct pointer_argument *pointer);

/* Finds where the memory of an `alloc` event is. Returns false if it is not there now. */
bool is_new_allocation(const struct rules_context *context, struct place *place);

/* Returns true if hipMemPrefetchAsync takes this memory, as far as is known: a fix may name it. */
bool can_be_prefetched(const struct process *process, const struct allocation *allocation);

/* Returns the facts about the process's environment and devices that the model needs. */
struct model_environment process_environment(const struct process *process);
/* Returns the same without what is supposed (struct supposed). */
struct model_environment process_recorded_environment(const struct process *process);

/* Returns "tvd_rk(double*, int, int)", also where the code is not known (NULL); to be freed. */
char *kernel_text(const struct kernel_ref *kernel, const struct isa_kernel *code);

/* Fill in the parts of a new finding that follow from the launch and the pointer. */
void finding_set_launch(struct finding *finding, const struct launch *launch,
			const struct pointer_argument *pointer);
/* At a launch, the pointer to the memory is loaded from what this argument leads to. */
void finding_goes_through(const struct rules_context *context, const struct launch *launch,
			  struct finding *finding, uint32_t kernarg);
void finding_set_place(struct finding *finding, const struct place *place, uint64_t address);

/* The launch at hand leads to this finding: counted now and whenever it is repeated. */
void launch_hit(const struct launch *launch, struct finding *finding);

/*
 * Lowers a finding's confidence to at most `confidence`, because of `doubt` (a clause) that only
 * this rule has. chain.h has the doubts of links that many rules rest on.
 */
void finding_at_most(struct finding *finding, enum confidence confidence, const char *doubt);

/* Returns true if it is the operating system's memory that is not registered with HIP: pageable. */
bool is_system_memory(const struct place *place);

/*
 * Returns true if it is such memory and maps a file, or memory with a name (shm_open,
 * memfd_create).
 */
bool is_file_mapping(const struct place *place);

/*
 * Returns "64 bytes from hipHostMalloc", "the stack of a thread" or the like; the caller frees it.
 */
char *place_text(const struct place *place);

/* Returns how a person calls the memory: "pinned host memory" for hipHostMalloc's. */
const char *allocation_noun(const struct allocation *allocation);

/*
 * Returns true if clang or flang made the kernel of an OpenMP target region:
 * "__omp_offloading_...".
 */
bool launch_is_omp(const struct launch *launch);
/* Returns true if, besides, the place is the operating system's memory, used in place. */
bool is_omp_system(const struct launch *launch, const struct place *place);

#endif
