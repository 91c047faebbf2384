/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests HG614 to HG617: memory access faults that no other finding names, and allocations that made
 * no memory. lifetime_rules_test.c tests the effect of faults on other findings.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "faults_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_omp_data.h"

/* ---- which kernel ---- */

static void the_only_kernel_that_was_not_waited_for(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(WRITER, A, P);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "writer");
	assert_true(says("0x900000, where no memory is known"));
	assert_int_equal(finding(0)->kernarg_offset, 0);
	assert_int_equal(finding(0)->allocation->ptr, P);
}

static void one_of_two_kernels(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	launch(WRITER, B, P);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("reader, or writer uses the address"));
	assert_true(
	    says("In flight were, the likeliest first: reader, which computes addresses from a "
		 "pointer 9306112 bytes away; writer, which computes addresses from a "
		 "pointer 9371648 bytes away."));
	assert_non_null(finding(0)->related);
}

/* The one whose argument leads to that memory is the likelier one. */
static void one_of_two_kernels_is_given_the_memory(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	launch(WRITER, B, P);
	fault(P + 0x1000);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_string_equal(finding(0)->kernel, "writer");
	assert_true(says("first: writer, which is given a pointer to that memory; reader, which"));
}

static void a_kernel_that_only_reads_does_not_write(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	launch(WRITER, B, P);
	fault_of(0, FAR, 2);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "writer");
}

static void a_kernel_of_another_gpu(void **state)
{
	(void)state;
	other_device(1);
	two_streams(0);
	launch(WRITER, A, P);
	device_now = 1;
	stream(0x300, 0);
	launch(READER, 0x300, Q);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "writer");
}

/* Its stores are known, and do not go so far. */
static void a_kernel_whose_stores_are_known(void **state)
{
	static struct isa_store store = { .path = { .kernarg = 0, .step_count = 1 }, .size = 4 };
	struct isa_kernel *writer = &kernels[WRITER - 1];

	(void)state;
	store.path.step[0] = (struct isa_step){ .exact = true, .offset = 16 };
	writer->stores = &store;
	writer->store_count = 1;
	writer->stores_complete = true;
	two_streams(0);
	launch(READER, A, Q);
	launch(WRITER, B, P);
	fault(FAR);
	writer->stores_complete = false;
	writer->store_count = 0;
	writer->stores = NULL;
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "reader");
}

static void a_kernel_of_unknown_accesses(void **state)
{
	(void)state;
	kernels[READER - 1].uses_complete = false;
	kernels[READER - 1].use_count = 0;
	two_streams(0);
	launch(READER, A, Q);
	fault(FAR);
	kernels[READER - 1].use_count = 1;
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void from_which_pointer_is_not_known(void **state)
{
	(void)state;
	two_streams(0);
	launch_by(HG_API_hipLaunchKernel, COPIER, A, (struct bytes){ P, Q, 0 });
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_string_equal(finding(0)->kernel, "copier");
	assert_int_equal(finding(0)->kernarg_offset, -1);
}

static void nothing_was_in_flight(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_null(finding(0)->kernel);
	assert_true(says("No kernel or copy that is recorded was in flight"));
	assert_null(strstr(finding(0)->fix, "how the kernel computes"));
}

/* hipFree waits, and its event comes before it does. */
static void while_a_release_waits(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	release(HG_API_hipFree, Q, 0);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "writer");
}

static void after_a_release_has_waited(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	release(HG_API_hipFree, Q, 0);
	alloc(HG_API_hipMalloc, 0x30000, 0);
	launch(READER, A, P);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "reader");
}

static void a_launch_that_the_environment_makes_wait(void **state)
{
	(void)state;
	runtime(50221153, "AMD_SERIALIZE_KERNEL=3");
	two_streams(0);
	launch(WRITER, A, P);
	launch(READER, A, Q);
	fault(FAR);
	assert_string_equal(found(), "HG614 HG903"); /* the variable is a finding, too */
	assert_string_equal(finding(0)->kernel, "reader");
}

static void a_launch_that_failed_did_not_fault(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, B, Q);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_string_equal(finding(0)->kernel, "reader");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void equal_launches_count_as_one(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 2000; i++) {
		launch(WRITER, A, P);
		next_args--;
	}
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->launches, 2000);
}

