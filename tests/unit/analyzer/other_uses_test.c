/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which of the uses that are one finding it describes after a fault. */
#include "trace.h"

#include "analyzer/rules/engine/findings.h"
#include "analyzer/rules/engine/other_uses.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_alloc_device.h"

enum { P = 0x100000, Q = 0x200000, R = 0x300000, SIZE = 0x1000 };

static struct finding *described;

static void uses_pointer(uint32_t kernarg, const char *chain, uint64_t address, const char *message)
{
	struct process *of = replay_process(&replay, pid_now);
	struct pointer_argument pointer = { .kernarg = kernarg,
					    .index = 1,
					    .address = address,
					    .chain = (char *)(uintptr_t)chain,
					    .name = (char *)"out",
					    .place = process_place(of, address) };

	finding_add_use(described, &pointer, g_strdup(message));
}

static int begin(void **state)
{
	struct place place;
	bool is_new;
	struct process *of;

	setup(state);
	process("/bin/program", "");
	alloc(HG_API_hipMalloc, P, SIZE, 1);
	alloc(HG_API_hipMalloc, Q, SIZE, 2);
	alloc(HG_API_hipMalloc, R, SIZE, 3);
	of = replay_process(&replay, pid_now);
	described = findings_get(&findings, RULE_HG601, of, &is_new, "it");
	place = process_place(of, P);
	finding_set_place(described, &place, P);
	described->message = g_strdup("first");
	return 0;
}

static void the_use_that_faulted(void **state)
{
	(void)state;
	uses_pointer(8, NULL, Q, "second");
	uses_pointer(8, "a word of it", R, "third");
	finding_turn_to(described, 0x900000, SIZE); /* no use is there */
	assert_string_equal(described->message, "first");
	finding_turn_to(described, P + 0x800, SIZE); /* which it describes */
	assert_string_equal(described->message, "first");
	finding_turn_to(described, R + 0x800, 0x100);
	assert_string_equal(described->message, "third");
	assert_string_equal(described->chain, "a word of it");
	assert_int_equal(described->kernarg_offset, 8);
	assert_int_equal(described->allocation->ptr, R);
	finding_turn_to(described, Q, SIZE);
	assert_string_equal(described->message, "second");
	assert_null(described->chain);
	finding_turn_to(described, R, SIZE); /* it is taken by now */
	assert_string_equal(described->message, "second");
}

static void the_latest_of_each_pointer(void **state)
{
	(void)state;
	uses_pointer(8, "a word of it", Q, "before");
	uses_pointer(16, "a word of it", R, "of another argument");
	uses_pointer(8, "a word of it", Q + 8, "latest");
	finding_turn_to(described, R, SIZE);
	assert_string_equal(described->message, "of another argument");
	assert_int_equal(described->kernarg_offset, 16);
	finding_turn_to(described, Q, SIZE);
	assert_string_equal(described->message, "latest");
}

/* An address in no memory that is known is a place of one byte. */
static void an_address_alone(void **state)
{
	(void)state;
	assert_true(use_meets(NULL, 0x1000, 0x1000, 1));
	assert_false(use_meets(NULL, 0x1000, 0x1001, 1));
	assert_false(use_meets(NULL, 0x1000, 0xfff, 1));
	assert_true(use_meets(described->allocation, P + 8, P + SIZE - 1, 1));
	assert_false(use_meets(described->allocation, P + SIZE, P + SIZE - 1, 1)); /* behind it */
	assert_true(use_meets(described->allocation, P + SIZE, P + SIZE, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_use_that_faulted),
		TEST(the_latest_of_each_pointer),
		TEST(an_address_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
