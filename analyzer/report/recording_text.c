/* SPDX-License-Identifier: Apache-2.0 */
/* Tells in the report if the recording is complete (analyzer/completeness.h decides it). */
#include <inttypes.h>
#include <json-c/json.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/printer.h"
#include "analyzer/report/report.h"

static struct json_object *json_gap(const struct completeness_gap *row)
{
	static const char *const names[HG_GROUPS] = {
		[HG_GROUP_ALLOC] = "allocations", [HG_GROUP_FREE] = "frees",
		[HG_GROUP_LAUNCH] = "launches",   [HG_GROUP_COPY] = "copies",
		[HG_GROUP_OTHER] = "others",
	};
	struct json_object *object = json_object_new_object();
	struct json_object *missing = json_object_new_object();
	struct json_object *unrecorded = json_object_new_object();
	const uint64_t *calls = row->process->unrecorded;

	put(object, "pid", json_object_new_int64(row->process->pid));
	put(object, "program", text_value(row->process->program));
	for (unsigned group = 0; group < HG_GROUPS; group++) {
		struct json_object *pair = json_object_new_object();

		put(pair, "missing", json_object_new_int64((int64_t)row->gap.missing[group]));
		put(pair, "counted", json_object_new_int64((int64_t)row->gap.counted[group]));
		put(missing, names[group], pair);
	}
	put(object, "events", missing);
	put(unrecorded, "allocations", json_object_new_int64((int64_t)calls[HG_UNRECORDED_ALLOC]));
	put(unrecorded, "frees", json_object_new_int64((int64_t)calls[HG_UNRECORDED_FREE]));
	put(unrecorded, "calls", json_object_new_int64((int64_t)calls[HG_UNRECORDED_CALL]));
	put(object, "unrecorded", unrecorded);
	return object;
}

struct json_object *json_recording(const struct analysis *analysis)
{
	const struct completeness *recording = &analysis->recording;
	struct json_object *object = json_object_new_object();
	struct json_object *reasons = json_object_new_array();
	struct json_object *processes = json_object_new_array();

	put(object, "status", text_value(recording_status_name(recording->status)));
	put(object, "missing", json_object_new_int64((int64_t)recording->missing));
	put(object, "unrecorded_processes",
	    json_object_new_int64((int64_t)completeness_unrecorded(recording, &analysis->facts)));
	for (guint i = 0; i < recording->reasons->len; i++)
		json_object_array_add(reasons, text_value(recording->reasons->pdata[i]));
	put(object, "reasons", reasons);
	for (guint i = 0; i < recording->gaps->len; i++) {
		json_object_array_add(processes, json_gap(&g_array_index(
						     recording->gaps, struct completeness_gap, i)));
	}
	put(object, "processes", processes);
	return object;
}

void recording_line(const char *status, int64_t missing, FILE *stream)
{
	int known = recording_status_by_name(status);

	if (known == RECORDING_INCOMPLETE && missing) {
		fprintf(stream,
			"hipgrain: the recording is incomplete: %" PRId64 " events are missing\n",
			missing);
	} else if (known == RECORDING_INCOMPLETE) {
		fputs("hipgrain: the recording is incomplete\n", stream);
	} else if (known == RECORDING_UNKNOWN) {
		fputs("hipgrain: unknown whether the recording is complete\n", stream);
	}
}
