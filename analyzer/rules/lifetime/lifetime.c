/* SPDX-License-Identifier: Apache-2.0 */
/* HG6xx: pointers into freed memory, past the end, and copies of the wrong memory. */
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_objects.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_fill.h"

#include <string.h>

#define REUSABLE "an allocation below the recording threshold may have reused the address"

static const char *verb(unsigned access)
{
	return access & ISA_ATOMIC ? "updates" : access & ISA_WRITE ? "writes to" : "reads";
}

/* ---- pieces of pools ---- */

/* Returns true for memory that is there, and was given back to its pool. */
static bool is_given_back(const struct place *place)
{
	return place->kind == PLACE_ALLOCATION && place->piece && place->piece->freed;
}

/* Returns the bytes of what was released, or is used: a piece, or the whole. */
static uint64_t size_at(const struct place *place)
{
	return is_given_back(place) ? place->piece->size : place->allocation->size;
}

/* A new finding is about a piece that is a pool's again: such accesses do not fault. */
static void set_given_back(struct finding *finding, const struct place *place)
{
	if (!finding->piece) {
		finding->piece = pool_piece_ref(place->piece);
		finding->piece_offset = place->piece_offset;
	}
	finding->if_faulted = CONFIDENCE_POSSIBLE;
}

/* ---- kernels ---- */

/*
 * Returns the finding about what this launch does through the pointer, or NULL if it was there
 * before.
 */
static struct finding *launch_finding(const struct rules_context *context,
				      const struct launch *launch, enum rule_id rule,
				      const struct isa_use *use,
				      const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, rule, context->process, &is_new,
			       "%s %u %d %u %s %s", launch->kernel->symbol, use->kernarg,
			       allocation->api, allocation->stack_id,
			       pointer->chain ? pointer->path : "", piece_key(&pointer->place));
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, size_at(&pointer->place));
	finding_figure(finding, 1, FIGURE_RANGE, pointer->place.offset);
	finding_detail(finding, allocation->freed ? allocation->free_api : 0);
	if (!is_new) {
		finding_met(finding, &pointer->place);
		return NULL;
	}
	finding_set_launch(finding, launch, pointer);
	finding->if_faulted = CONFIDENCE_PROVEN;
	return finding;
}

static void report_given_back(struct finding *finding, const struct isa_use *use,
			      const struct place *place)
{
	char *memory = piece_words(place->piece, FIGURE(0));

	finding->message = g_strdup_printf("%s %s memory that was given back to its pool before "
					   "the launch: %s.",
					   finding->kernel, verb(use->access), memory);
	g_free(memory);
	finding->fix = g_strdup("give the piece back after the last kernel that uses it was "
				"launched, or stop passing the pointer");
	set_given_back(finding, place);
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
}

static void report_freed(const struct rules_context *context, const struct launch *launch,
			 const struct isa_use *use, const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;

	if (maybe_unset(context, launch, use, pointer))
		return;
	finding = launch_finding(context, launch, RULE_HG601, use, pointer);
	if (!finding)
		return;
	if (is_given_back(&pointer->place)) {
		report_given_back(finding, use, &pointer->place);
		return;
	}
	finding->message =
	    g_strdup_printf("%s %s memory that was freed before the launch: %s bytes from %s, "
			    "released by %s.",
			    finding->kernel, verb(use->access), FIGURE(0),
			    hg_api_name(allocation->api), hg_api_name(allocation->free_api));
	finding->fix = g_strdup_printf("move the %s after the last kernel that uses the memory has "
				       "finished, or stop passing the pointer",
				       hg_api_name(allocation->free_api));
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
	if (allocation->layer == LAYER_HOST)
		finding_at_most(finding, CONFIDENCE_LIKELY, REUSABLE);
}

static void report_outside(const struct rules_context *context, const struct launch *launch,
			   const struct isa_use *use, const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding = launch_finding(context, launch, RULE_HG607, use, pointer);

	if (!finding)
		return;
	finding->message = g_strdup_printf(
	    "%s %s through a pointer that lies outside every allocation, %s bytes after the end of "
	    "%s bytes from %s.",
	    finding->kernel, verb(use->access), FIGURE(1), FIGURE(0), hg_api_name(allocation->api));
	finding->fix = g_strdup_printf("check the offset that is added to the pointer before the "
				       "launch; the allocation has %s bytes",
				       FIGURE(0));
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"a kernel may intentionally count backwards from such a pointer");
}

/* Addresses that were reserved, and what was mapped into them since is known. */
static bool is_bare_reservation(const struct rules_context *context, const struct place *place)
{
	const struct process_state *state = &context->process->state;

	return place->kind == PLACE_ALLOCATION &&
	       place->allocation->api == HG_API_hipMemAddressReserve &&
	       (!state->late || (state->state_known && !state->left_out));
}

