/* SPDX-License-Identifier: Apache-2.0 */
/* The account of migrated pages: which allocation they belong to, and what moved them. */
#include "migration.h"

#include <string.h>

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/kernels.h"
#include "migration_state.h"
#include "residency_series.h"
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_smi_source.h"

/* enum kfd_smi_event, docs/memory-model.md#driver-events */
enum {
	SMI_MIGRATE_START = 5,
	SMI_MIGRATE_END = 6,
	SMI_FAULT_END = 8,
	SMI_QUEUE_EVICTION = 9,
};
#define EVICTION_USERPTR 1 /* KFD's queue eviction trigger */

static void clear_prefetch(gpointer data)
{
	allocation_unref(((struct prefetch_record *)data)->allocation);
}

static void init_migration(void *data)
{
	struct migration *migration = data;

	migration->open = g_ptr_array_new();
	migration->begun = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	migration->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	migration->list = g_ptr_array_new_with_free_func(migration_row_free);
	migration->blocks = g_hash_table_new_full(NULL, NULL, NULL, parts_free);
	migration->prefetches = g_array_new(FALSE, FALSE, sizeof(struct prefetch_record));
	g_array_set_clear_func(migration->prefetches, clear_prefetch);
	migration->prefetched = g_array_new(FALSE, FALSE, sizeof(struct prefetch_move));
	migration->counts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	migration->returned = g_array_new(FALSE, FALSE, sizeof(struct returned));
	g_array_set_clear_func(migration->returned, recycled_clear);
	migration->resized = g_ptr_array_new_with_free_func((GDestroyNotify)allocation_unref);
}

static void clear_migration(void *data)
{
	struct migration *migration = data;

	g_ptr_array_free(migration->open, TRUE);
	g_hash_table_destroy(migration->begun);
	g_hash_table_destroy(migration->rows);
	g_hash_table_destroy(migration->blocks);
	g_ptr_array_free(migration->list, TRUE);
	g_array_free(migration->prefetches, TRUE);
	g_array_free(migration->prefetched, TRUE);
	g_hash_table_destroy(migration->counts);
	g_array_free(migration->returned, TRUE);
	g_ptr_array_free(migration->resized, TRUE);
	g_free(migration->problem);
}

static const struct attachment_type migration_type = { sizeof(struct migration), init_migration,
						       clear_migration };

uint64_t migration_total(const uint64_t bytes[MIGRATION_TRIGGERS])
{
	uint64_t total = 0;

	for (unsigned i = 0; i < MIGRATION_TRIGGERS; i++)
		total += bytes[i];
	return total;
}

/* ---- whose ---- */

/* Returns the allocation that had the page at time `ns`, or NULL. */
static struct allocation *owner_at(const struct process *process, uint64_t page, int64_t ns)
{
	/* A block may begin or end inside the page. */
	const uint64_t looks[] = { page, page + PAGE - 1, page + PAGE / 2 };

	for (unsigned i = 0; i < G_N_ELEMENTS(looks); i++) {
		uint64_t offset;
		struct allocation *allocation =
		    address_space_find(&process->space, looks[i], &offset);

		if (allocation && allocation->ns <= ns)
			return allocation;
		allocation = address_space_find_freed(&process->space, looks[i], &offset);
		if (allocation && allocation->ns <= ns && allocation->free_ns >= ns)
			return allocation;
	}
	return NULL;
}

/* Tells what moved pages: a launch's faults, the host's in one phase, or neither. */
struct cause {
	const struct gpu_work *launch; /* NULL: none, or not known */
	bool several;                  /* or another kernel's */
	bool by_host;
	struct migration_phase phase;
	bool open; /* the phase */
	int64_t began_ns;
};

static void name_kernel(const struct rules_context *context, struct migration_row *row,
			uint32_t kernel_id)
{
	struct kernel_ref *kernel = process_kernel(context->process, kernel_id);
	const char *arch;
	const struct isa_kernel *code = kernel ? kernels_find(context->kernels, context->process,
							      kernel, context->findings, &arch)
					       : NULL;

	row->kernel = g_strdup(code ? code->name : kernel ? kernel->symbol : NULL);
}

static struct migration_row *new_row(const struct rules_context *context,
				     struct allocation *allocation, const struct cause *cause)
{
	struct migration_row *row = g_new0(struct migration_row, 1);

	row->process = context->process;
	row->allocation = allocation ? allocation_ref(allocation) : NULL;
	row->allocations = 1;
	row->by_host = cause->by_host;
	row->phase = cause->phase;
	if (cause->launch)
		name_kernel(context, row, cause->launch->kernel_id);
	return row;
}

