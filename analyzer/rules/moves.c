/* SPDX-License-Identifier: Apache-2.0 */
/* The account of pages that moved: whose they were, and for what. */
#include "moves.h"

#include <string.h>

#include "kernels.h"
#include "moves_state.h"
#include "residency.h"
#include "watch.h"

/* enum kfd_smi_event, memory-model.md F.2 */
enum {
	SMI_MIGRATE_START = 5,
	SMI_MIGRATE_END = 6,
	SMI_FAULT_END = 8,
	SMI_QUEUE_EVICTION = 9,
};
#define EVICTION_USERPTR 1 /* KFD's queue eviction trigger */

void move_row_free(gpointer data)
{
	struct move_row *row = data;

	allocation_unref(row->allocation);
	g_free(row->kernel);
	g_free(row);
}

static void clear_prefetch(gpointer data)
{
	allocation_unref(((struct prefetch_record *)data)->allocation);
}

struct moves *moves_new(void)
{
	struct moves *moves = g_new0(struct moves, 1);

	moves->open = g_ptr_array_new();
	moves->begun = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	moves->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	moves->list = g_ptr_array_new_with_free_func(move_row_free);
	moves->blocks = g_hash_table_new_full(NULL, NULL, NULL, parts_free);
	moves->prefetches = g_array_new(FALSE, FALSE, sizeof(struct prefetch_record));
	g_array_set_clear_func(moves->prefetches, clear_prefetch);
	moves->prefetched = g_array_new(FALSE, FALSE, sizeof(struct prefetch_move));
	moves->counts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return moves;
}

void moves_free(struct moves *moves)
{
	if (moves) {
		g_ptr_array_free(moves->open, TRUE);
		g_hash_table_destroy(moves->begun);
		g_hash_table_destroy(moves->rows);
		g_hash_table_destroy(moves->blocks);
		g_ptr_array_free(moves->list, TRUE);
		g_array_free(moves->prefetches, TRUE);
		g_array_free(moves->prefetched, TRUE);
		g_hash_table_destroy(moves->counts);
		g_free(moves->problem);
		g_free(moves);
	}
}

uint64_t move_total(const uint64_t bytes[MOVE_TRIGGERS])
{
	uint64_t total = 0;

	for (unsigned i = 0; i < MOVE_TRIGGERS; i++) {
		total += bytes[i];
	}
	return total;
}

/* ---- whose ---- */

/* The allocation that had the page at time `ns`, or NULL. */
static struct allocation *owner_at(const struct process *process, uint64_t page, int64_t ns)
{
	/* A block may begin or end inside the page. */
	const uint64_t looks[] = { page, page + PAGE - 1, page + PAGE / 2 };

	for (unsigned i = 0; i < G_N_ELEMENTS(looks); i++) {
		uint64_t offset;
		struct allocation *allocation =
		    address_space_find(&process->space, looks[i], &offset);

		if (allocation && allocation->ns <= ns) {
			return allocation;
		}
		allocation = address_space_find_freed(&process->space, looks[i], &offset);
		if (allocation && allocation->ns <= ns && allocation->free_ns >= ns) {
			return allocation;
		}
	}
	return NULL;
}

/* What moved pages: a launch's faults, the host's in one phase, or neither. */
struct cause {
	const struct moment *launch; /* NULL: none, or not known */
	bool several;                /* or another kernel's */
	bool by_host;
	struct move_phase phase;
	bool open; /* the phase */
	int64_t began_ns;
};

static void name_kernel(const struct rules_context *context, struct move_row *row,
			uint32_t kernel_id)
{
	struct kernel_ref *kernel = process_kernel(context->process, kernel_id);
	const char *arch;
	const struct isa_kernel *code = kernel ? kernels_find(context->kernels, context->process,
							      kernel, context->findings, &arch)
					       : NULL;

	row->kernel = g_strdup(code ? code->name : kernel ? kernel->symbol : NULL);
}

static struct move_row *new_row(const struct rules_context *context, struct allocation *allocation,
				const struct cause *cause)
{
	struct move_row *row = g_new0(struct move_row, 1);

	row->process = context->process;
	row->allocation = allocation ? allocation_ref(allocation) : NULL;
	row->allocations = 1;
	row->by_host = cause->by_host;
	row->phase = cause->phase;
	if (cause->launch) {
		name_kernel(context, row, cause->launch->kernel_id);
	}
	return row;
}

