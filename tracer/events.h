/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event schema: what the preload library records and what the analyzer reads.
 *
 * One struct per event type, hg_ev_NAME: the rows of events.def, where each is described; every
 * member is one field of that event, under the same name. Every event also carries the contexts
 * vpid and vtid. The structs are in tracer/events/ev_NAME.h, which the build makes of the rows:
 * whoever uses fields of an event includes its header. Here are the numbers that fields have.
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
#include "tracer/offload_events.h"

/*
 * Interface functions have ids, HG_API_hipMalloc, which the files of tracer/api/ give them: include
 * those whose functions are named (api/hip_alloc_device.h), see api.def.
 */
#define HG_HIP_APIS 100 /* from here on HIP's; below, the C library's */

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

/* state.phase */
enum hg_state_phase {
	HG_STATE_BEGIN = 1,
	HG_STATE_END = 2,
};

/* page.last */
enum hg_page_last {
	HG_PAGE_FULL = 1,
	HG_PAGE_OPEN = 2,
};

/* region.kind */
enum hg_region {
	HG_REGION_HEAP = 1,  /* the program break's range, recorded again when it has grown */
	HG_REGION_STACK = 2, /* a thread's stack, when the thread first launches a kernel */
};

#define HG_MEMORY_UNKNOWN INT32_MIN /* in `memory`: the runtime did not report it */

/* hipPointer_attribute that a program can set [H62]: copies within the device wait. */
#define HG_POINTER_SYNC_MEMOPS 6

/* hsa_amd_pointer_type_t [HSAH], in `memory`: of these the runtime has no flags of a pool. */
enum hg_pointer_type {
	HG_POINTER_UNKNOWN = 0,
	HG_POINTER_RESERVED = 5, /* addresses that have no memory, or managed memory of HIP 7.2 */
};

#define HG_PLACE_HOST    (-1)
#define HG_PLACE_UNKNOWN INT32_MIN /* a GPU that HIP has no number for */

/* args.status */
enum hg_args_status {
	HG_ARGS_COMPLETE = 0,
	HG_ARGS_UNKNOWN_LAYOUT = 1, /* no metadata for the kernel: bytes is empty */
	HG_ARGS_TRUNCATED = 2,      /* more than HG_ARGS_MAX bytes */
	HG_ARGS_WITHHELD = 3,       /* not to be recorded: bytes is empty */
};

/* An address that is at most so far behind an allocation still counts as having run off its end;
 * bytes. */
#define HG_PAST_END_LIMIT (UINT64_C(1) << 20)

#define HG_ARGS_MAX       4096 /* sequences have at most 65535 elements (tracepoints.h) */

/* pointers.source */
enum hg_pointers_source {
	HG_POINTERS_READ = 1,         /* before this thread's next launch */
	HG_POINTERS_COPIED = 2,       /* by this thread's latest copy */
	HG_POINTERS_NUMBERS = 3,      /* numbers that it carried: runs of one dword */
	HG_POINTERS_NUMBERS_READ = 4, /* the same, before this thread's next launch */
};
/* A hash replaces 4 bytes, and is equal for equal ones. `kept` has one bit for each. */
#define HG_ARGS_GRANULE  4u
#define HG_ARGS_KEPT_MAX (HG_ARGS_MAX / HG_ARGS_GRANULE / 8)

/* range.source */
enum hg_range_source {
	HG_RANGE_ROCTX = 1,
	HG_RANGE_NVTX = 2,
	HG_RANGE_KOKKOS = 3,
	HG_RANGE_HIPGRAIN = 4, /* hipgrain.h */
	HG_RANGE_POOLS = 5, /* no ranges: pools of libraries, in memory that need not be recorded */
};

/* range.kind */
enum hg_range_kind {
	HG_RANGE_PUSH = 1,
	HG_RANGE_POP = 2,
	HG_RANGE_START = 3,
	HG_RANGE_STOP = 4,
	HG_RANGE_MARK = 5,
	HG_RANGE_NAMES_THREAD = 6,
	HG_RANGE_NAMES_DEVICE = 7,
	HG_RANGE_NAMES_STREAM = 8,
	HG_RANGE_NAMES_AGENT = 9,
};

/* range.cut */
enum hg_range_cut {
	HG_RANGE_WHOLE = 0,
	HG_RANGE_CUT = 1,
	HG_RANGE_UNREADABLE = 2,
};

/* gpu_time.kind */
enum hg_gpu_time {
	HG_GPU_TIME_NONE = 0,
	HG_GPU_TIME_KERNEL = 1,
	HG_GPU_TIME_RUNTIME = 2,
	HG_GPU_TIME_COPY = 3,
};

#define HG_RANGE_NAME_MOST 255u /* bytes of a name that are recorded */

#endif
