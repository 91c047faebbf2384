/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of decoded instructions and functions of a code object. */
#include "insn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "way.h"

/* Longest function that is looked at; real ones stay far below. */
#define MAX_FUNCTION_INSNS 400000u

/* Instructions are allocated together. */
#define CHUNK_INSNS 1024u
/* So many instructions are kept for the next kernel; kernels share little. */
#define KEPT_INSNS 4000u

int program_init(struct program *program, const struct isa_image *image, struct decoder *decoder)
{
	memset(program, 0, sizeof(*program));
	program->image = image;
	program->decoder = decoder;
	return 0;
}

static void function_free(struct function *function)
{
	free(function->predecessors);
	free(function->block);
	free(function->insn);
	free(function);
}

static struct code_map *find_map(struct program *program, uint64_t pc)
{
	for (size_t i = 0; i < program->map_count; i++) {
		const struct isa_section *section = program->map[i].section;

		if (pc - section->address < section->size)
			return &program->map[i];
	}
	return NULL;
}

static struct insn **slot_in(const struct code_map *map, uint64_t pc)
{
	return &map->insn[(pc - map->section->address) / 4];
}

static void forget(struct program *program)
{
	size_t i;

	for (i = 0; i < program->used; i++) {
		struct insn *insn = &program->chunk[i / CHUNK_INSNS][i % CHUNK_INSNS];

		*slot_in(find_map(program, insn->pc), insn->pc) = NULL;
		free(insn->dual);
	}
	for (i = 0; i < program->function_count; i++)
		function_free(program->function[i]);
	program->function_count = program->used = 0;
}

void program_free(struct program *program)
{
	forget(program);
	for (size_t i = 0; i < program->map_count; i++)
		free(program->map[i].insn);
	for (size_t i = 0; i < program->chunk_count; i++)
		free(program->chunk[i]);
	free(program->map);
	free(program->chunk);
	free(program->function);
	lane_pool_free(&program->pool);
	memset(program, 0, sizeof(*program));
}

void program_trim(struct program *program)
{
	if (program->used > KEPT_INSNS)
		forget(program);
}

/* Returns the place of the instruction at `pc`; NULL if no code can be there, or without memory. */
static struct insn **slot_of(struct program *program, uint64_t pc)
{
	struct code_map *map = pc & 3 ? NULL : find_map(program, pc);
	const struct isa_section *section;

	if (map)
		return slot_in(map, pc);
	section = isa_image_section(program->image, pc);
	if (pc & 3 || !section || !section->exec || !section->bits || section->address & 3)
		return NULL;
	map = reallocarray(program->map, program->map_count + 1, sizeof(*map));
	if (!map)
		return NULL;
	program->map = map;
	map += program->map_count;
	map->section = section;
	map->insn = calloc(section->size / 4 + 1, sizeof(struct insn *));
	if (!map->insn)
		return NULL;
	program->map_count++;
	return slot_in(map, pc);
}

static struct insn *new_insn(struct program *program)
{
	size_t index = program->used / CHUNK_INSNS;
	struct insn **grown, *chunk;

	if (index < program->chunk_count)
		return &program->chunk[index][program->used % CHUNK_INSNS];
	grown = reallocarray(program->chunk, program->chunk_count + 1, sizeof(struct insn *));
	if (!grown)
		return NULL;
	program->chunk = grown;
	chunk = malloc(CHUNK_INSNS * sizeof(*chunk));
	if (chunk)
		program->chunk[program->chunk_count++] = chunk;
	return chunk;
}

struct insn *program_insn(struct program *program, uint64_t pc)
{
	struct insn **slot = slot_of(program, pc), *insn;
	const struct isa_section *section;
	uint64_t skip;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	section = find_map(program, pc)->section;
	skip = pc - section->address;
	insn = new_insn(program);
	if (!insn)
		return NULL;
	/* If that fails, the place is the next one's. */
	if (!decoder_insn(program->decoder, program->image->data + section->offset + skip,
			  (size_t)(section->size - skip), insn))
		return NULL;
	insn->pc = pc;
	insn->walk = 0;
	if (insn->dual)
		insn->dual->pc = pc;
	program->used++;
	return *slot = insn;
}

/* ---- functions ---- */

struct pc_list {
	uint64_t *pc;
	size_t count, room;
};

