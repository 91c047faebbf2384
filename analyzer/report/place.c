/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the source that stand for a finding of a JSON report. */
#include "place.h"

#include <glib.h>

#include "analyzer/symbols/symbols.h"
#include "json_values.h"

static const char *text_of(struct json_object *object, const char *name)
{
	const char *text = get_text(object, name);

	return *text ? text : NULL;
}

static struct source_place place_of_frame(struct json_object *frame)
{
	return (struct source_place){ text_of(frame, "file"), get_number(frame, "line"),
				      text_of(frame, "function") };
}

/* Returns the frames of a stack, which borrow its texts; g_free() and g_ptr_array_unref() them. */
static GPtrArray *frames_of(struct json_object *stack, struct source_frame **memory)
{
	size_t count = json_object_is_type(stack, json_type_array) ? array_length(stack) : 0;
	GPtrArray *frames = g_ptr_array_new();

	*memory = g_new0(struct source_frame, count);
	for (size_t i = 0; i < count; i++) {
		struct json_object *object = json_object_array_get_idx(stack, i);

		(*memory)[i].function = (char *)(uintptr_t)text_of(object, "function");
		(*memory)[i].file = (char *)(uintptr_t)text_of(object, "file");
		(*memory)[i].module = text_of(object, "module");
		g_ptr_array_add(frames, &(*memory)[i]);
	}
	return frames;
}

int place_index(struct json_object *stack)
{
	struct source_frame *memory;
	GPtrArray *frames = frames_of(stack, &memory);
	const struct source_frame *place = user_frame(frames);
	int index;

	if (!place)
		place = innermost_frame(frames);
	index = place ? (int)(place - memory) : -1;
	g_ptr_array_unref(frames);
	g_free(memory);
	return index;
}

/* Returns the frame `outer` further out than that of place_index(). */
static struct source_place place_at(struct json_object *stack, size_t outer)
{
	int index = place_index(stack);
	size_t at = (size_t)MAX(index, 0) + outer;

	return index >= 0 && at < array_length(stack)
		   ? place_of_frame(json_object_array_get_idx(stack, at))
		   : (struct source_place){ 0 };
}

struct source_place place_of_stack(struct json_object *stack)
{
	return place_at(stack, 0);
}

struct source_place place_of_allocation(struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");

	/* A device variable's stack is that of the call which loaded it. */
	return get_member(allocation, "symbol") ? (struct source_place){ 0 }
						: place_of_stack(get_member(allocation, "stack"));
}

/* The block of a pool is in order where a piece of it is used after its end, or past it. */
struct source_place place_of_piece(struct json_object *finding)
{
	struct json_object *piece = get_member(get_member(finding, "allocation"), "piece");

	return piece && g_str_has_prefix(get_text(finding, "rule"), "HG6")
		   ? place_of_stack(get_member(piece, "stack"))
		   : (struct source_place){ 0 };
}

static struct json_object *call_stack_of(struct json_object *finding)
{
	struct json_object *launches = get_member(finding, "launches");

	return get_member(launches ? launches : finding, launches ? "stack" : "call_stack");
}

struct source_place place_of_call(struct json_object *finding)
{
	return place_of_stack(call_stack_of(finding));
}

struct source_place place_of_owner(struct json_object *finding)
{
	struct json_object *allocation = get_member(finding, "allocation");

	if (get_member(allocation, "symbol"))
		return (struct source_place){ 0 };
	return get_member(allocation, "requested")
		   ? place_of_frame(get_member(allocation, "requested"))
		   : place_at(get_member(allocation, "stack"), 1);
}

struct source_place place_of_caller(struct json_object *finding)
{
	return place_at(call_stack_of(finding), 1);
}

struct source_place place_of_instruction(struct json_object *finding)
{
	return (struct source_place){ text_of(finding, "device_file"),
				      get_number(finding, "device_line"),
				      text_of(finding, "kernel") };
}

struct source_place place_of_finding(struct json_object *finding)
{
	const struct source_place places[] = {
		place_of_piece(finding),
		place_of_allocation(finding),
		place_of_call(finding),
		place_of_instruction(finding),
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		if (places[i].file)
			return places[i];
	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		if (places[i].function)
			return places[i];
	return (struct source_place){ 0 };
}
