// SPDX-License-Identifier: Apache-2.0
/* This library (-DPROGRAM: program) adds to fine-grained memory, which is lost (HG101). */
#include <hip/hip_runtime.h>

/* seen-hsa.c finds it by its name; it reads nothing but its two arguments. */
extern "C" __global__ void seen_add(double *total, int count)
{
	if ((int)threadIdx.x < count)
		unsafeAtomicAdd(total, 1.0);
}

#ifndef KERNEL_ALONE
extern "C" int work(void)
{
	double *total;

	if (hipMallocManaged((void **)&total, sizeof(*total), hipMemAttachGlobal))
		return 3;
	*total = 0;
	seen_add<<<1, 64>>>(total, 64);
	return hipDeviceSynchronize() ? 4 : hipFree(total) ? 5 : 0;
}
#endif

#ifdef PROGRAM
int main(void)
{
	return work();
}
#endif
