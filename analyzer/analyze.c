/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses a bundle, or events as they arrive: replay, rules, and which findings the recording
 * supports.
 */
#include "bundle_check.h"
#include "analyze.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/failed_calls.h"
#include "analyzer/fix_text.h"
#include "analyzer/model/measured.h"
#include "analyzer/progress.h"
#include "analyzer/ranks.h"
#include "analyzer/reader/library_event.h"
#include "analyzer/recordings.h"
#include "analyzer/report/selection.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/rules.h"
#include "analyzer/rules/environment/static_notes.h"
#include "analyzer/times/gpu_times.h"
#include "analyzer/unseen.h"
#include "analyzer/wrapper_lines.h"
#include "tracer/events/ev_cost.h"
#include "tracer/ring.h"
#include "tracer/machine.h"
#include "tracer/softgpu_name.h"

struct analysis_run {
	struct analysis *analysis;
	struct rules_engine *engine;
	uint64_t unknown; /* events of types that this version does not know */
	bool cut_off;     /* more would have come */
};

struct reported_cost {
	struct hg_ev_cost first, last; /* of the program that it runs */
	struct hg_ev_cost before;      /* of those that it ran before */
};

static void add_reported(struct hg_ev_cost *sum, const struct reported_cost *reported)
{
	sum->calls += reported->last.calls - reported->first.calls;
	sum->timed += reported->last.timed - reported->first.timed;
	sum->spent += reported->last.spent - reported->first.spent;
	sum->processor += reported->last.processor - reported->first.processor;
}

/* The process says what it was so far; less than before when it runs another program. */
static void note_cost(GHashTable *reported, int32_t pid, const struct hg_ev_cost *now)
{
	struct reported_cost *one = g_hash_table_lookup(reported, GINT_TO_POINTER(pid));

	if (!one) {
		one = g_new0(struct reported_cost, 1);
		one->first = one->last = *now;
		g_hash_table_insert(reported, GINT_TO_POINTER(pid), one);
	}
	if (now->calls < one->last.calls || now->processor < one->last.processor) {
		add_reported(&one->before, one);
		one->first = *now;
	}
	one->last = *now;
}

/* Sums up what the processes reported, if none left more in the bundle as it ended. */
static void sum_told(struct recording_cost *cost)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, cost->reported);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct reported_cost *one = value;

		add_reported(&one->before, one);
		cost->calls += one->before.calls;
		cost->timed += one->before.timed;
		cost->spent += one->before.spent;
		cost->used += one->before.processor;
		cost->processes += one->before.timed > 0;
	}
}

/* Returns true if nothing but blocks changes by the event; if it is recorded again, or others look
 * at it, there is more to do. */
static bool is_block_event(const struct analysis *analysis, const struct process *process,
			   const struct hg_event *event)
{
	return hg_event_is_of_c_library(event) && process && !process->foreign &&
	       !process->state.again && !analysis->overview;
}

int analysis_event(const struct hg_event *event, void *data)
{
	struct analysis_run *run = data;
	struct process *process = replay_process(&run->analysis->replay, event->pid);

	progress_event(event->ns);
	if (!run->analysis->began_ns)
		run->analysis->began_ns = event->ns;
	if (is_block_event(run->analysis, process, event)) {
		rules_engine_before(run->engine, process, event);
		replay_apply_block(&run->analysis->replay, process, event);
		return 0;
	}
	if (event->type == HG_EVENT_OPEN_CALL) {
		if (process && !process->foreign)
			rules_engine_event(run->engine, process, event);
		return 0;
	}
	if (event->type == HG_EVENT_TYPES) {
		/* Others may record into a shared daemon with another version: not our gap. */
		run->unknown += process ? !process->foreign : !run->analysis->replay.session;
		return 0;
	}
	if (replay_knows(&run->analysis->replay, event)) {
		/* Only that it is recorded again is noted. */
		if (event->type == HG_EVENT_process)
			replay_apply(&run->analysis->replay, event);
		return 0;
	}
	if (process && !process->foreign)
		rules_engine_before(run->engine, process, event);
	process = replay_apply(&run->analysis->replay, event);
	if (event->type == HG_EVENT_cost && !process->foreign)
		note_cost(run->analysis->cost.reported, event->pid, event->cost);
	if (!process->foreign)
		rules_engine_event(run->engine, process, event);
	if (run->analysis->overview)
		overview_event(run->analysis->overview, process, event);
	return 0;
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
				   &used) != 4)
				continue;
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

