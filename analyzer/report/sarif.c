/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code-review tools, made from
 * the JSON report, which may be that of several recordings. A result
 * stands where its memory was allocated, for that is where most fixes go; the launch or call and
 * the instruction are related locations, and all three, in the order in which they happened, the
 * code flow. Source files below %SRCROOT% are relative to it: --source-root, else the root of the
 * git repository that holds the current directory, else that directory.
 */
#include "report.h"

#include <string.h>

#include "analyzer/symbols/demangle.h"
#include "analyzer/symbols/symbols.h"
#include "json_values.h"
#include "place.h"
#include "sarif.h"
#include "source_files.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif {
	struct json_object *report;
	struct json_object *files; /* the report's source_files, or NULL */
	char *root;                /* %SRCROOT%, absolute, with a slash at the end */
};

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

/* SARIF's rank is a priority from 0 to 100; -1: unknown. */
static double rank(const char *confidence)
{
	static const struct {
		enum confidence confidence;
		double rank;
	} ranks[] = {
		{ CONFIDENCE_POSSIBLE, 20 },
		{ CONFIDENCE_LIKELY, 60 },
		{ CONFIDENCE_PROVEN, 95 },
		{ CONFIDENCE_MEASURED, 100 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(ranks); i++)
		if (strcmp(confidence_name(ranks[i].confidence), confidence) == 0)
			return ranks[i].rank;
	return -1;
}

/* ---- locations ---- */

/* The line of source without its indentation; NULL: it cannot be had. */
static void put_snippet(struct json_object *region, const char *line)
{
	if (line)
		put(region, "snippet", sarif_message(line));
}

static struct json_object *location(const struct sarif *sarif, const char *file, unsigned line,
				    const char *function, const char *note)
{
	struct json_object *object = json_object_new_object();
	struct json_object *physical = json_object_new_object();

	if (file) {
		put(physical, "artifactLocation", sarif_artifact(sarif->root, file));
		if (line) {
			struct json_object *region = json_object_new_object();

			put(region, "startLine", json_object_new_int64(line));
			put_snippet(region, json_source_line(sarif->files, file, line));
			put(physical, "region", region);
		}
		put(object, "physicalLocation", physical);
	} else {
		json_object_put(physical);
	}
	if (function) {
		struct json_object *logical = json_object_new_object();
		struct json_object *list = json_object_new_array();

		put(logical, "fullyQualifiedName", text_value(function));
		json_object_array_add(list, logical);
		put(object, "logicalLocations", list);
	}
	if (note)
		put(object, "message", sarif_message(note));
	return object;
}

/* Adds one step of what led to the finding, and nothing if its place is not known. */
static void add_step(const struct sarif *sarif, struct json_object *steps,
		     struct source_place place, const char *note)
{
	if (place.file || place.function) {
		json_object_array_add(steps,
				      location(sarif, place.file, (unsigned)MAX(place.line, 0),
					       place.function, note));
	}
}

static const char *member_or_null(struct json_object *object, const char *name)
{
	return get_member(object, name) ? get_text(object, name) : NULL;
}

static bool same_member(struct json_object *one, struct json_object *other, const char *name)
{
	return strcmp(get_text(one, name), get_text(other, name)) == 0;
}

/* Adds each line of the source once. */
static void add_instructions(const struct sarif *sarif, struct json_object *steps,
			     struct json_object *finding)
{
	struct json_object *sites = get_array(finding, "instructions");

	for (size_t i = 0; i < array_length(sites); i++) {
		struct json_object *site = json_object_array_get_idx(sites, i);
		const struct source_place place = { member_or_null(site, "file"),
						    get_number(site, "line"),
						    member_or_null(finding, "kernel") };
		bool before = false;

		for (size_t k = 0; k < i; k++) {
			struct json_object *other = json_object_array_get_idx(sites, k);

			before |= get_number(other, "line") == place.line &&
				  same_member(other, site, "file");
		}
		if (!before)
			add_step(sarif, steps, place, get_text(site, "instruction"));
	}
}

/* The calls that gave pages of the memory their granularity, each once. */
static void add_advice(const struct sarif *sarif, struct json_object *steps,
		       struct json_object *finding)
{
	struct json_object *pages = get_array(get_member(finding, "allocation"), "pages");

	for (size_t i = 0; i < array_length(pages); i++) {
		struct json_object *advice =
		    get_member(json_object_array_get_idx(pages, i), "advice");
		bool before = !advice;

		for (size_t k = 0; k < i && !before; k++) {
			struct json_object *other =
			    get_member(json_object_array_get_idx(pages, k), "advice");

			before = other && get_number(other, "ns") == get_number(advice, "ns");
		}
		if (!before) {
			add_step(sarif, steps, place_of_stack(get_member(advice, "stack")),
				 get_text(advice, "call"));
		}
	}
}

static char *bytes_note(const char *before, struct json_object *memory, const char *size)
{
	return g_strdup_printf("%s%" G_GINT64_FORMAT " bytes from %s", before,
			       get_number(memory, size),
			       get_member(memory, "api") ? get_text(memory, "api") : "?");
}

/* Memory that an address nobody could follow may lead to; the finding's own is there already. */
static void add_candidates(const struct sarif *sarif, struct json_object *steps,
			   struct json_object *finding, const char *name, const char *text)
{
	struct json_object *candidates = get_array(finding, name);
	struct json_object *allocation = get_member(finding, "allocation");

	for (size_t i = 0; i < array_length(candidates); i++) {
		struct json_object *candidate = json_object_array_get_idx(candidates, i);
		char *note;

		if ((allocation && same_member(allocation, candidate, "address")) ||
		    get_member(candidate, "symbol"))
			continue;
		note = bytes_note(text, candidate, "least_size");
		add_step(sarif, steps, place_of_stack(get_member(candidate, "stack")), note);
		g_free(note);
	}
}

/* Adds where the pool gave out the piece of memory, and where it got it back. */
static void add_piece(const struct sarif *sarif, struct json_object *steps,
		      struct json_object *piece)
{
	const char *name = get_text(piece, "name"), *pool = get_text(piece, "pool");
	char *note =
	    g_strdup_printf("%s%s%s%" G_GINT64_FORMAT " bytes taken from pool%s%s%s",
			    *name ? "\"" : "", name, *name ? "\", " : "", get_number(piece, "size"),
			    *pool ? " \"" : "", pool, *pool ? "\"" : "");

	add_step(sarif, steps, place_of_stack(get_member(piece, "stack")), note);
	g_free(note);
	if (get_member(piece, "free_stack"))
		add_step(sarif, steps, place_of_stack(get_member(piece, "free_stack")),
			 "given back to the pool");
}

/* Allocation, advice, launch or call, instruction: as far as they are known and apply. */
static struct json_object *steps_of(const struct sarif *sarif, struct json_object *finding)
{
	struct json_object *steps = json_object_new_array();
	struct json_object *allocation = get_member(finding, "allocation");
	const char *kernel =
	    get_member(finding, "launches") ? member_or_null(finding, "kernel") : NULL;
	struct json_object *piece = get_member(allocation, "piece");
	bool piece_first =
	    place_of_piece(finding).file != NULL; /* the first is the result's place */
	char *note;

	if (piece && piece_first)
		add_piece(sarif, steps, piece);
	if (allocation) {
		note = bytes_note("", allocation, "size");
		add_step(sarif, steps, place_of_allocation(finding), note);
		g_free(note);
	}
	if (piece && !piece_first)
		add_piece(sarif, steps, piece);
	add_candidates(sarif, steps, finding, "candidates", "candidate: ");
	add_candidates(sarif, steps, finding, "holders", "holds memory: ");
	add_advice(sarif, steps, finding);
	note = kernel
		   ? g_strdup_printf("%s is launched", kernel)
		   : g_strdup_printf("%s is called",
				     get_member(finding, "api") ? get_text(finding, "api") : "it");
	add_step(sarif, steps, place_of_call(finding), note);
	g_free(note);
	if (kernel && !get_member(finding, "instructions"))
		add_step(sarif, steps, (struct source_place){ .function = kernel }, NULL);
	add_instructions(sarif, steps, finding);
	return steps;
}

/* Adds where the others of its cause are, each place once. */
static void add_others(const struct sarif *sarif, struct json_object *places,
		       struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < array_length(others); i++) {
		struct json_object *other = json_object_array_get_idx(others, i);
		struct source_place place = place_of_instruction(other);
		char *name = get_member(other, "launches") ? short_name(get_text(other, "kernel"))
							   : g_strdup(get_text(other, "api"));
		char *note = g_strdup_printf("of the same cause: %s", name);

		if (!place.file)
			place = place_of_call(other);
		if (g_hash_table_add(
			seen, g_strdup_printf("%s:%" PRId64 " %s", place.file, place.line, note)))
			add_step(sarif, places, place, note);
		g_free(note);
		g_free(name);
	}
	g_hash_table_destroy(seen);
}

