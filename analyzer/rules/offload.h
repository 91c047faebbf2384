/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenMP target constructs move between host and devices: which bytes go where, how often,
 * and whether they are others than those that were there (HG504, HG505, HG803, HG804;
 * offload_copies.h: HG805).
 */
#ifndef HIPGRAIN_OFFLOAD_H
#define HIPGRAIN_OFFLOAD_H

#include "analyzer/rules/context.h"

struct offload;

struct offload *offload_new(void);
void offload_free(struct offload *offload);

/* An event of any kind, after the replay applied it; those of OpenMP count. */
void offload_event(struct offload *offload, const struct rules_context *context);

/* After the last event. */
void offload_finish(struct offload *offload, const struct rules_context *context);

#endif
