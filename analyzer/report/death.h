/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of how the program ended: which memory, and which calls did not return. */
#ifndef HIPGRAIN_REPORT_DEATH_H
#define HIPGRAIN_REPORT_DEATH_H

#include "analyzer/analyze.h"

struct json_object;

/* What is at an address; without the address's own kind of memory, near it. */
struct memory_there {
	const struct process *process;
	enum place_kind kind;
	const struct allocation *allocation; /* or NULL */
	uint64_t offset;                     /* PLACE_PAST_END: bytes after its end */
	const char *module;                  /* PLACE_STATIC: or NULL */
};

/* "in freed memory: 64 bytes from hipMalloc, allocated at ..., freed at ..." */
void append_memory(GString *text, const struct analysis *analysis,
		   const struct memory_there *there);
/* ", allocated at FILE:LINE"; nothing where that is not known. */
void append_site(GString *text, const struct analysis *analysis, const char *how,
		 const struct process *process, uint32_t stack_id);

/* open_calls.c: sentences, of calls that have to do with how the program ended; and all of them. */
void add_open_calls(const struct analysis *analysis, GPtrArray *lines);
struct json_object *json_open_calls(const struct analysis *analysis);

#endif
