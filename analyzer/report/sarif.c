/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code-review tools. A result
 * stands where its memory was allocated, for that is where most fixes go; the launch or call and
 * the instruction are related locations, and all three, in the order in which they happened, the
 * code flow. Source files below %SRCROOT% are relative to it: --source-root, else the root of the
 * git repository that holds the current directory, else that directory.
 */
#include "report.h"

#include <string.h>

#include "analyzer/rules/engine/evidence.h"
#include "config.h"
#include "history.h"
#include "json_values.h"
#include "rule_text.h"

/* The manual is installed with the tool; URIs of its pages are in the form of systemd.unit(5). */
#define MAIN_PAGE    "man:hipgrain(1)"
#define RULES_PAGE   "man:hipgrain-rules(7)"
#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif {
	const struct analysis *analysis;
	char *root; /* %SRCROOT%, absolute, with a slash at the end */
};

static struct json_object *text(const char *value)
{
	return json_object_new_string(value);
}

/* A message, or a description, of one member. */
static struct json_object *message(const char *value)
{
	struct json_object *object = json_object_new_object();

	put(object, "text", text_value(value));
	return object;
}

static const char *level(enum severity severity)
{
	static const char *const levels[] = {
		[SEVERITY_NOTE] = "note",
		[SEVERITY_ADVICE] = "note",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return levels[severity];
}

/* SARIF's rank is a priority from 0 to 100. */
static double rank(enum confidence confidence)
{
	static const double ranks[] = {
		[CONFIDENCE_POSSIBLE] = 20,
		[CONFIDENCE_LIKELY] = 60,
		[CONFIDENCE_PROVEN] = 100,
	};

	return ranks[confidence];
}

/* ---- rules ---- */

/* The first paragraph describes the rule, all of them are its help. */
static void put_rule_text(struct json_object *object, const char *whole)
{
	const char *end = whole ? strchrnul(whole, '\n') : NULL;
	char *first;

	if (!whole)
		return;
	first = g_strndup(whole, (gsize)(end - whole));
	put(object, "fullDescription", message(first));
	put(object, "help", message(whole));
	g_free(first);
}

/* "hw-fp-atomic" as "HwFpAtomic": names of rules in SARIF begin their words with capitals. */
static struct json_object *rule_name(const char *slug)
{
	GString *name = g_string_new(NULL);
	struct json_object *object;
	bool begins = true;

	for (; *slug; slug++) {
		if (*slug != '-')
			g_string_append_c(name, begins ? g_ascii_toupper(*slug) : *slug);
		begins = *slug == '-';
	}
	object = text(name->str);
	g_string_free(name, TRUE);
	return object;
}

static struct json_object *one_rule(const struct rule *rule)
{
	struct json_object *object = json_object_new_object();
	struct json_object *configuration = json_object_new_object();
	struct json_object *properties = json_object_new_object();
	struct json_object *tags = json_object_new_array();

	put(object, "id", text(rule->id));
	put(object, "name", rule_name(rule->slug));
	put(object, "shortDescription", message(rule->title));
	put_rule_text(object, rule_text(rule));
	put(object, "helpUri", text(RULES_PAGE));
	put(configuration, "level", text(level(rule->severity)));
	put(object, "defaultConfiguration", configuration);
	json_object_array_add(tags, text(severity_name(rule->severity)));
	put(properties, "tags", tags);
	put(properties, "slug", text(rule->slug));
	put(properties, "sources", text(rule->sources));
	put(object, "properties", properties);
	return object;
}

static struct json_object *driver(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();

	put(object, "name", text("hipgrain"));
	put(object, "informationUri", text(MAIN_PAGE));
	put(object, "semanticVersion", text(HIPGRAIN_VERSION));
	for (unsigned i = 0; i < RULES; i++)
		json_object_array_add(list, one_rule(&rules[i]));
	put(object, "rules", list);
	return object;
}

/* ---- locations ---- */

/* Relative to %SRCROOT%, or an absolute URI; a relative path of the line table stays as it is. */
static struct json_object *artifact(const struct sarif *sarif, const char *file)
{
	struct json_object *object = json_object_new_object();
	bool below = sarif->root && g_str_has_prefix(file, sarif->root);
	const char *path = below ? file + strlen(sarif->root) : file;
	char *uri = g_path_is_absolute(path)
			? g_filename_to_uri(path, NULL, NULL)
			: g_uri_escape_string(path, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH, FALSE);

	put(object, "uri", text(uri ? uri : ""));
	if (below)
		put(object, "uriBaseId", text("%SRCROOT%"));
	g_free(uri);
	return object;
}

/* The line of source without its indentation; NULL: it cannot be had. */
static void put_snippet(struct json_object *region, const char *line)
{
	if (line)
		put(region, "snippet", message(line));
}

static struct json_object *location(const struct sarif *sarif, const char *file, unsigned line,
				    const char *function, const char *note)
{
	struct json_object *object = json_object_new_object();
	struct json_object *physical = json_object_new_object();

	if (file) {
		put(physical, "artifactLocation", artifact(sarif, file));
		if (line) {
			struct json_object *region = json_object_new_object();

			put(region, "startLine", json_object_new_int64(line));
			put_snippet(region, source_line(sarif->analysis->symbolizer, file, line));
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
		put(object, "message", message(note));
	return object;
}

/* One step of what led to the finding; nothing is added when its place is not known. */
static void add_step(const struct sarif *sarif, struct json_object *steps, const char *file,
		     unsigned line, const char *function, const char *note)
{
	if (file || function)
		json_object_array_add(steps, location(sarif, file, line, function, note));
}

static void add_stack_step(const struct sarif *sarif, struct json_object *steps,
			   const struct process *process, uint32_t stack_id, const char *note)
{
	const struct source_frame *frame =
	    stack_user_frame(sarif->analysis->symbolizer, process, stack_id);

	if (frame)
		add_step(sarif, steps, frame->file, frame->line, frame->function, note);
}

/* Each line of the source once. */
static void add_instructions(const struct sarif *sarif, struct json_object *steps,
			     const struct finding *finding)
{
	for (unsigned i = 0; i < finding->instructions->len; i++) {
		const struct code_site *site = finding->instructions->pdata[i];
		bool before = false;

		for (unsigned k = 0; k < i; k++) {
			const struct code_site *other = finding->instructions->pdata[k];

			before |=
			    other->line == site->line && g_strcmp0(other->file, site->file) == 0;
		}
		if (!before) {
			add_step(sarif, steps, site->file, site->line, finding->kernel,
				 site->instruction);
		}
	}
}

/* The calls that gave pages of the memory their granularity, each once. */
static void add_advice(const struct sarif *sarif, struct json_object *steps,
		       const struct finding *finding)
{
	for (unsigned i = 0; i < finding->pages->len; i++) {
		const struct page_stretch *stretch =
		    &g_array_index(finding->pages, struct page_stretch, i);
		bool before = !stretch->advised;

		for (unsigned k = 0; k < i && !before; k++) {
			const struct page_stretch *other =
			    &g_array_index(finding->pages, struct page_stretch, k);

			before = other->advised && other->call.ns == stretch->call.ns;
		}
		if (!before) {
			add_stack_step(sarif, steps, finding->process, stretch->call.stack_id,
				       page_call_name(&stretch->call));
		}
	}
}

/* Memory that an address nobody could follow may lead to; the finding's own is there already. */
static void add_candidates(const struct sarif *sarif, struct json_object *steps,
			   const struct finding *finding)
{
	for (unsigned i = 0; i < finding->candidates->len; i++) {
		const struct candidate *candidate = finding->candidates->pdata[i];
		char *note;

		if (candidate->allocation == finding->allocation || candidate->allocation->symbol)
			continue;
		note = g_strdup_printf("candidate: %" G_GUINT64_FORMAT " bytes from %s",
				       candidate->least, hg_api_name(candidate->allocation->api));
		add_stack_step(sarif, steps, finding->process, candidate->allocation->stack_id,
			       note);
		g_free(note);
	}
}

/* Allocation, advice, launch or call, instruction: as far as they are known and apply. */
static struct json_object *steps_of(const struct sarif *sarif, const struct finding *finding)
{
	struct json_object *steps = json_object_new_array();
	const struct allocation *allocation = finding->allocation;
	char *note;

	if (allocation && !allocation->symbol) {
		note = g_strdup_printf("%" G_GUINT64_FORMAT " bytes from %s", allocation->size,
				       hg_api_name(allocation->api));
		add_stack_step(sarif, steps, finding->process, allocation->stack_id, note);
		g_free(note);
	}
	add_candidates(sarif, steps, finding);
	add_advice(sarif, steps, finding);
	if (finding->sites->len) {
		const struct site *site = &g_array_index(finding->sites, struct site, 0);

		note = finding->kernel
			   ? g_strdup_printf("%s is launched", finding->kernel)
			   : g_strdup_printf("%s is called", finding->api ? finding->api : "it");
		add_stack_step(sarif, steps, finding->process, site->stack_id, note);
		g_free(note);
	}
	if (finding->kernel && finding->instructions->len == 0)
		add_step(sarif, steps, NULL, 0, finding->kernel, NULL);
	add_instructions(sarif, steps, finding);
	return steps;
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

static struct json_object *result_text(const struct finding *finding)
{
	char *whole =
	    g_strdup_printf("%s%s%s%s%s", finding->message, finding->why ? "\nBecause: " : "",
			    finding->why ? finding->why : "", finding->fix ? "\nFix: " : "",
			    finding->fix ? finding->fix : "");
	struct json_object *object = message(whole);

	g_free(whole);
	return object;
}

static struct json_object *one_result(const struct sarif *sarif, const struct finding *finding)
{
	struct json_object *object = json_object_new_object();
	struct json_object *steps = steps_of(sarif, finding);
	struct json_object *properties = json_object_new_object();
	size_t count = json_object_array_length(steps);

	put(object, "ruleId", text(finding->rule->id));
	put(object, "ruleIndex", json_object_new_int64(finding->rule - rules));
	put(object, "level", text(level(finding->rule->severity)));
	put(object, "rank", json_object_new_double(rank(finding->confidence)));
	put(object, "message", result_text(finding));
	if (count) {
		struct json_object *places = json_object_new_array();

		json_object_array_add(places, json_object_get(json_object_array_get_idx(steps, 0)));
		put(object, "locations", places);
	}
	if (count > 1) {
		struct json_object *related = json_object_new_array();

		for (size_t i = 1; i < count; i++) {
			json_object_array_add(related,
					      json_object_get(json_object_array_get_idx(steps, i)));
		}
		put(object, "relatedLocations", related);
		put(object, "codeFlows", code_flow(steps));
	}
	if (finding->fingerprint) {
		struct json_object *prints = json_object_new_object();

		put(prints, "hipgrain/1", text(finding->fingerprint));
		put(object, "partialFingerprints", prints);
	}
	put(object, "occurrenceCount", json_object_new_int64((int64_t)MAX(finding->count, 1)));
	put(properties, "confidence", text(confidence_name(finding->confidence)));
	if (finding->doubts)
		put(properties, "doubts", text_value(finding->doubts));
	put(properties, "process", text_value(finding->process->exe));
	if (finding_history(&sarif->analysis->findings, finding)) {
		put(properties, "history",
		    json_move_history(sarif->analysis, finding->process,
				      finding_history(&sarif->analysis->findings, finding)));
	}
	put(object, "properties", properties);
	json_object_put(steps);
	return object;
}

/* What could not be determined is not a result: it is a notification about the whole analysis. */
static struct json_object *invocations(const struct analysis *analysis)
{
	struct json_object *invocation = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct json_object *notifications = json_object_new_array();
	struct json_object *properties = json_object_new_object();
	GPtrArray *sentences = report_death(analysis);

	/* Whether the analysis succeeded; the rest is about the program (SARIF 2.1.0, 3.20). */
	put(invocation, "executionSuccessful", json_object_new_boolean(true));
	if (analysis->facts.exited && !analysis->facts.exit_signal) {
		put(invocation, "exitCode", json_object_new_int(analysis->facts.exit_status));
	} else if (analysis->facts.exited) {
		const char *name = signal_text(analysis->facts.exit_signal);

		put(invocation, "exitSignalNumber",
		    json_object_new_int(analysis->facts.exit_signal));
		if (name)
			put(invocation, "exitSignalName", text(name));
	}
	for (unsigned i = 0; i < sentences->len; i++) {
		struct json_object *notification = json_object_new_object();

		put(notification, "level", text("error"));
		put(notification, "message", message(sentences->pdata[i]));
		json_object_array_add(notifications, notification);
	}
	g_ptr_array_free(sentences, TRUE);
	for (unsigned i = 0; i < analysis->findings.limits->len; i++) {
		struct json_object *notification = json_object_new_object();

		put(notification, "level", text("warning"));
		put(notification, "message", message(analysis->findings.limits->pdata[i]));
		json_object_array_add(notifications, notification);
	}
	put(invocation, "toolExecutionNotifications", notifications);
	put(properties, "recording", json_recording(analysis));
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

int report_sarif(const struct analysis *analysis, unsigned style, FILE *stream)
{
	struct sarif sarif = { analysis, source_root_directory() };
	struct json_object *root = json_object_new_object();
	struct json_object *run = json_object_new_object();
	struct json_object *tool = json_object_new_object();
	struct json_object *runs = json_object_new_array();
	struct json_object *results = json_object_new_array();

	(void)style;
	put(root, "$schema", text(SARIF_SCHEMA));
	put(root, "version", text("2.1.0"));
	put(tool, "driver", driver());
	put(run, "tool", tool);
	put(run, "invocations", invocations(analysis));
	put(run, "columnKind", text("utf16CodeUnits"));
	put(run, "originalUriBaseIds", base_ids(&sarif));
	for (unsigned i = 0; i < analysis->findings.list->len; i++) {
		json_object_array_add(results,
				      one_result(&sarif, analysis->findings.list->pdata[i]));
	}
	put(run, "results", results);
	if (migration_result(&analysis->findings)->rows->len) {
		struct json_object *properties = json_object_new_object();

		put(properties, "migration", json_migration(analysis));
		put(run, "properties", properties);
	}
	json_object_array_add(runs, run);
	put(root, "runs", runs);
	g_free(sarif.root);
	return write_json(root, stream);
}
