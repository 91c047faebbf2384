/* SPDX-License-Identifier: Apache-2.0 */
/* Groups findings by their cause, and orders the causes. */
#include "causes.h"

#include <glib.h>
#include <string.h>

#include "analyzer/rules/engine/findings.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "json_values.h"
#include "place.h"
#include "report.h"

#define FINGERPRINT_DIGITS 16

/* Tells what the cause of a rule's findings is: see cause_of(). */
enum cause { CAUSE_MEMORY, CAUSE_CODE, CAUSE_ORDER };

/* Returns where the findings of a rule about launches are mended. */
static enum cause cause_of(const char *rule)
{
	static const enum rule_id of_code[] = { RULE_HG107, RULE_HG109, RULE_HG110,
						RULE_HG113, RULE_HG114, RULE_HG115 };

	for (unsigned i = 0; i < G_N_ELEMENTS(of_code); i++)
		if (strcmp(rule, rules[of_code[i]].id) == 0)
			return CAUSE_CODE;
	if (strcmp(rule, rules[RULE_HG215].id) == 0 || g_str_has_prefix(rule, "HG4") ||
	    g_str_has_prefix(rule, "HG7"))
		return CAUSE_ORDER;
	return CAUSE_MEMORY;
}

/* A finding while it is grouped. */
struct row {
	struct json_object *finding; /* borrowed */
	size_t at;                   /* in the list */
	int place, confidence;
	int64_t gpu_ns; /* its kernel's time, if that was measured */
	int64_t saves;  /* ns that advice would save, if that is known */
	bool measured;  /* ... by a time */
	double cost;
	char *key;      /* equal: of one cause; NULL: it stands alone */
	char *identity; /* of the cause in every recording, but for its number */
	int64_t line;   /* of the cause, 0 if it has none */
};

static int confidence_of(struct json_object *finding)
{
	for (enum confidence i = 0; i < CONFIDENCES; i++)
		if (strcmp(confidence_name(i), get_text(finding, "confidence")) == 0)
			return (int)i;
	return -1;
}

/* Returns the severity under which it is listed, as finding_place() does. */
static int place_of(struct json_object *finding)
{
	const struct rule *rule = rule_by_name(get_text(finding, "rule"));
	int severity = severity_by_name(get_text(finding, "severity"));

	if (rule && severity < (int)rule->severity)
		return SEVERITY_NOTE;
	return severity >= SEVERITY_WARNING && confidence_of(finding) == CONFIDENCE_POSSIBLE
		   ? SEVERITY_ADVICE
		   : severity;
}

/* Returns how much it concerns: work-items of all launches, or bytes of all calls. */
static double cost_of(struct json_object *finding)
{
	struct json_object *launches = get_member(finding, "launches");
	struct json_object *allocation = get_member(finding, "allocation");

	if (launches) {
		return (double)MAX(get_number(launches, "count"), 1) *
		       (double)MAX(get_number(launches, "work_items"), 1);
	}
	return (double)MAX(get_number(finding, "count"), 1) *
	       (double)MAX(get_number(allocation, "size"), 1);
}

/* ---- keys ---- */

static struct json_object *user_frame_of(struct json_object *stack)
{
	int index = place_index(stack);

	return index >= 0 ? json_object_array_get_idx(stack, (size_t)index) : NULL;
}

/* Adds the place where a stack begins. Returns false if it is not known. */
static bool add_stack(GString *key, GString *identity, int64_t *line, struct json_object *stack)
{
	struct json_object *frame = user_frame_of(stack);
	const char *function = get_text(frame, "function");
	char *module;

	if (!frame)
		return false;
	g_string_append_printf(key, "|%s:%" G_GINT64_FORMAT, get_text(frame, "file"),
			       get_number(frame, "line"));
	if (!get_member(frame, "line"))
		g_string_append_printf(key, "%s+%s", get_text(frame, "module"),
				       get_text(frame, "offset"));
	*line = *line ? *line : get_number(frame, "line");
	if (*function) {
		g_string_append_printf(identity, "|%s", function);
	} else {
		module = g_path_get_basename(get_text(frame, "module"));
		g_string_append_printf(identity, "|%s+%s", module, get_text(frame, "offset"));
		g_free(module);
	}
	return true;
}

/* Adds a member's text to both. */
static void add_text(GString *key, GString *identity, struct json_object *object, const char *name)
{
	g_string_append_printf(key, "|%s", get_text(object, name));
	g_string_append_printf(identity, "|%s", get_text(object, name));
}

/*
 * Adds the line that allocated the memory; if the memory was freed, the line where that was done,
 * too.
 */
