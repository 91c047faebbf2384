/* SPDX-License-Identifier: Apache-2.0 */
/* Describes calls that did not return, as sentences and as JSON. */
#include <inttypes.h>
#include <signal.h>

#include "analyzer/replay/stream_names.h"
#include "analyzer/replay/thread_names.h"
#include "analyzer/rules/order/faults.h"
#include "analyzer/rules/order/stuck_calls.h"
#include "analyzer/symbols/demangle.h"
#include "death.h"
#include "json_values.h"

#define SENTENCES_MOST 8u
#define LAUNCHES_MOST  3u /* that a sentence names */

static int class_of(const struct open_row *row)
{
	return hg_api_class((unsigned)row->open.call.state);
}

static char *kernel_name(const struct process *process, uint32_t id)
{
	const struct kernel_ref *kernel = process_kernel(process, id);

	return kernel && *kernel->symbol ? demangled(kernel->symbol) : NULL;
}

/* ---- memory ---- */

static struct memory_there memory_of(const struct open_row *row, const struct open_place *place)
{
	return (struct memory_there){ .process = row->process,
				      .kind = place->kind,
				      .allocation = place->allocation,
				      .offset = place->offset };
}

/* Returns what people call the address's part in the call. */
static const char *side_of(const struct open_row *row, const struct open_place *place)
{
	switch (class_of(row)) {
	case HG_CLASS_COPY:
		return place == &row->to ? "destination" : "source";
	case HG_CLASS_FILL:
		return "destination";
	default:
		return "memory";
	}
}

/*
 * Returns true if the report describes the memory: if something is known of it, or if nothing is.
 * The host's own data are ordinary.
 */
static bool is_told(const struct open_place *place)
{
	return place->address &&
	       (place->allocation || place->kind == PLACE_UNKNOWN || place->kind == PLACE_NULL);
}

static void append_sides(GString *text, const struct analysis *analysis, const struct open_row *row)
{
	const struct open_place *const places[] = { &row->to, &row->from };
	bool any = false;

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		const struct memory_there there = memory_of(row, places[i]);

		if (!is_told(places[i]))
			continue;
		g_string_append_printf(text, "%s its %s 0x%" PRIx64 " is ", any ? ", and" : ":",
				       side_of(row, places[i]), places[i]->address);
		append_memory(text, analysis, &there);
		any = true;
	}
}

/* ---- what it waits for ---- */

static char *stream_text(const struct open_row *row, uint64_t handle)
{
	return stream_name(row->process, handle, stream_number(row->process, handle));
}

static void append_launch(GString *text, const struct analysis *analysis,
			  const struct open_row *row, const struct open_launch *launch)
{
	char *name = kernel_name(row->process, launch->kernel_id);
	char *stream = stream_text(row, launch->stream);

	g_string_append_printf(text, "%s (", name ? name : "a kernel without a name");
	if (launch->count > 1)
		g_string_append_printf(text, "%u times, ", launch->count);
	g_string_append_printf(text, "in %s", stream);
	append_site(text, analysis, "launched", row->process, launch->stack_id);
	g_string_append_c(text, ')');
	g_free(stream);
	g_free(name);
}

static void append_launches(GString *text, const struct analysis *analysis,
			    const struct open_row *row)
{
	const GArray *launches = row->launches;

	if (!launches->len)
		return;
	g_string_append(text, class_of(row) == HG_CLASS_SYNC ? ", waiting for "
							     : ", not known to be complete: ");
	for (guint i = 0; i < launches->len && i < LAUNCHES_MOST; i++) {
		if (i)
			g_string_append(text, " or ");
		append_launch(text, analysis, row, &g_array_index(launches, struct open_launch, i));
	}
	if (launches->len > LAUNCHES_MOST || row->more)
		g_string_append(text, " or another one before");
}

/* ---- sentences ---- */

/* Returns true if a signal ended the program that a thread gets for what it does itself. */
static bool crashed(const struct analysis *analysis)
{
	switch (analysis->facts.exited ? analysis->facts.exit_signal : 0) {
	case SIGSEGV:
	case SIGBUS:
	case SIGABRT:
	case SIGILL:
	case SIGFPE:
		return true;
	default:
		return false;
	}
}

