/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the preload library share.
 *
 * In processes that are not recorded everything forwards to the real function after one
 * predictable branch on hg_active; where it is HG_ACTIVE, interposed functions make events while
 * a session records (hg_provider->recording).
 *
 * Rules inside: no call of an interposed function from the recording paths with hg_tls.busy
 * unset; errno is the application's; no lock is held while application code runs.
 */
#ifndef HIPGRAIN_PRELOAD_H
#define HIPGRAIN_PRELOAD_H

#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "batch.h"
#include "tracer/provider.h"

struct msghdr;

#define HG_EXPORT      __attribute__((visibility("default")))
#define HG_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HG_CALLER()    __builtin_return_address(0)
#define HG_COUNT(a)    (sizeof(a) / sizeof((a)[0]))

/* ---- per thread: tls.c ---- */

struct hg_tls {
	int busy; /* inside our own code: record nothing, interpose nothing */
	int hip;  /* inside a HIP call: what the runtime does is not the application's */
	const char *hip_frame;  /* of the wrapper of the outermost of these, on the stack */
	const void *hip_caller; /* to which that returns */
	int in_phdr;            /* inside dl_iterate_phdr(): the loader's lock is held */
	int resolving;          /* looking up the C library's functions */
	int keeping;            /* this call is remembered although nothing records (state.c) */
	int unrecorded;         /* enum hg_unrecorded: what this call is if nothing records */
	uint32_t suspended;     /* state.c's: what the call in progress takes away */
	uint16_t named_api;     /* operator new or delete is about to call malloc or free */
	void *named_caller;
	uintptr_t stack_start, stack_end; /* part of the thread's stack known to be readable */
	uint32_t stack_known; /* the generation in which its stack was recorded as a region */
	bool ending;          /* its struct hg_thread was given back */
	bool prepared;        /* hg_thread_prepare() is done */
	bool interrupted;     /* the last walk of the stack led through a signal's handler */
	uint8_t looked;       /* times that it was asked whether it is the tracer's */
	uint32_t entered;     /* times that it began to make events */
	bool walked;          /* hg_stack_id() had to walk, and may have recorded the stack */
	uint32_t totalled;    /* calls since it last looked at the clock: totals.c */
	uint32_t timed_next;  /* at which of them its time is taken: cost.c */
	bool timing;
	struct hg_thread *thread;
	struct hg_hip_runtime *hip_runtime; /* of the HIP call in progress; NULL: the first */
	sigset_t saved_signals;
};

/* initial-exec: any other model may call malloc() at the first access of a thread. */
extern __thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));

/* ---- state: init.c ---- */

struct hg_config {
	const char *dir;            /* HIPGRAIN_DIR, copied */
	uint32_t threshold;         /* HIPGRAIN_THRESHOLD: bytes */
	unsigned stack_depth;       /* HIPGRAIN_STACK_DEPTH: frames */
	bool memory_queries;        /* HIPGRAIN_MEMORY_QUERIES: ask the runtime about memory */
	unsigned kernel_arguments;  /* HIPGRAIN_KERNEL_ARGUMENTS: of enum hg_arguments */
	bool standby;               /* HIPGRAIN_STANDBY: remember what a late recording must know */
	uint32_t standby_threshold; /* HIPGRAIN_STANDBY_THRESHOLD: bytes */
	bool totals;                /* HIPGRAIN_TOTALS: count what is below the threshold */
	unsigned omp_contents;      /* HIPGRAIN_OMP_CONTENTS: compare what OpenMP transfers carry */
	uint32_t fixes;             /* HIPGRAIN_FIX: of enum hg_fix, what to change: fix.c */
	uint32_t residency;         /* HIPGRAIN_RESIDENCY: sample where pages are: residency.c */
	bool batch;                 /* HIPGRAIN_BATCH: host blocks many to an event */
	bool migration;             /* HIPGRAIN_MIGRATION: record pages that fault and move */
	bool recorded;              /* HIPGRAIN_SESSION: started to be recorded until it ends */
};

/* omp_contents: of no transfers, of those that a share of the time is enough for, of all */
enum { HG_OMP_CONTENTS_NONE, HG_OMP_CONTENTS_SHARE, HG_OMP_CONTENTS_ALL };

