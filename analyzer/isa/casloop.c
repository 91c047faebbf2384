/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes from the new value of a compare-and-swap backwards, along all paths inside the loop, to the
 * definitions it is made of: moves are passed through, arithmetic is noted, loads and returned old
 * values end the search.
 */
#include "casloop_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Finds the blocks on some cycle through `start`. */
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

/* Tells in *was if the end of `block` was already searched for `place`; remembers it. */
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

/* Returns true if it uses a slot of the stack frame, which frame register and offset name. */
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
	/* From gfx10 on it has no other destination than exec. */
	if (insn->class == OP_COMPARE_EXEC && insn->operand_count < 3)
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

static bool has_constant(const struct insn *insn, uint32_t value)
{
	for (unsigned i = 1; i < insn->operand_count; i++)
		if (insn->operand[i].kind == OPERAND_CONST &&
		    (uint32_t)insn->operand[i].value == value)
			return true;
	return false;
}

/* Notes what tells two numbers of type bf16 in a dword, which are computed with as floats. */
static void note_halves(struct search *search, const struct insn *insn,
			const struct arithmetic *kind)
{
	search->upper |= insn->class == OP_AND && has_constant(insn, 0xffff0000u);
	search->lower |=
	    (insn->class == OP_LSHL || insn->class == OP_LSHLREV) && has_constant(insn, 16);
	if (!kind->fp || kind->type != ISA_TYPE_F32 || kind->op == ISA_OP_OTHER)
		return;
	for (unsigned i = 0; i < search->float_count && i < 2; i++)
		if (search->float_insn[i] == insn)
			return;
	if (search->float_count < 2) {
		search->float_insn[search->float_count] = insn;
		search->float_op[search->float_count] = kind->op;
	}
	search->float_count++;
}

static bool takes_result(const struct insn *insn, const struct insn *from)
{
	for (unsigned i = 1; i < insn->operand_count; i++)
		if (insn->operand[i].kind == OPERAND_REG &&
		    insn->operand[i].reg == from->operand[0].reg)
			return true;
	return false;
}

/* Returns true if the same was done to both halves of a dword, each as the upper half of a float.
 */
static bool are_halves(const struct search *search)
{
	const struct insn *const *insn = search->float_insn;

	if (!search->upper || !search->lower)
		return false;
	if (search->float_count == 1)
		return !strncmp(insn[0]->mnemonic, "v_pk_", 5);
	return search->float_count == 2 && search->float_op[0] == search->float_op[1] &&
	       !takes_result(insn[0], insn[1]) && !takes_result(insn[1], insn[0]);
}

static void note(struct search *search, const struct insn *insn)
{
	struct arithmetic *all = &search->kind, kind;

	if (!casloop_arithmetic(insn, &kind))
		return;
	note_halves(search, insn, &kind);
	all->converts |= kind.converts;
	all->product |= kind.product;
	/* Floating point beats the masking and shifting around it. */
	if (!search->arithmetic || (kind.fp && !all->fp)) {
		/* The preparation of a number says nothing of the operation on it. */
		if (!search->arithmetic || kind.op != ISA_OP_OTHER)
			all->op = kind.op;
		all->masked = search->arithmetic;
		all->type = kind.type;
		all->fp = kind.fp;
	}
	search->arithmetic = true;
}

static void add_root(struct search *search, const struct root *root)
{
	for (unsigned i = 0; i < search->root_count; i++)
		if (!memcmp(&search->root[i], root, sizeof(*root)))
			return;
	if (search->root_count == ROOTS_MAX)
		search->too_many = true;
	else
		search->root[search->root_count++] = *root;
}

/* Returns true if the value is made here; it is moved otherwise. */
static bool is_root(const struct insn *insn)
{
	struct arithmetic kind;
	struct place slot;

	if (insn->class == OP_MEMORY)
		return !insn->store && !(insn->load && frame_slot(insn, &slot));
	return insn->dpp || insn->sdwa || casloop_arithmetic(insn, &kind);
}

