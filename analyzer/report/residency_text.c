/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where allocations were over time: as JSON, from which the page draws, and as CSV. */
#include "analyzer/rules/migration/residency_series.h"

#include "analyzer/rules/engine/finding_ranges.h"
#include "json_values.h"
#include "report.h"

static struct json_object *number(int64_t value)
{
	return json_object_new_int64(value);
}

static struct json_object *location(int32_t place)
{
	return place == HG_MEMORY_UNKNOWN ? NULL : json_object_new_int(place);
}

/* Returns the samples. Their times count from the recording's first event. */
static struct json_object *samples(const struct analysis *analysis, const GArray *from)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < from->len; i++) {
		const struct residency_sample *sample =
		    &g_array_index(from, struct residency_sample, i);
		struct json_object *object = json_object_new_object();

		put(object, "ns", number(MAX(sample->ns - analysis->began_ns, 0)));
		put(object, "looked", number((int64_t)sample->looked));
		put(object, "on_host", number((int64_t)sample->on_host));
		put(object, "away", number((int64_t)sample->away));
		put(object, "swapped", number((int64_t)sample->swapped));
		put(object, "node", sample->node < 0 ? NULL : json_object_new_int(sample->node));
		put(object, "last_prefetch", location(sample->last_prefetch));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *moves(const struct analysis *analysis, const GArray *from)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < from->len; i++) {
		const struct residency_move *move = &g_array_index(from, struct residency_move, i);
		struct json_object *object = json_object_new_object();

		put(object, "ns", number(MAX(move->ns - analysis->began_ns, 0)));
		put(object, "on_device", number((int64_t)move->on_device));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *one_series(const struct analysis *analysis,
				      const struct residency_series *series)
{
	const struct allocation *allocation = series->allocation;
	char address[32];
	struct json_object *object = json_object_new_object();

	g_snprintf(address, sizeof(address), "0x%" G_GINT64_MODIFIER "x", allocation->ptr);
	put(object, "pid", json_object_new_int(series->process->pid));
	put(object, "address", text_value(address));
	put_allocation(object, analysis, series->process, allocation);
	put(object, "samples", samples(analysis, series->samples));
	put(object, "moves", moves(analysis, series->moves));
	return object;
}

struct json_object *json_residency(const struct analysis *analysis)
{
	const GPtrArray *all = residency_result(&analysis->findings);
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < all->len; i++)
		json_object_array_add(list, one_series(analysis, all->pdata[i]));
	return list;
}

void write_residency_csv(const struct analysis *analysis, FILE *stream)
{
	const GPtrArray *all = residency_result(&analysis->findings);

	fputs("pid,api,address,size,ns,source,looked_bytes,on_host_bytes,away_bytes,swapped_bytes,"
	      "on_device_bytes\r\n",
	      stream);
	for (unsigned i = 0; i < all->len; i++) {
		const struct residency_series *series = all->pdata[i];
		const struct allocation *allocation = series->allocation;
		char *head;

		if (!range_path_selected(allocation->range))
			continue;
		head = g_strdup_printf("%d,%s,0x%" G_GINT64_MODIFIER "x,%" G_GUINT64_FORMAT,
				       series->process->pid, hg_api_name(allocation->api),
				       allocation->ptr, allocation->size);
		for (unsigned k = 0; k < series->samples->len; k++) {
			const struct residency_sample *sample =
			    &g_array_index(series->samples, struct residency_sample, k);

			fprintf(stream,
				"%s,%" G_GINT64_FORMAT ",page table,%" G_GUINT64_FORMAT
				",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
				",\r\n",
				head, MAX(sample->ns - analysis->began_ns, 0), sample->looked,
				sample->on_host, sample->away, sample->swapped);
		}
		for (unsigned k = 0; k < series->moves->len; k++) {
			const struct residency_move *move =
			    &g_array_index(series->moves, struct residency_move, k);

			fprintf(stream,
				"%s,%" G_GINT64_FORMAT ",driver,,,,,%" G_GUINT64_FORMAT "\r\n",
				head, MAX(move->ns - analysis->began_ns, 0), move->on_device);
		}
		g_free(head);
	}
}
