/* SPDX-License-Identifier: Apache-2.0 */
/* Addressing modes of FLAT, GLOBAL, SCRATCH and MUBUF (MI200 ISA, "Vector Memory Operations"). */
#include "address.h"
#include "check.h"
#include "move.h"

/* Fields of a buffer resource that the driver sets for scratch: swizzle, add thread id. */
#define WORD1_SWIZZLE 0x80000000u
#define WORD3_ADD_TID 0x00800000u

static void add_vector32(struct sg_wave *wave, const struct sg_operand *o, uint64_t *address)
{
	const uint32_t *v = wave->v[o->index];
	unsigned l;

	if (o->kind == SG_K_VECTOR)
		for (l = 0; l < SG_LANES; l++)
			address[l] += v[l];
}

static void fill(uint64_t *address, uint64_t base)
{
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		address[l] = base;
}

/* 32-bit arithmetic: a negative part wraps within private memory. */
static void wrap32(uint64_t *address)
{
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		address[l] = (uint32_t)address[l];
}

static bool scratch_base_ok(struct sg_wave *wave, const struct sg_insn *in)
{
	if (sg_pair(wave, SG_FLAT_SCRATCH) == (uint64_t)(uintptr_t)wave->scratch)
		return true;
	sg_unsupported(wave, in, "FLAT_SCRATCH does not hold this wave's scratch base");
	return false;
}

/*
 * Checks the range of a buffer that is not scratch (MI200 and MI300 ISA, "Range Checking").
 *
 * Structured (stride, and an index in the instruction): num_records counts records, and only the
 * index is compared.
 *
 * Raw (anything else): num_records counts bytes, and offsets are unsigned and do not wrap. The
 * guides' formula for MI200 has no soffset in it, but that of GCN3 and of RDNA subtracts it from
 * num_records, and so it must be: where AMD's Tensile puts a row's offset into soffset
 * (UseSgprForGRO), it relies on the check for the rows behind the matrix. Each dword of an access
 * is checked for itself, and one that is only partly in range counts as out of range (LLVM,
 * AMDGPUUsage, "Relaxed Buffer OOB Mode").
 *
 * Returns how many of the `size` bytes at `at` are in range; these are the first ones.
 */
static unsigned bytes_in_range(const struct sg_insn *in, uint32_t stride, uint32_t num_records,
			       uint64_t index, uint64_t at, unsigned size)
{
	uint64_t room;

	if (in->idxen && stride)
		return index < num_records ? size : 0;
	if (at >= num_records)
		return 0;
	room = num_records - at;
	if (room >= size)
		return size;
	return size < 4 ? 0 : (unsigned)(room & ~(uint64_t)3);
}

static bool buffer_addresses(struct sg_wave *wave, const struct sg_insn *in, unsigned v, unsigned s,
			     unsigned size, struct sg_access *access)
{
	const uint32_t *r = &wave->s[in->o[s].index];
	uint64_t base = (uint64_t)(r[1] & 0xffff) << 32 | r[0];
	uint32_t soffset = sg_read32(wave, &in->o[s + 1]), stride = r[1] >> 16 & 0x3fff;
	const struct sg_operand *o = &in->o[v];
	const uint32_t *index = wave->v[o->index],
		       *offset = wave->v[o->index + (in->idxen ? 1 : 0)];
	unsigned l;

	if (in->o[s].kind != SG_K_SCALAR || in->o[s].count != 4) {
		sg_unsupported(wave, in, "buffer resource");
		return false;
	}
	if (in->lds && r[1] & WORD1_SWIZZLE) {
		sg_unsupported(wave, in, "load of private memory into LDS");
		return false;
	}
	if (r[1] & WORD1_SWIZZLE) {
		/*
		 * Scratch. In hardware lane and dword are swizzled, so base and soffset count
		 * bytes of all 64 lanes; here a lane's bytes are contiguous.
		 */
		uint64_t shift = base + soffset - (uint64_t)(uintptr_t)wave->scratch;

		if (!(r[3] & WORD3_ADD_TID) || in->idxen || shift % 256) {
			sg_unsupported(wave, in, "swizzled buffer that is not scratch");
			return false;
		}
		access->space = SG_SCRATCH;
		fill(access->address, (shift >> 6) + (uint64_t)(int64_t)in->offset);
		if (in->offen)
			add_vector32(wave, o, access->address);
		wrap32(access->address);
		return true;
	}
	if (r[3] & WORD3_ADD_TID) {
		sg_unsupported(wave, in, "buffer with thread id");
		return false;
	}
	access->space = SG_GLOBAL;
	for (l = 0; l < SG_LANES; l++) {
		uint64_t at = (uint64_t)(int64_t)in->offset + (in->offen ? offset[l] : 0);
		uint64_t i = in->idxen ? index[l] : 0;
		unsigned inside = bytes_in_range(in, stride, r[2], i, soffset + at, size);

		if (inside < size)
			access->outside |= (uint64_t)1 << l;
		access->inside[l] = (uint8_t)inside;
		access->address[l] = base + soffset + at + i * stride;
	}
	access->outside &= access->active;
	return true;
}

