/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a finding the same in another recording. */
#include "selection.h"

#include <string.h>

#define FINGERPRINT_DIGITS 16
#define FRAMES             3

/* Functions and files, which survive an edit elsewhere in a file and another load address. */
static void add_frame(GString *text, const struct source_frame *frame)
{
	char *file = g_path_get_basename(frame->file ? frame->file : "");
	char *module = g_path_get_basename(frame->module ? frame->module : "");

	if (frame->function) {
		g_string_append_printf(text, "|%s:%s", file, frame->function);
	} else {
		g_string_append_printf(text, "|%s+0x%" G_GINT64_MODIFIER "x", module,
				       frame->offset);
	}
	g_free(file);
	g_free(module);
}

/* The innermost frames that a person wrote: an allocation wrapper and who called it. */
static void add_place(GString *text, const struct analysis *analysis, const struct process *process,
		      uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);
	unsigned used = 0;

	for (unsigned i = 0; i < frames->len && used < FRAMES; i++) {
		if (used || !is_wrapping_frame(frames->pdata[i])) {
			add_frame(text, frames->pdata[i]);
			used++;
		}
	}
	g_string_append(text, "|");
}

static char *describe(const struct analysis *analysis, const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;
	GString *text = g_string_new(finding->rule->id);

	g_string_append_printf(text, "|%s|%d|%" G_GINT64_FORMAT "|%s|%s",
			       finding->kernel_symbol ? finding->kernel_symbol : "",
			       finding->argument, finding->kernarg_offset,
			       finding->instruction ? finding->instruction : "",
			       finding->api ? finding->api : "");
	if (allocation) {
		g_string_append_printf(text, "|%s|%s", hg_api_name(allocation->api),
				       allocation->symbol ? allocation->symbol : "");
		add_place(text, analysis, finding->process, allocation->stack_id);
	}
	/* A kernel's launch sites are counted, not distinguished; a call is its site. */
	if (!finding_is_about_launches(finding) && finding->sites->len) {
		add_place(text, analysis, finding->process,
			  g_array_index(finding->sites, struct site, 0).stack_id);
	}
	if (finding->subject)
		g_string_append_printf(text, "|%s", finding->subject);
	if (finding->related)
		g_string_append_printf(text, "|%s", finding->related);
	return g_string_free(text, FALSE);
}

void fingerprint_findings(struct analysis *analysis)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		struct finding *finding = analysis->findings.list->pdata[i];
		char *text = describe(analysis, finding);
		char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
		char *key;
		unsigned before;

		digest[FINGERPRINT_DIGITS] = 0;
		key = g_strdup_printf("%p %s", (void *)finding->process, digest);
		before = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
		g_hash_table_insert(seen, key, GUINT_TO_POINTER(before + 1));
		g_free(finding->fingerprint);
		finding->fingerprint =
		    before ? g_strdup_printf("%s-%u", digest, before + 1) : g_strdup(digest);
		g_free(digest);
		g_free(text);
	}
	g_hash_table_destroy(seen);
}
