/* SPDX-License-Identifier: Apache-2.0 */
/* HG219, HG312: more memory than an APU has, and page faults of its GPU. */
#include "apu_world.h"
#include "analyzer/rules/engine/rule_api.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_runtime.h"

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

static void one_byte_more_than_it_has(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_hipMalloc, 1ull << 40, 16 * GIB, 0, 5);
	alloc(HG_API_hipMalloc, 2ull << 40, 1, 0, 5);
	assert_string_equal(found(), "HG219");
}

/* Each has memory of its own. */
static void two_apus(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	other_gpu(1, 32 * GIB + 512 * MIB);
	for (uint64_t i = 1; i <= 4; i++) {
		alloc_on(0, i << 40, 4 * GIB, 5);
		alloc_on(1, (i + 8) << 40, 8 * GIB, 5);
	}
	release(HG_API_hipFree, 12ull << 40);
	alloc_on(1, 12ull << 40, 8 * GIB, 5);
	alloc_on(1, 13ull << 40, 768 * MIB, 6);
	assert_string_equal(found(), "HG219");
	assert_int_equal(finding(0)->allocation->stack_id, 6);
	assert_non_null(
	    strstr(finding(0)->message, "32.7 GiB allocated on device 1, whose APU has 32.5 GiB"));
}

static void an_apu_beside_another_gpu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	other_gpu(0, 16 * GIB);
	alloc_on(1, 1ull << 40, 64 * GIB, 5);
	alloc_on(0, 2ull << 40, 12 * GIB, 5);
	assert_string_equal(found(), "");
}

/* Memory of which the recording does not say where it is counts for the first device. */
static void memory_of_an_unknown_device(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	for (uint64_t i = 1; i <= 8; i++) {
		alloc_on(-1, i << 40, 12 * GIB, 5);
		release(HG_API_hipFree, i << 40);
	}
	assert_string_equal(found(), "");
}

/* Pinned memory, and pages that move, are not the device's; what is mapped may be mapped twice. */
static void memory_that_is_not_counted(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_hipHostMalloc, 1ull << 40, 64 * GIB, 0, 5);
	alloc(HG_API_hipMallocManaged, 2ull << 40, 64 * GIB, 1, 5);
	alloc(HG_API_hipMemMap, 3ull << 40, 64 * GIB, 0, 5);
	alloc(HG_API_hipMalloc, 4ull << 40, 12 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

static void releases_of_other_memory(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_hipHostMalloc, 1ull << 40, 8 * GIB, 0, 5);
	for (uint64_t i = 2; i <= 5; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	release(HG_API_hipHostFree, 1ull << 40);
	release(HG_API_hipFree, 9ull << 40);
	release(HG_API_hipFree, 5ull << 40);
	assert_string_equal(found(), "");
	alloc(HG_API_hipMalloc, 5ull << 40, 5 * GIB, 0, 6);
	assert_string_equal(found(), "HG219");
}

/* Allocated before the device was recorded. */
static void releases_of_uncounted_memory(void **state)
{
	(void)state;
	alloc(HG_API_hipMalloc, 1ull << 40, 8 * GIB, 0, 5);
	alloc(HG_API_hipMalloc, 2ull << 40, 8 * GIB, 0, 5);
	release(HG_API_hipFree, 2ull << 40);
	machine("gfx942", 1, 1);
	alloc(HG_API_hipMalloc, 2ull << 40, 4 * GIB, 0, 5);
	release(HG_API_hipFree, 1ull << 40);
	alloc(HG_API_hipMalloc, 1ull << 40, GIB, 0, 5);
	assert_string_equal(found(), "");
}

static void more_from_two_places(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_hipMalloc, 1ull << 40, 16 * GIB, 0, 5);
	alloc(HG_API_hipMalloc, 2ull << 40, GIB, 0, 6);
	alloc(HG_API_hipMalloc, 3ull << 40, GIB, 0, 6);
	alloc(HG_API_hipMalloc, 4ull << 40, GIB, 0, 7);
	assert_string_equal(found(), "HG219 HG219");
	assert_int_equal(finding(0)->count, 2);
	assert_true(finding(0)->met.several);
	assert_int_equal(finding(1)->count, 1);
}

/* ---- HG312 ---- */

static void fault(uint8_t kind, uint64_t start, int32_t device, int32_t letter)
{
	apply((struct hg_event){ .type = HG_EVENT_migration,
				 .migration = &(struct hg_ev_migration){ .kind = kind,
									 .start = start,
									 .size = 4096,
									 .from = device,
									 .trigger = -1,
									 .detail = letter } });
}

static void faults(unsigned count, int32_t letter)
{
	for (unsigned i = 0; i < count; i++)
		fault(8, 0x800000 + i * 4096ull, 0, letter);
}

static void faults_on_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	faults(64, 'U');
	assert_string_equal(found(), "HG312");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_false(finding(0)->met.several);
}

