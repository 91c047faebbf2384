/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the witness's ways from the entry to the end and checks if all of them lead through a
 * block.
 */
#include "witness_search.h"

#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An answer is not worth more than this many instructions of one kernel. */
#define WITNESS_STEPS (1u << 18)

/* Holds the reason why it is not certain that the witness executes an instruction. */
struct cause {
	uint64_t
	    pc; /* of a branch or, if what it depends on was loaded, of that load; 0: of none */
	bool loaded;
};

/* Describes a function on the way to an access. */
struct traced {
	struct traced *next;
	const struct function *function;
	unsigned regs; /* one more than the last register that its instructions name */
	struct witness_insn *insn;
	struct witness_state *in;    /* by block */
	bool *dirty, *ends, *avoids; /* by block */
	uint8_t *ways;               /* by block: bit 0 it goes on, bit 1 it jumps */
	choice_id *why;              /* by block: of a branch that may go either way ... */
	bool *undecided;             /* ... which it does */
	bool *done;                  /* by block: the rest is known of its instructions */
	isa_when *certain;           /* by instruction */
	struct cause *cause;
};

struct witness {
	struct flow *flow;
	const struct flow_entry *entry;
	struct isa_kernel *kernel;
	struct choice *choice;
	struct traced *traced;
	size_t steps;
};

static void free_traced(struct traced *traced)
{
	free(traced->insn);
	free(traced->in);
	free(traced->dirty);
	free(traced->ends);
	free(traced->avoids);
	free(traced->ways);
	free(traced->why);
	free(traced->undecided);
	free(traced->done);
	free(traced->certain);
	free(traced->cause);
	free(traced);
}

void witness_free(struct witness *witness)
{
	if (!witness)
		return;
	while (witness->traced) {
		struct traced *traced = witness->traced;

		witness->traced = traced->next;
		free_traced(traced);
	}
	free(witness->choice);
	free(witness);
}

struct witness *witness_new(struct flow *flow, const struct flow_entry *entry,
			    struct isa_kernel *kernel)
{
	struct witness *witness = calloc(1, sizeof(*witness));

	if (!witness)
		return NULL;
	witness->flow = flow;
	witness->entry = entry;
	witness->kernel = kernel;
	return witness;
}

/* Allocates what only a kernel with atomics needs. Returns 0 or -ENOMEM. */
static int prepare(struct witness *witness)
{
	struct choice *choice;

	if (witness->choice)
		return 0;
	choice = malloc(sizeof(*choice));
	if (!choice)
		return -ENOMEM;
	memset(choice, 0, offsetof(struct choice, node));
	choice->function = witness->flow->kernel;
	choice->launch = witness->flow->launch;
	choice->mask_dwords = witness->entry->wave_size / 32;
	memcpy(choice->condition, witness->kernel->condition, sizeof(witness->kernel->condition));
	choice->condition_count = witness->kernel->condition_count;
	witness->choice = choice;
	return 0;
}

static void count_registers(struct traced *traced, const struct insn *insn)
{
	for (unsigned i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operand[i];
		unsigned end = operand->reg + operand->count;

		if (operand->kind == OPERAND_REG && end > traced->regs)
			traced->regs = end < REG_COUNT ? end : REG_COUNT;
	}
	if (insn->dual)
		count_registers(traced, insn->dual);
}

static struct traced *trace(struct witness *witness, const struct function *function)
{
	uint32_t blocks = function->block_count, insns = function->insn_count;
	struct traced *traced;

	for (traced = witness->traced; traced; traced = traced->next)
		if (traced->function == function)
			return traced;
	traced = calloc(1, sizeof(*traced));
	if (!traced)
		return NULL;
	traced->next = witness->traced;
	witness->traced = traced;
	traced->function = function;
	traced->insn = calloc((size_t)insns + 1, sizeof(*traced->insn));
	traced->in = reallocarray(NULL, (size_t)blocks + 1, sizeof(*traced->in));
	traced->dirty = calloc((size_t)blocks + 1, sizeof(bool));
	traced->ends = calloc((size_t)blocks + 1, sizeof(bool));
	traced->avoids = calloc((size_t)blocks + 1, sizeof(bool));
	traced->ways = calloc((size_t)blocks + 1, sizeof(*traced->ways));
	traced->why = calloc((size_t)blocks + 1, sizeof(*traced->why));
	traced->undecided = calloc((size_t)blocks + 1, sizeof(bool));
	traced->done = calloc((size_t)blocks + 1, sizeof(bool));
	traced->certain = calloc((size_t)insns + 1, sizeof(*traced->certain));
	traced->cause = calloc((size_t)insns + 1, sizeof(*traced->cause));
	if (!traced->insn || !traced->in || !traced->dirty || !traced->ends || !traced->avoids ||
	    !traced->ways || !traced->why || !traced->undecided || !traced->done ||
	    !traced->certain || !traced->cause)
		return NULL;           /* it is freed with the witness */
	traced->regs = REG_VECTOR + 3; /* with the work-item's numbers */
	for (uint32_t i = 0; i < insns; i++)
		count_registers(traced, function->insn[i]);
	return traced;
}