/* The recorder's own statements about the recording. */
/* Reads the bundle's own measurements; else those of the same machine that were made later, or
 * here. */
static void read_measurements(struct analysis *analysis)
{
	char *folder = g_build_filename(analysis->bundle, MACHINE_PROBES, NULL);
	char *cache = machine_probe_directory();
	GPtrArray *problems = g_ptr_array_new_with_free_func(g_free);
	unsigned count = measured_add_directory(analysis->measured, folder, "", problems);

	if (count == 0 && cache && analysis->facts.machine)
		measured_add_directory(analysis->measured, cache, analysis->facts.machine,
				       problems);
	for (guint i = 0; i < problems->len; i++)
		findings_limit(&analysis->findings, "%s", (const char *)problems->pdata[i]);
	g_ptr_array_free(problems, TRUE);
	free(cache);
	g_free(folder);
}

static void read_facts(struct analysis *analysis)
{
	struct recording_facts *facts = &analysis->facts;

	recording_facts_read(facts, analysis->bundle);
	for (guint i = 0; i < facts->messages->len; i++)
		findings_limit(&analysis->findings, "%s", (const char *)facts->messages->pdata[i]);
	if (facts->session)
		replay_set_session(&analysis->replay, facts->session);
	/* The rest of a rotated recording begins with the state that the processes recorded
	 * then. */
	analysis->replay.attached = facts->attached || facts->snapshot || facts->deleted > 0;
	/* A shell ends with 128 and the signal's number if a signal ended its command. */
	analysis->replay.over = facts->exited && !facts->attached && !facts->snapshot;
	analysis->replay.end_signal = facts->exit_signal         ? facts->exit_signal
				      : facts->exit_status > 128 ? facts->exit_status - 128
				      : facts->exit_status       ? -1
								 : 0;
	read_measurements(analysis);
	if (facts->snapshot) {
		findings_limit(
		    &analysis->findings,
		    "this is a flight recorder's snapshot: only the latest events are recorded");
	}
	if (facts->deleted > 0) {
		findings_limit(&analysis->findings,
			       "rotated recording: the latest chunks are kept (%" PRId64
			       "); %" PRId64 " older (%.1f MiB) were deleted and are not analysed",
			       facts->chunks, facts->deleted,
			       (double)facts->deleted_bytes / 1024 / 1024);
	}
}

/* Notes launches that came after a chunk was deleted, and before their process recorded its state
 * in the new one: of what they use nothing is known. */
static void note_stateless_launches(struct analysis *analysis)
{
	const GPtrArray *foreign = analysis->replay.foreign;
	uint64_t launches = 0;

	for (guint i = 0; i < foreign->len; i++) {
		const struct process *process = foreign->pdata[i];

		launches += process->announced ? 0 : process->launches;
	}
	if (analysis->facts.deleted > 0 && launches) {
		findings_limit(&analysis->findings,
			       "%" G_GUINT64_FORMAT
			       " launch%s not analysed, because the state of the "
			       "process was in a chunk that was deleted",
			       launches, launches == 1 ? " was" : "es were");
	}
}

/* Notes processes that ended after a rotation and before they recorded their state in the new
 * chunk, if all chunks before it were deleted. */
static void note_without_state(struct analysis *analysis)
{
	const GPtrArray *foreign = analysis->replay.foreign;

	for (guint i = 0; analysis->facts.deleted > 0 && i < foreign->len; i++) {
		const struct process *process = foreign->pdata[i];

		if (replay_process(&analysis->replay, process->pid) != process ||
		    process->announced)
			continue;
		findings_limit(&analysis->findings,
			       "process %d: its state is in no chunk that was kept; what it did is "
			       "not analysed",
			       process->pid);
	}
}

/* Names processes that are not analysed, although no chunk was deleted that might have told of
 * them. */
