/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events about target regions. The runtime calls back on the thread that does the work, which for
 * `nowait` is one of its own; the code pointer that it passes is the application's all the same.
 */
#include <errno.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/ompt/ompt.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/enter_calls.h"
#include "preload/trace/process.h"
#include "preload/trace/redact.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_omp_content.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_omp_device.h"
#include "tracer/events/ev_omp_map.h"
#include "tracer/events/ev_omp_runtime.h"
#include "tracer/events/ev_omp_submit.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/provider.h"

#define PENDING     32
#define MAX_DEVICES 64

/* A transfer to the host whose bytes are there when the construct ends. */
struct pending {
	uint32_t op_id;
	const void *host;
	size_t size;
};

static __thread struct {
	const void *code; /* of the innermost target construct that the thread is in */
	int device;
	unsigned depth;
	bool in_op, op_read, published;
	uint64_t op_start, op_hash;
	unsigned pending_count;
	struct pending pending[PENDING];
} region __attribute__((tls_model("initial-exec")));

static uint32_t next_op = 1;  /* atomic */
static uint64_t real_devices; /* atomic: a bit for each that was initialized */
static ompt_task_info_fn *task_info;

const void *hg_ompt_code(void)
{
	return region.code;
}

bool hg_ompt_in_data_op(void)
{
	return region.in_op;
}

void hg_ompt_set_task_info(ompt_task_info_fn *function)
{
	task_info = function;
}

static uint32_t stack_of(const void *code)
{
	return code ? hg_stack_id(code) : 0;
}

/* Returns true if the number is the host's. If the runtime does not report which devices it has, no
 * number is taken for that. */
static bool is_host(int device)
{
	uint64_t real = __atomic_load_n(&real_devices, __ATOMIC_RELAXED);

	return real && (device < 0 || device >= MAX_DEVICES || !(real >> device & 1));
}

/*
 * The work of an explicit task may be a deferred construct, which ends before its transfers do.
 * ompt_task_flag_t: 4 explicit, 8 target.
 */
static bool may_be_deferred(void)
{
	int flags = 0;

	return !task_info || task_info(0, &flags, NULL, NULL, NULL, NULL) != 2 || (flags & 12);
}

/* Holds what a recording that begins later must know, with the devices of those in real_devices. */
static struct {
	struct hg_ev_omp_runtime runtime; /* no version: it has not come up */
	struct hg_ev_omp_device devices[MAX_DEVICES];
} told;

/* `version` stays valid for as long as the process. */
void hg_ompt_runtime(const char *version, unsigned omp_version, uint64_t callbacks)
{
	int saved = errno;

	told.runtime = (struct hg_ev_omp_runtime){ .version = version,
						   .omp_version = omp_version,
						   .callbacks = callbacks };
	if (hg_enter()) {
		hg_modules_poll();
		hg_provider->omp_runtime(&told.runtime);
		hg_leave();
	}
	errno = saved;
}

static const char *kept(const char *text)
{
	char *copy = text ? hg_pool_strdup(text) : NULL;

	return copy ? copy : "";
}

void hg_ompt_device(int device, const char *type, const char *documentation)
{
	struct hg_ev_omp_device event = { .device = device,
					  .type = kept(type),
					  .documentation = kept(documentation) };
	int saved = errno;

	if (device >= 0 && device < MAX_DEVICES) {
		told.devices[device] = event;
		__atomic_fetch_or(&real_devices, (uint64_t)1 << device, __ATOMIC_RELEASE);
	}
	if (hg_enter()) {
		hg_provider->omp_device(&event);
		hg_leave();
	}
	errno = saved;
}

static void record_again(void)
{
	uint64_t real = __atomic_load_n(&real_devices, __ATOMIC_ACQUIRE);

	if (told.runtime.version)
		hg_provider->omp_runtime(&told.runtime);
	for (int device = 0; device < MAX_DEVICES; device++)
		if (real >> device & 1)
			hg_provider->omp_device(&told.devices[device]);
}

/* ---- what transfers carry ---- */

static struct hg_ompt_reading reading;

/* Returns a hash of the data, or 0 if they were not read. */
static uint64_t content_of(const void *data, size_t size)
{
	uint64_t start, hash;

	if (hg_config.omp_contents == HG_OMP_CONTENTS_SHARE &&
	    !hg_ompt_may_read(&reading, size, hg_process_age()))
		return 0;
	start = hg_now();
	/* Contents that are short or well known could be guessed from a hash without a key. */
	hash = hg_redact_word(hg_ompt_hash(data, size)) | 1;
	hg_ompt_has_read(&reading, size, hg_now() - start);
	return hash;
}

static void record_content(uint32_t op_id, uint64_t hash)
{
	struct hg_ev_omp_content event = { .op_id = op_id, .hash = hash };

	hg_provider->omp_content(&event);
}

static void read_pending(void)
{
	for (unsigned i = 0; i < region.pending_count; i++)
		record_content(region.pending[i].op_id,
			       content_of(region.pending[i].host, region.pending[i].size));
}

/* ---- constructs ---- */

/* Constructs of ompt_target_t with nowait have numbers that are 8 more. */
#define KINDS 8

bool hg_ompt_in_region(void)
{
	return region.published;
}

