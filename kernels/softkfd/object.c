// SPDX-License-Identifier: Apache-2.0
/* Memory objects: their handles, what memory is left, and how the program maps them. */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By handle: the number within a handle is the index. NULL: free. */
static struct kfd_object **names;
static size_t name_count;
/* The objects with an offset, in that order. */
static struct kfd_object **offsets;
static size_t offset_count, offset_capacity;
static uint64_t next_offset = KFD_RENDER_OFFSET; /* none is used again */

static struct kfd_object *in_files;
static void leave(struct kfd_object *object);

static uint64_t own_count[SG_MAX_GPUS], *vram_used = own_count, system_used;

void kfd_memory_lock(void)
{
	pthread_mutex_lock(&lock);
}

void kfd_memory_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static uint64_t page_up(uint64_t size)
{
	return (size + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
}

/* ---- how much there is ---- */

/* The driver leaves the system a part of its memory (amdgpu_amdkfd_gpuvm_init_mem_limits). */
static uint64_t system_limit(void)
{
	struct sysinfo info;
	uint64_t total;

	if (sysinfo(&info))
		return UINT64_MAX;
	total = (uint64_t)info.totalram * info.mem_unit;
	return total - total / 64;
}

static bool take(uint64_t *used, uint64_t size, uint64_t limit)
{
	if (size > limit || *used > limit - size)
		return false;
	__atomic_store_n(used, *used + size, __ATOMIC_RELAXED);
	return true;
}

static bool on_apu_node(uint32_t flags)
{
	return sg_settings.apu && flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT | KFD_ALLOC_USERPTR);
}

/*
 * Charges the memory. The driver takes memory of APUs from the operating system, which goes on to
 * other nodes where one is full [AMDGPU186].
 */
static int charge(struct kfd_object *object)
{
	unsigned gpus = (unsigned)sg_settings.gpus;

	object->node =
	    object->flags & KFD_ALLOC_VRAM || sg_settings.apu ? (int)object->gpu : SG_NO_NODE;
	if (object->imported ||
	    !(object->flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT | KFD_ALLOC_USERPTR)))
		return 0;
	if (on_apu_node(object->flags)) {
		for (unsigned i = 0; i < gpus; i++) {
			unsigned node = (object->gpu + i) % gpus;

			if (!take(&vram_used[node], object->size, sg_settings.vram))
				continue;
			if (i)
				sg_log("memory: node %u is full, %lu bytes come from node %u",
				       object->gpu, object->size, node);
			object->node = (int)node;
			return 0;
		}
		return -ENOMEM;
	}
	if (object->flags & KFD_ALLOC_VRAM)
		return take(&vram_used[object->gpu], object->size, sg_settings.vram) ? 0 : -ENOMEM;
	return take(&system_used, object->size, system_limit()) ? 0 : -ENOMEM;
}

static void discharge(const struct kfd_object *object)
{
	uint64_t *used = object->node != SG_NO_NODE ? &vram_used[object->node] : &system_used;

	if (!object->imported &&
	    object->flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT | KFD_ALLOC_USERPTR))
		__atomic_store_n(used, *used - object->size, __ATOMIC_RELAXED);
}

uint64_t kfd_memory_room(unsigned gpu)
{
	const uint64_t *used = __atomic_load_n(&vram_used, __ATOMIC_ACQUIRE);

	return sg_settings.vram - __atomic_load_n(&used[gpu], __ATOMIC_RELAXED);
}

void kfd_memory_count_in(uint64_t *place)
{
	kfd_memory_lock();
	memcpy(place, vram_used, sizeof own_count);
	__atomic_store_n(&vram_used, place, __ATOMIC_RELEASE);
	kfd_memory_unlock();
}

/* ---- handles ---- */

static unsigned gpu_of(uint64_t handle)
{
	return (unsigned)kfd_gpu_number((uint32_t)(handle >> 32));
}

struct kfd_object *kfd_object_find(uint64_t handle)
{
	uint32_t index = (uint32_t)handle;
	struct kfd_object *object = index < name_count ? names[index] : NULL;

	return object && object->gpu == gpu_of(handle) ? object : NULL;
}

uint64_t kfd_object_name(struct kfd_object *object)
{
	size_t index = 0;

	while (index < name_count && names[index])
		index++;
	if (index == name_count) {
		size_t larger = name_count ? name_count * 2 : 64;
		struct kfd_object **moved = realloc(names, larger * sizeof *moved);

		if (!moved)
			return 0;
		memset(moved + name_count, 0, (larger - name_count) * sizeof *moved);
		names = moved;
		name_count = larger;
	}
	names[index] = object;
	return (uint64_t)SG_KFD_ID((int)object->gpu) << 32 | index;
}

void kfd_object_unname(uint64_t handle)
{
	struct kfd_object *object = kfd_object_find(handle);

	if (!object)
		return;
	names[(uint32_t)handle] = NULL;
	kfd_object_release(object);
}

