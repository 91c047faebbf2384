// SPDX-License-Identifier: Apache-2.0
/*
 * Implements regions: HSA's own view of the memory that AMD's extension calls pools. As in ROCr a
 * region has its pool's handle (hsa_ext_amd.h, amd_memory_region.h), and flags and attributes have
 * the same numbers. An allocation in one is for all GPUs, because callers of these functions cannot
 * request it.
 */
#include "runtime.h"

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **pointer);
hsa_status_t hsa_memory_free(void *pointer);

struct visit {
	hsa_status_t (*callback)(hsa_region_t, void *);
	void *data;
};

static hsa_status_t visit(hsa_amd_memory_pool_t pool, void *data)
{
	const struct visit *to = data;

	return to->callback((hsa_region_t){ pool.handle }, to->data);
}

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
				       hsa_status_t (*callback)(hsa_region_t, void *), void *data)
{
	struct visit to = { callback, data };
	hsa_status_t status;

	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	status = hsa_amd_agent_iterate_memory_pools(agent, visit, &to);
	if (status || !sg_agent_get(agent)->gpu)
		return status;
	/* A GPU has the host's, too (GpuAgent::VisitRegion() [ROCR24]). */
	for (uint32_t i = 0; i < SG_MAX_GPUS && !status; i++)
		if (sg_agent_get(sg_agent_handle(&sg_cpu_agents[i])))
			status = hsa_amd_agent_iterate_memory_pools(
			    sg_agent_handle(&sg_cpu_agents[i]), visit, &to);
	return status;
}

_Static_assert((int)HSA_REGION_INFO_SEGMENT == (int)HSA_AMD_MEMORY_POOL_INFO_SEGMENT &&
		   (int)HSA_REGION_INFO_GLOBAL_FLAGS ==
		       (int)HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS &&
		   (int)HSA_REGION_INFO_SIZE == (int)HSA_AMD_MEMORY_POOL_INFO_SIZE &&
		   (int)HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED ==
		       (int)HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED &&
		   (int)HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE ==
		       (int)HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE &&
		   (int)HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT ==
		       (int)HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT,
	       "attributes of a region and of a pool");

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void *value)
{
	hsa_amd_memory_pool_t pool = { region.handle };

	if (!sg_pool_get(pool))
		return HSA_STATUS_ERROR_INVALID_REGION;
	if (attribute == HSA_REGION_INFO_ALLOC_MAX_SIZE)
		return hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, value);
	return hsa_amd_memory_pool_get_info(pool, (hsa_amd_memory_pool_info_t)attribute, value);
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **pointer)
{
	hsa_amd_memory_pool_t pool = { region.handle };
	hsa_agent_t gpus[SG_MAX_GPUS];
	uint32_t count = 0;
	hsa_status_t status;

	if (!sg_pool_get(pool))
		return HSA_STATUS_ERROR_INVALID_REGION;
	status = hsa_amd_memory_pool_allocate(pool, size, 0, pointer);
	for (; count < sg_settings.gpus; count++)
		gpus[count] = sg_agent_handle(&sg_gpu_agents[count]);
	if (!status && hsa_amd_agents_allow_access(count, gpus, NULL, *pointer) &&
	    !sg_pool_get(pool)->agent->gpu) {
		hsa_amd_memory_pool_free(*pointer);
		status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	return status;
}

hsa_status_t hsa_memory_free(void *pointer)
{
	return hsa_amd_memory_pool_free(pointer);
}

/* ROCr does nothing for any memory, either (MemoryRegion::AssignAgent() [ROCR24]). */
hsa_status_t hsa_memory_assign_agent(void *pointer, hsa_agent_t agent,
				     hsa_access_permission_t access)
{
	(void)access;
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	return pointer ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
