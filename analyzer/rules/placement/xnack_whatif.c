/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that launches were given, by its call; and what another state of XNACK would change. */
#include "xnack_whatif.h"

#include <string.h>

#include "analyzer/rules/engine/call_history.h"
#include "codeobj/codeobj.h"
#include "codeobj/processor.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_launch.h"

static void free_row(gpointer data)
{
	struct xnack_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->kernel);
	g_free(row);
}

static void init_result(void *data)
{
	struct xnack_whatif *result = data;

	result->rows = g_ptr_array_new_with_free_func(free_row);
	result->unknown = g_hash_table_new(NULL, NULL);
}

static void clear_result(void *data)
{
	struct xnack_whatif *result = data;

	g_ptr_array_free(result->rows, TRUE);
	g_hash_table_destroy(result->unknown);
}

static const struct attachment_type result_type = { sizeof(struct xnack_whatif), init_result,
						    clear_result };

const struct xnack_whatif *xnack_whatif_result(const struct findings *findings)
{
	return findings_result(findings, &result_type);
}

/* The rows of a process by its memory's call. */
struct process_rows {
	GHashTable *rows; /* "api stack" -> struct xnack_row, which the findings have */
	bool unknown;     /* a launch may use memory that is not among its arguments */
};

static void init_rows(void *data)
{
	((struct process_rows *)data)->rows =
	    g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static void clear_rows(void *data)
{
	g_hash_table_destroy(((struct process_rows *)data)->rows);
}

static const struct attachment_type rows_type = { sizeof(struct process_rows), init_rows,
						  clear_rows };

/* ---- what was used ---- */

static void name_use(const struct rules_context *context, struct xnack_row *row)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct kernel_ref *kernel = process_kernel(context->process, launch->kernel_id);
	const struct device *device = process_device(context->process, launch->device);

	row->kernel_id = launch->kernel_id;
	row->kernel = g_strdup(kernel ? kernel->symbol : NULL);
	if (device && device->arch) {
		g_strlcpy(row->arch, device->arch, sizeof(row->arch));
		row->arch[strcspn(row->arch, ":")] = 0;
	}
}

static struct xnack_row *row_of(struct process_rows *rows, const struct rules_context *context,
				struct memory_history *memory)
{
	struct allocation *allocation = memory->allocation;
	gint64 key = (gint64)(((uint64_t)allocation->api << 32) | allocation->stack_id);
	struct xnack_row *row = memory->xnack;

	if (row)
		return row;
	row = g_hash_table_lookup(rows->rows, &key);
	if (!row) {
		row = g_new0(struct xnack_row, 1);
		row->process = context->process;
		name_use(context, row);
		g_hash_table_insert(rows->rows, g_memdup2(&key, sizeof(key)), row);
		g_ptr_array_add(xnack_whatif_result(context->findings)->rows, row);
	}
	memory->xnack = row;
	row->allocations++;
	row->bytes += allocation->size;
	allocation_unref(row->allocation);
	row->allocation = allocation_ref(allocation);
	return row;
}

static void note_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *event = context->event->launch;
	const struct launch_memory *launch = context->memory;
	struct process_rows *rows = attachment_get(&context->process->attachments, &rows_type);

	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);
		struct memory_history *memory = touched->memory;
		struct xnack_row *row = row_of(rows, context, memory);

		row->launches++;
		row->several |= row->kernel_id != event->kernel_id;
		row->accessed |= touched->access != 0;
		row->prefetched |= touched->memory->allocation->prefetched_to_gpu;
		row->accessed_by |= event->device >= 0 && event->device < 64 &&
				    (memory->accessed_by >> event->device & 1);
		row->host_preferred |= memory->preferred == HG_PLACE_HOST;
	}
	rows->unknown |= launch->unknown;
}

void note_xnack(const struct rules_context *context)
{
	const struct process_rows *rows;

	if (context->wake == WAKE_LAUNCH) {
		note_launch(context);
		return;
	}
	rows = attachment_find(&context->process->attachments, &rows_type);
	if (rows && rows->unknown)
		g_hash_table_add(xnack_whatif_result(context->findings)->unknown, context->process);
}

/* ---- what would be ---- */

/* Returns true if XNACK is of that kind on a processor that the table has. */
static bool has_xnack(const char *arch, enum codeobj_xnack kind)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);

	return processor && processor->xnack == kind;
}

static enum memory_kind kind_of(const struct allocation *allocation,
				const struct model_environment *environment)
{
	return model_memory(allocation->api, allocation->flags, environment).kind;
}

