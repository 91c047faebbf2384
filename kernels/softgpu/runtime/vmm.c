// SPDX-License-Identifier: Apache-2.0
/*
 * Addresses and memory apart (hsa_amd_vmem_*, ROCm 6): a range is reserved, memory is created under
 * a handle, mapped into the range, and made accessible to each agent, the host too. Memory is a
 * file without name in any directory, which other processes map by its descriptor.
 *
 * Addresses of a range are translated as those of locked memory are: the GPUs reach the bytes where
 * the host may not.
 */
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A handle is the address of one. It lives until it is released and no longer mapped. */
struct memory {
	uint64_t size;
	struct sg_pool *pool;
	int type; /* hsa_amd_memory_type_t */
	int file;
	int node;         /* whose memory it is: struct sg_mapping */
	bool imported;    /* counted in the pool of the process that created it */
	unsigned handles; /* created, imported and retained */
	unsigned mapped;
	struct memory *next;
};

struct map {
	struct memory *memory;
	struct sg_mapping *mapping;
	hsa_access_permission_t host;
	struct map *next;
};

struct range {
	uint64_t start, size;
	struct range *next; /* by address */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *memories;
static struct map *maps;
static struct range *ranges, *unregistered;

static bool is_whole(uint64_t size)
{
	return size && size % SOFTGPU_PAGE_SIZE == 0;
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
}

/* ---- ranges of addresses ---- */

/* Where a range of `size` bytes fits first, from `address` on; NULL: nowhere. Lock held. */
static struct range **place(uint64_t *address, uint64_t end, uint64_t size, uint64_t alignment)
{
	struct range **link = &ranges;

