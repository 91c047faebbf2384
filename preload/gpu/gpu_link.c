/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds out how the GPUs reach host memory: over PCIe, which carries few atomic operations, or
 * XGMI. HIP does not report this; the HSA runtime below it does. It is initialised by then, because
 * HIP's first call was made. Numbers: hsa.h and hsa_ext_amd.h [HSAH].
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/gpu/gpu.h"

enum {
	AGENT_INFO_DEVICE = 17,
	AGENT_INFO_MEMORY_PROPERTIES = 0xA114, /* uint8_t[8], from ROCm 6 on */
	/* HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU, which hsa_flag_isset64() takes for a bit's number
	 */
	AGENT_IS_APU = 1,
	DEVICE_CPU = 0,
	DEVICE_GPU = 1,
	POOL_INFO_NUM_LINK_HOPS = 1,
	POOL_INFO_LINK_INFO = 2,
	LINK_PCIE = 2,
};

#define MAX_AGENTS 64
#define MAX_HOPS   8

struct agent {
	uint64_t handle;
};

/* hsa_amd_memory_pool_link_info_t */
struct link {
	uint32_t latency[2], bandwidth[2];
	bool atomics_32bit, atomics_64bit, coherent;
	uint32_t type, numa_distance;
};

static struct {
	int (*iterate)(int (*)(struct agent, void *), void *);
	int (*get_info)(struct agent, int, void *);
	int (*iterate_pools)(struct agent, int (*)(struct agent, void *), void *);
	int (*get_pool_info)(struct agent, struct agent, int, void *);
} hsa;

struct survey {
	struct agent gpus[MAX_AGENTS];
	unsigned gpu_count;
	int type; /* -1: none seen, -2: they differ */
	int atomics;
};

static int agree(int before, int now)
{
	return before == -1 || before == now ? now : -2;
}

static int collect_gpu(struct agent agent, void *data)
{
	struct survey *survey = data;
	uint32_t device = 0;

	if (!hsa.get_info(agent, AGENT_INFO_DEVICE, &device) && device == DEVICE_GPU &&
	    survey->gpu_count < MAX_AGENTS)
		survey->gpus[survey->gpu_count++] = agent;
	return 0;
}

/* A path with a PCIe hop can carry what PCIe can. */
static int survey_pool(struct agent pool, void *data)
{
	struct survey *survey = data;

	for (unsigned i = 0; i < survey->gpu_count; i++) {
		struct link links[MAX_HOPS] = { 0 };
		uint32_t hops = 0;
		int type, atomics;

		if (hsa.get_pool_info(survey->gpus[i], pool, POOL_INFO_NUM_LINK_HOPS, &hops) ||
		    !hops || hops > MAX_HOPS ||
		    hsa.get_pool_info(survey->gpus[i], pool, POOL_INFO_LINK_INFO, links))
			continue;
		type = (int)links[0].type;
		atomics = links[0].atomics_32bit || links[0].atomics_64bit;
		for (uint32_t hop = 1; hop < hops; hop++) {
			if (links[hop].type == LINK_PCIE)
				type = LINK_PCIE;
			atomics &= links[hop].atomics_32bit || links[hop].atomics_64bit;
		}
		survey->type = agree(survey->type, type);
		survey->atomics = agree(survey->atomics, atomics);
	}
	return 0;
}

static int survey_cpu(struct agent agent, void *data)
{
	uint32_t device = DEVICE_GPU;

	if (!hsa.get_info(agent, AGENT_INFO_DEVICE, &device) && device == DEVICE_CPU)
		hsa.iterate_pools(agent, survey_pool, data);
	return 0;
}

int hg_hsa_host_link(int *atomics)
{
	struct survey survey = { .type = -1, .atomics = -1 };

	*atomics = -1;
	hsa.iterate =
	    (int (*)(int (*)(struct agent, void *), void *))hg_hsa_query("hsa_iterate_agents");
	hsa.get_info = (int (*)(struct agent, int, void *))hg_hsa_query("hsa_agent_get_info");
	hsa.iterate_pools = (int (*)(struct agent, int (*)(struct agent, void *),
				     void *))hg_hsa_query("hsa_amd_agent_iterate_memory_pools");
	hsa.get_pool_info = (int (*)(struct agent, struct agent, int, void *))hg_hsa_query(
	    "hsa_amd_agent_memory_pool_get_info");
	if (!hsa.iterate || !hsa.get_info || !hsa.iterate_pools || !hsa.get_pool_info ||
	    hsa.iterate(collect_gpu, &survey) || hsa.iterate(survey_cpu, &survey))
		return -1;
	*atomics = survey.atomics < 0 ? -1 : survey.atomics;
	return survey.type < 0 ? -1 : survey.type;
}

int hg_hsa_apus(void)
{
	struct survey survey = { .type = -1, .atomics = -1 };
	unsigned apus = 0;

	hsa.iterate =
	    (int (*)(int (*)(struct agent, void *), void *))hg_hsa_query("hsa_iterate_agents");
	hsa.get_info = (int (*)(struct agent, int, void *))hg_hsa_query("hsa_agent_get_info");
	if (!hsa.iterate || !hsa.get_info || hsa.iterate(collect_gpu, &survey) || !survey.gpu_count)
		return -1;
	for (unsigned i = 0; i < survey.gpu_count; i++) {
		uint8_t properties[8] = { 0 };

		if (hsa.get_info(survey.gpus[i], AGENT_INFO_MEMORY_PROPERTIES, properties))
			return -1;
		apus += properties[0] >> AGENT_IS_APU & 1;
	}
	return apus == survey.gpu_count ? 1 : apus ? -1 : 0;
}
