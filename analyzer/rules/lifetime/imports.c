/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of another process (hipIpcOpenMemHandle): HG609, released there while it is open here;
 * HG612, opened again and again and never closed; HG618, exported by an address inside of it and
 * used here from its start. Which memory a handle belongs to follows from the number that the
 * recorder makes of it on both sides. Events of different processes do not arrive in the order of
 * their times, so that what is between two processes is judged at the end.
 */
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_objects.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"

/* ---- which memory is exported, of all processes ---- */

struct exported {
	const struct process *process;
	struct allocation *allocation; /* a reference; NULL: the handle is of something else now */
	int64_t ns;
	uint64_t offset; /* in the allocation, of the address that was exported */
};

static void clear_exported(gpointer data)
{
	allocation_unref(((struct exported *)data)->allocation);
}

static void free_exports(gpointer data)
{
	g_array_free(data, TRUE);
}

static void init_exports(void *data)
{
	*(GHashTable **)data =
	    g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_exports);
}

static void clear_exports(void *data)
{
	g_hash_table_destroy(*(GHashTable **)data);
}

static const struct attachment_type exports_type = { sizeof(GHashTable *), init_exports,
						     clear_exports };

/* Returns a table by the number of the handle of struct exported, all that had it. */
static GHashTable *exports_of(const struct rules_context *context)
{
	return *(GHashTable **)findings_result(context->findings, &exports_type);
}

static void note_export(const struct rules_context *context)
{
	const struct hg_ev_call *call = context->event->call;
	struct exported exported = { .process = context->process, .ns = context->event->ns };
	struct place place;
	GArray *all;

	if (call->api != HG_API_hipIpcGetMemHandle || !call->value)
		return;
	place = process_place(context->process, call->ptr);
	if (place.kind == PLACE_ALLOCATION && place.allocation->layer == LAYER_HIP)
		exported.allocation = allocation_ref(place.allocation);
	exported.offset = place.offset;
	all = g_hash_table_lookup(exports_of(context), GUINT_TO_POINTER(call->value));
	if (!all) {
		all = g_array_new(FALSE, FALSE, sizeof(exported));
		g_array_set_clear_func(all, clear_exported);
		g_hash_table_insert(exports_of(context), GUINT_TO_POINTER(call->value), all);
	}
	g_array_append_val(all, exported);
}

static const GArray *exports_with(const struct rules_context *context,
				  const struct allocation *import)
{
	return g_hash_table_lookup(exports_of(context), GUINT_TO_POINTER(import->flags >> 32));
}

/*
 * Returns the memory that an import is, which is that of the latest export with that number before
 * it, or NULL.
 */
static const struct allocation *original_of(const struct rules_context *context,
					    const struct allocation *import)
{
	const GArray *all = exports_with(context, import);
	const struct exported *latest = NULL;

	for (guint i = 0; all && i < all->len; i++) {
		const struct exported *one = &g_array_index(all, struct exported, i);

		if (one->ns < import->ns && (!latest || latest->ns < one->ns))
			latest = one;
	}
	if (!latest || latest->process == context->process || !latest->allocation ||
	    latest->allocation->size != import->size)
		return NULL;
	return latest->allocation;
}

/* ---- imports ---- */

/* Holds the latest use of an import, and the first one that is more than its closing. */
struct import {
	int64_t ns; /* 0: none */
	uint64_t address;
	uint32_t stack_id;
	const char *use;   /* "closed" */
	uint64_t farthest; /* offset of the last byte that is known to be used */
	int64_t start_ns;  /* of the first use; 0: none */
	uint32_t start_stack_id;
	const char *start_use;
};

static const struct attachment_type import_type = { sizeof(struct import), NULL, NULL };

static bool is_import(const struct allocation *allocation)
{
	return allocation->api == HG_API_hipIpcOpenMemHandle;
}

/* Lists all imports of a process in the order in which they were opened. */
static const struct attachment_list_type opened_type =
    ATTACHMENT_LIST((GDestroyNotify)allocation_unref);

static GPtrArray *opened_imports(const struct rules_context *context)
{
	return attachment_list(&context->process->attachments, &opened_type);
}

/*
 * Holds the imports of a process that are open, by address. One that is opened again counts once.
 */
static void init_open(void *data)
{
	*(GHashTable **)data = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
						     (GDestroyNotify)allocation_unref);
}

static const struct attachment_type open_type = { sizeof(GHashTable *), init_open, clear_exports };

static GHashTable *open_imports(const struct rules_context *context)
{
	return *(GHashTable **)attachment_get(&context->process->attachments, &open_type);
}

