/* SPDX-License-Identifier: Apache-2.0 */
/* Fixpoint over the blocks of a function; calls in place. */
#include "flow.h"

#include "concrete.h"
#include "way.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Visits of a block before its state is made to converge; fewer where a loop begins. */
#define WIDEN_AFTER      6u
#define WIDEN_LOOP_AFTER 1u

int flow_init(struct flow *flow, struct program *program, const struct arch *arch,
	      const struct flow_arg *args, size_t arg_count)
{
	memset(flow, 0, sizeof(*flow));
	flow->program = program;
	flow->arch = arch;
	flow->args = args;
	flow->arg_count = arg_count;
	flow->known_targets = reallocarray(NULL, KNOWN_TARGETS, sizeof(*flow->known_targets));
	if (!flow->known_targets || value_init(&flow->store)) {
		free(flow->known_targets);
		flow->known_targets = NULL;
		return -ENOMEM;
	}
	for (unsigned i = 0; i < KNOWN_TARGETS; i++)
		flow->known_targets[i].count = 0;
	flow->store.keep = flow_keeps;
	flow->store.user = flow;
	return 0;
}

void flow_free(struct flow *flow)
{
	value_free(&flow->store);
	free(flow->known_targets);
	free(flow->access);
	free(flow->access_table);
	free(flow->incomplete);
	free(flow->unvisited);
	slice_clear(&flow->slice);
	free(flow->when);
	memset(flow, 0, sizeof(*flow));
}

void flow_incomplete(struct flow *flow, uint64_t pc, const char *format, ...)
{
	va_list args;

	if (flow->incomplete)
		return;
	va_start(args, format);
	if (vasprintf(&flow->incomplete, format, args) < 0)
		flow->incomplete = NULL;
	flow->incomplete_pc = pc;
	va_end(args);
}

void flow_unvisited(struct flow *flow, uint64_t pc, const char *format, ...)
{
	va_list args;

	if (flow->unvisited)
		return;
	va_start(args, format);
	if (vasprintf(&flow->unvisited, format, args) < 0) {
		flow->unvisited = NULL;
		flow->store.failed = true;
	} else {
		flow->unvisited_pc = pc;
		flow_incomplete(flow, pc, "%s", flow->unvisited);
	}
	va_end(args);
}

void flow_broken(struct flow *flow, const struct insn *insn, const char *what)
{
	char why[128];

	if (flow->broken)
		return;
	snprintf(why, sizeof(why), "%s of %s", what, insn->mnemonic);
	flow->broken = flow->store.reason[value_reason(&flow->store, why)];
	flow_incomplete(flow, insn->pc, "%s at address 0x%llx", why, (unsigned long long)insn->pc);
}

/* This is what way_from() said last of a block behind another one. */
struct known_way {
	uint32_t from; /* index + 1; 0: nothing yet */
	uint32_t way;
};

/* An activation is a function that is being iterated. */
struct activation {
	const struct function *function;
	struct state *in; /* per block; not set before it is reached */
	bool *reached;    /* in[] holds something */
	bool *dirty;      /* to be visited */
	unsigned *visits;
	struct known_way *ways; /* per block */
	uint32_t *leads;        /* per block, of an evaluation: where its branch, if it may go both
				 * ways, leads at most */
	uint32_t current;       /* the block being visited, or passed through */
	uint32_t trail[WAY_TRAIL]; /* the one being visited, and those passed through since */
	unsigned trail_count;
	struct state *out; /* at returns */
	bool returned;
	value_id return_low; /* is where the caller expects to go on; bottom for the kernel */
};

static int flow_into(struct flow *flow, struct activation *activation, uint32_t block,
		     const struct state *state);

/* Applies the instructions of a block, but for the branch at its end. */
static int run_block(struct flow *flow, const struct function *function, const struct block *block,
		     struct state *state)
{
	uint64_t target;
	bool falls;
	int status = 0;

	condition_forget(flow, state);
	for (uint32_t i = 0; i < block->count && !status; i++) {
		const struct insn *insn = function->insn[block->first + i];

		if (flow->sliced && flow->slice.idle[block->first + i])
			continue;
		if (++flow->steps > (flow->launch ? flow->launch->steps : FLOW_STEPS)) {
			flow->exhausted = true;
			break;
		}
		if (i + 1 == block->count && insn_is_branch(insn, &target, &falls))
			break;
		status = flow_step(flow, function, insn, state);
	}
	if (!status && state->mode == EXEC_SOME)
		status = state_lose(&flow->store, state);
	return status;
}

