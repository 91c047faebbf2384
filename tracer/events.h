/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event schema: what the preload library records and what the analyzer reads.
 *
 * One struct per event type of the LTTng-UST provider `hipgrain`; every member is one field of
 * that event, under the same name. Every event also carries the contexts vpid and vtid.
 *
 * Ordering, on which replay relies:
 *  - alloc is recorded after the real call returned, free before the real call is made, so an
 *    address is never live twice. A free that then fails is followed by an `error` with the same
 *    api and ptr on the same thread: it did not happen.
 *  - a moving realloc is a free of the old block (before the call) and an alloc of the new one
 *    (after it); when it fails, an `error` of the same api and ptr says that the old one lives on.
 *  - launch is recorded before the real call, so that a launch which ends the process is there.
 *    If the call fails, an `error` with the same api and ptr = kernel_id follows on that thread.
 *  - copy, fill, prefetch, advise, stream, event and sync are recorded after the real call
 *    returned 0; calls that fail are recorded as `error` only.
 *  - stack, kernel, code_object, args, module come before the first event that names them.
 *
 * Units: bytes, nanoseconds, work-groups (grid) and work-items (block). Pointers are the values
 * in the traced process. Handles (streams, events) are their pointer value; 0 is the null stream.
 */
#ifndef HIPGRAIN_TRACER_EVENTS_H
#define HIPGRAIN_TRACER_EVENTS_H

#include <stdint.h>

#include "tracer/migration_events.h"
#include "tracer/batch_events.h"
#include "tracer/cost_events.h"
#include "tracer/offload_events.h"

/* Interface functions, one enumerator per row of api.def: HG_API_hipMalloc == 100. */
enum hg_api {
#define HG_API(id, name, class) HG_API_##name = (id),
#include "api.def"
#undef HG_API
};

enum hg_api_class {
	HG_CLASS_ALLOC,
	HG_CLASS_FREE,
	HG_CLASS_COPY,
	HG_CLASS_FILL,
	HG_CLASS_PREFETCH,
	HG_CLASS_ADVISE,
	HG_CLASS_LAUNCH,
	HG_CLASS_STREAM,
	HG_CLASS_EVENT,
	HG_CLASS_SYNC,
	HG_CLASS_MODULE,
	HG_CLASS_DEVICE,
	HG_CLASS_CALL,
	HG_CLASS_GRAPH,
};

/* Once per process, when recording begins in it. */
struct hg_ev_process {
	uint32_t ppid;
	uint32_t page_size;
	uint32_t threshold;  /* host allocations smaller than this are not recorded */
	uint8_t forked;      /* it began by fork(), with its parent's memory, and not by exec */
	uint8_t late;        /* it had been running: what it has follows between two `state` */
	uint64_t instance;   /* of this program image: the same in a second one of it */
	const char *version; /* of hipgrain */
	const char *exe;     /* resolved path */
	const char *cmdline; /* arguments, separated by one space */
	const char *env;     /* NAME=value lines of the variables that matter */
};

/*
 * Around what a process has when recording begins in it late: between the two of a thread, its
 * other events tell of calls that were made before (runtime, device, alloc, advise, prefetch,
 * stream, event), in their order, as far as they still matter; their times are not the calls'.
 */
enum hg_state_phase {
	HG_STATE_BEGIN = 1,
	HG_STATE_END = 2,
};

struct hg_ev_state {
	uint8_t phase;
	uint64_t age;       /* ns since the process began to be watched */
	uint64_t calls;     /* remembered calls that follow, or followed */
	uint64_t left_out;  /* calls that mattered and could not be remembered */
	uint64_t threshold; /* blocks of the C library that are smaller are not among them */
	uint64_t counted;   /* ns since small blocks are (host_totals); 0: they are not */
};

/* A host executable or library that is mapped; again when one was loaded later. */
struct hg_ev_module {
	uint64_t bias; /* address in memory minus address in the file's program headers */
	uint64_t start;
	uint64_t size;        /* of the span from the first to the last loaded segment; 0: what
			       * began there was unloaded */
	const char *path;     /* absolute */
	const char *build_id; /* lower-case hex, empty if none */
	const char *past;     /* names of HIP functions, separated by spaces, that it calls past the
			       * preload library, empty if none; recorded again when that is known */
};

