/* SPDX-License-Identifier: Apache-2.0 */
/* The verb import: a capture of HIP's runtime becomes a trace bundle. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glib.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/import/hrr.h"
#include "config.h"
#include "tracer/bundle.h"
#include "tracer/event_layout.h"
#include "tracer/message.h"
#include "tracer/record.h"
#include "tracer/ring.h"
#include "tracer/rings.h"
#include "tracer/tree.h"

const char usage_import[] =
    "Usage: hipgrain import [OPTION]... CAPTURE\n"
    "Make a trace bundle of a capture of HIP's own (HIP_HRR_CAPTURE_OUTPUT), for hipgrain report.\n"
    "\n"
    "  -o, --output DIR          the bundle (default " RECORD_DEFAULT_DIRECTORY
    "); an older one is renamed to DIR.old\n"
    "  -h, --help                print this help\n";

/* ---- the manifest ---- */

static struct json_object *imported(const GPtrArray *processes, const GArray *left_out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	unsigned version = 0;

	for (guint i = 0; i < processes->len; i++) {
		const struct hrr_process *process = processes->pdata[i];

		version = MAX(version, process->events.version);
	}
	json_object_object_add(object, "format", json_object_new_string("hrr"));
	json_object_object_add(object, "version", json_object_new_int((int)version));
	for (guint i = 0; i < left_out->len; i++) {
		const struct hrr_left_out *row = &g_array_index(left_out, struct hrr_left_out, i);
		struct json_object *entry = json_object_new_object();

		json_object_object_add(entry, "function", json_object_new_string(row->name));
		json_object_object_add(entry, "calls", json_object_new_int64((int64_t)row->calls));
		json_object_array_add(list, entry);
	}
	json_object_object_add(object, "left_out", list);
	return object;
}

/* Writes by renaming, so that there is always a whole manifest. Returns 0 or -errno. */
static int write_manifest(const struct bundle *bundle, const GPtrArray *processes,
			  const GArray *left_out, bool complete)
{
	static const char new_name[] = BUNDLE_MANIFEST ".new";
	struct json_object *root = json_object_new_object();
	int file = openat(bundle->lock, new_name,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int result = file < 0 ? -errno : 0;

	json_object_object_add(root, "schema", json_object_new_string(BUNDLE_MANIFEST_SCHEMA));
	json_object_object_add(root, "version", json_object_new_string(HIPGRAIN_VERSION));
	json_object_object_add(root, "complete", json_object_new_boolean(complete));
	json_object_object_add(root, "command", json_object_new_array());
	json_object_object_add(root, "imported", imported(processes, left_out));
	if (!result &&
	    json_object_to_fd(file, root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED))
		result = -EIO;
	if (file >= 0 && close(file) && !result)
		result = -errno;
	if (!result && renameat(bundle->lock, new_name, bundle->lock, BUNDLE_MANIFEST))
		result = -errno;
	json_object_put(root);
	return result;
}

/* ---- the bundle ---- */

static int write_records(const struct bundle *bundle, const GPtrArray *processes, GArray *left_out,
			 bool *complete)
{
	int result = event_layout_make(bundle->lock), rings, code;

	if (!result)
		result = rings_make(bundle->lock, false);
	rings = openat(bundle->lock, HG_RINGS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	code = openat(bundle->lock, BUNDLE_CODE_OBJECTS,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!result && (rings < 0 || code < 0))
		result = -errno;
	*complete = true;
	for (guint i = 0; i < processes->len && !result; i++) {
		const struct hrr_process *process = processes->pdata[i];

		*complete = *complete && process->events.ended;
		result = hrr_translate(process, rings, code, left_out);
	}
	if (rings >= 0)
		close(rings);
	if (code >= 0)
		close(code);
	return result;
}

static void remove_bundle(const struct bundle *bundle)
{
	char name[NAME_MAX + 1];
	int parent = tree_open_parent(bundle->path, name, sizeof(name));

	if (parent >= 0) {
		tree_remove(parent, name);
		close(parent);
	}
}

static int write_bundle(const char *output, const GPtrArray *processes)
{
	GArray *left_out = g_array_new(FALSE, FALSE, sizeof(struct hrr_left_out));
	struct bundle bundle;
	bool complete = false;
	char why[512];
	int result = bundle_create(&bundle, output, why, sizeof(why));

	if (result) {
		message_error("%s: %s", output, why);
	} else {
		result = write_manifest(&bundle, processes, left_out, false);
		if (!result)
			result = write_records(&bundle, processes, left_out, &complete);
		if (!result)
			result = write_manifest(&bundle, processes, left_out, complete);
		if (result) {
			message_error("%s: cannot write the bundle: %s", output, strerror(-result));
			remove_bundle(&bundle);
		}
		bundle_close(&bundle);
	}
	g_array_unref(left_out);
	return result;
}

/* ---- the capture ---- */

static int check(const char *path, const GPtrArray *processes)
{
	char *why = NULL;
	int result = 0;

	for (guint i = 0; i < processes->len && !result; i++) {
		const struct hrr_process *process = processes->pdata[i];

		result = hrr_check(process, &why);
	}
	if (result)
		message_error("%s: %s", path, why);
	g_free(why);
	return result;
}

static void warn_of_ends(const char *path, const GPtrArray *processes)
{
	for (guint i = 0; i < processes->len; i++) {
		const struct hrr_process *process = processes->pdata[i];
		const struct hrr_events *events = &process->events;

		if (!events->ended && events->left) {
			message_warning(
			    "%s: %sevents.bin: record %u is cut off: its %" G_GUINT64_FORMAT
			    " bytes are left out",
			    path, process->name, events->records->len + 1, events->left);
		} else if (!events->ended) {
			message_warning(
			    "%s: %sevents.bin ends after record %u without the capture's end", path,
			    process->name, events->records->len);
		}
	}
}

static int import(const char *path, const char *output)
{
	char *why = NULL;
	GPtrArray *processes = hrr_processes(path, &why);
	int result = HG_EXIT_INPUT;

	if (!processes) {
		message_error("%s: %s", path, why);
	} else if (check(path, processes) == 0 && write_bundle(output, processes) == 0) {
		warn_of_ends(path, processes);
		result = HG_EXIT_OK;
	}
	if (processes)
		g_ptr_array_unref(processes);
	g_free(why);
	return result;
}

int cmd_import(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *output = RECORD_DEFAULT_DIRECTORY;
	int code;

	while ((code = next_option(argc, argv, "o:h", long_options)) != -1) {
		switch (code) {
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(usage_import, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (optind + 1 != argc) {
		message_error("%s (try 'hipgrain import --help')",
			      optind == argc ? "no capture given" : "more than one capture given");
		return HG_EXIT_USAGE;
	}
	return import(argv[optind], output);
}
