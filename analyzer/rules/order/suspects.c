/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares work in flight with a page. The machine code shows that a kernel uses a pointer, but not
 * how far from the pointer it goes; for stores it shows that, too, if the index is known or there
 * is none.
 */
#include "suspects.h"

#include <string.h>

#include "analyzer/rules/engine/kernels.h"

const char *suspect_name(const struct suspect *suspect)
{
	return suspect->name ? suspect->name : hg_api_name(suspect->flight->api);
}

static bool meets(const struct fault *fault, uint64_t start, uint64_t size)
{
	return start < fault->page + FAULT_PAGE && fault->page < start + size;
}

/* Returns true if the address lies in the memory that the fault is in, behind, or was in. */
static bool in_its_memory(const struct fault *fault, uint64_t address, const struct place *place)
{
	if (meets(fault, address, 1))
		return true;
	if (!fault->place.allocation)
		return false;
	return place->allocation == fault->place.allocation ||
	       (fault->place.kind == PLACE_FREED &&
		address - fault->place.allocation->ptr < fault->place.allocation->size);
}

static uint64_t distance(const struct fault *fault, uint64_t address)
{
	return address > fault->page ? address - fault->page : fault->page - address;
}

/* Adds one more way by which the suspect can come to the page. */
static void add_way(struct suspect *suspect, enum reach reach, const struct isa_use *use,
		    const struct pointer_argument *pointer, const struct fault *fault)
{
	uint64_t far = distance(fault, pointer->address);

	if (reach < suspect->reach)
		return;
	if (reach > suspect->reach)
		suspect->ways = 0;
	if (!suspect->ways++ || far < suspect->distance) {
		suspect->pointer = *pointer;
		suspect->pointer.chain = suspect->pointer.path = suspect->pointer.doubt = NULL;
		suspect->distance = far;
		suspect->writes = use->access & (ISA_WRITE | ISA_ATOMIC);
	}
	suspect->reach = reach;
}

/* ---- how far stores go ---- */

/*
 * Finds where one store can end up, counted from its pointer. Returns false if it can be anywhere.
 */
static bool store_bounds(const struct isa_store *store, int64_t *first, int64_t *last)
{
	const struct isa_step *step = &store->path.step[store->path.step_count - 1];

	if (step->exact)
		*first = *last = step->offset;
	else if (step->bounded && step->first <= step->last) {
		*first = step->first;
		*last = step->last;
	} else {
		return false;
	}
	return true;
}

/*
 * Returns true if the kernel uses that argument only for stores whose places are known and none of
 * which is on the page.
 */
static bool misses(const struct isa_kernel *code, const struct isa_use *use,
		   const struct pointer_argument *pointer, const struct fault *fault)
{
	bool any = false;

	if (use->access != ISA_WRITE || !code->stores_complete || pointer->chain)
		return false;
	for (size_t i = 0; i < code->store_count; i++) {
		const struct isa_store *store = &code->stores[i];
		int64_t first, last;

		if (store->path.symbol || store->path.kernarg != use->kernarg ||
		    store->path.step_count != 1)
			continue;
		any = true;
		if (!store_bounds(store, &first, &last) ||
		    meets(fault, pointer->address + (uint64_t)first,
			  (uint64_t)(last - first) + store->size))
			return false;
	}
	return any;
}

/* ---- one piece of work ---- */

/* Notes what of the page the pointer leads to. */
static void note_block(const struct pointer_argument *pointer, const struct fault *fault,
		       struct suspect *suspect)
{
	const struct allocation *block = pointer->place.allocation;

	if (pointer->place.kind != PLACE_ALLOCATION || !meets(fault, block->ptr, block->size)) {
		suspect->others |= meets(fault, pointer->address, 1);
		return;
	}
	suspect->others |= suspect->block && suspect->block != block;
	suspect->block = block;
}

