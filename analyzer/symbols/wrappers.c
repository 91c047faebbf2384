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

bool is_python_frame(const struct source_frame *frame)
{
	return frame->module && strcmp(frame->module, PYTHON_MODULE) == 0;
}

/* The interpreter, and how its programs call native functions. */
static const char *const python_modules[] = {
	"python3*", "libpython3*", "_ctypes.*", "libffi.so*", "_cffi_backend.*",
};

bool is_python_module(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < G_N_ELEMENTS(python_modules); i++)
		if (fnmatch(python_modules[i], slash ? slash + 1 : path, 0) == 0)
			return true;
	return false;
}

/* Returns true for a native frame by which a function of Python calls, as far as is known. */
static bool is_below_python(const GPtrArray *frames, unsigned number)
{
	const struct source_frame *frame = frames->pdata[number];

	if (is_python_frame(frame) ||
	    (frame->file && !(frame->module && is_python_module(frame->module))))
		return false;
	for (unsigned i = number + 1; i < frames->len; i++)
		if (is_python_frame(frames->pdata[i]))
			return true;
	return false;
}

/* Python's own modules, and those that were installed. */
static bool is_python_library(const struct source_frame *frame)
{
	return is_python_frame(frame) && frame->file &&
	       (frame->file[0] == '<' || strstr(frame->file, "/site-packages/") ||
		strstr(frame->file, "/dist-packages/") || strstr(frame->file, "/lib/python3"));
}

bool is_user_frame(const GPtrArray *frames, unsigned number)
{
	return !is_wrapping_frame(frames->pdata[number]) &&
	       !is_python_library(frames->pdata[number]) && !is_below_python(frames, number);
}

const struct source_frame *user_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++)
		if (is_user_frame(frames, i))
			return frames->pdata[i];
	return NULL;
}

const struct source_frame *innermost_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		if (!is_runtime_place(frame->function, frame->file) && !is_below_python(frames, i))
			return frame;
	}
	return NULL;
}
