// SPDX-License-Identifier: Apache-2.0
/*
 * AQL packets. Packets of one queue are processed strictly one after the other, which every
 * setting of the barrier bit allows; memory is coherent throughout, so the fence scopes in the
 * headers need no action.
 */
#include "kernels/softkfd/memory.h"
#include "kernels/softkfd/queue.h"

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

#define PACKET sizeof(hsa_kernel_dispatch_packet_t)

/*
 * The errors that AMD's runtime is told: bits of the queue's inactive signal, which the packet
 * processor and the trap handler set [ROCR24 amd_aql_queue.cpp, DynamicQueueEventsHandler]; if the
 * runtime has enabled exceptions instead, bit number - 1 of the driver's error codes (enum
 * kfd_dbg_trap_exception_code of linux/kfd_ioctl.h).
 */
static const struct {
	uint32_t inactive;
	unsigned exception;
} errors[KFD_ERRORS] = {
	/* The packet processor alone asks for scratch memory, by the signal. */
	[KFD_ERROR_SCRATCH] = { 1, 0 },          [KFD_ERROR_INSTRUCTION] = { 0x40000000, 4 },
	[KFD_ERROR_TRAP] = { 0x80000000, 2 },    [KFD_ERROR_DIMENSIONS] = { 2, 16 },
	[KFD_ERROR_GROUP_MEMORY] = { 4, 17 },    [KFD_ERROR_CODE] = { 8, 18 },
	[KFD_ERROR_PACKET] = { 32, 20 },         [KFD_ERROR_GROUP_SIZE] = { 64, 21 },
	[KFD_ERROR_VENDOR_PACKET] = { 256, 23 },
};

/* The start of a queue's save area, where the runtime says how exceptions are reported to it
 * (HsaUserContextSaveAreaHeader of hsakmttypes.h). */
struct save_area {
	uint32_t unused[6];
	uint64_t reason; /* address of a word of error bits; 0: not at all */
	uint32_t event;
	uint32_t reserved;
};

static amd_queue_t *queue_object(const struct kfd_queue *queue)
{
	uint64_t address = queue->read_address - offsetof(amd_queue_t, read_dispatch_id);

	return kfd_memory_host(queue->gpu, address, sizeof(amd_queue_t), true);
}

static hsa_kernel_dispatch_packet_t *packet_at(const struct kfd_queue *queue)
{
	return (void *)(queue->ring + queue->position % (queue->ring_size / PACKET) * PACKET);
}

bool kfd_aql_ready(const struct kfd_queue *queue)
{
	if (queue->run)
		return true;
	return queue->position != __atomic_load_n(queue->write_pointer, __ATOMIC_ACQUIRE) &&
	       (__atomic_load_n(&packet_at(queue)->header, __ATOMIC_ACQUIRE) & 0xff) !=
		   HSA_PACKET_TYPE_INVALID;
}

#define RING_LIMIT_NS 1000000

/*
 * Was the doorbell rung for the packet? Tools look at packets when a program rings it. Of two
 * threads' rings the earlier packet's may come last: no packet waits for long. A ring that has yet
 * to store its number is the packet's if there is no other.
 */
static bool is_rung(struct kfd_queue *queue, bool ringing)
{
	uint64_t now;

	if ((int64_t)(__atomic_load_n(queue->doorbell, __ATOMIC_ACQUIRE) - queue->position) >= 0 ||
	    (ringing &&
	     __atomic_load_n(queue->write_pointer, __ATOMIC_ACQUIRE) == queue->position + 1)) {
		queue->unrung = 0;
		return true;
	}
	now = sg_now_ns();
	if (!queue->unrung || kfd_doorbell_is_awaited(queue->worker, queue->doorbell))
		queue->unrung = now;
	return now - queue->unrung > RING_LIMIT_NS;
}

/* NULL after a fault: the GPU does not reach it. */
static amd_signal_t *signal_at(struct kfd_queue *queue, hsa_signal_t handle)
{
	amd_signal_t *signal =
	    kfd_memory_host(queue->gpu, handle.handle, sizeof(amd_signal_t), true);

	if (!signal)
		kfd_queue_fault(queue, handle.handle);
	return signal;
}

/* The interrupt of a signal with an event: it wakes the threads that wait for the event. */
struct interrupt {
	uint64_t mailbox;
	uint32_t event;
};

/* To be called before the signal gets its new value: then the program may use its memory for
 * something else. */
static struct interrupt interrupt_of(const amd_signal_t *signal)
{
	return (struct interrupt){ signal->event_mailbox_ptr, signal->event_id };
}

