// SPDX-License-Identifier: Apache-2.0
/*
 * AQL packets that a device refuses, and how AMD's runtime is told; what a packet's end does to the
 * ring and to its signal. Made-up kernels; barriers are in tests/e2e/softgpu/packets.c.
 */
#include <setjmp.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>

#include <cmocka.h>

#include "kernels/softkfd/memory.h"
#include "kernels/softkfd/queue.h"

#define PACKETS     16u
#define UNREACHABLE UINT64_C(0x1000)

struct sg_settings sg_settings;
struct softgpu_config softgpu_config;

/* All that the GPU reaches. */
static struct {
	hsa_kernel_dispatch_packet_t ring[PACKETS];
	amd_queue_t object;
	amd_signal_t inactive, completion;
	uint64_t mailbox, reason;
	uint32_t commands[16];
	_Alignas(64) char descriptor[64];
} world;
/* The runtime's request to be told of exceptions: a save area's first words. */
static struct {
	uint32_t unused[6];
	uint64_t reason;
	uint32_t event, reserved;
} area;

static struct kfd_queue queue;
static uint64_t faulted, invalidated, events;
static uint32_t event;
static enum softgpu_status outcome;
static unsigned runs;
static char message[256];

void *kfd_memory_host(unsigned gpu, uint64_t address, uint64_t size, bool write)
{
	uint64_t start = (uint64_t)(uintptr_t)&world;

	(void)gpu, (void)write;
	return address - start < sizeof world && size <= sizeof world - (address - start)
		   ? (void *)(uintptr_t)address
		   : NULL;
}

unsigned softgpu_page_state(unsigned gpu, uint64_t address)
{
	return kfd_memory_host(gpu, address, 1, false) ? SOFTGPU_PAGE_MAPPED : 0;
}

void kfd_queue_fault(struct kfd_queue *from, uint64_t address)
{
	assert_ptr_equal(from, &queue);
	faulted = address;
}

void kfd_event_raise(uint32_t id)
{
	event = id;
	events++;
}

struct softgpu_run *softgpu_run_create(const struct softgpu_dispatch *dispatch)
{
	assert_int_equal(dispatch->queue_address, (uint64_t)(uintptr_t)&world.object);
	runs++;
	return (struct softgpu_run *)(uintptr_t)&world;
}

enum softgpu_status softgpu_run_step(struct softgpu_run *run, uint64_t budget)
{
	(void)run, (void)budget;
	return outcome;
}

void softgpu_run_destroy(struct softgpu_run *run)
{
	(void)run;
	runs--;
}

const char *softgpu_run_message(const struct softgpu_run *run)
{
	(void)run;
	return "the end";
}

uint64_t softgpu_run_fault_address(const struct softgpu_run *run)
{
	(void)run;
	return UNREACHABLE;
}

void softgpu_code_invalidate(uint64_t base, uint64_t size)
{
	assert_int_equal(base, 0);
	invalidated = size;
}

const char *kfd_kernel_name(unsigned gpu, uint64_t kernel, uint64_t *base, uint64_t *size)
{
	(void)gpu, (void)kernel;
	*base = *size = 0;
	return NULL;
}

void kfd_kernel_names_forget(void)
{
}
int kfd_copy_in(void *to, uint64_t from, size_t size)
{
	if (from == UNREACHABLE)
		return -EFAULT;
	memcpy(to, (const void *)(uintptr_t)from, size);
	return 0;
}
/* A signal has its new value: the program uses its memory for something else. */
void kfd_queue_values_changed(enum kfd_worker but)
{
	(void)but;
	world.inactive.event_mailbox_ptr = world.completion.event_mailbox_ptr = UNREACHABLE;
	world.inactive.event_id = world.completion.event_id = 99;
}
void sg_svm_new_epoch(void)
{
}
void sg_pages_park(void)
{
}
void sg_witness(const char *kernel)
{
	(void)kernel;
}
void sg_log(const char *format, ...)
{
	(void)format;
}
void sg_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
}
void sg_die(const char *format, ...)
{
	(void)format;
	abort();
}
static uint64_t now_ns = 1000;

