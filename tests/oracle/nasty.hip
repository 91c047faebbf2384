// SPDX-License-Identifier: Apache-2.0
/* Launches every kernel of tests/unit/isa/nasty.hip, so that each address is used on every path. */
#include "tests/unit/isa/nasty.hip"

#include "tests/oracle/launch.h"

static int *ints(int i)
{
	return buffer<int>(i);
}

static char *chars(int i)
{
	return (char *)ints(i);
}

static void arithmetic(int n)
{
	word mask = n & 1 ? ~(word)0 : 0;

	LAUNCH(64, by_masks, chars(0), chars(1), mask);
	LAUNCH(64, by_masked_difference, chars(0), chars(1), mask);
	LAUNCH(64, by_product, chars(0), chars(1), n & 1);
	LAUNCH(64, by_two_products, chars(0), chars(1), n & 1);
	LAUNCH(64, by_xor, chars(0), chars(1), mask);
	LAUNCH(64, by_masks_in_struct, two{(word)ints(0), (word)ints(1), mask});
	LAUNCH(64, by_product_in_struct, two{(word)ints(0), (word)ints(1), mask});
	LAUNCH(64, by_shift, chars(0), 0);
	LAUNCH(64, product_plus_number, chars(0), 1, n);
	LAUNCH(64, xor_swap, chars(0), chars(1), n);
	LAUNCH(64, xor_key, chars(0), 0x123456789abcdef0u + n);
	LAUNCH(64, tagged, chars(0), n);
	LAUNCH(64, high_bits_tag, chars(0), n);
	LAUNCH(64, complement, chars(0), 4l * n);
	LAUNCH(64, twice_negated, chars(0), 4l * n);
	LAUNCH(64, twice_complemented, chars(0), n);
	LAUNCH(64, halves_of_two, chars(0), chars(1));
	word p = (word)ints(2);
	LAUNCH(64, put_together, (unsigned)p, (unsigned)(p >> 32), n);
	LAUNCH(64, put_together_swapped, (unsigned)(p >> 32), (unsigned)p, n);
	LAUNCH(64, put_together_apart, (unsigned)p, n, (unsigned)(p >> 32));
	LAUNCH(64, by_shuffled_bytes, chars(0));
	LAUNCH(64, rotated, chars(0));
	LAUNCH(64, through_difference, chars(0), chars(1));
	LAUNCH(64, difference_as_index, ints(0), ints(1), ints(1) + 5);
	LAUNCH(64, hashed, ints(0), chars(1));
	LAUNCH(64, hashed_in_struct, hash_table{ints(0), 255}, chars(1));
	LAUNCH(64, ring, ints(0), ints(0) + 17, 3, n * 5);
	LAUNCH(64, backwards_ring, ints(0), ints(0) + 7, n * 3);
}

static void structs(int n)
{
	struct variant v = {n & 1, {{ints(1)}, {ints(2)}}};
	struct deep d = {};
	union {
		int *p;
		double d;
		struct {
			unsigned low, high;
		};
	} u = {ints(3)};

	LAUNCH(64, in_union, n, v);
	LAUNCH(64, packed_by_one, packed_one{'x', ints(1), n});
	LAUNCH(64, packed_by_four, packed_four{n, ints(1), ints(2)});
	for (int i = 0; i < 8; i++)
		d.a[i >> 2 & 1].b[i >> 1 & 1].p[i & 1] = ints(i);
	LAUNCH(64, deep_static, d);
	LAUNCH(64, deep_dynamic, d, n);
	LAUNCH(64, in_vector, make_uint4(1, 2, u.low, u.high), n);
	LAUNCH(64, in_vector_odd, make_uint4(1, u.low, u.high, 3), n);
	LAUNCH(64, in_double, n, u.d);
	LAUNCH(64, copied_by_bytes, v, n);
}

static void memory(int n)
{
	struct heads h;
	word cells[3] = {(word)ints(5), (word)ints(6), 0};
	struct node node = {nullptr, 0};
	int numbers[2] = {100, 0};

	for (int i = 0; i < 4; i++) {
		struct node first = {(struct node *)ints(4 + i), 0};

		h.head[i] = (struct node *)ints(i);
		put(h.head[i], &first, sizeof(first));
		put(first.next, &node, sizeof(node));
	}
	LAUNCH(64, lists_of_struct, n, h);
	LAUNCH(64, second_of_list, n, h);
	LAUNCH(64, head_or_next, n, h);
	put(ints(0), cells, sizeof(cells));
	word x = (word)ints(6), zero = 0, y = (word)ints(5);
	put(ints(5), &x, sizeof(x));
	put(ints(6), &y, sizeof(y));
	LAUNCH(64, xor_list, (word *)ints(0), 2);
	put(ints(5), &zero, sizeof(zero));
	put(ints(6), &zero, sizeof(zero));
	put(ints(0), &x, sizeof(x));
	LAUNCH(64, taken_pointer, (word *)ints(0), ints(1), n);
	LAUNCH(64, stored_pointer, (int *volatile *)chars(0), ints(1), n);
	LAUNCH(64, stored_and_taken, (int **)ints(0), ints(1), n);
	put(ints(0), numbers, sizeof(numbers));
	LAUNCH(64, relative_pointer, ints(0));
	LAUNCH(64, of_table, n);
	LAUNCH(64, of_constant_table, n);
	LAUNCH(64, managed, n);
	LAUNCH(64, of_global_struct, n);
	LAUNCH(64, argument_or_kept, ints(5), n);
	LAUNCH(64, argument_or_variable, ints(5), n);
	LAUNCH(64, pointer_in_lds, ints(0), ints(1), n);
	LAUNCH(64, one_pointer_in_lds, ints(0), ints(1), n);
	LAUNCH(64, lds_through_call, ints(0), n);
}

