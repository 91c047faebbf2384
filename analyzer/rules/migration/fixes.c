/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up what --fix did: a row is of one action on memory of one call stack. */
#include "fixes.h"

#include "analyzer/rules/engine/kernels.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_fix.h"
#include "tracer/events/ev_fix_plan.h"

static void free_row(gpointer data)
{
	struct fix_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->kernel);
	g_free(row);
}

struct fixes {
	GPtrArray *list;  /* struct fix_row */
	GHashTable *rows; /* key text -> row of the list */
};

static void init_result(void *data)
{
	struct fixes *fixes = data;

	fixes->list = g_ptr_array_new_with_free_func(free_row);
	fixes->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void clear_result(void *data)
{
	struct fixes *fixes = data;

	g_hash_table_destroy(fixes->rows);
	g_ptr_array_free(fixes->list, TRUE);
}

static const struct attachment_type result_type = { sizeof(struct fixes), init_result,
						    clear_result };

const GPtrArray *fixes_result(const struct findings *findings)
{
	return ((const struct fixes *)findings_result(findings, &result_type))->list;
}

const char *fix_name(unsigned fix)
{
	switch (fix) {
	case HG_FIX_COARSE_MANAGED:
		return "coarse-managed";
	case HG_FIX_PREFETCH:
		return "prefetch";
	case HG_FIX_ALIGN:
		return "align";
	default:
		return "unknown";
	}
}

static char *kernel_name(const struct rules_context *context, uint32_t kernel_id)
{
	struct kernel_ref *kernel = kernel_id ? process_kernel(context->process, kernel_id) : NULL;
	const struct isa_kernel *code;
	const char *arch;

	if (!kernel)
		return NULL;
	code = kernels_find(context->kernels, context->process, kernel, context->findings, &arch);
	return g_strdup(code ? code->name : kernel->symbol);
}

static struct fix_row *row_of(const struct rules_context *context, struct allocation *allocation)
{
	const struct hg_ev_fix *event = context->event->fix;
	struct fixes *fixes = findings_result(context->findings, &result_type);
	char *key = g_strdup_printf("%p %u %u %d %d %u %u %u", (void *)context->process, event->fix,
				    event->outcome, event->result, event->device, event->kernel_id,
				    allocation ? allocation->api : 0,
				    allocation ? allocation->stack_id : 0);
	struct fix_row *row = g_hash_table_lookup(fixes->rows, key);

	if (row) {
		g_free(key);
		return row;
	}
	row = g_new0(struct fix_row, 1);
	row->process = context->process;
	row->fix = event->fix;
	row->outcome = event->outcome;
	row->result = event->result;
	row->device = event->device;
	row->kernel = kernel_name(context, event->kernel_id);
	row->stack_id = event->stack_id;
	row->first_ns = context->event->ns;
	g_hash_table_insert(fixes->rows, key, row);
	g_ptr_array_add(fixes->list, row);
	return row;
}

static void note_plan(const struct rules_context *context)
{
	const struct hg_ev_fix_plan *event = context->event->fix_plan;

	if (*event->problem) {
		findings_limit(context->findings,
			       "process %d: --fix=coarse-managed did nothing: %s",
			       context->process->pid, event->problem);
	}
	findings_note(context->findings, "process %d: this run was modified by --fix=%s%s%s",
		      context->process->pid,
		      event->fixes & HG_FIX_COARSE_MANAGED ? "coarse-managed" : "",
		      event->fixes & HG_FIX_PREFETCH
			  ? event->fixes & HG_FIX_COARSE_MANAGED ? ",prefetch" : "prefetch"
			  : "",
		      event->fixes & HG_FIX_ALIGN
			  ? event->fixes & ~(unsigned)HG_FIX_ALIGN ? ",align" : "align"
			  : "");
}

void note_fixes(const struct rules_context *context)
{
	const struct hg_ev_fix *event = context->event->fix;
	struct allocation *allocation;
	struct fix_row *row;

	if (context->event->type == HG_EVENT_fix_plan) {
		note_plan(context);
		return;
	}
	allocation =
	    event->ptr ? address_space_find(&context->process->space, event->ptr, NULL) : NULL;
	row = row_of(context, allocation);
	row->count++;
	row->bytes += event->size;
	row->given += event->given;
	row->duration += event->duration;
	if (allocation) {
		allocation_ref(allocation); /* it may be the row's */
		allocation_unref(row->allocation);
		row->allocation = allocation;
	}
}