static void note_foreign(struct analysis *analysis)
{
	const GPtrArray *foreign = analysis->replay.foreign;
	const struct recording_facts *facts = &analysis->facts;

	for (guint i = 0; i < foreign->len; i++) {
		const struct process *process = foreign->pdata[i];

		if (process->announced) {
			findings_limit(&analysis->findings,
				       "process %d: its records are of another recording; what it "
				       "did is not analysed",
				       process->pid);
		} else if (!facts->attached && facts->deleted <= 0) {
			findings_limit(&analysis->findings,
				       "process %d: its first records are missing, or it began by "
				       "a system call of the program's own (clone); what it did "
				       "is not analysed",
				       process->pid);
		}
	}
}

/* Notes processes whose recording began late: not all is known of what they used, freed or changed
 * before. */
static void note_late(struct analysis *analysis)
{
	bool any = false;

	for (unsigned i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];
		const struct process_state *state = &process->state;
		double seconds = (double)state->age / 1e9;

		if (!state->late)
			continue;
		any = true;
		if (!state->state_known) {
			findings_limit(&analysis->findings,
				       "process %d: recording began while it was running; its "
				       "earlier state is unknown",
				       process->pid);
			continue;
		}
		findings_limit(
		    &analysis->findings,
		    "process %d: recording began %.1f s after its start: of its earlier calls, "
		    "%" G_GUINT64_FORMAT
		    " that were still in effect are known (no host blocks below %" G_GUINT64_FORMAT
		    " bytes)",
		    process->pid, seconds, state->calls, state->threshold);
		if (state->counted) {
			findings_limit(&analysis->findings,
				       "process %d: small host blocks are counted from %.1f s "
				       "after its start; earlier ones are unknown",
				       process->pid, (double)(state->age - state->counted) / 1e9);
		}
		if (state->left_out) {
			findings_limit(&analysis->findings,
				       "process %d: %" G_GUINT64_FORMAT
				       " more calls were in effect and were not remembered",
				       process->pid, state->left_out);
		}
	}
	if (any)
		findings_drop(&analysis->findings, BASIS_ABSENCE);
}

/* Returns true for a process of another recording. */
static bool is_foreign(int32_t pid, void *data)
{
	const struct analysis *analysis = data;
	const struct process *process = replay_process(&analysis->replay, pid);

	return process ? process->foreign : analysis->replay.session != NULL;
}

/* A shell ends with 128 and the signal's number if a signal ended its command. */
static bool is_aborted(const struct recording_facts *facts)
{
	return facts->exit_signal == SIGABRT || facts->exit_status == 128 + SIGABRT;
}

/* Judges which of the findings the recording supports. */
static void judge_recording(struct analysis *analysis, bool cut_off)
{
	struct findings *findings = &analysis->findings;
	struct completeness *recording = &analysis->recording;
	GPtrArray *unseen =
	    unseen_collect(&analysis->replay, &analysis->findings, is_aborted(&analysis->facts));
	bool lacks;

	analysis->facts.unseen = unseen;
	analysis->facts.is_foreign = is_foreign;
	analysis->facts.data = analysis;
	for (unsigned i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];

		analysis->facts.partial |= process->state.late && !process->foreign;
		if (process->python_problem)
			findings_limit(findings, "%s", process->python_problem);
	}
	completeness_judge(recording, &analysis->stats, &analysis->facts);
	for (guint i = 0; i < recording->reasons->len; i++)
		findings_limit(findings, "%s", (const char *)recording->reasons->pdata[i]);
	if (recording->cut_short)
		findings_cut_short(findings, recording->missing);
	else if (recording->missing)
		findings_lost(findings, recording->missing);
	else if (analysis->facts.exited && analysis->facts.exit_signal)
		findings_so_far(findings, "the program was killed before it came to its end");
	else if (recording->only_later)
		findings_so_far(findings, "processes were running when the recording ended");
	analysis->facts.unseen = NULL;
	if (analysis->facts.left_out)
		findings_unrecorded(findings);
	g_ptr_array_unref(unseen);
	lacks = recording->status >= RECORDING_UNKNOWN && !recording->cut_short &&
		!recording->only_later;
	if (lacks && !recording->only_host)
		findings_drop(findings, BASIS_ORDER);
	if (lacks || cut_off ||
	    (recording->status == RECORDING_PARTIAL && !analysis->facts.compared))
		findings_drop(findings, BASIS_ABSENCE);
}

