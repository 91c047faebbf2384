/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a GPU reaches host memory, from the HSA runtime: HIP does not report it. Numbers: hsa.h and
 * hsa_ext_amd.h [HSAH].
 */
#include "link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hip.h"

enum { INFO_DEVICE = 17, INFO_MEMORY_PROPERTIES = 0xA114, IS_APU = 1, CPU = 0, GPU = 1 };
enum { POOL_HOPS = 1, POOL_LINKS = 2, MAX_HOPS = 8, LINK_TYPE_PCIE = 2 };

struct handle {
	uint64_t value;
};

/* hsa_amd_memory_pool_link_info_t */
struct link {
	uint32_t latency[2], bandwidth[2];
	bool atomics_32bit, atomics_64bit, coherent;
	uint32_t type, numa_distance;
};

typedef int visit_t(struct handle, void *);

static struct {
	int (*iterate)(visit_t *, void *);
	int (*get_info)(struct handle, int, void *);
	int (*iterate_pools)(struct handle, visit_t *, void *);
	int (*get_pool_info)(struct handle, struct handle, int, void *);
} hsa;

struct search {
	int wanted; /* ordinal of the GPU among the GPU agents; counts down */
	struct handle gpu;
	bool found;
	struct host_link *link;
};

static int find_gpu(struct handle agent, void *data)
{
	struct search *search = data;
	uint32_t device = CPU;

	if (hsa.get_info(agent, INFO_DEVICE, &device) == 0 && device == GPU &&
	    search->wanted-- == 0) {
		search->gpu = agent;
		search->found = true;
	}
	return 0;
}

/* A way with a PCIe hop carries what PCIe carries. */
static int read_pool(struct handle pool, void *data)
{
	struct search *search = data;
	struct link links[MAX_HOPS] = { 0 };
	uint32_t hops = 0;

	if (search->link->type >= 0 || hsa.get_pool_info(search->gpu, pool, POOL_HOPS, &hops) ||
	    hops == 0 || hops > MAX_HOPS || hsa.get_pool_info(search->gpu, pool, POOL_LINKS, links))
		return 0;
	search->link->type = (int)links[0].type;
	search->link->atomics = 1;
	for (uint32_t hop = 0; hop < hops; hop++) {
		if (links[hop].type == LINK_TYPE_PCIE)
			search->link->type = LINK_TYPE_PCIE;
		search->link->atomics &= links[hop].atomics_32bit || links[hop].atomics_64bit;
	}
	return 0;
}

static int read_cpu(struct handle agent, void *data)
{
	uint32_t device = GPU;

	if (hsa.get_info(agent, INFO_DEVICE, &device) == 0 && device == CPU)
		hsa.iterate_pools(agent, read_pool, data);
	return 0;
}

void probe_host_link(int gpu, struct host_link *link)
{
	struct search search = { .wanted = gpu, .link = link };
	uint8_t properties[8] = { 0 };

	*link = (struct host_link){ -1, -1, -1 };
	*(void **)&hsa.iterate = hip_hsa_function("hsa_iterate_agents");
	*(void **)&hsa.get_info = hip_hsa_function("hsa_agent_get_info");
	*(void **)&hsa.iterate_pools = hip_hsa_function("hsa_amd_agent_iterate_memory_pools");
	*(void **)&hsa.get_pool_info = hip_hsa_function("hsa_amd_agent_memory_pool_get_info");
	if (!hsa.iterate || !hsa.get_info || !hsa.iterate_pools || !hsa.get_pool_info ||
	    hsa.iterate(find_gpu, &search) || !search.found)
		return;
	if (hsa.get_info(search.gpu, INFO_MEMORY_PROPERTIES, properties) == 0)
		link->apu = properties[0] >> IS_APU & 1;
	hsa.iterate(read_cpu, &search);
}
