// SPDX-License-Identifier: Apache-2.0
/*
 * The GPUs' address space: what of the driver's memory is mapped where and for which GPU, and what
 * the interpreter asks of that (softgpu.h). A program's own memory that no object covers is
 * svm.c's.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* User addresses end here. */
#define ADDRESS_LIMIT (UINT64_C(1) << 47)

/* Initialised: the pager writes it, and what is in .bss could move (pages.h). */
volatile uint64_t softgpu_memory_generation = 1;

/* Written with the lock of the objects, too. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct kfd_mapping *mappings; /* in the order of addresses */
static size_t count, capacity;

void sg_memory_changed(void)
{
	__atomic_add_fetch(&softgpu_memory_generation, 1, __ATOMIC_SEQ_CST);
}

/* Returns the index of the first mapping that ends above `address`. */
static size_t first_above(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct kfd_mapping *find(uint64_t address)
{
	size_t index = first_above(address);

	return index < count && mappings[index].start <= address ? &mappings[index] : NULL;
}

static struct kfd_mapping *find_exact(uint64_t address, uint64_t size)
{
	size_t index = first_above(address);
	struct kfd_mapping *mapping = index < count ? &mappings[index] : NULL;

	return mapping && mapping->start == address && mapping->end == address + size ? mapping
										      : NULL;
}

/* ---- changes ---- */

static int insert(struct kfd_mapping mapping)
{
	size_t index = first_above(mapping.start);

	if (index < count && mappings[index].start < mapping.end)
		return -EINVAL;
	if (count == capacity) {
		size_t larger = capacity ? capacity * 2 : 64;
		struct kfd_mapping *moved = realloc(mappings, larger * sizeof *moved);

		if (!moved)
			return -ENOMEM;
		mappings = moved;
		capacity = larger;
	}
	memmove(&mappings[index + 1], &mappings[index], (count - index) * sizeof *mappings);
	mappings[index] = mapping;
	count++;
	kfd_object_hold(mapping.object);
	return 0;
}

static void erase(size_t index)
{
	struct kfd_object *object = mappings[index].object;

	memmove(&mappings[index], &mappings[index + 1], (count - index - 1) * sizeof *mappings);
	count--;
	kfd_object_release(object);
}

int kfd_map(struct kfd_object *object, uint64_t address, uint64_t offset, uint64_t size,
	    uint32_t gpus, uint32_t readers)
{
	struct kfd_mapping *known;
	int error = 0;

	if (!size || (address | offset | size) % SOFTGPU_PAGE_SIZE || address + size < address ||
	    address + size > ADDRESS_LIMIT || offset > object->size || size > object->size - offset)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	known = find_exact(address, size);
	if (!known) {
		error = insert((struct kfd_mapping){ .start = address,
						     .end = address + size,
						     .object = object,
						     .offset = offset,
						     .gpus = gpus,
						     .readers = readers,
						     .kept = !gpus });
	} else if (known->object != object || known->offset != offset) {
		error = -EINVAL;
	} else {
		known->gpus |= gpus;
		known->readers = (known->readers & ~gpus) | readers;
	}
	pthread_rwlock_unlock(&lock);
	sg_memory_changed();
	return error;
}

int kfd_unmap(uint64_t address, uint64_t size, uint32_t gpus)
{
	struct kfd_mapping *known;
	int error = 0;

	pthread_rwlock_wrlock(&lock);
	known = find_exact(address, size);
	if (!known || !(known->gpus & gpus)) {
		error = -EINVAL;
	} else {
		known->gpus &= ~gpus;
		if (!known->gpus && !known->kept)
			erase((size_t)(known - mappings));
	}
	pthread_rwlock_unlock(&lock);
	sg_memory_changed();
	return error;
}

void kfd_unmap_all(uint64_t address, uint64_t size)
{
	struct kfd_mapping *known;

	pthread_rwlock_wrlock(&lock);
	known = find_exact(address, size);
	if (known)
		erase((size_t)(known - mappings));
	pthread_rwlock_unlock(&lock);
	sg_memory_changed();
}

void kfd_unmap_object(const struct kfd_object *object, uint32_t gpus)
{
	pthread_rwlock_wrlock(&lock);
	for (size_t i = count; i--;) {
		if (mappings[i].object != object || mappings[i].kept)
			continue;
		mappings[i].gpus &= ~gpus;
		if (!mappings[i].gpus)
			erase(i);
	}
	pthread_rwlock_unlock(&lock);
	sg_memory_changed();
}

bool kfd_memory_holds(uint64_t start, uint64_t end)
{
	bool holds = false;

	pthread_rwlock_rdlock(&lock);
	for (size_t i = first_above(start); i < count && mappings[i].start < end; i++)
		holds |= mappings[i].gpus != 0;
	pthread_rwlock_unlock(&lock);
	return holds;
}

/* ---- what the interpreter asks ---- */

static enum sg_coherence coherence_of(uint32_t flags)
{
	if (flags & KFD_ALLOC_EXT_COHERENT)
		return SG_EXTENDED;
	return flags & (KFD_ALLOC_UNCACHED | KFD_ALLOC_DOORBELL | KFD_ALLOC_MMIO_REMAP)
		   ? SG_UNCACHED
		   : SG_PRESET;
}

/* Returns the page state of `mapping` for the GPUs of `set`: 0 if none of them has access. */
static unsigned state_for(const struct kfd_mapping *mapping, uint32_t set)
{
	const struct kfd_object *object = mapping->object;
	unsigned gpu = set & (set - 1) ? SOFTGPU_ANY_GPU : (unsigned)__builtin_ctz(set);
	unsigned state = SOFTGPU_PAGE_MAPPED;

	set &= mapping->gpus;
	if (!set)
		return 0;
	if (object->flags & (KFD_ALLOC_COHERENT | KFD_ALLOC_UNCACHED | KFD_ALLOC_EXT_COHERENT))
		state |= SOFTGPU_PAGE_FINE;
	if (!(object->flags & KFD_ALLOC_VRAM))
		state |= SOFTGPU_PAGE_HOST;
	/* The host's address is not this one: of pinned memory. The interpreter translates all. */
	if (object->flags & KFD_ALLOC_USERPTR && object->host != mapping->start)
		state |= SOFTGPU_PAGE_ALIAS;
	if (!(set & ~mapping->readers))
		state |= SOFTGPU_PAGE_READ;
	return state | sg_mtype(gpu, object->node, coherence_of(object->flags));
}

static uint32_t set_of(unsigned gpu)
{
	return gpu == SOFTGPU_ANY_GPU ? SG_EVERY_GPU : UINT32_C(1) << gpu;
}

/*
 * Returns true if the program has unmapped memory that GPUs have at another address. Memory at the
 * same address is not checked: AMD's runtime makes pools of it, which it keeps, and the look takes
 * longer than a small kernel.
 */
static bool is_gone(const struct kfd_mapping *mapping, uint64_t address, uint64_t *first,
		    uint64_t *last)
{
	uint64_t distance = mapping->object->host + mapping->offset - mapping->start, low, high;

	if (!(mapping->object->flags & KFD_ALLOC_USERPTR) || !distance)
		return false;
	if (!sg_svm_mapped(address + distance, &low, &high))
		return true;
	*first = *first > low - distance ? *first : low - distance;
	*last = *last < high - distance ? *last : high - distance;
	return false;
}

/* A copy of the mapping that holds `address`, with the state of the pages; false: there is none. */
static bool look(unsigned gpu, uint64_t address, uint64_t *first, uint64_t *last, unsigned *state)
{
	const struct kfd_mapping *known;
	struct kfd_object object;
	struct kfd_mapping mapping;

	pthread_rwlock_rdlock(&lock);
	known = find(address);
	if (known) {
		object = *known->object;
		mapping = *known;
		mapping.object = &object;
	}
	pthread_rwlock_unlock(&lock);
	if (!known)
		return false;
	*first = mapping.start;
	*last = mapping.end;
	*state = state_for(&mapping, set_of(gpu));
	if (*state && is_gone(&mapping, address, first, last))
		*state = 0;
	return true;
}

unsigned softgpu_page_state(unsigned gpu, uint64_t address)
{
	uint64_t first, last;
	unsigned state;

	return look(gpu, address, &first, &last, &state) ? state : sg_svm_page_state(gpu, address);
}

/* Narrows [*first, *last), which svm.c took from the host's mappings, to what no object covers. */
static void narrow(uint64_t address, uint64_t *first, uint64_t *last)
{
	size_t index;

	pthread_rwlock_rdlock(&lock);
	index = first_above(address);
	if (index < count && mappings[index].start < *last)
		*last = mappings[index].start;
	if (index && mappings[index - 1].end > *first)
		*first = mappings[index - 1].end;
	pthread_rwlock_unlock(&lock);
}

unsigned softgpu_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			   uint64_t *last)
{
	unsigned state;

	if (look(gpu, address, first, last, &state))
		return state;
	state = sg_svm_page_span(gpu, address, write, first, last);
	narrow(address, first, last);
	return state;
}

