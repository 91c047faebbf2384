/* SPDX-License-Identifier: Apache-2.0 */
/* This finds where loaded objects lie. */
#ifndef HIPGRAIN_PRELOAD_CORE_OBJECTS_H
#define HIPGRAIN_PRELOAD_CORE_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* A loaded object reaches from its first segment's beginning to its last one's end. */
struct hg_object {
	uintptr_t start, end;
};

/* Finds the loaded object with `address`, by that dl_iterate_phdr(). Returns false if there is
 * none. */
bool hg_object_of(__typeof__(&dl_iterate_phdr) iterate, const void *address,
		  struct hg_object *object);

#endif
