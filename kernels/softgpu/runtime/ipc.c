// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of one process in another (hipIpcGetMemHandle). Only what is exported is put into a file
 * that has no name in any directory; the other process opens it through /proc, which asks for the
 * same user. Both sides see the same pages, each at an address of its own.
 */
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define MAGIC 0x63706973u

/* hsa_amd_ipc_memory_t, 32 bytes that travel between the processes. */
struct handle {
	uint32_t magic;
	uint32_t process;
	uint32_t file;
	uint32_t pool; /* by number */
	uint64_t size; /* as allocated */
	uint64_t nonce;
};
_Static_assert(sizeof(struct handle) == sizeof(hsa_amd_ipc_memory_t), "size of an IPC handle");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The descriptor may mean another file by now; its name tells. */
static void file_name(uint64_t nonce, char name[64])
{
	snprintf(name, 64, "softgpu-%016lx", nonce);
}

/* Descriptor of an exported allocation, or -1. */
static int open_file(const struct handle *handle)
{
	char path[64], name[64], expected[96], link[128];
	ssize_t length;
	int file;

	snprintf(path, sizeof path, "/proc/%u/fd/%u", handle->process, handle->file);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0) {
		sg_warn("hsa_amd_ipc_memory_attach: %s: %s", path, strerror(errno));
		return -1;
	}
	file_name(handle->nonce, name);
	snprintf(expected, sizeof expected, "/memfd:%s (deleted)", name);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	length = readlink(path, link, sizeof link - 1);
	if (length > 0)
		link[length] = 0;
	if (length <= 0 || strcmp(link, expected)) {
		sg_warn("hsa_amd_ipc_memory_attach: the memory does not exist any more");
		close(file);
		return -1;
	}
	return file;
}

hsa_status_t hsa_amd_ipc_memory_create(void *pointer, size_t size, hsa_amd_ipc_memory_t *result)
{
	struct sg_mapping *mapping = sg_memory_find((uint64_t)(uintptr_t)pointer);
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct handle handle = { .magic = MAGIC, .process = (uint32_t)getpid() };
	char link[128], path[64], name[64];
	ssize_t length;

	if (!result || !mapping || mapping->kind != SG_POOL || mapping->attached ||
	    mapping->gpu != (uint64_t)(uintptr_t)pointer || size > mapping->size)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	if (!mapping->file) {
		if (getrandom(&handle.nonce, sizeof handle.nonce, 0) != sizeof handle.nonce) {
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
			goto out;
		}
		file_name(handle.nonce, name);
		/* The bytes move: nothing of the device's may run. */
		sg_work_exclude(SG_WORK_QUEUES);
		sg_work_exclude(SG_WORK_COPIES);
		if (sg_memory_share(mapping, name) < 0)
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
		sg_work_end(SG_WORK_COPIES);
		sg_work_end(SG_WORK_QUEUES);
		if (status)
			goto out;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", mapping->file);
	length = readlink(path, link, sizeof link - 1);
	link[length > 0 ? length : 0] = 0;
	if (sscanf(link, "/memfd:softgpu-%lx ", &handle.nonce) != 1) {
		status = HSA_STATUS_ERROR;
		goto out;
	}
	handle.file = (uint32_t)mapping->file;
	handle.pool = sg_pool_number(mapping->pool);
	handle.size = mapping->request;
	memcpy(result, &handle, sizeof handle);
	sg_log("ipc: %p+%zu may be opened as file %d", pointer, size, mapping->file);
out:
	pthread_mutex_unlock(&lock);
	return status;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *given, size_t size,
				       uint32_t count, const hsa_agent_t *agents, void **pointer)
{
	struct sg_mapping *mapping;
	struct handle handle;
	struct sg_pool *pool;
	uint32_t gpus;
	off_t length;
	int file;

	if (!given || !pointer || (count && !agents))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	memcpy(&handle, given, sizeof handle);
	pool = sg_pool_by_number(handle.pool);
	if (handle.magic != MAGIC || !pool || !handle.size)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!sg_pool_reachable(count, agents, pool->agent, &gpus))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	file = open_file(&handle);
	if (file < 0)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	length = lseek(file, 0, SEEK_END);
	/* Beyond the file's end there is no memory. */
	if (length < 0 || handle.size > (uint64_t)length || size > (uint64_t)length) {
		close(file);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	mapping = sg_memory_attach(file, handle.size, sg_pool_state(pool),
				   gpus | sg_gpu_bit(pool->agent), pool);
	if (!mapping) {
		close(file);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	*pointer = (void *)(uintptr_t)mapping->gpu;
	sg_log("ipc: %lu bytes of process %u at %p", handle.size, handle.process, *pointer);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_ipc_memory_detach(void *pointer)
{
	struct sg_mapping *mapping = sg_memory_find((uint64_t)(uintptr_t)pointer);

	if (!mapping || !mapping->attached || mapping->gpu != (uint64_t)(uintptr_t)pointer)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	sg_log("ipc: detach %p", pointer);
	sg_memory_free(mapping);
	return HSA_STATUS_SUCCESS;
}
