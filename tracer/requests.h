/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a recorder requests that programs on standby are recorded: a page that they share,
 * HIPGRAIN_DIR/requests. Until then LTTng-UST is not loaded in them.
 */
#ifndef HIPGRAIN_TRACER_REQUESTS_H
#define HIPGRAIN_TRACER_REQUESTS_H

#include <stdint.h>

#define HG_REQUESTS       "requests"
#define HG_REQUESTS_SLOTS 1020u

struct hg_requests {
	uint32_t all; /* atomic: recordings of every process that is on standby */
	uint32_t unused[3];
	/*
	 * Atomic, futexes; of a process with pid % HG_REQUESTS_SLOTS, as it sees its pid. The
	 * lowest bit: it is wanted, or another of the same slot is; the others change with every
	 * request.
	 */
	uint32_t slots[HG_REQUESTS_SLOTS];
};
_Static_assert(sizeof(struct hg_requests) == 4096, "a page");

#define HG_REQUESTS_WANTED 1u
#define HG_REQUESTS_STEP   2u

#endif
