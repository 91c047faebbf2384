/* SPDX-License-Identifier: Apache-2.0 */
/* Starts OpenMP's offloading, waits until its standard input ends, and fails. */
#include <stdio.h>

int main(void)
{
	int first = 0;

#pragma omp target map(from : first)
	first = 1;
	while (getchar() != EOF) {
	}
	return first + 1;
}
