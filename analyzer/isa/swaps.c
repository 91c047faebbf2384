/* SPDX-License-Identifier: Apache-2.0 */
/* Compare-and-swaps whose loop lies in a caller: a second pass of the data flow. */
#include "swaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ways in which values of one kernel are computed; beyond, they are forgotten. */
#define ROWS_MAX        4096u
#define COMPARISONS_MAX 1024u

/* Payload of BASE_RESULT: a number of a row. */
struct row {
	uint32_t access; /* the number was loaded there, or returned */
	struct arithmetic kind;
};

struct site {
	value_id stored, expected;
	int loops; /* tells if a function that leads here does so from a loop; -1 not known */
};

/* This was compared, both halves as one. */
struct comparison {
	value_id value[2];
	struct arithmetic kind;
};

struct swaps {
	struct comparison *comparison;
	uint32_t comparison_count, comparison_room;
	struct row *row;
	uint32_t row_count, row_room;
	struct site *site; /* by access */
	size_t site_room;
};

struct swaps *swaps_new(void)
{
	return calloc(1, sizeof(struct swaps));
}

void swaps_free(struct swaps *swaps)
{
	if (!swaps)
		return;
	free(swaps->comparison);
	free(swaps->row);
	free(swaps->site);
	free(swaps);
}

uint64_t swaps_context(const struct flow *flow)
{
	uint64_t context = flow->depth + 1u;

	for (unsigned i = 0; i + 1 < flow->depth; i++)
		context = (context ^ flow->call[i]) * 0x9e3779b97f4a7c15u;
	return context ? context : 1;
}

/* ---- what values remember ---- */

static bool is_same(const struct arithmetic *a, const struct arithmetic *b)
{
	return a->op == b->op && a->type == b->type && a->fp == b->fp && a->masked == b->masked &&
	       a->converts == b->converts && a->product == b->product && a->halves == b->halves;
}

/*
 * Returns the value of an access (`kind` NULL) or of what was computed from it; BOTTOM if there are
 * too many.
 */
static value_id remember(struct flow *flow, uint32_t access, const struct arithmetic *kind)
{
	struct swaps *swaps = flow->swaps;
	uint32_t i;

	if (!kind)
		return value_base(&flow->store, BASE(BASE_LOADED, access << 4), 0);
	for (i = 0; i < swaps->row_count; i++)
		if (swaps->row[i].access == access && is_same(&swaps->row[i].kind, kind))
			return value_base(&flow->store, BASE(BASE_RESULT, i), 0);
	if (swaps->row_count == ROWS_MAX)
		return VALUE_BOTTOM;
	if (swaps->row_count == swaps->row_room) {
		uint32_t room = swaps->row_room ? swaps->row_room * 2 : 64;
		struct row *grown = reallocarray(swaps->row, room, sizeof(*grown));

		if (!grown) {
			flow->store.failed = true;
			return VALUE_BOTTOM;
		}
		swaps->row = grown;
		swaps->row_room = room;
	}
	swaps->row[i] = (struct row){ .access = access, .kind = *kind };
	swaps->row_count++;
	return value_base(&flow->store, BASE(BASE_RESULT, i), 0);
}

/* Later arithmetic counts, except that floating point beats the masking around it. */
static value_id through(struct flow *flow, uint32_t base, const struct arithmetic *kind)
{
	const struct arithmetic *before = NULL;
	uint32_t access = BASE_PAYLOAD(base) >> 4;
	struct arithmetic both;
	struct row row;

	if (BASE_KIND(base) == BASE_RESULT) {
		row = flow->swaps->row[BASE_PAYLOAD(base)];
		before = &row.kind;
		access = row.access;
	}
	if (!kind || !before)
		return remember(flow, access, kind ? kind : before);
	both = before->fp && !kind->fp ? *before : *kind;
	both.masked = before->masked || (before->fp && !kind->fp);
	both.converts = before->converts || kind->converts;
	both.product = before->product || kind->product;
	return remember(flow, access, &both);
}

