// SPDX-License-Identifier: Apache-2.0
/*
 * Queues whose packets a tool sees, changes and adds to before the device takes them
 * (hsa_api_trace.h: "APIs intended for use only by tools"). Packets go from the application's ring
 * through the handlers, the last registered first, into a list that the device works off.
 */
#include "runtime.h"
#include <stdlib.h>
#include <string.h>

#define MAX_HANDLERS 16u
#define FIRST_ROOM   256u /* packets */

struct sg_intercept {
	struct {
		hsa_amd_queue_intercept_handler function;
		void *data;
	} handlers[MAX_HANDLERS];
	unsigned handler_count;
	/* GPU-mapped: a kernel reads its own packet. Packets first ... last - 1 are to be done. */
	struct sg_mapping *list;
	uint64_t first, last;
};

/* Whose handler runs on this thread, and how many stand behind it; for the writer, which does not
 * get this as an argument. */
static __thread struct turn {
	struct sg_queue *queue;
	unsigned level;
	uint64_t index;
} turn;

static hsa_kernel_dispatch_packet_t *packets_of(const struct sg_mapping *list)
{
	return (hsa_kernel_dispatch_packet_t *)(uintptr_t)list->host;
}

/* Nothing of the list is being executed while handlers run: it may move. */
static void append(struct sg_intercept *intercept, const void *packets, uint64_t count)
{
	const uint64_t size = sizeof(hsa_kernel_dispatch_packet_t);
	uint64_t room = intercept->list ? intercept->list->size / size : 0;

	if (count > room - intercept->last) {
		uint64_t larger = room ? 2 * room : FIRST_ROOM;
		struct sg_mapping *list;

		while (larger - intercept->last < count)
			larger *= 2;
		list =
		    sg_memory_allocate(SG_INTERNAL, larger * size,
				       SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST, SG_EVERY_GPU, NULL);
		if (!list)
			sg_die("out of memory for intercepted packets");
		if (intercept->list) {
			memcpy(packets_of(list), packets_of(intercept->list),
			       intercept->last * size);
			sg_memory_free(intercept->list);
		}
		intercept->list = list;
	}
	memcpy(packets_of(intercept->list) + intercept->last, packets, count * size);
	intercept->last += count;
}

static void write_packets(const void *packets, uint64_t count);

/* To the handler before `level`, or else to the device. */
static void pass(struct turn to, const void *packets, uint64_t count)
{
	struct sg_intercept *intercept = to.queue->intercept;
	struct turn outer = turn;

	if (!to.level) {
		append(intercept, packets, count);
		return;
	}
	to.level--;
	turn = to;
	intercept->handlers[to.level].function(packets, count, to.index,
					       intercept->handlers[to.level].data, write_packets);
	turn = outer;
}

static void write_packets(const void *packets, uint64_t count)
{
	if (!turn.queue)
		sg_die("a packet writer was called outside of its handler");
	if (count)
		pass(turn, packets, count);
}

/* Hand what the application has written to the handlers. */
static void take(struct sg_queue *queue)
{
	hsa_kernel_dispatch_packet_t *ring = queue->amd.hsa_queue.base_address, *copy;
	uint64_t index = queue->amd.read_dispatch_id, mask = queue->amd.hsa_queue.size - 1;
	uint64_t end = __atomic_load_n(&queue->amd.write_dispatch_id, __ATOMIC_ACQUIRE), count = 0;

	if (index == end)
		return;
	copy = malloc((end - index) * sizeof *copy);
	if (!copy)
		sg_die("out of memory for intercepted packets");
	for (; index + count < end; count++) {
		hsa_kernel_dispatch_packet_t *packet = &ring[(index + count) & mask];

		if ((__atomic_load_n(&packet->header, __ATOMIC_ACQUIRE) & 0xff) ==
		    HSA_PACKET_TYPE_INVALID)
			break; /* reserved, not yet written */
		copy[count] = *packet;
		__atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
	}
	if (count) {
		__atomic_add_fetch(&queue->amd.read_dispatch_id, count, __ATOMIC_SEQ_CST);
		pass((struct turn){ queue,
				    __atomic_load_n(&queue->intercept->handler_count,
						    __ATOMIC_ACQUIRE),
				    index },
		     copy, count);
	}
	free(copy);
}

hsa_kernel_dispatch_packet_t *sg_intercept_packet(struct sg_queue *queue)
{
	struct sg_intercept *intercept = queue->intercept;

	if (intercept->first == intercept->last) {
		intercept->first = intercept->last = 0;
		take(queue);
	}
	return intercept->first < intercept->last ? packets_of(intercept->list) + intercept->first
						  : NULL;
}

void sg_intercept_done(struct sg_queue *queue)
{
	queue->intercept->first++;
}

bool sg_intercept_busy(const struct sg_queue *queue)
{
	return queue->intercept && queue->intercept->first != queue->intercept->last;
}

void sg_intercept_destroy(struct sg_queue *queue)
{
	if (queue->intercept && queue->intercept->list)
		sg_memory_free(queue->intercept->list);
	free(queue->intercept);
}

/* ---- HSA entry points ---- */

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size,
					    hsa_queue_type32_t type,
					    void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					    void *data, uint32_t private_size, uint32_t group_size,
					    hsa_queue_t **result)
{
	struct sg_intercept *intercept = calloc(1, sizeof *intercept);
	hsa_status_t status;

	if (!intercept)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	status =
	    hsa_queue_create(agent, size, type, callback, data, private_size, group_size, result);
	if (status) {
		free(intercept);
		return status;
	}
	__atomic_store_n(&((struct sg_queue *)(uintptr_t)*result)->intercept, intercept,
			 __ATOMIC_RELEASE);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t *handle,
					      hsa_amd_queue_intercept_handler handler, void *data)
{
	struct sg_queue *queue = (struct sg_queue *)(uintptr_t)handle;
	unsigned n;

	if (!handle || !queue->intercept)
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	if (!handler)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	n = queue->intercept->handler_count;
	if (n == MAX_HANDLERS)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	queue->intercept->handlers[n].function = handler;
	queue->intercept->handlers[n].data = data;
	__atomic_store_n(&queue->intercept->handler_count, n + 1, __ATOMIC_RELEASE);
	return HSA_STATUS_SUCCESS;
}

/* Of the queues that the runtime makes for itself: this one makes none. */
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier notifier,
						   void *data)
{
	(void)data;
	return notifier ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
