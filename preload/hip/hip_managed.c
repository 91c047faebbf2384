/* SPDX-License-Identifier: Apache-2.0 */
/* A small table, which only grows: programs have few managed variables. Members are atomic. */
#include "preload/hip/hip_managed.h"

static struct {
	uint64_t symbol, address; /* address 0: none */
} rows[HG_MANAGED_VARIABLES];
static uint32_t row_count; /* that were ever used */

void hg_hip_managed_add(uint64_t symbol, uint64_t address)
{
	uint32_t all = __atomic_load_n(&row_count, __ATOMIC_RELAXED), at = 0;

	while (at < all && __atomic_load_n(&rows[at].address, __ATOMIC_RELAXED))
		at++;
	if (at == HG_MANAGED_VARIABLES)
		return;
	__atomic_store_n(&rows[at].symbol, symbol, __ATOMIC_RELAXED);
	__atomic_store_n(&rows[at].address, address, __ATOMIC_RELEASE);
	if (at == all)
		__atomic_store_n(&row_count, all + 1, __ATOMIC_RELEASE);
}

void hg_hip_managed_remove(uint64_t address)
{
	for (uint32_t i = 0; i < __atomic_load_n(&row_count, __ATOMIC_RELAXED); i++)
		if (__atomic_load_n(&rows[i].address, __ATOMIC_RELAXED) == address)
			__atomic_store_n(&rows[i].address, 0, __ATOMIC_RELAXED);
}

uint64_t hg_hip_managed_at(uint32_t n)
{
	return n < __atomic_load_n(&row_count, __ATOMIC_ACQUIRE)
		   ? __atomic_load_n(&rows[n].address, __ATOMIC_ACQUIRE)
		   : 0;
}

uint64_t hg_hip_managed_find(uint64_t symbol)
{
	for (uint32_t i = 0; i < __atomic_load_n(&row_count, __ATOMIC_ACQUIRE); i++) {
		uint64_t address = hg_hip_managed_at(i);

		if (address && __atomic_load_n(&rows[i].symbol, __ATOMIC_RELAXED) == symbol)
			return address;
	}
	return 0;
}

bool hg_hip_managed_any(void)
{
	return __atomic_load_n(&row_count, __ATOMIC_RELAXED) != 0;
}
