/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of an evaluation: what is computed from what is known. */
#include "concrete.h"

#include <stdio.h>
#include <string.h>

/* ---- one instruction ---- */

bool concrete_is_sure(const struct flow *flow, const struct state *state)
{
	return !flow->launch->waiting && concrete_exec(state) == LANES_ROOT;
}

/* The effect of an instruction, found before it changes any register. */
struct found {
	const struct alu_row *row;
	bool known, scc_known, inexact;
	bool ranged; /* not known, but from `least` to `most`, of which the upper dword is one */
	uint64_t least, most;
	struct alu_out out;
	int lanes; /* of a mask that it writes; LANES_UNKNOWN */
};

/* Finds the row of a mnemonic; one that compares and writes exec is that of the comparison. */
static const struct alu_row *find_row(const char *mnemonic)
{
	char name[32];

	if (strncmp(mnemonic, "v_cmpx_", 7) != 0)
		return alu_row(mnemonic);
	snprintf(name, sizeof(name), "v_cmp_%s", mnemonic + 7);
	return alu_row(name);
}

/* Returns the number of the first operand that is a source. */
static unsigned first_source(const struct insn *insn, const struct alu_row *row)
{
	if (row->first_is_source || (insn->class == OP_COMPARE_EXEC && insn->operand_count == 2))
		return 0;
	return 1u + (unsigned)row->carries;
}

static const struct alu_row *row_of(struct launch_values *values, const struct insn *insn)
{
	size_t slot = insn->name % (sizeof(values->row) / sizeof(values->row[0]));

	if (values->row[slot].mnemonic != insn->mnemonic) {
		values->row[slot].mnemonic = insn->mnemonic;
		values->row[slot].row = find_row(insn->mnemonic);
	}
	return values->row[slot].row;
}

static bool read_source(struct flow *flow, const struct state *state, const struct operand *operand,
			unsigned dwords, uint64_t *number)
{
	*number = 0;
	if (operand->kind != OPERAND_CONST &&
	    (operand->kind != OPERAND_REG || operand->half || operand->count != dwords))
		return false;
	for (unsigned i = 0; i < dwords; i++) {
		uint32_t dword, base;

		if (!concrete_dword(flow, flow_operand(flow, state, operand, i), &dword, &base))
			return false;
		*number |= (uint64_t)dword << 32 * i;
	}
	return true;
}

/* Returns true for instructions whose destination is a source, too. */
static bool is_own_source(const char *mnemonic)
{
	return !strncmp(mnemonic, "s_cmov", 6) || !strncmp(mnemonic, "s_addk", 6) ||
	       !strncmp(mnemonic, "s_mulk", 6) || !strncmp(mnemonic, "s_bitset", 8);
}

static bool read_sources(struct flow *flow, const struct state *state, const struct insn *insn,
			 const struct alu_row *row, struct alu_in *in)
{
	uint64_t *const to[] = { &in->a, &in->b, &in->c };
	unsigned at = first_source(insn, row);
	const struct operand *last = &insn->operand[insn->operand_count - 1];

	if (last->kind == OPERAND_CONST)
		in->imm = (int16_t)last->value;
	if (is_own_source(insn->mnemonic) &&
	    !read_source(flow, state, &insn->operand[0], row->dwords[0], &in->old))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (!row->dwords[i + 1])
			continue;
		if (at >= insn->operand_count ||
		    !read_source(flow, state, &insn->operand[at++], row->dwords[i + 1], to[i]))
			return false;
	}
	return true;
}

/* Computes the result, which is known only if an unknown condition code does not change it. */
static void compute(const struct state *state, const struct alu_row *row, struct alu_in *in,
		    struct found *found)
{
	struct alu_out other = { 0 };

	in->scc = state->scc > 0;
	row->compute(in, &found->out);
	found->known = found->scc_known = true;
	if (state->scc)
		return;
	in->scc = 1;
	row->compute(in, &other);
	found->known = other.d == found->out.d;
	found->scc_known = other.scc == found->out.scc;
}

/*
 * Finds the least and the greatest number that an operand of one or two dwords may be. A dword of
 * which nothing is known is any number.
 */
