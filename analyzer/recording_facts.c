/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the recorder and the processes wrote about a recording beside its trace. */
#include <glib.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/completeness.h"
#include "codeobj/text.h"
#include "tracer/machine.h"

static int64_t number(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_int64(value) : 0;
}

/* Returns true if the recorder could not query LTTng for the losses, at its end. */
static bool is_silent(struct json_object *manifest)
{
	struct json_object *lost = NULL, *events = NULL, *ended = NULL;

	json_object_object_get_ex(manifest, "lost", &lost);
	return !(json_object_object_get_ex(lost, "events", &events) && events) &&
	       json_object_object_get_ex(manifest, "exit", &ended) && ended;
}

/* Reads how the recorded command ended, if the recorder saw that. */
static void read_exit(struct recording_facts *facts, struct json_object *manifest)
{
	struct json_object *ended = NULL, *status = NULL, *signal = NULL;

	if (!json_object_object_get_ex(manifest, "exit", &ended) || !ended)
		return;
	json_object_object_get_ex(ended, "status", &status);
	json_object_object_get_ex(ended, "signal", &signal);
	facts->exit_signal = MAX(json_object_get_int(signal), 0);
	facts->exit_status = facts->exit_signal ? 0 : MAX(json_object_get_int(status), 0);
	facts->exited = status || signal;
}

/* Returns a time of the manifest, in ns since 1970; 0 if it has none. */
static int64_t read_time(struct json_object *manifest, const char *name)
{
	struct json_object *value = NULL;
	const char *text = NULL;
	GDateTime *time;
	int64_t ns;

	if (json_object_object_get_ex(manifest, name, &value) &&
	    json_object_is_type(value, json_type_string))
		text = json_object_get_string(value);
	time = text ? g_date_time_new_from_iso8601(text, NULL) : NULL;
	if (!time)
		return 0;
	ns = g_date_time_to_unix(time) * G_GINT64_CONSTANT(1000000000) +
	     g_date_time_get_microsecond(time) * G_GINT64_CONSTANT(1000);
	g_date_time_unref(time);
	return ns;
}

/* Reads the processes that lived at the end, whose names may be those of any program. */
static void read_running(struct recording_facts *facts, struct json_object *manifest)
{
	struct json_object *list = NULL, *name;

	if (!json_object_object_get_ex(manifest, "running", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	facts->running = g_ptr_array_new_with_free_func(g_free);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);
		const char *text;
		char shown[256];

		name = NULL;
		json_object_object_get_ex(row, "program", &name);
		text = json_object_get_string(name);
		text_copy_visible(shown, sizeof(shown), text ? text : "");
		g_ptr_array_add(facts->running,
				g_strdup_printf("process %" PRId64 "%s%s%s", number(row, "pid"),
						*shown ? " (" : "", shown, *shown ? ")" : ""));
	}
}

/* Becomes a part of file names: nothing but hexadecimal digits is taken. */
static void read_machine(struct recording_facts *facts, struct json_object *manifest)
{
	struct json_object *host = NULL, *key = NULL;
	const char *text;

	if (!json_object_object_get_ex(manifest, "host", &host) ||
	    !json_object_object_get_ex(host, "key", &key))
		return;
	text = json_object_get_string(key);
	if (text && strlen(text) == MACHINE_KEY_SIZE - 1 &&
	    strspn(text, "0123456789abcdef") == MACHINE_KEY_SIZE - 1)
		facts->machine = g_strdup(text);
}

/* Returns true for a function's name: a manifest may be anybody's. */
static bool is_name(const char *text)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t length = text ? strlen(text) : 0;

	return length && length <= 64 && strspn(text, letters) == length;
}

#define LEFT_OUT_NAMED 8 /* functions, then "others" */

static void add_left_out(GString *text, struct json_object *list)
{
	size_t count =
	    json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	unsigned named = 0;
	int64_t others = 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = json_object_array_get_idx(list, i), *name = NULL;
		const char *function;

		json_object_object_get_ex(row, "function", &name);
		function = json_object_get_string(name);
		if (!is_name(function))
			continue;
		if (named == LEFT_OUT_NAMED) {
			others += number(row, "calls");
			continue;
		}
		g_string_append_printf(text, "%s%s (%" PRId64 ")",
				       named ? ", " : "; left out are the calls of ", function,
				       number(row, "calls"));
		named++;
	}
	if (others)
		g_string_append_printf(text, " and of others (%" PRId64 ")", others);
}

