/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain reduce: a bundle to give away, which has the same findings. */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/analyze.h"
#include "analyzer/bundle_check.h"
#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/nearest.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/progress.h"
#include "analyzer/recordings.h"
#include "analyzer/reduce/reduced_files.h"
#include "analyzer/report/causes.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/rules/rules.h"
#include "tracer/message.h"
#include "tracer/tree.h"

const char usage_reduce[] =
    "Usage: hipgrain reduce [OPTION]... -o NEW BUNDLE\n"
    "Make a bundle to give away: it has the same findings, and placeholders for names of files,\n"
    "functions, kernels and variables, for the command line and for values of the environment.\n"
    "Sources are left out. The findings of both bundles are compared.\n"
    "\n"
    "  -o, --output NEW          the new bundle, which must not exist\n"
    "      --finding FINGERPRINT keep this finding; may be repeated (default: all findings)\n"
    "      --rule RULE           keep the findings of a rule (HG101, or its name); may be "
    "repeated\n"
    "  -h, --help                print this help\n";

enum { REDUCE_OPTION_FINDING = 0x100, REDUCE_OPTION_RULE };

struct reduce {
	const char *path, *output;
	GPtrArray *fingerprints, *rules; /* const char *; both empty: all findings */
};

/* Holds what a report says of a bundle. */
struct outcome {
	struct json_object *report, *findings; /* the second one without causes */
	const char *status;                    /* of the recording */
};

/* Returns 0, or a negative errno after a message. */
static int analyse(const char *path, struct outcome *outcome)
{
	struct analysis analysis;
	char *error = NULL;
	int result = analysis_load(&analysis, path, &error);

	*outcome = (struct outcome){ NULL, NULL, NULL };
	if (result < 0) {
		message_error("%s: %s", recording_name(path), error ? error : strerror(-result));
	} else {
		struct json_object *recording;

		outcome->report = report_json_object(&analysis);
		outcome->findings = causes_findings(get_member(outcome->report, "findings"));
		recording = get_member(outcome->report, "recording");
		outcome->status = recording ? get_text(recording, "status") : "";
	}
	analysis_clear(&analysis);
	free(error);
	return result;
}

static void outcome_clear(struct outcome *outcome)
{
	json_object_put(outcome->findings);
	json_object_put(outcome->report);
}

static bool has_word(const GPtrArray *words, const char *word)
{
	for (guint i = 0; i < words->len; i++)
		if (strcmp(words->pdata[i], word) == 0)
			return true;
	return false;
}

static bool is_selected(const struct reduce *reduce, struct json_object *finding)
{
	return (!reduce->fingerprints->len && !reduce->rules->len) ||
	       has_word(reduce->fingerprints, get_text(finding, "fingerprint")) ||
	       has_word(reduce->rules, get_text(finding, "rule"));
}

/* Texts that are the same in both bundles; other texts may be names. */
static bool is_fixed(const char *key)
{
	static const char *const keys[] = { "rule",     "slug", "severity",    "confidence",
					    "api",      "kind", "granularity", "instruction",
					    "freed_by", "flags" };

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* Fixes quote the sources, which are not in the new bundle; causes are made of findings. */
static bool is_left_out(const char *key)
{
	return strstr(key, "edits") || strstr(key, "cause") || strcmp(key, "others") == 0;
}

/* Appends what must not change of a part of a finding: numbers, and texts that are no names. */
static void append_facts(GString *text, const char *key, struct json_object *value)
{
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
		{
			if (!is_left_out(name))
				append_facts(text, name, member);
		}
	} else if (json_object_is_type(value, json_type_array)) {
		g_string_append_printf(text, "%s[%zu] ", key, json_object_array_length(value));
		for (size_t i = 0; i < json_object_array_length(value); i++)
			append_facts(text, key, json_object_array_get_idx(value, i));
	} else if (!json_object_is_type(value, json_type_string) || is_fixed(key)) {
		if (value)
			g_string_append_printf(text, "%s=%s ", key, json_object_get_string(value));
	}
}

