// SPDX-License-Identifier: Apache-2.0
/*
 * Signals: amd_signal_t (amd_hsa_signal.h), 64 bytes that device code may read and write, so they
 * live in GPU-mapped fine-grained pages. Waiting is in event.c.
 */
#include "runtime.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A released slot is used again only after this many others: late readers see a dead signal. */
#define QUARANTINE 1024u

/* For how long handlers that are due hold up the end of a process. */
#define SETTLE_NS 1000000000u

struct slot {
	amd_signal_t amd; /* first: the handle */
	uint32_t references;
	struct slot *next; /* in the free queue */
	uint64_t unused[6];
};
_Static_assert(sizeof(struct slot) == 128, "slots keep amd_signal_t 64-byte aligned");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *free_first, **free_last = &free_first;
static size_t free_count;

static void push(struct slot *slot)
{
	slot->next = NULL;
	*free_last = slot;
	free_last = &slot->next;
	free_count++;
}

static int grow(void)
{
	struct sg_mapping *chunk = sg_memory_allocate(
	    SG_INTERNAL, 1 << 18, SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST, SG_EVERY_GPU, NULL);
	struct slot *slots;

	if (!chunk)
		return -1;
	slots = (struct slot *)(uintptr_t)chunk->host;
	for (size_t i = 0; i < chunk->size / sizeof *slots; i++)
		push(&slots[i]);
	return 0;
}

hsa_signal_t sg_signal_create(amd_signal_kind64_t kind, hsa_signal_value_t value)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&lock);
	if (free_count > QUARANTINE || !grow()) {
		slot = free_first;
		free_first = slot->next;
		free_count--;
		memset(slot, 0, sizeof *slot);
		slot->amd.kind = kind;
		slot->amd.value = value;
		slot->references = 1;
	}
	pthread_mutex_unlock(&lock);
	return (hsa_signal_t){ (uint64_t)(uintptr_t)slot };
}

static void reference(hsa_signal_t handle)
{
	__atomic_add_fetch(&((struct slot *)sg_signal(handle))->references, 1, __ATOMIC_RELAXED);
}

void sg_signal_release(hsa_signal_t handle)
{
	struct slot *slot = (struct slot *)sg_signal(handle);

	if (__atomic_sub_fetch(&slot->references, 1, __ATOMIC_ACQ_REL))
		return;
	pthread_mutex_lock(&lock);
	slot->amd.kind = AMD_SIGNAL_KIND_INVALID;
	push(slot);
	pthread_mutex_unlock(&lock);
}

bool sg_condition(hsa_signal_value_t value, hsa_signal_condition_t condition,
		  hsa_signal_value_t compare)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == compare;
	case HSA_SIGNAL_CONDITION_NE:
		return value != compare;
	case HSA_SIGNAL_CONDITION_LT:
		return value < compare;
	case HSA_SIGNAL_CONDITION_GTE:
		return value >= compare;
	}
	return false;
}

static hsa_signal_value_t load(hsa_signal_t handle)
{
	return __atomic_load_n(&sg_signal(handle)->value, __ATOMIC_SEQ_CST);
}

void sg_signal_complete(hsa_signal_t handle, uint64_t start_ns, uint64_t end_ns)
{
	amd_signal_t *signal = sg_signal(handle);

	if (!signal)
		return;
	signal->start_ts = start_ns;
	signal->end_ts = end_ns;
	__atomic_sub_fetch(&signal->value, 1, __ATOMIC_SEQ_CST);
	sg_event_post();
}

bool sg_signals_are_zero(const hsa_signal_t *signals, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (signals[i].handle && load(signals[i]))
			return false;
	return true;
}

