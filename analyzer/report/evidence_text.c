/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what a finding rests on, fact by fact, in the order of time: `--verbose`. */
#include "printer.h"

#include "analyzer/replay/thread_names.h"
#include "analyzer/rules/engine/runtime_attributes.h"
#include "history.h"

struct fact {
	int64_t ns;
	char *text;
};

static void add_fact(GArray *facts, int64_t ns, char *text)
{
	struct fact fact = { ns, text };

	g_array_append_val(facts, fact);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const struct fact *first = a, *second = b;

	return (first->ns > second->ns) - (first->ns < second->ns);
}

static void add_advice(GArray *facts, const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;
	const struct process *process = finding->process;
	struct page_summary pages;

	if (allocation->freed)
		return; /* its pages may be another's by now */
	pages = page_map_summary(&process->pages, allocation->ptr, allocation->size);
	if (pages.latest) {
		add_fact(
		    facts, pages.latest->call.ns,
		    g_strdup_printf("advised %s-grained (the latest advice): %" G_GUINT64_FORMAT
				    " bytes are coarse-grained by advice, %" G_GUINT64_FORMAT
				    " fine-grained, %" G_GUINT64_FORMAT " were never advised",
				    pages.latest->call.coarse ? "coarse" : "fine", pages.coarse,
				    pages.fine, pages.plain));
	}
}

static void add_allocation(GArray *facts, const struct finding *finding)
{
	const struct allocation *allocation = finding->allocation;
	struct runtime_attributes reported = runtime_attributes(finding->process, allocation);
	char *thread = thread_name(finding->process, allocation->tid);
	GString *text = g_string_new(NULL);

	if (allocation->symbol) {
		g_string_printf(text, "variable %s is at 0x%" G_GINT64_MODIFIER "x",
				allocation->symbol, allocation->ptr);
	} else {
		g_string_printf(text,
				"%s: %s(%" G_GUINT64_FORMAT " bytes, flags 0x%" G_GINT64_MODIFIER
				"x) gave 0x%" G_GINT64_MODIFIER "x",
				thread, hg_api_name(allocation->api), allocation->size,
				allocation->flags, allocation->ptr);
	}
	if (allocation->device_ptr && allocation->device_ptr != allocation->ptr) {
		g_string_append_printf(text, ", on the GPU 0x%" G_GINT64_MODIFIER "x",
				       allocation->device_ptr);
	}
	if (allocation->device >= 0 && allocation->layer == LAYER_HIP)
		g_string_append_printf(text, ", device %d", allocation->device);
	if (reported.granularity != GRAIN_UNKNOWN) {
		g_string_append_printf(text, "; the runtime reported it as %s%s",
				       reported.mixed ? "mixed, in part " : "",
				       model_granularity_name(reported.granularity));
	}
	g_free(thread);
	add_fact(facts, allocation->ns, g_string_free(text, FALSE));
	add_advice(facts, finding);
	if (allocation->freed) {
		thread = thread_name(finding->process, allocation->free_tid);
		add_fact(facts, allocation->free_ns,
			 g_strdup_printf("%s: %s released it", thread,
					 hg_api_name(allocation->free_api)));
		g_free(thread);
	}
}

static void add_use(GArray *facts, const struct finding *finding)
{
	const char *call = finding->api ? finding->api : "the call";

	if (finding_is_about_launches(finding)) {
		add_fact(
		    facts, finding->first_ns,
		    g_strdup_printf("first launch of %s with this finding, of %" G_GUINT64_FORMAT,
				    finding->kernel, finding->launches));
	} else if (finding->sites->len) {
		add_fact(facts, finding->first_ns,
			 g_strdup_printf("%s, for the first of %" G_GUINT64_FORMAT " time%s", call,
					 finding->count, finding->count == 1 ? "" : "s"));
	}
}

/* Adds which calls advised or prefetched the memory, and how its pages moved. */
static void add_history(GArray *facts, const struct analysis *analysis,
			const struct finding *finding)
{
	const struct migration_history *history = finding_history(&analysis->findings, finding);

	GArray *known;

	if (!history)
		return;
	known = history_facts(analysis, finding->process, history);
	for (unsigned i = 0; i < known->len; i++) {
		struct history_fact *fact = &g_array_index(known, struct history_fact, i);

		add_fact(facts, fact->ns, g_steal_pointer(&fact->text));
	}
	g_array_unref(known);
}

void put_evidence(const struct printer *printer, const struct finding *finding)
{
	GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct fact));

	if (finding->allocation)
		add_allocation(facts, finding);
	add_use(facts, finding);
	add_history(facts, printer->analysis, finding);
	g_array_sort(facts, by_time);
	for (unsigned i = 0; i < facts->len; i++) {
		const struct fact *fact = &g_array_index(facts, struct fact, i);
		double seconds = (double)(fact->ns - printer->analysis->began_ns) / 1e9;

		/* A fact that is older than the recording has no time. */
		put_row_owned(printer, i ? "" : "evidence",
			      fact->ns ? g_strdup_printf("%.6f s: %s", seconds, fact->text)
				       : g_strdup_printf("before: %s", fact->text));
		g_free(fact->text);
	}
	put_row_owned(printer, "recorded",
		      g_strdup_printf("process %d; fingerprint %s; more in 'hipgrain explain %s'",
				      finding->process->pid,
				      finding->fingerprint ? finding->fingerprint : "none",
				      finding->rule->id));
	g_array_unref(facts);
}
