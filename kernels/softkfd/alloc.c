// SPDX-License-Identifier: Apache-2.0
/* The requests to allocate, free, map and unmap; their errors are the driver's (kfd_chardev.c). */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define DOORBELL_SIZE 8192u
#define MOST_GPU_IDS  (1u << 20)

static uint64_t page_down(uint64_t address)
{
	return address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
}

/* ---- the program's memory ---- */

/*
 * Makes the pages present and writable, as pinning does: that fails for memory that is not mapped
 * or that the process itself may not write.
 */
static bool pin(uint64_t start, uint64_t size)
{
	static const int populate_write = 23; /* MADV_POPULATE_WRITE, Linux 5.14 */
	static char probe;

	if (!kfd_real_madvise((void *)(uintptr_t)start, size, populate_write) || errno == EAGAIN)
		return true;
	/* An older kernel knows nothing of it, for any memory. */
	return errno == EINVAL && kfd_real_madvise((void *)page_down((uint64_t)(uintptr_t)&probe),
						   SOFTGPU_PAGE_SIZE, populate_write);
}

/* Is all of it mapped? mincore(2) says ENOMEM if not. */
static bool mapped(uint64_t start, uint64_t size)
{
	unsigned char pages[4096];
	const uint64_t most = sizeof pages * SOFTGPU_PAGE_SIZE;

	for (uint64_t done = 0; done < size; done += most)
		if (mincore((void *)(uintptr_t)(start + done),
			    size - done < most ? size - done : most, pages))
			return false;
	return true;
}

static int adopt(struct kfd_object *object, uint64_t host)
{
	uint64_t start = page_down(host);

	if (start + object->size < start)
		return -EFAULT;
	/* Memory that the runtime has just mapped for this is touched when it is used. */
	if (!(start == object->address ? mapped(start, object->size) : pin(start, object->size)))
		return -EFAULT;
	object->host = start;
	return 0;
}

/* ---- allocations ---- */

/* Maps the object once, or in two neighbouring places (a ring of packets that continues in
 * itself). */
static int map_for(struct kfd_object *object, uint32_t gpus)
{
	uint32_t readers = object->flags & KFD_ALLOC_WRITABLE ? 0 : gpus;
	int error = kfd_map(object, object->address, 0, object->size, gpus, readers);

	if (!error && object->flags & KFD_ALLOC_AQL_QUEUE)
		error =
		    kfd_map(object, object->address + object->size, 0, object->size, gpus, readers);
	return error;
}

static int unmap_from(struct kfd_object *object, uint32_t gpus)
{
	if (object->flags & KFD_ALLOC_AQL_QUEUE)
		(void)kfd_unmap(object->address + object->size, object->size, gpus);
	return kfd_unmap(object->address, object->size, gpus);
}

