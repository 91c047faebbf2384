/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb export: a trace in which each recorded event is one ordinary event with typed fields,
 * for tools that know nothing of records (tracer/event_record.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/export_perfetto.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/read_recording.h"
#include "analyzer/ctf/ctf_writer.h"
#include "analyzer/reader/reader.h"
#include "tracer/message.h"
#include "tracer/tree.h"

const char usage_export[] =
    "Usage: hipgrain export --ctf DIR TRACE\n"
    "       hipgrain export --perfetto FILE TRACE\n"
    "Write a recording as a trace of the Common Trace Format (CTF 1.8) with one ordinary event\n"
    "for each record, for babeltrace2, Trace Compass and scripts; or as a trace for Perfetto\n"
    "(ui.perfetto.dev), with its findings.\n"
    "\n"
    "      --ctf DIR             the directory of the new trace, which must not exist\n"
    "      --perfetto FILE       the new file, which must not exist\n"
    "  -h, --help                print this help\n";

/* Streams of one process: what lies before the last event of one goes to the next. */
#define PARTS_MAX 64u

struct stream {
	int32_t pid;
	unsigned parts;
	struct ctf_writer *writers[PARTS_MAX];
	int64_t last[PARTS_MAX]; /* ns */
};

struct ctf_export {
	struct ctf_trace trace;
	GHashTable *streams; /* by process */
	GPtrArray *order;    /* of the same, as they came */
	uint64_t written, unknown, open_calls, disordered;
};

static struct stream *stream_of(struct ctf_export *export, int32_t pid)
{
	struct stream *stream = g_hash_table_lookup(export->streams, GINT_TO_POINTER(pid));

	if (!stream) {
		stream = g_new0(struct stream, 1);
		stream->pid = pid;
		g_hash_table_insert(export->streams, GINT_TO_POINTER(pid), stream);
		g_ptr_array_add(export->order, stream);
	}
	return stream;
}

/* Returns the part of the stream that ends before `ns`, a new one if need be; NULL if there are
 * too many. */
static struct ctf_writer *part_for(const struct ctf_export *export, struct stream *stream,
				   int64_t ns)
{
	unsigned part = 0;

	while (part < stream->parts && stream->last[part] > ns)
		part++;
	if (part == PARTS_MAX)
		return NULL;
	if (part == stream->parts) {
		stream->writers[part] = ctf_writer_open(&export->trace, stream->pid, part);
		stream->parts++;
	}
	stream->last[part] = ns;
	return stream->writers[part];
}

static int take_event(const struct hg_event *event, void *data)
{
	struct ctf_export *export = data;
	struct ctf_writer *writer;

	if (event->type == HG_EVENT_OPEN_CALL) {
		export->open_calls++;
		return 0;
	}
	if (event->type >= HG_EVENT_TYPES) {
		export->unknown++;
		return 0;
	}
	writer = part_for(export, stream_of(export, event->pid), event->ns);
	if (!writer) {
		export->disordered++;
		return 0;
	}
	ctf_writer_event(writer, event);
	export->written++;
	return 0;
}

/* Returns how many events of a process were counted and are not there. */
static uint64_t missing_of(const struct reader_stats *stats, int32_t pid)
{
	const struct counts_process *process =
	    stats->counts ? counts_find(stats->counts, pid) : NULL;

	return process ? counts_compare(process, true).total : 0;
}

/* Returns 0, or -errno of the first write that failed. */
static int close_streams(const struct ctf_export *export, const struct reader_stats *stats)
{
	int result = 0;

	for (guint i = 0; i < export->order->len; i++) {
		struct stream *stream = export->order->pdata[i];
		uint64_t missing = stats ? missing_of(stats, stream->pid) : 0;

		for (unsigned part = 0; part < stream->parts; part++) {
			int closed = ctf_writer_close(stream->writers[part], part ? 0 : missing);

			result = result ? result : closed;
		}
	}
	return result;
}

static void say_left_out(const char *path, const struct ctf_export *export)
{
	if (export->unknown)
		message_warning("%s: %" PRIu64 " events of types that this version does not know "
				"are left out",
				path, export->unknown);
	if (export->disordered)
		message_warning("%s: %" PRIu64 " events that come too late are left out", path,
				export->disordered);
	if (export->open_calls)
		message_warning("%s: %" PRIu64 " calls that did not return are left out ('hipgrain "
				"events' prints them)",
				path, export->open_calls);
}

/* Fills the new directory. Returns an exit status, and writes the message that belongs to it. */
static int fill(int folder, const char *directory, const char *path)
{
	struct ctf_export export = { .streams = g_hash_table_new_full(NULL, NULL, NULL, g_free),
				     .order = g_ptr_array_new() };
	struct reader_stats stats = { 0 };
	int status, written;

	ctf_trace_begin(&export.trace, folder);
	status = read_recording(path, take_event, &export, &stats);
	written = close_streams(&export, status ? NULL : &stats);
	/* It comes last: without it nobody takes the directory for a trace. */
	if (!status && !written)
		written = ctf_write_metadata(&export.trace);
	if (!status && written) {
		message_error("%s: cannot be written: %s", directory, strerror(-written));
		status = HG_EXIT_INPUT;
	}
	if (!status) {
		say_left_out(path, &export);
		message_note("%s: %" PRIu64 " events of %u %s", directory, export.written,
			     export.order->len, export.order->len == 1 ? "process" : "processes");
	}
	reader_stats_clear(&stats);
	g_ptr_array_unref(export.order);
	g_hash_table_unref(export.streams);
	return status;
}

/* Makes the directory, which is removed again if it cannot be filled. */
static int export_trace(const char *directory, const char *path)
{
	char name[NAME_MAX + 1];
	int parent = tree_open_parent(directory, name, sizeof(name)), folder, status;

	if (parent < 0) {
		message_error("%s: cannot be made: %s", directory, strerror(-parent));
		return HG_EXIT_INPUT;
	}
	folder = mkdirat(parent, name, 0700) ? -errno : tree_open(parent, name);
	if (folder < 0) {
		message_error("%s: cannot be made: %s%s", directory, strerror(-folder),
			      folder == -EEXIST ? "; choose a new name" : "");
		close(parent);
		return HG_EXIT_INPUT;
	}
	status = fill(folder, directory, path);
	close(folder);
	if (status)
		tree_remove(parent, name);
	close(parent);
	return status;
}

int cmd_export(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "ctf", required_argument, NULL, 'c' },
		{ "perfetto", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *directory = NULL, *file = NULL;
	int code;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		switch (code) {
		case 'c':
			directory = optarg;
			break;
		case 'p':
			file = optarg;
			break;
		case 'h':
			fputs(usage_export, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (!directory == !file) {
		message_error(
		    "either --ctf DIR or --perfetto FILE is required (try 'hipgrain export "
		    "--help')");
		return HG_EXIT_USAGE;
	}
	if (argc - optind != 1) {
		message_error("exactly one recording is required (try 'hipgrain export --help')");
		return HG_EXIT_USAGE;
	}
	return file ? export_perfetto(file, argv[optind]) : export_trace(directory, argv[optind]);
}
