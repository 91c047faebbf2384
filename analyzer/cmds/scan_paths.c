/* SPDX-License-Identifier: Apache-2.0 */
/* Prints paths through memory for `hipgrain scan`: struct isa_path of analyzer/isa/isa.h. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/cmds/scan.h"

static void json_path(struct json_stream *json, const struct isa_path *path)
{
	if (path->symbol)
		json_stream_null(json, "kernarg");
	else
		json_stream_number(json, "kernarg", path->kernarg);
	json_stream_text(json, "symbol", path->symbol);
	json_stream_begin(json, "steps", '[');
	for (unsigned i = 0; i < path->step_count; i++) {
		json_stream_begin(json, NULL, '{');
		if (path->step[i].exact)
			json_stream_number(json, "offset", path->step[i].offset);
		else
			json_stream_null(json, "offset");
		if (path->step[i].stride) {
			json_stream_number(json, "stride", path->step[i].stride);
			json_stream_number(json, "remainder", path->step[i].offset);
		} else {
			json_stream_null(json, "stride");
			json_stream_null(json, "remainder");
		}
		if (path->step[i].bounded) {
			json_stream_number(json, "first", path->step[i].first);
			json_stream_number(json, "last", path->step[i].last);
		} else {
			json_stream_null(json, "first");
			json_stream_null(json, "last");
		}
		json_stream_bool(json, "repeats", path->step[i].repeats);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

void scan_json_paths(struct json_stream *json, const struct isa_paths *paths)
{
	json_stream_begin(json, "paths", '[');
	for (size_t i = 0; i < paths->count; i++) {
		json_stream_begin(json, NULL, '{');
		json_path(json, &paths->path[i]);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

void scan_json_path_uses(struct json_stream *json, const struct isa_kernel *kernel)
{
	if (kernel->skipped) {
		json_stream_null(json, "path_uses");
		json_stream_null(json, "paths_complete");
		return;
	}
	json_stream_begin(json, "path_uses", '[');
	for (size_t i = 0; i < kernel->path_use_count; i++) {
		const struct isa_path_use *use = &kernel->path_uses[i];

		json_stream_begin(json, NULL, '{');
		json_path(json, &use->path);
		scan_json_access(json, use->access, use->certain);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
	json_stream_bool(json, "paths_complete", kernel->paths_complete);
}

void scan_print_path(FILE *out, const struct isa_kernel *kernel, const struct isa_path *path)
{
	if (path->symbol)
		fprintf(out, "%s", path->symbol);
	else
		scan_print_argument(out, kernel, path->kernarg);
	for (unsigned i = 0; i < path->step_count; i++) {
		const struct isa_step *step = &path->step[i];

		if (step->exact)
			fprintf(out, " -> %s%" PRId64, step->offset < 0 ? "" : "+", step->offset);
		else if (step->bounded && step->stride)
			fprintf(out, " -> +%" PRId64 "+%" PRIu32 "*0..%" PRId64, step->first,
				step->stride, (step->last - step->first) / step->stride);
		else if (step->bounded)
			fprintf(out, " -> +%" PRId64 "..%" PRId64, step->first, step->last);
		else if (step->stride)
			fprintf(out, " -> +%" PRId64 "+%" PRIu32 "*any", step->offset,
				step->stride);
		else
			fprintf(out, " -> +any");
		if (step->repeats)
			fprintf(out, " (repeated)");
	}
}
