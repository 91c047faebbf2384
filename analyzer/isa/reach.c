/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the one way from the kernel's entry that every work-item takes whose number is below a
 * limit, up to the first branch that depends on something else.
 *
 * Registers are followed as sums of a work-item's and work-group's numbers, sizes from the dispatch
 * packet, and one word of the arguments. Sums are meant without overflow, which isa_reached()
 * checks with the numbers of a launch: the upper half of an index is 0 then, with a sign or
 * without, and a pointer's upper half is the argument's.
 */
#include "reach.h"

#include "choice_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names what a sum has a multiple of. BEGIN is a group's number times a group's size. */
enum { TERM_ONE, TERM_ITEM, TERM_GROUP, TERM_BLOCK, TERM_BEGIN, TERM_GRID, TERMS };

/* Words that are no arguments: none; lower halves of addresses; a group's size, and bits above. */
enum { WORD_NONE = -1, WORD_KERNARG = -2, WORD_DISPATCH = -3, WORD_BLOCK = -4 };

enum kind { UNKNOWN, SUM, MASK };

struct number {
	uint8_t kind;
	int32_t word; /* SUM: the argument at, plus the terms */
	int64_t term[TERMS];
	struct isa_limit limit; /* MASK: of the work-items below it */
};

struct search {
	const struct flow_entry *entry;
	struct isa_kernel *kernel;
	int64_t block_at; /* of the group's size among the arguments, or -1 */
	struct isa_limit limit;
	struct number reg[REG_COUNT];
};

/* ---- numbers ---- */

static struct number sum_of(int32_t word, unsigned term, int64_t times)
{
	struct number number = { .kind = SUM, .word = word };

	number.term[term] = times;
	return number;
}

static bool has_terms(const struct number *number, unsigned from)
{
	for (unsigned i = from; i < TERMS; i++)
		if (number->term[i])
			return true;
	return false;
}

static bool is_constant(const struct number *number, int64_t *value)
{
	*value = number->term[TERM_ONE];
	return number->kind == SUM && number->word == WORD_NONE && !has_terms(number, TERM_ITEM);
}

static bool is_zero(const struct number *number)
{
	int64_t value;

	return is_constant(number, &value) && !value;
}

/* Returns true if it is a number of which nothing is subtracted. */
static bool is_index(const struct number *number)
{
	for (unsigned i = 0; i < TERMS; i++)
		if (number->term[i] < 0)
			return false;
	return number->kind == SUM && number->word == WORD_NONE;
}

/* Returns true if it is so many times one term. */
static bool is_term(const struct number *number, unsigned term)
{
	const struct number one = sum_of(WORD_NONE, term, 1);

	return number->kind == SUM && number->word == WORD_NONE &&
	       !memcmp(number->term, one.term, sizeof(one.term));
}

static struct number times(const struct number *a, int64_t factor)
{
	struct number result = *a;

	if (a->kind != SUM || (a->word != WORD_NONE && factor != 1))
		return (struct number){ 0 };
	for (unsigned i = 0; i < TERMS; i++)
		if (__builtin_mul_overflow(a->term[i], factor, &result.term[i]))
			return (struct number){ 0 };
	return result;
}

static struct number add(const struct number *a, const struct number *b)
{
	struct number result = *a;

	if (a->kind != SUM || b->kind != SUM || (a->word != WORD_NONE && b->word != WORD_NONE))
		return (struct number){ 0 };
	result.word = a->word == WORD_NONE ? b->word : a->word;
	for (unsigned i = 0; i < TERMS; i++)
		if (__builtin_add_overflow(a->term[i], b->term[i], &result.term[i]))
			return (struct number){ 0 };
	return result;
}

static struct number subtract(const struct number *a, const struct number *b)
{
	struct number negative = times(b, -1);

	return add(a, &negative);
}

static struct number multiply(const struct number *a, const struct number *b)
{
	int64_t factor;

	if (is_constant(a, &factor))
		return times(b, factor);
	if (is_constant(b, &factor))
		return times(a, factor);
	if ((is_term(a, TERM_GROUP) && is_term(b, TERM_BLOCK)) ||
	    (is_term(b, TERM_GROUP) && is_term(a, TERM_BLOCK)))
		return sum_of(WORD_NONE, TERM_BEGIN, 1);
	return (struct number){ 0 };
}

static struct number shift(const struct number *a, const struct number *count)
{
	int64_t bits;

	return is_constant(count, &bits) && bits >= 0 && bits < 31 ? times(a, INT64_C(1) << bits)
								   : (struct number){ 0 };
}

