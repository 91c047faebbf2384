// SPDX-License-Identifier: Apache-2.0
/*
 * Barrier packets of every kind, the signal functions that libamdhip64 does not call, and a fault
 * that a handler takes over. TAP on stdout.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <string.h>
#include "shut_down.h"
#include "tap.h"

#define PATIENCE 30000000000u /* ns */

static hsa_agent_t gpu;
static hsa_queue_t *queue, *other;

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) && type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_signal_t signal_of(hsa_signal_value_t value)
{
	hsa_signal_t signal = { 0 };

	hsa_signal_create(value, 0, NULL, &signal);
	return signal;
}

/* Write 64 bytes to the queue, the header last, and ring. */
static void submit(hsa_queue_t *to, const void *packet)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(to, 1);
	char *place = (char *)to->base_address + 64 * (index % to->size);
	uint16_t header;

	memcpy(&header, packet, sizeof header);
	memcpy(place + sizeof header, (const char *)packet + sizeof header, 64 - sizeof header);
	__atomic_store_n((uint16_t *)(void *)place, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(to->doorbell_signal, (hsa_signal_value_t)index);
}

static bool done(hsa_signal_t signal)
{
	return !hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, PATIENCE,
					  HSA_WAIT_STATE_BLOCKED);
}

/* A packet of the other queue has passed meanwhile, and `signal` is as it was. */
static bool still_waits(hsa_signal_t signal)
{
	hsa_barrier_and_packet_t packet = { .header = HSA_PACKET_TYPE_BARRIER_AND };
	bool passed;

	packet.completion_signal = signal_of(1);
	submit(other, &packet);
	passed = done(packet.completion_signal);
	hsa_signal_destroy(packet.completion_signal);
	return passed && hsa_signal_load_relaxed(signal) == 1;
}

static void test_barrier(uint16_t type, const char *name)
{
	bool and = type == HSA_PACKET_TYPE_BARRIER_AND;
	hsa_signal_t first = signal_of(1), second = signal_of(7);
	hsa_barrier_and_packet_t packet = { .header = type };

	packet.dep_signal[1] = first;
	packet.dep_signal[4] = second;
	packet.completion_signal = signal_of(1);
	submit(queue, &packet);
	check(still_waits(packet.completion_signal), "%s waits for two signals", name);
	hsa_signal_store_relaxed(second, 0);
	if (and) {
		check(still_waits(packet.completion_signal), "%s: one of two is not enough", name);
		hsa_signal_subtract_screlease(first, 1);
	}
	check(done(packet.completion_signal), "%s opens", name);

	memset(packet.dep_signal, 0, sizeof packet.dep_signal);
	hsa_signal_store_relaxed(packet.completion_signal, 1);
	submit(queue, &packet);
	check(done(packet.completion_signal), "%s without signals is open", name);
}