bool sg_addresses(struct sg_wave *wave, const struct sg_insn *in, enum sg_space space, unsigned v,
		  unsigned s, unsigned size, struct sg_access *access)
{
	uint64_t offset = (uint64_t)(int64_t)in->offset;
	const struct sg_operand *o = &in->o[v];
	unsigned l;

	access->space = space;
	access->active = sg_exec(wave);
	access->outside = 0;
	sg_memory_refresh(wave->worker);
	switch (space) {
	case SG_BUFFER:
		return buffer_addresses(wave, in, v, s, size, access);
	case SG_SCRATCH:
		if (!scratch_base_ok(wave, in))
			return false;
		if (in->o[s].kind != SG_K_OFF)
			offset += sg_read32(wave, &in->o[s]);
		fill(access->address, offset);
		add_vector32(wave, o, access->address);
		wrap32(access->address);
		return true;
	case SG_GLOBAL:
		if (in->o[s].kind != SG_K_OFF) {
			fill(access->address, sg_read64(wave, &in->o[s]) + offset);
			add_vector32(wave, o, access->address);
			return true;
		}
		break;
	case SG_FLAT:
		break;
	}
	if (o->kind != SG_K_VECTOR || o->count != 2) {
		sg_unsupported(wave, in, "address operand");
		return false;
	}
	for (l = 0; l < SG_LANES; l++)
		access->address[l] =
		    ((uint64_t)wave->v[o->index + 1][l] << 32 | wave->v[o->index][l]) + offset;
	return true;
}

bool sg_touch_addresses(struct sg_wave *wave, const struct sg_insn *in, unsigned v, unsigned s,
			struct sg_touched *touched)
{
	struct sg_access access;

	if (!sg_addresses(wave, in, in->op->c, v, s, touched->size, &access) ||
	    access.space == SG_SCRATCH)
		return false;
	touched->active = access.active & ~access.outside;
	memcpy(touched->address[0], access.address, sizeof(access.address));
	return true;
}

uint8_t *sg_access_pointer(struct sg_wave *wave, const struct sg_access *access, unsigned lane,
			   unsigned size, unsigned *state)
{
	bool outside = false;

	switch (access->space) {
	case SG_GLOBAL:
	case SG_BUFFER:
		return sg_global(wave, access->address[lane], size, state);
	case SG_SCRATCH:
		*state = 0;
		return sg_private(wave, lane, access->address[lane], size);
	case SG_FLAT:
		return sg_flat(wave, lane, access->address[lane], size, state, &outside);
	}
	return NULL;
}

/*
 * Private memory: each lane's bytes are together. `from` counts from the lane's first byte, to
 * which `v` (may be NULL) adds.
 */
static bool reach_private(struct sg_wave *wave, uint64_t from, const uint32_t *v, unsigned size,
			  struct sg_reach *reach)
{
	uint64_t bytes = wave->run->scratch_size;
	uint32_t least = 0, greatest = 0, l;