/* ---- one pass ---- */

static void copy(const struct traced *traced, struct witness_state *to,
		 const struct witness_state *from)
{
	memcpy(to, from, offsetof(struct witness_state, reg) + traced->regs * sizeof(to->reg[0]));
}

static void begin(struct witness *witness, const struct traced *traced, struct witness_state *state)
{
	const struct flow_entry *entry = witness->entry;
	struct choice *choice = witness->choice;
	choice_id zero = choice_constant(choice, 0);

	memset(state, 0,
	       offsetof(struct witness_state, reg) + traced->regs * sizeof(state->reg[0]));
	state->reg[REG_EXEC] = LANE_IN;
	state->reached = true;
	if (traced->function != witness->flow->kernel)
		return;
	for (unsigned i = 0; i < 3; i++)
		state->reg[REG_VECTOR + i] = zero;
	for (unsigned i = 0; i < 3; i++)
		if (entry->group[i] >= 0)
			state->reg[entry->group[i]] = zero;
	if (entry->kernarg_ptr >= 0) {
		state->reg[entry->kernarg_ptr] =
		    choice_node(choice, CHOICE_POINTER, &(struct isa_field){ 0 });
		state->reg[entry->kernarg_ptr + 1] = CHOICE_UPPER;
	}
	for (unsigned i = 0; i < entry->preload_count && entry->preload >= 0; i++)
		state->reg[entry->preload + (int)i] =
		    choice_argument(choice, (entry->preload_offset + i) * 4);
}

static choice_id join(const struct choice *choice, choice_id a, choice_id b)
{
	int bit = witness_bit(choice, a);

	if (a == b)
		return a;
	if (bit < 0 || bit != witness_bit(choice, b))
		return CHOICE_UNKNOWN;
	return bit ? LANE_IN : LANE_OUT;
}

/* Executes one instruction, which is read when control comes to it first. */
static void step(const struct witness *witness, const struct traced *traced, uint32_t index,
		 struct witness_state *state)
{
	struct witness_insn *insn = &traced->insn[index];

	if (!insn->own.insn)
		witness_read(witness->choice, traced->function->insn[index], index, insn);
	witness_step(witness->choice, insn, state);
}

static void flow_to(struct witness *witness, struct traced *traced, uint32_t block,
		    const struct witness_state *state)
{
	struct witness_state *in = &traced->in[block];
	bool changed = false;

	if (!in->reached) {
		copy(traced, in, state);
		traced->dirty[block] = true;
		return;
	}
	for (unsigned i = 0; i < traced->regs; i++) {
		choice_id joined;

		if (in->reg[i] == state->reg[i])
			continue;
		joined = join(witness->choice, in->reg[i], state->reg[i]);
		changed |= joined != in->reg[i];
		in->reg[i] = joined;
	}
	if (in->scc != state->scc && in->scc != TRUTH_UNKNOWN) {
		in->scc = TRUTH_UNKNOWN;
		in->scc_why = CHOICE_UNKNOWN;
		changed = true;
	}
	traced->dirty[block] |= changed;
}

/* Returns true if nothing follows the block. */
static bool only_ends(const struct function *function, uint32_t index, uint32_t target)
{
	const struct block *block = &function->block[index];

	return index != target && block->successor[0] == NO_BLOCK &&
	       block->successor[1] == NO_BLOCK;
}