static void more_work_than_is_followed(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 1025; i++)
		launch(WRITER, A, P);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

/* The host has waited since for the work that there was no room for. */
static void more_work_than_was_followed(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 3000; i++)
		launch(WRITER, A, P);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(READER, A, Q);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "reader");
}

static void a_copy_in_flight(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpyAsync, P, Q + 0x800, 0x1000, A);
	fault(Q + 0x1000);
	assert_non_null(strstr(found(), "HG614"));
	for (unsigned i = 0; i < findings.list->len; i++)
		if (finding(i)->rule == &rules[RULE_HG614])
			assert_string_equal(finding(i)->api, "hipMemcpyAsync");
}

/* ---- which memory ---- */

/* A map has only the second half of the first two pages of four; the copy is P. */
static void maps_a_part(unsigned op)
{
	two_streams(0);
	apply((struct hg_event){
	    .type = HG_EVENT_alloc,
	    .alloc = &(struct hg_ev_alloc){
		.api = HG_API_calloc, .ptr = 0x500000, .size = 0x4000, .symbol = "" } });
	apply((struct hg_event){
	    .type = HG_EVENT_omp_data,
	    .omp_data = &(struct hg_ev_omp_data){
		.op = HG_OMP_ALLOC, .src = 0x501000, .dst = P, .size = 0x1000, .stack_id = 77 } });
	if (op)
		apply((struct hg_event){
		    .type = HG_EVENT_omp_data,
		    .omp_data = &(struct hg_ev_omp_data){ .op = (uint8_t)op, .src = P } });
}

static void behind_a_mapped_part(void **state)
{
	(void)state;
	maps_a_part(0);
	launch(WRITER, A, P);
	fault(P + 0x2000);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("uses byte 12288 of 16384 bytes from calloc"));
	assert_true(says("a copy of bytes 4096 to 8191 alone"));
	assert_int_equal(finding(0)->allocation->ptr, 0x500000);
	assert_int_equal(finding(0)->related_stack_id, 77);
	assert_non_null(strstr(finding(0)->fix, "map all that the region uses"));
}

/* Other memory lies between: the page is behind that. */
static void behind_other_memory_and_a_part(void **state)
{
	(void)state;
	maps_a_part(0);
	apply((struct hg_event){
	    .type = HG_EVENT_alloc,
	    .alloc = &(struct hg_ev_alloc){
		.api = HG_API_hipMalloc, .ptr = P + 0x1800, .size = 0x10, .symbol = "" } });
	launch(WRITER, A, P);
	fault(P + 0x2000);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("uses byte 12288 of 16384 bytes from calloc"));
	assert_int_equal(finding(0)->allocation->ptr, 0x500000);
}

/* Nor does the host have memory there. */
static void behind_all_of_the_memory(void **state)
{
	(void)state;
	maps_a_part(0);
	launch(WRITER, A, P);
	fault(P + 0x3000);
	assert_string_equal(found(), "HG614");
	assert_true(says("past the end of 4096 bytes from hipMalloc"));
}

static void behind_a_copy_that_was_deleted(void **state)
{
	(void)state;
	maps_a_part(HG_OMP_DELETE);
	launch(WRITER, A, P);
	fault(P + 0x2000);
	assert_string_equal(found(), "HG614");
	assert_true(says("past the end of 4096 bytes from hipMalloc"));
}

/* The kernel gets another address: which memory it means is not known. */
static void behind_a_copy_that_is_not_given(void **state)
{
	(void)state;
	maps_a_part(0);
	launch(WRITER, A, Q);
	fault(P + 0x2000);
	assert_string_equal(found(), "HG614");
	assert_true(says("past the end of 4096 bytes from hipMalloc"));
}

static void past_the_end(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	fault(P + 0x3000);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("past the end of 4096 bytes from hipMalloc, by 8192 bytes or more"));
	assert_int_equal(finding(0)->offset, 0x3000);
}

static void a_null_pointer(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, 0);
	fault(0);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("a null pointer"));
}

static void peer_memory(bool enable, bool pools)
{
	other_device(1);
	device_now = 1;
	alloc(HG_API_hipMalloc, P, 0);
	device_now = 0;
	stream(A, 0);
	if (enable)
		apply((struct hg_event){
		    .type = HG_EVENT_call,
		    .call = &(struct hg_ev_call){
			.api = HG_API_hipDeviceEnablePeerAccess, .value = 1, .text = "" } });
	if (pools)
		call(HG_API_hipMemPoolSetAccess, 0);
	launch(WRITER, A, P);
	fault(P);
}

