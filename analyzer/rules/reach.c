/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#include <string.h>

#include "watch.h"

struct reach {
	GHashTable *rows; /* "api stack" -> struct reach_row, which the findings have */
};

struct reach *reach_new(void)
{
	struct reach *reach = g_new0(struct reach, 1);

	reach->rows = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return reach;
}

void reach_free(struct reach *reach)
{
	if (reach) {
		g_hash_table_destroy(reach->rows);
		g_free(reach);
	}
}

void reach_row_free(gpointer data)
{
	struct reach_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->kernel);
	g_free(row);
}

/* ---- what was used ---- */

static void name_use(const struct rules_context *context, struct reach_row *row)
{
	const struct hg_ev_launch *launch = &context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, launch->kernel_id);
	const struct device *device = process_device(context->process, launch->device);

	row->kernel_id = launch->kernel_id;
	row->kernel = g_strdup(kernel ? kernel->symbol : NULL);
	if (device && device->arch) {
		g_strlcpy(row->arch, device->arch, sizeof(row->arch));
		row->arch[strcspn(row->arch, ":")] = 0;
	}
}

static struct reach_row *row_of(struct reach *reach, const struct rules_context *context,
				struct memory_watch *memory)
{
	struct allocation *allocation = memory->allocation;
	gint64 key = (gint64)(((uint64_t)allocation->api << 32) | allocation->stack_id);
	struct reach_row *row = memory->reach;

	if (row) {
		return row;
	}
	row = g_hash_table_lookup(reach->rows, &key);
	if (!row) {
		row = g_new0(struct reach_row, 1);
		row->process = context->process;
		name_use(context, row);
		g_hash_table_insert(reach->rows, g_memdup2(&key, sizeof(key)), row);
		g_ptr_array_add(context->findings->reaches, row);
	}
	memory->reach = row;
	row->allocations++;
	row->bytes += allocation->size;
	allocation_unref(row->allocation);
	row->allocation = allocation_ref(allocation);
	return row;
}

void reach_launch(struct process_watch *watch, const struct rules_context *context,
		  const struct launch_watch *launch)
{
	const struct hg_ev_launch *event = &context->event->launch;

	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);
		struct memory_watch *memory = touched->memory;
		struct reach_row *row = row_of(watch->reach, context, memory);

		row->launches++;
		row->several |= row->kernel_id != event->kernel_id;
		row->accessed |= touched->access != 0;
		row->prefetched |= touched->memory->allocation->prefetched_to_gpu;
		row->accessed_by |= event->device >= 0 && event->device < 64 &&
				    (memory->accessed_by >> event->device & 1);
		row->host_preferred |= memory->preferred == HG_PLACE_HOST;
	}
	watch->reach_unknown |= launch->unknown;
}

void reach_finish(struct process_watch *watch, const struct rules_context *context)
{
	if (watch->reach_unknown) {
		g_hash_table_add(context->findings->reach_unknown, context->process);
	}
}

/* ---- what would be ---- */

/* Whether XNACK can be switched for a process: known of MI200 and MI300 [LTD, UM]. */
static bool can_switch(const char *arch)
{
	return strcmp(arch, "gfx90a") == 0 || g_str_has_prefix(arch, "gfx94") ||
	       g_str_has_prefix(arch, "gfx95");
}

/* GPUs that have no XNACK at all: from gfx10.3 on [LTD FeatureSupportsXNACK]. */
static bool lacks_xnack(const char *arch)
{
	return g_str_has_prefix(arch, "gfx103") || g_str_has_prefix(arch, "gfx11") ||
	       g_str_has_prefix(arch, "gfx12");
}

static enum memory_kind kind_of(const struct allocation *allocation,
				const struct model_environment *environment)
{
	return model_memory(allocation->api, allocation->flags, environment).kind;
}

