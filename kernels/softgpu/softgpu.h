/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the two halves of the software GPU: the interpreter (interp/, which executes
 * waves), and the driver (kernels/softkfd), which owns memory and queues.
 */
#ifndef SOFTGPU_H
#define SOFTGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hsa/hsa.h>
#include <hsa/amd_hsa_kernel_code.h>
#include <hsa/amd_hsa_queue.h>

/* ---- memory: kernels/softkfd/memory.c ---- */

#define SOFTGPU_PAGE_SHIFT 12
#define SOFTGPU_PAGE_SIZE  4096u

/* State of one GPU-visible page. */
#define SOFTGPU_PAGE_MAPPED 1u  /* the GPU may access it */
#define SOFTGPU_PAGE_FINE   2u  /* fine-grained */
#define SOFTGPU_PAGE_HOST   4u  /* physically in host memory */
#define SOFTGPU_PAGE_ALIAS  8u  /* GPU address differs from the host's: translate */
#define SOFTGPU_PAGE_READ   16u /* the GPU may only read it: a store or an atomic faults */
/* The MTYPE of the page table entry (host/mtype.def) says how a gfx942's L2 caches hold the page:
 * two bits. */
#define SOFTGPU_PAGE_MTYPE 96u
#define SOFTGPU_PAGE_RW    0u  /* read-write: writes stay, lines that others write are dropped */
#define SOFTGPU_PAGE_NC    32u /* not coherent: as RW, but lines that others write stay */
#define SOFTGPU_PAGE_CC    64u /* coherent: as RW, but writes go through */
#define SOFTGPU_PAGE_UC    96u /* not cached */

/* Instead of the number of a GPU: whichever can reach the page. */
#define SOFTGPU_ANY_GPU UINT32_MAX

/*
 * Returns the state of the page that holds GPU address `address`, as GPU number `gpu` sees it; 0 if
 * that GPU has no mapping there (with XNACK on, a host page that exists is mapped on demand and
 * comes back MAPPED|FINE|HOST or with its advised granularity). Thread-safe; made for a small cache
 * in front of it: any change to any page increments *softgpu_memory_generation.
 */
unsigned softgpu_page_state(unsigned gpu, uint64_t address);
extern volatile uint64_t softgpu_memory_generation;

/*
 * Returns the same, and in [*first, *last) addresses around `address` that share its state and its
 * distance to the host's: as many as are cheap to find, at least the page. `write`: the access that
 * may fault is a store. Thread-safe.
 */
unsigned softgpu_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			   uint64_t *last);

/*
 * softgpu_page_state for tests and tools, of GPU 0: exported from the library, and up to date with
 * the host's mappings (softgpu_page_state looks at them only once a packet).
 */
unsigned softgpu_page_state_now(uint64_t address);

/*
 * Opens the driver's events about GPU `gpu` as text, like AMDKFD_IOC_SMI_EVENTS. Returns a
 * descriptor to write a mask to and to read lines from, which the caller closes, and in *id the id
 * by which the lines name that GPU; -ENODEV: no such GPU; -ENOTTY: no events are made
 * (SOFTGPU_MIGRATION=0).
 */
int softgpu_smi_open(unsigned gpu, uint32_t *id);

/* Returns the host pointer behind GPU address `address` (identity except for alias pages). */
void *softgpu_host_pointer(uint64_t address);

/*
 * Finds the bytes that were allocated, registered or mapped together with GPU address `address`:
 * [*first, *last). Returns false if there is no memory. Slow (it may read /proc): for the atomic
 * log.
 */
bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last);

/* ---- execution: kernels/softgpu/interp/ ---- */

/* Upper halves of the flat addresses of LDS and private memory, by hardware register and queue. */
#define SOFTGPU_SHARED_APERTURE_HI  0x10000u
#define SOFTGPU_PRIVATE_APERTURE_HI 0x20000u

struct softgpu_dispatch {
	hsa_kernel_dispatch_packet_t packet; /* copy; the original is at packet_address */
	uint64_t packet_address;
	uint64_t queue_address;        /* amd_queue_t */
	unsigned gpu;                  /* number of the GPU that executes it */
	bool cooperative;              /* all work-groups must be resident at once (GWS works) */
	const char *kernel_name;       /* for messages; may be NULL */
	uint64_t code_base, code_size; /* the loaded code object that holds the kernel */
};

enum softgpu_status {
	SOFTGPU_RUNNING,     /* budget used up, call again */
	SOFTGPU_DONE,        /* every wave ended */
	SOFTGPU_FAULT,       /* access to a page that is not mapped: softgpu_run_fault_address() */
	SOFTGPU_UNSUPPORTED, /* softgpu_run_message() names the instruction */
	SOFTGPU_TRAP,        /* the kernel aborted itself: softgpu_run_message() says where */
	SOFTGPU_ILLEGAL,     /* what is no instruction of any kind; the same */
};

struct softgpu_run;

