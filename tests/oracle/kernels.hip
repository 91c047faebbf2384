// SPDX-License-Identifier: Apache-2.0
/*
 * Launches every kernel of tests/unit/isa/kernels.hip, so that each atomic is executed on every path that
 * matters to where its address comes from. Every pointer argument has an allocation of its own.
 */
#include "tests/unit/isa/kernels.hip"

#include "tests/oracle/launch.h"

static void numbers(int n)
{
	LAUNCH(64, add_direct, buffer<float>(0), n * 20);
	LAUNCH(64, add_second, n, buffer<float>(1));
	LAUNCH(64, add_double, buffer<double>(0), n);
	LAUNCH(64, unsafe_double, buffer<double>(0), n, buffer<double>(1));
	LAUNCH(64, pick_uniform, buffer<int>(0), buffer<int>(1), n);
	LAUNCH(64, pick_divergent, buffer<int>(0), buffer<int>(1), n);
	LAUNCH(64, both_branches, buffer<int>(0), buffer<int>(1), buffer<unsigned long long>(2), n);
	LAUNCH(64, three_ways, buffer<int>(0), buffer<int>(1), buffer<int>(2), n);
	for_each<<<2, 64>>>(functor{n + 1, 1.0f, buffer<float>(3)});
	struct table t = {n, n, {buffer<int>(0), buffer<int>(1), buffer<int>(2)}, 7};
	LAUNCH(64, table_static, n, t);
	LAUNCH(64, table_dynamic, n, t);
	LAUNCH(64, one_cas, n, buffer<int>(1));
	LAUNCH(64, exchange, buffer<int>(0), buffer<int>(1));
	LAUNCH(64, through_call, n, buffer<int>(1));
	LAUNCH(64, two_calls, buffer<int>(0), buffer<int>(1), n);
	LAUNCH(64, variable, n);
	LAUNCH(64, through_variable, n);
	LAUNCH(64, through_constant, n);
	LAUNCH(64, wide_min, buffer<unsigned long long>(0));
	LAUNCH(64, float_max, buffer<float>(0), (float)n);
	LAUNCH(64, int_product, buffer<int>(0), n);
	LAUNCH(64, stride, buffer<int>(0), n, 3);
	LAUNCH(64, ping_pong, buffer<int>(0), buffer<int>(1), n);
	LAUNCH(64, integer_pointer, n, (uintptr_t)buffer<int>(1));
	LAUNCH(64, byte_offset, buffer<char>(0), 8l * n);
	LAUNCH(64, pair_offset, pair{buffer<char>(2), 8l * n});
	LAUNCH(64, rebase, buffer<char>(0), buffer<char>(0) + 64 * n, buffer<char>(1));
	LAUNCH(64, difference, buffer<char>(0), buffer<char>(0) + 64 * n, buffer<char>(1));
	LAUNCH(64, round_down, buffer<int>(0), n);
	LAUNCH(64, cast_away, n, buffer<int>(1));
	LAUNCH(64, private_array, buffer<int>(0), buffer<int>(1), buffer<int>(2), buffer<int>(3), n);
#ifdef __OPTIMIZE__
	LAUNCH(64, spilled, buffer<int>(0), buffer<int>(1), buffer<int>(2), buffer<int>(3), n);
#endif
	LAUNCH(64, recursion, buffer<int>(0), n & 7);
	LAUNCH(64, by_pointer, buffer<int>(0), n & 1);
	LAUNCH(64, lds_or_global, buffer<int>(0), n);
	LAUNCH(64, else_part, buffer<int>(0), buffer<int>(1), buffer<int>(7), n - 3);
	LAUNCH(64, nested_else, buffer<int>(0), buffer<int>(1), buffer<int>(2), n);
	LAUNCH(64, switch_pointer, buffer<int>(0), buffer<int>(1), buffer<int>(2), n);
	LAUNCH(64, swapped, buffer<char>(0), buffer<char>(1), n);
	LAUNCH(64, before_variable, n + 3);
	LAUNCH(64, two_variables, n);
	struct outer outer = {};
	outer.inner[1].to = buffer<float>(2);
	LAUNCH(64, nested_struct, n, outer);
	LAUNCH(64, backwards, (long)n, buffer<int>(1));
	LAUNCH(64, grid_stride, n, buffer<unsigned long long>(1));
	LAUNCH(64, add_any<double>, buffer<double>(0), buffer<double>(1), n);
	launch_lambda(buffer<int>(3), 5, n);
	CHECK(hipDeviceSynchronize());
	LAUNCH(64, int_min, buffer<int>(0), buffer<unsigned>(1), buffer<long long>(2));
	LAUNCH(64, wrap_around, buffer<unsigned>(0), buffer<unsigned>(1), 5u);
	LAUNCH(64, scopes, buffer<int>(0), buffer<int>(1));
	LAUNCH(64, narrow_index, buffer<int>(0), buffer<unsigned char>(1), (short)n);
	LAUNCH(64, copy, buffer<float>(0), buffer<float>(1), n);
}

