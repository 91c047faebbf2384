// SPDX-License-Identifier: Apache-2.0
/*
 * malloc in kernels. In a process of its own: unoptimized every kernel brings a buffer for calls to
 * the host, and libamdhip64 5.2 answers only the queue whose buffer was made last.
 */
#include "program.h"

struct item {
	item *next;
	int value;
};

__global__ void list_kernel(long long *out)
{
	item *head = nullptr;
	long long sum = 0;

	for (int i = 0; i < 20; i++) {
		item *one = (item *)malloc(sizeof(item) + threadIdx.x % 5 * 16);

		if (!one)
			sum += 1 << 30;
		else
			*one = { head, i * (int)threadIdx.x }, head = one;
	}
	while (head) {
		item *next = head->next;

		sum += head->value;
		free(head);
		head = next;
	}
	out[threadIdx.x] = sum;
}

static bool device_malloc(void)
{
	std::vector<long long> want(128);
	device<long long> out(128);
	// The runtime's own heap and staging memory stand beside it: malloc must stay out of them.
	device<int> near(std::vector<int>(1000, 1)), far(std::vector<int>(1000, 2));
	uint64_t aligned;
	int *block;

	for (int i = 0; i < 128; i++)
		want[i] = 190 * i;
	for (int round = 0; round < 3; round++) {
		list_kernel<<<1, 128>>>(out);
		if (!same(out.get(), want))
			return false;
	}
	HIP(hipMalloc((void **)&block, 2 << 20));
	aligned = (uint64_t)(uintptr_t)block % (2 << 20);
	HIP(hipFree(block));
	return !aligned && same(near.get(), std::vector<int>(1000, 1)) &&
	       same(far.get(), std::vector<int>(1000, 2));
}

static const program programs[] = {
	{ "device_malloc", device_malloc },
	{},
};

MAIN(programs)
