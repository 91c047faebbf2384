/* SPDX-License-Identifier: Apache-2.0 */
/* Tells how the program ended, if it did not end well: every report begins with that. */
#include "report.h"

#include <signal.h>

#include "analyzer/containers/containers.h"
#include "analyzer/rules/order/faults.h"
#include "analyzer/unseen.h"
#include "death.h"
#include "json_values.h"

#define VANISHED_MOST 8u

const char *signal_text(int number)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return NULL;
}

void append_site(GString *text, const struct analysis *analysis, const char *how,
		 const struct process *process, uint32_t stack_id)
{
	char *place = stack_id ? stack_place(analysis->symbolizer, process, stack_id) : NULL;

	if (place)
		g_string_append_printf(text, ", %s at %s", how, place);
	g_free(place);
}

void append_memory(GString *text, const struct analysis *analysis, const struct memory_there *there)
{
	const struct allocation *allocation = there->allocation;

	switch (there->kind) {
	case PLACE_ALLOCATION:
		g_string_append(text, there->vague ? "on a page with a part of" : "in");
		break;
	case PLACE_FREED:
		g_string_append(text, "in freed memory:");
		break;
	case PLACE_PAST_END:
		if (there->offset) {
			g_string_append_printf(text, "%" G_GUINT64_FORMAT " bytes past the end of",
					       there->offset);
		} else {
			g_string_append(text, "just past the end of");
		}
		break;
	case PLACE_HEAP:
		g_string_append(text, "in a small block of the host's heap");
		return;
	case PLACE_STACK:
		g_string_append(text, "in a host thread's stack");
		return;
	case PLACE_STATIC:
		g_string_append_printf(text, "in the host's data of %s",
				       there->module ? there->module : "a library");
		return;
	case PLACE_NULL:
		g_string_append(text, "in the first page: a null pointer, or an offset to one");
		return;
	case PLACE_UNKNOWN:
		g_string_append(text, "where no memory is known");
		return;
	}
	if (!allocation) {
		g_string_append(text, " an allocation");
		return;
	}
	g_string_append_printf(text, " %" G_GUINT64_FORMAT " bytes from %s%s%s", allocation->size,
			       hg_api_name(allocation->api), allocation->symbol ? " " : "",
			       allocation->symbol ? allocation->symbol : "");
	append_site(text, analysis, "allocated", there->process, allocation->stack_id);
	if (there->kind == PLACE_FREED)
		append_site(text, analysis, "freed", there->process, allocation->free_stack_id);
}

static void append_where(GString *text, const struct analysis *analysis,
			 const struct fault_row *fault)
{
	const struct memory_there there = { .process = fault->process,
					    .kind = fault->kind,
					    .allocation = fault->allocation,
					    .offset = fault->offset,
					    .vague = fault->vague,
					    .module = fault->module };

	append_memory(text, analysis, &there);
}

static void append_fault(GString *text, const struct analysis *analysis,
			 const struct fault_row *fault)
{
	char *reason = fault_reason(fault->reason);

	g_string_append(text, "a memory access fault by ");
	if (fault->device >= 0)
		g_string_append_printf(text, "GPU %d", fault->device);
	else
		g_string_append(text, "a GPU");
	g_string_append_printf(text, " at address 0x%" G_GINT64_MODIFIER "x (%s), ", fault->address,
			       reason);
	append_where(text, analysis, fault);
	if (fault->rules)
		g_string_append_printf(text, " (see %s)", fault->rules);
	g_free(reason);
}

/* Seen with 5.7.1 (docs/code-objects.md#compressed-bundles). */
static bool may_be_hip_5_7(const struct process *process)
{
	return !process->runtime_version ||
	       (process->runtime_version >= 50700000 && process->runtime_version < 60000000);
}

static bool has_compressed_code(const char *path)
{
	GMappedFile *file = path ? g_mapped_file_new(path, FALSE, NULL) : NULL;
	bool compressed = file && containers_compressed(g_mapped_file_get_contents(file),
							g_mapped_file_get_length(file));

	if (file)
		g_mapped_file_unref(file);
	return compressed;
}

/* Adds a crash that is the runtime's own. */
static void add_runtimes_crash(const struct analysis *analysis, GPtrArray *lines)
{
	const GPtrArray *processes = analysis->replay.processes;
	int killed = analysis->facts.exited ? analysis->facts.exit_signal : 0;

	if (killed != SIGSEGV && killed != SIGABRT && killed != SIGBUS)
		return;
	for (unsigned i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];

		if (may_be_hip_5_7(process) && has_compressed_code(process->exe))
			g_ptr_array_add(
			    lines,
			    g_strdup_printf(
				"%s has its device code in compressed bundles, on which HIP 5.7.1 "
				"crashes by itself at the first call%s: compile it without "
				"--offload-compress for that release",
				process->exe,
				process->runtime_version
				    ? ""
				    : " (which release this was is not recorded)"));
	}
}

/*
 * Adds processes of GPU programs that ended in the middle while the command went on. Which signal
 * ended them, their parents know; a system call past the C library would look the same.
 */
