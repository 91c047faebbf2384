/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about memory (abi.h). */
#ifndef SOFTKFD_ABI_MEMORY_H
#define SOFTKFD_ABI_MEMORY_H

#include <stdint.h>

/* Of `flags` of an allocation: which memory, and how it may be used. */
#define KFD_MEMORY_VRAM          (UINT32_C(1) << 0)
#define KFD_MEMORY_GTT           (UINT32_C(1) << 1)
#define KFD_MEMORY_USERPTR       (UINT32_C(1) << 2)
#define KFD_MEMORY_DOORBELL      (UINT32_C(1) << 3)
#define KFD_MEMORY_MMIO          (UINT32_C(1) << 4)
#define KFD_MEMORY_KINDS         UINT32_C(0x1f)
#define KFD_MEMORY_EXT_COHERENT  (UINT32_C(1) << 24)
#define KFD_MEMORY_UNCACHED      (UINT32_C(1) << 25)
#define KFD_MEMORY_COHERENT      (UINT32_C(1) << 26)
#define KFD_MEMORY_AQL_QUEUE     (UINT32_C(1) << 27)
#define KFD_MEMORY_NO_SUBSTITUTE (UINT32_C(1) << 28)
#define KFD_MEMORY_PUBLIC        (UINT32_C(1) << 29)
#define KFD_MEMORY_EXECUTABLE    (UINT32_C(1) << 30)
#define KFD_MEMORY_WRITABLE      (UINT32_C(1) << 31)

struct kfd_alloc_memory_args {
	uint64_t address, size;
	uint64_t handle;      /* out */
	uint64_t mmap_offset; /* in: the host's address (USERPTR); out */
	uint32_t gpu_id, flags;
};

struct kfd_free_memory_args {
	uint64_t handle;
};

/* Of mapping and unmapping. */
struct kfd_map_memory_args {
	uint64_t handle;
	uint64_t gpu_ids; /* address of `count` uint32_t */
	uint32_t count;
	uint32_t done; /* in and out: how many of them */
};

struct kfd_available_memory_args {
	uint64_t available; /* out */
	uint32_t gpu_id, pad;
};

struct kfd_xnack_mode_args {
	int32_t mode; /* negative: which is it? (out) */
};

enum kfd_svm_operation { KFD_SVM_SET, KFD_SVM_GET };

enum kfd_svm_type {
	KFD_SVM_PREFERRED,
	KFD_SVM_PREFETCH,
	KFD_SVM_ACCESS,
	KFD_SVM_IN_PLACE,
	KFD_SVM_NO_ACCESS,
	KFD_SVM_SET_FLAGS,
	KFD_SVM_CLEAR_FLAGS,
	KFD_SVM_GRANULARITY,
};

#define KFD_SVM_SYSTEM    UINT32_C(0) /* locations: the host */
#define KFD_SVM_UNDEFINED UINT32_MAX

struct kfd_svm_attribute {
	uint32_t type, value;
};

/* The request's size grows with the attributes. */
struct kfd_svm_args {
	uint64_t start, size;
	uint32_t operation, count;
	struct kfd_svm_attribute attributes[];
};

struct kfd_dmabuf_info_args {
	uint64_t size;          /* out */
	uint64_t metadata;      /* address of a buffer */
	uint32_t metadata_size; /* in and out */
	uint32_t gpu_id, flags; /* out */
	uint32_t fd;
};

struct kfd_import_dmabuf_args {
	uint64_t address;
	uint64_t handle; /* out */
	uint32_t gpu_id, fd;
};

struct kfd_export_dmabuf_args {
	uint64_t handle;
	uint32_t flags; /* of open(2) */
	uint32_t fd;    /* out */
};

#define KFD_IPC_KEY 4
struct kfd_ipc_export_args {
	uint64_t handle;
	uint32_t key[KFD_IPC_KEY]; /* out */
	uint32_t gpu_id, flags;
};

struct kfd_ipc_import_args {
	uint64_t handle; /* out */
	uint64_t address;
	uint64_t mmap_offset; /* out */
	uint32_t key[KFD_IPC_KEY];
	uint32_t gpu_id;
	uint32_t flags; /* out */
};

#endif
