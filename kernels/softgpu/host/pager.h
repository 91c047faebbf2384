/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pager's work on a request, or on an access by the host. Only the pager's own thread calls
 * these functions (host_pages.c): nothing here takes a lock.
 */
#ifndef SOFTGPU_PAGER_H
#define SOFTGPU_PAGER_H

#include "page_list.h"

/* The operations of host_pages.h with their arguments and results; [start, end) is in bytes. */
enum sg_operation {
	SG_TOUCH,
	SG_WHERE,
	SG_MOVE,
	SG_DROP,
	SG_HOLD,
	SG_RELEASE,
	SG_PARK,
	SG_CLIENT,
};

struct sg_request {
	enum sg_operation operation;
	unsigned gpu;
	uint64_t start, end;
	int target;
	bool retry, write;
	struct sg_range range;
	/* The answer. */
	int result;
	uint64_t first, last;
};

struct sg_pager {
	struct sg_park park;
	struct sg_smi smi;
	unsigned holds; /* copies under way, and forks */
	uint64_t clock; /* of the ages */
	struct sg_page_list list;
};

/* Serve the request, and write the answer into it. */
void sg_pager_serve(struct sg_pager *pager, struct sg_request *request);
/* Handle all accesses and mappings that the kernel has reported. */
void sg_pager_hear(struct sg_pager *pager);

#endif