/* Continue from a definition to its sources. */
static int from_definition(struct search *search, const struct insn *insn, uint32_t block,
			   uint32_t index, uint32_t part)
{
	unsigned first = 1, last = insn->operand_count, i;
	struct place place = { 0 };
	struct root root;
	int status = 0;

	if (search->for_roots && is_root(insn)) {
		memset(&root, 0, sizeof(root));
		root.insn = insn;
		root.place.kind = part;
		add_root(search, &root);
		return 0;
	}
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

		if (from->kind != OPERAND_REG) {
			memset(&root, 0, sizeof(root));
			root.constant = true;
			root.value = from->value;
			add_root(search, &root);
			continue;
		}
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
	if (!status && insn->traits & INSN_ACCUMULATES) {
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
		if (search->for_roots && todo.block == function->entry_block) {
			struct root root;

			memset(&root, 0, sizeof(root));
			root.place = todo.place;
			add_root(search, &root);
		}
		for (k = 0; !status && k < block->predecessor_count; k++) {
			uint32_t before = block->predecessor[k];

			if (!search->for_roots && !search->in_loop[before])
				continue;
			status = visited(search, before, todo.place, &was);
			if (!status && !was)
				status =
				    push(search, before, function->block[before].count, todo.place);
		}
	}
	return status;
}

int search_operand(struct search *search, uint32_t block, uint32_t index,
		   const struct operand *data, unsigned first, unsigned count)
{
	unsigned i;
	int status = 0;

	search->seen_count = search->todo_count = 0;
	search->arithmetic = search->reaches_old = search->too_many = false;
	search->root_count = 0;
	memset(&search->kind, 0, sizeof(search->kind));
	search->float_count = 0;
	search->upper = search->lower = false;
	for (i = 0; !status && i < count; i++) {
		struct place place = { 0, data->reg + first + i, 0 };

		status = push(search, block, index, place);
	}
	if (!status)
		status = search_back(search);
	search->kind.halves = are_halves(search);
	return status;
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

/* Looks within search->in_loop. *updates tells if what it expects is what memory held. */
static int classify(struct search *search, uint32_t block, uint32_t index,
		    const struct operand *data, struct casloop *result, bool *updates)
{
	const struct insn *insn = search->cas;
	unsigned half = data->count / 2u;
	bool stays = true;
	int status = search_operand(search, block, index, data, 0, half);

	*updates = false;
	if (status)
		return status;
	if (search->arithmetic && search->reaches_old) {
		*updates = true;
		casloop_conclude(&search->kind, half, result);
		return 0;
	}
	status = search_operand(search, block, index, data, half, half);
	*updates = search->reaches_old;
	/* A lock stays where it is; a free slot is looked for here and there. */
	for (unsigned i = 1; !status && stays && i < insn->operand_count; i++) {
		const struct operand *address = &insn->operand[i];

		if (address == data || address->kind != OPERAND_REG)
			continue;
		status = search_operand(search, block, index, address, 0, address->count);
		stays = !search->arithmetic && !search->reaches_old;
	}
	result->lock = !status && !*updates && stays;
	if (!status && *updates && stays)
		status = casloop_exit(search, block, index, data, result);
	return status;
}

int casloop_classify(const struct function *function, const struct insn *insn,
		     struct casloop *result)
{
	struct search search = { .function = function, .cas = insn };
	uint32_t index = 0, block = NO_BLOCK;
	const struct operand *data;
	bool *in_loop, cyclic = false, updates = false;
	int status;

	memset(result, 0, sizeof(*result));
	if (!insn->returns || insn->family == MEM_DS ||
	    !function_place(function, insn, &block, &index))
		return 0;
	/* Data: the new value, then the expected one, in one run of registers. */
	data = insn->family == MEM_BUFFER ? &insn->operand[0] : &insn->operand[2];
	if (data->kind != OPERAND_REG || data->count < 2)
		return 0;
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
	status = classify(&search, block, index, data, result, &updates);
	/*
	 * The shortest way round is no way for a lane that goes on where a loop was unrolled: each
	 * instruction then expects what the one before returned.
	 */
	if (!status && result->lock) {
		status = loop_find(function, block, in_loop, &cyclic);
		result->lock = false;
		if (!status)
			status = classify(&search, block, index, data, result, &updates);
	}
out:
	free(search.seen);
	free(search.todo);
	free(in_loop);
	return status;
}
