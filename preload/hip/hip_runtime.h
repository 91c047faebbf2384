/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps the runtimes behind us, and does what is done around their calls. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_RUNTIME_H
#define HIPGRAIN_PRELOAD_HIP_HIP_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "codeobj/codeobj.h"

/* Returns true if an address is inside a copy of the runtime, judged by the file's name. */
bool hg_hip_is_runtime(const void *address);
/* Returns the runtime that has the function, or NULL if there are too many runtimes. */
struct hg_hip_runtime *hg_hip_runtime_of(const void *real);
/* Returns a function of the first runtime that is loaded, in whatever scope, or NULL. */
void *hg_hip_find_loaded(const char *name);
/* Forgets, after dlclose(), the runtimes at whose base nothing is loaded, and calls `forget` before
 * for each. */
void hg_hip_runtimes_unloaded(bool (*is_loaded)(uintptr_t base),
			      void (*forget)(const struct hg_hip_runtime *runtime));

/*
 * This and all queries of the runtime are about that of the thread's call in progress. Returns a
 * function of it that is not interposed, by name, or NULL if it has none.
 */
void *hg_hip_query(const char *name);

#define HG_HIP_RUNTIMES 8
#define HG_HIP_DEVICES  64
uint32_t hg_hip_runtime_number(void); /* from 1 on, in the order in which they were met */

struct hg_hip_call {
	uint16_t api;
	int rc;
	uint64_t start; /* ns; hg_now_counted(); not of a launch */
	uint64_t end;   /* ns; where the event has a duration */
	const void *caller;
	bool walked;       /* its stack was determined before the call: */
	uint32_t stack_id; /* as of `generation` */
	uint32_t generation;
};

/*
 * These stand around a recorded call. hg_hip_begin() returns false if the call is to be forwarded
 * only (dormant, nested in another HIP call, or made by ourselves). At the first call of all it
 * records the runtime and its devices, and it publishes the call (trace/enter_calls.h), whose
 * arguments the caller adds: hip_open.h. After it returned true exactly one hg_finish_*() or
 * hg_hip_end() must follow.
 */
bool hg_hip_begin(struct hg_hip_call *call, uint16_t api, const void *caller);
/*
 * Does the same for launches, which look after old batches themselves, and publish when they began.
 */
bool hg_hip_begin_batched(struct hg_hip_call *call, uint16_t api, const void *caller);
/*
 * Does the same for calls whose events have a stack: it is determined before the call, so that it
 * is known if the call does not return.
 */
bool hg_hip_begin_walked(struct hg_hip_call *call, uint16_t api, const void *caller);
void hg_hip_end(void);

/* These stand around what the runtime does in a call that makes no event of its own. */
static inline void hg_hip_inside(void)
{
	hg_tls.hip++;
}

static inline void hg_hip_outside(void)
{
	if (hg_tls.hip)
		hg_tls.hip--;
}

/* Returns true if events about the call can be made, between begin and end; hg_leave() must follow
 * then. */
bool hg_hip_enter(void);

/* Returns hg_stack_id() of the call, for which its wrapper's frame is known. */
uint32_t hg_hip_stack_id(const struct hg_hip_call *call);

int hg_hip_device(void); /* current device, -1 if unknown */
/*
 * Returns the device on which the work of a stream runs, whatever device is current, or -1 if it is
 * unknown.
 */
int hg_hip_stream_device(uint64_t stream);

/*
 * Calls of our own that may fail would change what the program gets from hipGetLastError(): they
 * are made only while no error is pending, and their own error is cleared afterwards.
 */
bool hg_hip_may_query(void);
void hg_hip_forget_error(void);

struct hg_hip_device {
	char name[256];
	char arch[128]; /* target id */
	struct codeobj_target target;
	bool known;    /* arch was parsed into target */
	int64_t place; /* on the bus: hg_smi_place(); -1: not known */
};

/* Returns hipRuntimeGetVersion of the runtime, 50221153 for 5.2.21153, or 0 if it is unknown. */
int hg_hip_version(void);

/* Returns a device of the runtime, or NULL if there is none of that ordinal. */
const struct hg_hip_device *hg_hip_device_info(int ordinal);

/*
 * Widens the range to the whole pages that hold [*ptr, *ptr + *size), about which the runtime is
 * asked for a prefetch. With other ranges an assertion of ROCr's fails, which ends the program
 * where ROCr was built with them, as Debian's is [SEENROCR].
 */
static inline void hg_whole_pages(uint64_t *ptr, uint64_t *size)
{
	uint64_t page = 4096, end = (*ptr + *size + page - 1) & ~(page - 1);

	*ptr &= ~(page - 1);
	*size = end - *ptr;
}

#endif
