// SPDX-License-Identifier: Apache-2.0
// c = a + b, with the arrays in each kind of memory that such a program is written with. There are no
// atomics here: what matters is whether the GPU can reach the memory at all.
//
// Device arrays, copies in and out.
// hipgrain-run: explicit
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// Host pointers given to the kernel as they are: needs XNACK.
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=vector_add argument=0 api=malloc at=@malloc_a launches=1 confidence=proven
// hipgrain-expect: HG209 kernel=vector_add argument=1 api=malloc at=@malloc_b launches=1 confidence=likely
// hipgrain-expect: HG209 kernel=vector_add argument=2 api=malloc at=@malloc_c launches=1 confidence=likely
//
// The same through a C++ container.
// hipgrain-run: container
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: container
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=vector_add argument=0 api=operator_new at=@container_a launches=1
// hipgrain-expect: HG209 kernel=vector_add argument=1 api=operator_new at=@container_b launches=1
// hipgrain-expect: HG209 kernel=vector_add argument=2 api=operator_new at=@container_c launches=1
//
// Only the result is forgotten: one finding.
// hipgrain-run: forgotten
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=vector_add argument=2 api=malloc at=@forgotten_c launches=1 confidence=proven
//
// Device arrays that the host fills and reads through the large BAR.
// hipgrain-run: device_on_host
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: pinned
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none
//
// hipgrain-run: registered
// hipgrain-stdout: vector_add: 0 of 16384 wrong, PASSED
// hipgrain-expect: none

#include "sample.h"

#include <vector>

#define WIDTH    128
#define HEIGHT   128
#define ELEMENTS (WIDTH * HEIGHT)
#define BYTES    (ELEMENTS * sizeof(float))

__global__ void vector_add(const float *a, const float *b, float *c, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height) {
		c[y * width + x] = a[y * width + x] + b[y * width + x];
	}
}

static void fill(float *a, float *b)
{
	for (int i = 0; i < ELEMENTS; i++) {
		a[i] = (float)i;
		b[i] = (float)(2 * i);
	}
}

static void launch(const float *a, const float *b, float *c)
{
	dim3 block(16, 16);
	dim3 grid(WIDTH / 16, HEIGHT / 16);

	vector_add<<<grid, block>>>(a, b, c, WIDTH, HEIGHT);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

static void compare(const float *c)
{
	int wrong = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		wrong += c[i] != (float)(3 * i);
	}
	printf("vector_add: %d of %d wrong, %s\n", wrong, ELEMENTS, wrong ? "FAILED" : "PASSED");
}

static void run_explicit()
{
	float *a = (float *)malloc(BYTES);
	float *b = (float *)malloc(BYTES);
	float *c = (float *)malloc(BYTES);
	float *device_a, *device_b, *device_c;

	fill(a, b);
	CHECK(hipMalloc(&device_a, BYTES));
	CHECK(hipMalloc(&device_b, BYTES));
	CHECK(hipMalloc(&device_c, BYTES));
	CHECK(hipMemcpy(device_a, a, BYTES, hipMemcpyHostToDevice));
	CHECK(hipMemcpy(device_b, b, BYTES, hipMemcpyHostToDevice));
	launch(device_a, device_b, device_c);
	CHECK(hipMemcpy(c, device_c, BYTES, hipMemcpyDeviceToHost));
	compare(c);
	CHECK(hipFree(device_a));
	CHECK(hipFree(device_b));
	CHECK(hipFree(device_c));
	free(a);
	free(b);
	free(c);
}

static void run_malloc()
{
	float *a = (float *)malloc(BYTES); // @malloc_a
	float *b = (float *)malloc(BYTES); // @malloc_b
	float *c = (float *)malloc(BYTES); // @malloc_c

	fill(a, b);
	launch(a, b, c);
	compare(c);
	free(a);
	free(b);
	free(c);
}

static void run_container()
{
	std::vector<float> a(ELEMENTS); // @container_a
	std::vector<float> b(ELEMENTS); // @container_b
	std::vector<float> c(ELEMENTS); // @container_c

	fill(a.data(), b.data());
	launch(a.data(), b.data(), c.data());
	compare(c.data());
}

static void run_forgotten()
{
	float *c = (float *)malloc(BYTES); // @forgotten_c
	float *a, *b;

	CHECK(hipMallocManaged(&a, BYTES));
	CHECK(hipMallocManaged(&b, BYTES));
	fill(a, b);
	launch(a, b, c);
	compare(c);
	CHECK(hipFree(a));
	CHECK(hipFree(b));
	free(c);
}

static void run_device_on_host()
{
	float *a, *b, *c;

	CHECK(hipMalloc(&a, BYTES));
	CHECK(hipMalloc(&b, BYTES));
	CHECK(hipMalloc(&c, BYTES));
	fill(a, b);
	launch(a, b, c);
	compare(c);
	CHECK(hipFree(a));
	CHECK(hipFree(b));
	CHECK(hipFree(c));
}

static void run_managed()
{
	float *a, *b, *c;

	CHECK(hipMallocManaged(&a, BYTES));
	CHECK(hipMallocManaged(&b, BYTES));
	CHECK(hipMallocManaged(&c, BYTES));
	fill(a, b);
	launch(a, b, c);
	compare(c);
	CHECK(hipFree(a));
	CHECK(hipFree(b));
	CHECK(hipFree(c));
}

static void run_pinned()
{
	float *a, *b, *c;

	CHECK(hipHostMalloc(&a, BYTES, hipHostMallocDefault));
	CHECK(hipHostMalloc(&b, BYTES, hipHostMallocDefault));
	CHECK(hipHostMalloc(&c, BYTES, hipHostMallocDefault));
	fill(a, b);
	launch(a, b, c);
	compare(c);
	CHECK(hipHostFree(a));
	CHECK(hipHostFree(b));
	CHECK(hipHostFree(c));
}

static float *device_address(float *host)
{
	void *device;

	CHECK(hipHostRegister(host, BYTES, hipHostRegisterDefault));
	CHECK(hipHostGetDevicePointer(&device, host, 0));
	return (float *)device;
}

static void run_registered()
{
	float *a = (float *)malloc(BYTES);
	float *b = (float *)malloc(BYTES);
	float *c = (float *)malloc(BYTES);

	fill(a, b);
	launch(device_address(a), device_address(b), device_address(c));
	compare(c);
	CHECK(hipHostUnregister(a));
	CHECK(hipHostUnregister(b));
	CHECK(hipHostUnregister(c));
	free(a);
	free(b);
	free(c);
}

static const variant variants[] = {
	{ "explicit", run_explicit },
	{ "malloc", run_malloc },
	{ "container", run_container },
	{ "forgotten", run_forgotten },
	{ "device_on_host", run_device_on_host },
	{ "managed", run_managed },
	{ "pinned", run_pinned },
	{ "registered", run_registered },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