/* Prepare a dispatch. NULL when out of memory. The kernel descriptor is at packet.kernel_object. */
struct softgpu_run *softgpu_run_create(const struct softgpu_dispatch *dispatch);

/*
 * Execute about `budget` wave-instructions on each of softgpu_config.threads threads; resumable, so
 * that queues can take turns. One call at a time in the process.
 */
enum softgpu_status softgpu_run_step(struct softgpu_run *run, uint64_t budget);

/* Returns the address of a memory access fault. */
uint64_t softgpu_run_fault_address(const struct softgpu_run *run);
/* Returns a line about what stopped the dispatch: reason, kernel, instruction text, code offset. It
 * is valid until softgpu_run_destroy(). */
const char *softgpu_run_message(const struct softgpu_run *run);
void softgpu_run_destroy(struct softgpu_run *run);

/*
 * Called, on a thread that executes, when a kernel on GPU `gpu` interrupts the host (s_sendmsg)
 * with the lower 24 bits of M0. NULL, as it is preset: nothing is reported.
 */
extern void (*softgpu_interrupt)(unsigned gpu, uint32_t message);

/* The process is a forked child, without the threads that share work-groups: they start anew. */
void softgpu_forked(void);

/* Forget decoded code in [base, base + size): the runtime unloaded or overwrote it. */
void softgpu_code_invalidate(uint64_t base, uint64_t size);

enum softgpu_processor {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) SOFTGPU_##constant,
#include "processor.def"
};

/* Returns true for a processor whose instructions are executed: one of CDNA. */
static inline bool softgpu_executes(enum softgpu_processor processor)
{
	static const bool executes[] = {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) runs,
#include "processor.def"
	};

	return executes[processor];
}

#define SOFTGPU_MAX_XCDS 8u

/* Set once at start-up by the runtime from the environment (SOFTGPU_*). */
enum softgpu_quirk {
#define QUIRK(name, text, effect) SOFTGPU_QUIRK_##name,
#include "quirk.def"
	SOFTGPU_QUIRKS,
};

struct softgpu_config {
	enum softgpu_processor processor; /* SOFTGPU_ARCH */
	uint64_t xcds; /* SOFTGPU_XCDS: gfx942's L2 caches; 0 and 1: one, which is not modelled */
	bool xnack;
	uint64_t seed;    /* SOFTGPU_SEED: order of work-groups and waves; 0: natural */
	uint64_t threads; /* SOFTGPU_THREADS: that work-groups are shared among; 0 is 1 */
	uint64_t native;  /* SOFTGPU_NATIVE: executions until code is translated; 0: never */
	bool drop_fine_fp_atomics; /* MI200: hardware FP atomics on fine-grained pages are lost */
	bool xgmi_cpu;             /* link to the CPU carries all integer atomics */
	bool pcie_atomics;         /* if it is PCIe: it carries some; else none at all */
	uint64_t check;            /* SOFTGPU_CHECK: SOFTGPU_MEMCHECK and others, joined */
	uint64_t time_limit;       /* SOFTGPU_TIME_LIMIT: seconds; 0: none */
	uint64_t quirks;           /* SOFTGPU_QUIRK: bits 1 << enum softgpu_quirk */
	const char *atomic_log;    /* SOFTGPU_ATOMIC_LOG or NULL */
	const char *access_log;    /* SOFTGPU_ACCESS_LOG or NULL */
	const char *stale_log;     /* SOFTGPU_STALE_LOG or NULL */
};
extern struct softgpu_config softgpu_config;

/*
 * softgpu_config.check has these bits: they say what is checked. Leaks are the recorder's and the
 * analyzer's business.
 */
enum {
	SOFTGPU_MEMCHECK = 1,
	SOFTGPU_RACECHECK = 2,
	SOFTGPU_INITCHECK = 4,
	SOFTGPU_LEAKCHECK = 8,
	SOFTGPU_SYNCCHECK = 16,
};

enum softgpu_check_kind {
	SOFTGPU_CHECK_PAST_END,   /* behind the end of an allocation */
	SOFTGPU_CHECK_FREED,      /* in released memory */
	SOFTGPU_CHECK_LDS,        /* beyond the group's LDS: `address` is the offset in it */
	SOFTGPU_CHECK_MISALIGNED, /* an atomic at no multiple of its size */
	SOFTGPU_CHECK_RACE,       /* in LDS with another wave: `address` is the offset in it */
	SOFTGPU_CHECK_FOREIGN,    /* in an allocation to which nothing of the kernel leads */
	SOFTGPU_CHECK_VARIABLES,  /* behind the kernel's code object, where its variables end */
	/* A load of bytes that nothing wrote, on which depends at `other_offset` where the wave
	   goes, */
	SOFTGPU_CHECK_UNWRITTEN_BRANCH,
	SOFTGPU_CHECK_UNWRITTEN_ADDRESS, /* an address, */
	SOFTGPU_CHECK_UNWRITTEN_RESULT,  /* or a result that is stored; */
	SOFTGPU_CHECK_UNWRITTEN_ATOMIC,  /* or an atomic that changes such bytes */
	/* `item` passed the barrier at `other_offset` by, then reached another one, or stored. */
	SOFTGPU_CHECK_BARRIER_LANES,
	/* The waves of two items met at two barriers, then passed `address` and `size` of them. */
	SOFTGPU_CHECK_BARRIER_WAVES,
	SOFTGPU_CHECK_GLOBAL_RACE, /* in global memory with another work-group */
	/* A launch that is ended: what it waits for is loaded at `offset`, by one of its waves;
	   other_offset: seconds since a work-group ended; other_group: how many work-groups had
	   ended, run, have not begun; doubtful: it may only be slow */
	SOFTGPU_CHECK_ENDLESS,
	SOFTGPU_CHECK_UNWRITTEN_FETCHED, /* the recorder's: the host copies unwritten bytes */
};

