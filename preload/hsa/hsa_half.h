/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares what the files of the HSA half of the preload library share. Calls come to its wrappers
 * by two ways: by the functions of the same names that the library exports (hsa_wrap.h), and by the
 * runtime's tables, which it patches as a tool of the runtime (hsa_tool.c). Types and numbers are
 * those of hsa.h, hsa_ext_amd.h and hsa_api_trace.h of ROCr 5.2 [HSAH]; they are written out,
 * because no HSA header is needed to build.
 */
#ifndef HIPGRAIN_PRELOAD_HSA_HSA_HALF_H
#define HIPGRAIN_PRELOAD_HSA_HSA_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"

/* hsa_agent_t, hsa_signal_t, hsa_executable_t and so on: a handle each. */
struct hsa_handle {
	uint64_t handle;
};

/* hsa_queue_t */
struct hsa_queue {
	uint32_t type, features;
	void *base;
	struct hsa_handle doorbell;
	uint32_t size; /* packets */
	uint32_t reserved;
	uint64_t id;
};

/* hsa_kernel_dispatch_packet_t */
struct hsa_packet {
	uint16_t header, setup;
	uint16_t block_x, block_y, block_z, reserved0;
	uint32_t items_x, items_y, items_z; /* work-items, not work-groups */
	uint32_t private_size, group_size;
	uint64_t kernel_object, kernarg, reserved2, completion;
};

/*
 * Holds the runtime's own functions: those that it exports, or those that its tables had before us.
 */
struct hsa_functions {
#define HSA_CORE(place, name)        void *name;
#define HSA_AMD(before, since, name) void *name;
#define HSA_ALIAS(name)              void *name;
#include "preload/hsa/hsa_table.def"
#undef HSA_CORE
#undef HSA_AMD
#undef HSA_ALIAS
};
extern struct hsa_functions hg_hsa;
#define HSA_REAL(name, type, ...) ((type(*)(__VA_ARGS__))hg_hsa.name)

/* Put in front of the runtime's by hsa_tables.c. */
struct hsa_wrapper {
	const char *name;
	void *function;
};
extern const struct hsa_wrapper hg_hsa_code_wrappers[], hg_hsa_memory_wrappers[],
    hg_hsa_queue_wrappers[], hg_hsa_event_wrappers[],
    hg_hsa_times_wrappers[]; /* each ends with a NULL */

/*
 * Decides if a call that came by the name of its function is recorded; atomic. Only one of the two
 * ways records: if the tables are patched, a call by name passes them as well.
 */
enum hsa_way { HSA_PASS, HSA_BY_NAME, HSA_UNDECIDED };
extern HG_HIDDEN int hg_hsa_way;

/* Decides this before a call that would reach the runtime's function `real`. */
void hg_hsa_decide(const void *real);
/* Returns true if the function is one that the software GPU's driver has in front of the runtime's.
 */
bool hg_hsa_is_driver(const void *real);
/* Is true if HIP is loaded too, and reports the devices itself. */
extern HG_HIDDEN bool hg_hsa_hip_reports;

/*
 * Returns true if events about a call of `caller` can be made, and hg_leave() must follow then. It
 * returns false for what HIP does, whose own calls are recorded. `api`: 0 for a function that has
 * no number. `how`: HSA_BELOW_HIP, for what HIP does as well; HSA_LASTING, for calls whose effect
 * lasts, which a process on standby remembers.
 */
enum { HSA_BELOW_HIP = 1, HSA_LASTING = 2 };
bool hg_hsa_enter(uint16_t api, const void *caller, unsigned how);
/* Returns the number of the stack of the target construct that the thread is in, or of the caller
 * if it is in none. */
uint32_t hg_hsa_stack(const void *caller);

/* ---- hsa_wait.c ---- */

/* Is not 0 once calls of the HSA runtime are wanted; atomic. */
extern HG_HIDDEN int hg_hsa_waits;
/*
 * Publishes a call that the caller is about to make, from the function with `frame`. If it returns
 * true hg_hsa_published_end() must follow.
 */
bool hg_hsa_publish(uint16_t api, const void *caller, const char *frame);
void hg_hsa_published_end(void);

/* ---- hsa_agents.c ---- */

/* Finds the agents and pools of a runtime that is up. Returns false if it has none. */
bool hg_hsa_survey(void);
/* Returns the number of a GPU agent in the runtime's order, or -1 for other agents. */
int hg_hsa_ordinal(uint64_t agent);
const struct hg_hip_device *hg_hsa_device(int ordinal);

struct hsa_pool {
	uint64_t handle;
	uint32_t flags; /* hsa_amd_memory_pool_global_flag_t */
	int ordinal;    /* of the GPU whose memory it is, -1: the host's */
};
const struct hsa_pool *hg_hsa_pool(uint64_t handle);

/* ---- hsa_code.c ---- */

struct hsa_kernel {
	struct hsa_kernel *next;
	uint64_t object; /* hsa_kernel_dispatch_packet_t.kernel_object */
	uint64_t executable;
	struct hg_hip_kernel_variant variant; /* once it was defined */
	char *name;
};

/* Returns the kernel of a packet, or NULL if its executable was not seen. */
struct hsa_kernel *hg_hsa_kernel(uint64_t object);
/* Records it, and its code object, if that has not happened. Needs hg_hsa_enter(). */
void hg_hsa_kernel_define(struct hsa_kernel *kernel);

#endif
