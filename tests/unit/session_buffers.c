/* SPDX-License-Identifier: Apache-2.0 */
/* How large the trace buffers are on small and large machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/buffers.h"

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static const struct {
	unsigned cpus;
	uint64_t available;
	int result;
	uint64_t size, count;
} cases[] = {
	/* a workstation: never more than 4 MiB a CPU */
	{ 2, 16 * GIB, 0, 512 * KIB, 8 },
	{ 13, 16 * GIB, 0, 512 * KIB, 8 },
	/* large nodes: never more than 64 MiB in all */
	{ 16, 16 * GIB, 0, 256 * KIB, 8 },
	{ 128, 256 * GIB, 0, 32 * KIB, 8 },
	{ 192, 256 * GIB, 0, 32 * KIB, 8 },
	{ 256, 256 * GIB, 0, 32 * KIB, 4 },
	{ 512, 256 * GIB, 0, 32 * KIB, 2 },
	/* but no less than 64 KiB a CPU */
	{ 8192, 256 * GIB, 0, 32 * KIB, 2 },
	/* a container's default /dev/shm */
	{ 2, 64 * MIB, 0, 512 * KIB, 8 },
	{ 32, 64 * MIB, 0, 32 * KIB, 8 },
	{ 64, 64 * MIB, 0, 32 * KIB, 8 },
	/* fewer sub-buffers before giving up */
	{ 128, 64 * MIB, 0, 32 * KIB, 4 },
	{ 256, 64 * MIB, 0, 32 * KIB, 2 },
	{ 512, 64 * MIB, -ENOSPC, 32 * KIB, 2 },
	{ 1, 0, -ENOSPC, 32 * KIB, 2 },
};

static void test_choice(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffers buffers;

		assert_int_equal(buffers_choose(&buffers, cases[i].cpus, cases[i].available),
				 cases[i].result);
		assert_int_equal(buffers.size, cases[i].size);
		assert_int_equal(buffers.count, cases[i].count);
	}
}

/* Whatever the machine: powers of two (LTTng's condition), and half of the memory stays free. */
static void test_bounds(void **state)
{
	(void)state;
	for (unsigned cpus = 1; cpus <= 1024; cpus++) {
		for (uint64_t available = 0; available < 4 * GIB; available = available * 3 + MIB) {
			struct buffers buffers;
			uint64_t total;

			if (buffers_choose(&buffers, cpus, available))
				continue;
			assert_int_equal(buffers.size & (buffers.size - 1), 0);
			assert_int_equal(buffers.count & (buffers.count - 1), 0);
			assert_true(buffers.count >= 2);
			/* One more is the reader's, and LTTng has 32 KiB of its own. */
			total = (buffers.size * (buffers.count + 1) + 32 * KIB) * cpus;
			assert_true(total <= available / 2);
			assert_true(total <= 64 * MIB || cpus > 512);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_bounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
