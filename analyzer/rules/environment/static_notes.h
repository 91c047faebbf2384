/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on processes in which no GPU was found. */
#ifndef HIPGRAIN_STATIC_NOTES_H
#define HIPGRAIN_STATIC_NOTES_H

#include "analyzer/rules/engine/findings.h"

/*
 * For processes in which no GPU was found: reports that, and which kernels of the program's own
 * code objects hold hardware floating-point atomics.
 */
void static_notes(struct findings *findings, const struct replay *replay, bool softgpu);

#endif
