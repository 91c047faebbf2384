/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are OpenMP target regions: the same hazards as HIP's, in the terms of those who
 * wrote a directive (HG801).
 */
#ifndef HIPGRAIN_OPENMP_H
#define HIPGRAIN_OPENMP_H

#include "analyzer/rules/atomics/page_reach.h"

/* HG801: the hardware atomic is lost on this memory, which was not mapped. */
void omp_lost(const struct rules_context *context, const struct launch *launch,
	      const struct isa_atomic *atomic, const char *operation,
	      const struct pointer_argument *pointer, const struct grain *grain,
	      const struct pages_used *used);

/* Fixes for compare-and-swap loops; to be freed. */
char *omp_loop_fix(const struct launch *launch);
char *omp_fast_fix(const struct launch *launch);

#endif
