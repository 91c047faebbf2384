/* SPDX-License-Identifier: Apache-2.0 */
/* Built with scan-second.hip into one program with two bundles; no kernel is run. */
#include <hip/hip_runtime.h>
#include <string.h>
#include <unistd.h>

extern "C" __global__ void first_kernel(double *a)
{
	unsafeAtomicAdd(a, 1.0);
}

int main(int argc, char **argv)
{
	/* To be looked at from outside. */
	if (argc > 1 && !strcmp(argv[1], "wait"))
		pause();
	first_kernel<<<1, 1>>>(nullptr);
	return 0;
}
