/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of the program: pushed ones nest on a row of their thread ("B", "E"), started ones are
 * asynchronous events, marks are instants.
 */
#include "chrome.h"

#include "analyzer/replay/thread_names.h"
#include "json_values.h"

/* Numbers of ranges are those of a process, and of a source. */
static struct json_object *range_id(const struct range_step *step)
{
	struct json_object *object = json_object_new_object();
	char *text = g_strdup_printf("%u-%" G_GINT64_MODIFIER "x", step->source, step->id);

	put(object, "local", text_value(text));
	g_free(text);
	return object;
}

static void add_range(struct chrome_trace *trace, const struct range_step *step, const char *phase)
{
	char *key = g_strdup_printf("ranges %p %d", (const void *)step->process, step->tid);
	char *thread = thread_name(step->process, step->tid);
	char *name = g_strdup_printf("%s ranges", thread);
	int row = chrome_row(trace, step->process->pid, key, name);
	struct json_object *object =
	    chrome_event(trace, phase, step->name, step->process->pid, row);

	put(object, "ts", chrome_moment(trace, step->ns));
	put(object, "cat", json_object_new_string("range"));
	if (step->kind == HG_RANGE_START || step->kind == HG_RANGE_STOP)
		put(object, "id2", range_id(step));
	if (step->kind == HG_RANGE_MARK)
		put(object, "s", json_object_new_string("t"));
	g_free(name);
	g_free(thread);
	g_free(key);
}

void chrome_ranges(struct chrome_trace *trace)
{
	static const char *const phases[] = { [HG_RANGE_PUSH] = "B",
					      [HG_RANGE_POP] = "E",
					      [HG_RANGE_START] = "b",
					      [HG_RANGE_STOP] = "e",
					      [HG_RANGE_MARK] = "i" };
	const GArray *ranges = trace->overview->ranges;

	for (unsigned i = 0; i < ranges->len; i++) {
		const struct range_step *step = &g_array_index(ranges, struct range_step, i);

		add_range(trace, step, phases[step->kind]);
	}
}
