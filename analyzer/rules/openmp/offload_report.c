/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about transfers of OpenMP: HG504, HG505, HG803, HG804. */
#include "offload_report.h"
#include "analyzer/rules/engine/evidence.h"

#include "analyzer/rules/ids/hg5xx.h"
#include "analyzer/rules/ids/hg8xx.h"

static char *bytes_text(const struct range *range)
{
	char *place = place_text(&range->place), *text;

	if (range->place.kind == PLACE_ALLOCATION && range->place.allocation->size == range->size)
		return place;
	text = g_strdup_printf("%" G_GUINT64_FORMAT " bytes of %s", range->size, place);
	g_free(place);
	return text;
}

static struct finding *report(const struct rules_context *context, enum rule_id rule,
			      const struct range *range, uint32_t stack_id, int64_t ns,
			      uint64_t count, bool *is_new)
{
	struct finding *finding =
	    findings_get(context->findings, rule, context->process, is_new,
			 "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
			 offload_code(context->process, stack_id), stack_id ? 0 : range->host);

	finding->of_line = true;
	finding_hit(finding, ns, stack_id);
	/* Messages name the device and the memory. */
	finding_detail(finding, (range->host << 8) ^ range->size ^ (unsigned)range->device);
	if (*is_new) {
		struct site *site = &g_array_index(finding->sites, struct site, 0);

		finding->count = site->count = count;
		finding_set_place(finding, &range->place, range->host);
	}
	return finding;
}

void offload_unused(const struct process_offload *process, const struct rules_context *context,
		    const struct range *range, const struct pending *pending, const char *what)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (!range || pending->size < OMP_SIZE || !offload_sees_kernels(process) ||
	    pending->kernels != offload_kernels(process))
		return;
	finding = report(context, RULE_HG505, range, pending->stack_id, pending->ns, 1, &is_new);
	if (!is_new)
		return;
	bytes = bytes_text(range);
	finding->absence = ABSENCE_BETWEEN;
	finding->message =
	    g_strdup_printf("the construct copies %s to device %d, where the copy is %s before any "
			    "target region runs.",
			    bytes, range->device, what);
	finding->fix = g_strdup(
	    "omit the transfer: map(alloc:), or no map at all, where no region reads the bytes");
	g_free(bytes);
}

void offload_repeat(const struct process_offload *process, const struct rules_context *context,
		    const struct transfer *transfer)
{
	bool returned = transfer->latest == DOWNLOAD;
	bool is_new,
	    certain = offload_sees_kernels(process) && transfer->copy_kernels == transfer->kernels;
	struct finding *finding;
	char *bytes;

	/* After a download a kernel may have changed what the host has not. */
	if (transfer->range->size < OMP_SIZE || (returned && !certain))
		return;
	finding = report(context, returned ? RULE_HG504 : RULE_HG505, transfer->range,
			 transfer->stack_id, transfer->ns, 1, &is_new);
	finding->unneeded += transfer->range->size;
	if (!is_new)
		return;
	bytes = bytes_text(transfer->range);
	finding->message = g_strdup_printf(
	    returned
		? "the construct copies %s to device %d, which had just sent the same bytes: "
		  "neither the host nor a target region changed them."
		: "the construct copies %s to device %d, which had received the same bytes before.",
	    bytes, transfer->range->device);
	finding->fix = g_strdup("omit the update: the device has the bytes");
	if (!certain) {
		finding->least_count = OMP_REPEATS;
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"a target region in between may have changed the device's copy");
	}
	g_free(bytes);
}

void offload_fetched_again(const struct process_offload *process,
			   const struct rules_context *context, const struct transfer *transfer)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (transfer->range->size < OMP_SIZE || !offload_sees_kernels(process) ||
	    transfer->copy_kernels != transfer->kernels)
		return;
	finding = report(context, RULE_HG505, transfer->range, transfer->stack_id, transfer->ns, 1,
			 &is_new);
	if (!is_new)
		return;
	bytes = bytes_text(transfer->range);
	finding->message = g_strdup_printf("the construct copies %s back from device %d, from "
					   "which the host had received the same bytes before.",
					   bytes, transfer->range->device);
	finding->fix = g_strdup("omit one of the transfers: no target region runs in between");
	finding_at_most(
	    finding, CONFIDENCE_LIKELY,
	    "the host may have changed its own bytes in between, and need them restored");
	g_free(bytes);
}

/* ---- after the last event ---- */