static bool add_memory(GString *key, GString *identity, int64_t *line, struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");
	struct json_object *piece = get_member(allocation, "piece");

	add_text(key, identity, allocation, "api");
	add_text(key, identity, allocation, "symbol");
	if (*get_text(allocation, "symbol"))
		return true;
	if (!add_stack(key, identity, line, get_member(allocation, "stack")))
		return false;
	if (strcmp(get_text(finding, "rule"), rules[RULE_HG601].id) == 0)
		add_stack(key, identity, line, get_member(allocation, "free_stack"));
	if (strcmp(get_text(finding, "rule"), rules[RULE_HG601].id) == 0 && piece) {
		add_text(key, identity, piece, "name");
		add_stack(key, identity, line, get_member(piece, "free_stack"));
	}
	return true;
}

/* Adds the line of the kernel's source. */
static bool add_code(GString *key, GString *identity, int64_t *line, struct json_object *finding)
{
	*line = get_number(finding, "device_line");
	g_string_append_printf(key, "|%s:%" G_GINT64_FORMAT, get_text(finding, "device_file"),
			       *line);
	add_text(key, identity, finding, "instruction");
	if (!*line)
		g_string_append_printf(key, "|%s", get_text(finding, "kernel_symbol"));
	g_string_append_printf(identity, "|%s", *line ? "" : get_text(finding, "kernel_symbol"));
	return true;
}

/* Adds the line of the call or launch, and that of the other party. */
static bool add_call(GString *key, GString *identity, int64_t *line, struct json_object *finding)
{
	struct json_object *launches = get_member(finding, "launches");
	bool known;

	add_text(key, identity, finding, "api");
	known =
	    add_stack(key, identity, line,
		      launches ? get_member(launches, "stack") : get_member(finding, "call_stack"));
	add_text(key, identity, finding, "related");
	if (get_member(finding, "related_stack"))
		add_stack(key, identity, line, get_member(finding, "related_stack"));
	return known;
}

/* Returns the program of the finding's process; "" if it is of a rank, whichever that is. */
static const char *program_of(struct json_object *finding, struct json_object *processes)
{
	if (get_member(finding, "ranks"))
		return "";
	for (size_t i = 0; i < array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);

		if (get_number(process, "pid") == get_number(finding, "pid"))
			return get_text(process, "exe");
	}
	return "";
}

static void describe(struct row *row, struct json_object *processes)
{
	struct json_object *finding = row->finding;
	enum cause cause = cause_of(get_text(finding, "rule"));
	GString *key = g_string_new(NULL), *identity = g_string_new(NULL);
	bool launched = get_member(finding, "launches") != NULL;
	bool settled = !array_length(get_array(finding, "candidates"));
	bool known;

	add_text(key, identity, finding, "rule");
	add_text(key, identity, finding, "subject");
	if (launched && cause == CAUSE_MEMORY && get_member(finding, "allocation") && settled)
		known = add_memory(key, identity, &row->line, finding);
	else if (launched && cause == CAUSE_CODE)
		known = add_code(key, identity, &row->line, finding);
	else
		known = add_call(key, identity, &row->line, finding);
	/* A finding without memory of its own is about its kernel. */
	if (launched && cause == CAUSE_MEMORY && (!get_member(finding, "allocation") || !settled))
		add_text(key, identity, finding, "kernel_symbol");
	g_string_append_printf(key, "|%s", program_of(finding, processes));
	if (!known)
		g_string_append_printf(identity, "|%s", get_text(finding, "kernel_symbol"));
	row->key = g_string_free(key, !known);
	row->identity = g_string_free(identity, FALSE);
}

/* ---- order ---- */

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const struct row *one = a, *other = b;

	if (one->place != other->place)
		return other->place - one->place;
	if (one->place <= SEVERITY_ADVICE && one->measured != other->measured)
		return other->measured - one->measured;
	if (one->place <= SEVERITY_ADVICE && one->saves != other->saves)
		return one->saves < other->saves ? 1 : -1;
	if (one->confidence != other->confidence)
		return other->confidence - one->confidence;
	if (one->gpu_ns != other->gpu_ns)
		return one->gpu_ns < other->gpu_ns ? 1 : -1;
	if (one->cost > other->cost || one->cost < other->cost)
		return one->cost < other->cost ? 1 : -1;
	return (one->at > other->at) - (one->at < other->at);
}

static void clear_row(gpointer data)
{
	struct row *row = data;

	g_free(row->key);
	g_free(row->identity);
}

/* Fills in what a finding saves, with others if it has them. */
static void weigh(struct row *row)
{
	struct cause_worth worth = cause_worth(row->finding);

	row->measured = worth.kernels > 0;
	row->saves = row->measured ? worth.kernels_ns : worth.bytes_ns;
}

static GArray *rows_of(struct json_object *list, struct json_object *processes)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct row));

	g_array_set_clear_func(rows, clear_row);
	for (size_t i = 0; i < array_length(list); i++) {
		struct row row = { .finding = json_object_array_get_idx(list, i), .at = i };

		row.place = place_of(row.finding);
		row.confidence = confidence_of(row.finding);
		row.gpu_ns = get_number(get_member(row.finding, "gpu_time"), "ns");
		weigh(&row);
		row.cost = cost_of(row.finding);
		describe(&row, processes);
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare_rows);
	return rows;
}