static void memory_of_another_gpu(void **state)
{
	(void)state;
	peer_memory(false, false);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("memory of GPU 1 on GPU 0, which was never given access"));
}

static void memory_of_another_gpu_that_is_accessible(void **state)
{
	(void)state;
	peer_memory(true, false);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("why is not known"));
}

static void memory_of_another_gpu_that_may_be_accessible(void **state)
{
	(void)state;
	peer_memory(false, true);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void memory_that_may_only_be_read(void **state)
{
	(void)state;
	switch_xnack_on();
	alloc(HG_API_mmap, P, 1ull << 32 | 0x22);
	stream(A, 0);
	launch(WRITER, A, P);
	fault_of(0, P, 2);
	assert_non_null(strstr(found(), "HG614"));
	assert_true(says("the process may only read: 4096 bytes from mmap"));
	assert_non_null(strstr(finding(0)->fix, "PROT_WRITE"));
}

static void mapped_memory_that_may_only_be_read(void **state)
{
	(void)state;
	alloc(HG_API_hipMemAddressReserve, P, 0);
	alloc(HG_API_hipMemMap, P, 0);
	stream(A, 0);
	launch(WRITER, A, P);
	fault_of(0, P, 2);
	assert_string_equal(found(), "HG614");
	assert_true(says("the GPU may only read: 4096 bytes from hipMemMap"));
	assert_non_null(strstr(finding(0)->fix, "hipMemAccessFlagsProtReadWrite"));
}

static void other_memory_that_may_only_be_read(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	fault_of(0, FAR, 2);
	assert_string_equal(found(), "HG614");
	assert_null(strstr(finding(0)->fix, "PROT_WRITE"));
}

static void reservation(void)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_mmap,
								 .ptr = 0x800000,
								 .size = 0x10000000,
								 .flags = 0x4022, /* PROT_NONE */
								 .device = -1,
								 .symbol = "" } });
}

static void in_a_reservation(void **state)
{
	(void)state;
	reservation();
	two_streams(0);
	launch(WRITER, A, FAR);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_true(says("where no memory is known"));
	assert_false(says("mmap"));
}

/* The device had memory there before. */
static void in_a_reservation_of_a_process_that_was_attached_to(void **state)
{
	(void)state;
	reservation();
	two_streams(0);
	((struct process *)replay_process(&replay, pid_now))->state.late = true;
	launch(WRITER, A, FAR);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("memory that was made before the recording began may be there"));
}

/* Broken memory says nothing about the program. */
static void an_error_of_the_hardware(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	fault_of(0, P, 16);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("uncorrectable error"));
	assert_null(finding(0)->kernel);
}

static void no_fault(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

/* ---- errors of queues ---- */

static void queue_error(uint32_t status)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .tid = 99,
	    .call = &(struct hg_ev_call){
		.api = HG_API_gpu_queue_error, .value = status, .device = 0, .text = "" } });
}

static void a_kernel_stops_itself(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(WRITER, A, P);
	queue_error(0x1016);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "writer");
	assert_true(says("writer stopped itself: abort(), an assert() that failed"));
	assert_true(says("GPU 0 with the error HSA_STATUS_ERROR_EXCEPTION (0x1016)."));
}

static void one_of_two_kernels_stops_itself(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, Q);
	launch(WRITER, B, P);
	queue_error(0x1016);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("writer, or reader stopped itself") ||
		    says("reader, or writer stopped itself"));
}

static void an_unknown_error_of_a_queue(void **state)
{
	(void)state;
	two_streams(0);
	queue_error(0x1234);
	assert_string_equal(found(), "HG614");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("Unknown work was in a queue that the runtime stopped. The runtime "
			 "stopped a queue of GPU 0 with the error 0x1234."));
}

static void the_memory_fault_says_more(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	queue_error(43);
	fault(FAR);
	assert_string_equal(found(), "HG614");
	assert_true(says("where no memory is known"));
}

/* ---- memory of the host that was released, with XNACK ---- */

#define GONE 0x7f0000000000ull

