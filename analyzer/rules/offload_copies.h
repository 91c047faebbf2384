/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels do to copies that target constructs made on devices, against what is copied there
 * and back (HG805).
 */
#ifndef HIPGRAIN_OFFLOAD_COPIES_H
#define HIPGRAIN_OFFLOAD_COPIES_H

#include "analyzer/rules/context.h"

struct offload_copies;

struct offload_copies *offload_copies_new(void);
void offload_copies_free(struct offload_copies *copies);

/* Data operations, launches, and HIP's copies and fills. */
void offload_copies_event(struct offload_copies *copies, const struct rules_context *context);

#endif
