/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recordings below a directory, or at a relay daemon. */
#include "recordings.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle_check.h"
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
