// SPDX-License-Identifier: Apache-2.0
// HIP calls whose events are known, for the test preload-gpu. Prints "EVENT PATTERN" lines as
// preload-app.c does, and "last N" lines for what hipGetLastError() says. usage: preload-gpu CO
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <hip/hip_runtime.h>

struct functor {
	float *out;
	int n;
	int unused; // where padding would be: a copy of the struct need not have the same there
	double factor;
};

__device__ float device_table[100];
// Without a device, AMD's 5.2 crashes before main() when there is a managed variable.
#ifdef NO_MANAGED
__device__
#else
__managed__
#endif
int managed_table[10];
// In LDS, but registered like the others: the runtime aborts on a query of its address.
__device__ __shared__ float shared_table[64];

__global__ void scale(float *a, int n, functor f)
{
	shared_table[threadIdx.x & 63] = 0;
	f.out[threadIdx.x] = (float)f.factor * a[threadIdx.x] + device_table[n] + managed_table[0] +
			     shared_table[threadIdx.x & 63];
}

__global__ void nothing()
{
}

static unsigned long long address(const void *ptr)
{
	return (unsigned long long)(uintptr_t)ptr;
}

// Bytes as babeltrace2 prints a sequence.
static void expect_bytes(const std::vector<unsigned char> &bytes)
{
	std::string text;

	for (size_t i = 0; i < bytes.size(); i++)
		text += (i ? ", [" : "[") + std::to_string(i) + "] = " + std::to_string(bytes[i]);
	std::printf("bytes _bytes_length = %zu, bytes = [ %s ]\n", bytes.size(), text.c_str());
}

static void last()
{
	std::printf("last %d %d\n", (int)hipPeekAtLastError(), (int)hipGetLastError());
}

int main(int argc, char **argv)
{
	std::vector<float> host(1000, 1.0f);
	float *a = nullptr, *out = nullptr;
	void *registered, *seen;
	int count = -1;

	std::printf("count %d\n", (int)hipGetDeviceCount(&count));
	last();
	int rc = (int)hipMalloc(&a, 4000); // without a device, hipErrorInvalidDevice of 5.2.3, hipErrorNoDevice of 5.7.1
	if (rc) {
		last();
		std::printf("error api = 100, code = %d, ptr = 0x0, size = 4000\n", rc);
		nothing<<<1, 1>>>(); // its failure shows only in __hipPushCallConfiguration
		last();
		std::printf("error api = 520, code = %d\n", rc);
		hipFree(a);
		return 0;
	}
	std::printf("alloc api = 100, ptr = 0x%llX, device_ptr = 0x%llX, size = 4000\n", address(a),
		    address(a));
	hipHostMalloc((void **)&out, 8192, hipHostMallocNonCoherent);
	std::printf("alloc api = 103, ptr = 0x%llX, device_ptr = 0x%llX, size = 8192, flags = 0x80000000\n",
		    address(out), address(out));
#ifndef NO_MANAGED
	managed_table[0] = 7;
#endif
	std::printf("copied %d\n", (int)hipMemcpy(a, host.data(), 4000, hipMemcpyHostToDevice));
	std::printf("copy api = 200, dst = 0x%llX, src = 0x%llX, size = 4000, rows = 1, dst_pitch = 0, src_pitch = 0, kind = 1\n",
		    address(a), address(host.data()));

	functor f = {out, 5, 0, 2.5};
	for (int i = 0; i < 3; i++)
		scale<<<dim3(2, 3, 1), dim3(64), 128>>>(a, 3, f);
	std::printf("launches grid_x = 2, grid_y = 3, grid_z = 1, block_x = 64, block_y = 1, block_z = 1, shared = 128, device = 0, stream = 0x0\n");
	last();
	std::printf("done %d\n", (int)hipDeviceSynchronize());
	std::printf("value %g\n", out[1]);
	std::vector<unsigned char> bytes(40, 0);
	int n = 3;
	std::memcpy(&bytes[0], &a, 8);
	std::memcpy(&bytes[8], &n, 4);
	std::memcpy(&bytes[16], &f, sizeof(f));
	expect_bytes(bytes);
	std::printf("alloc api = 114, ptr = 0x%llX\n", address(managed_table));
	hipGetSymbolAddress(&seen, HIP_SYMBOL(device_table));
	std::printf("alloc api = 113, ptr = 0x%llX, device_ptr = 0x%llX, size = 400\n", address(seen),
		    address(seen));

	// Failures, and what the program may ask about them afterwards.
	std::printf("bad %d\n", (int)hipFree((void *)0x1230));
	last();
	std::printf("free api = 150, ptr = 0x1230\nerror api = 150, code = 1, ptr = 0x1230\n");
	hipFree((void *)0x4560); // and nobody asks: a kernel's first launch meets the pending error
	nothing<<<1, 1000000>>>();
	std::printf("error api = 350, code = %d, ptr = 0x2,\n", (int)hipPeekAtLastError());
	last();

	// A module from memory that was freed when the kernel is launched; arguments as a buffer.
	hipModule_t module;
	hipFunction_t function;
	FILE *file = std::fopen(argc > 1 ? argv[1] : "", "rb");
	if (!file)
		return 2;
	std::vector<char> image(1 << 20);
	size_t image_size = std::fread(image.data(), 1, image.size(), file);
	std::fclose(file);
	image.resize(image_size);
	std::printf("module %d\n", (int)hipModuleLoadData(&module, image.data()));
	std::memset(image.data(), 0, image.size());
	std::printf("function %d\n", (int)hipModuleGetFunction(&function, module, "fill"));
	struct {
		float *to;
		float value;
	} arguments = {out, 4.0f};
	size_t size = sizeof(arguments);
	void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 HIP_LAUNCH_PARAM_END};
	std::printf("launch %d\n",
		    (int)hipModuleLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, nullptr, nullptr, extra));
	hipDeviceSynchronize();
	std::printf("value %g\n", out[1]);
	bytes.resize(12);
	std::memcpy(&bytes[0], &arguments, 12);
	expect_bytes(bytes);
	std::printf("launches grid_x = 1, grid_y = 1, grid_z = 1, block_x = 8, block_y = 1, block_z = 1, shared = 0, device = 0, stream = 0x0\n");
	hipModuleUnload(module);

	if (posix_memalign(&registered, 4096, 65536))
		return 3;
	hipHostRegister(registered, 65536, hipHostRegisterMapped);
	hipHostGetDevicePointer(&seen, registered, 0);
	std::printf("alloc api = 107, ptr = 0x%llX, device_ptr = 0x%llX, size = 65536, flags = 0x2\n",
		    address(registered), address(seen));
	hipHostUnregister(registered);
	std::free(registered);
	last();
	hipHostFree(out);
	hipFree(a);
	return 0;
}
