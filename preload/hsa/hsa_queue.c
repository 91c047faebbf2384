/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels as they are put into queues: a packet is complete when its producer rings the doorbell,
 * and is read before the runtime processes it. Launches that HIP's own functions made are recorded
 * above; they are announced here, because another thread of the runtime may submit them.
 *
 * The runtime stops a queue in which something failed, and calls the function that was given for
 * that: HIP's aborts the program. It is recorded first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_expected.h"
#include "preload/hip/record_launch.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_times.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/ompt/ompt.h"
#include "preload/stacks/modules.h"
#include "preload/trace/enter.h"
#include "preload/stacks/passed_over.h"
#include "preload/trace/process.h"
#include "codeobj/codeobj.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_gpu_time.h"
#include "tracer/events/ev_launch.h"
#include "tracer/provider.h"

#define DOORBELLS     256u
#define PACKET_TYPE   0xffu
#define TYPE_INVALID  1u
#define TYPE_DISPATCH 2u

/* The function that a queue's creator gave for errors. */
struct error_handler {
	struct error_handler *next;
	const struct hsa_queue *queue;
	void (*function)(int status, struct hsa_queue *queue, void *data);
	void *data;
	uint64_t agent;
};

struct ring {
	uint64_t doorbell; /* the signal; 0: free */
	const struct hsa_queue *queue;
	uint64_t agent;
	int ordinal;
	uint64_t next;  /* packets below it have been looked at, or were not ready then */
	uint64_t *seen; /* for each place in the ring: number of the packet, plus one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ring rings[DOORBELLS];
static unsigned ring_count; /* atomic: places ever used */
static struct error_handler *handlers;

/* ---- packets ---- */

static uint32_t groups(uint32_t items, uint16_t block)
{
	return block ? (uint32_t)(((uint64_t)items + block - 1) / block) : 0;
}

/*
 * Has a packet timed that was launched at that time. If `fresh` no doorbell was rung for it or a
 * later one yet.
 */
static void time_packet(const struct ring *ring, struct hsa_packet *packet, bool fresh,
			uint8_t kind, const struct hg_hip_announced *launch)
{
	struct hg_ev_gpu_time what = { .kind = kind,
				       .kernel_id = launch->kernel_id,
				       .thread = launch->thread,
				       .device = ring->ordinal,
				       .queue = (uintptr_t)ring->queue };

	hg_hsa_time_packet(packet, fresh, &what, ring->agent, launch->at);
}

/* The packet is no launch that is recorded here: it is one of HIP's, or the runtime's own kernel.
 */
static void time_other(const struct ring *ring, struct hsa_packet *packet, bool fresh,
		       const struct hg_hip_announced *launch)
{
	struct hg_hip_announced here = { .kernel_id = 0 };

	if (!hg_enter())
		return;
	if (!launch->kernel_id) {
		here.thread = (int32_t)hg_syscall(SYS_gettid);
		here.at = hg_now();
	}
	time_packet(ring, packet, fresh,
		    launch->kernel_id ? HG_GPU_TIME_KERNEL : HG_GPU_TIME_RUNTIME,
		    launch->kernel_id ? launch : &here);
	hg_leave();
}

static void record_dispatch(const struct ring *ring, const struct hsa_packet *packet,
			    struct hsa_kernel *kernel, const void *caller)
{
	const struct codeobj_kernel *layout;
	size_t size;
	void *arguments[] = { HG_EXTRA_BUFFER, (void *)(uintptr_t)packet->kernarg, HG_EXTRA_SIZE,
			      &size, HG_EXTRA_END };
	struct hg_hip_launch launch = { .extra = packet->kernarg ? arguments : NULL };

