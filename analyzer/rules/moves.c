/* SPDX-License-Identifier: Apache-2.0 */
#include "moves.h"

#include <string.h>

#include "kernels.h"
#include "residency.h"
#include "thresholds.h"
#include "watch.h"

#define PAGE 4096u
/* Launches and waits that are remembered: the driver's words come a moment after the fact. */
#define RECENT 1024u
#define KINDS  8u /* streams that a look back tells apart */

/* enum kfd_smi_event, memory-model.md F.2 */
enum {
	SMI_MIGRATE_END = 6,
	SMI_FAULT_END = 8,
	SMI_QUEUE_EVICTION = 9,
};
#define EVICTION_USERPTR 1 /* KFD's queue eviction trigger */

/* A launch, or a wait (kernel_id 0) for all work or that of one stream. */
struct moment {
	int64_t ns;
	uint32_t kernel_id, args_id, stack_id;
	int32_t device;
	uint64_t stream;
	bool everything;               /* a wait */
	struct allocation *touched[4]; /* not referenced: only compared */
	unsigned touched_count;
	bool unknown; /* it may touch more */
};

/* A block of 2 MiB that moved by faults. */
struct block {
	struct allocation *allocation; /* only compared */
	bool on_device;
	unsigned trips;                        /* to a device after it had come back */
	uint32_t kernel_id, args_id, stack_id; /* of the launch that brought it there */
};

struct prefetch_record {
	uint64_t start, end;
	int32_t target;
	int64_t ns;
	uint32_t stack_id;
	struct allocation *allocation; /* a reference */
	int64_t used_ns;               /* by a launch first; 0: by none yet */
	bool host_first;
};

/* Pages that a prefetch moved. */
struct prefetch_move {
	uint64_t start, end;
	int32_t to;
	int64_t ns;
};

/*
 * The driver's time and the program's meet in two threads, each of which may be held up between
 * looking at a clock and recording: who came first is certain only so far apart.
 */
#define SLACK_NS 1000000000

struct moves {
	struct moment recent[RECENT];
	uint64_t count;
	GHashTable *rows;   /* key text -> struct move_row, borrowed by the list */
	GPtrArray *list;    /* struct move_row */
	GHashTable *blocks; /* address / 2 MiB -> struct block */
	GArray *prefetches; /* struct prefetch_record */
	GArray *prefetched; /* struct prefetch_move, in the driver's order */
	GHashTable *storms; /* finding -> launches that it counted: see count_storm */
	bool source;        /* the driver's events were read */
	uint64_t lost;      /* of them, dropped or not understood */
	char *problem;
};

/* Which launch of a kernel faults belong to, and how many. */
struct storm {
	int64_t launch_ns;
	uint64_t faults;
};

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

	moves->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	moves->list = g_ptr_array_new_with_free_func(move_row_free);
	moves->blocks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	moves->prefetches = g_array_new(FALSE, FALSE, sizeof(struct prefetch_record));
	g_array_set_clear_func(moves->prefetches, clear_prefetch);
	moves->prefetched = g_array_new(FALSE, FALSE, sizeof(struct prefetch_move));
	moves->storms = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return moves;
}

void moves_free(struct moves *moves)
{
	if (moves) {
		g_hash_table_destroy(moves->rows);
		g_ptr_array_free(moves->list, TRUE);
		g_hash_table_destroy(moves->blocks);
		g_array_free(moves->prefetches, TRUE);
		g_array_free(moves->prefetched, TRUE);
		g_hash_table_destroy(moves->storms);
		g_free(moves->problem);
		g_free(moves);
	}
}

/* ---- when ---- */

static struct moment *next_moment(struct moves *moves)
{
	struct moment *moment = &moves->recent[moves->count++ % RECENT];

	memset(moment, 0, sizeof(*moment));
	return moment;
}

void moves_launch(struct process_watch *watch, const struct rules_context *context,
		  const struct launch_watch *launch)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct moves *moves = watch->moves;
	struct moment *moment = next_moment(moves);

	moment->ns = context->event->ns;
	moment->kernel_id = event->kernel_id;
	moment->args_id = event->args_id;
	moment->stack_id = event->stack_id;
	moment->device = event->device;
	moment->stream = event->stream;
	moment->unknown = launch->unknown;
	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);

		if (moment->touched_count == G_N_ELEMENTS(moment->touched)) {
			moment->unknown = true;
			break;
		}
		moment->touched[moment->touched_count++] = touched->memory->allocation;
	}
	for (unsigned i = 0; i < moves->prefetches->len; i++) {
		struct prefetch_record *prefetch =
		    &g_array_index(moves->prefetches, struct prefetch_record, i);

		for (unsigned t = 0; !prefetch->used_ns && t < moment->touched_count; t++) {
			if (moment->touched[t] == prefetch->allocation) {
				prefetch->used_ns = moment->ns;
			}
		}
		if (moment->unknown && !prefetch->used_ns) {
			prefetch->used_ns = moment->ns;
		}
	}
}

