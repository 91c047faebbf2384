/* SPDX-License-Identifier: Apache-2.0 */
/* Knows the defects of HIP's memory pools (hipMallocAsync), by release. */
#ifndef HIPGRAIN_RULES_POOL_DEFECTS_H
#define HIPGRAIN_RULES_POOL_DEFECTS_H

#include <stdbool.h>

#include "analyzer/replay/replay.h"

/*
 * Returns true if the process has a release whose pools lose data and memory: 7.2 to 10.1, whose
 * pools map pages anew [CLR10943, CLR11642]. *confirmed: someone saw it with this release; of later
 * ones nothing is known. False for releases before, if the release is unknown, and where the
 * process switched the new pools off (DEBUG_HIP_MEM_POOL_VMHEAP=0).
 */
bool pool_has_defects(const struct process *process, bool *confirmed);

#endif