static int pc_push(struct pc_list *list, uint64_t pc)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		uint64_t *grown = reallocarray(list->pc, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		list->pc = grown;
		list->room = room;
	}
	list->pc[list->count++] = pc;
	return 0;
}

static int by_pc(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int insn_by_pc(const void *a, const void *b)
{
	const struct insn *const *x = a, *const *y = b;

	return (*x)->pc < (*y)->pc ? -1 : (*x)->pc > (*y)->pc;
}

static size_t pc_unique(struct pc_list *list)
{
	size_t i, kept = 0;

	if (list->count)
		qsort(list->pc, list->count, sizeof(*list->pc), by_pc);
	for (i = 0; i < list->count; i++)
		if (!kept || list->pc[kept - 1] != list->pc[i])
			list->pc[kept++] = list->pc[i];
	list->count = kept;
	return kept;
}

uint32_t function_block(const struct function *function, uint64_t pc)
{
	uint32_t low = 0, high = function->block_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (function->insn[function->block[middle].first]->pc <= pc)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint32_t function_index(const struct function *function, const struct insn *insn)
{
	uint32_t low = 0, high = function->insn_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (function->insn[middle]->pc < insn->pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < function->insn_count && function->insn[low] == insn ? low : NO_INSN;
}

bool function_place(const struct function *function, const struct insn *insn, uint32_t *block,
		    uint32_t *index)
{
	uint32_t at = function_index(function, insn);

	if (at == NO_INSN)
		return false;
	*block = function_block(function, insn->pc);
	*index = at - function->block[*block].first;
	return true;
}

/* Returns the block that begins there, or NO_BLOCK. */
static uint32_t block_at(const struct function *function, uint64_t pc)
{
	uint32_t block = function_block(function, pc);

	return function->block_count && function->insn[function->block[block].first]->pc == pc
		   ? block
		   : NO_BLOCK;
}

/*
 * Returns true if another function begins there. Compilers put nothing between it and a call or
 * trap that never returns.
 */
static bool next_function(const struct program *program, const struct function *function,
			  uint64_t pc)
{
	const struct isa_symbol *symbol = isa_image_symbol_at(program->image, pc, true);

	return symbol && symbol->address == pc && pc != function->entry;
}

static int walk(struct program *program, struct function *function, struct pc_list *leaders)
{
	struct pc_list work = { 0 };
	uint32_t number = ++program->walks;
	size_t room = 0;
	int status;

	status = pc_push(&work, function->entry);
	while (!status && work.count) {
		uint64_t pc = work.pc[--work.count], target, quiet = pc;
		bool falls = true, branch = false;

		status = pc_push(leaders, pc);
		while (!status && falls) {
			struct insn *insn = program_insn(program, pc);

			if (insn && insn->walk == number)
				break;
			if (!insn) {
				function->problem = "bytes that are not a known instruction";
				break;
			}
			if (function->insn_count >= MAX_FUNCTION_INSNS) {
				function->problem = "a function that is too long";
				break;
			}
			if (function->insn_count == room) {
				struct insn **grown;

				room = room ? room * 2 : 256;
				grown = reallocarray(function->insn, room, sizeof(*grown));
				if (!grown) {
					status = -ENOMEM;
					break;
				}
				function->insn = grown;
			}
			function->insn[function->insn_count++] = insn;
			insn->walk = number;
			pc += insn->length;
			branch = insn_is_branch(insn, &target, &falls);
			/* Up to `quiet` no symbol begins. */
			if (falls && pc >= quiet) {
				falls = !next_function(program, function, pc);
				quiet = isa_image_next_symbol(program->image, pc);
			}
			if (branch && target)
				status = pc_push(&work, target);
			if (!status && branch && falls)
				status = pc_push(leaders, pc);
		}
	}
	free(work.pc);
	return status;
}

/* Sorts the instructions of the last walk, ascending. */
static void sort_insns(struct program *program, struct function *function)
{
	uint64_t low = UINT64_MAX, high = 0;
	const struct code_map *map;
	struct insn **slot;
	uint32_t i;

	for (i = 0; i < function->insn_count; i++) {
		uint64_t pc = function->insn[i]->pc;

		low = pc < low ? pc : low;
		high = pc > high ? pc : high;
	}
	map = find_map(program, low);
	/* All in one section, and little between them: it is quicker to read them off. */
	if (!map || map != find_map(program, high) || (high - low) / 32 > function->insn_count) {
		qsort(function->insn, function->insn_count, sizeof(*function->insn), insn_by_pc);
		return;
	}
	for (i = 0, slot = slot_in(map, low); slot <= slot_in(map, high); slot++)
		if (*slot && (*slot)->walk == program->walks)
			function->insn[i++] = *slot;
}

/* Ascending for each block; all of them lie together. 0 or -ENOMEM. */
static int find_predecessors(struct function *function)
{
	uint32_t *next = reallocarray(NULL, function->block_count, 2 * sizeof(*next));

	if (!next)
		return -ENOMEM;
	function->predecessors = next;
	for (uint32_t b = 0; b < function->block_count; b++)
		for (unsigned k = 0; k < 2; k++)
			if (function->block[b].successor[k] != NO_BLOCK)
				function->block[function->block[b].successor[k]]
				    .predecessor_count++;
	for (uint32_t b = 0; b < function->block_count; b++) {
		function->block[b].predecessor = next;
		next += function->block[b].predecessor_count;
		function->block[b].predecessor_count = 0;
	}
	for (uint32_t b = 0; b < function->block_count; b++)
		for (unsigned k = 0; k < 2; k++) {
			struct block *to;

			if (function->block[b].successor[k] == NO_BLOCK)
				continue;
			to = &function->block[function->block[b].successor[k]];
			to->predecessor[to->predecessor_count++] = b;
		}
	return 0;
}

/* Marks pairs of stores that may be the halves of one word of 64 bits. */
static void mark_halves(struct function *function, const struct block *block)
{
	struct insn *last = NULL;

	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		struct insn *insn = function->insn[i];

		if (!insn_stores_dword(insn))
			continue;
		if (last && !insn_stores_half(last) && insn->offset - last->offset == 4)
			last->low_half = insn->high_half = true;
		last = insn;
	}
}

static int build_blocks(struct program *program, struct function *function, struct pc_list *leaders)
{
	uint32_t i, b = 0;
	size_t leader = 0;

	sort_insns(program, function);
	pc_unique(leaders);
	function->block = calloc(function->insn_count, sizeof(*function->block));
	if (!function->block)
		return -ENOMEM;
	for (i = 0; i < function->insn_count; i++) {
		const struct insn *insn = function->insn[i];
		const struct insn *before = i ? function->insn[i - 1] : NULL;

		while (leader < leaders->count && leaders->pc[leader] < insn->pc)
			leader++;
		if (!before || before->pc + before->length != insn->pc ||
		    (leader < leaders->count && leaders->pc[leader] == insn->pc)) {
			b = function->block_count++;
			function->block[b].first = i;
		}
		function->block[b].count++;
	}
	for (b = 0; b < function->block_count; b++) {
		struct block *block = &function->block[b];
		const struct insn *last = function->insn[block->first + block->count - 1];
		uint64_t target;
		bool falls;

		insn_is_branch(last, &target, &falls);
		block->ends = falls && next_function(program, function, last->pc + last->length);
		falls = falls && !block->ends;
		block->successor[0] =
		    falls ? block_at(function, last->pc + last->length) : NO_BLOCK;
		block->successor[1] = target ? block_at(function, target) : NO_BLOCK;
	}
	if (find_predecessors(function))
		return -ENOMEM;
	for (b = 0; b < function->block_count; b++) {
		mark_halves(function, &function->block[b]);
		function->block[b].asks = way_asks(function, &function->block[b]);
	}
	function->entry_block = block_at(function, function->entry);
	return 0;
}

struct function *program_function(struct program *program, uint64_t entry)
{
	struct pc_list leaders = { 0 };
	struct function *function, **grown;
	const struct isa_symbol *symbol;
	size_t i;
	int status;

	for (i = 0; i < program->function_count; i++)
		if (program->function[i]->entry == entry)
			return program->function[i];
	grown = reallocarray(program->function, program->function_count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	program->function = grown;
	function = calloc(1, sizeof(*function));
	if (!function)
		return NULL;
	function->entry = entry;
	function->entry_block = NO_BLOCK;
	symbol = isa_image_symbol_at(program->image, entry, true);
	function->symbol = symbol ? symbol->name : NULL;
	status = walk(program, function, &leaders);
	if (!status && function->insn_count)
		status = build_blocks(program, function, &leaders);
	free(leaders.pc);
	if (status) {
		function_free(function);
		return NULL;
	}
	program->function[program->function_count++] = function;
	return function;
}