static bool read_range(struct flow *flow, const struct state *state, const struct operand *operand,
		       unsigned dwords, uint64_t *least, uint64_t *most)
{
	*least = *most = 0;
	if (operand->kind != OPERAND_CONST &&
	    (operand->kind != OPERAND_REG || operand->half || operand->count != dwords))
		return false;
	for (unsigned part = 0; part < dwords; part++) {
		value_id id = flow_operand(flow, state, operand, part);
		const struct value *value = value_get(&flow->store, id);
		uint32_t low = 0, high = UINT32_MAX, number, base;

		if (concrete_dword(flow, id, &number, &base)) {
			low = high = number;
		} else if (!value->lane_count && value->alt_count &&
			   value_top(&flow->store, id, &number)) {
			low = high = number;
			for (uint32_t i = 0; i < value->alt_count; i++)
				if ((uint32_t)value->alt[i].constant < low)
					low = (uint32_t)value->alt[i].constant;
		}
		*least |= (uint64_t)low << 32 * part;
		*most |= (uint64_t)high << 32 * part;
	}
	return true;
}

/* Returns true if a comparison is the same for all numbers of two ranges. */
static bool in_range(struct flow *flow, const struct state *state, const struct insn *insn,
		     const struct alu_row *row, struct found *found)
{
	unsigned first = first_source(insn, row), dwords = row->dwords[1];
	uint64_t a[2], b[2], sum = 0;
	bool is_signed = strstr(row->name, "_i32") || strstr(row->name, "_i64");
	uint64_t positive = dwords == 2 ? INT64_MAX : INT32_MAX;

	if (insn->operand_count != first + 2 || row->dwords[2] != dwords ||
	    strncmp(row->name + 1, "_cmp_", 5) != 0 ||
	    (!strstr(row->name, "_u32") && !strstr(row->name, "_u64") && !is_signed) ||
	    !read_range(flow, state, &insn->operand[first], dwords, &a[0], &a[1]) ||
	    !read_range(flow, state, &insn->operand[first + 1], dwords, &b[0], &b[1]))
		return false;
	/* With a sign the upper half of the numbers comes before the lower one. */
	if (is_signed && ((a[1] > positive && a[0] != a[1]) || (b[1] > positive && b[0] != b[1])))
		return false;
	/* Two ranges that overlap may be equal or not. */
	if (insn->traits & (INSN_EQUAL | INSN_DIFFERENT) && a[0] <= b[1] && b[0] <= a[1])
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const struct alu_in in = { .a = a[i & 1], .b = b[i >> 1] };

		row->compute(&in, &found->out);
		sum += row->compares ? found->out.d : found->out.scc;
	}
	found->known = !(sum & 3);
	found->scc_known = found->known && !row->compares;
	return found->known;
}

/* Finds the ranges of all sources of a row. Returns false if one is none of numbers. */
static bool read_ranges(struct flow *flow, const struct state *state, const struct insn *insn,
			const struct alu_row *row, uint64_t (*range)[2])
{
	unsigned at = first_source(insn, row);

	for (unsigned i = 0; i < 3; i++)
		if (row->dwords[i + 1] &&
		    (at >= insn->operand_count ||
		     !read_range(flow, state, &insn->operand[at++], row->dwords[i + 1],
				 &range[i][0], &range[i][1])))
			return false;
	return true;
}

/* Returns true if the result is greatest and least at the ends of these ranges. */
static bool is_monotone(const struct insn *insn, uint64_t (*range)[2], unsigned carries)
{
	switch (insn->class) {
	case OP_LSHLREV:
		return range[0][0] == range[0][1] && range[0][1] < 32 && range[1][1] <= UINT32_MAX;
	case OP_LSHL_ADD64:
		return range[1][0] == range[1][1] && range[1][1] < 31 &&
		       range[0][1] <= UINT32_MAX && range[2][1] <= INT64_MAX;
	case OP_ADD64:
		return range[0][1] <= INT64_MAX && range[1][1] <= INT64_MAX;
	case OP_LAST_PLUS64:
		return strstr(insn->mnemonic, "u64_u32") && !carries && range[2][1] <= UINT32_MAX;
	default:
		return false;
	}
}

static bool has_pointer(struct flow *flow, const struct state *state, const struct insn *insn)
{
	for (unsigned i = 1; i < insn->operand_count; i++)
		for (unsigned k = 0; k < insn->operand[i].count; k++)
			if (insn->operand[i].kind == OPERAND_REG &&
			    value_has(&flow->store, flow_operand(flow, state, &insn->operand[i], k),
				      BASE_KERNARG))
				return true;
	return false;
}

/*
 * Finds the carry of a sum or a difference of ranges, if it is the same for all numbers of these:
 * then it is at their ends; and the range of two dwords that are computed from them.
 */
