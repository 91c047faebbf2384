/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle_check.h"
#include "analyze.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/fix_text.h"
#include "analyzer/progress.h"
#include "analyzer/ranks.h"
#include "analyzer/recordings.h"
#include "analyzer/report/selection.h"
#include "analyzer/rules/context.h"
#include "analyzer/rules/rules.h"
#include "analyzer/rules/static_notes.h"

struct analysis_run {
	struct analysis *analysis;
	struct rules_engine *engine;
	uint64_t unknown; /* events of types that this version does not know */
	bool interrupted; /* the recording, as its manifest says */
};

struct told_cost {
	struct hg_ev_cost first, last; /* of the program that it runs */
	struct hg_ev_cost before;      /* of those that it ran before */
};

static void add_told(struct hg_ev_cost *sum, const struct told_cost *told)
{
	sum->calls += told->last.calls - told->first.calls;
	sum->timed += told->last.timed - told->first.timed;
	sum->spent += told->last.spent - told->first.spent;
	sum->processor += told->last.processor - told->first.processor;
}

/* The process says what it was so far; less than before when it runs another program. */
static void note_cost(GHashTable *told, int32_t pid, const struct hg_ev_cost *now)
{
	struct told_cost *one = g_hash_table_lookup(told, GINT_TO_POINTER(pid));

	if (!one) {
		one = g_new0(struct told_cost, 1);
		one->first = one->last = *now;
		g_hash_table_insert(told, GINT_TO_POINTER(pid), one);
	}
	if (now->calls < one->last.calls || now->processor < one->last.processor) {
		add_told(&one->before, one);
		one->first = *now;
	}
	one->last = *now;
}

/* Where no process left more in the bundle as it ended. */
static void sum_told(struct recording_cost *cost)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, cost->told);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct told_cost *one = value;

		add_told(&one->before, one);
		cost->calls += one->before.calls;
		cost->timed += one->before.timed;
		cost->spent += one->before.spent;
		cost->used += one->before.processor;
		cost->processes += one->before.timed > 0;
	}
}

int analysis_event(const struct hg_event *event, void *data)
{
	struct analysis_run *run = data;
	struct process *process = replay_process(&run->analysis->replay, event->pid);

	progress_event(event->ns);
	if (!run->analysis->began_ns) {
		run->analysis->began_ns = event->ns;
	}
	if (event->type == HG_EVENT_TYPES) {
		/* Others may record into a shared daemon with another version: not our gap. */
		run->unknown += process ? !process->foreign : !run->analysis->replay.session;
		return 0;
	}
	if (replay_knows(&run->analysis->replay, event)) {
		/* Only that it is told again is taken note of. */
		if (event->type == HG_EVENT_process) {
			replay_apply(&run->analysis->replay, event);
		}
		return 0;
	}
	if (process && !process->foreign) {
		rules_engine_before(run->engine, process, event);
	}
	process = replay_apply(&run->analysis->replay, event);
	if (event->type == HG_EVENT_cost && !process->foreign) {
		note_cost(run->analysis->cost.told, event->pid, &event->cost);
	}
	if (!process->foreign) {
		rules_engine_event(run->engine, process, event);
	}
	if (run->analysis->overview) {
		overview_event(run->analysis->overview, process, event);
	}
	return 0;
}

/* Chunks that a rotation deleted: what is left begins with what the processes told then. */
static void note_rotation(struct analysis *analysis, struct json_object *recording)
{
	struct json_object *rotation, *deleted, *bytes, *chunks;

	if (!json_object_object_get_ex(recording, "rotation", &rotation) ||
	    !json_object_object_get_ex(rotation, "deleted", &deleted) ||
	    !json_object_object_get_ex(rotation, "deleted_bytes", &bytes) ||
	    !json_object_object_get_ex(rotation, "chunks", &chunks) ||
	    json_object_get_int64(deleted) <= 0) {
		return;
	}
	analysis->replay.attached = true;
	findings_limit(&analysis->findings,
		       "of this rotated recording the latest chunks are kept (%" PRId64
		       "); %" PRId64
		       " older (%.1f MiB) were deleted, and what happened in them is not known",
		       json_object_get_int64(chunks), json_object_get_int64(deleted),
		       (double)json_object_get_int64(bytes) / 1024 / 1024);
}

