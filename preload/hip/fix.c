/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the fixes of `hipgrain run --fix` to the program's memory. */
#include "preload/hip/fix.h"

#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/hip/planned_fixes.h"
#include "preload/hip/hip.h"
#include "preload/hip/record_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/host/alignment.h"
#include "preload/migration/residency.h"
#include "preload/stacks/stack.h"
#include "tracer/events.h"
#include "tracer/events/ev_fix.h"
#include "tracer/events/ev_fix_plan.h"
#include "tracer/provider.h"

static uint32_t looked_at, with_atomics; /* of the plan */
static const char *problem = "";

static const struct {
	const char *name;
	uint32_t fix;
} names[] = {
	{ "coarse-managed", HG_FIX_COARSE_MANAGED },
	{ "prefetch", HG_FIX_PREFETCH },
	{ "align", HG_FIX_ALIGN },
};

static int init(void)
{
	const char *text = getenv("HIPGRAIN_FIX"), *plan = getenv("HIPGRAIN_FIX_PLAN");

	while (text && *text) {
		size_t length = strcspn(text, ",");
		uint32_t fix = 0;

		for (unsigned i = 0; i < HG_COUNT(names); i++)
			if (strlen(names[i].name) == length &&
			    !strncmp(names[i].name, text, length))
				fix = names[i].fix;
		if (!fix)
			hg_say("HIPGRAIN_FIX: nothing is called %.*s", (int)length, text);
		hg_config.fixes |= fix;
		text += length + (text[length] == ',');
	}
	if (!(hg_config.fixes & HG_FIX_COARSE_MANAGED))
		return 0;
	problem = plan && *plan ? hg_fix_plan_read(plan, &looked_at, &with_atomics)
				: "HIPGRAIN_FIX_PLAN names no file: no kernel is known beforehand";
	if (*problem)
		hg_say("coarse-managed: %s", problem);
	return 0;
}

void hg_fix_begin(void)
{
	struct hg_ev_fix_plan event = { .fixes = hg_config.fixes,
					.code_objects = looked_at,
					.kernels = with_atomics,
					.problem = problem };

	if (HG_UNLIKELY(hg_config.fixes) && *hg_provider->recording)
		hg_provider->fix_plan(&event);
}

/* ---- launches ---- */

/* hipMemAdvise's, H523 */
#define SET_COARSE_GRAIN 100

static void note(struct hg_fixes *fixes, unsigned fix, unsigned outcome,
		 const struct hg_hip_subject *subject)
{
	if (fixes->count == HG_COUNT(fixes->rows))
		return;
	fixes->rows[fixes->count++] = (struct hg_fix_row){
		.fix = (uint8_t)fix,
		.outcome = (uint8_t)outcome,
		.ptr = subject ? subject->host : 0,
		.size = subject ? subject->size : 0,
	};
}

static void claim(struct hg_hip_launch *launch, unsigned fix, const uint8_t *bytes, uint32_t length,
		  uint32_t offset)
{
	struct hg_hip_subject subject;
	uint64_t address;

	if (launch->fixes.count == HG_COUNT(launch->fixes.rows) || offset > length ||
	    length - offset < sizeof(address))
		return;
	memcpy(&address, bytes + offset, sizeof(address));
	if (hg_hip_memory_claim(address, fix, launch->event.device, &subject))
		note(&launch->fixes, fix, HG_FIX_DONE, &subject);
}

static void note_coarse(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
			const uint8_t *bytes, uint32_t length, uint8_t status)
{
	const struct hg_fix_kernel *kernel;
	bool known;

	if (variant->plan_looked) {
		kernel = variant->plan;
		known = true; /* or this was reported before */
	} else {
		known = hg_fix_plan_find(variant->code->sha256, launch->name, &kernel);
		variant->plan = kernel;
		variant->plan_looked = true;
		if (!known)
			note(&launch->fixes, HG_FIX_COARSE_MANAGED, HG_FIX_UNKNOWN_CODE, NULL);
		else if (kernel && status != HG_ARGS_COMPLETE)
			note(&launch->fixes, HG_FIX_COARSE_MANAGED, HG_FIX_NO_ARGUMENTS, NULL);
		else if (kernel && kernel->partial)
			note(&launch->fixes, HG_FIX_COARSE_MANAGED, HG_FIX_UNKNOWN_USE, NULL);
	}
	for (uint32_t i = 0; kernel && i < kernel->count; i++)
		claim(launch, HG_FIX_COARSE_MANAGED, bytes, length, kernel->offsets[i]);
}

