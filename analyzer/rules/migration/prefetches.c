/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetches, and what the driver did about them: HG304, HG305, HG311. */
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_stream.h"
#include "migration_state.h"

void prefetches_launch(struct migration *migration, const struct gpu_work *work)
{
	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);

		for (unsigned t = 0; !prefetch->used_ns && t < work->touched_count; t++)
			if (work->touched[t] == prefetch->allocation)
				prefetch->used_ns = work->ns;
		if (work->unknown && !prefetch->used_ns)
			prefetch->used_ns = work->ns;
	}
}

static void set_prefetch(struct finding *finding, const struct prefetch_record *prefetch)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = prefetch->allocation };

	finding_set_place(finding, &place, prefetch->start);
	finding->api = g_strdup("hipMemPrefetchAsync");
}

/* Returns true if a prefetch moved pages of [start, end), as this one was to. */
static bool was_moved(const struct migration *migration, const struct prefetch_record *prefetch,
		      uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < migration->prefetched->len; i++) {
		const struct prefetch_move *move =
		    &g_array_index(migration->prefetched, struct prefetch_move, i);

		if (move->to == prefetch->target && move->ns > prefetch->ns - SLACK_NS &&
		    MAX(move->start, start) < MIN(move->end, end))
			return true;
	}
	return false;
}

int64_t prefetch_began(const struct migration *migration, uint64_t start, uint64_t end,
		       int32_t target, int64_t ns)
{
	int64_t began = ns - SLACK_NS;

	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		const struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);

		if (prefetch->target == target && prefetch->ns <= ns && prefetch->start < end &&
		    start < prefetch->end && prefetch->ns > ns - SLACK_NS)
			return prefetch->ns;
		if (prefetch->target == target && prefetch->ns <= ns && prefetch->start < end &&
		    start < prefetch->end)
			began = prefetch->ns;
	}
	return began;
}

void check_host_first(struct migration *migration, const struct rules_context *context,
		      uint64_t start, uint64_t end, int64_t ns)
{
	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);
		struct finding *finding;
		bool is_new;

		if (prefetch->target < 0 || prefetch->host_first || prefetch->ns >= ns ||
		    end <= prefetch->start || start >= prefetch->end ||
		    (prefetch->used_ns && prefetch->used_ns < ns) ||
		    !was_moved(migration, prefetch, start, end))
			continue;
		prefetch->host_first = true;
		finding = findings_get(context->findings, RULE_HG305, context->process, &is_new,
				       "host %u", prefetch->stack_id);
		finding_hit(finding, ns, prefetch->stack_id);
		finding_figure(finding, 0, FIGURE_RANGE, prefetch->end - prefetch->start);
		finding_detail(finding, (unsigned)prefetch->target);
		if (is_new) {
			set_prefetch(finding, prefetch);
			finding->message =
			    g_strdup_printf("hipMemPrefetchAsync moved %s bytes to device %d, but "
					    "the host used them next, and they migrated back.",
					    FIGURE(0), prefetch->target);
			finding->fix = g_strdup("prefetch after the host's last use of them");
		}
	}
}

static uint64_t overlap(uint64_t a_start, uint64_t a_end, uint64_t b_start, uint64_t b_end)
{
	uint64_t start = MAX(a_start, b_start), end = MIN(a_end, b_end);

	return end > start ? end - start : 0;
}

void prefetches_fault(struct migration *migration, const struct gpu_work *launch, int32_t device,
		      uint64_t start, uint64_t end, int64_t ns)
{
	struct fault_move move = { start, end, device, ns, *launch };

	migration->faulted[migration->fault_count++ % RECENT] = move;
	/* A launch is at work for a while only: the latest prefetches. */
	for (unsigned i = migration->prefetches->len; i > 0 && migration->prefetches->len - i < 64;
	     i--) {
		struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i - 1);

		if (prefetch->launch.ns == launch->ns && prefetch->target == device)
			prefetch->late += overlap(start, end, prefetch->start, prefetch->end);
	}
}

/* The launch that it comes too late for, if there is one, and what has come for that already. */
static void note_late(struct migration *migration, struct prefetch_record *prefetch)
{
	bool several = false;
	const struct gpu_work *launch = prefetch->target >= 0
					    ? who_used(migration, prefetch->ns, prefetch->target,
						       prefetch->allocation, &several)
					    : NULL;

	if (launch)
		prefetch->used_ns = prefetch->ns;
	/* The launch that uses the pages must be known. */
	if (!launch || several)
		return;
	prefetch->launch = *launch;
	for (uint64_t i = migration->fault_count; i > 0 && migration->fault_count - i < RECENT;
	     i--) {
		const struct fault_move *move = &migration->faulted[(i - 1) % RECENT];

		if (move->launch.ns == launch->ns && move->to == prefetch->target) {
			prefetch->late +=
			    overlap(move->start, move->end, prefetch->start, prefetch->end);
		}
	}
}

/* The only prefetch to that device which can have moved them; NULL: there are several, or none. */
static struct prefetch_record *mover(const struct migration *migration,
				     const struct prefetch_move *move)
{
	struct prefetch_record *found = NULL;

	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);

		if (prefetch->target == move->to &&
		    overlap(move->start, move->end, prefetch->start, prefetch->end)) {
			if (found)
				return NULL;
			found = prefetch;
		}
	}
	return found;
}

/*
 * It still moved pages when faults of a later launch brought others of the same range: the launch
 * did not wait for it. Both times are the driver's.
 */
