/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A KFD in user space: what the files of this folder share. The library is preloaded into a process
 * that uses AMD's own HSA runtime, and answers what that runtime asks of the kernel driver: device
 * files, topology, ioctls, queues in memory. The interpreter (kernels/softgpu/interp) executes.
 *
 * Numbers: a GPU is its number from 0; KFD's name for it is SG_KFD_ID(gpu)
 * (kernels/softgpu/host/host_pages.h). Errors: functions return 0 or a negative errno, unless they
 * say otherwise. Locks, in this order: queue list, queue step, SVM, memory; those of events and
 * devices are leaves.
 */
#ifndef SOFTKFD_KFD_H
#define SOFTKFD_KFD_H

#include "kernels/softgpu/host/svm.h"
#include "kernels/softkfd/abi.h"

#include <sys/stat.h>
#include <sys/types.h>

/* ---- the libc below: libc_below.c. These are the real functions, whoever else is preloaded. ----
 */

int kfd_real_open(const char *path, int flags, mode_t mode);
int kfd_real_ioctl(int fd, unsigned long request, void *argument);
void *kfd_real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int kfd_real_madvise(void *address, size_t size, int advice);
int kfd_real_close(int fd);
/* Moves the file to a number that programs which number descriptors themselves hardly use, and
 * returns it; `fd` itself if there is none. */
int kfd_high(int fd);

/* A descriptor of the driver's. The program may close it, and have a file of its own by the same
 * number, of which no byte may change. */
struct kfd_own {
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
};

/* Returns `fd`, moved by kfd_high(), with what it is recognised by. */
struct kfd_own kfd_own(int fd);
bool kfd_is_own(const struct kfd_own *own);
/* Closes it if it is still the driver's; it is none then. */
void kfd_close_own(struct kfd_own *own);

/* ---- device files: devices.c ---- */

/* The kinds of a descriptor. A descriptor is recognised by its file's device and inode numbers, so
 * dup() and fork() need no attention. */
/* KFD_STALE: it was opened by the process that forked this one. */
enum kfd_device { KFD_NOT_OURS, KFD_DEVICE, KFD_RENDER_NODE, KFD_STALE };

/* Returns the kind of `fd`, and in *gpu the GPU of a render node. */
enum kfd_device kfd_device_of(int fd, unsigned *gpu);
/* Returns true if this process has opened a device. */
bool kfd_device_opened(void);
/* Returns the same for a file with these numbers (struct stat). */
enum kfd_device kfd_device_known(dev_t device, ino_t inode, unsigned *gpu);
/* Stores in `room` the path to open for the render node of `gpu`, or for /dev/kfd if `gpu` is -1.
 * Returns false if there is no such device. */
bool kfd_device_path(int gpu, char *room);

/* Reads the settings and opens what the process needs, once and again in a forked child; false
 * after a message. */
bool kfd_start(void);

/* ---- ioctls: ioctl.c; which there are: ioctls.def ---- */

/*
 * Answers request number `number` ('K') or a DRM request. `argument` is a copy of the caller's
 * structure, zero-extended to that of the handler, of which the caller gave `size` bytes; it is
 * copied back.
 */
typedef int kfd_handler(void *argument, size_t size);
int kfd_ioctl(unsigned long request, void *argument);
/* Returns true if that request waits for events. */
bool kfd_ioctl_waits(unsigned long request);
int kfd_drm_ioctl(unsigned gpu, int fd, unsigned long request, void *argument);

/* Returns `room` with " of libhsa-runtime64.so.1.5.0, libamdhip64.so.5.2.21153" or the like, for
 * messages about requests; "" if none of AMD's libraries is loaded. */
#define KFD_ASKER_ROOM 256
const char *kfd_asker(char *room);
/* Warns if the loaded HSA runtime has no such processor: it takes such a GPU for none, and HIP may
 * crash then. */
void kfd_check_asker(void);

/* mmap of /dev/kfd: the offset has its type in bits 62 and 63 (uapi kfd_ioctl.h). Returns
 * MAP_FAILED with errno. */
void *kfd_mmap(void *address, size_t size, int protection, int flags, uint64_t offset);

/* The handlers in ioctl.c itself. */
kfd_handler kfd_get_version, kfd_set_memory_policy, kfd_get_clock_counters, kfd_get_apertures,
    kfd_get_apertures_new, kfd_get_tile_config, kfd_acquire_vm, kfd_smi_events, kfd_runtime_enable;

/* Returns the processor's name, "gfx90a" (kfd_machine.c). */
const char *kfd_arch_name(void);

/* ---- topology.c: the files that AMD's thunk and libdrm read ---- */

/* Returns the number of the GPU that KFD calls `gpu_id`, or -1. */
int kfd_gpu_number(uint32_t gpu_id);
/* The path to open instead of `path`, in `room` of KFD_PATH_ROOM bytes; NULL: `path` is none of
 * ours. */