/* ---- groups ---- */

/* Adds `row` to what stands for its cause. */
static void join(struct row *first, const struct row *row)
{
	struct json_object *others = get_array(first->finding, "others");

	if (!others) {
		others = json_object_new_array();
		put(first->finding, "others", others);
	}
	json_object_array_add(others, json_object_get(row->finding));
	first->cost += row->cost;
}

/* A list that is grouped again has what was made of it before. */
static void take_apart(struct json_object *finding)
{
	put(finding, "others", NULL);
	put(finding, "cause_fix", NULL);
	put(finding, "cause_edits", NULL);
}

/* Leaves one row of each cause, the first of them. */
static void group(GArray *rows)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	unsigned kept = 0;

	for (unsigned i = 0; i < rows->len; i++)
		take_apart(g_array_index(rows, struct row, i).finding);
	for (unsigned i = 0; i < rows->len; i++) {
		struct row *row = &g_array_index(rows, struct row, i);
		gpointer first = row->key ? g_hash_table_lookup(seen, row->key) : NULL;

		if (first) {
			join(&g_array_index(rows, struct row, GPOINTER_TO_UINT(first) - 1), row);
			clear_row(row);
			continue;
		}
		if (kept != i) {
			g_array_index(rows, struct row, kept) = *row;
			row = &g_array_index(rows, struct row, kept);
		}
		kept++;
		if (row->key)
			g_hash_table_insert(seen, row->key, GUINT_TO_POINTER(kept));
	}
	g_hash_table_destroy(seen);
	/* The others were moved or cleared. */
	g_array_set_clear_func(rows, NULL);
	g_array_set_size(rows, kept);
	g_array_set_clear_func(rows, clear_row);
}

/*
 * Returns the number of a cause. If the identities of causes are equal, because they stand in one
 * function, the lines decide.
 */
static unsigned number_of(const struct row *row, const GPtrArray *alike)
{
	unsigned before = 0;

	for (unsigned i = 0; i < alike->len; i++) {
		const struct row *other = alike->pdata[i];

		before +=
		    other->line < row->line || (other->line == row->line && other->at < row->at);
	}
	return before + 1;
}

static void free_list(gpointer list)
{
	g_ptr_array_free(list, TRUE);
}

static void set_cause(struct json_object *finding, const char *name)
{
	struct json_object *others = get_array(finding, "others");

	char *fix = cause_fix(finding);

	put(finding, "cause", json_object_new_string(name));
	put(finding, "cause_fix", text_or_null(fix));
	put(finding, "cause_edits", cause_edits(finding));
	g_free(fix);
	for (size_t i = 0; i < array_length(others); i++)
		put(json_object_array_get_idx(others, i), "cause", json_object_new_string(name));
}

/* Gives each finding the member `cause`. */
static void name_causes(GArray *rows)
{
	GHashTable *alike = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_list);

	for (unsigned i = 0; i < rows->len; i++) {
		struct row *row = &g_array_index(rows, struct row, i);
		GPtrArray *list = g_hash_table_lookup(alike, row->identity);

		if (!list) {
			list = g_ptr_array_new();
			g_hash_table_insert(alike, row->identity, list);
		}
		g_ptr_array_add(list, row);
	}
	for (unsigned i = 0; i < rows->len; i++) {
		const struct row *row = &g_array_index(rows, struct row, i);
		unsigned number = number_of(row, g_hash_table_lookup(alike, row->identity));
		char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, row->identity, -1);
		char *name;

		digest[FINGERPRINT_DIGITS] = 0;
		name = number > 1 ? g_strdup_printf("%s-%u", digest, number) : g_strdup(digest);
		set_cause(row->finding, name);
		g_free(name);
		g_free(digest);
	}
	g_hash_table_destroy(alike);
}

struct json_object *causes_of(struct json_object *list, struct json_object *processes)
{
	struct json_object *causes = json_object_new_array();
	GArray *rows = rows_of(list, processes);

	group(rows);
	for (unsigned i = 0; i < rows->len; i++)
		weigh(&g_array_index(rows, struct row, i));
	name_causes(rows);
	g_array_sort(rows, compare_rows);
	for (unsigned i = 0; i < rows->len; i++)
		json_object_array_add(causes,
				      json_object_get(g_array_index(rows, struct row, i).finding));
	g_array_free(rows, TRUE);
	return causes;
}

struct json_object *causes_findings(struct json_object *causes)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < array_length(causes); i++) {
		struct json_object *finding = json_object_array_get_idx(causes, i);
		struct json_object *others = get_array(finding, "others");

		json_object_array_add(list, json_object_get(finding));
		for (size_t k = 0; k < array_length(others); k++)
			json_object_array_add(
			    list, json_object_get(json_object_array_get_idx(others, k)));
	}
	return list;
}