static void look_at_use(const struct isa_kernel *code, const struct isa_use *use,
			const struct pointer_argument *pointer, const struct fault *fault,
			struct suspect *suspect)
{
	if (!use->access || (fault->writes && !(use->access & (ISA_WRITE | ISA_ATOMIC))))
		return;
	if (!misses(code, use, pointer, fault))
		note_block(pointer, fault, suspect);
	if (in_its_memory(fault, pointer->address, &pointer->place))
		add_way(suspect, REACH_MEMORY, use, pointer, fault);
	else if (!misses(code, use, pointer, fault))
		add_way(suspect, REACH_COMPUTED, use, pointer, fault);
}

static void look_at_kernel(const struct rules_context *context, const struct fault *fault,
			   struct suspect *suspect)
{
	const struct flight *flight = suspect->flight;
	struct kernel_args *args = process_args(context->process, flight->args_id);
	struct launch launch = { .kernel = suspect->kernel, .args = args };
	struct pointer_argument pointer;
	struct path_memory memory;

	suspect->code =
	    suspect->kernel && args
		? kernels_find_launched(context->kernels, context->process, suspect->kernel, args,
					context->findings, &launch.arch)
		: NULL;
	launch.code = suspect->code;
	suspect->name = suspect->kernel ? kernel_text(suspect->kernel, suspect->code) : NULL;
	suspect->reach = REACH_UNKNOWN;
	suspect->partly = true;
	if (!launch.code || fault->elsewhere)
		return;
	path_memory_find(context, &launch, &memory);
	if (path_memory_known(&launch, &memory)) {
		suspect->reach = REACH_NONE;
		suspect->partly = false;
	}
	for (size_t i = 0; i < launch.code->use_count; i++) {
		const struct isa_use *use = &launch.code->uses[i];

		if (use->access && launch_pointer(context, &launch, use->kernarg, &pointer))
			look_at_use(launch.code, use, &pointer, fault, suspect);
		else if (use->access) { /* the argument was not recorded */
			suspect->reach = MAX(suspect->reach, REACH_UNKNOWN);
			suspect->partly = true;
		}
	}
	for (unsigned i = 0; i < memory.list->len; i++) {
		const struct path_memory_use *found =
		    &g_array_index(memory.list, struct path_memory_use, i);

		look_at_use(launch.code, &found->use, &found->pointer, fault, suspect);
	}
	path_memory_clear(&memory);
}

static void look_at_range(const struct rules_context *context, const struct fault *fault,
			  const struct touched_range *range, bool writes, struct suspect *suspect)
{
	struct pointer_argument pointer = { .kernarg = NO_KERNARG, .index = -1 };
	struct isa_use use = { .access = writes ? ISA_WRITE : ISA_READ };

	if (!meets(fault, range->start, range->size) || (fault->writes && !writes))
		return;
	pointer.address = range->start;
	pointer.place = process_place(context->process, range->start);
	note_block(&pointer, fault, suspect);
	add_way(suspect, REACH_MEMORY, &use, &pointer, fault);
}

static void look_at(const struct rules_context *context, const struct fault *fault,
		    struct suspect *suspect)
{
	const struct flight *flight = suspect->flight;

	if (flight->kernel_id) {
		suspect->kernel = process_kernel(context->process, flight->kernel_id);
		look_at_kernel(context, fault, suspect);
	} else if (fault->elsewhere) {
		suspect->reach = REACH_NONE;
	} else if (flight->dst.size) {
		look_at_range(context, fault, &flight->dst, true, suspect);
		look_at_range(context, fault, &flight->src, false, suspect);
	} else {
		suspect->reach = REACH_UNKNOWN; /* of an array */
	}
}

/* ---- all of it ---- */

static int compare_suspects(gconstpointer a, gconstpointer b)
{
	const struct suspect *left = a, *right = b;

	if (left->reach != right->reach)
		return (int)right->reach - (int)left->reach;
	if (left->distance != right->distance)
		return left->distance < right->distance ? -1 : 1;
	if (left->flight->ns != right->flight->ns)
		return left->flight->ns > right->flight->ns ? -1 : 1;
	return 0;
}

