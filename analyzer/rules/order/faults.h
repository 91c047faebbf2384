/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access faults of GPUs: where they were, and which findings they prove. */
#ifndef HIPGRAIN_FAULTS_H
#define HIPGRAIN_FAULTS_H

#include "analyzer/rules/engine/rule_api.h"

struct fault;

struct fault_row {
	struct process *process; /* borrowed */
	uint64_t address;        /* the first byte of the page, where a page is missing */
	uint32_t reason;         /* hsa_amd_memory_fault_reason_t */
	int32_t device;          /* -1: unknown */
	int64_t ns;
	enum place_kind kind;          /* of `address` when it happened */
	struct allocation *allocation; /* a reference; NULL: none there or near */
	uint64_t offset;               /* into it; PLACE_PAST_END: bytes after its end */
	bool vague;                    /* `allocation` has a part of the page alone */
	char *module;                  /* PLACE_STATIC: path, or NULL */
	char *rules;                   /* "HG601, HG607": findings that name this memory */
};

/* hsa_amd_memory_fault_reason_t (hsa_ext_amd.h of ROCr 6.2) */
#define FAULT_ABSENT    1u
#define FAULT_READ_ONLY 2u
#define FAULT_HARDWARE  (16u | 64u | 0x80000000u) /* it says nothing about the program */

/* "page not present"; the caller frees. */
char *fault_reason(uint32_t mask);

/* Returns the section of the report: struct fault_row. */
const GPtrArray *faults_result(const struct findings *findings);

/* Makes a finding for a fault that no other one names, and returns its rule (fault_report.c). */
enum rule_id report_fault(const struct rules_context *context, struct fault_row *row,
			  struct fault *fault);

#define QUEUE_ERROR "queue error" /* the subject of findings about queues that stopped */

/* Makes a finding for an error that stopped a queue (fault_report.c). */
void report_queue_error(const struct rules_context *context);

/* Notes a GPU's access to another one's memory (fault_report.c). */
void note_peer_access(const struct rules_context *context);

#endif
