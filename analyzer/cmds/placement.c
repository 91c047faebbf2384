/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain placement: where memory was, by the place of its allocation. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output.h"
#include "analyzer/analyze.h"
#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/progress.h"
#include "analyzer/report/csv_field.h"
#include "analyzer/report/report.h"
#include "analyzer/rules/engine/finding_ranges.h"
#include "analyzer/recordings.h"
#include "tracer/message.h"

const char usage_placement[] =
    "Usage: hipgrain placement [OPTION]... BUNDLE\n"
    "Report the memory that a recorded program used: kind, place of allocation, high-water mark,\n"
    "how much of it was passed to kernels, and what was never freed.\n"
    "\n"
    "      --format FORMAT       text (default), csv, folded (for flame graphs), ranges\n"
    "                            (folded, below the ranges of the program) or residency\n"
    "                            (CSV: location over time)\n"
    "      --range PATTERN       only memory that was allocated in ranges of the program whose\n"
    "                            name or path matches the pattern of the shell\n"
    "      --all                 all call sites, not only the largest ones\n"
    "  -o, --output FILE         write to FILE instead of standard output\n"
    "  -h, --help                print this help\n";

#define SITES_SHOWN 20

enum { PLACEMENT_OPTION_FORMAT = 256, PLACEMENT_OPTION_ALL, PLACEMENT_OPTION_RANGE };

struct printer {
	const struct analysis *analysis;
	FILE *stream;
	const char *range; /* the pattern of --range, or NULL */
	unsigned limit;    /* sites of a process in the text format */
};

/* Returns a text such as "1.50 MiB". */
static char *bytes_text(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1024 && unit + 1 < G_N_ELEMENTS(units)) {
		value /= 1024;
		unit++;
	}
	return g_strdup_printf(unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
}

static char *kind_text(const struct memory_site *site)
{
	if (site->granularity == GRAIN_UNKNOWN && site->location == LOCATION_UNKNOWN)
		return g_strdup("unknown");
	if (site->granularity == GRAIN_INACCESSIBLE) {
		return g_strdup_printf("%s, inaccessible to the GPU",
				       model_location_name(site->location));
	}
	return g_strdup_printf("%s, %s", model_granularity_name(site->granularity),
			       model_location_name(site->location));
}

static char *place_of(const struct printer *printer, const struct memory_site *site)
{
	return stack_place(printer->analysis->symbolizer, site->process, site->stack_id);
}

static void text_site(const struct printer *printer, const struct memory_site *site)
{
	char *peak = bytes_text(site->peak_bytes);
	char *total = bytes_text(site->bytes);
	char *left = bytes_text(site->live_bytes);
	char *kind = kind_text(site);
	char *place = place_of(printer, site);
	char *call = memory_site_call(site);
	/* It is not known if kernels got pointers into small blocks. */
	char *used = site->totals ? g_strdup("-")
				  : g_strdup_printf("%.0f%%",
						    site->bytes ? 100.0 * (double)site->used_bytes /
								      (double)site->bytes
								: 0.0);

	fprintf(printer->stream,
		"  %11s %11s %8" G_GUINT64_FORMAT " %11s %6s  %s, %s\n"
		"  %52s %s\n",
		peak, total, site->count, site->live_count ? left : "-", used, call, kind, "",
		place);
	g_free(used);
	g_free(call);
	g_free(peak);
	g_free(total);
	g_free(left);
	g_free(kind);
	g_free(place);
}