/* Reports HG803. */
static void finish_construct(const struct rules_context *context, const struct construct *construct)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (construct->same || !construct->largest ||
	    (construct->repeats < OMP_REPEATS &&
	     (construct->uploads || construct->copies < OMP_ALLOCATIONS)))
		return;
	finding = report(context, RULE_HG803, construct->largest, construct->stack_id,
			 construct->first_ns,
			 construct->repeats ? construct->repeats : construct->copies, &is_new);
	finding_figure(finding, 0, FIGURE_SUM, construct->runs);
	finding_figure(finding, 1, FIGURE_SUM,
		       construct->repeats ? construct->repeats : construct->copies);
	finding_figure(finding, 2, FIGURE_SUM, construct->uploads);
	finding_figure(finding, 3, FIGURE_SUM, construct->repeated_bytes);
	if (!is_new)
		return;
	bytes = bytes_text(construct->largest);
	if (construct->repeats) {
		finding->message = g_strdup_printf(
		    "the construct ran %s times and mapped the same host memory anew each time "
		    "(the largest: %s): %s of %s transfers to device %d carried bytes that it had "
		    "held before, %s bytes in all.",
		    FIGURE(0), bytes, FIGURE(1), FIGURE(2), construct->largest->device, FIGURE(3));
	} else {
		finding->message = g_strdup_printf(
		    "the construct ran %s times, and %s times allocated and deleted a copy of host "
		    "memory that had a copy on device %d before (the largest: %s).",
		    FIGURE(0), FIGURE(1), construct->largest->device, bytes);
	}
	finding->fix = g_strdup(
	    "map the memory once around the loop, with a target data region or with target enter "
	    "data and target exit data; use target update where the host changes it in between");
	g_free(bytes);
}

/* Reports HG804. */
static void finish_trip(const struct rules_context *context, const struct return_trip *trip)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (!trip->unchanged || trip->changed)
		return;
	finding = report(context, RULE_HG804, trip->range, trip->construct->stack_id,
			 trip->first_ns, trip->unchanged, &is_new);
	finding_figure(finding, 0, FIGURE_SUM, trip->unchanged);
	if (!is_new) {
		finding->count += trip->unchanged - 1;
		return;
	}
	bytes = bytes_text(trip->range);
	finding->message =
	    g_strdup_printf("the construct copies %s to device %d and back, and the bytes come "
			    "back unchanged (each of %s times): no target region changed them.",
			    bytes, trip->range->device, FIGURE(0));
	finding->fix = g_strdup("map it with map(to:) where regions only read it; an array without "
				"a map clause is mapped tofrom");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"that regions never change it is known for this run only");
	g_free(bytes);
}

/* Notes for HG807, which is no finding, what explains that there are none about transfers. */
static void finish_in_place(const struct rules_context *context,
			    const struct process_offload *process)
{
	if (!process->kernels || process->operations || !process->regions ||
	    !(process->callbacks & ((uint64_t)1 << 34 | (uint64_t)1 << 9)))
		return;
	findings_note(context->findings,
		      "%" G_GUINT64_FORMAT
		      " OpenMP target region%s ran and nothing was copied to a "
		      "device: the host's memory is used in place (unified shared memory, or zero "
		      "copy on an APU)",
		      process->regions, process->regions == 1 ? "" : "s");
}

static gint compare_constructs(gconstpointer a, gconstpointer b)
{
	const struct construct *left = *(struct construct *const *)a;
	const struct construct *right = *(struct construct *const *)b;

	return left->first_ns < right->first_ns ? -1 : left->first_ns > right->first_ns;
}

static gint compare_trips(gconstpointer a, gconstpointer b)
{
	const struct return_trip *left = *(struct return_trip *const *)a;
	const struct return_trip *right = *(struct return_trip *const *)b;

	if (left->range->size != right->range->size)
		return left->range->size > right->range->size ? -1 : 1;
	return left->first_ns < right->first_ns ? -1 : left->first_ns > right->first_ns;
}

static GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare)
{
	GPtrArray *values = g_ptr_array_new();
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, table);
	while (g_hash_table_iter_next(&iterator, NULL, &value))
		g_ptr_array_add(values, value);
	g_ptr_array_sort(values, compare);
	return values;
}

static void finish_contents(const struct rules_context *context,
			    const struct process_offload *process)
{
	if (process->unread) {
		findings_note(context->findings,
			      "%" G_GUINT64_FORMAT
			      " OpenMP transfer%s were not compared with others, because reading "
			      "what they carry would have taken too long (HIPGRAIN_OMP_CONTENTS=2 "
			      "reads all)",
			      process->unread, process->unread == 1 ? "" : "s");
	}
}

void offload_finish_process(struct process_offload *process, const struct rules_context *context)
{
	GPtrArray *constructs = sorted_values(process->constructs, compare_constructs), *trips;

	offload_unite(process, constructs);
	trips = sorted_values(process->trips, compare_trips);

	for (unsigned i = 0; i < constructs->len; i++)
		finish_construct(context, constructs->pdata[i]);
	for (unsigned i = 0; i < trips->len; i++)
		finish_trip(context, trips->pdata[i]);
	finish_in_place(context, process);
	finish_contents(context, process);
	g_ptr_array_free(constructs, TRUE);
	g_ptr_array_free(trips, TRUE);
}