static void note_import(const struct rules_context *context)
{
	struct place place;

	if (!is_new_allocation(context, &place) || !is_import(place.allocation))
		return;
	g_hash_table_replace(open_imports(context),
			     g_memdup2(&place.allocation->ptr, sizeof(place.allocation->ptr)),
			     allocation_ref(place.allocation));
	g_ptr_array_add(opened_imports(context), allocation_ref(place.allocation));
}

static void note_close(const struct rules_context *context)
{
	const struct hg_ev_free *event = context->event->free;
	const struct allocation *import;

	if (event->api != HG_API_hipIpcCloseMemHandle)
		return;
	import = g_hash_table_lookup(open_imports(context), &event->ptr);
	if (import) {
		call_history_site(context->history, import->api, import->stack_id)->releases++;
		g_hash_table_remove(open_imports(context), &event->ptr);
	}
}

/* ---- HG609 ---- */

/* At `ns` this process uses the import, or closes it (`use` says what it does). */
static void note_use(struct allocation *allocation, uint64_t address, int64_t ns, uint32_t stack_id,
		     const char *use)
{
	struct import *import = attachment_get(&allocation->attachments, &import_type);

	if (ns > import->ns) {
		import->ns = ns;
		import->address = address;
		import->stack_id = stack_id;
		import->use = use;
	}
}

/* Notes a use that is more than a closing: it uses at least so many bytes from `address` on. */
static void note_access(struct allocation *allocation, uint64_t address, uint64_t size, int64_t ns,
			uint32_t stack_id, const char *use)
{
	struct import *import = attachment_get(&allocation->attachments, &import_type);

	note_use(allocation, address, ns, stack_id, use);
	import->farthest = MAX(import->farthest, address - allocation->ptr + (size ? size - 1 : 0));
	if (!import->start_ns) {
		import->start_ns = ns;
		import->start_stack_id = stack_id;
		import->start_use = use;
	}
}

/* At the end: was it released before its latest use? */
static void check_import(const struct rules_context *context, struct allocation *allocation)
{
	const struct import *import = attachment_find(&allocation->attachments, &import_type);
	const struct allocation *original = import ? original_of(context, allocation) : NULL;
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	struct finding *finding;
	bool is_new;

	/* Opened after it was released, it would be a handle of something else. */
	if (!original || !original->freed || original->free_ns <= allocation->ns ||
	    original->free_ns >= import->ns)
		return;
	finding = findings_get(context->findings, RULE_HG609, context->process, &is_new, "%u",
			       allocation->stack_id);
	finding_hit(finding, import->ns, import->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_detail(finding, original->free_api);
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->api = g_strdup(hg_api_name(allocation->api));
	finding_set_place(finding, &place, import->address);
	finding_set_message(
	    finding,
	    g_strdup_printf("the process that owns this memory, %s bytes from %s, released it with "
			    "%s while it was open here; after that this process %s it. The outcome "
			    "is undefined.",
			    FIGURE(0), hg_api_name(original->api), hg_api_name(original->free_api),
			    import->use));
	finding_set_fix(finding, g_strdup_printf("let the owner call %s after the other processes "
						 "have called hipIpcCloseMemHandle",
						 hg_api_name(original->free_api)));
}

static void check_address(const struct rules_context *context, uint64_t address, uint64_t size,
			  int64_t ns, uint32_t stack_id, const char *use)
{
	struct place place = process_place(context->process, address);

	if (place.kind == PLACE_ALLOCATION && is_import(place.allocation))
		note_access(place.allocation, address, size, ns, stack_id, use);
}

static void check_launched(const struct rules_context *context)
{
	const GArray *touched = context->memory ? context->memory->touched : NULL;

	for (unsigned i = 0; touched && i < touched->len; i++) {
		const struct touched *at = &g_array_index(touched, struct touched, i);

		if (at->access && is_import(at->memory->allocation)) {
			note_access(at->memory->allocation, at->address, 1, context->event->ns,
				    context->event->launch->stack_id,
				    "launched a kernel that uses");
		}
	}
}

/* ---- HG618 ---- */

/*
 * Returns the least offset, but 0, of the addresses that were exported with the import's number, or
 * 0 if there is none. *start becomes true if the start was exported, too.
 */
static uint64_t inner_offset(const struct rules_context *context, const struct allocation *import,
			     const struct allocation *original, bool *start)
{
	const GArray *all = exports_with(context, import);
	uint64_t least = 0;

	*start = false;
	for (guint i = 0; i < all->len; i++) {
		const struct exported *one = &g_array_index(all, struct exported, i);

		if (one->allocation != original || one->ns >= import->ns)
			continue;
		*start |= one->offset == 0;
		if (one->offset && (!least || one->offset < least))
			least = one->offset;
	}
	return least;
}

static void check_start(const struct rules_context *context, struct allocation *allocation)
{
	struct import *import = attachment_find(&allocation->attachments, &import_type);
	const struct allocation *original = import ? original_of(context, allocation) : NULL;
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	struct finding *finding;
	uint64_t offset;
	bool is_new, start;

	offset = original ? inner_offset(context, allocation, original, &start) : 0;
	/* A process that uses what lies behind the address knows about the offset. */
	if (!offset || !import->start_ns || import->farthest >= offset)
		return;
	finding = findings_get(context->findings, RULE_HG618, context->process, &is_new, "%u",
			       allocation->stack_id);
	finding_hit(finding, import->start_ns, import->start_stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_figure(finding, 1, FIGURE_RANGE, offset);
	finding_detail(finding, (uintptr_t)import->start_use);
	import->start_ns = 0; /* once */
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->absence = ABSENCE_SO_FAR;
	finding->api = g_strdup(hg_api_name(allocation->api));
	finding_set_place(finding, &place, allocation->ptr);
	finding_set_message(
	    finding,
	    g_strdup_printf(
		"the process that owns this memory, %s bytes from %s, called hipIpcGetMemHandle "
		"for an address %s bytes behind its start. hipIpcOpenMemHandle returned the start "
		"here, and this process %s what lies there.",
		FIGURE(0), hg_api_name(original->api), FIGURE(1), import->start_use));
	finding_set_fix(finding,
			g_strdup("send the address' offset in its allocation along with the handle "
				 "(hipMemGetAddressRange returns the start), and add it to what "
				 "hipIpcOpenMemHandle returns"));
	finding_at_most(finding, CONFIDENCE_LIKELY,
			start ? "the start was exported, too, and has the same handle"
			      : "this process may want what lies at the start");
}

/* ---- HG612 ---- */

static void report_open(const struct rules_context *context, const struct site_history *site)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = site->latest };
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG612, context->process, &is_new, "%u",
			       site->stack_id);
	if (!is_new)
		return;
	finding->absence = ABSENCE_SO_FAR;
	finding->api = g_strdup(hg_api_name(site->api));
	finding_set_place(finding, &place, site->latest->ptr);
	finding_hit(finding, site->latest->ns, site->stack_id);
	finding_figure(finding, 0, FIGURE_SUM, site->live);
	finding_figure(finding, 1, FIGURE_SUM, site->live_bytes);
	finding_figure(finding, 2, FIGURE_SUM, site->releases);
	finding->message = g_strdup_printf(
	    "%s blocks (%s bytes) of other processes that were opened here were still open at the "
	    "end of the recording; %s were closed. What the owner releases stays in use until "
	    "every process has closed it.",
	    FIGURE(0), FIGURE(1), FIGURE(2));
	finding->fix = g_strdup("call hipIpcCloseMemHandle after the last use of each");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"an intentional cache that lives as long as the program looks the same");
}