void prefetches_move(struct migration *migration, const struct prefetch_move *move)
{
	struct prefetch_record *prefetch = move->to >= 0 ? mover(migration, move) : NULL;
	uint64_t late = 0;
	const struct gpu_work *launch = NULL;

	if (!prefetch || prefetch->launch.ns)
		return;
	for (uint64_t i = migration->fault_count; i > 0 && migration->fault_count - i < RECENT;
	     i--) {
		const struct fault_move *fault = &migration->faulted[(i - 1) % RECENT];

		if (fault->to == move->to && fault->ns < move->ns &&
		    fault->launch.ns > prefetch->ns && fault->launch.stream != prefetch->stream &&
		    (!launch || launch->ns == fault->launch.ns)) {
			late += overlap(fault->start, fault->end, prefetch->start, prefetch->end);
			launch = &fault->launch;
		}
	}
	if (late) {
		prefetch->launch = *launch;
		prefetch->late = late;
		prefetch->beside = true;
	}
}

void note_prefetch(struct migration *migration, const struct rules_context *context)
{
	const struct hg_ev_prefetch *event = context->event->prefetch;
	struct place place = process_place(context->process, event->ptr);
	struct prefetch_record record = {
		.start = event->ptr & ~(uint64_t)(PAGE - 1),
		.end = (event->ptr + event->size + PAGE - 1) & ~(uint64_t)(PAGE - 1),
		.target = event->target,
		.ns = context->event->ns - (int64_t)event->duration,
		.stream = event->stream,
		.stack_id = event->stack_id,
	};

	if (place.kind != PLACE_ALLOCATION || !migration->source ||
	    migration->prefetches->len == PREFETCHES)
		return;
	record.allocation = allocation_ref(place.allocation);
	note_late(migration, &record);
	g_array_append_val(migration->prefetches, record);
}

/* ---- the end ---- */

/* A fair part of what it names: a page or two may have been requested by chance. */
static bool is_late(const struct prefetch_record *prefetch)
{
	return prefetch->late &&
	       prefetch->late >= MIN(MIGRATION_BLOCK, (prefetch->end - prefetch->start) / 2);
}

/* Reports HG311. */
static void tell_late(const struct rules_context *context, const struct prefetch_record *prefetch)
{
	struct kernel_ref *kernel = process_kernel(context->process, prefetch->launch.kernel_id);
	const char *arch;
	const struct isa_kernel *code = kernel ? kernels_find(context->kernels, context->process,
							      kernel, context->findings, &arch)
					       : NULL;
	bool is_new;
	struct finding *finding = findings_get(context->findings, RULE_HG311, context->process,
					       &is_new, "%u", prefetch->stack_id);

	finding_hit(finding, prefetch->ns, prefetch->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, prefetch->end - prefetch->start);
	finding_figure(finding, 1, FIGURE_RANGE, prefetch->late);
	finding_detail(finding, prefetch->launch.kernel_id);
	if (!is_new)
		return;
	set_prefetch(finding, prefetch);
	finding->message =
	    g_strdup_printf("hipMemPrefetchAsync of %s bytes was called after a launch of %s that "
			    "uses them: its page faults migrated %s of them.",
			    FIGURE(0),
			    code     ? code->name
			    : kernel ? kernel->symbol
				     : "a kernel",
			    FIGURE(1));
	finding->fix = g_strdup("call it before the launch, and on the same stream");
}

/* Call sites of which a prefetch moved something, or came too late to: stack id + 1. */
static GHashTable *useful_sites(const struct migration *migration)
{
	GHashTable *useful = g_hash_table_new(NULL, NULL);

	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		const struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);
		gpointer key = GSIZE_TO_POINTER((size_t)prefetch->stack_id + 1);

		if (!g_hash_table_contains(useful, key) &&
		    (is_late(prefetch) ||
		     was_moved(migration, prefetch, prefetch->start, prefetch->end)))
			g_hash_table_add(useful, key);
	}
	return useful;
}

/* HG304: every prefetch of a call site found the pages where they were to go. */
static void tell_noop(const struct rules_context *context, const struct prefetch_record *prefetch)
{
	bool is_new;
	struct finding *finding = findings_get(context->findings, RULE_HG304, context->process,
					       &is_new, "there %u", prefetch->stack_id);

	finding->absence = ABSENCE_TO_END;
	finding_hit(finding, prefetch->ns, prefetch->stack_id);
	if (is_new) {
		set_prefetch(finding, prefetch);
		finding->message =
		    g_strdup("hipMemPrefetchAsync moved no page: all were there already.");
		finding->fix = g_strdup(
		    "remove the call, or make it after the other side has used the memory");
	}
}

void prefetches_finish(struct migration *migration, const struct rules_context *context)
{
	bool all =
	    migration->prefetches->len < PREFETCHES && migration->prefetched->len < PREFETCHES;
	GHashTable *useful = useful_sites(migration);

	for (unsigned i = 0; i < migration->prefetches->len; i++) {
		const struct prefetch_record *prefetch =
		    &g_array_index(migration->prefetches, struct prefetch_record, i);
		gpointer key = GSIZE_TO_POINTER((size_t)prefetch->stack_id + 1);

		if (is_late(prefetch))
			tell_late(context, prefetch);
		if (all && !migration->lost && !g_hash_table_contains(useful, key))
			tell_noop(context, prefetch);
	}
	g_hash_table_destroy(useful);
}
