/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs target regions of OpenMP that add by a hardware floating-point atomic to memory of the host
 * that no map made coarse-grained, where the GPU drops it. Prints "ready" after the first one, and
 * waits for a line before the second, if its standard input has any.
 */
#include <stdio.h>
#include <stdlib.h>

#pragma omp requires unified_shared_memory

#include "kernels/openmp/omp_atomics.h"

int main(void)
{
	double *sum = aligned_alloc(4096, 4096);

	if (!sum)
		return 1;
	*sum = 0;
#pragma omp target
	{
	}
	printf("ready\n");
	fflush(stdout);
	(void)getchar();
#pragma omp target teams distribute parallel for
	for (int i = 0; i < 64; i++)
		add_fast(sum, 1);
	printf("sum %g\n", *sum);
	free(sum);
	return 0;
}