/* Memory regions of the host process that no allocation event describes. */
enum hg_region {
	HG_REGION_HEAP = 1,  /* the program break's range, recorded again when it has grown */
	HG_REGION_STACK = 2, /* a thread's stack, when the thread first launches a kernel */
};

struct hg_ev_region {
	uint8_t kind;
	uint64_t start;
	uint64_t size;
};

/* The HIP runtime, once per copy of it in the process, at the first HIP call. */
struct hg_ev_runtime {
	const char *path;
	int32_t version; /* hipRuntimeGetVersion, 0 if it failed */
	int32_t driver_version;
	int32_t device_count; /* 0 without a device */
	int32_t result;       /* hipError_t of hipGetDeviceCount */
	uint64_t host_memory; /* the machine's, bytes */
};

/* One per device, at the first HIP call that succeeded. Attributes are -1 where unknown. */
struct hg_ev_device {
	int32_t ordinal;
	const char *name;
	const char *arch; /* target id: "gfx90a:sramecc+:xnack-" */
	int8_t xnack;     /* 1 on, 0 off, from the target id */
	int8_t managed;
	int8_t concurrent_managed;
	int8_t pageable_access;
	int8_t host_native_atomic;
	int8_t integrated;
	int8_t large_bar;
	int8_t fine_grain;
	int8_t host_link; /* hsa_amd_link_info_type_t to host memory: 2 PCIe, 4 XGMI */
	uint64_t memory;  /* bytes */
};

/* Memory came into being. Also for hipHostRegister, which overlays memory that exists. */
struct hg_ev_alloc {
	uint16_t api;
	uint64_t ptr;
	uint64_t device_ptr; /* the GPU's address, where it differs; otherwise equal to ptr */
	uint64_t size;
	uint64_t flags; /* as passed; for mmap: prot << 32 | flags; for shmat: segment << 32 |
			 * flags; for aligned host calls: alignment */
	int32_t device; /* current HIP device; -1 for host allocators */
	uint64_t stream;
	const char *symbol; /* device variable's name, else empty */
	uint32_t stack_id;  /* 0: not recorded */
};

/*
 * The same for a block of the C library or C++, which make most of the events: an `alloc` with
 * device -1, and otherwise what is not here 0. Blocks with flags or of 4 GiB are recorded as
 * `alloc`. `host_free` is a `free` likewise.
 */
struct hg_ev_host_alloc {
	uint64_t ptr;
	uint32_t size;
	uint8_t api;
	uint32_t stack_id;
};

struct hg_ev_host_free {
	uint64_t ptr;
	uint8_t api;
	uint32_t stack_id;
};

/*
 * The host's blocks below the threshold that one call stack allocated, with HIPGRAIN_TOTALS: since
 * the recording began, written anew where they have changed, about once a second and at the end.
 */
struct hg_ev_host_totals {
	uint32_t stack_id; /* 0: all that have none, or for which there was no room */
	uint8_t api;
	uint16_t largest;     /* bytes */
	uint64_t count;       /* of allocations */
	uint64_t bytes;       /* asked for */
	uint64_t freed;       /* of them, how many */
	uint64_t freed_bytes; /* as they were asked for */
};

struct hg_ev_free {
	uint16_t api;
	uint64_t ptr;
	uint64_t size; /* for munmap, mremap, brk and sbrk, else 0 */
	uint64_t stream;
	uint32_t stack_id;
};

/*
 * What the runtime says about an allocation: before the first launch that is given a pointer into
 * it, and again at the next launch after advice. HG_MEMORY_UNKNOWN where it was not told.
 */
#define HG_MEMORY_UNKNOWN INT32_MIN

