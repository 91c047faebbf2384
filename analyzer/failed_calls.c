/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the notes on calls that failed, no matter if a finding is about them. */
#include "failed_calls.h"

#include <string.h>

#include "analyzer/symbols/demangle.h"

/*
 * Appends " of fill(int*) (a grid of 0 x 1 x 1, blocks of 64 x 1 x 1, 1024 bytes of dynamic LDS)".
 */
static void append_launch(GString *text, const struct process *process,
			  const struct failed_call *failed)
{
	const struct kernel_ref *kernel = process_kernel(process, failed->kernel_id);
	char *name = kernel ? demangled(kernel->symbol) : NULL;

	if (name)
		g_string_append_printf(text, " of %s", name);
	if (failed->sized) {
		g_string_append_printf(text, " (a grid of %u x %u x %u, blocks of %u x %u x %u",
				       failed->grid[0], failed->grid[1], failed->grid[2],
				       failed->block[0], failed->block[1], failed->block[2]);
		if (failed->lds)
			g_string_append_printf(text, ", %u bytes of dynamic LDS", failed->lds);
		g_string_append_c(text, ')');
	}
	g_free(name);
}

/* A note stands for all calls that it describes alike. */
struct note {
	char *what, *where;
	uint64_t count;
};

static void free_note(gpointer data)
{
	struct note *note = data;

	g_free(note->what);
	g_free(note->where);
	g_free(note);
}

static char *what_failed(const struct process *process, const struct failed_call *failed)
{
	const char *name = hg_api_name(failed->api);
	GString *text = g_string_new(name ? name : "a call");

	if (hg_api_class(failed->api) == HG_CLASS_LAUNCH)
		append_launch(text, process, failed);
	else if (hg_api_class(failed->api) == HG_CLASS_ALLOC && failed->size)
		g_string_append_printf(text, " of %" G_GUINT64_FORMAT " bytes", failed->size);
	g_string_append_printf(text, " failed with %s (%d)", model_hip_error_name(failed->code),
			       failed->code);
	return g_string_free(text, FALSE);
}

static char *where_it_failed(struct analysis *analysis, const struct process *process,
			     const struct failed_call *failed)
{
	char *place, *text;

	if (failed->elsewhere)
		return g_strdup(" in more places");
	place =
	    failed->stack_id ? stack_place(analysis->symbolizer, process, failed->stack_id) : NULL;
	text = place ? g_strdup_printf(", at %s", place) : g_strdup("");
	g_free(place);
	return text;
}

static void add_note(GPtrArray *notes, char *what, char *where, uint64_t count)
{
	struct note *note;

	for (unsigned i = 0; i < notes->len; i++) {
		note = notes->pdata[i];
		if (!strcmp(note->what, what) && !strcmp(note->where, where)) {
			note->count += count;
			g_free(what);
			g_free(where);
			return;
		}
	}
	note = g_new(struct note, 1);
	*note = (struct note){ what, where, count };
	g_ptr_array_add(notes, note);
}

void note_failed_calls(struct analysis *analysis)
{
	GPtrArray *notes = g_ptr_array_new_with_free_func(free_note);

	for (unsigned i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];

		for (unsigned k = 0; k < process->failed->len; k++) {
			const struct failed_call *failed =
			    &g_array_index(process->failed, struct failed_call, k);

			/* The C library's failures are the program's own business. */
			if (failed->api >= HG_HIP_APIS) {
				add_note(notes, what_failed(process, failed),
					 where_it_failed(analysis, process, failed), failed->count);
			}
		}
	}
	for (unsigned i = 0; i < notes->len; i++) {
		const struct note *note = notes->pdata[i];

		findings_note(&analysis->findings, "%s %" G_GUINT64_FORMAT " time%s%s", note->what,
			      note->count, note->count == 1 ? "" : "s", note->where);
	}
	g_ptr_array_free(notes, TRUE);
}