void kfd_object_hold(struct kfd_object *object)
{
	object->references++;
}

void *kfd_object_host(uint64_t handle, uint64_t *size)
{
	struct kfd_object *object;
	void *host = NULL;

	*size = 0;
	kfd_memory_lock();
	object = kfd_object_find(handle);
	if (object) {
		host = (void *)(uintptr_t)object->host;
		*size = object->size;
	}
	kfd_memory_unlock();
	return host;
}

/* ---- where the program maps them ---- */

static int add_offset(struct kfd_object *object)
{
	if (offset_count == offset_capacity) {
		size_t larger = offset_capacity ? offset_capacity * 2 : 64;
		struct kfd_object **moved = realloc(offsets, larger * sizeof *moved);

		if (!moved)
			return -ENOMEM;
		offsets = moved;
		offset_capacity = larger;
	}
	object->mmap_offset = next_offset;
	next_offset += object->size;
	offsets[offset_count++] = object;
	return 0;
}

static size_t offset_index(uint64_t offset)
{
	size_t low = 0, high = offset_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (offsets[middle]->mmap_offset + offsets[middle]->size <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct kfd_object *kfd_object_by_offset(uint64_t offset)
{
	size_t index = offset_index(offset);

	return index < offset_count && offsets[index]->mmap_offset <= offset ? offsets[index]
									     : NULL;
}

void *kfd_render_mmap(unsigned gpu, void *address, size_t size, int protection, int flags,
		      uint64_t offset)
{
	struct kfd_object *object;
	void *place = MAP_FAILED;
	int error = EINVAL;

	kfd_memory_lock();
	object = kfd_object_by_offset(offset);
	if (object)
		offset -= object->mmap_offset;
	if (object && object->gpu == gpu && size && !(offset % SOFTGPU_PAGE_SIZE) &&
	    page_up(size) >= size && page_up(size) <= object->size - offset) {
		if (object->file >= 0)
			place = kfd_real_mmap(address, size, protection, flags | MAP_SHARED,
					      object->file, (off_t)offset);
		else
			place = kfd_arena_view(object->host + offset, address, page_up(size),
					       protection, flags);
		error = errno;
	}
	kfd_memory_unlock();
	if (place == MAP_FAILED)
		errno = error;
	return place;
}

/* ---- their life ---- */

static void close_file(const struct kfd_object *object)
{
	struct kfd_own file = { object->file, object->device, object->inode };

	kfd_close_own(&file);
}

static void destroy(struct kfd_object *object)
{
	if (object->mmap_offset) {
		size_t index = offset_index(object->mmap_offset);

		memmove(&offsets[index], &offsets[index + 1],
			(offset_count - index - 1) * sizeof *offsets);
		offset_count--;
	}
	if (object->flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT))
		kfd_arena_give(object->host);
	if (object->file >= 0) {
		leave(object);
		close_file(object);
	}
	discharge(object);
	free(object);
}

void kfd_object_release(struct kfd_object *object)
{
	if (!--object->references)
		destroy(object);
}

static struct kfd_object *new_object(unsigned gpu, uint64_t size, uint32_t flags)
{
	struct kfd_object *object = calloc(1, sizeof *object);

	if (object)
		*object = (struct kfd_object){
			.references = 1, .flags = flags, .gpu = gpu, .size = size, .file = -1
		};
	return object;
}

int kfd_object_create(unsigned gpu, uint64_t size, uint32_t flags, struct kfd_object **result)
{
	struct kfd_object *object;
	int error;

	if (!size || page_up(size) < size)
		return size ? -ENOMEM : -EINVAL;
	object = new_object(gpu, page_up(size), flags);
	if (!object)
		return -ENOMEM;
	error = charge(object);
	if (error) {
		free(object);
		return error;
	}
	if (flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT)) {
		object->host = kfd_arena_take(object->size, -1);
		if (!object->host || add_offset(object)) {
			kfd_object_release(object);
			return -ENOMEM;
		}
	}
	*result = object;
	return 0;
}

/*
 * ---- in files, for other processes ----
 *
 * What a file holds its name says; its last page has the metadata.
 */

#define FILE_NAME "softkfd-memory-%u-%x-%d"

int kfd_file_look(int file, struct kfd_file *look)
{
	char path[64], name[128];
	struct stat status;
	ssize_t length;
	int node;

	if (syscall(SYS_fstat, file, &status))
		return -errno;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	length = syscall(SYS_readlink, path, name, sizeof name - 1);
	if (length <= 0)
		return -EINVAL;
	name[length] = 0;
	if (!S_ISREG(status.st_mode) || status.st_size <= SOFTGPU_PAGE_SIZE ||
	    status.st_size % SOFTGPU_PAGE_SIZE ||
	    sscanf(name, "/memfd:" FILE_NAME, &look->gpu, &look->flags, &node) != 3 ||
	    look->gpu >= sg_settings.gpus || node < SG_NO_NODE || node >= (int)sg_settings.gpus)
		return -EINVAL;
	look->node = node;
	look->size = (uint64_t)status.st_size - SOFTGPU_PAGE_SIZE;
	look->device = status.st_dev;
	look->inode = status.st_ino;
	return 0;
}

