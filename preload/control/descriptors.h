/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps the program from closing descriptors of ours. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H
#define HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H

#include <stdbool.h>

#include "preload/core/base.h"

/* True if a part has any, or had: only then are they looked for. It is atomic. */
extern HG_HIDDEN bool hg_descriptors_owned;

/* close(), except for our descriptors; not a cancellation point. */
int hg_close_of_program(int fd);

#endif
