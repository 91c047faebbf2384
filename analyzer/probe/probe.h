/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `hipgrain probe`: what this machine's memory really does, measured by small kernels, beside what
 * the memory model expects.
 *
 * All that runs on a GPU runs in child processes (children.c), because it may fault or hang. A
 * child writes what it measured into memory that it shares with the parent, step by step, so that
 * nothing that was measured is lost with it. compare.c then sets the measurements beside the model.
 */
#ifndef HIPGRAIN_PROBE_H
#define HIPGRAIN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/model.h"

#define PROBE_MAX_GPUS 16
#define PROBE_TEXT     256

/* ---- what is measured ---- */

enum probe_operation {
#define OPERATION(name, kind, type, instruction, start, operand, result, form) PROBE_OP_##name,
#include "kernels/probe/operations.def"
	PROBE_OPERATIONS,
};

enum probe_way {
	PROBE_DEVICE,
	PROBE_DEVICE_FLAGS,
	PROBE_DEVICE_STREAM,
	PROBE_MANAGED,
	PROBE_HOST,
	PROBE_REGISTERED,
	PROBE_SYSTEM,
	PROBE_PEER, /* on the next GPU */
};

/* A row of placements.def. */
struct probe_placement {
	const char *call;
	uint16_t api; /* HG_API_ */
	uint64_t flags;
	enum probe_way way;
	int advice;
};
extern const struct probe_placement probe_placements[];
#define ADVISE_COARSE 100 /* hipMemAdviseSetCoarseGrain */

enum {
	PROBE_PLACEMENTS = 0
#define PLACEMENT(call, flags, way, advice) +1
#include "placements.def"
};

/* The steps on one piece of memory, in this order. The atomics are PROBE_STEP_ATOMIC + 2 *
 * operation, and one more for the instruction of system scope. */
enum probe_step {
	PROBE_STEP_ALLOCATE,
	PROBE_STEP_GRANULARITY, /* as the runtime reports it */
	PROBE_STEP_HOST,        /* the host stores and loads */
	PROBE_STEP_LOAD,        /* a kernel loads */
	PROBE_STEP_STORE,
	PROBE_STEP_ATOMIC,
	/* A kernel stores; the host waits so, and loads. */
	PROBE_STEP_STREAM_WAIT = PROBE_STEP_ATOMIC + 2 * PROBE_OPERATIONS,
	PROBE_STEP_EVENT_WAIT,
	PROBE_STEP_DEVICE_WAIT,
	PROBE_STEP_FILL,      /* hipMemset */
	PROBE_STEP_TOGETHER,  /* the host and the GPU add to one word at the same time */
	PROBE_STEP_MIGRATION, /* PROBE_WORKS: loads by the GPU move pages to it; PROBE_LOST: none */
	PROBE_STEP_PREFETCH,
	PROBE_STEP_ADVICE,
	PROBE_STEPS,
};

enum probe_state {
	PROBE_PENDING,
	PROBE_STARTED, /* by a child that has not finished it (yet) */
	PROBE_WORKS,   /* did what it is for */
	PROBE_LOST,    /* no error, and no effect at all */
	PROBE_WRONG,   /* no error, and a wrong result */
	PROBE_REFUSED, /* the runtime returned `error` */
	PROBE_NO_CODE, /* the GPU has no such instruction, the runtime no such function */
	PROBE_FAULTS,  /* the process ended by `signal` */
	PROBE_SKIPPED, /* makes no sense after what another step showed */
	/* From here on the result is unknown: neither a measurement nor a contradiction. */
	PROBE_TIME_LIMIT, /* not finished within the time limit: it hangs, or the machine is busy */
	PROBE_KILLED,     /* somebody else ended the process, by `signal` */
	PROBE_NOT_TRIED,  /* needs a step whose result is unknown */
};

struct probe_result {
	uint8_t state;      /* enum probe_state; atomic */
	uint8_t signal;     /* of PROBE_FAULTS and PROBE_KILLED */
	int error;          /* hipError_t of PROBE_REFUSED */
	int value;          /* PROBE_STEP_GRANULARITY: enum granularity */
	double nanoseconds; /* an operation of one work-item took so long; 0: not measured */
};

struct probe_memory {
	struct probe_result steps[PROBE_STEPS];
};

/* A GPU in an XNACK mode. */
struct probe_mode {
	int hsa_xnack; /* HSA_XNACK that the process was started with, -1: as the environment has it
			*/
	struct model_environment environment;
	char arch[128]; /* target id; empty: `problem` says why there are no measurements */
	char problem[PROBE_TEXT];
	char code[64];    /* target of the kernels that ran */
	int pcie_atomics; /* hipDeviceAttributeHostNativeAtomicSupported; -1: unknown */
	int link;         /* hsa_amd_link_info_type_t to host memory, -1: unknown */
	struct probe_memory memory[PROBE_PLACEMENTS];
};

struct probe_gpu {
	char name[PROBE_TEXT];
	unsigned modes;
	struct probe_mode mode[2];
};

struct probe {
	char runtime[4096];      /* path of libamdhip64 */
	char driver[PROBE_TEXT]; /* release of the kernel, and version of the amdgpu module */
	int runtime_version;
	char problem[PROBE_TEXT]; /* why nothing was measured; empty if something was */
	unsigned gpus;
	struct probe_gpu gpu[PROBE_MAX_GPUS];
};

struct probe_settings {
	bool softgpu;        /* it is the software GPU */
	const char *kernels; /* path of probe.hipfb */
	int gpu;             /* only this one; -1: all */
	unsigned step_seconds;
};

/* ---- the parts ---- */

/*
 * Measure all GPUs of the machine. The result, which munmap()s with probe_free(), has `problem`
 * where nothing could be measured; NULL: no memory.
 */
struct probe *probe_measure(const struct probe_settings *settings);
void probe_free(struct probe *probe);

struct probe_step_text {
	char name[64];         /* "f32_add, system scope", "GPU loads" */
	char id[48];           /* "f32_add_system", "gpu_load": as in JSON */
	enum atomic_kind kind; /* of the operand; ATOMIC_KINDS: the step is no atomic */
	bool system;           /* the instruction of system scope */
};

struct probe_step_text probe_step_text(int step);

/* Returns true if the step began and its effect is unknown. */
static inline bool probe_state_unknown(enum probe_state state)
{
	return state >= PROBE_TIME_LIMIT;
}

/* ---- what a child leaves behind (settle.c) ---- */

enum probe_ending {
	PROBE_ENDED, /* by itself */
	PROBE_ENDED_BY_SIGNAL,
	PROBE_TIMED_OUT, /* ended after the time limit */
	PROBE_STUCK,     /* as that, and the driver keeps the process */
};

struct probe_outcome {
	enum probe_ending ending;
	int signal;
};

/*
 * After a child has ended: gives the step that it had begun its state, and those that make no
 * sense after it. Returns whether there was such a step.
 */
bool probe_settle(struct probe_mode *mode, struct probe_outcome outcome);

/* ---- the child's side (child.c) ---- */

struct probe_task {
	const struct probe_settings *settings;
	struct probe *probe;
	unsigned gpu, mode;
};

/*
 * In a process of its own, which it ends: finds out about the runtime and its GPUs, that is, fills
 * `probe->gpus`, `runtime` and each gpu's name.
 */
_Noreturn void probe_child_survey(const struct probe_task *task);
/* Runs every step that is PROBE_PENDING, in a process of its own as above, and marks each before
 * and after. */
_Noreturn void probe_child_measure(const struct probe_task *task);

#endif
