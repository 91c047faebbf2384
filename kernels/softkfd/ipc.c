// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of one process in another, by a key that travels between them in whatever way. It says
 * which process has the memory as which descriptor, and which file that is: the key of memory that
 * was freed opens nothing else.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The key holds the process, its descriptor, the file's inode number (32 bits), and the exporter's
 * flags. */
enum { PROCESS, DESCRIPTOR, INODE, FLAGS };

int kfd_ipc_export(void *argument, size_t size)
{
	struct kfd_arg_ipc_export *args = argument;
	struct kfd_object *object;
	int error = -EINVAL;

	(void)size;
	if (kfd_gpu_number(args->gpu_id) < 0)
		return -EINVAL;
	/* The bytes move: nothing of the device's may run. */
	kfd_queues_hold();
	kfd_memory_lock();
	object = kfd_object_find(args->handle);
	if (object)
		error = kfd_object_share(object);
	if (!error) {
		args->share[PROCESS] = (uint32_t)getpid();
		args->share[DESCRIPTOR] = (uint32_t)object->file;
		args->share[INODE] = (uint32_t)object->inode;
		args->share[FLAGS] = args->flags;
		sg_log("ipc: %#lx may be opened as file %d", object->address, object->file);
	}
	kfd_memory_unlock();
	kfd_queues_release();
	return error;
}

int kfd_ipc_import(void *argument, size_t size)
{
	struct kfd_arg_ipc_import *args = argument;
	struct kfd_object *object;
	struct kfd_file look;
	char path[64];
	int file, error;

	(void)size;
	if (kfd_gpu_number(args->gpu_id) < 0)
		return -EINVAL;
	snprintf(path, sizeof path, "/proc/%u/fd/%u", args->share[PROCESS],
		 args->share[DESCRIPTOR]);
	file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (file < 0) {
		sg_warn("memory of process %u can't be opened: %s: %s", args->share[PROCESS], path,
			strerror(errno));
		return -EINVAL;
	}
	error = kfd_file_look(file, &look);
	if (!error && (uint32_t)look.inode != args->share[INODE])
		error = -EINVAL;
	if (error) {
		sg_warn("memory of process %u does not exist any more", args->share[PROCESS]);
		goto out;
	}
	kfd_memory_lock();
	error = kfd_object_import(file, &object);
	if (!error && object->gpu != (unsigned)kfd_gpu_number(args->gpu_id)) {
		kfd_object_release(object);
		error = -EINVAL;
	}
	if (!error)
		error = kfd_adopt(object, args->address, &args->handle);
	if (!error) {
		args->mmap_offset = object->mmap_offset;
		args->flags = args->share[FLAGS];
		sg_log("ipc: %lu bytes of process %u at %#lx", object->size, args->share[PROCESS],
		       args->address);
	}
	kfd_memory_unlock();
out:
	syscall(SYS_close, file);
	return error;
}
