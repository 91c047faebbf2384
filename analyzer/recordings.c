/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recordings below a directory, or at a relay daemon. */
#include "recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bundle_check.h"
#include "completeness.h"
#include "tracer/bundle.h"

#define DEPTH_MAX 8

/* Returns a text of the manifest's "recording", or NULL. */
static char *recording_text(const char *bundle, const char *name)
{
	char *path = g_build_filename(bundle, BUNDLE_MANIFEST, NULL);
	char *text = NULL, *problem = NULL;
	struct json_object *manifest =
	    bundle_check(bundle, &problem) == 0 ? json_object_from_file(path) : NULL;
	struct json_object *recording = NULL, *value = NULL;

	if (manifest && json_object_object_get_ex(manifest, "recording", &recording) &&
	    json_object_object_get_ex(recording, name, &value) &&
	    json_object_is_type(value, json_type_string))
		text = g_strdup(json_object_get_string(value));
	json_object_put(manifest);
	free(problem);
	g_free(path);
	return text;
}

char *recording_url(const char *bundle)
{
	return recording_text(bundle, "url");
}

char *recording_session(const char *bundle)
{
	return recording_text(bundle, "session");
}

static bool has(const char *folder, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);
	struct stat status;
	bool there = lstat(path, &status) == 0;

	g_free(path);
	return there;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the paths of the directories in a directory, sorted. */
static GPtrArray *folders_in(const char *folder)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	GDir *directory = g_dir_open(folder, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(folder, name, NULL);

		if (is_folder(path))
			g_ptr_array_add(list, path);
		else
			g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	g_ptr_array_sort(list, compare_names);
	return list;
}

/* Returns true for "-20210317-101112", which the relay appends. */
static bool is_date(const char *text)
{
	return strlen(text) == 16 && text[0] == '-' && strspn(text + 1, "0123456789") == 8 &&
	       text[9] == '-' && strspn(text + 10, "0123456789") == 6;
}

static char *find_session(const char *folder, const char *session, unsigned depth)
{
	GPtrArray *folders = folders_in(folder);
	char *found = NULL;

	for (unsigned i = 0; i < folders->len && !found; i++) {
		const char *path = folders->pdata[i];
		const char *name = strrchr(path, '/') + 1;

		if (g_str_has_prefix(name, session) &&
		    (!name[strlen(session)] || is_date(name + strlen(session))))
			found = g_strdup(path);
		else if (depth < DEPTH_MAX)
			found = find_session(path, session, depth + 1);
	}
	g_ptr_array_free(folders, TRUE);
	return found;
}

char *recording_below_relay(const char *folder, const char *session)
{
	return find_session(folder, session, 0);
}

/* Returns true for a bundle, or LTTng's directory of a session, which has one a domain, and one of
 * archived chunks. */
static bool is_recording(const char *folder)
{
	static const char *const marks[] = { BUNDLE_MANIFEST, BUNDLE_CTF, "metadata",
					     "ust",           "kernel",   ROTATION_ARCHIVES };

	for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
		if (has(folder, marks[i]))
			return true;
	return false;
}

static bool is_older(const char *path)
{
	char *newer;
	bool older;

	if (!g_str_has_suffix(path, ".old"))
		return false;
	newer = g_strndup(path, strlen(path) - strlen(".old"));
	older = is_folder(newer);
	g_free(newer);
	return older;
}

static void add_recordings(GPtrArray *list, GPtrArray *closed, const char *folder, unsigned depth)
{
	GPtrArray *folders;

	/* The own check of a bundle that may be entered and not listed says so. */
	if (depth && access(folder, R_OK | X_OK) != 0 && errno == EACCES && !is_recording(folder)) {
		g_ptr_array_add(closed, g_strdup(folder));
		return;
	}

	if (is_recording(folder)) {
		g_ptr_array_add(list, g_strdup(folder));
		return;
	}
	if (depth == DEPTH_MAX)
		return;
	folders = folders_in(folder);
	for (unsigned i = 0; i < folders->len; i++)
		if (!is_older(folders->pdata[i]))
			add_recordings(list, closed, folders->pdata[i], depth + 1);
	g_ptr_array_free(folders, TRUE);
}

GPtrArray *recordings_below(const char *folder, GPtrArray *closed)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

	add_recordings(list, closed, folder, 0);
	return list;
}

static void free_here(gpointer data)
{
	struct recording_here *here = data;

	g_free(here->name);
	g_free(here->program);
	g_free(here);
}

/* Newest first; of the same time by name. */
static gint compare_here(gconstpointer a, gconstpointer b)
{
	const struct recording_here *first = *(struct recording_here *const *)a;
	const struct recording_here *second = *(struct recording_here *const *)b;

	if (first->start_ns != second->start_ns)
		return first->start_ns < second->start_ns ? 1 : -1;
	return strcmp(first->name, second->name);
}

