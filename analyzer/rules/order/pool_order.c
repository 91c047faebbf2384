/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds HG708: another stream may use memory of a pool (hipMallocAsync) only after it has waited
 * for the allocation. Before that, earlier work may still use the block that the memory was made
 * of. A stream that does not wait for another one is one finding, whatever memory it gets from
 * there before it does: the surest use is reported.
 */
#include "access_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"

#define WRITES     (ACCESS_WRITE | ACCESS_ATOMIC)
#define GIVEN_BACK 4096 /* blocks that are remembered */

/* Holds for an allocation where it was made. */
struct pool_block {
	struct use made;
	bool busy;          /* its stream had work that the host had not waited for */
	struct use earlier; /* of what had its address; access 0: nothing that may go on */
	bool reported;
};

static const struct attachment_type block_type = { sizeof(struct pool_block), NULL, NULL };

/* Maps for a process each address to the latest use of the block that was released there. */
static void init_given_back(void *data)
{
	*(GHashTable **)data = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

static void clear_given_back(void *data)
{
	g_hash_table_destroy(*(GHashTable **)data);
}

static const struct attachment_type given_back_type = { sizeof(GHashTable *), init_given_back,
							clear_given_back };

/* Holds for two streams that the later one has not waited for memory of the first one. */
struct missing_wait {
	uint32_t first, later;   /* slots */
	struct moment moment;    /* of the earliest such memory */
	struct finding *finding; /* borrowed */
	uint64_t count;          /* of the finding's occurrences */
	int sure;
};

static void init_missing(void *data)
{
	*(GArray **)data = g_array_new(FALSE, FALSE, sizeof(struct missing_wait));
}

static void clear_missing(void *data)
{
	g_array_free(*(GArray **)data, TRUE);
}

static const struct attachment_type missing_type = { sizeof(GArray *), init_missing,
						     clear_missing };

static GHashTable *given_back(struct process *process)
{
	return *(GHashTable **)attachment_get(&process->attachments, &given_back_type);
}

void pool_allocated(struct process_order *at, struct allocation *allocation, const struct use *made,
		    bool busy)
{
	struct pool_block *block = attachment_get(&allocation->attachments, &block_type);
	const struct use *earlier = g_hash_table_lookup(given_back(at->process), &allocation->ptr);

	*block = (struct pool_block){ .made = *made, .busy = busy };
	if (earlier && !order_done(&at->order, earlier->moment))
		block->earlier = *earlier;
	g_hash_table_remove(given_back(at->process), &allocation->ptr);
}

static void pool_released(struct process_order *at, const struct allocation *allocation)
{
	const struct access_history *history = access_history_of(allocation);
	GHashTable *blocks = given_back(at->process);

	if (!history || !history->count ||
	    order_done(&at->order, history->at[history->count - 1].moment) ||
	    g_hash_table_size(blocks) >= GIVEN_BACK)
		return;
	g_hash_table_insert(blocks, g_memdup2(&allocation->ptr, sizeof(allocation->ptr)),
			    g_memdup2(&history->at[history->count - 1], sizeof(struct use)));
}

/* ---- uses ---- */

/* Returns the wait that is missing, which may be one that others miss as well. */
static struct missing_wait *find_missing(const struct rules_context *context,
					 const struct pool_block *block, const struct use *later)
{
	const struct order *order = &context->work->at->order;
	GArray *list = *(GArray **)attachment_get(&context->process->attachments, &missing_type);
	const struct missing_wait none = {
		block->made.moment.slot, later->moment.slot, block->made.moment, NULL, 0, -1
	};
	struct missing_wait *missing = NULL;

	for (unsigned i = 0; i < list->len && !missing; i++) {
		missing = &g_array_index(list, struct missing_wait, i);
		if (missing->first != none.first || missing->later != none.later)
			missing = NULL;
	}
	if (!missing) {
		g_array_append_val(list, none);
		return &g_array_index(list, struct missing_wait, list->len - 1);
	}
	if (order_before(order, missing->moment, order->owners[later->moment.slot]))
		*missing = none;
	return missing;
}

/* Takes over a finding that is surer: the one before is not reported if it was about this alone. */
static void surest_is(struct missing_wait *missing, struct finding *finding, int sure)
{
	if (missing->finding && missing->finding != finding &&
	    missing->finding->count == missing->count)
		missing->finding->least_count = UINT64_MAX;
	finding->least_count = 0;
	missing->finding = finding;
	missing->count = 0;
	missing->sure = sure;
}

static void report(const struct rules_context *context, struct allocation *allocation,
		   const struct pool_block *block, const struct use *later,
		   const struct launch_use *from, bool reused)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	char *first = order_stream_text(context->process, &block->made),
	     *second = order_stream_text(context->process, later);
	struct missing_wait *missing = find_missing(context, block, later);
	int sure = reused ? 2 : block->busy;
	struct finding *finding = missing->finding;
	bool is_new = false;

	if (sure > missing->sure) {
		finding = findings_get(context->findings, RULE_HG708, context->process, &is_new,
				       "%s %u %u", use_name(later), later->stack_id,
				       allocation->stack_id);
		surest_is(missing, finding, sure);
	}
	missing->count++;
	finding_hit(finding, later->ns, later->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &place);
	finding_detail(finding,
		       (uint64_t)block->made.stream << 32 ^ (uint64_t)later->stream << 1 ^ reused);
	if (is_new) {
		char *user = reused ? g_strdup_printf(", and %s in it may still use this memory",
						      use_name(&block->earlier))
				    : g_strdup("");

		order_set_later(context, finding, allocation, later, from);
		finding->related =
		    g_strdup_printf("%s in %s, before it", hg_api_name(allocation->api), first);
		finding->related_stack_id = allocation->stack_id;
		finding->message = g_strdup_printf("%s in %s uses %s bytes that %s allocates in "
						   "%s: nothing makes the use wait for "
						   "the allocation%s.",
						   use_name(later), second, FIGURE(0),
						   hg_api_name(allocation->api), first, user);
		finding->fix = g_strdup_printf(
		    "call hipEventRecord(event, ...) for %s after %s, and "
		    "hipStreamWaitEvent(..., event, 0) for %s before %s; or allocate in the "
		    "stream that uses it",
		    first, hg_api_name(allocation->api), second, use_name(later));
		g_free(user);
	}
	order_count_launch(context, finding, from);
	if (is_new && !reused) {
		finding_at_most(
		    finding, block->busy ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
		    block->busy ? "the pool may have taken memory that nothing used"
				: "the stream of the allocation had nothing to do at that time");
	}
	g_free(first);
	g_free(second);
}

