/* SPDX-License-Identifier: Apache-2.0 */
/* The key by which `hipgrain diff` takes two findings for the same. */
#ifndef HIPGRAIN_CMDS_DIFF_KEYS_H
#define HIPGRAIN_CMDS_DIFF_KEYS_H

#include <glib.h>
#include <json-c/json.h>
#include <stdbool.h>

/* Returns true if the report has findings, and none of them a call stack: it is of a capture that
 * was imported, or recorded with --stack-depth=0. */
bool diff_lacks_stacks(struct json_object *report);
/*
 * Returns the finding's fingerprint; with `without_stacks` the parts of the fingerprint without the
 * places: rule, kernel, argument, instruction, functions and names. To be freed.
 */
char *diff_key(struct json_object *finding, bool without_stacks);

#endif
