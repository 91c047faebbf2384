/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what work does to the addresses that are known to lie in memory (replay/contents.h): the
 * memory that a launch may store to is unknown afterwards, until the host sees it after having
 * waited.
 */
#include "paths.h"

#include "analyzer/model/waits.h"
#include "analyzer/rules/engine/evaluations.h"
#include "analyzer/rules/engine/kernels.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

/* If the extent of memory is not known, it is taken for so many bytes around the pointer. */
#define OTHER_MEMORY ((uint64_t)1 << 20)

/* A kernel's stores may depend on each other: they are followed so often until nothing is new. */
#define ROUNDS 8u

/* Keeps what a launch stores with its arguments: the same while nothing has changed. */
struct kept_stores {
	uint64_t epoch, version;
	GArray *list; /* struct stretch; NULL: not determined yet */
	/* So many of them go by memory as it was before the launch; then come those that go
	 * through what these leave there. */
	unsigned plain;
	bool all; /* these are all */
	/* Some may lead elsewhere: it is known if so, and it is. */
	bool led_known, led;
	/* kernels_find_launched() returned these for `kernel`, the launch's. */
	const struct kernel_ref *kernel;
	const struct isa_kernel *code;
	const char *arch;
};

/* Bytes that a store may write: `size`, and as many again at each multiple of the stride. */
struct stretch {
	uint64_t start, size, stride, count;
	bool known;                   /* the values are all that is stored there */
	bool loaded;                  /* ... as memory was before the launch: they are loaded */
	bool certain;                 /* it is one word, and is stored for certain */
	struct content_values values; /* besides numbers */
};

static void clear_kept(void *data)
{
	struct kept_stores *kept = data;

	g_clear_pointer(&kept->list, g_array_unref);
}

static const struct attachment_type kept_type = { sizeof(struct kept_stores), NULL, clear_kept };

/* Returns true if a path ends exactly where its last pointer leads, or at a known distance. */
static bool is_exact(const struct isa_path *path, const struct pointer_argument *target)
{
	return !target->vague && (path->step_count == 0 || path->step[path->step_count - 1].exact);
}

/* So many places that an index chooses among are followed one by one. */
#define SLOTS 1024u

/* Keeps those places of a stretch of memory that differ from `at` by a multiple of the stride. */
static void keep_slots(struct stretch *stretch, uint64_t at, uint64_t stride, uint32_t size)
{
	uint64_t end = stretch->start + stretch->size;
	uint64_t lead = (at - stretch->start) % stride; /* to the first one that begins in it */

	if (at < stretch->start)
		lead = (stride - (stretch->start - at) % stride) % stride;
	/* A place that began ahead may reach into it. */
	if (lead + size > stride)
		lead -= stride;
	if (size >= stride || (stretch->size - lead) / stride >= SLOTS)
		return;
	stretch->start += lead;
	stretch->count = stretch->start < end ? (end - stretch->start + stride - 1) / stride : 0;
	stretch->size = size;
	stretch->stride = stride;
}

/*
 * Returns where one store ends up: exactly there, where its index can lead, or anywhere in that
 * memory.
 */
static struct stretch stretch_of(const struct pointer_argument *target,
				 const struct isa_store *store)
{
	const struct isa_path *path = &store->path;
	const struct isa_step *last = path->step_count ? &path->step[path->step_count - 1] : NULL;
	struct stretch stretch = { .start = target->address, .size = store->size, .count = 1 };

	if (is_exact(path, target))
		return stretch;
	if (last && last->bounded && !target->vague) {
		stretch.start += (uint64_t)last->first;
		stretch.size += (uint64_t)(last->last - last->first);
		if (last->stride)
			keep_slots(&stretch, stretch.start, last->stride, store->size);
		return stretch;
	}
	if (target->place.kind == PLACE_ALLOCATION) {
		stretch.start -= target->place.offset;
		stretch.size = target->place.allocation->size;
	} else {
		stretch.size = OTHER_MEMORY;
		stretch.start -= MIN(stretch.start, OTHER_MEMORY / 2);
	}
	if (last && last->stride && !target->vague)
		keep_slots(&stretch, target->address + (uint64_t)last->offset, last->stride,
			   store->size);
	return stretch;
}

