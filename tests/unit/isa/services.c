/* SPDX-License-Identifier: Apache-2.0 */
/* Tells atomics of the runtime's services (hostcall, the device heap) from those of a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/services.h"

enum { ARGUMENT = 0, HIDDEN = 16, NOWHERE = 64, OWN = 0x1000, SERVICE = 0x2000 };

static struct isa_symbol symbols[] = { { "_Z3addPf", OWN, 0x100, true, true },
				       { "__ockl_dm_alloc", SERVICE, 0x100, true, false } };
static const struct isa_image image = { .symbols = symbols, .symbol_count = 2 };
static struct isa_arg args[] = { { 0, 8, true, NULL, NULL }, { 8, 4, false, NULL, NULL } };
static struct isa_hidden hidden[] = { { 16, 8, "hidden_hostcall_buffer" }, { 24, 8, NULL } };
static const struct isa_kernel kernel = {
	.args = args, .arg_count = 2, .hidden = hidden, .hidden_count = 2
};
static uint32_t offsets[2];

static bool is_runtimes(struct isa_atomic atomic)
{
	return services_runtime(&image, &kernel, OWN, NULL, &atomic);
}

static struct isa_atomic from(enum isa_origin_kind kind, uint32_t first, uint32_t second)
{
	offsets[0] = first;
	offsets[1] = second;
	return (struct isa_atomic){ .origin = {
					.kind = kind, .kernarg = offsets, .kernarg_count = 2 } };
}

static void test_origins(void **state)
{
	struct isa_atomic atomic = from(ISA_ORIGIN_DIRECT, HIDDEN, HIDDEN);

	(void)state;
	assert_true(is_runtimes(atomic));
	assert_true(is_runtimes(from(ISA_ORIGIN_SET, HIDDEN, HIDDEN + 15)));
	assert_true(is_runtimes(from(ISA_ORIGIN_INDIRECT, HIDDEN, NOWHERE)));
	assert_false(is_runtimes(from(ISA_ORIGIN_SET, HIDDEN, ARGUMENT)));
	assert_false(is_runtimes(from(ISA_ORIGIN_SET, ARGUMENT + 11, HIDDEN)));
	assert_false(is_runtimes(from(ISA_ORIGIN_SET, NOWHERE, NOWHERE)));
	assert_false(is_runtimes(from(ISA_ORIGIN_SET, HIDDEN - 4, HIDDEN + 16))); /* beside them */
	assert_false(is_runtimes(from(ISA_ORIGIN_UNKNOWN, HIDDEN, HIDDEN)));
	atomic.fp = true;
	assert_false(is_runtimes(atomic));
	atomic = from(ISA_ORIGIN_DIRECT, HIDDEN, HIDDEN);
	atomic.origin.symbol = (char *)"counter";
	assert_false(is_runtimes(atomic));
}

static void test_functions(void **state)
{
	struct isa_frame inlined[] = { { (char *)"add", NULL, 0 },
				       { NULL, NULL, 0 },
				       { (char *)"__ockl_hostcall_internal", NULL, 0 } };
	struct isa_atomic atomic = { .frames = inlined, .frame_count = 2 };
	struct access called = { .caller_count = 1, .caller = { OWN, SERVICE } };

	(void)state;
	assert_false(is_runtimes(atomic));
	assert_true(services_runtime(&image, &kernel, SERVICE + 0xff, NULL, &atomic));
	assert_false(services_runtime(&image, &kernel, SERVICE + 0x100, NULL, &atomic));
	assert_false(services_runtime(&image, &kernel, OWN, &called, &atomic));
	called.caller_count = 2;
	assert_true(services_runtime(&image, &kernel, OWN, &called, &atomic));
	atomic.frame_count = 3;
	assert_true(is_runtimes(atomic));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
