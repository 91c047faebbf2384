// SPDX-License-Identifier: Apache-2.0
/*
 * Memory objects as descriptors, which the driver makes of them for other drivers and processes
 * (dmabuf): here those of the memory file that holds the object.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int kfd_file_open(const struct kfd_object *object, unsigned flags)
{
	int fd = fcntl(object->file, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);

	return fd < 0 ? -errno : fd;
}

int kfd_metadata_read(int file, uint64_t size, struct kfd_metadata *metadata)
{
	ssize_t length = pread(file, metadata, sizeof *metadata, (off_t)size);

	if (length < 0)
		return -errno;
	return length == sizeof *metadata ? 0 : -EINVAL;
}

int kfd_metadata_write(int file, uint64_t size, const struct kfd_metadata *metadata)
{
	ssize_t length = pwrite(file, metadata, sizeof *metadata, (off_t)size);

	if (length < 0)
		return -errno;
	return length == sizeof *metadata ? 0 : -ENOSPC;
}

int kfd_get_dmabuf_info(void *argument, size_t size)
{
	struct kfd_arg_dmabuf_info *args = argument;
	struct kfd_metadata metadata;
	struct kfd_file look;
	int error = kfd_file_look((int)args->fd, &look);

	(void)size;
	if (!error)
		error = kfd_metadata_read((int)args->fd, look.size, &metadata);
	if (error)
		return error;
	if (args->metadata) {
		if (args->metadata_size < metadata.size)
			return -EINVAL;
		if (kfd_copy_out(args->metadata, metadata.data, metadata.size))
			return -EFAULT;
	}
	args->size = look.size;
	args->metadata_size = metadata.size;
	args->gpu_id = SG_KFD_ID((int)look.gpu);
	args->flags =
	    (look.flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT)) | (look.flags & KFD_ALLOC_PUBLIC);
	return 0;
}

int kfd_adopt(struct kfd_object *object, uint64_t address, uint64_t *handle)
{
	object->address = address;
	*handle = kfd_object_name(object);
	if (!*handle) {
		kfd_object_release(object);
		return -EFAULT;
	}
	if (address)
		(void)kfd_map(object, address, 0, object->size, SG_NO_GPU, SG_NO_GPU);
	return 0;
}

int kfd_import_dmabuf(void *argument, size_t size)
{
	struct kfd_arg_import_dmabuf *args = argument;
	int gpu = kfd_gpu_number(args->gpu_id), error;
	struct kfd_object *object;

	(void)size;
	if (gpu < 0)
		return -EINVAL;
	kfd_memory_lock();
	error = kfd_object_import((int)args->fd, &object);
	if (!error && object->gpu != (unsigned)gpu) {
		/* "Can't handle buffer from other device" */
		kfd_object_release(object);
		error = -EINVAL;
	}
	if (!error)
		error = kfd_adopt(object, args->address, &args->handle);
	kfd_memory_unlock();
	return error;
}

int kfd_export_dmabuf(void *argument, size_t size)
{
	struct kfd_arg_export_dmabuf *args = argument;
	struct kfd_object *object;
	int fd = -EINVAL;

	(void)size;
	if (args->flags & ~(unsigned)(O_CLOEXEC | O_ACCMODE))
		return -EINVAL;
	/* The bytes move: nothing of the device's may run. */
	kfd_queues_hold();
	kfd_memory_lock();
	object = kfd_object_find(args->handle);
	if (object)
		fd = kfd_object_share(object);
	if (!fd)
		fd = kfd_file_open(object, args->flags);
	kfd_memory_unlock();
	kfd_queues_release();
	if (fd < 0)
		return fd;
	args->fd = (uint32_t)fd;
	return 0;
}
