/* SPDX-License-Identifier: Apache-2.0 */
/* Runs target regions by GCC's OpenMP; with an argument, the last one does not end. */
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	double sum = 0;
	int device = -1, go_on = argc > 1;

	(void)argv;
#pragma omp target map(from : device)
	device = omp_is_initial_device();
#pragma omp target teams distribute parallel for map(tofrom : sum)
	for (int i = 0; i < 64; i++) {
#pragma omp atomic
		sum += 1;
	}
	printf("on the host: %d, sum %g\n", device, sum);
	fflush(stdout);
#pragma omp target map(tofrom : go_on)
	{
		volatile int *flag = &go_on;

		while (*flag) {
		}
	}
	return 0;
}
