/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cause, several return addresses: compilers copy calls (loops are unrolled, functions are
 * inlined and cloned), and each copy has stacks of its own. Where all of them read the same in the
 * source, so does what is found there, and it is told once.
 */
#include "selection.h"

#include <string.h>

/* Every frame of a stack. Without line tables the addresses stay apart. */
static void add_stack(GString *text, const struct analysis *analysis, const struct process *process,
		      uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);

	for (unsigned i = 0; i < frames->len; i++) {
		char *frame = source_frame_text(frames->pdata[i]);

		g_string_append_printf(text, "|%s", frame);
		g_free(frame);
	}
	if (frames->len == 0) {
		g_string_append_printf(text, "|stack %u", stack_id);
	}
}

static char *describe(const struct analysis *analysis, const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;
	const char *words[] = { finding->kernel_symbol, finding->instruction, finding->api,
				finding->subject, finding->related };
	GString *text = g_string_new(finding->rule->id);

	g_string_append_printf(text, "|%p|%d|%" G_GINT64_FORMAT "|%" G_GINT64_FORMAT,
			       (void *)finding->process, finding->argument, finding->kernarg_offset,
			       finding->code_offset);
	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
		g_string_append_printf(text, "|%s", words[i] ? words[i] : "");
	}
	if (allocation) {
		g_string_append_printf(text, "|%s|%s", hg_api_name(allocation->api),
				       allocation->symbol ? allocation->symbol : "");
		add_stack(text, analysis, finding->process, allocation->stack_id);
		if (!allocation->stack_id) {
			g_string_append_printf(text, "|%" G_GINT64_MODIFIER "x", allocation->ptr);
		}
	}
	if (finding->related_stack_id) {
		add_stack(text, analysis, finding->process, finding->related_stack_id);
	}
	/* A kernel's launch sites are counted, not told apart; a call is its site. */
	if (!finding->kernel && finding->sites->len) {
		add_stack(text, analysis, finding->process,
			  g_array_index(finding->sites, struct site, 0).stack_id);
	}
	return g_string_free(text, FALSE);
}

/* Sites that read the same become one, with the first one's stack. */
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

static void join(struct finding *to, const struct finding *from)
{
	to->count += from->count;
	to->launches += from->launches;
	to->work_items = MAX(to->work_items, from->work_items);
	to->first_ns = MIN(to->first_ns, from->first_ns);
	g_array_append_vals(to->sites, from->sites->data, from->sites->len);
}

/* The sentence that stays holds the numbers of the first one; the count beside it is of all. */
static void say_whose_numbers(gpointer key, gpointer value, gpointer data)
{
	struct finding *finding = key;
	char *message = finding->message;

	(void)value;
	(void)data;
	finding->message =
	    g_strdup_printf("%s (The same line is in the machine code more than once, as in an "
			    "unrolled loop: what this sentence counts is of one of them.)",
			    message);
	g_free(message);
}

void unite_alike(struct analysis *analysis)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTable *differing = g_hash_table_new(NULL, NULL);
	GPtrArray *list = analysis->findings.list;

	/* Sorted by confidence: the surest one of them stays. */
	for (unsigned i = 0; i < list->len;) {
		struct finding *finding = list->pdata[i], *first;
		char *text = describe(analysis, finding);

		first = g_hash_table_lookup(seen, text);
		if (first) {
			join(first, finding);
			if (first->message && g_strcmp0(first->message, finding->message)) {
				g_hash_table_add(differing, first);
			}
			g_ptr_array_remove_index(list, i);
			g_free(text);
		} else {
			g_hash_table_insert(seen, text, finding);
			i++;
		}
	}
	g_hash_table_destroy(seen);
	g_hash_table_foreach(differing, say_whose_numbers, NULL);
	g_hash_table_destroy(differing);
	for (unsigned i = 0; i < list->len; i++) {
		unite_sites(analysis, list->pdata[i]);
	}
}