static void note_wait(struct moves *moves, const struct hg_event *event)
{
	struct moment *moment;

	if (event->sync.api != HG_API_hipDeviceSynchronize &&
	    event->sync.api != HG_API_hipStreamSynchronize) {
		return;
	}
	moment = next_moment(moves);
	moment->ns = event->ns;
	moment->everything = event->sync.api == HG_API_hipDeviceSynchronize;
	moment->stream = event->sync.stream;
	moment->stack_id = event->sync.stack_id;
}

static bool touches(const struct moment *moment, const struct allocation *allocation)
{
	for (unsigned i = 0; i < moment->touched_count; i++) {
		if (moment->touched[i] == allocation) {
			return true;
		}
	}
	return moment->unknown;
}

/*
 * The launch whose kernel used the memory at time `ns`: the oldest that nobody had waited for by
 * then. *several: there are others, of other kernels.
 */
static const struct moment *who_used(const struct moves *moves, int64_t ns, int32_t device,
				     const struct allocation *allocation, bool *several)
{
	const struct moment *found = NULL;
	uint64_t waited[KINDS];
	unsigned kinds = 0;

	*several = false;
	for (uint64_t i = moves->count; i > 0 && moves->count - i < RECENT; i--) {
		const struct moment *moment = &moves->recent[(i - 1) % RECENT];
		bool over = false;

		if (moment->ns > ns) {
			continue;
		}
		if (!moment->kernel_id) {
			if (moment->everything) {
				break;
			}
			if (kinds < KINDS) {
				waited[kinds++] = moment->stream;
			}
			continue;
		}
		for (unsigned k = 0; k < kinds; k++) {
			over |= waited[k] == moment->stream;
		}
		if (over || (device >= 0 && moment->device != device) ||
		    !touches(moment, allocation)) {
			continue;
		}
		*several |= (found && found->kernel_id != moment->kernel_id) || moment->unknown;
		found = moment;
	}
	return found;
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

static struct move_row *row_of(struct moves *moves, const struct rules_context *context,
			       struct allocation *allocation, const struct moment *launch,
			       bool several)
{
	uint32_t kernel_id = launch ? launch->kernel_id : 0;
	char *key = g_strdup_printf("%u %u %u", allocation ? allocation->api : 0,
				    allocation ? allocation->stack_id : 0, kernel_id);
	struct move_row *row = g_hash_table_lookup(moves->rows, key);

	if (!row) {
		struct kernel_ref *kernel =
		    kernel_id ? process_kernel(context->process, kernel_id) : NULL;
		const char *arch;
		const struct isa_kernel *code =
		    kernel ? kernels_find(context->kernels, context->process, kernel,
					  context->findings, &arch)
			   : NULL;

		row = g_new0(struct move_row, 1);
		row->process = context->process;
		row->allocation = allocation ? allocation_ref(allocation) : NULL;
		row->allocations = 1;
		row->kernel = g_strdup(code ? code->name : kernel ? kernel->symbol : NULL);
		g_hash_table_insert(moves->rows, key, row);
		g_ptr_array_add(moves->list, row);
	} else {
		g_free(key);
		if (allocation && row->allocation != allocation &&
		    row->allocation->ptr != allocation->ptr) {
			row->allocations++;
			allocation_unref(row->allocation);
			row->allocation = allocation_ref(allocation);
		}
	}
	row->one_of_several |= several;
	return row;
}

/* ---- the rules ---- */

static void set_launch(const struct rules_context *context, struct finding *finding,
		       const struct moment *moment, struct allocation *allocation)
{
	struct kernel_ref *kernel = process_kernel(context->process, moment->kernel_id);
	struct launch launch = { .kernel = kernel,
				 .args = process_args(context->process, moment->args_id) };

	if (kernel) {
		launch.code = kernels_find(context->kernels, context->process, kernel,
					   context->findings, &launch.arch);
		finding_set_launch(finding, &launch, NULL);
	}
	if (!finding->allocation) {
		struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

		finding_set_place(finding, &place, allocation->ptr);
	}
}

/* HG301: a launch that has many pages brought to it one block after the other. */
static void count_storm(struct moves *moves, const struct rules_context *context,
			const struct moment *launch, struct allocation *allocation, int64_t ns,
			bool several)
{
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG301, context->process, &is_new, "%u %u",
			 launch->kernel_id, allocation->stack_id);
	struct storm *storm = g_hash_table_lookup(moves->storms, finding);

	if (is_new) {
		storm = g_new0(struct storm, 1);
		g_hash_table_insert(moves->storms, finding, storm);
		set_launch(context, finding, launch, allocation);
		finding->least_launches = STORM_LAUNCHES;
		finding->first_ns = ns;
		finding->message = g_strdup_printf(
		    "launches of this kernel stop for %u page faults and more each, until the "
		    "pages of %" G_GUINT64_FORMAT " bytes from %s have come to the GPU.",
		    STORM_FAULTS, allocation->size, hg_api_name(allocation->api));
		finding->fix = g_strdup_printf("call hipMemPrefetchAsync(p, n, %d, stream)" FIX_SITE
					       ", before the launch; or keep it on one side",
					       launch->device);
	}
	if (storm->launch_ns != launch->ns) {
		storm->launch_ns = launch->ns;
		storm->faults = 0;
	}
	if (++storm->faults == STORM_FAULTS) {
		finding->launches++;
		finding_hit(finding, ns, launch->stack_id);
	}
	if (several) {
		finding_at_most(finding, CONFIDENCE_LIKELY, "several kernels were at work");
	}
}