static bool everything_is_followed(const struct process *process, const struct flights *flights)
{
	const struct process_order *at = order_known((struct process *)process);

	return flights && flights_are_all(process, flights) &&
	       !(at && (at->unfollowed || at->order.overflows)) && !process->unknown_graphs &&
	       !process->state.late && !process->hsa_refused &&
	       g_hash_table_size(process->bypasses) == 0;
}

static bool on_other_device(const struct fault *fault, const struct flight *flight)
{
	return fault->device >= 0 && flight->device >= 0 && flight->device != fault->device &&
	       flight->kernel_id;
}

static void clear_suspect(void *data)
{
	g_free(((struct suspect *)data)->name);
}

void suspects_find(const struct rules_context *context, const struct fault *fault,
		   struct suspects *suspects)
{
	const struct flights *flights = flights_of(context->process);

	suspects->list = g_array_new(FALSE, FALSE, sizeof(struct suspect));
	g_array_set_clear_func(suspects->list, clear_suspect);
	suspects->all = everything_is_followed(context->process, flights);
	for (unsigned i = 0; flights && i < flights->list->len; i++) {
		struct suspect suspect = { .flight = flights->list->pdata[i] };

		if (!flight_is_open(context->process, flights, suspect.flight) ||
		    on_other_device(fault, suspect.flight))
			continue;
		look_at(context, fault, &suspect);
		if (suspect.reach != REACH_NONE)
			g_array_append_val(suspects->list, suspect);
		else
			g_free(suspect.name);
	}
	g_array_sort(suspects->list, compare_suspects);
}

void suspects_clear(struct suspects *suspects)
{
	g_array_free(suspects->list, TRUE);
}

/* ---- for people ---- */

#define LISTED 5u /* pieces of work in a sentence */

/* Returns how it could get to the page. The caller frees the text. */
static char *way_text(const struct suspect *suspect)
{
	if (!suspect->kernel)
		return g_strdup(suspect->reach == REACH_MEMORY ? "copies or fills there"
							       : "copies what is not known");
	if (suspect->reach == REACH_MEMORY)
		return g_strdup("is given a pointer to that memory");
	if (suspect->reach == REACH_COMPUTED)
		return g_strdup_printf("computes addresses from a pointer %" G_GUINT64_FORMAT
				       " bytes away",
				       suspect->distance);
	return g_strdup(suspect->code ? "accesses memory that is not known"
				      : "has machine code that is not known");
}

char *suspects_text(const struct suspects *suspects)
{
	GPtrArray *names = g_ptr_array_new();
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < suspects->list->len; i++) {
		const struct suspect *suspect = &g_array_index(suspects->list, struct suspect, i);
		const char *name = suspect_name(suspect);
		char *way;

		if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			continue;
		g_ptr_array_add(names, (gpointer)name);
		if (names->len > LISTED)
			continue;
		way = way_text(suspect);
		g_string_append_printf(text, "%s%s, which %s", text->len ? "; " : "", name, way);
		g_free(way);
	}
	if (names->len > LISTED)
		g_string_append_printf(text, "; and %u others", names->len - LISTED);
	g_ptr_array_free(names, TRUE);
	return g_string_free(text, FALSE);
}

bool suspects_may_have(const struct rules_context *context, const char *kernel_symbol)
{
	const struct flights *flights = flights_of(context->process);

	if (!everything_is_followed(context->process, flights))
		return true;
	for (unsigned i = 0; i < flights->list->len; i++) {
		const struct flight *flight = flights->list->pdata[i];
		const struct kernel_ref *kernel =
		    process_kernel(context->process, flight->kernel_id);

		if (flight_is_open(context->process, flights, flight) &&
		    (!flight->ordered || (kernel && !strcmp(kernel->symbol, kernel_symbol))))
			return true;
	}
	return false;
}