static void test_value(void)
{
	/* condition, compared with; values that keep it closed and that open it, under the mask */
	static const struct {
		hsa_signal_condition32_t condition;
		hsa_signal_value_t value, closed, open;
		const char *name;
	} cases[] = {
		{ HSA_SIGNAL_CONDITION_EQ, 5, 4, 0x105, "equal" },
		{ HSA_SIGNAL_CONDITION_NE, 5, 0x305, 6, "not equal" },
		{ HSA_SIGNAL_CONDITION_LT, 5, 5, 0x404, "less" },
		{ HSA_SIGNAL_CONDITION_GTE, 5, 0x104, 5, "greater or equal" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		hsa_amd_barrier_value_packet_t packet = {
			.header = { .header = HSA_PACKET_TYPE_VENDOR_SPECIFIC,
				    .AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE },
			.value = cases[i].value,
			.mask = 0xff,
			.cond = cases[i].condition,
		};

		packet.signal = signal_of(cases[i].closed);
		packet.completion_signal = signal_of(1);
		submit(queue, &packet);
		check(still_waits(packet.completion_signal), "barrier by value, %s: waits",
		      cases[i].name);
		hsa_signal_store_screlease(packet.signal, cases[i].open);
		check(done(packet.completion_signal), "barrier by value, %s: opens", cases[i].name);
	}
}

static void test_order(void)
{
	hsa_barrier_and_packet_t closed = { .header = HSA_PACKET_TYPE_BARRIER_AND };
	hsa_barrier_and_packet_t behind = { .header = HSA_PACKET_TYPE_BARRIER_AND |
						      1 << HSA_PACKET_HEADER_BARRIER };
	hsa_amd_profiling_dispatch_time_t first, second;

	closed.dep_signal[0] = signal_of(1);
	closed.completion_signal = signal_of(1);
	behind.completion_signal = signal_of(1);
	submit(queue, &closed);
	submit(queue, &behind);
	check(still_waits(behind.completion_signal), "a packet behind a closed barrier waits");
	hsa_signal_store_relaxed(closed.dep_signal[0], 0);
	check(done(behind.completion_signal) && !hsa_signal_load_relaxed(closed.completion_signal),
	      "and passes after it");
	check(!hsa_amd_profiling_get_dispatch_time(gpu, closed.completion_signal, &first) &&
		  !hsa_amd_profiling_get_dispatch_time(gpu, behind.completion_signal, &second) &&
		  first.start <= first.end && first.end <= second.end,
	      "their times are in order");
}

static void test_signals(void)
{
	hsa_signal_t signals[3] = { signal_of(3), signal_of(4), signal_of(5) };
	hsa_signal_condition_t conditions[3] = { HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ,
						 HSA_SIGNAL_CONDITION_GTE };
	hsa_signal_value_t values[3] = { 0, 0, 6 }, found = -1;

	check(hsa_signal_exchange_scacq_screl(signals[0], 9) == 3 &&
		  hsa_signal_load_relaxed(signals[0]) == 9,
	      "exchange");
	check(hsa_signal_cas_scacquire(signals[0], 8, 1) == 9 &&
		  hsa_signal_load_relaxed(signals[0]) == 9,
	      "compare and swap that fails");
	check(hsa_signal_cas_screlease(signals[0], 9, 1) == 9 &&
		  hsa_signal_load_relaxed(signals[0]) == 1,
	      "compare and swap");
	/* A timeout ends the program of ROCr 7.2.4, and neither it nor 6.4.3 gives the value
	 * (docs/runtimes.md). */
	if (rocr_is("1.18."))
		check(true, "wait for any: none # SKIP ROCr 7.2 crashes");
	else
		check(hsa_amd_signal_wait_any(3, signals, conditions, values, 1000000,
					      HSA_WAIT_STATE_ACTIVE, &found) == UINT32_MAX,
		      "wait for any: none");
	hsa_signal_store_relaxed(signals[2], 8);
	check(hsa_amd_signal_wait_any(3, signals, conditions, values, PATIENCE,
				      HSA_WAIT_STATE_BLOCKED, &found) == 2 &&
		  (found == 8 || rocr_is("1.15.") || rocr_is("1.18.")),
	      "wait for any: the third, %ld", (long)found);
}

static uint64_t fault_address;

static hsa_status_t take_fault(const hsa_amd_event_t *event, void *data)
{
	if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT)
		return HSA_STATUS_ERROR;
	__atomic_store_n(&fault_address, event->memory_fault.virtual_address, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(*(hsa_signal_t *)data, 0);
	return HSA_STATUS_SUCCESS;
}

/* Last, because it stops the GPU. */
static void test_fault(void)
{
	static hsa_signal_t seen;
	hsa_kernel_dispatch_packet_t packet = {
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
		.setup = 1,
		.workgroup_size_x = 1,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = 1,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernel_object = 0x1000,
	};
	hsa_barrier_and_packet_t behind = { .header = HSA_PACKET_TYPE_BARRIER_AND };
	bool passed;

	seen = signal_of(1);
	packet.completion_signal = signal_of(1);
	behind.completion_signal = signal_of(1);
	check(!hsa_amd_register_system_event_handler(take_fault, &seen), "a handler of faults");
	submit(queue, &packet);
	passed = done(seen);
	check(passed && __atomic_load_n(&fault_address, __ATOMIC_ACQUIRE) == 0x1000,
	      "a fault at 0x%lx is passed to it", (unsigned long)fault_address);
	submit(other, &behind);
	check(hsa_signal_wait_scacquire(behind.completion_signal, HSA_SIGNAL_CONDITION_EQ, 0,
					200000000, HSA_WAIT_STATE_BLOCKED) == 1 &&
		  hsa_signal_load_relaxed(packet.completion_signal) == 1,
	      "where it takes the fault over, the GPU has stopped");
}

int main(void)
{
	if (hsa_init() || hsa_iterate_agents(find_gpu, NULL) || !gpu.handle ||
	    hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue) ||
	    hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &other)) {
		printf("Bail out! no queues\n");
		return 2;
	}
	test_barrier(HSA_PACKET_TYPE_BARRIER_AND, "barrier-AND");
	test_barrier(HSA_PACKET_TYPE_BARRIER_OR, "barrier-OR");
	test_value();
	test_order();
	test_signals();
	test_fault();
	check(!hsa_queue_destroy(queue) && !hsa_queue_destroy(other) && !shut_down(), "end");
	return tap_end();
}