/* The signal has its new value: the mailbox gets the event's number. */
static void notify(struct kfd_queue *queue, struct interrupt interrupt)
{
	uint64_t *slot = NULL;

	kfd_queue_values_changed(queue->worker);
	if (interrupt.mailbox)
		slot = kfd_memory_host(queue->gpu, interrupt.mailbox, sizeof *slot, true);
	if (!slot)
		return;
	__atomic_store_n(slot, interrupt.event, __ATOMIC_SEQ_CST);
	kfd_event_raise(interrupt.event);
}

static void complete(struct kfd_queue *queue, hsa_signal_t handle, uint64_t start)
{
	amd_signal_t *signal = handle.handle ? signal_at(queue, handle) : NULL;
	struct interrupt interrupt;

	if (!signal)
		return;
	interrupt = interrupt_of(signal);
	signal->start_ts = start;
	signal->end_ts = kfd_gpu_ticks();
	__atomic_sub_fetch(&signal->value, 1, __ATOMIC_SEQ_CST);
	notify(queue, interrupt);
}

/* Completes a packet: releases its slot, then tells the threads that wait. */
static enum kfd_progress finish(struct kfd_queue *queue, hsa_kernel_dispatch_packet_t *packet)
{
	hsa_signal_t completion = packet->completion_signal;
	uint64_t start = queue->start;

	queue->start = queue->unrung = 0;
	__atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
	__atomic_store_n(queue->read_pointer, ++queue->position, __ATOMIC_SEQ_CST);
	complete(queue, completion, start);
	return KFD_PROGRESS;
}

/* Sets an exception where the runtime has asked for it when it created the queue. */
static bool raise_exception(const struct kfd_queue *queue, unsigned number)
{
	struct save_area area = { .reason = 0 };
	uint64_t *reason;

	/* The address comes from the program and may name no memory. */
	if (!queue->save_area || kfd_copy_in(&area, queue->save_area, sizeof area) || !area.reason)
		return false;
	reason = kfd_memory_host(queue->gpu, area.reason, sizeof *reason, true);
	if (!reason)
		return false;
	__atomic_or_fetch(reason, UINT64_C(1) << (number - 1), __ATOMIC_SEQ_CST);
	if (area.event)
		kfd_event_raise(area.event);
	return true;
}

/* Stops the queue for good, and reports why to the runtime. */
static enum kfd_progress fail(struct kfd_queue *queue, enum kfd_error error, const char *what)
{
	struct interrupt interrupt;
	amd_queue_t *object;
	amd_signal_t *signal;

	queue->stopped = true;
	sg_warn("queue %u stopped: %s", queue->id, what);
	if (errors[error].exception && raise_exception(queue, errors[error].exception))
		return KFD_IDLE;
	object = queue_object(queue);
	if (!object || !object->queue_inactive_signal.handle)
		return KFD_IDLE;
	signal = signal_at(queue, object->queue_inactive_signal);
	if (!signal)
		return KFD_IDLE;
	interrupt = interrupt_of(signal);
	__atomic_store_n(&signal->value, errors[error].inactive, __ATOMIC_SEQ_CST);
	notify(queue, interrupt);
	return KFD_IDLE;
}

/* Bytes of a lane: 13 bits count KiB of a wave of 64. AMD's runtime refuses more, too [ROCR24
 * amd_gpu_agent.cpp, MAX_WAVE_SCRATCH]. */
#define MOST_SCRATCH (8191u * 1024 / 64)

/* Returns NULL if the device can run this packet, else what is wrong with it. */
static const char *check_dispatch(const hsa_kernel_dispatch_packet_t *packet, enum kfd_error *error)
{
	uint64_t group = (uint64_t)packet->workgroup_size_x * packet->workgroup_size_y *
			 packet->workgroup_size_z;
	uint32_t lds = softgpu_config.processor == SOFTGPU_GFX950 ? 163840 : 65536;

	*error = KFD_ERROR_DIMENSIONS;
	if (!(packet->setup & 3))
		return "dispatch with 0 dimensions";
	if (!packet->grid_size_x || !packet->grid_size_y || !packet->grid_size_z)
		return "grid is empty";
	*error = KFD_ERROR_GROUP_SIZE;
	if (!group || group > 1024)
		return "work-group is empty or larger than 1024";
	*error = KFD_ERROR_GROUP_MEMORY;
	if (packet->group_segment_size > lds)
		return lds == 65536 ? "more than 65536 bytes of LDS"
				    : "more than 163840 bytes of LDS";
	*error = KFD_ERROR_SCRATCH;
	if (packet->private_segment_size > MOST_SCRATCH)
		return "more private memory than a wave can have";
	*error = KFD_ERROR_CODE;
	if (!softgpu_executes(softgpu_config.processor))
		return "this GPU (SOFTGPU_ARCH) executes no kernels: only its memory is modelled";
	if (!packet->kernel_object)
		return "dispatch without a kernel descriptor";
	if (packet->kernel_object % 64)
		return "kernel descriptor is not aligned";
	return NULL;
}