/* Adds what is stored, as far as these are pointers. False if not all of it is known. */
static bool find_values(const struct rules_context *context, const struct launch *launch,
			const struct isa_store *store, struct content_values *values)
{
	struct path_targets targets;
	bool known = store->value_known && store->size == 8;

	if (!known || !store->value_count)
		return known;
	path_values_find(context, launch, store->value, store->value_count, &targets);
	known = targets.complete && !targets.doubted;
	for (unsigned i = 0; known && i < targets.list->len; i++) {
		const struct pointer_argument *target =
		    &g_array_index(targets.list, struct pointer_argument, i);

		known = target->place.kind != PLACE_UNKNOWN &&
			(!target->vague || target->place.kind == PLACE_ALLOCATION) &&
			content_values_add(values, target->address, target->vague);
	}
	path_targets_clear(&targets);
	return known;
}

/* The runtime's own memory holds no pointers of the program. */
static bool is_hidden(const struct isa_kernel *code, const struct isa_path *path)
{
	uint32_t end = 0;

	for (size_t i = 0; i < code->arg_count; i++)
		end = MAX(end, code->args[i].offset + code->args[i].size);
	return !path->symbol && code->arg_count > 0 && path->kernarg >= end;
}

/* Returns true if a path goes through a pointer that the same work-item has stored before. */
static bool goes_by_own(const struct isa_path *path)
{
	for (unsigned i = 0; i + 1 < path->step_count; i++)
		if (path->step[i].stored_before)
			return true;
	return false;
}

/* Returns true if a stored pointer is loaded from memory. */
static bool is_loaded(const struct isa_store *store)
{
	for (size_t i = 0; i < store->value_count; i++)
		if (store->value[i].step_count > 1)
			return true;
	return false;
}

static void find_store(const struct rules_context *context, const struct launch *launch,
		       struct kept_stores *kept, const struct isa_store *store)
{
	struct content_values values = { 0 };
	struct path_targets targets;
	bool known = find_values(context, launch, store, &values);

	path_targets_before(context, launch, &store->path, 1, kept, &targets);
	kept->all &= targets.complete;
	for (unsigned k = 0; k < targets.list->len; k++) {
		const struct pointer_argument *target =
		    &g_array_index(targets.list, struct pointer_argument, k);
		struct stretch stretch = stretch_of(target, store);

		stretch.known = known;
		stretch.loaded = is_loaded(store);
		stretch.certain = known && store->executes && targets.complete &&
				  targets.list->len == 1 && !target->doubt &&
				  is_exact(&store->path, target);
		stretch.values = values;
		g_array_append_val(kept->list, stretch);
	}
	path_targets_clear(&targets);
}

static void find_stores(const struct rules_context *context, const struct launch *launch,
			struct kept_stores *kept)
{
	g_array_set_size(kept->list, 0);
	kept->led_known = false;
	kept->all = launch->code->stores_complete;
	for (int own = 0; own < 2; own++) {
		kept->plain = kept->list->len;
		for (size_t i = 0; i < launch->code->store_count; i++) {
			const struct isa_store *store = &launch->code->stores[i];

			if (!is_hidden(launch->code, &store->path) &&
			    goes_by_own(&store->path) == own)
				find_store(context, launch, kept, store);
		}
	}
}

/* Returns what the launch stores, determined anew if that may have changed. */
static struct kept_stores *stores_of(const struct rules_context *context,
				     const struct launch *launch, struct kernel_args *args)
{
	struct kept_stores *kept = attachment_get(&args->attachments, &kept_type);

	if (kept->list && kept->epoch == context->process->epoch &&
	    kept->version == context->process->contents.version)
		return kept;
	if (!kept->list)
		kept->list = g_array_new(FALSE, FALSE, sizeof(struct stretch));
	kept->epoch = context->process->epoch;
	kept->version = context->process->contents.version;
	find_stores(context, launch, kept);
	return kept;
}

