/* SPDX-License-Identifier: Apache-2.0 */
/* Fixes in SARIF: what a tool can apply (3.55). */
#include "sarif.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "json_values.h"

struct json_object *sarif_artifact(const char *root, const char *file)
{
	struct json_object *object = json_object_new_object();
	bool below = root && g_str_has_prefix(file, root);
	const char *path = below ? file + strlen(root) : file;
	char *uri = g_path_is_absolute(path)
			? g_filename_to_uri(path, NULL, NULL)
			: g_uri_escape_string(path, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH, FALSE);

	put(object, "uri", json_object_new_string(uri ? uri : ""));
	if (below)
		put(object, "uriBaseId", json_object_new_string("%SRCROOT%"));
	g_free(uri);
	return object;
}

static struct json_object *deleted_region(int64_t line, int64_t column)
{
	struct json_object *region = json_object_new_object();

	put(region, "startLine", json_object_new_int64(line));
	put(region, "startColumn", json_object_new_int64(column));
	put(region, "endLine", json_object_new_int64(line));
	put(region, "endColumn", json_object_new_int64(column));
	return region;
}

/* An insertion is the replacement of nothing (3.57): in the line, or at the beginning of the next.
 */
static struct json_object *replacement(struct json_object *edit)
{
	struct json_object *object = json_object_new_object();
	int64_t line = get_number(edit, "line"), column = get_number(edit, "column");
	char *whole = g_strconcat(get_text(edit, "insert_after"), column ? "" : "\n", NULL);

	put(object, "deletedRegion",
	    column ? deleted_region(line, column + 1) : deleted_region(line + 1, 1));
	put(object, "insertedContent", sarif_message(whole));
	g_free(whole);
	return object;
}

struct json_object *sarif_fixes(const char *root, struct json_object *finding)
{
	bool cause = get_member(finding, "cause_fix");
	struct json_object *edits = get_array(finding, cause ? "cause_edits" : "edits");
	struct json_object *changes, *fix, *fixes;

	if (!array_length(edits))
		return NULL;
	changes = json_object_new_array();
	for (size_t i = 0; i < array_length(edits); i++) {
		struct json_object *edit = json_object_array_get_idx(edits, i);
		struct json_object *change = json_object_new_object();
		struct json_object *replacements = json_object_new_array();

		json_object_array_add(replacements, replacement(edit));
		put(change, "artifactLocation", sarif_artifact(root, get_text(edit, "file")));
		put(change, "replacements", replacements);
		json_object_array_add(changes, change);
	}
	fix = json_object_new_object();
	put(fix, "description", sarif_message(get_text(finding, cause ? "cause_fix" : "fix")));
	put(fix, "artifactChanges", changes);
	fixes = json_object_new_array();
	json_object_array_add(fixes, fix);
	return fixes;
}
