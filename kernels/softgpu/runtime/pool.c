// SPDX-License-Identifier: Apache-2.0
/* Memory pools, allocations, locks and pointer queries. */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FINE    HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
#define COARSE  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
#define KERNARG HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT

/*
 * In the order in which ROCr publishes them (docs/hip-api.md#initialisation-requirements).
 * The fine-grained VRAM pool is there only with an XGMI hive or HSA_FORCE_FINE_GRAIN_PCIE
 * (docs/memory-model.md#hipextmallocwithflags). CPUs of APUs have the same as others [RINFO].
 */
#define CPU_POOLS(n)                                                             \
	{ &sg_cpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, FINE, 0, 0 },               \
	    { &sg_cpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, FINE | KERNARG, 0, 0 }, \
	{                                                                        \
		&sg_cpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, COARSE, 0, 0          \
	}
#define GPU_POOLS(n)                                                                  \
	{ &sg_gpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, COARSE, 0, 0 },                  \
	    { &sg_gpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, POOL_EXTENDED_SCOPE, 0, 0 }, \
	    { &sg_gpu_agents[n], HSA_AMD_SEGMENT_GLOBAL, FINE, 0, 0 },                \
	{                                                                             \
		&sg_gpu_agents[n], HSA_AMD_SEGMENT_GROUP, 0, 65536, 0                 \
	}

static struct sg_pool pools[] = {
	CPU_POOLS(0), CPU_POOLS(1), CPU_POOLS(2), CPU_POOLS(3), CPU_POOLS(4), CPU_POOLS(5),
	CPU_POOLS(6), CPU_POOLS(7), GPU_POOLS(0), GPU_POOLS(1), GPU_POOLS(2), GPU_POOLS(3),
	GPU_POOLS(4), GPU_POOLS(5), GPU_POOLS(6), GPU_POOLS(7),
};
#define POOL_COUNT (sizeof pools / sizeof *pools)

static bool exists(const struct sg_pool *pool)
{
	if (!pool->agent->gpu)
		return pool->agent->number < sg_cpus();
	/* Memory of extended scope has one of its own from ROCm 6.2 on [ROCR24]; modelled of
	 * gfx942. */
	if (pool->flags == POOL_EXTENDED_SCOPE &&
	    (!sg_settings.gfx942 || sg_settings.table < SG_TABLE_6_4))
		return false;
	return pool->agent->number < sg_settings.gpus &&
	       (sg_settings.fine_pool || pool->flags != FINE);
}