/* HG302 */
static void count_trip(const struct rules_context *context, struct block *block,
		       struct allocation *allocation, int64_t ns)
{
	const struct moment launch = { .kernel_id = block->kernel_id, .args_id = block->args_id };
	struct finding *finding;
	bool is_new;

	if (++block->trips < TRIPS) {
		return;
	}
	finding = findings_get(context->findings, RULE_HG302, context->process, &is_new, "%u %u",
			       allocation->api, allocation->stack_id);
	if (is_new) {
		if (block->kernel_id) {
			set_launch(context, finding, &launch, allocation);
		} else {
			struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

			finding_set_place(finding, &place, allocation->ptr);
		}
		finding->message = g_strdup_printf(
		    "blocks of %" G_GUINT64_FORMAT " bytes from %s went to the GPU, came back "
		    "when the host used them, and went again, %u times and more.",
		    allocation->size, hg_api_name(allocation->api), TRIPS);
		finding->fix = g_strdup(
		    "split what the host and the GPU use, or keep it on one side: "
		    "hipMemAdviseSetAccessedBy for what kernels use little of, device memory and "
		    "copies for the rest");
	}
	finding->launches += block->kernel_id != 0;
	finding_hit(finding, ns, block->stack_id);
}

/* HG308 */
static void count_eviction(const struct rules_context *context, const struct hg_ev_migration *move,
			   struct allocation *allocation, int64_t ns)
{
	const struct device *device = process_device(context->process, move->from);
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG308, context->process, &is_new, "%d",
			       move->from);
	finding_hit(finding, ns, 0);
	if (!is_new) {
		return;
	}
	finding->subject = g_strdup_printf("device %d", move->from);
	if (allocation) {
		struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

		finding_set_place(finding, &place, allocation->ptr);
	}
	finding->message = g_strdup_printf(
	    "device %d had no room for all that was to be there (it has %" G_GUINT64_FORMAT
	    " bytes): the driver stopped its queues and moved pages out to the host.",
	    move->from, device ? device->memory : 0);
	finding->fix = g_strdup("use less memory at a time: work in pieces that fit, and release "
				"what is not needed");
}

/* HG309 */
static void count_stop(const struct rules_context *context, const struct hg_ev_migration *stop,
		       int64_t ns)
{
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG309, context->process, &is_new, "%d",
			       stop->from);
	finding->least_count = STOPS;
	finding_hit(finding, ns, 0);
	if (!is_new) {
		return;
	}
	finding->subject = g_strdup_printf("device %d", stop->from);
	finding->message =
	    g_strdup_printf("the driver stopped all queues of device %d again and again, because "
			    "pages under registered memory changed.",
			    stop->from);
	finding->fix = g_strdup("do not fork, unmap or remap while memory is registered with "
				"hipHostRegister; allocate it with hipHostMalloc");
	finding_at_most(finding, CONFIDENCE_LIKELY, "which call changed them is not recorded");
}