static void visit(struct witness *witness, struct traced *traced, uint32_t index, uint32_t target,
		  bool *ended)
{
	const struct function *function = traced->function;
	const struct block *block = &function->block[index];
	const struct insn *last = function->insn[block->first + block->count - 1];
	struct witness_state state;
	enum choice_truth taken = TRUTH_NO;
	bool falls, jumps;

	copy(traced, &state, &traced->in[index]);
	for (uint32_t i = 0; i < block->count; i++)
		step(witness, traced, block->first + i, &state);
	witness->steps += block->count + 16; /* of a state's copy */
	traced->undecided[index] = false;
	switch (last->class) {
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
		taken = witness_taken(witness->choice, last, &state, &traced->why[index]);
		traced->undecided[index] = taken == TRUTH_UNKNOWN;
		break;
	case OP_BRANCH:
		taken = TRUTH_YES;
		break;
	default:
		break;
	}
	falls = taken != TRUTH_YES;
	jumps = taken != TRUTH_NO;
	/* A way out of the function is taken for its end. */
	traced->ends[index] = (falls && block->successor[0] == NO_BLOCK) ||
			      (jumps && block->successor[1] == NO_BLOCK);
	*ended |= traced->ends[index] ||
		  (falls && only_ends(function, block->successor[0], target)) ||
		  (jumps && only_ends(function, block->successor[1], target));
	falls &= block->successor[0] != NO_BLOCK;
	jumps &= block->successor[1] != NO_BLOCK;
	traced->ways[index] = (uint8_t)(falls | jumps << 1);
	if (falls)
		flow_to(witness, traced, block->successor[0], &state);
	if (jumps)
		flow_to(witness, traced, block->successor[1], &state);
}

/*
 * Returns true if each way to the end leads through the target, whose state is in traced->in then.
 * With `whole` it follows all ways, also after one has led past the target.
 */
static bool run(struct witness *witness, struct traced *traced, uint32_t target, bool whole)
{
	const struct function *function = traced->function;
	struct witness_state start;
	bool again = true, ended = false;

	witness->choice->consulted = 0;
	for (uint32_t b = 0; b < function->block_count; b++)
		traced->in[b].reached = traced->dirty[b] = traced->ends[b] = false;
	begin(witness, traced, &start);
	flow_to(witness, traced, function->entry_block, &start);
	while (again && witness->steps < WITNESS_STEPS) {
		again = false;
		for (uint32_t b = 0; b < function->block_count && (whole || !ended); b++) {
			if (!traced->dirty[b] || b == target)
				continue;
			traced->dirty[b] = false;
			visit(witness, traced, b, target, &ended);
			again = true;
		}
	}
	return !again && !ended && traced->in[target].reached;
}

/* ---- targets ---- */

/* Returns true if callers ask about the instruction. */
static bool is_asked(const struct insn *insn)
{
	return insn->class == OP_MEMORY || insn->class == OP_CALL;
}

/*
 * Notes that the target's instructions are executed for certain with these results, if the witness
 * is active. Returns how many are not.
 */
static unsigned mark(struct witness *witness, struct traced *traced, uint32_t target,
		     isa_when results, struct cause *inactive)
{
	const struct block *block = &traced->function->block[target];
	struct witness_state state;
	unsigned left = 0;

	copy(traced, &state, &traced->in[target]);
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct insn *insn = traced->function->insn[i];
		const struct choice_node *node =
		    choice_node_of(witness->choice, state.reg[REG_EXEC]);

		if (is_asked(insn) && witness_bit(witness->choice, state.reg[REG_EXEC]) == 1) {
			traced->certain[i] |= results;
		} else if (is_asked(insn)) {
			left++;
			if (inactive && node && node->kind == CHOICE_LOADED)
				traced->cause[i] = (struct cause){ node->field.add, true };
			else if (inactive)
				traced->cause[i] = *inactive;
		}
		step(witness, traced, i, &state);
	}
	return left;
}

/* Sets `avoids` for the blocks that lead to the end past the target. */
static void find_avoiding(struct traced *traced, uint32_t target)
{
	const struct function *function = traced->function;
	bool again = true;

	memset(traced->avoids, 0, function->block_count * sizeof(bool));
	while (again) {
		again = false;
		for (uint32_t b = function->block_count; b--;) {
			const uint32_t *next = function->block[b].successor;
			bool avoids = traced->ends[b];

			if (!traced->in[b].reached || b == target || traced->avoids[b])
				continue;
			avoids |= traced->ways[b] & 1 && traced->avoids[next[0]];
			avoids |= traced->ways[b] & 2 && traced->avoids[next[1]];
			traced->avoids[b] = avoids;
			again |= avoids;
		}
	}
}

/*
 * Returns, after a pass, the branch from which a way leads past the target and another one to it.
 */
