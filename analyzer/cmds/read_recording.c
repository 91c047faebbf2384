/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a recording, and says what is missing. */
#include "read_recording.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/bundle_check.h"
#include "analyzer/completeness.h"
#include "analyzer/recordings.h"
#include "tracer/bundle.h"
#include "tracer/message.h"

static void say_missing(const char *path, const struct reader_stats *stats, bool bundle)
{
	struct recording_facts facts = { .compared = true };
	struct completeness recording;

	if (bundle)
		recording_facts_read(&facts, path);
	completeness_judge(&recording, stats, &facts);
	for (guint i = 0; recording_status_fails(recording.status) && i < recording.reasons->len;
	     i++)
		message_warning("%s: %s", path, (const char *)recording.reasons->pdata[i]);
	if (recording.missing && !recording.counted)
		message_warning("%s: %" PRIu64 " events are missing", path, recording.missing);
	completeness_clear(&recording);
	recording_facts_clear(&facts);
}

int read_recording(const char *path, reader_callback callback, void *data,
		   struct reader_stats *stats)
{
	char *traces = g_build_filename(path, BUNDLE_CTF, NULL), *error = NULL;
	bool bundle = g_file_test(traces, G_FILE_TEST_IS_DIR);
	int result = bundle_check(path, &error);

	if (result >= 0)
		result = read_trace(bundle ? traces : path, bundle ? path : NULL, callback, data,
				    stats, &error);
	if (result == -ENOENT && !error)
		error = recording_refusal(path);
	if (result >= 0)
		say_missing(path, stats, bundle);
	else
		message_error("%s: %s", recording_name(path), error ? error : strerror(-result));
	free(error);
	g_free(traces);
	return result < 0 ? HG_EXIT_INPUT : HG_EXIT_OK;
}
