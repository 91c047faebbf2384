/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG710: a wait, an allocation or a migration in a region in which the program expects none
 * (hipgrain_expect_begin(), hipgrain(3)). Regions nest on their threads. Waits and allocations are
 * those of the region's thread, migrations those of the process, by their times: the driver's
 * events come later, so regions that have ended are kept.
 */
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "codeobj/text.h"
#include "include/hipgrain.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_annotation.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_smi_source.h"
#include "tracer/events/ev_sync.h"
#include "ordering.h"

#define OPEN_MOST   1024u /* regions of a process at once; with more, none is checked any more */
#define ENDED_MOST  4096u /* that migrations are compared with; the latest */
#define SHOWN_MOST  512u  /* bytes of a name; escape sequences make it longer */
#define KFD_MIGRATE 5     /* a migration began */

struct expectation {
	int32_t tid;
	unsigned what; /* a sum of enum hipgrain_expectation */
	uint32_t stack_id;
	int64_t begin, end; /* ns; INT64_MAX: it is open */
	bool violated;
	char *name; /* printable; NULL: none */
};

struct expectations {
	GArray *open;  /* struct expectation, in the order in which they began */
	GQueue *ended; /* struct expectation *, the latest last: those that expect no migration */
	uint64_t regions, violated, migrations, unbalanced;
	bool too_many, source;
	uint64_t lost; /* of the driver's events */
};

static void clear_region(gpointer data)
{
	g_free(((struct expectation *)data)->name);
}

static void free_region(gpointer data)
{
	clear_region(data);
	g_free(data);
}

static void init(void *data)
{
	struct expectations *all = data;

	all->open = g_array_new(FALSE, FALSE, sizeof(struct expectation));
	g_array_set_clear_func(all->open, clear_region);
	all->ended = g_queue_new();
}

static void clear(void *data)
{
	struct expectations *all = data;

	g_array_free(all->open, TRUE);
	g_queue_free_full(all->ended, free_region);
}

static const struct attachment_type type = { sizeof(struct expectations), init, clear };

/* ---- reports ---- */

/*
 * Returns the finding about what happened at `stack_id` in the region, with one more occurrence;
 * *is_new: the caller fills in the rest.
 */
static struct finding *violation(const struct rules_context *context, struct expectations *all,
				 struct expectation *region, enum hipgrain_expectation what,
				 unsigned api, int64_t ns, uint32_t stack_id, bool *is_new)
{
	struct finding *finding =
	    findings_get(context->findings, RULE_HG710, context->process, is_new, "%u %u %u %u %s",
			 what, api, region->stack_id, stack_id, region->name ? region->name : "");

	all->violated += !region->violated;
	region->violated = true;
	finding_hit(finding, ns, stack_id);
	if (*is_new && what != HIPGRAIN_NO_MIGRATION) { /* whose site it is */
		finding->related = region->name
				       ? g_strdup_printf("region \"%s\" begins", region->name)
				       : g_strdup("the region begins");
		finding->related_stack_id = region->stack_id;
	}
	return finding;
}

/* Returns "region "step", in which the program expects no wait"; to be freed. */
static char *region_text(const struct expectation *region, const char *nothing)
{
	return region->name
		   ? g_strdup_printf("region \"%s\", in which the program expects no %s",
				     region->name, nothing)
		   : g_strdup_printf("a region in which the program expects no %s", nothing);
}

/* Returns the innermost region of the event's thread that expects nothing of the kind, or NULL. */
static struct expectation *region_of(const struct rules_context *context,
				     const struct expectations *all, enum hipgrain_expectation what)
{
	for (unsigned i = all->open->len; i-- > 0;) {
		struct expectation *region = &g_array_index(all->open, struct expectation, i);

		if (region->tid == context->event->tid && region->what & what)
			return region;
	}
	return NULL;
}