/* The row's phase may have ended differently this time, or its end may still be to come. */
static void note_phase(struct migration *migration, struct migration_row *row,
		       const struct cause *cause)
{
	if (cause->open) {
		if (!g_ptr_array_find(migration->open, row, NULL))
			g_ptr_array_add(migration->open, row);
	} else if (!row->phase.after.api) {
		row->phase.after = cause->phase.after;
	} else {
		row->phase.several_after |=
		    row->phase.after.stack_id != cause->phase.after.stack_id;
	}
}

static struct migration_row *row_of(struct migration *migration,
				    const struct rules_context *context,
				    struct allocation *allocation, const struct cause *cause)
{
	char *key = g_strdup_printf("%u %u %u %d %u %u %d", allocation ? allocation->api : 0,
				    allocation ? allocation->stack_id : 0,
				    cause->launch ? cause->launch->kernel_id : 0, cause->by_host,
				    cause->phase.before.api, cause->phase.before.stack_id,
				    cause->phase.within);
	struct migration_row *row = g_hash_table_lookup(migration->rows, key);

	if (!row) {
		row = new_row(context, allocation, cause);
		g_hash_table_insert(migration->rows, key, row);
		g_ptr_array_add(migration->list, row);
	} else {
		g_free(key);
		if (allocation && allocation->ns > row->allocation->ns) {
			row->allocations++;
			allocation_unref(row->allocation);
			row->allocation = allocation_ref(allocation);
		}
	}
	row->one_of_several |= cause->several;
	if (cause->by_host)
		note_phase(migration, row, cause);
	return row;
}

/* ---- moves ---- */

/* Pages of one owner that moved with one event. */
struct piece {
	uint64_t start, end;
	struct allocation *owner; /* NULL: no allocation's */
};

/* Memory that was unmapped in the meantime is known by the pages that went to the GPU. */
static struct allocation *page_owner(const struct migration *migration,
				     const struct process *process, uint64_t page, int64_t ns)
{
	struct allocation *owner = owner_at(process, page, ns);

	return owner ? owner : pages_owner(migration, page);
}

/*
 * Returns where the first block of the C library within a mapping begins, behind the page at `at`,
 * or `end` if nowhere before that.
 */
static uint64_t first_block(const struct process *process, uint64_t at, uint64_t end)
{
	const struct allocation *block =
	    address_space_overlapping(&process->space, LAYER_HOST, at, end - at);

	return block ? MAX(MIN(block->ptr & ~(uint64_t)(PAGE - 1), end), at + PAGE) : end;
}

