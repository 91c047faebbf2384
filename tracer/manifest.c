/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes manifest.json of a bundle. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "config.h"
#include "tracer/bundle.h"
#include "tracer/machine.h"
#include "tracer/rings.h"
#include "tracer/variables.h"

extern char **environ;

/* Returns the length of the well-formed UTF-8 sequence at `text` (RFC 3629 section 4), or 0 if
 * there is none. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{ 0x01, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first_low || text[0] > forms[i].first_high)
			continue;
		if (forms[i].length > 1 &&
		    (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
			return 0;
		for (size_t j = 2; j < forms[i].length; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

/* Arguments and variables are bytes, JSON is UTF-8: a byte that is none becomes U+FFFD. */
static struct json_object *json_text(const char *text)
{
	struct json_object *object;
	char *clean, *out;

	if (!text)
		return NULL;
	clean = malloc(strlen(text) * 3 + 1);
	if (!clean)
		return json_object_new_string("");
	for (out = clean; *text;) {
		size_t length = utf8_length((const unsigned char *)text);

		if (length) {
			memcpy(out, text, length);
			out += length;
			text += length;
		} else {
			memcpy(out, "\xef\xbf\xbd", 3);
			out += 3;
			text++;
		}
	}
	*out = '\0';
	object = json_object_new_string(clean);
	free(clean);
	return object;
}

static struct json_object *json_time(int64_t nanoseconds)
{
	time_t seconds = (time_t)(nanoseconds / 1000000000);
	char text[64], date[32];
	struct tm parts;

	if (!nanoseconds || !gmtime_r(&seconds, &parts) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts))
		return NULL;
	snprintf(text, sizeof(text), "%s.%09ldZ", date, (long)(nanoseconds % 1000000000));
	return json_object_new_string(text);
}

static struct json_object *json_command(char *const *argv)
{
	struct json_object *array = json_object_new_array();

	for (; argv && *argv; argv++)
		json_object_array_add(array, json_text(*argv));
	return array;
}

static struct json_object *json_environment(void)
{
	struct json_object *object = json_object_new_object();

	for (char **variable = environ; *variable; variable++) {
		size_t length = strcspn(*variable, "=");
		char name[256];

		if (variables_records(*variable) && length < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)length, *variable);
			json_object_object_add(object, name, json_text(*variable + length + 1));
		}
	}
	return object;
}

static struct json_object *json_host(bool softgpu)
{
	struct json_object *object = json_object_new_object();
	char key[MACHINE_KEY_SIZE];
	struct utsname name;

	if (uname(&name) == 0) {
		json_object_object_add(object, "name", json_text(name.nodename));
		json_object_object_add(object, "kernel", json_text(name.release));
		json_object_object_add(object, "machine", json_text(name.machine));
	}
	json_object_object_add(object, "cpus",
			       json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_object_add(object, "page_size", json_object_new_int64(sysconf(_SC_PAGESIZE)));
	machine_key(softgpu, key);
	json_object_object_add(object, "key", json_object_new_string(key));
	return object;
}

static struct json_object *json_count(int64_t count)
{
	return count < 0 ? NULL : json_object_new_int64(count);
}

/* Zero is "no such limit". */
static struct json_object *json_limit(uint64_t limit)
{
	return limit ? json_object_new_int64((int64_t)limit) : NULL;
}

static struct json_object *json_rotation(const struct bundle_manifest *manifest)
{
	struct json_object *object = json_object_new_object();
	const struct rotation_plan *plan = manifest->rotation;
	const struct rotation_state *state = &manifest->rotated;

