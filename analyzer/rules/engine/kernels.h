/* SPDX-License-Identifier: Apache-2.0 */
/* The machine code of launched kernels: from the bundle's code-objects/, analysed once. */
#ifndef HIPGRAIN_RULES_KERNELS_H
#define HIPGRAIN_RULES_KERNELS_H

#include "analyzer/isa/isa.h"
#include "analyzer/rules/engine/findings.h"
#include "codeobj/codeobj.h"

struct kernels;

/* `directory` holds one file per code object, named by its SHA-256. */
struct kernels *kernels_new(const char *directory);
void kernels_free(struct kernels *kernels);

/*
 * Returns the analysis of a kernel of `process`, owned by `kernels`, or NULL if its machine code
 * cannot be had; the reason is then among the findings' limits. *arch is the code object's
 * architecture, for a generic one that of the GPU ("" if there are several).
 */
const struct isa_kernel *kernels_find(struct kernels *kernels, const struct process *process,
				      const struct kernel_ref *kernel, struct findings *findings,
				      const char **arch);

/*
 * The same with what a launch with these arguments can execute (isa_given()); `args` may be NULL.
 * There are then several of one kernel, with the same `symbol`.
 */
const struct isa_kernel *kernels_find_launched(struct kernels *kernels,
					       const struct process *process,
					       const struct kernel_ref *kernel,
					       struct kernel_args *args, struct findings *findings,
					       const char **arch);

/*
 * Returns what the kernel's atomics do in a launch (evaluations.h), or NULL if that cannot be had.
 */
const struct isa_evaluation *kernels_evaluate(struct kernels *kernels,
					      const struct process *process,
					      const struct kernel_ref *kernel,
					      const struct isa_launch *launch);

/*
 * Returns the major release of clang that compiled the kernel's code object, 0 if unknown; *amd is
 * true for AMD's.
 */
int kernels_clang(const struct kernels *kernels, const struct process *process,
		  const struct kernel_ref *kernel, bool *amd);

/*
 * Remember how the atomics of kernel `symbol` of a process were compiled (the caller's bits), and
 * return the bits of all its variants for that architecture so far.
 */
unsigned kernels_modes(struct kernels *kernels, const struct process *process, const char *symbol,
		       const char *arch, unsigned modes);

/*
 * Fills in what the metadata of a kernel's code object says of the memory that it needs:
 * private_size, vgpr_spills and dynamic_stack of *resources. Returns false if that cannot be had.
 */
bool kernels_resources(struct kernels *kernels, const struct process *process,
		       const struct kernel_ref *kernel, struct codeobj_kernel *resources);

/* Returns the source file of the instruction at `offset` from the kernel's entry, for g_free(), and
 * its line; NULL if that is not known. *merged: as isa_line_at(). */
char *kernels_line(const struct kernels *kernels, const struct process *process,
		   const struct kernel_ref *kernel, int64_t offset, unsigned *line, bool *merged);

#endif
