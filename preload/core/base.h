/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library as a whole.
 *
 * In processes that are not recorded everything forwards to the real function after one
 * predictable branch on hg_active; where it is HG_ACTIVE, interposed functions make events while
 * a session records (hg_provider->recording).
 *
 * Rules inside: no call of an interposed function from the recording paths with hg_tls.busy
 * unset; errno is the application's; no lock is held while application code runs.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_BASE_H
#define HIPGRAIN_PRELOAD_CORE_BASE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HG_EXPORT      __attribute__((visibility("default")))
#define HG_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HG_CALLER()    __builtin_return_address(0)
#define HG_COUNT(a)    (sizeof(a) / sizeof((a)[0]))

/* Marks variables of ours: then the compiler knows that they are near. A test sees them from
 * outside. */
#ifndef HG_HIDDEN
#define HG_HIDDEN __attribute__((visibility("hidden")))
#endif

/*
 * Returns true if something atomic is 0, like a relaxed load; but the compiler compares in memory,
 * where it would load a volatile or atomic object first.
 */
static inline __attribute__((always_inline)) bool hg_is_zero(const volatile int *at)
{
#if defined(__x86_64__)
	bool zero;

	__asm__ volatile("cmpl $0, %1" : "=@cce"(zero) : "m"(*at));
	return zero;
#else
	return !__atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}

struct hg_batch;
struct hg_batch_counts;
struct hg_provider;
struct hg_thread;
struct hg_hip_runtime;
struct hg_open_call;

/* Each thread has one. The members that are looked at for each recorded block come first, side by
 * side. */
struct hg_tls {
	union {
		struct {
			uint8_t busy;      /* inside our own code: record nothing, interpose
					      nothing */
			uint8_t named_api; /* operator new or delete is about to call malloc or
					      free */
			uint16_t hip;      /* inside a HIP call: what the runtime does is not the
					      application's */
		};
		int inside; /* any of them; loaded as it was stored: host/block.h */
	};
	union {
		struct {
			bool prepared; /* hg_thread_prepare() is done */
			bool async;    /* may be cancelled anywhere: pthread_setcanceltype() */
		};
		uint16_t kind; /* both */
	};
	union {
		struct {
			bool timing;     /* cost.c */
			bool async_kept; /* it may not be cancelled now: hg_enter() has seen to
					    that */
		};
		uint16_t leaving; /* either: something to be done by hg_leave() */
	};
	/* Times that it began to make events: -1 where the next one's time is taken (cost.c), and
	 * what is to be added for their number. */
	int32_t until_timed;
	uint32_t timed_at;
	uintptr_t room_from, room_size; /* free part of its stack that we may use: own_stack.c */
	/* Code around the last caller in which there is no library of a tool: modules.h. */
	uintptr_t apart_from, apart_size;
	/* hg_changes when nothing was out of the ordinary, 0: look (block.c); the same, if stacks
	 * are recorded; hg_provider's then. */
	size_t ordinary, ordinary_stacks;
	size_t ordinary_but_async; /* the first, of a thread that may be cancelled anywhere */
	const volatile int *recording;
	uintptr_t stack_start, stack_end; /* part of the thread's stack known to be readable */
	void *trails;                     /* of `thread`, likewise: stack_cache.c */
	uint16_t trails_passed_over, trails_unused; /* stack_cache.c */
	struct hg_batch *batch; /* of `thread`, if it is known; NULL: it is to be found: batch.c */
	size_t apart_known;     /* hg_tools_known when `apart_from` was determined */
	struct hg_thread *thread;
	void *named_caller;

	const char *hip_frame;  /* of the wrapper of the outermost HIP call, on the stack */
	const void *hip_caller; /* to which that returns */
	struct hg_hip_runtime *hip_runtime; /* of the HIP call in progress; NULL: the first */
	struct hg_open_call *open_call;     /* the slot in which it is published; NULL: none yet */
	int in_phdr;        /* inside dl_iterate_phdr(): the loader's lock is held */
	int resolving;      /* looking up the C library's functions */
	int keeping;        /* this call is remembered although nothing records (live_state.c) */
	int unrecorded;     /* enum hg_unrecorded: what this call is if nothing records */
	uint32_t suspended; /* live_state.c's: what the call in progress removes */
	uintptr_t room_low, room_end; /* all of the stack; 0: it is not known */
	bool room_locked;             /* the C library is determining it */
	const uintptr_t *outside;     /* frame on the program's stack, while on one of ours */
	uint32_t stack_known; /* the generation in which its stack was recorded as a region */
	bool ending;          /* its struct hg_thread was given back */
	/* The last walk of the stack left the innermost handler of a signal here; 0: nowhere. */
	uintptr_t interrupted;
	uint32_t totalled;       /* calls since it last read the clock: small_block_stats.c */
	uint8_t stacks_unpolled; /* new ones since it last asked the loader: stack.c */
	bool walked;             /* hg_stack_id() had to walk, and may have recorded the stack */
	bool strict;             /* may read, write and end only: seccomp.c */
	int fork_state;          /* of cancellation, before fork() */
	sigset_t saved_signals;
} __attribute__((aligned(64)));