	for (;; link = &(*link)->next) {
		/* A page between two ranges belongs to none. */
		uint64_t limit = *link ? (*link)->start - SOFTGPU_PAGE_SIZE : end;

		*address = (*address + alignment - 1) & ~(alignment - 1);
		if (limit > *address && limit - *address >= size)
			return link;
		if (!*link)
			return NULL;
		if ((*link)->start + (*link)->size + SOFTGPU_PAGE_SIZE > *address)
			*address = (*link)->start + (*link)->size + SOFTGPU_PAGE_SIZE;
	}
}

/*
 * Addresses of the operating system's, of which the driver is not informed: the host reads and
 * writes there, and GPUs as in other memory of its. HIP 7.2.4 takes what hipMallocManaged returns
 * from here, in sizes that are no whole pages. Memory under a handle cannot be mapped there.
 */
static hsa_status_t reserve_unregistered(void **result, size_t size, void *wanted, size_t alignment)
{
	struct range *range = malloc(sizeof *range);
	uint64_t pages_size = whole_pages(size), whole = pages_size + alignment - SOFTGPU_PAGE_SIZE;
	uint64_t start, at;
	void *pages = range ? mmap(wanted, whole, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			    : MAP_FAILED;

	if (pages == MAP_FAILED) {
		free(range);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	start = (uint64_t)(uintptr_t)pages;
	at = (start + alignment - 1) & ~(uint64_t)(alignment - 1);
	if (at != start)
		munmap(pages, at - start);
	if (at + pages_size != start + whole)
		munmap((void *)(uintptr_t)(at + pages_size), start + whole - at - pages_size);
	pthread_mutex_lock(&lock);
	*range = (struct range){ .start = at, .size = size, .next = unregistered };
	unregistered = range;
	pthread_mutex_unlock(&lock);
	*result = (void *)(uintptr_t)at;
	sg_log("vmem: %p+%zu reserved, unregistered", *result, size);
	return HSA_STATUS_SUCCESS;
}

/* False: there is none of that address and size. */
static bool free_unregistered(uint64_t address, size_t size)
{
	struct range **link = &unregistered, *range;
	bool found;

	pthread_mutex_lock(&lock);
	while (*link && ((*link)->start != address || (*link)->size != size))
		link = &(*link)->next;
	range = *link;
	if (range)
		*link = range->next;
	pthread_mutex_unlock(&lock);
	if (range)
		munmap((void *)(uintptr_t)address, whole_pages(size));
	found = range;
	free(range);
	return found;
}

hsa_status_t sg_hsa_amd_vmem_address_reserve_align(void **result, size_t size, uint64_t address,
						   uint64_t alignment, uint64_t flags)
{
	struct range *range, **link = NULL;
	uint64_t start, end, at;
	bool unregistered_range = flags & VMEM_ADDRESS_NO_REGISTER;

	if (!alignment)
		alignment = SOFTGPU_PAGE_SIZE;
	if (!result || !size || (!unregistered_range && !is_whole(size)) ||
	    flags & ~(uint64_t)VMEM_ADDRESS_NO_REGISTER || alignment < SOFTGPU_PAGE_SIZE ||
	    alignment & (alignment - 1))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (unregistered_range)
		return reserve_unregistered(result, size, (void *)(uintptr_t)address, alignment);
	if (!sg_memory_window(&start, &end))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	range = malloc(sizeof *range);
	if (!range)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	pthread_mutex_lock(&lock);
	/* The requested address if it is free, else another. */
	at = address;
	if (address >= start && address < end)
		link = place(&at, end, size, alignment);
	if (!link || at != address) {
		at = start;
		link = place(&at, end, size, alignment);
	}
	if (link) {
		*range = (struct range){ .start = at, .size = size, .next = *link };
		*link = range;
		*result = (void *)(uintptr_t)at;
	}
	pthread_mutex_unlock(&lock);
	if (!link) {
		free(range);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	sg_log("vmem: %p+%zu reserved", *result, size);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t sg_hsa_amd_vmem_address_reserve(void **result, size_t size, uint64_t address,
					     uint64_t flags)
{
	return sg_hsa_amd_vmem_address_reserve_align(result, size, address, 0, flags);
}

/* The range that holds [address, address + size), or NULL. Lock held. */
static struct range **find_range(uint64_t address, uint64_t size)
{
	for (struct range **link = &ranges; *link; link = &(*link)->next) {
		uint64_t offset = address - (*link)->start;

		if (offset < (*link)->size)
			return size <= (*link)->size - offset ? link : NULL;
	}
	return NULL;
}

/* Whether anything is mapped within [start, start + size). Lock held. */
static bool is_mapped(uint64_t start, uint64_t size)
{
	for (const struct map *map = maps; map; map = map->next)
		if (map->mapping->gpu < start + size &&
		    start < map->mapping->gpu + map->mapping->size)
			return true;
	return false;
}

hsa_status_t sg_hsa_amd_vmem_address_free(void *pointer, size_t size)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct range **link, *range;

	if (free_unregistered(address, size))
		return HSA_STATUS_SUCCESS;
	pthread_mutex_lock(&lock);
	link = find_range(address, 1);
	if (!link || (*link)->start != address) {
		status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
	} else if ((*link)->size != size) {
		status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	} else if (is_mapped(address, size)) {
		status = (hsa_status_t)HSA_STATUS_ERROR_RESOURCE_FREE;
	} else {
		range = *link;
		*link = range->next;
		free(range);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

bool sg_vmem_find(uint64_t address, uint64_t *start, size_t *size)
{
	struct range **link;

	pthread_mutex_lock(&lock);
	link = find_range(address, 1);
	if (link) {
		*start = (*link)->start;
		*size = (*link)->size;
	}
	pthread_mutex_unlock(&lock);
	return link;
}

/* ---- memory ---- */

/* NULL if `handle` is none. Lock held. */
static struct memory *find_memory(uint64_t handle)
{
	struct memory *memory = memories;

	while (memory && (uint64_t)(uintptr_t)memory != handle)
		memory = memory->next;
	return memory && memory->handles ? memory : NULL;
}

/* A new handle for `file`, which then belongs to it. 0: out of memory. */
static uint64_t add_memory(int file, uint64_t size, struct sg_pool *pool, int node, int type,
			   bool imported)
{
	struct memory *memory = malloc(sizeof *memory);

	if (!memory)
		return 0;
	*memory = (struct memory){ .size = size,
				   .pool = pool,
				   .node = node,
				   .type = type,
				   .file = file,
				   .imported = imported,
				   .handles = 1 };
	pthread_mutex_lock(&lock);
	memory->next = memories;
	memories = memory;
	pthread_mutex_unlock(&lock);
	return (uint64_t)(uintptr_t)memory;
}

/* Free it if nobody has it any more. Lock held. */
static void drop_memory(struct memory *memory)
{
	struct memory **link = &memories;

	if (memory->handles || memory->mapped)
		return;
	while (*link != memory)
		link = &(*link)->next;
	*link = memory->next;
	if (!memory->imported)
		sg_pool_return(memory->pool, memory->size, memory->node);
	close(memory->file);
	free(memory);
}

hsa_status_t sg_hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool_handle, size_t size, int type,
					   uint64_t flags, uint64_t *handle)
{
	struct sg_pool *pool = sg_pool_get(pool_handle);
	char name[32];
	int file, node;

	if (!pool || !handle || !is_whole(size) || flags)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (pool->segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (!sg_pool_take(pool, size, &node))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	/* By its name another process knows the pool. */
	snprintf(name, sizeof name, "softgpu-vmem-%u-%d", sg_pool_number(pool), type);
	file = memfd_create(name, MFD_CLOEXEC);
	*handle = 0;
	if (file >= 0 && !ftruncate(file, (off_t)size))
		*handle = add_memory(file, size, pool, node, type, false);
	if (*handle) {
		sg_log("vmem: memory %#lx of %zu bytes, pool %u", *handle, size,
		       sg_pool_number(pool));
		return HSA_STATUS_SUCCESS;
	}
	if (file >= 0)
		close(file);
	sg_pool_return(pool, size, node);
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t sg_hsa_amd_vmem_handle_release(uint64_t handle)
{
	struct memory *memory;

	pthread_mutex_lock(&lock);
	memory = find_memory(handle);
	if (memory) {
		memory->handles--;
		drop_memory(memory);
	}
	pthread_mutex_unlock(&lock);
	return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t sg_hsa_amd_vmem_export_shareable_handle(int *descriptor, uint64_t handle,
						     uint64_t flags)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct memory *memory;

	if (!descriptor || flags)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	memory = find_memory(handle);
	if (!memory)
		status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
	else if ((*descriptor = fcntl(memory->file, F_DUPFD_CLOEXEC, 0)) < 0)
		status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	pthread_mutex_unlock(&lock);
	return status;
}

hsa_status_t sg_hsa_amd_vmem_import_shareable_handle(int descriptor, uint64_t *handle)
{
	char path[64], link[128];
	struct sg_pool *pool;
	unsigned number;
	struct stat facts;
	ssize_t length;
	int type, file;

	if (!handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
	length = readlink(path, link, sizeof link - 1);
	link[length > 0 ? length : 0] = 0;
	if (sscanf(link, "/memfd:softgpu-vmem-%u-%d ", &number, &type) != 2 ||
	    fstat(descriptor, &facts) || !is_whole((uint64_t)facts.st_size))
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	pool = sg_pool_by_number(number);
	if (!pool)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	if (file < 0)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*handle = add_memory(file, (uint64_t)facts.st_size, pool, sg_pool_node(pool), type, true);
	if (!*handle) {
		close(file);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t sg_hsa_amd_vmem_get_alloc_properties_from_handle(uint64_t handle,
							      hsa_amd_memory_pool_t *pool,
							      int *type)
{
	struct memory *memory;

	if (!pool || !type)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	memory = find_memory(handle);
	if (memory) {
		pool->handle = (uint64_t)(uintptr_t)memory->pool;
		*type = memory->type;
	}
	pthread_mutex_unlock(&lock);
	return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- memory at addresses ---- */

/* The link to the map that holds `address`, or NULL. Lock held. */
static struct map **find_map(uint64_t address)
{
	for (struct map **link = &maps; *link; link = &(*link)->next)
		if (address - (*link)->mapping->gpu < (*link)->mapping->size)
			return link;
	return NULL;
}

/* What the host may do at the map's own addresses; 0 or -errno. */
static int set_host_access(struct map *map, hsa_access_permission_t permission)
{
	void *place = (void *)(uintptr_t)map->mapping->gpu;
	int protection = (permission & HSA_ACCESS_PERMISSION_RO ? PROT_READ : 0) |
			 (permission & HSA_ACCESS_PERMISSION_WO ? PROT_WRITE : 0);
	void *result = protection
			   ? mmap(place, map->mapping->size, protection, MAP_SHARED | MAP_FIXED,
				  map->memory->file, 0)
			   : mmap(place, map->mapping->size, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	if (result == MAP_FAILED)
		return -errno;
	map->host = permission;
	return 0;
}

hsa_status_t sg_hsa_amd_vmem_map(void *pointer, size_t size, size_t offset, uint64_t handle,
				 uint64_t flags)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	struct map *map = malloc(sizeof *map);
	struct memory *memory;

	if (!map)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	pthread_mutex_lock(&lock);
	memory = find_memory(handle);
	if (memory && !flags && !offset && size == memory->size &&
	    address % SOFTGPU_PAGE_SIZE == 0 && find_range(address, size) &&
	    !is_mapped(address, size)) {
		*map = (struct map){ .memory = memory, .next = maps };
		map->mapping = sg_memory_map(address, memory->file, size,
					     sg_pool_state(memory->pool), memory->pool);
		if (map->mapping)
			map->mapping->node = memory->node;
		status = map->mapping ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	if (!status) {
		memory->mapped++;
		maps = map;
		sg_log("vmem: memory %#lx at %p", handle, pointer);
	}
	pthread_mutex_unlock(&lock);
	if (status)
		free(map);
	return status;
}

hsa_status_t sg_hsa_amd_vmem_unmap(void *pointer, size_t size)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct map **link, *map;

	pthread_mutex_lock(&lock);
	link = find_map(address);
	if (!link || (*link)->mapping->gpu != address) {
		status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
	} else if ((*link)->mapping->size != size) {
		status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	} else if (set_host_access(*link, (hsa_access_permission_t)0)) {
		status = HSA_STATUS_ERROR;
	} else {
		map = *link;
		*link = map->next;
		sg_log("vmem: unmap %p", pointer);
		sg_memory_free(map->mapping);
		map->memory->mapped--;
		drop_memory(map->memory);
		free(map);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

/* What `accesses` change of one map, all of it or nothing. Lock held. */
static hsa_status_t set_access(struct map *map, const struct sg_access *accesses, size_t count)
{
	uint32_t gpus = map->mapping->gpus, readers = map->mapping->readers;
	hsa_access_permission_t host = map->host;

	for (size_t i = 0; i < count; i++) {
		hsa_access_permission_t permission = accesses[i].permission;
		const struct sg_agent *agent = sg_agent_get(accesses[i].agent);
		uint32_t reachable;

		if (!agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		/* None, to read, to write or both; without reading GPUs have no mapping. */
		if ((unsigned)permission > HSA_ACCESS_PERMISSION_RW)
			return HSA_STATUS_ERROR_INVALID_ARGUMENT;
		if (!agent->gpu) {
			host = permission;
			continue;
		}
		if (permission && !sg_pool_reachable(1, &accesses[i].agent,
						     map->mapping->pool->agent, &reachable))
			return HSA_STATUS_ERROR_INVALID_AGENT;
		gpus &= ~sg_gpu_bit(agent);
		readers &= ~sg_gpu_bit(agent);
		if (permission)
			gpus |= sg_gpu_bit(agent);
		if (permission == HSA_ACCESS_PERMISSION_RO)
			readers |= sg_gpu_bit(agent);
	}
	if (host != map->host && set_host_access(map, host))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	sg_memory_set_access(map->mapping, gpus, readers);
	return HSA_STATUS_SUCCESS;
}

/* Of one map, or of several that are without gap within [pointer, pointer + size). */
hsa_status_t sg_hsa_amd_vmem_set_access(void *pointer, size_t size,
					const struct sg_access *accesses, size_t count)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer, end = address + size;
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct map **link;

	if (!size || !accesses || !count)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	for (uint64_t at = address; !status && at < end; at += (*link)->mapping->size) {
		link = find_map(at);
		if (!link || (*link)->mapping->gpu != at) {
			status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
			break;
		}
		if ((*link)->mapping->size > end - at)
			status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	for (uint64_t at = address; !status && at < end;) {
		struct map *map = *find_map(at);

		status = set_access(map, accesses, count);
		at += map->mapping->size;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

hsa_status_t sg_hsa_amd_vmem_get_access(void *pointer, hsa_access_permission_t *permission,
					hsa_agent_t handle)
{
	const struct sg_agent *agent = sg_agent_get(handle);
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct map **link;

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!permission)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	link = find_map((uint64_t)(uintptr_t)pointer);
	if (!link) {
		status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
	} else if (!agent->gpu) {
		*permission = (*link)->host;
	} else if ((*link)->mapping->readers & sg_gpu_bit(agent)) {
		*permission = HSA_ACCESS_PERMISSION_RO;
	} else {
		*permission = (*link)->mapping->gpus & sg_gpu_bit(agent)
				  ? HSA_ACCESS_PERMISSION_RW
				  : (hsa_access_permission_t)0;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

hsa_status_t sg_hsa_amd_vmem_retain_alloc_handle(uint64_t *handle, void *pointer)
{
	struct map **link;

	if (!handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	link = find_map((uint64_t)(uintptr_t)pointer);
	if (link) {
		(*link)->memory->handles++;
		*handle = (uint64_t)(uintptr_t)(*link)->memory;
	}
	pthread_mutex_unlock(&lock);
	return link ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}
