/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the environment and the build: HG507, HG9xx. */
#include <errno.h>
#include <signal.h>

#include "codeobj/codeobj.h"
#include "trace.h"
#include "bundle.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_stream.h"

#define V5_2 50221153
#define V6_2 60241134

static struct isa_use through_second[] = { { .kernarg = 8, .access = ISA_READ, .certain = true } };

/* A process with such an environment that makes a copy and a launch. */
static void run(const char *env, int32_t version)
{
	process("/bin/program", env);
	code();
	kernel.uses = through_second;
	kernel.use_count = 1;
	runtime(version, 1);
	device_of(0, "gfx90a:sramecc+:xnack-", 0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 1);
	launch(0, 0x10000);
}

static void async_copy(uint64_t stream)
{
	alloc(HG_API_hipHostMalloc, 0x80000, 0x1000, 2);
	copy_on(stream, HG_API_hipMemcpyAsync, 1, 0x10000, 0x80000, 64);
}

static void stream(uint16_t api, uint64_t handle)
{
	apply((struct hg_event){
	    .type = HG_EVENT_stream,
	    .stream = &(struct hg_ev_stream){ .api = (uint16_t)api, .stream = handle } });
}

/* ---- HG903, HG507 ---- */

static void debugging_variables(void **state)
{
	(void)state;
	run("HIP_LAUNCH_BLOCKING=1\nAMD_SERIALIZE_KERNEL=3\nAMD_SERIALIZE_COPY=1\nAMD_LOG_LEVEL=4\n"
	    "HSA_ENABLE_SDMA=0",
	    V6_2);
	assert_string_equal(found(), "HG903 HG903 HG903 HG903 HG903");
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(finding(i)->confidence, CONFIDENCE_PROVEN);
		assert_non_null(finding(i)->subject);
	}
}

static void variables_that_do_nothing(void **state)
{
	(void)state;
	run("HIP_LAUNCH_BLOCKING=0\nAMD_SERIALIZE_KERNEL=0\nAMD_SERIALIZE_COPY=\nAMD_LOG_LEVEL=2\n"
	    "HSA_ENABLE_SDMA=1\nHSA_XNACK=1",
	    V6_2);
	assert_string_equal(found(), "");
}

static void a_variable_that_this_release_does_not_read(void **state)
{
	(void)state;
	run("HIP_LAUNCH_BLOCKING=1", V5_2);
	assert_string_equal(found(), "");
}

static void an_unknown_release(void **state)
{
	(void)state;
	run("HIP_LAUNCH_BLOCKING=1", 0);
	assert_string_equal(found(), "HG903");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void variables_of_a_program_that_does_nothing(void **state)
{
	(void)state;
	process("/bin/program", "AMD_LOG_LEVEL=4");
	assert_string_equal(found(), "");
	runtime(V6_2, 1);
	assert_string_equal(found(), "");
}

static void copies_without_engines(void **state)
{
	(void)state;
	run("HSA_ENABLE_SDMA=0", V5_2);
	async_copy(7);
	assert_string_equal(found(), "HG507");
}

static void streams_that_share_a_queue(void **state)
{
	(void)state;
	run("GPU_MAX_HW_QUEUES=2", V5_2);
	for (uint64_t i = 1; i <= 3; i++)
		stream(HG_API_hipStreamCreate, i);
	assert_string_equal(found(), "HG507");
	assert_non_null(strstr(finding(0)->message, "up to 3 streams"));
}

static void streams_one_after_the_other(void **state)
{
	(void)state;
	run("GPU_MAX_HW_QUEUES=2", V5_2);
	for (uint64_t i = 1; i <= 9; i++) {
		stream(HG_API_hipStreamCreate, i);
		if (i > 1)
			stream(HG_API_hipStreamDestroy, i);
	}
	assert_string_equal(found(), "");
}

/* ---- HG904 ---- */

static void host_alloc(uint64_t ptr, uint64_t flags)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostMalloc,
								 .ptr = ptr,
								 .size = 64,
								 .flags = flags,
								 .symbol = "",
								 .stack_id = 3 } });
}