static void note_unknown(struct analysis *analysis, uint64_t unknown)
{
	if (unknown) {
		findings_limit(&analysis->findings,
			       "%" G_GUINT64_FORMAT
			       " events have types that are unknown to this version",
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
	analysis->cost.reported = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	analysis->measured = measured_new();
	replay_init(&analysis->replay);
	analysis->replay.measured = analysis->measured;
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

	analysis->facts.compared = true;
	if (bundle) {
		char *traces = g_build_filename(bundle, "ctf", NULL),
		     *rings = g_build_filename(bundle, HG_RINGS, NULL);

		read_facts(analysis);
		symbolizer_set_began(analysis->symbolizer, analysis->facts.start_ns);
		read_cost(analysis);
		analysis->cost.bytes = bytes_below(traces) + bytes_below(rings);
		g_free(traces);
		g_free(rings);
	}
	return run;
}

struct analysis_run *analysis_begin_live(struct analysis *analysis, const char *bundle,
					 const char *session, bool overview)
{
	struct analysis_run *run = begin(analysis, bundle, overview);

	replay_set_session(&analysis->replay, session);
	analysis->replay.attached = true;
	analysis->facts.partial = true;
	analysis->facts.start_ns = bundle ? recording_start(bundle) : 0;
	symbolizer_set_began(analysis->symbolizer, analysis->facts.start_ns);
	return run;
}

void analysis_cut_off(struct analysis_run *run, const char *why)
{
	run->cut_off = true;
	findings_limit(&run->analysis->findings, "%s", why);
}

/*
 * Notes how processes ended. That is not known yet where the recording goes on, or was cut off.
 */
static void note_ends(struct analysis *analysis)
{
	bool ended = analysis->facts.compared && analysis->facts.ended && analysis->stats.counts;

	for (guint i = 0; ended && i < analysis->replay.processes->len; i++) {
		struct process *process = analysis->replay.processes->pdata[i];

		/* The number's last owner is meant. */
		if (replay_process(&analysis->replay, process->pid) == process)
			process->ended = counts_ended(analysis->stats.counts, process->pid);
	}
}

static bool on_software_gpu(const struct replay *replay)
{
	for (unsigned i = 0; i < replay->processes->len; i++) {
		const struct process *process = replay->processes->pdata[i];

		for (unsigned j = 0; j < process->devices->len; j++) {
			const struct device *device = process->devices->pdata[j];

			if (g_str_has_prefix(device->name, HG_SOFTGPU_NAME))
				return true;
		}
	}
	return false;
}

static void note_simulation(struct analysis *analysis)
{
	/* The manifest tells it for devices below HIP, which have no name; a device's name tells it
	 * for processes that stood by or were started otherwise. */
	if (analysis->facts.softgpu || on_software_gpu(&analysis->replay))
		findings_limit_of(
		    &analysis->findings, LIMIT_MODEL,
		    "times, bandwidth, caches (except those that --xcds models) and what work "
		    "runs at the same time: the software GPU, which executed the kernels, does "
		    "not model them");
}

/* Notes files that lend no names, as far as the findings need them. */
static void note_symbols(struct analysis *analysis)
{
	GPtrArray *problems = symbolizer_problems(analysis->symbolizer);

	for (guint i = 0; i < problems->len; i++)
		findings_note(&analysis->findings, "%s", (const char *)problems->pdata[i]);
	g_ptr_array_unref(problems);
}

void analysis_end(struct analysis_run *run)
{
	struct analysis *analysis = run->analysis;

	note_ends(analysis);
	rules_engine_finish(run->engine, &analysis->replay);
	if (analysis->overview)
		overview_finish(analysis->overview);
	gpu_times_record(analysis, analysis->facts.softgpu || on_software_gpu(&analysis->replay));
	if (!analysis->cost.processes)
		sum_told(&analysis->cost);
	judge_recording(analysis, run->cut_off);
	note_unknown(analysis, run->unknown);
	note_without_state(analysis);
	note_stateless_launches(analysis);
	note_foreign(analysis);
	note_late(analysis);
	unseen_note_limits(&analysis->replay, &analysis->findings);
	unseen_note_children(&analysis->replay, &analysis->findings);
	note_failed_calls(analysis);
	wrapper_lines_find(analysis);
	fixes_finish(&analysis->findings, analysis->symbolizer, analysis->facts.start_ns);
	static_notes(&analysis->findings, &analysis->replay, analysis->facts.softgpu);
	analysis->analysed = analysis->findings.limits->len == 0;
	note_simulation(analysis);
	findings_count_lines(&analysis->findings);
	unite_alike(analysis);
	unite_migration(analysis);
	fingerprint_findings(analysis);
	note_symbols(analysis);
	ranks_group(analysis);
	ranks_name_lines(analysis);
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
		*error = trace ? g_strdup_printf("no session %s found below %s", session, trace)
			       : g_strdup_printf("its trace was recorded to the relay at %s: name "
						 "the relay's output directory with --trace",
						 url);
	}
	g_free(session);
	return found;
}

/*
 * Returns where the trace of the recording at `path` is, and in *bundle where its code objects are,
 * NULL if LTTng alone recorded it. If there is none, returns NULL with *error and *result set.
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
		*error = recording_refusal(path);
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
		*error = recording_refusal(path);
	}
	if (*result) {
		g_free(found);
		found = NULL;
	}
	g_free(url);
	return found;
}

static int load(struct analysis *analysis, const char *path, const char *trace, bool overview,
		const struct supposed *supposed, char **error)
{
	const char *bundle;
	struct analysis_run *run;
	char *traces;
	int result;

	memset(analysis, 0, sizeof(*analysis));
	result = bundle_check(path, error);
	if (result)
		return result;
	traces = find_trace(path, trace, &bundle, &result, error);
	if (!traces)
		return result;
	result = trace ? bundle_check(traces, error) : 0;
	if (result) {
		g_free(traces);
		return result;
	}
	run = analysis_begin(analysis, bundle, overview);
	analysis->replay.supposed = supposed;
	if (!analysis->cost.bytes) /* it lies elsewhere */
		analysis->cost.bytes = bytes_below(traces);
	progress_begin(traces, bundle);
	result = read_trace(traces, bundle, analysis_event, run, &analysis->stats, error);
	progress_end();
	if (result == 0) {
		analysis_end(run);
	} else {
		const int64_t made = analysis->facts.made;

		analysis_drop(run);
		if (!*error && result == -ENOENT && made)
			*error = g_strdup_printf("the bundle holds no trace: the files of "
						 "processes are missing, of which %" PRId64
						 " had been made",
						 made);
		else if (!*error)
			*error = g_strdup(result == -ENOENT
					      ? "the bundle holds no trace: nothing was recorded"
					      : strerror(-result));
	}
	g_free(traces);
	return result;
}

