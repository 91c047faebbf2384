// SPDX-License-Identifier: Apache-2.0
/*
 * AQL packets. Packets of one queue are processed strictly one after the other, which every
 * setting of the barrier bit allows; memory is coherent throughout, so the fence scopes in the
 * headers need no action.
 */
#include "runtime.h"
#include <stdlib.h>

/* The packet to do next; NULL: there is none, or it is not yet written. */
static hsa_kernel_dispatch_packet_t *next_packet(struct sg_queue *queue)
{
	hsa_kernel_dispatch_packet_t *packets = queue->amd.hsa_queue.base_address, *packet;
	uint64_t index = queue->amd.read_dispatch_id;

	if (__atomic_load_n(&queue->intercept, __ATOMIC_ACQUIRE))
		return sg_intercept_packet(queue);
	if (index == __atomic_load_n(&queue->amd.write_dispatch_id, __ATOMIC_ACQUIRE))
		return NULL;
	packet = &packets[index & (queue->amd.hsa_queue.size - 1)];
	if ((__atomic_load_n(&packet->header, __ATOMIC_ACQUIRE) & 0xff) == HSA_PACKET_TYPE_INVALID)
		return NULL;
	return packet;
}

/* The packet is done: release its slot, then tell who waits. */
static void finish(struct sg_queue *queue, hsa_kernel_dispatch_packet_t *packet)
{
	hsa_signal_t completion = packet->completion_signal;
	uint64_t start = queue->start_ns;

	queue->start_ns = 0;
	if (queue->intercept) {
		sg_intercept_done(queue);
	} else {
		__atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
		__atomic_add_fetch(&queue->amd.read_dispatch_id, 1, __ATOMIC_SEQ_CST);
	}
	sg_signal_complete(completion, start, sg_now_ns());
}

/* The queue stops permanently; its owner is notified, or the process ends. */
static enum sg_progress fail(struct sg_queue *queue, hsa_status_t status, const char *what)
{
	queue->inactive = true;
	sg_warn("queue %lu stopped: %s", queue->amd.hsa_queue.id, what);
	if (!queue->callback)
		abort();
	queue->callback(status, &queue->amd.hsa_queue, queue->callback_data);
	return SG_IDLE;
}

/* NULL if the device can run this packet, else what is wrong with it. */
static const char *check_dispatch(const hsa_kernel_dispatch_packet_t *packet)
{
	uint64_t group = (uint64_t)packet->workgroup_size_x * packet->workgroup_size_y *
			 packet->workgroup_size_z;
	unsigned dimensions = packet->setup & 3;

	if (!dimensions)
		return "dispatch with 0 dimensions";
	if (!group || group > 1024)
		return "work-group is empty or larger than 1024";
	if (!packet->grid_size_x || !packet->grid_size_y || !packet->grid_size_z)
		return "grid is empty";
	if (packet->group_segment_size > 65536)
		return "more than 65536 bytes of LDS";
	if (packet->kernel_object % 64)
		return "kernel descriptor is not aligned";
	return NULL;
}

static enum sg_progress start_dispatch(struct sg_queue *queue,
				       const hsa_kernel_dispatch_packet_t *packet)
{
	struct softgpu_dispatch dispatch = {
		.packet = *packet,
		.packet_address = (uint64_t)(uintptr_t)packet,
		.queue_address = (uint64_t)(uintptr_t)&queue->amd,
		.gpu = queue->agent->number,
		.cooperative = queue->cooperative,
	};
	const char *wrong = check_dispatch(packet);

	if (wrong)
		return fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, wrong);
	/* Only kernels and copies touch memory; a look at the host's mappings costs a millisecond.
	 */
	sg_svm_new_epoch();
	if (!(softgpu_page_state(dispatch.gpu, packet->kernel_object) & SOFTGPU_PAGE_MAPPED)) {
		sg_memory_fault(dispatch.gpu, packet->kernel_object);
		return SG_IDLE;
	}
	dispatch.kernel_name =
	    sg_kernel_name(packet->kernel_object, &dispatch.code_base, &dispatch.code_size);
	sg_log("queue %lu: dispatch %s, grid %u x %u x %u, group %u x %u x %u",
	       queue->amd.hsa_queue.id, dispatch.kernel_name ? dispatch.kernel_name : "?",
	       packet->grid_size_x, packet->grid_size_y, packet->grid_size_z,
	       packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z);
	queue->run = softgpu_run_create(&dispatch);
	if (!queue->run)
		return fail(queue, HSA_STATUS_ERROR_OUT_OF_RESOURCES, "out of memory for a kernel");
	sg_witness(dispatch.kernel_name);
	return SG_PROGRESS;
}

