/* SPDX-License-Identifier: Apache-2.0 */
/* A machine with an APU or a GPU of CDNA 3, and perhaps a second one; for tests of the rules about
 * them. */
#ifndef HIPGRAIN_TEST_APU_WORLD_H
#define HIPGRAIN_TEST_APU_WORLD_H

#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_runtime.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define GIB (1ull << 30)

/* Its runtime and first device, of 16 GiB. */
static void machine(const char *arch, int8_t apu, int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime =
				     &(struct hg_ev_runtime){ .path = "", .version = 60400000 } });
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){ .name = "test",
								   .arch = arch,
								   .managed = 1,
								   .fine_grain = 1,
								   .xnack = xnack,
								   .integrated = apu,
								   .memory = 16 * GIB } });
	object.arch = (char *)arch;
}

/* The second one. */
static void other_gpu(int8_t apu, uint64_t memory)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){ .ordinal = 1,
								   .name = "test",
								   .arch = "gfx942",
								   .managed = 1,
								   .fine_grain = 1,
								   .integrated = apu,
								   .memory = memory } });
}

static void alloc_on(int32_t device, uint64_t ptr, uint64_t size, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipMalloc,
								 .ptr = ptr,
								 .size = size,
								 .device = device,
								 .symbol = "",
								 .stack_id = stack_id } });
}

static void release(uint16_t api, uint64_t ptr)
{
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free = &(struct hg_ev_free){ .api = api, .ptr = ptr } });
}

static bool is_found(const char *rule)
{
	const char *text = found();

	return strstr(text, rule) != NULL;
}

#endif
