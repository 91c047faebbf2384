// SPDX-License-Identifier: Apache-2.0
// Integer atomics of every kind on memory of several kinds. PCIe carries addition, exchange and
// compare-and-swap; the others are lost on fine-grained host memory, unless the CPU is on XGMI.
//
// hipgrain-run: hip_malloc
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// Coarse-grained: the GPU's own cache does them.
// hipgrain-run: host_noncoherent
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// hipgrain-run: ext_fine
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// hipgrain-run: host_default
// hipgrain-stdout: atomics: 2 of 7 right: add cas
// hipgrain-expect: HG104 kernel=do_max argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_and argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_or argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_xor argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_inc argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-gpu: gfx942: what PCIe does not carry it performs within the device
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// hipgrain-run: host_default
// hipgrain-env: SOFTGPU_XGMI_CPU=1
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// Managed memory stays on the host while XNACK is off and nobody prefetches it.
// hipgrain-run: managed
// hipgrain-stdout: atomics: 2 of 7 right: add cas
// hipgrain-expect: HG104 kernel=do_max argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_and argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_or argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_xor argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_inc argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-gpu: gfx942: what PCIe does not carry it performs within the device
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// A slot that carries no atomics at all: what AMD's table says of this GPU, and nobody measured.
// hipgrain-run: host_default
// hipgrain-env: SOFTGPU_PCIE_ATOMICS=0
// hipgrain-stdout: atomics: 0 of 7 right:
// hipgrain-expect: HG105 kernel=do_add argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=possible
// hipgrain-expect: HG104 kernel=do_max argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_and argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_or argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_xor argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG104 kernel=do_inc argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG105 kernel=do_cas argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=possible
// hipgrain-gpu: gfx942: what PCIe does not carry it performs within the device
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none
//
// hipgrain-run: hip_malloc
// hipgrain-env: SOFTGPU_PCIE_ATOMICS=0
// hipgrain-stdout: atomics: 7 of 7 right: add max and or xor inc cas
// hipgrain-expect: none

#include "sample_buffers.h"

#include <string>

#define ITEMS 64

__global__ void do_add(unsigned *word)
{
	atomicAdd(word, threadIdx.x);
}

__global__ void do_max(unsigned *word)
{
	atomicMax(word, threadIdx.x);
}

__global__ void do_and(unsigned *word)
{
	atomicAnd(word, ~threadIdx.x);
}

__global__ void do_or(unsigned *word)
{
	atomicOr(word, threadIdx.x);
}

__global__ void do_xor(unsigned *word)
{
	atomicXor(word, threadIdx.x < 32 ? 1u << threadIdx.x : 0);
}

__global__ void do_inc(unsigned *word)
{
	atomicInc(word, 1000000);
}

/* A single lane finds its own number there, and leaves the next. */
__global__ void do_cas(unsigned *word)
{
	atomicCAS(word, threadIdx.x, threadIdx.x + 1000);
}

static const struct {
	const char *name;
	void (*kernel)(unsigned *word);
	unsigned before, after;
} operations[] = {
	{ "add", do_add, 7, 7 + ITEMS * (ITEMS - 1) / 2 },
	{ "max", do_max, 7, ITEMS - 1 },
	{ "and", do_and, 0xffff, 0xffc0 },
	{ "or", do_or, 0x100, 0x13f },
	{ "xor", do_xor, 7, 0xfffffff8 },
	{ "inc", do_inc, 7, 7 + ITEMS },
	{ "cas", do_cas, 7, 1007 },
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s ALLOCATOR\n", argv[0]);
		return 2;
	}
	buffer b = make_buffer(argv[1], 4096);
	std::string names;
	int right = 0;

	for (const auto &o : operations) {
		unsigned *word = (unsigned *)b.device;

		CHECK(hipMemcpy(b.device, &o.before, sizeof(o.before), hipMemcpyDefault));
		CHECK(hipDeviceSynchronize());
		hipLaunchKernelGGL(o.kernel, dim3(1), dim3(ITEMS), 0, 0, word);
		CHECK(hipGetLastError());
		if (read_back<unsigned>(b, 0) == o.after) {
			names += std::string(" ") + o.name;
			right++;
		}
	}
	printf("atomics: %d of %d right:%s\n", right, (int)(sizeof(operations) / sizeof(operations[0])),
	       names.c_str());
	free_buffer(b);
	return 0;
}