static void text_process(const struct printer *printer, const struct process *process)
{
	const struct overview *overview = printer->analysis->overview;
	const struct memory_peaks *peaks = overview_peaks(overview, process);
	char *device, *pinned, *capacity;
	uint64_t memory = 0;
	unsigned shown = 0, hidden = 0;

	if (!peaks)
		return;
	for (unsigned i = 0; i < process->devices->len; i++) {
		const struct device *one = process->devices->pdata[i];

		memory += one->memory;
	}
	device = bytes_text(peaks->device_peak);
	pinned = bytes_text(peaks->pinned_peak);
	capacity = bytes_text(memory);
	fprintf(printer->stream,
		"hipgrain: process %d: %s\n"
		"hipgrain: high-water: %s of GPU memory%s%s, %s of pinned host memory\n\n"
		"  %11s %11s %8s %11s %6s  %s\n",
		process->pid,
		process->cmdline[0] ? process->cmdline : "(its start was not recorded)", device,
		memory ? " of " : "", memory ? capacity : "", pinned, "high-water", "total",
		"count", "never freed", "used", "allocated by, kind, where");
	for (unsigned i = 0; i < overview->sites->len; i++) {
		const struct memory_site *site = overview->sites->pdata[i];

		if (site->process != process)
			continue;
		if (shown < printer->limit) {
			text_site(printer, site);
			shown++;
		} else {
			hidden++;
		}
	}
	if (hidden)
		fprintf(printer->stream, "  ... %u more call sites (--all)\n", hidden);
	fputc('\n', printer->stream);
	g_free(device);
	g_free(pinned);
	g_free(capacity);
}

static void write_text(const struct printer *printer)
{
	const GPtrArray *processes = printer->analysis->replay.processes;
	const GPtrArray *limits = printer->analysis->findings.limits;

	for (unsigned i = 0; i < processes->len; i++)
		text_process(printer, processes->pdata[i]);
	if (printer->range)
		fprintf(printer->stream, "hipgrain: %s was allocated in ranges '%s' (--range)\n",
			printer->analysis->overview->sites->len ? "only this" : "nothing",
			printer->range);
	else if (printer->analysis->overview->sites->len == 0)
		fprintf(printer->stream, "hipgrain: no allocation was recorded\n");
	for (unsigned i = 0; i < limits->len; i++)
		fprintf(printer->stream, "hipgrain: %s\n", (const char *)limits->pdata[i]);
}

static void csv_site(const struct printer *printer, const struct memory_site *site)
{
	uint64_t ended = site->count - site->live_count;
	char *place = place_of(printer, site);

	fprintf(printer->stream, "%d,%s,%s,%s,%d,%" G_GUINT64_FORMAT, site->process->pid,
		hg_api_name(site->api), model_granularity_name(site->granularity),
		model_location_name(site->location), site->device, site->count);
	fprintf(printer->stream,
		",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
		",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
		",%" G_GINT64_FORMAT ",",
		site->bytes, site->peak_bytes, site->largest, site->live_count, site->live_bytes,
		site->used_bytes, ended ? site->lifetime_ns / (int64_t)ended : 0);
	csv_field(printer->stream, place);
	fprintf(printer->stream, ",%d\r\n", site->totals);
	g_free(place);
}

static void write_csv(const struct printer *printer)
{
	const GPtrArray *sites = printer->analysis->overview->sites;

	fputs("pid,api,granularity,location,device,count,bytes,high_water_bytes,largest_bytes,"
	      "never_freed,never_freed_bytes,used_bytes,mean_lifetime_ns,place,"
	      "small_blocks\r\n",
	      printer->stream);
	for (unsigned i = 0; i < sites->len; i++)
		csv_site(printer, sites->pdata[i]);
}

/* Semicolons and line feeds part what they stand between; they do not stand in names. */
static void folded_part(FILE *stream, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, stream);
	putc(';', stream);
}

/* "step 3;forward;": outermost first. */
static void folded_ranges(FILE *stream, const struct range_path *innermost)
{
	const struct range_path *paths[RANGE_DEPTH_MOST];
	unsigned depth = 0;

	for (; innermost && depth < RANGE_DEPTH_MOST; innermost = innermost->up)
		paths[depth++] = innermost;
	while (depth > 0)
		folded_part(stream, paths[--depth]->name);
}