	hg_modules_poll();
	hg_regions_record();
	hg_hsa_kernel_define(kernel);
	layout = kernel->variant.layout;
	size = layout ? layout->explicit_size : 0;
	launch.event = (struct hg_ev_launch){
		.api = HG_API_hsa_queue_dispatch,
		.kernel_id = kernel->variant.id,
		.grid_x = groups(packet->items_x, packet->block_x),
		.grid_y = groups(packet->items_y, packet->block_y),
		.grid_z = groups(packet->items_z, packet->block_z),
		.block_x = packet->block_x,
		.block_y = packet->block_y,
		.block_z = packet->block_z,
		.shared = packet->group_size,
		.device = ring->ordinal,
		.stream = (uintptr_t)ring->queue,
	};
	launch.event.args_id = hg_hip_arguments(&launch, &kernel->variant);
	launch.event.stack_id = hg_hsa_stack(caller);
	hg_provider->launch(&launch.event);
	hg_ompt_dispatched(launch.event.kernel_id);
}

/* Looks at one packet, and records it if it is a kernel's dispatch. The caller holds the lock. */
static void look(struct ring *ring, uint64_t number, bool fresh, const void *caller)
{
	uint64_t place = number & (ring->queue->size - 1);
	struct hsa_packet *packet = (struct hsa_packet *)ring->queue->base + place;
	uint16_t header = __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE);
	bool timed = HG_UNLIKELY(hg_hsa_times_wanted()), own;
	struct hg_hip_announced launch;
	struct hsa_kernel *kernel;

	if (ring->seen[place] == number + 1)
		return;
	if ((header & PACKET_TYPE) != TYPE_DISPATCH) {
		if (timed && (header & PACKET_TYPE) != TYPE_INVALID)
			hg_hsa_time_reuse(packet->completion);
		return;
	}
	ring->seen[place] = number + 1;
	kernel = hg_hsa_kernel(packet->kernel_object);
	own = kernel && !strncmp(kernel->name, "__amd_rocclr_", 13);
	/*
	 * The runtime's own kernels, for copies and fills, are passed over. A packet of HIP's that
	 * no recorded function has announced was launched by a function that is not recorded.
	 */
	launch.kernel_id = 0;
	if (!kernel || own || hg_hip_take_expected(kernel->name, &launch)) {
		if (timed && (own || launch.kernel_id))
			time_other(ring, packet, fresh, &launch);
		else if (timed)
			hg_hsa_time_reuse(packet->completion);
		return;
	}
	if (!hg_hsa_enter(HG_API_hsa_queue_dispatch, caller, HSA_BELOW_HIP))
		return;
	record_dispatch(ring, packet, kernel, caller);
	if (timed) {
		launch = (struct hg_hip_announced){ .kernel_id = kernel->variant.id,
						    .thread = (int32_t)hg_syscall(SYS_gettid),
						    .at = hg_now() };
		time_packet(ring, packet, fresh, HG_GPU_TIME_KERNEL, &launch);
	}
	hg_leave();
}

/*
 * The thread is in our code, and may hold the lock, when a signal's handler submits a packet of a
 * queue of the program's.
 */
static __attribute__((noinline, cold)) void rung_inside(uint64_t signal, uint64_t number,
							const void *caller)
{
	unsigned count = __atomic_load_n(&ring_count, __ATOMIC_ACQUIRE);

	if (hg_modules_is_tool(caller))
		return;
	for (unsigned i = 0; i < count; i++) {
		const struct ring *ring = &rings[i];
		uint64_t place;

		if (__atomic_load_n(&ring->doorbell, __ATOMIC_RELAXED) != signal)
			continue;
		place = number & (ring->queue->size - 1);
		if ((((const struct hsa_packet *)ring->queue->base)[place].header & PACKET_TYPE) ==
		    TYPE_DISPATCH) {
			ring->seen[place] = number + 1;
			hg_passed_over(HG_API_hsa_queue_dispatch, caller);
		}
		break;
	}
}

/*
 * Each of several threads rings the doorbell for its own packet: packets below it may not be
 * complete yet, and their threads will ring.
 */
