/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are OpenMP target regions: the same hazards as HIP's, told in the terms of who
 * wrote a directive (HG801, HG802, HG806).
 */
#ifndef HIPGRAIN_OPENMP_H
#define HIPGRAIN_OPENMP_H

#include "analyzer/rules/page_reach.h"

/* Clang and flang name the kernels of target regions "__omp_offloading_...". */
bool launch_is_omp(const struct launch *launch);
/* ... and the place is the operating system's memory, used in place. */
bool is_omp_system(const struct launch *launch, const struct place *place);

/* HG801: the hardware atomic is lost on this memory, which was not mapped. */
void omp_lost(const struct rules_context *context, const struct launch *launch,
	      const struct isa_atomic *atomic, const char *operation,
	      const struct pointer_argument *pointer, const struct grain *grain,
	      const struct pages_used *used);

/* Fixes for compare-and-swap loops; to be freed. */
char *omp_loop_fix(const struct launch *launch);
char *omp_fast_fix(const struct launch *launch);

/* HG806: the region uses memory that the GPU cannot reach. */
void omp_unreachable(const struct rules_context *context, const struct launch *launch,
		     const struct isa_use *use, const struct pointer_argument *pointer,
		     const struct grain *grain);

#endif