/* Returns true if a finding says already that this use does not wait for one in that stream. */
static bool is_told_of_race(const struct rules_context *context, struct allocation *allocation,
			    const struct pool_block *block, const struct use *later)
{
	const struct order *order = &context->work->at->order;
	const struct access_history *history = access_history_of(allocation);

	for (unsigned i = 0; history && i < history->count; i++)
		if (history->at[i].moment.slot == block->made.moment.slot &&
		    !order_before(order, history->at[i].moment, order->owners[later->moment.slot]))
			return race_is_reported(context, later->moment);
	return false;
}

static void check_use(const struct rules_context *context, struct allocation *allocation,
		      uint64_t address, uint8_t access, const struct launch_use *from)
{
	const struct process_order *at = context->work->at;
	struct use later = *context->work->use;
	const struct order_stream *stream = at->order.owners[later.moment.slot];
	struct pool_block *block = attachment_find(&allocation->attachments, &block_type);
	bool reused;

	if (!block || block->reported || !stream ||
	    order_before(&at->order, block->made.moment, stream))
		return;
	block->reported = true;
	later.start = address;
	later.access = access;
	reused = block->earlier.access && ((block->earlier.access | access) & WRITES) &&
		 !order_before(&at->order, block->earlier.moment, stream);
	if (reused || !is_told_of_race(context, allocation, block, &later))
		report(context, allocation, block, &later, from, reused);
}

static void check_address(const struct rules_context *context, uint64_t address, uint8_t access)
{
	struct place place = process_place(context->process, address);

	if (place.kind == PLACE_ALLOCATION)
		check_use(context, place.allocation, address, access, NULL);
}

static void check_work(const struct rules_context *context)
{
	const struct launch_uses *uses = context->work->uses;
	struct rules_context own = *context;
	struct work work = *context->work;
	struct use use = *context->work->use;

	own.work = &work;
	work.use = &use;
	switch (context->event->type) {
	case HG_EVENT_launch:
		use.code = uses->code;
		for (unsigned i = 0; i < uses->count; i++) {
			check_use(&own, uses->at[i].allocation, uses->at[i].address,
				  uses->at[i].access, &uses->at[i]);
		}
		break;
	case HG_EVENT_copy:
		check_address(&own, context->event->copy->src, ACCESS_READ);
		check_address(&own, context->event->copy->dst, ACCESS_WRITE);
		break;
	default:
		check_address(&own, context->event->fill->dst, ACCESS_WRITE);
		break;
	}
}

void check_pool(const struct rules_context *context)
{
	if (context->work->at->unfollowed)
		return;
	if (context->wake == WAKE_WORK)
		check_work(context);
	else if (context->work->stream)
		pool_released(context->work->at, context->work->allocation);
}