/* The row's phase may have ended differently this time, or its end may still be to come. */
static void note_phase(struct moves *moves, struct move_row *row, const struct cause *cause)
{
	if (cause->open) {
		if (!g_ptr_array_find(moves->open, row, NULL)) {
			g_ptr_array_add(moves->open, row);
		}
	} else if (!row->phase.after.api) {
		row->phase.after = cause->phase.after;
	} else {
		row->phase.several_after |=
		    row->phase.after.stack_id != cause->phase.after.stack_id;
	}
}

static struct move_row *row_of(struct moves *moves, const struct rules_context *context,
			       struct allocation *allocation, const struct cause *cause)
{
	char *key = g_strdup_printf("%u %u %u %d %u %u %d", allocation ? allocation->api : 0,
				    allocation ? allocation->stack_id : 0,
				    cause->launch ? cause->launch->kernel_id : 0, cause->by_host,
				    cause->phase.before.api, cause->phase.before.stack_id,
				    cause->phase.within);
	struct move_row *row = g_hash_table_lookup(moves->rows, key);

	if (!row) {
		row = new_row(context, allocation, cause);
		g_hash_table_insert(moves->rows, key, row);
		g_ptr_array_add(moves->list, row);
	} else {
		g_free(key);
		if (allocation && allocation->ns > row->allocation->ns) {
			row->allocations++;
			allocation_unref(row->allocation);
			row->allocation = allocation_ref(allocation);
		}
	}
	row->one_of_several |= cause->several;
	if (cause->by_host) {
		note_phase(moves, row, cause);
	}
	return row;
}

/* ---- moves ---- */

/* Pages of one owner that moved with one event. */
struct piece {
	uint64_t start, end;
	struct allocation *owner; /* NULL: no allocation's */
};

/* Memory that was unmapped in the meantime is known by the pages that went to the GPU. */
static struct allocation *page_owner(const struct moves *moves, const struct process *process,
				     uint64_t page, int64_t ns)
{
	struct allocation *owner = owner_at(process, page, ns);

	return owner ? owner : pages_owner(moves, page);
}