static void compute_ranges(struct flow *flow, const struct state *state, const struct insn *insn,
			   const struct alu_row *row, const struct alu_in *from,
			   struct found *found)
{
	uint64_t range[3][2] = { { 0 } }, least = UINT64_MAX, most = 0;
	unsigned carries = 0;

	if (!read_ranges(flow, state, insn, row, range))
		return;
	for (unsigned i = 0; i < 8; i++) {
		struct alu_in in = *from;
		struct alu_out out = { 0 };

		in.a = range[0][i & 1];
		in.b = range[1][i >> 1 & 1];
		in.c = range[2][i >> 2];
		row->compute(&in, &out);
		carries += out.carry;
		least = out.d < least ? out.d : least;
		most = out.d > most ? out.d : most;
	}
	if (row->carries && carries % 8 == 0)
		found->lanes = carries ? concrete_exec(state) : LANES_NONE;
	found->ranged = row->dwords[0] == 2 && least >> 32 == most >> 32 &&
			is_monotone(insn, range, carries) && !has_pointer(flow, state, insn);
	found->least = least;
	found->most = most;
}

static void look(struct flow *flow, const struct state *state, const struct insn *insn,
		 struct found *found)
{
	const struct alu_row *row = found->row = row_of(flow->launch, insn);
	bool vector = !(insn->traits & INSN_SCALAR);
	int carry, exec = concrete_exec(state);
	struct alu_in in = { 0 };

	found->lanes = LANES_UNKNOWN;
	/* A carry that is not known, into or out of what is computed in two halves; parts. */
	found->inexact = (row && row->takes_carry) || insn->traits & INSN_CARRIES || insn->sdwa ||
			 insn->dpp || insn->class == OP_LAST_PLUS64 ||
			 insn->class == OP_LSHL_ADD64 || insn->class == OP_ADD64 ||
			 insn->class == OP_SUB64;
	if (!row || insn->dual || insn->dpp || insn->sdwa || insn->sdwa_dst || state->index_mode ||
	    !insn->operand_count || (vector && state->mode != EXEC_NORMAL))
		return;
	if (row->takes_carry) {
		carry = concrete_active(flow, state, &insn->operand[insn->operand_count - 1]);
		if (carry < 0)
			return;
		in.carry = (uint32_t)carry;
	}
	if ((row->compares || row->first_is_source) && in_range(flow, state, insn, row, found)) {
		found->lanes = found->out.d ? exec : LANES_NONE;
		return;
	}
	if (!read_sources(flow, state, insn, row, &in)) {
		if (row->carries || row->dwords[0] == 2)
			compute_ranges(flow, state, insn, row, &in, found);
		return;
	}
	compute(state, row, &in, found);
	if (found->known && (row->compares || row->carries))
		found->lanes =
		    (row->compares ? found->out.d : found->out.carry) ? exec : LANES_NONE;
}

/* Returns the argument that a dword is counted from, if it is one alone; else 0. */
static uint32_t base_of(const struct flow *flow, value_id id)
{
	const struct value *value = value_get(&flow->store, id);
	uint32_t found = 0;

	for (uint32_t i = 0; !value->lane_count && i < value->alt_count; i++) {
		for (uint32_t k = 0; k < value->alt[i].term_count; k++) {
			uint32_t base = value->alt[i].term[k].base;

			if (BASE_KIND(base) == BASE_DELTA)
				continue;
			if (BASE_KIND(base) != BASE_KERNARG || value->alt[i].term[k].sign < 0 ||
			    (found && found != base))
				return 0;
			found = base;
		}
	}
	return found;
}

/* Returns a dword of a result, from where the data flow says that it comes. */
static value_id anchored(struct flow *flow, value_id flowed, uint32_t dword)
{
	uint32_t base = base_of(flow, flowed), word;

	if (base && launch_dword(flow->launch, BASE_PAYLOAD(base), &word))
		return value_base(&flow->store, base, (int32_t)(dword - word));
	return value_const(&flow->store, (int32_t)dword);
}

/* Returns a dword of a range. The flow's own lower one may tell more of it. */
static value_id ranged(struct flow *flow, const struct found *found, unsigned part, value_id flowed)
{
	uint32_t least = (uint32_t)(found->least >> 32 * part);
	const struct value *value = value_get(&flow->store, flowed);
	uint64_t span = found->most - found->least;

	if (part || !span)
		return value_const(&flow->store, (int32_t)least);
	if (span > VALUE_BOUND || (!value->lane_count && value->alt_count && value->alt->bound))
		return flowed;
	return value_add(&flow->store, value_const(&flow->store, (int32_t)least),
			 value_bounded(&flow->store, 1, (uint32_t)span));
}