/* Whether a prefetch moved pages of [start, end), as this one was to. */
static bool was_moved(const struct moves *moves, const struct prefetch_record *prefetch,
		      uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < moves->prefetched->len; i++) {
		const struct prefetch_move *move =
		    &g_array_index(moves->prefetched, struct prefetch_move, i);

		if (move->to == prefetch->target && move->ns > prefetch->ns - SLACK_NS &&
		    MAX(move->start, start) < MIN(move->end, end)) {
			return true;
		}
	}
	return false;
}

/* HG305 by the host's fault. */
static void check_host_first(struct moves *moves, const struct rules_context *context,
			     uint64_t start, uint64_t end, int64_t ns)
{
	for (unsigned i = 0; i < moves->prefetches->len; i++) {
		struct prefetch_record *prefetch =
		    &g_array_index(moves->prefetches, struct prefetch_record, i);
		struct finding *finding;
		bool is_new;

		if (prefetch->target < 0 || prefetch->host_first || prefetch->ns >= ns ||
		    end <= prefetch->start || start >= prefetch->end ||
		    (prefetch->used_ns && prefetch->used_ns < ns) ||
		    !was_moved(moves, prefetch, start, end)) {
			continue;
		}
		prefetch->host_first = true;
		finding = findings_get(context->findings, RULE_HG305, context->process, &is_new,
				       "host %u", prefetch->stack_id);
		finding_hit(finding, ns, prefetch->stack_id);
		if (is_new) {
			struct place place = { .kind = PLACE_ALLOCATION,
					       .allocation = prefetch->allocation };

			finding_set_place(finding, &place, prefetch->start);
			finding->api = g_strdup("hipMemPrefetchAsync");
			finding->message = g_strdup_printf(
			    "hipMemPrefetchAsync moved %" G_GUINT64_FORMAT
			    " bytes to device %d, but the host used them next, and they came back.",
			    prefetch->end - prefetch->start, prefetch->target);
			finding->fix = g_strdup("prefetch after the host's last use of them");
		}
	}
}

/* ---- events ---- */

static void account_part(struct process_watch *watch, const struct rules_context *context,
			 const struct hg_ev_migration *move, uint64_t start, uint64_t end,
			 struct allocation *allocation, int64_t ns)
{
	struct moves *moves = watch->moves;
	unsigned trigger = (unsigned)move->trigger;
	const struct moment *launch = NULL;
	struct move_row *row;
	bool several = false;

	if (trigger == MOVE_GPU_FAULT && allocation) {
		launch = who_used(moves, ns, move->to >= 0 ? move->to : move->from, allocation,
				  &several);
	}
	row = row_of(moves, context, allocation, launch, several);
	if (move->to == HG_PLACE_HOST) {
		row->to_host[trigger] += end - start;
	} else {
		row->to_device[trigger] += end - start;
	}
	if (!allocation) {
		return;
	}
	residency_moved(context, allocation, move->to != HG_PLACE_HOST, end - start, ns);
	if (trigger == MOVE_EVICTION) {
		count_eviction(context, move, allocation, ns);
	}
	for (uint64_t at = start / MIGRATION_BLOCK; at <= (end - 1) / MIGRATION_BLOCK; at++) {
		struct block *block = g_hash_table_lookup(moves->blocks, GSIZE_TO_POINTER(at));

		if (!block) {
			block = g_new0(struct block, 1);
			g_hash_table_insert(moves->blocks, GSIZE_TO_POINTER(at), block);
		}
		if (block->allocation != allocation) {
			*block = (struct block){ .allocation = allocation };
		}
		if (trigger == MOVE_CPU_FAULT && block->on_device) {
			block->on_device = false;
			count_trip(context, block, allocation, ns);
		} else if (trigger == MOVE_GPU_FAULT && move->to >= 0) {
			block->on_device = true;
			block->kernel_id = launch ? launch->kernel_id : 0;
			block->args_id = launch ? launch->args_id : 0;
			block->stack_id = launch ? launch->stack_id : 0;
		}
	}
}

