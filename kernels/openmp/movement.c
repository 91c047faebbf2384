// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Transfers that carry nothing new, and the same programs without them.
//
// repeated: the host sends what it sent before; a region has only read it, but that cannot be determined
// from the transfers alone. twice: without a region in between. round_trip: fetched, looked at, and
// sent back. unused: deleted again before any region runs. overwritten: sent, and sent again with
// other contents. scratch: twenty times allocated for what the device alone needs.
// hipgrain-run: hazards
// hipgrain-stdout: movement: 0 wrong
// hipgrain-expect: HG505 api=malloc at=@array from=@repeated confidence=possible
// hipgrain-expect: HG505 api=malloc at=@array from=@twice confidence=proven
// hipgrain-expect: HG504 api=malloc at=@array from=@back confidence=proven
// hipgrain-expect: HG505 api=malloc at=@array from=@unused confidence=proven
// hipgrain-expect: HG505 api=malloc at=@array from=@overwritten confidence=proven
// hipgrain-expect: HG803 api=malloc at=@scratch from=@scratch_map confidence=proven
//
// device_memory: of the device's own, used by regions and copied back. fresh: each transfer carries
// something new. parts: of the array, one after the other. deferred: regions that run later.
// hipgrain-run: well
// hipgrain-stdout: movement: 0 wrong
// hipgrain-expect: none

#include "omp_sample.h"


#define N      4096
#define ROUNDS 4

static int *array, *scratch_space;

static void make(void)
{
	array = malloc(N * sizeof(*array));         // @array
	scratch_space = malloc(N * sizeof(*array)); // @scratch
	if (!array || !scratch_space)
		exit(1);
	for (int i = 0; i < N; i++)
		array[i] = i;
}

static int all_wrong;

static void finish(int wrong)
{
	all_wrong += wrong;
	free(array);
	free(scratch_space);
}

static int count_wrong(int factor, int offset)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += array[i] != i * factor + offset;
	return wrong;
}

static int sum_on_device(void)
{
	int sum = 0;

#pragma omp target map(tofrom : sum)
	for (int i = 0; i < N; i++)
		sum += array[i];
	return sum;
}

static void add_on_device(void)
{
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		array[i] += 1;
}

static void repeated(void)
{
	int wrong = 0;

	make();
#pragma omp target enter data map(alloc : array[:N])
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp target update to(array[:N]) // @repeated
		wrong += sum_on_device() != N / 2 * (N - 1);
	}
#pragma omp target exit data map(delete : array[:N])
	finish(wrong);
}

static void twice(void)
{
	int wrong;

	make();
#pragma omp target enter data map(to : array[:N])
#pragma omp target update to(array[:N]) // @twice
	wrong = sum_on_device() != N / 2 * (N - 1);
#pragma omp target exit data map(delete : array[:N])
	finish(wrong);
}

static void round_trip(void)
{
	int wrong = 0;

	make();
#pragma omp target enter data map(to : array[:N])
	add_on_device();
#pragma omp target update from(array[:N])
	wrong = count_wrong(1, 1);
#pragma omp target update to(array[:N]) // @back
	add_on_device();
#pragma omp target exit data map(from : array[:N])
	finish(wrong + count_wrong(1, 2));
}

static void unused(void)
{
	make();
#pragma omp target enter data map(to : array[:N]) // @unused
#pragma omp target exit data map(delete : array[:N])
	finish(0);
}

static void overwritten(void)
{
	make();
#pragma omp target enter data map(to : array[:N]) // @overwritten
	for (int i = 0; i < N; i++)
		array[i] *= 2;
#pragma omp target update to(array[:N])
	add_on_device();
#pragma omp target exit data map(from : array[:N])
	finish(count_wrong(2, 1));
}

static void scratch(void)
{
	int wrong = 0;

	make();
#pragma omp target data map(tofrom : array[:N])
	for (int round = 0; round < 20; round++) {
#pragma omp target teams distribute parallel for map(alloc : scratch_space[:N]) // @scratch_map
		for (int i = 0; i < N; i++) {
			scratch_space[i] = array[i];
			array[i] = scratch_space[i] + 1;
		}
	}
	wrong = count_wrong(1, 20);
	finish(wrong);
}

static void device_memory(void)
{
	int *device = omp_target_alloc(N * sizeof(*device), 0), host = omp_get_initial_device();
	int wrong = !device;

	make();
	wrong += omp_target_memcpy(device, array, N * sizeof(*device), 0, 0, 0, host);
#pragma omp target teams distribute parallel for is_device_ptr(device)
	for (int i = 0; i < N; i++)
		device[i] *= 3;
	wrong += omp_target_memcpy(array, device, N * sizeof(*device), 0, 0, host, 0);
	omp_target_free(device, 0);
	finish(wrong + count_wrong(3, 0));
}

static void fresh(void)
{
	make();
#pragma omp target enter data map(alloc : array[:N])
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp target update to(array[:N])
		add_on_device();
#pragma omp target update from(array[:N])
		for (int i = 0; i < N; i++)
			array[i] += 1;
	}
#pragma omp target exit data map(delete : array[:N])
	finish(count_wrong(1, 2 * ROUNDS));
}

static void parts(void)
{
	make();
#pragma omp target enter data map(alloc : array[:N])
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp target update to(array [N / ROUNDS * round:N / ROUNDS])
	}
	add_on_device();
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp target update from(array [N / ROUNDS * round:N / ROUNDS])
	}
#pragma omp target exit data map(delete : array[:N])
	finish(count_wrong(1, 1));
}

static void deferred(void)
{
	make();
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp target teams distribute parallel for map(tofrom : array[:N]) nowait depend(inout : array[0])
		for (int i = 0; i < N; i++)
			array[i] += 1;
#pragma omp taskwait
	}
	finish(count_wrong(1, ROUNDS));
}

static void hazards(void)
{
	repeated();
	twice();
	round_trip();
	unused();
	overwritten();
	scratch();
	printf("movement: %d wrong\n", all_wrong);
}

static void well(void)
{
	device_memory();
	fresh();
	parts();
	deferred();
	printf("movement: %d wrong\n", all_wrong);
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = { { "hazards", hazards }, { "well", well } };

	return RUN_VARIANT(variants, argc, argv);
}
