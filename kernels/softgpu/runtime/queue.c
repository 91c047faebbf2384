// SPDX-License-Identifier: Apache-2.0
/*
 * User-mode queues and the worker that serves them. One thread takes a time slice of each queue in
 * turn: a kernel may spin until another queue or the host does something (hipStreamWaitValue is
 * such a kernel), so none may run to its end while others wait.
 */
#include "runtime.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Wave-instructions per turn: alone, and with other queues waiting. */
#define BUDGET_ALONE  100000
#define BUDGET_SHARED 10000

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
/* Held by the worker during each turn, so that nobody destroys the queue that it works on. */
static pthread_mutex_t step_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sg_queue *queues;
static bool running;
/* Threads that want step_lock: the worker steps back, or a spinning kernel would starve them. */
static uint32_t destroyers;

static struct sg_queue *own(const hsa_queue_t *queue)
{
	return (struct sg_queue *)(uintptr_t)queue;
}

/* The queue after `previous` in the list; NULL behind the last. The first for NULL. */
static struct sg_queue *choose(struct sg_queue *previous)
{
	struct sg_queue *queue;

	pthread_mutex_lock(&list_lock);
	for (queue = queues; queue && queue != previous; queue = queue->next)
		;
	queue = queue ? queue->next : queues;
	pthread_mutex_unlock(&list_lock);
	return queue;
}

static unsigned busy_queues(void)
{
	unsigned busy = 0;

	pthread_mutex_lock(&list_lock);
	for (struct sg_queue *queue = queues; queue; queue = queue->next)
		busy += queue->amd.read_dispatch_id != queue->amd.write_dispatch_id ||
			sg_intercept_busy(queue);
	pthread_mutex_unlock(&list_lock);
	return busy;
}

/* One turn for every queue. True if any made progress. */
static bool serve_all(void)
{
	uint64_t budget = busy_queues() > 1 ? BUDGET_SHARED : BUDGET_ALONE;
	struct sg_queue *queue = NULL;
	bool progress = false;

	/* Without the lock between turns: hsa_queue_create and _destroy must get in. */
	for (;;) {
		while (__atomic_load_n(&destroyers, __ATOMIC_ACQUIRE))
			sched_yield();
		sg_work_begin(SG_WORK_QUEUES);
		pthread_mutex_lock(&step_lock);
		queue = choose(queue);
		if (queue && sg_packet_step(queue, budget) == SG_PROGRESS)
			progress = true;
		pthread_mutex_unlock(&step_lock);
		sg_work_end(SG_WORK_QUEUES);
		if (!queue)
			return progress;
	}
}

static void *work(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t seen = sg_event_count();
		unsigned busy = busy_queues();

		if (!busy || !serve_all())
			/* Idle, or each queue waits for a signal. */
			sg_event_wait(seen, busy ? 1000000 : 100000000);
		else
			/* Device code may have changed signals, unseen by any futex. */
			sg_event_post();
	}
	return NULL;
}

hsa_status_t hsa_queue_create(hsa_agent_t agent_handle, uint32_t size, hsa_queue_type32_t type,
			      void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			      uint32_t private_segment_size, uint32_t group_segment_size,
			      hsa_queue_t **result)
{
	static uint64_t next_id;
	const struct sg_agent *agent = sg_agent_get(agent_handle);
	struct sg_mapping *mapping, *ring = NULL;
	struct sg_queue *queue;
	hsa_signal_t doorbell = { 0 };
	hsa_kernel_dispatch_packet_t *packets;

	(void)private_segment_size, (void)group_segment_size;
	if (!agent || !agent->gpu)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!result || !size || size & (size - 1) || size > 131072 ||
	    type > HSA_QUEUE_TYPE_COOPERATIVE)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	/* Device code reads the queue and the packets: mapped for the GPU, host memory. */
	mapping = sg_memory_allocate(SG_INTERNAL, sizeof *queue,
				     SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST, SG_EVERY_GPU, NULL);
	if (mapping)
		ring =
		    sg_memory_allocate(SG_INTERNAL, size * sizeof *packets,
				       SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST, SG_EVERY_GPU, NULL);
	if (ring)
		doorbell = sg_signal_create(AMD_SIGNAL_KIND_DOORBELL, 0);
	if (!doorbell.handle)
		goto fail;
	packets = (hsa_kernel_dispatch_packet_t *)(uintptr_t)ring->host;
	for (uint32_t i = 0; i < size; i++)
		packets[i].header = HSA_PACKET_TYPE_INVALID;
	queue = (struct sg_queue *)(uintptr_t)mapping->host;
	queue->agent = agent;
	queue->mapping = mapping;
	queue->ring = ring;
	queue->callback = callback;
	queue->callback_data = data;
	queue->cooperative = type == HSA_QUEUE_TYPE_COOPERATIVE;
	queue->priority = HSA_AMD_QUEUE_PRIORITY_NORMAL;
	queue->amd.hsa_queue.type = type;
	queue->amd.hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
	queue->amd.hsa_queue.base_address = packets;
	queue->amd.hsa_queue.doorbell_signal = doorbell;
	queue->amd.hsa_queue.size = size;
	queue->amd.read_dispatch_id_field_base_byte_offset =
	    offsetof(amd_queue_t, read_dispatch_id);
	queue->amd.group_segment_aperture_base_hi = SOFTGPU_SHARED_APERTURE_HI;
	queue->amd.private_segment_aperture_base_hi = SOFTGPU_PRIVATE_APERTURE_HI;
	queue->amd.max_cu_id = 7;
	queue->amd.max_wave_id = 31;
	queue->amd.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;

	pthread_mutex_lock(&list_lock);
	queue->amd.hsa_queue.id = next_id++;
	if (!running)
		running = !sg_thread_start("softgpu-queues", work);
	if (running) {
		struct sg_queue **link = &queues;
		while (*link)
			link = &(*link)->next;
		*link = queue;
	}
	pthread_mutex_unlock(&list_lock);
	if (!running)
		goto fail;
	*result = &queue->amd.hsa_queue;
	sg_log("queue: %lu created on GPU %u, %u packets%s", queue->amd.hsa_queue.id, agent->number,
	       size, queue->cooperative ? ", cooperative" : "");
	return HSA_STATUS_SUCCESS;
