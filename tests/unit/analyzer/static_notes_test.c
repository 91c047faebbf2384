/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what is noted of a process that found no GPU: this program, which has a section for device
 * code. */
#include "analyzer/containers/containers.h"
#include "analyzer/rules/environment/static_notes.h"
#include "tracer/events/ev_runtime.h"
#include "trace.h"

__attribute__((section(".hip_fatbin"), used)) static const char fatbin[] = "device code";

static unsigned objects;    /* that this program holds */
static const char *problem; /* of reading them */
static struct isa_atomic atomic;

void containers_walk(const void *data, size_t size, const struct container_sink *sink)
{
	assert_non_null(data);
	assert_true(size > 0);
	for (unsigned i = 0; i < objects; i++)
		sink->object(sink->user, fatbin, sizeof(fatbin), "gfx90a");
	if (problem)
		sink->problem(sink->user, problem);
}

static int begin(void **state)
{
	setup(state);
	objects = 1;
	problem = NULL;
	atomic = (struct isa_atomic){ .fp = true, .native = true };
	kernel.atomics = &atomic;
	kernel.atomic_count = 1;
	object.kernels = &kernel;
	object.kernel_count = 1;
	return 0;
}

static void look(const char *exe, int32_t devices)
{
	process(exe, "");
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .device_count = devices, .result = 100 } });
	static_notes(&findings, &replay, false);
}

static void this_program(void)
{
	look("/proc/self/exe", 0);
}

static bool notes(const char *text)
{
	return findings.notes->len && strstr(findings.notes->pdata[0], text) != NULL;
}

static void a_kernel_with_hardware_atomics(void **state)
{
	(void)state;
	objects = 2; /* for two GPUs: the same kernel */
	this_program();
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "no GPU was found"));
	assert_int_equal(findings.notes->len, 2);
	assert_true(notes("the machine code of 1 kernel in /proc/self/exe; 1 holds"));
	assert_non_null(strstr(findings.notes->pdata[1], "in kernel work(float*, float*)"));
}

static void no_hardware_atomic(void)
{
	this_program();
	assert_int_equal(findings.notes->len, 1);
	assert_true(notes("; 0 hold hardware"));
}

static void a_kernel_with_integer_atomics(void **state)
{
	(void)state;
	atomic.fp = false;
	no_hardware_atomic();
}

static void a_kernel_with_loops(void **state)
{
	(void)state;
	atomic.native = false;
	no_hardware_atomic();
}

static void a_kernel_with_atomics_of_lds(void **state)
{
	(void)state;
	atomic.space = ISA_SPACE_LDS;
	no_hardware_atomic();
}

static void a_kernel_with_atomics_of_lds_by_a_flat_address(void **state)
{
	(void)state;
	atomic.origin.kind = ISA_ORIGIN_LDS;
	no_hardware_atomic();
}

static void code_that_was_not_followed(void **state)
{
	(void)state;
	kernel.unvisited = (char *)"a call through a pointer";
	this_program();
	assert_int_equal(findings.limits->len, 2);
	assert_non_null(
	    strstr(findings.limits->pdata[1], "code of 1 kernel could not be followed"));
}

static void code_that_cannot_be_read(void **state)
{
	(void)state;
	object.arch = NULL;
	this_program();
	assert_int_equal(findings.notes->len, 0);
	assert_int_equal(findings.limits->len, 2);
	assert_non_null(strstr(findings.limits->pdata[1], "not a code object"));
}

static void a_container_that_cannot_be_read(void **state)
{
	(void)state;
	objects = 0;
	problem = "cut short";
	this_program();
	assert_int_equal(findings.notes->len, 0);
	assert_int_equal(findings.limits->len, 2);
	assert_non_null(strstr(findings.limits->pdata[1], "/proc/self/exe: cut short"));
}

static void nothing_but_that_no_gpu_was_found(const char *exe)
{
	look(exe, 0);
	assert_int_equal(findings.notes->len, 0);
	assert_int_equal(findings.limits->len, 1);
}

static void a_program_that_is_gone(void **state)
{
	(void)state;
	nothing_but_that_no_gpu_was_found("/nonexistent");
}

static void a_script(void **state)
{
	(void)state;
	nothing_but_that_no_gpu_was_found("/etc/passwd");
}

static void a_process_with_a_gpu(void **state)
{
	(void)state;
	look("/proc/self/exe", 1);
	assert_int_equal(findings.notes->len, 0);
	assert_int_equal(findings.limits->len, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kernel_with_hardware_atomics),
		TEST(a_kernel_with_integer_atomics),
		TEST(a_kernel_with_loops),
		TEST(a_kernel_with_atomics_of_lds),
		TEST(a_kernel_with_atomics_of_lds_by_a_flat_address),
		TEST(code_that_was_not_followed),
		TEST(code_that_cannot_be_read),
		TEST(a_container_that_cannot_be_read),
		TEST(a_program_that_is_gone),
		TEST(a_script),
		TEST(a_process_with_a_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
