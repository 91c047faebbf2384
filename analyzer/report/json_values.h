/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the formats made of JSON have in common. */
#ifndef HIPGRAIN_JSON_VALUES_H
#define HIPGRAIN_JSON_VALUES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Takes over `value`, which may be NULL: null. */
void put(struct json_object *object, const char *name, struct json_object *value);

/* Paths and arguments can hold any bytes; JSON cannot: what is not UTF-8 becomes U+FFFD. */
struct json_object *text_value(const char *text);
struct json_object *text_or_null(const char *text);

/*
 * Returns the member of that name, borrowed, or NULL: there is none, it is null, or `object` is
 * NULL.
 */
struct json_object *get_member(struct json_object *object, const char *name);
/*
 * Print the text of a member, of a report that somebody else may have written, with `between` in
 * place of its line ends.
 */
void print_member(FILE *stream, struct json_object *object, const char *name, const char *between);

/* Returns the member's text, which lives as long as the object, or "" if there is none. */
const char *get_text(struct json_object *object, const char *name);
/* Returns the member if it is an array, borrowed; else NULL, which has the length 0. */
struct json_object *get_array(struct json_object *object, const char *name);
size_t array_length(struct json_object *array);
/* Returns true if the member is true. */
bool get_flag(struct json_object *object, const char *name);
/* Returns true if a report says that all that was recorded was analysed; older ones say it by
 * `complete`. */
bool json_report_analysed(struct json_object *report);
/* Returns the member's number, or 0 if there is none. */
int64_t get_number(struct json_object *object, const char *name);

struct analysis;
struct process;
struct allocation;

/*
 * Puts the members api, size, file and line of an allocation of that process; NULL: all are null.
 */
void put_allocation(struct json_object *object, const struct analysis *analysis,
		    const struct process *process, const struct allocation *allocation);

struct finding;

/* Returns the finding as it is in the JSON report; the caller puts it. */
struct json_object *json_finding(const struct analysis *analysis, const struct finding *finding);

/* Returns "0x7f...". */
struct json_object *json_address(uint64_t value);
/* Returns a call stack, innermost frame first. */
struct json_object *json_stack(const struct analysis *analysis, const struct process *process,
			       uint32_t stack_id);

/* Return what a finding unites (json_evidence.c) as arrays, NULL if the finding has none. */
struct json_object *json_instructions(const struct finding *finding);
struct json_object *json_candidates(const struct analysis *analysis, const struct finding *finding);
/* Returns the piece of a pool that the memory is; NULL: it is none. */
struct json_object *json_piece(const struct analysis *analysis, const struct finding *finding);
struct json_object *json_pages(const struct analysis *analysis, const struct finding *finding);
/*
 * Returns the flags that memory was allocated with, by name, or NULL: the call has none, or none
 * was set.
 */
struct json_object *json_flags(const struct allocation *allocation);
/* Puts members of an allocation: how far it stands for others. */
void put_memory_range(struct json_object *object, const struct finding *finding);

/* Write the object and a line feed, and release it. 0 or a negative errno. */
int write_json(struct json_object *root, FILE *stream);

#endif
