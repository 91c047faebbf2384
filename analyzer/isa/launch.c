/* SPDX-License-Identifier: Apache-2.0 */
/* This tells what a launch says of its kernel's arguments. */
#include "concrete.h"

#include <string.h>

/* The sizes of a work-group begin here in a dispatch packet, of 2 bytes each [HSAH]. */
#define PACKET_SIZES 4

/*
 * Finds a hidden argument that follows from the sizes of the launch
 * (docs/code-objects.md#hidden-arguments).
 */
static bool hidden_number(const struct isa_launch *launch, const char *name, uint32_t *number)
{
	static const struct {
		const char *name;
		bool groups;
		uint8_t dimension;
	} hidden[] = {
		{ "hidden_block_count_x", true, 0 }, { "hidden_block_count_y", true, 1 },
		{ "hidden_block_count_z", true, 2 }, { "hidden_group_size_x", false, 0 },
		{ "hidden_group_size_y", false, 1 }, { "hidden_group_size_z", false, 2 },
	};

	for (size_t i = 0; name && i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (strcmp(hidden[i].name, name) != 0)
			continue;
		*number = (hidden[i].groups ? launch->groups : launch->items)[hidden[i].dimension];
		return *number;
	}
	return false;
}

/* Returns the argument that has the byte, or NULL. */
static const struct codeobj_arg *argument_at(const struct launch_values *values, uint32_t offset)
{
	for (size_t i = 0; i < values->kernel->arg_count; i++) {
		const struct codeobj_arg *arg = &values->kernel->args[i];

		if (offset >= arg->offset && offset - arg->offset < arg->size)
			return arg;
	}
	return NULL;
}

bool launch_dword(const struct launch_values *values, uint32_t offset, uint32_t *dword)
{
	const struct codeobj_arg *arg = argument_at(values, offset);
	uint64_t word = 0;

	*dword = 0;
	if (!arg || arg->kind != CODEOBJ_ARG_HIDDEN) {
		if (!values->launch->argument(values->launch->user, offset, 4, &word))
			return false;
		*dword = (uint32_t)word;
		return true;
	}
	for (uint32_t at = offset; at < offset + 4; at += arg->size) {
		uint32_t number;

		arg = argument_at(values, at);
		if (!arg || arg->kind != CODEOBJ_ARG_HIDDEN || arg->offset != at || !arg->size ||
		    arg->size > 4 || !hidden_number(values->launch, arg->hidden_name, &number))
			return false;
		*dword |= number << (8 * (at - offset));
	}
	return true;
}

bool launch_is_number(const struct launch_values *values, uint32_t offset)
{
	const struct codeobj_arg *arg = argument_at(values, offset);
	uint32_t start = offset & ~7u, dword;
	uint64_t word;

	if (!launch_dword(values, offset, &dword) ||
	    (arg && arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER))
		return false;
	/* An address lies in one argument, at a multiple of 8. */
	if (!arg || arg->kind == CODEOBJ_ARG_HIDDEN || start < arg->offset ||
	    start + 8 > arg->offset + arg->size)
		return true;
	return values->launch->argument(values->launch->user, start, 8, &word) &&
	       !values->launch->is_address(values->launch->user, word);
}

value_id concrete_argument(struct flow *flow, uint32_t offset)
{
	uint32_t dword;

	if (flow->launch && launch_is_number(flow->launch, offset) &&
	    launch_dword(flow->launch, offset, &dword))
		return value_const(&flow->store, (int32_t)dword);
	return value_base(&flow->store, BASE(BASE_KERNARG, offset), 0);
}

value_id concrete_packet(struct flow *flow, const struct insn *insn, int64_t offset)
{
	const uint32_t *items = flow->launch ? flow->launch->launch->items : NULL;
	value_id value = VALUE_NUMBER;
	uint32_t dword;

	if (!items || offset < PACKET_SIZES || offset >= PACKET_SIZES + 8 || !items[0] ||
	    !items[1] || !items[2] || items[0] > UINT16_MAX)
		return VALUE_NUMBER;
	/* A dword has two sizes; the other one has the third, and 0 [HSAH]. */
	dword = offset < PACKET_SIZES + 4 ? items[0] | items[1] << 16 : items[2];
	concrete_part(flow, insn, value_const(&flow->store, (int32_t)dword), (unsigned)offset & 3,
		      &value);
	return value;
}

int concrete_begin(struct flow *flow, const struct flow_entry *entry, struct state *state)
{
	const struct isa_launch *launch = flow->launch->launch;
	bool flat = launch->items[1] == 1 && launch->items[2] == 1;
	int status = 0;

	for (unsigned i = 0; i < 3; i++)
		if (entry->group[i] >= 0 && launch->groups[i])
			state->scalar[entry->group[i]] =
			    value_bounded(&flow->store, 1, launch->groups[i] - 1);
	/* In one dimension the other numbers are 0, packed or not. */
	if (flat && launch->items[0]) {
		status = state_set(&flow->store, state, REG_VECTOR,
				   value_bounded(&flow->store, 1, launch->items[0] - 1));
		for (unsigned i = 1; !status && i < 3; i++)
			status = state_set(&flow->store, state, REG_VECTOR + i,
					   value_const(&flow->store, 0));
	}
	return status;
}