static void report_reserved(const struct rules_context *context, const struct launch *launch,
			    const struct isa_use *use, const struct pointer_argument *pointer)
{
	struct finding *finding = launch_finding(context, launch, RULE_HG607, use, pointer);

	if (!finding)
		return;
	finding->message =
	    g_strdup_printf("%s %s memory at offset %s of %s bytes of reserved addresses: no "
			    "memory is mapped there.",
			    finding->kernel, verb(use->access), FIGURE(1), FIGURE(0));
	finding->fix = g_strdup("map memory there before the launch: hipMemCreate, hipMemMap, "
				"hipMemSetAccess" FIX_NOT_TESTED);
	finding_weigh(finding, &(struct chain){ .needs_use = true });
}

/* The end itself says where a range ends: reverse iterators hold it, and count backwards from it.
 */
static bool is_outside(const struct place *place)
{
	return place->kind == PLACE_PAST_END && place->offset > 0;
}

static bool is_memory(const struct rules_context *context, uint64_t address)
{
	return process_place(context->process, address).kind == PLACE_ALLOCATION;
}

/*
 * Returns true if what the kernel accesses is memory, although the pointer lies outside of it: a
 * part of a struct or of an array that begins later. OpenMP gives a region the address that the
 * whole would have, of which it may have mapped a part; what else it accesses of that is HG805's.
 */
static bool is_of_part(const struct rules_context *context, const struct launch *launch,
		       const struct isa_use *use, const struct pointer_argument *pointer)
{
	uint64_t first = pointer->address + (uint64_t)use->first;
	uint64_t last = pointer->address + (uint64_t)use->end - 1;

	if (pointer->chain || !use->placed)
		return launch_is_omp(launch) && !pointer->chain;
	return launch_is_omp(launch) ? is_memory(context, first) || is_memory(context, last)
				     : is_memory(context, first) && is_memory(context, last);
}

static void check_use(const struct rules_context *context, const struct launch *launch,
		      const struct isa_use *use, const struct pointer_argument *pointer)
{
	/* Pointers that are left in tables need not be used. */
	if (pointer->chain && !use->certain)
		return;
	if (pointer->place.kind == PLACE_FREED || is_given_back(&pointer->place))
		report_freed(context, launch, use, pointer);
	else if (is_outside(&pointer->place) && use->certain &&
		 !is_of_part(context, launch, use, pointer))
		report_outside(context, launch, use, pointer);
	else if (is_bare_reservation(context, &pointer->place) && use->certain)
		report_reserved(context, launch, use, pointer);
}

static void check_launch(const struct rules_context *context)
{
	launch_each_use(context, context->launch, check_use);
}

/* ---- copies and fills ---- */

struct transfer {
	unsigned api;
	uint64_t address;
	uint64_t extent; /* bytes from the first to the last that is touched */
	uint32_t stack_id;
	bool writes;
	int code;            /* hipError_t that the call returned: 0 if it was carried out */
	bool open;           /* it did not return */
	uint64_t other_room; /* of a destination: room_for() the source */
};

/*
 * Returns the bytes of a copy or fill of `slices` slices of `rows` rows of `size` bytes, or
 * INT64_MAX if they are more than that.
 */
static uint64_t extent(uint64_t size, uint64_t rows, uint64_t pitch, uint64_t slices,
		       uint64_t slice)
{
	uint64_t to_row, to_slice, bytes;

	if (size == 0 || rows == 0)
		return 0;
	if (__builtin_mul_overflow(rows - 1, pitch, &to_row) ||
	    __builtin_mul_overflow(slices > 1 ? slices - 1 : 0, slice, &to_slice) ||
	    __builtin_add_overflow(size, to_row, &bytes) ||
	    __builtin_add_overflow(bytes, to_slice, &bytes))
		return INT64_MAX;
	return MIN(bytes, INT64_MAX);
}

/*
 * Returns true if the transfer begins in a piece of a pool and ends in the midst of another one, or
 * between the piece and the next. One of several whole pieces, or of all of the block, is meant so.
 */
static bool leaves_piece(const struct rules_context *context, const struct transfer *transfer,
			 const struct place *place)
{
	const struct pool_piece *piece = place->piece, *last;
	uint64_t from = place->allocation->ptr + place->offset, end = from + transfer->extent;

	if (!piece || piece->freed || piece->seen ||
	    transfer->extent <= piece->size - place->piece_offset ||
	    transfer->extent >= place->allocation->size - place->offset)
		return false;
	last = pool_piece_before(&context->process->pool_pieces, place->allocation, end - 1);
	return last && !last->seen && (last == piece || end < last->ptr + last->size);
}