uint64_t sg_now_ns(void)
{
	return now_ns += 10;
}

static uint64_t address(const volatile void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static uint64_t doorbell;

static void set_events(void)
{
	world.inactive.event_mailbox_ptr = address(&world.mailbox);
	world.inactive.event_id = 5;
	world.completion.event_mailbox_ptr = address(&world.mailbox);
	world.completion.event_id = 6;
}

static int reset(void **state)
{
	(void)state;
	memset(&world, 0, sizeof world);
	memset(&area, 0, sizeof area);
	for (unsigned i = 0; i < PACKETS; i++)
		world.ring[i].header = HSA_PACKET_TYPE_INVALID;
	world.object.queue_inactive_signal.handle = address(&world.inactive);
	world.completion.value = 3;
	set_events();
	queue = (struct kfd_queue){
		.ring = (char *)world.ring,
		.ring_address = address(world.ring),
		.ring_size = sizeof world.ring,
		.doorbell = &doorbell,
		.read_pointer = (uint64_t *)&world.object.read_dispatch_id,
		.write_pointer = (uint64_t *)&world.object.write_dispatch_id,
		.read_address = address(&world.object.read_dispatch_id),
		.percentage = 100,
	};
	faulted = invalidated = events = event = 0;
	runs = 0;
	message[0] = 0;
	outcome = SOFTGPU_DONE;
	softgpu_config.processor = SOFTGPU_GFX90A;
	return 0;
}

static hsa_kernel_dispatch_packet_t dispatch(void)
{
	return (hsa_kernel_dispatch_packet_t){
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
		.setup = 1,
		.workgroup_size_x = 64,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = 64,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernel_object = address(world.descriptor),
		.completion_signal.handle = address(&world.completion),
	};
}

static enum kfd_progress submit(const void *packet)
{
	doorbell = world.object.write_dispatch_id;
	memcpy(&world.ring[world.object.write_dispatch_id++ % PACKETS], packet, 64);
	return kfd_aql_step(&queue, 1000, false);
}

static bool awaited;

bool kfd_doorbell_is_awaited(enum kfd_worker worker, const uint64_t *of)
{
	(void)worker;
	return awaited && of == &doorbell;
}

static void test_doorbell(void **state)
{
	hsa_kernel_dispatch_packet_t packet = dispatch();

	(void)state;
	doorbell = UINT64_MAX;
	memcpy(&world.ring[world.object.write_dispatch_id++], &packet, 64);
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_BLOCKED);
	doorbell = 0;
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_PROGRESS);
	/* Another thread's ring, for an earlier packet, came last. */
	memcpy(&world.ring[world.object.write_dispatch_id++], &packet, 64);
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_BLOCKED);
	/* A tool looks at the packet before its ring, which was announced. */
	awaited = true;
	now_ns += 2000000;
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_BLOCKED);
	awaited = false;
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_BLOCKED);
	now_ns += 2000000;
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_PROGRESS);
}

/* A store to the doorbell that was noticed before it took effect. */
static void test_ringing(void **state)
{
	hsa_kernel_dispatch_packet_t packet = dispatch();

	(void)state;
	doorbell = UINT64_MAX;
	memcpy(&world.ring[world.object.write_dispatch_id++], &packet, 64);
	assert_int_equal(kfd_aql_step(&queue, 1000, true), KFD_PROGRESS);
	/* It may be for either of two packets. */
	memcpy(&world.ring[world.object.write_dispatch_id++], &packet, 64);
	world.object.write_dispatch_id++;
	assert_int_equal(kfd_aql_step(&queue, 1000, true), KFD_BLOCKED);
	doorbell = 1;
	assert_int_equal(kfd_aql_step(&queue, 1000, true), KFD_PROGRESS);
}