/* Returns the lower `bits` bits. */
static struct number lower(const struct number *a, unsigned bits)
{
	if (a->kind == SUM && a->word == WORD_BLOCK && bits == 16)
		return sum_of(WORD_NONE, TERM_BLOCK, 1);
	/* Others of the work-item's numbers, which may lie above, are 0 of those that count. */
	return is_term(a, TERM_ITEM) && bits == 10 ? *a : (struct number){ 0 };
}

/* The size of a group that may be the last one, and smaller: HIP launches whole groups. */
static struct number lesser(const struct number *a, const struct number *b)
{
	struct number rest = sum_of(WORD_NONE, TERM_GRID, 1);

	rest.term[TERM_BEGIN] = -1;
	if (a->kind == SUM && a->word == WORD_NONE && is_term(b, TERM_BLOCK) &&
	    !memcmp(a->term, rest.term, sizeof(rest.term)))
		return *b;
	return (struct number){ 0 };
}

/* ---- operands ---- */

static struct number get(const struct search *search, const struct insn *insn, unsigned n,
			 unsigned part)
{
	const struct operand *operand = &insn->operand[n];

	if (n >= insn->operand_count || operand->half || insn->sdwa || insn->dpp)
		return (struct number){ 0 };
	if (operand->kind == OPERAND_CONST)
		return sum_of(WORD_NONE, TERM_ONE,
			      part ? operand->value >> 32 : (int32_t)operand->value);
	if (operand->kind != OPERAND_REG || part >= operand->count ||
	    operand->reg + part >= REG_COUNT)
		return (struct number){ 0 };
	return search->reg[operand->reg + part];
}

static bool writes(const struct insn *insn, unsigned destinations, unsigned reg)
{
	for (unsigned i = 0; i < destinations && i < insn->operand_count; i++) {
		const struct operand *to = &insn->operand[i];

		if (to->kind == OPERAND_REG && to->reg <= reg && reg - to->reg < to->count)
			return true;
	}
	return false;
}

static void lose(struct search *search, const struct insn *insn, unsigned destinations)
{
	for (unsigned i = 0; i < destinations && i < insn->operand_count; i++) {
		const struct operand *to = &insn->operand[i];

		for (unsigned k = 0; to->kind == OPERAND_REG && k < to->count; k++)
			if (to->reg + k < REG_COUNT)
				search->reg[to->reg + k] = (struct number){ 0 };
	}
}

/* ---- comparisons ---- */

/* Returns the limit below which `index` is less than `bound` (`more`: or less by that). */
static struct number limit_of(const struct number *index, const struct number *bound, bool wide,
			      bool is_signed, int64_t more)
{
	struct number mask = { .kind = MASK };
	struct number item = *index;

	item.term[TERM_ONE] = 0;
	mask.limit.grid = item.term[TERM_BEGIN];
	item.term[TERM_BEGIN] = 0;
	if (!is_index(index) || !is_term(&item, TERM_ITEM) || index->term[TERM_BEGIN] > 1 ||
	    bound->kind != SUM || bound->word < WORD_NONE || has_terms(bound, TERM_ITEM))
		return (struct number){ 0 };
	mask.limit.known = true;
	mask.limit.kernarg = bound->word;
	mask.limit.wide = wide;
	mask.limit.is_signed = is_signed;
	mask.limit.add = bound->term[TERM_ONE] - index->term[TERM_ONE] + more;
	return mask;
}

/* Returns true if the upper half of an index suits that of a bound. */
static bool fits(const struct number *index, const struct number *bound, const struct number *high)
{
	return is_zero(index) &&
	       (bound->word == WORD_NONE ? is_zero(high)
					 : high->kind == SUM && high->word == bound->word + 4 &&
					       !has_terms(high, TERM_ONE));
}

static struct number compare(const struct search *search, const struct insn *insn)
{
	unsigned first = insn->operand_count == 2 ? 0 : 1;
	struct number a = get(search, insn, first, 0), b = get(search, insn, first + 1, 0);
	struct number a_high, b_high, swapped;
	const char *name = insn->mnemonic, *how = strchr(name + 2, '_');
	enum choice_relation relation = how ? choice_relation_of(how + 1) : RELATION_NONE;
	bool wide = how && strstr(how, "64"), is_signed = how && strstr(how, "_i");