/*
 * Publishes a construct, unless its region is the program's own code, on the host, or it is inside
 * of a call of HIP's. Needs hg_enter().
 */
static void publish(int kind, const void *code, uint32_t stack_id)
{
	kind &= KINDS - 1;
	if (hg_tls.hip || is_host(region.device) || kind < 1 || kind > 4)
		return;
	hg_open_call_begin((uint16_t)(HG_API_omp_target - 1 + kind), hg_now(), code, stack_id);
	region.published = true;
}

/* The construct now waits for the kernel, which is recorded. Needs hg_enter(). */
void hg_ompt_dispatched(uint32_t kernel_id)
{
	if (!region.published)
		return;
	hg_tls.open_call->kernel_id = kernel_id;
	hg_tls.open_call->start = hg_now();
}

void hg_ompt_target(int kind, int endpoint, int device, const void *code)
{
	struct hg_ev_omp_target event = { .kind = (uint8_t)kind,
					  .endpoint = (uint8_t)endpoint,
					  .device = device };
	int saved = errno;

	if (endpoint != HG_OMP_END) {
		region.depth++;
		region.code = code;
		region.device = device;
		region.pending_count = 0;
	}
	if (hg_enter()) {
		if (endpoint == HG_OMP_END)
			read_pending();
		event.stack_id = stack_of(code);
		hg_provider->omp_target(&event);
		if (endpoint == HG_OMP_BEGIN && region.depth == 1)
			publish(kind, code, event.stack_id);
		hg_leave();
	}
	if (endpoint != HG_OMP_BEGIN) {
		if (region.published && region.depth <= 1) {
			region.published = false;
			hg_open_call_end();
		}
		region.pending_count = 0;
		region.depth -= region.depth > 0;
		if (!region.depth)
			region.code = NULL;
	}
	errno = saved;
}

void hg_ompt_submit(int endpoint, unsigned teams)
{
	struct hg_ev_omp_submit event = { .device = region.device, .teams = teams };
	int saved = errno;

	if (endpoint != HG_OMP_END && hg_enter()) {
		event.stack_id = stack_of(region.code);
		hg_provider->omp_submit(&event);
		hg_leave();
	}
	errno = saved;
}

void hg_ompt_map(unsigned count, void **host, void **device, size_t *sizes, unsigned *flags,
		 const void *code)
{
	int saved = errno;

	if (hg_enter()) {
		uint32_t stack_id = stack_of(code);

		for (unsigned i = 0; i < count; i++) {
			struct hg_ev_omp_map event = { .host = (uintptr_t)host[i],
						       .device = (uintptr_t)device[i],
						       .size = sizes[i],
						       .flags = flags[i],
						       .stack_id = stack_id };

			hg_provider->omp_map(&event);
		}
		hg_leave();
	}
	errno = saved;
}

/* ---- data operations ---- */

static void record_data(int op, void *src, int src_device, void *dst, int dst_device, size_t size,
			const void *code)
{
	struct hg_ev_omp_data event = {
		.op_id = __atomic_fetch_add(&next_op, 1, __ATOMIC_RELAXED),
		.op = (uint8_t)op,
		.src = (uintptr_t)src,
		.dst = (uintptr_t)dst,
		.src_device = src_device,
		.dst_device = dst_device,
		.size = size,
	};

	if (region.op_start)
		event.duration = hg_now() - region.op_start;
	event.stack_id = stack_of(code ? code : region.code);
	hg_provider->omp_data(&event);
	if (op == HG_OMP_TO_DEVICE && region.op_read)
		record_content(event.op_id, region.op_hash);
	if (op == HG_OMP_FROM_DEVICE && hg_config.omp_contents && is_host(dst_device) && size &&
	    region.depth && region.pending_count < PENDING && !may_be_deferred())
		region.pending[region.pending_count++] = (struct pending){ event.op_id, dst, size };
}

void hg_ompt_data(int endpoint, int op, void *src, int src_device, void *dst, int dst_device,
		  size_t size, const void *code)
{
	int saved = errno;

	if (op > 16)
		op -= 16; /* ompt_target_data_alloc_async and so on */
	if (endpoint != HG_OMP_END) {
		region.in_op = endpoint == HG_OMP_BEGIN;
		region.op_read = false;
		region.op_start = region.op_hash = 0;
	}
	if (!hg_enter())
		goto out;
	/* A transfer to the device reads what is there now; to the host, at the end. */
	if (endpoint != HG_OMP_END && op == HG_OMP_TO_DEVICE && hg_config.omp_contents && size &&
	    is_host(src_device)) {
		region.op_read = true;
		region.op_hash = content_of(src, size);
	}
	if (endpoint == HG_OMP_BEGIN)
		region.op_start = hg_now();
	/* Memory that is deleted may be another allocation before the call returns, so that is
	 * recorded first. */
	if (endpoint == HG_OMP_BEGIN_END || (endpoint == HG_OMP_BEGIN) == (op == HG_OMP_DELETE)) {
		if (op == HG_OMP_DELETE)
			region.op_start = 0;
		record_data(op, src, src_device, dst, dst_device, size, code);
	}
	hg_leave();
out:
	if (endpoint == HG_OMP_END)
		region.in_op = false;
	errno = saved;
}

HG_PART(.name = "openmp-runtime", .order = 37, .record_state = record_again);
