/* SPDX-License-Identifier: Apache-2.0 */
/* Records an annotation of memory, of every source. */
#ifndef HIPGRAIN_PRELOAD_RANGES_ANNOTATION_H
#define HIPGRAIN_PRELOAD_RANGES_ANNOTATION_H

#include <stddef.h>

#include "tracer/events.h"

/* Holds what hipgrain_annotate() is given, and who calls it. */
struct hg_annotation {
	enum hg_range_source source;
	unsigned act; /* enum hipgrain_act */
	const void *ptr, *caller;
	size_t size;
	const char *pool, *name; /* of the program, as for hg_text_copy() */
};

/*
 * Records an event `annotation` or `range`. May be called while nothing is recorded, and anywhere.
 * errno is kept.
 */
void hg_annotate(const struct hg_annotation *from);

#endif
