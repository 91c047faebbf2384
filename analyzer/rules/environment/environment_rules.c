/* SPDX-License-Identifier: Apache-2.0 */
/* HG507 and HG9xx: how the environment configures the process, and what it was built from. */
#include <signal.h>
#include <string.h>

#include "analyzer/containers/file_targets.h"
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg9xx.h"
#include "codeobj/codeobj.h"
#include "analyzer/rules/engine/call_history.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/events/ev_alloc.h"

#define UNKNOWN_RELEASE "the release of the HIP runtime is unknown"

/* Returns a finding about the process, not about a call: its subject is the key. */
static struct finding *subject_finding(const struct rules_context *context, enum rule_id rule,
				       const char *subject, char *message, const char *fix)
{
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, rule, context->process, &is_new, "%s", subject);
	if (is_new) {
		finding->subject = g_strdup(subject);
		finding->message = message;
		finding->fix = g_strdup(fix);
		finding->count = 1;
	} else {
		g_free(message);
	}
	return finding;
}

/* ---- HG507, HG903: variables that make everything slower ---- */

enum test { TEST_NOT_ZERO, TEST_ZERO, TEST_AT_LEAST };

struct knob {
	const char *name;
	enum test test;
	long limit;      /* TEST_AT_LEAST */
	int32_t release; /* of the runtime that reads it first, as hipRuntimeGetVersion; 0: all */
	const char *effect;
};

/* docs/memory-model.md#environment-variables [CLR62 flags.hpp]; HSA_ENABLE_SDMA: [ROCR24] */
static const struct knob knobs[] = {
	{ "HIP_LAUNCH_BLOCKING", TEST_NOT_ZERO, 0, 60100000,
	  "the host waits for each kernel before it continues" },
	{ "AMD_SERIALIZE_KERNEL", TEST_NOT_ZERO, 0, 0,
	  "the host waits before or after each kernel" },
	{ "AMD_SERIALIZE_COPY", TEST_NOT_ZERO, 0, 0, "the host waits before or after each copy" },
	{ "AMD_LOG_LEVEL", TEST_AT_LEAST, 3, 0, "the runtime logs every call" },
	{ "HSA_ENABLE_SDMA", TEST_ZERO, 0, 0,
	  "copies are kernels on the compute units, not work of the copy engines" },
};

static bool is_set(const struct knob *knob, const char *value)
{
	char *end;
	long number;

	if (!value || !*value)
		return false;
	number = strtol(value, &end, 0);
	if (*end)
		return false; /* not a number: nobody knows what a runtime makes of it */
	switch (knob->test) {
	case TEST_NOT_ZERO:
		return number != 0;
	case TEST_ZERO:
		return number == 0;
	case TEST_AT_LEAST:
		return number >= knob->limit;
	}
	return false;
}

static void check_knobs(const struct process_history *history, const struct rules_context *context)
{
	const struct process *process = context->process;

	for (unsigned i = 0; i < G_N_ELEMENTS(knobs); i++) {
		const struct knob *knob = &knobs[i];
		const char *value = process_env(process, knob->name);
		bool copies = strcmp(knob->name, "HSA_ENABLE_SDMA") == 0 && history->async_copies;
		struct finding *finding;

		if (!is_set(knob, value) ||
		    (process->runtime_version && process->runtime_version < knob->release))
			continue;
		finding = subject_finding(
		    context, copies ? RULE_HG507 : RULE_HG903, knob->name,
		    g_strdup_printf("%s=%s is set: %s%s.", knob->name, value, knob->effect,
				    copies ? ", so the asynchronous copies of this program compete "
					     "with its kernels"
					   : ""),
		    "unset it, except to look for an error");
		if (!process->runtime_version && knob->release)
			finding_at_most(finding, CONFIDENCE_LIKELY, UNKNOWN_RELEASE);
	}
}

