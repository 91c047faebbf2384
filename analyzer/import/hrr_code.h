/* SPDX-License-Identifier: Apache-2.0 */
/* The code objects of a process's capture, and their kernels. */
#ifndef HIPGRAIN_IMPORT_HRR_CODE_H
#define HIPGRAIN_IMPORT_HRR_CODE_H

#include "analyzer/import/hrr_calls.h"
#include "analyzer/reader/event.h"

struct hrr_code;

/* A kernel that was launched. */
struct hrr_kernel {
	uint32_t id;
	const struct codeobj_kernel *layout; /* NULL: not known */
};

/*
 * Prepares for the code of `process`. Code objects are written into directory `folder`, named as in
 * a bundle; `event` is given code_object and kernel before their first use, without time and
 * thread.
 */
struct hrr_code *hrr_code_new(const struct hrr_process *process, int folder,
			      void (*event)(const struct hg_event *event, void *user), void *user);
void hrr_code_free(struct hrr_code *code);

/* Returns the target of a code object: "" if it is not known. */
const char *hrr_code_target(struct hrr_code *code, const uint64_t hash[2]);

const struct hrr_kernel *hrr_code_kernel(struct hrr_code *code, const struct hrr_launch *launch);

#endif
