/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that advised or prefetched memory, and the migrations of its pages, as sentences. */
#include "history.h"

#include <stdlib.h>

#include "analyzer/isa/disasm.h"
#include "analyzer/replay/thread_names.h"
#include "json_values.h"

#define PAGE 4096u

static const struct {
	const char *name, *text;
} causes[MIGRATION_TRIGGERS] = {
	[MIGRATION_PREFETCH] = { "prefetch", "prefetched" },
	[MIGRATION_GPU_FAULT] = { "gpu_fault", "GPU faults" },
	[MIGRATION_CPU_FAULT] = { "cpu_fault", "host faults" },
	[MIGRATION_EVICTION] = { "eviction", "because GPU memory was full" },
};

const char *move_cause_name(enum migration_trigger trigger)
{
	return causes[trigger].name;
}

const char *move_cause_text(enum migration_trigger trigger)
{
	return causes[trigger].text;
}

/* ---- in words ---- */

static const struct source_frame *frame_of(const struct analysis *analysis,
					   const struct process *process, uint32_t stack_id)
{
	return stack_user_frame(analysis->symbolizer, process, stack_id);
}

char *move_call_text(const struct analysis *analysis, const struct process *process,
		     const struct migration_call *call)
{
	const struct source_frame *frame = frame_of(analysis, process, call->stack_id);
	const char *name = hg_api_name(call->api);

	if (frame && frame->file)
		return g_strdup_printf("%s at %s:%u", name, frame->file, frame->line);
	return g_strdup(name);
}

static char *place_text_of(int32_t place)
{
	return place < 0 ? g_strdup("the host") : g_strdup_printf("device %d", place);
}

/* The advice or prefetch and its place; the caller frees. */
static char *advice_text(const struct analysis *analysis, const struct process *process,
			 const struct migration_advice *advice)
{
	char *call = move_call_text(analysis, process, &advice->call);
	char *target = advice->node < 0 ? place_text_of(advice->target)
					: g_strdup_printf("NUMA node %d of the host", advice->node);
	const char *name = migration_advice_name(advice->advice);
	char *thread = thread_name(process, advice->call.tid), *text;

	if (advice->advice < 0) {
		text = g_strdup_printf("%s: %s: %" G_GUINT64_FORMAT
				       " bytes from offset %" G_GUINT64_FORMAT " on to %s",
				       thread, call, advice->size, advice->offset, target);
	} else {
		text = g_strdup_printf("%s: %s: %s (%d) for %" G_GUINT64_FORMAT
				       " bytes from offset %" G_GUINT64_FORMAT " on, %s",
				       thread, call, name ? name : "advice", advice->advice,
				       advice->size, advice->offset, target);
	}
	g_free(thread);
	g_free(call);
	g_free(target);
	return text;
}

/* Returns the demangled name, which free() frees, or NULL if it is not known. */
static char *kernel_name(const struct process *process, uint32_t kernel_id)
{
	const struct kernel_ref *kernel = kernel_id ? process_kernel(process, kernel_id) : NULL;

	return kernel ? isa_demangle(kernel->symbol) : NULL;
}

char *move_span_text(const struct analysis *analysis, const struct migration_span *span)
{
	char *from = place_text_of(span->from), *to = place_text_of(span->to);
	char *kernel = kernel_name(span->process, span->kernel_id);
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT " pages moved from %s to %s (%s)",
			span->bytes / PAGE, from, to, move_cause_text(span->trigger));
	if (span->moves > 1) {
		g_string_append_printf(text, " in %" G_GUINT64_FORMAT " moves until %.6f s",
				       span->moves,
				       (double)(span->last_ns - analysis->began_ns) / 1e9);
	}
	if (kernel) {
		g_string_append_printf(text, ", for the launch of %s at %.6f s", kernel,
				       (double)(span->launch_ns - analysis->began_ns) / 1e9);
	}
	if (span->before.api) {
		char *call = move_call_text(analysis, span->process, &span->before);

		g_string_append_printf(text, ", after %s", call);
		g_free(call);
	}
	free(kernel);
	g_free(from);
	g_free(to);
	return g_string_free(text, FALSE);
}

