/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrong memory accesses that the software GPU's checks found (kernels/softgpu/softgpu.h), and the
 * end of a process in which leaks are looked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/gpu/gpu.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

/* struct softgpu_checked, up to what is recorded */
struct checked {
	const char *kernel, *instruction, *other_instruction;
	int64_t offset, other_offset;
	uint64_t address;
	uint32_t size, lds_size;
	int kind;
	uint32_t group[3], item[3], other_item[3], other_group[3];
	bool writes, doubtful;
};

typedef void check_watcher(const struct checked *, void *);

#define TRIPLE(a) a[0], a[1], a[2]

/* The software GPU makes one call at a time, so a static buffer will do. */
static void on_checked(const struct checked *checked, void *data)
{
	static char text[8192];
	int saved = errno, length;

	(void)data;
	length = snprintf(text, sizeof(text), "%s %s %u,%u,%u %u,%u,%u %u,%u,%u %u %s %u,%u,%u",
			  checked->kernel, checked->instruction, TRIPLE(checked->group),
			  TRIPLE(checked->item), TRIPLE(checked->other_item), checked->lds_size,
			  checked->other_instruction, TRIPLE(checked->other_group));
	/* Half a name would be another kernel's. */
	if (length > 0 && (size_t)length < sizeof(text) && !hg_process_forked && hg_enter()) {
		struct hg_ev_call event = { .api = HG_API_gpu_checked,
					    .ptr = checked->address,
					    .size = checked->size,
					    .flags = (uint64_t)checked->offset,
					    .handle = (uint64_t)checked->other_offset,
					    .value = (uint64_t)checked->kind |
						     (uint64_t)checked->writes << 8 |
						     (uint64_t)checked->doubtful << 9,
					    .device = -1,
					    .text = text };

		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
}

static bool leakcheck;

/* exit() calls this, and _exit() does not. */
__attribute__((destructor)) static void at_exit(void)
{
	int saved = errno;

	if (leakcheck && hg_enter()) {
		struct hg_ev_call event = { .api = HG_API_process_exit, .device = -1, .text = "" };

		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
}

void hg_hsa_watch_checks(void)
{
	uint64_t (*watch)(check_watcher *, void *) =
	    (uint64_t(*)(check_watcher *, void *))hg_hsa_query("softgpu_watch_checks");
	const char *tools = getenv("SOFTGPU_CHECK");

	if (watch)
		watch(on_checked, NULL);
	leakcheck = watch && tools && strstr(tools, "leakcheck");
}