/* A wrong access of one work-item. Strings are valid during the call. */
struct softgpu_checked {
	const char *kernel;            /* symbol, without ".kd" */
	const char *instruction;       /* mnemonic */
	const char *other_instruction; /* at other_offset; "-": none, or unknown */
	int64_t offset;                /* of the instruction, bytes from the kernel's entry */
	int64_t other_offset; /* RACE: of the earlier access; BARRIER: of the other barrier */
	uint64_t address;
	uint32_t size, lds_size; /* bytes */
	enum softgpu_check_kind kind;
	uint32_t group[3], item[3], other_item[3]; /* items within the group */
	uint32_t other_group[3];                   /* GLOBAL_RACE: other_item's group */
	bool writes, doubtful;                     /* doubtful: something may order the two */
	unsigned gpu;
};

/*
 * Has `function` called, one call at a time, when an instruction first makes a wrong access of a
 * kind; NULL: none. Returns softgpu_config.check. It is for tools: exported from the library, as
 * are the next three.
 */
typedef void softgpu_check_watcher(const struct softgpu_checked *checked, void *data);
uint64_t softgpu_watch_checks(softgpu_check_watcher *function, void *data);

enum softgpu_memory_state {
	SOFTGPU_MEMORY_UNKNOWN, /* nothing is known any more, so everything is right */
	SOFTGPU_MEMORY_LIVE,
	SOFTGPU_MEMORY_FREED,
};

/*
 * Says that there is an allocation of `size` bytes at GPU address `address`, behind which nothing
 * else has the bytes up to `whole`, or that it was released.
 */
void softgpu_check_memory(uint64_t address, uint64_t size, uint64_t whole,
			  enum softgpu_memory_state state);

/*
 * Says that nothing has written the `size` bytes at GPU address `address` yet, and fills them; 0
 * bytes: that allocation is released. softgpu_config.check without SOFTGPU_INITCHECK: does nothing.
 */
void softgpu_check_unwritten(uint64_t address, uint64_t size);

/* Says that the driver has copied `size` bytes, or, with `from` 0, has filled them. */
void softgpu_check_copied(uint64_t to, uint64_t from, uint64_t size);

/*
 * Returns how many of `size` bytes from `address` on nothing has written, in the longest piece of
 * such bytes one behind another, and in *first where that begins; 0: all are written, or unknown.
 */
uint64_t softgpu_check_unread(uint64_t address, uint64_t size, uint64_t *first);

/*
 * With several XCDs: a load that a cache served with older data than another work-group had stored.
 * Strings are the interpreter's and stay.
 */
struct softgpu_stale_read {
	const char *kernel;    /* the loading kernel's symbol, without ".kd" */
	int64_t offset;        /* of the load, bytes from the kernel's entry */
	const char *writer;    /* the kernel that stored, and where */
	int64_t writer_offset; /* as `offset` */
	uint64_t address;      /* the GPU's, of one byte */
	uint64_t seed;         /* SOFTGPU_SEED */
	unsigned gpu, xcd, writer_xcd;
};

/*
 * Has `function` called at stale reads from now on, once for each load and store instruction, on a
 * thread of the runtime while a kernel executes; NULL: none. It is for tools: exported from the
 * library.
 */
typedef void softgpu_stale_watcher(const struct softgpu_stale_read *read, void *data);
void softgpu_watch_stale_reads(softgpu_stale_watcher *function, void *data);

/* The memory access fault of a GPU. `reason`: bits of HSA's hsa_amd_memory_fault_reason_t. */
struct softgpu_fault {
	uint64_t address;
	unsigned gpu;
	uint32_t reason;
};

/*
 * Has `function` called, on a thread of its own, for a fault that the runtime has not asked for
 * some seconds after it; NULL: none. It is for tools: exported from the library.
 */
typedef void softgpu_fault_watcher(const struct softgpu_fault *fault, void *data);
void softgpu_watch_faults(softgpu_fault_watcher *function, void *data);

static inline bool softgpu_quirk(enum softgpu_quirk quirk)
{
	return softgpu_config.quirks >> quirk & 1;
}

#endif
