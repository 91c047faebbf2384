/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wraps the registration of handlers of system events. The runtime calls all handlers in the order
 * in which they were registered, and LLVM's OpenMP registers one that ends the process
 * (amdgpu/src/rtl.cpp, "hsa_amd_register_system_event_handler" [LOMP]): ours is put before the
 * first one, also if nothing else of the runtime is recorded.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/start.h"
#include "preload/gpu/gpu.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/trace/enter.h"

static void come_first(void)
{
	int saved = errno;

	hg_init();
	if (!hg_tls.busy && hg_awake()) {
		hg_tls.busy++;
		hg_hsa_watch_faults(true);
		hg_tls.busy--;
	}
	errno = saved;
}

static int register_handler(void *handler, void *data)
{
	come_first();
	return HSA_REAL(hsa_amd_register_system_event_handler, int, void *, void *)(handler, data);
}

HSA_HEAD(int, hsa_amd_register_system_event_handler, (void *handler, void *data))
{
	HSA_REACHED(int, hsa_amd_register_system_event_handler, (void *handler, void *data));

	come_first();
	return real(handler, data);
}

const struct hsa_wrapper hg_hsa_event_wrappers[] = {
	{ "hsa_amd_register_system_event_handler", (void *)register_handler },
	{ NULL, NULL },
};
