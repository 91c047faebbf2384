/* SPDX-License-Identifier: Apache-2.0 */
/* HG510, HG910: copies within the memory of an APU, and why the program makes them. */
#include "apu_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_process.h"

static void copy(const struct hg_ev_copy *copy)
{
	launch(1, 0x100000, 0); /* or HG505 finds that nothing used the bytes */
	apply((struct hg_event){ .type = HG_EVENT_copy, .copy = copy });
}

static void copies(unsigned count, uint64_t dst, uint64_t src, uint64_t size)
{
	for (unsigned i = 0; i < count; i++) {
		copy(&(struct hg_ev_copy){ .api = HG_API_hipMemcpy,
					   .dst = dst,
					   .src = src,
					   .size = size,
					   .rows = 1,
					   .kind = 4,
					   .stack_id = 9 });
	}
}

static void buffers(uint16_t host)
{
	kernel.atomic_count = 0;
	alloc(HG_API_hipMalloc, 0x100000, MIB, 0, 5);
	alloc(HG_API_hipMalloc, 0x400000, MIB, 0, 6);
	alloc(host, 0x800000, MIB, 0, 7);
}

/* The first finding of the rule; the test fails if there is none. */
static const struct finding *of_rule(const char *rule)
{
	found();
	for (unsigned i = 0; i < findings.list->len; i++)
		if (strcmp(finding(i)->rule->id, rule) == 0)
			return finding(i);
	fail_msg("%s is not found", rule);
	return NULL;
}

static void says(const char *rule, const char *text)
{
	if (left_out < 0)
		assert_non_null(strstr(of_rule(rule)->message, text));
}

static void copies_within_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_true(is_found("HG510"));
	assert_false(is_found("HG910"));
	says("HG510", "hipMemcpy copies 1048576 bytes between pageable memory and device memory");
	IF_WHOLE(assert_int_equal(of_rule("HG510")->confidence, CONFIDENCE_LIKELY));
	IF_WHOLE(assert_int_equal(of_rule("HG510")->allocation->stack_id, 5));
}

static void copies_of_pinned_memory(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_hipHostMalloc);
	copies(4, 0x800000, 0x100000, 256 * KIB);
	assert_true(is_found("HG510"));
	assert_false(is_found("HG910"));
	says("HG510", "between pinned memory and device memory");
	IF_WHOLE(assert_int_equal(of_rule("HG510")->allocation->stack_id, 5));
}

static void copies_to_pageable_memory(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(4, 0x800000, 0x100000, 256 * KIB);
	says("HG510", "between pageable memory and device memory");
	assert_true(is_found("HG910"));
}

static void copies_by_device(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	other_gpu(1, 16 * GIB);
	buffers(HG_API_malloc);
	alloc_on(1, 0x600000, MIB, 8);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
}

static void copies_to_the_second_device(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	other_gpu(1, 16 * GIB);
	buffers(HG_API_malloc);
	alloc_on(1, 0x600000, MIB, 8);
	copies(4, 0x600000, 0x800000, 256 * KIB);
	assert_true(is_found("HG510"));
}

