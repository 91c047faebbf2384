// SPDX-License-Identifier: Apache-2.0
/*
 * The GPU's address space. HSA memory has the same address on both sides, except locked host
 * memory: libamdhip64 (hipHostUnregister) requires an agent address that differs from the host's,
 * so locks live in an address window of their own and are translated on each access.
 */
#include "runtime.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIAS_BASE UINT64_C(0x600000000000)
#define ALIAS_SIZE (UINT64_C(1) << 40)

volatile uint64_t softgpu_memory_generation;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct sg_mapping **mappings; /* sorted by GPU address */
static size_t count, capacity;
static uint64_t alias_next, alias_end;

static uint64_t round_up(uint64_t size)
{
	return (size + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
}

void sg_memory_changed(void)
{
	__atomic_add_fetch(&softgpu_memory_generation, 1, __ATOMIC_SEQ_CST);
}

/* Index of the first mapping that starts above `address`. */
static size_t upper_bound(uint64_t address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (mappings[middle]->gpu <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct sg_mapping *find_locked(uint64_t address)
{
	size_t index = upper_bound(address);
	struct sg_mapping *mapping;

	if (!index)
		return NULL;
	mapping = mappings[index - 1];
	return address - mapping->gpu < mapping->size ? mapping : NULL;
}

static int insert(struct sg_mapping *mapping)
{
	size_t index;

	if (count == capacity) {
		size_t larger = capacity ? capacity * 2 : 64;
		struct sg_mapping **moved = realloc(mappings, larger * sizeof *moved);
		if (!moved)
			return -1;
		mappings = moved;
		capacity = larger;
	}
	index = upper_bound(mapping->gpu);
	memmove(&mappings[index + 1], &mappings[index], (count - index) * sizeof *mappings);
	mappings[index] = mapping;
	count++;
	sg_memory_changed();
	return 0;
}

struct sg_mapping *sg_memory_allocate(enum sg_kind kind, uint64_t size, unsigned state,
				      bool gpu_access, struct sg_pool *pool)
{
	struct sg_mapping *mapping = calloc(1, sizeof *mapping);
	void *memory;
	int error;

	if (!mapping)
		return NULL;
	if (!size || size > UINT64_MAX - SOFTGPU_PAGE_SIZE)
		goto fail;
	/* VRAM is modelled larger than the host may have: commit on touch. */
	memory = mmap(NULL, round_up(size), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		goto fail;
	*mapping = (struct sg_mapping){
		.gpu = (uint64_t)(uintptr_t)memory,
		.host = (uint64_t)(uintptr_t)memory,
		.size = round_up(size),
		.request = size,
		.kind = kind,
		.state = state | SOFTGPU_PAGE_MAPPED,
		.gpu_access = gpu_access,
		.pool = pool,
		.references = 1,
	};
	pthread_rwlock_wrlock(&lock);
	error = insert(mapping);
	pthread_rwlock_unlock(&lock);
	if (error) {
		munmap(memory, round_up(size));
		goto fail;
	}
	return mapping;
fail:
	free(mapping);
	return NULL;
}

/* First fit above the last lock, so that a stale alias address is not soon valid again. */
static uint64_t alias_reserve(uint64_t size)
{
	if (!alias_next) {
		/* Keep the host's own mappings out of the window. */
		void *window =
		    mmap((void *)ALIAS_BASE, ALIAS_SIZE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (window == MAP_FAILED)
			window = mmap(NULL, ALIAS_SIZE, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (window == MAP_FAILED)
			return 0;
		alias_next = (uint64_t)(uintptr_t)window;
		alias_end = alias_next + ALIAS_SIZE;
	}
	for (int pass = 0; pass < 2; pass++) {
		while (alias_end - alias_next >= size) {
			uint64_t start = alias_next;
			size_t index = upper_bound(start + size - 1);
			struct sg_mapping *below = index ? mappings[index - 1] : NULL;
			if (!below || below->gpu + below->size <= start) {
				alias_next = start + size;
				return start;
			}
			alias_next = below->gpu + below->size;
		}
		alias_next = alias_end - ALIAS_SIZE;
	}
	return 0;
}

struct sg_mapping *sg_memory_lock(uint64_t host, uint64_t size, unsigned state,
				  struct sg_pool *pool)
{
	uint64_t lead = host % SOFTGPU_PAGE_SIZE;
	struct sg_mapping *mapping = NULL;
	uint64_t alias;

	pthread_rwlock_wrlock(&lock);
	for (size_t i = 0; i < count; i++) {
		struct sg_mapping *known = mappings[i];
		if (known->kind == SG_LOCK && known->host + known->lead == host &&
		    known->request == size && known->pool == pool) {
			known->references++;
			pthread_rwlock_unlock(&lock);
			return known;
		}
	}
	mapping = calloc(1, sizeof *mapping);
	/* One page of distance, so that an overrun faults as on the device. */
	alias = mapping ? alias_reserve(round_up(lead + size) + SOFTGPU_PAGE_SIZE) : 0;
	if (alias) {
		*mapping = (struct sg_mapping){
			.gpu = alias,
			.host = host - lead,
			.size = round_up(lead + size),
			.request = size,
			.lead = lead,
			.kind = SG_LOCK,
			.state = state | SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_ALIAS,
			.gpu_access = true,
			.pool = pool,
			.references = 1,
		};
	}
	if (!alias || insert(mapping)) {
		free(mapping);
		mapping = NULL;
	}
	pthread_rwlock_unlock(&lock);
	return mapping;
}

void sg_memory_free(struct sg_mapping *mapping)
{
	size_t index;

	pthread_rwlock_wrlock(&lock);
	if (--mapping->references) {
		pthread_rwlock_unlock(&lock);
		return;
	}
	index = upper_bound(mapping->gpu) - 1;
	memmove(&mappings[index], &mappings[index + 1], (count - index - 1) * sizeof *mappings);
	count--;
	sg_memory_changed();
	pthread_rwlock_unlock(&lock);
	if (mapping->kind != SG_LOCK)
		munmap((void *)(uintptr_t)mapping->host, mapping->size);
	free(mapping);
}

struct sg_mapping *sg_memory_find(uint64_t address)
{
	struct sg_mapping *mapping;

	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	for (size_t i = 0; !mapping && i < count; i++) {
		struct sg_mapping *known = mappings[i];
		if (known->kind == SG_LOCK &&
		    address - (known->host + known->lead) < known->request)
			mapping = known;
	}
	pthread_rwlock_unlock(&lock);
	return mapping;
}

struct sg_mapping *sg_memory_find_lock(uint64_t host)
{
	struct sg_mapping *mapping = NULL;

	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; !mapping && i < count; i++)
		if (mappings[i]->kind == SG_LOCK && mappings[i]->host + mappings[i]->lead == host)
			mapping = mappings[i];
	pthread_rwlock_unlock(&lock);
	return mapping;
}

void sg_memory_set_access(struct sg_mapping *mapping, bool gpu_access)
{
	pthread_rwlock_wrlock(&lock);
	mapping->gpu_access = gpu_access;
	sg_memory_changed();
	pthread_rwlock_unlock(&lock);
}

unsigned softgpu_page_state(uint64_t address)
{
	struct sg_mapping *mapping;
	unsigned state = 0;

	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping && mapping->gpu_access)
		state = mapping->state;
	pthread_rwlock_unlock(&lock);
	return mapping ? state : sg_svm_page_state(address);
}

void *softgpu_host_pointer(uint64_t address)
{
	struct sg_mapping *mapping;
	uint64_t host = address;

	/* Only addresses inside the window can differ. */
	if (address - (alias_end - ALIAS_SIZE) >= ALIAS_SIZE || !alias_end)
		return (void *)(uintptr_t)address;
	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping)
		host = mapping->host + (address - mapping->gpu);
	pthread_rwlock_unlock(&lock);
	return (void *)(uintptr_t)host;
}

void *sg_memory_span(uint64_t address, uint64_t size, uint64_t *span)
{
	struct sg_mapping *mapping;
	uint64_t host = 0;

	*span = 0;
	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping && mapping->gpu_access) {
		uint64_t rest = mapping->gpu + mapping->size - address;
		*span = rest < size ? rest : size;
		host = mapping->host + (address - mapping->gpu);
	}
	pthread_rwlock_unlock(&lock);
	if (!mapping) {
		*span = sg_svm_span(address, size);
		host = address;
	}
	return *span ? (void *)(uintptr_t)host : NULL;
}