static enum sg_progress step_dispatch(struct sg_queue *queue, hsa_kernel_dispatch_packet_t *packet,
				      uint64_t budget)
{
	if (!queue->run) {
		enum sg_progress progress = start_dispatch(queue, packet);
		if (!queue->run)
			return progress;
	}
	switch (softgpu_run_step(queue->run, budget)) {
	case SOFTGPU_RUNNING:
		return SG_PROGRESS;
	case SOFTGPU_DONE:
		softgpu_run_destroy(queue->run);
		queue->run = NULL;
		if (sg_settings.migration)
			sg_pages_park();
		finish(queue, packet);
		return SG_PROGRESS;
	case SOFTGPU_FAULT:
		if (softgpu_run_message(queue->run))
			sg_warn("%s", softgpu_run_message(queue->run));
		sg_memory_fault(queue->agent->number, softgpu_run_fault_address(queue->run));
		return SG_IDLE;
	case SOFTGPU_TRAP:
		return fail(queue, HSA_STATUS_ERROR_EXCEPTION, softgpu_run_message(queue->run));
	case SOFTGPU_UNSUPPORTED:
		sg_die("%s", softgpu_run_message(queue->run));
	}
	sg_die("the interpreter returned an unknown status");
}

/* Barrier-AND: every signal is 0. Barrier-OR: one is, or there is none (null signals don't count).
 */
static bool barrier_open(const hsa_barrier_and_packet_t *packet, bool all)
{
	bool any_signal = false;

	if (all)
		return sg_signals_are_zero(packet->dep_signal, 5);
	for (unsigned i = 0; i < 5; i++) {
		if (!packet->dep_signal[i].handle)
			continue;
		any_signal = true;
		if (sg_signals_are_zero(&packet->dep_signal[i], 1))
			return true;
	}
	return !any_signal;
}

/* AMD's only vendor packet: wait until (signal & mask) meets a condition (hsa_ext_amd.h). */
static bool vendor_open(struct sg_queue *queue, const hsa_amd_barrier_value_packet_t *packet)
{
	hsa_signal_value_t value;

	if (packet->header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
		sg_die("queue %lu: vendor packet format %u is not supported",
		       queue->amd.hsa_queue.id, packet->header.AmdFormat);
	if (!packet->signal.handle)
		return true;
	value = __atomic_load_n(&sg_signal(packet->signal)->value, __ATOMIC_SEQ_CST);
	return sg_condition(value & packet->mask, packet->cond, packet->value);
}

enum sg_progress sg_packet_step(struct sg_queue *queue, uint64_t budget)
{
	hsa_kernel_dispatch_packet_t *packet = queue->inactive ? NULL : next_packet(queue);
	unsigned type;
	bool open;

	if (!packet || sg_gpu_stopped(queue->agent->number))
		return SG_IDLE;
	type = packet->header & 0xff;
	if (!queue->start_ns)
		queue->start_ns = sg_now_ns();
	switch (type) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return step_dispatch(queue, packet, budget);
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		open = barrier_open((const hsa_barrier_and_packet_t *)packet,
				    type == HSA_PACKET_TYPE_BARRIER_AND);
		break;
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		open = vendor_open(queue, (const hsa_amd_barrier_value_packet_t *)packet);
		break;
	default:
		return fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "unknown packet type");
	}
	if (!open)
		return SG_IDLE;
	/* A barrier's time is when it opened, not how long it waited. */
	queue->start_ns = sg_now_ns();
	finish(queue, packet);
	return SG_PROGRESS;
}
