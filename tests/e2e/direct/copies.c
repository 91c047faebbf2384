/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills memory by the HSA runtime itself, in each way that it has, and prints "copied 5"
 * if each did what it should.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS 1024

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t pool;

static hsa_status_t find_pool(hsa_amd_memory_pool_t found, void *unused)
{
	uint32_t flags = 0, segment = 1;

	(void)unused;
	hsa_amd_memory_pool_get_info(found, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
	hsa_amd_memory_pool_get_info(found, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (segment == HSA_AMD_SEGMENT_GLOBAL &&
	    flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED &&
	    !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT))
		pool = found;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_agent(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;

	(void)unused;
	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	else if (!pool.handle)
		hsa_amd_agent_iterate_memory_pools(agent, find_pool, NULL);
	return HSA_STATUS_SUCCESS;
}

static uint32_t *memory(void)
{
	void *found = NULL;

	if (hsa_amd_memory_pool_allocate(pool, WORDS * 4, 0, &found) ||
	    hsa_amd_agents_allow_access(1, &gpu, NULL, found))
		return NULL;
	memset(found, 0, WORDS * 4);
	return found;
}

static int is_done(hsa_signal_t done)
{
	return !hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
					  HSA_WAIT_STATE_BLOCKED);
}

static int copies_rectangle(uint32_t *to, uint32_t *from, hsa_signal_t done)
{
	hsa_pitched_ptr_t target = { to, 64, 1024 }, source = { from, 64, 1024 };
	hsa_dim3_t start = { 0, 0, 0 }, range = { 16, 4, 2 };

	hsa_signal_store_screlease(done, 1);
	return !hsa_amd_memory_async_copy_rect(&target, &start, &source, &start, &range, gpu,
					       hsaHostToDevice, 0, NULL, done) &&
	       is_done(done);
}

int main(void)
{
	hsa_signal_t done;
	uint32_t *a, *b;
	int copied = 0;

	if (hsa_init() || hsa_iterate_agents(find_agent, NULL) || !(a = memory()) ||
	    !(b = memory()) || hsa_signal_create(1, 0, NULL, &done)) {
		puts("failed");
		return 1;
	}
	copied += !hsa_amd_memory_fill(a, 5, WORDS) && a[WORDS - 1] == 5;
	copied += !hsa_memory_copy(b, a, 64) && b[15] == 5 && !b[16];
	copied += !hsa_amd_memory_async_copy(b, gpu, a, gpu, 128, 0, NULL, done) && is_done(done) &&
		  b[31] == 5;
	a[256] = 6;
	copied += copies_rectangle(b, a, done) && b[256] == 6;
	copied += !hsa_amd_memory_fill(b, 7, 1) && b[0] == 7;
	printf("copied %d\n", copied);
	hsa_amd_memory_pool_free(a);
	hsa_amd_memory_pool_free(b);
	hsa_signal_destroy(done);
	return 0;
}