static void check_queues(const struct process_history *history, const struct rules_context *context)
{
	const char *value = process_env(context->process, "GPU_MAX_HW_QUEUES");
	long queues = value ? strtol(value, NULL, 10) : 0;

	if (queues > 0 && (unsigned long)queues < history->most_streams) {
		subject_finding(
		    context, RULE_HG507, "GPU_MAX_HW_QUEUES",
		    g_strdup_printf("GPU_MAX_HW_QUEUES=%ld is set, and the program has up to %u "
				    "streams at once: streams that share a queue wait for each "
				    "other.",
				    queues, history->most_streams),
		    "unset it, or set it to the number of streams");
	}
}

/* ---- HG904 ---- */

static void on_alloc(const struct rules_context *context)
{
	const struct hg_ev_alloc *event = context->event->alloc;
	const char *value = process_env(context->process, "HIP_HOST_COHERENT");
	struct place place = { .kind = PLACE_ALLOCATION };
	struct model_environment with, without;
	struct finding *finding;
	bool is_new;

	if (!value || event->api != HG_API_hipHostMalloc)
		return;
	with = without = process_environment(context->process);
	without.host_coherent = 0;
	if (model_memory(event->api, event->flags, &with).granularity ==
	    model_memory(event->api, event->flags, &without).granularity)
		return;
	place = process_place(context->process, event->ptr);
	finding = findings_get(context->findings, RULE_HG904, context->process, &is_new,
			       "HIP_HOST_COHERENT");
	finding_hit(finding, context->event->ns, event->stack_id);
	if (!is_new)
		return;
	finding->subject = g_strdup("HIP_HOST_COHERENT");
	finding->api = g_strdup(hg_api_name(event->api));
	finding_set_place(finding, &place, event->ptr);
	finding->message = g_strdup_printf(
	    "HIP_HOST_COHERENT=%s makes this memory fine-grained, which would be coarse-grained "
	    "without it; this applies to every library in the process.",
	    value);
	finding->fix = g_strdup("pass hipHostMallocCoherent or hipHostMallocNonCoherent where it "
				"matters, and unset the variable");
}

/* ---- HG905 ---- */

/* Returns the number of entries of a comma-separated list; 0 if it is empty. */
static unsigned list_length(const char *list)
{
	unsigned length = *list != 0;

	for (const char *at = list; *at; at++)
		length += *at == ',';
	return length;
}

/*
 * Returns the number of leading entries of a list of indices that are below `limit`; -1 if it holds
 * anything else than indices.
 */
static int valid_entries(const char *list, unsigned limit)
{
	int valid = 0;
	bool beyond = false;

	for (const char *at = list; *at;) {
		char *end;
		unsigned long index = strtoul(at, &end, 10);

		if (end == at || (*end && *end != ','))
			return -1;
		beyond |= index >= limit;
		valid += !beyond;
		at = *end ? end + 1 : end;
	}
	return valid;
}

static void check_visible(const struct rules_context *context)
{
	static const char *const filters[] = { "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
					       "CUDA_VISIBLE_DEVICES" };
	const struct process *process = context->process;
	const char *below = process_env(process, filters[0]);
	const char *name = process_env(process, filters[1]) ? filters[1] : filters[2];
	const char *above = process_env(process, name);
	struct finding *finding;
	int valid;

	for (unsigned i = 0; i < G_N_ELEMENTS(filters) && process->device_count == 0; i++) {
		const char *value = process_env(process, filters[i]);

		if (value && !*value) {
			finding = subject_finding(
			    context, RULE_HG905, filters[i],
			    g_strdup_printf(
				"%s is set to an empty value, and no device is visible.",
				filters[i]),
			    "unset it, or name the devices" FIX_NOT_TESTED);
			finding_at_most(finding, CONFIDENCE_LIKELY,
					"whether the machine has a device is not recorded");
			return;
		}
	}
	if (!below || !*below || !above || !*above || process->device_count < 0)
		return;
	/* HIP counts what ROCr lets through from 0, and its list ends at the first wrong entry. */
	valid = valid_entries(above, list_length(below));
	if (valid < 0 || valid == (int)list_length(above) || process->device_count != valid)
		return;
	subject_finding(
	    context, RULE_HG905, name,
	    g_strdup_printf("%s=%s leaves %u device%s, numbered from 0, of which %s=%s selects %d: "
			    "it numbers the remaining devices, not those of the machine.",
			    filters[0], below, list_length(below),
			    list_length(below) == 1 ? "" : "s", name, above, valid),
	    "set one of the two, or number the devices of the second from 0" FIX_NOT_TESTED);
}