static void coherence_for_all(void **state)
{
	(void)state;
	run("HIP_HOST_COHERENT=1", V5_2);
	host_alloc(0x80000, 0x40000000); /* asks for it itself */
	host_alloc(0x81000, 0x80000000); /* and against it */
	assert_string_equal(found(), "");
	host_alloc(0x82000, 1); /* portable */
	assert_string_equal(found(), "HG904");
	assert_int_equal(finding(0)->address, 0x82000);
}

static void coherence_that_is_off(void **state)
{
	(void)state;
	run("HIP_HOST_COHERENT=0", V5_2);
	host_alloc(0x82000, 1);
	assert_string_equal(found(), "");
}

/* ---- HG905 ---- */

static const char *visible(const char *env, int32_t devices)
{
	process("/bin/program", env);
	runtime(V5_2, devices);
	return found();
}

static void numbers_of_the_machine(void **state)
{
	(void)state;
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5\nHIP_VISIBLE_DEVICES=4,5", 0),
			    "HG905");
	assert_non_null(strstr(finding(0)->message, "leaves 2 devices"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void one_number_too_many(void **state)
{
	(void)state;
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5\nCUDA_VISIBLE_DEVICES=0,2", 1),
			    "HG905");
}

static void lists_that_fit(void **state)
{
	(void)state;
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5\nHIP_VISIBLE_DEVICES=1", 1), "");
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5", 2), "");
	assert_string_equal(visible("HIP_VISIBLE_DEVICES=7", 0), "");
	/* Not indices, or a count that says that something else happened. */
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5\nHIP_VISIBLE_DEVICES=GPU-123", 1),
			    "");
	assert_string_equal(visible("ROCR_VISIBLE_DEVICES=4,5\nHIP_VISIBLE_DEVICES=0,5", 2), "");
}

static void an_empty_list(void **state)
{
	(void)state;
	assert_string_equal(visible("HIP_VISIBLE_DEVICES=", 0), "HG905");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void an_empty_list_that_hides_nothing(void **state)
{
	(void)state;
	assert_string_equal(visible("HIP_VISIBLE_DEVICES=", 1), "");
}

/* ---- HG908, HG909 ---- */

static void variables_of_an_old_runtime(void **state)
{
	(void)state;
	assert_string_equal(visible("HCC_UNPINNED_COPY_MODE=2\nHIP_VISIBLE_DEVICES=0", 1), "HG908");
	assert_string_equal(finding(0)->subject, "HCC_UNPINNED_COPY_MODE");
}

static void a_variable_of_the_compiler(void **state)
{
	(void)state;
	assert_string_equal(visible("HCC_AMDGPU_TARGET=gfx90a", 1), "");
}

static void module(const char *path, uint64_t start)
{
	apply((struct hg_event){
	    .type = HG_EVENT_module,
	    .module = &(struct hg_ev_module){
		.start = start, .size = 0x1000, .path = path, .build_id = "" } });
}

static void two_runtimes(void **state)
{
	(void)state;
	process("/bin/program", "");
	runtime(V5_2, 1);
	module("/usr/lib/libamdhip64.so.5", 0x1000000);
	module("/opt/framework/lib/libamdhip64.so", 0x2000000);
	assert_string_equal(found(), "HG909");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void one_runtime_twice(void **state)
{
	(void)state;
	process("/bin/program", "");
	runtime(V5_2, 1);
	module("/usr/lib/libamdhip64.so.5", 0x1000000);
	module("/usr/lib/libhiprtc.so.5", 0x2000000);
	module("/usr/lib/libamdhip64.so.5", 0x3000000);
	assert_string_equal(found(), "");
}

/* ---- HG907: what the code object tells of the kernel ---- */

static struct codeobj_kernel resources;
static int metadata_error;

int codeobj_metadata_read(const void *elf, size_t size, struct codeobj_metadata **metadata,
			  struct codeobj_error *error)
{
	(void)elf;
	(void)size;
	(void)error;
	*metadata = (struct codeobj_metadata *)(void *)&resources; /* never dereferenced */
	return metadata_error;
}

const struct codeobj_kernel *codeobj_metadata_kernel(const struct codeobj_metadata *metadata,
						     const char *name)
{
	(void)metadata;
	assert_string_equal(name, kernel.symbol);
	return &resources;
}

void codeobj_metadata_free(struct codeobj_metadata *metadata)
{
	(void)metadata;
}

static int scratch(void **state)
{
	resources = (struct codeobj_kernel){ .private_size = 64 };
	metadata_error = 0;
	return setup(state);
}

/* 1,024 groups of 64 work-items in each launch. */
static const char *launches(unsigned count)
{
	run("", V6_2);
	for (unsigned i = 1; i < count; i++)
		launch(0, 0x10000);
	return found();
}

static void registers_that_are_spilled(void **state)
{
	(void)state;
	resources.vgpr_spills = 3;
	assert_string_equal(launches(4), "HG907");
	assert_non_null(strstr(finding(0)->message, "uses 64 bytes of scratch memory"));
	assert_non_null(strstr(finding(0)->message, "spilled 3 registers"));
	assert_null(strstr(finding(0)->message, "of unknown size"));
}

static void a_stack_of_unknown_size(void **state)
{
	(void)state;
	resources.dynamic_stack = true;
	assert_string_equal(launches(4), "HG907");
	assert_non_null(strstr(finding(0)->message, "a stack of unknown size"));
	assert_null(strstr(finding(0)->message, "spilled"));
}

static void much_scratch_memory(void **state)
{
	(void)state;
	resources.private_size = 1u << 16;
	assert_string_equal(launches(4), "HG907");
	assert_null(strstr(finding(0)->message, "spilled"));
}

static void little_scratch_memory(void **state)
{
	(void)state;
	assert_string_equal(launches(4), "");
}

static void few_launches_that_spill(void **state)
{
	(void)state;
	resources.vgpr_spills = 3;
	assert_string_equal(launches(3), "");
}

static void code_without_metadata(void **state)
{
	(void)state;
	resources.vgpr_spills = 3;
	metadata_error = -ENOENT;
	assert_string_equal(launches(4), "");
}

/* ---- HG901, HG902 ---- */

/* A program with code for these targets, on a device, whose launch fails with `error`. */
static const char *launch_fails(const char *const *targets, const char *device, int error)
{
	char *path = bundle(targets);
	const char *names;

	process(path, "");
	runtime(V6_2, 1);
	device_of(0, device, -1);
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){
				     .api = HG_API_hipLaunchKernel, .code = error, .ptr = 1 } });
	names = found();
	g_unlink(path);
	g_free(path);
	return names;
}