static void test_end(void **state)
{
	hsa_kernel_dispatch_packet_t packet = dispatch();

	(void)state;
	/* More than once around. */
	for (unsigned i = 0; i < 3 * PACKETS; i++) {
		world.completion.value = 3;
		set_events();
		assert_int_equal(submit(&packet), KFD_PROGRESS);
		assert_int_equal(world.object.read_dispatch_id, i + 1);
		assert_int_equal(world.ring[i % PACKETS].header & 0xff, HSA_PACKET_TYPE_INVALID);
		assert_int_equal(world.completion.value, 2);
		assert_true(world.completion.start_ts < world.completion.end_ts);
		assert_int_equal(world.mailbox, 6);
		assert_int_equal(event, 6);
		assert_int_equal(runs, 0);
	}
	/* One that is not written yet. */
	world.object.write_dispatch_id++;
	assert_false(kfd_aql_ready(&queue));
	assert_int_equal(kfd_aql_step(&queue, 1000, false), KFD_IDLE);
}

/* What is refused, and what the runtime is told by signal and by exception. */
static const struct refusal {
	const char *what;
	uint64_t inactive;
	unsigned exception;
} refusals[] = {
	{ "dimensions", 2, 16 },    { "empty grid", 2, 16 },
	{ "LDS", 4, 17 },           { "descriptor", 8, 18 },
	{ "type", 32, 20 },         { "group", 64, 21 },
	{ "empty group", 64, 21 },  { "vendor format", 256, 23 },
	{ "trap", 0x80000000, 2 },  { "no instruction", 0x40000000, 4 },
	{ "private memory", 1, 0 },
};

static void spoil(hsa_kernel_dispatch_packet_t *packet, unsigned which)
{
	switch (which) {
	case 0:
		packet->setup = 0;
		break;
	case 1:
		packet->grid_size_y = 0;
		break;
	case 2:
		packet->group_segment_size = 65537;
		break;
	case 3:
		packet->kernel_object += 4;
		break;
	case 4:
		packet->header = 9;
		break;
	case 5:
		packet->workgroup_size_x = 1025;
		break;
	case 6:
		packet->workgroup_size_z = 0;
		break;
	case 7:
		packet->header = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
		packet->setup = 7;
		break;
	case 8:
		outcome = SOFTGPU_TRAP;
		break;
	case 9:
		outcome = SOFTGPU_ILLEGAL;
		break;
	case 10:
		packet->private_segment_size = 8191 * 1024 / 64 + 1;
		break;
	}
}

static void refuse(const struct refusal *refusal, bool exception)
{
	hsa_kernel_dispatch_packet_t packet;

	reset(NULL);
	packet = dispatch();
	if (exception) {
		area.reason = address(&world.reason);
		area.event = 7;
		queue.save_area = address(&area);
	}
	spoil(&packet, (unsigned)(refusal - refusals));
	assert_int_equal(submit(&packet), KFD_IDLE);
	assert_true(queue.stopped);
	assert_int_equal(faulted, 0);
	assert_int_equal(world.object.read_dispatch_id, 0);
	assert_int_equal(world.completion.value, 3);
	assert_string_not_equal(message, "");
	/* There is no exception for some. */
	exception = exception && refusal->exception;
	assert_int_equal(world.inactive.value, exception ? 0 : refusal->inactive);
	assert_int_equal(world.reason, exception ? UINT64_C(1) << (refusal->exception - 1) : 0);
	assert_int_equal(event, exception ? 7 : 5);
	assert_int_equal(events, 1);
}

static void test_refused(void **state)
{
	hsa_kernel_dispatch_packet_t packet;

	(void)state;
	for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		print_message("# %s\n", refusals[i].what);
		refuse(&refusals[i], false);
		refuse(&refusals[i], true);
	}
	/* gfx950 has more LDS. */
	reset(NULL);
	softgpu_config.processor = SOFTGPU_GFX950;
	packet = dispatch();
	packet.group_segment_size = 163840;
	assert_int_equal(submit(&packet), KFD_PROGRESS);
	assert_false(queue.stopped);
}

