/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cause may have several return addresses: compilers copy calls (loops are unrolled, functions
 * are inlined and cloned), and each copy has stacks of its own. Where all of them read the same in
 * the source, and their sentences are the same but for numbers that can be added up or given as a
 * range, they are one finding. Of a finding about what stands on a line, such as a construct of
 * OpenMP, the callers of its function do not matter.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/finding_ranges.h"
#include "selection.h"
#include "tracer/api/hip_objects.h"

#include <string.h>

/* Adds every frame of a stack. Without line tables the addresses stay apart. */
static void add_stack(GString *text, const struct analysis *analysis, const struct process *process,
		      uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);

	for (unsigned i = 0; i < frames->len; i++) {
		char *frame = source_frame_text(frames->pdata[i]);

		g_string_append_printf(text, "|%s", frame);
		g_free(frame);
	}
	if (frames->len == 0)
		g_string_append_printf(text, "|stack %u", stack_id);
}

/* Adds the line that a person wrote alone; without line tables that is an address, too. */
static void add_line(GString *text, const struct analysis *analysis, const struct process *process,
		     uint32_t stack_id)
{
	char *place = stack_place(analysis->symbolizer, process, stack_id);

	g_string_append_printf(text, "|%s", place);
	g_free(place);
}

/* Returns the flags without the number of an import's handle, which each handle has. */
static uint64_t flags_of(const struct allocation *allocation)
{
	return allocation->api == HG_API_hipIpcOpenMemHandle ? (uint32_t)allocation->flags
							     : allocation->flags;
}

static char *describe(const struct analysis *analysis, const void *row)
{
	const struct finding *finding = row;
	const struct allocation *allocation = finding->allocation;
	/* Sentences without their numbers: what they say must hold for all. */
	const char *words[] = { finding->kernel_symbol,
				finding->instruction,
				finding->api,
				finding->subject,
				finding->related,
				finding->why,
				finding->doubts,
				finding->message_pattern ? finding->message_pattern
							 : finding->message,
				finding->fix_pattern ? finding->fix_pattern : finding->fix };
	GString *text = g_string_new(finding->rule->id);

	g_string_append_printf(text, "|%p|%d|%" G_GINT64_FORMAT "|%" G_GINT64_FORMAT "|%d",
			       (void *)finding->process, finding->argument, finding->kernarg_offset,
			       finding->code_offset, finding->confidence);
	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		g_string_append_printf(text, "|%s", words[i] ? words[i] : "");
	if (allocation) {
		g_string_append_printf(
		    text, "|%s|%s|%" G_GINT64_MODIFIER "x", hg_api_name(allocation->api),
		    allocation->symbol ? allocation->symbol : "", flags_of(allocation));
		add_stack(text, analysis, finding->process, allocation->stack_id);
		if (!allocation->stack_id)
			g_string_append_printf(text, "|%" G_GINT64_MODIFIER "x", allocation->ptr);
	}
	if (finding->piece)
		add_stack(text, analysis, finding->process, finding->piece->stack_id);
	if (finding->related_stack_id)
		add_stack(text, analysis, finding->process, finding->related_stack_id);
	/* A kernel's launch sites are counted, not distinguished; a call is its site. */
	if (!finding_is_about_launches(finding) && finding->sites->len) {
		(finding->of_line ? add_line : add_stack)(
		    text, analysis, finding->process,
		    g_array_index(finding->sites, struct site, 0).stack_id);
	}
	return g_string_free(text, FALSE);
}

/* Unites sites that read the same, with the first one's stack. */
static void unite_sites(const struct analysis *analysis, struct finding *finding)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	unsigned kept = 0;

	for (unsigned i = 0; i < finding->sites->len; i++) {
		struct site site = g_array_index(finding->sites, struct site, i);
		GString *text = g_string_new(NULL);
		gpointer place;

		add_stack(text, analysis, finding->process, site.stack_id);
		if (g_hash_table_lookup_extended(seen, text->str, NULL, &place)) {
			g_array_index(finding->sites, struct site, GPOINTER_TO_UINT(place)).count +=
			    site.count;
			g_string_free(text, TRUE);
			continue;
		}
		g_array_index(finding->sites, struct site, kept) = site;
		g_hash_table_insert(seen, g_string_free(text, FALSE), GUINT_TO_POINTER(kept++));
	}
	g_array_set_size(finding->sites, kept);
	g_hash_table_destroy(seen);
}

static void join(const struct analysis *analysis, void *into, void *of)
{
	struct finding *to = into;
	const struct finding *from = of;

	(void)analysis;
	to->count += from->count;
	to->launches += from->launches;
	to->work_items = MAX(to->work_items, from->work_items);
	to->first_ns = MIN(to->first_ns, from->first_ns);
	g_array_append_vals(to->sites, from->sites->data, from->sites->len);
	finding_ranges_join(to, from);
	finding_join(to, from);
}

void unite_list(const struct analysis *analysis, GPtrArray *list, describe_row describe_one,
		join_rows join_two)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < list->len;) {
		char *text = describe_one(analysis, list->pdata[i]);
		void *first = g_hash_table_lookup(seen, text);

		if (first) {
			join_two(analysis, first, list->pdata[i]);
			g_ptr_array_remove_index(list, i);
			g_free(text);
		} else {
			g_hash_table_insert(seen, text, list->pdata[i]);
			i++;
		}
	}
	g_hash_table_destroy(seen);
}

void unite_alike(struct analysis *analysis)
{
	GPtrArray *list = analysis->findings.list;

	unite_list(analysis, list, describe, join);
	for (unsigned i = 0; i < list->len; i++)
		unite_sites(analysis, list->pdata[i]);
}
