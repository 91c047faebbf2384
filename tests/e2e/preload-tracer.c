/* SPDX-License-Identifier: Apache-2.0 */
/* A program with tracepoints of its own, that allocates between them. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "preload-tracer.h"

#include <stdio.h>
#include <stdlib.h>

static void steps(int from)
{
	for (int i = 0; i < 500; i++) {
		void *volatile block = malloc(5000);

		lttng_ust_tracepoint(own, step, from + i, block ? "allocated" : "failed");
		free(block);
	}
}

int main(void)
{
	steps(0);
	printf("half\n");
	steps(1000);
	return 3;
}