/* The piece that begins at `at`. */
static struct piece piece_at(const struct moves *moves, const struct process *process, uint64_t at,
			     uint64_t end, int64_t ns)
{
	struct piece piece = { .start = at, .owner = page_owner(moves, process, at, ns) };

	if (piece.owner) {
		uint64_t last =
		    (piece.owner->ptr + piece.owner->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

		piece.end = MIN(end, MAX(last, at + PAGE));
	} else {
		piece.end = at + PAGE;
		while (piece.end < end && !page_owner(moves, process, piece.end, ns)) {
			piece.end += PAGE;
		}
	}
	return piece;
}

/* The launch whose fault moved it: of the first piece that one can have used. */
static struct cause cause_of(const struct moves *moves, const struct rules_context *context,
			     const struct hg_ev_migration *move, int64_t ns)
{
	uint64_t end = move->start + move->size;
	int32_t device = move->to >= 0 ? move->to : move->from;
	struct cause cause = { .by_host = move->trigger == MOVE_CPU_FAULT };
	struct piece piece;

	if (cause.by_host) {
		cause.phase = phase_at(moves, ns, &cause.open);
	}
	if (move->trigger != MOVE_GPU_FAULT) {
		return cause;
	}
	for (uint64_t at = move->start; at < end && !cause.launch; at = piece.end) {
		piece = piece_at(moves, context->process, at, end, ns);
		if (piece.owner) {
			cause.launch = who_used(moves, ns, device, piece.owner, &cause.several);
		}
	}
	return cause;
}

/* Ends are told with addresses alone: so are beginnings. Few moves are under way at a time. */
static void note_beginning(struct moves *moves, uint64_t start, int64_t ns)
{
	gint64 key = (gint64)start;

	if (g_hash_table_size(moves->begun) < RECENT) {
		g_hash_table_insert(moves->begun, g_memdup2(&key, sizeof(key)),
				    g_memdup2(&ns, sizeof(ns)));
	}
}

/* When the move that ends at `ns` began; `ns` if that was not told. */
static int64_t take_beginning(struct moves *moves, uint64_t start, int64_t ns)
{
	gint64 key = (gint64)start;
	const int64_t *known = g_hash_table_lookup(moves->begun, &key);
	int64_t began = known ? MIN(*known, ns) : ns;

	g_hash_table_remove(moves->begun, &key);
	return began;
}

static void account_piece(struct moves *moves, const struct rules_context *context,
			  const struct hg_ev_migration *move, const struct piece *piece,
			  const struct cause *cause, int64_t ns)
{
	enum move_trigger trigger = (enum move_trigger)move->trigger;
	struct move_row *row = row_of(moves, context, piece->owner, cause);
	uint64_t bytes = piece->end - piece->start;
	bool to_host = move->to == HG_PLACE_HOST;
	const struct arrival arrival = {
		.ns = ns,
		.trigger = trigger,
		.device = move->to,
		.row = row,
		.launch = cause->launch,
		.neighbour = cause->launch && !moment_touches(cause->launch, piece->owner),
	};

	(to_host ? row->to_host : row->to_device)[trigger] += bytes;
	history_move(moves, context, move, piece->owner, bytes, cause->began_ns, ns, cause->launch);
	if (!piece->owner) {
		return;
	}
	residency_moved(context, piece->owner, !to_host, bytes, ns);
	if (trigger == MOVE_EVICTION) {
		count_eviction(context, move, piece->owner, ns);
	}
	if (to_host) {
		pages_leave(moves, context, piece->owner, piece->start, piece->end, ns, trigger,
			    row);
	} else {
		pages_arrive(moves, piece->owner, piece->start, piece->end, &arrival);
	}
}

static void account_move(struct moves *moves, const struct rules_context *context,
			 const struct hg_ev_migration *move, int64_t ns)
{
	uint64_t end = move->start + move->size;
	int64_t began = take_beginning(moves, move->start, ns);
	struct cause cause;
	struct piece piece;

	if (move->trigger < 0 || move->trigger >= MOVE_TRIGGERS || move->detail || !move->size) {
		return;
	}
	cause = cause_of(moves, context, move, ns);
	cause.began_ns = began;
	for (uint64_t at = move->start; at < end; at = piece.end) {
		piece = piece_at(moves, context->process, at, end, ns);
		account_piece(moves, context, move, &piece, &cause, ns);
	}
	if (move->trigger == MOVE_CPU_FAULT) {
		check_host_first(moves, context, move->start, end, ns);
	}
	if (move->trigger == MOVE_GPU_FAULT && cause.launch && !cause.several) {
		prefetches_fault(moves, cause.launch, move->to, move->start, end, ns);
	}
	if (move->trigger == MOVE_PREFETCH && moves->prefetched->len < PREFETCHES) {
		struct prefetch_move prefetched = { move->start, end, move->to, ns };

		g_array_append_val(moves->prefetched, prefetched);
		prefetches_move(moves, &prefetched);
	}
}

static void account_fault(struct moves *moves, const struct rules_context *context,
			  const struct hg_ev_migration *fault, int64_t ns)
{
	struct allocation *allocation = owner_at(context->process, fault->start, ns);
	struct cause cause = { .launch = NULL };
	bool moved = fault->detail == 'M';
	struct move_row *row;

	if (allocation) {
		cause.launch = who_used(moves, ns, fault->from, allocation, &cause.several);
	}
	row = row_of(moves, context, allocation, &cause);
	row->faults_moved += moved;
	row->faults_kept += !moved;
	if (moved && cause.launch) {
		count_storm(moves, context, cause.launch, allocation, ns, cause.several);
	}
}

/* ---- events ---- */

void moves_launch(struct process_watch *watch, const struct rules_context *context,
		  const struct launch_watch *launch)
{
	moment_launch(watch->moves, context, launch);
}

void moves_call(struct process_watch *watch, const struct rules_context *context)
{
	note_call(watch->moves, context->event);
}

/* Prefetches as well. */
static void note_advice(const struct rules_context *context, struct move_advice advice,
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

void moves_advise(struct process_watch *watch, const struct rules_context *context)
{
	const struct hg_ev_advise *event = &context->event->advise;
	const struct move_advice advice = { .call = { event->api, event->stack_id, 0 },
					    .advice = event->advice,
					    .target = event->target,
					    .size = event->size };

	(void)watch;
	note_advice(context, advice, event->ptr, 0);
}

void moves_event(struct process_watch *watch, const struct rules_context *context)
{
	const struct hg_event *event = context->event;
	struct moves *moves = watch->moves;
	int64_t ns = event->ns;

	switch (event->type) {
	case HG_EVENT_migration:
		ns -= (int64_t)event->migration.age;
		if (event->migration.kind == SMI_MIGRATE_END) {
			account_move(moves, context, &event->migration, ns);
		} else if (event->migration.kind == SMI_MIGRATE_START) {
			note_beginning(moves, event->migration.start, ns);
		} else if (event->migration.kind == SMI_FAULT_END) {
			account_fault(moves, context, &event->migration, ns);
		} else if (event->migration.kind == SMI_QUEUE_EVICTION &&
			   event->migration.trigger == EVICTION_USERPTR) {
			count_stop(context, &event->migration, ns);
		}
		break;
	case HG_EVENT_smi_source:
		moves->source |= event->smi_source.sources > 0;
		moves->lost = event->smi_source.dropped + event->smi_source.malformed;
		if (*event->smi_source.problem) {
			g_free(moves->problem);
			moves->problem = g_strdup(event->smi_source.problem);
		}
		break;
	case HG_EVENT_prefetch:
		note_prefetch(moves, context);
		note_advice(context,
			    (struct move_advice){
				.call = { event->prefetch.api, event->prefetch.stack_id, 0 },
				.advice = -1,
				.target = event->prefetch.target,
				.size = event->prefetch.size },
			    event->prefetch.ptr, event->prefetch.duration);
		break;
	case HG_EVENT_sync:
		moment_wait(moves, event);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

static bool came_to_device(const struct moves *moves, const struct allocation *allocation)
{
	for (unsigned i = 0; i < moves->list->len; i++) {
		const struct move_row *row = moves->list->pdata[i];

		if (row->allocation && row->allocation->api == allocation->api &&
		    row->allocation->stack_id == allocation->stack_id &&
		    (row->to_device[MOVE_GPU_FAULT] || row->to_device[MOVE_PREFETCH])) {
			return true;
		}
	}
	return false;
}

/* HG303 says that blocks move which hold other memory, HG307 that nothing moves: now it is known.
 */
static void settle(const struct moves *moves, const struct rules_context *context)
{
	for (unsigned i = 0; i < context->findings->list->len; i++) {
		struct finding *finding = context->findings->list->pdata[i];
		bool moved;

		if (finding->process != context->process || !finding->allocation ||
		    g_strcmp0(finding->doubts, MOVES_NOT_KNOWN) != 0) {
			continue;
		}
		moved = came_to_device(moves, finding->allocation);
		if ((finding->rule == &rules[RULE_HG303] && moved) ||
		    (finding->rule == &rules[RULE_HG307] && !moved)) {
			finding->confidence = CONFIDENCE_PROVEN;
			g_clear_pointer(&finding->doubts, g_free);
		}
	}
}

void moves_finish(struct process_watch *watch, const struct rules_context *context)
{
	struct moves *moves = watch->moves;

	if (moves->lost) {
		findings_limit(
		    context->findings,
		    "process %d: %" G_GUINT64_FORMAT
		    " events of the driver's about migrations were lost or not understood",
		    context->process->pid, moves->lost);
	}
	pages_settle(moves);
	if (moves->source) {
		prefetches_finish(moves, context);
	}
	if (moves->source && !moves->lost) {
		settle(moves, context);
	}
	/* That the software GPU was not to move pages is no gap. */
	if (moves->problem && !g_str_has_prefix(moves->problem, "the software GPU")) {
		findings_note(context->findings, "pages that moved were not recorded: %s",
			      moves->problem);
	}
	for (unsigned i = 0; i < moves->list->len; i++) {
		g_ptr_array_add(context->findings->moves, moves->list->pdata[i]);
	}
	g_ptr_array_set_free_func(moves->list, NULL);
	g_ptr_array_set_size(moves->list, 0);
}
