/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the work in flight that a memory access fault can come from, and its way to the page. */
#ifndef HIPGRAIN_RULES_SUSPECTS_H
#define HIPGRAIN_RULES_SUSPECTS_H

#include "analyzer/rules/order/in_flight.h"

#define FAULT_PAGE 4096u /* the hardware reports a page */

struct fault {
	uint64_t page;
	int32_t device; /* -1: unknown */
	bool writes;    /* it was a write */
	struct place place;
	bool beside; /* it is somewhere on the page, whose start is other memory of the heap */
};

/* Names how work could get to the page, the likeliest last. */
enum reach {
	REACH_NONE,
	REACH_UNKNOWN,  /* not all of its accesses are known */
	REACH_COMPUTED, /* from a pointer elsewhere, by what it adds to it */
	REACH_MEMORY,   /* it is given a pointer to that memory */
};

struct suspect {
	const struct flight *flight;     /* borrowed */
	const struct kernel_ref *kernel; /* NULL: a copy or a fill */
	const struct isa_kernel *code;   /* NULL: not known */
	enum reach reach;
	unsigned ways;                   /* pointers by which it could get there so */
	bool partly;                     /* not all of its accesses are known */
	bool writes;                     /* through the one of these that is the closest: ... */
	struct pointer_argument pointer; /* ... without the texts of a chain */
	uint64_t distance;               /* bytes from there to the page */
};

struct suspects {
	GArray *list; /* struct suspect that reach it, the likeliest first */
	bool all;     /* nothing else was in flight */
};

void suspects_find(const struct rules_context *context, const struct fault *fault,
		   struct suspects *suspects);
void suspects_clear(struct suspects *suspects);

/* Returns true if any work of that kernel was in flight, or may have been. */
bool suspects_may_have(const struct rules_context *context, const char *kernel_symbol);

/* Returns "tvd_rk(double*, int, int)" or "hipMemcpyAsync", which is borrowed. */
const char *suspect_name(const struct suspect *suspect);

#endif
