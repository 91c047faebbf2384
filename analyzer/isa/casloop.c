/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the new value of a compare-and-swap backwards, along all paths inside the loop, to the
 * definitions it is made of: moves are passed through, arithmetic is noted, loads and returned
 * old values end the search.
 */
#include "casloop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Arithmetic by prefix of the mnemonic; the first that fits. */
static const struct {
	const char *prefix;
	uint8_t op, type;
	bool fp;
} operations[] = {
	{ "v_add_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_add_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_sub_f32", ISA_OP_SUB, ISA_TYPE_F32, true },
	{ "v_subrev_f32", ISA_OP_SUB, ISA_TYPE_F32, true },
	{ "v_pk_add_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_pk_add_f16", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
	{ "v_add_f16", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
	{ "v_min_f32", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "v_max_f32", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "v_min_f64", ISA_OP_MIN, ISA_TYPE_F64, true },
	{ "v_max_f64", ISA_OP_MAX, ISA_TYPE_F64, true },
	{ "v_fma_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_fmac_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_fma_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_fmac_f64", ISA_OP_ADD, ISA_TYPE_F64, true },
	{ "v_mac_f32", ISA_OP_ADD, ISA_TYPE_F32, true },
	{ "v_mul_f32", ISA_OP_OTHER, ISA_TYPE_F32, true },
	{ "v_mul_f64", ISA_OP_OTHER, ISA_TYPE_F64, true },
	{ "v_min_i32", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "v_min_u32", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "v_max_i32", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "v_max_u32", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "v_add_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_addc_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_add3_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "v_sub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "v_and_b32", ISA_OP_AND, ISA_TYPE_I32, false },
	{ "v_or_b32", ISA_OP_OR, ISA_TYPE_I32, false },
	{ "v_xor_b32", ISA_OP_XOR, ISA_TYPE_I32, false },
	{ "s_add_", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "s_sub_", ISA_OP_SUB, ISA_TYPE_I32, false },
};

/* Something that holds a value: a register, a lane of one, or a private memory slot. */
struct place {
	uint32_t kind; /* 0 register, 1 lane, 2 slot */
	uint32_t a, b;
};

struct search {
	const struct function *function;
	const struct insn *cas;
	const bool *in_loop; /* per block */
	struct visit {
		uint32_t block;
		struct place place;
	} * seen;
	size_t seen_count, seen_room;
	struct todo {
		uint32_t block, before;
		struct place place;
	} * todo;
	size_t todo_count, todo_room;
	bool reaches_old; /* some path ends in memory's old value */
	bool arithmetic;
	struct arithmetic kind;
};

static uint32_t block_of(const struct function *function, const struct insn *insn, uint32_t *index)
{
	uint32_t b, i;

	for (b = 0; b < function->block_count; b++)
		for (i = 0; i < function->block[b].count; i++)
			if (function->insn[function->block[b].first + i] == insn) {
				*index = i;
				return b;
			}
	return NO_BLOCK;
}

/* Blocks on some cycle through `start`. */
int loop_find(const struct function *function, uint32_t start, bool *in_loop, bool *cyclic)
{
	uint32_t n = function->block_count, top = 0, i, k;
	uint32_t *stack = calloc((size_t)n * 2 + 2, sizeof(*stack));
	bool *forward = calloc(n, 1), *backward = calloc(n, 1);
	int status = -ENOMEM;

	if (!stack || !forward || !backward)
		goto out;
	stack[top++] = start;
	while (top) {
		uint32_t b = stack[--top];

		for (k = 0; k < 2; k++) {
			uint32_t next = function->block[b].successor[k];

			if (next != NO_BLOCK && !forward[next]) {
				forward[next] = true;
				stack[top++] = next;
			}
		}
	}
	backward[start] = true;
	stack[top++] = start;
	while (top) {
		uint32_t b = stack[--top];

		for (k = 0; k < function->block[b].predecessor_count; k++) {
			uint32_t before = function->block[b].predecessor[k];

			if (!backward[before]) {
				backward[before] = true;
				stack[top++] = before;
			}
		}
	}
	*cyclic = forward[start];
	for (i = 0; i < n; i++)
		in_loop[i] = *cyclic && forward[i] && backward[i];
	status = 0;
out:
	free(stack);
	free(forward);
	free(backward);
	return status;
}

/*
 * The cycle through the compare-and-swap may be an outer loop of the program. Narrow it to the
 * innermost one: remove, while a cycle remains, blocks that only longer cycles need.
 */
int loop_innermost(const struct function *function, uint32_t start, bool *in_loop)
{
	uint32_t n = function->block_count, head = 0, tail = 0, k, b;
	uint32_t *queue = calloc((size_t)n + 1, sizeof(*queue));
	uint32_t *from = calloc(n, sizeof(*from));
	bool *seen = calloc(n, 1);
	int status = -ENOMEM;

	if (!queue || !from || !seen)
		goto out;
	/* Breadth first from the instruction's block back to itself: the shortest cycle's header
	 * is the lowest block on it; the loop is what lies between header and latch. */
	queue[tail++] = start;
	b = NO_BLOCK;
	while (head < tail && b == NO_BLOCK) {
		uint32_t at = queue[head++];

		for (k = 0; k < 2; k++) {
			uint32_t next = function->block[at].successor[k];

			if (next == start) {
				b = at;
				break;
			}
			if (next != NO_BLOCK && in_loop[next] && !seen[next]) {
				seen[next] = true;
				from[next] = at;
				queue[tail++] = next;
			}
		}
	}
	if (b != NO_BLOCK) {
		uint32_t low = start, high = start;

		for (; b != start; b = from[b]) {
			if (b < low)
				low = b;
			if (b > high)
				high = b;
		}
		/* Blocks stand in address order; compilers lay a loop out in one piece. */
		for (k = 0; k < n; k++)
			in_loop[k] = in_loop[k] && k >= low && k <= high;
	}
	status = 0;
out:
	free(queue);
	free(from);
	free(seen);
	return status;
}

static int push(struct search *search, uint32_t block, uint32_t before, struct place place)
{
	if (search->todo_count == search->todo_room) {
		size_t room = search->todo_room ? search->todo_room * 2 : 32;
		struct todo *grown = reallocarray(search->todo, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		search->todo = grown;
		search->todo_room = room;
	}
	search->todo[search->todo_count++] = (struct todo){ block, before, place };
	return 0;
}

/* Whether the end of `block` was already searched for `place`; remembers it. */
static int visited(struct search *search, uint32_t block, struct place place, bool *was)
{
	size_t i;

	*was = true;
	for (i = 0; i < search->seen_count; i++)
		if (search->seen[i].block == block && search->seen[i].place.kind == place.kind &&
		    search->seen[i].place.a == place.a && search->seen[i].place.b == place.b)
			return 0;
	*was = false;
	if (search->seen_count == search->seen_room) {
		size_t room = search->seen_room ? search->seen_room * 2 : 64;
		struct visit *grown = reallocarray(search->seen, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		search->seen = grown;
		search->seen_room = room;
	}
	search->seen[search->seen_count++] = (struct visit){ block, place };
	return 0;
}

/* A slot of the stack frame, named by frame register and offset. */
static bool frame_slot(const struct insn *insn, struct place *slot)
{
	const struct operand *frame = &insn->operand[2];

	if (insn->family == MEM_SCRATCH && insn->operand_count == 3) {
		/* destination, off, frame; or off, data, frame */
		if (insn->operand[insn->load ? 1 : 0].kind != OPERAND_OFF)
			return false;
	} else if (insn->family == MEM_BUFFER && insn->operand_count >= 4 && !insn->offen &&
		   !insn->idxen) {
		frame = &insn->operand[3];
	} else {
		return false;
	}
	slot->kind = 2;
	slot->a = frame->kind == OPERAND_REG ? frame->reg : 0;
	slot->b = (uint32_t)insn->offset;
	return true;
}

static bool writes(const struct insn *insn, struct place place, uint32_t *part)
{
	const struct operand *to = &insn->operand[0];
	struct place slot;

	*part = 0;
	if (place.kind == 2) {
		if (!insn->store || !frame_slot(insn, &slot) || slot.a != place.a)
			return false;
		*part = (place.b - slot.b) / 4;
		return place.b >= slot.b && place.b - slot.b < insn->dwords * 4u;
	}
	if (insn->class == OP_NOTHING || insn->class == OP_COMPARE_SCALAR || insn->store ||
	    insn->class == OP_BRANCH || insn->class == OP_CBRANCH ||
	    insn->class == OP_CBRANCH_EXECZ || insn->class == OP_CBRANCH_EXECNZ ||
	    insn->class == OP_SETPC)
		return false;
	if (insn->class == OP_MEMORY && insn->atomic && !insn->returns)
		return false;
	if (to->kind != OPERAND_REG)
		return false;
	if (place.kind == 1)
		return to->reg == place.a && insn->class == OP_WRITE_LANE &&
		       (uint32_t)insn->operand[2].value == place.b;
	if (insn->class == OP_WRITE_LANE)
		return false;
	*part = place.a - to->reg;
	if (place.a >= to->reg && place.a < to->reg + (uint32_t)to->count) {
		/* A 64-bit compare-and-swap returns into the first half of its data only. */
		return !(insn->family == MEM_BUFFER && insn->atomic && *part >= insn->dwords);
	}
	return false;
}

static bool contains(const struct insn *insn, const char *const *parts, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strstr(insn->mnemonic, parts[i]))
			return true;
	return false;
}

/* Of a conversion the type that it makes stands first. */
static const char *const conversions[] = { "_cvt_f32_u32",   "_cvt_f32_i32", "_cvt_f64_u32",
					   "_cvt_f64_i32",   "_cvt_u32_f",   "_cvt_i32_f",
					   "_cvt_f32_ubyte", "_rcp_iflag" };
static const char *const products[] = { "_mul_lo_", "_mul_hi_", "_mul_u",
					"_mul_i",   "_mad_u",   "_mad_i" };

bool casloop_arithmetic(const struct insn *insn, struct arithmetic *kind)
{
	size_t i;

	memset(kind, 0, sizeof(*kind));
	kind->converts = contains(insn, conversions, ARRAY_SIZE(conversions));
	kind->product = contains(insn, products, ARRAY_SIZE(products));
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (strncmp(insn->mnemonic, operations[i].prefix, strlen(operations[i].prefix)))
			continue;
		/* max(x, x) only quiets a NaN */
		if ((operations[i].op == ISA_OP_MAX || operations[i].op == ISA_OP_MIN) &&
		    insn->operand[1].kind == OPERAND_REG && insn->operand[2].kind == OPERAND_REG &&
		    insn->operand[1].reg == insn->operand[2].reg)
			return false;
		kind->op = (enum isa_op)operations[i].op;
		kind->type = (enum isa_type)operations[i].type;
		kind->fp = operations[i].fp;
		return true;
	}
	if (insn->class == OP_MOVE || insn->class == OP_SELECT || insn->class == OP_PACKED_MOVE ||
	    insn->class == OP_READ_LANE || insn->class == OP_READ_FIRST)
		return false;
	kind->op = ISA_OP_OTHER;
	kind->fp = strstr(insn->mnemonic, "_f32") || strstr(insn->mnemonic, "_f64") ||
		   strstr(insn->mnemonic, "_f16");
	kind->type = !kind->fp                        ? ISA_TYPE_I32
		     : strstr(insn->mnemonic, "_f64") ? ISA_TYPE_F64
		     : strstr(insn->mnemonic, "_f16") ? ISA_TYPE_PK_F16
						      : ISA_TYPE_F32;
	return true;
}

static void note(struct search *search, const struct insn *insn)
{
	struct arithmetic *all = &search->kind, kind;

	if (!casloop_arithmetic(insn, &kind))
		return;
	all->converts |= kind.converts;
	all->product |= kind.product;
	/* Floating point beats the masking and shifting around it. */
	if (!search->arithmetic || (kind.fp && !all->fp)) {
		/* What only prepares a number says nothing of the operation on it. */
		if (!search->arithmetic || kind.op != ISA_OP_OTHER)
			all->op = kind.op;
		all->masked = search->arithmetic;
		all->type = kind.type;
		all->fp = kind.fp;
	}
	search->arithmetic = true;
}

/* Whether the word is one number of that type, or a pair of halves. */
static bool is_number(const struct arithmetic *kind, unsigned dwords)
{
	switch (kind->type) {
	case ISA_TYPE_PK_F16:
		return dwords == 1;
	case ISA_TYPE_F64:
		return dwords == 2 && !kind->masked;
	default:
		return dwords == 1 && !kind->masked;
	}
}

void casloop_conclude(const struct arithmetic *kind, unsigned dwords, struct casloop *result)
{
	result->computes = true;
	result->fp = kind->fp && !kind->converts;
	result->op = kind->op;
	result->type = kind->type;
	if (!result->fp)
		result->type = dwords == 2 ? ISA_TYPE_I64 : ISA_TYPE_I32;
	if (kind->converts || (kind->fp ? !is_number(kind, dwords) : kind->product))
		result->op = ISA_OP_OTHER;
}

/* Continue from a definition to its sources. */
static int from_definition(struct search *search, const struct insn *insn, uint32_t block,
			   uint32_t index, uint32_t part)
{
	unsigned first = 1, last = insn->operand_count, i;
	struct place place = { 0 };
	int status = 0;

	if (insn->class == OP_MEMORY) {
		if (insn->store) {
			place.a = insn->operand[insn->family == MEM_SCRATCH].reg + part;
			return push(search, block, index, place);
		}
		if (insn->load && frame_slot(insn, &place)) {
			place.b += part * 4;
			return push(search, block, index, place);
		}
		search->reaches_old = true;
		return 0;
	}
	if (insn->class == OP_READ_LANE && insn->operand[2].kind == OPERAND_CONST) {
		place.kind = 1;
		place.a = insn->operand[1].reg;
		place.b = (uint32_t)insn->operand[2].value;
		return push(search, block, index, place);
	}
	note(search, insn);
	if (insn->class == OP_SELECT && last > 3)
		last = 3;
	if (insn->class == OP_PACKED_MOVE) {
		first = part ? 2 : 1;
		last = first + 1;
		part = insn->op_sel_hi[first - 1];
	}
	for (i = first; !status && i < last; i++) {
		const struct operand *from = &insn->operand[i];
		uint32_t k;

		if (from->kind != OPERAND_REG)
			continue;
		for (k = 0; !status && k < from->count; k++) {
			/* A move of two dwords moves each to its place. */
			if ((insn->class == OP_MOVE || insn->class == OP_PACKED_MOVE ||
			     insn->class == OP_SELECT) &&
			    k != part)
				continue;
			place.kind = 0;
			place.a = from->reg + k;
			place.b = 0;
			status = push(search, block, index, place);
		}
	}
	/* d += a * b reads its destination. */
	if (!status && (strstr(insn->mnemonic, "fmac") || strstr(insn->mnemonic, "_mac_"))) {
		place.kind = 0;
		place.a = insn->operand[0].reg + part;
		status = push(search, block, index, place);
	}
	return status;
}

static int search_back(struct search *search)
{
	const struct function *function = search->function;
	int status = 0;

	while (!status && search->todo_count) {
		struct todo todo = search->todo[--search->todo_count];
		const struct block *block = &function->block[todo.block];
		const struct insn *definition = NULL;
		uint32_t i = todo.before, part = 0, k;
		bool found = false, was;

		while (i && !found) {
			definition = function->insn[block->first + --i];
			found = writes(definition, todo.place, &part);
			if (!found && definition->dual) {
				definition = definition->dual;
				found = writes(definition, todo.place, &part);
			}
		}
		if (found) {
			status = from_definition(search, definition, todo.block, i, part);
			continue;
		}
		for (k = 0; !status && k < block->predecessor_count; k++) {
			uint32_t before = block->predecessor[k];

			if (!search->in_loop[before])
				continue;
			status = visited(search, before, todo.place, &was);
			if (!status && !was)
				status =
				    push(search, before, function->block[before].count, todo.place);
		}
	}
	return status;
}

static int trace(struct search *search, uint32_t block, uint32_t index, const struct operand *data,
		 unsigned first, unsigned count)
{
	unsigned i;
	int status = 0;

	search->seen_count = search->todo_count = 0;
	search->arithmetic = search->reaches_old = false;
	memset(&search->kind, 0, sizeof(search->kind));
	for (i = 0; !status && i < count; i++) {
		struct place place = { 0, data->reg + first + i, 0 };

		status = push(search, block, index, place);
	}
	return status ? status : search_back(search);
}

int casloop_in_loop(const struct function *function, uint64_t pc)
{
	bool *in_loop, cyclic = false;
	uint32_t b, i;
	int status;

	for (b = 0; b < function->block_count; b++)
		for (i = 0; i < function->block[b].count; i++)
			if (function->insn[function->block[b].first + i]->pc == pc)
				goto found;
	return 0;
found:
	in_loop = calloc(function->block_count, sizeof(*in_loop));
	if (!in_loop)
		return -ENOMEM;
	status = loop_find(function, b, in_loop, &cyclic);
	free(in_loop);
	return status ? status : cyclic;
}

int casloop_classify(const struct function *function, const struct insn *insn,
		     struct casloop *result)
{
	struct search search = { .function = function, .cas = insn };
	uint32_t index = 0, block = block_of(function, insn, &index);
	const struct operand *data;
	bool *in_loop, cyclic = false;
	unsigned half, i;
	int status;

	memset(result, 0, sizeof(*result));
	if (block == NO_BLOCK || !insn->returns || insn->family == MEM_DS)
		return 0;
	/* Data: the new value, then the expected one, in one run of registers. */
	data = insn->family == MEM_BUFFER ? &insn->operand[0] : &insn->operand[2];
	if (data->kind != OPERAND_REG || data->count < 2)
		return 0;
	half = data->count / 2;
	in_loop = calloc(function->block_count, sizeof(*in_loop));
	if (!in_loop)
		return -ENOMEM;
	search.in_loop = in_loop;
	status = loop_find(function, block, in_loop, &cyclic);
	if (!status && cyclic)
		status = loop_innermost(function, block, in_loop);
	if (status || !cyclic)
		goto out;
	result->loop = true;
	status = trace(&search, block, index, data, 0, half);
	if (status)
		goto out;
	if (search.arithmetic && search.reaches_old) {
		casloop_conclude(&search.kind, half, result);
		goto out;
	}
	status = trace(&search, block, index, data, half, half);
	result->lock = !status && !search.reaches_old;
	/* A lock stays where it is; a free slot is looked for here and there. */
	for (i = 1; !status && result->lock && i < insn->operand_count; i++) {
		const struct operand *address = &insn->operand[i];

		if (address == data || address->kind != OPERAND_REG)
			continue;
		status = trace(&search, block, index, address, 0, address->count);
		result->lock = !search.arithmetic && !search.reaches_old;
	}
out:
	free(search.seen);
	free(search.todo);
	free(in_loop);
	return status;
}