static int check_kind(const struct kfd_arg_alloc_memory *args)
{
	switch (args->flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT | KFD_ALLOC_USERPTR |
			       KFD_ALLOC_DOORBELL | KFD_ALLOC_MMIO_REMAP)) {
	case KFD_ALLOC_VRAM:
	case KFD_ALLOC_GTT:
		return 0;
	case KFD_ALLOC_USERPTR:
		return args->mmap_offset ? 0 : -EINVAL;
	case KFD_ALLOC_DOORBELL:
		return args->size == DOORBELL_SIZE ? 0 : -EINVAL;
	case KFD_ALLOC_MMIO_REMAP:
		return args->size == SOFTGPU_PAGE_SIZE ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

/*
 * Memory to which the program gave attributes can't be an object, too. A range that only a GPU's
 * fault made gives way, as in older drivers: HIP 5.2.3 locks a page of the heap for each stream.
 */
static bool is_shared_virtual(const struct kfd_arg_alloc_memory *args)
{
	if (args->address && sg_svm_given(args->address, args->address + args->size))
		return true;
	return args->flags & KFD_ALLOC_USERPTR &&
	       sg_svm_given(args->mmap_offset, args->mmap_offset + args->size);
}

int kfd_alloc_memory(void *argument, size_t size)
{
	struct kfd_arg_alloc_memory *args = argument;
	int gpu = kfd_gpu_number(args->gpu_id), error;
	uint64_t bytes = args->size;
	struct kfd_object *object;

	(void)size;
	if (!bytes || gpu < 0)
		return -EINVAL;
	error = check_kind(args);
	if (error)
		return error;
	if (args->address + bytes < bytes || args->mmap_offset + bytes < bytes)
		return -EINVAL;
	if (is_shared_virtual(args))
		return -EADDRINUSE;
	if (args->flags & KFD_ALLOC_AQL_QUEUE)
		bytes /= 2;
	kfd_memory_lock();
	error = kfd_object_create((unsigned)gpu, bytes, args->flags, &object);
	if (error)
		goto out;
	object->address = args->address;
	if (args->flags & KFD_ALLOC_USERPTR)
		error = adopt(object, args->mmap_offset);
	args->handle = error ? 0 : kfd_object_name(object);
	if (!args->handle) {
		kfd_object_release(object);
		error = error ? error : -EFAULT;
		goto out;
	}
	/* From now on the place is not taken for the program's own memory; later it is known if the
	 * object can be mapped. */
	if (object->address && !(args->flags & KFD_ALLOC_USERPTR))
		(void)map_for(object, SG_NO_GPU);
	if (args->flags & KFD_ALLOC_MMIO_REMAP)
		args->mmap_offset = (uint64_t)KFD_MMAP_MMIO << KFD_MMAP_TYPE_SHIFT |
				    (uint64_t)args->gpu_id << KFD_MMAP_GPU_SHIFT;
	else if (object->mmap_offset)
		args->mmap_offset = object->mmap_offset;
	sg_log("memory: %lu bytes of %s %s at %#lx, flags %#x", args->size,
	       args->flags & KFD_ALLOC_VRAM ? "VRAM" : "host memory",
	       args->flags & (KFD_ALLOC_COHERENT | KFD_ALLOC_UNCACHED | KFD_ALLOC_EXT_COHERENT)
		   ? "fine"
		   : "coarse",
	       args->address, args->flags);
out:
	kfd_memory_unlock();
	return error;
}

int kfd_free_memory(void *argument, size_t size)
{
	const struct kfd_arg_free_memory *args = argument;
	struct kfd_object *object;
	int error = -EINVAL;

	(void)size;
	kfd_memory_lock();
	object = kfd_object_find(args->handle);
	if (object && object->gpus) {
		error = -EBUSY;
	} else if (object) {
		/* The interpreter keeps what it decoded, by address. */
		softgpu_code_invalidate(object->address, object->size);
		if (object->address) {
			kfd_unmap_all(object->address, object->size);
			if (object->flags & KFD_ALLOC_AQL_QUEUE)
				kfd_unmap_all(object->address + object->size, object->size);
		}
		sg_log("memory: %#lx is freed", object->address);
		kfd_object_unname(args->handle);
		error = 0;
	}
	kfd_memory_unlock();
	return error;
}

/* ---- for which GPUs ---- */

static int change_one(struct kfd_object *object, uint32_t gpu_id, bool map)
{
	int gpu = kfd_gpu_number(gpu_id), error;
	uint32_t bit;

	if (gpu < 0)
		return -EINVAL;
	bit = UINT32_C(1) << gpu;
	if (map && object->gpus & bit)
		return 0;
	error = map ? map_for(object, bit) : unmap_from(object, bit);
	if (!error)
		object->gpus = map ? object->gpus | bit : object->gpus & ~bit;
	return error;
}

static int change(struct kfd_arg_map_memory *args, bool map)
{
	uint32_t *ids;
	struct kfd_object *object;
	int error;

	if (kfd_gpu_number((uint32_t)(args->handle >> 32)) < 0 || !args->count ||
	    args->done > args->count)
		return -EINVAL;
	if (args->count > MOST_GPU_IDS)
		return -ENOMEM;
	ids = malloc(args->count * sizeof *ids);
	if (!ids)
		return -ENOMEM;
	error = kfd_copy_in(ids, args->gpu_ids, args->count * sizeof *ids);
	kfd_memory_lock();
	object = kfd_object_find(args->handle);
	if (!error && !object)
		error = -ENOMEM;
	for (uint32_t i = args->done; !error && i < args->count; i++) {
		error = change_one(object, ids[i], map);
		if (!error)
			args->done = i + 1;
	}
	kfd_memory_unlock();
	free(ids);
	return error;
}

int kfd_map_memory(void *argument, size_t size)
{
	(void)size;
	return change(argument, true);
}

int kfd_unmap_memory(void *argument, size_t size)
{
	(void)size;
	return change(argument, false);
}

int kfd_available_memory(void *argument, size_t size)
{
	struct kfd_arg_available_memory *args = argument;
	int gpu = kfd_gpu_number(args->gpu_id);

	(void)size;
	if (gpu < 0)
		return -EINVAL;
	args->available = kfd_memory_room((unsigned)gpu);
	return 0;
}

void *kfd_mmio_mmap(unsigned gpu, void *address, size_t size, int protection, int flags)
{
	(void)gpu;
	if (size != SOFTGPU_PAGE_SIZE) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return kfd_real_mmap(address, size, protection, flags | MAP_ANONYMOUS, -1, 0);
}
