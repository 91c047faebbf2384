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
/* Two findings are the same if they share one. The caller frees both. */
struct diff_keys {
	char *now;
	char *former; /* what an earlier version wrote for it; NULL: the same, or not known */
};

/*
 * Returns the finding's fingerprints; with `without_stacks` the parts of them without the places:
 * rule, kernel, argument, instruction, functions and names.
 */
struct diff_keys diff_keys(struct json_object *finding, bool without_stacks);

#endif