static void copies_to_another_gpu(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	other_gpu(0, 16 * GIB);
	buffers(HG_API_malloc);
	alloc_on(1, 0x600000, MIB, 8);
	copies(4, 0x600000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
	assert_false(is_found("HG910"));
}

static void copies_without_device_memory(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	alloc(HG_API_hipHostMalloc, 0xa00000, MIB, 0, 8);
	alloc(HG_API_malloc, 0xc00000, MIB, 0, 10);
	copies(4, 0xa00000, 0x800000, 256 * KIB);
	copies(4, 0x800000, 0xa00000, 256 * KIB);
	copies(4, 0xc00000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
	assert_false(is_found("HG910"));
}

/* HG602 is about these. */
static void copies_of_memory_that_was_released(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	alloc(HG_API_hipHostMalloc, 0xa00000, MIB, 0, 8);
	release(HG_API_hipHostFree, 0xa00000);
	release(HG_API_hipFree, 0x400000);
	copies(4, 0x100000, 0xa00000, 256 * KIB);
	copies(4, 0x400000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
}

static void copies_of_rows(void **state)
{
	struct hg_ev_copy rows = { .api = HG_API_hipMemcpy2D,
				   .dst = 0x100000,
				   .src = 0x800000,
				   .size = 16 * KIB,
				   .rows = 4,
				   .kind = 4,
				   .stack_id = 9 };
	struct hg_ev_copy slices = rows;

	(void)state;
	slices.api = HG_API_hipMemcpy3D;
	slices.rows = slices.depth = 2;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	for (unsigned i = 0; i < 4; i++) {
		copy(&rows);
		copy(&slices);
	}
	assert_true(is_found("HG510 HG510"));
	says("HG510", "copies 262144 bytes");
}

static void copies_of_64_kib(void **state)
{
	struct hg_ev_copy flat = { .api = HG_API_hipMemcpy,
				   .dst = 0x100000,
				   .src = 0x800000,
				   .size = 64 * KIB,
				   .kind = 4,
				   .stack_id = 9 };

	(void)state;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	for (unsigned i = 0; i < 4; i++)
		copy(&flat); /* of 0 rows in older recordings */
	assert_true(is_found("HG510"));
}

static void copies_of_less_than_64_kib(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 64 * KIB - 1);
	assert_false(is_found("HG510"));
	assert_false(is_found("HG910"));
}

/* HG910 counts all of them. */
static void few_copies_each(void **state)
{
	struct hg_ev_copy one = { .dst = 0x100000, .src = 0x800000, .size = 256 * KIB, .kind = 4 };

	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	for (unsigned i = 0; i < 8; i++) {
		one.api = i % 2 ? HG_API_hipMemcpy : HG_API_hipMemcpyAsync;
		one.stack_id = 9 + i / 4;
		copy(&one);
	}
	assert_false(is_found("HG510"));
	assert_true(is_found("HG910"));
	says("HG910", "8 times, 2097152 bytes");
}

static void copies_on_other_gpus(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	buffers(HG_API_malloc);
	copies(8, 0x100000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
}

static void few_and_small_and_within_the_gpu(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(3, 0x100000, 0x800000, 256 * KIB);
	copies(8, 0x100000, 0x400000, 256 * KIB);
	assert_false(is_found("HG510"));
	assert_false(is_found("HG910"));
}

static void small_copies(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(8, 0x100000, 0x800000, 4 * KIB);
	assert_false(is_found("HG510"));
}

static void copies_because_xnack_is_off(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_true(is_found("HG910"));
	says("HG910", "(HSA_XNACK is not set)");
	says("HG910", "4 times, 1048576 bytes");
}

static void copies_because_xnack_was_switched_off(void **state)
{
	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){ .page_size = 4096,
								     .version = "",
								     .exe = "/bin/test",
								     .cmdline = "",
								     .env = "HSA_XNACK=0" } });
	code_object_event();
	kernel_event(1, "_Z3addPf");
	machine("gfx942", 1, 0);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_true(is_found("HG910"));
	says("HG910", "(HSA_XNACK=0)");
}

static void copies_while_xnack_is_unknown(void **state)
{
	(void)state;
	machine("gfx942", 1, -1);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_false(is_found("HG910"));
}

/* XNACK is off, but the process's first device is no APU. */
static void copies_beside_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	other_gpu(1, 16 * GIB);
	buffers(HG_API_malloc);
	alloc_on(1, 0x600000, MIB, 8);
	copies(4, 0x600000, 0x800000, 256 * KIB);
	assert_false(is_found("HG910"));
}

static void whether_it_is_an_apu(void **state)
{
	(void)state;
	machine("gfx942", -1, 0);
	buffers(HG_API_malloc);
	copies(8, 0x100000, 0x800000, 256 * KIB);
	assert_false(is_found("HG510"));
	assert_false(is_found("HG910"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG510, whether_it_is_an_apu),
		DOUBTS(HG910, whether_it_is_an_apu),
		FINDS(HG510, copies_within_an_apu),
		FINDS(HG510, copies_of_pinned_memory),
		SILENT(HG510, copies_on_other_gpus),
		SILENT(HG510, few_and_small_and_within_the_gpu),
		SILENT(HG510, small_copies),
		FINDS(HG510, copies_to_pageable_memory),
		SILENT(HG510, copies_by_device),
		FINDS(HG510, copies_to_the_second_device),
		SILENT(HG510, copies_to_another_gpu),
		SILENT(HG510, copies_without_device_memory),
		SILENT(HG510, copies_of_memory_that_was_released),
		FINDS(HG510, copies_of_rows),
		FINDS(HG510, copies_of_64_kib),
		SILENT(HG510, copies_of_less_than_64_kib),
		SILENT(HG510, few_copies_each),
		FINDS(HG910, copies_because_xnack_is_off),
		FINDS(HG910, copies_because_xnack_was_switched_off),
		FINDS(HG910, few_copies_each),
		DOUBTS(HG910, copies_while_xnack_is_unknown),
		SILENT(HG910, copies_beside_an_apu),
		SILENT(HG910, copies_within_an_apu),
		SILENT(HG910, few_and_small_and_within_the_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
