/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG625: memory that a program had not released when it ended, of `hipgrain check` with leakcheck
 * (SOFTGPU_CHECK). Elsewhere nothing is reported: the driver takes all memory back at the end, and
 * many programs leave it at that. Judged are programs that ended by exit() or by returning from
 * main(), which the recorder tells (process_exit); releases by destructors that run later count.
 * Memory that a library allocated for itself is not the program's to release.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/lifetime/leaks.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"

/* A process keeps this. */
struct ended {
	bool by_itself;
};

static const struct attachment_type ended_type = { .size = sizeof(struct ended) };

/* These are released one by one, by nothing else than a call of the program. */
static bool is_to_be_released(unsigned api)
{
	switch (api) {
	case HG_API_hipMalloc:
	case HG_API_hipExtMallocWithFlags:
	case HG_API_hipMallocManaged:
	case HG_API_hipMallocPitch:
	case HG_API_hipMalloc3D:
	case HG_API_hipMemAllocPitch:
	case HG_API_hipMallocAsync:
	case HG_API_hipMallocFromPoolAsync:
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return true;
	default:
		return false;
	}
}

/* Returns true for files of the system, of ROCm and of Python's packages. */
static bool is_installed(const char *path)
{
	return g_str_has_prefix(path, "/usr/lib") || g_str_has_prefix(path, "/lib") ||
	       g_str_has_prefix(path, "/opt/rocm") || strstr(path, "/site-packages/") ||
	       strstr(path, "/dist-packages/");
}

/* Returns true if the program itself allocated, as far as its call stack tells. */
static bool is_own(const struct process *process, const struct allocation *allocation)
{
	const struct call_stack *stack = process_stack(process, allocation->stack_id);
	const struct host_module *module;

	if (!stack || !stack->depth)
		return false;
	module = process_module(process, stack->frames[0], stack->modules);
	return !module || !module->path || strcmp(module->path, process->exe) == 0 ||
	       !is_installed(module->path);
}

static void report(const struct rules_context *context, struct allocation *allocation)
{
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG625, context->process, &is_new, "%u %u",
			       allocation->api, allocation->stack_id);
	finding_hit(finding, allocation->ns, allocation->stack_id);
	finding_figure(finding, 0, FIGURE_SUM, 1);
	finding_figure(finding, 1, FIGURE_SUM, allocation->size);
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(allocation->api));
	finding->absence = ABSENCE_TO_END;
	finding_set_place(finding,
			  &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation },
			  allocation->ptr);
	finding->message =
	    g_strdup_printf("Of what %s allocated here, %s bytes were never released (blocks: %s).",
			    finding->api, FIGURE(1), FIGURE(0));
	finding->fix =
	    g_strdup_printf("release each block after its last use, on every way out of the "
			    "function, with %s",
			    release_of(allocation->api));
	if (context->process->end_signal == -1)
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the program ended with an error, before it came to releases that "
				"it may have");
}

/* Sums up what is left. */
struct left {
	const struct rules_context *context;
	uint64_t elsewhere, elsewhere_bytes; /* of libraries */
	bool any, told;
};

/* Memory that a process has from the one that forked it is older than itself. */
static gboolean look_at(gpointer key, gpointer value, gpointer data)
{
	struct allocation *allocation = value;
	struct left *left = data;
	const struct process *process = left->context->process;

	(void)key;
	if (!is_to_be_released(allocation->api) || allocation->symbol || allocation->free_api ||
	    allocation->ns < process->began_ns)
		return FALSE;
	left->any = true;
	if (!left->told)
		return TRUE;
	if (is_own(process, allocation)) {
		report(left->context, allocation);
	} else {
		left->elsewhere++;
		left->elsewhere_bytes += allocation->size;
	}
	return FALSE;
}

static void on_finish(const struct rules_context *context)
{
	const struct process *process = context->process;
	const struct ended *ended = attachment_find(&process->attachments, &ended_type);
	const char *tools = process_env(process, "SOFTGPU_CHECK");
	struct left left = { .context = context, .told = ended && ended->by_itself };

	if (!tools || !strstr(tools, "leakcheck"))
		return;
	g_tree_foreach(process->space.layers[LAYER_HIP], look_at, &left);
	if (left.any && !left.told)
		findings_limit_of(
		    context->findings, LIMIT_MODEL,
		    "process %d: leaks are unknown, because it did not end by exit() or by "
		    "returning from main()",
		    process->pid);
	if (left.elsewhere)
		findings_limit_of(
		    context->findings, LIMIT_MODEL,
		    "process %d: not looked at as leaks: %" PRIu64 " blocks (%" PRIu64
		    " bytes) of installed libraries, or of which the call stack is not known",
		    process->pid, left.elsewhere, left.elsewhere_bytes);
}

void check_never_released(const struct rules_context *context)
{
	struct ended *ended;

	if (context->wake == WAKE_FINISH) {
		on_finish(context);
	} else if (context->event->call->api == HG_API_process_exit) {
		ended = attachment_get(&context->process->attachments, &ended_type);
		ended->by_itself = true;
	}
}
