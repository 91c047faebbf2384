// SPDX-License-Identifier: Apache-2.0
/*
 * Launches every kernel of tests/unit/isa/disguise.hip with arguments that lead to one of two buffers: where the first
 * argument is a pointer, to the other one.
 */
#include <hip/hip_runtime.h>

#include "tests/unit/isa/disguise.hip"

#include "tests/oracle/launch.h"

static void numbers(char *a, char *b, int n)
{
	word x = (word)a, y = (word)b, *loaded = buffer<word>(2), k = x ^ y, variable;
	word mask = n & 1 ? ~(word)0 : 0;

	put(loaded, &k, sizeof(k));
	CHECK(hipGetSymbolAddress((void **)&variable, HIP_SYMBOL(counted)));
	variable += sizeof(int);
	LAUNCH(64, xor_argument, a, k);
	LAUNCH(64, xor_arguments, x, k);
	LAUNCH(64, xor_in_struct, pair{x, k});
	LAUNCH(64, xor_lower_half, a, (unsigned)k);
	LAUNCH(64, xor_signed_half, a, (int)k);
	LAUNCH(64, xor_product, a, k, 1);
	LAUNCH(64, xor_loaded, a, loaded);
	LAUNCH(64, xor_variable, variable ^ y);
	LAUNCH(64, xor_complement, a, k);
	LAUNCH(64, xor_and_add, a, k, 4 * n);
	LAUNCH(64, xor_of_index, (int *)a, n, 2 * n);
	LAUNCH(64, xor_of_wide_index, a, 4 * n, 8 * n);
	LAUNCH(64, masked_argument, a, y, mask);
	LAUNCH(64, masked_by_sign, a, y, n);
	LAUNCH(64, rounded_down, a, 256);
	LAUNCH(64, aligned_up, a, n);
	LAUNCH(64, peeled, a, n);
	LAUNCH(64, number_without_pointer, a, x + y);
	LAUNCH(64, negative_index, a, 4 * n);
	LAUNCH(64, added_index, a, 4 * n);
	LAUNCH(64, added_numbers, x, 4 * n);
	LAUNCH(64, product_of_variable, y, 1);
	LAUNCH(64, product_back_of_numbers, x, y, n & 1);
	LAUNCH(64, number_and_difference, x, b, b - 4 * n);
	LAUNCH(64, number_and_difference, x, b, a);
}

static void pointers(char *a, char *b, int n)
{
	word mask = n & 1 ? ~(word)0 : 0;

	/* Where both lie in the same piece of 16 MiB. */
	if (((word)a ^ (word)b) >> 24 == 0) {
		LAUNCH(64, halves_of_words, a, b);
		LAUNCH(64, lower_part, a, b);
	}
	LAUNCH(64, product_back, a, b, n & 1);
	LAUNCH(64, difference_of_bytes, a, b);
	if ((word)a >> 32 == (word)b >> 32 && a < b)
		LAUNCH(64, difference_at_least, a, b, 1);
	LAUNCH(64, difference_in_bytes_stored, a, b);
	LAUNCH(64, difference_of_other_lane, a, b);
	LAUNCH(64, difference_rotated, a, b, 0);
	LAUNCH(64, inserted, a, (word)b, (unsigned)mask);
	LAUNCH(64, inserted_index, (int *)a, n, 3 * n);
	LAUNCH(64, xor_add, a, (word)a ^ (word)b);
	LAUNCH(64, xor_not, a, (word)a ^ (word)b);
	LAUNCH(64, index_by_xor_add, a, 4 * n);
	LAUNCH(64, or_of_three, a, (word)b, mask);
	LAUNCH(64, and_or, a, (word)b, (unsigned)mask);
	LAUNCH(64, complement_by_mask, a, 4 * n);
	LAUNCH(64, permuted, a, b);
	LAUNCH(64, selected_halves, a, b, n);
	if (((word)a ^ (word)b) >> 16 == 0)
		LAUNCH(64, parts, a, b);
	LAUNCH(64, added_part, a, n);
}

int main()
{
	for (int n = 0; n < 4; n++) {
		numbers(buffer<char>(0), buffer<char>(1), n);
		numbers(buffer<char>(1), buffer<char>(0), n);
		pointers(buffer<char>(0), buffer<char>(1), n);
		pointers(buffer<char>(1), buffer<char>(0), n);
	}
	return 0;
}
