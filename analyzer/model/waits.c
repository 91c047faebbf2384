/* SPDX-License-Identifier: Apache-2.0 */
/* For what a call makes the host wait, from waits.def. */
#include "waits.h"

#include "tracer/api.h"
#include "tracer/events.h"

enum row { ROW_NOTHING, ROW_ITSELF, ROW_COPY, ROW_COPY_ANY, ROW_FILL, ROW_DEVICE, ROW_EVERYTHING };

/*
 * Copies within device memory and fills of it do not wait from here on: HIP 5.6.1 by its release
 * notes [REL561], which name hipMemcpy, and by its source [CLR57]; seen with 5.7.1 to 7.2.4. 5.2.3
 * waits [SEEN52]; of the releases between it is assumed.
 */
#define ASYNCHRONOUS_SINCE 50631062

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

/* Returns the memory that a call of that row must touch so as not to wait. */
static enum wait_memory without_wait(enum row row)
{
	switch (row) {
	case ROW_COPY:
		return WAIT_MEMORY_GPU;
	case ROW_COPY_ANY:
		return WAIT_MEMORY_GPUS;
	default:
		return WAIT_MEMORY_BEGINNING;
	}
}

enum wait model_wait(unsigned api, int version, enum wait_memory memory)
{
	enum row row = row_of(api);

	switch (row) {
	case ROW_NOTHING:
		return WAIT_NOTHING;
	case ROW_COPY:
	case ROW_COPY_ANY:
	case ROW_FILL:
		return version >= ASYNCHRONOUS_SINCE && memory >= without_wait(row) ? WAIT_NOTHING
										    : WAIT_ITSELF;
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

	return row == ROW_COPY || row == ROW_COPY_ANY || row == ROW_FILL;
}

const char *model_wait_sources(unsigned api)
{
	switch (api) {
#define WAIT(name, what, sources) \
	case HG_API_##name:       \
		return sources;
#include "waits.def"
#undef WAIT
	default:
		return "";
	}
}

const char *model_wait_text(enum wait wait)
{
	static const char *const texts[] = {
		[WAIT_NOTHING] = "does not wait",
		[WAIT_ITSELF] = "waits until its own work is complete",
		[WAIT_DEVICE] = "waits for the device",
		[WAIT_EVERYTHING] = "waits for all streams",
	};

	return texts[wait];
}