static bool ended_well(const struct analysis *analysis)
{
	return !analysis->facts.exited ||
	       (!analysis->facts.exit_signal && !analysis->facts.exit_status);
}

static bool had_fault(const struct analysis *analysis, const struct process *process)
{
	const GPtrArray *faults = faults_result(&analysis->findings);

	for (guint i = 0; i < faults->len; i++)
		if (((const struct fault_row *)faults->pdata[i])->process == process)
			return true;
	return false;
}

/*
 * Returns true if the call has to do with the end. It has not if the process ended well and left
 * threads in calls, nor if a GPU's memory access fault ended it, wherever its threads were.
 */
static bool matters(const struct analysis *analysis, const struct open_row *row)
{
	return (!row->open.ended || !ended_well(analysis)) && !had_fault(analysis, row->process);
}

static bool is_only_one(const GPtrArray *rows, const struct open_row *row)
{
	unsigned count = 0;

	for (guint i = 0; i < rows->len; i++)
		count += ((const struct open_row *)rows->pdata[i])->process == row->process;
	return count == 1;
}

/* Returns true if no call may get this memory. */
static bool is_bad(const struct open_place *place)
{
	return place->address && place->kind != PLACE_ALLOCATION && is_told(place);
}

/*
 * Returns true if the thread died in the call. Another thread may have crashed, also one of the
 * runtime's.
 */
static bool died_in(const struct analysis *analysis, const struct open_row *row)
{
	return crashed(analysis) && !row->open.ended &&
	       is_only_one(open_calls_result(&analysis->findings), row) &&
	       (is_bad(&row->to) || is_bad(&row->from));
}

static void append_call(GString *text, const struct analysis *analysis, const struct open_row *row)
{
	char *name =
	    row->open.call.kernel_id ? kernel_name(row->process, row->open.call.kernel_id) : NULL;
	const struct hg_open_call *call = &row->open.call;
	char *place = call->stack_id
			  ? stack_place(analysis->symbolizer, row->process, call->stack_id)
			  : return_place(analysis->symbolizer, row->process, call->caller);

	g_string_append(text, hg_api_name((unsigned)row->open.call.state));
	if (name)
		g_string_append_printf(text, " of %s", name);
	if (place)
		g_string_append_printf(text, " at %s", place);
	g_free(place);
	g_free(name);
}

/*
 * Appends "hipMemcpy at FILE:LINE: its source 0x... is in freed memory ...", and what the call may
 * wait for.
 */
static void append_phrase(GString *text, const struct analysis *analysis,
			  const struct open_row *row, bool died)
{
	append_call(text, analysis, row);
	append_sides(text, analysis, row);
	if (!died)
		append_launches(text, analysis, row);
}

static char *sentence(const struct analysis *analysis, const struct open_row *row, bool died)
{
	char *thread = thread_name(row->process, row->tid);
	GString *text = g_string_new(NULL);
	int64_t end_ns = analysis->facts.end_ns;

	g_string_printf(text, "process %d, %s, %s in ", row->process->pid, thread,
			died ? "died" : "was");
	g_free(thread);
	append_phrase(text, analysis, row, died);
	if (!died && end_ns > row->ns)
		g_string_append_printf(text, "; called %.1f s before the recording ended",
				       (double)(end_ns - row->ns) / 1e9);
	return g_string_free(text, FALSE);
}

void add_open_calls(const struct analysis *analysis, GPtrArray *lines)
{
	const GPtrArray *rows = open_calls_result(&analysis->findings);
	unsigned told = 0, left_out = 0;

	for (guint i = 0; i < rows->len; i++) {
		const struct open_row *row = rows->pdata[i];

		if (!matters(analysis, row))
			continue;
		if (told++ < SENTENCES_MOST)
			g_ptr_array_add(lines, sentence(analysis, row, died_in(analysis, row)));
		else
			left_out++;
	}
	if (left_out)
		g_ptr_array_add(lines, g_strdup_printf("%u more threads were in calls", left_out));
	if (analysis->stats.unpublished && !ended_well(analysis)) {
		g_ptr_array_add(
		    lines,
		    g_strdup_printf("threads that could not publish their calls (more than %u, "
				    "or a full disk): %" PRIu64 "; whether these "
				    "returned is unknown",
				    HG_OPEN_CALLS_SLOTS, analysis->stats.unpublished));
	}
}