static void others(int n)
{
	int key[256];

	for (int i = 0; i < 256; i++)
		key[i] = i * 7 + i / 3 + n;
	put(ints(7), key, sizeof(key));
	LAUNCH(64, pointer_to_pointer, ints(0), ints(1), ints(2), n);
	LAUNCH(64, sorted_pointers, ints(0), ints(1), ints(2), n);
	LAUNCH(64, array_in_private_struct, ints(0), ints(1), ints(2), n);
	LAUNCH(64, rotated_pointers, ints(0), ints(1), ints(2), n);
	LAUNCH(64, ternary_in_loop, ints(0), ints(1), ints(2), ints(7), n);
	LAUNCH(64, swap_then_break, ints(0), ints(1), ints(7), n);
	LAUNCH(64, one_of_eight, ints(0), ints(1), ints(2), ints(3), ints(4), ints(5), ints(6), ints(7), n);
	LAUNCH(64, returned_pointer, ints(0), ints(1), ints(2), n);
	LAUNCH(64, pointer_by_reference, ints(0), ints(1), ints(2), n);
	LAUNCH(64, struct_by_value, ints(0), ints(1), n);
	LAUNCH(64, by_the_stack, ints(0), ints(1), n);
	LAUNCH(64, lambda_by_reference, ints(0), ints(1), n);
	LAUNCH(64, lambda_by_value, ints(0), ints(1), n);
	LAUNCH(64, virtual_call, ints(0), ints(1), n);
	LAUNCH(64, function_chosen, ints(0), ints(1), n);
	LAUNCH(64, recursion_with_result, ints(0), ints(1), n);
	LAUNCH(64, of_first_lane, ints(0), ints(1), n);
	LAUNCH(64, of_some_lane, ints(0), ints(1), n);
#ifdef __OPTIMIZE__ /* without, registers are stored and loaded in active lanes only */
	LAUNCH(64, of_lane_switched_off, ints(0), ints(1), n);
#endif
	LAUNCH(64, shuffled, ints(0), ints(1), n);
	LAUNCH(64, of_neighbour, ints(0), ints(1));
	LAUNCH(64, scalar_and_offset, ints(0), ints(1), n);
	LAUNCH(64, scalar_and_difference, ints(0), ints(1), n);
	LAUNCH(64, negative_offset, ints(0), n);
	LAUNCH(64, flat_by_hand, ints(0), n);
	LAUNCH(64, carry_chain, chars(0), 4 * n);
	LAUNCH(64, buffer_by_hand, ints(0), ints(1), n);
	LAUNCH(64, buffer_and_difference, ints(0), ints(1), n);
	LAUNCH(64, bits_inserted, chars(0), chars(1), n & 1 ? 0xffffffffu : 0u);
	LAUNCH(64, exec_by_hand, ints(0), ints(1), (word)0x5555555555555555u);
	LAUNCH(64, through_dispatch_packet, ints(0), ints(1), n);
	LAUNCH(64, through_implicit_arguments, ints(0), ints(1), n);
}

static void uses(int n)
{
	int *slot = ints(3);

	LAUNCH(64, uses_by_bytes, chars(0), (short *)ints(1), n);
	LAUNCH(64, uses_in_place, (double *)ints(0), n);
	LAUNCH(64, uses_of_choice, ints(0), ints(1), n);
	LAUNCH(64, uses_unused, ints(0), ints(1), ints(2), n);
	LAUNCH(64, uses_through_call, ints(0), ints(1));
	put(ints(0), &slot, sizeof(slot));
	LAUNCH(64, uses_in_memory, (int **)ints(0), ints(1), n);
	LAUNCH(64, uses_cast_away, ints(0), n);
	LAUNCH(64, uses_wide, (int4 *)ints(0), (int4 *)ints(1));
	LAUNCH(64, uses_nontemporal, ints(0), ints(1));
	LAUNCH(64, uses_scalar_and_offset, ints(0), ints(1), n);
	LAUNCH(64, uses_buffer, ints(0), n);
	LAUNCH(64, uses_scalar_store, ints(0), n);
	LAUNCH(64, uses_lds_or_global, ints(0), n);
	LAUNCH(64, uses_in_loop, ints(0), ints(1), ints(2), n);
}

int main()
{
	int *pointers[4] = {ints(0), ints(1), ints(2), ints(3)};

	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(kept), pointers, sizeof(pointers)));
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(fixed), pointers, sizeof(pointers)));
	managed_pointer = ints(4);
	struct global to = {0, {{1, {{ints(0)}, {ints(1)}}}, {2, {{ints(2)}, {ints(3)}}}, {3, {{ints(4)}, {ints(5)}}}}};
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(global_struct), &to, sizeof(to)));
	for (int n = 0; n < 8; n++) {
		arithmetic(n);
		structs(n);
		memory(n);
		others(n);
		uses(n);
	}
	return 0;
}
