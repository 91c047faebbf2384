/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through a recording for its call stacks, and through its code objects for their sources. */
#include "analyzer/cmds/collect_symbols.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/lines.h"
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/reader/reader.h"
#include "analyzer/recordings.h"
#include "analyzer/completeness.h"
#include "analyzer/replay/replay.h"
#include "analyzer/symbols/keeping.h"
#include "analyzer/symbols/source.h"
#include "analyzer/symbols/symbols.h"
#include "tracer/bundle.h"

#define CODE_OBJECT_MOST (1u << 30)
#define EVENTS_PER_LOOK  1024u /* at the clock, which takes longer than an event */

struct keep {
	struct replay replay;
	struct symbolizer *symbolizer;
	struct keeping *keeping;
	GArray *callers; /* struct caller: of calls that did not return */
	int64_t until;   /* g_get_monotonic_time() */
	unsigned events;
	bool sources; /* with their contents */
};

struct caller {
	const struct process *process;
	uint64_t address;
};

/* Returns true for what defines stacks and modules, and what tells where target regions are. */
static bool is_wanted(const struct hg_event *event)
{
	switch (event->type) {
	case HG_EVENT_process:
	case HG_EVENT_module:
	case HG_EVENT_stack:
	case HG_EVENT_python:
	case HG_EVENT_python_code:
	case HG_EVENT_code_object:
	case HG_EVENT_kernel:
	case HG_EVENT_launch:
	case HG_EVENT_omp_target:
		return true;
	default:
		return false;
	}
}

static int take_event(const struct hg_event *event, void *data)
{
	struct keep *keep = data;

	if (event->type == HG_EVENT_OPEN_CALL) {
		struct caller caller = { replay_process(&keep->replay, event->pid),
					 event->open_call->call.caller };

		if (caller.process)
			g_array_append_val(keep->callers, caller);
	} else if (is_wanted(event) &&
		   (event->type == HG_EVENT_process || !replay_knows(&keep->replay, event))) {
		replay_apply(&keep->replay, event);
	}
	return ++keep->events % EVENTS_PER_LOOK == 0 && g_get_monotonic_time() > keep->until
		   ? -ETIME
		   : 0;
}

/*
 * Returns true if a process was not to record all bytes of kernels' arguments: sources may have the
 * values, too. The preload library takes a value that it does not know for "off".
 */
static bool hides_values(const struct keep *keep)
{
	for (guint i = 0; i < keep->replay.processes->len; i++) {
		const struct process *process = keep->replay.processes->pdata[i];
		const char *which = g_hash_table_lookup(process->env, "HIPGRAIN_KERNEL_ARGUMENTS");

		if (which && *which && strcmp(which, "full") != 0)
			return true;
	}
	return false;
}

static void keep_source(struct keep *keep, const char *file)
{
	if (file)
		keeping_source(keep->keeping, file, keep->sources);
}

static void keep_stacks(struct keep *keep, const struct process *process)
{
	GHashTableIter iterator;
	gpointer id;

	g_hash_table_iter_init(&iterator, process->stacks);
	while (g_hash_table_iter_next(&iterator, &id, NULL) &&
	       g_get_monotonic_time() < keep->until) {
		uint32_t stack_id = GPOINTER_TO_UINT(id);
		const struct source_frame *frame;

		symbolize_stack(keep->symbolizer, process, stack_id);
		frame = stack_user_frame(keep->symbolizer, process, stack_id);
		keep_source(keep, frame ? frame->file : NULL);
	}
}

/* ---- code objects ---- */

/* Keeps the files of a unit's lines, as far as they are the program's own. */
static void keep_unit(struct keep *keep, Dwarf_Die *unit)
{
	GHashTable *files = g_hash_table_new(NULL, NULL); /* libdw has each name once */
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		const char *file = dwarf_linesrc(dwarf_onesrcline(lines, i), NULL, NULL);

		if (file && g_hash_table_add(files, (gpointer)file) &&
		    lines_owner(file) == LINES_PROGRAM)
			keep_source(keep, file);
	}
	g_hash_table_destroy(files);
}

static void keep_code_object(struct keep *keep, const char *path)
{
	Dwarf_Off offset = 0, next;
	size_t header, length = 0;
	char *content = regular_file_read(path, CODE_OBJECT_MOST, &length);
	Elf *elf = content ? elf_memory(content, length) : NULL;
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	while (dwarf && g_get_monotonic_time() < keep->until &&
	       dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;

		if (dwarf_offdie(dwarf, offset + header, &unit))
			keep_unit(keep, &unit);
		offset = next;
	}
	dwarf_end(dwarf);
	elf_end(elf);
	g_free(content);
}

static void keep_code_objects(struct keep *keep, const char *bundle)
{
	char *folder = g_build_filename(bundle, BUNDLE_CODE_OBJECTS, NULL);
	GDir *list = g_dir_open(folder, 0, NULL);
	const char *name;

	while (list && (name = g_dir_read_name(list))) {
		char *path = g_build_filename(folder, name, NULL);

		keep_code_object(keep, path);
		g_free(path);
	}
	if (list)
		g_dir_close(list);
	g_free(folder);
}

/* ---- all ---- */

static void keep_processes(struct keep *keep)
{
	for (guint i = 0; i < keep->replay.processes->len; i++) {
		const struct process *process = keep->replay.processes->pdata[i];

		if (!process->foreign)
			keep_stacks(keep, process);
	}
	for (guint i = 0; i < keep->callers->len; i++) {
		const struct caller *caller = &g_array_index(keep->callers, struct caller, i);

		g_free(return_place(keep->symbolizer, caller->process, caller->address));
	}
}

int keep_symbols(const char *bundle, bool sources)
{
	struct keep keep = {
		.symbolizer = symbolizer_new(NULL),
		.keeping = keeping_begin(bundle),
		.callers = g_array_new(FALSE, FALSE, sizeof(struct caller)),
		.until = g_get_monotonic_time() + KEEP_SECONDS * G_USEC_PER_SEC,
	};
	char *traces = g_build_filename(bundle, BUNDLE_CTF, NULL), *error = NULL;
	char *session = recording_session(bundle);
	struct reader_stats stats = { 0 };
	int result, written;

	/* A recording's end does not wait for a server: reports ask it. */
	unsetenv("DEBUGINFOD_URLS");
	replay_init(&keep.replay);
	if (session)
		replay_set_session(&keep.replay, session);
	symbolizer_set_began(keep.symbolizer, recording_start(bundle));
	symbolizer_keep(keep.symbolizer, keep.keeping);
	result = read_definitions(traces, bundle, take_event, &keep, &stats, &error);
	keep.sources = sources && !hides_values(&keep);
	if (result == 0 || result == -ETIME) {
		keep_processes(&keep);
		keep_code_objects(&keep, bundle);
	}
	written = keeping_end(keep.keeping);
	symbolizer_free(keep.symbolizer);
	replay_destroy(&keep.replay);
	reader_stats_clear(&stats);
	g_array_unref(keep.callers);
	g_free(session);
	g_free(traces);
	free(error); /* the report says what is wrong with the trace */
	return written;
}
