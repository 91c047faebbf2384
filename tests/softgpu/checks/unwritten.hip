// SPDX-License-Identifier: Apache-2.0
// Kernels that use memory which nothing wrote, by argument, and their twins that do not ("NAME_ok").
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define COUNT 256

struct padded {
	char kind;
	int value;
};

__global__ void scale(const int *from, int *to)
{
	to[threadIdx.x] = 3 * from[threadIdx.x];
}

__global__ void branch(const int *from, int *to)
{
	if (from[threadIdx.x] == 7)
		to[threadIdx.x] = 1;
}

__global__ void address(const int *from, int *to)
{
	to[from[threadIdx.x] & (COUNT - 1)] = 1;
}

__global__ void loop(const int *from, int *to)
{
	int n = from[0] & 15;

	for (int i = 0; i < n; i++)
		to[i] = i;
}

__global__ void count(int *to)
{
	atomicAdd(to, 1);
}

__global__ void move(const int *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x];
}

__global__ void set(struct padded *to, bool value)
{
	to[threadIdx.x].kind = 1;
	if (value)
		to[threadIdx.x].value = 2;
}

__global__ void copy(const struct padded *from, struct padded *to)
{
	to[threadIdx.x] = from[threadIdx.x];
}

__global__ void sum(const struct padded *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x].kind + from[threadIdx.x].value;
}

// Three bytes of each word are written.
__global__ void set_bytes(char *to)
{
	for (int i = 0; i < 3; i++)
		to[4 * threadIdx.x + i] = i;
}

__global__ void add_masked(const unsigned *from, unsigned mask, int *to)
{
	to[threadIdx.x] = (from[threadIdx.x] & mask) + 1;
}

// Halves of words are put together; one of them is not written.
template <bool RIGHT> __global__ void pack(const unsigned short *from, unsigned *to)
{
	unsigned both = from[2 * threadIdx.x] | (unsigned)from[2 * threadIdx.x + 1] << 16;

	to[threadIdx.x] = RIGHT ? both : both + 1;
}

// Elements beyond `n` are loaded, but not selected.
__global__ void select(const int *from, int n, int *to)
{
	int next = from[(threadIdx.x + 1) % COUNT] + 5;

	to[threadIdx.x] = (int)threadIdx.x + 1 < n ? next : 0;
}