/*
 * Returns the bytes from the address to its allocation's end, or its piece's, if the transfer is
 * longer than that; ENOUGH_ROOM if it is not, or the address leads to no allocation that is live.
 */
#define ENOUGH_ROOM UINT64_MAX
static uint64_t room_for(const struct rules_context *context, const struct transfer *transfer)
{
	struct place place = process_place(context->process, transfer->address);
	uint64_t room = place.kind == PLACE_ALLOCATION ? place.allocation->size - place.offset : 0;

	if (place.kind != PLACE_ALLOCATION)
		return ENOUGH_ROOM;
	if (transfer->extent > room)
		return room;
	return leaves_piece(context, transfer, &place) ? place.piece->size - place.piece_offset
						       : ENOUGH_ROOM;
}

/* Says of a new finding that the transfer's memory is a pool's again. */
static void report_transfer_given_back(struct finding *finding, const struct transfer *transfer,
				       const struct place *place)
{
	char *memory = piece_words(place->piece, FIGURE(0));

	finding->message =
	    g_strdup_printf("the %s of %s is memory that was given back to its pool before: %s%s.",
			    transfer->writes ? "destination" : "source", finding->api, memory,
			    transfer->open ? "; the call did not return" : "");
	g_free(memory);
	finding->fix = g_strdup("give the piece back after this call");
	set_given_back(finding, place);
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"it may be the pool itself that uses what was given back");
}

/* Says of a new finding that the transfer leaves its piece. */
static void report_left_piece(struct finding *finding, const struct transfer *transfer,
			      const struct place *place)
{
	char *memory = piece_words(place->piece, FIGURE(0));

	finding->message = g_strdup_printf(
	    "%s %s %s bytes at offset %s of %s: %s bytes past its end.", finding->api,
	    transfer->writes ? "writes" : "reads", FIGURE(1), FIGURE(2), memory, FIGURE(3));
	g_free(memory);
	finding->fix = g_strdup_printf("pass a size of at most %s bytes, or take %s from the pool",
				       FIGURE(4), FIGURE(5));
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"the program may use neighbouring pieces as one, or the room between them");
}

static void check_range(const struct rules_context *context, const struct transfer *transfer)
{
	struct place place = process_place(context->process, transfer->address);
	const struct allocation *allocation = place.allocation;
	bool given_back =
	    is_given_back(&place) && transfer->extent <= place.piece->size - place.piece_offset;
	bool freed = place.kind == PLACE_FREED || given_back;
	bool left;
	uint64_t offset;
	bool both = transfer->writes && transfer->other_room != ENOUGH_ROOM;
	uint64_t room = room_for(context, transfer);
	struct finding *finding;
	char *outcome = NULL;
	bool is_new;

	if (transfer->extent == 0 || (!freed && place.kind != PLACE_ALLOCATION))
		return;
	if (!freed && room == ENOUGH_ROOM)
		return;
	left = !freed && leaves_piece(context, transfer, &place);
	offset = left ? place.piece_offset : place.offset;
	finding =
	    findings_get(context->findings, freed ? RULE_HG601 : RULE_HG606, context->process,
			 &is_new, "%u %u %s %d %u %d %s", transfer->api, transfer->stack_id,
			 transfer->writes ? "destination" : "source", allocation->api,
			 allocation->stack_id, left, left || given_back ? piece_key(&place) : "");
	finding_hit(finding, context->event->ns, transfer->stack_id);
	finding_figure(finding, 0, FIGURE_RANGE, left ? place.piece->size : size_at(&place));
	if (freed) {
		finding_detail(finding, allocation->free_api);
	} else {
		finding_figure(finding, 1, FIGURE_RANGE, transfer->extent);
		finding_figure(finding, 2, FIGURE_RANGE, offset);
		finding_figure(finding, 3, FIGURE_RANGE, transfer->extent - room);
		finding_figure(finding, 4, FIGURE_RANGE,
			       both ? MIN(room, transfer->other_room) : room);
		finding_figure(finding, 5, FIGURE_RANGE, offset + transfer->extent);
		finding_detail(finding, (uint64_t)transfer->code << 1 | both);
	}
	if (!is_new) {
		finding_met(finding, &place);
		return;
	}
	finding->api = g_strdup(hg_api_name(transfer->api));
	finding_set_place(finding, &place, transfer->address);
	if (given_back) {
		report_transfer_given_back(finding, transfer, &place);
		return;
	}
	if (left) {
		report_left_piece(finding, transfer, &place);
		return;
	}
	if (freed) {
		finding->message = g_strdup_printf(
		    "the %s of %s is memory that was freed before: %s bytes from %s, released by "
		    "%s%s.",
		    transfer->writes ? "destination" : "source", finding->api, FIGURE(0),
		    hg_api_name(allocation->api), hg_api_name(allocation->free_api),
		    transfer->open ? "; the call did not return" : "");
		finding->fix = g_strdup_printf("move the %s after this call",
					       hg_api_name(allocation->free_api));
		if (allocation->layer == LAYER_HOST)
			finding_at_most(finding, CONFIDENCE_LIKELY, REUSABLE);
		return;
	}
	if (transfer->open) {
		outcome = g_strdup("; the call did not return");
	} else if (transfer->code) {
		outcome = g_strdup_printf("; the runtime rejected it with %s (%d)",
					  model_hip_error_name(transfer->code), transfer->code);
	}
	finding->message = g_strdup_printf(
	    "%s %s %s bytes at offset %s of an allocation of %s bytes: %s bytes past its end%s%s.",
	    finding->api, transfer->writes ? "writes" : "reads", FIGURE(1), FIGURE(2), FIGURE(0),
	    FIGURE(3), both ? "; the memory that it reads is too small as well" : "",
	    outcome ? outcome : "");
	g_free(outcome);
	finding->fix = g_strdup_printf("pass a size of at most %s bytes, or allocate %s", FIGURE(4),
				       FIGURE(5));
}

