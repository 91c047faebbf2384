// SPDX-License-Identifier: Apache-2.0
/*
 * The GPU's address space. HSA memory has the same address on both sides, except locked host
 * memory: libamdhip64 (hipHostUnregister) requires an agent address that differs from the host's,
 * so locks live in an address window of their own and are translated on each access.
 */
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Addresses of HSA memory come from windows that are reserved at the first use, one for each
 * purpose, first fit, with an unmapped page behind each mapping: a stale or overrun pointer then
 * faults as on the device, instead of meeting what the host or the runtime mapped there.
 */
#define WINDOW_BASE UINT64_C(0x600000000000)
#define WINDOW_SIZE (UINT64_C(1) << 40)

/* Sizes that ask the kernel for huge pages; greater ones may be touched here and there only. */
#define HUGE_LEAST    (UINT64_C(4) << 20)
#define HUGE_GREATEST (UINT64_C(4) << 30)

/* In those up to WINDOW_VMEM the host's address of the same byte is another. */
enum window { WINDOW_ALIAS, WINDOW_VMEM, WINDOW_VRAM, WINDOW_HOST, WINDOW_INTERNAL, WINDOWS };

/* Initialised: the pager writes it, and what is in .bss could move (pages.h). */
volatile uint64_t softgpu_memory_generation = 1;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct sg_mapping **mappings; /* sorted by GPU address */
static size_t count, capacity;
static uint64_t window_base;
/* Locks start after the last one: a stale alias address is not soon valid again. */
static uint64_t alias_next;

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

