/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a probe to the user's state directory. */
#include "keep_probe.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "tracer/machine.h"

char *probe_keep(const struct probe *probe, bool softgpu, char **why)
{
	char *directory = machine_probe_directory(), *path, key[MACHINE_KEY_SIZE];
	struct json_object *root;
	GError *error = NULL;
	const char *text;

	if (!directory) {
		*why = g_strdup("neither XDG_STATE_HOME nor HOME is an absolute path");
		return NULL;
	}
	machine_key(softgpu, key);
	path = g_strdup_printf("%s/%s-%d.json", directory, key, probe->runtime_version);
	root = probe_to_json(probe);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_NOSLASHESCAPE);
	if (g_mkdir_with_parents(directory, 0700) != 0) {
		*why = g_strdup_printf("%s: %s", directory, strerror(errno));
		g_clear_pointer(&path, g_free);
	} else if (!g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
					     &error)) {
		*why = g_strdup(error->message);
		g_error_free(error);
		g_clear_pointer(&path, g_free);
	}
	json_object_put(root);
	free(directory);
	return path;
}
