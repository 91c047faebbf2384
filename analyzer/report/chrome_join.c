/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of several recordings as one, in Chrome's trace event format. */
#include "chrome.h"

#include <string.h>

#include "json_values.h"

/* Numbers of processes on Linux end below (PID_MAX_LIMIT of include/linux/threads.h). */
#define FIRST_FREE_PID 4194304

struct joining {
	GHashTable *owners; /* number of a process -> 1 + the trace that has it */
	int next_pid;
	int64_t ids, most_id; /* of flows and bounds: before this trace, and in all so far */
	int64_t earliest_ns;
};

static int64_t first_ns(struct json_object *trace)
{
	struct json_object *other = get_member(trace, "otherData");

	/* Without events there is none. */
	return get_member(other, "first_ns") ? get_number(other, "first_ns") : INT64_MAX;
}

/* Returns the process's number in the joined trace. */
static int pid_of(struct joining *joining, GHashTable *renamed, unsigned trace, int pid)
{
	gpointer known = g_hash_table_lookup(joining->owners, GINT_TO_POINTER(pid));
	gpointer other;

	if (!known) {
		g_hash_table_insert(joining->owners, GINT_TO_POINTER(pid),
				    GUINT_TO_POINTER(trace + 1));
		return pid;
	}
	if (GPOINTER_TO_UINT(known) == trace + 1)
		return pid;
	if (!g_hash_table_lookup_extended(renamed, GINT_TO_POINTER(pid), NULL, &other)) {
		other = GINT_TO_POINTER(joining->next_pid++);
		g_hash_table_insert(renamed, GINT_TO_POINTER(pid), other);
	}
	return GPOINTER_TO_INT(other);
}

/* Sets "COMMAND (process 123)": the number by which the program knew itself. */
static void keep_number(struct json_object *event, int pid)
{
	struct json_object *arguments = get_member(event, "args");
	char *name;

	if (strcmp(get_text(event, "name"), "process_name") != 0 || !arguments)
		return;
	name = g_strdup_printf("%s (process %d)", get_text(arguments, "name"), pid);
	put(arguments, "name", text_value(name));
	g_free(name);
}

static void join_event(struct joining *joining, GHashTable *renamed, unsigned trace,
		       struct json_object *event, double shift)
{
	int pid = (int)get_number(event, "pid"), joined = pid_of(joining, renamed, trace, pid);
	struct json_object *moment = get_member(event, "ts");

	if (joined != pid) {
		keep_number(event, pid);
		put(event, "pid", json_object_new_int(joined));
	}
	if (moment)
		put(event, "ts", json_object_new_double(json_object_get_double(moment) + shift));
	if (get_member(event, "id")) {
		int64_t id = joining->ids + get_number(event, "id");

		joining->most_id = MAX(joining->most_id, id);
		put(event, "id", json_object_new_int64(id));
	}
}

struct json_object *chrome_join(struct json_object *const *traces, unsigned count)
{
	struct joining joining = { .owners = g_hash_table_new(NULL, NULL),
				   .next_pid = FIRST_FREE_PID,
				   .earliest_ns = INT64_MAX };
	struct json_object *root = json_object_new_object(), *other = json_object_new_object();
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; i < count; i++)
		joining.earliest_ns = MIN(joining.earliest_ns, first_ns(traces[i]));
	for (unsigned i = 0; i < count; i++) {
		struct json_object *events = get_array(traces[i], "traceEvents");
		GHashTable *renamed = g_hash_table_new(NULL, NULL);
		double shift = ((double)first_ns(traces[i]) - (double)joining.earliest_ns) / 1000.0;

		joining.ids = joining.most_id;
		for (size_t k = 0; k < array_length(events); k++) {
			struct json_object *event = json_object_array_get_idx(events, k);

			join_event(&joining, renamed, i, event, shift);
			json_object_array_add(all, json_object_get(event));
		}
		g_hash_table_destroy(renamed);
	}
	g_hash_table_destroy(joining.owners);
	put(other, "first_ns", json_object_new_int64(joining.earliest_ns));
	put(root, "traceEvents", all);
	put(root, "displayTimeUnit", json_object_new_string("ns"));
	put(root, "otherData", other);
	return root;
}
