/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From where on a use is worth a word, for the rules about sequences of calls. None of these is a
 * property of hardware: they keep small programs and single calls out of the report.
 */
#ifndef HIPGRAIN_RULES_THRESHOLDS_H
#define HIPGRAIN_RULES_THRESHOLDS_H

#define SMALL_COPY            (64u * 1024) /* bytes; HG502: smaller ones. HG505, HG506: not */
#define SMALL_COPY_RUN        16           /* HG502: copies in a row */
#define LARGE_COPY            (64u * 1024 * 1024) /* bytes; HG503 */
#define LARGE_COPY_REPEATS    4                   /* HG503: a single upload is nothing to tune */
#define BLOCKING_REPEATS      16                  /* HG506: copies of one call site */
#define ALLOCATION_PAIRS      16                  /* HG608: allocations and releases of one site */
#define LEAKED_BLOCKS         16 /* HG608: of one call site, launches between them */
#define MIGRATION_BLOCK       (2u * 1024 * 1024) /* bytes; HG303: what a fault moves. KFD */
#define MIGRATION_LAUNCHES    4                  /* HG303, HG307 */
#define STORM_FAULTS          8u         /* HG301: of one launch, in the memory of one call stack */
#define STORM_LAUNCHES        2          /* HG301: the first use of fresh pages is not a storm */
#define TRIPS                 3u         /* HG302: times that a block comes back */
#define STOPS                 2          /* HG309 */
#define PREFETCHES            4096       /* HG304, HG305: calls that are followed */
#define REMOTE_SIZE           (1u << 20) /* bytes; HG307: caches hold less */
#define PREFETCH_SIZE         (16u << 20) /* bytes; HG306 */
#define PREFETCH_REPEATS      4           /* HG306 */
#define PREFETCH_NS           1000000     /* HG306: shorter calls can be a scheduler's doing */
#define PREFETCH_BYTES_PER_NS 64          /* HG306: no link is faster; a call that is cannot wait */
#define HEAVY_PRIVATE         4096        /* bytes of scratch memory a work-item; HG907 */
#define HEAVY_ITEMS           65536       /* HG907: work-items of the largest launch */
#define HEAVY_LAUNCHES        4           /* HG907 */
#define OMP_SIZE              4096 /* bytes; HG504, HG505, HG803, HG804: of host memory mapped */
#define OMP_REPEATS           3    /* HG505, HG803: transfers of the same bytes */
#define OMP_ALLOCATIONS       16   /* HG803: copies that were only made and deleted */

#endif
