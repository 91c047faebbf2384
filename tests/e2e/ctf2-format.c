/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a recorder: its sessions are in CTF 2, whatever it wants, where LTTng has that. */
#include <dlfcn.h>
#include <stddef.h>

#define CTF_2 2 /* LTTNG_TRACE_FORMAT_CTF_2, lttng/session-descriptor.h of 2.16 */

int lttng_session_descriptor_set_trace_format(void *descriptor, int format);

int lttng_session_descriptor_set_trace_format(void *descriptor, int format)
{
	int (*real)(void *, int);

	(void)format;
	*(void **)&real = dlsym(RTLD_NEXT, "lttng_session_descriptor_set_trace_format");
	return real ? real(descriptor, CTF_2) : 0;
}
