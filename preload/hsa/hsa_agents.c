/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the agents and pools of the HSA runtime, and does what surrounds the events of its calls.
 */
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/parts.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hsa/hsa_half.h"
#include "preload/ompt/ompt.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/stacks/passed_over.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/events/ev_device.h"
#include "tracer/provider.h"

#define MAX_AGENTS 64
#define MAX_POOLS  256

static struct {
	uint64_t agents[MAX_AGENTS];
	struct hg_hip_device devices[MAX_AGENTS];
	int8_t xnack[MAX_AGENTS];
	bool fine[MAX_AGENTS], large_bar[MAX_AGENTS];
	uint64_t memory[MAX_AGENTS];
	int count;
	struct hsa_pool pools[MAX_POOLS];
	unsigned pool_count;
	int8_t svm;
	bool agents_found; /* the runtime has any, of whatever kind */
	int devices_recorded;
	int host_link, host_atomics;
} known;

/* ---- agents and pools, from the runtime's own functions ---- */

enum {
	SYSTEM_SVM_SUPPORTED = 0x201,
	AGENT_NAME = 0,
	AGENT_DEVICE = 17,
	ISA_NAME_LENGTH = 0,
	ISA_NAME = 1,
	POOL_SEGMENT = 0,
	POOL_FLAGS = 1,
	POOL_SIZE = 2,
	POOL_ACCESS = 0, /* of an agent to a pool; 0 never allowed */
	POOL_FINE = 2,
	POOL_COARSE = 4,
	DEVICE_CPU = 0,
	DEVICE_GPU = 1,
};

static int agent_info(struct hsa_handle agent, int attribute, void *value)
{
	return HSA_REAL(hsa_agent_get_info, int, struct hsa_handle, int, void *)(agent, attribute,
										 value);
}

static int pool_info(struct hsa_handle pool, int attribute, void *value)
{
	return HSA_REAL(hsa_amd_memory_pool_get_info, int, struct hsa_handle, int,
			void *)(pool, attribute, value);
}

/* Notes a name such as "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-". */
static int note_isa(struct hsa_handle isa, void *data)
{
	struct hg_hip_device *device = data;
	char name[256] = "";
	uint32_t length = 0;
	const char *target;
	int (*info)(struct hsa_handle, int, void *) =
	    (int (*)(struct hsa_handle, int, void *))hg_hsa.hsa_isa_get_info_alt;

	if (info(isa, ISA_NAME_LENGTH, &length) || length >= sizeof(name) ||
	    info(isa, ISA_NAME, name))
		return 0;
	target = strstr(name, "--");
	if (!target || device->arch[0])
		return 0;
	strncpy(device->arch, target + 2, sizeof(device->arch) - 1);
	device->known = !codeobj_target_parse(device->arch, &device->target);
	return 0;
}

struct owner {
	struct hsa_handle agent;
	int ordinal;
};

static int note_pool(struct hsa_handle pool, void *data)
{
	const struct owner *owner = data;
	struct hsa_pool *row = &known.pools[known.pool_count];
	uint32_t segment = 1, flags = 0;
	size_t size = 0;

	if (known.pool_count == MAX_POOLS || pool_info(pool, POOL_SEGMENT, &segment) || segment ||
	    pool_info(pool, POOL_FLAGS, &flags))
		return 0;
	*row =
	    (struct hsa_pool){ .handle = pool.handle, .flags = flags, .ordinal = owner->ordinal };
	known.pool_count++;
	if (owner->ordinal >= 0) {
		known.fine[owner->ordinal] |= (flags & POOL_FINE) != 0;
		if ((flags & POOL_COARSE) && !pool_info(pool, POOL_SIZE, &size))
			known.memory[owner->ordinal] = size;
	}
	return 0;
}

static int note_agent(struct hsa_handle agent, void *data)
{
	struct owner owner = { .agent = agent, .ordinal = -1 };
	uint32_t device = DEVICE_CPU;

	(void)data;
	if (agent_info(agent, AGENT_DEVICE, &device))
		return 0;
	known.agents_found = true;
	if (device == DEVICE_GPU && known.count < MAX_AGENTS) {
		struct hg_hip_device *row = &known.devices[known.count];

		owner.ordinal = known.count;
		known.agents[known.count++] = agent.handle;
		agent_info(agent, AGENT_NAME, row->name);
		HSA_REAL(hsa_agent_iterate_isas, int, struct hsa_handle,
			 int (*)(struct hsa_handle, void *), void *)
		(agent, note_isa, row);
		known.xnack[owner.ordinal] = row->known ? row->target.xnack : CODEOBJ_ANY;
	}
	HSA_REAL(hsa_amd_agent_iterate_memory_pools, int, struct hsa_handle,
		 int (*)(struct hsa_handle, void *), void *)
	(agent, note_pool, &owner);
	return 0;
}