static enum kfd_progress start_dispatch(struct kfd_queue *queue,
					const hsa_kernel_dispatch_packet_t *packet)
{
	struct softgpu_dispatch dispatch = {
		.packet = *packet,
		.packet_address =
		    queue->ring_address + (uint64_t)((const char *)packet - queue->ring),
		.queue_address = queue->read_address - offsetof(amd_queue_t, read_dispatch_id),
		.gpu = queue->gpu,
		.cooperative = queue->cooperative,
	};
	enum kfd_error error;
	const char *wrong = check_dispatch(packet, &error);

	if (wrong)
		return fail(queue, error, wrong);
	/* Only kernels and copies touch memory; a look at the host's mappings costs a millisecond.
	 */
	sg_svm_new_epoch();
	if (!(softgpu_page_state(dispatch.gpu, packet->kernel_object) & SOFTGPU_PAGE_MAPPED)) {
		kfd_queue_fault(queue, packet->kernel_object);
		return KFD_IDLE;
	}
	dispatch.kernel_name = kfd_kernel_name(dispatch.gpu, packet->kernel_object,
					       &dispatch.code_base, &dispatch.code_size);
	sg_log("queue %u: dispatch %s, grid %u x %u x %u, group %u x %u x %u", queue->id,
	       dispatch.kernel_name ? dispatch.kernel_name : "?", packet->grid_size_x,
	       packet->grid_size_y, packet->grid_size_z, packet->workgroup_size_x,
	       packet->workgroup_size_y, packet->workgroup_size_z);
	queue->run = softgpu_run_create(&dispatch);
	if (!queue->run)
		sg_die("out of memory for a kernel");
	/* Kernels of no code object are the runtime's own, which nobody records. */
	if (dispatch.kernel_name)
		sg_witness(dispatch.kernel_name);
	return KFD_PROGRESS;
}

static enum kfd_progress step_dispatch(struct kfd_queue *queue,
				       hsa_kernel_dispatch_packet_t *packet, uint64_t budget)
{
	if (!queue->run) {
		enum kfd_progress progress = start_dispatch(queue, packet);

		if (!queue->run)
			return progress;
	}
	switch (softgpu_run_step(queue->run, budget)) {
	case SOFTGPU_RUNNING:
		/* It may have changed what another queue waits for. */
		kfd_queue_values_changed(queue->worker);
		return KFD_PROGRESS;
	case SOFTGPU_DONE:
		softgpu_run_destroy(queue->run);
		queue->run = NULL;
		if (sg_settings.migration)
			sg_pages_park();
		return finish(queue, packet);
	case SOFTGPU_FAULT:
		if (softgpu_run_message(queue->run))
			sg_warn("%s", softgpu_run_message(queue->run));
		kfd_queue_fault(queue, softgpu_run_fault_address(queue->run));
		return KFD_IDLE;
	case SOFTGPU_TRAP:
		return fail(queue, KFD_ERROR_TRAP, softgpu_run_message(queue->run));
	case SOFTGPU_ILLEGAL:
		return fail(queue, KFD_ERROR_INSTRUCTION, softgpu_run_message(queue->run));
	case SOFTGPU_UNSUPPORTED:
		sg_die("%s", softgpu_run_message(queue->run));
	}
	sg_die("the interpreter returned an unknown status");
}

enum open { CLOSED, OPEN, STOPPED };

/* Barrier-AND: every signal is 0. Barrier-OR: one is, or there is none (null signals don't count).
 */
static enum open barrier_open(struct kfd_queue *queue, const hsa_barrier_and_packet_t *packet,
			      bool all)
{
	unsigned signals = 0, zero = 0;

	for (unsigned i = 0; i < 5; i++) {
		const amd_signal_t *signal;

		if (!packet->dep_signal[i].handle)
			continue;
		signal = signal_at(queue, packet->dep_signal[i]);
		if (!signal)
			return STOPPED;
		signals++;
		zero += !__atomic_load_n(&signal->value, __ATOMIC_SEQ_CST);
	}
	return zero == signals || (!all && zero) ? OPEN : CLOSED;
}

static bool condition(int64_t value, uint32_t condition, int64_t compare)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == compare;
	case HSA_SIGNAL_CONDITION_NE:
		return value != compare;
	case HSA_SIGNAL_CONDITION_LT:
		return value < compare;
	default:
		return value >= compare;
	}
}

