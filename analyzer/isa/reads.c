/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds loads of bytes that are known, of which what they read was there before the launch: on no
 * way through the kernel's own function to their first execution does a store of memory come
 * before.
 */
#include "reads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "handover.h"
#include "origin.h"
#include "path.h"

/* Blocks that are looked at for all loads of a kernel; the rest is not listed. */
#define BLOCKS_MOST (1u << 18)

/* Holds where in the kernel's function memory is written, or may be. */
struct writes {
	const struct function *function;
	uint32_t *first; /* by block: the place of the first one in it, or NO_INSN */
	uint8_t *ahead;  /* by block: whether one may come before control does first; enum ahead */
	uint8_t *marks;  /* by block, for one search */
	uint32_t *todo;
	uint32_t left; /* of BLOCKS_MOST */
};

enum ahead { AHEAD_NOT_LOOKED_FOR, AHEAD_NONE, AHEAD_SOME };

static void writes_free(struct writes *writes)
{
	free(writes->first);
	free(writes->ahead);
	free(writes->marks);
	free(writes->todo);
}

/* Returns true if what the instruction does besides may be a store: it leads to other code. */
static bool leaves(const struct insn *insn)
{
	return insn->class == OP_CALL || insn->class == OP_SETPC || insn->class == OP_UNKNOWN;
}

static void note_write(struct writes *writes, const struct insn *insn)
{
	uint32_t block, place;

	if (function_place(writes->function, insn, &block, &place) && place < writes->first[block])
		writes->first[block] = place;
}

#define MARK_TO   1u /* a way leads from there to the block */
#define MARK_FROM 2u /* a way leads there from the entry that does not go through the block */

/* Marks the blocks from which control can come to `block`. */
static void mark_back(struct writes *writes, uint32_t block)
{
	const struct function *function = writes->function;
	uint32_t count = 1;

	writes->todo[0] = block;
	while (count) {
		const struct block *at = &function->block[writes->todo[--count]];

		for (uint32_t i = 0; i < at->predecessor_count; i++) {
			uint32_t before = at->predecessor[i];

			if (!(writes->marks[before] & MARK_TO) && before != block) {
				writes->marks[before] |= MARK_TO;
				writes->todo[count++] = before;
			}
		}
	}
}

/* Looks for a write on the ways from the entry to `block`, up to where they reach it first. */
static enum ahead look_ahead(struct writes *writes, uint32_t block)
{
	const struct function *function = writes->function;
	uint32_t count = 1, entry = function->entry_block;

	if (entry == NO_BLOCK || writes->left < 2 * function->block_count)
		return AHEAD_SOME;
	writes->left -= 2 * function->block_count;
	if (entry == block)
		return AHEAD_NONE;
	memset(writes->marks, 0, function->block_count);
	mark_back(writes, block);
	writes->marks[entry] |= MARK_FROM;
	writes->todo[0] = entry;
	while (count) {
		uint32_t b = writes->todo[--count];

		if (writes->first[b] != NO_INSN && writes->marks[b] & MARK_TO)
			return AHEAD_SOME;
		for (unsigned i = 0; i < 2; i++) {
			uint32_t next = function->block[b].successor[i];

			if (next == NO_BLOCK || next == block || writes->marks[next] & MARK_FROM)
				continue;
			writes->marks[next] |= MARK_FROM;
			writes->todo[count++] = next;
		}
	}
	return AHEAD_NONE;
}

