// SPDX-License-Identifier: Apache-2.0
// Kernels that end in a memory access fault, by argument; "status" ends with exit status 3 instead.
#include <hip/hip_runtime.h>

#include <cstdlib>
#include <cstring>

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
	} else {
		fill<<<1, 64>>>(last, 0);
	}
	if (hipDeviceSynchronize())
		return 1;
	free(host);
	return 3;
}
