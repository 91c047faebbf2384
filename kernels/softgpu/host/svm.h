/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of host memory as the driver keeps them (svm.c), for those who set and report them.
 * GPUs are their numbers.
 */
#ifndef SOFTGPU_SVM_H
#define SOFTGPU_SVM_H

#include "host_pages.h"

/* The driver's flags (KFD_IOCTL_SVM_FLAG_* of kfd_ioctl.h). */
#define SG_SVM_HOST_ACCESS   1u
#define SG_SVM_COHERENT      2u
#define SG_SVM_HIVE_LOCAL    4u
#define SG_SVM_READ_ONLY     8u
#define SG_SVM_EXECUTE       16u
#define SG_SVM_READ_MOSTLY   32u
#define SG_SVM_ALWAYS_MAPPED 64u
#define SG_SVM_EXT_COHERENT  128u

/* Instead of a GPU or SG_WITH_HOST. */
#define SG_NOWHERE ((int)SG_MAX_GPUS)

/* SG_ACCESS_PRESET: what XNACK makes of it. The rest from the least to the most restrictive. */
enum sg_reach { SG_ACCESS_PRESET, SG_ACCESS_MIGRATE, SG_ACCESS_IN_PLACE, SG_ACCESS_NONE };

struct sg_attributes {
	enum sg_reach access[SG_MAX_GPUS];
	unsigned flags;
	unsigned granularity;
	int preferred;  /* a GPU, SG_WITH_HOST or SG_NOWHERE */
	int prefetched; /* the node that the pages were moved to on request; SG_NOWHERE: never */
};

/* The attributes of pages that were given none. */
extern const struct sg_attributes sg_svm_preset;

/* Returns the access that `gpu` has under these attributes, in the XNACK mode of the process. */
enum sg_reach sg_svm_access(const struct sg_attributes *attributes, unsigned gpu);

/*
 * Calls `change` for the attributes of each part of [start, end), whole pages. 0; -EFAULT: not all
 * of it is mapped; -ENOMEM.
 */
int sg_svm_change(uint64_t start, uint64_t end, void (*change)(struct sg_attributes *, void *),
		  void *data);
/*
 * Calls `look` for each part of [start, end) that has attributes, and with `gaps` for those with
 * the presets. The same values, but only with `gaps` 0 where it is not mapped.
 */
int sg_svm_look(uint64_t start, uint64_t end, bool gaps,
		void (*look)(const struct sg_attributes *, void *), void *data);
/* A prefetch of [start, end), which has attributes, to GPU `place` or SG_WITH_HOST. */
void sg_svm_prefetch(uint64_t start, uint64_t end, int place);
/* Has a part of [start, end) attributes other than the presets, which a GPU's fault gives it? */
bool sg_svm_given(uint64_t start, uint64_t end);
/* Is the host's memory at `address` there, as of this epoch? [*first, *last): of its mapping. */
bool sg_svm_mapped(uint64_t address, uint64_t *first, uint64_t *last);
/* The process is a forked child: nothing has attributes. */
void sg_svm_forked(void);

/* ---- for the GPU's address space ---- */

/* Returns the page state for GPU `gpu` of a host address that no HSA mapping holds; 0 if the GPU
 * can't reach it. */
unsigned sg_svm_page_state(unsigned gpu, uint64_t address);
/* Returns the same, and in [*first, *last) the addresses around it that share the state. */
unsigned sg_svm_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			  uint64_t *last);
/* Host mappings may have changed: check them again before the next use. */
void sg_svm_new_epoch(void);

#endif