/* ---- HG908 ---- */

static void check_obsolete(const struct rules_context *context)
{
	GHashTableIter iterator;
	gpointer name, value;

	g_hash_table_iter_init(&iterator, context->process->env);
	while (g_hash_table_iter_next(&iterator, &name, &value)) {
		/* hipcc 5.2 goes by that one where no --offload-arch is given. */
		if (strncmp(name, "HCC_", 4) == 0 && strcmp(name, "HCC_AMDGPU_TARGET") != 0) {
			subject_finding(
			    context, RULE_HG908, name,
			    g_strdup_printf("%s=%s is set: only the obsolete HCC runtime reads it.",
					    (char *)name, (char *)value),
			    "remove it");
		}
	}
}

/* ---- HG909 ---- */

static void check_runtimes(const struct rules_context *context)
{
	const struct process *process = context->process;
	const struct host_module *first = NULL;

	for (unsigned i = 0; i < process->modules->len; i++) {
		const struct host_module *module = process->modules->pdata[i];
		const char *base;
		struct finding *finding;

		if (!module->path) { /* unloaded: another may take its place */
			first = first && first->start == module->start ? NULL : first;
			continue;
		}
		base = strrchr(module->path, '/') ? strrchr(module->path, '/') + 1 : module->path;

		if (strncmp(base, "libamdhip64.so", 14) != 0)
			continue;
		if (!first) {
			first = module;
			continue;
		}
		if (strcmp(first->path, module->path) == 0)
			continue;
		finding = subject_finding(
		    context, RULE_HG909, "libamdhip64.so",
		    g_strdup_printf("%s and %s are both loaded: streams, events, memory and "
				    "modules of one are not valid in the other.",
				    first->path, module->path),
		    "make the program and its libraries use one of them (RUNPATH, "
		    "LD_LIBRARY_PATH)" FIX_NOT_TESTED);
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"whether the first was still loaded is not recorded");
		return;
	}
}

/* ---- HG907 ---- */

static void check_kernel(const struct rules_context *context, struct kernel_ref *kernel,
			 const struct kernel_history *seen)
{
	struct codeobj_kernel resources;
	const struct isa_kernel *code;
	struct finding *finding;
	const char *arch;
	GString *text;
	bool is_new;

	if (seen->launches < HEAVY_LAUNCHES || seen->work_items < HEAVY_ITEMS ||
	    !kernels_resources(context->kernels, context->process, kernel, &resources) ||
	    (!resources.vgpr_spills && !resources.dynamic_stack &&
	     resources.private_size < HEAVY_PRIVATE))
		return;
	finding = findings_get(context->findings, RULE_HG907, context->process, &is_new, "%s",
			       kernel->symbol);
	finding->launches += seen->launches;
	finding->work_items = MAX(finding->work_items, seen->work_items);
	finding_hit(finding, seen->first_ns, seen->first_site);
	if (!is_new)
		return;
	finding->kernel_symbol = g_strdup(kernel->symbol);
	code = kernels_find(context->kernels, context->process, kernel, context->findings, &arch);
	finding->kernel = kernel_text(kernel, code);
	text = g_string_new(finding->kernel);
	g_string_append_printf(text, " uses %u bytes of scratch memory for each work-item",
			       resources.private_size);
	if (resources.vgpr_spills) {
		g_string_append_printf(text, ", to which the compiler spilled %u registers",
				       resources.vgpr_spills);
	}
	if (resources.dynamic_stack) {
		g_string_append(text, ", and a stack of unknown size (recursion, calls "
				      "through pointers)");
	}
	g_string_append(text, ": scratch memory is in the GPU's main memory.");
	finding->message = g_string_free(text, FALSE);
	finding->fix =
	    g_strdup("compile device code with -O2 or -O3; __launch_bounds__ with the real "
		     "size of the work-groups gives the compiler more registers");
}

