/* SPDX-License-Identifier: Apache-2.0 */
/* This records the process as a whole: its identity and its unnamed memory. */
#include "preload/trace/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "tracer/events.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_region.h"
#include "tracer/provider.h"
#include "tracer/variables.h"

#ifndef HIPGRAIN_VERSION
#error "HIPGRAIN_VERSION comes from the build"
#endif

/* Long command lines and environments are cut: an event must fit into a trace sub-buffer. */
#define TEXT_MAX 4096u

static void collect_environment(char text[TEXT_MAX])
{
	size_t used = 0;

	text[0] = 0;
	for (char **entry = environ; entry && *entry; entry++) {
		size_t length = strlen(*entry);

		if (variables_records(*entry) && used + length + 2 <= TEXT_MAX)
			used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%s",
						 used ? "\n" : "", *entry);
	}
}

static uint64_t instance; /* also the time, ns, since when it is watched */

static void begin(void)
{
	instance = hg_now();
}

uint64_t hg_process_age(void)
{
	return hg_now() - instance;
}

void hg_process_record(bool late)
{
	char exe[PATH_MAX], cmdline[TEXT_MAX], env[TEXT_MAX];
	ssize_t exe_length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t length = hg_read_file("/proc/self/cmdline", cmdline, sizeof(cmdline));
	struct hg_ev_process event = { .ppid = (uint32_t)getppid(),
				       .page_size = (uint32_t)getpagesize(),
				       .threshold = hg_config.threshold,
				       .forked = hg_process_forked,
				       .late = late,
				       .instance = instance,
				       .version = HIPGRAIN_VERSION,
				       .exe = exe,
				       .cmdline = cmdline,
				       .env = env };

	exe[exe_length > 0 ? exe_length : 0] = 0;
	for (size_t i = 0; i + 1 < length; i++)
		if (!cmdline[i])
			cmdline[i] = ' ';
	collect_environment(env);
	if (hg_process_forked && hg_fork_origin.pid) {
		event.ancestor = (uint32_t)hg_fork_origin.pid;
		event.fork_age = hg_now() - hg_fork_origin.ns;
	}
	hg_provider->process(&event);
}

/* ---- regions ---- */

static uint64_t heap_start, heap_end; /* as last recorded */

/* Field start_brk of /proc/self/stat: the 47th; the name in field 2 may hold anything but ends
 * with the last ')'. proc(5). */
static uint64_t find_heap_start(void)
{
	char text[2048], *at;

	hg_read_file("/proc/self/stat", text, sizeof(text));
	at = strrchr(text, ')');
	for (unsigned field = 2; at && field < 47; field++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static void record_stack(void)
{
	pthread_attr_t attributes;
	struct hg_ev_region event = { .kind = HG_REGION_STACK };
	void *start;
	size_t size;

	hg_tls.stack_known = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &start, &size)) {
		event.start = (uintptr_t)start;
		event.size = size;
		hg_provider->region(&event);
	}
	pthread_attr_destroy(&attributes);
}

void hg_regions_record(void)
{
	uint64_t end = (uintptr_t)hg_libc.sbrk(0);
	struct hg_ev_region event = { .kind = HG_REGION_HEAP };

	if (hg_tls.stack_known != __atomic_load_n(&hg_generation, __ATOMIC_RELAXED))
		record_stack();
	if (end == __atomic_load_n(&heap_end, __ATOMIC_RELAXED))
		return;
	if (!heap_start)
		heap_start = find_heap_start();
	__atomic_store_n(&heap_end, end, __ATOMIC_RELAXED);
	if (!heap_start || end <= heap_start)
		return;
	event.start = heap_start;
	event.size = end - heap_start;
	hg_provider->region(&event);
}

static void forget(void)
{
	heap_end = 0;
	hg_tls.stack_known = 0;
}

static int init(void)
{
	begin();
	return 0;
}

HG_PART(.name = "process", .order = 90, .init = init, .forget = forget, .fork_child = begin,
	.fork_record = forget);
