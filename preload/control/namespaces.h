/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that the program opens in a namespace of their own. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_NAMESPACES_H
#define HIPGRAIN_PRELOAD_CONTROL_NAMESPACES_H

#include <stdbool.h>

#include "preload/core/base.h"

/* The process has called dlmopen(); atomic. */
extern HG_HIDDEN int hg_namespaces_opened;

/*
 * Look whether a GPU's runtime is in one: before a library is unloaded, and, as the `end`, when the
 * process ends or executes another program. What it finds to be harmless then is not reported.
 */
void hg_namespaces_look(bool end);

#endif
