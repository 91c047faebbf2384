/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis says of each atomic at each launch of a recording: a line
 *
 *   KERNEL OFFSET ORIGIN complete|partial proven|chosen|doubted [FIRST-END]...
 *
 * OFFSET of the instruction from the kernel's entry; the ranges are the memory that it may update,
 * all of it if complete. "doubted": unless a pointer was changed since it was recorded, by the host
 * or by a kernel that is not understood. "chosen": it is one of several. usage: claims BUNDLE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/reader/reader.h"
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/paths.h"
#include "tracer/events/ev_launch.h"

struct run {
	struct replay replay;
	struct findings findings;
	struct kernels *kernels;
};

static void print_place(const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	uint64_t first = pointer->address - pointer->place.offset;

	if (pointer->place.kind == PLACE_ALLOCATION)
		printf(" %" PRIx64 "-%" PRIx64, first, first + allocation->size);
	else
		printf(" %" PRIx64 "-%" PRIx64, pointer->address, pointer->address);
}

static void by_arguments(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic)
{
	bool complete = atomic->origin.kind == ISA_ORIGIN_DIRECT ||
			(atomic->origin.kind == ISA_ORIGIN_SET && !atomic->origin.symbol);

	printf(" %s %s", complete ? "complete" : "partial", complete ? "proven" : "doubted");
	for (size_t i = 0; i < atomic->origin.kernarg_count; i++) {
		struct pointer_argument pointer;

		if (launch_pointer(context, launch, atomic->origin.kernarg[i], &pointer))
			print_place(&pointer);
	}
}

static void by_paths(const struct rules_context *context, const struct launch *launch,
		     const struct isa_atomic *atomic)
{
	struct path_targets targets;
	bool chosen = false;

	path_targets_find(context, launch, atomic->origin.paths.path, atomic->origin.paths.count,
			  &targets);
	for (unsigned i = 0; i < targets.list->len; i++)
		chosen |= g_array_index(targets.list, struct pointer_argument, i).doubt != NULL;
	printf(" %s %s", targets.complete ? "complete" : "partial",
	       targets.doubted ? "doubted"
	       : chosen        ? "chosen"
			       : "proven");
	for (unsigned i = 0; i < targets.list->len; i++)
		print_place(&g_array_index(targets.list, struct pointer_argument, i));
	if (!targets.complete)
		fprintf(stderr, "%s: %s\n", launch->kernel->symbol,
			targets.why ? targets.why : atomic->origin.why);
	path_targets_clear(&targets);
}

static void print_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, event->kernel_id);
	struct launch launch = { .kernel = kernel,
				 .args = process_args(context->process, event->args_id) };

	if (!kernel || !launch.args)
		return;
	launch.code = kernels_find(context->kernels, context->process, kernel, context->findings,
				   &launch.arch);
	for (size_t i = 0; launch.code && i < launch.code->atomic_count; i++) {
		const struct isa_atomic *atomic = &launch.code->atomics[i];

		if (atomic->space == ISA_SPACE_LDS || atomic->space == ISA_SPACE_SCRATCH)
			continue;
		printf("%s %" PRId64 " %s", kernel->symbol, atomic->kernel_offset,
		       isa_origin_name(atomic->origin.kind));
		if (atomic->origin.kind == ISA_ORIGIN_INDIRECT)
			by_paths(context, &launch, atomic);
		else
			by_arguments(context, &launch, atomic);
		printf("\n");
	}
}

static int on_event(const struct hg_event *event, void *data)
{
	struct run *run = data;
	struct rules_context context = {
		.findings = &run->findings,
		.kernels = run->kernels,
		.process = replay_apply(&run->replay, event),
		.event = event,
	};

	switch (event->type) {
	case HG_EVENT_launch:
		print_launch(&context);
		context.wake = WAKE_LAUNCH;
		break;
	case HG_EVENT_copy:
		context.wake = WAKE_COPY;
		break;
	case HG_EVENT_fill:
		context.wake = WAKE_FILL;
		break;
	case HG_EVENT_sync:
		context.wake = WAKE_SYNC;
		break;
	case HG_EVENT_event:
		context.wake = WAKE_EVENT;
		break;
	case HG_EVENT_call:
		context.wake = WAKE_CALL;
		break;
	default:
		return 0;
	}
	follow_stores(&context);
	return 0;
}

int main(int argc, char **argv)
{
	struct run run;
	struct reader_stats stats = { 0 };
	char *trace, *code, *error = NULL;
	int status;

	if (argc != 2)
		return 2;
	trace = g_build_filename(argv[1], "ctf", NULL);
	code = g_build_filename(argv[1], "code-objects", NULL);
	replay_init(&run.replay);
	findings_init(&run.findings);
	run.kernels = kernels_new(code);
	status = read_trace(trace, argv[1], on_event, &run, &stats, &error);
	if (status)
		fprintf(stderr, "claims: %s\n", error ? error : "cannot read the trace");
	reader_stats_clear(&stats);
	kernels_free(run.kernels);
	findings_destroy(&run.findings);
	replay_destroy(&run.replay);
	free(error);
	g_free(trace);
	g_free(code);
	return status != 0;
}