#define KFD_PATH_ROOM 4096
const char *kfd_path(const char *path, char *room);
/* Returns false for most of the paths that are none of ours, quickly. */
bool kfd_path_may_be_ours(const char *path);

/* ---- memory: memory.c; also softgpu_page_state() and what else kernels/softgpu/softgpu.h requires
 * ---- */

kfd_handler kfd_alloc_memory, kfd_free_memory, kfd_map_memory, kfd_unmap_memory,
    kfd_available_memory, kfd_svm_request, kfd_set_xnack_mode, kfd_get_dmabuf_info,
    kfd_import_dmabuf, kfd_export_dmabuf, kfd_ipc_import, kfd_ipc_export;

/* Offsets of render nodes' mappings begin here, as DRM's do. */
#define KFD_RENDER_OFFSET (UINT64_C(1) << 32)
/* Maps memory of the object that `offset` names (its mmap_offset), as mmap of a render node does.
 * Returns MAP_FAILED with errno set on failure. */
void *kfd_render_mmap(unsigned gpu, void *address, size_t size, int protection, int flags,
		      uint64_t offset);
/* Returns the host address of the first byte of the object `handle`, NULL if there is none; its
 * size in *size, in bytes. */
void *kfd_object_host(uint64_t handle, uint64_t *size);
/* Returns the host pointer behind GPU address `address` if GPU `gpu` may read (or else write) all
 * `size` bytes there contiguously; NULL if not. */
void *kfd_memory_host(unsigned gpu, uint64_t address, uint64_t size, bool write);
/*
 * Returns the same for the first bytes only, and in *span how many of `size` those are. Before a
 * kernel or a copy is begun, sg_svm_new_epoch() looks at the host's mappings anew; with
 * sg_settings.migration sg_pages_park() follows each kernel, and copies of the device's are between
 * sg_pages_hold() and sg_pages_release().
 */
void *kfd_memory_span(unsigned gpu, uint64_t address, uint64_t size, bool write, uint64_t *span);
/* Maps the page that ROCr writes to in order to flush HDP (mmap type 0). */
void *kfd_mmio_mmap(unsigned gpu, void *address, size_t size, int protection, int flags);
/* DRM requests about memory (GEM, PRIME), of render node `gpu`. -ENOTTY: it is another request. */
int kfd_gem_ioctl(unsigned gpu, int fd, unsigned long request, void *argument);
/* The process is a forked child: everything of the parent's is forgotten. */
void kfd_memory_forked(void);

/* ---- queues: queue.c, aql.c, sdma.c, doorbell.c ---- */

/* The GPUs' clock, which signals' times, s_memrealtime and GET_CLOCK_COUNTERS have. */
#define KFD_GPU_HZ 100000000u
static inline uint64_t kfd_gpu_ticks(void)
{
	return sg_now_ns() / (1000000000u / KFD_GPU_HZ);
}

kfd_handler kfd_create_queue, kfd_destroy_queue, kfd_update_queue, kfd_set_cu_mask,
    kfd_alloc_queue_gws, kfd_set_scratch_backing, kfd_set_trap_handler;

/* Maps the page of doorbells of GPU `gpu` (mmap type 3). */
void *kfd_doorbell_mmap(unsigned gpu, void *address, size_t size, int protection, int flags);
/* Something that a queue may wait for has changed: look at all of them. */
void kfd_queues_wake(void);
/* No packet is executed between these two calls; a copy of memory's content (sharing) needs that.
 */
void kfd_queues_hold(void);
void kfd_queues_release(void);
/* Returns the number of queues that this process has on `gpu`. */
unsigned kfd_queue_count(unsigned gpu);
void kfd_queues_forked(void);

/* ---- what is shown of processes: kfd_process.c ---- */

/* The handlers of queues, and what is shown of queues. */
kfd_handler kfd_process_create_queue, kfd_process_destroy_queue;
/* Shows this process as a user of the driver, from now on. */
void kfd_process_enter(void);
void kfd_process_forked(void);

/* ---- events: kfd_events.c ---- */

kfd_handler kfd_create_event, kfd_destroy_event, kfd_set_event, kfd_reset_event, kfd_wait_events;

/* Maps the page of events (mmap type 2). */
void *kfd_events_mmap(void *address, size_t size, int protection, int flags);
/* Sets event `id` as a GPU's interrupt does; unknown ids are ignored as the driver ignores them. */
void kfd_event_raise(uint32_t id);

/* The memory access fault of a GPU. */
struct kfd_fault {
	unsigned gpu;
	uint64_t address;
	bool not_present, read_only, no_execute;
};
/* Wakes the threads that wait for memory events. The GPU is stopped. */
void kfd_event_memory_fault(const struct kfd_fault *fault);
/* Raises the hardware exception events of GPU `gpu`. */
void kfd_event_exception(unsigned gpu);
void kfd_events_forked(void);

#endif
