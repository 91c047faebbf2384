/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what makes a finding the same in another recording. */
#include "selection.h"

#include <string.h>

#define FINGERPRINT_DIGITS 16
#define FRAMES             3

/* Fingerprints are made in these forms. Those of reports before had files, too. */
enum form { FORM_FORMER, FORM_NOW };

/* Adds functions, which survive an edit elsewhere and another name of the file. */
static void add_frame(GString *text, const struct source_frame *frame, enum form form)
{
	char *file = g_path_get_basename(frame->file ? frame->file : "");
	char *module = g_path_get_basename(frame->module ? frame->module : "");

	if (frame->function) {
		g_string_append_printf(text, "|%s:%s", form == FORM_FORMER ? file : "",
				       frame->function);
	} else {
		g_string_append_printf(text, "|%s+0x%" G_GINT64_MODIFIER "x", module,
				       frame->offset);
	}
	g_free(file);
	g_free(module);
}

/* Adds the innermost frames that a person wrote: an allocation wrapper and its caller. */
static void add_place(GString *text, const struct analysis *analysis, const struct process *process,
		      uint32_t stack_id, enum form form)
{
	const GPtrArray *frames = symbolize_stack(analysis->symbolizer, process, stack_id);
	unsigned used = 0;

	for (unsigned i = 0; i < frames->len && used < FRAMES; i++) {
		const struct source_frame *frame = frames->pdata[i];
		bool wraps = form == FORM_FORMER ? is_runtime_place(frame->function, frame->file)
						 : !is_user_frame(frames, i) && user_frame(frames);

		if (used || !wraps) {
			add_frame(text, frames->pdata[i], form);
			used++;
		}
	}
	g_string_append(text, "|");
}

/*
 * clang gives kernels that are local to a file an end with a hash of the file's path (-fgpu-rdc;
 * CodeGenModule::printPostfixForExternalizedDecl()). The caller frees the name without it.
 */
static char *symbol_of(const struct finding *finding, enum form form)
{
	static const char *const marks[] = { ".static.", ".intern.", ".anon.", "__static__",
					     "__intern__" };
	char *symbol = g_strdup(finding->kernel_symbol ? finding->kernel_symbol : "");

	for (unsigned i = 0; form == FORM_NOW && i < G_N_ELEMENTS(marks); i++) {
		char *mark = strstr(symbol, marks[i]);
		size_t length = strlen(marks[i]);

		if (mark && mark[length] &&
		    strspn(mark + length, "0123456789abcdef") == strlen(mark + length))
			*mark = 0;
	}
	return symbol;
}

static char *describe(const struct analysis *analysis, const struct finding *finding,
		      enum form form)
{
	const struct allocation *allocation = finding->allocation;
	GString *text = g_string_new(finding->rule->id);
	char *symbol = symbol_of(finding, form);

	g_string_append_printf(text, "|%s|%d|%" G_GINT64_FORMAT "|%s|%s", symbol, finding->argument,
			       finding->kernarg_offset,
			       finding->instruction ? finding->instruction : "",
			       finding->api ? finding->api : "");
	g_free(symbol);
	if (allocation) {
		g_string_append_printf(text, "|%s|%s", hg_api_name(allocation->api),
				       allocation->symbol ? allocation->symbol : "");
		add_place(text, analysis, finding->process, allocation->stack_id, form);
	}
	if (finding->piece)
		g_string_append_printf(text, "|%s|%s",
				       finding->piece->pool ? finding->piece->pool : "",
				       finding->piece->name ? finding->piece->name : "");
	/* A kernel's launch sites are counted, not distinguished; a call is its site. */
	if (!finding_is_about_launches(finding) && finding->sites->len) {
		add_place(text, analysis, finding->process,
			  g_array_index(finding->sites, struct site, 0).stack_id, form);
	}
	if (finding->subject)
		g_string_append_printf(text, "|%s", finding->subject);
	if (finding->related)
		g_string_append_printf(text, "|%s", finding->related);
	return g_string_free(text, FALSE);
}

/* Returns the digest of `text`, with a number if the process has had it; `seen` counts. */
static char *digest_of(GHashTable *seen, const struct finding *finding, const char *text)
{
	char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	char *key, *result;
	unsigned before;

	digest[FINGERPRINT_DIGITS] = 0;
	key = g_strdup_printf("%p %s", (void *)finding->process, digest);
	before = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
	g_hash_table_insert(seen, key, GUINT_TO_POINTER(before + 1));
	result = before ? g_strdup_printf("%s-%u", digest, before + 1) : g_strdup(digest);
	g_free(digest);
	return result;
}

static void set_fingerprint(const struct analysis *analysis, GHashTable *seen,
			    struct finding *finding, enum form form)
{
	char **place = form == FORM_NOW ? &finding->fingerprint : &finding->former_fingerprint;
	char *text = describe(analysis, finding, form);

	g_free(*place);
	*place = digest_of(seen, finding, text);
	g_free(text);
}

void fingerprint_findings(struct analysis *analysis)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		set_fingerprint(analysis, seen, analysis->findings.list->pdata[i], FORM_NOW);
		set_fingerprint(analysis, seen, analysis->findings.list->pdata[i], FORM_FORMER);
	}
	g_hash_table_destroy(seen);
}