static int apply(struct flow *flow, const struct insn *insn, struct state *state,
		 const struct found *found)
{
	const struct operand *to = &insn->operand[0];
	unsigned dwords = found->row ? found->row->dwords[0] : to->count;
	int status = 0;

	if (!insn->operand_count || (!found->row && !found->inexact))
		return 0;
	if (found->row && found->row->compares)
		return found->known ? flow_write_all(flow, state, to,
						     concrete_mask(flow, state, found->lanes))
				    : 0;
	for (unsigned i = 0; !status && to->kind == OPERAND_REG && i < dwords && i < to->count &&
			     !(found->row && found->row->first_is_source);
	     i++) {
		value_id flowed = flow_operand(flow, state, to, i);
		int32_t constant;

		/* The flow's value of two pointers does not tell which of them was selected. */
		if (found->known && insn->class == OP_SELECT && !base_of(flow, flowed) &&
		    value_has(&flow->store, flowed, BASE_KERNARG))
			continue;
		if (found->known)
			status =
			    flow_write(flow, state, to, i,
				       anchored(flow, flowed, (uint32_t)(found->out.d >> 32 * i)));
		else if (found->ranged)
			status = flow_write(flow, state, to, i, ranged(flow, found, i, flowed));
		else if (found->inexact && (i || dwords == 1) &&
			 value_constant(&flow->store, flowed, &constant))
			status = flow_write(flow, state, to, i, VALUE_NUMBER);
	}
	if (!status && found->row && found->row->carries && found->lanes != LANES_UNKNOWN)
		status = flow_write_all(flow, state, &insn->operand[1],
					concrete_mask(flow, state, found->lanes));
	if (insn->traits & INSN_SCALAR && found->scc_known)
		state->scc = found->out.scc ? 1 : -1;
	return status;
}

/* ---- around the data flow's own step ---- */

static bool is_aperture(const struct flow *flow, value_id id)
{
	return BASE_KIND(value_sole_base(&flow->store, id)) == BASE_APERTURE;
}

/*
 * HIP's headers ask whether a pointer leads to LDS or private memory, and use another instruction
 * then: one that was passed to the kernel does not.
 */
static bool asks_for_space(struct flow *flow, const struct state *state, const struct insn *insn)
{
	unsigned first = insn->class == OP_COMPARE ? 1 : 0;
	value_id a, b;

	if (!(insn->traits & (INSN_EQUAL | INSN_DIFFERENT)) || insn->operand_count < first + 2)
		return false;
	a = flow_operand(flow, state, &insn->operand[first], 0);
	b = flow_operand(flow, state, &insn->operand[first + 1], 0);
	if (is_aperture(flow, b)) {
		value_id other = a;

		a = b;
		b = other;
	}
	return is_aperture(flow, a) &&
	       (value_has(&flow->store, b, BASE_KERNARG) ||
		value_has(&flow->store, b, BASE_LOADED)) &&
	       !value_has(&flow->store, b, BASE_APERTURE);
}

/* Without active lanes an instruction of the vector unit writes none but masks, which are 0. */
static bool is_idle(const struct insn *insn)
{
	if (insn->class == OP_MEMORY)
		return insn->family >= MEM_GLOBAL;
	return insn->traits & INSN_VECTOR && insn->class != OP_READ_FIRST &&
	       insn->class != OP_READ_LANE && insn->class != OP_WRITE_LANE &&
	       insn->class != OP_COMPARE_EXEC;
}

static int step_dead(struct flow *flow, const struct insn *insn, struct state *state)
{
	const struct operand *mask = NULL;

	if (insn->class == OP_COMPARE && insn->operand_count)
		mask = &insn->operand[0];
	else if ((insn->class == OP_ADD_CARRY_OUT || insn->class == OP_SUB_CARRY_OUT ||
		  insn->class == OP_SUBREV_CARRY_OUT) &&
		 insn->operand_count > 1)
		mask = &insn->operand[1];
	return mask && mask->kind == OPERAND_REG && mask->reg < REG_VECTOR
		   ? flow_write_all(flow, state, mask, value_const(&flow->store, 0))
		   : 0;
}

static bool writes_exec(const struct insn *insn)
{
	const struct operand *to = &insn->operand[0];

	return insn_writes_exec_unnamed(insn) ||
	       (insn->operand_count && insn->traits & INSN_SCALAR && to->kind == OPERAND_REG &&
		to->reg <= REG_EXEC + 1 && to->reg + to->count > REG_EXEC);
}

