/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime a test is under: the software GPU's own or AMD's, over its driver in user space. */
#ifndef TESTS_DRIVER_H
#define TESTS_DRIVER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool over_driver(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "softkfd");
}

#endif
