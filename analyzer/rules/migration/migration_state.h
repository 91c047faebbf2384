/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files about moved pages share this: when what was called (migration_when.c), where pages are
 * (migration_pages.c), advice and prefetches (migration_history.c), the rules (migration_rules.c),
 * those about prefetches (prefetches.c) and about heap that is used again (recycled.c); migration.c
 * keeps the account.
 */
#ifndef HIPGRAIN_RULES_MIGRATION_STATE_H
#define HIPGRAIN_RULES_MIGRATION_STATE_H

#include "migration.h"

struct hg_ev_migration;

#define PAGE 4096u
/*
 * Launches, waits and calls that are remembered, because the driver's events are recorded a moment
 * after the migration.
 */
#define RECENT     1024u
#define ANY_ACCESS (ISA_READ | ISA_WRITE | ISA_ATOMIC)

/* Blocks of the C library that realloc() is about to resize. */
#define RESIZED 64u

/*
 * The driver's times and the program's are recorded by two threads, each of which may be delayed
 * between reading a clock and recording: events that are closer together than this have no known
 * order.
 */
#define SLACK_NS 1000000000

/* A launch, or a wait (kernel_id 0) for all work or that of one stream. */
struct gpu_work {
	int64_t ns;
	uint32_t kernel_id, args_id, stack_id;
	uint64_t work_items;
	int32_t device;
	uint64_t stream;
	bool everything;               /* a wait */
	struct allocation *touched[4]; /* not referenced: only compared */
	unsigned access[4];            /* of the machine code; 0: not known */
	unsigned touched_count;
	bool unknown; /* it may touch more */
};

struct call_record {
	int64_t begin, end;
	struct migration_call call;
};

struct prefetch_record {
	uint64_t start, end;
	int32_t target;
	int64_t ns;
	uint64_t stream;
	uint32_t stack_id;
	struct allocation *allocation; /* a reference */
	int64_t used_ns;               /* by a launch first; 0: not used yet */
	bool host_first;
	struct gpu_work launch; /* at work when it was called, and used the memory; ns 0: none */
	bool one_of_several;    /* ... or another kernel's */
	uint64_t late;          /* bytes that faults of that launch brought */
	bool beside;            /* the launch came after the call, on another stream */
};

/* Pages that a prefetch moved. */
struct prefetch_move {
	uint64_t start, end;
	int32_t to;
	int64_t ns;
};

/* Pages that a fault of a GPU moved, for a launch. */
struct fault_move {
	uint64_t start, end;
	int32_t to;
	int64_t ns;             /* the driver's */
	struct gpu_work launch; /* for which */
};

/* A fault of the host's that returned pages of freed memory, for memory that is not known yet. */
struct returned {
	struct allocation *freed; /* a reference */
	uint64_t page, bytes;
	int64_t ns;
	unsigned looks; /* for the memory */
};

struct migration {
	struct gpu_work recent[RECENT];
	uint64_t count;
	struct call_record calls[RECENT];
	uint64_t call_count;
	struct fault_move faulted[RECENT];
	uint64_t fault_count;
	GHashTable *begun;  /* address -> when its move began: int64_t */
	GPtrArray *open;    /* struct migration_row whose phase has not ended, borrowed */
	GHashTable *rows;   /* key text -> struct migration_row, borrowed by the list */
	GPtrArray *list;    /* struct migration_row */
	GHashTable *blocks; /* address / 2 MiB -> struct part, a list */
	GArray *prefetches; /* struct prefetch_record */
	GArray *prefetched; /* struct prefetch_move, in the driver's order */
	GHashTable *counts; /* finding -> struct launch_count */
	GArray *returned;   /* struct returned */
	GPtrArray *resized; /* struct allocation that realloc() released, and what became of them
			       is not known yet: references */
	bool source;        /* the driver's events were read */
	uint64_t lost;      /* of them, dropped or not understood */
	char *problem;
};

/* ---- migration_when.c ---- */

/* An event that waits for launches ends them; a launch begins a moment. */
void gpu_work_wait(struct migration *migration, const struct hg_event *event);
void gpu_work_launch(struct migration *migration, const struct rules_context *context,
		     const struct launch_memory *launch);
/* Returns true if the launch may have used the memory, also if that is not known. */
bool gpu_work_touches(const struct gpu_work *work, const struct allocation *allocation);
/* Returns bits of ISA_READ ..., all of them if that is not known. */
unsigned gpu_work_access(const struct gpu_work *work, const struct allocation *allocation);
/*
 * The launch whose kernel used the memory at time `ns`: the oldest that nobody had waited for by
 * then. *several: there are others, of other kernels.
 */
const struct gpu_work *who_used(const struct migration *migration, int64_t ns, int32_t device,
				const struct allocation *allocation, bool *several);

enum page_use { NOT_USED, USED, USE_UNKNOWN };

/* Returns what launches that were at work in [from, to] may have done to the memory. */
enum page_use used_between(const struct migration *migration, const struct allocation *allocation,
			   int64_t from, int64_t to, unsigned *access);

/* A HIP call of the program's: phases of the host lie between two of them. */
void note_call(struct migration *migration, const struct hg_event *event);
/* The phase of the host's at that time. *open: its end has not been seen yet. */
struct migration_phase phase_at(const struct migration *migration, int64_t ns, bool *open);

