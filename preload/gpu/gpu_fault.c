/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records memory access faults of GPUs. The HSA runtime passes a fault to every handler that was
 * registered for system events, on a thread of its own; if none of them returns success it prints a
 * line and aborts the process. Any number of handlers can be added, and one that fails does not
 * change this (VMFaultHandler and SetCustomSystemEventHandler in runtime.cpp of ROCr 4.5, 5.2.3,
 * 5.7.1 and 6.2.4). So ours records the fault and fails. They are called in the order in which they
 * were registered, and another one may end the process: ours comes first (hsa_event.c).
 *
 * There is an exception: with HSA_ENABLE_VM_FAULT_MESSAGE=0, ROCr from 6.2 on writes a core dump of
 * the GPU only if there is a handler. Ours is not registered then, unless the program has one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/gpu/gpu.h"
#include "preload/hsa/hsa_half.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

enum {
	AGENT_INFO_DEVICE = 17,
	DEVICE_GPU = 1,
	EVENT_MEMORY_FAULT = 0,
	HANDLER_FAILED = 0x1000, /* HSA_STATUS_ERROR */
};

/* hsa_amd_event_t, of which the other kinds are not longer */
struct system_event {
	uint32_t type;
	struct hsa_handle agent;
	uint64_t address; /* of the page, where it is a page that is missing */
	uint32_t reason;  /* hsa_amd_memory_fault_reason_t */
};

#define MAX_GPUS 64

static struct {
	int (*get_info)(struct hsa_handle, int, void *);
	uint64_t gpus[MAX_GPUS];
	int count;
} agents;

static int note_gpu(struct hsa_handle agent, void *data)
{
	uint32_t device = 0;

	(void)data;
	if (!agents.get_info(agent, AGENT_INFO_DEVICE, &device) && device == DEVICE_GPU &&
	    agents.count < MAX_GPUS)
		agents.gpus[agents.count++] = agent.handle;
	return 0;
}

/* HIP's number of a GPU is the runtime's unless HIP leaves some out; then it is not known. */
int hg_gpu_ordinal(uint64_t agent)
{
	static const char *const choices[] = { "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
					       "GPU_DEVICE_ORDINAL" };

	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (getenv(choices[i]))
			return -1;
	for (int i = 0; i < agents.count; i++)
		if (agents.gpus[i] == agent)
			return i;
	return -1;
}

/* The driver's report of a fault comes before the runtime's, if that ever comes. */
static bool told;

static void record(uint64_t agent, uint64_t address, uint32_t reason)
{
	if (!hg_process_forked && hg_enter()) {
		struct hg_ev_call event = { .api = HG_API_gpu_memory_fault,
					    .handle = agent,
					    .ptr = address,
					    .flags = reason,
					    .device = hg_gpu_ordinal(agent),
					    .text = "" };

		hg_provider->call(&event);
		hg_leave();
	}
}

/* struct softgpu_fault */
struct driver_fault {
	uint64_t address;
	unsigned gpu;
	uint32_t reason;
};

/* The software GPU's driver knows of a fault that the runtime does not ask for (it hangs). */
static void on_driver_fault(const struct driver_fault *fault, void *data)
{
	bool numbered = !getenv("ROCR_VISIBLE_DEVICES") && fault->gpu < (unsigned)agents.count;
	int saved = errno;

	(void)data;
	__atomic_store_n(&told, true, __ATOMIC_RELEASE);
	record(numbered ? agents.gpus[fault->gpu] : 0, fault->address, fault->reason);
	errno = saved;
}

static int on_system_event(const struct system_event *from, void *data)
{
	int saved = errno;

	(void)data;
	if (from && from->type == EVENT_MEMORY_FAULT && !__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		record(from->agent.handle, from->address, from->reason);
	errno = saved;
	return HANDLER_FAILED;
}

void hg_hsa_watch_faults(bool first)
{
	static int watching;
	const char *message = getenv("HSA_ENABLE_VM_FAULT_MESSAGE");
	int (*add)(int (*)(const struct system_event *, void *), void *);
	int (*iterate)(int (*)(struct hsa_handle, void *), void *);
	void (*watch)(void (*)(const struct driver_fault *, void *), void *);

	if ((message && !strcmp(message, "0") && !first) ||
	    __atomic_exchange_n(&watching, 1, __ATOMIC_RELAXED))
		return;
	add = (int (*)(int (*)(const struct system_event *, void *), void *))hg_hsa_query(
	    "hsa_amd_register_system_event_handler");
	iterate =
	    (int (*)(int (*)(struct hsa_handle, void *), void *))hg_hsa_query("hsa_iterate_agents");
	agents.get_info =
	    (int (*)(struct hsa_handle, int, void *))hg_hsa_query("hsa_agent_get_info");
	if (!add)
		return;
	if (iterate && agents.get_info)
		iterate(note_gpu, NULL);
	add(on_system_event, NULL);
	watch = (void (*)(void (*)(const struct driver_fault *, void *), void *))hg_hsa_query(
	    "softgpu_watch_faults");
	if (watch)
		watch(on_driver_fault, NULL);
}
