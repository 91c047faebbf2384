/* SPDX-License-Identifier: Apache-2.0 */
/* HG911: XNACK that nothing needs. rules_world.h has the trace and the kernel. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/events/ev_process.h"

enum { PTR = 0x100000, OTHER = 0x400000 };

static bool late;

static void machine(const char *env, int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){ .page_size = 4096,
								     .version = "",
								     .exe = "a",
								     .cmdline = "",
								     .env = env,
								     .late = late } });
	device(xnack);
	code_object_event();
	kernel_event(1, "_Z3addPf");
	kernel.atomic_count = 0;
	kernel.paths_complete = true;
	use.access = ISA_READ | ISA_WRITE;
	alloc(HG_API_hipMalloc, PTR, 0x10000, 0, 5);
}

static void launches(unsigned count, uint64_t first, uint64_t second)
{
	for (unsigned i = 0; i < count; i++)
		launch(1, first, second);
}

static void device_memory_alone(void **state)
{
	(void)state;
	machine("HSA_XNACK=1", 1);
	alloc(HG_API_hipHostMalloc, OTHER, 0x10000, 0, 6);
	launches(8, PTR, 0);
	launch(2, OTHER, PTR);
	launches(7, PTR, 0);
	assert_string_equal(found(), "HG911");
	assert_non_null(strstr(finding(0)->message, "that the 16 launches use is"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* Later launches may have needed it. */
static void without_the_end(void **state)
{
	device_memory_alone(state);
	findings_so_far(&findings, "it was killed");
	assert_int_equal(claim_confidence("HG911"), CONFIDENCE_POSSIBLE);
	findings_cut_short(&findings, 0);
	assert_int_equal(findings.list->len, 0);
	assert_int_equal(findings.limits->len, 1);
}

static void a_few_launches(void **state)
{
	(void)state;
	machine("HSA_XNACK=1", 1);
	launches(15, PTR, 0);
	assert_string_equal(found(), "");
}

static void memory_that_needs_it(void **state)
{
	static const uint16_t apis[] = { HG_API_hipMallocManaged, HG_API_malloc };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		machine("HSA_XNACK=1", 1);
		alloc(apis[i], OTHER, 0x10000, 0, 6);
		launches(16, PTR, 0);
		launch(2, PTR, OTHER); /* passed alone */
	}
	assert_null(strstr(found(), "HG911"));
}

static void not_switched_on(void **state)
{
	(void)state;
	machine("", 1); /* by default */
	launches(16, PTR, 0);
	machine("HSA_XNACK=1", 0); /* the GPU has none */
	launches(16, PTR, 0);
	assert_string_equal(found(), "");
}

/* Memory that was not recorded; code that is not known. */
static void memory_is_unknown(void **state)
{
	(void)state;
	machine("HSA_XNACK=1", 1);
	launches(16, PTR, 0);
	launch(2, 0x7f0000001000, 0);
	machine("HSA_XNACK=1", 1);
	launches(16, PTR, 0);
	object.arch = NULL;
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = &(struct hg_ev_code_object){ .code_object_id = 2,
									     .sha256 = "",
									     .target = "gfx90a",
									     .path = "",
									     .problem = "none" } });
	apply((struct hg_event){ .type = HG_EVENT_kernel,
				 .kernel = &(struct hg_ev_kernel){
				     .kernel_id = 2, .code_object_id = 2, .symbol = "other" } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 2,
								   .grid_x = 1,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1 } });
	IF_WHOLE(assert_null(strstr(found(), "HG911")));
}

/* An address behind the first page is memory that nobody recorded. */
static void the_second_page(void **state)
{
	(void)state;
	machine("HSA_XNACK=1", 1);
	launches(16, PTR, 0);
	launch(2, 4096, 0);
	assert_string_equal(found(), "");
}

/* Recorded from somewhere in the middle on; OpenMP regions; graphs, whose kernels are not seen;
 * code that is not known, at the latest launch but one. */
static void launches_are_unknown(void **state)
{
	(void)state;
	late = true;
	machine("HSA_XNACK=1", 1);
	late = false;
	launches(16, PTR, 0);
	machine("HSA_XNACK=1", 1);
	launches(16, PTR, 0);
	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target = &(struct hg_ev_omp_target){
				     .kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN } });
	machine("HSA_XNACK=1", 1);
	launches(16, PTR, 0);
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hipGraphLaunch, .text = "" } });
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG911, without_the_end), FINDS(HG911, device_memory_alone),
		SILENT(HG911, a_few_launches),  SILENT(HG911, memory_that_needs_it),
		SILENT(HG911, not_switched_on), DOUBTS(HG911, memory_is_unknown),
		SILENT(HG911, the_second_page), DOUBTS(HG911, launches_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
