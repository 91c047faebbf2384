/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as a table, a row each, for spreadsheets (RFC 4180). Fields that do not apply are empty.
 * Columns are only ever added, at the end.
 */
#include "report.h"

#include <stdlib.h>

#include "codeobj/text.h"
#include "csv_field.h"
#include "place.h"

/* Names come from programs: a line feed in one of them must not look like a new row. */
static void field(FILE *stream, const char *text)
{
	char *line = text_one_line(text);

	putc(',', stream);
	csv_field(stream, line);
	free(line);
}

/* Two columns, file and line. */
static void place_fields(FILE *stream, struct source_place place)
{
	field(stream, place.file);
	putc(',', stream);
	if (place.file && place.line)
		fprintf(stream, "%u", place.line);
}

static void number_field(FILE *stream, uint64_t number, bool applies)
{
	putc(',', stream);
	if (applies)
		fprintf(stream, "%" G_GUINT64_FORMAT, number);
}

static void row(const struct analysis *analysis, const struct finding *finding, FILE *stream)
{
	const struct allocation *allocation = finding->allocation;

	csv_field(stream, finding->rule->id);
	field(stream, severity_name(finding->rule->severity));
	field(stream, confidence_name(finding->confidence));
	field(stream, finding->rule->title);
	field(stream, finding->message);
	field(stream, finding->fix);
	fprintf(stream, ",%d", finding->process->pid);
	field(stream, finding->process->exe);
	field(stream, finding->kernel);
	field(stream, finding->instruction);
	place_fields(stream, place_of_instruction(finding));
	field(stream, finding->argument_name);
	field(stream, finding->chain);
	field(stream, allocation ? hg_api_name(allocation->api) : NULL);
	number_field(stream, allocation ? allocation->size : 0, allocation);
	field(stream, allocation && finding->granularity != GRAIN_UNKNOWN
			  ? model_granularity_name(finding->granularity)
			  : NULL);
	place_fields(stream, place_of_allocation(analysis, finding));
	field(stream, finding->api);
	place_fields(stream, place_of_call(analysis, finding));
	number_field(stream, finding->launches, finding->kernel);
	number_field(stream, MAX(finding->count, 1), true);
	field(stream, finding->fingerprint);
	fputs("\r\n", stream);
}

int report_csv(const struct analysis *analysis, unsigned style, FILE *stream)
{
	const GPtrArray *list = analysis->findings.list;

	(void)style;
	fputs("rule,severity,confidence,title,message,fix,pid,program,kernel,instruction,"
	      "instruction_file,instruction_line,argument,path,memory_api,memory_bytes,granularity,"
	      "memory_file,memory_line,call,call_file,call_line,launches,count,fingerprint\r\n",
	      stream);
	for (unsigned i = 0; i < list->len; i++)
		row(analysis, list->pdata[i], stream);
	return 0;
}
