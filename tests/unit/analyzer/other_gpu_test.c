/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG222: device memory of one GPU that only kernels of another GPU use. */
#include "apu_world.h"

#include "tracer/events/ev_args.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_runtime.h"

/* The machine has two discrete GPUs. */
static void two_gpus(uint64_t memory_of_first)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime =
				     &(struct hg_ev_runtime){ .path = "", .version = 50200000 } });
	for (int i = 0; i < 2; i++)
		apply((struct hg_event){ .type = HG_EVENT_device,
					 .device = &(struct hg_ev_device){
					     .ordinal = i,
					     .name = "test",
					     .arch = "gfx90a",
					     .memory = i == 0 ? memory_of_first : 16 * GIB } });
	object.arch = (char *)"gfx90a";
	kernel.atomic_count = 0;
	use.access = ISA_READ | ISA_WRITE;
}

/* The arguments are the same, so are their number. */
static void launch_on(int32_t device, uint32_t args_id, uint64_t pointer)
{
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = args_id,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)&pointer,
							       .length = sizeof(pointer) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 1,
								   .args_id = args_id,
								   .device = device,
								   .grid_x = 1024,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1 } });
}

static void launches_on(int32_t device, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		launch_on(device, 1, 0x100000);
}

static void allocated_on_the_wrong_one(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 4);
	assert_string_equal(found(), "HG222");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_true(g_str_has_prefix(finding(0)->message,
				     "add(float*) runs on GPU 0 and uses 1048576 bytes of GPU 1's "
				     "memory"));
	assert_true(g_str_has_prefix(finding(0)->fix, "call hipSetDevice(0)"));
}

static void allocated_on_the_right_one(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	alloc_on(0, 0x100000, MIB, 5);
	launches_on(0, 8);
	assert_string_equal(found(), "");
}

static void a_word_of_much(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	kernel.uses_complete = use.placed = true;
	use.first = 0;
	use.end = 8;
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 8);
	assert_string_equal(found(), "");
}

static void used_by_both(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 8);
	launches_on(1, 1);
	assert_false(is_found("HG222"));
}

static void used_by_its_own_first(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(1, 1);
	launches_on(0, 8);
	assert_false(is_found("HG222"));
}

static void no_room(void **state)
{
	(void)state;
	two_gpus(2 * MIB);
	alloc_on(0, 0x1000000, MIB + MIB / 2, 4);
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 8);
	assert_string_equal(found(), "");
}

static void seldom_or_little(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 3);
	alloc_on(1, 0x1000000, 4096, 6);
	for (unsigned i = 0; i < 8; i++)
		launch_on(0, 2, 0x1000000);
	assert_string_equal(found(), "");
}

static void what_the_kernel_uses(void **state)
{
	(void)state;
	two_gpus(16 * GIB);
	use.certain = false;
	alloc_on(1, 0x100000, MIB, 5);
	launches_on(0, 8);
	found();
	assert_true(claim_confidence("HG222") < CONFIDENCE_PROVEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG222, allocated_on_the_wrong_one),
		SILENT(HG222, allocated_on_the_right_one),
		SILENT(HG222, a_word_of_much),
		SILENT(HG222, used_by_both),
		SILENT(HG222, used_by_its_own_first),
		SILENT(HG222, no_room),
		SILENT(HG222, seldom_or_little),
		DOUBTS(HG222, what_the_kernel_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