static void map_host(uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_mmap,
								 .ptr = GONE,
								 .size = size,
								 .flags = 3ull << 32,
								 .symbol = "",
								 .stack_id = 3 } });
}

static void unmap_host(uint64_t from, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){
		.api = HG_API_munmap, .ptr = from, .size = size, .stack_id = 5 } });
}

static void use_of_unmapped_memory(void **state)
{
	(void)state;
	two_streams(0);
	switch_xnack_on();
	map_host(0x8000);
	unmap_host(GONE, 0x8000);
	launch(WRITER, A, GONE + 0x10);
	fault(GONE + 0x3000);
	assert_string_equal(found(), "HG601");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("writer uses memory that was released by munmap: 32768 bytes from mmap"));
	assert_int_equal(finding(0)->allocation->stack_id, 3);
	assert_int_equal(finding(0)->allocation->free_stack_id, 5);
}

static void use_of_the_unmapped_part(void **state)
{
	(void)state;
	two_streams(0);
	switch_xnack_on();
	map_host(0x8000);
	unmap_host(GONE + 0x4000, 0x2000);
	launch(WRITER, A, GONE + 0x4000);
	fault(GONE + 0x5000);
	assert_string_equal(found(), "HG601");
	assert_true(says("released by munmap: 8192 bytes from mmap"));
}

/* Smaller ones may come where a block was released. */
static void record_larger_blocks(void)
{
	struct process *process = (struct process *)replay_process(&replay, pid_now);

	if (process)
		process->threshold = 4096;
}

static void use_of_a_released_block(void **state)
{
	(void)state;
	two_streams(0);
	switch_xnack_on();
	record_larger_blocks();
	alloc(HG_API_malloc, GONE + 0x10, 0);
	release(HG_API_free, GONE + 0x10, 0);
	launch(WRITER, A, GONE + 0x10);
	fault(GONE);
	assert_string_equal(found(), "HG601");
	assert_true(says("released by free: 4096 bytes from malloc"));
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

/* The page is missing for another reason: nothing says that it is the unmapped memory. */
static void unmapped_memory_with_xnack_off(void **state)
{
	(void)state;
	two_streams(0);
	map_host(0x8000);
	unmap_host(GONE, 0x8000);
	launch(WRITER, A, GONE);
	fault(GONE);
	assert_string_equal(found(), "HG614");
}

static void unmapped_memory_that_was_mapped_anew(void **state)
{
	(void)state;
	two_streams(0);
	switch_xnack_on();
	map_host(0x8000);
	unmap_host(GONE, 0x8000);
	map_host(0x4000);
	launch(WRITER, A, GONE);
	fault(GONE + 0x6000);
	assert_string_equal(found(), "HG614");
}

/* ---- HG615 ---- */

static void register_memory(uint64_t device_ptr)
{
	alloc(HG_API_malloc, HOST, 0);
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								 .ptr = HOST,
								 .device_ptr = device_ptr,
								 .size = 0x1000,
								 .symbol = "",
								 .stack_id = 1 } });
	stream(A, 0);
}

static void the_hosts_address(void **state)
{
	(void)state;
	register_memory(0x700000);
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG615");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void the_hosts_address_and_a_fault(void **state)
{
	(void)state;
	register_memory(0x700000);
	launch(WRITER, A, HOST + 0x10);
	fault(HOST);
	assert_string_equal(found(), "HG615");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void the_gpus_address(void **state)
{
	(void)state;
	register_memory(0x700000);
	launch(WRITER, A, 0x700010);
	assert_string_equal(found(), "");
}

static void one_address_for_both(void **state)
{
	(void)state;
	register_memory(HOST);
	launch(WRITER, A, HOST);
	assert_string_equal(found(), "");
}

static void the_hosts_address_with_xnack(void **state)
{
	(void)state;
	switch_xnack_on();
	register_memory(0x700000);
	launch(WRITER, A, HOST);
	assert_string_equal(found(), "");
}

/* ---- HG622 ---- */

static void unregister_memory(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipHostUnregister, .ptr = HOST } });
}

static void used_when_it_is_unregistered(void **state)
{
	(void)state;
	register_memory(HOST);
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "");
	unregister_memory();
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG622");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("that was registered (4096 bytes) and is not any more"));
}

static void used_when_it_is_unregistered_with_xnack(void **state)
{
	(void)state;
	switch_xnack_on();
	register_memory(HOST);
	unregister_memory();
	launch(WRITER, A, HOST);
	assert_string_equal(found(), "");
}