struct hg_ev_memory {
	uint64_t ptr; /* as in `alloc` */
	uint64_t size;
	int32_t type;          /* hipMemoryType, numbered as in the runtime's release */
	int32_t device;        /* ordinal */
	int32_t managed;       /* hipPointerAttribute_t.isManaged */
	uint64_t flags;        /* hipPointerAttribute_t.allocationFlags */
	int32_t coherency;     /* hipMemRangeCoherencyMode; not asked of memory from a pool */
	int32_t preferred;     /* managed memory: preferred location */
	int32_t last_prefetch; /* managed memory: where it was last prefetched to */
	int32_t hsa_type;      /* hsa_amd_pointer_type_t */
	uint64_t pool_flags;   /* hsa_amd_memory_pool_global_flag_t of its pool, 0 if none */
};

struct hg_ev_copy {
	uint16_t api;
	uint64_t dst; /* 0: an array, whose address the program cannot know; also src */
	uint64_t src;
	uint64_t size; /* bytes per row; 0: unknown, an array's elements decide */
	uint64_t rows; /* 1 unless 2D; of one slice if 3D */
	uint64_t dst_pitch;
	uint64_t src_pitch;
	int32_t kind; /* hipMemcpyKind as passed */
	int32_t device;
	uint64_t stream;
	uint64_t duration;
	uint64_t depth;     /* slices: 1 unless 3D */
	uint64_t dst_slice; /* bytes from one slice to the next */
	uint64_t src_slice;
	uint32_t stack_id;
};

struct hg_ev_fill {
	uint16_t api;
	uint64_t dst;
	uint64_t size; /* bytes per row */
	uint64_t rows;
	uint64_t pitch;
	uint32_t value; /* veiled with --kernel-arguments=hashed, 0 with off */
	int32_t device;
	uint64_t stream;
	uint64_t duration;
	uint64_t depth; /* slices: 1 unless 3D */
	uint64_t slice; /* bytes from one slice to the next */
	uint32_t stack_id;
};

struct hg_ev_prefetch {
	uint16_t api;
	uint64_t ptr;
	uint64_t size;
	int32_t target; /* device ordinal, -1 for the CPU (hipCpuDeviceId) */
	uint64_t stream;
	uint64_t duration;
	uint32_t stack_id;
};

struct hg_ev_advise {
	uint16_t api;
	uint64_t ptr;
	uint64_t size;
	int32_t advice; /* hipMemoryAdvise */
	int32_t target;
	uint32_t stack_id;
};

#define HG_PLACE_HOST    (-1)
#define HG_PLACE_UNKNOWN INT32_MIN /* a GPU that HIP has no number for */

/*
 * The kernel's driver said that pages of this process faulted or moved, or that its queues were
 * stopped (KFD's SMI events). It happened `age` before.
 */
struct hg_ev_migration {
	uint8_t kind;    /* KFD's: 5 migration began, 6 ended; 7 fault, 8 served; 9 queues
			    stopped, 10 resumed; 11 unmapped from the GPU; 1 memory violation */
	uint64_t start;  /* address */
	uint64_t size;   /* bytes; of a fault the page */
	int32_t from;    /* device, -1 the host; other kinds: the device */
	int32_t to;      /* device, -1 the host */
	int32_t trigger; /* KFD's number of the cause; -1: not told */
	int32_t detail;  /* letter: fault R W, served M(oved) U(pdated); else an error's number */
	uint64_t age;    /* nanoseconds */
};

/* Where these come from: once when that was tried, and again with what was lost on the way. */
struct hg_ev_smi_source {
	uint32_t sources;    /* GPUs whose events are read */
	uint64_t malformed;  /* lines that were not understood */
	uint64_t unknown;    /* lines of other kinds */
	uint64_t dropped;    /* events that the driver had no room for */
	const char *problem; /* why there are none, or not all, else empty */
};

/* A device code object; its bytes are in the bundle as code-objects/<sha256>. */
struct hg_ev_code_object {
	uint32_t code_object_id; /* from 1, per process */
	const char *sha256;      /* lower-case hex; empty if it could not be captured */
	const char *target;      /* bundle entry's target id, e.g. "gfx90a:xnack+" */
	uint64_t size;
	const char *path;    /* host file that holds it, empty if from memory */
	const char *problem; /* why it could not be captured, else empty */
};

