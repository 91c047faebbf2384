/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder and the processes wrote about a recording beside its trace. */
#include <glib.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/completeness.h"
#include "tracer/machine.h"

/*
 * Events that processes discarded because the trace buffers were not emptied, where the recorder
 * could not query LTTng for the losses: lines of process and number.
 */
static void read_given_up(struct recording_facts *facts, const char *bundle,
			  struct json_object *manifest)
{
	char *path = g_build_filename(bundle, "given-up", NULL), *text = NULL;
	struct json_object *lost = NULL, *events = NULL, *ended = NULL;

	json_object_object_get_ex(manifest, "lost", &lost);
	if (json_object_object_get_ex(lost, "events", &events) && events)
		goto out;
	if (g_file_get_contents(path, &text, NULL, NULL)) {
		for (const char *line = text; line && *line; line = strchr(line, '\n')) {
			unsigned long long count;

			line += *line == '\n';
			if (sscanf(line, "%*d %llu", &count) == 1)
				facts->given_up += count;
		}
	}
	facts->silent = json_object_object_get_ex(manifest, "exit", &ended) && ended;
out:
	g_free(text);
	g_free(path);
}

static int64_t number(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_int64(value) : 0;
}

/* How the command that was recorded ended, if the recorder saw that. */
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
		       json_object_get_boolean(value);
	read_given_up(facts, bundle, manifest);
	read_exit(facts, manifest);
	read_machine(facts, manifest);
	if (!json_object_object_get_ex(manifest, "recording", &recording))
		goto out;
	if (json_object_object_get_ex(recording, "session", &value))
		facts->session = g_strdup(json_object_get_string(value));
	facts->attached = json_object_object_get_ex(recording, "attached", NULL);
	facts->snapshot = json_object_object_get_ex(recording, "snapshots", NULL);
	if (json_object_object_get_ex(recording, "rotation", &rotation)) {
		facts->chunks = number(rotation, "chunks");
		facts->deleted = number(rotation, "deleted");
		facts->deleted_bytes = number(rotation, "deleted_bytes");
	}
	/* They begin in the middle of what the processes counted. */
	facts->partial = facts->snapshot || facts->deleted > 0;
	facts->compared = !facts->partial;
out:
	json_object_put(manifest);
}

void recording_facts_clear(struct recording_facts *facts)
{
	g_clear_pointer(&facts->session, g_free);
	g_clear_pointer(&facts->machine, g_free);
	recording_missed_clear(facts);
}