/* Returns the piece that begins at `at`. */
static struct piece piece_at(const struct migration *migration, const struct process *process,
			     uint64_t at, uint64_t end, int64_t ns)
{
	struct piece piece = { .start = at, .owner = page_owner(migration, process, at, ns) };

	if (piece.owner) {
		uint64_t last =
		    (piece.owner->ptr + piece.owner->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

		piece.end = MIN(end, MAX(last, at + PAGE));
		if (piece.owner->layer == LAYER_MAPPING)
			piece.end = first_block(process, at, piece.end);
	} else {
		piece.end = at + PAGE;
		while (piece.end < end && !page_owner(migration, process, piece.end, ns))
			piece.end += PAGE;
	}
	return piece;
}

/* The launch whose fault moved it: of the first piece that one can have used. */
static struct cause cause_of(const struct migration *migration, const struct rules_context *context,
			     const struct hg_ev_migration *move, int64_t ns)
{
	uint64_t end = move->start + move->size;
	int32_t device = move->to >= 0 ? move->to : move->from;
	struct cause cause = { .by_host = move->trigger == MIGRATION_CPU_FAULT };
	struct piece piece;

	if (cause.by_host)
		cause.phase = phase_at(migration, ns, &cause.open);
	if (move->trigger != MIGRATION_GPU_FAULT)
		return cause;
	for (uint64_t at = move->start; at < end && !cause.launch; at = piece.end) {
		piece = piece_at(migration, context->process, at, end, ns);
		if (piece.owner)
			cause.launch = who_used(migration, ns, device, piece.owner, &cause.several);
	}
	return cause;
}

/*
 * The driver reports the end of a migration with addresses only, and so its beginning. Few are in
 * progress at a time.
 */
static void note_beginning(struct migration *migration, uint64_t start, int64_t ns)
{
	gint64 key = (gint64)start;

	if (g_hash_table_size(migration->begun) < RECENT) {
		g_hash_table_insert(migration->begun, g_memdup2(&key, sizeof(key)),
				    g_memdup2(&ns, sizeof(ns)));
	}
}

/* When the move that ends at `ns` began; `ns` if that was not reported. */
static int64_t take_beginning(struct migration *migration, uint64_t start, int64_t ns)
{
	gint64 key = (gint64)start;
	const int64_t *known = g_hash_table_lookup(migration->begun, &key);
	int64_t began = known ? MIN(*known, ns) : ns;

	g_hash_table_remove(migration->begun, &key);
	return began;
}

static void account_piece(struct migration *migration, const struct rules_context *context,
			  const struct hg_ev_migration *move, const struct piece *piece,
			  const struct cause *cause, int64_t ns)
{
	enum migration_trigger trigger = (enum migration_trigger)move->trigger;
	struct migration_row *row = row_of(migration, context, piece->owner, cause);
	uint64_t bytes = piece->end - piece->start;
	bool to_host = move->to == HG_PLACE_HOST;
	const struct arrival arrival = {
		.ns = ns,
		.trigger = trigger,
		.device = move->to,
		.row = row,
		.launch = cause->launch,
		.neighbour = cause->launch && !gpu_work_touches(cause->launch, piece->owner),
	};
	const struct departure departure = {
		.began = cause->began_ns,
		.ns = ns,
		.timed = move->age > 0,
		.trigger = trigger,
		.row = row,
	};

	(to_host ? row->to_host : row->to_device)[trigger] += bytes;
	history_move(migration, context, move, piece->owner, bytes, cause->began_ns, ns,
		     cause->launch);
	if (!piece->owner)
		return;
	residency_moved(context, piece->owner, !to_host, bytes, ns);
	if (trigger == MIGRATION_EVICTION)
		count_eviction(context, move, piece->owner, ns);
	if (to_host)
		pages_leave(migration, context, piece->owner, piece->start, piece->end, &departure);
	else
		pages_arrive(migration, piece->owner, piece->start, piece->end, &arrival);
}

static void account_move(struct migration *migration, const struct rules_context *context,
			 const struct hg_ev_migration *move, int64_t ns)
{
	uint64_t end = move->start + move->size;
	int64_t began = take_beginning(migration, move->start, ns);
	struct cause cause;
	struct piece piece;

	pages_follow(migration, context);
	if (move->trigger < 0 || move->trigger >= MIGRATION_TRIGGERS || move->detail || !move->size)
		return;
	cause = cause_of(migration, context, move, ns);
	cause.began_ns = began;
	for (uint64_t at = move->start; at < end; at = piece.end) {
		piece = piece_at(migration, context->process, at, end, ns);
		account_piece(migration, context, move, &piece, &cause, ns);
	}
	if (move->trigger == MIGRATION_CPU_FAULT)
		check_host_first(migration, context, move->start, end, ns);
	if (move->trigger == MIGRATION_GPU_FAULT && cause.launch && !cause.several)
		prefetches_fault(migration, cause.launch, move->to, move->start, end, ns);
	if (move->trigger == MIGRATION_PREFETCH && migration->prefetched->len < PREFETCHES) {
		struct prefetch_move prefetched = { move->start, end, move->to, ns };

		g_array_append_val(migration->prefetched, prefetched);
		prefetches_move(migration, &prefetched);
	}
}

static void account_fault(struct migration *migration, const struct rules_context *context,
			  const struct hg_ev_migration *fault, int64_t ns)
{
	struct allocation *allocation = owner_at(context->process, fault->start, ns);
	struct cause cause = { .launch = NULL };
	bool moved = fault->detail == 'M';
	struct migration_row *row;

	if (allocation)
		cause.launch = who_used(migration, ns, fault->from, allocation, &cause.several);
	row = row_of(migration, context, allocation, &cause);
	row->faults_moved += moved;
	row->faults_kept += !moved;
	if (moved && cause.launch)
		count_storm(migration, context, cause.launch, allocation, ns, cause.several);
}

/* ---- events ---- */

/* Prefetches as well. */
static void note_advice(const struct rules_context *context, struct migration_advice advice,
			uint64_t ptr, uint64_t duration)
{
	struct place place = process_place(context->process, ptr);

	if (place.kind == PLACE_ALLOCATION) {
		advice.call.tid = context->event->tid;
		advice.ns = context->event->ns - (int64_t)duration;
		advice.offset = ptr - place.allocation->ptr;
		history_advice(context, &advice, place.allocation);
	}
}

/* Recordings before locations were kept have 0 in both fields. */
static int32_t numa_node(unsigned location, int32_t node)
{
	return location ? node : -1;
}

static void note_advise(const struct rules_context *context)
{
	const struct hg_ev_advise *event = context->event->advise;
	const struct migration_advice advice = { .call = { event->api, event->stack_id, 0 },
						 .advice = event->advice,
						 .target = event->target,
						 .node = numa_node(event->location, event->node),
						 .size = event->size };

	note_advice(context, advice, event->ptr, 0);
}

static void note_event(struct migration *migration, const struct rules_context *context)
{
	const struct hg_event *event = context->event;
	int64_t ns = event->ns;

	switch (event->type) {
	case HG_EVENT_migration:
		ns -= (int64_t)event->migration->age;
		if (event->migration->kind == SMI_MIGRATE_END)
			account_move(migration, context, event->migration, ns);
		else if (event->migration->kind == SMI_MIGRATE_START)
			note_beginning(migration, event->migration->start, ns);
		else if (event->migration->kind == SMI_FAULT_END)
			account_fault(migration, context, event->migration, ns);
		else if (event->migration->kind == SMI_QUEUE_EVICTION &&
			 event->migration->trigger == EVICTION_USERPTR)
			count_stop(context, event->migration, ns);
		break;
	case HG_EVENT_smi_source:
		migration->source |= event->smi_source->sources > 0;
		migration->lost = event->smi_source->dropped + event->smi_source->malformed;
		if (*event->smi_source->problem) {
			g_free(migration->problem);
			migration->problem = g_strdup(event->smi_source->problem);
		}
		break;
	case HG_EVENT_prefetch:
		note_prefetch(migration, context);
		note_advice(context,
			    (struct migration_advice){
				.call = { event->prefetch->api, event->prefetch->stack_id, 0 },
				.advice = -1,
				.target = event->prefetch->target,
				.node = numa_node(event->prefetch->location, event->prefetch->node),
				.size = event->prefetch->size },
			    event->prefetch->ptr, event->prefetch->duration);
		break;
	case HG_EVENT_sync:
		gpu_work_wait(migration, event);
		break;
	case HG_EVENT_advise:
		note_advise(context);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

static bool came_to_device(const struct migration *migration, const struct allocation *allocation)
{
	for (unsigned i = 0; i < migration->list->len; i++) {
		const struct migration_row *row = migration->list->pdata[i];

		if (row->allocation && row->allocation->api == allocation->api &&
		    row->allocation->stack_id == allocation->stack_id &&
		    (row->to_device[MIGRATION_GPU_FAULT] || row->to_device[MIGRATION_PREFETCH]))
			return true;
	}
	return false;
}

/* HG303 says that blocks move which hold other memory, HG307 that nothing moves: now it is known.
 */
static void settle(const struct migration *migration, const struct rules_context *context)
{
	for (unsigned i = 0; i < context->findings->list->len; i++) {
		struct finding *finding = context->findings->list->pdata[i];
		bool moved;

		if (finding->process != context->process || !finding->allocation ||
		    g_strcmp0(finding->doubts, MIGRATION_NOT_KNOWN) != 0)
			continue;
		moved = came_to_device(migration, finding->allocation);
		if ((finding->rule == &rules[RULE_HG303] && moved) ||
		    (finding->rule == &rules[RULE_HG307] && !moved))
			finding_confirm(finding);
	}
}

static void finish(struct migration *migration, const struct rules_context *context)
{
	if (migration->lost) {
		findings_limit(context->findings,
			       "process %d: %" G_GUINT64_FORMAT
			       " migration events of the driver were lost or not understood",
			       context->process->pid, migration->lost);
	}
	pages_settle(migration);
	recycled_finish(migration, context);
	if (migration->source)
		prefetches_finish(migration, context);
	if (migration->source && !migration->lost)
		settle(migration, context);
	/* It is no gap that the software GPU was configured not to migrate pages. */
	if (migration->problem && !g_str_has_prefix(migration->problem, "the software GPU")) {
		findings_note(context->findings, "page migrations were not recorded: %s",
			      migration->problem);
	}
	for (unsigned i = 0; i < migration->list->len; i++) {
		g_ptr_array_add(migration_result(context->findings)->rows,
				migration->list->pdata[i]);
	}
	g_ptr_array_set_free_func(migration->list, NULL);
	g_ptr_array_set_size(migration->list, 0);
}

void check_migration(const struct rules_context *context)
{
	struct migration *migration;

	if (context->wake == WAKE_FINISH) {
		migration = attachment_find(&context->process->attachments, &migration_type);
		if (migration)
			finish(migration, context);
		return;
	}
	if (context->wake == WAKE_HOST_RELEASE) {
		migration = attachment_find(&context->process->attachments, &migration_type);
		if (migration) {
			pages_release(migration, context);
			if (migration->returned->len)
				recycled_release(migration, context);
		}
		return;
	}
	migration = attachment_get(&context->process->attachments, &migration_type);
	switch (context->wake) {
	case WAKE_CALL_OF_HIP:
		note_call(migration, context->event);
		recycled_look(migration, context);
		break;
	case WAKE_LAUNCH:
		gpu_work_launch(migration, context, context->memory);
		break;
	default:
		note_event(migration, context);
		break;
	}
}
