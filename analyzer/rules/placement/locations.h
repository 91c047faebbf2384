/* SPDX-License-Identifier: Apache-2.0 */
/* HG313 (locations.c), which explains a failed call before HG214 and HG304 do. */
#ifndef HIPGRAIN_RULES_LOCATIONS_H
#define HIPGRAIN_RULES_LOCATIONS_H

#include "analyzer/rules/engine/rule_api.h"

struct hg_ev_error;

/*
 * Returns "device 7 of 1" if a call of hipMemPrefetchAsync or hipMemAdvise failed whose location is
 * none, or NULL if that is not so or not known. The caller frees the text.
 */
char *refused_location(const struct process *process, const struct hg_ev_error *error);

#endif
