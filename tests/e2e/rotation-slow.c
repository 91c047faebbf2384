/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a recorder: LTTng takes its time before processes record their state anew. */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

#define DELAY_US 4000000

int lttng_regenerate_statedump(const char *session);

int lttng_regenerate_statedump(const char *session)
{
	int (*real)(const char *);

	usleep(DELAY_US);
	*(void **)&real = dlsym(RTLD_NEXT, "lttng_regenerate_statedump");
	return real ? real(session) : -1;
}