/* Returns true if the result of the instruction is a number made of its sources. */
static bool computes(const struct insn *insn)
{
	switch (insn->class) {
	case OP_DATA:
	case OP_MIX:
	case OP_MIX_OWN:
	case OP_SHIFT_ADD:
	case OP_ADD_SHIFT:
	case OP_XOR_ADD:
	case OP_INSERT:
	case OP_ADD:
	case OP_ADD_CARRY_OUT:
	case OP_SUB:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV:
	case OP_SUBREV_CARRY_OUT:
	case OP_ADD3:
	case OP_ADD64:
	case OP_SUB64:
	case OP_LAST_PLUS:
	case OP_LAST_PLUS64:
	case OP_LAST_PLUS2:
	case OP_LSHL_ADD64:
	case OP_ADD_CONST:
	case OP_AND_OR:
	case OP_OR:
	case OP_AND:
	case OP_ANDN2:
	case OP_XOR:
	case OP_NOT:
	case OP_LSHL:
	case OP_LSHR:
	case OP_ASHR:
	case OP_LSHLREV:
	case OP_LSHRREV:
	case OP_ASHRREV:
	case OP_MUL:
	case OP_ALIGNBIT:
		return true;
	case OP_UNKNOWN:
		return insn->mnemonic[0] == 'v';
	default:
		return false;
	}
}

/* Returns true if a shift takes one half of a word. */
static bool moves_half(struct flow *flow, const struct insn *insn, const struct state *state)
{
	bool reversed = insn->class == OP_LSHRREV || insn->class == OP_LSHLREV;
	int32_t amount;

	return (reversed || insn->class == OP_LSHR || insn->class == OP_LSHL) &&
	       insn->operand_count > 2 && insn->operand[0].count == 2 &&
	       value_constant(&flow->store,
			      flow_operand(flow, state, &insn->operand[reversed ? 1 : 2], 0),
			      &amount) &&
	       amount == 32;
}

value_id swaps_carried(struct flow *flow, const struct insn *insn, const struct state *state)
{
	bool own = strstr(insn->mnemonic, "fmac") || strstr(insn->mnemonic, "_mac_") ||
		   insn->class == OP_ADD_CONST || insn->class == OP_MIX_OWN;
	value_id result = VALUE_BOTTOM;
	struct arithmetic kind;
	bool counts;

	if (!computes(insn) || !insn->operand_count || insn->operand[0].kind != OPERAND_REG)
		return VALUE_BOTTOM;
	counts = casloop_arithmetic(insn, &kind) && !moves_half(flow, insn, state);
	for (unsigned i = own ? 0 : 1; i < insn->operand_count; i++) {
		const struct operand *from = &insn->operand[i];

		if (from->kind != OPERAND_REG || from->reg >= REG_COUNT)
			continue;
		for (unsigned part = 0; part < from->count; part++) {
			const struct value *value =
			    value_get(&flow->store, flow_operand(flow, state, from, part));
			struct alt alt[VALUE_ALTS];
			uint32_t n = value->alt_count, a, t;

			/* Joining makes new values: those there are may move. */
			if (n)
				memcpy(alt, value->alt, n * sizeof(*alt));
			for (a = 0; a < n; a++)
				for (t = 0; t < alt[a].term_count; t++) {
					uint32_t base = alt[a].term[t].base;

					if (BASE_KIND(base) != BASE_LOADED &&
					    BASE_KIND(base) != BASE_RESULT)
						continue;
					result =
					    value_join(&flow->store, result,
						       through(flow, base, counts ? &kind : NULL));
				}
		}
	}
	return result;
}

/* ---- compare-and-swaps ---- */