static void code_for_another_processor(void **state)
{
	const char *const targets[] = { "gfx906", "gfx908:xnack-", NULL };
	const char *names;

	(void)state;
	names = launch_fails(targets, "gfx90a:sramecc+:xnack-", 209);
	assert_non_null(strstr(names, "HG902"));
	for (unsigned i = 0; i < findings.list->len; i++) {
		if (strcmp(finding(i)->rule->id, "HG902") == 0) {
			assert_non_null(strstr(finding(i)->message, "gfx906, gfx908:xnack-"));
			assert_non_null(strstr(finding(i)->fix, "--offload-arch=gfx90a"));
		}
	}
}

static void code_for_the_other_xnack(void **state)
{
	const char *const targets[] = { "gfx908", "gfx90a:xnack+", NULL };
	const char *names;

	(void)state;
	names = launch_fails(targets, "gfx90a:sramecc+:xnack-", 209);
	assert_non_null(strstr(names, "HG901"));
}

static void code_that_fits(void **state)
{
	const char *const targets[] = { "gfx908", "gfx90a", NULL };

	(void)state;
	assert_null(strstr(launch_fails(targets, "gfx90a:sramecc+:xnack-", 209), "HG90"));
}

static void an_error_of_another_kind(void **state)
{
	const char *const targets[] = { "gfx906", NULL };

	(void)state;
	assert_null(strstr(launch_fails(targets, "gfx90a:sramecc+:xnack-", 1), "HG90"));
}

static void code_for_a_generic_processor(void **state)
{
	const char *const targets[] = { "gfx906", "gfx9-4-generic", NULL };

	(void)state;
	assert_null(strstr(launch_fails(targets, "gfx942:sramecc+:xnack-", 209), "HG90"));
}

/* gfx908 and gfx90a are no members of gfx9-generic. */
static void code_for_another_generic_processor(void **state)
{
	const char *const targets[] = { "gfx9-generic", "gfx9-4-generic", NULL };

	const char *names;

	(void)state;
	names = launch_fails(targets, "gfx90a:sramecc+:xnack-",
			     209); /* an assertion may leave it out */
	assert_non_null(strstr(names, "HG902"));
}

