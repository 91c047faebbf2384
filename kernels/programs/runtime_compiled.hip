// SPDX-License-Identifier: Apache-2.0
// A kernel that does not exist before the program runs: compiled by hiprtc, loaded from memory, launched
// by handle with its arguments in one buffer. Nothing of it is in the executable.
//
// hipgrain-run: managed
// hipgrain-stdout: runtime compiled: 0 expected 64
// hipgrain-expect: HG101 kernel=count argument=1 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: device
// hipgrain-stdout: runtime compiled: 64 expected 64
// hipgrain-expect: none
//
// The same kernel from two modules, of which one has the instruction and the other a loop.
// hipgrain-run: both_ways
// hipgrain-stdout: runtime compiled: 64 expected 64
// hipgrain-stdout: runtime compiled: 128 expected 128
// hipgrain-expect: HG107 kernel=count argument=1 api=hipMalloc at=@device launches=1
// hipgrain-expect: HG110 kernel=count
// hipgrain-gpu: gfx942 without HG107 HG110: clang makes the instruction there with either option
//
// hipgrain-run: same_way_twice
// hipgrain-stdout: runtime compiled: 128 expected 128
// hipgrain-expect: none

#include "sample.h"

#include <hip/hiprtc.h>

#include <string>
#include <vector>

#define ITEMS 64

static const char source[] = R"(
extern "C" __global__ void count(int value, float *sum)
{
	__hip_atomic_fetch_add(sum, (float)value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
)";

#define CHECK_RTC(call)                                                                   \
	do {                                                                              \
		hiprtcResult error_ = (call);                                             \
		if (error_ != HIPRTC_SUCCESS) {                                           \
			fprintf(stderr, "%s: %s\n", #call, hiprtcGetErrorString(error_)); \
			exit(1);                                                          \
		}                                                                         \
	} while (0)

static std::vector<char> compile(const char *flag)
{
	const char *options[] = { nullptr, flag };
	hipDeviceProp_t device;
	std::string target;
	hiprtcProgram program;
	size_t size;

	CHECK(hipGetDeviceProperties(&device, 0));
	target = std::string("--gpu-architecture=") + device.gcnArchName;
	options[0] = target.c_str();
	CHECK_RTC(hiprtcCreateProgram(&program, source, "count.hip", 0, nullptr, nullptr));
	CHECK_RTC(hiprtcCompileProgram(program, 2, options));
	CHECK_RTC(hiprtcGetCodeSize(program, &size));
	std::vector<char> code(size);
	CHECK_RTC(hiprtcGetCode(program, code.data()));
	CHECK_RTC(hiprtcDestroyProgram(&program));
	return code;
}

static void run(float *sum, int expected = ITEMS, const char *flag = "-munsafe-fp-atomics")
{
	std::vector<char> code = compile(flag);
	struct {
		int value;
		float *sum;
	} arguments = { 1, sum };
	size_t size = sizeof(arguments);
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
			  &size, HIP_LAUNCH_PARAM_END };
	hipModule_t module;
	hipFunction_t kernel;
	float total;

	CHECK(hipModuleLoadData(&module, code.data()));
	CHECK(hipModuleGetFunction(&kernel, module, "count"));
	CHECK(hipModuleLaunchKernel(kernel, 1, 1, 1, ITEMS, 1, 1, 0, nullptr, nullptr, extra));
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&total, sum, sizeof(total), hipMemcpyDefault));
	printf("runtime compiled: %g expected %d\n", total, expected);
	CHECK(hipModuleUnload(module));
}

static void run_managed()
{
	float *sum;

	CHECK(hipMallocManaged(&sum, sizeof(*sum))); // @managed
	*sum = 0;
	run(sum);
	CHECK(hipFree(sum));
}

static float *device()
{
	float *sum;

	CHECK(hipMalloc(&sum, sizeof(*sum))); // @device
	CHECK(hipMemset(sum, 0, sizeof(*sum)));
	return sum;
}

static void run_device()
{
	float *sum = device();

	run(sum);
	CHECK(hipFree(sum));
}

static void run_twice(const char *second)
{
	float *sum = device();

	run(sum);
	run(sum, 2 * ITEMS, second);
	CHECK(hipFree(sum));
}

static const variant variants[] = {
	{ "managed", run_managed },
	{ "device", run_device },
	{ "both_ways", [] { run_twice("-mno-unsafe-fp-atomics"); } },
	{ "same_way_twice", [] { run_twice("-munsafe-fp-atomics"); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