/* "main;make_buffer;hipMalloc 4096": outermost first. */
static void write_folded(const struct printer *printer)
{
	const GPtrArray *sites = printer->analysis->overview->sites;

	for (unsigned i = 0; i < sites->len; i++) {
		const struct memory_site *site = sites->pdata[i];
		const GPtrArray *frames =
		    symbolize_stack(printer->analysis->symbolizer, site->process, site->stack_id);

		folded_part(printer->stream, site->process->exe);
		folded_ranges(printer->stream, site->range);
		for (unsigned j = frames->len; j > 0; j--) {
			const struct source_frame *frame = frames->pdata[j - 1];
			char *place = frame->function ? NULL : source_frame_text(frame);

			folded_part(printer->stream, place ? place : frame->function);
			g_free(place);
		}
		fprintf(printer->stream, "%s%s %" G_GUINT64_FORMAT "\n", hg_api_name(site->api),
			site->totals ? " of small blocks" : "", site->bytes);
	}
}

static void write_residency(const struct printer *printer)
{
	write_residency_csv(printer->analysis, printer->stream);
}

static int write_placement(const char *bundle, const char *output, struct printer printer,
			   void (*write)(const struct printer *printer))
{
	struct analysis analysis;
	char *error = NULL;
	int result;

	printer.analysis = &analysis;
	printer.stream = stdout;
	progress_set(PROGRESS_AUTO);
	result = analysis_load_from(&analysis, bundle, NULL, true, &error);
	int status = HG_EXIT_OK;

	if (result < 0) {
		message_error("%s: %s", recording_name(bundle), error ? error : strerror(-result));
		free(error);
		status = HG_EXIT_INPUT;
		goto out;
	}
	if (output)
		printer.stream = output_open(output);
	if (!printer.stream) {
		message_error("%s: %s", output, strerror(errno));
		status = HG_EXIT_INPUT;
		goto out;
	}
	write(&printer);
	if (output && (ferror(printer.stream) | fclose(printer.stream))) {
		message_error("%s: cannot be written: %s", output, strerror(errno));
		status = HG_EXIT_INPUT;
	}
out:
	analysis_clear(&analysis);
	return status;
}

typedef void (*writer)(const struct printer *printer);

static writer writer_by_name(const char *name)
{
	static const struct {
		const char *name;
		writer write;
	} writers[] = {
		{ "text", write_text },           { "csv", write_csv },
		{ "folded", write_folded },       { "ranges", write_folded },
		{ "residency", write_residency },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(writers); i++)
		if (strcmp(writers[i].name, name) == 0)
			return writers[i].write;
	return NULL;
}

int cmd_placement(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "format", required_argument, NULL, PLACEMENT_OPTION_FORMAT },
		{ "all", no_argument, NULL, PLACEMENT_OPTION_ALL },
		{ "range", required_argument, NULL, PLACEMENT_OPTION_RANGE },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	writer write = write_text;
	unsigned limit = SITES_SHOWN;
	const char *output = NULL, *range = NULL;
	int code;

	while ((code = next_option(argc, argv, "o:h", long_options)) != -1) {
		switch (code) {
		case PLACEMENT_OPTION_FORMAT:
			write = writer_by_name(optarg);
			if (!write) {
				message_error("--format: '%s' is not text, csv, folded, ranges or "
					      "residency",
					      optarg);
				return HG_EXIT_USAGE;
			}
			if (strcmp(optarg, "ranges") == 0)
				overview_part_by_range();
			break;
		case PLACEMENT_OPTION_RANGE:
			range = optarg;
			finding_ranges_select(range);
			overview_select_ranges();
			break;
		case PLACEMENT_OPTION_ALL:
			limit = UINT_MAX;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(usage_placement, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (argc - optind != 1) {
		message_error(optind == argc ? "no bundle given (try 'hipgrain placement --help')"
					     : "only one bundle can be given");
		return HG_EXIT_USAGE;
	}
	return write_placement(argv[optind], output,
			       (struct printer){ .range = range, .limit = limit }, write);
}