/*
 * What processes gave up because nobody emptied the trace buffers, where the recorder could not ask
 * LTTng how much was lost: lines of process and number.
 */
static void read_given_up(struct analysis *analysis, struct json_object *manifest)
{
	char *path = g_build_filename(analysis->bundle, "given-up", NULL), *text = NULL;
	struct json_object *lost = NULL, *events = NULL, *ended = NULL;

	json_object_object_get_ex(manifest, "lost", &lost);
	if (json_object_object_get_ex(lost, "events", &events) && events) {
		goto out;
	}
	if (g_file_get_contents(path, &text, NULL, NULL)) {
		for (const char *line = text; line && *line; line = strchr(line, '\n')) {
			unsigned long long count;

			line += *line == '\n';
			if (sscanf(line, "%*d %llu", &count) == 1) {
				analysis->given_up += count;
			}
		}
	}
	if (json_object_object_get_ex(manifest, "exit", &ended) && ended) {
		findings_limit(&analysis->findings,
			       "LTTng's daemons ended early or did not answer: how many events "
			       "they had not written yet is not known");
	}
out:
	g_free(text);
	g_free(path);
}

static uint64_t summed_bytes; /* nftw() has no data of the caller's */

static int sum_bytes(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)path;
	(void)place;
	summed_bytes += type == FTW_F ? (uint64_t)status->st_size : 0;
	return 0;
}

static uint64_t bytes_below(const char *path)
{
	summed_bytes = 0;
	nftw(path, sum_bytes, 16, FTW_PHYS);
	return summed_bytes;
}

static void read_cost(struct analysis *analysis)
{
	struct recording_cost *cost = &analysis->cost;
	char *path = g_build_filename(analysis->bundle, "cost", NULL), *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		for (const char *line = text; line && *line; line = strchr(line, '\n')) {
			unsigned long long calls, timed, spent, used;

			line += *line == '\n';
			if (sscanf(line, "%*d %llu %llu %llu %llu", &calls, &timed, &spent,
				   &used) != 4) {
				continue;
			}
			cost->processes++;
			cost->calls += calls;
			cost->timed += timed;
			cost->spent += spent;
			cost->used += used;
		}
	}
	g_free(text);
	g_free(path);
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
		analysis->interrupted = true;
	} else if (json_object_object_get_ex(manifest, "complete", &complete) &&
		   !json_object_get_boolean(complete)) {
		analysis->interrupted = true;
		findings_limit(&analysis->findings,
			       "the recording was interrupted: events of its last moments may be "
			       "missing");
	}
	if (manifest && json_object_object_get_ex(manifest, "recording", &recording)) {
		if (json_object_object_get_ex(recording, "session", &session)) {
			replay_set_session(&analysis->replay, json_object_get_string(session));
		}
		analysis->replay.attached = json_object_object_get_ex(recording, "attached", NULL);
		if (json_object_object_get_ex(recording, "snapshots", NULL)) {
			analysis->replay.attached = true;
			findings_limit(&analysis->findings,
				       "this is a flight recorder's snapshot: only what happened "
				       "last is known");
		}
		note_rotation(analysis, recording);
	}
	if (manifest) {
		read_given_up(analysis, manifest);
	}
	json_object_put(manifest);
	g_free(path);
}

/* What was used, freed or changed before is not all known. */
static void note_late(struct analysis *analysis)
{
	bool any = false;

	for (unsigned i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];
		const struct process_state *state = &process->state;
		double seconds = (double)state->age / 1e9;

		if (!state->late) {
			continue;
		}
		any = true;
		if (!state->told) {
			findings_limit(&analysis->findings,
				       "process %d: recording began while it was running, and what "
				       "it had by then is not known",
				       process->pid);
			continue;
		}
		findings_limit(
		    &analysis->findings,
		    "process %d: recording began %.1f s after its start: of what it did "
		    "before, %" G_GUINT64_FORMAT
		    " calls that still mattered are known (no host blocks below %" G_GUINT64_FORMAT
		    " bytes)",
		    process->pid, seconds, state->calls, state->threshold);
		if (state->counted) {
			findings_limit(&analysis->findings,
				       "process %d: small host blocks are counted from %.1f s "
				       "after its start; those it had by then are not known",
				       process->pid, (double)(state->age - state->counted) / 1e9);
		}
		if (state->left_out) {
			findings_limit(&analysis->findings,
				       "process %d: %" G_GUINT64_FORMAT
				       " more calls mattered and were not remembered",
				       process->pid, state->left_out);
		}
	}
	if (any) {
		findings_drop(&analysis->findings, BASIS_ABSENCE);
	}
}