int analysis_load_from(struct analysis *analysis, const char *path, const char *trace,
		       bool overview, char **error)
{
	return load(analysis, path, trace, overview, NULL, error);
}

int analysis_load_supposed(struct analysis *analysis, const char *path, const char *trace,
			   const struct supposed *supposed, char **error)
{
	analysis->supposed = g_new0(struct analysis, 1);
	return load(analysis->supposed, path, trace, false, supposed, error);
}

int analysis_load(struct analysis *analysis, const char *path, char **error)
{
	return analysis_load_from(analysis, path, NULL, false, error);
}

void analysis_clear(struct analysis *analysis)
{
	if (analysis->supposed)
		analysis_clear(analysis->supposed);
	g_free(analysis->supposed);
	analysis->supposed = NULL;
	if (!analysis->symbolizer)
		return; /* it never began */
	g_hash_table_destroy(analysis->cost.reported);
	overview_free(analysis->overview);
	findings_destroy(&analysis->findings);
	symbolizer_free(analysis->symbolizer);
	replay_destroy(&analysis->replay);
	measured_free(analysis->measured);
	gpu_times_free(analysis->gpu_times);
	if (analysis->ranks)
		g_array_free(analysis->ranks, TRUE);
	completeness_clear(&analysis->recording);
	recording_facts_clear(&analysis->facts);
	reader_stats_clear(&analysis->stats);
	g_free(analysis->bundle);
}

unsigned analysis_count(const struct analysis *analysis, enum severity severity)
{
	unsigned count = 0;

	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		const struct finding *finding = analysis->findings.list->pdata[i];

		count += finding_severity(finding) >= severity;
	}
	return count;
}