static void clear_fact(gpointer data)
{
	g_free(((struct history_fact *)data)->text);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const struct history_fact *first = a, *second = b;

	return (first->ns > second->ns) - (first->ns < second->ns);
}

GArray *history_facts(const struct analysis *analysis, const struct process *process,
		      const struct migration_history *history)
{
	GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct history_fact));

	g_array_set_clear_func(facts, clear_fact);
	for (unsigned i = 0; i < history->calls->len; i++) {
		const struct migration_advice *advice =
		    &g_array_index(history->calls, struct migration_advice, i);
		struct history_fact fact = { advice->ns, advice_text(analysis, process, advice) };

		g_array_append_val(facts, fact);
	}
	for (unsigned i = 0; i < MIN(history->moves->len, HISTORY_MOVES); i++) {
		const struct migration_span *span = history->moves->pdata[i];
		struct history_fact fact = { span->first_ns, move_span_text(analysis, span) };

		g_array_append_val(facts, fact);
	}
	g_array_sort(facts, by_time);
	return facts;
}

/* ---- when the host faulted ---- */

/* Returns true if the next inner frame is a part of the `i`th one from the outermost. */
static bool is_inlined_below(const GPtrArray *frames, unsigned i)
{
	const struct source_frame *outer = frames->pdata[frames->len - i], *inner;

	if (i == frames->len)
		return false;
	inner = frames->pdata[frames->len - i - 1];
	return inner->offset == outer->offset;
}

const char *move_phase_function(const struct analysis *analysis, const struct process *process,
				const struct migration_phase *phase)
{
	const GPtrArray *before, *after;
	const char *function = NULL;

	if (!phase->before.stack_id || !phase->after.stack_id ||
	    phase->before.tid != phase->after.tid)
		return NULL;
	before = symbolize_stack(analysis->symbolizer, process, phase->before.stack_id);
	after = symbolize_stack(analysis->symbolizer, process, phase->after.stack_id);
	for (unsigned i = 1; i <= MIN(before->len, after->len); i++) {
		const struct source_frame *a = before->pdata[before->len - i];
		const struct source_frame *b = after->pdata[after->len - i];

		if (a->function && g_strcmp0(a->function, b->function) == 0 &&
		    g_strcmp0(a->module, b->module) == 0)
			function = a->file ? a->function : function;
		else if (function)
			break;
		/* From here on they are in different calls. */
		if (function && a->offset != b->offset &&
		    (a->line != b->line || !is_inlined_below(before, i) ||
		     !is_inlined_below(after, i)))
			break;
	}
	return function;
}

char *move_phase_text(const struct analysis *analysis, const struct process *process,
		      const struct migration_phase *phase)
{
	const char *function = move_phase_function(analysis, process, phase);
	GString *text = g_string_new(NULL);
	char *call, *thread;

	if (phase->within) {
		call = move_call_text(analysis, process, &phase->before);
		thread = thread_name(process, phase->before.tid);
		g_string_printf(text, "during %s, %s", call, thread);
		g_free(thread);
		g_free(call);
		return g_string_free(text, FALSE);
	}
	if (function)
		g_string_append_printf(text, "in %s, ", function);
	call = phase->before.api ? move_call_text(analysis, process, &phase->before) : NULL;
	g_string_append_printf(text, call ? "after %s" : "before any call", call);
	g_free(call);
	if (phase->after.api) {
		call = move_call_text(analysis, process, &phase->after);
		g_string_append_printf(text, " and before %s%s", call,
				       phase->several_after ? " or another call" : "");
		g_free(call);
	}
	if (phase->before.api && phase->before.tid == phase->after.tid) {
		thread = thread_name(process, phase->before.tid);
		g_string_append_printf(text, ", both of %s", thread);
		g_free(thread);
	} else if (phase->before.api && phase->after.api) {
		g_string_append_printf(text, ", of threads %d and %d", phase->before.tid,
				       phase->after.tid);
	}
	return g_string_free(text, FALSE);
}

