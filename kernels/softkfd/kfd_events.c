// SPDX-License-Identifier: Apache-2.0
/*
 * Events (kfd_events.c), which interrupts set. To set one wakes all threads that wait for it then,
 * and it stays set, unless it resets itself and a thread waited. A thread that waits remembers how
 * often the event was set, so that no two threads that wait for one event take it from each other.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

struct event {
	bool used, set, auto_reset;
	enum kfd_event_type type;
	uint32_t waiters;
	uint64_t sets; /* number of times it was set, from 1: the age that version 1.14 tells */
	union {
		struct kfd_memory_exception memory;
		struct kfd_hw_exception exception;
	};
};

/* By id; 0 is none. */
static struct event events[KFD_EVENT_LIMIT];
static uint32_t last_id;
static bool page_given;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t condition = PTHREAD_ONCE_INIT;

static pthread_key_t key; /* seen_by_thread() */

static void make_key(void)
{
	pthread_key_create(&key, free);
}

static void make_condition(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

static struct event *find(uint32_t id)
{
	return id && id < KFD_EVENT_LIMIT && events[id].used ? &events[id] : NULL;
}

/* Sets the event. Called with the lock held. */
static void set(struct event *event)
{
	event->sets++;
	event->set = !event->auto_reset || !event->waiters;
	if (event->waiters)
		pthread_cond_broadcast(&changed);
}

/* ---- requests ---- */

/* The first one may name memory to be the page of slots, which a GPU writes to; it has no meaning
 * here beyond that. */
int kfd_create_event(void *argument, size_t size)
{
	struct kfd_arg_create_event *request = argument;
	uint32_t id = 0;
	uint64_t bytes;

	(void)size;
	pthread_once(&condition, make_condition);
	if (request->page_offset && !page_given && !kfd_object_host(request->page_offset, &bytes))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; !id && i < KFD_EVENT_LIMIT - 1; i++) {
		last_id = last_id % (KFD_EVENT_LIMIT - 1) + 1;
		/* Threads that waited for a destroyed event may not have left yet. */
		if (!events[last_id].used && !events[last_id].waiters)
			id = last_id;
	}
	if (id) {
		events[id] = (struct event){
			.used = true,
			.auto_reset = request->auto_reset,
			.type = (enum kfd_event_type)request->type,
			.sets = 1,
		};
		page_given = page_given || request->page_offset;
	}
	pthread_mutex_unlock(&lock);
	if (!id)
		return -ENOSPC;
	request->event_id = id;
	request->trigger_data = id;
	request->slot_index = id;
	request->page_offset = (uint64_t)KFD_MMAP_EVENTS << KFD_MMAP_TYPE_SHIFT;
	return 0;
}

/* Calls `act`, with the lock, for the event that a request names; -EINVAL: there is none. */
static int with_event(const struct kfd_arg_event *request, void (*act)(struct event *event))
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = find(request->event_id);
	if (event)
		act(event);
	pthread_mutex_unlock(&lock);
	return event ? 0 : -EINVAL;
}

static void destroy(struct event *event)
{
	event->used = false;
	pthread_cond_broadcast(&changed);
}

static void reset(struct event *event)
{
	event->set = false;
}

int kfd_destroy_event(void *argument, size_t size)
{
	(void)size;
	return with_event(argument, destroy);
}

int kfd_set_event(void *argument, size_t size)
{
	(void)size;
	return with_event(argument, set);
}

int kfd_reset_event(void *argument, size_t size)
{
	(void)size;
	return with_event(argument, reset);
}

/* ---- waiting ---- */

/* Beyond it the heap is used. */
#define FEW 32

struct wait {
	uint64_t sets; /* of the event when the wait began */
	bool over;
};

/*
 * Returns, by event id, how often each event had been set when the calling thread's last wait for
 * it ended: KFD_EVENT_LIMIT numbers, freed with the thread; NULL if there is no memory.
 *
 * Runtimes before event ages (5.x) look at a signal's value, then wait for its event. Two threads
 * do so for the event that the queues share, and one of them takes the setting that was meant for
 * the other if that is delayed in between: hsa_queue_destroy() hangs. With a GPU it takes bad luck,
 * on a busy machine with this one not. So a thread need not wait for what was set since its last
 * wait, whoever took it; to be woken once too often does no harm.
 */