/* Give the memory back; the addresses stay reserved. */
static void release_pages(const struct sg_mapping *mapping)
{
	mmap((void *)(uintptr_t)mapping->host, mapping->size, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* With the lock held. 0 or -ENOMEM. */
static int reserve_windows(void)
{
	void *base;

	if (window_base)
		return 0;
	base = mmap((void *)WINDOW_BASE, WINDOWS * WINDOW_SIZE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (base == MAP_FAILED)
		base = mmap(NULL, WINDOWS * WINDOW_SIZE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		sg_warn("can't reserve %u TiB of addresses: %s", WINDOWS, strerror(errno));
		return -ENOMEM;
	}
	window_base = (uint64_t)(uintptr_t)base;
	alias_next = window_base;
	return 0;
}

/*
 * The driver's library aligns memory to the largest power of two that it fills, at most to 2 MiB
 * (libhsakmt, fmm.c), and malloc in kernels relies on it: it finds the head of a 2 MiB block by
 * masking addresses.
 */
static uint64_t alignment_of(uint64_t size)
{
	uint64_t alignment = SOFTGPU_PAGE_SIZE;

	while (alignment < UINT64_C(2) << 20 && size >= 2 * alignment)
		alignment *= 2;
	return alignment;
}

/* First free address for `size` bytes and a guard page in [start, end); 0: none. Lock held. */
static uint64_t first_fit(uint64_t start, uint64_t end, uint64_t size, uint64_t alignment)
{
	size_t index = upper_bound(start);

	if (index && mappings[index - 1]->gpu + mappings[index - 1]->size >= start &&
	    mappings[index - 1]->gpu >= window_base)
		start = mappings[index - 1]->gpu + mappings[index - 1]->size + SOFTGPU_PAGE_SIZE;
	for (;; index++) {
		start = (start + alignment - 1) & ~(alignment - 1);
		if (start >= end || end - start <= size)
			return 0;
		if (index == count || mappings[index]->gpu >= end ||
		    (mappings[index]->gpu > start && mappings[index]->gpu - start > size))
			return start;
		start = mappings[index]->gpu + mappings[index]->size + SOFTGPU_PAGE_SIZE;
	}
}

/* With the lock held. */
static uint64_t choose_address(enum window window, uint64_t size)
{
	uint64_t start, end, address = 0;
	/* Locked memory is where it is. */
	uint64_t alignment = window == WINDOW_ALIAS ? SOFTGPU_PAGE_SIZE : alignment_of(size);

	if (reserve_windows())
		return 0;
	start = window_base + window * WINDOW_SIZE;
	end = start + WINDOW_SIZE;
	if (window == WINDOW_ALIAS)
		address = first_fit(alias_next, end, size, alignment);
	if (!address)
		address = first_fit(start, end, size, alignment);
	if (address && window == WINDOW_ALIAS)
		alias_next = address + size;
	return address;
}

/* Whose memory it is, for mtype.c. */
static int node_of(unsigned state, uint32_t gpus, const struct sg_pool *pool)
{
	if (pool)
		return sg_pool_node(pool);
	if (!(state & SOFTGPU_PAGE_HOST))
		return __builtin_ctz(gpus ? gpus : 1);
	return sg_settings.apu ? 0 : SG_NO_NODE;
}

static enum sg_coherence coherence_of(const struct sg_pool *pool)
{
	return pool && pool->flags & POOL_EXTENDED_SCOPE ? SG_EXTENDED : SG_PRESET;
}

/* New memory of its own (`file` 0), or what `file` holds. */
static struct sg_mapping *allocate(enum sg_kind kind, uint64_t size, unsigned state, uint32_t gpus,
				   struct sg_pool *pool, int file)
{
	enum window window = kind != SG_POOL    ? WINDOW_INTERNAL
			     : pool->agent->gpu ? WINDOW_VRAM
						: WINDOW_HOST;
	/* VRAM is modelled larger than the host may have: commit on touch. */
	int flags = file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	struct sg_mapping *mapping = NULL;
	uint64_t address;

	if (!size || size > WINDOW_SIZE / 2)
		return NULL;
	pthread_rwlock_wrlock(&lock);
	address = choose_address(window, round_up(size));
	if (address)
		mapping = malloc(sizeof *mapping);
	if (!mapping)
		goto out;
	*mapping = (struct sg_mapping){
		.gpu = address,
		.host = address,
		.size = round_up(size),
		.request = size,
		.kind = kind,
		.state = state | SOFTGPU_PAGE_MAPPED,
		.gpus = gpus,
		.pool = pool,
		.node = node_of(state, gpus, pool),
		.coherence = coherence_of(pool),
		.references = 1,
		.file = file,
		.attached = file,
	};
	if (mmap((void *)(uintptr_t)address, mapping->size, PROT_READ | PROT_WRITE,
		 flags | MAP_FIXED, file ? file : -1, 0) == MAP_FAILED) {
		free(mapping);
		mapping = NULL;
	} else if (insert(mapping)) {
		release_pages(mapping);
		free(mapping);
		mapping = NULL;
	} else if (!file && mapping->size >= HUGE_LEAST && mapping->size <= HUGE_GREATEST) {
		/* Only a hint: fewer faults when programs fill it. */
		(void)madvise((void *)(uintptr_t)address, mapping->size, MADV_HUGEPAGE);
	}
out:
	pthread_rwlock_unlock(&lock);
	return mapping;
}

struct sg_mapping *sg_memory_allocate(enum sg_kind kind, uint64_t size, unsigned state,
				      uint32_t gpus, struct sg_pool *pool)
{
	return allocate(kind, size, state, gpus, pool, 0);
}

struct sg_mapping *sg_memory_attach(int file, uint64_t size, unsigned state, uint32_t gpus,
				    struct sg_pool *pool)
{
	return allocate(SG_POOL, size, state, gpus, pool, file);
}

int sg_memory_share(struct sg_mapping *mapping, const char *name)
{
	void *place = (void *)(uintptr_t)mapping->host;
	int file = memfd_create(name, MFD_CLOEXEC);
	int error;

	/* 0 stands for no descriptor. */
	if (!file) {
		file = fcntl(0, F_DUPFD_CLOEXEC, 3);
		close(0);
	}
	if (file < 0)
		return -errno;
	for (uint64_t done = 0; done < mapping->request;) {
		ssize_t got =
		    pwrite(file, (const char *)place + done, mapping->request - done, (off_t)done);
		if (got <= 0) {
			error = got ? errno : EIO;
			goto fail;
		}
		done += (uint64_t)got;
	}
	if (ftruncate(file, (off_t)mapping->size) ||
	    mmap(place, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
		MAP_FAILED) {
		error = errno;
		goto fail;
	}
	mapping->file = file;
	return file;
fail:
	close(file);
	return -error;
}

bool sg_memory_window(uint64_t *start, uint64_t *end)
{
	bool reserved;

	pthread_rwlock_wrlock(&lock);
	reserved = !reserve_windows();
	pthread_rwlock_unlock(&lock);
	*start = window_base + WINDOW_VMEM * WINDOW_SIZE;
	*end = *start + WINDOW_SIZE;
	return reserved;
}

struct sg_mapping *sg_memory_map(uint64_t address, int file, uint64_t size, unsigned state,
				 struct sg_pool *pool)
{
	void *host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	struct sg_mapping *mapping = NULL;
	int error = -1;

	if (host == MAP_FAILED)
		return NULL;
	mapping = malloc(sizeof *mapping);
	if (mapping) {
		*mapping = (struct sg_mapping){
			.gpu = address,
			.host = (uint64_t)(uintptr_t)host,
			.size = size,
			.request = size,
			.kind = SG_VMEM,
			.state = state | SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_ALIAS,
			.pool = pool,
			.node = node_of(state, 0, pool),
			.coherence = coherence_of(pool),
			.references = 1,
		};
		pthread_rwlock_wrlock(&lock);
		error = insert(mapping);
		pthread_rwlock_unlock(&lock);
	}
	if (error) {
		munmap(host, size);
		free(mapping);
		return NULL;
	}
	return mapping;
}

struct sg_mapping *sg_memory_lock(uint64_t host, uint64_t size, unsigned state, uint32_t gpus,
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
			known->gpus |= gpus;
			sg_memory_changed();
			pthread_rwlock_unlock(&lock);
			return known;
		}
	}
	mapping = calloc(1, sizeof *mapping);
	alias = mapping ? choose_address(WINDOW_ALIAS, round_up(lead + size)) : 0;
	if (alias) {
		*mapping = (struct sg_mapping){
			.gpu = alias,
			.host = host - lead,
			.size = round_up(lead + size),
			.request = size,
			.lead = lead,
			.kind = SG_LOCK,
			.state = state | SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_ALIAS,
			.gpus = gpus,
			.pool = pool,
			.node = node_of(state, gpus, pool),
			.coherence = coherence_of(pool),
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
	/* Under the lock: once it is out of the list, another thread may get the address. */
	if (mapping->kind == SG_VMEM)
		munmap((void *)(uintptr_t)mapping->host, mapping->size);
	else if (mapping->kind != SG_LOCK)
		release_pages(mapping);
	pthread_rwlock_unlock(&lock);
	if (mapping->file)
		close(mapping->file);
	free(mapping);
}

/* With the lock held. */
static struct sg_mapping *find_any(uint64_t address)
{
	struct sg_mapping *mapping = find_locked(address);

	for (size_t i = 0; !mapping && i < count; i++) {
		struct sg_mapping *known = mappings[i];
		if (known->kind == SG_LOCK &&
		    address - (known->host + known->lead) < known->request)
			mapping = known;
	}
	return mapping;
}

struct sg_mapping *sg_memory_find(uint64_t address)
{
	struct sg_mapping *mapping;

	pthread_rwlock_rdlock(&lock);
	mapping = find_any(address);
	pthread_rwlock_unlock(&lock);
	return mapping;
}

bool sg_memory_describe(uint64_t address, struct sg_mapping *copy)
{
	struct sg_mapping *mapping;

	pthread_rwlock_rdlock(&lock);
	mapping = find_any(address);
	if (mapping)
		*copy = *mapping;
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

void sg_memory_set_access(struct sg_mapping *mapping, uint32_t gpus, uint32_t readers)
{
	pthread_rwlock_wrlock(&lock);
	mapping->gpus = gpus;
	mapping->readers = readers;
	sg_memory_changed();
	pthread_rwlock_unlock(&lock);
}

/* What `mapping` is for the GPUs of `set`: 0 where none has access. */
static unsigned state_for(const struct sg_mapping *mapping, uint32_t set)
{
	unsigned gpu = set & (set - 1) ? SOFTGPU_ANY_GPU : (unsigned)__builtin_ctz(set);

	set &= mapping->gpus;
	if (!set)
		return 0;
	return mapping->state | (set & ~mapping->readers ? 0 : SOFTGPU_PAGE_READ) |
	       sg_mtype(gpu, mapping->node, mapping->coherence);
}

unsigned softgpu_page_state(unsigned gpu, uint64_t address)
{
	uint32_t set = gpu == SOFTGPU_ANY_GPU ? SG_EVERY_GPU : UINT32_C(1) << gpu;
	struct sg_mapping *mapping;
	unsigned state = 0;

	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping)
		state = state_for(mapping, set);
	pthread_rwlock_unlock(&lock);
	return mapping ? state : sg_svm_page_state(gpu, address);
}

unsigned softgpu_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			   uint64_t *last)
{
	uint32_t set = gpu == SOFTGPU_ANY_GPU ? SG_EVERY_GPU : UINT32_C(1) << gpu;
	struct sg_mapping *mapping;
	unsigned state = 0;

	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping) {
		*first = mapping->gpu;
		*last = mapping->gpu + mapping->size;
		state = state_for(mapping, set);
	}
	pthread_rwlock_unlock(&lock);
	return mapping ? state : sg_svm_page_span(gpu, address, write, first, last);
}

bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last)
{
	struct sg_vma_list list = { 0 };
	const struct sg_mapping *mapping;
	const struct sg_vma *vma = NULL;

	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping) {
		*first = mapping->gpu + mapping->lead;
		*last = *first + mapping->request;
	}
	pthread_rwlock_unlock(&lock);
	if (mapping)
		return true;
	if (!sg_vma_read(&list, false))
		vma = sg_vma_find(&list, address);
	if (vma) {
		*first = vma->start;
		*last = vma->end;
	}
	free(list.items);
	return vma;
}