static int writes_find(struct flow *flow, struct writes *writes)
{
	const struct function *function = flow->kernel;
	int status = 0;

	writes->function = function;
	writes->first = reallocarray(NULL, (size_t)function->block_count + 1, sizeof(uint32_t));
	writes->ahead = calloc((size_t)function->block_count + 1, 1);
	writes->marks = calloc((size_t)function->block_count + 1, 1);
	writes->todo = reallocarray(NULL, (size_t)function->block_count + 1, sizeof(uint32_t));
	writes->left = BLOCKS_MOST;
	if (!writes->first || !writes->ahead || !writes->marks || !writes->todo)
		return -ENOMEM;
	memset(writes->first, 0xff, function->block_count * sizeof(uint32_t)); /* NO_INSN */
	for (uint32_t i = 0; i < function->insn_count; i++)
		if (leaves(function->insn[i]))
			note_write(writes, function->insn[i]);
	for (size_t i = 0; !status && i < flow->access_count; i++) {
		const struct access *access = &flow->access[i];
		bool writes_memory = false;

		if (access->function != function)
			continue;
		status = origin_writes(flow, access, &writes_memory);
		if (writes_memory)
			note_write(writes, access->insn);
	}
	return status;
}

/* Returns true if no work-item has written memory before it executes the access first. */
static bool is_first(struct writes *writes, const struct access *access)
{
	uint32_t block, place;

	if (access->function != writes->function ||
	    !function_place(writes->function, access->insn, &block, &place) ||
	    place > writes->first[block])
		return false;
	if (writes->ahead[block] == AHEAD_NOT_LOOKED_FOR)
		writes->ahead[block] = (uint8_t)look_ahead(writes, block);
	return writes->ahead[block] == AHEAD_NONE;
}

static bool is_plain_load(const struct insn *insn)
{
	return insn->load && !insn->atomic && !insn->lds &&
	       (insn->family == MEM_SCALAR || insn->family == MEM_GLOBAL ||
		insn->family == MEM_FLAT);
}

/* ---- what decides ---- */

static bool overlap(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_REG && b->kind == OPERAND_REG && a->reg < b->reg + b->count &&
	       b->reg < a->reg + a->count;
}

/* Holds what became of a comparison, on which the next branch may depend. */
struct comparison {
	enum { LOST, CONDITION, MASK, NARROWED } in; /* NARROWED: in the mask of active lanes */
	const struct operand *mask;
};

static bool is_exec(const struct operand *operand)
{
	return operand->kind == OPERAND_REG && operand->reg == REG_EXEC;
}

/* Follows it through an instruction behind it. */
static void pass(struct comparison *comparison, const struct insn *insn)
{
	const struct operand *operand = insn->operand;

	switch (comparison->in) {
	case CONDITION:
		if (insn->traits & INSN_SETS_SCC)
			comparison->in = LOST;
		break;
	case MASK:
		if (insn->class == OP_AND_SAVEEXEC && overlap(comparison->mask, &operand[1]))
			comparison->in = NARROWED;
		else if (insn->class == OP_AND &&
			 ((is_exec(&operand[1]) && overlap(comparison->mask, &operand[2])) ||
			  (is_exec(&operand[2]) && overlap(comparison->mask, &operand[1]))))
			comparison->mask = &operand[0];
		else if (insn_writes_exec_unnamed(insn) || overlap(comparison->mask, &operand[0]))
			comparison->in = LOST;
		break;
	default:
		if (insn_writes_exec_unnamed(insn) || is_exec(&operand[0]))
			comparison->in = LOST;
		break;
	}
}

static bool branches(const struct comparison *comparison, const struct insn *insn)
{
	switch (comparison->in) {
	case CONDITION:
		return insn->class == OP_CBRANCH && strstr(insn->mnemonic, "_scc");
	case MASK:
		return insn->class == OP_CBRANCH && strstr(insn->mnemonic, "_vcc") &&
		       comparison->mask->reg == REG_VCC;
	case NARROWED:
		return insn->class == OP_CBRANCH_EXECZ;
	default:
		return false;
	}
}

/*
 * Returns true if the branch that ends the load's block depends on a comparison of the first word
 * that it reads. What a selection makes of it is not followed.
 */
