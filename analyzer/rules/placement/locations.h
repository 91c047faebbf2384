/* SPDX-License-Identifier: Apache-2.0 */
/* HG313 (locations.c), which explains a failed call before HG214 and HG304 do. */
#ifndef HIPGRAIN_RULES_LOCATIONS_H
#define HIPGRAIN_RULES_LOCATIONS_H

#include "analyzer/rules/engine/rule_api.h"

/*
 * Whether a call of hipMemPrefetchAsync or hipMemAdvise failed whose location is none: "device 7 of
 * 1", to be freed; NULL: not so, or not known.
 */
char *refused_location(const struct process *process, const struct hg_ev_error *error);

#endif