	json_object_object_add(object, "size", json_limit(plan->size));
	json_object_object_add(object, "seconds", json_limit(plan->period_us / 1000000));
	json_object_object_add(object, "keep", json_limit(plan->keep));
	json_object_object_add(object, "quota", json_limit(plan->quota));
	json_object_object_add(object, "chunks", json_object_new_int64(state->chunks));
	json_object_object_add(object, "deleted", json_object_new_int64(state->deleted));
	json_object_object_add(object, "deleted_bytes",
			       json_object_new_int64((int64_t)state->deleted_bytes));
	return object;
}

static struct json_object *json_recording(const struct bundle *bundle,
					  const struct bundle_manifest *manifest)
{
	struct json_object *object = json_object_new_object();
	uint64_t files = manifest->end_ns ? rings_count(bundle->lock) : 0;

	json_object_object_add(object, "softgpu", json_object_new_boolean(manifest->softgpu));
	json_object_object_add(object, "threshold", json_text(manifest->threshold));
	json_object_object_add(object, "stack_depth", json_count(manifest->stack_depth));
	json_object_object_add(object, "session", json_text(manifest->session));
	if (manifest->attached) {
		struct json_object *pids = json_object_new_array();

		for (size_t i = 0; i < manifest->pid_count; i++)
			json_object_array_add(pids, json_object_new_int64(manifest->pids[i]));
		json_object_object_add(object, "attached", pids);
	}
	if (manifest->snapshots >= 0) {
		json_object_object_add(object, "snapshots",
				       json_object_new_int(manifest->snapshots));
	}
	if (manifest->rotation)
		json_object_object_add(object, "rotation", json_rotation(manifest));
	if (manifest->url)
		json_object_object_add(object, "url", json_text(manifest->url));
	/* One that was removed is missed. */
	if (files < manifest->files)
		files = manifest->files;
	json_object_object_add(object, "files",
			       manifest->end_ns ? json_object_new_int64((int64_t)files) : NULL);
	json_object_object_add(object, "daemon", json_text(manifest->daemon));
	json_object_object_add(object, "subbuffer_size",
			       json_object_new_int64((int64_t)manifest->subbuffer_size));
	json_object_object_add(object, "subbuffers_per_cpu",
			       json_object_new_int64((int64_t)manifest->subbuffer_count));
	return object;
}

static struct json_object *json_running(const struct bundle_manifest *manifest)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < manifest->running_count; i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "pid",
				       json_object_new_int(manifest->running[i].pid));
		json_object_object_add(object, "program", json_text(manifest->running[i].name));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_manifest(const struct bundle *bundle,
					 const struct bundle_manifest *manifest)
{
	struct json_object *root = json_object_new_object();
	struct json_object *exit_object = NULL, *lost = json_object_new_object();
	char directory[PATH_MAX];

	if (manifest->end_ns) {
		exit_object = json_object_new_object();
		json_object_object_add(exit_object, "status", json_count(manifest->exit_status));
		json_object_object_add(
		    exit_object, "signal",
		    manifest->exit_signal ? json_object_new_int(manifest->exit_signal) : NULL);
	}
	json_object_object_add(lost, "events", json_count(manifest->lost_events));
	json_object_object_add(lost, "packets", json_count(manifest->lost_packets));
	json_object_object_add(
	    lost, "processes",
	    manifest->end_ns ? json_object_new_int64((int64_t)manifest->unrecorded) : NULL);

	json_object_object_add(root, "schema", json_object_new_string(BUNDLE_MANIFEST_SCHEMA));
	json_object_object_add(root, "version", json_object_new_string(HIPGRAIN_VERSION));
	json_object_object_add(
	    root, "complete", json_object_new_boolean(manifest->complete && !manifest->unrecorded));
	json_object_object_add(root, "directory", json_text(bundle->path));
	json_object_object_add(root, "command", json_command(manifest->argv));
	json_object_object_add(root, "executable", json_text(manifest->executable));
	json_object_object_add(root, "cwd", json_text(getcwd(directory, sizeof(directory))));
	json_object_object_add(root, "uid", json_object_new_int64((int64_t)getuid()));
	json_object_object_add(root, "host", json_host(manifest->softgpu));
	json_object_object_add(root, "start_time", json_time(manifest->start_ns));
	json_object_object_add(root, "end_time", json_time(manifest->end_ns));
	json_object_object_add(root, "exit", exit_object);
	json_object_object_add(root, "lost", lost);
	json_object_object_add(root, "running", json_running(manifest));
	json_object_object_add(root, "recording", json_recording(bundle, manifest));
	json_object_object_add(root, "environment", json_environment());
	return root;
}

int bundle_write_manifest(const struct bundle *bundle, const struct bundle_manifest *manifest)
{
	static const char temporary[] = BUNDLE_MANIFEST ".new";
	struct json_object *root = json_manifest(bundle, manifest);
	int result = 0, fd;

	unlinkat(bundle->lock, temporary, 0);
	fd = openat(bundle->lock, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0) {
		result = -errno;
		goto out;
	}
	if (json_object_to_fd(fd, root,
			      JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				  JSON_C_TO_STRING_NOSLASHESCAPE) ||
	    write(fd, "\n", 1) != 1)
		result = errno ? -errno : -EIO;
	if (close(fd) && !result)
		result = -errno;
	if (!result && renameat(bundle->lock, temporary, bundle->lock, BUNDLE_MANIFEST))
		result = -errno;
	if (result)
		unlinkat(bundle->lock, temporary, 0);
out:
	json_object_put(root);
	return result;
}