/* Returns true if a store of the stretch may be to one of these bytes. */
static bool overlaps(const struct stretch *stretch, uint64_t address, uint64_t size)
{
	uint64_t first = 0; /* the first of its places that ends behind the address */

	if (!stretch->count)
		return false;
	if (address >= stretch->start + stretch->size) {
		if (stretch->count == 1)
			return false;
		first = (address - stretch->start - stretch->size) / stretch->stride + 1;
	}
	return first < stretch->count && stretch->start + first * stretch->stride < address + size;
}

static bool may_store(const struct kept_stores *kept, uint64_t address, unsigned size)
{
	if (!kept->all)
		return true;
	for (unsigned i = 0; i < kept->list->len; i++)
		if (overlaps(&g_array_index(kept->list, struct stretch, i), address, size))
			return true;
	return false;
}

/* Returns the place of the pointer that step number `step` of a path loads, as a path. */
static struct isa_path pointer_place(const struct isa_path *path, unsigned step)
{
	struct isa_path place = *path;
	unsigned end = step;

	while (path->step[end].repeats && end + 1 < path->step_count)
		end++;
	place.step[end] = path->step[step];
	place.step[end].repeats = false;
	place.step_count = end + 1;
	return place;
}

static bool collect_values(const struct kept_stores *kept, uint64_t start, uint64_t size,
			   struct content_values *values);

bool stores_leave(const struct rules_context *context, const struct kept_stores *stores,
		  uint64_t address, struct content_values *values)
{
	const struct hg_event *event = context->event;

	values->count = 0;
	for (unsigned i = 0; i < stores->list->len; i++) {
		const struct stretch *stretch = &g_array_index(stores->list, struct stretch, i);

		if ((stretch->loaded || i >= stores->plain) && overlaps(stretch, address, 8))
			return false;
	}
	/* The nodes of a graph may run at the same time. */
	return stores->all && collect_values(stores, address, 8, values) && values->count &&
	       event->launch->api != HG_API_hipGraphLaunch &&
	       event->launch->api != HG_API_hipGraphLaunch_spt &&
	       !contents_pending_elsewhere(&context->process->contents, address, event);
}

/* Returns true if one of the stores may change a pointer that this one goes through. */
static bool may_be_led(const struct rules_context *context, const struct launch *launch,
		       const struct kept_stores *kept, const struct isa_store *store)
{
	bool led = false;

	for (unsigned step = 0; !led && step + 1 < store->path.step_count; step++) {
		const struct isa_store pointer = { .path = pointer_place(&store->path, step),
						   .size = 8 };
		struct path_targets targets;

		path_targets_before(context, launch, &pointer.path, 1, kept, &targets);
		for (unsigned i = 0; !led && i < targets.list->len; i++) {
			struct stretch at = stretch_of(
			    &g_array_index(targets.list, struct pointer_argument, i), &pointer);
			struct content_values values;

			/* It does, before: that is how it was followed. */
			if (store->path.step[step].stored_before && at.count == 1 && at.size == 8 &&
			    stores_leave(context, kept, at.start, &values))
				continue;

			for (uint64_t k = 0; !led && k < at.count; k++)
				for (unsigned m = 0; !led && m < kept->list->len; m++)
					led =
					    overlaps(&g_array_index(kept->list, struct stretch, m),
						     at.start + k * at.stride, at.size);
		}
		path_targets_clear(&targets);
	}
	return led;
}

/*
 * Returns true if a store may go through a pointer that another one changes. Else they all go where
 * memory as it was before the launch says.
 */
static bool may_lead_elsewhere(const struct rules_context *context, const struct launch *launch,
			       struct kept_stores *kept)
{
	if (kept->led_known)
		return kept->led;
	kept->led_known = true;
	kept->led = false;
	for (size_t i = 0; !kept->led && i < launch->code->store_count; i++)
		kept->led = may_be_led(context, launch, kept, &launch->code->stores[i]);
	return kept->led;
}

