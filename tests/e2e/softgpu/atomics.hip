// SPDX-License-Identifier: Apache-2.0
/*
 * The table "HW FP atomics" of the software GPU: 200 lanes add 1 to one value in each kind of
 * memory. Compiled twice: with -munsafe-fp-atomics the compiler emits hardware FP atomics, which
 * are lost exactly on fine-grained memory; without it (see atomic_loops in meson.build), CAS loops,
 * which are right everywhere.
 * PCIe does not know the maximum: lost on fine-grained host memory without an XGMI link.
 * With SOFTGPU_MEMORY=gfx942 nothing is lost.
 * TAP on stdout.
 */
#include <hip/hip_runtime.h>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include "tap.h"

#ifdef HARDWARE_ATOMICS
static const bool hardware = true;
#else
static const bool hardware = false;
#endif

struct cell {
	double d;
	float f;
	unsigned u, m;
};

__global__ void add(cell *c)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= 200)
		return;
	atomicAdd(&c->d, 1.0);
	atomicAdd(&c->f, 1.0f);
	atomicAdd(&c->u, 1u);
	atomicMax(&c->m, i + 1);
}

static bool is_set(const char *variable, const char *value)
{
	const char *text = getenv(variable);

	return text && !strcmp(text, value);
}

__device__ cell device_cell;
__managed__ cell managed_cell;

/* Run on the GPU address, look at the host address. */
static void run(const char *name, cell *device, cell *host, bool fine)
{
	cell zero = {}, result = {};
	bool newer = is_set("SOFTGPU_MEMORY", "gfx942");
	double expected = hardware && fine && !newer ? 0 : 200;
	unsigned maximum = fine && host && !newer && !is_set("SOFTGPU_XGMI_CPU", "1") ? 0 : 200;

	if (host)
		*host = zero;
	else
		(void)hipMemcpy(device, &zero, sizeof zero, hipMemcpyHostToDevice);
	add<<<4, 64>>>(device);
	hipError_t error = hipDeviceSynchronize();
	if (host)
		result = *host;
	else
		(void)hipMemcpy(&result, device, sizeof result, hipMemcpyDeviceToHost);
	check(!error && result.d == expected && result.f == (float)expected && result.u == 200 && result.m == maximum,
	      "%s: double %g float %g (expected %g) unsigned %u, maximum %u (expected %u), error %d",
	      name, result.d, (double)result.f, expected, result.u, result.m, maximum, error);
}

static void run_host(const char *name, unsigned flags, bool fine)
{
	cell *pointer = nullptr;
	if (hipHostMalloc((void **)&pointer, sizeof(cell), flags)) {
		check(false, "%s: hipHostMalloc", name);
		return;
	}
	run(name, pointer, pointer, fine);
}

int main()
{
	cell *pointer, *alias;

	if (!hipMalloc((void **)&pointer, sizeof *pointer))
		run("hipMalloc", pointer, nullptr, false);
	if (!hipExtMallocWithFlags((void **)&pointer, sizeof *pointer, hipDeviceMallocFinegrained))
		run("hipExtMallocWithFlags(Finegrained)", pointer, nullptr, true);
	run_host("hipHostMalloc(0)", 0, true);
	run_host("hipHostMalloc(NonCoherent)", hipHostMallocNonCoherent, false);
	run_host("hipHostMalloc(Portable)", hipHostMallocPortable, false);
	run_host("hipHostMalloc(Coherent)", hipHostMallocCoherent, true);
	if (!hipMallocManaged((void **)&pointer, sizeof *pointer)) {
		run("hipMallocManaged", pointer, pointer, true);
		(void)hipMemAdvise(pointer, sizeof *pointer, hipMemAdviseSetCoarseGrain, 0);
		run("hipMallocManaged, SetCoarseGrain", pointer, pointer, false);
		(void)hipFree(pointer);
	}
	pointer = (cell *)aligned_alloc(4096, 4096);
	if (!hipHostRegister(pointer, 4096, 0) &&
	    !hipHostGetDevicePointer((void **)&alias, pointer, 0)) {
		run("hipHostRegister", alias, pointer, true);
		check(!hipHostUnregister(pointer), "hipHostUnregister");
	}
	if (!hipGetSymbolAddress((void **)&pointer, HIP_SYMBOL(device_cell)))
		run("__device__ variable", pointer, nullptr, false);
	run("__managed__ variable", &managed_cell, &managed_cell, true);
	if (is_set("HSA_XNACK", "1")) {
		pointer = (cell *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		run("mmap, XNACK", pointer, pointer, true);
		(void)hipMemAdvise(pointer, sizeof *pointer, hipMemAdviseSetCoarseGrain, 0);
		run("mmap, XNACK, SetCoarseGrain", pointer, pointer, false);
	}
	return tap_end();
}