/* kernel_arguments: not recorded, as they are, or but for addresses veiled */
enum hg_arguments { HG_ARGUMENTS_OFF, HG_ARGUMENTS_FULL, HG_ARGUMENTS_HASHED };

#define HG_STACK_DEPTH_MAX 128u

enum {
	HG_DORMANT = 0,
	HG_ACTIVE = 1, /* hg_provider is there; events are made while a session records */
	HG_NEW = 2,    /* not started yet: the first call that may start will */
};

extern int hg_active;
extern struct hg_config hg_config;
extern const struct hg_provider *hg_provider;

/* Start up, once; called by the constructor and by whatever HIP call comes before it. */
void hg_init(void);

/* Start up in an allocation function if that is safe for this caller; whether we are active. */
bool hg_start(const void *caller);

/*
 * Record the process and its modules, once a session; at the first event if recording began late,
 * and then what the process has (state.c). Waits for a thread that is at it. false: it cannot here.
 */
bool hg_begin_recording(bool late);
extern int hg_recording_begun; /* atomic */
/* Definitions (stacks, kernels, regions ...) of an older one must be recorded again; atomic. */
extern uint32_t hg_generation;

/* In a process that is not recorded now: whether the call is remembered (state.c). */
bool hg_enter_unrecorded(void);

/* The processor time of some calls, as an estimate of that of all: cost.c. */
void hg_cost_begin(void);
void hg_cost_end(void);

/*
 * Whether the calling thread is LTTng-UST's, in which case it stays busy for good: what it
 * allocates is not the program's, and it does so under locks that a thread which forks waits for
 * while it holds ours. Its name tells, which it gives itself after its first allocations.
 */
#define HG_LOOKS 16u
bool hg_is_tracers_thread(void);

/* As hg_enter(), for those who look after old batches themselves. */
static inline bool hg_enter_batched(void)
{
	if (HG_LIKELY(hg_active != HG_ACTIVE) || hg_tls.busy)
		return false;
	if (HG_UNLIKELY(hg_tls.looked < HG_LOOKS) && hg_is_tracers_thread())
		return false;
	if (HG_UNLIKELY(!*hg_provider->recording))
		return hg_enter_unrecorded();
	if (HG_UNLIKELY(!__atomic_load_n(&hg_recording_begun, __ATOMIC_ACQUIRE)) &&
	    !hg_begin_recording(true))
		return false;
	hg_tls.busy = 1;
	if (HG_UNLIKELY((int32_t)(++hg_tls.entered - hg_tls.timed_next) >= 0))
		hg_cost_begin();
	return true;
}

/* Begin to make events in the calling thread; false if none are to be made. errno is kept. */
static inline bool hg_enter(void)
{
	if (!hg_enter_batched())
		return false;
	if (HG_UNLIKELY(__atomic_load_n(&hg_batches_open, __ATOMIC_RELAXED)))
		hg_batches_poll();
	return true;
}

static inline void hg_leave(void)
{
	if (HG_UNLIKELY(hg_tls.timing))
		hg_cost_end();
	hg_tls.busy = 0;
}

/*
 * Whether the thread is still in the HIP call that it is said to be in: it is not, if that was left
 * by an exception or longjmp() out of a callback or a signal handler. `frame`: the caller's.
 */
bool hg_hip_goes_on(const char *frame);

static inline bool hg_in_hip(void)
{
	return HG_UNLIKELY(hg_tls.hip) && hg_hip_goes_on(__builtin_frame_address(0));
}

/*
 * Around our own calls of functions at which a thread may be cancelled: the program did not call
 * them, and what we hold would never be given back. The second is given what the first returned.
 */