/* `doubt` says why it is not certain that the call waited; NULL: it did. */
static void check_wait(const struct rules_context *context, struct expectations *all, unsigned api,
		       uint32_t stack_id, const char *doubt)
{
	struct expectation *region = region_of(context, all, HIPGRAIN_NO_WAIT);
	struct finding *finding;
	bool is_new;
	char *text;

	if (!region)
		return;
	finding = violation(context, all, region, HIPGRAIN_NO_WAIT, api, context->event->ns,
			    stack_id, &is_new);
	if (!is_new)
		return;
	text = region_text(region, "wait");
	finding->api = g_strdup(hg_api_name(api));
	finding->message = g_strdup_printf("%s waits for a GPU in %s.", finding->api, text);
	finding->fix = g_strdup("wait after the end of the region");
	if (doubt)
		finding_at_most(finding, CONFIDENCE_LIKELY, doubt);
	g_free(text);
}

static void check_allocation(const struct rules_context *context, struct expectations *all)
{
	const struct hg_ev_alloc *alloc = context->event->alloc;
	struct expectation *region = region_of(context, all, HIPGRAIN_NO_ALLOCATION);
	struct place place;
	struct finding *finding;
	bool is_new;
	char *text;

	/* A variable of a code object is allocated by the runtime when it loads that. */
	if (!region || *alloc->symbol || !is_new_allocation(context, &place))
		return;
	finding = violation(context, all, region, HIPGRAIN_NO_ALLOCATION, alloc->api,
			    context->event->ns, alloc->stack_id, &is_new);
	finding_figure(finding, 0, FIGURE_RANGE, alloc->size);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	text = region_text(region, "allocation");
	finding->api = g_strdup(hg_api_name(alloc->api));
	finding_set_place(finding, &place, place.allocation->ptr);
	finding->message =
	    g_strdup_printf("%s is called for %s bytes in %s.", finding->api, FIGURE(0), text);
	finding->fix = g_strdup("allocate the memory before the region begins");
	g_free(text);
}

/* Writes "GPU 0" or "the host". */
static void device_text(char text[16], int32_t device)
{
	if (device < 0)
		g_strlcpy(text, "the host", 16);
	else
		g_snprintf(text, 16, "GPU %d", device);
}

static void check_migrated(const struct rules_context *context, struct expectations *all,
			   struct expectation *region, int64_t ns)
{
	const struct hg_ev_migration *move = context->event->migration;
	struct place place;
	struct finding *finding;
	char from[16], to[16], *text;
	bool is_new;

	if (!(region->what & HIPGRAIN_NO_MIGRATION) || ns < region->begin || ns > region->end)
		return;
	place = process_place(context->process, move->start);
	finding = violation(context, all, region, HIPGRAIN_NO_MIGRATION, (unsigned)move->to, ns,
			    region->stack_id, &is_new);
	finding_figure(finding, 0, FIGURE_SUM, move->size);
	finding_detail(finding, (uint64_t)(uint32_t)move->from);
	/* Pages of the runtime's own may migrate first: of no allocation that is known. */
	if (place.kind == PLACE_ALLOCATION) {
		if (finding->allocation)
			finding_met(finding, &place);
		else
			finding_set_place(finding, &place, move->start);
	}
	if (!is_new)
		return;
	text = region_text(region, "migration");
	device_text(from, move->from);
	device_text(to, move->to);
	finding->api = g_strdup("hipgrain_expect_begin");
	finding->message = g_strdup_printf("pages (%s bytes) migrate from %s to %s during %s.",
					   FIGURE(0), from, to, text);
	finding->fix = g_strdup("prefetch the memory before the region begins, and wait for that");
	g_free(text);
}

static void check_migration_event(const struct rules_context *context, struct expectations *all)
{
	const struct hg_event *event = context->event;
	int64_t ns;

	if (event->type == HG_EVENT_smi_source) {
		all->source |= event->smi_source->sources > 0;
		all->lost = event->smi_source->dropped + event->smi_source->malformed;
		return;
	}
	if (event->migration->kind != KFD_MIGRATE)
		return;
	ns = event->ns - (int64_t)event->migration->age;
	for (unsigned i = 0; i < all->open->len; i++)
		check_migrated(context, all, &g_array_index(all->open, struct expectation, i), ns);
	for (const GList *at = all->ended->head; at; at = at->next)
		check_migrated(context, all, at->data, ns);
}

/* ---- regions ---- */