static struct json_object *code_flow(struct json_object *steps)
{
	struct json_object *flow = json_object_new_object();
	struct json_object *thread = json_object_new_object();
	struct json_object *threads = json_object_new_array();
	struct json_object *list = json_object_new_array();
	struct json_object *flows = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		struct json_object *step = json_object_new_object();

		put(step, "location", json_object_get(json_object_array_get_idx(steps, i)));
		json_object_array_add(list, step);
	}
	put(thread, "locations", list);
	json_object_array_add(threads, thread);
	put(flow, "threadFlows", threads);
	json_object_array_add(flows, flow);
	return flows;
}

/* ---- results ---- */

static struct json_object *result_text(struct json_object *finding)
{
	const char *why = member_or_null(finding, "why"),
		   *fix = member_or_null(finding,
					 get_member(finding, "cause_fix") ? "cause_fix" : "fix");
	char *message = with_short_name(get_text(finding, "message"), get_text(finding, "kernel"));
	size_t others = array_length(get_array(finding, "others"));
	char *more = others ? g_strdup_printf("\nOf the same cause: %zu more, at the related "
					      "locations.",
					      others)
			    : g_strdup("");
	const char *in = member_or_null(finding, "in_ranges");
	char *whole = g_strdup_printf("%s%s%s%s%s%s%s%s", message, in ? "\nIn the range " : "",
				      in ? in : "", why ? "\nBecause: " : "", why ? why : "", more,
				      fix ? "\nFix: " : "", fix ? fix : "");
	struct json_object *object = sarif_message(whole);