static void enter(struct kfd_object *object, int file, const struct kfd_file *look)
{
	object->file = file;
	object->device = look->device;
	object->inode = look->inode;
	object->next = in_files;
	in_files = object;
}

static void leave(struct kfd_object *object)
{
	struct kfd_object **at = &in_files;

	while (*at && *at != object)
		at = &(*at)->next;
	if (*at)
		*at = object->next;
}

struct kfd_object *kfd_object_by_file(int file)
{
	struct kfd_object *object = in_files;
	struct kfd_file look;

	if (kfd_file_look(file, &look))
		return NULL;
	while (object && (object->inode != look.inode || object->device != look.device))
		object = object->next;
	return object;
}

int kfd_object_share(struct kfd_object *object)
{
	char name[64];
	uint64_t place;
	int file, error;
	struct kfd_file look;

	if (object->file >= 0)
		return 0;
	/* The pages of others are not the driver's to give (amdgpu_gem_prime_export). */
	if (!(object->flags & (KFD_ALLOC_VRAM | KFD_ALLOC_GTT)))
		return -EPERM;
	snprintf(name, sizeof name, FILE_NAME, object->gpu, object->flags, object->node);
	file = kfd_high((int)syscall(SYS_memfd_create, name, MFD_CLOEXEC));
	if (file < 0)
		return -errno;
	error = ftruncate(file, (off_t)(object->size + SOFTGPU_PAGE_SIZE)) ? -errno : 0;
	if (!error)
		error = kfd_arena_export(object->host, object->size, file, &place);
	if (!error)
		error = kfd_file_look(file, &look);
	if (error) {
		syscall(SYS_close, file);
		return error;
	}
	object->host = place;
	enter(object, file, &look);
	sg_memory_changed();
	return 0;
}

int kfd_object_import(int file, struct kfd_object **result)
{
	struct kfd_object *object;
	struct kfd_file look;
	int error = kfd_file_look(file, &look);

	if (error)
		return error;
	object = new_object(look.gpu, look.size, look.flags);
	if (!object)
		return -ENOMEM;
	object->imported = true;
	object->node = look.node;
	enter(object, kfd_high(fcntl(file, F_DUPFD_CLOEXEC, 0)), &look);
	object->host = object->file < 0 ? 0 : kfd_arena_take(object->size, object->file);
	if (!object->host || add_offset(object)) {
		kfd_object_release(object);
		return -ENOMEM;
	}
	*result = object;
	return 0;
}

/* ---- the program's memory ---- */

#define PIPE_PART 4096ul

/* Copies the same by more system calls, for containers that forbid process_vm_readv(). */
static int copy_by_pipe(char *to, const char *from, size_t size)
{
	int ends[2], result = 0;

	if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	for (size_t done = 0; done < size && !result; done += PIPE_PART) {
		size_t part = size - done < PIPE_PART ? size - done : PIPE_PART;

		if (syscall(SYS_write, ends[1], from + done, part) != (long)part ||
		    syscall(SYS_read, ends[0], to + done, part) != (long)part)
			result = -EFAULT;
	}
	kfd_real_close(ends[0]);
	kfd_real_close(ends[1]);
	return result;
}

static int copied(long count, void *to, const void *from, size_t size)
{
	if (count < 0 && (errno == EPERM || errno == ENOSYS))
		return copy_by_pipe(to, from, size);
	return count == (long)size ? 0 : -EFAULT;
}

int kfd_copy_in(void *to, uint64_t from, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)from, size };

	if (!size)
		return 0;
	return copied(syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul), to,
		      remote.iov_base, size);
}

int kfd_copy_out(uint64_t to, const void *from, size_t size)
{
	struct iovec local = { (void *)(uintptr_t)from, size };
	struct iovec remote = { (void *)(uintptr_t)to, size };

	if (!size)
		return 0;
	return copied(syscall(SYS_process_vm_writev, getpid(), &local, 1ul, &remote, 1ul, 0ul),
		      remote.iov_base, from, size);
}

void kfd_objects_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	if (names)
		memset(names, 0, name_count * sizeof *names);
	for (const struct kfd_object *object = in_files; object; object = object->next)
		close_file(object);
	in_files = NULL;
	offset_count = 0;
	vram_used = own_count;
	memset(own_count, 0, sizeof own_count);
	system_used = 0;
	kfd_arena_forked();
}
