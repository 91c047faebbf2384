/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to tracks: each stream has the launches, copies and fills that went into it as instants,
 * for when a GPU runs them is recorded with --gpu-time alone: then each queue has a track; each
 * thread has the calls that have a duration; each process counters of the memory from HIP that is
 * allocated, by granularity, and a track of its findings, from which a flow leads to the place in
 * the stream where each occurred first.
 */
#include "analyzer/cmds/export_perfetto.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/analyze.h"
#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/read_recording.h"
#include "analyzer/isa/disasm.h"
#include "analyzer/perfetto/trace_writer.h"
#include "analyzer/replay/stream_names.h"
#include "analyzer/replay/thread_names.h"
#include "analyzer/rules/engine/rule_api.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_gpu_time.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_sync.h"
#include "tracer/message.h"

struct process_tracks {
	uint64_t process, findings;
	uint64_t memory[GRAIN_COARSE + 1]; /* counters; 0: not made yet */
	int64_t bytes[GRAIN_COARSE + 1];
	GHashTable *live; /* address -> struct block */
};

struct block {
	enum granularity granularity;
	int64_t size;
};

#define THREAD_ROW   INT32_MIN /* in place of a device */
#define MEASURED_ROW (INT32_MIN + 1)

/* A stream of a device, or a thread. */
struct row {
	const struct process *process;
	uint64_t stream; /* or thread */
	unsigned number; /* of the streams that had this handle */
	int32_t device;
	uint64_t track; /* 0: not made yet; no part of the key */
};

struct perfetto_export {
	struct analysis analysis;
	struct analysis_run *run;
	struct perfetto *trace;
	GHashTable *processes; /* struct process -> struct process_tracks */
	GHashTable *rows;      /* struct row */
	GHashTable *kernels;   /* symbol -> its name for people */
	GHashTable *places;    /* struct finding -> track of the event that it appeared at */
	guint looked;          /* findings that are in `places`, or appeared at none */
	uint64_t events, flows;
};

static void free_tracks(void *data)
{
	struct process_tracks *tracks = data;

	g_hash_table_destroy(tracks->live);
	g_free(tracks);
}

static struct process_tracks *tracks_of(struct perfetto_export *export,
					const struct process *process)
{
	struct process_tracks *tracks = g_hash_table_lookup(export->processes, process);
	char *name;

	if (tracks)
		return tracks;
	name = process->exe ? g_path_get_basename(process->exe) : g_strdup("");
	tracks = g_new0(struct process_tracks, 1);
	tracks->live = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	tracks->process = perfetto_process(export->trace, process->pid, name,
					   process->cmdline ? process->cmdline : "");
	tracks->findings = perfetto_track(export->trace, tracks->process, "findings");
	g_hash_table_insert(export->processes, (gpointer)process, tracks);
	g_free(name);
	return tracks;
}

static guint hash_row(gconstpointer data)
{
	const struct row *row = data;
	uint64_t bits = (uint64_t)(uintptr_t)row->process ^ row->stream ^
			(uint64_t)(unsigned)row->number << 40 ^
			(uint64_t)(unsigned)row->device << 20;

	return (guint)(bits ^ bits >> 32);
}

static gboolean are_rows_equal(gconstpointer a, gconstpointer b)
{
	const struct row *one = a, *other = b;

	return one->process == other->process && one->stream == other->stream &&
	       one->number == other->number && one->device == other->device;
}

/* Returns what is known of the row, or adds it without a track. */
static struct row *row_of(struct perfetto_export *export, const struct row *key)
{
	struct row *row = g_hash_table_lookup(export->rows, key);

	if (!row) {
		row = g_memdup2(key, sizeof(*key));
		g_hash_table_add(export->rows, row);
	}
	return row;
}

static uint64_t stream_row(struct perfetto_export *export, const struct process *process,
			   int32_t device, uint64_t stream)
{
	const unsigned number = stream_number(process, stream);
	struct row *row = row_of(export, &(struct row){ process, stream, number, device, 0 });

	if (!row->track) {
		char *name = stream_name(process, stream, number);
		char *title = g_strdup_printf("GPU %d, %s", device, name);

		row->track =
		    perfetto_track(export->trace, tracks_of(export, process)->process, title);
		g_free(title);
		g_free(name);
	}
	return row->track;
}

static uint64_t thread_row(struct perfetto_export *export, const struct process *process,
			   int32_t tid)
{
	struct row *row = row_of(export, &(struct row){ process, (uint64_t)tid, 0, THREAD_ROW, 0 });

	if (!row->track) {
		row->track = perfetto_thread(export->trace, tracks_of(export, process)->process,
					     process->pid, tid, thread_label(process, tid));
	}
	return row->track;
}

static const char *kernel_name(struct perfetto_export *export, const struct process *process,
			       uint32_t id)
{
	const struct kernel_ref *kernel = process_kernel(process, id);
	char *name;

	if (!kernel)
		return "a kernel";
	name = g_hash_table_lookup(export->kernels, kernel->symbol);
	if (!name) {
		char *demangled = isa_demangle(kernel->symbol);

		name = g_strdup(demangled ? demangled : kernel->symbol);
		free(demangled);
		g_hash_table_insert(export->kernels, g_strdup(kernel->symbol), name);
	}
	return name;
}