fail:
	if (doorbell.handle)
		sg_signal_release(doorbell);
	if (ring)
		sg_memory_free(ring);
	if (mapping)
		sg_memory_free(mapping);
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *handle)
{
	struct sg_queue *queue = own(handle);
	bool found = false;

	if (!handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	__atomic_add_fetch(&destroyers, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_lock(&step_lock);
	__atomic_sub_fetch(&destroyers, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_lock(&list_lock);
	for (struct sg_queue **link = &queues; *link; link = &(*link)->next) {
		if (*link == queue) {
			*link = queue->next;
			found = true;
			break;
		}
	}
	pthread_mutex_unlock(&list_lock);
	pthread_mutex_unlock(&step_lock);
	if (!found)
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	if (queue->run)
		softgpu_run_destroy(queue->run);
	sg_intercept_destroy(queue);
	sg_signal_release(queue->amd.hsa_queue.doorbell_signal);
	sg_memory_free(queue->ring);
	sg_memory_free(queue->mapping);
	return HSA_STATUS_SUCCESS;
}

/* ---- indices: every memory order is served by sequential consistency ---- */

#define LOAD_INDEX(name, field)                                                   \
	uint64_t name(const hsa_queue_t *queue)                                   \
	{                                                                         \
		return __atomic_load_n(&own(queue)->amd.field, __ATOMIC_SEQ_CST); \
	}
LOAD_INDEX(hsa_queue_load_read_index_relaxed, read_dispatch_id)
LOAD_INDEX(hsa_queue_load_read_index_scacquire, read_dispatch_id)
LOAD_INDEX(hsa_queue_load_write_index_relaxed, write_dispatch_id)
LOAD_INDEX(hsa_queue_load_write_index_scacquire, write_dispatch_id)

#define ADD_INDEX(name)                                                              \
	uint64_t name(const hsa_queue_t *queue, uint64_t value)                      \
	{                                                                            \
		return __atomic_fetch_add(&own(queue)->amd.write_dispatch_id, value, \
					  __ATOMIC_SEQ_CST);                         \
	}
ADD_INDEX(hsa_queue_add_write_index_relaxed)
ADD_INDEX(hsa_queue_add_write_index_scacquire)
ADD_INDEX(hsa_queue_add_write_index_screlease)
ADD_INDEX(hsa_queue_add_write_index_scacq_screl)

#define STORE_INDEX(name, field)                                                   \
	void name(const hsa_queue_t *queue, uint64_t value)                        \
	{                                                                          \
		__atomic_store_n(&own(queue)->amd.field, value, __ATOMIC_SEQ_CST); \
	}
STORE_INDEX(hsa_queue_store_write_index_relaxed, write_dispatch_id)
STORE_INDEX(hsa_queue_store_write_index_screlease, write_dispatch_id)
STORE_INDEX(hsa_queue_store_read_index_relaxed, read_dispatch_id)
STORE_INDEX(hsa_queue_store_read_index_screlease, read_dispatch_id)

#define CAS_INDEX(name)                                                                           \
	uint64_t name(const hsa_queue_t *queue, uint64_t expected, uint64_t value)                \
	{                                                                                         \
		__atomic_compare_exchange_n(&own(queue)->amd.write_dispatch_id, &expected, value, \
					    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
		return expected;                                                                  \
	}
CAS_INDEX(hsa_queue_cas_write_index_relaxed)
CAS_INDEX(hsa_queue_cas_write_index_scacquire)
CAS_INDEX(hsa_queue_cas_write_index_screlease)
CAS_INDEX(hsa_queue_cas_write_index_scacq_screl)

hsa_status_t hsa_queue_inactivate(hsa_queue_t *queue)
{
	if (!queue)
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	__atomic_store_n(&own(queue)->inactive, true, __ATOMIC_RELEASE);
	return HSA_STATUS_SUCCESS;
}

/* ---- AMD extensions ---- */

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
	if (!queue || priority > HSA_AMD_QUEUE_PRIORITY_HIGH)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	own(queue)->priority = priority;
	return HSA_STATUS_SUCCESS;
}

/* Which compute unit runs a group has no effect on its result. */
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *queue, uint32_t count,
				       const uint32_t *mask)
{
	return queue && (!count || mask) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable)
{
	if (!queue)
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	/* Times are always taken; the property is there to be read. */
	if (enable)
		own(queue)->amd.queue_properties |= AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
	else
		own(queue)->amd.queue_properties &=
		    ~(uint32_t)AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable)
{
	(void)enable;
	return HSA_STATUS_SUCCESS;
}

/* Ticks are the system's nanoseconds. */
hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t tick,
							     uint64_t *system_tick)
{
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!system_tick)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*system_tick = tick;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
						 hsa_amd_profiling_dispatch_time_t *time)
{
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!signal.handle || !time)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	time->start = sg_signal(signal)->start_ts;
	time->end = sg_signal(signal)->end_ts;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
						   hsa_amd_profiling_async_copy_time_t *time)
{
	if (!signal.handle || !time)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	time->start = sg_signal(signal)->start_ts;
	time->end = sg_signal(signal)->end_ts;
	return HSA_STATUS_SUCCESS;
}
