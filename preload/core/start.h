/* SPDX-License-Identifier: Apache-2.0 */
/* This starts the library, and tells which threads and callers are whose. */
#ifndef HIPGRAIN_PRELOAD_CORE_START_H
#define HIPGRAIN_PRELOAD_CORE_START_H

#include <stdbool.h>

#include "preload/core/base.h"

/* Starts up, once. It is called by the constructor and by whatever HIP call comes before it. */
void hg_init(void);

/* Starts up in an allocation function if that is safe for this caller. Returns true if we are
 * active, or may wake up. */
bool hg_start(const void *caller);
bool hg_is_loader(const void *address); /* of the loader's code */

/* Returns how many bytes lie from a mapped ELF file's base, where its header is, to the end of its
 * last segment. */
uintptr_t hg_object_size(uintptr_t base);
/*
 * Makes the process's file of records; hg_provider stores events there then. Returns false if there
 * is no room, or no place.
 */
bool hg_join(void);
/* Does the same at the first event of a process that is recorded from its start, and records the
 * process. */
bool hg_begin_early(void);

/* hg_tls.kind of a thread that is prepared, and is not to be cancelled anywhere. */
#define HG_ORDINARY_THREAD 1u
#define HG_ASYNC_THREAD    (HG_ORDINARY_THREAD | 1u << 8) /* but it may be cancelled anywhere */
_Static_assert(offsetof(struct hg_tls, prepared) == offsetof(struct hg_tls, kind) &&
		   offsetof(struct hg_tls, named_api) == offsetof(struct hg_tls, inside) + 1,
	       "kind, inside");
_Static_assert(offsetof(struct hg_tls, async) == offsetof(struct hg_tls, kind) + 1, "async");

#endif