/* ---- events ---- */

static void put_launch(struct perfetto_export *export, const struct process *process,
		       const struct hg_event *event)
{
	const struct hg_ev_launch *launch = event->launch;
	struct perfetto_note note = { "work-items",
				      (uint64_t)launch->grid_x * launch->grid_y * launch->grid_z *
					  launch->block_x * launch->block_y * launch->block_z,
				      NULL };

	perfetto_instant(export->trace, stream_row(export, process, launch->device, launch->stream),
			 event->ns, kernel_name(export, process, launch->kernel_id), &note, 0,
			 false);
}

/* A call of the host's that ended at the event; `bytes` 0: none are known. */
static void put_call(struct perfetto_export *export, const struct process *process,
		     const struct hg_event *event, uint16_t api, uint64_t duration, uint64_t bytes)
{
	struct perfetto_note note = { bytes ? "bytes" : NULL, bytes, NULL };
	int64_t from = duration < (uint64_t)event->ns ? event->ns - (int64_t)duration : event->ns;

	perfetto_slice(export->trace, thread_row(export, process, event->tid), from, event->ns,
		       hg_api_name(api), &note);
}

static void put_work(struct perfetto_export *export, const struct process *process,
		     const struct hg_event *event, uint16_t api, int32_t device, uint64_t stream,
		     uint64_t bytes)
{
	struct perfetto_note note = { bytes ? "bytes" : NULL, bytes, NULL };

	perfetto_instant(export->trace, stream_row(export, process, device, stream), event->ns,
			 hg_api_name(api), &note, 0, false);
}

static void count_memory(struct perfetto_export *export, const struct process *process,
			 enum granularity granularity, int64_t ns, int64_t change)
{
	struct process_tracks *tracks = tracks_of(export, process);
	uint64_t *track = &tracks->memory[granularity];

	if (!*track) {
		char *name =
		    g_strdup_printf("memory from HIP, %s", model_granularity_name(granularity));

		*track = perfetto_bytes(export->trace, tracks->process, name);
		g_free(name);
	}
	tracks->bytes[granularity] += change;
	perfetto_count(export->trace, *track, ns, tracks->bytes[granularity]);
}

static void drop_block(struct perfetto_export *export, const struct process *process, uint64_t ptr,
		       int64_t ns)
{
	struct process_tracks *tracks = tracks_of(export, process);
	struct block *block = g_hash_table_lookup(tracks->live, &ptr);

	if (block) {
		count_memory(export, process, block->granularity, ns, -block->size);
		g_hash_table_remove(tracks->live, &ptr);
	}
}

static void put_alloc(struct perfetto_export *export, const struct process *process,
		      const struct hg_event *event)
{
	const struct hg_ev_alloc *alloc = event->alloc;
	struct model_environment environment = process_environment(process);
	struct block *block;

	if (layer_of_api(alloc->api) != LAYER_HIP)
		return;
	drop_block(export, process, alloc->ptr, event->ns);
	block = g_new(struct block, 1);
	*block = (struct block){ model_memory(alloc->api, alloc->flags, &environment).granularity,
				 (int64_t)alloc->size };
	g_hash_table_insert(tracks_of(export, process)->live,
			    g_memdup2(&alloc->ptr, sizeof(alloc->ptr)), block);
	count_memory(export, process, block->granularity, event->ns, block->size);
}

/* The GPU's own times are on rows of their own, one for each queue. */
static void put_gpu_time(struct perfetto_export *export, const struct process *process,
			 const struct hg_event *event)
{
	const struct hg_ev_gpu_time *time = event->gpu_time;
	struct perfetto_note note = { time->size ? "bytes" : NULL, time->size, NULL };
	int64_t from = event->ns - (int64_t)MIN(time->began, (uint64_t)MAX(event->ns, 0));
	struct lane lane = { .kind = SPAN_GPU, .device = time->device, .stream = time->queue };
	struct row *row = row_of(export, &(struct row){ process, time->queue, 0, MEASURED_ROW, 0 });

	if (time->kind == HG_GPU_TIME_NONE)
		return;
	if (!row->track) {
		char *name = lane_name(&lane);

		row->track =
		    perfetto_track(export->trace, tracks_of(export, process)->process, name);
		g_free(name);
	}
	perfetto_slice(export->trace, row->track, from,
		       from + (int64_t)MIN(time->duration, (uint64_t)(INT64_MAX - from)),
		       time->kernel_id ? kernel_name(export, process, time->kernel_id)
				       : "copy or fill",
		       &note);
}

