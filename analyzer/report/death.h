/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the parts of how the program ended: the memory, and the calls that did not return. */
#ifndef HIPGRAIN_REPORT_DEATH_H
#define HIPGRAIN_REPORT_DEATH_H

#include "analyzer/analyze.h"

struct json_object;

/* Describes what is at an address or, if that has no memory of its own, near it. */
struct memory_there {
	const struct process *process;
	enum place_kind kind;
	const struct allocation *allocation; /* or NULL */
	uint64_t offset;                     /* PLACE_PAST_END: bytes after its end */
	bool vague;         /* other memory may be meant that shares a page with it */
	const char *module; /* PLACE_STATIC: or NULL */
};

/* Appends "in freed memory: 64 bytes from hipMalloc, allocated at ..., freed at ...". */
void append_memory(GString *text, const struct analysis *analysis,
		   const struct memory_there *there);
/* Appends ", allocated at FILE:LINE", or nothing if that is not known. */
void append_site(GString *text, const struct analysis *analysis, const char *how,
		 const struct process *process, uint32_t stack_id);

/*
 * The first adds sentences about the calls that have to do with how the program ended, the second
 * returns all of them (open_calls_text.c).
 */
void add_open_calls(const struct analysis *analysis, GPtrArray *lines);
struct json_object *json_open_calls(const struct analysis *analysis);

#endif