static bool decides(const struct function *function, const struct insn *load)
{
	struct comparison comparison = { LOST, NULL };
	struct value_use use = { .compared = false };
	uint32_t block, place;

	if (!function_place(function, load, &block, &place) ||
	    load->operand[0].kind != OPERAND_REG || load->operand[0].reg >= REG_COUNT)
		return false;
	reg_add(&use.holds, load->operand[0].reg, 1);
	for (uint32_t i = place + 1; i < function->block[block].count; i++) {
		const struct insn *insn = function->insn[function->block[block].first + i];

		if (branches(&comparison, insn))
			return true;
		use.pending = false;
		value_use_step(&use, insn);
		if (insn->class == OP_SELECT || insn->class == OP_CMOV)
			reg_remove(&use.holds, insn->operand[0].reg, insn->operand[0].count);
		if (!use.pending)
			pass(&comparison, insn);
		else if (insn->class == OP_COMPARE_SCALAR)
			comparison = (struct comparison){ CONDITION, NULL };
		else
			comparison =
			    (struct comparison){ insn->class == OP_COMPARE_EXEC ? NARROWED : MASK,
						 &insn->operand[0] };
	}
	return false;
}

/* ---- the list ---- */

/* Returns the read of the same bytes, made if there is none; NULL without memory or room. */
static struct isa_read *read_of(struct isa_kernel *kernel, const struct isa_path *path,
				uint32_t size, int64_t kernel_offset, int *status)
{
	struct isa_read *grown;

	for (size_t i = 0; i < kernel->read_count; i++) {
		struct isa_read *read = &kernel->reads[i];

		if (read->path.kernarg == path->kernarg && read->size == size &&
		    read->path.step[0].offset == path->step[0].offset)
			return read;
	}
	if (kernel->read_count == ISA_READS)
		return NULL;
	grown = reallocarray(kernel->reads, kernel->read_count + 1, sizeof(*grown));
	if (!grown) {
		*status = -ENOMEM;
		return NULL;
	}
	kernel->reads = grown;
	grown += kernel->read_count++;
	memset(grown, 0, sizeof(*grown));
	grown->path.kernarg = path->kernarg;
	grown->path.step_count = 1;
	grown->path.step[0] = path->step[0];
	grown->size = size;
	grown->kernel_offset = kernel_offset;
	return grown;
}

static int add_read(struct flow *flow, struct witness *witness, const struct access *access,
		    const struct isa_path *path, const struct flow_entry *entry,
		    struct isa_kernel *kernel)
{
	const struct insn *insn = access->insn;
	int status = 0;
	isa_when certain;
	bool by_word;
	char *unsure;
	struct isa_read *read = read_of(kernel, path, insn->sub_dword ? 1u : 4u * insn->dwords,
					(int64_t)(insn->pc - entry->start), &status);

	if (!read)
		return status;
	status = witness_access(witness, access, &certain, &unsure, &by_word);
	free(unsure);
	read->when |= choices_when(flow, access);
	read->certain |= certain;
	read->executes = read->certain == ISA_ALWAYS;
	read->decides |= certain && decides(access->function, insn);
	return status;
}

int reads_find(struct flow *flow, struct witness *witness, const struct flow_entry *entry,
	       struct isa_kernel *kernel)
{
	struct writes writes = { 0 };
	int status;

	/* Somebody else's code may have stored something. */
	if (!flow->kernel || flow->unseen || flow->broken || flow->exhausted)
		return 0;
	status = writes_find(flow, &writes);
	for (size_t i = 0; !status && i < flow->access_count; i++) {
		const struct access *access = &flow->access[i];
		struct isa_paths paths;
		bool argument;

		if (!is_plain_load(access->insn) || !choices_when(flow, access))
			continue;
		status = origin_is_argument(flow, access, &argument);
		argument = argument && is_first(&writes, access);
		if (!status && argument)
			status = path_find(flow, access, &paths);
		if (status || !argument)
			continue;
		if (paths.count == 1 && !paths.path[0].symbol && paths.path[0].step_count == 1 &&
		    paths.path[0].step[0].exact)
			status = add_read(flow, witness, access, &paths.path[0], entry, kernel);
		path_clear(&paths);
	}
	writes_free(&writes);
	return status;
}
