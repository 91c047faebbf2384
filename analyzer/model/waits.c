/* SPDX-License-Identifier: Apache-2.0 */
/* For what a call makes the host wait, from waits.def. */
#include "waits.h"

#include "tracer/api.h"
#include "tracer/events.h"

enum row { ROW_NOTHING, ROW_ITSELF, ROW_COPY, ROW_FILL, ROW_DEVICE, ROW_EVERYTHING };

/* Copies within a device and fills of device memory do not wait from here on [CLR62]. */
#define ASYNCHRONOUS_SINCE 60000000

static enum row row_of(unsigned api)
{
	switch (api) {
#define WAIT(name, what, sources) \
	case HG_API_##name:       \
		return ROW_##what;
#include "waits.def"
#undef WAIT
	default:
		return ROW_NOTHING;
	}
}

enum wait model_wait(unsigned api, int version, bool device_only)
{
	switch (row_of(api)) {
	case ROW_NOTHING:
		return WAIT_NOTHING;
	case ROW_COPY:
	case ROW_FILL:
		return device_only && version >= ASYNCHRONOUS_SINCE ? WAIT_NOTHING : WAIT_ITSELF;
	case ROW_DEVICE:
		return WAIT_DEVICE;
	case ROW_EVERYTHING:
		return WAIT_EVERYTHING;
	case ROW_ITSELF:
		break;
	}
	return WAIT_ITSELF;
}

bool model_wait_depends(unsigned api)
{
	enum row row = row_of(api);

	return row == ROW_COPY || row == ROW_FILL;
}
