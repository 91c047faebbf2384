/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of ours, which the program must not close. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H
#define HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H

#include <stdbool.h>

#include "preload/core/base.h"

/* Whether a part has any, or had: only then they are looked for. Atomic. */
extern HG_HIDDEN bool hg_descriptors_owned;

/* close(), except for our descriptors; not a cancellation point. */
int hg_close_of_program(int fd);

#endif