static struct cause find_cause(const struct witness *witness, struct traced *traced,
			       uint32_t target, uint32_t *block)
{
	const struct function *function = traced->function;
	uint32_t found = NO_BLOCK;
	const struct choice_node *node;

	find_avoiding(traced, target);
	for (uint32_t b = 0; b < function->block_count; b++) {
		const uint32_t *next = function->block[b].successor;

		if (!traced->in[b].reached || b == target || !traced->undecided[b] ||
		    traced->ways[b] != 3)
			continue;
		if (traced->avoids[next[0]] != traced->avoids[next[1]]) {
			found = b;
			break;
		}
		if (found == NO_BLOCK && traced->avoids[b])
			found = b;
	}
	*block = found;
	if (found == NO_BLOCK)
		return (struct cause){ 0 };
	node = choice_node_of(witness->choice, traced->why[found]);
	if (node && node->kind == CHOICE_LOADED)
		return (struct cause){ node->field.add, true };
	return (struct cause){
		function->insn[function->block[found].first + function->block[found].count - 1]->pc,
		false
	};
}

/*
 * Returns true if a way leads from the entry to the target without the block `wall`. It overwrites
 * `avoids`.
 */
static bool leads_around(struct traced *traced, uint32_t wall, uint32_t target)
{
	const struct function *function = traced->function;
	bool *seen = traced->avoids, again = wall != function->entry_block;

	memset(seen, 0, function->block_count * sizeof(bool));
	seen[function->entry_block] = again;
	while (again && !seen[target]) {
		again = false;
		for (uint32_t b = 0; b < function->block_count; b++) {
			for (unsigned i = 0; seen[b] && i < 2; i++) {
				uint32_t next = function->block[b].successor[i];

				if (!(traced->ways[b] >> i & 1) || next == wall || seen[next])
					continue;
				seen[next] = again = true;
			}
		}
	}
	return seen[target];
}

static void set_causes(struct traced *traced, uint32_t target, struct cause cause)
{
	const struct block *block = &traced->function->block[target];

	for (uint32_t i = block->first; i < block->first + block->count; i++)
		traced->cause[i] = cause;
}

static void assume(struct choice *choice, uint32_t asked, unsigned results)
{
	for (unsigned c = 0; c < choice->condition_count; c++)
		choice->truth[c] = !(asked >> c & 1)  ? TRUTH_UNKNOWN
				   : results >> c & 1 ? TRUTH_YES
						      : TRUTH_NO;
}

/*
 * Tries each result of the conditions that count. Returns true if any of them makes something
 * certain.
 */
static bool try_conditions(struct witness *witness, struct traced *traced, uint32_t target,
			   uint32_t asked)
{
	const struct block *block = &traced->function->block[target];
	struct choice *choice = witness->choice;
	isa_when tried = 0, any = 0;

	for (unsigned results = 0; results < 1u << ISA_CONDITIONS; results++) {
		isa_when bits;
		bool comes;

		if (results & ~asked || tried >> results & 1)
			continue;
		assume(choice, asked, results);
		comes = run(witness, traced, target, false);
		/* Results of conditions that were not consulted change nothing. */
		bits = choice_like(results, choice->consulted & asked);
		if (comes)
			mark(witness, traced, target, bits, NULL);
		tried |= bits;
	}
	for (uint32_t i = block->first; i < block->first + block->count; i++)
		any |= traced->certain[i];
	return any;
}

/* Finds the results in which the instructions of a block are executed. */
static void ask_block(struct witness *witness, struct traced *traced, uint32_t target)
{
	struct choice *choice = witness->choice;
	struct isa_kernel *kernel = witness->kernel;
	unsigned before = choice->condition_count;
	uint32_t asked, wall;
	bool comes;

	traced->done[target] = true;
	assume(choice, 0, 0);
	choice->learning = true;
	comes = run(witness, traced, target, true);
	choice->learning = false;
	if (choice->condition_count > ISA_CONDITIONS)
		choice->condition_count = ISA_CONDITIONS;
	asked = choice->consulted;
	/* New conditions were not consulted yet, but the passes need them. */
	asked |= (1u << choice->condition_count) - (1u << before);
	asked &= (1u << choice->condition_count) - 1;
	if (comes) {
		if (!mark(witness, traced, target, ISA_ALWAYS, &(struct cause){ 0 }))
			asked = 0;
	} else {
		struct cause cause = find_cause(witness, traced, target, &wall);

		set_causes(traced, target, cause);
		/* Control comes to a branch that memory decides, whatever the arguments are. */
		if (cause.loaded && !leads_around(traced, wall, target))
			asked = 0;
	}
	if (witness->steps < WITNESS_STEPS && asked &&
	    try_conditions(witness, traced, target, asked)) {
		memcpy(kernel->condition, choice->condition, sizeof(kernel->condition));
		kernel->condition_count = choice->condition_count;
	} else {
		choice->condition_count = before;
	}
}

