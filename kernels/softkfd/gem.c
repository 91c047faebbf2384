// SPDX-License-Identifier: Apache-2.0
/*
 * Buffers of a render node (GEM; drm.h, amdgpu_drm.h): what ROCr from 6.0 on, by libdrm_amdgpu,
 * maps memory with whose addresses were reserved before (hsa_amd_vmem_*). A handle is of one GPU.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>

enum {
	GEM_CLOSE = 0x09,
	PRIME_TO_FD = 0x2d,
	PRIME_FROM_FD = 0x2e,
	GEM_CREATE = 0x40,
	GEM_MMAP = 0x41,
	GEM_METADATA = 0x46,
	GEM_VA = 0x48,
	GEM_OP = 0x50
};

struct gem_handle {
	uint32_t handle, pad;
};

struct prime {
	uint32_t handle, flags;
	int32_t fd;
};

struct create_info {
	uint64_t size, alignment, domains, flags;
};

union create {
	struct create_info in;
	struct gem_handle out;
};
#define DOMAIN_GTT  2u
#define DOMAIN_VRAM 4u

union map_request {
	struct gem_handle in;
	uint64_t offset; /* out */
};

struct metadata_request {
	uint32_t handle, operation;
	struct kfd_metadata metadata;
};
enum { METADATA_SET = 1, METADATA_GET = 2 };
_Static_assert(sizeof(struct metadata_request) == 288, "as drm_amdgpu_gem_metadata");

struct op_request {
	uint32_t handle, operation;
	uint64_t value;
};
enum { OP_CREATE_INFO = 0 };

struct address_request {
	uint32_t handle, pad, operation, flags;
	uint64_t address, offset, size;
};
enum { VA_MAP = 1, VA_UNMAP = 2 };
#define VA_DELAY_UPDATE 1u
#define VA_READABLE     2u
#define VA_WRITABLE     4u
#define VA_EXECUTABLE   8u
#define VA_MTYPES       0x1e0u
#define VA_KNOWN        (VA_DELAY_UPDATE | VA_READABLE | VA_WRITABLE | VA_EXECUTABLE | VA_MTYPES)

static struct table {
	struct kfd_object **objects; /* by handle - 1 */
	size_t count;
} tables[SG_MAX_GPUS];

/* Returns a new handle, which takes over the caller's reference to the object; 0 if memory is
 * exhausted. */
static uint32_t new_handle(struct table *table, struct kfd_object *object)
{
	size_t i = 0;

	while (i < table->count && table->objects[i])
		i++;
	if (i == table->count) {
		size_t larger = table->count ? table->count * 2 : 16;
		struct kfd_object **moved =
		    realloc(table->objects, larger * sizeof *table->objects);

		if (!moved)
			return 0;
		memset(moved + table->count, 0, (larger - table->count) * sizeof *moved);
		table->objects = moved;
		table->count = larger;
	}
	table->objects[i] = object;
	return (uint32_t)i + 1;
}

static struct kfd_object *find(const struct table *table, uint32_t handle)
{
	return handle && handle <= table->count ? table->objects[handle - 1] : NULL;
}

static int from_fd(struct table *table, struct prime *request)
{
	struct kfd_object *object = kfd_object_by_file(request->fd);
	int error = 0;

	/* The same memory has the same handle. */
	for (size_t i = 0; object && i < table->count; i++)
		if (table->objects[i] == object) {
			request->handle = (uint32_t)i + 1;
			return 0;
		}
	if (object)
		kfd_object_hold(object);
	else
		error = kfd_object_import(request->fd, &object);
	if (error)
		return error;
	request->handle = new_handle(table, object);
	if (request->handle)
		return 0;
	kfd_object_release(object);
	return -ENOMEM;
}

static int to_fd(struct table *table, struct prime *request)
{
	struct kfd_object *object = find(table, request->handle);
	int fd = object ? kfd_object_share(object) : -ENOENT;

	if (!fd)
		fd = kfd_file_open(object, request->flags);
	request->fd = fd;
	return fd < 0 ? fd : 0;
}

static int create(unsigned gpu, struct table *table, union create *request)
{
	uint32_t kind = request->in.domains & DOMAIN_VRAM  ? KFD_ALLOC_VRAM
			: request->in.domains & DOMAIN_GTT ? KFD_ALLOC_GTT
							   : 0;
	struct kfd_object *object;
	uint32_t handle;
	int error;

	if (!kind)
		return -EINVAL;
	error = kfd_object_create(gpu, request->in.size, kind | KFD_ALLOC_WRITABLE, &object);
	if (error)
		return error;
	handle = new_handle(table, object);
	if (!handle) {
		kfd_object_release(object);
		return -ENOMEM;
	}
	request->out = (struct gem_handle){ handle, 0 };
	return 0;
}

