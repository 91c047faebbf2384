/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports which calls of a recorded process were made past the recorder, by the state that the
 * trace led to.
 */
#include "analyzer/unseen.h"

#include <inttypes.h>

#include "analyzer/containers/file_targets.h"

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

/* Adds an HSA runtime whose tables were not as expected, or to which nobody gave access. */
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

/*
 * The runtime of HIP 5 ends a program by abort() in its first call, which so never returns, if the
 * program has no code for the GPU (seen with 5.2.3 on the software GPU).
 */
static void add_aborted(GPtrArray *list, const struct process *process)
{
	GPtrArray *targets;
	char *text;

	if (process->device_count >= 0 || process->target_regions || !process->exe[0])
		return;
	targets = file_targets(process->exe);
	if (!targets)
		return;
	text = file_targets_text(targets);
	add(list,
	    "process %d: the command ended by SIGABRT, and no call of HIP had returned in this "
	    "process before: what it did is unknown. %s has kernels for %s; HIP's runtime ends a "
	    "program so in its first call if it has none for the machine's GPU",
	    process->pid, process->exe, text);
	g_free(text);
	g_ptr_array_unref(targets);
}

GPtrArray *unseen_collect(const struct replay *replay, bool aborted)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < replay->processes->len; i++) {
		add_bypasses(list, replay->processes->pdata[i]);
		add_below_hip(list, replay->processes->pdata[i]);
		if (aborted)
			add_aborted(list, replay->processes->pdata[i]);
	}
	return list;
}
