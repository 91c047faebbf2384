/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames of a call stack are not the place that a finding is about. */
#include <fnmatch.h>
#include <string.h>

#include "analyzer/isa/lines.h"
#include "symbols.h"

static GPtrArray *skipped; /* const char *: the shell's patterns, of --skip-frames */

bool is_runtime_place(const char *function, const char *file)
{
	return (function && strstr(function, "__device_stub__")) ||
	       (file && strstr(file, "/include/hip/"));
}

static bool matches(const char *pattern, const char *text)
{
	return text && fnmatch(pattern, text, 0) == 0;
}

/* A path matches as a whole or by its last part, a function with or without its parameters. */
static bool is_skipped(const char *function, const char *file)
{
	char *name = file ? g_path_get_basename(file) : NULL;
	char *bare = function ? g_strndup(function, strcspn(function, "(<")) : NULL;
	bool found = false;

	for (unsigned i = 0; skipped && i < skipped->len && !found; i++) {
		const char *pattern = skipped->pdata[i];

		found = matches(pattern, file) || matches(pattern, name) ||
			matches(pattern, function) || matches(pattern, bare);
	}
	g_free(bare);
	g_free(name);
	return found;
}

bool is_wrapping_place(const char *function, const char *file)
{
	return is_runtime_place(function, file) || (file && lines_owner(file) != LINES_PROGRAM) ||
	       (skipped && is_skipped(function, file));
}

bool is_wrapping_frame(const struct source_frame *frame)
{
	return is_wrapping_place(frame->function, frame->file);
}

void symbols_skip_frames(const char *pattern)
{
	if (!skipped)
		skipped = g_ptr_array_new();
	g_ptr_array_add(skipped, (gpointer)pattern);
}

const struct source_frame *user_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++)
		if (!is_wrapping_frame(frames->pdata[i]))
			return frames->pdata[i];
	return NULL;
}

const struct source_frame *innermost_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		if (!is_runtime_place(frame->function, frame->file))
			return frame;
	}
	return NULL;
}