/*
 * Checks both sides of a copy. One that is too long for both of them is one finding, about what it
 * writes.
 */
static void check_sides(const struct rules_context *context, struct transfer *dst,
			struct transfer *src)
{
	dst->writes = true;
	dst->other_room = room_for(context, src);
	check_range(context, dst);
	if (dst->other_room == ENOUGH_ROOM || room_for(context, dst) == ENOUGH_ROOM)
		check_range(context, src);
}

static void check_copy(const struct rules_context *context)
{
	const struct hg_ev_copy *copy = context->event->copy;
	struct transfer dst = { .api = copy->api,
				.address = copy->dst,
				.extent = extent(copy->size, copy->rows, copy->dst_pitch,
						 copy->depth, copy->dst_slice),
				.stack_id = copy->stack_id };
	struct transfer src = { .api = copy->api,
				.address = copy->src,
				.extent = extent(copy->size, copy->rows, copy->src_pitch,
						 copy->depth, copy->src_slice),
				.stack_id = copy->stack_id };

	check_sides(context, &dst, &src);
}

static void check_fill(const struct rules_context *context)
{
	const struct hg_ev_fill *fill = context->event->fill;
	struct transfer dst = {
		.api = fill->api,
		.address = fill->dst,
		.extent = extent(fill->size, fill->rows, fill->pitch, fill->depth, fill->slice),
		.stack_id = fill->stack_id,
		.writes = true,
		.other_room = ENOUGH_ROOM,
	};

	check_range(context, &dst);
}

/*
 * Checks a copy or fill that the runtime refused: its `error` event has the extents of both sides.
 */
static void check_failed_transfer(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct transfer dst = { .api = error->api,
				.address = error->ptr,
				.extent = error->size,
				.stack_id = error->stack_id,
				.code = error->code };
	struct transfer src = dst;
	int class = hg_api_class(error->api);

	if (class != HG_CLASS_COPY && class != HG_CLASS_FILL)
		return;
	src.address = error->src;
	src.extent = error->src ? error->src_size : 0;
	check_sides(context, &dst, &src);
}

/*
 * Checks a call that did not return: nothing is known of what it did, but the program requested it.
 */
static void check_open_call(const struct rules_context *context)
{
	const struct hg_open_call *call = &context->event->open_call->call;
	int class = hg_api_class((unsigned)call->state);
	struct transfer dst = {
		.api = (unsigned)call->state,
		.address = call->ptr,
		.extent =
		    extent(call->size, call->rows, call->ptr_pitch, call->depth, call->ptr_slice),
		.stack_id = call->stack_id,
		.open = true,
	};
	struct transfer src = dst;

	if (class != HG_CLASS_COPY && class != HG_CLASS_FILL)
		return;
	src.address = call->src;
	src.extent = class == HG_CLASS_FILL ? 0
					    : extent(call->size, call->rows, call->src_pitch,
						     call->depth, call->src_slice);
	check_sides(context, &dst, &src);
}

void check_lifetime(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_CODE:
		check_launch(context);
		break;
	case WAKE_COPY:
		check_copy(context);
		break;
	case WAKE_FILL:
		check_fill(context);
		break;
	case WAKE_OPEN_CALL:
		check_open_call(context);
		break;
	default:
		check_failed_transfer(context);
		break;
	}
}
