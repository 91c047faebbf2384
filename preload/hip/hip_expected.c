/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of HIP that will also be seen in the HSA runtime's queues (hsa/hsa_queue.c), which
 * checks here whether it has to record one.
 */
#include "preload/hip/hip_expected.h"

#include <string.h>

#include "preload/core/id_table.h"

#define CREDITS 4096u
#define KERNELS (1u << 18)

int hg_hip_expects; /* atomic */

/*
 * Launches by HIP that are still to be submitted, by the hash of the kernel's name; atomic. Two
 * names may share a place: what is expected of one can then hide a launch of the other that
 * bypassed HIP's functions.
 */
static int32_t credits[CREDITS];
static uint16_t places[KERNELS]; /* kernel_id -> place in credits */

static unsigned place_of(const char *name)
{
	return (unsigned)(hg_hash(0, name, strlen(name)) % CREDITS);
}

void hg_hip_expect_name(uint32_t kernel_id, const char *name)
{
	if (kernel_id < KERNELS)
		places[kernel_id] = (uint16_t)place_of(name);
}

void hg_hip_expect(uint32_t kernel_id, int count)
{
	if (__atomic_load_n(&hg_hip_expects, __ATOMIC_RELAXED) && kernel_id < KERNELS)
		__atomic_fetch_add(&credits[places[kernel_id]], count, __ATOMIC_RELAXED);
}

bool hg_hip_take_expected(const char *name)
{
	int32_t *credit = &credits[place_of(name)];
	int32_t value = __atomic_load_n(credit, __ATOMIC_RELAXED);

	while (value > 0)
		if (__atomic_compare_exchange_n(credit, &value, value - 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}
