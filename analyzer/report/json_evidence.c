/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the JSON report about what a finding unites: see analyzer/rules/engine/evidence.h. */
#include "report.h"

#include "analyzer/rules/engine/evidence.h"
#include "json_values.h"

static struct json_object *number(uint64_t value)
{
	return json_object_new_int64((int64_t)value);
}

struct json_object *json_instructions(const struct finding *finding)
{
	struct json_object *list;

	if (!finding->instructions->len)
		return NULL;
	list = json_object_new_array();
	for (unsigned i = 0; i < finding->instructions->len; i++) {
		const struct code_site *site = finding->instructions->pdata[i];
		struct json_object *object = json_object_new_object();

		put(object, "instruction", text_value(site->instruction));
		put(object, "function", text_or_null(site->function));
		put(object, "code_offset", json_object_new_int64(site->code_offset));
		put(object, "file", text_or_null(site->file));
		put(object, "line", site->file ? json_object_new_int64(site->line) : NULL);
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *json_flags(const struct allocation *allocation)
{
	char *flags = model_flags_text(allocation->api, allocation->flags);
	struct json_object *text = *flags ? text_value(flags) : NULL;

	g_free(flags);
	return text;
}

void put_memory_range(struct json_object *object, const struct finding *finding)
{
	const struct memory_range *met = &finding->met;
	const struct allocation *allocation = finding->allocation;

	put(object, "several", json_object_new_boolean(met->several));
	put(object, "least_size", number(met->any ? met->least : allocation->size));
	put(object, "most_size", number(met->any ? met->most : allocation->size));
	put(object, "first_offset", number(met->any ? met->first_offset : finding->offset));
	put(object, "last_offset", number(met->any ? met->last_offset : finding->offset));
}

struct json_object *json_piece(const struct analysis *analysis, const struct finding *finding)
{
	const struct pool_piece *piece = finding->piece;
	struct json_object *object;

	if (!piece)
		return NULL;
	object = json_object_new_object();
	put(object, "name", text_or_null(piece->name));
	put(object, "pool", text_or_null(piece->pool));
	put(object, "address", json_address(piece->ptr));
	put(object, "size", number(piece->size));
	put(object, "offset", number(finding->piece_offset));
	put(object, "several", json_object_new_boolean(finding->several_pieces));
	put(object, "stack", json_stack(analysis, finding->process, piece->stack_id));
	put(object, "free_stack",
	    piece->freed ? json_stack(analysis, finding->process, piece->free_stack_id) : NULL);
	return object;
}

static struct json_object *advice(const struct analysis *analysis, const struct process *process,
				  const struct page_call *call)
{
	struct json_object *object = json_object_new_object();

	put(object, "call", text_value(page_call_name(call)));
	put(object, "address", json_address(call->ptr));
	put(object, "size", number(call->size));
	put(object, "ns", json_object_new_int64(call->ns));
	put(object, "stack", json_stack(analysis, process, call->stack_id));
	return object;
}

struct json_object *json_pages(const struct analysis *analysis, const struct finding *finding)
{
	struct json_object *list;

	if (!finding->pages->len)
		return NULL;
	list = json_object_new_array();
	for (unsigned i = 0; i < finding->pages->len; i++) {
		const struct page_stretch *stretch =
		    &g_array_index(finding->pages, struct page_stretch, i);
		struct json_object *object = json_object_new_object();

		put(object, "offset", number(stretch->offset));
		put(object, "size", number(stretch->size));
		put(object, "granularity",
		    text_value(model_granularity_name(stretch->granularity)));
		put(object, "advice",
		    stretch->advised ? advice(analysis, finding->process, &stretch->call) : NULL);
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *json_candidates(const struct analysis *analysis, const struct finding *finding)
{
	struct json_object *list;

	if (!finding->candidates->len)
		return NULL;
	list = json_object_new_array();
	for (unsigned i = 0; i < finding->candidates->len; i++) {
		const struct candidate *candidate = finding->candidates->pdata[i];
		const struct allocation *allocation = candidate->allocation;
		struct json_object *object = json_object_new_object();

		put(object, "api", text_or_null(hg_api_name_if_known(allocation->api)));
		put(object, "symbol", text_or_null(allocation->symbol));
		put(object, "flags", json_flags(allocation));
		put(object, "address", json_address(allocation->ptr));
		put(object, "count", number(candidate->count));
		put(object, "least_size", number(candidate->least));
		put(object, "most_size", number(candidate->most));
		put(object, "granularity",
		    text_value(model_granularity_name(candidate->granularity)));
		put(object, "mixed", json_object_new_boolean(candidate->mixed));
		put(object, "why", text_or_null(candidate->why));
		put(object, "kernarg_offset",
		    candidate->kernarg >= 0 ? json_object_new_int64(candidate->kernarg) : NULL);
		put(object, "stack", json_stack(analysis, finding->process, allocation->stack_id));
		json_object_array_add(list, object);
	}
	return list;
}
