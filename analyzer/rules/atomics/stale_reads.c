/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stale reads that the software GPU saw (gpu_stale_read): a load got older data than another
 * work-group had stored. Machine code alone cannot tell whether work-groups on different XCDs take
 * part in a handover (HG114); such a read shows it.
 */
#include "handovers.h"

#include <string.h>

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"

/* The recorder reports fewer (kernels/softgpu/interp/stale.c). */
#define STALE_MOST 256u

/* ---- what a finding of HG114 is about ---- */

struct handed_over {
	char *writer, *reader; /* symbols of the kernels */
	int64_t store, load;   /* bytes from their entries */
};

static void clear_handed_over(void *data)
{
	struct handed_over *handed = data;

	g_free(handed->writer);
	g_free(handed->reader);
}

static const struct attachment_type handed_over_type = { sizeof(struct handed_over), NULL,
							 clear_handed_over };

void handover_remember(struct finding *finding, const struct isa_kernel *writer, int64_t store,
		       const struct isa_kernel *reader, int64_t load)
{
	struct handed_over *handed = attachment_get(&finding->evidence, &handed_over_type);

	clear_handed_over(handed);
	*handed =
	    (struct handed_over){ g_strdup(writer->symbol), g_strdup(reader->symbol), store, load };
}

/* ---- what was seen ---- */

struct stale_read {
	char *reader, *writer;
	int64_t load, store;
	uint64_t seed;
	struct allocation *allocation; /* a reference, or NULL */
};

static void clear_reads(void *data)
{
	GArray **reads = data;

	for (unsigned i = 0; *reads && i < (*reads)->len; i++) {
		struct stale_read *read = &g_array_index(*reads, struct stale_read, i);

		g_free(read->reader);
		g_free(read->writer);
		allocation_unref(read->allocation);
	}
	g_clear_pointer(reads, g_array_unref);
}

static const struct attachment_type reads_type = { sizeof(GArray *), NULL, clear_reads };

static void keep(const struct rules_context *context, GArray **reads)
{
	const struct hg_ev_call *event = context->event->call;
	const char *space = strchr(event->text, ' ');
	struct place place;

	if (event->api != HG_API_gpu_stale_read || !space || space == event->text || !space[1] ||
	    (*reads && (*reads)->len == STALE_MOST))
		return;
	if (!*reads)
		*reads = g_array_new(FALSE, FALSE, sizeof(struct stale_read));
	place = process_place(context->process, event->ptr);
	g_array_append_val(
	    *reads,
	    ((struct stale_read){ .reader = g_strndup(event->text, (gsize)(space - event->text)),
				  .writer = g_strdup(space + 1),
				  .load = (int64_t)event->flags,
				  .store = (int64_t)event->value,
				  .seed = event->size,
				  .allocation = place.kind == PLACE_ALLOCATION
						    ? allocation_ref(place.allocation)
						    : NULL }));
}

/*
 * Returns true if these are the same instructions, or others of the same kernels on memory of the
 * same call.
 */
static bool shows(const struct stale_read *read, const struct finding *finding,
		  const struct handed_over *handed)
{
	const struct allocation *a = read->allocation, *b = finding->allocation;

	if (!handed->writer || strcmp(read->writer, handed->writer) != 0 ||
	    strcmp(read->reader, handed->reader) != 0)
		return false;
	return (read->load == handed->load && read->store == handed->store) ||
	       (a && b && (a == b || (a->stack_id && a->stack_id == b->stack_id)));
}

static void prove(struct finding *finding, const struct stale_read *read)
{
	finding_set_message(
	    finding,
	    g_strdup_printf(
		"%s This happened: on the software GPU, with seed %" G_GUINT64_FORMAT
		", the load at +0x%" G_GINT64_MODIFIER
		"x got older data than the store at +0x%" G_GINT64_MODIFIER "x had written.",
		finding->message, read->seed, (uint64_t)read->load, (uint64_t)read->store));
	finding_confirm(finding);
}

static void settle(const struct rules_context *context, const GArray *reads)
{
	const GPtrArray *list = context->findings->list;

	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i];

		if (finding->rule != &rules[RULE_HG114] || finding->process != context->process)
			continue;
		for (unsigned k = 0; k < reads->len; k++) {
			const struct stale_read *read = &g_array_index(reads, struct stale_read, k);

			if (shows(read, finding,
				  attachment_get(&finding->evidence, &handed_over_type))) {
				prove(finding, read);
				break;
			}
		}
	}
}

void note_stale_reads(const struct rules_context *context)
{
	GArray **reads = attachment_get(&context->process->attachments, &reads_type);

	if (context->wake == WAKE_CALL) {
		keep(context, reads);
	} else if (*reads) {
		settle(context, *reads);
		clear_reads(reads);
		*reads = NULL;
	}
}
