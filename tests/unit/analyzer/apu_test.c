/* SPDX-License-Identifier: Apache-2.0 */
/* HG218, HG219, HG312, HG510, HG910: an APU, and managed memory that is used in place. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define GIB (1ull << 30)

static void machine(const char *arch, int8_t apu, int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = { .path = "", .version = 60400000 } });
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = { .name = "test",
					     .arch = arch,
					     .managed = 1,
					     .fine_grain = 1,
					     .xnack = xnack,
					     .integrated = apu,
					     .memory = 16 * GIB } });
	object.arch = (char *)arch;
}

static void release(uint16_t api, uint64_t ptr)
{
	apply((struct hg_event){ .type = HG_EVENT_free, .free = { .api = api, .ptr = ptr } });
}

/* ---- HG219 ---- */

static void more_than_the_node_has(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	for (uint64_t i = 1; i <= 4; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	assert_string_equal(found(), "");
	alloc(HG_API_hipMalloc, 5ull << 40, GIB, 0, 6);
	assert_string_equal(found(), "HG219");
	assert_non_null(strstr(finding(0)->message, "the process alone has 17.0 GiB"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void as_much_as_it_has(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	for (uint64_t i = 1; i <= 8; i++) {
		alloc(HG_API_hipMalloc, i << 40, 12 * GIB, 0, 5);
		release(HG_API_hipFree, i << 40);
	}
	alloc(HG_API_malloc, 1ull << 45, 64 * GIB, 0, 6);
	assert_string_equal(found(), "");
}

/* The call fails, or the driver makes room: HG308. */
static void a_gpu_of_its_own(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	for (uint64_t i = 1; i <= 8; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

/* ---- HG510, HG910 ---- */

static void copies(unsigned count, uint64_t dst, uint64_t src, uint64_t size)
{
	for (unsigned i = 0; i < count; i++) {
		launch(1 + i, 0x100000, 0); /* or HG505 finds that nothing used the bytes */
		apply((struct hg_event){ .type = HG_EVENT_copy,
					 .copy = { .api = HG_API_hipMemcpy,
						   .dst = dst,
						   .src = src,
						   .size = size,
						   .rows = 1,
						   .kind = 4,
						   .stack_id = 9 } });
	}
}

static void buffers(uint16_t host)
{
	kernel.atomic_count = 0;
	alloc(HG_API_hipMalloc, 0x100000, MIB, 0, 5);
	alloc(HG_API_hipMalloc, 0x400000, MIB, 0, 6);
	alloc(host, 0x800000, MIB, 0, 7);
}

static bool is_found(const char *rule)
{
	const char *text = found();

	return strstr(text, rule) != NULL;
}

static void copies_within_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	copies(4, 0x100000, 0x800000, 256 * KIB);
	assert_true(is_found("HG510"));
	assert_false(is_found("HG910"));
}

static void copies_of_pinned_memory(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	buffers(HG_API_hipHostMalloc);
	copies(4, 0x800000, 0x100000, 256 * KIB);
	assert_true(is_found("HG510"));
	assert_false(is_found("HG910"));
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
}

/* ---- HG312 ---- */

static void faults(unsigned count, int32_t letter)
{
	for (unsigned i = 0; i < count; i++)
		apply((struct hg_event){ .type = HG_EVENT_migration,
					 .migration = { .kind = 8,
							.start = 0x800000 + i * 4096ull,
							.size = 4096,
							.trigger = -1,
							.detail = letter } });
}

static void faults_on_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	faults(64, 'U');
	assert_string_equal(found(), "HG312");
}

static void few_faults(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	buffers(HG_API_malloc);
	faults(63, 'U');
	assert_string_equal(found(), "");
}

static void faults_of_other_gpus(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	buffers(HG_API_malloc);
	faults(100, 'U');
	assert_string_equal(found(), "");
}

/* ---- HG218 ---- */

static void use_managed(uint64_t size, unsigned access)
{
	kernel.atomic_count = 0;
	use.access = access;
	alloc(HG_API_hipMallocManaged, 0x100000, size, 1, 5);
}

static void launches(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		launch(1, 0x100000, 0);
}

static void managed_memory_stays(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	launches(4);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	/* Streaming was measured on one of the two GPUs alone. */
	assert_non_null(strstr(finding(0)->message, "streaming 72 times slower on MI350X."));
	assert_null(strstr(finding(0)->message, "MI300X"));
	assert_true(g_str_has_prefix(finding(0)->fix, "allocate it with hipMalloc"));
	assert_true(g_str_has_prefix(finding(0)->doubts, "unknown how much of it"));
}

static void many_update_little(void **state)
{
	uint64_t words[] = { 0x100000, 0 };

	(void)state;
	machine("gfx942", 0, 0);
	use_managed(4096, ISA_ATOMIC);
	launches(4);
	for (unsigned i = 0; i < 4; i++) {
		apply((struct hg_event){ .type = HG_EVENT_args,
					 .args = { .args_id = 2,
						   .kernel_id = 1,
						   .bytes = (const uint8_t *)words,
						   .length = sizeof(words) } });
		apply((struct hg_event){ .type = HG_EVENT_launch,
					 .launch = { .api = HG_API_hipLaunchKernel,
						     .kernel_id = 1,
						     .args_id = 2,
						     .grid_x = 1024,
						     .grid_y = 1,
						     .grid_z = 1,
						     .block_x = 64,
						     .block_y = 1,
						     .block_z = 1 } });
	}
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->launches, 4);
	assert_non_null(strstr(finding(0)->message,
			       "atomics 100 times slower on MI300X, 1161 times on MI350X"));
}

static void managed_memory_of_an_rdna_apu(void **state)
{
	(void)state;
	machine("gfx1103", 1, 0);
	use_managed(MIB, ISA_READ);
	launches(4);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->fix, "hipMemAdviseSetCoarseGrain"));
	assert_string_equal(finding(0)->doubts, "measured on one gfx1103");
}

static void seldom_or_little(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	launches(3);
	alloc(HG_API_hipMallocManaged, 0x400000, 4096, 1, 6);
	for (unsigned i = 0; i < 8; i++)
		launch(2, 0x400000, 0);
	assert_string_equal(found(), "");
}

static void pages_move(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void an_mi300a(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void memory_that_was_prefetched(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = {
		.api = HG_API_hipMemPrefetchAsync, .ptr = 0x100000, .size = MIB, .target = 0 } });
	launches(8);
	assert_string_equal(found(), "");
}

static void a_kernel_that_talks_to_the_host(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.system_release = ISA_YES;
	launches(8);
	assert_string_equal(found(), "");
}

/* Those that the compiler adds, for printf() or malloc() of a kernel, are no sign of it. */
static void atomics_of_system_scope(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = true;
	launches(8);
	assert_false(is_found("HG218"));
}

static void atomics_of_device_functions(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = true;
	atomic.runtime = true;
	launches(8);
	assert_true(is_found("HG218"));
}

static void atomics_of_agent_scope(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = false;
	launches(8);
	assert_true(is_found("HG218"));
}

static void advised(int32_t advice, int32_t target)
{
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = { .api = HG_API_hipMemAdvise,
					     .ptr = 0x100000,
					     .size = MIB,
					     .advice = advice,
					     .target = target } });
	launches(8);
	assert_false(is_found("HG218"));
}

