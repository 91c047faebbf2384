/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the findings that are reported: suppressed ones and those of a baseline are not. */
#include "selection.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "analyzer/rules/engine/finding_ranges.h"
#include "causes.h"
#include "report.h"

static void free_suppression(gpointer data)
{
	struct suppression *suppression = data;

	g_free(suppression->rule);
	g_free(suppression->pattern);
	g_free(suppression->text);
	g_free(suppression->file);
	g_free(suppression);
}

void selection_init(struct selection *selection)
{
	memset(selection, 0, sizeof(*selection));
	selection->suppressions = g_ptr_array_new_with_free_func(free_suppression);
	selection->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	selection->known_now = g_ptr_array_new_with_free_func(g_free);
}

void selection_clear(struct selection *selection)
{
	if (selection->suppressions) {
		g_ptr_array_free(selection->suppressions, TRUE);
		g_hash_table_destroy(selection->known);
		g_ptr_array_free(selection->known_now, TRUE);
		g_free(selection->baseline);
	}
	memset(selection, 0, sizeof(*selection));
}

/* ---- baseline ---- */

static void add_known(struct selection *selection, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		g_hash_table_add(selection->known, g_strdup(json_object_get_string(value)));
}

int selection_read_baseline(struct selection *selection, const char *path, char **error)
{
	struct json_object *report = NULL, *list = NULL, *baseline = NULL, *value, *every;
	int result = report_read_json(path, &report, error);

	if (result < 0)
		return result;
	json_object_object_get_ex(report, "findings", &list);
	every = causes_findings(list);
	for (size_t i = 0; i < json_object_array_length(every); i++) {
		value = NULL;
		json_object_object_get_ex(json_object_array_get_idx(every, i), "fingerprint",
					  &value);
		add_known(selection, value);
	}
	json_object_put(every);
	/* A report made against a baseline of its own: what it left out is known as well. */
	list = NULL;
	if (json_object_object_get_ex(report, "baseline", &baseline) && baseline &&
	    json_object_object_get_ex(baseline, "known", &list) &&
	    json_object_is_type(list, json_type_array))
		for (size_t i = 0; i < json_object_array_length(list); i++)
			add_known(selection, json_object_array_get_idx(list, i));
	json_object_put(report);
	g_free(selection->baseline);
	selection->baseline = g_strdup(path);
	return 0;
}

/* ---- both ---- */

static bool is_suppressed(struct selection *selection, const struct analysis *analysis,
			  const struct finding *finding)
{
	bool suppressed = false;

	/* All are tried: one that matches what another has already removed is in use. */
	for (unsigned i = 0; i < selection->suppressions->len; i++) {
		struct suppression *suppression = selection->suppressions->pdata[i];

		if (suppression_matches(suppression, analysis, finding)) {
			suppression->count++;
			suppressed = true;
		}
	}
	selection->suppressed += suppressed;
	return suppressed;
}

/* A baseline of an earlier version has former fingerprints. */
static bool is_known(struct selection *selection, const struct finding *finding)
{
	if (!selection->baseline ||
	    (!g_hash_table_contains(selection->known, finding->fingerprint) &&
	     !g_hash_table_contains(selection->known, finding->former_fingerprint)))
		return false;
	g_ptr_array_add(selection->known_now, g_strdup(finding->fingerprint));
	return true;
}

static void remove_other_ranges(struct analysis *analysis)
{
	GPtrArray *list = analysis->findings.list;
	unsigned removed = 0;

	for (unsigned i = 0; i < list->len;) {
		if (finding_in_selected_range(list->pdata[i])) {
			i++;
		} else {
			g_ptr_array_remove_index(list, i);
			removed++;
		}
	}
	if (removed) {
		findings_note(&analysis->findings,
			      "%u finding%s of other ranges, or of none, %s not reported (--range)",
			      removed, removed == 1 ? "" : "s", removed == 1 ? "is" : "are");
	}
}

void selection_apply(struct selection *selection, struct analysis *analysis)
{
	GPtrArray *list = analysis->findings.list;

	analysis->selection = selection;
	remove_other_ranges(analysis);
	for (unsigned i = 0; i < list->len;) {
		const struct finding *finding = list->pdata[i];

		if (is_suppressed(selection, analysis, finding) || is_known(selection, finding))
			g_ptr_array_remove_index(list, i);
		else
			i++;
	}
}
