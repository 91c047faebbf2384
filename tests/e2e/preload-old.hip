// SPDX-License-Identifier: Apache-2.0
// Launches in the ways of old programs, kernels compiled at run time, and a variable on two GPUs,
// for the test preload-old. Prints "EVENT PATTERN" lines, each of which must be in the trace as
// often as it is printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#define CHECK(call)                                                                  \
	do {                                                                         \
		int rc = (int)(call);                                                \
		if (rc) {                                                            \
			std::printf("failed %s: %d\n", #call, rc);                   \
			std::exit(1);                                                \
		}                                                                    \
	} while (0)

// Exported up to ROCm 5.2. (A weak reference would not do: the recorder has the function always.)
#if HIP_VERSION < 50300000
namespace hip_impl {
void hipLaunchKernelGGLImpl(std::uintptr_t function, const dim3 &grid, const dim3 &block,
			    std::uint32_t shared, hipStream_t stream, void **extra);
}
#endif

static __device__ int counters[16];

__global__ void scale(int *out, int factor)
{
	out[threadIdx.x] = factor * (int)threadIdx.x;
}

__global__ void count(int *out)
{
	out[threadIdx.x] = atomicAdd(&counters[threadIdx.x], 1);
}

static const char source[] = "extern \"C\" __global__ void late(int *out) { out[threadIdx.x] = 7; }";

static void configured(int *out)
{
	int factor = 3;

	CHECK(hipConfigureCall(dim3(1), dim3(8), 0, nullptr));
	CHECK(hipSetupArgument(&out, sizeof(out), 0));
	CHECK(hipSetupArgument(&factor, sizeof(factor), sizeof(out)));
	CHECK(hipLaunchByPtr((const void *)scale));
	std::printf("launch api = 358, block_x = 8\n");
	CHECK(hipDeviceSynchronize());
	std::printf("value %d\n", out[7]);
}

#if HIP_VERSION < 50300000
static void by_template(int *out)
{
	struct {
		int *out;
		int factor;
	} arguments = {out, 5};
	std::size_t size = 12;
	void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
			 &size, HIP_LAUNCH_PARAM_END};

	hip_impl::hipLaunchKernelGGLImpl((std::uintptr_t)scale, dim3(1), dim3(9), 0, nullptr, extra);
	std::printf("launch api = 367, block_x = 9\n");
	CHECK(hipDeviceSynchronize());
	std::printf("value %d\n", out[8]);
}
#endif

static void at_run_time(int *out)
{
	hiprtcProgram program;
	hipModule_t module;
	hipFunction_t function;
	void *args[] = {&out};
	std::size_t size = 0;

	CHECK(hiprtcCreateProgram(&program, source, "later.hip", 0, nullptr, nullptr));
	std::printf("call api = 671, text = \"later.hip\"\n");
	CHECK(hiprtcCompileProgram(program, 0, nullptr));
	CHECK(hiprtcGetCodeSize(program, &size));
	std::vector<char> code(size);
	CHECK(hiprtcGetCode(program, code.data()));
	CHECK(hiprtcDestroyProgram(&program));
	CHECK(hipModuleLoadData(&module, code.data()));
	CHECK(hipModuleGetFunction(&function, module, "late"));
	CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 10, 1, 1, 0, nullptr, args, nullptr));
	std::printf("launch api = 353, block_x = 10\n");
	std::printf("kernel symbol = \"late\"\n");
	CHECK(hipDeviceSynchronize());
	std::printf("value %d\n", out[9]);
	CHECK(hipModuleUnload(module));
}

static void on_each_device(int *out)
{
	int devices = 0;

	CHECK(hipGetDeviceCount(&devices));
	for (int device = 0; device < devices; device++) {
		void *address = nullptr;

		CHECK(hipSetDevice(device));
		for (int i = 0; i < 2; i++)
			count<<<1, 16>>>(out);
		CHECK(hipDeviceSynchronize());
		CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(counters)));
		std::printf("alloc api = 113, ptr = 0x%llX, size = 64, device = %d\n",
			    (unsigned long long)(std::uintptr_t)address, device);
		std::printf("value %d\n", out[15]);
	}
	std::printf("devices %d\n", devices);
}

int main()
{
	int *out;

	CHECK(hipHostMalloc((void **)&out, 4096, hipHostMallocPortable));
	configured(out);
#if HIP_VERSION < 50300000
	by_template(out);
#endif
	at_run_time(out);
	on_each_device(out);
	std::puts("done");
	return 0;
}