static void explain(const struct reach_row *row, enum memory_kind kind, struct reach_answer *answer)
{
	/* Also after the launches. */
	bool prefetched = row->prefetched || row->allocation->prefetched_to_gpu;

	switch (answer->outcome) {
	case REACH_FAULTS:
		answer->reason = "the operating system's memory has no mapping on the GPU without "
				 "XNACK; the kernel ends with a memory access fault";
		break;
	case REACH_MIGRATES:
		answer->reason =
		    prefetched
			? "pages come at the GPU's first access, as far as they were not "
			  "prefetched, and go back when the host uses them"
			: "pages come at the GPU's first access and go back when the host uses "
			  "them";
		break;
	case REACH_MAY_MIGRATE:
		answer->reason = "the GPU reaches it at a page fault, and its pages may come";
		break;
	case REACH_REMOTE:
		answer->reason = prefetched
				     ? "nothing moves at an access: it is local to the GPU only "
				       "after a prefetch, until the host uses it again"
				     : "nothing moves at an access, and nothing prefetches it";
		break;
	case REACH_UNCHANGED:
		answer->reason = kind == KIND_DEVICE   ? "it is the GPU's own memory"
				 : kind == KIND_PINNED ? "it is pinned host memory"
						       : "the GPU reaches it the same way";
		break;
	default:
		break;
	}
}

static enum reach_outcome outcome_of(enum model_access access)
{
	switch (access) {
	case ACCESS_FAULT:
	case ACCESS_NONE:
		return REACH_FAULTS;
	case ACCESS_MIGRATES:
		return REACH_MIGRATES;
	case ACCESS_MAY_MIGRATE:
		return REACH_MAY_MIGRATE;
	case ACCESS_REMOTE:
		return REACH_REMOTE;
	default:
		return REACH_CANNOT_TELL;
	}
}

struct reach_answer reach_ask(const struct reach_row *row, int xnack)
{
	struct model_environment now = process_environment(row->process), then = now;
	enum memory_kind kind = kind_of(row->allocation, &now);
	struct reach_answer answer = { .outcome = REACH_CANNOT_TELL, .xnack = now.xnack };
	struct model_answer before, after;

	then.xnack = xnack;
	before = model_ask(QUESTION_GPU, kind, &now);
	after = model_ask(QUESTION_GPU, kind, &then);
	answer.now = before.access;
	answer.then = after.access;
	answer.sources = after.sources;
	if (now.xnack == xnack) {
		answer.outcome = REACH_UNCHANGED;
		answer.reason = xnack ? "XNACK is on already" : "XNACK is off already";
	} else if (kind == KIND_UNKNOWN) {
		answer.reason = "what kind of memory this is, is not in the memory model";
	} else if (xnack && lacks_xnack(row->arch)) {
		answer.outcome = REACH_UNCHANGED;
		answer.then = before.access;
		answer.reason = "this GPU has no XNACK";
		answer.sources = "LTD";
	} else if (!can_switch(row->arch)) {
		answer.reason = "whether XNACK can be switched for a process is known of MI200 and "
				"MI300 only";
		answer.sources = "LTD,UM";
	} else if (after.access == ACCESS_UNKNOWN || !after.certain) {
		answer.reason = "it depends on a property of the machine that could not be asked";
	} else if (before.access == after.access) {
		answer.outcome = REACH_UNCHANGED;
		explain(row, kind, &answer);
	} else if (after.access == ACCESS_MIGRATES && (row->accessed_by || row->host_preferred)) {
		/* SetAccessedBy maps in place, SetPreferredLocation steers the fault (F.5). */
		answer.outcome = REACH_REMOTE;
		answer.reason = row->accessed_by
				    ? "hipMemAdviseSetAccessedBy maps it where it is: it does not "
				      "move at an access"
				    : "hipMemAdviseSetPreferredLocation keeps it on the host";
		answer.sources = "CLR62";
	} else {
		answer.outcome = outcome_of(after.access);
		explain(row, kind, &answer);
		if (!answer.reason) {
			answer.reason = "the memory model does not say";
		}
	}
	return answer;
}

static const struct {
	const char *name, *text;
} outcomes[REACH_OUTCOMES] = {
	[REACH_UNCHANGED] = { "unchanged", "unchanged" },
	[REACH_FAULTS] = { "faults", "would fault" },
	[REACH_MIGRATES] = { "migrates", "would migrate" },
	[REACH_MAY_MIGRATE] = { "may_migrate", "may migrate" },
	[REACH_REMOTE] = { "remote", "remote" },
	[REACH_CANNOT_TELL] = { "cannot_tell", "cannot tell" },
};

const char *reach_outcome_text(enum reach_outcome outcome)
{
	return outcomes[outcome].text;
}

const char *reach_outcome_name(enum reach_outcome outcome)
{
	return outcomes[outcome].name;
}
