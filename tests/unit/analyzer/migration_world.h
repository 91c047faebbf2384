/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver tells of migrations, written by hand: two managed allocations, faults of either
 * side, moves, prefetches; for tests of the account and of the rules on it. */
#ifndef HIPGRAIN_TEST_MIGRATION_WORLD_H
#define HIPGRAIN_TEST_MIGRATION_WORLD_H

#include "trace.h"

#include "analyzer/rules/migration/migration.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_smi_source.h"

#define MIB     (1u << 20)
#define MANAGED 0x300000000u
#define OTHER   0x400000000u

/* What made pages move, as the driver numbers it. */
enum { PREFETCH, GPU_FAULT, CPU_FAULT, EVICTION };

static void source(uint64_t dropped)
{
	apply((struct hg_event){ .type = HG_EVENT_smi_source,
				 .smi_source = &(struct hg_ev_smi_source){
				     .sources = 1, .dropped = dropped, .problem = "" } });
}

static void begin(void)
{
	process("/bin/test", "");
	runtime(50200000, 2);
	device_of(0, "gfx90a", 1);
	device_of(1, "gfx90a", 1);
	code();
	source(0);
	alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
	alloc(HG_API_hipMallocManaged, OTHER, 64 * MIB, 9);
}

static void late(uint64_t kind, uint64_t start, uint64_t size, int32_t from, int32_t to,
		 int32_t trigger, int32_t detail, uint64_t age)
{
	apply((struct hg_event){ .type = HG_EVENT_migration,
				 .migration = &(struct hg_ev_migration){ .kind = (uint8_t)kind,
									 .start = start,
									 .size = size,
									 .from = from,
									 .to = to,
									 .trigger = trigger,
									 .detail = detail,
									 .age = age } });
}

static void move(uint64_t start, uint64_t size, int32_t from, int32_t to, int32_t trigger)
{
	late(6, start, size, from, to, trigger, 0, 0);
}

static void fault(uint64_t address, int32_t device, char how)
{
	late(8, address, 4096, device, 0, -1, how, 0);
}

static void gpu_faults(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++) {
		move(start + i * 2ull * MIB, 2 * MIB, -1, 0, GPU_FAULT);
		fault(start + i * 2ull * MIB, 0, 'M');
	}
}

static void host_uses(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++)
		move(start + i * 2ull * MIB, 2 * MIB, 0, -1, CPU_FAULT);
}

static void prefetch(uint64_t ptr, uint64_t size, int32_t target, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_prefetch,
				 .prefetch =
				     &(struct hg_ev_prefetch){ .api = HG_API_hipMemPrefetchAsync,
							       .ptr = ptr,
							       .size = size,
							       .target = target,
							       .stack_id = stack_id } });
}

static const struct migration_row *row(unsigned index)
{
	return migration_result(&findings)->rows->pdata[index];
}

#endif