/*
 * Changes, before anything else acts on it, with what a thread has looked at to know that its calls
 * are nothing out of the ordinary (look_around() in host_memory.c) and that its trails hold
 * (stack_cache.h): the libraries of tools, the generation of stacks, and hg_active where it was
 * HG_ACTIVE. Atomic; not 0.
 */
extern HG_HIDDEN size_t hg_changes;
static inline void hg_changed(void)
{
	__atomic_fetch_add(&hg_changes, 1, __ATOMIC_SEQ_CST);
}

/* initial-exec: any other model may call malloc() at the first access of a thread. */
extern __thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));

struct hg_config {
	const char *dir;            /* HIPGRAIN_DIR, copied */
	uid_t user;                 /* the effective one at the start */
	uint32_t threshold;         /* HIPGRAIN_THRESHOLD: bytes */
	unsigned stack_depth;       /* HIPGRAIN_STACK_DEPTH: frames */
	bool memory_queries;        /* HIPGRAIN_MEMORY_QUERIES: query the runtime about memory */
	unsigned kernel_arguments;  /* HIPGRAIN_KERNEL_ARGUMENTS: of enum hg_arguments */
	bool standby;               /* HIPGRAIN_STANDBY: remember what a late recording must know */
	uint32_t standby_threshold; /* HIPGRAIN_STANDBY_THRESHOLD: bytes */
	bool totals;                /* HIPGRAIN_TOTALS: count what is below the threshold */
	unsigned omp_contents;      /* HIPGRAIN_OMP_CONTENTS: compare what OpenMP transfers carry */
	uint32_t fixes;             /* HIPGRAIN_FIX: of enum hg_fix, what to change: fix.c */
	uint32_t residency;         /* HIPGRAIN_RESIDENCY: sample where pages are: residency.c */
	bool migration;             /* HIPGRAIN_MIGRATION: record pages that fault and move */
	bool recorded;              /* HIPGRAIN_SESSION: started to be recorded until it ends */
};

/* omp_contents: of no transfers, of as many as take a share of the time, of all */
enum { HG_OMP_CONTENTS_NONE, HG_OMP_CONTENTS_SHARE, HG_OMP_CONTENTS_ALL };

/* kernel_arguments: not recorded, as they are, or but for addresses veiled */
enum hg_arguments { HG_ARGUMENTS_OFF, HG_ARGUMENTS_FULL, HG_ARGUMENTS_HASHED };

#define HG_STACK_DEPTH_MAX 128u

/* Blocks of at most so many bytes can be counted only (HIPGRAIN_TOTALS). */
#define HG_TOTALS_MAX 4096u

enum {
	HG_DORMANT = 0,
	HG_ACTIVE = 1, /* hg_provider is set; events are made while a session records */
	HG_NEW = 2,    /* not started yet; the first call that may start it will */
	HG_FORKED = 3, /* made by fork(), and has made no event; the first one wakes it: fork.c */
	HG_WAKING = 4, /* a thread is at it */
};

extern HG_HIDDEN int hg_active;
extern HG_HIDDEN struct hg_config hg_config;
extern HG_HIDDEN const struct hg_provider *hg_provider;

/* Set while a filter of system calls of the program's own is in force (seccomp(2)); atomic.
 * hg_active is HG_DORMANT then. */
extern HG_HIDDEN bool hg_confined;

/* Definitions (stacks, kernels, regions ...) of an older one must be recorded again; atomic. */
extern HG_HIDDEN uint32_t hg_generation;
/* Host blocks smaller than this are of no interest at the moment, bytes. */
extern HG_HIDDEN uint32_t hg_threshold;

extern HG_HIDDEN pid_t
    hg_process_id; /* of the process that was started, or forked: not vfork()'s child */
extern HG_HIDDEN bool hg_process_forked; /* by fork(), without an exec since */
/*
 * A forked process has the memory of the closest process before it that recorded when it forked:
 * this is that process, and hg_now() of that fork; pid 0: it is unknown.
 */
extern HG_HIDDEN struct hg_fork_origin {
	int32_t pid;
	uint64_t ns;
} hg_fork_origin;

#endif