/* Reads what is missing because another tool recorded it (hipgrain import). */
static void read_imported(struct recording_facts *facts, struct json_object *manifest)
{
	struct json_object *imported = NULL, *list = NULL, *format = NULL;
	const char *name;
	GString *text;

	if (!json_object_object_get_ex(manifest, "imported", &imported) || !imported)
		return;
	json_object_object_get_ex(imported, "format", &format);
	json_object_object_get_ex(imported, "left_out", &list);
	name = json_object_get_string(format);
	text = g_string_new("it was imported");
	if (name && strcmp(name, "hrr") == 0) {
		g_string_append_printf(
		    text,
		    " from a capture of HIP's (HRR, version %" PRId64
		    "), which has no call stacks, no memory of the C library, no calls "
		    "that failed, no device variables and no environment",
		    number(imported, "version"));
	}
	add_left_out(text, list);
	facts->left_out =
	    json_object_is_type(list, json_type_array) && json_object_array_length(list) > 0;
	facts->imported = g_string_free(text, FALSE);
}

/* A recording that was ended is not called complete either, if it lacks some. */
static bool lacks_processes(struct json_object *manifest)
{
	struct json_object *lost = NULL;

	return json_object_object_get_ex(manifest, "lost", &lost) && number(lost, "processes") > 0;
}

int64_t recording_start(const char *bundle)
{
	char *path = g_build_filename(bundle, "manifest.json", NULL);
	struct json_object *manifest = json_object_from_file(path);
	int64_t start_ns =
	    json_object_is_type(manifest, json_type_object) ? read_time(manifest, "start_time") : 0;

	json_object_put(manifest);
	g_free(path);
	return start_ns;
}

void recording_facts_read(struct recording_facts *facts, const char *bundle)
{
	char *path = g_build_filename(bundle, "manifest.json", NULL);
	struct json_object *manifest = json_object_from_file(path);
	struct json_object *value = NULL, *recording = NULL, *rotation = NULL;

	*facts = (struct recording_facts){ .bundle = true, .compared = true };
	recording_missed_read(facts, bundle);
	g_free(path);
	if (!manifest || !json_object_is_type(manifest, json_type_object))
		goto out;
	facts->manifest = true;
	facts->ended = !json_object_object_get_ex(manifest, "complete", &value) ||
		       json_object_get_boolean(value) || lacks_processes(manifest);
	facts->silent = is_silent(manifest);
	read_exit(facts, manifest);
	facts->start_ns = read_time(manifest, "start_time");
	facts->end_ns = read_time(manifest, "end_time");
	read_machine(facts, manifest);
	read_running(facts, manifest);
	read_imported(facts, manifest);
	facts->partial = facts->imported;
	facts->compared = !facts->partial;
	if (!json_object_object_get_ex(manifest, "recording", &recording))
		goto out;
	if (json_object_object_get_ex(recording, "session", &value))
		facts->session = g_strdup(json_object_get_string(value));
	facts->softgpu = json_object_object_get_ex(recording, "softgpu", &value) &&
			 json_object_get_boolean(value);
	facts->files = number(recording, "files");
	facts->attached = json_object_object_get_ex(recording, "attached", NULL);
	facts->snapshot = json_object_object_get_ex(recording, "snapshots", NULL);
	if (json_object_object_get_ex(recording, "rotation", &rotation)) {
		facts->chunks = number(rotation, "chunks");
		facts->deleted = number(rotation, "deleted");
		facts->deleted_bytes = number(rotation, "deleted_bytes");
	}
	/* Snapshots and rotated recordings begin in the middle of what the processes counted. */
	facts->partial |= facts->snapshot || facts->deleted > 0;
	facts->compared = !facts->partial;
out:
	json_object_put(manifest);
}

void recording_facts_clear(struct recording_facts *facts)
{
	g_clear_pointer(&facts->session, g_free);
	g_clear_pointer(&facts->machine, g_free);
	g_clear_pointer(&facts->imported, g_free);
	g_clear_pointer(&facts->running, g_ptr_array_unref);
	recording_missed_clear(facts);
}
