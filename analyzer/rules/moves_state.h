/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files about moved pages share: when what was called (moves_when.c), where pages are
 * (moves_pages.c), what was asked of them (moves_history.c), the rules (moves_rules.c) and those
 * about prefetches (prefetches.c); moves.c keeps the account.
 */
#ifndef HIPGRAIN_RULES_MOVES_STATE_H
#define HIPGRAIN_RULES_MOVES_STATE_H

#include "moves.h"
#include "thresholds.h"

#define PAGE 4096u
/* Launches, waits and calls that are remembered: the driver's words come a moment after the fact.
 */
#define RECENT     1024u
#define ANY_ACCESS (ISA_READ | ISA_WRITE | ISA_ATOMIC)

/*
 * The driver's time and the program's meet in two threads, each of which may be held up between
 * looking at a clock and recording: who came first is certain only so far apart.
 */
#define SLACK_NS 1000000000

/* A launch, or a wait (kernel_id 0) for all work or that of one stream. */
struct moment {
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
	struct move_call call;
};

struct prefetch_record {
	uint64_t start, end;
	int32_t target;
	int64_t ns;
	uint64_t stream;
	uint32_t stack_id;
	struct allocation *allocation; /* a reference */
	int64_t used_ns;               /* by a launch first; 0: by none yet */
	bool host_first;
	struct moment launch; /* at work when it was called, and used the memory; ns 0: none */
	bool one_of_several;  /* ... or another kernel's */
	uint64_t late;        /* bytes that faults of that launch brought */
	bool beside;          /* the launch came after the call, on another stream */
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
	int64_t ns;           /* the driver's */
	struct moment launch; /* for which */
};

struct moves {
	struct moment recent[RECENT];
	uint64_t count;
	struct call_record calls[RECENT];
	uint64_t call_count;
	struct fault_move faulted[RECENT];
	uint64_t fault_count;
	GHashTable *begun;  /* address -> when its move began: int64_t */
	GPtrArray *open;    /* struct move_row whose phase has not ended, borrowed */
	GHashTable *rows;   /* key text -> struct move_row, borrowed by the list */
	GPtrArray *list;    /* struct move_row */
	GHashTable *blocks; /* address / 2 MiB -> struct part, a list */
	GArray *prefetches; /* struct prefetch_record */
	GArray *prefetched; /* struct prefetch_move, in the driver's order */
	GHashTable *counts; /* finding -> struct launch_count */
	bool source;        /* the driver's events were read */
	uint64_t lost;      /* of them, dropped or not understood */
	char *problem;
};

/* ---- moves_when.c ---- */

/* An event that waits for launches ends them; a launch begins a moment. */
void moment_wait(struct moves *moves, const struct hg_event *event);
void moment_launch(struct moves *moves, const struct rules_context *context,
		   const struct launch_watch *launch);
/* Whether the launch may have used the memory: also where that is not known. */
bool moment_touches(const struct moment *moment, const struct allocation *allocation);
/* Bits of ISA_READ ...; all of them where that is not known. */
unsigned moment_access(const struct moment *moment, const struct allocation *allocation);
/*
 * The launch whose kernel used the memory at time `ns`: the oldest that nobody had waited for by
 * then. *several: there are others, of other kernels.
 */
const struct moment *who_used(const struct moves *moves, int64_t ns, int32_t device,
			      const struct allocation *allocation, bool *several);

enum use { NOT_USED, USED, CANNOT_TELL };

/* What launches that were at work in [from, to] may have done to the memory. */
enum use used_between(const struct moves *moves, const struct allocation *allocation, int64_t from,
		      int64_t to, unsigned *access);

/* A HIP call of the program's: phases of the host lie between two of them. */
void note_call(struct moves *moves, const struct hg_event *event);
/* The phase of the host's at that time. *open: its end has not been seen yet. */
struct move_phase phase_at(const struct moves *moves, int64_t ns, bool *open);

/* ---- moves_pages.c ---- */

/* What brought pages to a GPU. */
struct arrival {
	int64_t ns;
	enum move_trigger trigger;
	int32_t device;
	struct move_row *row;        /* borrowed */
	const struct moment *launch; /* during the call only; NULL: none, or not known */
	bool neighbour;              /* the launch was not given them: they share a block */
};

/* The parts of a block, of which each belongs to an allocation. */
void parts_free(gpointer parts);
/* [start, end) of the allocation came to a GPU. */
void pages_arrive(struct moves *moves, struct allocation *allocation, uint64_t start, uint64_t end,
		  const struct arrival *arrival);
/* They went to the host, which is in `row`. */
void pages_leave(struct moves *moves, const struct rules_context *context,
		 struct allocation *allocation, uint64_t start, uint64_t end, int64_t ns,
		 enum move_trigger trigger, struct move_row *row);
/* Whose page on a GPU it is, as far as that came while it was recorded; NULL: nobody's. */
struct allocation *pages_owner(const struct moves *moves, uint64_t page);
/* After the last event: what is still there. */
void pages_settle(struct moves *moves);

/* ---- moves_history.c ---- */

/* One more line of the allocation's history: what was asked; what moved. */
void history_advice(const struct rules_context *context, const struct move_advice *advice,
		    struct allocation *allocation);
void history_move(const struct moves *moves, const struct rules_context *context,
		  const struct hg_ev_migration *move, struct allocation *allocation, uint64_t bytes,
		  int64_t began, int64_t ns, const struct moment *launch);

/* ---- moves_rules.c ---- */

/* Each launch that leads to a finding counts once. */
struct launch_count {
	int64_t launch_ns;
	uint64_t faults;
};

/* HG301 */
void count_storm(struct moves *moves, const struct rules_context *context,
		 const struct moment *launch, struct allocation *allocation, int64_t ns,
		 bool several);
/* HG302: a block that `launch` brought came back, for the `trips`th time. */
void count_trip(struct moves *moves, const struct rules_context *context,
		const struct moment *launch, struct allocation *allocation, unsigned trips,
		int64_t ns);
/* HG303: pages that no kernel was given went with a block, and the host needed them. */
void count_neighbour(struct moves *moves, const struct rules_context *context,
		     const struct moment *launch, struct allocation *allocation, int64_t ns);
/* HG308, HG309 */
void count_eviction(const struct rules_context *context, const struct hg_ev_migration *move,
		    struct allocation *allocation, int64_t ns);
void count_stop(const struct rules_context *context, const struct hg_ev_migration *stop,
		int64_t ns);

/* ---- prefetches.c ---- */

/* A prefetch, after the replay applied it; a launch, which may use what prefetches brought. */
void note_prefetch(struct moves *moves, const struct rules_context *context);
void prefetches_launch(struct moves *moves, const struct moment *launch);
/* HG305 by the host's fault. */
void check_host_first(struct moves *moves, const struct rules_context *context, uint64_t start,
		      uint64_t end, int64_t ns);
/* Since when pages that a prefetch moved may have been used: its call, by the program's clock. */
int64_t prefetch_began(const struct moves *moves, uint64_t start, uint64_t end, int32_t target,
		       int64_t ns);
/* A GPU's fault brought [start, end) for `launch`. */
void prefetches_fault(struct moves *moves, const struct moment *launch, int32_t device,
		      uint64_t start, uint64_t end, int64_t ns);
/* A prefetch brought pages. */
void prefetches_move(struct moves *moves, const struct prefetch_move *move);
/* HG304, HG311: at the end, when nothing was lost. */
void prefetches_finish(struct moves *moves, const struct rules_context *context);

#endif
