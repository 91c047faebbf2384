/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with -g -gz: its code object's debug information is compressed. */
#include <hip/hip_runtime.h>
#include <stdlib.h>

__global__ void total(double *sum)
{
	unsafeAtomicAdd(sum, 1.0);
}

/* usage: report-crash-program STATUS */
int main(int argc, char **argv)
{
	double *sum;

	if (hipMallocManaged((void **)&sum, sizeof(*sum), hipMemAttachGlobal) != hipSuccess)
		return 99;
	*sum = 0;
	total<<<1, 64>>>(sum);
	if (hipDeviceSynchronize() != hipSuccess || hipFree(sum) != hipSuccess)
		return 99;
	return argc > 1 ? atoi(argv[1]) : 0;
}