struct hg_ev_kernel {
	uint32_t kernel_id; /* from 1, per process */
	uint32_t code_object_id;
	uint64_t handle;       /* host function or hipFunction_t */
	const char *symbol;    /* device name as registered (mangled) */
	uint32_t kernarg_size; /* explicit arguments, bytes; 0 if none or unknown */
};

enum hg_args_status {
	HG_ARGS_COMPLETE = 0,
	HG_ARGS_UNKNOWN_LAYOUT = 1, /* no metadata for the kernel: bytes is empty */
	HG_ARGS_TRUNCATED = 2,      /* more than HG_ARGS_MAX bytes */
	HG_ARGS_WITHHELD = 3,       /* not to be recorded: bytes is empty */
};
#define HG_ARGS_MAX 4096
/* Values that were veiled stand for others: equal for equal ones. Of `kept` a bit for 4 bytes. */
#define HG_ARGS_GRANULE  4u
#define HG_ARGS_KEPT_MAX (HG_ARGS_MAX / HG_ARGS_GRANULE / 8)

/* Explicit kernel arguments as they lie in the kernarg segment, once per distinct content. */
struct hg_ev_args {
	uint32_t args_id; /* from 1, per process */
	uint32_t kernel_id;
	uint8_t status;
	const uint8_t *bytes;
	uint32_t length; /* in the trace: bytes is a sequence of this length */
	/*
	 * Which bytes are recorded as they were, a bit for four, the lowest first; the others are
	 * veiled (--kernel-arguments=hashed). Empty: all are as they were.
	 */
	const uint8_t *kept;
	uint32_t kept_length; /* in the trace: kept is a sequence of this length */
};

struct hg_ev_launch {
	uint16_t api;
	uint32_t kernel_id;
	uint32_t args_id;
	uint32_t grid_x, grid_y, grid_z;
	uint32_t block_x, block_y, block_z;
	uint32_t shared; /* dynamic LDS bytes */
	int32_t device;
	uint64_t stream;
	uint32_t stack_id;
	uint8_t launch_id; /* by which this thread's relaunch means it, until it is used anew */
};

/* The same launch once more, by the same thread. */
struct hg_ev_relaunch {
	uint8_t launch_id;
};

struct hg_ev_stream {
	uint16_t api;
	uint64_t stream;
	uint32_t flags;
	int32_t priority;
	int32_t device;
};

struct hg_ev_event {
	uint16_t api;
	uint64_t event;
	uint64_t stream; /* record, wait */
	uint32_t flags;
};

struct hg_ev_sync {
	uint16_t api;
	uint64_t stream;
	uint64_t event;
	int32_t device;
	uint64_t duration;
	uint32_t stack_id;
};

/*
 * A successful call that none of the others describes: about pools, address ranges, arrays,
 * graphs, host functions, attributes. What the members hold is in the function's row in preload/;
 * those that do not apply are 0.
 */
struct hg_ev_call {
	uint16_t api;
	uint64_t handle; /* the object that was made, changed or ended */
	uint64_t ptr;    /* memory, or a function of the program's */
	uint64_t size;
	uint64_t flags; /* or the attribute asked for */
	uint64_t value; /* an operand, or the answer */
	int32_t device;
	uint64_t stream;
	const char *text; /* a name */
	uint32_t stack_id;
};

/* A call that returned something else than success (hipErrorNotReady is not an error). */
struct hg_ev_error {
	uint16_t api;
	int32_t code; /* hipError_t, or errno for the C library */
	uint64_t ptr; /* its main pointer argument; a launch: kernel_id */
	uint64_t size;
	uint64_t flags;
	uint32_t stack_id;
};

/* A call stack, once per distinct one. Frames are return addresses, innermost first; the first
 * one returns into the application's caller of the recorded function. */
struct hg_ev_stack {
	uint32_t stack_id; /* from 1, per process */
	const uint64_t *frames;
	uint32_t depth; /* in the trace: frames is a sequence of this length */
};

#endif
