// SPDX-License-Identifier: Apache-2.0
/* Memory access faults, and the handlers of system events that may take them over. */
#include "runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_HANDLERS 8

static struct handler {
	hsa_amd_system_event_callback_t function;
	void *data;
} handlers[MAX_HANDLERS];
static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t function,
						   void *data)
{
	hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;

	if (!function)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&handlers_lock);
	for (unsigned i = 0; status && i < MAX_HANDLERS; i++) {
		if (handlers[i].function)
			continue;
		handlers[i].data = data;
		__atomic_store_n(&handlers[i].function, function, __ATOMIC_RELEASE);
		status = HSA_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&handlers_lock);
	return status;
}

static bool stopped[SG_MAX_GPUS];

bool sg_gpu_stopped(unsigned gpu)
{
	return __atomic_load_n(&stopped[gpu], __ATOMIC_ACQUIRE);
}

/*
 * A handler that succeeds takes the fault over: the device stays stopped, the process goes on. So
 * does libamdhip64 7.2 unless HIP_SKIP_ABORT_ON_GPU_ERROR=0; its calls return
 * hipErrorIllegalAddress from then on, and at its end it destroys the queues.
 */
static bool pass_to_handlers(unsigned gpu, uint64_t page, uint32_t reason)
{
	hsa_amd_event_t event = {
		.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
		.memory_fault = {
			.agent = sg_agent_handle(&sg_gpu_agents[gpu]),
			.virtual_address = page,
			.fault_reason_mask = reason,
		},
	};
	bool taken = false;

	for (unsigned i = 0; i < MAX_HANDLERS; i++) {
		hsa_amd_system_event_callback_t function =
		    __atomic_load_n(&handlers[i].function, __ATOMIC_ACQUIRE);
		if (function && !function(&event, handlers[i].data))
			taken = true;
	}
	return taken;
}

void sg_memory_fault(unsigned gpu, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);

	bool read_only = softgpu_page_state(gpu, address) & SOFTGPU_PAGE_READ;

	__atomic_store_n(&stopped[gpu], true, __ATOMIC_RELEASE);
	if (pass_to_handlers(gpu, page,
			     read_only ? HSA_AMD_MEMORY_FAULT_READ_ONLY
				       : HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT))
		return;
	/* ROCr's own words; the hardware reports the page, not the byte. */
	fprintf(
	    stderr,
	    "Memory access fault by GPU node-%u (Agent handle: %p) on address %p. Reason: %s.\n",
	    gpu + 1, (void *)&sg_gpu_agents[gpu], (void *)(uintptr_t)page,
	    read_only ? "Write access to a read-only page"
		      : "Page not present or supervisor privilege");
	abort();
}