	g_free(whole);
	g_free(more);
	g_free(message);
	return object;
}

/* The program of a finding, by the number of its process; nodes of a job may both have one. */
static const char *program_of(const struct sarif *sarif, struct json_object *finding)
{
	struct json_object *processes = get_array(sarif->report, "processes");
	struct json_object *ranks = get_array(finding, "ranks");
	struct json_object *first =
	    array_length(ranks) ? json_object_array_get_idx(ranks, 0) : NULL;
	const char *found = NULL;

	for (size_t i = 0; i < array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);

		if (get_number(process, "pid") != get_number(first ? first : finding, "pid") ||
		    (first && get_number(process, "rank") != get_number(first, "rank")))
			continue;
		found = found ? found : get_text(process, "exe");
	}
	return found;
}

static void put_copy(struct json_object *object, const char *name, struct json_object *from)
{
	struct json_object *value = get_member(from, name);

	if (value)
		put(object, name, json_object_get(value));
}

static struct json_object *result_properties(const struct sarif *sarif, struct json_object *finding)
{
	static const char *const names[] = { "confidence",    "doubts", "measured",
					     "history",       "pids",   "ranks",
					     "rank_outliers", "ranges", "seeds" };
	struct json_object *properties = json_object_new_object();
	const char *program = program_of(sarif, finding);

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		put_copy(properties, names[i], finding);
	if (program)
		put(properties, "process", text_value(program));
	return properties;
}

static void put_places(const struct sarif *sarif, struct json_object *object,
		       struct json_object *steps, struct json_object *finding)
{
	size_t count = json_object_array_length(steps);
	struct json_object *places, *related;

