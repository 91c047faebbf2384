/* SPDX-License-Identifier: Apache-2.0 */
/* Notes answers of the model that differ in what is supposed. */
#include "supposition.h"

#include <string.h>

#include "analyzer/reader/event.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_launch.h"

static void free_row(void *data)
{
	struct supposed_row *row = data;

	g_free(row->what);
	g_free(row->before);
	g_free(row->after);
	g_free(row);
}

static const struct attachment_list_type rows_type = ATTACHMENT_LIST(free_row);

const GPtrArray *supposed_rows(const struct findings *findings)
{
	return findings_list(findings, &rows_type);
}

/* Takes the texts. */
static void note(const struct rules_context *context, char *what, char *before, char *after,
		 const char *sources, uint32_t stack_id)
{
	GPtrArray *rows = findings_list(context->findings, &rows_type);
	struct supposed_row *row = NULL;

	for (guint i = 0; i < rows->len && !row; i++) {
		struct supposed_row *one = rows->pdata[i];

		if (one->process == context->process && one->stack_id == stack_id &&
		    strcmp(one->what, what) == 0 && strcmp(one->before, before) == 0 &&
		    strcmp(one->after, after) == 0)
			row = one;
	}
	if (row) {
		g_free(what);
		g_free(before);
		g_free(after);
	} else {
		row = g_new0(struct supposed_row, 1);
		*row = (struct supposed_row){ context->process, what,     before, after,
					      sources,          stack_id, 0 };
		g_ptr_array_add(rows, row);
	}
	row->count++;
}

/* ---- waits ---- */

enum wait wait_of_call(const struct rules_context *context, unsigned api, enum wait_memory memory,
		       uint32_t stack_id)
{
	static const char *const memories[] = {
		[WAIT_MEMORY_OTHER] = "",
		[WAIT_MEMORY_GPUS] = " between device memory of several GPUs",
		[WAIT_MEMORY_GPU] = " within the device memory of one GPU",
		[WAIT_MEMORY_BEGINNING] =
		    " of device memory from the beginning of an allocation on",
	};
	const struct process *process = context->process;
	enum wait wait = model_wait(api, process->runtime_version, memory), before;

	if (!process->supposed)
		return wait;
	before = model_wait(api, process->recorded_version, memory);
	if (before != wait) {
		note(context, g_strdup_printf("%s%s", hg_api_name(api), memories[memory]),
		     g_strdup(model_wait_text(before)), g_strdup(model_wait_text(wait)),
		     model_wait_sources(api), stack_id);
	}
	return wait;
}

void note_supposed_wait(const struct rules_context *context, unsigned api, const char *what,
			bool waited, bool waits, const char *sources, uint32_t stack_id)
{
	if (context->process->supposed && waited != waits) {
		note(context, g_strdup_printf("%s %s", hg_api_name(api), what),
		     g_strdup(waited ? "waits" : "does not wait"),
		     g_strdup(waits ? "waits" : "does not wait"), sources, stack_id);
	}
}

/* ---- memory ---- */

static char *memory_text(const struct model_memory *memory,
			 const struct model_environment *environment)
{
	struct model_answer gpu = model_ask(QUESTION_GPU, memory->kind, environment);

	return g_strdup_printf("%s, %s%s%s%s", model_granularity_name(memory->granularity),
			       model_location_name(memory->location),
			       gpu.access == ACCESS_UNKNOWN ? "" : ", GPU access ",
			       gpu.access == ACCESS_UNKNOWN ? "" : model_access_text(gpu.access),
			       memory->certain ? "" : " (not certain)");
}

void note_supposed_memory(const struct rules_context *context)
{
	const struct hg_ev_alloc *event = context->event->alloc;
	struct model_environment recorded, supposed;
	struct model_memory now, then;
	char *before, *after, *flags;

	if (!context->process->supposed)
		return;
	recorded = process_recorded_environment(context->process);
	supposed = process_environment(context->process);
	now = model_memory(event->api, event->flags, &recorded);
	then = model_memory(event->api, event->flags, &supposed);
	before = memory_text(&now, &recorded);
	after = memory_text(&then, &supposed);
	if (strcmp(before, after) != 0) {
		flags = model_flags_text(event->api, event->flags);
		note(context,
		     g_strdup_printf("%s%s%s%s", hg_api_name(event->api), *flags ? " (" : "", flags,
				     *flags ? ")" : ""),
		     before, after, then.sources, event->stack_id);
		g_free(flags);
		return;
	}
	g_free(before);
	g_free(after);
}

/* ---- atomics ---- */

static const char *outcome_text(enum atomic_outcome outcome)
{
	static const char *const texts[] = {
		[OUTCOME_UNKNOWN] = "unknown",
		[OUTCOME_WORKS] = "performed",
		[OUTCOME_LOST] = "lost",
		[OUTCOME_NO_OPCODE] = "no such instruction: compilers emit a loop",
		[OUTCOME_DOWNGRADED] = "atomic within the device alone",
	};

	return texts[outcome];
}

void note_supposed_atomic(const struct rules_context *context, const struct launch *launch,
			  const struct model_atomic_use *use, const char *mnemonic)
{
	struct model_atomic_use recorded = *use;
	struct model_outcome now, then;

	if (!context->process->supposed || !launch->device || !launch->device->recorded_arch)
		return;
	recorded.arch = launch->device->recorded_arch;
	recorded.apu = launch->device->recorded_integrated;
	now = model_atomic(&recorded);
	then = model_atomic(use);
	if (now.outcome != then.outcome) {
		note(context,
		     g_strdup_printf("%s on %s memory, %s", mnemonic,
				     model_granularity_name(use->granularity),
				     model_location_name(use->location)),
		     g_strdup(outcome_text(now.outcome)), g_strdup(outcome_text(then.outcome)),
		     then.sources, context->event->launch->stack_id);
	}
}
