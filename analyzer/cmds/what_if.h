/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks what `report --what-if KEY=VALUE` supposes. */
#ifndef HIPGRAIN_CMDS_WHAT_IF_H
#define HIPGRAIN_CMDS_WHAT_IF_H

#include "analyzer/analyze.h"

/* Reads "hip=7.2,gpu=gfx942,xnack=1,apu=0". Returns 0, or -EINVAL after a message. What it refers
 * to lives as long as the program. */
int supposed_parse(const char *text, struct supposed *supposed);

/* Returns 0 if it can be supposed of what was recorded, else -EINVAL with a line in *error, which
 * the caller frees. */
int supposed_check(const struct supposed *supposed, const struct analysis *analysis, char **error);

#endif
