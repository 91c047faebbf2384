/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access faults of GPUs, for their tests. */
#ifndef HIPGRAIN_TESTS_FAULTS_WORLD_H
#define HIPGRAIN_TESTS_FAULTS_WORLD_H

#include "analyzer/rules/order/faults.h"
#include "order_world.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_device.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define ABSENT     1u /* page not present */
#define FAR        0x900000u

static void fault_of(int32_t device, uint64_t page, uint32_t reason)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_gpu_memory_fault,
							       .ptr = page,
							       .flags = reason,
							       .device = device,
							       .text = "" } });
}

static void fault(uint64_t page)
{
	fault_of(0, page, ABSENT);
}

static inline bool says(const char *text)
{
	return strstr(finding(0)->message, text) != NULL;
}

static inline void other_device(int32_t ordinal)
{
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = &(struct hg_ev_device){ .ordinal = ordinal, .name = "", .arch = "gfx90a" } });
}

static inline void switch_xnack_on(void)
{
	const struct process *process = replay_process(&replay, pid_now);

	if (process && process->devices->len)
		((struct device *)process->devices->pdata[0])->xnack = 1;
}

#endif
