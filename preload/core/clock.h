/* SPDX-License-Identifier: Apache-2.0 */
/* The time, in ns. */
#ifndef HIPGRAIN_PRELOAD_CORE_CLOCK_H
#define HIPGRAIN_PRELOAD_CORE_CLOCK_H

#include <stdint.h>

uint64_t hg_now(void); /* ns, monotonic */
/* The same within a microsecond, not in order with other readings: clock.c. */
uint64_t hg_now_about(void);

#endif