/* AMD's barrier: wait until (signal & mask) meets a condition (hsa_ext_amd.h). */
static enum open value_open(struct kfd_queue *queue, const hsa_amd_barrier_value_packet_t *packet)
{
	const amd_signal_t *signal;

	if (!packet->signal.handle)
		return OPEN;
	signal = signal_at(queue, packet->signal);
	if (!signal)
		return STOPPED;
	return condition(__atomic_load_n(&signal->value, __ATOMIC_SEQ_CST) & packet->mask,
			 packet->cond, packet->value)
		   ? OPEN
		   : CLOSED;
}

/* The header of a PM4 packet holds its type, the number of words that follow less one, and its
 * operation. */
#define PM4_TYPE(header)      ((header) >> 30)
#define PM4_LENGTH(header)    (((header) >> 16 & 0x3fff) + 2)
#define PM4_OPERATION(header) ((header) >> 8 & 0xff)
#define PM4_NOP               0x10u
#define PM4_ACQUIRE_MEM       0x58u
#define PM4_ICACHE            (1u << 29) /* of its second word: invalidate instructions */

enum { AMD_FORMAT_PM4_IB = 1 };

struct commands_packet {
	hsa_amd_vendor_packet_header_t header;
	uint32_t jump[4]; /* operation; address, low and high half; words in bits 0 to 19 */
};

static void warn_of_command(uint32_t operation)
{
	static bool warned[256];

	if (operation != PM4_NOP && !warned[operation])
		sg_warn("commands to the packet processor (PM4 %#x) have no effect", operation);
	warned[operation] = true;
}

/*
 * Executes a packet that names a buffer of PM4 commands. AMD's runtime has two uses for it: it
 * invalidates caches once code was loaded [ROCR24 amd_gpu_agent.cpp,
 * GpuAgent::InvalidateCodeCaches], decoded code among them, and it sets up profiling, which is not
 * modelled.
 */
static enum open run_commands(struct kfd_queue *queue, const struct commands_packet *packet)
{
	uint64_t address = packet->jump[1] & ~3u;
	uint32_t count = packet->jump[3] & 0xfffff;
	const uint32_t *words;

	address |= (uint64_t)(packet->jump[2] & 0xffff) << 32;
	words = kfd_memory_host(queue->gpu, address, count * sizeof *words, false);
	if (!words) {
		kfd_queue_fault(queue, address);
		return STOPPED;
	}
	for (uint32_t i = 0; i < count && PM4_TYPE(words[i]) == 3; i += PM4_LENGTH(words[i])) {
		if (PM4_OPERATION(words[i]) != PM4_ACQUIRE_MEM) {
			warn_of_command(PM4_OPERATION(words[i]));
		} else if (i + 1 < count && words[i + 1] & PM4_ICACHE) {
			softgpu_code_invalidate(0, UINT64_MAX - SOFTGPU_PAGE_SIZE);
			kfd_kernel_names_forget();
		}
	}
	return OPEN;
}

static enum open vendor_open(struct kfd_queue *queue, const hsa_kernel_dispatch_packet_t *packet)
{
	const hsa_amd_barrier_value_packet_t *vendor = (const void *)packet;

	if (vendor->header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
		return value_open(queue, vendor);
	if (vendor->header.AmdFormat == AMD_FORMAT_PM4_IB)
		return run_commands(queue, (const void *)packet);
	fail(queue, KFD_ERROR_VENDOR_PACKET, "unknown vendor packet");
	return STOPPED;
}

enum kfd_progress kfd_aql_step(struct kfd_queue *queue, uint64_t budget, bool ringing)
{
	hsa_kernel_dispatch_packet_t *packet;
	enum open open;
	unsigned type;

	if (!kfd_aql_ready(queue))
		return KFD_IDLE;
	if (!queue->run && !is_rung(queue, ringing))
		return KFD_BLOCKED;
	packet = packet_at(queue);
	type = packet->header & 0xff;
	if (!queue->start)
		queue->start = kfd_gpu_ticks();
	switch (type) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return step_dispatch(queue, packet, budget);
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		open = barrier_open(queue, (const hsa_barrier_and_packet_t *)packet,
				    type == HSA_PACKET_TYPE_BARRIER_AND);
		break;
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		open = vendor_open(queue, packet);
		break;
	default:
		return fail(queue, KFD_ERROR_PACKET, "unknown packet type");
	}
	if (open == CLOSED)
		return KFD_BLOCKED;
	if (open == STOPPED)
		return KFD_IDLE;
	/* A barrier's time is when it opened, not how long it waited. */
	queue->start = kfd_gpu_ticks();
	return finish(queue, packet);
}
