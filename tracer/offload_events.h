/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the event schema (events.h) about OpenMP target regions, as the OpenMP runtime tells
 * tools of them (OpenMP 5.1, chapter 4, "OMPT Interface"). Numbers are the interface's own.
 *
 * Order: omp_target begins before what the region does and ends after it, on the same thread.
 * omp_data is recorded after the operation, a deletion before it. omp_content follows its omp_data.
 */
#ifndef HIPGRAIN_TRACER_OFFLOAD_EVENTS_H
#define HIPGRAIN_TRACER_OFFLOAD_EVENTS_H

#include <stdint.h>

#define HG_OFFLOAD_EVENTS(EVENT) \
	EVENT(omp_runtime)       \
	EVENT(omp_device)        \
	EVENT(omp_target)        \
	EVENT(omp_data)          \
	EVENT(omp_content)       \
	EVENT(omp_map)           \
	EVENT(omp_submit)

/*
 * What hsa_amd_memory_pool_allocate's `alloc` has in flags beside the pool's
 * hsa_amd_memory_pool_global_flag_t (1 kernel arguments, 2 fine-grained, 4 coarse-grained): the
 * pool is a GPU's.
 */
#define HG_POOL_OF_DEVICE ((uint64_t)1 << 32)

/* ompt_scope_endpoint_t */
enum hg_omp_endpoint {
	HG_OMP_BEGIN = 1,
	HG_OMP_END = 2,
	HG_OMP_BEGIN_END = 3,
};

/* ompt_target_t; 9 to 12 are 1 to 4 with `nowait` */
enum hg_omp_target_kind {
	HG_OMP_TARGET = 1,
	HG_OMP_ENTER_DATA = 2,
	HG_OMP_EXIT_DATA = 3,
	HG_OMP_UPDATE = 4,
};
#define HG_OMP_NOWAIT 8

/* ompt_target_data_op_t, the asynchronous ones (16 more) as their synchronous counterparts */
enum hg_omp_op {
	HG_OMP_ALLOC = 1,
	HG_OMP_TO_DEVICE = 2,
	HG_OMP_FROM_DEVICE = 3,
	HG_OMP_DELETE = 4,
	HG_OMP_ASSOCIATE = 5,
	HG_OMP_DISASSOCIATE = 6,
};

/* An OpenMP runtime that took us as its tool, when it started. */
struct hg_ev_omp_runtime {
	const char *version;  /* as it names itself */
	uint32_t omp_version; /* of its interface, as a date: 201611 */
	uint64_t callbacks;   /* 1 << ompt_callbacks_t of those that it promised to call */
};

/* A device that the runtime has made ready. */
struct hg_ev_omp_device {
	int32_t device;
	const char *type;
	const char *documentation; /* of its tracing interface, mostly empty */
};

/* A target construct begins or ends. */
struct hg_ev_omp_target {
	uint8_t kind; /* ompt_target_t: 1 target, 2 enter data, 3 exit data, 4 update, +8 nowait */
	uint8_t endpoint; /* 1 begin, 2 end */
	int32_t device;
	uint32_t stack_id;
};

/* Memory of a device was allocated, filled, read or deleted. */
struct hg_ev_omp_data {
	uint32_t op_id; /* from 1, per process */
	uint8_t op; /* 1 alloc, 2 to device, 3 from device, 4 delete, 5 associate, 6 disassociate */
	uint64_t src; /* alloc: the host's address, 0 for omp_target_alloc; delete: the device's */
	uint64_t dst; /* alloc: the device's address */
	int32_t src_device;
	int32_t dst_device;
	uint64_t size; /* a delete's is 0 */
	uint64_t duration;
	uint32_t stack_id;
};

/* What a transfer carried: the same number, the same bytes (as far as 64 bits can tell). */
struct hg_ev_omp_content {
	uint32_t op_id;
	uint64_t hash; /* 0: not read, because that would have taken too long */
};

/* One item of a map clause; few runtimes tell. */
struct hg_ev_omp_map {
	uint64_t host;
	uint64_t device;
	uint64_t size;
	uint32_t flags; /* ompt_target_map_flag_t */
	uint32_t stack_id;
};

/* A target region's kernel is about to run. */
struct hg_ev_omp_submit {
	int32_t device;
	uint32_t teams; /* as requested, 0: the runtime chooses */
	uint32_t stack_id;
};

#endif
