/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of a recording in the text format of OpenMetrics 1.0, which Prometheus and the textfile
 * collector of node_exporter read: findings by rule, memory by kind, what moved, what was lost and
 * what recording costs. Families and labels are only ever added.
 */
#include "report.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/migration/migration.h"

struct metrics {
	FILE *stream;
	char *recording; /* the label of all samples, escaped */
};

/* Returns the text as a label's value, with what the format reserves escaped, and control
 * characters as blanks. */
static char *escaped(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);
	GString *value = g_string_new(NULL);

	for (const char *c = valid; *c; c++) {
		if (*c == '\\' || *c == '"')
			g_string_append_c(value, '\\');
		g_string_append_c(value, (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
	}
	g_free(valid);
	return g_string_free(value, FALSE);
}

/* Begins a family; `type` is gauge or counter. */
static void family(const struct metrics *metrics, const char *name, const char *type,
		   const char *unit, const char *help)
{
	fprintf(metrics->stream, "# TYPE hipgrain_%s %s\n", name, type);
	if (unit)
		fprintf(metrics->stream, "# UNIT hipgrain_%s %s\n", name, unit);
	fprintf(metrics->stream, "# HELP hipgrain_%s %s\n", name, help);
}

/* Writes a sample; `labels` begins with a comma, or is empty. */
static void sample(const struct metrics *metrics, const char *name, const char *labels,
		   uint64_t value)
{
	fprintf(metrics->stream, "hipgrain_%s{recording=\"%s\"%s} %" PRIu64 "\n", name,
		metrics->recording, labels, value);
}

static void seconds(const struct metrics *metrics, const char *name, uint64_t ns)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(text, sizeof(text), "%.9f", (double)ns / 1e9);
	fprintf(metrics->stream, "hipgrain_%s{recording=\"%s\"} %s\n", name, metrics->recording,
		text);
}

static void counter(const struct metrics *metrics, const char *name, const char *unit,
		    const char *help, uint64_t value)
{
	char *total = g_strconcat(name, "_total", NULL);

	family(metrics, name, "counter", unit, help);
	sample(metrics, total, "", value);
	g_free(total);
}

static void put_findings(const struct metrics *metrics, const struct analysis *analysis)
{
	unsigned counts[RULES][SEVERITY_ERROR + 1] = { { 0 } };

	for (guint i = 0; i < analysis->findings.list->len; i++) {
		const struct finding *finding = analysis->findings.list->pdata[i];

		counts[finding->rule - rules][finding_severity(finding)]++;
	}
	family(metrics, "findings", "gauge", NULL, "Findings by rule and severity.");
	for (unsigned rule = 0; rule < RULES; rule++) {
		for (int severity = 0; severity <= SEVERITY_ERROR; severity++) {
			char labels[96];

			if (!counts[rule][severity])
				continue;
			g_snprintf(labels, sizeof(labels), ",rule=\"%s\",severity=\"%s\"",
				   rules[rule].id, severity_name((enum severity)severity));
			sample(metrics, "findings", labels, counts[rule][severity]);
		}
	}
}

struct placed {
	const struct process *process;
	uint64_t bytes[GRAIN_COARSE + 1][LOCATION_MOVABLE + 1];
};

static gboolean add_allocation(gpointer key, gpointer value, gpointer data)
{
	struct allocation *allocation = value;
	struct placed *placed = data;
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	struct grain grain = place_grain_brief(placed->process, &place);

	(void)key;
	placed->bytes[grain.granularity][grain.location] += allocation->size;
	return FALSE;
}

static void put_memory(const struct metrics *metrics, const struct analysis *analysis)
{
	struct placed placed = { 0 };

	for (guint i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];

		placed.process = process;
		if (process->ended == HG_ENDED_NOT || process->ended == HG_ENDED_ITSELF)
			continue; /* its memory is gone with it */
		g_tree_foreach(process->space.layers[LAYER_HIP], add_allocation, &placed);
	}
	family(metrics, "memory_bytes", "gauge", "bytes",
	       "Memory from HIP that is allocated now, by kind.");
	for (int grain = 0; grain <= GRAIN_COARSE; grain++) {
		for (int location = 0; location <= LOCATION_MOVABLE; location++) {
			char labels[128];

			if (!placed.bytes[grain][location])
				continue;
			g_snprintf(labels, sizeof(labels), ",granularity=\"%s\",location=\"%s\"",
				   model_granularity_name((enum granularity)grain),
				   model_location_name((enum location)location));
			sample(metrics, "memory_bytes", labels, placed.bytes[grain][location]);
		}
	}
}

