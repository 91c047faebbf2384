// SPDX-License-Identifier: Apache-2.0
// Kernels that end in a memory access fault or stop themselves, by argument; "overlap" and "status" end with exit status 3 instead.
#include <hip/hip_runtime.h>

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

template <int... N> struct numbers {
};
template <int N, int... Rest> struct upto : upto<N - 1, N, Rest...> {
};
template <int... Rest> struct upto<0, Rest...> {
	typedef numbers<Rest...> type;
};

__global__ void fill(int *to, long skip)
{
	to[skip + threadIdx.x] = 1;
}

// The name of its instance has more than 3000 characters.
template <class T> __global__ void named(T, int *to)
{
	to[threadIdx.x] = 1;
}

__global__ void stops(int *to)
{
	if (to[threadIdx.x] != 7)
		__builtin_trap();
}

// Registers two ranges that overlap, and uses both.
static bool overlap(char *host)
{
	int *one, *other;

	if (hipHostRegister(host, 65536, 0) || hipHostRegister(host + 4096, 65536, 0) ||
	    hipHostGetDevicePointer((void **)&one, host, 0) ||
	    hipHostGetDevicePointer((void **)&other, host + 4096, 0))
		return false;
	fill<<<1, 64>>>(one, 0);
	fill<<<1, 64>>>(other, 0);
	return !hipDeviceSynchronize() && !hipHostUnregister(host + 4096) && !hipHostUnregister(host);
}

#define HUGE_SIZE (2l << 20)

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *first, *last, *host = (int *)aligned_alloc(4096, 1 << 20);

	if (hipMalloc((void **)&first, 8192) || hipMalloc((void **)&last, 4096))
		return 1;
	if (!strcmp(what, "freed")) {
		if (hipFree(first))
			return 1;
		fill<<<1, 64>>>(first, 0);
	} else if (!strcmp(what, "host")) {
		fill<<<1, 64>>>(host, 0);
	} else if (!strcmp(what, "walks")) {
		// AMD's runtime leaves one page unmapped behind it, and more behind one of huge pages.
		int *huge;

		if (hipMalloc((void **)&huge, HUGE_SIZE + 4096))
			return 1;
		fill<<<1, 64>>>(huge, (HUGE_SIZE + 8192) / sizeof(int));
	} else if (!strcmp(what, "nowhere")) {
		fill<<<1, 64>>>(last, 1l << 36);
	} else if (!strcmp(what, "name")) {
		named<<<1, 64>>>(upto<800>::type(), (int *)nullptr);
	} else if (!strcmp(what, "stops")) {
		if (hipMemset(last, 0, 4096))
			return 1;
		stops<<<1, 64>>>(last);
	} else if (!strcmp(what, "unmapped")) {
		int *mapped = (int *)mmap(nullptr, 8 << 20, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		// The runtime maps memory of its own for the first launch.
		fill<<<1, 64>>>(mapped, 0);
		if (hipDeviceSynchronize() || munmap(mapped, 8 << 20))
			return 1;
		fill<<<1, 64>>>(mapped, 0);
	} else if (!strcmp(what, "overlap")) {
		if (!overlap((char *)host))
			return 1;
	} else {
		fill<<<1, 64>>>(last, 0);
	}
	if (hipDeviceSynchronize())
		return 1;
	free(host);
	return 3;
}