static int change_address(unsigned gpu, struct table *table, const struct address_request *request)
{
	struct kfd_object *object = find(table, request->handle);
	uint32_t bit = UINT32_C(1) << gpu;

	if (request->flags & ~VA_KNOWN ||
	    (request->operation != VA_MAP && request->operation != VA_UNMAP))
		return -EINVAL;
	if (!object)
		return -ENOENT;
	sg_log("memory: GPU %u %s %lu bytes at %#lx", gpu,
	       request->operation == VA_MAP ? "maps" : "unmaps", request->size, request->address);
	if (request->operation == VA_UNMAP)
		return kfd_unmap(request->address, request->size, bit) ? -ENOENT : 0;
	return kfd_map(object, request->address, request->offset, request->size, bit,
		       request->flags & VA_WRITABLE ? 0 : bit);
}

static int change_metadata(struct table *table, struct metadata_request *request)
{
	struct kfd_object *object = find(table, request->handle);
	struct kfd_metadata *metadata = &request->metadata;
	int error;

	if (!object)
		return -ENOENT;
	switch (request->operation) {
	case METADATA_SET:
		if (metadata->size > sizeof metadata->data)
			return -EINVAL;
		/* The metadata are kept where other processes see them. */
		error = kfd_object_share(object);
		return error ? error : kfd_metadata_write(object->file, object->size, metadata);
	case METADATA_GET:
		*metadata = (struct kfd_metadata){ 0 };
		return object->file < 0 ? 0
					: kfd_metadata_read(object->file, object->size, metadata);
	}
	return -EINVAL;
}

static int tell(const struct table *table, const struct op_request *request)
{
	const struct kfd_object *object = find(table, request->handle);
	struct create_info info;

	if (!object)
		return -ENOENT;
	if (request->operation != OP_CREATE_INFO)
		return -EINVAL;
	info = (struct create_info){
		.size = object->size,
		.alignment = SOFTGPU_PAGE_SIZE,
		.domains = object->flags & KFD_ALLOC_VRAM ? DOMAIN_VRAM : DOMAIN_GTT,
	};
	return kfd_copy_out(request->value, &info, sizeof info);
}

static int close_handle(unsigned gpu, struct table *table, uint32_t handle)
{
	struct kfd_object *object = find(table, handle);

	if (!object)
		return -EINVAL;
	table->objects[handle - 1] = NULL;
	/* Its addresses are the handle's, and end with it. */
	kfd_unmap_object(object, UINT32_C(1) << gpu);
	kfd_object_release(object);
	return 0;
}

static int answer(unsigned gpu, unsigned number, void *request)
{
	struct table *table = &tables[gpu];
	struct kfd_object *object;
	union map_request *map;

	switch (number) {
	case GEM_CLOSE:
		return close_handle(gpu, table, ((const struct gem_handle *)request)->handle);
	case PRIME_TO_FD:
		return to_fd(table, request);
	case PRIME_FROM_FD:
		return from_fd(table, request);
	case GEM_CREATE:
		return create(gpu, table, request);
	case GEM_VA:
		return change_address(gpu, table, request);
	case GEM_METADATA:
		return change_metadata(table, request);
	case GEM_OP:
		return tell(table, request);
	case GEM_MMAP:
		map = request;
		object = find(table, map->in.handle);
		if (object)
			map->offset = object->mmap_offset;
		return object ? 0 : -ENOENT;
	}
	return -ENOTTY;
}

int kfd_gem_ioctl(unsigned gpu, int fd, unsigned long code, void *argument)
{
	static const size_t sizes[] = { [GEM_CLOSE] = sizeof(struct gem_handle),
					[PRIME_TO_FD] = sizeof(struct prime),
					[PRIME_FROM_FD] = sizeof(struct prime),
					[GEM_CREATE] = sizeof(union create),
					[GEM_MMAP] = sizeof(union map_request),
					[GEM_VA] = sizeof(struct address_request),
					[GEM_METADATA] = sizeof(struct metadata_request),
					[GEM_OP] = sizeof(struct op_request) };
	unsigned number = _IOC_NR(code);
	_Alignas(8) char request[sizeof(struct metadata_request)] = { 0 };
	/* The bytes may move: nothing of the device's may run. */
	bool moves = number == PRIME_TO_FD || number == GEM_METADATA;
	size_t size = number < sizeof sizes / sizeof *sizes ? sizes[number] : 0;
	int result;

	(void)fd;
	if (!size)
		return -ENOTTY;
	/* Callers of other versions give more or fewer bytes. */
	if (size > _IOC_SIZE(code))
		size = _IOC_SIZE(code);
	if (kfd_copy_in(request, (uint64_t)(uintptr_t)argument, size))
		return -EFAULT;
	if (moves)
		kfd_queues_hold();
	kfd_memory_lock();
	result = answer(gpu, number, request);
	kfd_memory_unlock();
	if (moves)
		kfd_queues_release();
	if (!result && _IOC_DIR(code) & _IOC_READ)
		result = kfd_copy_out((uint64_t)(uintptr_t)argument, request, size);
	return result;
}

void kfd_gem_forked(void)
{
	memset(tables, 0, sizeof tables);
}
