/* SPDX-License-Identifier: Apache-2.0 */
/* This gets the recorder's answer which words of memory a kernel loads pointers from
 * (tracer/places.h). */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_PLACES_H
#define HIPGRAIN_PRELOAD_HIP_HIP_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/places.h"

struct hg_hip_kernel_variant;

struct hg_places {
	uint32_t count; /* 0: it loads none */
	bool others;    /* it may load more than these */
	struct hg_place_path path[];
};

/* Asks, when a kernel is launched for the first time. The caller holds hg_hip_look()'s lock; its
 * code object is stored. */
void hg_hip_places_ask(struct hg_hip_kernel_variant *variant, const char *name);

/* Returns the answer, checked, or NULL if there is none (yet). Takes no lock but the pool's, and
 * that once. */
const struct hg_places *hg_hip_places(struct hg_hip_kernel_variant *variant);

#endif