/* Through a block for those who come from the one being visited; `way` follows it then. */
static int pass_through(struct flow *flow, struct activation *activation, uint32_t block,
			uint32_t way, const struct state *state)
{
	uint32_t current = activation->current;
	struct state passing;
	int status;

	state_copy(&passing, state);
	activation->current = activation->trail[activation->trail_count++] = block;
	status =
	    run_block(flow, activation->function, &activation->function->block[block], &passing);
	if (!status && !flow->exhausted)
		status = flow_into(flow, activation, way, &passing);
	activation->current = current;
	activation->trail_count--;
	state_clear(&passing);
	return status;
}

static uint32_t find_way(struct activation *activation, uint32_t block)
{
	struct known_way *known = &activation->ways[block];
	uint32_t way;

	if (!activation->function->block[block].asks)
		return NO_BLOCK;
	if (activation->trail_count == 1 && known->from == activation->trail[0] + 1)
		return known->way;
	way = way_from(activation->function, activation->trail, activation->trail_count, block);
	if (activation->trail_count == 1)
		*known = (struct known_way){ activation->trail[0] + 1, way };
	return way;
}

/*
 * Returns true if, in an evaluation, nothing that is still to be visited lies in the loop, and no
 * way led out of it.
 */
static bool is_decided(const struct activation *activation, uint32_t first)
{
	for (uint32_t b = first; b <= activation->current; b++)
		if (activation->dirty[b] || activation->leads[b] > activation->current)
			return false;
	return true;
}

/*
 * In an evaluation, if nothing else waits at the block, what it was entered with before is over.
 * Only a loop whose end is not known is joined until nothing changes.
 */
static int follow_into(struct flow *flow, struct activation *activation, uint32_t block,
		       const struct state *state)
{
	bool back = block <= activation->current && activation->trail_count;
	struct state *in = &activation->in[block];
	int status;

	if (!activation->dirty[block] && activation->reached[block] &&
	    (!back || (flow->steps < flow->launch->steps / 2 && is_decided(activation, block)))) {
		activation->visits[block] = back ? activation->visits[block] : 0;
		state_clear(in);
		activation->reached[block] = false;
	}
	if (!activation->reached[block]) {
		state_copy(in, state);
		activation->reached[block] = activation->dirty[block] = true;
		flow->launch->waiting++;
		return 0;
	}
	status = state_join(&flow->store, in, state, NULL, back,
			    back && activation->visits[block] > WIDEN_LOOP_AFTER);
	if (status < 0)
		return status;
	in->breaks |= state->breaks;
	in->narrowed = in->narrowed > state->narrowed ? in->narrowed : state->narrowed;
	/* It is not known which lanes are active here and not there. */
	if (in->dead != state->dead) {
		status = in->dead ? 1 : status;
		in->dead = false;
		if (state_lose(&flow->store, in))
			return -ENOMEM;
	}
	if (status > 0 && !activation->dirty[block]) {
		activation->dirty[block] = true;
		flow->launch->waiting++;
	}
	return 0;
}

static int flow_into(struct flow *flow, struct activation *activation, uint32_t block,
		     const struct state *state)
{
	struct state_live live = { NULL, &flow->slice.aside, NULL };
	bool loop = block <= activation->current;
	uint32_t way;
	int status;

	if (block == NO_BLOCK) {
		flow_unvisited(flow, 0, "control leaves the code that could be decoded in %s",
			       activation->function->symbol ? activation->function->symbol
							    : "a function");
		return 0;
	}
	if (flow->launch)
		return follow_into(flow, activation, block, state);
	way = find_way(activation, block);
	if (way != NO_BLOCK && activation->trail_count < WAY_TRAIL)
		return pass_through(flow, activation, block, way, state);
	if (flow->sliced) {
		live.active = &flow->slice.live[block];
		live.mask = &flow->slice.mask[block];
	}
	if (!activation->reached[block]) {
		state_copy(&activation->in[block], state);
		activation->reached[block] = true;
		activation->dirty[block] = true;
		return state_keep(&activation->in[block], flow->sliced ? &live : NULL);
	}
	status =
	    state_join(&flow->store, &activation->in[block], state, flow->sliced ? &live : NULL,
		       loop, activation->visits[block] > (loop ? WIDEN_LOOP_AFTER : WIDEN_AFTER));
	if (status < 0)
		return status;
	if (status)
		activation->dirty[block] = true;
	return 0;
}