	if (!how || (!is_signed && !strstr(how, "_u")) || (!wide && !strstr(how, "32")))
		return (struct number){ 0 };
	a_high = get(search, insn, first, 1);
	b_high = get(search, insn, first + 1, 1);
	if (relation == RELATION_GREATER || relation == RELATION_GREATER_EQUAL) {
		swapped = a, a = b, b = swapped;
		swapped = a_high, a_high = b_high, b_high = swapped;
	} else if (relation != RELATION_LESS && relation != RELATION_LESS_EQUAL) {
		return (struct number){ 0 };
	}
	if (wide && !fits(&a_high, &b, &b_high))
		return (struct number){ 0 };
	return limit_of(&a, &b, wide, is_signed,
			relation == RELATION_LESS_EQUAL || relation == RELATION_GREATER_EQUAL);
}

/* Goes on with the work-items of a mask. Returns false if it is not known which they are. */
static bool narrow(struct search *search, const struct number *mask)
{
	if (mask->kind != MASK || search->limit.known)
		return false;
	search->limit = mask->limit;
	return true;
}

/* ---- memory ---- */

/* Returns the dword that a load from the arguments or the dispatch packet gives. */
static struct number loaded(const struct search *search, const struct number *base, int64_t offset,
			    bool sub_dword)
{
	int64_t at = base->term[TERM_ONE] + offset;
	struct number block = sum_of(sub_dword ? WORD_NONE : WORD_BLOCK, TERM_BLOCK, sub_dword);

	if (base->kind != SUM || has_terms(base, TERM_ITEM))
		return (struct number){ 0 };
	if (base->word == WORD_KERNARG && at == search->block_at)
		return block;
	if (base->word == WORD_KERNARG && !sub_dword && at >= 0 && at < INT32_MAX)
		return sum_of((int32_t)at, TERM_ONE, 0);
	/* workgroup_size_x and grid_size_x of hsa_kernel_dispatch_packet_t [HSAH]. */
	if (base->word == WORD_DISPATCH && at == 4)
		return block;
	if (base->word == WORD_DISPATCH && at == 12 && !sub_dword)
		return sum_of(WORD_NONE, TERM_GRID, 1);
	return (struct number){ 0 };
}

static unsigned access_size(const struct insn *insn)
{
	if (!insn->sub_dword)
		return 4u * insn->dwords;
	return strstr(insn->mnemonic, "byte") || strchr(insn->mnemonic, '8') ? 1 : 2;
}

/* Notes what an access reaches behind an argument, if it is more than what is known. */
static void note(struct search *search, const struct insn *insn, const struct number *low,
		 const struct number *high)
{
	unsigned how = insn->atomic ? ISA_ATOMIC : insn->store ? ISA_WRITE : ISA_READ;
	unsigned kind = (unsigned)__builtin_ctz(how);
	int64_t stride = low->term[TERM_ITEM], begin = low->term[TERM_BEGIN];
	struct isa_reach reach = { .known = true,
				   .grid = begin || (!stride && search->limit.grid),
				   .stride = (uint32_t)stride,
				   .size = access_size(insn),
				   .offset = low->term[TERM_ONE] + insn->offset,
				   .limit = search->limit };

	if (low->kind != SUM || low->word < 0 || high->kind != SUM || high->word != low->word + 4 ||
	    has_terms(high, TERM_ONE) || low->term[TERM_ONE] < 0 || low->term[TERM_GROUP] ||
	    low->term[TERM_BLOCK] || low->term[TERM_GRID])
		return;
	/* All bytes in between are meant: elements without gaps. */
	if (stride < 0 || stride > reach.size || (begin && begin != stride) ||
	    (reach.limit.known && reach.limit.grid != reach.grid))
		return;
	for (size_t i = 0; i < search->kernel->use_count; i++) {
		struct isa_use *use = &search->kernel->uses[i];

		if (use->kernarg == (uint32_t)low->word && use->access & how &&
		    (!use->reach[kind].known || use->reach[kind].stride < reach.stride))
			use->reach[kind] = reach;
	}
}

static void step_memory(struct search *search, const struct insn *insn)
{
	bool returns = (insn->load || (insn->atomic && insn->returns)) && !insn->lds;
	unsigned at = returns ? 1 : 0, base = at + (insn->load ? 1 : 2);
	struct number low = { 0 }, high = { 0 }, offset;
	int64_t constant = 0;

	if (insn->family == MEM_SCALAR) {
		low = get(search, insn, 1, 0);
		offset = get(search, insn, 2, 0);
		if (insn->operand_count > 2 && !is_constant(&offset, &constant))
			low = (struct number){ 0 };
	} else if (insn->family == MEM_GLOBAL || insn->family == MEM_FLAT) {
		low = get(search, insn, at, 0);
		high = get(search, insn, at, 1);
		if (base < insn->operand_count && insn->operand[base].kind == OPERAND_REG) {
			offset = get(search, insn, base, 0);
			low = is_index(&low) ? add(&offset, &low) : (struct number){ 0 };
			high = get(search, insn, base, 1);
		}
		if (!insn->lds)
			note(search, insn, &low, &high);
	}
	if (returns || insn->family == MEM_SCALAR) {
		const struct operand *to = &insn->operand[0];

		lose(search, insn, 1);
		for (unsigned i = 0; insn->load && to->kind == OPERAND_REG && i < to->count; i++)
			if (to->reg + i < REG_COUNT)
				search->reg[to->reg + i] = loaded(
				    search, &low, constant + insn->offset + 4 * i, insn->sub_dword);
	} else {
		lose(search, insn, choice_destinations(insn));
	}
}