bool launch_may_store(const struct rules_context *context, const struct launch *launch,
		      uint64_t address, unsigned size)
{
	struct kernel_args *args = process_args(context->process, context->event->launch->args_id);
	struct kept_stores *kept = args ? stores_of(context, launch, args) : NULL;

	return !kept || may_store(kept, address, size) || may_lead_elsewhere(context, launch, kept);
}

/*
 * Adds what any of the launch's stores may leave in these bytes. Returns false if that is not all
 * known.
 */
static bool collect_values(const struct kept_stores *kept, uint64_t start, uint64_t size,
			   struct content_values *values)
{
	bool known = true;

	for (unsigned i = 0; i < kept->list->len; i++) {
		const struct stretch *stretch = &g_array_index(kept->list, struct stretch, i);

		if (!overlaps(stretch, start, size))
			continue;
		known &= stretch->known && stretch->start % 8 == 0;
		for (unsigned k = 0; k < stretch->values.count; k++)
			known &= content_values_add(values, stretch->values.at[k].address,
						    stretch->values.at[k].vague);
	}
	return known;
}

bool launch_stores(const struct rules_context *context, const struct launch *launch, uint64_t start,
		   uint64_t size, struct content_values *values)
{
	struct kernel_args *args = process_args(context->process, context->event->launch->args_id);

	values->count = 0;
	return !args || collect_values(stores_of(context, launch, args), start, size, values);
}

bool launch_leaves(const struct rules_context *context, const struct launch *launch,
		   uint64_t address, struct content_values *values)
{
	struct kernel_args *args = process_args(context->process, context->event->launch->args_id);
	struct kept_stores *kept = args ? stores_of(context, launch, args) : NULL;

	values->count = 0;
	return kept && stores_leave(context, kept, address, values) &&
	       !may_lead_elsewhere(context, launch, kept);
}

bool evaluation_may_store(const struct rules_context *context, const struct launch *launch,
			  const struct isa_evaluation *evaluation, const GArray *words)
{
	struct kept_stores kept = { .list = g_array_new(FALSE, FALSE, sizeof(struct stretch)) };
	struct isa_kernel code = *launch->code;
	struct launch own = *launch;
	bool any;

	code.stores = evaluation->stores;
	code.store_count = evaluation->store_count;
	code.stores_complete = evaluation->stores_complete;
	own.code = &code;
	find_stores(context, &own, &kept);
	any = may_lead_elsewhere(context, &own, &kept);
	for (unsigned i = 0; !any && i < words->len; i++) {
		const struct word *word = &g_array_index(words, struct word, i);

		any = may_store(&kept, word->address, word->size);
	}
	g_array_free(kept.list, TRUE);
	return any;
}

static void apply_stretches(const struct rules_context *context, const struct kept_stores *kept,
			    bool forget)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct contents *contents = &context->process->contents;

	for (unsigned i = 0; i < kept->list->len; i++) {
		const struct stretch *stretch = &g_array_index(kept->list, struct stretch, i);

		for (uint64_t k = 0; k < stretch->count; k++) {
			uint64_t start = stretch->start + k * stretch->stride;

			if (stretch->known && !forget)
				contents_store(contents, start, stretch->size, &stretch->values,
					       context->event->ns);
			else
				contents_forget(contents, start, stretch->size);
		}
		if (stretch->count)
			contents_pend(contents, stretch->start,
				      (stretch->count - 1) * stretch->stride + stretch->size,
				      event->stream, event->device);
	}
}

/* What was in words that the launch stores for certain is gone at its end. */
static void apply_certain(const struct rules_context *context, const struct kept_stores *kept)
{
	for (unsigned i = 0; i < kept->list->len; i++) {
		const struct stretch *stretch = &g_array_index(kept->list, struct stretch, i);
		struct content_values values = { 0 };

		if (stretch->certain && collect_values(kept, stretch->start, 8, &values))
			contents_replace(&context->process->contents, stretch->start, &values,
					 context->event);
	}
}

