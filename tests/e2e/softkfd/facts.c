// SPDX-License-Identifier: Apache-2.0
/*
 * What AMD's HSA runtime answers, release by release: the rows of docs/runtimes.md that a call
 * shows, and that other parts rely on. The driver has SVM and one GPU. TAP on stdout.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../softgpu/shut_down.h"
#include "../softgpu/tap.h"
#include "kernels/softgpu/softgpu.h"

extern unsigned softgpu_page_state_now(uint64_t address) __attribute__((weak));

/* The minor version of AMD's extension tells the releases apart. */
#ifdef HSA_AMD_INTERFACE_VERSION_MINOR
#define INTERFACE HSA_AMD_INTERFACE_VERSION_MINOR
#else
#define INTERFACE 0
#endif
#define ROCR_61  (INTERFACE >= 4)
#define ROCR_64  (INTERFACE >= 7)
#define ROCR_72  (INTERFACE >= 15)

#define PAGE     4096
#define POOLS    8

#define FINE     HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
#define COARSE   HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
#define KERNARG  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
#define EXTENDED 8u

static hsa_agent_t gpu, cpu;

struct pools {
	unsigned count;
	hsa_amd_memory_pool_t pool[POOLS];
	uint32_t flags[POOLS]; /* 0: not a global one */
};

static hsa_status_t find_agent(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type))
		return HSA_STATUS_SUCCESS;
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	else if (type == HSA_DEVICE_TYPE_CPU)
		cpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct pools *pools = data;
	hsa_amd_segment_t segment;

	if (pools->count == POOLS)
		return HSA_STATUS_ERROR;
	pools->pool[pools->count] = pool;
	pools->flags[pools->count] = 0;
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
	if (segment == HSA_AMD_SEGMENT_GLOBAL)
		hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
					     &pools->flags[pools->count]);
	pools->count++;
	return HSA_STATUS_SUCCESS;
}

static struct pools pools_of(hsa_agent_t agent)
{
	struct pools pools = { .count = 0 };

	hsa_amd_agent_iterate_memory_pools(agent, add_pool, &pools);
	return pools;
}

static void expect_pools(const char *name, const struct pools *pools, const uint32_t *flags,
			 unsigned count)
{
	bool same = pools->count == count;

	for (unsigned i = 0; same && i < count; i++)
		same = pools->flags[i] == flags[i];
	check(same, "the pools of a %s: %u, flags %#x %#x %#x %#x", name, pools->count,
	      pools->flags[0], pools->flags[1], pools->flags[2], pools->flags[3]);
}

static void test_pools(const struct pools *cpus, const struct pools *gpus)
{
	static const uint32_t cpu_old[] = { FINE, FINE | KERNARG, COARSE },
			      cpu_new[] = { FINE, EXTENDED, FINE | KERNARG, COARSE },
			      gpu_old[] = { COARSE, FINE, 0 },
			      gpu_new[] = { COARSE, EXTENDED, FINE, 0 };
	size_t most = 1;
	uint64_t size = 0;

	if (ROCR_64)
		expect_pools("CPU", cpus, cpu_new, 4);
	else
		expect_pools("CPU", cpus, cpu_old, 3);
	if (ROCR_61)
		expect_pools("GPU", gpus, gpu_new, 4);
	else
		expect_pools("GPU", gpus, gpu_old, 3);
	hsa_amd_memory_pool_get_info(
	    gpus->pool[gpus->count - 1],
	    (hsa_amd_memory_pool_info_t)HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, &most);
	check(!most, "nothing can be allocated in the GPU's group pool: %zu", most);
	hsa_amd_memory_pool_get_info(cpus->pool[0], HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
	hsa_amd_memory_pool_get_info(
	    cpus->pool[0], (hsa_amd_memory_pool_info_t)HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE,
	    &most);
	check(most == 2 * size, "a CPU's pool has %lu bytes, and allocates %zu", size, most);
}

static hsa_amd_pointer_info_t info_of(const void *pointer)
{
	hsa_amd_pointer_info_t info = { .size = sizeof info };

	hsa_amd_pointer_info(pointer, &info, NULL, NULL, NULL);
	return info;
}

static void test_pointers(const struct pools *gpus)
{
	hsa_amd_pointer_info_t info;
	hsa_agent_t *agents = NULL;
	hsa_queue_t *queue = NULL;
	uint32_t count = 0;
	void *memory = NULL;
	bool on_cpu = false;
	int own = 0;

	info = info_of(&own);
	check(info.type == HSA_EXT_POINTER_TYPE_UNKNOWN &&
		  info.global_flags == (ROCR_61 ? 0 : FINE),
	      "unknown memory has flags %#x", info.global_flags);
	hsa_amd_memory_pool_allocate(gpus->pool[0], 5000, 0, &memory);
	info.size = sizeof info;
	hsa_amd_pointer_info(memory, &info, malloc, &count, &agents);
	check(info.sizeInBytes == (ROCR_61 ? 5000 : 2 * PAGE), "5000 bytes are %zu",
	      info.sizeInBytes);
	for (uint32_t i = 0; i < count; i++)
		on_cpu |= agents[i].handle == cpu.handle;
	check(count && !on_cpu, "%u agents, no CPU, can access it", count);
	free(agents);
	hsa_amd_memory_pool_free(memory);
	hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue);
	info = info_of(queue->base_address);
	check(info.type == HSA_EXT_POINTER_TYPE_HSA, "a queue's ring is known");
	hsa_queue_destroy(queue);
}