/* The heap gives the pages to something else. */
static void used_where_other_memory_was_registered(void **state)
{
	(void)state;
	register_memory(HOST);
	unregister_memory();
	release(HG_API_free, HOST, 0);
	alloc(HG_API_malloc, HOST, 0);
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG622");
	assert_true(says("that is not registered"));
}

/* Its pages went with the mapping. */
static void used_when_it_was_mapped_anew(void **state)
{
	(void)state;
	register_memory(HOST);
	unregister_memory();
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_munmap, .ptr = HOST, .size = 0x1000 } });
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG209");
}

/* Where the addresses differ, unregistering ends the access. */
static void used_where_the_gpu_had_another_address(void **state)
{
	(void)state;
	register_memory(0x700000);
	unregister_memory();
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG209");
}

static void used_when_it_is_registered_again(void **state)
{
	(void)state;
	register_memory(HOST);
	unregister_memory();
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								 .ptr = HOST,
								 .device_ptr = HOST,
								 .size = 0x1000,
								 .symbol = "",
								 .stack_id = 2 } });
	launch(WRITER, A, HOST);
	assert_string_equal(found(), "");
}

#define DEVICE_BLOCK 0x4000000u

/* HIP locks the host's memory for large copies. */
static void used_after_a_copy(uint64_t size, int version, bool back)
{
	runtime(version, "");
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_malloc,
								 .ptr = HOST,
								 .size = 0x1000000,
								 .symbol = "",
								 .stack_id = 1 } });
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMalloc,
								 .ptr = DEVICE_BLOCK,
								 .size = 0x1000000,
								 .symbol = "",
								 .stack_id = 2 } });
	stream(A, 0);
	copy(HG_API_hipMemcpy, back ? HOST : DEVICE_BLOCK, back ? DEVICE_BLOCK : HOST, size, 0);
	launch(WRITER, A, HOST + 0x10);
}

static void used_after_a_large_copy(void **state)
{
	(void)state;
	used_after_a_copy(0x100001, 60443484, false);
	assert_string_equal(found(), "HG622");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("HIP locked it for a copy (1048577 bytes)"));
}

static void used_after_a_large_copy_to_the_host(void **state)
{
	(void)state;
	used_after_a_copy(0x800000, 50731921, true);
	assert_string_equal(found(), "HG622");
}

static void used_after_a_copy_of_rows(void **state)
{
	(void)state;
	used_after_a_copy(0, 60443484, false);
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy2D,
							       .dst = DEVICE_BLOCK,
							       .src = HOST,
							       .size = 0x1000,
							       .rows = 0x200,
							       .dst_pitch = 0x1000,
							       .src_pitch = 0x2000,
							       .depth = 1,
							       .kind = 1,
							       .stack_id = 9 } });
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG209 HG622");
	assert_int_equal(finding(1)->launches, 1);
}

/* hipHostMalloc's memory needs no lock for a copy. */
static void used_after_a_copy_to_pinned_memory(void **state)
{
	(void)state;
	used_after_a_copy(0, 60443484, false);
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostMalloc,
								 .ptr = 0x8000000,
								 .size = 0x1000000,
								 .symbol = "",
								 .stack_id = 2 } });
	copy(HG_API_hipMemcpy, 0x8000000, HOST, 0x800000, 0);
	launch(WRITER, A, HOST + 0x10);
	assert_string_equal(found(), "HG209");
	assert_int_equal(finding(0)->launches, 2);
}

static void used_after_a_small_copy(void **state)
{
	(void)state;
	used_after_a_copy(0x100000, 60443484, false);
	assert_string_equal(found(), "HG209");
}

/* The copy did not lock it in place. */
static void used_after_a_large_copy_and_a_fault(void **state)
{
	(void)state;
	used_after_a_copy(0x800000, 50731921, false);
	fault(HOST);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

/* HIP 5.2 locks it elsewhere. */
static void used_after_a_large_copy_of_an_older_release(void **state)
{
	(void)state;
	used_after_a_copy(0x800000, 50221153, false);
	assert_string_equal(found(), "HG209");
}

static void advise_on_host_memory(int32_t advice)
{
	alloc(HG_API_malloc, HOST, 0);
	stream(A, 0);
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = HOST,
								   .size = 0x1000,
								   .advice = advice,
								   .target = 0,
								   .stack_id = 3 } });
	launch(WRITER, A, HOST + 0x10);
}

