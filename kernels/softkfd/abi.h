/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of the requests of /dev/kfd, version 1.17 (linux/kfd_ioctl.h): under names of our own, as
 * the headers of Debian 11 and 12 lack those of later releases. Sizes and offsets are the kernel's
 * interface; a caller of an older one gives fewer bytes. Comments say what comes from the caller
 * ("in"), goes to it ("out") or both ways.
 */
#ifndef SOFTKFD_ABI_H
#define SOFTKFD_ABI_H

#include <stdint.h>

#define KFD_IOCTL_TYPE 'K'

/* Bits 62 and 63 of the offset of an mmap of /dev/kfd; bits 46 to 61 have the GPU's id. */
enum kfd_mmap_type { KFD_MMAP_MMIO, KFD_MMAP_RESERVED, KFD_MMAP_EVENTS, KFD_MMAP_DOORBELL };
#define KFD_MMAP_TYPE_SHIFT 62
#define KFD_MMAP_GPU_SHIFT  46

struct kfd_arg_version {
	uint32_t major, minor; /* out */
};

enum kfd_queue_type {
	KFD_QUEUE_PM4,
	KFD_QUEUE_SDMA,
	KFD_QUEUE_AQL,
	KFD_QUEUE_SDMA_XGMI,
	KFD_QUEUE_SDMA_BY_ENGINE,
};

struct kfd_arg_create_queue {
	uint64_t ring;                               /* in */
	uint64_t write_pointer, read_pointer;        /* in: their addresses */
	uint64_t doorbell_offset;                    /* out */
	uint32_t ring_size;                          /* in, bytes */
	uint32_t gpu_id, type, percentage, priority; /* in */
	uint32_t queue_id;                           /* out */
	uint64_t eop, eop_size;                      /* in */
	uint64_t save_area;                          /* in */
	uint32_t save_area_size, control_stack_size; /* in */
	uint32_t sdma_engine;                        /* in */
	uint32_t pad;
};

struct kfd_arg_destroy_queue {
	uint32_t queue_id; /* in */
	uint32_t pad;
};

struct kfd_arg_update_queue {
	uint64_t ring;                                      /* in */
	uint32_t queue_id, ring_size, percentage, priority; /* in */
};

struct kfd_arg_cu_mask {
	uint32_t queue_id, bits; /* in */
	uint64_t mask;           /* in: address of words */
};

struct kfd_arg_available_memory {
	uint64_t available; /* out */
	uint32_t gpu_id;    /* in */
	uint32_t pad;
};

struct kfd_arg_memory_policy {
	uint64_t alternate_base, alternate_size;                /* in */
	uint32_t gpu_id, default_policy, alternate_policy, pad; /* in */
};

struct kfd_arg_clock_counters {
	uint64_t gpu, cpu, system, system_frequency; /* out */
	uint32_t gpu_id;                             /* in */
	uint32_t pad;
};

struct kfd_apertures {
	uint64_t lds_base, lds_limit;         /* out */
	uint64_t scratch_base, scratch_limit; /* out */
	uint64_t gpuvm_base, gpuvm_limit;     /* out */
	uint32_t gpu_id;                      /* out */
	uint32_t pad;
};

struct kfd_arg_apertures {
	struct kfd_apertures apertures[7]; /* out */
	uint32_t count;                    /* out */
	uint32_t pad;
};

struct kfd_arg_apertures_new {
	uint64_t apertures; /* in: address of `count` struct kfd_apertures */
	uint32_t count;     /* in, out */
	uint32_t pad;
};

enum kfd_event_type {
	KFD_EVENT_SIGNAL,
	KFD_EVENT_NODE_CHANGE,
	KFD_EVENT_DEVICE_STATE_CHANGE,
	KFD_EVENT_HW_EXCEPTION,
	KFD_EVENT_SYSTEM,
	KFD_EVENT_DEBUG,
	KFD_EVENT_PROFILE,
	KFD_EVENT_QUEUE,
	KFD_EVENT_MEMORY,
};
#define KFD_EVENT_LIMIT 4096u

struct kfd_arg_create_event {
	uint64_t page_offset;  /* in: handle of the page's memory; out */
	uint32_t trigger_data; /* out */
	uint32_t type;         /* in */
	uint32_t auto_reset;   /* in */
	uint32_t node_id;      /* in */
	uint32_t event_id;     /* out */
	uint32_t slot_index;   /* out */
};

/* The argument of the requests that set, reset or destroy an event, too. */
struct kfd_arg_event {
	uint32_t event_id; /* in */
	uint32_t pad;
};

struct kfd_memory_exception {
	uint32_t not_present, read_only, no_execute, imprecise;
	uint64_t address;
	uint32_t gpu_id, error_type;
};

struct kfd_hw_exception {
	uint32_t reset_type, reset_cause, memory_lost, gpu_id;
};

struct kfd_event_data {
	union {
		struct kfd_memory_exception memory; /* out */
		struct kfd_hw_exception exception;  /* out */
		uint64_t last_age; /* in, out; signal events, from version 1.14 on */
	};
	uint64_t extension;
	uint32_t event_id; /* in */
	uint32_t pad;
};

enum kfd_wait_result { KFD_WAIT_COMPLETE, KFD_WAIT_TIMEOUT, KFD_WAIT_FAIL };
#define KFD_WAIT_FOREVER UINT32_MAX

struct kfd_arg_wait_events {
	uint64_t events;     /* in: address of `count` struct kfd_event_data */
	uint32_t count, all; /* in */
	uint32_t timeout_ms; /* in */
	uint32_t result;     /* out */
};