static void begin(const struct rules_context *context, struct expectations *all)
{
	const struct hg_ev_annotation *from = context->event->annotation;
	struct expectation region = { .tid = context->event->tid,
				      .what = (unsigned)from->size,
				      .stack_id = from->stack_id,
				      .begin = context->event->ns,
				      .end = INT64_MAX };
	char visible[SHOWN_MOST];

	if (all->open->len >= OPEN_MOST) {
		all->too_many = true;
		g_array_set_size(all->open, 0);
		return;
	}
	all->regions++;
	text_copy_visible(visible, sizeof(visible), from->name);
	region.name = *visible ? g_strdup(visible) : NULL;
	all->migrations += !!(region.what & HIPGRAIN_NO_MIGRATION);
	g_array_append_val(all->open, region);
}

static void end(const struct rules_context *context, struct expectations *all)
{
	struct expectation *region, *kept;
	unsigned i = all->open->len;

	do {
		if (i-- == 0) {
			all->unbalanced++;
			return;
		}
		region = &g_array_index(all->open, struct expectation, i);
	} while (region->tid != context->event->tid);
	if (region->what & HIPGRAIN_NO_MIGRATION) {
		kept = g_memdup2(region, sizeof(*region));
		kept->end = context->event->ns;
		region->name = NULL;
		g_queue_push_tail(all->ended, kept);
		if (all->ended->length > ENDED_MOST)
			free_region(g_queue_pop_head(all->ended));
	}
	g_array_remove_index(all->open, i);
}

static void finish(const struct rules_context *context, const struct expectations *all)
{
	const struct process *process = context->process;

	if (!all->regions && !all->unbalanced)
		return;
	if (all->too_many) {
		findings_limit(context->findings,
			       "process %d: more than %u regions of hipgrain_expect_begin() were "
			       "open at once: what follows is not checked",
			       process->pid, OPEN_MOST);
	}
	/* Regions may have begun before the recording. */
	if (all->unbalanced && !process->state.late && !process->forked && !all->too_many) {
		findings_limit(context->findings,
			       "process %d: hipgrain_expect_end() ended no region of its thread, "
			       "and was passed over (%" G_GUINT64_FORMAT " time%s)",
			       process->pid, all->unbalanced, all->unbalanced == 1 ? "" : "s");
	}
	if (all->migrations && (!all->source || all->lost)) {
		findings_limit(
		    context->findings,
		    "process %d: if pages migrated in regions without that (%" G_GUINT64_FORMAT
		    " of hipgrain_expect_begin()) is not known: the driver's events %s",
		    process->pid, all->migrations,
		    all->source ? "were not all read" : "were not read");
	}
	findings_note(context->findings,
		      "process %d: of %" G_GUINT64_FORMAT " region%s of hipgrain_expect_begin() "
		      "%" G_GUINT64_FORMAT " had something that the program does not expect there",
		      process->pid, all->regions, all->regions == 1 ? "" : "s", all->violated);
}

#define NOT_RECORDED                                                                        \
	"that this call waits follows from its name and the runtime's release, and is not " \
	"recorded"

void check_expectations(const struct rules_context *context)
{
	const bool is_work = context->wake == WAKE_WORK || context->wake == WAKE_ORDERED_RELEASE;
	const struct work *work = context->work;
	const struct hg_event *event = context->event;
	struct expectations *all;

	/* Most of all events are launches, which do not wait: they are not looked up. */
	if (is_work && !work->waits)
		return;
	all = attachment_get(&context->process->attachments, &type);
	if (context->wake == WAKE_FINISH) {
		finish(context, all);
	} else if (context->wake == WAKE_MIGRATION) {
		check_migration_event(context, all);
	} else if (context->wake == WAKE_ANNOTATION) {
		if (event->annotation->act == HIPGRAIN_EXPECT_BEGIN && !all->too_many)
			begin(context, all);
		else if (event->annotation->act == HIPGRAIN_EXPECT_END)
			end(context, all);
	} else if (!all->open->len) {
		return;
	} else if (context->wake == WAKE_ALLOC) {
		check_allocation(context, all);
	} else if (context->wake == WAKE_SYNC) {
		if (!order_is_query(event->sync->api))
			check_wait(context, all, event->sync->api, event->sync->stack_id, NULL);
	} else if (event->type == HG_EVENT_free) {
		check_wait(context, all, event->free->api, event->free->stack_id, NOT_RECORDED);
	} else if (work->use) {
		check_wait(context, all, work->use->api, work->use->stack_id, NOT_RECORDED);
	}
}
