/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in the source that stand for a finding of a JSON report, which may be that of several
 * recordings and have been written by somebody else.
 */
#ifndef HIPGRAIN_REPORT_PLACE_H
#define HIPGRAIN_REPORT_PLACE_H

#include <inttypes.h>

struct json_object;

/* Borrowed from the finding; what is not known is NULL or 0. */
struct source_place {
	const char *file;
	int64_t line;
	const char *function;
};

/*
 * Returns the number of the innermost frame outside of wrappers; where all of the stack wraps, of
 * the innermost that is not the runtime's; -1 without any.
 */
int place_index(struct json_object *stack);
/* Returns the frame of that number. */
struct source_place place_of_stack(struct json_object *stack);

/*
 * Return where the memory was allocated; where the first launch or call was made; its first
 * instruction.
 */
struct source_place place_of_allocation(struct json_object *finding);
struct source_place place_of_call(struct json_object *finding);
struct source_place place_of_instruction(struct json_object *finding);

/*
 * Returns the frame further out of the allocation's or the call's stack: who called the function
 * of place_of_allocation() or place_of_call(), which may be a wrapper.
 */
struct source_place place_of_owner(struct json_object *finding);
struct source_place place_of_caller(struct json_object *finding);

/* Returns where the piece of a pool was taken, if how long it lives or its size is at fault. */
struct source_place place_of_piece(struct json_object *finding);

/*
 * The first of these four that has a file, the piece's in front: most findings are fixed where the
 * memory is allocated. Without any, the first that has a function.
 */
struct source_place place_of_finding(struct json_object *finding);

#endif
