/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory below HIP: pools, pinned host memory, and attributes of pages. Allocations carry the flags
 * of their pool, which decide about granularity.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/ompt/ompt.h"
#include "preload/standby/live_state.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_free.h"
#include "tracer/provider.h"

/* hsa_amd_svm_attribute_t, and what its values mean as hipMemoryAdvise */
enum {
	SVM_GLOBAL_FLAG = 0,
	SVM_FINE = 0,
	SVM_COARSE = 1,
	ADVICE_SET_COARSE_GRAIN = 100,
	ADVICE_UNSET_COARSE_GRAIN = 101,
	POOL_KERNARG = 1,
};

struct svm_attribute {
	uint64_t attribute, value;
};

/* ---- pinned memory whose pinning was recorded ---- */

#define LOCKED_SLOTS 4096u

static uint64_t locked[LOCKED_SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Remembers a pinned block. Returns false if there is no room. */
static bool remember(uint64_t ptr)
{
	bool done = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0, at = (unsigned)(ptr >> 12); i < 64 && !done; i++) {
		uint64_t *slot = &locked[(at + i) % LOCKED_SLOTS];

		if (!*slot) {
			*slot = ptr;
			done = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return done;
}

static bool forget(uint64_t ptr)
{
	bool done = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0, at = (unsigned)(ptr >> 12); i < 64 && !done; i++) {
		uint64_t *slot = &locked[(at + i) % LOCKED_SLOTS];

		if (*slot == ptr) {
			*slot = 0;
			done = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return done;
}

/* ---- events ---- */

static void record_alloc(const struct hg_ev_alloc *event)
{
	hg_live_lock();
	hg_provider->alloc(event);
	hg_live_alloc(event);
	hg_live_unlock();
}

static void record_free(const struct hg_ev_free *event)
{
	hg_live_lock();
	hg_provider->free(event);
	hg_live_free(event->ptr);
	hg_live_unlock();
}

/* ---- pools ---- */

/* Records an allocation. Buffers for kernel arguments are not memory that a program works with. */
static void record_allocation(uint16_t api, const struct hsa_pool *pool, size_t size,
			      const void *ptr, const void *caller)
{
	int saved = errno;

	if (pool && !(pool->flags & POOL_KERNARG) && hg_hsa_enter(api, caller, HSA_LASTING)) {
		struct hg_ev_alloc event = { .api = api,
					     .ptr = (uintptr_t)ptr,
					     .device_ptr = (uintptr_t)ptr,
					     .size = size,
					     .flags = pool->flags,
					     .device = pool->ordinal,
					     .symbol = "" };

		if (pool->ordinal >= 0)
			event.flags |= HG_POOL_OF_DEVICE;
		event.stack_id = hg_hsa_stack(caller);
		record_alloc(&event);
		hg_leave();
	}
	errno = saved;
}

static void record_release(uint16_t api, const void *ptr, const void *caller)
{
	int saved = errno;

	if (ptr && hg_hsa_enter(api, caller, HSA_LASTING)) {
		struct hg_ev_free event = { .api = api,
					    .ptr = (uintptr_t)ptr,
					    .stack_id = hg_hsa_stack(caller) };

		record_free(&event);
		hg_leave();
	}
	errno = saved;
}

static int pool_allocate(struct hsa_handle handle, size_t size, uint32_t flags, void **ptr)
{
	const struct hsa_pool *pool = hg_hsa_pool(handle.handle);
	int rc = HSA_REAL(hsa_amd_memory_pool_allocate, int, struct hsa_handle, size_t, uint32_t,
			  void **)(handle, size, flags, ptr);

	if (!rc)
		record_allocation(HG_API_hsa_amd_memory_pool_allocate, pool, size, *ptr,
				  HG_CALLER());
	return rc;
}

static int pool_free(void *ptr)
{
	int rc;

	record_release(HG_API_hsa_amd_memory_pool_free, ptr, HG_CALLER());
	rc = HSA_REAL(hsa_amd_memory_pool_free, int, void *)(ptr);
	hg_live_freed(rc != 0);
	return rc;
}

/* ---- regions: ROCr's have the handles of pools ---- */

static int region_allocate(struct hsa_handle region, size_t size, void **ptr)
{
	const struct hsa_pool *pool = hg_hsa_pool(region.handle);
	int rc = HSA_REAL(hsa_memory_allocate, int, struct hsa_handle, size_t, void **)(region,
											size, ptr);

	if (!rc)
		record_allocation(HG_API_hsa_memory_allocate, pool, size, *ptr, HG_CALLER());
	return rc;
}

static int region_free(void *ptr)
{
	int rc;

	record_release(HG_API_hsa_memory_free, ptr, HG_CALLER());
	rc = HSA_REAL(hsa_memory_free, int, void *)(ptr);
	hg_live_freed(rc != 0);
	return rc;
}

/* ---- pinned memory ---- */

/* Records that memory was pinned, unless the OpenMP runtime does that for the time of a transfer,
 * which does not concern the program. */
static void record_lock(uint16_t api, void *host, size_t size, void **agent, uint64_t flags,
			const void *caller)
{
	int saved = errno;

	if (!hg_ompt_in_data_op() && hg_hsa_enter(api, caller, HSA_LASTING)) {
		struct hg_ev_alloc event = { .api = api,
					     .ptr = (uintptr_t)host,
					     .device_ptr = (uintptr_t)(agent ? *agent : host),
					     .size = size,
					     .flags = flags,
					     .device = -1,
					     .symbol = "" };

		if (remember((uintptr_t)host)) {
			event.stack_id = hg_hsa_stack(caller);
			record_alloc(&event);
		}
		hg_leave();
	}
	errno = saved;
}

static int memory_lock(void *host, size_t size, struct hsa_handle *agents, int count, void **agent)
{
	int rc = HSA_REAL(hsa_amd_memory_lock, int, void *, size_t, struct hsa_handle *, int,
			  void **)(host, size, agents, count, agent);

	if (!rc)
		record_lock(HG_API_hsa_amd_memory_lock, host, size, agent, 0, HG_CALLER());
	return rc;
}

static int memory_lock_to_pool(void *host, size_t size, struct hsa_handle *agents, int count,
			       struct hsa_handle handle, uint32_t flags, void **agent)
{
	const struct hsa_pool *pool = hg_hsa_pool(handle.handle);
	int rc = HSA_REAL(hsa_amd_memory_lock_to_pool, int, void *, size_t, struct hsa_handle *,
			  int, struct hsa_handle, uint32_t,
			  void **)(host, size, agents, count, handle, flags, agent);

	if (!rc)
		record_lock(HG_API_hsa_amd_memory_lock_to_pool, host, size, agent,
			    pool ? pool->flags : 0, HG_CALLER());
	return rc;
}

static int memory_unlock(void *host)
{
	int saved = errno, rc;

	if (hg_hsa_enter(HG_API_hsa_amd_memory_unlock, HG_CALLER(), HSA_LASTING)) {
		struct hg_ev_free event = { .api = HG_API_hsa_amd_memory_unlock,
					    .ptr = (uintptr_t)host };

		if (forget((uintptr_t)host)) {
			event.stack_id = hg_hsa_stack(HG_CALLER());
			record_free(&event);
		}
		hg_leave();
	}
	errno = saved;
	rc = HSA_REAL(hsa_amd_memory_unlock, int, void *)(host);
	hg_live_freed(rc != 0);
	return rc;
}

/* ---- access and attributes ---- */

static int agents_allow_access(uint32_t count, const struct hsa_handle *agents,
			       const uint32_t *flags, const void *ptr)
{
	int rc = HSA_REAL(hsa_amd_agents_allow_access, int, uint32_t, const struct hsa_handle *,
			  const uint32_t *, const void *)(count, agents, flags, ptr);
	int saved = errno;

	if (!rc && hg_hsa_enter(HG_API_hsa_amd_agents_allow_access, HG_CALLER(), 0)) {
		struct hg_ev_call event = { .api = HG_API_hsa_amd_agents_allow_access,
					    .ptr = (uintptr_t)ptr,
					    .value = count,
					    .device = -1,
					    .text = "" };

		for (uint32_t i = 0; i < count; i++) {
			int ordinal = hg_hsa_ordinal(agents[i].handle);

			if (ordinal >= 0 && ordinal < 64)
				event.flags |= (uint64_t)1 << ordinal;
		}
		event.stack_id = hg_hsa_stack(HG_CALLER());
		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
	return rc;
}

/* Granularity is what advice with hipMemAdvise is made of, and is recorded as that. */
static void record_attribute(const struct svm_attribute *attribute, void *ptr, size_t size,
			     uint32_t stack_id)
{
	struct hg_ev_advise advise = { .api = HG_API_hsa_amd_svm_attributes_set,
				       .ptr = (uintptr_t)ptr,
				       .size = size,
				       .target = -1,
				       .stack_id = stack_id };
	struct hg_ev_call call = { .api = HG_API_hsa_amd_svm_attributes_set,
				   .ptr = (uintptr_t)ptr,
				   .size = size,
				   .flags = attribute->attribute,
				   .value = attribute->value,
				   .device = hg_hsa_ordinal(attribute->value),
				   .text = "",
				   .stack_id = stack_id };

	if (attribute->attribute == SVM_GLOBAL_FLAG && attribute->value <= SVM_COARSE) {
		advise.advice = attribute->value == SVM_COARSE ? ADVICE_SET_COARSE_GRAIN
							       : ADVICE_UNSET_COARSE_GRAIN;
		hg_live_lock();
		hg_provider->advise(&advise);
		hg_live_advise(&advise);
		hg_live_unlock();
	} else {
		hg_provider->call(&call);
	}
}

static int svm_attributes_set(void *ptr, size_t size, struct svm_attribute *attributes,
			      size_t count)
{
	int rc = HSA_REAL(hsa_amd_svm_attributes_set, int, void *, size_t, struct svm_attribute *,
			  size_t)(ptr, size, attributes, count);
	int saved = errno;

	if (!rc && hg_hsa_enter(HG_API_hsa_amd_svm_attributes_set, HG_CALLER(), HSA_LASTING)) {
		uint32_t stack_id = hg_hsa_stack(HG_CALLER());

		for (size_t i = 0; i < count; i++)
			record_attribute(&attributes[i], ptr, size, stack_id);
		hg_leave();
	}
	errno = saved;
	return rc;
}

HSA_WRAP(hsa_amd_memory_pool_allocate, pool_allocate,
	 (struct hsa_handle pool, size_t size, uint32_t flags, void **ptr),
	 (pool, size, flags, ptr))
HSA_WRAP(hsa_amd_memory_pool_free, pool_free, (void *ptr), (ptr))
HSA_WRAP(hsa_memory_allocate, region_allocate, (struct hsa_handle region, size_t size, void **ptr),
	 (region, size, ptr))
HSA_WRAP(hsa_memory_free, region_free, (void *ptr), (ptr))
HSA_WRAP(hsa_amd_memory_lock, memory_lock,
	 (void *host, size_t size, struct hsa_handle *agents, int count, void **agent),
	 (host, size, agents, count, agent))
HSA_WRAP(hsa_amd_memory_lock_to_pool, memory_lock_to_pool,
	 (void *host, size_t size, struct hsa_handle *agents, int count, struct hsa_handle pool,
	  uint32_t flags, void **agent),
	 (host, size, agents, count, pool, flags, agent))
HSA_WRAP(hsa_amd_memory_unlock, memory_unlock, (void *host), (host))
HSA_WRAP(hsa_amd_agents_allow_access, agents_allow_access,
	 (uint32_t count, const struct hsa_handle *agents, const uint32_t *flags, const void *ptr),
	 (count, agents, flags, ptr))
HSA_WRAP(hsa_amd_svm_attributes_set, svm_attributes_set,
	 (void *ptr, size_t size, struct svm_attribute *attributes, size_t count),
	 (ptr, size, attributes, count))

const struct hsa_wrapper hg_hsa_memory_wrappers[] = {
	{ "hsa_amd_memory_pool_allocate", (void *)pool_allocate },
	{ "hsa_amd_memory_pool_free", (void *)pool_free },
	{ "hsa_memory_allocate", (void *)region_allocate },
	{ "hsa_memory_free", (void *)region_free },
	{ "hsa_amd_memory_lock", (void *)memory_lock },
	{ "hsa_amd_memory_lock_to_pool", (void *)memory_lock_to_pool },
	{ "hsa_amd_memory_unlock", (void *)memory_unlock },
	{ "hsa_amd_agents_allow_access", (void *)agents_allow_access },
	{ "hsa_amd_svm_attributes_set", (void *)svm_attributes_set },
	{ NULL, NULL },
};