static void put_migration(const struct metrics *metrics, const struct analysis *analysis)
{
	const struct migration_result *result = migration_result(&analysis->findings);
	uint64_t to_gpu = 0, to_host = 0;

	for (guint i = 0; i < result->rows->len; i++) {
		const struct migration_row *row = result->rows->pdata[i];

		to_gpu += migration_total(row->to_device);
		to_host += migration_total(row->to_host);
	}
	family(metrics, "migrated_bytes", "counter", "bytes",
	       "Bytes of pages that moved, by where they went.");
	sample(metrics, "migrated_bytes_total", ",to=\"gpu\"", to_gpu);
	sample(metrics, "migrated_bytes_total", ",to=\"host\"", to_host);
}

static void put_work(const struct metrics *metrics, const struct analysis *analysis)
{
	uint64_t launches = 0, copies = 0, allocations = 0;

	for (guint i = 0; i < analysis->replay.processes->len; i++) {
		const struct process *process = analysis->replay.processes->pdata[i];

		launches += process->launches;
		copies += process->copies;
		allocations += process->allocations;
	}
	family(metrics, "processes", "gauge", NULL, "Processes that are in the recording.");
	sample(metrics, "processes", "", analysis->replay.processes->len);
	counter(metrics, "launches", NULL, "Kernel launches.", launches);
	counter(metrics, "copies", NULL, "Copies by HIP.", copies);
	counter(metrics, "allocations", NULL, "Allocations that were recorded.", allocations);
}

static void put_recording(const struct metrics *metrics, const struct analysis *analysis)
{
	const struct recording_cost *cost = &analysis->cost;
	char *labels =
	    g_strdup_printf(",status=\"%s\"", recording_status_name(analysis->recording.status));

	family(metrics, "recording_running", "gauge", NULL,
	       "1 while the recording goes on, else 0.");
	sample(metrics, "recording_running", "", !analysis->facts.ended);
	family(metrics, "recording_status", "gauge", NULL,
	       "1 for the status that the recording has.");
	sample(metrics, "recording_status", labels, 1);
	counter(metrics, "events", NULL, "Events that were recorded.", analysis->stats.events);
	counter(metrics, "lost_events", NULL, "Events that are missing, at least.",
		analysis->recording.missing);
	family(metrics, "recording_bytes", "gauge", "bytes", "Size of the trace on the disk.");
	sample(metrics, "recording_bytes", "", cost->bytes);
	family(metrics, "recorder_cpu_seconds", "counter", "seconds",
	       "Processor time of recording, estimated by processes that reported it.");
	seconds(metrics, "recorder_cpu_seconds_total", cost->spent);
	family(metrics, "program_cpu_seconds", "counter", "seconds",
	       "Processor time of these processes, recording included.");
	seconds(metrics, "program_cpu_seconds_total", cost->used);
	family(metrics, "report_timestamp_seconds", "gauge", "seconds",
	       "When these numbers were taken.");
	sample(metrics, "report_timestamp_seconds", "", (uint64_t)time(NULL));
	g_free(labels);
}

int report_openmetrics(const struct analysis *analysis, unsigned style, FILE *stream)
{
	char *name = g_path_get_basename(analysis->bundle ? analysis->bundle : "");
	struct metrics metrics = { stream, escaped(name) };

	(void)style;
	put_recording(&metrics, analysis);
	put_work(&metrics, analysis);
	put_findings(&metrics, analysis);
	put_memory(&metrics, analysis);
	put_migration(&metrics, analysis);
	fputs("# EOF\n", stream);
	g_free(metrics.recording);
	g_free(name);
	return 0;
}