	if (v)
		sg_bounds(wave, v, NULL, &least, &greatest);
	if (bytes > UINT32_MAX / SG_LANES || from > bytes || greatest + from + size > bytes)
		return false;
	for (l = 0; l < SG_LANES; l++)
		reach->own[l] = l * (uint32_t)bytes + (uint32_t)from + (v ? v[l] : 0);
	reach->base = wave->scratch;
	reach->offset = reach->own;
	reach->state = 0;
	return true;
}

static bool reach_scratch(struct sg_wave *wave, const struct sg_insn *in, unsigned v, unsigned s,
			  unsigned size, struct sg_reach *reach)
{
	const struct sg_operand *o = &in->o[v];
	uint64_t from = (uint64_t)(int64_t)in->offset;

	if (sg_pair(wave, SG_FLAT_SCRATCH) != (uint64_t)(uintptr_t)wave->scratch)
		return false;
	if (in->o[s].kind != SG_K_OFF)
		from += sg_read32(wave, &in->o[s]);
	return reach_private(wave, from, o->kind == SG_K_VECTOR ? wave->v[o->index] : NULL, size,
			     reach);
}

/* Reaches a buffer that is the wave's scratch, as in buffer_addresses(). */
static bool reach_buffer(struct sg_wave *wave, const struct sg_insn *in, unsigned v, unsigned s,
			 unsigned size, struct sg_reach *reach)
{
	const struct sg_operand *o = &in->o[v], *resource = &in->o[s];
	const uint32_t *r = &wave->s[resource->index];
	uint64_t shift;

	if (resource->kind != SG_K_SCALAR || resource->count != 4 || in->lds || in->idxen ||
	    (in->offen && o->kind != SG_K_VECTOR) || !(r[1] & WORD1_SWIZZLE) ||
	    !(r[3] & WORD3_ADD_TID))
		return false;
	shift = ((uint64_t)(r[1] & 0xffff) << 32 | r[0]) + sg_read32(wave, &in->o[s + 1]) -
		(uint64_t)(uintptr_t)wave->scratch;
	if (shift % 256)
		return false;
	return reach_private(wave, (shift >> 6) + (uint64_t)(int64_t)in->offset,
			     in->offen ? wave->v[o->index] : NULL, size, reach);
}

bool sg_reach(struct sg_wave *wave, const struct sg_insn *in, enum sg_space space, unsigned v,
	      unsigned s, unsigned size, struct sg_reach *reach)
{
	const struct sg_operand *o = &in->o[v];
	uint64_t exec = sg_exec(wave), base = (uint64_t)(int64_t)in->offset;
	const uint32_t *high = NULL;
	const struct sg_span *span;
	uint32_t low, top;

	if (exec && space == SG_SCRATCH)
		return reach_scratch(wave, in, v, s, size, reach);
	if (exec && space == SG_BUFFER)
		return reach_buffer(wave, in, v, s, size, reach);
	/* The log of accesses wants every lane's address. */
	if ((space != SG_GLOBAL && space != SG_FLAT) || o->kind != SG_K_VECTOR || !exec ||
	    softgpu_config.access_log)
		return false;
	if (space == SG_GLOBAL && in->o[s].kind != SG_K_OFF) {
		base += sg_read64(wave, &in->o[s]);
	} else {
		if (o->count != 2)
			return false;
		high = wave->v[o->index + 1];
		low = high[__builtin_ctzll(exec)];
		if (space == SG_FLAT && (low == SG_SHARED_BASE_HI || low == SG_PRIVATE_BASE_HI))
			return false;
		base += (uint64_t)low << 32;
	}
	if (!sg_bounds(wave, wave->v[o->index], high, &low, &top))
		return false;
	sg_memory_refresh(wave->worker);
	span = sg_span(wave->worker, in->pc, base + low);
	if (!span || top - low >= span->last - (base + low) || size > span->last - (base + top))
		return false;
	reach->base = (uint8_t *)(uintptr_t)(base + span->delta);
	reach->offset = wave->v[o->index];
	reach->state = span->state;
	return true;
}