/* hipMemAdviseSetAccessedBy lets the GPU reach it. */
static void used_after_advice(void **state)
{
	(void)state;
	advise_on_host_memory(5);
	assert_string_equal(found(), "");
}

static void used_after_other_advice(void **state)
{
	(void)state;
	advise_on_host_memory(3);
	assert_string_equal(found(), "HG209");
}

/* ---- HG616 ---- */

static void memory_is_full(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMalloc, 2, 0, 0x4000);
	assert_string_equal(found(), "HG616");
	assert_true(says("hipMalloc of 16384 bytes failed with hipErrorOutOfMemory (2)"));
	assert_true(says("held 8192 bytes of GPU memory"));
	assert_int_equal(finding(0)->candidates->len, 1);
	IF_WHOLE(
	    assert_int_equal(((struct candidate *)finding(0)->candidates->pdata[0])->count, 2));
}

static void set_memory(uint64_t memory)
{
	const struct process *process = replay_process(&replay, pid_now);

	if (process && process->devices->len)
		((struct device *)process->devices->pdata[0])->memory = memory;
}

static void fails_on_a_gpu_of(uint64_t memory)
{
	two_streams(0);
	set_memory(memory);
	failure(HG_API_hipMalloc, 2, 0, 0x4000);
	assert_string_equal(found(), "HG616");
}

static void memory_is_nearly_full(void **state)
{
	(void)state;
	fails_on_a_gpu_of(0x7000); /* 0x2000 are held */
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("the GPU has 28672 bytes."));
}

static void much_memory_is_left(void **state)
{
	(void)state;
	fails_on_a_gpu_of(0x100000);
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("the program's own allocations did not fill it"));
	assert_non_null(strstr(finding(0)->fix, "ulimit -n"));
}

static void an_allocation_fails_for_another_reason(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMalloc, 1, 0, 0x4000);
	assert_string_equal(found(), "");
}

/* ---- HG617 ---- */

static void null_with_success(void)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMallocAsync,
								 .size = 0x1000,
								 .stream = A,
								 .symbol = "",
								 .stack_id = 7 } });
}

static void success_and_null(void **state)
{
	(void)state;
	two_streams(0);
	null_with_success();
	launch(WRITER, A, 0);
	assert_string_equal(found(), "HG617");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("returned success and a null pointer"));
	assert_string_equal(finding(0)->kernel, "writer");
	assert_false(finding_is_about_launches(finding(0)));
}

static void success_and_null_and_a_fault(void **state)
{
	(void)state;
	two_streams(0);
	null_with_success();
	launch(WRITER, A, 0);
	fault(0);
	assert_string_equal(found(), "HG617");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	IF_WHOLE(assert_string_equal(
	    ((struct fault_row *)faults_result(&findings)->pdata[0])->rules, "HG617"));
}

static void a_failed_allocation_is_used_as_a_null_pointer(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMalloc, 2, 0, 0x1000);
	launch(READER, A, P); /* something else goes on, and may */
	launch(READER, A, 0);
	assert_string_equal(found(), "HG617");
}

static void the_launch_did_not_use_the_null_pointer(void **state)
{
	(void)state;
	two_streams(0);
	null_with_success();
	launch(WRITER, A, 0);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void a_null_pointer_without_a_failure_is_another_matter(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, 0);
	assert_string_equal(found(), "");
}

static void null_is_not_used(void **state)
{
	(void)state;
	two_streams(0);
	null_with_success();
	launch(WRITER, A, P);
	assert_string_equal(found(), "");
}

