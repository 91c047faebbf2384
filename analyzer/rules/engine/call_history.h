/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules about sequences of calls remember of each process which memory the latest launches
 * used, what was copied where and not used yet, how often a call site did what. That is bounded by
 * live allocations, call sites and distinct launch arguments, not by the trace.
 */
#ifndef HIPGRAIN_RULES_CALL_HISTORY_H
#define HIPGRAIN_RULES_CALL_HISTORY_H

#include "paths.h"
#include "rule_api.h"

#define PENDING_UPLOADS 16 /* of one allocation; more are not followed */

/* A copy to device memory that nothing has read yet. */
struct upload {
	uint64_t offset, size; /* in the allocation, bytes */
	unsigned api;
	uint32_t stack_id;
	int64_t ns;
};

/* Holds what is remembered of one live allocation. */
struct memory_history {
	struct allocation *allocation; /* a reference */
	struct upload uploads[PENDING_UPLOADS];
	unsigned upload_count;
	uint64_t upload_turn; /* process_history.upload_turn as it was; else there are none */
	uint64_t last_use;    /* process->launches at the latest launch that touched it */
	int64_t used_ns;      /* the latest launch, copy or fill that had to do with it; 0: none */
	/* process_history.large_turn as it was at the call at `large_site`, unless used since. */
	uint64_t large_turn;
	uint32_t large_site;
	unsigned large_api;
	uint64_t large_size;
	/* The latest prefetch, and advice: hipMemAdvise's, of any part. */
	bool prefetched;
	int32_t prefetch_target;
	unsigned prefetch_api;
	uint64_t prefetch_start, prefetch_size;
	uint32_t prefetch_site;
	uint64_t accessed_by;    /* a bit for each device */
	int32_t preferred;       /* device, -1 the host, or NOWHERE */
	struct xnack_row *xnack; /* borrowed; NULL until a launch was given it */
	uint64_t home;           /* devices to which it was prefetched: a bit each */
};
#define NOWHERE INT32_MIN

/* Memory that a launch reaches through a pointer among its arguments, or through one in memory. */
struct touched {
	struct memory_history *memory;
	uint64_t address;
	uint32_t kernarg;
	/*
	 * The machine code tells the access; it is 0 if the pointer is only passed, or is one of
	 * several that may be used.
	 */
	unsigned access;
	/*
	 * These are of a pointer in memory, as in struct pointer_argument; borrowed from the paths.
	 */
	const char *chain, *path, *doubt;
};

/* The same arguments in the same address space touch the same memory, with the same pointers in
 * memory. */
struct launch_memory {
	uint64_t epoch, version;
	bool follows;    /* the kernel uses pointers in memory: the version matters */
	GArray *touched; /* struct touched */
	struct path_memory paths;
	bool unknown; /* it may use memory that is not in `touched` */
};

/* Consecutive copies that begin where the one before ended, or at constant distances. */
struct copy_run {
	unsigned api;
	uint32_t stack_id;
	uint64_t stream;
	uint64_t dst, src; /* of the latest */
	uint64_t size;     /* of the latest, bytes */
	uint64_t dst_step, src_step;
	uint64_t count, bytes;
	bool same_size;
	struct finding *finding;       /* since it is long enough */
	struct figure before[FIGURES]; /* the finding's, of earlier runs */
};

/* Counts what a call site did. */
struct site_history {
	uint32_t stack_id;
	unsigned api;
	/* Allocations. */
	uint64_t allocations, releases, live, live_bytes;
	uint64_t iterations; /* allocations with a launch since the one before */
	uint64_t last_ptr, last_launches;
	uint64_t pairs;            /* allocated, used by launches, released */
	uint64_t left, left_bytes; /* live at the end, and not used since the next allocation */
	struct allocation *latest; /* a reference */
	/* Copies. */
	uint64_t copy_launches; /* process->launches at the latest */
	/* Prefetches. */
	bool returned_early;
};

struct process_history {
	struct process *process;
	GHashTable *memory;    /* struct allocation -> struct memory_history */
	unsigned memory_limit; /* entries, from which on released ones are looked for */
	GHashTable *launches;  /* args id -> struct launch_memory */
	GHashTable *sites;     /* stack id and api -> struct site_history */
	struct copy_run run;
	GHashTable *streams; /* live ones that were created */
	unsigned most_streams;
	uint64_t upload_turn;           /* counts up when all uploads are forgotten */
	uint64_t large_turn;            /* ... all large ones; from 1 on */
	unsigned large_uploads;         /* since the latest other work */
	uint64_t stream;                /* the one that has had all work so far ... */
	bool any_work, several_streams; /* ... unless there were several */
	bool async_copies;              /* on a stream of their own */
	uint64_t waited;                /* process->launches when the host last waited for work */
	uint64_t unknown;               /* ... at the latest launch that may use any memory */
	int64_t unknown_ns;             /* the time of that launch; 0: there was none */
	bool hidden_work;               /* graphs or other processes may use memory unseen */
	GHashTable *kernels;            /* kernel id -> struct kernel_history */
};

struct kernel_history {
	uint64_t launches, work_items;
	uint32_t first_site;
	int64_t first_ns;
};

/* Returns the history of the process at hand; makes it if there is none. */
struct process_history *call_history_of(struct process *process);
/* Returns NULL if the process has made no call of interest. */
struct process_history *call_history_known(struct process *process);

/* The event is in the history from here on; at a launch *memory is set. Not for the C library's. */
void call_history_event(const struct rules_context *context, const struct launch_memory **memory);
/* The memory that was released is no longer in it. */
void call_history_released(const struct rules_context *context);

/* ---- for the rules ---- */

/* Returns what is known of the allocation, or NULL. */
const struct memory_history *call_history_find(const struct process_history *process,
					       const struct allocation *allocation);
/*
 * Returns true if advice keeps pages that can migrate from doing so when that device touches them:
 * they are mapped for it where they are, or the host is where they are to be, and no prefetch moved
 * them [KFD].
 */
bool memory_is_kept_on_host(const struct memory_history *memory, int32_t device);
/* Returns the record of an allocation; makes it if there is none. */
struct memory_history *call_history_memory(struct process_history *process,
					   struct allocation *allocation);

/* Returns the record of what one call site did with `api`; makes it if there is none. */
struct site_history *call_history_site(struct process_history *process, unsigned api,
				       uint32_t stack_id);

#endif