int swaps_compare(struct flow *flow, const struct insn *insn, const struct state *state)
{
	struct swaps *swaps = flow->swaps;
	struct comparison one = { .kind = { .op = ISA_OP_MINMAX } };
	struct ordering ordering;

	if (!casloop_ordering(insn, &ordering))
		return 0;
	one.kind.type = ordering.type;
	one.kind.fp = ordering.fp;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned part = 0; part < ordering.dwords; part++)
			one.value[i] = value_join(
			    &flow->store, one.value[i],
			    value_plain(&flow->store,
					flow_operand(flow, state,
						     &insn->operand[ordering.first + i], part)));
	/* Mere numbers are compared all the time. */
	if (one.value[0] == VALUE_NUMBER || one.value[1] == VALUE_NUMBER)
		return 0;
	for (uint32_t i = 0; i < swaps->comparison_count; i++)
		if (!memcmp(&swaps->comparison[i], &one, sizeof(one)))
			return 0;
	if (swaps->comparison_count == COMPARISONS_MAX)
		return 0;
	if (swaps->comparison_count == swaps->comparison_room) {
		uint32_t room = swaps->comparison_room ? swaps->comparison_room * 2 : 32;
		struct comparison *grown = reallocarray(swaps->comparison, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		swaps->comparison = grown;
		swaps->comparison_room = room;
	}
	swaps->comparison[swaps->comparison_count++] = one;
	return 0;
}

/* Tells if one of the calls that lead to where the flow is, or `insn` itself, lies in a loop. */
static int in_loop(const struct flow *flow, const struct insn *insn)
{
	for (unsigned i = 0; i < flow->depth; i++) {
		uint64_t pc = i + 1 < flow->depth ? flow->call[i] : insn->pc;
		int loop = casloop_in_loop(flow->stack[i], pc);

		if (loop)
			return loop;
	}
	return 0;
}

int swaps_note(struct flow *flow, size_t index, value_id stored, value_id expected)
{
	struct swaps *swaps = flow->swaps;
	struct site *site;

	if (index >= swaps->site_room) {
		size_t room = index * 2 + 16;
		struct site *grown = reallocarray(swaps->site, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + swaps->site_room, 0, (room - swaps->site_room) * sizeof(*grown));
		for (size_t i = swaps->site_room; i < room; i++)
			grown[i].loops = -1;
		swaps->site = grown;
		swaps->site_room = room;
	}
	site = &swaps->site[index];
	if (site->loops < 0)
		site->loops = in_loop(flow, flow->access[index].insn);
	site->stored = value_join(&flow->store, site->stored, stored);
	site->expected = value_join(&flow->store, site->expected, expected);
	return site->loops < 0 ? site->loops : 0;
}

/* Returns true if the value may be what was loaded by `access`, unchanged. */
static bool is_loaded(const struct flow *flow, value_id id, uint32_t access)
{
	const struct value *value = value_get(&flow->store, id);

	for (uint32_t i = 0; i < value->alt_count; i++)
		for (uint32_t k = 0; k < value->alt[i].term_count; k++)
			if (BASE_KIND(value->alt[i].term[k].base) == BASE_LOADED &&
			    BASE_PAYLOAD(value->alt[i].term[k].base) >> 4 == access)
				return true;
	return false;
}

/* Returns true if both were seen with the same address. */
static bool same_place(const struct access *a, const struct access *b)
{
	for (unsigned i = 0; i < a->pair_count; i++)
		for (unsigned k = 0; k < b->pair_count; k++)
			if (a->pair[i].low == b->pair[k].low && a->pair[i].high == b->pair[k].high)
				return true;
	return false;
}

/* Returns true for one fixed number, or an argument as it is. */
static bool is_fixed(const struct flow *flow, value_id id)
{
	const struct value *value = value_get(&flow->store, id);

	return value->alt_count == 1 && !value->alt[0].flags &&
	       (!value->alt[0].term_count ||
		(value->alt[0].term_count == 1 &&
		 BASE_KIND(value->alt[0].term[0].base) == BASE_KERNARG));
}

