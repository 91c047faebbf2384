/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports which calls of a recorded process were made past the recorder, by the state that the
 * trace led to.
 */
#include "analyzer/unseen.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/containers/file_targets.h"
#include "analyzer/containers/gcc_regions.h"
#include "analyzer/rules/order/stuck_calls.h"
#include "tracer/api/hsa.h"

static __attribute__((format(printf, 2, 3))) void add(GPtrArray *list, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(list, g_strdup_vprintf(format, args));
	va_end(args);
}

/* Adds libraries that were opened with RTLD_DEEPBIND. */
static void add_bypasses(GPtrArray *list, const struct process *process)
{
	GHashTableIter iter;
	gpointer path, functions;

	g_hash_table_iter_init(&iter, process->bypasses);
	while (g_hash_table_iter_next(&iter, &path, &functions)) {
		add(list,
		    "process %d: %s bypasses the recorder when it calls the HIP runtime "
		    "(as libraries opened with RTLD_DEEPBIND do): its calls of %s, "
		    "and the memory that it allocates or releases, are unknown",
		    process->pid, (const char *)path, (const char *)functions);
	}
}

/* Adds an HSA runtime whose tables were not as expected, or which gave no access to them. */
static void add_below_hip(GPtrArray *list, const struct process *process)
{
	if (process->hsa_refused) {
		add(list,
		    "process %d: no call of the HSA runtime was recorded, because %s. What was "
		    "launched below HIP (the kernels of OpenMP target regions), and what maps do "
		    "to memory, are unknown: HG801, HG802 and HG806 are not checked",
		    process->pid, process->hsa_refused);
	} else if (process->target_kernels > process->dispatches) {
		add(list,
		    "process %d: OpenMP started %" PRIu64 " kernel%s on GPUs, of which %" PRIu64
		    " %s in the recording: calls of the HSA runtime were not recorded, or not all",
		    process->pid, process->target_kernels, process->target_kernels == 1 ? "" : "s",
		    process->dispatches, process->dispatches == 1 ? "is" : "are");
	}
}

#define CHILDREN_MOST 4u

static bool is_library(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');

	return g_str_has_prefix(base ? base + 1 : path, name);
}