__global__ void local(const int *from, int n, int *to)
{
	__shared__ int shared[COUNT];

	if ((int)threadIdx.x < n)
		shared[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	to[threadIdx.x] = shared[COUNT - 1 - threadIdx.x] * 3;
}

// The sum of the lanes of a wave, by permutations of lanes.
__global__ void reduce(const int *from, int *to)
{
	int sum = from[threadIdx.x];

	for (int step = 32; step; step /= 2)
		sum += __shfl_xor(sum, step);
	if (threadIdx.x == 0 && sum > 1000)
		*to = sum;
}

int main(int argc, char **argv)
{
	char name[32] = "";
	int host[COUNT] = { 1, 2, 3 }, *a, *b, *c;
	hipStream_t stream;
	bool right;

	if (argc > 1)
		snprintf(name, sizeof(name), "%s", argv[1]);
	right = strstr(name, "_ok") != NULL;
	if (right)
		*strstr(name, "_ok") = 0;
	if (hipMalloc((void **)&a, 2 * sizeof(host)) || hipMalloc((void **)&b, 2 * sizeof(host)) ||
	    hipMalloc((void **)&c, sizeof(host)) || hipMemset(c, 0, sizeof(host)))
		return 1;
	if (!strcmp(name, "copied_in")) {
		(void)hipMemcpy(a, host, sizeof(host) - (right ? 0 : 4), hipMemcpyHostToDevice);
		scale<<<1, COUNT>>>(a, c);
	} else if (!strcmp(name, "filled")) {
		(void)hipMemset(a, 0, sizeof(host) - (right ? 0 : 1));
		scale<<<1, COUNT>>>(a, c);
	} else if (!strcmp(name, "stored")) {
		move<<<1, COUNT - (right ? 0 : 1)>>>(c, a);
		scale<<<1, COUNT>>>(a, c);
	} else if (!strcmp(name, "by_host")) {
		for (int i = 0; right && i < COUNT; i++)
			a[i] = 0; // the software GPU's memory is the host's
		scale<<<1, COUNT>>>(a, c);
	} else if (!strcmp(name, "released")) {
		for (int k = 0; k < 20; k++)
			scale<<<1, COUNT>>>(right ? c : a, b);
		(void)hipFree(a);
	} else if (!strcmp(name, "branch")) {
		branch<<<1, COUNT>>>(right ? c : a, b);
	} else if (!strcmp(name, "address")) {
		address<<<1, COUNT>>>(right ? c : a, b);
	} else if (!strcmp(name, "loop")) {
		loop<<<1, 1>>>(right ? c : a, b);
	} else if (!strcmp(name, "atomic")) {
		count<<<1, COUNT>>>(right ? c : a);
	} else if (!strcmp(name, "moved")) {
		move<<<1, COUNT>>>(a, b);
		if (right)
			(void)hipMemcpy(b, c, sizeof(host), hipMemcpyDeviceToDevice);
		branch<<<1, COUNT>>>(b, c);
	} else if (!strcmp(name, "copied")) {
		(void)hipMemcpy(b, right ? c : a, sizeof(host), hipMemcpyDeviceToDevice);
		branch<<<1, COUNT>>>(b, c);
	} else if (!strcmp(name, "padding")) {
		set<<<1, COUNT>>>((struct padded *)a, right);
		copy<<<1, COUNT>>>((struct padded *)a, (struct padded *)b);
		sum<<<1, COUNT>>>((struct padded *)b, c);
	} else if (!strcmp(name, "masked")) {
		set_bytes<<<1, COUNT>>>((char *)a);
		add_masked<<<1, COUNT>>>((unsigned *)a, right ? 0xffffff : 0xffffffff, c);
	} else if (!strcmp(name, "packed")) {
		set_bytes<<<1, COUNT>>>((char *)a);
		if (right)
			pack<true><<<1, COUNT>>>((unsigned short *)a, (unsigned *)b);
		else
			pack<false><<<1, COUNT>>>((unsigned short *)a, (unsigned *)b);
	} else if (!strcmp(name, "selected")) {
		move<<<1, COUNT / 2>>>(c, a);
		select<<<1, COUNT>>>(a, COUNT / 2 + (right ? 0 : 1), c);
	} else if (!strcmp(name, "pool")) {
		// The second block is the first one again, which queued kernels still use.
		if (hipStreamCreate(&stream))
			return 1;
		for (int i = 0; i < 2; i++) {
			if (hipMallocAsync((void **)&a, sizeof(host), stream))
				return 1;
			if (right || !i)
				(void)hipMemsetAsync(a, 0, sizeof(host), stream);
			for (int k = 0; k < 20; k++)
				scale<<<1, COUNT, 0, stream>>>(a, c);
			(void)hipFreeAsync(a, stream);
		}
	} else if (!strcmp(name, "local")) {
		local<<<1, COUNT>>>(c, COUNT - (right ? 0 : 1), c);
	} else if (!strcmp(name, "reduced")) {
		move<<<1, 64 - (right ? 0 : 1)>>>(c, a);
		reduce<<<1, 64>>>(a, c);
	} else if (!strcmp(name, "fetched")) {
		move<<<1, COUNT - (right ? 0 : 16)>>>(c, a);
		(void)hipMemcpy(host, a, sizeof(host), hipMemcpyDeviceToHost);
	} else if (!strcmp(name, "fetched_all")) {
		(void)hipMemcpy(host, right ? c : a, sizeof(host), hipMemcpyDeviceToHost);
	} else if (!strcmp(name, "fetched_padding")) {
		set<<<1, COUNT>>>((struct padded *)a, false);
		(void)hipMemcpy(host, a, sizeof(host), hipMemcpyDeviceToHost);
	} else {
		return 2;
	}
	return hipDeviceSynchronize() ? 1 : 0;
}