static void memory_that_prefers_the_gpu(void **state)
{
	(void)state;
	advised(3, 0);
}

static void memory_that_prefers_the_host(void **state)
{
	(void)state;
	advised(3, -1);
}

static void memory_that_is_mapped_on_the_gpu(void **state)
{
	(void)state;
	advised(5, 0);
}

/* ---- the machine is not known ---- */

static void whether_it_is_an_apu(void **state)
{
	(void)state;
	machine("gfx942", -1, 0);
	buffers(HG_API_malloc);
	copies(8, 0x100000, 0x800000, 256 * KIB);
	faults(100, 'U');
	for (uint64_t i = 1; i <= 8; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	found();
	for (unsigned i = 0; i < findings.list->len; i++)
		assert_true(strstr("HG219 HG312 HG510 HG910", finding(i)->rule->id) == NULL);
}

static void how_much_memory_it_has(void **state)
{
	(void)state;
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = { .name = "test", .arch = "gfx942", .xnack = 1, .integrated = 1 } });
	for (uint64_t i = 1; i <= 8; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

static void whether_pages_move(void **state)
{
	(void)state;
	machine("gfx942", 0, -1);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void what_the_kernel_uses(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	use.certain = false;
	kernel.uses_complete = false;
	launches(8);
	found();
	assert_true(claim_confidence("HG218") < CONFIDENCE_PROVEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG218, managed_memory_stays),
		FINDS(HG218, many_update_little),
		FINDS(HG218, managed_memory_of_an_rdna_apu),
		DOUBTS(HG219, whether_it_is_an_apu),
		DOUBTS(HG219, how_much_memory_it_has),
		DOUBTS(HG312, whether_it_is_an_apu),
		DOUBTS(HG510, whether_it_is_an_apu),
		DOUBTS(HG910, whether_it_is_an_apu),
		DOUBTS(HG218, whether_pages_move),
		DOUBTS(HG218, what_the_kernel_uses),
		SILENT(HG218, seldom_or_little),
		SILENT(HG218, pages_move),
		SILENT(HG218, an_mi300a),
		SILENT(HG218, memory_that_was_prefetched),
		SILENT(HG218, a_kernel_that_talks_to_the_host),
		SILENT(HG218, atomics_of_system_scope),
		FINDS(HG218, atomics_of_device_functions),
		FINDS(HG218, atomics_of_agent_scope),
		SILENT(HG218, memory_that_prefers_the_gpu),
		SILENT(HG218, memory_that_prefers_the_host),
		SILENT(HG218, memory_that_is_mapped_on_the_gpu),
		FINDS(HG219, more_than_the_node_has),
		SILENT(HG219, as_much_as_it_has),
		SILENT(HG219, a_gpu_of_its_own),
		FINDS(HG312, faults_on_an_apu),
		SILENT(HG312, few_faults),
		SILENT(HG312, faults_of_other_gpus),
		FINDS(HG510, copies_within_an_apu),
		FINDS(HG510, copies_of_pinned_memory),
		SILENT(HG510, copies_on_other_gpus),
		SILENT(HG510, few_and_small_and_within_the_gpu),
		SILENT(HG510, small_copies),
		FINDS(HG910, copies_because_xnack_is_off),
		SILENT(HG910, copies_within_an_apu),
		SILENT(HG910, few_and_small_and_within_the_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
