// SPDX-License-Identifier: Apache-2.0
/*
 * The copy engines: queues of packets (sdma.h), which one thread carries out. What is linear is
 * copied by memmove, as far as pages follow each other in the host's memory.
 */
#include "kernels/softkfd/sdma.h"
#include "kernels/softkfd/queue.h"

#include <errno.h>
#include <string.h>

/* The limits of a turn: packets; a copy counts by its size. */
#define TURN_PACKETS 64u
#define TURN_BYTES   (UINT64_C(4) << 20)

/*
 * Returns the end of the packets. A program stores the write pointer before it rings. While that
 * store waits for this worker (doorbell.c) the doorbell, which alone counts for hardware, is
 * behind.
 */
static uint64_t end_of(const struct kfd_queue *queue)
{
	uint64_t rung = __atomic_load_n(queue->doorbell, __ATOMIC_ACQUIRE);
	uint64_t written = __atomic_load_n(queue->write_pointer, __ATOMIC_ACQUIRE);

	/* All ones: it was never rung. */
	return ~rung && rung > written ? rung : written;
}

bool kfd_sdma_ready(const struct kfd_queue *queue)
{
	return end_of(queue) != queue->position;
}

/* Copies `size` bytes. Returns false after a fault. */
static bool copy(struct kfd_queue *queue, uint64_t to, uint64_t from, uint64_t size)
{
	while (size) {
		uint64_t span, source_span, target_span;
		const void *source = kfd_memory_span(queue->gpu, from, size, false, &source_span);
		void *target = kfd_memory_span(queue->gpu, to, size, true, &target_span);

		if (!source || !target) {
			kfd_queue_fault(queue, source ? to : from);
			return false;
		}
		span = source_span < target_span ? source_span : target_span;
		if (sg_settings.migration) {
			sg_pages_hold(from, from + span);
			sg_pages_hold(to, to + span);
		}
		memmove(target, source, span);
		softgpu_check_copied(to, from, span);
		if (sg_settings.migration) {
			sg_pages_release();
			sg_pages_release();
		}
		from += span;
		to += span;
		size -= span;
	}
	return true;
}

static bool copy_rectangle(struct kfd_queue *queue, const struct sdma_packet *packet)
{
	for (uint64_t z = 0; z < packet->depth; z++)
		for (uint64_t y = 0; y < packet->height; y++)
			if (!copy(queue,
				  packet->to.address + y * packet->to.pitch + z * packet->to.slice,
				  packet->from.address + y * packet->from.pitch +
				      z * packet->from.slice,
				  packet->width))
				return false;
	return true;
}

/* Writes `span` bytes of a fill of which `done` bytes are there already. */
static void fill_span(char *target, uint64_t span, uint64_t done, const struct sdma_packet *packet)
{
	const char *value = (const char *)&packet->value;
	uint64_t ready;

	for (ready = 0; ready < packet->element && ready < span; ready++)
		target[ready] = value[(done + ready) % packet->element];
	for (; ready < span; ready += ready < span - ready ? ready : span - ready)
		memcpy(target + ready, target, ready < span - ready ? ready : span - ready);
}

static bool fill(struct kfd_queue *queue, const struct sdma_packet *packet)
{
	uint64_t span;

	for (uint64_t done = 0; done < packet->size; done += span) {
		uint64_t address = packet->address + done;
		char *target =
		    kfd_memory_span(queue->gpu, address, packet->size - done, true, &span);

		if (!target) {
			kfd_queue_fault(queue, address);
			return false;
		}
		if (sg_settings.migration)
			sg_pages_hold(address, address + span);
		fill_span(target, span, done, packet);
		softgpu_check_copied(address, 0, span);
		if (sg_settings.migration)
			sg_pages_release();
	}
	return true;
}

/* Returns the aligned word of `size` bytes at the packet's address; NULL after a fault. */
static void *word(struct kfd_queue *queue, const struct sdma_packet *packet, unsigned size,
		  bool write)
{
	uint64_t span;
	/* Engines ignore the lowest bits. */
	uint64_t address = packet->address & ~(uint64_t)(size - 1);
	void *place = kfd_memory_span(queue->gpu, address, size, write, &span);

	if (!place)
		kfd_queue_fault(queue, address);
	return place;
}

static enum kfd_progress execute(struct kfd_queue *queue, const struct sdma_packet *packet)
{
	bool done = true;
	void *place;

