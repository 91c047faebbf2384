/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What work does to the addresses that are known to lie in memory (replay/contents.h): what a
 * launch may store to is unknown afterwards, until the host sees it after having waited.
 */
#include "paths.h"

#include "analyzer/model/waits.h"
#include "analyzer/rules/engine/kernels.h"
#include "tracer/api/hip_streams.h"

/* Of memory whose extent is not known, so many bytes around the pointer. */
#define OTHER_MEMORY ((uint64_t)1 << 20)

/* What a launch stores, kept with its arguments: the same while nothing has changed. */
struct kept_stores {
	uint64_t epoch, version;
	GArray *list; /* struct stretch; NULL: not determined yet */
	bool all;     /* these are all */
	/* What kernels_find() returned for `kernel`, the launch's. */
	const struct kernel_ref *kernel;
	const struct isa_kernel *code;
	const char *arch;
};

struct stretch {
	uint64_t start, size;
};

static void clear_kept(void *data)
{
	struct kept_stores *kept = data;

	if (kept->list)
		g_array_free(kept->list, TRUE);
}

static const struct attachment_type kept_type = { sizeof(struct kept_stores), NULL, clear_kept };

/* Where one store ends up: exactly there, or anywhere in that memory. */
static struct stretch stretch_of(const struct pointer_argument *target,
				 const struct isa_store *store)
{
	struct stretch stretch = { target->address, store->size };

	if (store->path.step_count == 0 || store->path.step[store->path.step_count - 1].exact)
		return stretch;
	if (target->place.kind == PLACE_ALLOCATION) {
		stretch.start -= target->place.offset;
		stretch.size = target->place.allocation->size;
	} else {
		stretch.size = OTHER_MEMORY;
		stretch.start -= MIN(stretch.start, OTHER_MEMORY / 2);
	}
	return stretch;
}

/* The runtime's own memory holds no pointers of the program. */
static bool is_hidden(const struct isa_kernel *code, const struct isa_path *path)
{
	uint32_t end = 0;

	for (size_t i = 0; i < code->arg_count; i++)
		end = MAX(end, code->args[i].offset + code->args[i].size);
	return !path->symbol && code->arg_count > 0 && path->kernarg >= end;
}

static void find_stores(const struct rules_context *context, const struct launch *launch,
			struct kept_stores *kept)
{
	kept->all = launch->code->stores_complete;
	for (size_t i = 0; i < launch->code->store_count; i++) {
		const struct isa_store *store = &launch->code->stores[i];
		struct path_targets targets;

		if (is_hidden(launch->code, &store->path))
			continue;
		path_targets_find(context, launch, &store->path, 1, &targets);
		kept->all &= targets.complete;
		for (unsigned k = 0; k < targets.list->len; k++) {
			struct stretch stretch = stretch_of(
			    &g_array_index(targets.list, struct pointer_argument, k), store);

			g_array_append_val(kept->list, stretch);
		}
		path_targets_clear(&targets);
	}
}

static void apply_stores(const struct rules_context *context, const struct launch *launch,
			 struct kernel_args *args)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct process *process = context->process;
	struct contents *contents = &process->contents;
	struct kept_stores *kept = attachment_get(&args->attachments, &kept_type);

	if (!kept->list || kept->epoch != process->epoch || kept->version != contents->version) {
		kept->list =
		    kept->list ? kept->list : g_array_new(FALSE, FALSE, sizeof(struct stretch));
		g_array_set_size(kept->list, 0);
		kept->epoch = process->epoch;
		kept->version = contents->version;
		find_stores(context, launch, kept);
	}
	for (unsigned i = 0; i < kept->list->len; i++) {
		const struct stretch *stretch = &g_array_index(kept->list, struct stretch, i);

		contents_forget(contents, stretch->start, stretch->size);
		contents_pend(contents, stretch->start, stretch->size, event->stream,
			      event->device);
	}
	if (!kept->all)
		contents_doubt(contents, context->event->ns);
}

static void follow_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct contents *contents = &context->process->contents;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct kernel_args *args = process_args(context->process, event->args_id);
	struct launch launch = { .kernel = kernel, .args = args };
	struct kept_stores *kept = args ? attachment_get(&args->attachments, &kept_type) : NULL;

	if (kept && kept->kernel == kernel) {
		launch.code = kept->code;
		launch.arch = kept->arch;
	} else if (kernel) {
		launch.code = kernels_find(context->kernels, context->process, kernel,
					   context->findings, &launch.arch);
	}
	if (kept) {
		kept->kernel = kernel;
		kept->code = launch.code;
		kept->arch = launch.arch;
	}
	if (!launch.code || !args) {
		contents_doubt(contents, context->event->ns);
		return;
	}
	apply_stores(context, &launch, args);
}

static void follow_copy(const struct rules_context *context)
{
	const struct hg_ev_copy *copy = &context->event->copy;
	struct contents *contents = &context->process->contents;

	switch (model_wait(copy->api, context->process->runtime_version, false)) {
	case WAIT_NOTHING:
		contents_pend(contents, copy->dst, copy->size * copy->rows, copy->stream,
			      copy->device);
		break;
	case WAIT_ITSELF:
		contents_waited_stream(contents, copy->stream);
		break;
	case WAIT_DEVICE:
		contents_waited_device(contents, copy->device);
		break;
	case WAIT_EVERYTHING:
		contents_waited_device(contents, -1);
		break;
	}
}

static void follow_sync(const struct rules_context *context)
{
	const struct hg_ev_sync *sync = &context->event->sync;
	struct contents *contents = &context->process->contents;

	switch (sync->api) {
	case HG_API_hipEventSynchronize:
	case HG_API_hipEventQuery:
		break; /* what the event stands for is not looked up */
	case HG_API_hipDeviceSynchronize:
	case HG_API_hipCtxSynchronize:
	case HG_API_hipExecutionCtxSynchronize:
		contents_waited_device(contents,
				       context->process->devices->len > 1 ? sync->device : -1);
		break;
	default:
		contents_waited_stream(contents, sync->stream);
		break;
	}
}

void follow_stores(const struct rules_context *context)
{
	const struct contents *contents = &context->process->contents;

	if (contents->words->len == 0 && contents->pending->len == 0 && !contents->doubt_pending &&
	    context->wake != WAKE_LAUNCH)
		return;
	switch (context->wake) {
	case WAKE_LAUNCH:
		follow_launch(context);
		break;
	case WAKE_COPY:
		follow_copy(context);
		break;
	case WAKE_SYNC:
		follow_sync(context);
		break;
	default:
		break;
	}
}