static int flow_out(struct flow *flow, struct activation *activation, const struct state *state)
{
	int status;

	if (!activation->returned) {
		state_copy(activation->out, state);
		activation->returned = true;
		return 0;
	}
	status = state_join(&flow->store, activation->out, state, NULL, false, false);
	return status < 0 ? status : 0;
}

static int run_function(struct flow *flow, uint64_t entry, const struct state *in,
			value_id return_low, struct state *out, bool *returned);

/* Analyse a call in place, or give up on what it may change. `state` becomes the state after. */
static int call(struct flow *flow, uint64_t target, bool known, const struct insn *insn,
		value_id return_low, struct state *state, bool *returned)
{
	const struct isa_section *section =
	    known ? isa_image_section(flow->program->image, target) : NULL;
	struct state after;
	const char *why = NULL;
	bool recursive = false;
	unsigned i, floor, count;
	int status;

	*returned = true;
	if (!known || !section || !section->exec)
		why = "a call through a pointer";
	for (i = 0; !why && i < flow->depth; i++)
		recursive |= flow->stack[i]->entry == target;
	/* A function that calls itself is being visited: its atomics are listed. */
	if (!why && recursive)
		why = "a recursive call";
	if (!why && flow->depth == CALL_DEPTH)
		why = "calls nested too deeply";
	if (why) {
		/* Whatever function it runs, it may be one that was seen with other arguments. */
		flow->unseen = why;
		(recursive ? flow_incomplete
			   : flow_unvisited)(flow, insn->pc, "%s at address 0x%llx is not followed",
					     why, (unsigned long long)insn->pc);
		return state_clobber(&flow->store, state, why);
	}
	state_enter(state, &floor, &count);
	flow->call[flow->depth - 1] = insn->pc;
	status = run_function(flow, target, state, return_low, &after, returned);
	if (status)
		return status;
	if (*returned) {
		state_clear(state);
		*state = after;
		return state_leave(&flow->store, state, floor, count);
	}
	return 0;
}

/* Follows the last instruction of a block to where control goes. */
static int leave(struct flow *flow, struct activation *activation, const struct block *block,
		 const struct insn *insn, struct state *state)
{
	struct value_store *store = &flow->store;
	struct state none;
	uint64_t target = 0;
	bool known, returned;
	value_id low;
	int status;

	if (flow->launch && block->successor[1] != NO_BLOCK && insn->class != OP_BRANCH) {
		enum concrete_way way = concrete_branch(flow, insn, state,
							block->successor[1] > activation->current
							    ? NULL
							    : &activation->in[block->successor[1]]);

		activation->leads[activation->current] = 0;
		if (way != WAY_BOTH)
			return flow_into(flow, activation, block->successor[way == WAY_JUMP],
					 state);
		activation->leads[activation->current] = block->successor[0] > block->successor[1]
							     ? block->successor[0]
							     : block->successor[1];
	}
	switch (insn->class) {
	case OP_BRANCH:
		return flow_into(flow, activation, block->successor[1], state);
	case OP_CBRANCH:
		status = flow_into(flow, activation, block->successor[0], state);
		return status ? status : flow_into(flow, activation, block->successor[1], state);
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
		state_copy(&none, state);
		status = state_none(&none);
		if (!status)
			status =
			    flow_into(flow, activation,
				      block->successor[insn->class == OP_CBRANCH_EXECZ], &none);
		state_clear(&none);
		return status
			   ? status
			   : flow_into(flow, activation,
				       block->successor[insn->class == OP_CBRANCH_EXECNZ], state);
	case OP_CALL:
		known = insn->operand_count > 1 &&
			flow_code_address(flow, flow_operand(flow, state, &insn->operand[1], 0),
					  &target);
		low = value_base(store, BASE(BASE_IMAGE, 0),
				 (int32_t)(uint32_t)(insn->pc + insn->length));
		status = flow_write(flow, state, &insn->operand[0], 0, low);
		if (!status)
			status =
			    flow_write(flow, state, &insn->operand[0], 1, flow_image_high(flow));
		if (!status)
			status = call(flow, target, known, insn, low, state, &returned);
		if (status || !returned || block->ends)
			return status;
		return flow_into(flow, activation, block->successor[0], state);
	case OP_SETPC:
		low = insn->operand_count ? flow_operand(flow, state, &insn->operand[0], 0)
					  : VALUE_BOTTOM;
		if (low == activation->return_low && low != VALUE_BOTTOM)
			return flow_out(flow, activation, state);
		known = flow_code_address(flow, low, &target);
		if (known && isa_image_symbol_at(flow->program->image, target, true) &&
		    isa_image_symbol_at(flow->program->image, target, true)->address == target) {
			/* A tail call: it returns to our caller. */
			status = call(flow, target, true, insn, activation->return_low, state,
				      &returned);
			return status || !returned ? status : flow_out(flow, activation, state);
		}
		flow_unvisited(flow, insn->pc, "an indirect jump at address 0x%llx is not followed",
			       (unsigned long long)insn->pc);
		status = state_clobber(store, state, "an indirect jump");
		return status ? status : flow_out(flow, activation, state);
	case OP_END:
		return 0;
	default:
		if (block->ends)
			return 0;
		return flow_into(flow, activation, block->successor[0], state);
	}
}