static void no_bytes_are_asked_for(void **state)
{
	(void)state;
	two_streams(0);
	apply((struct hg_event){
	    .type = HG_EVENT_alloc,
	    .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMalloc, .symbol = "" } });
	launch(WRITER, A, 0);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG614, the_only_kernel_that_was_not_waited_for),
		DOUBTS(HG614, one_of_two_kernels),
		DOUBTS(HG614, one_of_two_kernels_is_given_the_memory),
		FINDS(HG614, a_kernel_that_only_reads_does_not_write),
		TEST(a_kernel_of_another_gpu),
		TEST(a_kernel_whose_stores_are_known),
		DOUBTS(HG614, a_kernel_of_unknown_accesses),
		DOUBTS(HG614, from_which_pointer_is_not_known),
		DOUBTS(HG614, nothing_was_in_flight),
		TEST(while_a_release_waits),
		TEST(after_a_release_has_waited),
		TEST(a_launch_that_the_environment_makes_wait),
		TEST(a_launch_that_failed_did_not_fault),
		TEST(equal_launches_count_as_one),
		DOUBTS(HG614, more_work_than_is_followed),
		TEST(more_work_than_was_followed),
		TEST(a_copy_in_flight),
		FINDS(HG614, past_the_end),
		FINDS(HG614, behind_a_mapped_part),
		FINDS(HG614, behind_other_memory_and_a_part),
		FINDS(HG614, behind_all_of_the_memory),
		FINDS(HG614, behind_a_copy_that_was_deleted),
		FINDS(HG614, behind_a_copy_that_is_not_given),
		FINDS(HG614, a_null_pointer),
		FINDS(HG614, memory_of_another_gpu),
		DOUBTS(HG614, memory_of_another_gpu_that_is_accessible),
		DOUBTS(HG614, memory_of_another_gpu_that_may_be_accessible),
		TEST(memory_that_may_only_be_read),
		TEST(mapped_memory_that_may_only_be_read),
		TEST(other_memory_that_may_only_be_read),
		FINDS(HG614, in_a_reservation),
		DOUBTS(HG614, in_a_reservation_of_a_process_that_was_attached_to),
		DOUBTS(HG614, an_error_of_the_hardware),
		SILENT(HG614, no_fault),
		FINDS(HG615, the_hosts_address),
		FINDS(HG615, the_hosts_address_and_a_fault),
		SILENT(HG614, the_hosts_address_and_a_fault),
		SILENT(HG615, the_gpus_address),
		SILENT(HG615, one_address_for_both),
		SILENT(HG615, the_hosts_address_with_xnack),
		FINDS(HG622, used_when_it_is_unregistered),
		FINDS(HG622, used_where_other_memory_was_registered),
		FINDS(HG622, used_after_a_large_copy),
		FINDS(HG622, used_after_a_large_copy_to_the_host),
		FINDS(HG622, used_after_a_copy_of_rows),
		FINDS(HG209, used_after_a_copy_to_pinned_memory),
		FINDS(HG209, used_after_a_small_copy),
		FINDS(HG209, used_after_a_large_copy_and_a_fault),
		FINDS(HG209, used_after_a_large_copy_of_an_older_release),
		SILENT(HG209, used_after_advice),
		FINDS(HG209, used_after_other_advice),
		SILENT(HG622, used_when_it_was_mapped_anew),
		SILENT(HG622, used_where_the_gpu_had_another_address),
		SILENT(HG622, used_when_it_is_unregistered_with_xnack),
		SILENT(HG622, used_when_it_is_registered_again),
		FINDS(HG614, a_kernel_stops_itself),
		FINDS(HG614, one_of_two_kernels_stops_itself),
		FINDS(HG614, an_unknown_error_of_a_queue),
		FINDS(HG614, the_memory_fault_says_more),
		FINDS(HG601, use_of_unmapped_memory),
		FINDS(HG601, use_of_the_unmapped_part),
		FINDS(HG601, use_of_a_released_block),
		SILENT(HG601, unmapped_memory_with_xnack_off),
		SILENT(HG601, unmapped_memory_that_was_mapped_anew),
		FINDS(HG616, memory_is_full),
		FINDS(HG616, memory_is_nearly_full),
		FINDS(HG616, much_memory_is_left),
		SILENT(HG616, an_allocation_fails_for_another_reason),
		FINDS(HG617, success_and_null),
		FINDS(HG617, success_and_null_and_a_fault),
		SILENT(HG614, success_and_null_and_a_fault),
		FINDS(HG617, a_failed_allocation_is_used_as_a_null_pointer),
		SILENT(HG616, a_failed_allocation_is_used_as_a_null_pointer),
		SILENT(HG617, the_launch_did_not_use_the_null_pointer),
		SILENT(HG617, null_is_not_used),
		SILENT(HG617, a_null_pointer_without_a_failure_is_another_matter),
		SILENT(HG617, no_bytes_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