static void with_memory()
{
	int *pointers[3] = {buffer<int>(1), buffer<int>(2), buffer<int>(3)};
	struct node *first = buffer<struct node>(4), *second = buffer<struct node>(5);
	struct node node = {second, 0};
	unsigned index[128];
	unsigned char data[256];
	int stop[512];
	float x[128];

	put(buffer<int *>(0), pointers, sizeof(pointers));
	LAUNCH(64, in_memory, buffer<int *>(0), 2);
	struct table t = {1, 1, {buffer<int>(1), buffer<int>(2), buffer<int>(3)}, 7};
	put(buffer<struct table>(6), &t, sizeof(t));
	LAUNCH(64, in_struct_in_memory, buffer<struct table>(6), 2);
	int **levels[2] = {nullptr, buffer<int *>(0)};
	put(buffer<int **>(7), levels, sizeof(levels));
	LAUNCH(64, twice_in_memory, 2, buffer<int **>(7));
	CHECK(hipMemset(buffer<char>(6), 0, BUFFER_BYTES / 2));
	put(first, &node, sizeof(node));
	LAUNCH(64, list, first);
	for (int i = 0; i < 256; i++)
		data[i] = (unsigned char)i;
	put(buffer<char>(5), data, sizeof(data));
	LAUNCH(256, histogram, buffer<int>(1), buffer<unsigned char>(5), 256);
	LAUNCH(1, spin_lock, buffer<int>(6), buffer<float>(1));
	for (int i = 0; i < 128; i++) {
		index[i] = 4u * (unsigned)i;
		x[i] = (float)i;
	}
	put(buffer<unsigned>(7), index, sizeof(index));
	LAUNCH(64, gather, buffer<char>(0), buffer<unsigned>(7));
	put(buffer<float>(7), x, sizeof(x));
	LAUNCH(64, counted, buffer<unsigned>(0), buffer<float>(7), 10.0f);
	for (int i = 0; i < 512; i++)
		stop[i] = i % 3 == 0 ? 100 : i % 5 == 0 ? -1 : 0;
	int starts[9] = {0, 7, 7, 30, 55, 56, 90, 91, 128}, column[128];
	for (int i = 0; i < 128; i++)
		column[i] = i * 5 % 12;
	put(buffer<int>(0), starts, sizeof(starts));
	put(buffer<int>(1), column, sizeof(column));
	for (int many = 0; many < 10; many += 9)
		LAUNCH(64, search_and_add, buffer<int>(0), buffer<int>(1), buffer<float>(2), buffer<float>(3),
		       buffer<float>(4), 8, 128, many);
	put(buffer<int>(7), stop, sizeof(stop));
	LAUNCH(64, shifted_around, buffer<int>(0));
	double vectors[6] = {3, 1, 2, -1, 4, 0.5};
	put(buffer<double>(5), vectors, sizeof(vectors));
	LAUNCH(64, spilled_to_memory, buffer<double>(5), buffer<double>(6), buffer<int>(1), 6);
	LAUNCH(64, early_exit, buffer<int>(0), buffer<int>(1), buffer<int>(7), 9);
}

int main()
{
	int *variable_target = buffer<int>(3), *constant_target = buffer<int>(4);

	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(target), &variable_target, sizeof(int *)));
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(fixed_target), &constant_target, sizeof(int *)));
	for (int n = 0; n < 8; n += n ? 4 : 3)
		numbers(n);
	with_memory();
#ifdef __OPTIMIZE__
	LAUNCH(1, with_printf, buffer<int>(0), 1);
#endif
	return 0;
}