static int visit(struct flow *flow, struct activation *activation, uint32_t index)
{
	const struct function *function = activation->function;
	const struct block *block = &function->block[index];
	struct state state;
	int status;

	activation->visits[index]++;
	activation->current = activation->trail[0] = index;
	activation->trail_count = 1;
	state_copy(&state, &activation->in[index]);
	status = run_block(flow, function, block, &state);
	if (!status && !flow->exhausted)
		status = leave(flow, activation, block,
			       function->insn[block->first + block->count - 1], &state);
	if (!status && flow->store.failed)
		status = -ENOMEM;
	state_clear(&state);
	return status;
}

/* The last block that a loop reaches which begins at `first`, or one that overlaps with it. */
static uint32_t loops_end(const struct function *function, uint32_t first)
{
	uint32_t end = first, b, i;

	for (b = first; b <= end; b++)
		for (i = 0; i < function->block[b].predecessor_count; i++)
			if (function->block[b].predecessor[i] > end)
				end = function->block[b].predecessor[i];
	return end;
}

/*
 * Visit blocks `first` to `last` until nothing changes, round by round: loops within loops then
 * settle together, not the inner one anew for every time round the outer one.
 */
static int settle(struct flow *flow, struct activation *activation, uint32_t first, uint32_t last)
{
	bool again = true;
	int status = 0;

	while (again) {
		again = false;
		for (uint32_t i = first; i <= last; i++) {
			if (!activation->dirty[i])
				continue;
			activation->dirty[i] = false;
			status = visit(flow, activation, i);
			if (status || flow->exhausted)
				return status;
			again = true;
		}
	}
	return 0;
}

/* In an evaluation, what comes first is visited first, so that ways meet before they go on. */
static int follow(struct flow *flow, struct activation *activation)
{
	uint32_t block = 0;
	int status = 0;

	while (block < activation->function->block_count && !status && !flow->exhausted) {
		if (!activation->dirty[block]) {
			block++;
			continue;
		}
		activation->dirty[block] = false;
		flow->launch->waiting--;
		status = visit(flow, activation, block);
		for (unsigned i = 0; i < 2; i++)
			if (activation->function->block[block].successor[i] < block)
				block = activation->function->block[block].successor[i];
	}
	return status;
}