/* Writes the event. Returns the track that it is on, or 0. */
static uint64_t put_event(struct perfetto_export *export, const struct process *process,
			  const struct hg_event *event)
{
	const struct hg_ev_copy *copy = event->copy;
	const struct hg_ev_fill *fill = event->fill;

	switch (event->type) {
	case HG_EVENT_launch:
		put_launch(export, process, event);
		return stream_row(export, process, event->launch->device, event->launch->stream);
	case HG_EVENT_copy:
		put_work(export, process, event, copy->api, copy->device, copy->stream,
			 copy->size * copy->rows * copy->depth);
		put_call(export, process, event, copy->api, copy->duration,
			 copy->size * copy->rows * copy->depth);
		return stream_row(export, process, copy->device, copy->stream);
	case HG_EVENT_fill:
		put_work(export, process, event, fill->api, fill->device, fill->stream,
			 fill->size * fill->rows * fill->depth);
		put_call(export, process, event, fill->api, fill->duration,
			 fill->size * fill->rows * fill->depth);
		return stream_row(export, process, fill->device, fill->stream);
	case HG_EVENT_prefetch:
		put_call(export, process, event, event->prefetch->api, event->prefetch->duration,
			 event->prefetch->size);
		break;
	case HG_EVENT_sync:
		put_call(export, process, event, event->sync->api, event->sync->duration, 0);
		break;
	case HG_EVENT_alloc:
		put_alloc(export, process, event);
		break;
	case HG_EVENT_gpu_time:
		put_gpu_time(export, process, event);
		return 0;
	case HG_EVENT_free:
		drop_block(export, process, event->free->ptr, event->ns);
		return 0;
	default:
		return 0;
	}
	return thread_row(export, process, event->tid);
}

/* Notes the track of findings that the event made. */
static void look(struct perfetto_export *export, uint64_t row)
{
	const GPtrArray *list = export->analysis.findings.list;

	for (; export->looked < list->len; export->looked++)
		if (row)
			g_hash_table_insert(export->places, list->pdata[export->looked],
					    g_memdup2(&row, sizeof(row)));
}

static int take_event(const struct hg_event *event, void *data)
{
	struct perfetto_export *export = data;
	const struct process *process;
	int result = analysis_event(event, export->run);
	uint64_t row;

	process = replay_process(&export->analysis.replay, event->pid);
	if (!process || process->foreign)
		return result;
	export->events++;
	row = put_event(export, process, event);
	look(export, row);
	return result;
}

/* ---- findings ---- */

static void put_finding(struct perfetto_export *export, const struct finding *finding)
{
	const struct process_tracks *tracks = tracks_of(export, finding->process);
	const uint64_t *row = g_hash_table_lookup(export->places, finding);
	uint64_t flow = ++export->flows;
	struct perfetto_note message = { "message", 0, finding->message ? finding->message : "" };
	char *place = finding->sites->len
			  ? stack_place(export->analysis.symbolizer, finding->process,
					g_array_index(finding->sites, struct site, 0).stack_id)
			  : g_strdup("");
	struct perfetto_note where = { "where", 0, place };
	char *name = g_strdup_printf("%s %s", finding->rule->id, finding->rule->title);

	perfetto_instant(export->trace, tracks->findings, finding->first_ns, name, &message,
			 row ? flow : 0, false);
	if (row)
		perfetto_instant(export->trace, *row, finding->first_ns, finding->rule->id, &where,
				 flow, true);
	g_free(name);
	g_free(place);
}

/* Reads, analyses and writes. Returns an exit status, after a message if it is not HG_EXIT_OK. */
static int fill(FILE *stream, const char *file, const char *path)
{
	struct perfetto_export export = {
		.trace = perfetto_begin(stream),
		.processes = g_hash_table_new_full(NULL, NULL, NULL, free_tracks),
		.rows = g_hash_table_new_full(hash_row, are_rows_equal, g_free, NULL),
		.kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.places = g_hash_table_new_full(NULL, NULL, NULL, g_free),
	};
	int status;

	export.run = analysis_begin(&export.analysis, path, false);
	status = read_recording(path, take_event, &export, &export.analysis.stats);
	if (status == HG_EXIT_OK) {
		const GPtrArray *findings = export.analysis.findings.list;

		analysis_end(export.run);
		for (guint i = 0; i < findings->len; i++)
			put_finding(&export, findings->pdata[i]);
		message_note("%s: %" PRIu64 " events, %u finding%s", file, export.events,
			     findings->len, findings->len == 1 ? "" : "s");
	} else {
		analysis_drop(export.run);
	}
	g_hash_table_destroy(export.processes);
	g_hash_table_destroy(export.rows);
	g_hash_table_destroy(export.kernels);
	g_hash_table_destroy(export.places);
	perfetto_end(export.trace);
	analysis_clear(&export.analysis);
	return status;
}

int export_perfetto(const char *file, const char *path)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666), status;
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (!stream) {
		message_error("%s: cannot be made: %s%s", file, strerror(errno),
			      errno == EEXIST ? "; choose a new name" : "");
		if (fd >= 0)
			close(fd);
		return HG_EXIT_INPUT;
	}
	status = fill(stream, file, path);
	if ((ferror(stream) | fclose(stream)) && status == HG_EXIT_OK) {
		message_error("%s: cannot be written: %s", file, strerror(errno ? errno : EIO));
		status = HG_EXIT_INPUT;
	}
	if (status != HG_EXIT_OK)
		unlink(file);
	return status;
}