/* Returns true if a file is a runtime for GPUs, by its name. */
static bool is_runtime(const char *path)
{
	static const char *const names[] = { "libamdhip64.so", "libhsa-runtime64.so",
					     "libomptarget.so", "libgomp-plugin-gcn.so",
					     "libamdocl64.so" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (is_library(path, names[i]))
			return true;
	return false;
}

/* ---- OpenMP on the host ---- */

static bool has_library(const struct process *process, const char *name)
{
	for (guint i = 0; i < process->modules->len; i++) {
		const struct host_module *module = process->modules->pdata[i];

		if (module->path && is_library(module->path, name))
			return true;
	}
	return false;
}

static bool has_libomptarget(const struct process *process)
{
	return has_library(process, "libomptarget.so");
}

static bool is_disabled(const struct process *process)
{
	const char *offload = process_env(process, "OMP_TARGET_OFFLOAD");

	return offload && g_ascii_strcasecmp(offload, "DISABLED") == 0;
}

/* Returns true if no target region began on a device, as far as the recording shows. */
static bool none_on_device(const struct process *process)
{
	return process->target_regions <= process->host_regions && !process->launches;
}

/* Returns how many of the regions ran on the host, as a clause. The caller frees it. */
static char *ran_on_host(const struct process *process)
{
	return process->host_regions
		   ? g_strdup_printf("%" PRIu64 " ran on the host", process->host_regions)
		   : g_strdup("those that were executed ran on the host, how many is not recorded");
}

static const char *code_text(const char *path, char **text)
{
	GPtrArray *targets = path && *path && !is_runtime(path) ? file_targets(path) : NULL;

	if (!targets)
		return NULL;
	*text = file_targets_text(targets);
	g_ptr_array_unref(targets);
	return path;
}

/* Returns which file has code for GPUs, and sets *text to their names, or returns NULL. */
static const char *gpu_code(const struct process *process, char **text)
{
	const char *path = code_text(process->exe, text);

	for (guint i = 0; i < process->modules->len && !path; i++) {
		const struct host_module *module = process->modules->pdata[i];

		path = code_text(module->path, text);
	}
	return path;
}

/*
 * Returns a sentence for the report on an OpenMP program none of whose target regions began on a
 * device: LLVM's runtime runs them on the host, without a callback, if no GPU takes the program's
 * code, or if that is requested. NULL: nothing. The caller frees it.
 */
static char *host_regions(const struct process *process, bool disabled)
{
	const char *path;
	char *text = NULL, *sentence, *ran;

	if (!none_on_device(process) || process->device_count >= 0 ||
	    disabled != is_disabled(process) || (!disabled && process->target_gpus) ||
	    !has_libomptarget(process))
		return NULL;
	path = gpu_code(process, &text);
	if (!path)
		return NULL;
	ran = ran_on_host(process);
	sentence = g_strdup_printf(
	    "process %d: %s has OpenMP target regions for %s, and none began on a GPU: %s; %s",
	    process->pid, path, text,
	    disabled ? "OMP_TARGET_OFFLOAD is DISABLED" : "OpenMP's runtime found no GPU for them",
	    ran);
	g_free(ran);
	g_free(text);
	return sentence;
}

/* Returns which file has target regions by GCC, and their number, or returns NULL. */
static const char *file_of_gcc(const struct process *process, uint64_t *regions)
{
	const char *path = process->exe;

	*regions = *path ? gcc_regions(path) : 0;
	for (guint i = 0; i < process->modules->len && !*regions; i++) {
		const struct host_module *module = process->modules->pdata[i];

		path = module->path;
		*regions = path ? gcc_regions(path) : 0;
	}
	return *regions ? path : NULL;
}

/*
 * Returns the same of a program by GCC. `meant`: it has code for devices, has opened libgomp's
 * plugin for AMD's GPUs, and is not told to use none; else nothing was to run there.
 */
static char *gcc_host_regions(const struct process *process, bool meant)
{
	bool opened = has_library(process, "libgomp-plugin-gcn.so");
	const char *path;
	uint64_t regions;

	if (!none_on_device(process) || !has_library(process, "libgomp.so"))
		return NULL;
	path = file_of_gcc(process, &regions);
	if (!path || meant != (opened && !is_disabled(process) && gcc_device_code(path)))
		return NULL;
	return g_strdup_printf(
	    "process %d: %s has %" PRIu64 " OpenMP target region%s by GCC, and none began on a "
	    "GPU: %s; those that were executed ran on the host, how many is not recorded",
	    process->pid, path, regions, regions == 1 ? "" : "s",
	    is_disabled(process) ? "OMP_TARGET_OFFLOAD is DISABLED"
	    : meant              ? "libgomp found no GPU for them"
	    : opened             ? "it has no code for GPUs"
				 : "libgomp opened no plugin for AMD's GPUs");
}

#define FIRST_BELOW_HIP 800u /* the ids of the HSA runtime and of OpenMP (tracer/api.def) */

/* Returns true if a call of a runtime had returned, as hsa_init() has where another one is made. */
static bool has_returned(const struct process *process, const struct findings *findings)
{
	const struct open_row *open = open_calls_of(findings, process);
	uint64_t api = open ? open->open.call.state : 0;

	return process->device_count >= 0 || process->target_regions || process->devices->len ||
	       (api >= FIRST_BELOW_HIP && api != HG_API_hsa_init);
}

/*
 * The runtime of HIP 5 ends a program by abort() in its first call, which so never returns, if the
 * program has no code for the GPU (seen with 5.2.3 on the software GPU).
 */
static void add_first_call(GPtrArray *list, const struct process *process,
			   const struct findings *findings)
{
	const struct open_row *open = open_calls_of(findings, process);
	GPtrArray *targets = process->exe[0] ? file_targets(process->exe) : NULL;
	char *text = targets ? file_targets_text(targets) : NULL;

	if (!has_returned(process, findings) && unseen_is_gpu_program(process, findings)) {
		add(list,
		    "process %d: %s%s, and no call of a GPU's runtime had returned in this process "
		    "before: what it did is unknown%s%s%s%s%s",
		    process->pid,
		    process->ended == HG_ENDED_NOT ? "it ended without calling exit()"
						   : "the command ended by SIGABRT",
		    open ? " while it was in its first call" : "", text ? ". " : "",
		    text ? process->exe : "", text ? " has kernels for " : "", text ? text : "",
		    !text ? ""
		    : has_libomptarget(process)
			? "; OpenMP's runtime ends a program so if it has none for the "
			  "machine's GPU, and OMP_TARGET_OFFLOAD is MANDATORY or the program "
			  "requires "
			  "unified_shared_memory"
			: "; HIP's runtime ends a program so in its first call if it has none for "
			  "the "
			  "machine's GPU");
	}
	g_free(text);
	if (targets)
		g_ptr_array_unref(targets);
}

bool unseen_is_gpu_program(const struct process *process, const struct findings *findings)
{
	GPtrArray *targets;
	bool found = has_returned(process, findings) || g_hash_table_size(process->bypasses) ||
		     open_calls_of(findings, process);

	for (guint i = 0; i < process->modules->len && !found && !process->forked; i++) {
		const struct host_module *module = process->modules->pdata[i];

		found = module->path && is_runtime(module->path); /* NULL: it was unloaded */
	}
	/* Programs fork workers that use no GPU, and end them by a signal. */
	if (found || process->forked || !process->exe[0])
		return found;
	targets = file_targets(process->exe);
	if (targets)
		g_ptr_array_unref(targets);
	return targets != NULL;
}

/* Notes copies that no event describes. LLVM's OpenMP makes such copies for transfers, which it
 * reports itself. */
static void note_hsa_copies(const struct process *process, struct findings *findings)
{
	if (!process->hsa_copies || has_libomptarget(process))
		return;
	findings_limit(findings,
		       "process %d made %" PRIu64 " call%s of the HSA runtime that copy or fill "
		       "memory (the first: %s): their cost, their order and what they put into "
		       "memory are not analysed",
		       process->pid, process->hsa_copies, process->hsa_copies == 1 ? "" : "s",
		       hg_api_name(process->hsa_copy_api));
}

void unseen_note_limits(const struct replay *replay, struct findings *findings)
{
	for (guint i = 0; i < replay->processes->len; i++) {
		const struct process *process = replay->processes->pdata[i];
		char *text = host_regions(process, true);

		if (!text)
			text = gcc_host_regions(process, false);
		if (text)
			findings_limit(findings, "%s", text);
		g_free(text);
		note_hsa_copies(process, findings);
	}
}

void unseen_note_children(const struct replay *replay, struct findings *findings)
{
	unsigned others = 0, noted = 0;

	for (guint i = 0; i < replay->processes->len; i++) {
		const struct process *process = replay->processes->pdata[i];
		const struct process *parent = process->parent;

		if (process->ended != HG_ENDED_NOT || !process->forked || !parent ||
		    !has_returned(parent, findings) || unseen_is_gpu_program(process, findings))
			continue;
		if (noted++ >= CHILDREN_MOST) {
			others++;
			continue;
		}
		findings_note(
		    findings,
		    "process %d (%s), which process %d forked, that used the GPU, ended "
		    "without calling exit() or a relative: a signal ended it, most likely "
		    "a crash, or its parent where that ends workers so",
		    process->pid, process->exe, parent->pid);
	}
	if (others)
		findings_note(findings, "%u more forked processes ended so", others);
}

GPtrArray *unseen_collect(const struct replay *replay, const struct findings *findings,
			  bool aborted)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < replay->processes->len; i++) {
		const struct process *process = replay->processes->pdata[i];
		char *text;

		add_bypasses(list, process);
		add_below_hip(list, process);
		if (process->ended == HG_ENDED_NOT ||
		    (aborted && process->ended == HG_ENDED_UNKNOWN))
			add_first_call(list, process, findings);
		else if ((text = host_regions(process, false)) ||
			 (text = gcc_host_regions(process, true)))
			g_ptr_array_add(list, text);
	}
	return list;
}