static uint64_t pool_size(const struct sg_pool *pool)
{
	if (pool->segment == HSA_AMD_SEGMENT_GROUP)
		return pool->size;
	if (pool->agent->gpu || sg_settings.apu)
		return sg_settings.vram;
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct sg_pool *sg_pool_get(hsa_amd_memory_pool_t handle)
{
	for (size_t i = 0; i < POOL_COUNT; i++)
		if (handle.handle == (uint64_t)(uintptr_t)&pools[i] && exists(&pools[i]))
			return &pools[i];
	return NULL;
}

unsigned sg_pool_number(const struct sg_pool *pool)
{
	return (unsigned)(pool - pools);
}

struct sg_pool *sg_pool_by_number(unsigned number)
{
	return number < POOL_COUNT && exists(&pools[number]) ? &pools[number] : NULL;
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t handle, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *), void *data)
{
	const struct sg_agent *agent = sg_agent_get(handle);

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	for (size_t i = 0; i < POOL_COUNT; i++) {
		hsa_amd_memory_pool_t pool = { (uint64_t)(uintptr_t)&pools[i] };
		hsa_status_t status;
		if (pools[i].agent != agent || !exists(&pools[i]))
			continue;
		status = callback(pool, data);
		if (status)
			return status;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle,
					  hsa_amd_memory_pool_info_t attribute, void *value)
{
	const struct sg_pool *pool = sg_pool_get(handle);
	bool global;

	if (!pool)
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
	switch ((int)attribute) {
	case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
		*(hsa_amd_segment_t *)value = pool->segment;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
		*(uint32_t *)value = pool->flags;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_SIZE:
	case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
		*(size_t *)value = pool_size(pool);
		break;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
		*(bool *)value = global;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
		*(size_t *)value = global ? SOFTGPU_PAGE_SIZE : 0;
		break;
	case POOL_INFO_REC_GRANULE: /* the driver's large pages */
		*(size_t *)value = !global            ? 0
				   : pool->agent->gpu ? (size_t)2 << 20
						      : SOFTGPU_PAGE_SIZE;
		break;
	case POOL_INFO_LOCATION:
		*(uint32_t *)value = pool->agent->gpu;
		break;
	case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
		*(bool *)value = !pool->agent->gpu;
		break;
	default:
		sg_warn("hsa_amd_memory_pool_get_info: unknown attribute %#x", attribute);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

/*
 * How the agent of one end reaches the memory of the other. Two GPUs without a hive have no
 * peer-to-peer path: whether it exists depends on the board, and refusing is what programs must be
 * able to handle.
 */
static const struct link {
	hsa_amd_memory_pool_access_t access;
	uint32_t hops;
	uint32_t distance;
	bool xgmi;
} no_link = { HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT, 0, 0, false },
  /* CPU to VRAM is not "never": large BAR. */
    host_link = { HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, 1, 20, false },
  host_xgmi_link = { HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, 1, 20, true },
  hive_link = { HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, 1, 15, true },
  /* Two sides of an APU, and two APUs. */
    own_link = { HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, 1, 10, true },
  apu_link = { HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, 1, 32, true },
  far_link = { HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED, 2, 40, false };

static const struct link *link_between(const struct sg_agent *a, const struct sg_agent *b)
{
	if (a == b)
		return &no_link;
	if (sg_settings.apu)
		return a->number == b->number ? &own_link : &apu_link;
	if (a->gpu && b->gpu)
		return sg_settings.hive ? &hive_link : &far_link;
	if (!a->gpu && !b->gpu)
		return &no_link;
	return sg_settings.xgmi_cpu ? &host_xgmi_link : &host_link;
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent_handle,
						hsa_amd_memory_pool_t pool_handle,
						hsa_amd_agent_memory_pool_info_t attribute,
						void *value)
{
	const struct sg_agent *agent = sg_agent_get(agent_handle);
	const struct sg_pool *pool = sg_pool_get(pool_handle);
	const struct link *link;

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!pool)
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	link = link_between(agent, pool->agent);
	switch ((int)attribute) {
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
		*(hsa_amd_memory_pool_access_t *)value =
		    link->hops && pool->segment == HSA_AMD_SEGMENT_GROUP
			? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
			: link->access;
		break;
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
		*(uint32_t *)value = link->hops;
		break;
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
		if (!link->hops)
			break;
		*(hsa_amd_memory_pool_link_info_t *)value = (hsa_amd_memory_pool_link_info_t){
			.atomic_support_32bit = link->xgmi || softgpu_config.pcie_atomics,
			.atomic_support_64bit = link->xgmi || softgpu_config.pcie_atomics,
			.coherent_support = true,
			.link_type =
			    link->xgmi ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE,
			.numa_distance = link->distance,
		};
		break;
	default:
		sg_warn("hsa_amd_agent_memory_pool_get_info: unknown attribute %#x", attribute);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

/* Of APUs: bytes of each node's memory that were given out (atomic). */
static uint64_t node_used[SG_MAX_GPUS];

static uint64_t room(uint64_t used)
{
	return used < sg_settings.vram ? sg_settings.vram - used : 0;
}

uint64_t sg_pool_room(const struct sg_agent *gpu)
{
	uint64_t used = 0;

	if (sg_settings.apu)
		return room(__atomic_load_n(&node_used[gpu->number], __ATOMIC_RELAXED));
	for (size_t i = 0; i < POOL_COUNT; i++)
		if (pools[i].agent == gpu && pools[i].segment == HSA_AMD_SEGMENT_GLOBAL)
			used += __atomic_load_n(&pools[i].used, __ATOMIC_RELAXED);
	return room(used);
}

static bool take(uint64_t *used, uint64_t size, uint64_t most)
{
	if (__atomic_add_fetch(used, size, __ATOMIC_RELAXED) <= most)
		return true;
	__atomic_sub_fetch(used, size, __ATOMIC_RELAXED);
	return false;
}

int sg_pool_node(const struct sg_pool *pool)
{
	return pool->agent->gpu || sg_settings.apu ? (int)pool->agent->number : SG_NO_NODE;
}

/*
 * The driver takes memory of APUs from the operating system, which goes on to other nodes where one
 * is full: seen on MI300A [AMDGPU186]. All of an allocation comes from one node here.
 */
bool sg_pool_take(struct sg_pool *pool, uint64_t size, int *node)
{
	unsigned own = pool->agent->number;

	*node = sg_pool_node(pool);
	if (!sg_settings.apu)
		return take(&pool->used, size, pool_size(pool));
	for (unsigned i = 0; i < sg_settings.gpus; i++) {
		unsigned n = (unsigned)((own + i) % sg_settings.gpus);

		if (!take(&node_used[n], size, sg_settings.vram))
			continue;
		if (n != own)
			sg_log("pool: node %u is full, %lu bytes come from node %u", own, size, n);
		*node = (int)n;
		return true;
	}
	return false;
}

void sg_pool_return(struct sg_pool *pool, uint64_t size, int node)
{
	__atomic_sub_fetch(sg_settings.apu ? &node_used[node] : &pool->used, size,
			   __ATOMIC_RELAXED);
}

unsigned sg_pool_state(const struct sg_pool *pool)
{
	return (pool->flags & (FINE | POOL_EXTENDED_SCOPE) ? SOFTGPU_PAGE_FINE : 0) |
	       (pool->agent->gpu ? 0 : SOFTGPU_PAGE_HOST);
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size, uint32_t flags,
					  void **pointer)
{
	struct sg_pool *pool = sg_pool_get(handle);
	struct sg_mapping *mapping;
	int node;

	if (!pool)
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!size || !pointer)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (pool->segment != HSA_AMD_SEGMENT_GLOBAL || size > pool_size(pool))
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (!sg_pool_take(pool, size, &node))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	/* Host memory is the GPUs' only after hsa_amd_agents_allow_access. */
	mapping =
	    sg_memory_allocate(SG_POOL, size, sg_pool_state(pool), sg_gpu_bit(pool->agent), pool);
	if (!mapping) {
		sg_pool_return(pool, size, node);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	/* Nobody else knows it yet. */
	mapping->node = node;
	if (flags & POOL_UNCACHED)
		mapping->coherence = SG_UNCACHED;
	*pointer = (void *)(uintptr_t)mapping->gpu;
	sg_log("pool: %zu bytes of %s %s at %p", size, pool->agent->gpu ? "VRAM" : "host memory",
	       pool->flags & FINE ? "fine" : "coarse", *pointer);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void *pointer)
{
	struct sg_mapping *mapping;

	if (!pointer)
		return HSA_STATUS_SUCCESS;
	mapping = sg_memory_find((uint64_t)(uintptr_t)pointer);
	if (!mapping || mapping->kind != SG_POOL || mapping->attached ||
	    mapping->gpu != (uint64_t)(uintptr_t)pointer)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	sg_log("pool: free %p", pointer);
	sg_pool_return(mapping->pool, mapping->request, mapping->node);
	sg_memory_free(mapping);
	return HSA_STATUS_SUCCESS;
}

bool sg_pool_reachable(uint32_t count, const hsa_agent_t *agents, const struct sg_agent *owner,
		       uint32_t *gpus)
{
	*gpus = SG_NO_GPU;
	for (uint32_t i = 0; i < count; i++) {
		const struct sg_agent *agent = sg_agent_get(agents[i]);
		if (!agent ||
		    link_between(agent, owner)->access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED)
			return false;
		*gpus |= sg_gpu_bit(agent);
	}
	return true;
}

hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents,
					 const uint32_t *flags, const void *pointer)
{
	struct sg_mapping *mapping = sg_memory_find((uint64_t)(uintptr_t)pointer);
	uint32_t gpus;

	if (flags || !count || !agents)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!mapping || mapping->kind != SG_POOL)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (!sg_pool_reachable(count, agents, mapping->pool->agent, &gpus))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	/* The list replaces the former one; the owner keeps its access. */
	sg_memory_set_access(mapping, gpus | sg_gpu_bit(mapping->pool->agent), SG_NO_GPU);
	return HSA_STATUS_SUCCESS;
}

/*
 * Make the host's pages present and writable, as pinning does: that fails for memory that is not
 * mapped or that the process itself may not write (the driver always pins for writing).
 */
static bool pin(uint64_t address, uint64_t size)
{
	static const int populate_write = 23; /* MADV_POPULATE_WRITE, Linux 5.14 */
	static char probe;
	uint64_t page = SOFTGPU_PAGE_SIZE - 1, start = address & ~page;
	uint64_t length = ((address + size + page) & ~page) - start;

	if (!madvise((void *)(uintptr_t)start, length, populate_write) || errno == EAGAIN)
		return true;
	/* An older kernel knows nothing of it, for any memory. */
	return errno == EINVAL && madvise((void *)((uintptr_t)&probe & ~(uintptr_t)page),
					  SOFTGPU_PAGE_SIZE, populate_write);
}

static hsa_status_t lock_memory(void *host, size_t size, const hsa_agent_t *agents, int count,
				struct sg_pool *pool, void **agent_pointer)
{
	uint64_t address = (uint64_t)(uintptr_t)host;
	unsigned state = SOFTGPU_PAGE_HOST | (pool ? sg_pool_state(pool) : 0);
	struct sg_mapping *mapping, known;
	uint32_t gpus;

	if (!host || !size || !agent_pointer || count < 0 || (count && !agents) ||
	    address + size < address)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*agent_pointer = NULL;
	if (pool && (pool->agent->gpu || pool->segment != HSA_AMD_SEGMENT_GLOBAL))
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!sg_pool_reachable((uint32_t)count, agents, &sg_cpu_agents[0], &gpus))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (sg_memory_describe(address, &known) && known.kind != SG_LOCK) {
		/* HSA memory is locked by nature. */
		*agent_pointer = host;
		return HSA_STATUS_SUCCESS;
	}
	if (!pin(address, size))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	mapping = sg_memory_lock(address, size, state, count ? gpus : SG_EVERY_GPU, pool);
	if (!mapping)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*agent_pointer = (void *)(uintptr_t)(mapping->gpu + mapping->lead);
	sg_log("lock: %p+%zu %s as %p", host, size, state & SOFTGPU_PAGE_FINE ? "fine" : "coarse",
	       *agent_pointer);
	return HSA_STATUS_SUCCESS;
}

/* Locks memory in the first coarse-grained pool of the host [ROCR24 hsa_ext_amd.cpp, SEENROCR]. */
hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int count,
				 void **agent_pointer)
{
	return lock_memory(host, size, agents, count, NULL, agent_pointer);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void *host, size_t size, hsa_agent_t *agents, int count,
					 hsa_amd_memory_pool_t handle, uint32_t flags,
					 void **agent_pointer)
{
	struct sg_pool *pool = sg_pool_get(handle);

	if (flags)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!pool)
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	return lock_memory(host, size, agents, count, pool, agent_pointer);
}

