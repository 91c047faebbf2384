/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds where behind a pointer the accesses of a handover are, to tell a flag from the data
 * beside it, and which sides meet; see handover.h.
 */
#include "handover.h"

#include <string.h>

#include "origin.h"
#include "path.h"

int place_find(struct flow *flow, const struct access *access, struct place *place)
{
	struct isa_paths paths;
	int status = path_find(flow, access, &paths);

	memset(place, 0, sizeof(*place));
	if (status)
		return status;
	if (paths.count == 1 && paths.path[0].step_count == 1 && !paths.path[0].step[0].repeats) {
		place->known = true;
		place->step = paths.path[0].step[0];
		place->size = access->insn->dwords ? 4u * access->insn->dwords : 4u;
	}
	path_clear(&paths);
	return 0;
}

int place_resolve(struct flow *flow, const struct access *access, struct isa_origin *origin,
		  bool *placed, struct isa_step *step)
{
	struct place place;
	int status = origin_resolve(flow, access, origin);

	if (status || origin->kind != ISA_ORIGIN_DIRECT)
		return status;
	status = place_find(flow, access, &place);
	*placed = place.known;
	*step = place.step;
	return status;
}

static uint32_t common_stride(const struct isa_step *a, const struct isa_step *b)
{
	uint32_t x = a->exact ? 0 : a->stride, y = b->exact ? 0 : b->stride;

	/* A step that is not exact, and of no stride, may be anywhere. */
	if ((!a->exact && !x) || (!b->exact && !y))
		return 0;
	while (y) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return x;
}

static int64_t remainder_of(int64_t offset, uint32_t stride)
{
	int64_t rest = offset % (int64_t)stride;

	return rest < 0 ? rest + stride : rest;
}

bool places_apart(const struct place *a, const struct place *b)
{
	int64_t first[2], end[2];
	const struct place *place[] = { a, b };
	uint32_t stride;

	if (!a->known || !b->known)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct isa_step *step = &place[i]->step;

		if (!step->exact && !step->bounded)
			goto by_stride;
		first[i] = step->exact ? step->offset : step->first;
		end[i] = (step->exact ? step->offset : step->last) + place[i]->size;
	}
	if (end[0] <= first[1] || end[1] <= first[0])
		return true;
by_stride:
	/* Members of the structs of an array. */
	stride = common_stride(&a->step, &b->step);
	if (!stride)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		first[i] = remainder_of(place[i]->step.offset, stride);
		end[i] = first[i] + place[i]->size;
		if (end[i] > stride)
			return false;
	}
	return end[0] <= first[1] || end[1] <= first[0];
}

bool places_equal(const struct place *a, const struct place *b)
{
	return a->known && b->known && a->step.exact == b->step.exact &&
	       a->step.offset == b->step.offset && a->step.stride == b->step.stride &&
	       (a->step.exact || a->step.stride);
}

/* ---- the two sides ---- */

static struct place place_of(const struct isa_party *party)
{
	return (struct place){ party->placed, party->place, party->size };
}

bool handover_same_root(const struct isa_party *a, const struct isa_party *b)
{
	if (a->symbol || b->symbol)
		return a->symbol && b->symbol && !strcmp(a->symbol, b->symbol);
	return a->kernarg == b->kernarg;
}

bool isa_handover_places_meet(const struct isa_handover *writes, const struct isa_handover *reads,
			      bool together)
{
	struct place flag[] = { place_of(&writes->flag), place_of(&reads->flag) };
	struct place data[] = { place_of(&writes->data), place_of(&reads->data) };

	if (writes->pointer != reads->pointer)
		return false;
	if (writes->pointer)
		return !places_apart(&flag[0], &flag[1]);
	return !together ||
	       (places_equal(&flag[0], &flag[1]) && !places_apart(&data[0], &data[1]) &&
		places_apart(&flag[0], &data[0]) && places_apart(&flag[1], &data[1]));
}

bool isa_handover_meets(const struct isa_handover *writes, const struct isa_handover *reads)
{
	if (writes->reads || !reads->reads || !handover_same_root(&writes->flag, &reads->flag))
		return false;
	if (!writes->pointer && !reads->pointer && !handover_same_root(&writes->data, &reads->data))
		return false;
	return isa_handover_places_meet(writes, reads,
					handover_same_root(&writes->flag, &writes->data));
}
