/* SPDX-License-Identifier: Apache-2.0 */
/* Handles libraries that the program opens in a namespace of their own. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_NAMESPACES_H
#define HIPGRAIN_PRELOAD_CONTROL_NAMESPACES_H

#include <stdbool.h>

#include "preload/core/base.h"

/* Is true if the process has called dlmopen(); atomic. */
extern HG_HIDDEN int hg_namespaces_opened;

/*
 * Looks for a GPU's runtime in a namespace: before a library is unloaded, and, with `end`, when the
 * process ends or executes another program. A namespace that it finds to be harmless then is not
 * reported.
 */
void hg_namespaces_look(bool end);

#endif
