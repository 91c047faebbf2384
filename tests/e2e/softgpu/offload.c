// SPDX-License-Identifier: Apache-2.0
/*
 * OpenMP target regions, through LLVM's libomptarget. TAP on stdout. With -DSHARED the program
 * requires unified shared memory, which takes HSA_XNACK=1.
 */
#include <omp.h>
#include <stdlib.h>
#include "tap.h"

#define COUNT 1000

#ifdef SHARED
#pragma omp requires unified_shared_memory
#endif

#pragma omp begin declare target
int factor = 3;
double scale(double value);
double scale(double value)
{
	return value * factor;
}
#pragma omp end declare target

static double numbers[COUNT];

static void fill(void)
{
	for (int i = 0; i < COUNT; i++)
		numbers[i] = i;
}

static bool all(double multiplier, double offset)
{
	for (int i = 0; i < COUNT; i++)
		if (numbers[i] < i * multiplier + offset || numbers[i] > i * multiplier + offset)
			return false;
	return true;
}

int main(void)
{
	double sum = 0, *heap = malloc(COUNT * sizeof *heap), *device;
	int initial = -1, teams = 0, hits = 0;

	check(omp_get_num_devices() == 1, "%d device", omp_get_num_devices());
#pragma omp target map(from : initial)
	initial = omp_is_initial_device();
	check(initial == 0, "a target region is not on the host");

	fill();
#pragma omp target teams distribute parallel for map(tofrom : numbers) reduction(+ : sum)
	for (int i = 0; i < COUNT; i++) {
		numbers[i] *= 2;
		sum += numbers[i];
	}
	check(all(2, 0), "array mapped to and from");
	check((int)sum == COUNT * (COUNT - 1), "reduction over teams: %g", sum);

	fill();
#pragma omp target data map(tofrom : numbers)
	{
#pragma omp target teams distribute parallel for
		for (int i = 0; i < COUNT; i++)
			numbers[i] = scale(numbers[i]);
#pragma omp target teams distribute parallel for
		for (int i = 0; i < COUNT; i++)
			numbers[i] += 1;
	}
	check(all(3, 1), "two regions on the same data, a function and a global variable");

	factor = 5;
#pragma omp target update to(factor)
	fill();
#pragma omp target teams distribute parallel for map(tofrom : numbers)
	for (int i = 0; i < COUNT; i++)
		numbers[i] = scale(numbers[i]);
	check(all(5, 0), "target update of a global variable");

#pragma omp target teams num_teams(7) map(tofrom : teams, hits)
	{
		if (!omp_get_team_num())
			teams = omp_get_num_teams();
#pragma omp parallel num_threads(32)
#pragma omp atomic
		hits++;
	}
	check(teams > 0 && hits == teams * 32, "%d teams of 32 threads count: %d", teams, hits);

	device = omp_target_alloc(COUNT * sizeof *device, 0);
	for (int i = 0; i < COUNT; i++)
		heap[i] = i;
	check(device && !omp_target_memcpy(device, heap, COUNT * sizeof *heap, 0, 0, 0,
					   omp_get_initial_device()),
	      "omp_target_alloc and copy");
#pragma omp target teams distribute parallel for is_device_ptr(device) map(tofrom : numbers)
	for (int i = 0; i < COUNT; i++)
		numbers[i] = device[i] + 7;
	check(all(1, 7), "device pointer");
	omp_target_free(device, 0);

#pragma omp target teams distribute parallel for map(tofrom : numbers) nowait depend(out : numbers)
	for (int i = 0; i < COUNT; i++)
		numbers[i] -= 7;
#pragma omp target teams distribute parallel for map(tofrom : numbers) nowait depend(in : numbers)
	for (int i = 0; i < COUNT; i++)
		numbers[i] *= 4;
#pragma omp taskwait
	check(all(4, 0), "two deferred regions in order");

#ifdef SHARED
#pragma omp target teams distribute parallel for
	for (int i = 0; i < COUNT; i++)
		heap[i] += 0.5;
	for (int i = 0; i < COUNT; i++)
		numbers[i] = heap[i];
	check(all(1, 0.5), "heap memory without a map");
#endif
	free(heap);
	return tap_end();
}
