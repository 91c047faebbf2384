/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a trace for values that are not to be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/core/base.h"
#include "preload/core/recorder_message.h"
#include "preload/trace/redact.h"

/* What redact.c needs of the library around it. */
struct hg_config hg_config;

void hg_say(const char *format, ...)
{
	(void)format;
}

/* The message 00 01 .. 0f with the key 00 01 .. 0f, from the authors' own table of test vectors. */
static void test_siphash(void **state)
{
	const uint64_t key[] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };

	(void)state;
	assert_int_equal(hg_redact_siphash(key, key[0], key[1]), 0x3f2acc7f57c29bdbu);
}

static void test_equal_stay_equal(void **state)
{
	(void)state;
	for (size_t size = 1; size <= HG_REDACT_MAX; size++) {
		uint8_t one[HG_REDACT_MAX + 1], other[HG_REDACT_MAX + 1], plain[HG_REDACT_MAX + 1];

		memset(plain, 'x', sizeof(plain));
		memcpy(one, plain, sizeof(one));
		memcpy(other, plain, sizeof(other));
		hg_redact_bytes(one, size);
		hg_redact_bytes(other, size);
		assert_memory_equal(one, other, sizeof(one));
		assert_int_equal(one[size], 'x'); /* not a byte more */
		if (size >= 4)
			assert_memory_not_equal(one, plain, size);
		other[0] = 'y';
		memcpy(other + 1, plain + 1, size - 1);
		hg_redact_bytes(other, size);
		assert_memory_not_equal(one, other, size);
	}
}

/* All values of one and two bytes: each is there once, and few are where they were. */
static void test_different_stay_different(void **state)
{
	static uint8_t seen[1u << 16];

	(void)state;
	for (size_t size = 1; size <= 2; size++) {
		uint32_t count = 1u << 8 * size, same = 0;

		memset(seen, 0, sizeof(seen));
		for (uint32_t value = 0; value < count; value++) {
			uint32_t veiled = value;

			hg_redact_bytes((uint8_t *)&veiled, size);
			assert_in_range(veiled, 0, count - 1);
			assert_int_equal(seen[veiled]++, 0);
			same += veiled == value;
		}
		assert_in_range(same, 0, 16); /* one on average */
	}
}

/* A second key gives other values; with the first the same would be there again. */
static void test_key(void **state)
{
	uint64_t first = hg_redact_word(1), text = 1, again = 1;

	(void)state;
	hg_redact_bytes((uint8_t *)&text, sizeof(text));
	assert_int_equal(hg_redact_init(), 0);
	hg_redact_bytes((uint8_t *)&again, sizeof(again));
	assert_int_not_equal(first, hg_redact_word(1));
	assert_int_not_equal(text, again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash),
		cmocka_unit_test(test_equal_stay_equal),
		cmocka_unit_test(test_different_stay_different),
		cmocka_unit_test(test_key),
	};

	hg_redact_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
