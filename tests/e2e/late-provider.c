/* SPDX-License-Identifier: Apache-2.0 */
/* A provider without LTTng, whose session the program itself starts and ends: late.c. */
#include <stddef.h>

#include "late-provider.h"
#include "tracer/provider.h"

__attribute__((visibility("default"))) struct late_control late_control;

#define HG_EVENT(name, ...)                                       \
	static void emit_##name(const struct hg_ev_##name *event) \
	{                                                         \
		if (late_control.record)                          \
			late_control.record(#name, event);        \
	}
#include "tracer/events.def"

static const struct hg_provider provider = {
	.version = HG_PROVIDER_VERSION,
	.recording = &late_control.recording,
#define HG_EVENT(name, ...) .name = emit_##name,
#include "tracer/events.def"
};

__attribute__((visibility("default"))) const struct hg_provider *hipgrain_provider(void)
{
	return &provider;
}