/* Returns how often each finding's facts occur; the count is the value. */
static GHashTable *facts_of(const struct reduce *reduce, struct json_object *findings)
{
	GHashTable *facts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		GString *text = g_string_new(NULL);
		guint count;

		append_facts(text, "", finding);
		count = GPOINTER_TO_UINT(g_hash_table_lookup(facts, text->str));
		if (!reduce || is_selected(reduce, finding))
			g_hash_table_replace(facts, g_string_free(text, FALSE),
					     GUINT_TO_POINTER(count + 1));
		else
			g_string_free(text, TRUE);
	}
	return facts;
}

/* Returns true if `all` has each of `some` at least as often. */
static bool covers(GHashTable *all, GHashTable *some)
{
	GHashTableIter iterator;
	gpointer text, count;

	g_hash_table_iter_init(&iterator, some);
	while (g_hash_table_iter_next(&iterator, &text, &count))
		if (GPOINTER_TO_UINT(g_hash_table_lookup(all, text)) < GPOINTER_TO_UINT(count))
			return false;
	return true;
}

/* Returns true if the new bundle has the selected findings, none that the old one has not, and is
 * as complete. */
static bool is_same(const struct reduce *reduce, const struct outcome *old,
		    const struct outcome *now)
{
	GHashTable *selected = facts_of(reduce, old->findings);
	GHashTable *before = facts_of(NULL, old->findings);
	GHashTable *after = facts_of(NULL, now->findings);
	bool same = covers(after, selected) && covers(before, after) &&
		    strcmp(old->status, now->status) == 0;

	g_hash_table_destroy(selected);
	g_hash_table_destroy(before);
	g_hash_table_destroy(after);
	return same;
}

/* Returns the selected findings as text, in which names of kernels are searched, and *count. */
static char *text_of_selected(const struct reduce *reduce, struct json_object *findings,
			      size_t *count)
{
	GString *text = g_string_new(NULL);

	*count = 0;
	for (size_t i = 0; i < json_object_array_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);

		if (is_selected(reduce, finding)) {
			g_string_append(text, json_object_to_json_string(finding));
			++*count;
		}
	}
	return g_string_free(text, FALSE);
}

/*
 * Makes the new bundle and compares it. Returns 0, -ENOENT if findings are lost, or another
 * negative errno after a message; then there is no new bundle.
 */
static int attempt(const struct reduce *reduce, const struct outcome *old, const char *needed)
{
	char name[NAME_MAX + 1], *why = NULL;
	int parent = tree_open_parent(reduce->output, name, sizeof(name)), folder;
	int result = parent < 0 ? parent : mkdirat(parent, name, 0700) ? -errno : 0;
	struct outcome now = { NULL, NULL, NULL };

	if (result) {
		message_error("%s: cannot be made: %s%s", reduce->output, strerror(-result),
			      result == -EEXIST ? "; choose a new name" : "");
		if (parent >= 0)
			close(parent);
		return result == -ENOENT ? -EIO : result;
	}
	folder = tree_open(parent, name);
	result = folder < 0 ? folder : reduce_files(reduce->path, folder, needed, &why);
	if (folder >= 0)
		close(folder);
	if (result) {
		message_error("%s: %s", reduce->path, why ? why : strerror(-result));
		result = -EIO;
	} else {
		result = analyse(reduce->output, &now);
		if (result < 0)
			result = -EIO;
		else if (!is_same(reduce, old, &now))
			result = -ENOENT;
	}
	outcome_clear(&now);
	if (result && tree_remove(parent, name) < 0)
		message_warning("%s: cannot be removed", reduce->output);
	close(parent);
	g_free(why);
	return result;
}