static void faults_in_two_blocks(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	alloc(HG_API_malloc, 0xa00000, MIB, 0, 7);
	faults(32, 'U');
	for (unsigned i = 0; i < 32; i++)
		fault(8, 0xa00000 + i * 4096ull, 0, 'U');
	assert_string_equal(found(), "HG312");
	assert_true(finding(0)->met.several);
}

static void few_faults_each(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	alloc(HG_API_malloc, 0xa00000, MIB, 0, 8);
	alloc(HG_API_calloc, 0xc00000, MIB, 0, 7);
	for (unsigned i = 0; i < 32; i++) {
		fault(8, 0x800000 + i * 4096ull, 0, 'U');
		fault(8, 0xa00000 + i * 4096ull, 0, 'U');
		fault(8, 0xc00000 + i * 4096ull, 0, 'U');
	}
	assert_string_equal(found(), "");
}

/* Their beginnings; faults that moved pages; of no allocation that is there. */
static void other_events_of_the_driver(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	for (unsigned i = 0; i < 64; i++)
		fault(7, 0x800000 + i * 4096ull, 0, 'U');
	faults(64, 'M');
	release(HG_API_free, 0x800000);
	faults(64, 'U');
	assert_string_equal(found(), "");
}

static void faults_of_a_gpu_beside_an_apu(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	other_gpu(0, 16 * GIB);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	for (unsigned i = 0; i < 64; i++)
		fault(8, 0x800000 + i * 4096ull, 1, 'U');
	assert_string_equal(found(), "");
}

static void few_faults(void **state)
{
	(void)state;
	machine("gfx942", 1, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	faults(63, 'U');
	assert_string_equal(found(), "");
}

static void faults_of_other_gpus(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	faults(100, 'U');
	assert_string_equal(found(), "");
}

/* ---- the machine is not known ---- */

static void whether_it_is_an_apu(void **state)
{
	(void)state;
	machine("gfx942", -1, 0);
	alloc(HG_API_malloc, 0x800000, MIB, 0, 7);
	faults(100, 'U');
	for (uint64_t i = 1; i <= 8; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

static void how_much_memory_it_has(void **state)
{
	(void)state;
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = &(struct hg_ev_device){
		.name = "test", .arch = "gfx942", .xnack = 1, .integrated = 1 } });
	for (uint64_t i = 1; i <= 8; i++)
		alloc(HG_API_hipMalloc, i << 40, 4 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

/* Tells if the model takes the GPU's 16 GiB for a part that pages may migrate into. */
static bool has_carve_out(const char *arch, int8_t apu, uint64_t host_memory)
{
	bool carve_out;

	machine(arch, apu, 1);
	apply((struct hg_event){
	    .type = HG_EVENT_runtime,
	    .runtime = &(struct hg_ev_runtime){ .path = "", .host_memory = host_memory } });
	carve_out = process_environment(replay_process(&replay, 1)).carve_out;
	g_ptr_array_set_size(replay_process(&replay, 1)->devices, 0);
	return carve_out;
}

static void memory_set_aside_for_the_gpu(void **state)
{
	(void)state;
	assert_true(has_carve_out("gfx1103", 1, 32 * GIB - 2));
	assert_false(has_carve_out("gfx1103", 1, 32 * GIB));
	assert_false(has_carve_out("gfx1103", 1, 0));       /* not known */
	assert_false(has_carve_out("gfx942", 1, 16 * GIB)); /* an MI300A has none */
	assert_false(has_carve_out("gfx1100", 0, 16 * GIB));
	assert_false(has_carve_out("gfx1103", -1, 16 * GIB));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG219, whether_it_is_an_apu),
		DOUBTS(HG219, how_much_memory_it_has),
		DOUBTS(HG312, whether_it_is_an_apu),
		FINDS(HG219, more_than_the_node_has),
		SILENT(HG219, as_much_as_it_has),
		SILENT(HG219, a_gpu_of_its_own),
		FINDS(HG219, one_byte_more_than_it_has),
		FINDS(HG219, two_apus),
		SILENT(HG219, an_apu_beside_another_gpu),
		DOUBTS(HG219, memory_of_an_unknown_device),
		SILENT(HG219, memory_that_is_not_counted),
		FINDS(HG219, releases_of_other_memory),
		SILENT(HG219, releases_of_uncounted_memory),
		FINDS(HG219, more_from_two_places),
		FINDS(HG312, faults_on_an_apu),
		SILENT(HG312, few_faults),
		SILENT(HG312, faults_of_other_gpus),
		FINDS(HG312, faults_in_two_blocks),
		SILENT(HG312, few_faults_each),
		SILENT(HG312, other_events_of_the_driver),
		SILENT(HG312, faults_of_a_gpu_beside_an_apu),
		cmocka_unit_test_setup_teardown(memory_set_aside_for_the_gpu, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
