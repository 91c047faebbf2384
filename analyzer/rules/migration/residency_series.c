/* SPDX-License-Identifier: Apache-2.0 */
/* Series of samples and moves of each allocation, thinned where they become long. */
#include "residency_series.h"

#include "tracer/events/ev_residency.h"

static void free_series(gpointer data)
{
	struct residency_series *series = data;

	allocation_unref(series->allocation);
	g_array_free(series->samples, TRUE);
	g_array_free(series->moves, TRUE);
	g_free(series);
}

static const struct attachment_list_type result_type = ATTACHMENT_LIST(free_series);

GPtrArray *residency_result(const struct findings *findings)
{
	return findings_list(findings, &result_type);
}

/* The allocation's, made if there is none; NULL: there are too many. */
static struct residency_series *series_of(const struct rules_context *context,
					  struct allocation *allocation)
{
	GPtrArray *all = residency_result(context->findings);
	struct residency_series *series;

	for (unsigned i = all->len; i > 0; i--) {
		series = all->pdata[i - 1];
		if (series->allocation == allocation)
			return series;
	}
	if (all->len == RESIDENCY_SERIES) {
		findings_limit(
		    context->findings,
		    "memory location over time is reported for the first %u allocations only",
		    RESIDENCY_SERIES);
		return NULL;
	}
	series = g_new0(struct residency_series, 1);
	series->process = context->process;
	series->allocation = allocation_ref(allocation);
	series->samples = g_array_new(FALSE, FALSE, sizeof(struct residency_sample));
	series->moves = g_array_new(FALSE, FALSE, sizeof(struct residency_move));
	g_ptr_array_add(all, series);
	return series;
}

/* Every other point; the first stays. */
static void thin(GArray *points)
{
	if (points->len < RESIDENCY_POINTS)
		return;
	for (unsigned i = points->len - 1; i > 0; i--)
		if (i % 2)
			g_array_remove_index(points, i);
}

void note_residency(const struct rules_context *context)
{
	const struct hg_ev_residency *event = context->event->residency;
	struct allocation *allocation =
	    address_space_find(&context->process->space, event->ptr, NULL);
	struct residency_series *series = allocation ? series_of(context, allocation) : NULL;
	struct residency_sample sample = {
		.ns = context->event->ns,
		.looked = event->looked,
		.on_host = event->on_host,
		.away = event->away,
		.swapped = event->swapped,
		.node = event->node,
		.last_prefetch = event->last_prefetch,
	};

	if (event->left_out) {
		findings_limit(
		    context->findings,
		    "process %d had more allocations than are sampled for page locations",
		    context->process->pid);
	}
	if (series) {
		thin(series->samples);
		g_array_append_val(series->samples, sample);
	}
}

void residency_moved(const struct rules_context *context, struct allocation *allocation,
		     bool to_device, uint64_t bytes, int64_t ns)
{
	struct residency_series *series = series_of(context, allocation);
	struct residency_move move = { .ns = ns };

	if (!series)
		return;
	if (series->moves->len) {
		move.on_device =
		    g_array_index(series->moves, struct residency_move, series->moves->len - 1)
			.on_device;
	}
	/* Pages that were on the device before the recording may leave it. */
	move.on_device =
	    to_device ? move.on_device + bytes : move.on_device - MIN(bytes, move.on_device);
	thin(series->moves);
	g_array_append_val(series->moves, move);
}