/* ---- HSA entry points; every memory order is served by sequential consistency ---- */

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t consumer_count,
			       const hsa_agent_t *consumers, hsa_signal_t *signal)
{
	if (!signal || (consumer_count && !consumers))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*signal = sg_signal_create(AMD_SIGNAL_KIND_USER, value);
	return signal->handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t consumer_count,
				   const hsa_agent_t *consumers, uint64_t attributes,
				   hsa_signal_t *signal)
{
	if (attributes & HSA_AMD_SIGNAL_IPC) {
		sg_warn("hsa_amd_signal_create: signals between processes are not supported");
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return hsa_signal_create(value, consumer_count, consumers, signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal)
{
	if (!signal.handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (sg_signal(signal)->kind == AMD_SIGNAL_KIND_INVALID)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	sg_signal_release(signal);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
					  volatile hsa_signal_value_t **pointer)
{
	if (!signal.handle || !pointer)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*pointer = &sg_signal(signal)->value;
	return HSA_STATUS_SUCCESS;
}

/* Per operation, the orders that hsa.h has for it. */
#define STORE(suffix)                                                                 \
	void hsa_signal_##suffix(hsa_signal_t signal, hsa_signal_value_t value)       \
	{                                                                             \
		__atomic_store_n(&sg_signal(signal)->value, value, __ATOMIC_SEQ_CST); \
		sg_event_post();                                                      \
	}
#define LOAD(suffix)                                                \
	hsa_signal_value_t hsa_signal_##suffix(hsa_signal_t signal) \
	{                                                           \
		return load(signal);                                \
	}
#define UPDATE(name, builtin)                                                \
	void name(hsa_signal_t signal, hsa_signal_value_t value)             \
	{                                                                    \
		builtin(&sg_signal(signal)->value, value, __ATOMIC_SEQ_CST); \
		sg_event_post();                                             \
	}
#define UPDATES(operation, builtin)                         \
	UPDATE(hsa_signal_##operation##_relaxed, builtin)   \
	UPDATE(hsa_signal_##operation##_scacquire, builtin) \
	UPDATE(hsa_signal_##operation##_screlease, builtin) \
	UPDATE(hsa_signal_##operation##_scacq_screl, builtin)

STORE(store_relaxed)
STORE(store_screlease)
STORE(silent_store_relaxed)
STORE(silent_store_screlease)
LOAD(load_relaxed)
LOAD(load_scacquire)
UPDATES(add, __atomic_add_fetch)
UPDATES(subtract, __atomic_sub_fetch)
UPDATES(and, __atomic_and_fetch)
UPDATES(or, __atomic_or_fetch)
UPDATES(xor, __atomic_xor_fetch)

#define EXCHANGE(order)                                                                         \
	hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal,                     \
						       hsa_signal_value_t value)                \
	{                                                                                       \
		hsa_signal_value_t old =                                                        \
		    __atomic_exchange_n(&sg_signal(signal)->value, value, __ATOMIC_SEQ_CST);    \
		sg_event_post();                                                                \
		return old;                                                                     \
	}                                                                                       \
	hsa_signal_value_t hsa_signal_cas_##order(                                              \
	    hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value)         \
	{                                                                                       \
		__atomic_compare_exchange_n(&sg_signal(signal)->value, &expected, value, false, \
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
		sg_event_post();                                                                \
		return expected;                                                                \
	}
EXCHANGE(relaxed)
EXCHANGE(scacquire)
EXCHANGE(screlease)
EXCHANGE(scacq_screl)

static hsa_signal_value_t wait_for(hsa_signal_t signal, hsa_signal_condition_t condition,
				   hsa_signal_value_t compare, uint64_t timeout)
{
	uint64_t start = sg_now_ns();

	for (;;) {
		uint32_t seen = sg_event_count();
		hsa_signal_value_t value = load(signal);
		uint64_t passed, rest;

		if (sg_condition(value, condition, compare))
			return value;
		passed = sg_now_ns() - start;
		if (passed >= timeout)
			return value;
		rest = timeout - passed;
		/* The cap finds values that somebody stored through the value pointer. */
		sg_event_wait(seen, rest < 10000000 ? rest : 10000000);
	}
}

#define WAIT(suffix)                                                                           \
	hsa_signal_value_t hsa_signal_wait_##suffix(                                           \
	    hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compare, \
	    uint64_t timeout_hint, hsa_wait_state_t wait_state)                                \
	{                                                                                      \
		(void)wait_state;                                                              \
		return wait_for(signal, condition, compare, timeout_hint);                     \
	}
WAIT(scacquire)
WAIT(relaxed)

/* Index of a signal that meets its condition; UINT32_MAX after the timeout (hsa_ext_amd.h). */
uint32_t hsa_amd_signal_wait_any(uint32_t count, hsa_signal_t *signals,
				 hsa_signal_condition_t *conditions, hsa_signal_value_t *values,
				 uint64_t timeout, hsa_wait_state_t wait_state,
				 hsa_signal_value_t *satisfying)
{
	uint64_t start = sg_now_ns();

	(void)wait_state;
	for (;;) {
		uint32_t seen = sg_event_count();
		uint64_t passed, rest;

		for (uint32_t i = 0; i < count; i++) {
			hsa_signal_value_t value = load(signals[i]);
			if (!sg_condition(value, conditions[i], values[i]))
				continue;
			if (satisfying)
				*satisfying = value;
			return i;
		}
		passed = sg_now_ns() - start;
		if (passed >= timeout)
			return UINT32_MAX;
		rest = timeout - passed;
		sg_event_wait(seen, rest < 10000000 ? rest : 10000000);
	}
}

/* ---- asynchronous handlers: one thread calls them all, in the order of registration ---- */

struct handler {
	hsa_signal_t signal;
	hsa_signal_condition_t condition;
	hsa_signal_value_t compare;
	hsa_amd_signal_handler function;
	void *argument;
	struct handler *next;
};

static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handler *handlers, **handlers_last = &handlers;
static bool handlers_running;
static bool handler_taken; /* one is about to run, runs, or is being freed */

static void add_handler(struct handler *handler)
{
	handler->next = NULL;
	*handlers_last = handler;
	handlers_last = &handler->next;
}

/* The link to the first handler whose condition holds, NULL if there is none. With the lock held.
 */
static struct handler **find_ready(hsa_signal_value_t *value)
{
	for (struct handler **link = &handlers; *link; link = &(*link)->next) {
		*value = load((*link)->signal);
		if (sg_condition(*value, (*link)->condition, (*link)->compare))
			return link;
	}
	return NULL;
}

/* Take the first handler whose condition holds out of the list. */
static struct handler *take_ready(hsa_signal_value_t *value, bool *any)
{
	struct handler *ready = NULL, **link;

	pthread_mutex_lock(&handlers_lock);
	*any = handlers;
	link = find_ready(value);
	if (link) {
		ready = *link;
		*link = ready->next;
		if (!*link)
			handlers_last = link;
	}
	handler_taken = ready;
	pthread_mutex_unlock(&handlers_lock);
	return ready;
}

static void *run_handlers(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t seen = sg_event_count();
		hsa_signal_value_t value;
		bool any, again;
		struct handler *ready = take_ready(&value, &any);

		if (!ready) {
			sg_event_wait(seen, any ? 10000000 : 1000000000);
			continue;
		}
		sg_work_begin(SG_WORK_HANDLERS);
		again = ready->function(value, ready->argument);
		sg_work_end(SG_WORK_HANDLERS);
		if (!again)
			sg_signal_release(ready->signal);
		pthread_mutex_lock(&handlers_lock);
		if (again)
			add_handler(ready);
		handler_taken = false;
		pthread_mutex_unlock(&handlers_lock);
		if (!again)
			free(ready);
	}
	return NULL;
}

/*
 * HIP 7.2 destroys its devices at exit while a handler of a command that has ended may still be
 * running, or may not have begun, and that handler uses them: the process crashes. A GPU's handler
 * is long done then. Here it competes with the program for processors.
 */
void sg_handlers_settle(void)
{
	uint64_t start = sg_now_ns();
	bool busy;

	do {
		hsa_signal_value_t value;

		if (!sg_work_may_wait(SG_WORK_HANDLERS))
			return;
		pthread_mutex_lock(&handlers_lock);
		busy = handler_taken || find_ready(&value);
		pthread_mutex_unlock(&handlers_lock);
		if (busy)
			usleep(100);
	} while (busy && sg_now_ns() - start < SETTLE_NS);
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
					  hsa_signal_value_t compare,
					  hsa_amd_signal_handler function, void *argument)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct handler *handler;

	if (!signal.handle || !function)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	handler = malloc(sizeof *handler);
	if (!handler)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*handler = (struct handler){ signal, condition, compare, function, argument, NULL };
	reference(signal);
	pthread_mutex_lock(&handlers_lock);
	if (!handlers_running)
		handlers_running = !sg_thread_start("softgpu-events", run_handlers);
	if (handlers_running) {
		add_handler(handler);
	} else {
		sg_signal_release(signal);
		free(handler);
		status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	pthread_mutex_unlock(&handlers_lock);
	sg_event_post();
	return status;
}
