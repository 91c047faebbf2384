/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory objects of the driver, as memory.c shares them with dmabuf.c, ipc.c and gem.c. All of this
 * is called with the lock (kfd_memory_lock), unless a function says otherwise.
 */
#ifndef SOFTKFD_MEMORY_H
#define SOFTKFD_MEMORY_H

#include "kernels/softkfd/kfd.h"

struct kfd_object {
	unsigned references;     /* its handle, each GEM handle, each mapping */
	uint32_t flags;          /* KFD_ALLOC_* */
	unsigned gpu;            /* the GPU of the request */
	int node;                /* number of the GPU that has the memory, or SG_NO_NODE */
	uint64_t size;           /* bytes, whole pages */
	uint64_t address;        /* address at which a request to map puts it; 0: none */
	uint64_t host;           /* address of its first byte in this process */
	uint64_t mmap_offset;    /* offset by which the program maps it; 0: it can't */
	uint32_t gpus;           /* the GPUs that it is mapped for at `address` */
	int file;                /* descriptor of its file; -1: none, it is in the arena */
	uint64_t device, inode;  /* of the file */
	bool imported;           /* it is another process', who was charged for it */
	struct kfd_object *next; /* of those in files */
};

/* A part of the GPUs' address space. */
struct kfd_mapping {
	uint64_t start, end;
	struct kfd_object *object;
	uint64_t offset;  /* in the object */
	uint32_t gpus;    /* the GPUs that have access */
	uint32_t readers; /* the GPUs among them that may only read */
	bool kept;        /* it stays if no GPU has access */
};

void kfd_memory_lock(void);
void kfd_memory_unlock(void);

/* Returns the object that `handle` names, or NULL. */
struct kfd_object *kfd_object_find(uint64_t handle);
/* Returns a handle for `object`, which takes over the caller's reference. 0: out of memory. */
uint64_t kfd_object_name(struct kfd_object *object);
/* The handle names nothing any more. */
void kfd_object_unname(uint64_t handle);
void kfd_object_hold(struct kfd_object *object);
/* The last one releases the memory. */
void kfd_object_release(struct kfd_object *object);
/* Returns the object that the program may map from a render node at `offset`, or NULL. */
struct kfd_object *kfd_object_by_offset(uint64_t offset);

/* The description of a file that holds memory. */
struct kfd_file {
	unsigned gpu, flags;
	int node;
	uint64_t size; /* bytes of the object */
	uint64_t device, inode;
};
/* Describes `file` in *look. Returns -EBADF if it is no descriptor, -EINVAL if it holds no memory
 * of ours. Needs no lock. */
int kfd_file_look(int file, struct kfd_file *look);
/* Returns the object that `file` holds, or NULL. */
struct kfd_object *kfd_object_by_file(int file);
/* New memory of `size` bytes of GPU `gpu`. -ENOMEM: it has no more. */
int kfd_object_create(unsigned gpu, uint64_t size, uint32_t flags, struct kfd_object **result);
/* Makes an object of the memory in `file`, another process' or this one's; the descriptor is
 * duplicated. */
int kfd_object_import(int file, struct kfd_object **result);
/*
 * Puts it into a file of its own, at the same addresses, unless it is in one already. No kernel or
 * copy may run meanwhile (kfd_queues_hold, before the lock), and what a thread of the program
 * stores there in that moment may get lost. -EPERM: it is the program's own memory.
 */
int kfd_object_share(struct kfd_object *object);

/* Returns the number of bytes of a GPU's memory that are not allocated. Needs no lock. */
uint64_t kfd_memory_room(unsigned gpu);
/* Counts the bytes of each GPU's memory that are allocated in `place` from now on. */
void kfd_memory_count_in(uint64_t *place);
void kfd_objects_forked(void);

/* ---- the GPUs' address space: memory.c ---- */

/*
 * Map [offset, offset + size) of `object` at `address` for the GPUs `gpus`, of which `readers` may
 * not write, in addition to those for which it is mapped there; without any, keep the place: it is
 * not used for others until kfd_unmap_all(). -EINVAL: something else is there, or that is no
 * address.
 */
int kfd_map(struct kfd_object *object, uint64_t address, uint64_t offset, uint64_t size,
	    uint32_t gpus, uint32_t readers);
/* Takes the mapping of exactly that range from `gpus`. Returns -EINVAL if there is none. */
int kfd_unmap(uint64_t address, uint64_t size, uint32_t gpus);
/* Nothing is exactly there any more. */
void kfd_unmap_all(uint64_t address, uint64_t size);
/* The object is mapped for `gpus` nowhere but where its place is kept. */
void kfd_unmap_object(const struct kfd_object *object, uint32_t gpus);
/* Is something of a driver's memory mapped for a GPU in [start, end)? Takes the lock itself. */
bool kfd_memory_holds(uint64_t start, uint64_t end);

/* ---- dmabuf.c, gem.c ---- */

/* The notes that a program leaves at memory for the processes it shares it with (amdgpu_drm.h); the
 * driver keeps them. */
struct kfd_metadata {
	uint64_t flags, tiling;
	uint32_t size; /* bytes of `data` */
	uint32_t data[64];
	uint32_t pad;
};

/*
 * Read and write the metadata of the object of `size` bytes that `file` holds, behind its bytes.
 * Nothing was noted: zeros. These need no lock.
 */
int kfd_metadata_read(int file, uint64_t size, struct kfd_metadata *metadata);
int kfd_metadata_write(int file, uint64_t size, const struct kfd_metadata *metadata);

/* Returns a descriptor of the file of a shared object, with O_CLOEXEC if `flags` has it. */
int kfd_file_open(const struct kfd_object *object, unsigned flags);
/* Gives an imported object a handle and a place at `address`, or releases it on failure. */
int kfd_adopt(struct kfd_object *object, uint64_t address, uint64_t *handle);
void kfd_gem_forked(void);

/* ---- arena.c ---- */

/* Least number of addresses that the driver's memory takes. */
#define KFD_ARENA_LEAST (UINT64_C(1) << 36)

/* Address of `bytes` bytes, whole pages, of zeros or (unless negative) of `file`. 0: there are
 * none. */
uint64_t kfd_arena_take(uint64_t bytes, int file);
void kfd_arena_give(uint64_t start);
/* Move what is in [start, start + bytes) into `file`, which is mapped at *place then. */
int kfd_arena_export(uint64_t start, uint64_t bytes, int file, uint64_t *place);
/*
 * Does what mlockall(MCL_CURRENT) is to do, which would fill what the driver has only reserved:
 * locks the program's mappings one by one. Those of devices are not locked, nor what cannot be
 * accessed. `on_fault`: with MCL_ONFAULT.
 */
int kfd_arena_lock_all(bool on_fault);
/* Maps what is mapped at `start`, by mmap(2), not a file. */
void *kfd_arena_view(uint64_t start, void *address, size_t bytes, int protection, int flags);
void kfd_arena_forked(void);

/* Copies from or to the program's memory. 0 or -EFAULT. Without the lock, too. */
int kfd_copy_in(void *to, uint64_t from, size_t size);
int kfd_copy_out(uint64_t to, const void *from, size_t size);

#endif