/* ---- instructions ---- */

/* Computes the dwords of a result. */
static void compute(const struct search *search, const struct insn *insn, struct number *result)
{
	struct number a = get(search, insn, 1, 0), b = get(search, insn, 2, 0);
	struct number c = get(search, insn, 3, 0), d = get(search, insn, 4, 0);
	struct number a_high = get(search, insn, 1, 1), b_high = get(search, insn, 2, 1);
	bool wide = insn->operand[0].count == 2;
	int64_t constant;

	switch (insn->class) {
	case OP_MOVE:
		if (strcmp(insn->mnemonic, "s_movk_i32") != 0)
			result[0] = a, result[1] = a_high;
		break;
	case OP_READ_FIRST:
		if (a.term[TERM_ITEM] == 0)
			result[0] = a;
		break;
	case OP_ADD:
		result[0] = add(&a, &b);
		break;
	case OP_ADD_CARRY_OUT:
		result[0] = add(&b, &c);
		break;
	case OP_ADD64:
		result[0] = add(&a, &b);
		result[1] = add(&a_high, &b_high);
		break;
	case OP_SUB:
		result[0] = subtract(&a, &b);
		break;
	case OP_SUBREV:
		result[0] = subtract(&b, &a);
		break;
	case OP_ADD3:
		result[0] = add(&a, &b);
		result[0] = !strcmp(insn->mnemonic, "v_add3_u32") ? add(&result[0], &c)
								  : (struct number){ 0 };
		break;
	case OP_SHIFT_ADD:
		result[0] = shift(&a, &b);
		result[0] = !strcmp(insn->mnemonic, "v_lshl_add_u32") ? add(&result[0], &c)
								      : (struct number){ 0 };
		break;
	case OP_ADD_SHIFT:
		result[0] = add(&a, &b);
		result[0] = shift(&result[0], &c);
		break;
	case OP_LSHLREV:
		c = a, a = b, b = c;
		a_high = b_high;
		/* fall through */
	case OP_LSHL:
		result[0] = shift(&a, &b);
		if (wide && is_zero(&a_high))
			result[1] = a_high;
		break;
	case OP_ASHRREV:
		c = a, a = b, b = c;
		/* fall through */
	case OP_ASHR:
		if (!wide && is_index(&a) && is_constant(&b, &constant) && constant == 31)
			result[0] = sum_of(WORD_NONE, TERM_ONE, 0);
		break;
	case OP_AND:
		if (is_constant(&a, &constant))
			c = a, a = b, b = c;
		if (!wide && is_constant(&b, &constant) && constant > 0 &&
		    !(constant & (constant + 1)))
			result[0] = lower(&a, (unsigned)__builtin_popcountll((uint64_t)constant));
		break;
	case OP_FIELD_PACKED:
		if (!strcmp(insn->mnemonic, "s_bfe_u32") && is_constant(&b, &constant) &&
		    !(constant & 0xffff))
			result[0] = lower(&a, (unsigned)(constant >> 16));
		break;
	case OP_MUL:
		result[0] = multiply(&a, &b);
		break;
	case OP_LAST_PLUS64: /* d, carry, a, b, c */
		result[0] = multiply(&b, &c);
		if (!is_index(&result[0]))
			break;
		result[0] = add(&result[0], &d);
		result[1] = get(search, insn, 4, 1);
		break;
	case OP_LSHL_ADD64:
		result[0] = shift(&a, &b);
		result[0] = add(&result[0], &c);
		c = get(search, insn, 3, 1);
		if (is_zero(&a_high))
			result[1] = c;
		else if (is_zero(&b))
			result[1] = add(&a_high, &c);
		break;
	case OP_MIX:
		if (!strcmp(insn->mnemonic, "s_min_u32") || !strcmp(insn->mnemonic, "v_min_u32")) {
			result[0] = lesser(&a, &b);
			if (result[0].kind == UNKNOWN)
				result[0] = lesser(&b, &a);
		}
		break;
	case OP_COMPARE:
		result[0] = compare(search, insn);
		break;
	default:
		break;
	}
}