/* Returns the address in this process of the byte that GPUs have at `address`. */
static uint64_t host_of(const struct kfd_mapping *mapping, uint64_t address)
{
	/* Only the program knows where it mapped a page of doorbells. */
	if (mapping->object->flags & (KFD_ALLOC_DOORBELL | KFD_ALLOC_MMIO_REMAP))
		return address;
	return mapping->object->host + mapping->offset + (address - mapping->start);
}

void *softgpu_host_pointer(uint64_t address)
{
	const struct kfd_mapping *mapping;
	uint64_t host = address;

	pthread_rwlock_rdlock(&lock);
	mapping = find(address);
	if (mapping)
		host = host_of(mapping, address);
	pthread_rwlock_unlock(&lock);
	return (void *)(uintptr_t)host;
}

bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last)
{
	struct sg_vma_list list = { 0 };
	const struct kfd_mapping *mapping;
	const struct sg_vma *vma = NULL;

	pthread_rwlock_rdlock(&lock);
	mapping = find(address);
	if (mapping) {
		*first = mapping->start;
		*last = mapping->end;
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

void *kfd_memory_span(unsigned gpu, uint64_t address, uint64_t size, bool write, uint64_t *span)
{
	uint64_t first, last, host;
	unsigned state = softgpu_page_span(gpu, address, write, &first, &last);

	*span = 0;
	if (!(state & SOFTGPU_PAGE_MAPPED) || (write && state & SOFTGPU_PAGE_READ))
		return NULL;
	host = (uint64_t)(uintptr_t)softgpu_host_pointer(address);
	*span = last - address < size ? last - address : size;
	return (void *)(uintptr_t)host;
}

void *kfd_memory_host(unsigned gpu, uint64_t address, uint64_t size, bool write)
{
	uint64_t span, done;
	char *host = kfd_memory_span(gpu, address, size, write, &span);

	for (done = span; host && done < size; done += span)
		if (kfd_memory_span(gpu, address + done, size - done, write, &span) != host + done)
			return NULL;
	return host;
}

void kfd_memory_forked(void)
{
	pthread_rwlock_init(&lock, NULL);
	count = 0;
	kfd_gem_forked();
	kfd_objects_forked();
	sg_svm_forked();
	sg_memory_changed();
}