hsa_status_t hsa_amd_memory_unlock(void *host)
{
	struct sg_mapping *mapping = sg_memory_find_lock((uint64_t)(uintptr_t)host), known;

	if (mapping) {
		sg_log("unlock: %p", host);
		sg_memory_free(mapping);
		return HSA_STATUS_SUCCESS;
	}
	return sg_memory_describe((uint64_t)(uintptr_t)host, &known) && known.kind != SG_LOCK
		   ? HSA_STATUS_SUCCESS
		   : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* The CPU and those of `gpus` that exist; none for memory that HSA does not know. */
static hsa_status_t list_agents(hsa_amd_pointer_type_t type, uint32_t gpus,
				void *(*allocate)(size_t), uint32_t *count, hsa_agent_t **list)
{
	*count = 0;
	*list = NULL;
	if (type == HSA_EXT_POINTER_TYPE_UNKNOWN)
		return HSA_STATUS_SUCCESS;
	*list = allocate((sg_cpus() + sg_settings.gpus) * sizeof **list);
	if (!*list)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	for (unsigned i = 0; i < sg_cpus(); i++)
		(*list)[(*count)++] = sg_agent_handle(&sg_cpu_agents[i]);
	for (unsigned i = 0; i < sg_settings.gpus; i++)
		if (gpus & sg_gpu_bit(&sg_gpu_agents[i]))
			(*list)[(*count)++] = sg_agent_handle(&sg_gpu_agents[i]);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info(const void *pointer, hsa_amd_pointer_info_t *info,
				  void *(*allocate)(size_t), uint32_t *agent_count,
				  hsa_agent_t **accessible)
{
	struct sg_mapping copy, *mapping = NULL;
	hsa_amd_pointer_info_t full = { .size = sizeof full, .type = HSA_EXT_POINTER_TYPE_UNKNOWN };
	uint32_t gpus = SG_NO_GPU;
	uint64_t reserved;

	if (!pointer || !info || !info->size)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (sg_memory_describe((uint64_t)(uintptr_t)pointer, &copy))
		mapping = &copy;
	if (mapping && mapping->kind != SG_INTERNAL) {
		/* Up to 6.4.3 the header has no type for mapped ranges; HSA is assumed. */
		full.type = mapping->kind == SG_LOCK ? HSA_EXT_POINTER_TYPE_LOCKED
			    : mapping->kind == SG_VMEM && sg_settings.table == SG_TABLE_7_2
				? (hsa_amd_pointer_type_t)POINTER_TYPE_HSA_VMEM
			    : mapping->attached ? HSA_EXT_POINTER_TYPE_IPC
						: HSA_EXT_POINTER_TYPE_HSA;
		full.agentBaseAddress = (void *)(uintptr_t)(mapping->gpu + mapping->lead);
		full.hostBaseAddress = (void *)(uintptr_t)(mapping->host + mapping->lead);
		full.sizeInBytes = mapping->request;
		full.userData = mapping->user_data;
		full.agentOwner = sg_agent_handle(mapping->pool ? mapping->pool->agent
						  : mapping->kind == SG_CODE
						      ? &sg_gpu_agents[__builtin_ctz(mapping->gpus)]
						      : &sg_cpu_agents[0]);
		if (mapping->kind == SG_VMEM)
			full.hostBaseAddress = NULL;
		full.global_flags = mapping->pool                        ? mapping->pool->flags
				    : mapping->state & SOFTGPU_PAGE_FINE ? FINE
									 : COARSE;
		if (full.global_flags == COARSE && softgpu_quirk(SOFTGPU_QUIRK_POOL_REPORTED_FINE))
			full.global_flags = FINE;
		gpus = mapping->gpus;
	}
	/* ROCr 5.2 answers this for memory that it does not know [SEENROCR]. */
	if (!mapping && sg_settings.table == SG_TABLE_5_2)
		full.global_flags = FINE;
	if (!mapping && sg_vmem_find((uint64_t)(uintptr_t)pointer, &reserved, &full.sizeInBytes)) {
		full.type = (hsa_amd_pointer_type_t)POINTER_TYPE_RESERVED_ADDR;
		full.agentBaseAddress = (void *)(uintptr_t)reserved;
	}
	if (full.size > info->size)
		full.size = info->size;
	memcpy(info, &full, full.size);
	if (agent_count && accessible && allocate)
		return list_agents(full.type, gpus, allocate, agent_count, accessible);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void *pointer, void *user_data)
{
	struct sg_mapping *mapping = sg_memory_find((uint64_t)(uintptr_t)pointer);

	if (!mapping || mapping->kind == SG_INTERNAL)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	mapping->user_data = user_data;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to,
					     bool *result)
{
	if (!sg_pool_get(from) || !sg_pool_get(to))
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = false;
	return HSA_STATUS_SUCCESS;
}

/* In the base profile registering ordinary memory is a hint (hsa.h, hsa_memory_register). */
hsa_status_t hsa_memory_register(void *pointer, size_t size)
{
	return pointer || !size ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_memory_deregister(void *pointer, size_t size)
{
	(void)pointer, (void)size;
	return HSA_STATUS_SUCCESS;
}