/*
 * Returns true if it switches lanes off of which it is not known which ones: not where every lane
 * is active for a moment, as for spills, or lanes come back.
 */
static bool narrows(const struct insn *insn, const struct state *state)
{
	return state->mode == EXEC_NORMAL && insn->class != OP_OR &&
	       insn->class != OP_OR_SAVEEXEC && writes_exec(insn);
}

/* Returns true if lanes came back that may not have been active when a mask was made. */
static bool has_grown(const struct state *state)
{
	for (unsigned i = 0; i < state->aside_count; i++)
		if (state->aside[i].grown)
			return true;
	return false;
}

int concrete_step(struct flow *flow, const struct function *function, const struct insn *insn,
		  struct state *state)
{
	struct found found = { .lanes = LANES_UNKNOWN };
	bool handled, apart;
	int status = concrete_masks(flow, insn, state, &handled);

	if (status || handled) {
		state->breaks &= !writes_exec(insn);
		return status;
	}
	if (state->dead && is_idle(insn))
		return step_dead(flow, insn, state);
	look(flow, state, insn, &found);
	if (insn->class == OP_COMPARE_EXEC) {
		if (state->dead || (found.known && insn->operand_count == 2)) {
			state->dead |= !found.out.d;
			return insn->operand_count == 2
				   ? 0
				   : flow_write_all(flow, state, &insn->operand[0],
						    value_const(&flow->store, 0));
		}
		found.row = NULL;
	}
	if (writes_exec(insn))
		state->breaks = insn->class == OP_ANDN2;
	if (narrows(insn, state)) {
		state->narrowed++;
		status = concrete_forget(flow, state, flow_site(insn));
		if (status)
			return status;
	}
	apart = (insn->class == OP_COMPARE || insn->class == OP_COMPARE_SCALAR) &&
		asks_for_space(flow, state, insn);
	status = flow_step_plainly(flow, function, insn, state);
	if (!status && apart && insn->class == OP_COMPARE)
		status = flow_write_all(flow, state, &insn->operand[0],
					concrete_mask(flow, state,
						      insn->traits & INSN_DIFFERENT
							  ? concrete_exec(state)
							  : LANES_NONE));
	else if (!status && apart)
		state->scc = insn->traits & INSN_DIFFERENT ? 1 : -1;
	else if (!status)
		status = apply(flow, insn, state, &found);
	if (!status && has_grown(state))
		status = state_lose(&flow->store, state);
	return status;
}

int concrete_select(const struct flow *flow, const struct insn *insn, const struct state *state)
{
	static const struct operand vcc = { .kind = OPERAND_REG, .reg = REG_VCC, .count = 2 };
	int active =
	    concrete_active(flow, state, insn->operand_count > 3 ? &insn->operand[3] : &vcc);

	return active < 0 ? 0 : active ? 2 : 1;
}

enum concrete_way concrete_branch(const struct flow *flow, const struct insn *insn,
				  const struct state *state, const struct state *before)
{
	static const struct operand vcc = { .kind = OPERAND_REG, .reg = REG_VCC, .count = 2 };
	const char *how = insn->mnemonic + strlen("s_cbranch_");
	bool zero = insn->class == OP_CBRANCH_EXECZ;
	int lanes;

	if (insn->class == OP_CBRANCH_EXECZ || insn->class == OP_CBRANCH_EXECNZ) {
		if (state->dead)
			return zero ? WAY_JUMP : WAY_ON;
		/* A branch around code for some lanes only saves time; a loop may be over. */
		if (zero)
			return state->breaks ? WAY_BOTH : WAY_ON;
		if (before ? before->narrowed != state->narrowed ||
				 concrete_exec(state) == LANES_UNKNOWN
			   : state->breaks)
			return WAY_BOTH;
		return WAY_JUMP;
	}
	if (insn->class != OP_CBRANCH)
		return WAY_BOTH;
	if (!strcmp(how, "scc0") || !strcmp(how, "scc1"))
		return !state->scc                           ? WAY_BOTH
		       : (state->scc > 0) == (how[3] == '1') ? WAY_JUMP
							     : WAY_ON;
	if (strcmp(how, "vccz") != 0 && strcmp(how, "vccnz") != 0)
		return WAY_BOTH;
	zero = how[3] == 'z';
	lanes = concrete_lanes(flow, state, &vcc);
	if (lanes == LANES_UNKNOWN || (lanes != LANES_NONE && state->dead))
		return WAY_BOTH;
	return (lanes == LANES_NONE) == zero ? WAY_JUMP : WAY_ON;
}
