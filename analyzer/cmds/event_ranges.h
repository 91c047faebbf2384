/* SPDX-License-Identifier: Apache-2.0 */
/* Selects events by the ranges of the program in which they happened. */
#ifndef HIPGRAIN_ANALYZER_CMDS_EVENT_RANGES_H
#define HIPGRAIN_ANALYZER_CMDS_EVENT_RANGES_H

#include <stdbool.h>

#include "analyzer/reader/event.h"

/*
 * Returns true if the event happened in a range that finding_ranges_select() selected, or is its
 * beginning or end. To be called for each event, in their order.
 */
bool event_in_selected_range(const struct hg_event *event);

#endif
