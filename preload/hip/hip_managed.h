/* SPDX-License-Identifier: Apache-2.0 */
/* This table keeps where __managed__ variables lie. Kernels reach one by a pointer that the runtime
 * put into the device symbol of its name. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_MANAGED_H
#define HIPGRAIN_PRELOAD_HIP_HIP_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

/* Any more are not kept. */
#define HG_MANAGED_VARIABLES 64u

/* These add a variable, by hg_places_symbol() of its name and its address, and remove one. The
 * caller holds hg_hip_lock(). */
void hg_hip_managed_add(uint64_t symbol, uint64_t address);
void hg_hip_managed_remove(uint64_t address);

/* Return the address of a variable of that name, or 0; the address of the n-th (0 to
 * HG_MANAGED_VARIABLES - 1), or 0; and true if there ever was one. They take no lock. */
uint64_t hg_hip_managed_find(uint64_t symbol);
uint64_t hg_hip_managed_at(uint32_t n);
bool hg_hip_managed_any(void);

#endif