/*
 * Returns the kernel with the stores that the launch executes, in `own`, if they are all known
 * then; else NULL. Only kernels are evaluated of which the atomics are as well.
 */
static const struct isa_kernel *executed_stores(const struct rules_context *context,
						const struct launch *launch, struct isa_kernel *own)
{
	bool items, numbers, any = false;
	struct launch copy = *launch;
	const struct isa_evaluation *evaluation;

	for (size_t i = 0; !any && i < launch->code->atomic_count; i++)
		any = launch->code->atomics[i].fp &&
		      launch->code->atomics[i].origin.kind != ISA_ORIGIN_LDS;
	if (!any)
		return NULL;
	copy.items_matter = &items;
	copy.numbers_matter = &numbers;
	evaluation = launch_evaluate(context, &copy);
	if (!evaluation || evaluation->why || !evaluation->stores_complete)
		return NULL;
	*own = *launch->code;
	own->stores = evaluation->stores;
	own->store_count = evaluation->store_count;
	own->stores_complete = true;
	return own;
}

/* Applies the stores. Another store may take from there, or follow, what one makes of memory. */
static void apply_stores(const struct rules_context *context, const struct launch *launch,
			 struct kernel_args *args)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct contents *contents = &context->process->contents;
	struct kept_stores *kept = stores_of(context, launch, args);
	struct kept_stores executed = { .list = NULL };
	struct launch own = *launch;
	struct isa_kernel code;
	bool all = true, settled = false;

	if (!kept->all)
		own.code = executed_stores(context, launch, &code);
	if (own.code == &code) {
		executed.list = g_array_new(FALSE, FALSE, sizeof(struct stretch));
		kept = &executed;
	}
	for (unsigned round = 0; round <= ROUNDS && !settled; round++) {
		uint64_t before = contents->version;

		if (kept == &executed)
			find_stores(context, &own, kept);
		else
			kept = stores_of(context, launch, args);
		all &= kept->all;
		apply_stretches(context, kept, round == ROUNDS);
		settled = before == contents->version;
	}
	/* The nodes of a graph may run in another order. */
	if (all && settled && event->api != HG_API_hipGraphLaunch &&
	    event->api != HG_API_hipGraphLaunch_spt)
		apply_certain(context, kept);
	if (!all)
		contents_doubt(contents, context->event->ns, event->stream, event->device);
	g_clear_pointer(&executed.list, g_array_unref);
}

static void follow_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct contents *contents = &context->process->contents;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch launch = { .kernel = kernel, .args = args };
	struct kept_stores *kept = args ? attachment_get(&args->attachments, &kept_type) : NULL;

	if (kept && kept->kernel == kernel) {
		launch.code = kept->code;
		launch.arch = kept->arch;
	} else if (kernel) {
		launch.code = kernels_find_launched(context->kernels, context->process, kernel,
						    args, context->findings, &launch.arch);
	}
	if (kept) {
		kept->kernel = kernel;
		kept->code = launch.code;
		kept->arch = launch.arch;
	}
	if (contents_is_loose(event->api))
		contents_forget_events(contents);
	if (!launch.code || !args) {
		contents_doubt(contents, context->event->ns, event->stream, event->device);
		return;
	}
	apply_stores(context, &launch, args);
}

/*
 * Returns what a call certainly waits for. Within the device, a call whose wait depends does not
 * wait.
 */
static enum wait wait_of(const struct rules_context *context, unsigned api, bool device_only)
{
	return device_only && model_wait_depends(api)
		   ? WAIT_NOTHING
		   : model_wait(api, context->process->runtime_version, WAIT_MEMORY_OTHER);
}

static void waited(const struct rules_context *context, enum wait wait, uint64_t stream,
		   int32_t device)
{
	struct contents *contents = &context->process->contents;

	switch (wait) {
	case WAIT_NOTHING:
		break;
	case WAIT_ITSELF:
		contents_waited_stream(contents, stream, device);
		break;
	case WAIT_DEVICE:
		contents_waited_device(contents, device);
		break;
	case WAIT_EVERYTHING:
		contents_waited_device(contents, -1);
		break;
	}
}

