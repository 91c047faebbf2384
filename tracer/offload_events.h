/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the event schema (events.h) about OpenMP target regions, as the OpenMP runtime
 * reports them to tools (OpenMP 5.1, chapter 4, "OMPT Interface"). Numbers are the interface's own.
 *
 * Order: omp_target begins before what the region does and ends after it, on the same thread.
 * omp_data is recorded after the operation, a deletion before it. omp_content follows its omp_data.
 */
#ifndef HIPGRAIN_TRACER_OFFLOAD_EVENTS_H
#define HIPGRAIN_TRACER_OFFLOAD_EVENTS_H

#include <stdint.h>

/*
 * Is set in the flags of the `alloc` of hsa_amd_memory_pool_allocate and hsa_memory_allocate,
 * beside the pool's hsa_amd_memory_pool_global_flag_t (1 kernel arguments, 2 fine-grained, 4
 * coarse-grained), if the pool is a GPU's.
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

#endif
