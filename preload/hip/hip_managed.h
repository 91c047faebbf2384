/* SPDX-License-Identifier: Apache-2.0 */
/* Where __managed__ variables lie. Kernels reach one by a pointer that the runtime put into the
 * device symbol of its name. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_MANAGED_H
#define HIPGRAIN_PRELOAD_HIP_HIP_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

/* Of more nothing is known. */
#define HG_MANAGED_VARIABLES 64u

/* Its name's hg_places_symbol() and its address; and that it is gone. Under hg_hip_lock(). */
void hg_hip_managed_add(uint64_t symbol, uint64_t address);
void hg_hip_managed_remove(uint64_t address);

/* The address of one of that name, or 0; of the n-th (0 to HG_MANAGED_VARIABLES - 1), or 0; whether
 * there is one. Without a lock. */
uint64_t hg_hip_managed_find(uint64_t symbol);
uint64_t hg_hip_managed_at(uint32_t n);
bool hg_hip_managed_any(void);

#endif
