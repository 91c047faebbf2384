/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the links of a chain that proves a finding (analyzer/rules/engine/chain_links.def) that no
 * test of a rule has: a launch executes the instruction, and the argument that it goes through.
 */
#include "gpu_world.h"
#include "analyzer/rules/engine/evidence.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"

/* The kernel has this only condition: the number behind the pointer is even. */
#define EVEN UINT64_C(0xaaaaaaaaaaaaaaaa)
#define ODD  UINT64_C(0x5555555555555555)

static void memory_and_number(void)
{
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 8192, 1, 5);
	kernel.condition[0] =
	    (struct isa_condition){ .test = ISA_TEST_EQUAL, .left = { .kernarg = 8, .mask = 1 } };
	kernel.condition_count = 1;
	atomic.when = ISA_ALWAYS;
	atomic.certain = EVEN;
	atomic.executes = false;
	atomic.unsure = (char *)"its condition depends on a value at +0xc";
	use.when[0] = use.when[2] = ISA_ALWAYS;
}

static void memory_decides(void **state)
{
	(void)state;
	memory_and_number();
	kernel.condition_count = 0;
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->doubts, "not certain that the kernel reaches this"));
	assert_non_null(strstr(finding(0)->doubts, "+0xc"));
}

/* One word that all work-items read: it may be the flag that turns the update off. */
static void a_flag_in_memory_decides(void **state)
{
	(void)state;
	memory_and_number();
	kernel.condition_count = 0;
	atomic.by_word = true;
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

static void an_argument_decides(void **state)
{
	(void)state;
	memory_and_number();
	launch(1, 0x10000, 2);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_null(finding(0)->doubts);
}

static void an_argument_leaves_it_open(void **state)
{
	(void)state;
	memory_and_number();
	launch(1, 0x10000, 3);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* The surest launch is the finding, whichever came first. */
static void one_of_several_launches(void **state)
{
	(void)state;
	memory_and_number();
	launch(1, 0x10000, 3);
	launch(2, 0x10000, 2);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->launches, 1);
	assert_int_equal(finding(0)->beside, 1);
}

/* The address is one of two arguments, and the second one's lowest bit says which. */
static void two_pointers(void)
{
	static uint32_t both[] = { 0, 8 };
	static struct isa_choice choices[] = {
		{ EVEN, { .kind = ISA_ORIGIN_DIRECT, .kernarg = &both[1], .kernarg_count = 1 } },
		{ ODD, { .kind = ISA_ORIGIN_DIRECT, .kernarg = &both[0], .kernarg_count = 1 } },
	};

	memory_and_number();
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	atomic.certain = ISA_ALWAYS;
	atomic.executes = true;
	atomic.origin.kind = ISA_ORIGIN_SET;
	atomic.origin.kernarg = both;
	atomic.origin.kernarg_count = 2;
	atomic.choices = choices;
	atomic.choice_count = 2;
}

static void the_other_pointer_was_chosen(void **state)
{
	(void)state;
	two_pointers();
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

static void this_pointer_was_chosen(void **state)
{
	(void)state;
	two_pointers();
	launch(1, 0x10000, 0x20001);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void either_pointer(void **state)
{
	(void)state;
	two_pointers();
	kernel.condition_count = 0;
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
	assert_int_equal(finding(0)->address, 0x10000);
	assert_int_equal(finding(0)->candidates->len, 0);
}

/* Both lose the update: an error, whichever it is, and one. */
static void either_pointer_loses(void **state)
{
	(void)state;
	two_pointers();
	kernel.condition_count = 0;
	alloc(HG_API_hipHostMalloc, 0x30000, 8192, 0, 7);
	launch(1, 0x10000, 0x30000);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_ERROR);
	assert_null(finding(0)->allocation);
	assert_int_equal(finding(0)->candidates->len, 2);
	assert_int_equal(finding(0)->launches, 1);
	IF_WHOLE(
	    assert_int_equal(((struct candidate *)finding(0)->candidates->pdata[1])->kernarg, 8));
}

static void both_lead_to_the_same(void **state)
{
	(void)state;
	two_pointers();
	kernel.condition_count = 0;
	launch(1, 0x10000, 0x10000);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void neither_pointer_loses(void **state)
{
	(void)state;
	two_pointers();
	kernel.condition_count = 0;
	alloc(HG_API_hipMalloc, 0x30000, 8192, 0, 7);
	launch(1, 0x20000, 0x30000);
	assert_string_equal(found(), "");
}

/* The second word is no pointer, as far as is known: an index that is added, perhaps. */
static void one_of_them_is_no_pointer(void **state)
{
	(void)state;
	two_pointers();
	kernel.condition_count = 0;
	kernel.arg_count = 1;
	launch(1, 0x10000, 64);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG101, memory_decides),         DOUBTS(HG101, a_flag_in_memory_decides),
		FINDS(HG101, an_argument_decides),     DOUBTS(HG101, an_argument_leaves_it_open),
		FINDS(HG101, one_of_several_launches), SILENT(HG101, the_other_pointer_was_chosen),
		FINDS(HG101, this_pointer_was_chosen), DOUBTS(HG101, either_pointer),
		DOUBTS(HG101, either_pointer_loses),   FINDS(HG101, both_lead_to_the_same),
		SILENT(HG101, neither_pointer_loses),  DOUBTS(HG101, one_of_them_is_no_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
