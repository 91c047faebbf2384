// SPDX-License-Identifier: Apache-2.0
// Kinetic energy of 4096 particles: the kernel adds each particle's share to one double. Moving the
// total from hipMalloc to hipMallocManaged "to save the copy" turns the result into 0, silently.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: managed
// hipgrain-stdout: energy: 0 J, expected 10240 J
// hipgrain-expect: HG101 kernel=kinetic_energy argument=2 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: advised
// hipgrain-stdout: energy: 10240 J, expected 10240 J
// hipgrain-expect: none
//
// hipgrain-run: copied
// hipgrain-stdout: energy: 10240 J, expected 10240 J
// hipgrain-expect: none

#include "sample.h"

#define PARTICLES  4096
#define GROUP_SIZE 256

__global__ void kinetic_energy(const float *mass, const float *speed, double *total, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		atomicAdd(total, 0.5 * mass[i] * speed[i] * speed[i]);
	}
}

static float *mass, *speed;

static double expected()
{
	double total = 0;

	for (int i = 0; i < PARTICLES; i++) {
		total += 0.5 * mass[i] * speed[i] * speed[i];
	}
	return total;
}

static void simulate(double *total)
{
	kinetic_energy<<<PARTICLES / GROUP_SIZE, GROUP_SIZE>>>(mass, speed, total, PARTICLES);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

static void report(double total)
{
	printf("energy: %g J, expected %g J\n", total, expected());
}

static double *managed_total()
{
	double *total;

	CHECK(hipMallocManaged(&total, sizeof(*total))); // @managed
	*total = 0;
	return total;
}

static void run_managed()
{
	double *total = managed_total();

	simulate(total);
	report(*total);
	CHECK(hipFree(total));
}

static void run_advised()
{
	double *total = managed_total();

	CHECK(hipMemAdvise(total, sizeof(*total), hipMemAdviseSetCoarseGrain, 0));
	simulate(total);
	report(*total);
	CHECK(hipFree(total));
}

static void run_copied()
{
	double *device_total, total = 0;

	CHECK(hipMalloc(&device_total, sizeof(total)));
	CHECK(hipMemcpy(device_total, &total, sizeof(total), hipMemcpyHostToDevice));
	simulate(device_total);
	CHECK(hipMemcpy(&total, device_total, sizeof(total), hipMemcpyDeviceToHost));
	report(total);
	CHECK(hipFree(device_total));
}

static const variant variants[] = {
	{ "managed", run_managed },
	{ "advised", run_advised },
	{ "copied", run_copied },
};

int main(int argc, char **argv)
{
	int status;

	CHECK(hipMallocManaged(&mass, PARTICLES * sizeof(*mass)));
	CHECK(hipMallocManaged(&speed, PARTICLES * sizeof(*speed)));
	for (int i = 0; i < PARTICLES; i++) {
		mass[i] = 2;
		speed[i] = (float)(i % 2 + 1);
	}
	status = run_variant(variants, argc, argv);
	CHECK(hipFree(mass));
	CHECK(hipFree(speed));
	return status;
}
