/* SPDX-License-Identifier: Apache-2.0 */
/* rules_world.h on a GPU and a link to the host of a test's choice. */
#ifndef HIPGRAIN_TEST_GPU_WORLD_H
#define HIPGRAIN_TEST_GPU_WORLD_H

#include "rules_world.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_runtime.h"

enum { PCIE = 2, XGMI = 4 };

static void gpu(const char *arch, int8_t link, int8_t host_native, int8_t xnack, int8_t apu)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime =
				     &(struct hg_ev_runtime){ .path = "", .version = 60200000 } });
	apply(
	    (struct hg_event){ .type = HG_EVENT_device,
			       .device = &(struct hg_ev_device){ .name = "test",
								 .arch = arch,
								 .xnack = xnack,
								 .managed = 1,
								 .fine_grain = 1,
								 .integrated = apu,
								 .host_native_atomic = host_native,
								 .host_link = link } });
	object.arch = (char *)arch;
}

#endif