static int run_function(struct flow *flow, uint64_t entry, const struct state *in,
			value_id return_low, struct state *out, bool *returned)
{
	const struct function *function = program_function(flow->program, entry);
	struct activation activation = { .function = function,
					 .out = out,
					 .return_low = return_low };
	uint32_t i, end;
	int status = -ENOMEM;

	*returned = false;
	if (!function)
		return -ENOMEM;
	if (function->problem)
		flow_unvisited(flow, entry, "%s at address 0x%llx", function->problem,
			       (unsigned long long)entry);
	if (function->entry_block == NO_BLOCK)
		return 0;
	activation.in = reallocarray(NULL, function->block_count, sizeof(*activation.in));
	activation.reached = calloc(function->block_count, sizeof(bool));
	activation.dirty = calloc(function->block_count, sizeof(bool));
	activation.visits = calloc(function->block_count, sizeof(unsigned));
	activation.ways = calloc(function->block_count, sizeof(*activation.ways));
	activation.leads = calloc(function->block_count, sizeof(*activation.leads));
	if (!activation.in || !activation.reached || !activation.dirty || !activation.visits ||
	    !activation.ways || !activation.leads)
		goto out;
	if (!flow->depth) {
		flow->kernel = function;
		flow->sliced =
		    !flow->swaps && !flow->launch && slice_function(&flow->slice, function);
	}
	flow->stack[flow->depth++] = function;
	status = flow_into(flow, &activation, function->entry_block, in);
	if (!status && flow->launch)
		status = follow(flow, &activation);
	for (i = 0; !status && !flow->launch && !flow->exhausted && i < function->block_count;
	     i = end + 1) {
		end = loops_end(function, i);
		status = settle(flow, &activation, i, end);
	}
	flow->depth--;
out:
	for (i = 0; activation.reached && activation.in && i < function->block_count; i++)
		if (activation.reached[i])
			state_clear(&activation.in[i]);
	free(activation.in);
	free(activation.reached);
	free(activation.dirty);
	free(activation.visits);
	free(activation.ways);
	free(activation.leads);
	if (status && activation.returned)
		state_clear(out);
	*returned = !status && activation.returned;
	return status;
}

static void set_pair(struct flow *flow, struct state *state, int reg, uint32_t base)
{
	if (reg < 0)
		return;
	state->scalar[reg] = value_base(&flow->store, base, 0);
	state->scalar[reg + 1] = value_base(&flow->store, base + 1, 0);
}

int flow_run(struct flow *flow, const struct flow_entry *entry)
{
	struct state state, out;
	bool returned;
	unsigned i;
	int status = state_init(&state, &flow->program->pool);

	if (status)
		return status;
	flow->wave_size = entry->wave_size;
	/* Work-group ids, flat scratch and other small numbers, where nothing else is put. */
	for (i = 0; i < entry->user_count + 8; i++)
		state.scalar[i] = VALUE_NUMBER;
	state.scalar[REG_M0] = VALUE_NUMBER;
	/* gfx12 has the work-group's ids here [LUG, "Initial Kernel Execution State"]. */
	for (i = 108; i < 124; i++)
		state.scalar[i] = VALUE_NUMBER;
	for (i = 0; i < 3; i++)
		status =
		    status ? status : state_set(&flow->store, &state, REG_VECTOR + i, VALUE_NUMBER);
	if (!status && entry->items)
		status = state_set(&flow->store, &state, REG_VECTOR,
				   flow_bounded(flow, 1, entry->items - 1));
	for (i = 0; i < 4 && entry->scratch_rsrc >= 0; i++)
		state.scalar[entry->scratch_rsrc + (int)i] =
		    value_base(&flow->store, BASE(BASE_SCRATCH_RSRC, i), 0);
	set_pair(flow, &state, entry->dispatch_ptr, BASE(BASE_DISPATCH_PTR, 0));
	set_pair(flow, &state, entry->queue_ptr, BASE(BASE_DISPATCH_PTR, 2));
	set_pair(flow, &state, entry->kernarg_ptr, BASE(BASE_KERNARG_PTR, 0));
	for (i = 0; i < entry->preload_count && entry->preload >= 0; i++)
		state.scalar[entry->preload + (int)i] =
		    concrete_argument(flow, (entry->preload_offset + i) * 4);
	if (!status && flow->launch)
		status = concrete_begin(flow, entry, &state);
	if (!status)
		status = run_function(flow, entry->pc, &state, VALUE_BOTTOM, &out, &returned);
	if (!status && returned)
		state_clear(&out);
	state_clear(&state);
	return status;
}