static void check_kernels(const struct process_history *history,
			  const struct rules_context *context)
{
	GHashTableIter iterator;
	gpointer id, seen;

	g_hash_table_iter_init(&iterator, history->kernels);
	while (g_hash_table_iter_next(&iterator, &id, &seen)) {
		struct kernel_ref *kernel = process_kernel(context->process, GPOINTER_TO_UINT(id));

		if (kernel)
			check_kernel(context, kernel, seen);
	}
}

/* ---- HG901, HG902 ---- */

/*
 * Returns true for hipErrorInvalidDeviceFunction, hipErrorNoBinaryForGpu and
 * hipErrorSharedObjectInitFailed: H523.
 */
static bool is_code_error(int code)
{
	return code == 98 || code == 209 || code == 303;
}

static void report_targets(const struct rules_context *context, const char *path,
			   const GPtrArray *targets, const struct device *device)
{
	struct codeobj_target wanted, have;
	bool same_processor = false;
	char *list;

	if (codeobj_target_parse(device->arch, &wanted) != 0)
		return;
	if (file_targets_match(targets, device->arch))
		return;
	for (unsigned i = 0; i < targets->len; i++) {
		codeobj_target_parse(targets->pdata[i], &have);
		same_processor |= strcmp(have.processor, wanted.processor) == 0;
	}
	list = file_targets_text(targets);
	if (same_processor) {
		subject_finding(
		    context, RULE_HG901, path,
		    g_strdup_printf("%s holds device code for %s; device %d is %s, and the "
				    "features after the colon must match.",
				    path, list, device->ordinal, device->arch),
		    "run with the other HSA_XNACK, or compile for the processor without features "
		    "(--offload-arch=gfx90a), which matches both" FIX_NOT_TESTED);
	} else {
		char *fix = g_strdup_printf("compile with --offload-arch=%s as well" FIX_NOT_TESTED,
					    wanted.processor);

		subject_finding(context, RULE_HG902, path,
				g_strdup_printf("%s holds device code for %s; device %d is %s.",
						path, list, device->ordinal, device->arch),
				fix);
		g_free(fix);
	}
	g_free(list);
}

/* Returns true if the process may have crashed in a launch, as HIP 7.2 does for want of code for
 * the GPU [SEENROCR]. */
static bool crashed_in_launch(const struct process *process)
{
	return process->in_launch && (process->end_signal == SIGSEGV ||
				      (process->ended == HG_ENDED_NOT && !process->end_signal));
}

static void check_targets(const struct rules_context *context)
{
	const struct process *process = context->process;
	GPtrArray *targets;
	bool failed = crashed_in_launch(process);

	for (unsigned i = 0; i < process->failed->len; i++) {
		const struct failed_call *call =
		    &g_array_index(process->failed, struct failed_call, i);

		failed |= call->api >= HG_HIP_APIS && is_code_error(call->code);
	}
	if (!failed || !process->exe[0])
		return;
	targets = file_targets(process->exe);
	if (targets) {
		for (unsigned i = 0; i < process->devices->len; i++)
			report_targets(context, process->exe, targets, process->devices->pdata[i]);
		g_ptr_array_unref(targets);
	} else if (!crashed_in_launch(process)) {
		findings_limit(
		    context->findings,
		    "%s: a call failed because there was no device code for the GPU, and "
		    "what the file has could not be read",
		    process->exe);
	}
}

static void on_finish(struct process_history *history, const struct rules_context *context)
{
	const struct process *process = context->process;

	if (process->device_count < 0)
		return; /* no HIP call */
	check_visible(context);
	check_obsolete(context);
	check_runtimes(context);
	check_targets(context);
	if (process->launches || process->copies) {
		check_knobs(history, context);
		check_queues(history, context);
	}
	check_kernels(history, context);
}

void check_environment(const struct rules_context *context)
{
	if (context->wake == WAKE_ALLOC)
		on_alloc(context);
	else
		on_finish(context->history, context);
}
