/* SPDX-License-Identifier: Apache-2.0 */
/* Works out at decoding what can be known then about a vector-ALU instruction. */
#include <stdlib.h>

#include "lanes.h"

void sg_settle_constant(struct sg_operand *o, uint8_t type)
{
	if (o->is_float) {
		if (sg_is64(type) && type != SG_pf)
			o->value = sg_bits64(o->fvalue);
		else if (type == SG_bf16 || type == SG_pb)
			/* 1 / (2 pi) is not rounded there (LLVM, AMDGPUBaseInfo.cpp). */
			o->value =
			    o->fvalue == 0.15915494 ? 0x3e22 : sg_float_to_brain((float)o->fvalue);
		else if (sg_is16(type) || sg_is_pair(type))
			o->value = sg_double_to_half(o->fvalue);
		else
			o->value = sg_bits32((float)o->fvalue);
	} else if (o->is_hex && type == SG_f64) {
		o->value <<= 32;
	} else if (o->is_hex && type == SG_i64) {
		o->value = (uint64_t)(int64_t)(int32_t)o->value;
	}
}

static const char *settle(struct sg_insn *in, unsigned n, uint8_t type)
{
	struct sg_operand *o = &in->o[n];
	uint8_t registers = sg_is64(type) || type == SG_mask ? 2 : 1;

	in->type[n] = type;
	if (o->kind == SG_K_CONST && (int64_t)o->value >> 32 > 0 && !sg_is64(type))
		return "aperture register as a 32-bit operand";
	if (o->kind == SG_K_CONST)
		sg_settle_constant(o, type);
	else if ((o->kind == SG_K_VECTOR || o->kind == SG_K_SCALAR) && o->count != registers)
		return "operand of an unexpected size";
	if (type == SG_mix && (in->op_sel_hi >> (n - 1) & 1) && o->kind == SG_K_CONST)
		return "constant as a half in a mixed-precision operation";
	return NULL;
}

/*
 * Returns a constant in every lane: 64 low words, then 64 high words. The words are kept for ever,
 * as most are common to much code; NULL if memory is exhausted. Called under the decoder's lock.
 */
static const uint32_t *constant_rows(uint64_t value)
{
	static struct row {
		struct row *next;
		uint64_t value;
		uint32_t *words;
	} * bucket[1024];
	struct row **at = &bucket[(value ^ value >> 32 ^ value >> 20) % 1024], *row;
	unsigned l;

	for (row = *at; row; row = row->next)
		if (row->value == value)
			return row->words;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->words = aligned_alloc(64, 2 * SG_LANES * sizeof(row->words[0]));
	if (!row->words) {
		free(row);
		return NULL;
	}
	for (l = 0; l < SG_LANES; l++) {
		row->words[l] = (uint32_t)value;
		row->words[SG_LANES + l] = (uint32_t)(value >> 32);
	}
	row->value = value;
	row->next = *at;
	*at = row;
	return row->words;
}

/* Returns true for sources that are plain registers or constants, so that nothing must be copied to
 * read them. */
static bool direct_source(struct sg_insn *in, unsigned n, unsigned k)
{
	struct sg_operand *o = &in->o[n];
	uint8_t type = in->type[n];
	bool halves = sg_is_pair(type);

	if (!n)
		return true;
	if (o->neg || o->abs || o->sext || in->sdwa || type == SG_mix)
		return false;
	if (sg_is16(type) && (in->op_sel >> k & 1))
		return false;
	if ((halves || type == SG_pf) && ((in->op_sel >> k & 1) || !(in->op_sel_hi >> k & 1) ||
					  (in->neg_lo >> k & 1) || (in->neg_hi >> k & 1)))
		return false;
	return true;
}

