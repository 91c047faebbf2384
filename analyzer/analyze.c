/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/report/selection.h"
#include "analyzer/rules/context.h"
#include "analyzer/rules/rules.h"
#include "analyzer/rules/static_notes.h"

struct pass {
	struct analysis *analysis;
	struct rules_engine *engine;
	uint64_t unknown; /* events of types that this version does not know */
};

static int on_event(const struct hg_event *event, void *data)
{
	struct pass *pass = data;
	struct process *process = replay_process(&pass->analysis->replay, event->pid);

	if (event->type == HG_EVENT_TYPES) {
		/* Others may record into a shared daemon with another version: not our gap. */
		pass->unknown += process ? !process->foreign : !pass->analysis->replay.session;
		return 0;
	}
	if (process && !process->foreign) {
		rules_engine_before(pass->engine, process, event);
	}
	process = replay_apply(&pass->analysis->replay, event);
	if (!process->foreign) {
		rules_engine_event(pass->engine, process, event);
	}
	if (pass->analysis->overview) {
		overview_event(pass->analysis->overview, process, event);
	}
	return 0;
}

/* What the recorder says about its own work. */
static void read_manifest(struct analysis *analysis)
{
	char *path = g_build_filename(analysis->bundle, "manifest.json", NULL);
	struct json_object *manifest = json_object_from_file(path);
	struct json_object *complete = NULL, *recording = NULL, *session = NULL;

	if (!manifest) {
		findings_limit(&analysis->findings,
			       "the bundle has no readable manifest.json: the recording may be cut "
			       "off");
	} else if (json_object_object_get_ex(manifest, "complete", &complete) &&
		   !json_object_get_boolean(complete)) {
		findings_limit(&analysis->findings,
			       "the recording was interrupted: events of its last moments may be "
			       "missing");
	}
	if (manifest && json_object_object_get_ex(manifest, "recording", &recording) &&
	    json_object_object_get_ex(recording, "session", &session)) {
		replay_set_session(&analysis->replay, json_object_get_string(session));
	}
	json_object_put(manifest);
	g_free(path);
}

/* A wait that was not seen looks like one that is missing. */
static void drop_findings_about_order(struct analysis *analysis)
{
	GPtrArray *list = analysis->findings.list;
	unsigned dropped = 0;

	for (unsigned i = 0; i < list->len;) {
		const struct finding *finding = list->pdata[i];

		if (finding->about_order) {
			g_ptr_array_remove_index(list, i);
			dropped++;
		} else {
			i++;
		}
	}
	if (dropped) {
		findings_limit(
		    &analysis->findings,
		    "what was ordered before what (HG215, HG4xx, HG602, HG7xx) cannot be "
		    "told from an incomplete trace: %u findings of these rules were left "
		    "out",
		    dropped);
	}
}

static void note_losses(struct analysis *analysis, uint64_t unknown, bool interrupted)
{
	struct findings *findings = &analysis->findings;
	const struct reader_stats *stats = &analysis->stats;

	if (stats->lost || stats->lost_packets || stats->truncated) {
		drop_findings_about_order(analysis);
	}
	if (stats->lost || stats->lost_packets || stats->truncated || interrupted) {
		findings_drop_absence(findings);
	}
	if (stats->lost || stats->lost_packets) {
		findings_limit(findings,
			       "%" G_GUINT64_FORMAT " events were lost while recording: memory "
			       "that was allocated or freed in the gaps may be missing or stale",
			       stats->lost + stats->lost_packets);
		for (unsigned i = 0; i < findings->list->len; i++) {
			struct finding *finding = findings->list->pdata[i];

			finding_at_most(finding, CONFIDENCE_LIKELY, "events were lost");
		}
	}
	if (stats->truncated) {
		findings_limit(findings, "the trace is damaged, what follows was not read: %s",
			       stats->truncated);
	}
	if (unknown) {
		findings_limit(findings,
			       "%" G_GUINT64_FORMAT " events are of types that this version does "
			       "not know",
			       unknown);
	}
}

/* Fixes that name the place of the allocation get it now. */
static void place_fixes(struct analysis *analysis)
{
	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		struct finding *finding = analysis->findings.list->pdata[i];
		const struct source_frame *frame;
		char **parts, *place;

		if (!finding->fix || !strstr(finding->fix, FIX_SITE)) {
			continue;
		}
		frame = user_frame(
		    symbolize_stack(analysis->symbolizer, finding->process,
				    finding->allocation ? finding->allocation->stack_id : 0));
		place = frame && frame->file
			    ? g_strdup_printf(" after %s:%u", frame->file, frame->line)
			    : g_strdup("");
		parts = g_strsplit(finding->fix, FIX_SITE, -1);
		g_free(finding->fix);
		finding->fix = g_strjoinv(place, parts);
		g_strfreev(parts);
		g_free(place);
	}
}

static int load(struct analysis *analysis, const char *path, bool overview, char **error)
{
	char *traces = g_build_filename(path, "ctf", NULL);
	char *code_objects = g_build_filename(path, "code-objects", NULL);
	struct pass pass = { .analysis = analysis };
	struct stat status;
	bool interrupted;
	int result;

	memset(analysis, 0, sizeof(*analysis));
	*error = NULL;
	analysis->bundle = g_strdup(path);
	replay_init(&analysis->replay);
	findings_init(&analysis->findings);
	analysis->symbolizer = symbolizer_new();
	if (overview) {
		analysis->overview = overview_new();
		overview_observe(analysis->overview, &analysis->replay);
	}
	if (stat(path, &status) < 0) {
		result = -errno;
		*error = g_strdup(strerror(errno));
		goto out;
	}
	if (stat(traces, &status) < 0) {
		result = -EINVAL;
		*error = g_strdup("not a hipgrain trace bundle: it has no ctf folder");
		goto out;
	}
	read_manifest(analysis);
	interrupted = analysis->findings.limits->len > 0;
	pass.engine = rules_engine_new(code_objects, &analysis->findings);
	result = read_trace(traces, on_event, &pass, &analysis->stats, error);
	if (result == 0) {
		rules_engine_finish(pass.engine, &analysis->replay);
		if (analysis->overview) {
			overview_finish(analysis->overview);
		}
		note_losses(analysis, pass.unknown, interrupted);
		place_fixes(analysis);
		static_notes(&analysis->findings, &analysis->replay);
		analysis->complete = analysis->findings.limits->len == 0;
		fingerprint_findings(analysis);
	} else if (!*error) {
		*error =
		    g_strdup(result == -ENOENT ? "the bundle holds no trace: nothing was recorded"
					       : strerror(-result));
	}
	rules_engine_free(pass.engine);
out:
	g_free(traces);
	g_free(code_objects);
	return result;
}

int analysis_load(struct analysis *analysis, const char *path, char **error)
{
	return load(analysis, path, false, error);
}

int analysis_load_overview(struct analysis *analysis, const char *path, char **error)
{
	return load(analysis, path, true, error);
}

void analysis_clear(struct analysis *analysis)
{
	overview_free(analysis->overview);
	findings_destroy(&analysis->findings);
	symbolizer_free(analysis->symbolizer);
	replay_destroy(&analysis->replay);
	g_free(analysis->stats.truncated);
	g_free(analysis->bundle);
}

unsigned analysis_count(const struct analysis *analysis, enum severity severity)
{
	unsigned count = 0;

	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		const struct finding *finding = analysis->findings.list->pdata[i];

		count += finding->rule->severity >= severity;
	}
	return count;
}