/* ---- accesses ---- */

static char *describe(const struct witness *witness, const struct traced *traced,
		      const struct cause *cause)
{
	char place[64], *text;

	if (witness->steps >= WITNESS_STEPS && !cause->pc)
		return strdup("the kernel is too large to follow its branches");
	if (!cause->pc)
		return strdup("what its condition depends on is not known");
	if (traced->function == witness->flow->kernel)
		snprintf(place, sizeof(place), "+0x%llx",
			 (unsigned long long)(cause->pc - witness->entry->start));
	else
		snprintf(place, sizeof(place), "address 0x%llx", (unsigned long long)cause->pc);
	if (asprintf(&text,
		     cause->loaded
			 ? "its condition depends on a value that is loaded from memory at %s"
			 : "the branch at %s may go either way",
		     place) < 0)
		return NULL;
	return text;
}

/*
 * Sets *is_word if what is loaded at `pc` lies at a place that arguments alone give. Returns 0 or
 * -ENOMEM.
 */
static int find_word(struct flow *flow, uint64_t pc, bool *is_word)
{
	struct isa_paths paths;
	size_t i = 0;
	int status;

	*is_word = false;
	while (i < flow->access_count && flow->access[i].insn->pc != pc)
		i++;
	if (i == flow->access_count)
		return 0;
	status = path_find(flow, &flow->access[i], &paths);
	if (status)
		return status;
	*is_word = paths.count == 1;
	for (unsigned k = 0; *is_word && k < paths.path[0].step_count; k++)
		*is_word = paths.path[0].step[k].exact && !paths.path[0].step[k].repeats;
	path_clear(&paths);
	return 0;
}

/* Answers witness_access() for one instruction of a function. */
static int ask(struct witness *witness, const struct function *function, const struct insn *insn,
	       isa_when *certain, char **unsure, bool *by_word)
{
	struct traced *traced = trace(witness, function);
	uint32_t block, place, index = function_index(function, insn);

	if (!traced || !traced->cause)
		return -ENOMEM;
	if (index == NO_INSN || !function_place(function, insn, &block, &place) ||
	    function->entry_block == NO_BLOCK) {
		*certain = 0;
		*unsure = strdup("control comes to it in a way that is not followed");
		return *unsure ? 0 : -ENOMEM;
	}
	if (!traced->done[block])
		ask_block(witness, traced, block);
	*certain = traced->certain[index];
	if (*certain == ISA_ALWAYS)
		return 0;
	*unsure = describe(witness, traced, &traced->cause[index]);
	if (!*unsure)
		return -ENOMEM;
	return traced->cause[index].loaded
		   ? find_word(witness->flow, traced->cause[index].pc, by_word)
		   : 0;
}

/* Returns the function that contains a call. */
static const struct function *function_of(const struct program *program, const struct insn *insn)
{
	for (size_t i = 0; insn && i < program->function_count; i++)
		if (function_index(program->function[i], insn) != NO_INSN)
			return program->function[i];
	return NULL;
}

int witness_access(struct witness *witness, const struct access *access, isa_when *certain,
		   char **unsure, bool *by_word)
{
	struct flow *flow = witness->flow;
	int status;

	*certain = 0;
	*unsure = NULL;
	*by_word = false;
	if (!flow->kernel || flow->exhausted || flow->broken) {
		*unsure = strdup("the kernel's code could not be followed");
		return *unsure ? 0 : -ENOMEM;
	}
	status = prepare(witness);
	if (!status)
		status = ask(witness, access->function, access->insn, certain, unsure, by_word);
	/* In a function, each call on the way to it must be certain, too. */
	for (unsigned i = 0; !status && *certain && access->function != flow->kernel; i++) {
		const struct insn *call = i < access->caller_count
					      ? program_insn(flow->program, access->caller[i])
					      : NULL;
		const struct function *caller = function_of(flow->program, call);
		isa_when also = 0;
		char *why = NULL;

		*by_word = false;
		if (caller)
			status = ask(witness, caller, call, &also, &why, by_word);
		else
			why = strdup("which call leads there is not known");
		*certain &= also;
		free(*unsure);
		*unsure = why;
		if (!caller || caller == flow->kernel)
			break;
	}
	if (!status && *certain != ISA_ALWAYS && !*unsure)
		return -ENOMEM;
	return status;
}
