// SPDX-License-Identifier: Apache-2.0
/*
 * Atomics inside of rocPRIM: histogram, scan, reduction by key, sort, selection. By hand (it takes a minute to
 * build): hipcc --offload-arch=gfx90a -O3 -o PROGRAM libraries.hip, then run --hipgrain ... PROGRAM.
 */
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <vector>

#include "tests/oracle/launch.h"

#define COUNT 20000

/* Each of rocPRIM's functions tells first how much memory it wants. */
template <class F> static void with_storage(F f)
{
	void *storage = nullptr;
	size_t size = 0;

	CHECK(f(storage, size));
	CHECK(hipMalloc(&storage, size + 4));
	CHECK(f(storage, size));
	CHECK(hipDeviceSynchronize());
	CHECK(hipFree(storage));
}

template <class T> static T *filled(unsigned modulo)
{
	std::vector<T> values(COUNT);
	T *memory;

	for (unsigned i = 0; i < COUNT; i++)
		values[i] = (T)(i * 7919u % modulo);
	CHECK(hipMalloc((void **)&memory, COUNT * sizeof(T)));
	put(memory, values.data(), COUNT * sizeof(T));
	return memory;
}

int main()
{
	int *in = filled<int>(1000), *out = filled<int>(1), *keys = filled<int>(40), *other = filled<int>(1);
	unsigned *counted = filled<unsigned>(1);
	size_t *selected = filled<size_t>(1);

	with_storage([&](void *storage, size_t &size) {
		return rocprim::histogram_even(storage, size, in, COUNT, counted, 101, 0, 1000);
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::histogram_even(storage, size, in, COUNT, counted, 9001, 0, 9000);
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::inclusive_scan(storage, size, in, out, COUNT, rocprim::plus<int>());
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::reduce(storage, size, in, out, 0, COUNT, rocprim::plus<int>());
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::reduce_by_key(storage, size, keys, in, COUNT, other, out, selected);
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::radix_sort_keys(storage, size, in, out, COUNT);
	});
	with_storage([&](void *storage, size_t &size) {
		return rocprim::select(storage, size, in, out, selected, COUNT, [] __device__(int x) { return x > 500; });
	});
	return 0;
}