static void account_move(struct process_watch *watch, const struct rules_context *context,
			 const struct hg_ev_migration *move, int64_t ns)
{
	struct moves *moves = watch->moves;
	uint64_t end = move->start + move->size, next;

	if (move->trigger < 0 || move->trigger >= MOVE_TRIGGERS || move->detail || !move->size) {
		return;
	}
	for (uint64_t at = move->start; at < end; at = next) {
		struct allocation *owner = owner_at(context->process, at, ns);

		if (owner) {
			uint64_t last =
			    (owner->ptr + owner->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

			next = MIN(end, MAX(last, at + PAGE));
		} else {
			next = at + PAGE;
			while (next < end && !owner_at(context->process, next, ns)) {
				next += PAGE;
			}
		}
		account_part(watch, context, move, at, next, owner, ns);
	}
	if (move->trigger == MOVE_CPU_FAULT) {
		check_host_first(moves, context, move->start, end, ns);
	}
	if (move->trigger == MOVE_PREFETCH && moves->prefetched->len < PREFETCHES) {
		struct prefetch_move prefetched = { move->start, end, move->to, ns };

		g_array_append_val(moves->prefetched, prefetched);
	}
}

static void account_fault(struct process_watch *watch, const struct rules_context *context,
			  const struct hg_ev_migration *fault, int64_t ns)
{
	struct allocation *allocation = owner_at(context->process, fault->start, ns);
	bool several = false, moved = fault->detail == 'M';
	const struct moment *launch =
	    allocation ? who_used(watch->moves, ns, fault->from, allocation, &several) : NULL;
	struct move_row *row = row_of(watch->moves, context, allocation, launch, several);

	row->faults_moved += moved;
	row->faults_kept += !moved;
	if (moved && launch) {
		count_storm(watch->moves, context, launch, allocation, ns, several);
	}
}

static void note_prefetch(struct moves *moves, const struct rules_context *context)
{
	const struct hg_ev_prefetch *event = &context->event->prefetch;
	struct place place = process_place(context->process, event->ptr);
	struct prefetch_record record = {
		.start = event->ptr & ~(uint64_t)(PAGE - 1),
		.end = (event->ptr + event->size + PAGE - 1) & ~(uint64_t)(PAGE - 1),
		.target = event->target,
		.ns = context->event->ns - (int64_t)event->duration,
		.stack_id = event->stack_id,
	};

	if (place.kind != PLACE_ALLOCATION || !moves->source ||
	    moves->prefetches->len == PREFETCHES) {
		return;
	}
	record.allocation = allocation_ref(place.allocation);
	g_array_append_val(moves->prefetches, record);
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
			account_move(watch, context, &event->migration, ns);
		} else if (event->migration.kind == SMI_FAULT_END) {
			account_fault(watch, context, &event->migration, ns);
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
		break;
	case HG_EVENT_sync:
		note_wait(moves, event);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

/* HG304: every prefetch of a call site found the pages where they were to go. */
static void check_noops(struct moves *moves, const struct rules_context *context)
{
	for (unsigned i = 0; i < moves->prefetches->len; i++) {
		const struct prefetch_record *prefetch =
		    &g_array_index(moves->prefetches, struct prefetch_record, i);
		bool useful = false, is_new;
		struct finding *finding;

		for (unsigned j = 0; j < moves->prefetches->len; j++) {
			const struct prefetch_record *other =
			    &g_array_index(moves->prefetches, struct prefetch_record, j);

			useful |= other->stack_id == prefetch->stack_id &&
				  was_moved(moves, other, other->start, other->end);
		}
		if (useful) {
			continue;
		}
		finding = findings_get(context->findings, RULE_HG304, context->process, &is_new,
				       "there %u", prefetch->stack_id);
		finding->absence = true;
		finding_hit(finding, prefetch->ns, prefetch->stack_id);
		if (is_new) {
			struct place place = { .kind = PLACE_ALLOCATION,
					       .allocation = prefetch->allocation };

			finding_set_place(finding, &place, prefetch->start);
			finding->api = g_strdup("hipMemPrefetchAsync");
			finding->message =
			    g_strdup("hipMemPrefetchAsync moved no page: they were there already.");
			finding->fix = g_strdup("leave it out, or call it after the other side has "
						"used the memory");
		}
	}
}

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
	if (moves->source && !moves->lost) {
		if (moves->prefetches->len < PREFETCHES && moves->prefetched->len < PREFETCHES) {
			check_noops(moves, context);
		}
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