static void add_vanished(const struct analysis *analysis, GPtrArray *lines)
{
	const GPtrArray *processes = analysis->replay.processes;
	unsigned told = 0, left_out = 0;

	if (analysis->facts.exited && analysis->facts.exit_signal)
		return;
	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];

		if (process->ended != HG_ENDED_NOT ||
		    !unseen_is_gpu_program(process, &analysis->findings))
			continue;
		if (told++ >= VANISHED_MOST) {
			left_out++;
			continue;
		}
		g_ptr_array_add(lines,
				g_strdup_printf("process %d (%s) ended without calling exit() or a "
						"relative: most likely a signal ended it",
						process->pid, process->exe));
	}
	if (left_out)
		g_ptr_array_add(lines, g_strdup_printf("%u more processes ended so", left_out));
}

/* Returns true if a process that used the GPU ended in the middle, whatever its parent then did. */
static bool any_vanished(const struct analysis *analysis)
{
	const GPtrArray *processes = analysis->replay.processes;

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];

		if (process->ended == HG_ENDED_NOT &&
		    unseen_is_gpu_program(process, &analysis->findings))
			return true;
	}
	return false;
}

bool report_killed(const struct analysis *analysis)
{
	/* A shell ends with 128 and the signal's number if a signal ended its command. */
	return (analysis->facts.exited &&
		(analysis->facts.exit_signal || signal_text(analysis->facts.exit_status - 128))) ||
	       any_vanished(analysis);
}

const char *report_nothing(bool killed)
{
	return killed ? " found that explains how the program ended" : " found";
}

GPtrArray *report_death(const struct analysis *analysis)
{
	const GPtrArray *faults = faults_result(&analysis->findings);
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(NULL);
	/* The trace does not tell which process of several it was that the recorder waited for. */
	bool alone = analysis->replay.processes->len == 1 && faults->len == 1;

	if (analysis->facts.exited && analysis->facts.exit_signal) {
		const char *name = signal_text(analysis->facts.exit_signal);

		if (name) {
			g_string_printf(text, "the program was killed by %s", name);
		} else {
			g_string_printf(text, "the program was killed by signal %d",
					analysis->facts.exit_signal);
		}
	} else if (analysis->facts.exited && analysis->facts.exit_status) {
		g_string_printf(text, "the program ended with exit status %d",
				analysis->facts.exit_status);
	}
	if (text->len && alone) {
		g_string_append(text, " after ");
		append_fault(text, analysis, faults->pdata[0]);
	}
	if (text->len)
		g_ptr_array_add(lines, g_strdup(text->str));
	for (unsigned i = 0; i < faults->len && !(text->len && alone); i++) {
		const struct fault_row *fault = faults->pdata[i];
		GString *line = g_string_new(NULL);

		g_string_printf(line, "process %d had ", fault->process->pid);
		append_fault(line, analysis, fault);
		g_ptr_array_add(lines, g_string_free(line, FALSE));
	}
	g_string_free(text, TRUE);
	add_vanished(analysis, lines);
	add_open_calls(analysis, lines);
	add_runtimes_crash(analysis, lines);
	return lines;
}

static struct json_object *json_fault(const struct analysis *analysis,
				      const struct fault_row *fault)
{
	struct json_object *object = json_object_new_object();
	GString *where = g_string_new(NULL);
	char *reason = fault_reason(fault->reason);
	char *address = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", fault->address);

	append_where(where, analysis, fault);
	put(object, "pid", json_object_new_int(fault->process->pid));
	put(object, "device", fault->device < 0 ? NULL : json_object_new_int(fault->device));
	put(object, "address", text_value(address));
	put(object, "reason", text_value(reason));
	put(object, "where", text_value(where->str));
	put(object, "rules", text_or_null(fault->rules));
	g_string_free(where, TRUE);
	g_free(address);
	g_free(reason);
	return object;
}

struct json_object *json_death(const struct analysis *analysis)
{
	struct json_object *object = json_object_new_object();
	struct json_object *lines = json_object_new_array(), *faults = json_object_new_array();
	GPtrArray *sentences = report_death(analysis);
	bool exited = analysis->facts.exited && !analysis->facts.exit_signal;

	put(object, "status", exited ? json_object_new_int(analysis->facts.exit_status) : NULL);
	put(object, "signal",
	    analysis->facts.exit_signal ? json_object_new_int(analysis->facts.exit_signal) : NULL);
	put(object, "killed", json_object_new_boolean(report_killed(analysis)));
	for (unsigned i = 0; i < sentences->len; i++)
		json_object_array_add(lines, text_value(sentences->pdata[i]));
	put(object, "text", lines);
	for (unsigned i = 0; i < faults_result(&analysis->findings)->len; i++) {
		json_object_array_add(
		    faults, json_fault(analysis, faults_result(&analysis->findings)->pdata[i]));
	}
	put(object, "faults", faults);
	put(object, "open_calls", json_open_calls(analysis));
	g_ptr_array_free(sentences, TRUE);
	return object;
}