static void rung(uint64_t signal, int64_t value, const void *caller)
{
	unsigned count = __atomic_load_n(&ring_count, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (hg_tls.busy && value >= 0)
		rung_inside(signal, (uint64_t)value, caller);
	if (hg_tls.busy || value < 0)
		return;
	if (HG_UNLIKELY(hg_hsa_times_wanted()) && hg_enter()) {
		hg_hsa_times_collect(false);
		hg_leave();
	}
	for (unsigned i = 0; i < count; i++) {
		struct ring *ring = &rings[i];

		if (__atomic_load_n(&ring->doorbell, __ATOMIC_RELAXED) != signal)
			continue;
		pthread_mutex_lock(&lock);
		if (ring->doorbell == signal) {
			uint64_t last = (uint64_t)value;

			if (last < ring->next)
				look(ring, last, false, caller);
			if (last >= ring->next + ring->queue->size)
				ring->next = last + 1 - ring->queue->size;
			for (; ring->next <= last; ring->next++)
				look(ring, ring->next, true, caller);
		}
		pthread_mutex_unlock(&lock);
		break;
	}
	errno = saved;
}

static void store_relaxed(struct hsa_handle signal, int64_t value)
{
	rung(signal.handle, value, HG_CALLER());
	HSA_REAL(hsa_signal_store_relaxed, void, struct hsa_handle, int64_t)(signal, value);
}

static void store_screlease(struct hsa_handle signal, int64_t value)
{
	rung(signal.handle, value, HG_CALLER());
	HSA_REAL(hsa_signal_store_screlease, void, struct hsa_handle, int64_t)(signal, value);
}

static void store_release(struct hsa_handle signal, int64_t value)
{
	rung(signal.handle, value, HG_CALLER());
	HSA_REAL(hsa_signal_store_release, void, struct hsa_handle, int64_t)(signal, value);
}

/* ---- queues ---- */

static void on_queue_error(int status, struct hsa_queue *queue, void *data)
{
	const struct error_handler *handler = data;
	int saved = errno;

	if (status && !hg_process_forked && hg_enter()) {
		struct hg_ev_call event = { .api = HG_API_gpu_queue_error,
					    .handle = (uintptr_t)queue,
					    .value = (uint32_t)status,
					    .device = hg_gpu_ordinal(handler->agent),
					    .text = "" };

		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
	handler->function(status, queue, handler->data);
}

typedef int create_function(struct hsa_handle, uint32_t, uint32_t, void *, void *, uint32_t,
			    uint32_t, struct hsa_queue **);

/* Creates a queue whose errors are recorded, unless they are already or it has no callback. */
static int create(create_function *real, struct hsa_handle agent, uint32_t size, uint32_t type,
		  void *callback, void *data, uint32_t private_size, uint32_t group_size,
		  struct hsa_queue **queue)
{
	struct error_handler *handler = NULL;
	int rc, saved = errno;

	hg_init();
	if (callback && callback != (void *)on_queue_error && !hg_tls.busy && hg_awake()) {
		hg_tls.busy++;
		handler = hg_pool_calloc(1, sizeof(*handler));
		hg_tls.busy--;
	}
	errno = saved;
	if (!handler)
		return real(agent, size, type, callback, data, private_size, group_size, queue);
	handler->function = (void (*)(int, struct hsa_queue *, void *))callback;
	handler->data = data;
	handler->agent = agent.handle;
	rc = real(agent, size, type, (void *)on_queue_error, handler, private_size, group_size,
		  queue);
	saved = errno;
	if (rc) {
		hg_tls.busy++;
		hg_pool_free(handler);
		hg_tls.busy--;
	} else {
		pthread_mutex_lock(&lock);
		handler->queue = *queue;
		handler->next = handlers;
		handlers = handler;
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
	return rc;
}

static void forget_handler(const struct hsa_queue *queue)
{
	struct error_handler **at = &handlers, *found;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->queue != queue)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	hg_tls.busy++;
	hg_pool_free(found);
	hg_tls.busy--;
}

static void add_ring(const struct hsa_queue *queue, uint64_t agent, int ordinal)
{
	uint64_t *seen = hg_pool_calloc(queue->size, sizeof(*seen));
	unsigned at = 0;

	pthread_mutex_lock(&lock);
	while (at < ring_count && rings[at].doorbell)
		at++;
	if (!seen || at == DOORBELLS) {
		hg_pool_free(seen);
		hg_say("more than %u queues: the kernels of one are not recorded", DOORBELLS);
	} else {
		rings[at] = (struct ring){
			.queue = queue, .agent = agent, .ordinal = ordinal, .seen = seen
		};
		__atomic_store_n(&rings[at].doorbell, queue->doorbell.handle, __ATOMIC_RELEASE);
		if (at == ring_count)
			__atomic_store_n(&ring_count, at + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

static int queue_create(struct hsa_handle agent, uint32_t size, uint32_t type, void *callback,
			void *data, uint32_t private_size, uint32_t group_size,
			struct hsa_queue **queue)
{
	int rc = create((create_function *)hg_hsa.hsa_queue_create, agent, size, type, callback,
			data, private_size, group_size, queue);
	int saved = errno;

	if (!rc) {
		hg_tls.busy++;
		add_ring(*queue, agent.handle, hg_hsa_ordinal(agent.handle));
		if (HG_UNLIKELY(hg_hsa_times_wanted()))
			hg_hsa_times_queue(*queue);
		hg_tls.busy--;
	}
	errno = saved;
	return rc;
}

static int queue_destroy(struct hsa_queue *queue)
{
	int rc, saved;

	hg_hsa_times_end();
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < ring_count; i++) {
		if (rings[i].doorbell && rings[i].queue == queue) {
			uint64_t *seen = rings[i].seen;

			__atomic_store_n(&rings[i].doorbell, 0, __ATOMIC_RELEASE);
			rings[i].seen = NULL;
			hg_tls.busy++;
			hg_pool_free(seen);
			hg_tls.busy--;
		}
	}
	pthread_mutex_unlock(&lock);
	rc = HSA_REAL(hsa_queue_destroy, int, struct hsa_queue *)(queue);
	saved = errno;
	if (!rc)
		forget_handler(queue);
	errno = saved;
	return rc;
}

/* Errors are recorded also if nothing else of the runtime is: what HIP does at one ends the
 * program. */
HSA_HEAD(int, hsa_queue_create,
	 (struct hsa_handle agent, uint32_t size, uint32_t type, void *callback, void *data,
	  uint32_t private_size, uint32_t group_size, struct hsa_queue **queue))
{
	HSA_REACHED(int, hsa_queue_create,
		    (struct hsa_handle, uint32_t, uint32_t, void *, void *, uint32_t, uint32_t,
		     struct hsa_queue **));

	if (hg_hsa_is_recorded((const void *)real, &hg_hsa.hsa_queue_create))
		return queue_create(agent, size, type, callback, data, private_size, group_size,
				    queue);
	return create(real, agent, size, type, callback, data, private_size, group_size, queue);
}

HSA_HEAD(int, hsa_queue_destroy, (struct hsa_queue * queue))
{
	HSA_REACHED(int, hsa_queue_destroy, (struct hsa_queue *));
	int rc, saved;

	if (hg_hsa_is_recorded((const void *)real, &hg_hsa.hsa_queue_destroy))
		return queue_destroy(queue);
	rc = real(queue);
	saved = errno;
	if (!rc)
		forget_handler(queue);
	errno = saved;
	return rc;
}

HSA_WRAP_VOID(hsa_signal_store_relaxed, store_relaxed, (struct hsa_handle signal, int64_t value),
	      (signal, value))
HSA_WRAP_VOID(hsa_signal_store_screlease, store_screlease,
	      (struct hsa_handle signal, int64_t value), (signal, value))
HSA_WRAP_VOID(hsa_signal_store_release, store_release, (struct hsa_handle signal, int64_t value),
	      (signal, value))

const struct hsa_wrapper hg_hsa_queue_wrappers[] = {
	{ "hsa_queue_create", (void *)queue_create },
	{ "hsa_queue_destroy", (void *)queue_destroy },
	{ "hsa_signal_store_relaxed", (void *)store_relaxed },
	{ "hsa_signal_store_screlease", (void *)store_screlease },
	{ NULL, NULL },
};