/* Nothing that a packet names need be there. */
static void test_unreachable(void **state)
{
	hsa_kernel_dispatch_packet_t packet = dispatch();
	hsa_barrier_and_packet_t barrier = { .header = HSA_PACKET_TYPE_BARRIER_AND };

	(void)state;
	packet.kernel_object = UNREACHABLE;
	submit(&packet);
	assert_int_equal(faulted, UNREACHABLE);
	assert_int_equal(runs, 0);

	reset(NULL);
	outcome = SOFTGPU_FAULT;
	packet = dispatch();
	submit(&packet);
	assert_int_equal(faulted, UNREACHABLE);
	assert_int_equal(world.completion.value, 3);

	reset(NULL);
	packet.completion_signal.handle = UNREACHABLE + 64;
	submit(&packet);
	assert_int_equal(faulted, UNREACHABLE + 64);

	reset(NULL);
	barrier.dep_signal[3].handle = UNREACHABLE + 128;
	submit(&barrier);
	assert_int_equal(faulted, UNREACHABLE + 128);

	/* No mailbox, no queue object, a save area that is no memory: nobody can be told. */
	reset(NULL);
	packet = dispatch();
	world.completion.event_mailbox_ptr = UNREACHABLE;
	submit(&packet);
	assert_int_equal(world.completion.value, 2);
	assert_int_equal(events, 0);
	queue.read_address = UNREACHABLE;
	queue.save_area = UNREACHABLE;
	packet.setup = 0;
	submit(&packet);
	assert_true(queue.stopped);
	assert_int_equal(events, 0);
}

/* Commands of PM4: instruction caches are invalidated if they say so. */
static void test_commands(void **state)
{
	struct {
		hsa_amd_vendor_packet_header_t header;
		uint32_t jump[4], rest[9];
		hsa_signal_t completion;
	} packet = { .header = { .header = HSA_PACKET_TYPE_VENDOR_SPECIFIC, .AmdFormat = 1 } };
	const uint32_t acquire = 3u << 30 | 5u << 16 | 0x58u << 8;

	(void)state;
	packet.completion.handle = address(&world.completion);
	packet.jump[1] = (uint32_t)address(world.commands);
	packet.jump[2] = (uint32_t)(address(world.commands) >> 32);
	packet.jump[3] = 7 | 1u << 23;
	world.commands[0] = acquire;
	world.commands[1] = 1u << 27;
	assert_int_equal(submit(&packet), KFD_PROGRESS);
	assert_int_equal(invalidated, 0);
	world.commands[1] = 1u << 29;
	assert_int_equal(submit(&packet), KFD_PROGRESS);
	assert_int_not_equal(invalidated, 0);
	assert_int_equal(world.completion.value, 1);
	assert_string_equal(message, "");
	/* Cut short, unknown, none at all, and not the GPU's. */
	invalidated = 0;
	packet.jump[3] = 1;
	submit(&packet);
	assert_int_equal(invalidated, 0);
	world.commands[0] = 3u << 30 | 0x37u << 8;
	packet.jump[3] = 16;
	submit(&packet);
	assert_non_null(strstr(message, "0x37"));
	packet.jump[3] = 0;
	assert_int_equal(submit(&packet), KFD_PROGRESS);
	packet.jump[2] = 0xffff;
	packet.jump[3] = 0xfffff;
	submit(&packet);
	assert_int_not_equal(faulted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_doorbell, reset),
		cmocka_unit_test_setup(test_ringing, reset),
		cmocka_unit_test_setup(test_end, reset),
		cmocka_unit_test_setup(test_refused, reset),
		cmocka_unit_test_setup(test_unreachable, reset),
		cmocka_unit_test_setup(test_commands, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
