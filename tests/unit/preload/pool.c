/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of preload/core/pool.c. */
#include "preload/core/pool.h"
#include "preload/core/base.h"
#include "preload/core/libc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

/* No allocator: the pool asks for mappings, and for nothing else. */
struct hg_libc hg_libc;

static int set_up(void **state)
{
	(void)state;
	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	return 0;
}

static int is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return 0;
	return 1;
}

static void test_blocks(void **state)
{
	static const size_t sizes[] = { 0, 1, 16, 17, 4080, 16368, 16369, 1u << 20 };
	unsigned char *blocks[HG_COUNT(sizes)];

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; i < HG_COUNT(sizes); i++) {
			blocks[i] = hg_pool_alloc(sizes[i]);
			assert_non_null(blocks[i]);
			assert_int_equal((uintptr_t)blocks[i] % 16, 0);
			assert_true(is_zero(blocks[i], sizes[i]));
			memset(blocks[i], (int)i + 1, sizes[i]);
		}
		for (size_t i = 0; i < HG_COUNT(sizes); i++) {
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(blocks[i][k], i + 1);
			hg_pool_free(blocks[i]);
		}
	}
	hg_pool_free(NULL);
}

static void test_limits(void **state)
{
	(void)state;
	errno = 7;
	assert_null(hg_pool_alloc(SIZE_MAX));
	assert_null(hg_pool_alloc(SIZE_MAX / 2));
	assert_null(hg_pool_calloc(SIZE_MAX / 2, 3));
	assert_int_equal(errno, 7);
}

static void test_grow(void **state)
{
	char *text = hg_pool_realloc(NULL, 3);

	(void)state;
	memcpy(text, "ab", 3);
	for (size_t size = 3; size < 200000; size *= 3) {
		text = hg_pool_realloc(text, size);
		assert_non_null(text);
		assert_string_equal(text, "ab");
	}
	hg_pool_free(text);
	text = hg_pool_strndup("abcdef", 3);
	assert_string_equal(text, "abc");
	hg_pool_free(text);
	text = hg_pool_strdup("");
	assert_string_equal(text, "");
	hg_pool_free(text);
}

static int compare(const void *one, const void *other)
{
	return *(const int *)one < *(const int *)other ? -1
						       : *(const int *)one > *(const int *)other;
}

static void test_sort(void **state)
{
	int items[100];

	(void)state;
	for (size_t count = 0; count <= HG_COUNT(items); count++) {
		int sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += items[i] = (int)(i * 37 % 41);
		hg_pool_sort(items, count, sizeof(items[0]), compare);
		for (size_t i = 0; i < count; i++)
			sum -= items[i];
		assert_int_equal(sum, 0);
		for (size_t i = 1; i < count; i++)
			assert_true(items[i - 1] <= items[i]);
	}
}

static void *allocate(void *unused)
{
	unsigned char *blocks[64] = { NULL };

	(void)unused;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned char **block = &blocks[i * 7 % 64];

		if (*block && **block != (unsigned char)(uintptr_t)block)
			return (void *)1;
		hg_pool_free(*block);
		*block = hg_pool_alloc(i % 300 + 1);
		if (!*block)
			return (void *)1;
		**block = (unsigned char)(uintptr_t)block;
	}
	for (unsigned i = 0; i < 64; i++)
		hg_pool_free(blocks[i]);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		assert_null(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_grow),    cmocka_unit_test(test_sort),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
