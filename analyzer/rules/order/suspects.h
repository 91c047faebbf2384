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
	bool vague;     /* the page has other memory as well, or may have, and it may be in that */
	bool elsewhere; /* it is no access: any kernel of the device can have it */
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
	char *name;                      /* of the kernel, or NULL */
	enum reach reach;
	unsigned ways;                   /* pointers by which it could get there so */
	bool partly;                     /* not all of its accesses are known */
	bool writes;                     /* through the one of these that is the closest: ... */
	struct pointer_argument pointer; /* ... without the texts of a chain */
	uint64_t distance;               /* bytes from there to the page */
	const struct allocation
	    *block;  /* it is given a pointer to this one of the page; borrowed */
	bool others; /* and to other memory of the page */
};

struct suspects {
	GArray *list; /* struct suspect that reach it, the likeliest first */
	bool all;     /* nothing else was in flight */
};

void suspects_find(const struct rules_context *context, const struct fault *fault,
		   struct suspects *suspects);
void suspects_clear(struct suspects *suspects);

/*
 * Returns true if a fault on that page can mean no other memory than this: all of the page is in
 * it, or all accesses of the work in flight are known, and those of the page lead there
 * (page_blocks.c). `block` is NULL for a block of the heap that is not recorded.
 */
bool page_means(const struct fault *fault, const struct allocation *block,
		const struct suspects *suspects);
/*
 * Returns "the end of 8192 bytes from malloc, and 1000 bytes from malloc", the blocks of the page
 * that are known, that one first, which the caller frees; *others: so many are beside it.
 */
char *page_blocks_text(const struct rules_context *context, const struct fault *fault,
		       const struct allocation *block, unsigned *others);
/*
 * Doubts a finding about a block where the page may mean others; alone: nothing but the fault says
 * that the work uses that block.
 */
void page_doubt(const struct rules_context *context, const struct fault *fault,
		const struct allocation *block, bool alone, struct finding *finding);

/*
 * Returns "tvd_rk, which is given a pointer to that memory; and 2 others", the likeliest first,
 * each name once. The caller frees the text.
 */
char *suspects_text(const struct suspects *suspects);

/* Returns true if any work of that kernel was in flight, or may have been. */
bool suspects_may_have(const struct rules_context *context, const char *kernel_symbol);

/* Returns "tvd_rk(double*, int, int)" or "hipMemcpyAsync", which is borrowed. */
const char *suspect_name(const struct suspect *suspect);

#endif