	if (count) {
		places = json_object_new_array();
		json_object_array_add(places, json_object_get(json_object_array_get_idx(steps, 0)));
		put(object, "locations", places);
	}
	related = json_object_new_array();
	if (count > 1) {
		for (size_t i = 1; i < count; i++) {
			json_object_array_add(related,
					      json_object_get(json_object_array_get_idx(steps, i)));
		}
		put(object, "codeFlows", code_flow(steps));
	}
	add_others(sarif, related, finding);
	put(object, "relatedLocations", related);
}

/* Returns the number of occurrences of the finding and the others of its cause. */
static int64_t occurrences(struct json_object *finding)
{
	struct json_object *others = get_array(finding, "others");
	int64_t sum = MAX(get_number(finding, "count"), 1);

	for (size_t i = 0; i < array_length(others); i++)
		sum += MAX(get_number(json_object_array_get_idx(others, i), "count"), 1);
	return sum;
}

static struct json_object *one_result(const struct sarif *sarif, struct json_object *finding)
{
	struct json_object *object = json_object_new_object();
	struct json_object *steps = steps_of(sarif, finding),
			   *fixes = sarif_fixes(sarif->root, finding);
	const struct rule *rule = rule_by_name(get_text(finding, "rule"));
	int severity = severity_by_name(get_text(finding, "severity"));
	double priority = rank(get_text(finding, "confidence"));

	put(object, "ruleId", text_value(get_text(finding, "rule")));
	if (rule) /* else the report is another version's */
		put(object, "ruleIndex", json_object_new_int64(rule_index(rule)));
	if (severity >= 0)
		put(object, "level", text(sarif_level((enum severity)severity)));
	if (priority >= 0)
		put(object, "rank", json_object_new_double(priority));
	put(object, "message", result_text(finding));
	put_places(sarif, object, steps, finding);
	if (fixes)
		put(object, "fixes", fixes);
	if (get_member(finding, "fingerprint")) {
		struct json_object *prints = json_object_new_object();

		put(prints, "hipgrain/1",
		    text_value(get_text(finding, get_member(finding, "former_fingerprint")
						     ? "former_fingerprint"
						     : "fingerprint")));
		if (get_member(finding, "cause"))
			put(prints, "hipgrain/2", text_value(get_text(finding, "cause")));
		put(object, "partialFingerprints", prints);
	}
	put(object, "occurrenceCount", json_object_new_int64(occurrences(finding)));
	put(object, "properties", result_properties(sarif, finding));
	json_object_put(steps);
	return object;
}

/* ---- the run ---- */

static void add_notifications(struct json_object *list, struct json_object *texts,
			      const char *severity)
{
	for (size_t i = 0; i < array_length(texts); i++) {
		struct json_object *notification = json_object_new_object();

		put(notification, "level", text(severity));
		put(notification, "message",
		    sarif_message(json_object_get_string(json_object_array_get_idx(texts, i))));
		json_object_array_add(list, notification);
	}
}

/*
 * Returns the invocation. What could not be determined is not a result: it is a notification about
 * the whole analysis.
 */
static struct json_object *invocations(struct json_object *report)
{
	struct json_object *invocation = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct json_object *notifications = json_object_new_array();
	struct json_object *properties = json_object_new_object();
	struct json_object *end = get_member(report, "end");
	int status = recording_status_by_name(get_text(get_member(report, "recording"), "status"));

	/* No results are no verdict where the program came to no end, or not all was recorded. */
	put(invocation, "executionSuccessful",
	    json_object_new_boolean(!json_object_get_boolean(get_member(end, "killed")) &&
				    !recording_status_fails((enum recording_status)MAX(
					status, (int)RECORDING_COMPLETE))));
	if (get_member(end, "signal")) {
		const char *name = signal_text((int)get_number(end, "signal"));

		put(invocation, "exitSignalNumber",
		    json_object_new_int64(get_number(end, "signal")));
		if (name)
			put(invocation, "exitSignalName", text(name));
	} else if (get_member(end, "status")) {
		put(invocation, "exitCode", json_object_new_int64(get_number(end, "status")));
	}
	add_notifications(notifications, get_array(end, "text"), "error");
	add_notifications(notifications, get_array(report, "limits"), "warning");
	add_notifications(notifications, get_array(report, "notes"), "note");
	put(invocation, "toolExecutionNotifications", notifications);
	put_copy(properties, "recording", report);
	put(invocation, "properties", properties);
	json_object_array_add(list, invocation);
	return list;
}