	switch (packet->kind) {
	case SDMA_NOP:
	case SDMA_FLUSH:
		break;
	case SDMA_COPY:
		sg_log("copy: %#lx <- %#lx, %lu bytes", packet->address, packet->source,
		       packet->size);
		done = copy(queue, packet->address, packet->source, packet->size);
		break;
	case SDMA_COPY_RECTANGLE:
		sg_log("copy: rectangle %lu x %lu x %lu", packet->width, packet->height,
		       packet->depth);
		done = copy_rectangle(queue, packet);
		break;
	case SDMA_FILL:
		sg_log("fill: %#lx, %lu bytes", packet->address, packet->size);
		done = fill(queue, packet);
		break;
	case SDMA_POLL:
		place = word(queue, packet, 4, false);
		if (place &&
		    !sdma_poll_passes(packet, __atomic_load_n((uint32_t *)place, __ATOMIC_SEQ_CST)))
			return KFD_BLOCKED;
		done = place;
		break;
	case SDMA_FENCE:
		place = word(queue, packet, 4, true);
		done = place;
		if (done)
			__atomic_store_n((uint32_t *)place, (uint32_t)packet->value,
					 __ATOMIC_SEQ_CST);
		break;
	case SDMA_ADD64:
		place = word(queue, packet, 8, true);
		done = place;
		if (done)
			__atomic_add_fetch((uint64_t *)place, packet->value, __ATOMIC_SEQ_CST);
		break;
	case SDMA_TIMESTAMP:
		place = word(queue, packet, 8, true);
		done = place;
		if (done)
			__atomic_store_n((uint64_t *)place, kfd_gpu_ticks(), __ATOMIC_SEQ_CST);
		break;
	case SDMA_TRAP:
		kfd_event_raise((uint32_t)packet->value);
		break;
	}
	return done ? KFD_PROGRESS : KFD_IDLE;
}

/* Reads the packet at the queue's position, of `left` bytes. As sdma_decode(). */
static int next_packet(const struct kfd_queue *queue, uint64_t left, struct sdma_packet *packet)
{
	uint32_t words[SDMA_MAX_WORDS];
	size_t count =
	    left / sizeof *words < SDMA_MAX_WORDS ? left / sizeof *words : SDMA_MAX_WORDS;

	for (size_t i = 0; i < count; i++)
		memcpy(&words[i],
		       queue->ring + (queue->position + i * sizeof *words) % queue->ring_size,
		       sizeof *words);
	return sdma_decode(words, count, packet);
}

/* An engine hangs then, until the driver resets it; nothing reports it. */
static enum kfd_progress stop(struct kfd_queue *queue, const char *what)
{
	uint32_t header;

	memcpy(&header, queue->ring + queue->position % queue->ring_size, sizeof header);
	queue->stopped = true;
	sg_warn("queue %u stopped: %s (%#x)", queue->id, what, header);
	return KFD_IDLE;
}

/* Does the packet at the queue's position; in *bytes what it copied. */
static enum kfd_progress step(struct kfd_queue *queue, bool *looked, uint64_t *bytes)
{
	uint64_t left = end_of(queue) - queue->position;
	enum kfd_progress progress;
	struct sdma_packet packet;
	int error;

	if (left > queue->ring_size || queue->position % sizeof(uint32_t))
		return stop(queue, "its write pointer is beyond the ring");
	error = next_packet(queue, left, &packet);
	if (error == -EINVAL)
		return stop(queue, "a packet is unknown to the copy engine");
	/* The rest is yet to be written. */
	if (error || packet.words * sizeof(uint32_t) > left)
		return KFD_IDLE;
	/* The host's mappings may have changed; to look may cost a millisecond. */
	if (packet.size || packet.depth) {
		if (!*looked)
			sg_svm_new_epoch();
		*looked = true;
	}
	progress = execute(queue, &packet);
	if (progress != KFD_PROGRESS)
		return progress;
	*bytes += packet.size + packet.width * packet.height * packet.depth;
	queue->position += packet.words * sizeof(uint32_t);
	__atomic_store_n(queue->read_pointer, queue->position, __ATOMIC_SEQ_CST);
	return progress;
}

enum kfd_progress kfd_sdma_step(struct kfd_queue *queue)
{
	enum kfd_progress last = KFD_IDLE;
	uint64_t bytes = 0;
	bool looked = false;
	unsigned done;

	for (done = 0; done < TURN_PACKETS && bytes < TURN_BYTES && kfd_sdma_ready(queue); done++) {
		last = step(queue, &looked, &bytes);
		if (last != KFD_PROGRESS)
			break;
	}
	if (!done)
		return last;
	kfd_queue_values_changed(queue->worker);
	return KFD_PROGRESS;
}