static inline int hg_keep_thread(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void hg_release_thread(int before)
{
	pthread_setcancelstate(before, NULL);
}

uint64_t hg_now(void); /* ns, monotonic */
/* The same within a microsecond, not in order with other readings: clock.c. */
uint64_t hg_now_about(void);

/*
 * A folder of ours below hg_config.dir, made if it is not there: its descriptor, or -errno. Links
 * are not followed, and what is another user's is not used: others may have put it there.
 */
int hg_open_folder(const char *name);

/* One line on stderr, prefixed with "hipgrain: "; only for what the person must know. */
void hg_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the C library behind us: libc.c, bootstrap.c ---- */

struct hg_libc {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *ptr, size_t size);
	void *(*reallocarray)(void *ptr, size_t count, size_t size);
	void (*free)(void *ptr);
	int (*posix_memalign)(void **ptr, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	size_t (*malloc_usable_size)(void *ptr);
	/* Absent from C libraries before C23: NULL. */
	void (*free_sized)(void *ptr, size_t size);
	void (*free_aligned_sized)(void *ptr, size_t alignment, size_t size);
	void *(*mmap)(void *address, size_t size, int prot, int flags, int fd, off_t offset);
	int (*munmap)(void *address, size_t size);
	void *(*mremap)(void *address, size_t old_size, size_t size, int flags, void *new_address);
	void *(*shmat)(int id, const void *address, int flags);
	int (*shmdt)(const void *address);
	int (*brk)(void *end);
	void *(*sbrk)(intptr_t by);
	int (*close)(int fd);
	int (*poll)(struct pollfd *fds, nfds_t count, int timeout);
	int (*socket)(int domain, int type, int protocol);
	ssize_t (*recvmsg)(int fd, struct msghdr *message, int flags);
	/* Ends of a program, NULL until they are known. */
	void (*_exit)(int status);
	int (*execve)(const char *path, char *const argv[], char *const env[]);
	int (*execvpe)(const char *file, char *const argv[], char *const env[]);
	int (*fexecve)(int fd, char *const argv[], char *const env[]);
	void *(*dlsym)(void *handle, const char *name);
	void *(*dlvsym)(void *handle, const char *name, const char *version);
	int (*dl_iterate_phdr)(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data);
};

/* Callable at any time: until the real functions are known, members look them up first. */
extern struct hg_libc hg_libc;

/* Ours (malloc.c); headers before C23 do not declare them. */
void free_sized(void *ptr, size_t size);
void free_aligned_sized(void *ptr, size_t alignment, size_t size);

/* The sanitizer that the program was built with, or NULL. All that we do then is to forward. */
extern const char *hg_sanitizer;

/* Look up what hg_libc needs, if that has not happened; dlsym and friends are valid after it. */
void hg_libc_init(void);

/*
 * Whether an address lies in an allocator of the program's own, which may hold its lock while it
 * calls mmap(): nothing that allocates can be done there.
 */
bool hg_libc_is_allocator(const void *address);

/* Whether the program's calls of malloc() reach a definition before ours: its own, say. */
bool hg_libc_is_passed(void);

/*
 * glibc keeps a chunk's size, and three flags below it, in the word before the block
 * (malloc/malloc.c, "struct malloc_chunk"); what can be used of it is 8 bytes less, or 16 in a
 * mapping of its own. Blocks whose word is below hg_small_chunk are below the threshold. 0 where
 * another allocator is in force, or blocks were found to look otherwise.
 */
#define HG_CHUNK_SIZE(ptr) (((const size_t *)(ptr))[-1] & ~(size_t)7)
extern size_t hg_small_chunk;
/* Requests below it are for such blocks; SIZE_MAX where nothing is recorded, 0 where it is not
 * known. */
extern size_t hg_small_request;
void hg_libc_measure(size_t threshold); /* sets both */
void hg_libc_limit(size_t threshold);   /* another threshold, after that; 0: none */

/* Memory from before the real malloc() is known. Never fails but for lack of memory. */
void *hg_bootstrap_alloc(size_t alignment, size_t size);
bool hg_bootstrap_owns(const void *ptr);
size_t hg_bootstrap_size(const void *ptr); /* usable bytes of a block it owns */
bool hg_bootstrap_used(void);

/*
 * A function of that name (and version, unless NULL) that `caller` would reach: after us in the
 * global scope, or among the dependencies of the caller's object (which may have been loaded
 * RTLD_LOCAL). NULL if there is none. Never loads anything.
 */
void *hg_find_function(const char *name, const char *version, const void *caller);

int hg_dlclose(void *handle); /* of a handle that keeps nothing loaded */

/* ---- stacks and hash-consing: stack.c, intern.c ---- */

/* A set of 64-bit content hashes with ids from 1; lock-free, memory by the page as it fills. */
struct hg_intern {
	struct hg_intern_slot *slots;
	uint32_t overflow;   /* ids handed out beyond the slots, atomically */
	uint32_t generation; /* of definitions; atomic */
};

int hg_intern_init(struct hg_intern *set);
/* The id of a hash. *fresh: nobody has defined it yet; define it, then hg_intern_defined(). */
uint32_t hg_intern_id(struct hg_intern *set, uint64_t hash, bool *fresh);
void hg_intern_defined(struct hg_intern *set, uint32_t id);
void hg_intern_reset(struct hg_intern *set);  /* in a forked child: nothing is defined there */
void hg_intern_forget(struct hg_intern *set); /* all must be defined again; ids stay */
bool hg_intern_is_defined(const struct hg_intern *set, uint32_t id); /* of an id with a word */
/* A word of the owner's at an id, 0 at first; NULL: this id has none. */
_Atomic uint32_t *hg_intern_kept(struct hg_intern *set, uint32_t id);
uint64_t hg_hash(uint64_t seed, const void *data, size_t size);

/* Multiply and fold to 64 bits; good enough spread over all bits for the table. */
static inline uint64_t hg_mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product =
	    (unsigned __int128)(hash ^ word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (hash << 23 | hash >> 41);
}

int hg_stack_init(void);
void hg_stack_reset(void);
/* Changes when ids that were given before mean nothing any more. */
uint32_t hg_stack_generation(void);
void hg_stack_unloaded(void); /* after dlclose() */
int hg_stack_keep(void);      /* from now on, remember the frames of ids for hg_stack_define() */
void hg_stack_define(uint32_t id); /* record what an id is, if that has not happened */
void hg_stack_forget(void);        /* nothing has been recorded: a new session listens */
/*
 * The id of the calling thread's stack from `caller` (a return address into the application)
 * outwards, recorded if new. Needs hg_enter(). 0 if there is no stack to be had.
 */
uint32_t hg_stack_id(const void *caller);

/*
 * Libraries that were loaded late, as LTTng-UST was, have a thread's variables allocated, by
 * malloc(), when the thread first uses them. Here that happens, with signals blocked, before the
 * thread's first event. Of an event in a handler that may have interrupted malloc() (`anywhere`)
 * it cannot: then false, and the event is counted as given up.
 */
bool hg_thread_prepare(bool anywhere);

/* ---- walking stacks: unwind.c, trails.c ---- */

/* Where a walk stands: a return address, and the registers after that return. */
struct hg_frame {
	uintptr_t ip, sp, bp;
};

struct hg_trail_word {
	uintptr_t address, value;
};

/*
 * What a walk has read of the stack. A walk follows from where it begins and the words that it
 * reads: if these are the same again, so is the stack, without walking.
 */
struct hg_trail {
	struct hg_frame start;
	uintptr_t caller;
	uintptr_t end; /* of the stack that was known to be readable */
	uint32_t generation, id;
	uint32_t count, room; /* more words read than there was room for: of no use */
	bool bp_used;         /* start.bp matters, too */
	struct hg_trail_word words[];
};

int hg_unwind_init(void);
void hg_unwind_flush(void); /* forget what is known of code that may be gone */
/*
 * Return addresses from `caller` on outwards, at most `room`, and their hash mixed into *hash.
 * 0 if there is code between here and the outermost frame that needs another unwinder.
 */
unsigned hg_unwind(const void *caller, uint64_t *frames, unsigned room, uint64_t *hash);

/* Its two halves. Where the program's own frames begin; false if that could not be told. */
bool hg_unwind_start(struct hg_frame *frame);
/* `trail`: where to note the words that are read, or NULL. */
unsigned hg_unwind_from(const struct hg_frame *start, const void *caller, uint64_t *frames,
			unsigned room, uint64_t *hash, struct hg_trail *trail);

/*
 * The calling thread's place for the trail of such a walk; NULL if there is no memory for it.
 * *id: of the stack, if its trail is there and holds; else 0, and the place is empty.
 */
struct hg_trail *hg_trail_find(const struct hg_frame *start, const void *caller,
			       uint32_t generation, uint32_t *id);
/* The walk was made and its stack is `id`: keep it, if it is worth keeping. */
void hg_trail_keep(struct hg_trail *trail, const struct hg_frame *start, const void *caller,
		   uint32_t generation, uint32_t id);

/* ---- memory of each thread: threads.c ---- */

/*
 * What a thread has of ours beside hg_tls: mapped when it first needs it, and taken over by
 * another thread when it has ended, so that blocks are never unmapped.
 */
struct hg_thread {
	struct hg_thread *next;   /* of all there ever were */
	int used;                 /* atomic */
	void *trails;             /* trails.c */
	struct hg_past *past;     /* unwind.c */
	void *launches;           /* hip_launch.c */
	bool launches_stale;      /* they are not this thread's */
	struct hg_totals *totals; /* totals.c; atomic */
	struct hg_batch *batch;   /* batch.c */
};

int hg_threads_init(void);
void hg_threads_reset(void); /* in a forked child: the other threads are not there */
/* The calling thread's; NULL when it is ending, or without memory. Needs hg_enter(). */
struct hg_thread *hg_thread(void);
/* A process that ends because its last thread does: last.c. The second in the child, with
 * LTTng-UST's threads there. */
void hg_last_before_fork(void);
void hg_last_after_fork(void);
/* All there ever were, in use or not. */
void hg_threads_each(void (*function)(struct hg_thread *thread));

/* ---- the process: modules.c, process.c ---- */

void hg_modules_poll(void); /* record objects that were loaded since the last call */
/* The same, and where calls of HIP lead that were not bound by then: for when that may end. */
void hg_modules_look_again(void);
void hg_modules_reset(void); /* in a forked child */
void hg_modules_lock(void);  /* around fork() */
void hg_modules_unlock(void);
void hg_modules_find(void); /* look, without recording anything */
/* Whether an address lies in a library whose memory is not the program's: ours, the runtime. */
bool hg_modules_is_tool(const void *address);
/* Something by which a GPU is reached was loaded, or called; atomic. It stays so. */
extern int hg_gpu_seen;

extern pid_t hg_process_id;    /* of the process that was started, or forked: not vfork()'s child */
extern bool hg_process_forked; /* by fork(), without an exec since */
void hg_process_begin(void);   /* a program image begins to be watched */
uint64_t hg_process_age(void); /* ns since then */
void hg_process_record(bool late);
void hg_regions_record(void); /* heap and this thread's stack, where they changed */
void hg_regions_reset(void);
/* Readable bytes from `address` on, by the kernel's list of mappings; 0 if not mapped. */
size_t hg_readable_extent(const void *address);

/* LTTng-UST is about to stop recording: the process ends (leave.c). */
void hg_leave_at_exit(void);

/* ---- what recording costs: cost.c ---- */

/* In HIPGRAIN_DIR: lines "PID CALLS TIMED SPENT PROCESS", times in ns of processor time. */
#define HG_COST_FILE "cost"

void hg_cost_init(void);  /* also in a forked child */
void hg_cost_tell(void);  /* record it, of a process that stands by; needs hg_enter() */
void hg_cost_write(void); /* the process or its program ends */

/* ---- full trace buffers: wait.c ---- */

/* In HIPGRAIN_DIR: lines "PID COUNT" of events for which there was no room until the end. */
#define HG_GIVEN_UP_FILE "given-up"

void hg_wait_give_up(void); /* count one more of these */
void hg_wait_end(void);     /* the process or its program ends: write that line, if there is one */
void hg_wait_reset(void);   /* in a forked child */

/* ---- HIP: hip_*.c ---- */

void hg_hip_forget(void);        /* what was recorded of it, but not what is known */
void hg_hip_runtime_again(void); /* record runtime and devices, if they are known */
void hg_hsa_tell_refused(void);  /* record why nothing below HIP is recorded, if nothing is */

void hg_hip_lock(void); /* around fork() */
void hg_hip_unlock(void);
void hg_hip_graph_lock(void);
void hg_hip_graph_unlock(void);
void hg_hip_reset(void);         /* in a forked child */
void hg_hip_forget(void);        /* what was recorded, not what is known: a new session listens */
void hg_hip_runtime_again(void); /* record runtime and devices, if they are known */

/* Our wrapper of a HIP function; NULL if the name is not interposed. */
void *hg_hip_wrapper(const char *name);
/* What to give to somebody who looked up a name and found `real`: ours, which goes on to it. */
void *hg_hip_offer(const char *name, void *real);
bool hg_hip_is_runtime(const void *address);
void hg_hip_unloaded(void); /* after dlclose() */

#endif