static void test_locks(const struct pools *cpus)
{
	char *own =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *seen = NULL, *again = NULL, *memory = NULL;
	hsa_status_t status;
	unsigned state;

	memset(own, 1, 4 * PAGE);
	status = hsa_amd_memory_lock(own, 4 * PAGE, &gpu, 1, &seen);
	check(!status && (seen == own) == ROCR_61, "locked memory is at %s address",
	      seen == own ? "its own" : "another");
	state = softgpu_page_state_now((uint64_t)(uintptr_t)seen);
	check(state & SOFTGPU_PAGE_MAPPED && !(state & SOFTGPU_PAGE_FINE) == !ROCR_64,
	      "it is %s-grained", state & SOFTGPU_PAGE_FINE ? "fine" : "coarse");
	check(info_of(own).type ==
		  (ROCR_61 ? HSA_EXT_POINTER_TYPE_UNKNOWN : HSA_EXT_POINTER_TYPE_LOCKED),
	      "the runtime calls it type %d", info_of(own).type);
	if (!ROCR_61) {
		status = hsa_amd_memory_lock(own + PAGE, PAGE, &gpu, 1, &again);
		check(!status && again != (char *)seen + PAGE,
		      "a lock in a lock is another mapping");
		hsa_amd_memory_unlock(own + PAGE);
	}
	hsa_amd_memory_unlock(own);
	state = softgpu_page_state_now((uint64_t)(uintptr_t)seen);
	check(!(state & SOFTGPU_PAGE_MAPPED) == !ROCR_61, "unlocking %s the GPU's access",
	      state & SOFTGPU_PAGE_MAPPED ? "leaves" : "ends");
	check(!hsa_amd_memory_unlock(own), "what is not locked can be unlocked");
	hsa_amd_memory_pool_allocate(cpus->pool[0], PAGE, 0, &memory);
	hsa_amd_agents_allow_access(1, &gpu, NULL, memory);
	if (!hsa_amd_memory_lock(memory, PAGE, &gpu, 1, &seen))
		hsa_amd_memory_unlock(memory);
	state = softgpu_page_state_now((uint64_t)(uintptr_t)memory);
	check(!(state & SOFTGPU_PAGE_MAPPED) == !ROCR_61,
	      "a lock of a pool's memory that ended %s the GPU's access",
	      state & SOFTGPU_PAGE_MAPPED ? "leaves" : "ends");
	munmap(own, 4 * PAGE);
}

static uint64_t get(void *memory, uint64_t attribute, hsa_status_t *status)
{
	hsa_amd_svm_attribute_pair_t pair = { attribute, 0 };

	*status = hsa_amd_svm_attributes_get(memory, PAGE, &pair, 1);
	return pair.value;
}

static void test_attributes(void)
{
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hsa_amd_svm_attribute_pair_t pair = { HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1 };
	hsa_status_t status;
	uint64_t value;

	memset(own, 1, PAGE);
	hsa_amd_svm_attributes_set(own, PAGE, &pair, 1);
	value = get(own, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, &status);
	check(!status && value == 0x20, "READ_MOSTLY is %#lx", value);
	pair.attribute = HSA_AMD_SVM_ATTRIB_READ_ONLY;
	hsa_amd_svm_attributes_set(own, PAGE, &pair, 1);
	value = get(own, HSA_AMD_SVM_ATTRIB_READ_ONLY, &status);
	check(!status && value == 8, "READ_ONLY is %#lx", value);
	value = get(own, 7, &status);
	check(status == 0x1001, "a query of GPU_EXEC: %#x, %#lx", status, value);
	pair.attribute = 7;
	status = hsa_amd_svm_attributes_set(own, PAGE, &pair, 1);
	check(status == (ROCR_61 ? 0 : 0x1001), "GPU_EXEC is set: %#x", status);
	pair.attribute = HSA_AMD_SVM_ATTRIB_READ_MOSTLY;
	check(hsa_amd_svm_attributes_set(own, 0, &pair, 1) == 0x1000 &&
		  hsa_amd_svm_attributes_set(NULL, PAGE, &pair, 1) == 0x1000,
	      "no bytes, or a null pointer, are invalid");
	munmap(own, PAGE);
}

