/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stale reads: the software GPU reports loads that the caches of several XCDs served with older
 * data than another work-group had stored (kernels/softgpu/softgpu.h). No other HSA runtime can.
 */
#include <errno.h>
#include <stdio.h>

#include "preload/core/base.h"
#include "preload/gpu/gpu.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

/* struct softgpu_stale_read, up to what is recorded */
struct stale_read {
	const char *kernel;
	int64_t offset;
	const char *writer;
	int64_t writer_offset;
	uint64_t address;
	uint64_t seed;
};

typedef void stale_watcher(const struct stale_read *, void *);

/* The software GPU makes one call at a time, so a static buffer will do. */
static void on_stale_read(const struct stale_read *read, void *data)
{
	static char text[8192];
	int saved = errno, length;

	(void)data;
	length = snprintf(text, sizeof(text), "%s %s", read->kernel, read->writer);
	/* Half a name would be another kernel's. */
	if (length > 0 && (size_t)length < sizeof(text) && !hg_process_forked && hg_enter()) {
		struct hg_ev_call event = { .api = HG_API_gpu_stale_read,
					    .ptr = read->address,
					    .size = read->seed,
					    .flags = (uint64_t)read->offset,
					    .value = (uint64_t)read->writer_offset,
					    .device = -1,
					    .text = text };

		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
}

void hg_hsa_watch_stale_reads(void)
{
	void (*watch)(stale_watcher *, void *) =
	    (void (*)(stale_watcher *, void *))hg_hsa_query("softgpu_watch_stale_reads");

	if (watch)
		watch(on_stale_read, NULL);
}