/* Of processes that are recorded elsewhere, somebody else has the rest. */
static void note_missing(struct analysis *analysis)
{
	const GArray *missing = analysis->stats.missing;

	for (guint i = 0; missing && i < missing->len; i++) {
		const struct order_missing *row = &g_array_index(missing, struct order_missing, i);
		const struct process *process = replay_process(&analysis->replay, row->pid);

		if (process ? process->foreign : analysis->replay.session != NULL) {
			continue;
		}
		analysis->stats.lost += row->records;
		findings_limit(&analysis->findings,
			       "process %d: up to %" G_GUINT64_FORMAT
			       " allocations and frees of the host were not recorded any more",
			       row->pid, row->records);
	}
}

static void note_losses(struct analysis *analysis, uint64_t unknown, bool interrupted)
{
	struct findings *findings = &analysis->findings;
	const struct reader_stats *stats = &analysis->stats;

	note_missing(analysis);
	if (stats->lost || stats->lost_packets || analysis->given_up) {
		findings_lost(findings, analysis_lost(analysis));
	}
	/* Streams of a recording that was cut off end at different times. */
	if (stats->truncated || analysis->interrupted) {
		findings_drop(findings, BASIS_ORDER);
	}
	if (stats->truncated || interrupted) {
		findings_drop(findings, BASIS_ABSENCE);
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

static struct analysis_run *begin(struct analysis *analysis, const char *bundle, bool overview)
{
	struct analysis_run *run = g_new0(struct analysis_run, 1);
	char *code_objects = bundle ? g_build_filename(bundle, "code-objects", NULL) : NULL;

	memset(analysis, 0, sizeof(*analysis));
	run->analysis = analysis;
	analysis->bundle = g_strdup(bundle);
	analysis->cost.told = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	replay_init(&analysis->replay);
	findings_init(&analysis->findings);
	analysis->symbolizer = symbolizer_new(bundle);
	if (overview) {
		analysis->overview = overview_new();
		overview_observe(analysis->overview, &analysis->replay);
	}
	run->engine = rules_engine_new(code_objects ? code_objects : "", &analysis->findings);
	g_free(code_objects);
	return run;
}

struct analysis_run *analysis_begin(struct analysis *analysis, const char *bundle, bool overview)
{
	struct analysis_run *run = begin(analysis, bundle, overview);

	if (bundle) {
		char *traces = g_build_filename(bundle, "ctf", NULL);

		read_manifest(analysis);
		read_cost(analysis);
		analysis->cost.bytes = bytes_below(traces);
		g_free(traces);
		run->interrupted = analysis->findings.limits->len > 0;
	}
	return run;
}

struct analysis_run *analysis_begin_live(struct analysis *analysis, const char *bundle,
					 const char *session, bool overview)
{
	struct analysis_run *run = begin(analysis, bundle, overview);

	replay_set_session(&analysis->replay, session);
	analysis->replay.attached = true;
	return run;
}

void analysis_cut_off(struct analysis_run *run, const char *why)
{
	run->interrupted = true;
	findings_limit(&run->analysis->findings, "%s", why);
}

void analysis_end(struct analysis_run *run)
{
	struct analysis *analysis = run->analysis;

	rules_engine_finish(run->engine, &analysis->replay);
	if (analysis->overview) {
		overview_finish(analysis->overview);
	}
	if (!analysis->cost.processes) {
		sum_told(&analysis->cost);
	}
	note_losses(analysis, run->unknown, run->interrupted);
	note_late(analysis);
	fixes_finish(&analysis->findings, analysis->symbolizer);
	static_notes(&analysis->findings, &analysis->replay);
	findings_count_lines(&analysis->findings);
	analysis->complete = analysis->findings.limits->len == 0;
	unite_alike(analysis);
	unite_moves(analysis);
	fingerprint_findings(analysis);
	ranks_group(analysis);
	analysis_drop(run);
}

void analysis_drop(struct analysis_run *run)
{
	rules_engine_free(run->engine);
	g_free(run);
}

/* The bundle's trace is with a relay: where that wrote it. NULL with *error if it is not found. */
static char *find_relayed(const char *bundle, const char *trace, const char *url, char **error)
{
	char *session = recording_session(bundle);
	char *found = trace && session ? recording_below_relay(trace, session) : NULL;

	if (!found) {
		*error = trace ? g_strdup_printf("there is no session %s below %s", session, trace)
			       : g_strdup_printf("its trace was recorded to the relay at %s: name "
						 "the folder that this writes to with --trace",
						 url);
	}
	g_free(session);
	return found;
}

/*
 * Where the trace of the recording at `path` is, and in *bundle where its code objects are, NULL if
 * LTTng alone recorded it. NULL with *error and *result if there is none.
 */
static char *find_trace(const char *path, const char *trace, const char **bundle, int *result,
			char **error)
{
	char *found = g_build_filename(path, "ctf", NULL);
	char *url = recording_url(path);
	struct stat status;

	*bundle = path;
	*result = 0;
	if (stat(path, &status) < 0) {
		*result = -errno;
		*error = g_strdup(strerror(errno));
	} else if (url && !holds_trace(found)) {
		g_free(found);
		found = find_relayed(path, trace, url, error);
		*result = found ? 0 : -ENOENT;
	} else if (stat(found, &status) < 0 && holds_trace(path)) {
		g_free(found);
		found = g_strdup(path);
		*bundle = NULL;
	} else if (stat(found, &status) < 0) {
		*result = -EINVAL;
		*error = g_strdup("not a hipgrain trace bundle: it has no ctf folder");
	}
	if (*result) {
		g_free(found);
		found = NULL;
	}
	g_free(url);
	return found;
}

int analysis_load_from(struct analysis *analysis, const char *path, const char *trace,
		       bool overview, char **error)
{
	const char *bundle;
	struct analysis_run *run;
	char *traces;
	int result;

	memset(analysis, 0, sizeof(*analysis));
	result = bundle_check(path, error);
	if (result) {
		return result;
	}
	traces = find_trace(path, trace, &bundle, &result, error);
	if (!traces) {
		return result;
	}
	result = trace ? bundle_check(traces, error) : 0;
	if (result) {
		g_free(traces);
		return result;
	}
	run = analysis_begin(analysis, bundle, overview);
	if (!analysis->cost.bytes) { /* it lies elsewhere */
		analysis->cost.bytes = bytes_below(traces);
	}
	progress_begin(traces);
	result = read_trace(traces, bundle, analysis_event, run, &analysis->stats, error);
	progress_end();
	if (result == 0) {
		analysis_end(run);
	} else {
		analysis_drop(run);
		if (!*error) {
			*error = g_strdup(result == -ENOENT
					      ? "the bundle holds no trace: nothing was recorded"
					      : strerror(-result));
		}
	}
	g_free(traces);
	return result;
}

int analysis_load(struct analysis *analysis, const char *path, char **error)
{
	return analysis_load_from(analysis, path, NULL, false, error);
}

void analysis_clear(struct analysis *analysis)
{
	if (!analysis->symbolizer) {
		return; /* it never began */
	}
	g_hash_table_destroy(analysis->cost.told);
	overview_free(analysis->overview);
	findings_destroy(&analysis->findings);
	symbolizer_free(analysis->symbolizer);
	replay_destroy(&analysis->replay);
	if (analysis->ranks) {
		g_array_free(analysis->ranks, TRUE);
	}
	g_free(analysis->stats.truncated);
	if (analysis->stats.missing) {
		g_array_free(analysis->stats.missing, TRUE);
	}
	g_free(analysis->bundle);
}

uint64_t analysis_lost(const struct analysis *analysis)
{
	return analysis->stats.lost + analysis->stats.lost_packets + analysis->given_up;
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
