/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls make the host wait, and for what; waits.def is the table. */
#ifndef HIPGRAIN_WAITS_H
#define HIPGRAIN_WAITS_H

#include <stdbool.h>

enum wait {
	WAIT_NOTHING,
	WAIT_ITSELF,
	WAIT_DEVICE,
	WAIT_EVERYTHING,
};

/*
 * What the host waits for in a call of `api`  under HIP `version`
 * (hipRuntimeGetVersion, 0: unknown). `device_only`: every byte that the call touches is device
 * memory. Where it is uncertain, the answer is that it waits.
 */
enum wait model_wait(unsigned api, int version, bool device_only);

/* Does a call of this name promise nothing about waiting, but waited in earlier releases? */
bool model_wait_depends(unsigned api);

#endif