struct kfd_arg_scratch_backing {
	uint64_t address;     /* in */
	uint32_t gpu_id, pad; /* in */
};

struct kfd_arg_tile_config {
	uint64_t tiles, macro_tiles;           /* in: addresses of arrays */
	uint32_t tile_count, macro_tile_count; /* in, out */
	uint32_t gpu_id;                       /* in */
	uint32_t gb_addr_config, banks, ranks; /* out */
};

struct kfd_arg_trap_handler {
	uint64_t code, memory; /* in */
	uint32_t gpu_id, pad;  /* in */
};

struct kfd_arg_acquire_vm {
	uint32_t drm_fd, gpu_id; /* in */
};

enum kfd_alloc_flag {
	KFD_ALLOC_VRAM = 1u << 0,
	KFD_ALLOC_GTT = 1u << 1,
	KFD_ALLOC_USERPTR = 1u << 2,
	KFD_ALLOC_DOORBELL = 1u << 3,
	KFD_ALLOC_MMIO_REMAP = 1u << 4,
	KFD_ALLOC_CONTIGUOUS = 1u << 23,
	KFD_ALLOC_EXT_COHERENT = 1u << 24,
	KFD_ALLOC_UNCACHED = 1u << 25,
	KFD_ALLOC_COHERENT = 1u << 26,
	KFD_ALLOC_AQL_QUEUE = 1u << 27,
	KFD_ALLOC_NO_SUBSTITUTE = 1u << 28,
	KFD_ALLOC_PUBLIC = 1u << 29,
	KFD_ALLOC_EXECUTABLE = 1u << 30,
};
#define KFD_ALLOC_WRITABLE (1u << 31)

struct kfd_arg_alloc_memory {
	uint64_t address, size; /* in */
	uint64_t handle;        /* out */
	uint64_t mmap_offset;   /* in: the host's address of userptr memory; out: where to map from
				   the render node */
	uint32_t gpu_id, flags; /* in */
};

struct kfd_arg_free_memory {
	uint64_t handle; /* in */
};

/* The argument of the request to unmap, too. */
struct kfd_arg_map_memory {
	uint64_t handle;  /* in */
	uint64_t gpu_ids; /* in: address of `count` words of 32 bits */
	uint32_t count;   /* in */
	uint32_t done;    /* in: how many to skip; out */
};

struct kfd_arg_queue_gws {
	uint32_t queue_id, count; /* in */
	uint32_t first;           /* out */
	uint32_t pad;
};

struct kfd_arg_dmabuf_info {
	uint64_t size;          /* out */
	uint64_t metadata;      /* in: address */
	uint32_t metadata_size; /* in, out */
	uint32_t gpu_id, flags; /* out */
	uint32_t fd;            /* in */
};

struct kfd_arg_import_dmabuf {
	uint64_t address;    /* in */
	uint64_t handle;     /* out */
	uint32_t gpu_id, fd; /* in */
};

struct kfd_arg_export_dmabuf {
	uint64_t handle; /* in */
	uint32_t flags;  /* in */
	uint32_t fd;     /* out */
};

struct kfd_arg_smi_events {
	uint32_t gpu_id; /* in */
	uint32_t fd;     /* out */
};

struct kfd_svm_attribute {
	uint32_t type, value;
};

enum kfd_svm_operation { KFD_SVM_SET, KFD_SVM_GET };

enum kfd_svm_type {
	KFD_SVM_PREFERRED,
	KFD_SVM_PREFETCH,
	KFD_SVM_ACCESS,
	KFD_SVM_ACCESS_IN_PLACE,
	KFD_SVM_NO_ACCESS,
	KFD_SVM_SET_FLAGS,
	KFD_SVM_CLEAR_FLAGS,
	KFD_SVM_GRANULARITY,
};

enum kfd_svm_flag {
	KFD_SVM_HOST_ACCESS = 1u << 0,
	KFD_SVM_COHERENT = 1u << 1,
	KFD_SVM_HIVE_LOCAL = 1u << 2,
	KFD_SVM_GPU_READ_ONLY = 1u << 3,
	KFD_SVM_GPU_EXECUTE = 1u << 4,
	KFD_SVM_READ_MOSTLY = 1u << 5,
	KFD_SVM_ALWAYS_MAPPED = 1u << 6,
	KFD_SVM_EXT_COHERENT = 1u << 7,
};

#define KFD_SVM_SYSTEM    0u
#define KFD_SVM_UNDEFINED UINT32_MAX

struct kfd_arg_svm {
	uint64_t start, size;                  /* in, bytes */
	uint32_t operation, count;             /* in */
	struct kfd_svm_attribute attributes[]; /* in, out */
};

struct kfd_arg_xnack_mode {
	int32_t enabled; /* in; out if it was -1 */
};

struct kfd_arg_runtime_enable {
	uint64_t debug;        /* in: address */
	uint32_t mode;         /* in */
	uint32_t capabilities; /* out */
};

/* The two that are not in the kernel's own sources. */
struct kfd_arg_ipc_export {
	uint64_t handle;        /* in */
	uint32_t share[4];      /* out */
	uint32_t gpu_id, flags; /* in */
};

struct kfd_arg_ipc_import {
	uint64_t handle;      /* out */
	uint64_t address;     /* in */
	uint64_t mmap_offset; /* out */
	uint32_t share[4];    /* in */
	uint32_t gpu_id;      /* in */
	uint32_t flags;       /* out */
};

#endif
