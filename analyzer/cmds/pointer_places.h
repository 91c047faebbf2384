/* SPDX-License-Identifier: Apache-2.0 */
/* Tells recorded processes which words of memory a kernel loads pointers from. */
#ifndef HIPGRAIN_CMDS_POINTER_PLACES_H
#define HIPGRAIN_CMDS_POINTER_PLACES_H

#include "tracer/places.h"

/* The code object that was used last stays open: it is for a process that does nothing else. */
places_finder places_find;

/* Let places_find() use the cache of analyses, in whatever process it is called. */
void places_use_cache(void);

#endif