static const char *settle_sources(struct sg_insn *in)
{
	const unsigned sources[] = { in->a, in->b, in->c };
	unsigned k;

	in->direct =
	    !(in->op->flags & SG_F_ACCUM) || (!sg_is_pair(in->op->d) && in->op->d != SG_pf);
	for (k = 0; k < 3; k++) {
		struct sg_operand *o = &in->o[sources[k]];

		in->direct &= direct_source(in, sources[k], k);
		if (!sources[k] || o->kind != SG_K_CONST)
			continue;
		o->row = constant_rows(o->value);
		if (!o->row)
			return "out of memory";
	}
	in->lane = in->op->lane;
	in->mode_bits = SG_MODE_GPR_IDX | (in->op->flags & SG_F_FLOAT ? 0xff : 0);
	in->mode_value = in->op->flags & SG_F_FLOAT ? SG_MODE_DEFAULT : 0;
	in->how = in->op->d == SG_mask                                ? SG_FAST_COMPARE
		  : in->op->flags & (SG_F_COUT | SG_F_CIN | SG_F_VCC) ? SG_FAST_CARRY
								      : SG_FAST_PLAIN;
	if (in->direct && in->simple && in->a)
		in->exec = in->op->fast;
	return NULL;
}

static bool selects_half(uint8_t type)
{
	return sg_is16(type) || sg_is_pair(type) || type == SG_pf || type == SG_mix;
}

const char *sg_prepare_valu(struct sg_insn *in)
{
	const struct sg_op *op = in->op;
	unsigned n = 1;
	const char *problem;
	bool packed = sg_is_pair(op->a) || op->a == SG_pf;
	unsigned i;

	if (in->nops < 1)
		return "no operands";
	if (packed && !in->has_op_sel_hi)
		in->op_sel_hi = 7;
	problem = settle(in, 0, op->d);
	if (!problem && op->flags & SG_F_COUT) {
		in->carry_out = (uint8_t)n;
		problem = settle(in, n++, SG_mask);
	}
	if (!problem && op->a) {
		in->a = (uint8_t)n;
		problem = settle(in, n++, op->a);
	}
	if (!problem && op->b) {
		in->b = (uint8_t)n;
		problem = settle(in, n++, op->b);
	}
	if (!problem && op->c && !(op->flags & SG_F_ACCUM)) {
		in->c = (uint8_t)n;
		problem = settle(in, n++, op->c);
	}
	if (!problem && op->flags & SG_F_CIN) {
		in->carry_in = (uint8_t)n;
		problem = settle(in, n++, SG_mask);
	}
	if (problem)
		return problem;
	if (n != in->nops)
		return "unexpected number of operands";
	if (op->d != SG_mask && in->o[0].kind != SG_K_VECTOR)
		return "destination is not a vector register";
	for (i = 1; i < n; i++)
		if (in->o[i].kind == SG_K_OFF || in->o[i].kind == SG_K_TEXT)
			return "unexpected operand";
	if (op->a == SG_pf)
		for (i = 1; i < n; i++)
			if (in->o[i].kind == SG_K_CONST && in->o[i].value &&
			    (in->op_sel_hi >> (i - 1) & 1) && strcmp(op->name, "v_pk_mov_b32"))
				return "constant for both halves of a packed f32 operation";
	if (op->a == SG_mix && (in->neg_lo || in->neg_hi))
		return "modifier of a mixed-precision operation";
	if (in->clamp && op->d != SG_f32 && op->d != SG_f64 && op->d != SG_f16 && op->d != SG_ph &&
	    op->d != SG_pf)
		return "clamp on this operation";
	if (in->omod && op->d != SG_f32 && op->d != SG_f64 && op->d != SG_f16)
		return "output modifier on this operation";
	for (i = 0; i < 3; i++) {
		uint8_t type = i == 0 ? op->a : i == 1 ? op->b : op->c;

		if ((in->op_sel >> i & 1) && !selects_half(type))
			return "half selection on this operation";
	}
	if ((in->op_sel >> 3 & 1) && !sg_is16(op->d))
		return "half selection on this operation";
	if (in->dpp && op->a != SG_none && sg_is64(op->a) && in->dpp != SG_DPP_ROW_NEWBCAST)
		return "DPP on a 64-bit operand";
	in->simple = !in->sdwa && !in->dpp && !in->clamp && !in->omod && !in->op_sel &&
		     !(op->flags & (SG_F_KEEP_HI | SG_F_HI));
	if (packed && op->d != SG_none)
		in->simple = !in->clamp;
	return settle_sources(in);
}
