/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which calls make the host wait, and for what; waits.def is the table. */
#ifndef HIPGRAIN_WAITS_H
#define HIPGRAIN_WAITS_H

#include <stdbool.h>

enum wait {
	WAIT_NOTHING,
	WAIT_ITSELF,
	WAIT_DEVICE,
	WAIT_EVERYTHING,
};

/* The memory that a copy or a fill touches, as far as it matters here; each includes those after
 * it. */
enum wait_memory {
	WAIT_MEMORY_OTHER,     /* also other than device memory, or it is unknown */
	WAIT_MEMORY_GPUS,      /* device memory of several GPUs */
	WAIT_MEMORY_GPU,       /* of one */
	WAIT_MEMORY_BEGINNING, /* coarse-grained, from the first byte of an allocation on */
};

/*
 * Returns what the host waits for in a call of `api` under HIP `version` (hipRuntimeGetVersion, 0:
 * unknown) that touches `memory`. If it is uncertain, the answer is that it waits.
 */
enum wait model_wait(unsigned api, int version, enum wait_memory memory);

/* Does a call of this name promise nothing about waiting, but waited in earlier releases? */
bool model_wait_depends(unsigned api);

/* Returns the tags of the row of a call, or "" if it has none. */
const char *model_wait_sources(unsigned api);

/* Returns "does not wait", or for what the host waits; static. */
const char *model_wait_text(enum wait wait);

#endif