/* Notes if the host can address a GPU's coarse-grained pool. */
static int note_bar(struct hsa_handle agent, void *data)
{
	uint32_t device = DEVICE_GPU, access = 0;

	(void)data;
	if (agent_info(agent, AGENT_DEVICE, &device) || device != DEVICE_CPU)
		return 0;
	for (unsigned i = 0; i < known.pool_count; i++) {
		const struct hsa_pool *pool = &known.pools[i];

		if (pool->ordinal >= 0 && (pool->flags & POOL_COARSE) &&
		    !HSA_REAL(hsa_amd_agent_memory_pool_get_info, int, struct hsa_handle,
			      struct hsa_handle, int, void *)(
			agent, (struct hsa_handle){ pool->handle }, POOL_ACCESS, &access))
			known.large_bar[pool->ordinal] |= access != 0;
	}
	return 0;
}

bool hg_hsa_survey(void)
{
	int (*iterate)(int (*)(struct hsa_handle, void *), void *) =
	    (int (*)(int (*)(struct hsa_handle, void *), void *))hg_hsa.hsa_iterate_agents;
	bool svm = false;

	known.agents_found = false;
	known.count = 0;
	known.pool_count = 0;
	memset(known.devices, 0, sizeof(known.devices));
	iterate(note_agent, NULL);
	iterate(note_bar, NULL);
	known.svm =
	    HSA_REAL(hsa_system_get_info, int, int, void *)(SYSTEM_SVM_SUPPORTED, &svm) ? -1 : svm;
	return known.agents_found;
}

int hg_hsa_ordinal(uint64_t agent)
{
	for (int i = 0; i < known.count; i++)
		if (known.agents[i] == agent)
			return i;
	return -1;
}

const struct hg_hip_device *hg_hsa_device(int ordinal)
{
	return ordinal >= 0 && ordinal < known.count ? &known.devices[ordinal] : NULL;
}

const struct hsa_pool *hg_hsa_pool(uint64_t handle)
{
	for (unsigned i = 0; i < known.pool_count; i++)
		if (known.pools[i].handle == handle)
			return &known.pools[i];
	return NULL;
}

/* ---- around events ---- */

/* Records the devices without querying the runtime: another thread may be anywhere in it. */
static void record_devices(void)
{
	for (int i = 0; i < known.count; i++) {
		struct hg_ev_device event = { .ordinal = i,
					      .name = known.devices[i].name,
					      .arch = known.devices[i].arch,
					      .xnack = known.xnack[i],
					      .managed = known.svm,
					      .concurrent_managed = known.svm,
					      .pageable_access = known.xnack[i],
					      .host_native_atomic = (int8_t)known.host_atomics,
					      .integrated = -1,
					      .large_bar = known.large_bar[i],
					      .fine_grain = known.fine[i],
					      .host_link = (int8_t)known.host_link,
					      .memory = known.memory[i] };

		hg_provider->device(&event);
	}
}

static __attribute__((noinline)) void record_first(void)
{
	if (__atomic_exchange_n(&known.devices_recorded, 1, __ATOMIC_RELAXED) || hg_hsa_hip_reports)
		return;
	hg_hsa_watch_faults(false);
	hg_hsa_watch_stale_reads();
	hg_hsa_watch_checks();
	known.host_atomics = -1;
	known.host_link = hg_hsa_host_link(&known.host_atomics);
	record_devices();
}

/* Runs when a recording begins in the middle of the process. */
static void record_again(void)
{
	if (__atomic_load_n(&known.devices_recorded, __ATOMIC_RELAXED) && !hg_hsa_hip_reports)
		record_devices();
}

bool hg_hsa_enter(uint16_t api, const void *caller, unsigned how)
{
	int lasting = how & HSA_LASTING ? 1 : 0;
	bool entered;

	if (hg_tls.busy || !hg_awake() || (hg_tls.hip && !(how & HSA_BELOW_HIP))) {
		hg_passed_over(api, caller);
		return false;
	}
	hg_tls.keeping += lasting;
	entered = hg_enter();
	hg_tls.keeping -= lasting;
	if (entered && HG_UNLIKELY(!__atomic_load_n(&known.devices_recorded, __ATOMIC_RELAXED)))
		record_first();
	return entered;
}

uint32_t hg_hsa_stack(const void *caller)
{
	const void *code = hg_ompt_code();

	return hg_stack_id(code ? code : caller);
}

HG_PART(.name = "hsa-agents", .order = 99, .record_state = record_again);