static void check_open(const struct rules_context *context)
{
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, open_imports(context));
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		struct allocation *import = value;
		struct site_history *site =
		    call_history_site(context->history, import->api, import->stack_id);

		if (!import->stack_id)
			continue;
		site->live++;
		site->live_bytes += import->size;
		if (!site->latest || site->latest->ns < import->ns) {
			allocation_unref(site->latest);
			site->latest = allocation_ref(import);
		}
	}
	g_hash_table_iter_init(&iterator, context->history->sites);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct site_history *site = value;

		if (site->api == HG_API_hipIpcOpenMemHandle && site->live >= OPEN_IMPORTS &&
		    site->live >= site->releases)
			report_open(context, site);
	}
	g_hash_table_remove_all(open_imports(context));
}

void check_imports(const struct rules_context *context)
{
	const struct hg_event *event = context->event;

	switch (context->wake) {
	case WAKE_CALL:
		note_export(context);
		break;
	case WAKE_ALLOC:
		note_import(context);
		break;
	case WAKE_RELEASE:
		note_close(context);
		if (context->released && is_import(context->released)) {
			note_use(context->released, context->released->ptr, event->ns,
				 event->free->stack_id, "closed");
		}
		break;
	case WAKE_LAUNCH:
		check_launched(context);
		break;
	case WAKE_COPY: /* recorded after the call */
		check_address(context, event->copy->dst, event->copy->size,
			      event->ns - (int64_t)event->copy->duration, event->copy->stack_id,
			      "wrote to");
		check_address(context, event->copy->src, event->copy->size,
			      event->ns - (int64_t)event->copy->duration, event->copy->stack_id,
			      "read from");
		break;
	case WAKE_FILL:
		check_address(context, event->fill->dst, event->fill->size,
			      event->ns - (int64_t)event->fill->duration, event->fill->stack_id,
			      "filled");
		break;
	default:
		for (guint i = 0; i < opened_imports(context)->len; i++) {
			check_import(context, opened_imports(context)->pdata[i]);
			check_start(context, opened_imports(context)->pdata[i]);
		}
		check_open(context);
		break;
	}
}
