/* SPDX-License-Identifier: Apache-2.0 */
/* Finds wrappers: one line allocates, and several lines call its function, or that is an allocator
 * by its name. */
#include "wrapper_lines.h"

#include <string.h>

#include "analyzer/rules/engine/call_history.h"

#define LEVELS 4u    /* wrappers of wrappers */
#define MOST   4096u /* call sites that are looked at: each is a stack to be resolved */

/* Where one call site's stack is, once wrappers that are known are left. */
struct climb {
	const GPtrArray *frames;
	unsigned at;
};

static void add_site(GArray *climbs, const struct analysis *analysis,
		     const struct process_history *history, const struct site_history *site)
{
	struct climb climb = {
		symbolize_stack(analysis->symbolizer, history->process, site->stack_id), 0
	};

	while (climb.at < climb.frames->len && !is_user_frame(climb.frames, climb.at))
		climb.at++;
	if (site->allocations && climb.at + 1 < climb.frames->len)
		g_array_append_val(climbs, climb);
}

static GArray *all_sites(const struct analysis *analysis)
{
	const GPtrArray *processes = analysis->replay.processes;
	GArray *climbs = g_array_new(FALSE, FALSE, sizeof(struct climb));

	for (unsigned i = 0; i < processes->len; i++) {
		const struct process_history *history = call_history_known(processes->pdata[i]);
		GHashTableIter iterator;
		gpointer site;

		if (!history)
			continue;
		g_hash_table_iter_init(&iterator, history->sites);
		while (climbs->len < MOST && g_hash_table_iter_next(&iterator, NULL, &site))
			add_site(climbs, analysis, history, site);
	}
	return climbs;
}

static void free_set(gpointer set)
{
	g_hash_table_destroy(set);
}

/* Line -> set of the lines that call its function. */
static GHashTable *callers_of(const GArray *climbs)
{
	GHashTable *lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_set);

	for (unsigned i = 0; i < climbs->len; i++) {
		const struct climb *climb = &g_array_index(climbs, struct climb, i);
		char *line, *caller;
		GHashTable *callers;

		if (climb->at + 1 >= climb->frames->len)
			continue;
		line = source_frame_text(climb->frames->pdata[climb->at]);
		caller = source_frame_text(climb->frames->pdata[climb->at + 1]);
		callers = g_hash_table_lookup(lines, line);
		if (!callers) {
			callers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
			g_hash_table_insert(lines, g_strdup(line), callers);
		}
		g_hash_table_add(callers, caller);
		g_free(line);
	}
	return lines;
}

/* Returns true for a function that is an allocator by its name, whoever calls it: the program
 * interposes it, or a class has its own. */
static bool is_allocator(const char *function)
{
	static const char *const names[] = { "malloc",           "calloc",       "realloc",
					     "aligned_alloc",    "memalign",     "valloc",
					     "posix_memalign",   "pvalloc",      "hipMalloc",
					     "hipMallocManaged", "hipHostMalloc" };
	char *name = g_strndup(function ? function : "", strcspn(function ? function : "", "(<"));
	bool found = strstr(name, "operator new") != NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		found |= strcmp(name, names[i]) == 0;
	g_free(name);
	return found;
}

/* Marks the wrappers of this level, and climbs out of them. Returns true if there are any. */
static bool leave_wrappers(struct analysis *analysis, GArray *climbs)
{
	GHashTable *lines = callers_of(climbs);
	bool any = false;

	for (unsigned i = 0; i < climbs->len; i++) {
		struct climb *climb = &g_array_index(climbs, struct climb, i);
		const struct source_frame *frame;
		GHashTable *callers;
		char *line;

		if (climb->at + 1 >= climb->frames->len)
			continue;
		frame = climb->frames->pdata[climb->at];
		line = source_frame_text(frame);
		callers = g_hash_table_lookup(lines, line);
		if (frame->file && (is_allocator(frame->function) ||
				    (callers && g_hash_table_size(callers) >= WRAPPER_CALLERS))) {
			symbolizer_mark_wrapper(analysis->symbolizer, frame);
			climb->at++;
			any = true;
		}
		g_free(line);
	}
	g_hash_table_destroy(lines);
	return any;
}

void wrapper_lines_find(struct analysis *analysis)
{
	GArray *climbs;
	unsigned level = 0;

	if (!analysis->findings.list->len)
		return; /* nothing names a place */
	climbs = all_sites(analysis);
	while (level++ < LEVELS && leave_wrappers(analysis, climbs))
		;
	g_array_free(climbs, TRUE);
}