void hg_fix_note(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
		 const uint8_t *bytes, uint32_t length, uint8_t status)
{
	launch->fixes.count = 0;
	if (!hg_hip_may_query())
		return; /* a later launch finds it still to be done */
	if (hg_config.fixes & HG_FIX_COARSE_MANAGED)
		note_coarse(launch, variant, bytes, length, status);
	for (uint32_t offset = 0; hg_config.fixes & HG_FIX_PREFETCH && !launch->node &&
				  offset + sizeof(uint64_t) <= length;
	     offset += sizeof(uint64_t))
		claim(launch, HG_FIX_PREFETCH, bytes, length, offset);
}

typedef int advise_t(const void *, size_t, int, int);
typedef int prefetch_t(const void *, size_t, int, void *);

static int carry_out(const struct hg_fix_row *row, int device, uint64_t stream)
{
	const void *ptr = (const void *)(uintptr_t)row->ptr;
	advise_t *advise = (advise_t *)hg_hip_query("hipMemAdvise");
	prefetch_t *prefetch = (prefetch_t *)hg_hip_query("hipMemPrefetchAsync");
	int rc = HIP_NO_RUNTIME;

	if (row->fix == HG_FIX_COARSE_MANAGED && advise)
		rc = advise(ptr, row->size, SET_COARSE_GRAIN, device);
	else if (row->fix == HG_FIX_PREFETCH && prefetch)
		rc = prefetch(ptr, row->size, device, (void *)(uintptr_t)stream);
	if (rc)
		hg_hip_forget_error();
	else if (row->fix == HG_FIX_COARSE_MANAGED)
		hg_hip_memory_answered(row->ptr, row->size);
	else
		hg_residency_prefetched();
	return rc;
}

void hg_fix_apply(struct hg_hip_launch *launch, int device)
{
	struct hg_fixes *fixes = &launch->fixes;

	if (HG_LIKELY(!hg_config.fixes) || !fixes->count)
		return;
	for (unsigned i = 0; i < fixes->count; i++) {
		const struct hg_fix_row *row = &fixes->rows[i];
		struct hg_ev_fix event = {
			.fix = row->fix,
			.outcome = row->outcome,
			.ptr = row->ptr,
			.size = row->size,
			.device = device,
			.kernel_id = launch->event.kernel_id,
			.stream = launch->event.stream,
			.stack_id = launch->node ? 0 : hg_stack_id(launch->call.caller),
		};

		if (row->outcome == HG_FIX_DONE) {
			uint64_t start = hg_now();

			event.result = carry_out(row, device, event.stream);
			event.duration = hg_now() - start;
			if (event.result)
				event.outcome = HG_FIX_FAILED;
		}
		hg_provider->fix(&event);
	}
	fixes->count = 0;
}

/* ---- allocations ---- */

/* Managed memory that does not begin where the runtime put it. */
struct shifted {
	struct shifted *next;
	void *ptr, *given;
};

static struct shifted *shifted;
static pthread_mutex_t shifted_lock = PTHREAD_MUTEX_INITIALIZER;

size_t hg_fix_managed_size(size_t size)
{
	if (HG_LIKELY(!(hg_config.fixes & HG_FIX_ALIGN)) || size < HG_FIX_MANAGED_LEAST ||
	    size > SIZE_MAX - 2 * HG_FIX_BLOCK)
		return size;
	return hg_fix_round(size) + HG_FIX_BLOCK;
}

static bool remember(void *ptr, void *given)
{
	struct shifted *row = hg_pool_alloc(sizeof(*row));

	if (!row)
		return false;
	*row = (struct shifted){ .ptr = ptr, .given = given };
	pthread_mutex_lock(&shifted_lock);
	row->next = shifted;
	shifted = row;
	pthread_mutex_unlock(&shifted_lock);
	return true;
}

void *hg_fix_managed(void *given, size_t size)
{
	void *ptr = (void *)hg_fix_round((size_t)given);

	if (hg_fix_managed_size(size) == size)
		return given;
	return ptr == given || remember(ptr, given) ? ptr : given;
}

void *hg_fix_release(void *ptr)
{
	void *given = ptr;

	if (HG_LIKELY(!(hg_config.fixes & HG_FIX_ALIGN)))
		return ptr;
	pthread_mutex_lock(&shifted_lock);
	for (struct shifted **at = &shifted, *row; (row = *at); at = &row->next) {
		if (row->ptr != ptr)
			continue;
		given = row->given;
		*at = row->next;
		hg_pool_free(row);
		break;
	}
	pthread_mutex_unlock(&shifted_lock);
	return given;
}

void hg_fix_kept(void *ptr, void *given)
{
	if (ptr != given)
		remember(ptr, given);
}

HG_PART(.name = "fixes", .order = 81, .init = init);