/* hipMemcpyKind [H523] */
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

static void follow_copy(const struct rules_context *context)
{
	const struct hg_ev_copy *copy = context->event->copy;
	bool device_only = copy->kind != HOST_TO_DEVICE && copy->kind != DEVICE_TO_HOST;
	enum wait wait = wait_of(context, copy->api, device_only);
	uint64_t rows = copy->rows * MAX(copy->depth, 1);
	uint64_t size = rows == 1 ? copy->size : MAX(copy->dst_pitch, copy->size) * rows;

	if (wait == WAIT_NOTHING)
		contents_pend(&context->process->contents, copy->dst, size, copy->stream,
			      copy->device);
	waited(context, wait, copy->stream, copy->device);
}

static void follow_fill(const struct rules_context *context)
{
	const struct hg_ev_fill *fill = context->event->fill;
	enum wait wait = wait_of(context, fill->api, true);
	uint64_t rows = fill->rows * MAX(fill->depth, 1);
	uint64_t size = rows == 1 ? fill->size : MAX(fill->pitch, fill->size) * rows;

	if (wait == WAIT_NOTHING)
		contents_pend(&context->process->contents, fill->dst, size, fill->stream,
			      fill->device);
	waited(context, wait, fill->stream, fill->device);
}

static void follow_sync(const struct rules_context *context)
{
	const struct hg_ev_sync *sync = context->event->sync;
	struct contents *contents = &context->process->contents;

	switch (sync->api) {
	case HG_API_hipEventSynchronize:
	case HG_API_hipEventQuery:
		contents_waited_event(contents, sync->event);
		break;
	case HG_API_hipDeviceSynchronize:
	case HG_API_hipCtxSynchronize:
	case HG_API_hipExecutionCtxSynchronize:
		contents_waited_device(contents,
				       context->process->devices->len > 1 ? sync->device : -1);
		break;
	default:
		contents_waited_stream(contents, sync->stream,
				       context->process->devices->len > 1 ? sync->device : -1);
		break;
	}
}

/* Events stand for what a stream has at that moment. */
static void follow_event(const struct rules_context *context)
{
	const struct hg_ev_event *event = context->event->event;
	struct contents *contents = &context->process->contents;
	struct content_moment moment = { .stream = event->stream, .device = -1 };
	/* If there are several devices, it is not known whose null stream it is. */
	bool ambiguous = !event->stream && context->process->devices->len > 1;

	switch (event->api) {
	case HG_API_hipEventRecord:
	case HG_API_hipEventRecord_spt:
	case HG_API_hipEventRecordWithFlags:
		contents_recorded(contents, event->event, ambiguous ? NULL : &moment);
		break;
	case HG_API_hipStreamWaitEvent:
	case HG_API_hipStreamWaitEvent_spt:
		if (!ambiguous)
			contents_stream_waits(contents, event->stream, -1, event->event);
		break;
	default: /* made or destroyed */
		contents_recorded(contents, event->event, NULL);
		break;
	}
}

/* Calls that wait; those after which streams are recorded in events unseen. */
static void follow_call(const struct rules_context *context)
{
	const struct hg_ev_call *call = context->event->call;

	if (call->api == HG_API_hipStreamBeginCapture ||
	    call->api == HG_API_hipStreamBeginCapture_spt ||
	    call->api == HG_API_hipStreamBeginCaptureToGraph ||
	    call->api == HG_API_hipExecutionCtxRecordEvent)
		contents_forget_events(&context->process->contents);
	waited(context, wait_of(context, call->api, true), call->stream, call->device);
}

void follow_stores(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_LAUNCH:
		follow_launch(context);
		break;
	case WAKE_COPY:
		follow_copy(context);
		break;
	case WAKE_FILL:
		follow_fill(context);
		break;
	case WAKE_SYNC:
		follow_sync(context);
		break;
	case WAKE_EVENT:
		follow_event(context);
		break;
	case WAKE_CALL:
		follow_call(context);
		break;
	default:
		break;
	}
}