static hsa_status_t count_region(hsa_region_t region, void *count)
{
	(void)region;
	++*(unsigned *)count;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t count_cache(hsa_cache_t cache, void *count)
{
	(void)cache;
	++*(unsigned *)count;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t keep_isa(hsa_isa_t isa, void *first)
{
	*(hsa_isa_t *)first = isa;
	return HSA_STATUS_INFO_BREAK;
}

static void test_queues(void)
{
	static const uint32_t sizes[] = { 32, 64, 131072, 262144 };
	static const hsa_status_t answers[] = { 0x1001, 0, 0, 0x1008 };
	hsa_signal_t signal;

	for (unsigned i = 0; i < 4; i++) {
		hsa_queue_t *queue = NULL;
		hsa_status_t status =
		    hsa_queue_create(gpu, sizes[i], HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue);

		check(status == answers[i], "a queue of %u packets: %#x", sizes[i], status);
		if (queue)
			hsa_queue_destroy(queue);
	}
	for (unsigned attributes = 2; attributes < 4; attributes++)
		check(!hsa_amd_signal_create(0, 0, NULL, attributes, &signal) &&
			  !hsa_signal_destroy(signal),
		      "a signal with attributes %u", attributes);
}

static void test_agents(void)
{
	static const unsigned isa_infos[] = { 2, 3, 4, 5, 6, 7, 8, 9, 0xe, 0x10, 0x11 };
	static const unsigned cpu_infos[] = { 0x9,    0xa,    0xb,    0xf,    0x17,  0x18,
					      0xa005, 0xa00a, 0xa00b, 0xa00c, 0xa00d };
	unsigned regions = 0, caches = 0, failed = 0;
	hsa_amd_hdp_flush_t flush = { NULL, NULL };
	hsa_isa_t isa = { 0 };
	uint64_t room[64];
	hsa_dim3_t grid = { 0, 0, 0 };

	hsa_agent_iterate_regions(gpu, count_region, &regions);
	hsa_agent_iterate_caches(gpu, count_cache, &caches);
	check(regions && caches, "a GPU has %u regions and %u caches", regions, caches);
	hsa_agent_iterate_isas(gpu, keep_isa, &isa);
	for (unsigned i = 0; i < sizeof isa_infos / sizeof *isa_infos; i++)
		failed += !!hsa_isa_get_info_alt(isa, (hsa_isa_info_t)isa_infos[i], room);
	check(!failed, "queries of its code are answered, but %u", failed);
	failed = 0;
	for (unsigned i = 0; i < sizeof cpu_infos / sizeof *cpu_infos; i++)
		failed += !!hsa_agent_get_info(cpu, (hsa_agent_info_t)cpu_infos[i], room);
	check(!failed, "queries of a CPU are answered, but %u", failed);
	hsa_agent_get_info(gpu, HSA_AGENT_INFO_GRID_MAX_DIM, &grid);
	check(ROCR_72 ? grid.x == INT32_MAX && grid.y == UINT16_MAX && grid.z == UINT16_MAX
		      : grid.x == UINT32_MAX && grid.y == UINT32_MAX && grid.z == UINT32_MAX,
	      "the largest grid is %u x %u x %u", grid.x, grid.y, grid.z);
	hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_HDP_FLUSH, &flush);
	check(flush.HDP_MEM_FLUSH_CNTL && flush.HDP_REG_FLUSH_CNTL, "HDP is flushed by addresses");
	/* HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY */
	failed = hsa_agent_get_info(gpu, (hsa_agent_info_t)0xa016, room);
	check(ROCR_61 ? !failed && *room == 100000000 : failed == 0x1001,
	      "the frequency of timestamps: status %#x, %lu", failed, failed ? 0 : *room);
}

int main(void)
{
	struct pools cpus, gpus;

	alarm(60);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (hsa_init() || hsa_iterate_agents(find_agent, NULL) || !gpu.handle || !cpu.handle ||
	    !softgpu_page_state_now) {
		puts("Bail out! no GPU");
		return 2;
	}
	printf("# AMD's extension 1.%d\n", INTERFACE);
	cpus = pools_of(cpu);
	gpus = pools_of(gpu);
	test_pools(&cpus, &gpus);
	test_pointers(&gpus);
	test_locks(&cpus);
	test_attributes();
	test_queues();
	test_agents();
	check(!shut_down(), "end");
	return tap_end();
}