static void put(struct search *search, const struct insn *insn, const struct number *result)
{
	unsigned destinations = choice_destinations(insn);
	const struct operand *to = &insn->operand[0];

	lose(search, insn, destinations);
	for (unsigned i = 0; destinations && to->kind == OPERAND_REG && i < to->count && i < 2; i++)
		if (to->reg + i < REG_COUNT)
			search->reg[to->reg + i] = result[i];
}

/* Returns false where it is not known any more who goes on. */
static bool step(struct search *search, const struct insn *insn)
{
	unsigned destinations = choice_destinations(insn);
	struct number result[2] = { 0 }, dual[2] = { 0 };

	if (destinations == INSN_OPERANDS)
		return false;
	switch (insn->class) {
	case OP_MEMORY:
		step_memory(search, insn);
		return true;
	case OP_AND_SAVEEXEC:
		result[0] = get(search, insn, 1, 0);
		lose(search, insn, 1);
		return narrow(search, &result[0]);
	case OP_COMPARE_EXEC:
		result[0] = compare(search, insn);
		if (insn->operand_count > 2)
			lose(search, insn, 1);
		return narrow(search, &result[0]);
	case OP_ANDN2_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
		return false;
	default:
		break;
	}
	if (writes(insn, destinations, REG_EXEC) || writes(insn, destinations, REG_EXEC + 1)) {
		/* If others come back, the work-items that are followed stay among them. */
		return insn->class == OP_OR && insn->operand_count == 3 &&
		       insn->operand[1].kind == OPERAND_REG && insn->operand[1].reg == REG_EXEC;
	}
	compute(search, insn, result);
	if (insn->dual) /* both read before either writes */
		compute(search, insn->dual, dual);
	put(search, insn, result);
	if (insn->dual)
		put(search, insn->dual, dual);
	return true;
}

static void begin(struct search *search)
{
	const struct flow_entry *entry = search->entry;
	const struct isa_kernel *kernel = search->kernel;

	search->reg[REG_VECTOR] = sum_of(WORD_NONE, TERM_ITEM, 1);
	if (entry->group[0] >= 0)
		search->reg[entry->group[0]] = sum_of(WORD_NONE, TERM_GROUP, 1);
	if (entry->kernarg_ptr >= 0)
		search->reg[entry->kernarg_ptr] = sum_of(WORD_KERNARG, TERM_ONE, 0);
	if (entry->dispatch_ptr >= 0)
		search->reg[entry->dispatch_ptr] = sum_of(WORD_DISPATCH, TERM_ONE, 0);
	search->block_at = -1;
	for (size_t i = 0; i < kernel->hidden_count; i++)
		if (kernel->hidden[i].name &&
		    !strcmp(kernel->hidden[i].name, "hidden_group_size_x"))
			search->block_at = kernel->hidden[i].offset;
	for (unsigned i = 0; i < entry->preload_count && entry->preload >= 0; i++) {
		struct number base = sum_of(WORD_KERNARG, TERM_ONE, 0);

		search->reg[entry->preload + (int)i] =
		    loaded(search, &base, 4 * ((int64_t)entry->preload_offset + i), false);
	}
}

/* Returns the block to which those go on, or NO_BLOCK where it depends. */
static uint32_t next_block(const struct block *block, const struct insn *last)
{
	switch (last->class) {
	case OP_BRANCH:
	case OP_CBRANCH_EXECNZ:
		return block->successor[1];
	case OP_CBRANCH:
	case OP_END:
		return NO_BLOCK;
	default:
		return block->successor[0];
	}
}

int reach_find(const struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel)
{
	const struct function *function = flow->kernel;
	struct search *search;
	bool *seen;
	uint32_t at;

	if (!function || !kernel->use_count)
		return 0;
	search = calloc(1, sizeof(*search));
	seen = calloc((size_t)function->block_count + 1, sizeof(*seen));
	if (!search || !seen) {
		free(search);
		free(seen);
		return -ENOMEM;
	}
	search->entry = entry;
	search->kernel = kernel;
	begin(search);
	for (at = function->entry_block; at != NO_BLOCK && !seen[at];) {
		const struct block *block = &function->block[at];
		uint32_t i = 0;

		seen[at] = true;
		while (i < block->count && step(search, function->insn[block->first + i]))
			i++;
		at = i < block->count || !block->count
			 ? NO_BLOCK
			 : next_block(block, function->insn[block->first + block->count - 1]);
	}
	free(search);
	free(seen);
	return 0;
}