/* Returns the recording in directory `name` by its manifest, or NULL if it has none. */
static struct recording_here *look_at(const char *name)
{
	char *path = g_build_filename(name, BUNDLE_MANIFEST, NULL), *problem = NULL;
	struct json_object *manifest = NULL, *value, *word;
	struct recording_here *here = NULL;

	if (bundle_check(name, &problem) == 0)
		manifest = json_object_from_file(path);
	if (manifest && json_object_is_type(manifest, json_type_object)) {
		time_t seconds;
		struct tm parts;

		here = g_new0(struct recording_here, 1);
		here->name = g_strdup(name);
		here->start_ns = recording_start(name);
		seconds = (time_t)(here->start_ns / 1000000000);
		if (!here->start_ns || !localtime_r(&seconds, &parts) ||
		    !strftime(here->start, sizeof(here->start), "%Y-%m-%d %H:%M:%S", &parts))
			*here->start = '\0';
		here->ended = json_object_object_get_ex(manifest, "complete", &value) &&
			      json_object_get_boolean(value);
		word = json_object_object_get_ex(manifest, "command", &value) &&
			       json_object_is_type(value, json_type_array)
			   ? json_object_array_get_idx(value, 0)
			   : NULL;
		if (json_object_is_type(word, json_type_string))
			here->program = g_path_get_basename(json_object_get_string(word));
	}
	json_object_put(manifest);
	free(problem);
	g_free(path);
	return here;
}

GPtrArray *recordings_here(void)
{
	GPtrArray *found = g_ptr_array_new_with_free_func(free_here), *folders = folders_in(".");

	for (guint i = 0; i < folders->len; i++) {
		const char *path = folders->pdata[i];
		struct recording_here *here = is_older(path) ? NULL : look_at(path + strlen("./"));

		if (here)
			g_ptr_array_add(found, here);
	}
	g_ptr_array_free(folders, TRUE);
	g_ptr_array_sort(found, compare_here);
	return found;
}

/* Returns what to write after "no such file or directory": the recordings that are here. */
static char *others_here(void)
{
	GPtrArray *here = recordings_here();
	GString *text = g_string_new(here->len ? "; recordings here: " : NULL);

	for (guint i = 0; i < here->len && i < 3; i++) {
		const struct recording_here *one = here->pdata[i];

		g_string_append_printf(text, "%s%s", i ? ", " : "", one->name);
	}
	if (here->len > 3)
		g_string_append_printf(text, " and %u more", here->len - 3);
	if (!here->len)
		g_string_append(text, "; 'hipgrain record -o DIR -- CMD' makes a recording");
	g_ptr_array_free(here, TRUE);
	return g_string_free(text, FALSE);
}

/* Returns true for a regular file of machine code. */
static bool is_program(const char *path)
{
	int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char magic[4] = "";
	bool is_elf = file >= 0 && read(file, magic, sizeof(magic)) == sizeof(magic) &&
		      !memcmp(magic, "\177ELF", 4);

	if (file >= 0)
		close(file);
	return is_elf;
}

char *recording_refusal(const char *path)
{
	char *folder = g_path_get_dirname(path), *others, *why;
	struct stat status;

	if (!*path) {
		why = g_strdup("the name is empty");
	} else if (stat(path, &status) < 0) {
		int error = errno;

		others = error == ENOENT ? others_here() : NULL;
		why = g_strconcat(strerror(error), others, NULL);
		g_free(others);
	} else if (strcmp(folder, ".") != 0 && has(folder, BUNDLE_MANIFEST)) {
		why = g_strdup_printf("is a part of the recording %s", folder);
	} else if (S_ISREG(status.st_mode) && is_program(path)) {
		why = g_strdup_printf("is a program: 'hipgrain run -- %s%s' records it",
				      strchr(path, '/') ? "" : "./", path);
	} else if (S_ISREG(status.st_mode) && g_str_has_suffix(path, ".json")) {
		why = g_strdup_printf("is a file, not a recording; 'hipgrain merge %s' prints a "
				      "JSON report",
				      path);
	} else if (!S_ISDIR(status.st_mode)) {
		why = g_strdup(
		    "is a file; a recording is a directory, such as 'hipgrain record -o DIR -- "
		    "CMD' makes");
	} else if (has(path, BUNDLE_MANIFEST)) {
		why = g_strdup("the recording has no events: its directory '" BUNDLE_CTF
			       "' is missing; copy the whole recording");
	} else {
		why = g_strdup(
		    "no recording is in this directory; 'hipgrain record -o DIR -- CMD' makes one");
	}
	g_free(folder);
	return why;
}