static void code_that_names_no_processor(void **state)
{
	const char *const targets[] = { "gfx906", "amdgcnspirv", NULL };

	(void)state;
	assert_null(strstr(launch_fails(targets, "gfx942:sramecc+:xnack-", 209), "HG90"));
	assert_int_equal(findings.limits->len, 1);
}

/* A program with code for another GPU that ends in a launch. */
static bool ends_in_a_launch(bool in_launch, enum hg_ended ended, int signal)
{
	const char *const targets[] = { "gfx906", NULL };
	char *path = bundle(targets);
	struct process *ends;
	bool is_found;

	process(path, "");
	runtime(V6_2, 1);
	device_of(0, "gfx90a", -1);
	ends = replay_process(&replay, pid_now);
	ends->in_launch = in_launch;
	ends->ended = ended;
	ends->end_signal = signal;
	is_found = strstr(found(), "HG902");
	g_unlink(path);
	g_free(path);
	return is_found;
}

static void a_crash_in_a_launch(void **state)
{
	(void)state;
	assert_true(ends_in_a_launch(true, HG_ENDED_NOT, SIGSEGV));
}

static void an_end_in_a_launch(void **state)
{
	(void)state;
	assert_true(ends_in_a_launch(true, HG_ENDED_NOT, 0));
}

static void another_signal_in_a_launch(void **state)
{
	(void)state;
	assert_false(ends_in_a_launch(true, HG_ENDED_NOT, SIGABRT));
}

static void an_exit_during_a_launch(void **state)
{
	(void)state;
	assert_false(ends_in_a_launch(true, HG_ENDED_LATER, 0));
}

static void a_crash_elsewhere(void **state)
{
	(void)state;
	assert_false(ends_in_a_launch(false, HG_ENDED_NOT, SIGSEGV));
}

#define TEST(name)    cmocka_unit_test_setup_teardown(name, setup, teardown)
#define SCRATCH(name) cmocka_unit_test_setup_teardown(name, scratch, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG903, debugging_variables),
		SILENT(HG903, variables_that_do_nothing),
		SILENT(HG903, a_variable_that_this_release_does_not_read),
		DOUBTS(HG903, an_unknown_release),
		SILENT(HG903, variables_of_a_program_that_does_nothing),
		FINDS(HG507, copies_without_engines),
		FINDS(HG507, streams_that_share_a_queue),
		SILENT(HG507, streams_one_after_the_other),
		FINDS(HG904, coherence_for_all),
		SILENT(HG904, coherence_that_is_off),
		FINDS(HG905, numbers_of_the_machine),
		FINDS(HG905, one_number_too_many),
		SILENT(HG905, lists_that_fit),
		DOUBTS(HG905, an_empty_list),
		SILENT(HG905, an_empty_list_that_hides_nothing),
		FINDS(HG908, variables_of_an_old_runtime),
		SILENT(HG908, a_variable_of_the_compiler),
		FINDS(HG909, two_runtimes),
		SILENT(HG909, one_runtime_twice),
		FINDS(HG902, code_for_another_processor),
		FINDS(HG901, code_for_the_other_xnack),
		SILENT(HG901, code_that_fits),
		SILENT(HG902, code_that_fits),
		SILENT(HG908, code_that_fits),
		SILENT(HG902, an_error_of_another_kind),
		SILENT(HG902, code_for_a_generic_processor),
		FINDS(HG902, code_for_another_generic_processor),
		DOUBTS(HG902, code_that_names_no_processor),
		DOUBTS(HG901, code_that_names_no_processor),
		TEST(a_crash_in_a_launch),
		TEST(an_end_in_a_launch),
		TEST(another_signal_in_a_launch),
		TEST(an_exit_during_a_launch),
		TEST(a_crash_elsewhere),
		SCRATCH(registers_that_are_spilled),
		SCRATCH(a_stack_of_unknown_size),
		SCRATCH(much_scratch_memory),
		SCRATCH(little_scratch_memory),
		SCRATCH(few_launches_that_spill),
		SCRATCH(code_without_metadata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