static uint64_t *seen_by_thread(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t *seen;

	pthread_once(&once, make_key);
	seen = pthread_getspecific(key);
	if (!seen) {
		seen = calloc(KFD_EVENT_LIMIT, sizeof *seen);
		if (seen && pthread_setspecific(key, seen)) {
			free(seen);
			seen = NULL;
		}
	}
	return seen;
}

/* Was the event set since then? Ages, if the caller has them, say it better. */
static bool was_missed(const struct event *event, const struct kfd_event_data *data,
		       const uint64_t *seen)
{
	uint64_t last = seen && seen[data->event_id] ? seen[data->event_id] : 1;

	if (event->type != KFD_EVENT_SIGNAL)
		return false;
	return data->last_age ? data->last_age != event->sets : seen && last != event->sets;
}

/* ---- a fault that nobody hears of ---- */

/*
 * AMD's runtime learns of a fault by a wait for events. One before 6.2.1 has one thread for all of
 * them, which polls signals alone while another thread waits for one of these, and both may do so
 * for ever (docs/runtimes.md). So it is said here.
 */
#define UNHEARD_S 5

static struct {
	struct softgpu_fault fault;
	bool any, heard;
	softgpu_fault_watcher *function;
	void *data;
} unheard;

void softgpu_watch_faults(softgpu_fault_watcher *function, void *data)
{
	pthread_mutex_lock(&lock);
	unheard.function = function;
	unheard.data = data;
	pthread_mutex_unlock(&lock);
}

static void *say_unless_heard(void *unused)
{
	struct timespec rest = { .tv_sec = UNHEARD_S };
	bool heard;

	while (nanosleep(&rest, &rest))
		;
	pthread_mutex_lock(&lock);
	heard = unheard.heard;
	pthread_mutex_unlock(&lock);
	if (heard)
		return unused;
	sg_warn("AMD's runtime has not asked for the memory access fault of GPU %u at address "
		"0x%lx: the program may wait for ever",
		unheard.fault.gpu, unheard.fault.address);
	if (unheard.function)
		unheard.function(&unheard.fault, unheard.data);
	return unused;
}

/* Tells the caller what happened to the event. */
static void report(const struct event *event, struct kfd_event_data *data)
{
	switch (event->type) {
	case KFD_EVENT_SIGNAL:
		if (data->last_age)
			data->last_age = event->sets;
		break;
	case KFD_EVENT_MEMORY:
		data->memory = event->memory;
		unheard.heard = true;
		break;
	case KFD_EVENT_HW_EXCEPTION:
		data->exception = event->exception;
		break;
	default:
		break;
	}
}

/*
 * Begins to wait for all of the list: -EINVAL if one does not exist. Those that are set already, or
 * were since the age that the caller or its thread knows, are over.
 */
static int begin(const struct kfd_event_data *data, struct wait *waits, uint32_t count,
		 const uint64_t *seen)
{
	for (uint32_t i = 0; i < count; i++)
		if (!find(data[i].event_id))
			return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		struct event *event = &events[data[i].event_id];

		waits[i].sets = event->sets;
		waits[i].over = event->set || was_missed(event, &data[i], seen);
		if (event->set && event->auto_reset)
			event->set = false;
		event->waiters++;
	}
	return 0;
}

/* COMPLETE, TIMEOUT for not yet, or FAIL: an event was destroyed. */
static enum kfd_wait_result look(const struct kfd_event_data *data, struct wait *waits,
				 uint32_t count, bool all)
{
	uint32_t over = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct event *event = &events[data[i].event_id];

		if (!event->used)
			return KFD_WAIT_FAIL;
		waits[i].over = waits[i].over || event->sets != waits[i].sets;
		over += waits[i].over;
	}
	return (all ? over == count : over > 0) ? KFD_WAIT_COMPLETE : KFD_WAIT_TIMEOUT;
}

static struct timespec after_ms(uint32_t ms)
{
	struct timespec limit;

	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += ms / 1000;
	limit.tv_nsec += (long)(ms % 1000) * 1000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_nsec -= 1000000000;
		limit.tv_sec++;
	}
	return limit;
}

/* Waits for the events of `data`, which has room for the data of each. */
static int wait_for(struct kfd_arg_wait_events *request, struct kfd_event_data *data,
		    struct wait *waits)
{
	struct timespec limit = after_ms(request->timeout_ms);
	enum kfd_wait_result result = KFD_WAIT_TIMEOUT;
	bool expired = !request->timeout_ms;
	uint64_t *seen = seen_by_thread();
	int error;