void *softgpu_host_pointer(uint64_t address)
{
	struct sg_mapping *mapping;
	uint64_t host = address;

	/* Only addresses inside the window can differ. */
	if (address - window_base >= (WINDOW_VMEM + 1) * WINDOW_SIZE)
		return (void *)(uintptr_t)address;
	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping)
		host = mapping->host + (address - mapping->gpu);
	pthread_rwlock_unlock(&lock);
	return (void *)(uintptr_t)host;
}

void *sg_memory_span(uint64_t address, uint64_t size, bool write, uint64_t *span)
{
	struct sg_mapping *mapping;
	uint64_t host = 0;

	*span = 0;
	pthread_rwlock_rdlock(&lock);
	mapping = find_locked(address);
	if (mapping && state_for(mapping, SG_EVERY_GPU) &&
	    !(write && state_for(mapping, SG_EVERY_GPU) & SOFTGPU_PAGE_READ)) {
		uint64_t rest = mapping->gpu + mapping->size - address;
		*span = rest < size ? rest : size;
		host = mapping->host + (address - mapping->gpu);
	}
	pthread_rwlock_unlock(&lock);
	if (!mapping) {
		*span = sg_svm_span(address, size, write);
		host = address;
	}
	return *span ? (void *)(uintptr_t)host : NULL;
}
