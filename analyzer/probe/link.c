/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the HSA runtime how a GPU reaches host memory: HIP does not report it. The numbers are those
 * of hsa.h and hsa_ext_amd.h [HSAH].
 */
#include "link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hip_calls.h"

enum {
	INFO_DEVICE = 17,
	INFO_BDFID = 0xA006,
	INFO_DOMAIN = 0xA00F,
	INFO_MEMORY_PROPERTIES = 0xA114,
	IS_APU = 1,
	CPU = 0,
	GPU = 1
};
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
	/* HIP_VISIBLE_DEVICES changes HIP's numbers, but not the order of the agents. */
	unsigned domain, bdf; /* place on the PCI bus */
	int ordinal; /* without a place: number among the GPU agents; counts down. -1: the place is
			known */
	struct handle gpu;
	bool found;
	struct host_link *link;
};

static int find_gpu(struct handle agent, void *data)
{
	struct search *search = data;
	uint32_t device = CPU;

	uint32_t bdf = 0, domain = 0;

	if (hsa.get_info(agent, INFO_DEVICE, &device) || device != GPU)
		return 0;
	hsa.get_info(agent, INFO_BDFID, &bdf);
	hsa.get_info(agent, INFO_DOMAIN, &domain);
	if (search->ordinal < 0 ? bdf == search->bdf && domain == search->domain
				: search->ordinal-- == 0) {
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

void probe_host_link(const struct hip *hip, int gpu, struct host_link *link)
{
	struct search search = { .ordinal = gpu, .link = link };
	unsigned domain, bus, device, function = 0;
	uint8_t properties[8] = { 0 };
	char place[64] = "";

	*link = (struct host_link){ -1, -1, -1 };
	*(void **)&hsa.iterate = hip_hsa_function("hsa_iterate_agents");
	*(void **)&hsa.get_info = hip_hsa_function("hsa_agent_get_info");
	*(void **)&hsa.iterate_pools = hip_hsa_function("hsa_amd_agent_iterate_memory_pools");
	*(void **)&hsa.get_pool_info = hip_hsa_function("hsa_amd_agent_memory_pool_get_info");
	/* "0000:c1:00.0" */
	if (hip->hipDeviceGetPCIBusId &&
	    hip->hipDeviceGetPCIBusId(place, sizeof(place), gpu) == 0 &&
	    sscanf(place, "%x:%x:%x.%x", &domain, &bus, &device, &function) >= 3) {
		search.ordinal = -1;
		search.domain = domain;
		search.bdf = bus << 8 | device << 3 | function;
	}
	if (!hsa.iterate || !hsa.get_info || !hsa.iterate_pools || !hsa.get_pool_info ||
	    hsa.iterate(find_gpu, &search) || !search.found)
		return;
	if (hsa.get_info(search.gpu, INFO_MEMORY_PROPERTIES, properties) == 0)
		link->apu = properties[0] >> IS_APU & 1;
	hsa.iterate(read_cpu, &search);
}