	pthread_once(&condition, make_condition);
	/* Whoever waits has rung doorbells, if it will ever. */
	kfd_queues_wake();
	pthread_mutex_lock(&lock);
	error = begin(data, waits, request->count, seen);
	while (!error) {
		result = look(data, waits, request->count, request->all);
		if (result != KFD_WAIT_TIMEOUT || expired)
			break;
		if (request->timeout_ms == KFD_WAIT_FOREVER)
			pthread_cond_wait(&changed, &lock);
		else
			expired = pthread_cond_timedwait(&changed, &lock, &limit) == ETIMEDOUT;
	}
	for (uint32_t i = 0; !error && i < request->count; i++) {
		struct event *event = &events[data[i].event_id];

		if (event->waiters)
			event->waiters--;
		if (event->used && waits[i].over)
			report(event, &data[i]);
		if (seen)
			seen[data[i].event_id] = event->sets;
	}
	pthread_mutex_unlock(&lock);
	if (!error && result == KFD_WAIT_FAIL)
		error = -EIO;
	request->result = error ? KFD_WAIT_FAIL : result;
	return error;
}

int kfd_wait_events(void *argument, size_t size)
{
	struct kfd_arg_wait_events *request = argument;
	struct {
		struct wait wait;
		struct kfd_event_data data;
	} few[FEW], *room = few;
	size_t bytes = request->count * sizeof(struct kfd_event_data);
	struct kfd_event_data *data;
	int error;

	(void)size;
	if (request->count > FEW)
		room = calloc(request->count, sizeof *room);
	if (!room)
		return -ENOMEM;
	data = (void *)room;
	error = kfd_copy_in(data, request->events, bytes);
	if (!error)
		error = wait_for(request, data, (void *)(data + request->count));
	if (!error)
		error = kfd_copy_out(request->events, data, bytes);
	if (room != few)
		free(room);
	return error;
}

/* Maps the page of events, which only GPUs that share the host's memory have: those here have
 * memory of their own and named the page instead. */
void *kfd_events_mmap(void *address, size_t size, int protection, int flags)
{
	(void)address, (void)size, (void)protection, (void)flags;
	errno = EINVAL;
	return MAP_FAILED;
}

/* ---- interrupts ---- */

void kfd_event_raise(uint32_t id)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = find(id);
	if (event && event->type == KFD_EVENT_SIGNAL)
		set(event);
	pthread_mutex_unlock(&lock);
}

void kfd_event_memory_fault(const struct kfd_fault *fault)
{
	bool first;

	pthread_mutex_lock(&lock);
	first = !unheard.any;
	if (first) {
		unheard.any = true;
		unheard.fault = (struct softgpu_fault){
			.gpu = fault->gpu,
			.address = fault->address,
			.reason = (fault->not_present ? 1 : 0) | (fault->read_only ? 2 : 0) |
				  (fault->no_execute ? 4 : 0),
		};
	}
	for (uint32_t id = 1; id < KFD_EVENT_LIMIT; id++) {
		struct event *event = find(id);

		if (!event || event->type != KFD_EVENT_MEMORY)
			continue;
		event->memory = (struct kfd_memory_exception){
			.not_present = fault->not_present,
			.read_only = fault->read_only,
			.no_execute = fault->no_execute,
			.address = fault->address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1),
			.gpu_id = SG_KFD_ID(fault->gpu),
		};
		set(event);
	}
	pthread_mutex_unlock(&lock);
	if (first && sg_thread_start("softkfd-fault", say_unless_heard))
		sg_warn("no thread to watch whether AMD's runtime hears of a fault");
}

void kfd_event_exception(unsigned gpu)
{
	pthread_mutex_lock(&lock);
	for (uint32_t id = 1; id < KFD_EVENT_LIMIT; id++) {
		struct event *event = find(id);

		if (!event || event->type != KFD_EVENT_HW_EXCEPTION)
			continue;
		event->exception = (struct kfd_hw_exception){ .gpu_id = SG_KFD_ID(gpu) };
		set(event);
	}
	pthread_mutex_unlock(&lock);
}

void kfd_events_forked(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	make_condition();
	for (uint32_t id = 0; id < KFD_EVENT_LIMIT; id++)
		events[id] = (struct event){ .used = false };
	last_id = 0;
	page_given = false;
	unheard.any = unheard.heard = false;
}
