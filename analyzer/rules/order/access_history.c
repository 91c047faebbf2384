/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what launches use, with their arguments, and the latest uses of each allocation. */
#include "access_history.h"

#include <string.h>

#include "analyzer/rules/engine/kernels.h"
#include "tracer/events/ev_launch.h"

#define INITIAL_USES 4

static uint64_t mix(uint64_t seed, const uint8_t *bytes, size_t size)
{
	uint64_t hash = seed ^ 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

/* ---- what a launch does ---- */

/* Sums up the arguments' bytes without the pointers that the code uses: what can choose a part. */
static void sum_scalars(const struct isa_kernel *code, const struct kernel_args *args,
			struct launch_uses *uses)
{
	uint8_t *bytes = g_memdup2(args->bytes, args->length);

	for (size_t i = 0; i < code->use_count; i++) {
		uint32_t at = code->uses[i].kernarg;

		if (at < args->length)
			memset(bytes + at, 0, MIN(8u, args->length - at));
	}
	uses->signature = mix((uintptr_t)code->symbol, NULL, 0);
	for (size_t i = 0; i < code->arg_count; i++) {
		const struct isa_arg *arg = &code->args[i];
		uint64_t hash;

		if (arg->pointer || arg->offset >= args->length)
			continue;
		hash =
		    mix(arg->size, bytes + arg->offset, MIN(arg->size, args->length - arg->offset));
		uses->signature = mix(uses->signature, (const uint8_t *)&hash, sizeof(hash));
		uses->scalars += hash; /* in whatever order the other kernel has them */
	}
	if (code->arg_count == 0) { /* no metadata: only equal bytes are equal */
		uses->signature = mix(uses->signature, args->bytes, args->length);
		uses->scalars = uses->signature;
	}
	g_free(bytes);
}

static void add_use(const struct rules_context *context, const struct launch *launch,
		    const struct isa_use *use, struct launch_uses *uses)
{
	struct pointer_argument pointer;
	struct grain grain;

	if (use->access == 0)
		return;
	if (!launch_pointer(context, launch, use->kernarg, &pointer) ||
	    pointer.place.kind != PLACE_ALLOCATION) {
		uses->device_memory_only = false;
		if (use->certain && pointer.place.kind == PLACE_NULL && pointer.address == 0) {
			uses->null = true;
			uses->null_kernarg = use->kernarg;
		}
		return;
	}
	grain = place_grain_brief(context->process, &pointer.place);
	uses->device_memory_only &= grain.location == LOCATION_DEVICE;
	uses->polls |= (use->access & (ISA_WRITE | ISA_ATOMIC)) &&
		       grain.granularity != GRAIN_COARSE && grain.location != LOCATION_DEVICE;
	if (use->certain) {
		uses->at[uses->count++] =
		    (struct launch_use){ .allocation = pointer.place.allocation,
					 .address = pointer.address,
					 .kernarg = use->kernarg,
					 .access = (uint8_t)use->access,
					 .width = use->width,
					 .reach = use->reach };
	}
}

static void add_path_use(const struct rules_context *context, const struct path_memory_use *found,
			 struct launch_uses *uses)
{
	const struct pointer_argument *pointer = &found->pointer;
	struct grain grain;

	/* Only certain ones are listed. */
	uses->complete &= found->use.certain;
	if (pointer->place.kind != PLACE_ALLOCATION) {
		uses->device_memory_only = false;
		return;
	}
	grain = place_grain_brief(context->process, &pointer->place);
	uses->device_memory_only &= grain.location == LOCATION_DEVICE;
	uses->polls |= (found->use.access & (ISA_WRITE | ISA_ATOMIC)) &&
		       grain.granularity != GRAIN_COARSE && grain.location != LOCATION_DEVICE;
	if (found->use.certain) {
		uses->at[uses->count++] =
		    (struct launch_use){ .allocation = pointer->place.allocation,
					 .address = pointer->address,
					 .kernarg = pointer->kernarg,
					 .access = (uint8_t)found->use.access,
					 .chain = pointer->chain,
					 .path = pointer->path,
					 .doubt = pointer->doubt };
	}
}

/* Kept with the arguments: the same in the same address space, with the same pointers in memory. */
struct kept_uses {
	struct launch_uses *uses; /* one block, and what its paths own */
	uint64_t epoch, version;
};

static void free_uses(struct kept_uses *kept)
{
	if (kept->uses)
		path_memory_clear(&kept->uses->paths);
	g_free(kept->uses);
	kept->uses = NULL;
}

static void clear_uses(void *data)
{
	free_uses(data);
}

static const struct attachment_type uses_type = { sizeof(struct kept_uses), NULL, clear_uses };

static bool is_fresh(const struct kept_uses *kept, const struct rules_context *context)
{
	return kept->uses && kept->epoch == context->process->epoch &&
	       kept->version == path_memory_version(context, kept->uses->code);
}

const struct launch_uses *launch_uses(const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch launch = { .kernel = kernel, .args = args };
	struct path_memory paths;
	struct launch_uses *uses;
	struct kept_uses *kept;
	size_t most;

	if (!kernel || !args)
		return NULL;
	kept = attachment_get(&args->attachments, &uses_type);
	if (is_fresh(kept, context))
		return kept->uses;
	free_uses(kept);
	launch.code = kernels_find_launched(context->kernels, context->process, kernel, args,
					    context->findings, &launch.arch);
	if (args->status == HG_ARGS_UNKNOWN_LAYOUT || args->status == HG_ARGS_WITHHELD)
		launch.code = NULL;
	most = launch.code ? launch.code->use_count : 0;
	path_memory_find(context, &launch, &paths);
	uses = g_malloc0(sizeof(*uses) + (most + paths.list->len) * sizeof(uses->at[0]));
	uses->code = launch.code;
	uses->complete = launch.code && path_memory_known(&launch, &paths);
	uses->device_memory_only = uses->complete;
	uses->paths = paths;
	if (launch.code)
		sum_scalars(launch.code, args, uses);
	for (size_t i = 0; i < most; i++)
		add_use(context, &launch, &launch.code->uses[i], uses);
	for (unsigned i = 0; i < paths.list->len; i++)
		add_path_use(context, &g_array_index(paths.list, struct path_memory_use, i), uses);
	kept->uses = uses;
	kept->epoch = context->process->epoch;
	kept->version = path_memory_version(context, launch.code);
	return uses;
}

bool launch_uses_all(const struct launch_uses *uses)
{
	if (!uses || !uses->complete)
		return false;
	for (size_t i = 0; i < uses->code->use_count; i++)
		if (uses->code->uses[i].access && !uses->code->uses[i].certain)
			return false;
	return true;
}

/* ---- histories ---- */

static void clear_history(void *data)
{
	g_free(*(struct access_history **)data);
}

/* A pointer to one block, which grows. */
static const struct attachment_type history_type = { sizeof(struct access_history *), NULL,
						     clear_history };

struct access_history *access_history_of(const struct allocation *allocation)
{
	struct access_history **history = attachment_find(&allocation->attachments, &history_type);

	return history ? *history : NULL;
}

static void set_history(struct allocation *allocation, struct access_history *history)
{
	*(struct access_history **)attachment_get(&allocation->attachments, &history_type) =
	    history;
}

static void clean(const struct order *order, struct access_history *history)
{
	unsigned kept = 0;

	if (history->version == order->version)
		return;
	for (unsigned i = 0; i < history->count; i++)
		if (!order_visible(order, history->at[i].moment))
			history->at[kept++] = history->at[i];
	history->count = kept;
	history->version = order->version;
}

static bool is_same(const struct use *a, const struct use *b)
{
	return a->moment.slot == b->moment.slot && a->start == b->start && a->end == b->end &&
	       a->code == b->code && a->signature == b->signature && a->api == b->api &&
	       a->access == b->access;
}

void access_history_add(const struct order *order, struct allocation *allocation,
			const struct use *use)
{
	struct access_history *history = access_history_of(allocation);

	if (!history) {
		history = g_malloc0(sizeof(*history) + INITIAL_USES * sizeof(history->at[0]));
		history->capacity = INITIAL_USES;
		set_history(allocation, history);
	}
	clean(order, history);
	history->writes += (use->access & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;
	for (unsigned i = 0; i < history->count; i++) {
		if (is_same(&history->at[i], use)) {
			history->at[i] = *use;
			return;
		}
	}
	if (history->count == history->capacity && history->capacity < ACCESSES_KEPT) {
		history->capacity *= 2;
		history = g_realloc(history,
				    sizeof(*history) + history->capacity * sizeof(history->at[0]));
		set_history(allocation, history);
	} else if (history->count == history->capacity) {
		memmove(history->at, history->at + 1,
			(history->count - 1) * sizeof(history->at[0]));
		history->count--;
	}
	history->at[history->count++] = *use;
}

void access_history_remove(struct allocation *allocation, struct moment moment)
{
	struct access_history *history = access_history_of(allocation);
	unsigned kept = 0;

	for (unsigned i = 0; history && i < history->count; i++) {
		const struct use *use = &history->at[i];

		if (use->moment.slot != moment.slot || use->moment.epoch != moment.epoch)
			history->at[kept++] = *use;
		else
			history->writes -= (use->access & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;
	}
	if (history)
		history->count = kept;
}