/* ---- JSON ---- */

static struct json_object *json_side(const struct analysis *analysis, const struct open_row *row,
				     const struct open_place *place)
{
	const struct memory_there there = memory_of(row, place);
	struct json_object *object = json_object_new_object();
	GString *where = g_string_new(NULL);

	append_memory(where, analysis, &there);
	put(object, "side", text_value(side_of(row, place)));
	put(object, "address", json_address(place->address));
	put(object, "freed", json_object_new_boolean(place->freed));
	put(object, "where", text_value(where->str));
	put_allocation(object, analysis, row->process, place->allocation);
	g_string_free(where, TRUE);
	return object;
}

static struct json_object *json_kernel(const struct process *process, uint32_t id)
{
	char *name = id ? kernel_name(process, id) : NULL;
	struct json_object *value = text_or_null(name);

	g_free(name);
	return value;
}

static void put_stream_name(struct json_object *object, const struct open_row *row, uint64_t handle)
{
	char *name = stream_text(row, handle);

	put(object, "stream_name", handle ? text_value(name) : NULL);
	g_free(name);
}

static struct json_object *json_launch(const struct analysis *analysis, const struct open_row *row,
				       const struct open_launch *launch)
{
	struct json_object *object = json_object_new_object();

	put(object, "kernel", json_kernel(row->process, launch->kernel_id));
	put(object, "stream", json_address(launch->stream));
	put_stream_name(object, row, launch->stream);
	put(object, "count", json_object_new_int64(launch->count));
	put(object, "time_ns", json_object_new_int64(launch->ns));
	put(object, "stack", json_stack(analysis, row->process, launch->stack_id));
	return object;
}

static struct json_object *json_row(const struct analysis *analysis, const struct open_row *row)
{
	struct json_object *object = json_object_new_object();
	struct json_object *memory = json_object_new_array(), *launches = json_object_new_array();
	const struct hg_open_call *call = &row->open.call;
	GString *text = g_string_new(NULL);

	append_phrase(text, analysis, row, false);
	put(object, "pid", json_object_new_int(row->process->pid));
	put(object, "thread", json_object_new_int(row->tid));
	put(object, "program", text_value(row->open.program));
	put(object, "call", text_value(hg_api_name((unsigned)call->state)));
	put(object, "time_ns", json_object_new_int64(row->ns));
	put(object, "process_ended", json_object_new_boolean(row->open.ended));
	put(object, "kernel", json_kernel(row->process, call->kernel_id));
	put(object, "stream", json_address(call->stream));
	put_stream_name(object, row, call->stream);
	put(object, "event", json_address(call->event));
	put(object, "size", json_object_new_int64((int64_t)MIN(call->size, (uint64_t)INT64_MAX)));
	put(object, "stack", json_stack(analysis, row->process, call->stack_id));
	if (is_told(&row->to))
		json_object_array_add(memory, json_side(analysis, row, &row->to));
	if (is_told(&row->from))
		json_object_array_add(memory, json_side(analysis, row, &row->from));
	put(object, "memory", memory);
	for (guint i = 0; i < row->launches->len; i++) {
		json_object_array_add(
		    launches, json_launch(analysis, row,
					  &g_array_index(row->launches, struct open_launch, i)));
	}
	put(object, "launches", launches);
	put(object, "text", text_value(text->str));
	g_string_free(text, TRUE);
	return object;
}

struct json_object *json_open_calls(const struct analysis *analysis)
{
	const GPtrArray *rows = open_calls_result(&analysis->findings);
	struct json_object *array = json_object_new_array();

	for (guint i = 0; i < rows->len; i++)
		json_object_array_add(array, json_row(analysis, rows->pdata[i]));
	return array;
}