static void explain(const struct xnack_row *row, enum memory_kind kind, struct xnack_change *answer)
{
	/* Also after the launches. */
	bool prefetched = row->prefetched || row->allocation->prefetched_to_gpu;

	switch (answer->outcome) {
	case XNACK_FAULTS:
		answer->reason = "the operating system's memory has no mapping on the GPU without "
				 "XNACK; the kernel ends with a memory access fault";
		break;
	case XNACK_MIGRATES:
		answer->reason = prefetched ? "pages that were not prefetched migrate at the GPU's "
					      "first access, and back when the host uses them"
					    : "pages migrate at the GPU's first access, and back "
					      "when the host uses them";
		break;
	case XNACK_MAY_MIGRATE:
		answer->reason = "the GPU accesses it by a page fault, and its pages may migrate";
		break;
	case XNACK_REMOTE:
		answer->reason = prefetched
				     ? "nothing migrates on access: it is local to the GPU only "
				       "after a prefetch, until the host uses it again"
				     : "nothing migrates on access, and nothing prefetches it";
		break;
	case XNACK_UNCHANGED:
		answer->reason = kind == KIND_DEVICE   ? "it is the GPU's own memory"
				 : kind == KIND_PINNED ? "it is pinned host memory"
						       : "the GPU accesses it the same way";
		break;
	default:
		break;
	}
}

static enum xnack_outcome outcome_of(enum model_access access)
{
	switch (access) {
	case ACCESS_FAULT:
	case ACCESS_NONE:
		return XNACK_FAULTS;
	case ACCESS_MIGRATES:
		return XNACK_MIGRATES;
	case ACCESS_MAY_MIGRATE:
		return XNACK_MAY_MIGRATE;
	case ACCESS_REMOTE:
		return XNACK_REMOTE;
	default:
		return XNACK_UNKNOWN_EFFECT;
	}
}

struct xnack_change xnack_whatif_ask(const struct xnack_row *row, int xnack)
{
	struct model_environment now = process_environment(row->process), then = now;
	enum memory_kind kind = kind_of(row->allocation, &now);
	struct xnack_change answer = { .outcome = XNACK_UNKNOWN_EFFECT, .xnack = now.xnack };
	struct model_answer before, after;

	then.xnack = xnack;
	before = model_ask(QUESTION_GPU, kind, &now);
	after = model_ask(QUESTION_GPU, kind, &then);
	answer.now = before.access;
	answer.then = after.access;
	answer.sources = after.sources;
	if (now.xnack == xnack) {
		answer.outcome = XNACK_UNCHANGED;
		answer.reason = xnack ? "XNACK is on already" : "XNACK is off already";
	} else if (kind == KIND_UNKNOWN) {
		answer.reason = "this kind of memory is not in the memory model";
	} else if (xnack && codeobj_device_xnack(row->arch) == CODEOBJ_OFF) {
		answer.outcome = XNACK_UNCHANGED;
		answer.then = before.access;
		answer.reason = "this GPU has no XNACK";
		answer.sources = "LTD";
	} else if (!xnack && has_xnack(row->arch, CODEOBJ_XNACK_ALWAYS)) {
		answer.outcome = XNACK_UNCHANGED;
		answer.then = before.access;
		answer.reason = "XNACK is always on here";
		answer.sources = "LTD";
	} else if (!has_xnack(row->arch, CODEOBJ_XNACK_SWITCHED)) {
		answer.reason = "unknown whether a process can switch XNACK: known for MI200, "
				"MI300 and MI350 only";
		answer.sources = "LTD,UM,KFD";
	} else if (!after.certain) {
		answer.reason = "it depends on a property of the machine that could not be queried";
	} else if (before.access == after.access) {
		answer.outcome = XNACK_UNCHANGED;
		explain(row, kind, &answer);
	} else if (after.access == ACCESS_MIGRATES && (row->accessed_by || row->host_preferred)) {
		/* SetAccessedBy maps in place, SetPreferredLocation steers the fault
		 * (docs/memory-model.md#advice). */
		answer.outcome = XNACK_REMOTE;
		answer.reason = row->accessed_by
				    ? "hipMemAdviseSetAccessedBy maps it in place: it does not "
				      "migrate on access"
				    : "hipMemAdviseSetPreferredLocation keeps it on the host";
		answer.sources = "CLR62";
	} else {
		answer.outcome = outcome_of(after.access);
		explain(row, kind, &answer);
		if (!answer.reason)
			answer.reason = "the memory model does not cover it";
	}
	return answer;
}

static const struct {
	const char *name, *text;
} outcomes[XNACK_OUTCOMES] = {
	[XNACK_UNCHANGED] = { "unchanged", "unchanged" },
	[XNACK_FAULTS] = { "faults", "would fault" },
	[XNACK_MIGRATES] = { "migrates", "would migrate" },
	[XNACK_MAY_MIGRATE] = { "may_migrate", "may migrate" },
	[XNACK_REMOTE] = { "remote", "remote" },
	[XNACK_UNKNOWN_EFFECT] = { "cannot_tell", "unknown" },
};

const char *xnack_outcome_text(enum xnack_outcome outcome)
{
	return outcomes[outcome].text;
}

const char *xnack_outcome_name(enum xnack_outcome outcome)
{
	return outcomes[outcome].name;
}