static struct json_object *base_ids(const struct sarif *sarif)
{
	struct json_object *ids = json_object_new_object();
	struct json_object *root = json_object_new_object();
	char *uri = g_filename_to_uri(sarif->root, NULL, NULL);

	put(root, "uri", text(uri ? uri : ""));
	put(ids, "%SRCROOT%", root);
	g_free(uri);
	return ids;
}

/* The directory for %SRCROOT%, with a slash at the end; to be freed. */
static char *source_root_directory(void)
{
	char *current = g_get_current_dir(), *at, *parent, *git, *root;
	const char *chosen = symbols_source_root();

	if (chosen) {
		at = g_canonicalize_filename(chosen, current);
	} else {
		at = g_strdup(current);
		for (;;) {
			git = g_build_filename(at, ".git", NULL);
			/* A file in a work tree or a submodule. */
			if (g_file_test(git, G_FILE_TEST_EXISTS) || strcmp(at, "/") == 0)
				break;
			g_free(git);
			parent = g_path_get_dirname(at);
			g_free(at);
			at = parent;
		}
		if (strcmp(at, "/") == 0 && !g_file_test(git, G_FILE_TEST_EXISTS)) {
			g_free(at);
			at = g_strdup(current);
		}
		g_free(git);
	}
	root = g_str_has_suffix(at, "/") ? g_strdup(at) : g_strconcat(at, "/", NULL);
	g_free(at);
	g_free(current);
	return root;
}

/* The files that locations name, with hashes by which a tool sees whether it has the same ones. */
static struct json_object *artifacts(const struct sarif *sarif)
{
	struct json_object *list = json_object_new_array();

	if (!json_object_is_type(sarif->files, json_type_object))
		return list;
	json_object_object_foreach(sarif->files, file, entry)
	{
		struct json_object *artifact = json_object_new_object();

		put(artifact, "location", sarif_artifact(sarif->root, file));
		if (get_member(entry, "sha256")) {
			struct json_object *hashes = json_object_new_object();

			put(hashes, "sha-256", text_value(get_text(entry, "sha256")));
			put(artifact, "hashes", hashes);
		}
		json_object_array_add(list, artifact);
	}
	return list;
}

int json_as_sarif(struct json_object *report, FILE *stream)
{
	struct sarif sarif = { report, get_member(report, "source_files"),
			       source_root_directory() };
	struct json_object *findings = get_array(report, "findings");
	struct json_object *root = json_object_new_object();
	struct json_object *run = json_object_new_object();
	struct json_object *tool = json_object_new_object();
	struct json_object *runs = json_object_new_array();
	struct json_object *results = json_object_new_array();

	put(root, "$schema", text(SARIF_SCHEMA));
	put(root, "version", text("2.1.0"));
	put(tool, "driver", sarif_driver());
	put(run, "tool", tool);
	put(run, "invocations", invocations(report));
	put(run, "columnKind", text("utf16CodeUnits"));
	put(run, "originalUriBaseIds", base_ids(&sarif));
	for (size_t i = 0; i < array_length(findings); i++) {
		json_object_array_add(results,
				      one_result(&sarif, json_object_array_get_idx(findings, i)));
	}
	put(run, "artifacts", artifacts(&sarif));
	put(run, "results", results);
	if (array_length(get_array(report, "migration"))) {
		struct json_object *properties = json_object_new_object();

		put_copy(properties, "migration", report);
		put(run, "properties", properties);
	}
	json_object_array_add(runs, run);
	put(root, "runs", runs);
	g_free(sarif.root);
	return write_json(root, stream);
}