/* Finds how an execution computed the stored value from the expected one, if it did. */
static bool operation_of(const struct flow *flow, uint32_t index, struct arithmetic *kind)
{
	const struct swaps *swaps = flow->swaps;
	const struct site *site = &swaps->site[index];
	const struct value *stored = value_get(&flow->store, site->stored);
	bool found = false, converts = false, product = false;

	for (uint32_t i = 0; i < stored->alt_count; i++)
		for (uint32_t k = 0; k < stored->alt[i].term_count; k++) {
			uint32_t base = stored->alt[i].term[k].base;
			const struct row *row;

			if (BASE_KIND(base) != BASE_RESULT)
				continue;
			row = &swaps->row[BASE_PAYLOAD(base)];
			/* Returned before, or loaded in the same loop. */
			if (!is_loaded(flow, site->expected, row->access) ||
			    (row->access != index &&
			     (!site->loops ||
			      !same_place(&flow->access[row->access], &flow->access[index]))))
				continue;
			converts |= row->kind.converts;
			product |= row->kind.product;
			if (found && kind->fp >= row->kind.fp)
				continue;
			*kind = row->kind;
			found = true;
		}
	if (found) {
		kind->converts = converts;
		kind->product = product;
	}
	return found;
}

/* Returns true if the same memory may have held `value` before, as the compare-and-swap expects. */
static bool is_old(const struct flow *flow, value_id value, uint32_t index)
{
	const struct site *site = &flow->swaps->site[index];

	for (uint32_t i = 0; i < flow->access_count; i++)
		if ((i == index || same_place(&flow->access[i], &flow->access[index])) &&
		    is_loaded(flow, value, i) && is_loaded(flow, site->expected, i))
			return true;
	return false;
}

/*
 * Returns true if an execution stores a number as it is, and that was compared with the old one. It
 * is not followed which of both results leads here.
 */
static bool compared(const struct flow *flow, uint32_t index, struct arithmetic *kind)
{
	const struct swaps *swaps = flow->swaps;
	const struct site *site = &swaps->site[index];
	bool found = false;

	if (site->stored == VALUE_NUMBER || is_old(flow, site->stored, index))
		return false;
	for (uint32_t i = 0; i < swaps->comparison_count; i++) {
		const struct comparison *one = &swaps->comparison[i];

		for (unsigned side = 0; side < 2; side++) {
			if (one->value[side] != site->stored ||
			    !is_old(flow, one->value[!side], index))
				continue;
			if (found && memcmp(kind, &one->kind, sizeof(*kind)))
				return false;
			*kind = one->kind;
			found = true;
		}
	}
	return found;
}

int swaps_classify(const struct flow *flow, const struct insn *insn, struct casloop *result,
		   const char **why)
{
	unsigned operations = 0, locks = 0, singles = 0, open = 0, different = 0;
	struct arithmetic kind, first = { 0 };

	memset(result, 0, sizeof(*result));
	*why = NULL;
	for (uint32_t i = 0; i < flow->access_count; i++) {
		const struct access *access = &flow->access[i];
		const struct site *site;

		if (access->insn != insn || i >= flow->swaps->site_room)
			continue;
		site = &flow->swaps->site[i];
		if (operation_of(flow, i, &kind) || (site->loops && compared(flow, i, &kind))) {
			different += operations && memcmp(&kind, &first, sizeof(kind));
			first = kind;
			operations++;
		} else if (!site->loops) {
			singles++;
		} else if (is_fixed(flow, site->expected) && is_fixed(flow, site->stored) &&
			   access->pair_count == 1 && is_fixed(flow, access->pair[0].low)) {
			locks++;
		} else {
			open++;
		}
	}
	if (flow->exhausted)
		*why = "the kernel is too large to be analysed to the end";
	else if (flow->broken)
		*why = "an instruction whose effect is not followed";
	else if (flow->unseen)
		*why = flow->unseen;
	else if (open)
		*why = "it is called from a loop, and the stored value could not be derived from "
		       "the expected one";
	else if (different || !!operations + !!locks + !!singles > 1)
		*why = "it is called in several ways";
	else if (!operations && !locks && !singles)
		*why = "the analysis never reached it";
	if (*why)
		return 0;
	result->loop = operations || locks;
	result->lock = locks;
	if (operations)
		casloop_conclude(&first, insn->dwords, result);
	return 0;
}