/* ---- migration_pages.c ---- */

/* Describes what brought pages to a GPU. */
struct arrival {
	int64_t ns;
	enum migration_trigger trigger;
	int32_t device;
	struct migration_row *row;     /* borrowed */
	const struct gpu_work *launch; /* during the call only; NULL: none, or not known */
	bool neighbour;                /* the launch was not given them: they share a block */
};

/* Frees the parts of a block, of which each belongs to an allocation. */
void parts_free(gpointer parts);
/* [start, end) of the allocation came to a GPU. */
void pages_arrive(struct migration *migration, struct allocation *allocation, uint64_t start,
		  uint64_t end, const struct arrival *arrival);
/* Describes what brought pages to the host. */
struct departure {
	int64_t began, ns;
	bool timed; /* the driver told when; else it is the time of the recording */
	enum migration_trigger trigger;
	struct migration_row *row; /* borrowed */
};

/* [start, end) of the allocation went to the host. */
void pages_leave(struct migration *migration, const struct rules_context *context,
		 struct allocation *allocation, uint64_t start, uint64_t end,
		 const struct departure *departure);
/* Returns the allocation whose page is on a GPU, as far as recorded, or NULL if that is unknown. */
struct allocation *pages_owner(const struct migration *migration, uint64_t page);
/* A block of the C library is about to be released, perhaps by realloc(). */
void pages_release(struct migration *migration, const struct rules_context *context);
/* Blocks that realloc() did not move keep their pages, which follows from the block that is there
 * now. */
void pages_follow(struct migration *migration, const struct rules_context *context);
/* Settles what is still there after the last event. */
void pages_settle(struct migration *migration);

/* ---- migration_history.c ---- */

/* Frees a row, in whichever list it is. */
void migration_row_free(gpointer row);

/* Add one more line to the allocation's history: advice or prefetch; what moved. */
void history_advice(const struct rules_context *context, const struct migration_advice *advice,
		    struct allocation *allocation);
void history_move(const struct migration *migration, const struct rules_context *context,
		  const struct hg_ev_migration *move, struct allocation *allocation, uint64_t bytes,
		  int64_t began, int64_t ns, const struct gpu_work *launch);

/* ---- migration_rules.c ---- */

/* Each launch that leads to a finding counts once. */
struct launch_count {
	int64_t launch_ns;
	uint64_t faults;
};

/* Counts a fault for HG301. */
void count_storm(struct migration *migration, const struct rules_context *context,
		 const struct gpu_work *launch, struct allocation *allocation, int64_t ns,
		 bool several);
/* Counts for HG302 that a block that `launch` brought came back, for the `trips`th time. */
void count_trip(struct migration *migration, const struct rules_context *context,
		const struct gpu_work *launch, struct allocation *allocation, unsigned trips,
		int64_t ns);
/*
 * Counts for HG303: pages that no kernel was passed moved with a block, and the host faulted on
 * them.
 */
void count_neighbour(struct migration *migration, const struct rules_context *context,
		     const struct gpu_work *launch, struct allocation *allocation, int64_t ns);
/* Count for HG308 and HG309. */
void count_eviction(const struct rules_context *context, const struct hg_ev_migration *move,
		    struct allocation *allocation, int64_t ns);
void count_stop(const struct rules_context *context, const struct hg_ev_migration *stop,
		int64_t ns);

/* ---- prefetches.c ---- */

/* A prefetch, after the replay applied it; a launch, which may use what prefetches brought. */
void note_prefetch(struct migration *migration, const struct rules_context *context);
void prefetches_launch(struct migration *migration, const struct gpu_work *launch);
/* Checks for HG305 by the host's fault. */
void check_host_first(struct migration *migration, const struct rules_context *context,
		      uint64_t start, uint64_t end, int64_t ns);
/* Since when pages that a prefetch moved may have been used: its call, by the program's clock. */
int64_t prefetch_began(const struct migration *migration, uint64_t start, uint64_t end,
		       int32_t target, int64_t ns);
/* A GPU's fault brought [start, end) for `launch`. */
void prefetches_fault(struct migration *migration, const struct gpu_work *launch, int32_t device,
		      uint64_t start, uint64_t end, int64_t ns);
/* Notes that a prefetch brought pages. */
void prefetches_move(struct migration *migration, const struct prefetch_move *move);
/* Reports HG304, if nothing was lost, and HG311, at the end. */
void prefetches_finish(struct migration *migration, const struct rules_context *context);

/* ---- recycled.c ---- */

/*
 * Counts for HG314: a fault of the host's returned `bytes` of pages, the first at `page`, that
 * `freed` had left on a GPU. `owner` has them now, as far as is known.
 */
void recycled_return(struct migration *migration, const struct rules_context *context,
		     struct allocation *freed, struct allocation *owner, uint64_t page,
		     uint64_t bytes, int64_t ns);
/* A call, which may come after the allocation for which pages returned. */
void recycled_look(struct migration *migration, const struct rules_context *context);
/* A block of the C library is about to be released. */
void recycled_release(struct migration *migration, const struct rules_context *context);
/* Settles HG314 at the end. */
void recycled_finish(struct migration *migration, const struct rules_context *context);
/* Clears a struct returned. */
void recycled_clear(gpointer returned);

#endif