static int reduce_bundle(const struct reduce *reduce)
{
	struct outcome old;
	char *needed;
	size_t count;
	bool whole = false;
	int result;

	if (analyse(reduce->path, &old) < 0) {
		outcome_clear(&old);
		return HG_EXIT_INPUT;
	}
	needed = text_of_selected(reduce, old.findings, &count);
	if (!count && !reduce->fingerprints->len && !reduce->rules->len) {
		message_error("%s: nothing was found in it, so that there is nothing to keep",
			      reduce->path);
		result = -EIO;
	} else if (!count) {
		message_error(
		    "%s: no such finding is in it; 'hipgrain report --format=json %s' has "
		    "their fingerprints",
		    reduce->path, reduce->path);
		result = -EIO;
	} else {
		result = attempt(reduce, &old, needed);
		if (result == -ENOENT) {
			whole = true;
			result = attempt(reduce, &old, NULL);
		}
		if (result == -ENOENT)
			message_error("%s: a finding is lost or changed without the names; nothing "
				      "was made",
				      reduce->path);
	}
	if (!result)
		message_note("%s: %zu finding%s kept%s; look through it before you give it away: "
			     "'hipgrain events %s'",
			     reduce->output, count, count == 1 ? "" : "s",
			     whole ? ", with the code and constants of all kernels" : "",
			     reduce->output);
	g_free(needed);
	outcome_clear(&old);
	return result ? HG_EXIT_INPUT : HG_EXIT_OK;
}

/* Adds the id of a rule. Returns 0, or -EINVAL after a message. */
static int add_rule(GPtrArray *list, const char *name)
{
	const struct rule *rule = rule_by_name(name);
	struct nearest nearest = nearest_to(name);

	for (const struct rule *one = rule_after(NULL); one && !rule; one = rule_after(one)) {
		nearest_offer(&nearest, one->id);
		nearest_offer(&nearest, one->slug);
	}
	if (rule)
		g_ptr_array_add(list, (gpointer)rule->id);
	else if (nearest.name)
		message_error("--rule: unknown rule '%s' (did you mean '%s'?)", name, nearest.name);
	else
		message_error("--rule: unknown rule '%s' ('hipgrain explain' lists the rules)",
			      name);
	return rule ? 0 : -EINVAL;
}

static int parse_options(struct reduce *reduce, int argc, char **argv, bool *help)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "finding", required_argument, NULL, REDUCE_OPTION_FINDING },
		{ "rule", required_argument, NULL, REDUCE_OPTION_RULE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int code;

	while ((code = next_option(argc, argv, "o:h", long_options)) != -1) {
		switch (code) {
		case 'o':
			reduce->output = optarg;
			break;
		case REDUCE_OPTION_FINDING:
			g_ptr_array_add(reduce->fingerprints, optarg);
			break;
		case REDUCE_OPTION_RULE:
			if (add_rule(reduce->rules, optarg) < 0)
				return HG_EXIT_USAGE;
			break;
		case 'h':
			*help = true;
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (argc - optind != 1 || !reduce->output) {
		message_error(reduce->output ? "exactly one bundle is required (try 'hipgrain "
					       "reduce --help')"
					     : "-o NEW is required (try 'hipgrain reduce --help')");
		return HG_EXIT_USAGE;
	}
	reduce->path = argv[optind];
	return HG_EXIT_OK;
}

int cmd_reduce(int argc, char **argv)
{
	struct reduce reduce = { .fingerprints = g_ptr_array_new(), .rules = g_ptr_array_new() };
	bool help = false;
	int status = parse_options(&reduce, argc, argv, &help);

	progress_set(PROGRESS_AUTO);
	if (help)
		fputs(usage_reduce, stdout);
	else if (status == HG_EXIT_OK)
		status = reduce_bundle(&reduce);
	g_ptr_array_free(reduce.fingerprints, TRUE);
	g_ptr_array_free(reduce.rules, TRUE);
	return status;
}
