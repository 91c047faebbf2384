/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG314: heap that is used again while its pages are still in a GPU's memory. free() keeps the heap
 * mapped, so that the driver does not hear of it; the host's next use brings the old contents back,
 * fault by fault [RLIB12323].
 */
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "migration_state.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_free.h"

#define RETURNS 64u /* that wait for their memory */
#define LOOKS   32u /* of each */

#define SEVERAL_CLOCKS                                                                          \
	"the driver's times and the program's are recorded by two threads, and few pages came " \
	"back "                                                                                 \
	"after each release"
#define EVENTS_DROPPED "the driver dropped events: kernels may have used this memory in between"

/* mallopt(3) and malloc(3) take this for large: such a block can be kept from the heap. */
#define MMAP_THRESHOLD (128u << 10)

/* Counts for memory that was freed. */
struct release {
	uint64_t faults;
};

static const struct attachment_type release_type = { sizeof(struct release), NULL, NULL };

void recycled_clear(gpointer returned)
{
	allocation_unref(((struct returned *)returned)->freed);
}

static void describe(struct finding *finding, const struct allocation *freed,
		     struct allocation *owner)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = owner };

	finding->least_count = RECYCLED_FAULTS;
	finding->absence = ABSENCE_BETWEEN;
	finding->api = g_strdup(hg_api_name(owner->api));
	finding->related = g_strdup(hg_api_name(freed->api));
	finding->related_stack_id = freed->stack_id;
	finding_set_place(finding, &place, owner->ptr);
	finding->message = g_strdup_printf(
	    "memory from %s is heap that was freed while its pages were in GPU memory, where they "
	    "stayed: the host's first accesses brought %s bytes back, fault by fault, which nobody "
	    "needs.",
	    finding->api, FIGURE(0));
	finding->fix = g_strdup(
	    freed->size >= MMAP_THRESHOLD
		? "call mallopt(M_MMAP_THRESHOLD, 131072) at the program's start (glibc): free() "
		  "then unmaps large blocks, and their pages in GPU memory are dropped"
		: "allocate what kernels use with hipMallocManaged: hipFree drops its pages");
	finding_at_most(finding, CONFIDENCE_LIKELY, SEVERAL_CLOCKS);
}

/*
 * The time of a fault is that of its recording, at most a moment late: one that the host had before
 * the release may seem to come after it, but not several.
 */
static void settle(struct finding *finding, struct allocation *freed)
{
	struct release *release = attachment_get(&freed->attachments, &release_type);

	if (++release->faults == RECYCLED_SURE && finding->doubts)
		finding_confirm(finding);
}

static void count(const struct rules_context *context, struct allocation *freed,
		  struct allocation *owner, uint64_t bytes, int64_t ns)
{
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG314, context->process, &is_new, "%u %u",
			       owner->api, owner->stack_id);
	finding_hit(finding, ns, 0);
	finding_figure(finding, 0, FIGURE_SUM, bytes);
	if (is_new)
		describe(finding, freed, owner);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = owner });
	settle(finding, freed);
}

/* It had not been freed by then: what was there before is not known to be used. */
static bool had_memory(const struct allocation *owner, int64_t ns)
{
	return owner->layer == LAYER_HOST && (!owner->freed || owner->free_ns >= ns);
}

void recycled_return(struct migration *migration, const struct rules_context *context,
		     struct allocation *freed, struct allocation *owner, uint64_t page,
		     uint64_t bytes, int64_t ns)
{
	struct returned returned = { freed, page, bytes, ns, 0 };

	if (owner && owner != freed && had_memory(owner, ns)) {
		count(context, freed, owner, bytes, ns);
	} else if (migration->returned->len < RETURNS) {
		allocation_ref(freed);
		g_array_append_val(migration->returned, returned);
	}
}

/*
 * The block whose allocation was under way when the page returned, or NULL. calloc() writes to the
 * memory before it returns; free() and malloc() only to a few words of what is free.
 */
static struct allocation *cleared_block(const struct process *process,
					const struct returned *returned)
{
	const uint64_t looks[] = { returned->page, returned->page + PAGE - 1 };

	for (unsigned i = 0; i < G_N_ELEMENTS(looks); i++) {
		struct allocation *allocation = address_space_find(&process->space, looks[i], NULL);

		if (allocation && allocation->api == HG_API_calloc && allocation->ns > returned->ns)
			return allocation;
	}
	return NULL;
}

static void look(struct migration *migration, const struct rules_context *context, bool counted)
{
	for (unsigned i = migration->returned->len; i > 0; i--) {
		struct returned *returned =
		    &g_array_index(migration->returned, struct returned, i - 1);
		struct allocation *owner = cleared_block(context->process, returned);

		if (owner)
			count(context, returned->freed, owner, returned->bytes, returned->ns);
		if (owner || (counted && ++returned->looks == LOOKS))
			g_array_remove_index_fast(migration->returned, i - 1);
	}
}

void recycled_look(struct migration *migration, const struct rules_context *context)
{
	look(migration, context, true);
}

void recycled_release(struct migration *migration, const struct rules_context *context)
{
	uint64_t ptr = context->event->free->ptr;
	const struct returned *returned;
	struct allocation *released;

	for (unsigned i = 0; i < migration->returned->len; i++) {
		returned = &g_array_index(migration->returned, struct returned, i);
		released = cleared_block(context->process, returned);
		if (released && released->ptr == ptr) {
			look(migration, context, false);
			return;
		}
	}
}

void recycled_finish(struct migration *migration, const struct rules_context *context)
{
	recycled_look(migration, context);
	for (unsigned i = 0; i < context->findings->list->len; i++) {
		struct finding *finding = context->findings->list->pdata[i];

		if (migration->lost && finding->rule == &rules[RULE_HG314] &&
		    finding->process == context->process)
			finding_at_most(finding, CONFIDENCE_POSSIBLE, EVENTS_DROPPED);
	}
}
