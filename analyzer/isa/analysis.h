/* SPDX-License-Identifier: Apache-2.0 */
/* The files that analyse one code object share this. */
#ifndef HIPGRAIN_ISA_ANALYSIS_H
#define HIPGRAIN_ISA_ANALYSIS_H

#include <pthread.h>

#include "arch.h"
#include "debug_image.h"
#include "decode.h"
#include "flow.h"
#include "code_image.h"
#include "insn.h"
#include "isa.h"
#include "lines.h"
#include "codeobj/codeobj.h"

/* The debug information of a code object, which threads that analyse it share. */
struct isa_analysis_debug {
	pthread_mutex_t lock;
	bool tried;
	struct debug_image image; /* valid once tried; data NULL if it cannot be read */
	char problem[256];        /* why not; "" if it can, or there is none */
};

/* Everything that is open while one code object is being analysed. */
struct isa_analysis {
	struct isa_image image;
	const struct arch *arch;
	const char *backend; /* the disassembler requested, or NULL */
	/* By lanes of a wave, 32 and 64: the same bytes may be printed differently. */
	struct decoder *decoder[2];
	struct program program[2];
	struct isa_analysis_debug *debug; /* NULL: no lines */
	struct lines *lines;              /* of this thread: libdw keeps what it read in it */
	struct codeobj_metadata *metadata;
	bool has_image, has_program[2], lines_tried;
	/* A kernel's code was read by another disassembler than the others', or by none. */
	bool mixed;
};

/*
 * Open a code object: `analysis` zeroed before, closed after (also on failure) with
 * analysis_close(). Sets object->target and ->arch. Returns 0 or a negative errno, with the message
 * in *error.
 */
int analysis_open(struct isa_analysis *analysis, const void *elf, size_t size,
		  const struct isa_options *options, struct isa_code_object *object, char **error);
void analysis_close(struct isa_analysis *analysis);

/* Open analysis->lines, unless that was done; they stay NULL without debug information. */
void analysis_open_lines(struct isa_analysis *analysis);

/*
 * Gets the decoded code for kernels with that many lanes a wave; `analysis` owns it. Returns
 * -ENOTSUP if no disassembler knows them, with a static text in *why.
 */
int analysis_program(struct isa_analysis *analysis, unsigned wave_size, struct program **program,
		     const char **why);

/* Reads the registers at the entry of a kernel from the descriptor of that name
 * (docs/code-objects.md#kernel-descriptor). */
int kernel_descriptor(const struct isa_analysis *analysis, const char *symbol,
		      struct flow_entry *entry, char **error);

/* Finds names of arguments, as far as debug information has them. Returns 0 or -ENOMEM. */
int kernel_name_arguments(const struct isa_analysis *analysis, const struct codeobj_kernel *from,
			  struct isa_kernel *kernel);

/*
 * Finds lines, names and members of what was found in the code, and which atomics are services';
 * once. `flow` is the analysis that found it; NULL: it was another kernel's, whose code called
 * nothing. `incomplete_pc` is the instruction that is the reason why uses are incomplete, or 0.
 * Returns 0 or -ENOMEM.
 */
int names_find(struct isa_analysis *analysis, const struct flow *flow,
	       const struct flow_entry *entry, uint64_t incomplete_pc, struct isa_kernel *kernel);

/* Finds the members' names on the paths of an origin found apart. Returns 0 or -ENOMEM. */
int names_paths(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		const struct isa_paths *paths);

/* Finds everything about the kernel `from` of the metadata note. `kernel` is zeroed before. */
int kernel_analyse(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		   const struct isa_options *options, struct isa_kernel *kernel, char **error);

/* Does what isa_session_evaluate() does, for a kernel of the metadata note. */
int kernel_evaluate(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		    const struct isa_launch *launch, struct isa_evaluation **out, char **error);

/* These find facts from the descriptor; and from the code, after the kernel's uses. The latter
 * returns 0 or -ENOMEM. */
void facts_begin(const struct isa_analysis *analysis, const struct flow_entry *entry,
		 struct isa_kernel *kernel);
int facts_end(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
	      const struct codeobj_kernel *from, struct isa_kernel *kernel);

/* Release what a kernel's result owns. */
void isa_kernel_clear(struct isa_kernel *kernel);

/* Release what an origin owns. */
void isa_origin_clear(struct isa_origin *origin);

/* Set *error, unless it is NULL or set already; returns `status`. */
int isa_fail(char **error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