/* ---- JSON ---- */

struct json_object *json_move_call(const struct analysis *analysis, const struct process *process,
				   const struct migration_call *call)
{
	const struct source_frame *frame = frame_of(analysis, process, call->stack_id);
	struct json_object *object;

	if (!call->api)
		return NULL;
	object = json_object_new_object();
	put(object, "api", text_or_null(hg_api_name_if_known(call->api)));
	put(object, "tid", json_object_new_int(call->tid));
	put(object, "function", text_or_null(frame ? frame->function : NULL));
	put(object, "file", text_or_null(frame ? frame->file : NULL));
	put(object, "line", frame && frame->file ? json_object_new_int64(frame->line) : NULL);
	return object;
}

/* Returns a time, which counts from the recording's first event. */
static struct json_object *moment(const struct analysis *analysis, int64_t ns)
{
	return json_object_new_int64(MAX(ns - analysis->began_ns, 0));
}

static struct json_object *json_advice(const struct analysis *analysis,
				       const struct process *process,
				       const struct migration_advice *advice)
{
	struct json_object *object = json_object_new_object();

	put(object, "ns", moment(analysis, advice->ns));
	put(object, "call", json_move_call(analysis, process, &advice->call));
	put(object, "advice",
	    advice->advice < 0 ? NULL : text_or_null(migration_advice_name(advice->advice)));
	put(object, "number", advice->advice < 0 ? NULL : json_object_new_int(advice->advice));
	put(object, "target", json_object_new_int(advice->target));
	put(object, "node", advice->node < 0 ? NULL : json_object_new_int(advice->node));
	put(object, "offset", json_object_new_int64((int64_t)advice->offset));
	put(object, "size", json_object_new_int64((int64_t)advice->size));
	return object;
}

static struct json_object *json_span(const struct analysis *analysis,
				     const struct migration_span *span)
{
	struct json_object *object = json_object_new_object();
	char *kernel = kernel_name(span->process, span->kernel_id);

	put(object, "ns", moment(analysis, span->first_ns));
	put(object, "end_ns", moment(analysis, span->last_ns));
	put(object, "cause", text_value(move_cause_name(span->trigger)));
	put(object, "from", json_object_new_int(span->from));
	put(object, "to", json_object_new_int(span->to));
	put(object, "bytes", json_object_new_int64((int64_t)span->bytes));
	put(object, "moves", json_object_new_int64((int64_t)span->moves));
	put(object, "kernel", text_or_null(kernel));
	put(object, "launch_ns", span->kernel_id ? moment(analysis, span->launch_ns) : NULL);
	put(object, "after", json_move_call(analysis, span->process, &span->before));
	free(kernel);
	return object;
}

struct json_object *json_move_history(const struct analysis *analysis,
				      const struct process *process,
				      const struct migration_history *history)
{
	struct json_object *object, *calls, *moves;
	unsigned shown;

	if (!history)
		return NULL;
	shown = MIN(history->moves->len, HISTORY_MOVES);
	object = json_object_new_object();
	calls = json_object_new_array();
	moves = json_object_new_array();
	for (unsigned i = 0; i < history->calls->len; i++) {
		json_object_array_add(
		    calls, json_advice(analysis, process,
				       &g_array_index(history->calls, struct migration_advice, i)));
	}
	for (unsigned i = 0; i < shown; i++)
		json_object_array_add(moves, json_span(analysis, history->moves->pdata[i]));
	put(object, "calls", calls);
	put(object, "moves", moves);
	put(object, "left_out",
	    json_object_new_int64((int64_t)(history->left_out + history->moves->len - shown)));
	return object;
}
