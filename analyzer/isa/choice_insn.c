/* SPDX-License-Identifier: Apache-2.0 */
/* Reads instructions for the search for conditions, once for its many passes. */
#include "choice_search.h"

#include <string.h>

static bool starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

unsigned choice_vector_slot(const struct choice *choice, const struct operand *operand)
{
	for (unsigned i = 0; operand->kind == OPERAND_REG && i < choice->vector_count; i++)
		if (operand->reg <= choice->vector[i] &&
		    choice->vector[i] - operand->reg < operand->count)
			return REG_VECTOR + i;
	return CHOICE_REGS;
}

static bool is_masks(const struct insn *insn)
{
	return insn->class == OP_AND_SAVEEXEC || insn->class == OP_ANDN2_SAVEEXEC ||
	       insn->class == OP_OR_SAVEEXEC || insn->class == OP_OTHER_SAVEEXEC ||
	       insn->class == OP_COMPARE_EXEC;
}

unsigned choice_destinations(const struct insn *insn)
{
	switch (insn->class) {
	case OP_NOTHING:
	case OP_BARRIER:
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
	case OP_END:
	case OP_COMPARE_SCALAR:
		return 0;
	case OP_ADD_CARRY_OUT:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV_CARRY_OUT:
	case OP_LAST_PLUS64:
	case OP_SWAP:
	case OP_COMPARE_EXEC:
		return 2;
	case OP_UNKNOWN:
	case OP_CALL:
	case OP_SETPC:
	case OP_ODD:
	case OP_INDEX_ON:
	case OP_INDEX_OFF:
	case OP_INDEX_SOURCE:
	case OP_INDEX_DEST:
		return INSN_OPERANDS;
	case OP_MEMORY:
		return insn->store && !insn->atomic ? 0 : 1;
	case OP_DATA:
		return insn->traits & INSN_VECTOR && insn->traits & INSN_DIV_SCALE ? 2 : 1;
	default:
		return 1;
	}
}

/* Returns true for v_cndmask of constants, such as 0 and 1. */
static bool makes_flag(const struct insn *insn)
{
	return insn->class == OP_SELECT && insn->traits & INSN_VECTOR && insn->operand_count >= 3 &&
	       insn->operand[0].count == 1 && !insn->sdwa && !insn->dpp &&
	       insn->operand[1].kind == OPERAND_CONST && insn->operand[2].kind == OPERAND_CONST;
}

void choice_follow(struct choice *choice, const struct insn *insn)
{
	if (makes_flag(insn) && choice->vector_count < CHOICE_VECTORS &&
	    choice_vector_slot(choice, &insn->operand[0]) == CHOICE_REGS)
		choice->vector[choice->vector_count++] = insn->operand[0].reg;
}

bool choice_is_idle(const struct choice *choice, const struct insn *insn)
{
	unsigned count;

	switch (insn->class) {
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
	case OP_END:
		return true;
	case OP_COMPARE:
	case OP_SELECT:
		return false;
	default:
		break;
	}
	if (insn->class != OP_NOTHING && insn->class != OP_MEMORY && insn->traits & INSN_SCALAR)
		return false;
	count = choice_destinations(insn);
	if (count == INSN_OPERANDS || is_masks(insn))
		return false;
	for (unsigned i = 0; i < count && i < insn->operand_count; i++)
		if (choice_is_scalar(&insn->operand[i]) ||
		    choice_vector_slot(choice, &insn->operand[i]) < CHOICE_REGS)
			return false;
	return !insn->dual || choice_is_idle(choice, insn->dual);
}

/* Returns true for instructions of the scalar unit that leave the condition code alone [LUG]. */
static bool keeps_scc(const struct insn *insn)
{
	if (starts(insn->mnemonic, "s_mul_") || starts(insn->mnemonic, "s_pack_") ||
	    starts(insn->mnemonic, "s_sext_"))
		return true;
	switch (insn->class) {
	case OP_MOVE:
	case OP_GETPC:
	case OP_GETREG:
		return true;
	case OP_NOTHING: /* gfx12's s_barrier_leave sets it */
		return !starts(insn->mnemonic, "s_barrier");
	default:
		return false;
	}
}

enum choice_relation choice_relation_of(const char *how)
{
	static const struct {
		const char *prefix;
		enum choice_relation relation;
	} relations[] = {
		{ "eq_", RELATION_EQUAL },         { "lg_", RELATION_DIFFERENT },
		{ "ne_", RELATION_DIFFERENT },     { "lt_", RELATION_LESS },
		{ "ge_", RELATION_GREATER_EQUAL }, { "gt_", RELATION_GREATER },
		{ "le_", RELATION_LESS_EQUAL },
	};

	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++)
		if (starts(how, relations[i].prefix))
			return relations[i].relation;
	return RELATION_NONE;
}

static void read_relation(const char *how, struct choice_insn *step)
{
	step->is_signed = strstr(how, "_i32");
	if (step->is_signed || strstr(how, "_u32"))
		step->relation = (uint8_t)choice_relation_of(how);
}

static enum choice_action read_comparison(const struct insn *insn, struct choice_insn *step)
{
	const char *name = insn->mnemonic, *how = strchr(name, '_') + 1;

	if (insn->operand_count < 2)
		return ACTION_WRITE;
	if (!strcmp(name, "s_bitcmp0_b32"))
		return ACTION_TEST_NO_BIT;
	if (!strcmp(name, "s_bitcmp1_b32"))
		return ACTION_TEST_BIT;
	how = strchr(how, '_') ? strchr(how, '_') + 1 : how;
	if (!strcmp(how, "eq_u64") || !strcmp(how, "lg_u64")) {
		step->relation = how[0] == 'e' ? RELATION_EQUAL : RELATION_DIFFERENT;
		return ACTION_COMPARE_WIDE;
	}
	read_relation(how, step);
	/* Constants of 16 bits, which are printed as they are encoded. */
	step->extends = starts(name, "s_cmpk_") && strstr(how, "_i32");
	return ACTION_COMPARE_SCALAR;
}

/* Reads one of the scalar unit with one destination of at most two dwords. */
static enum choice_action read_scalar(const struct insn *insn, struct choice_insn *step)
{
	const struct operand *to = &insn->operand[0];

	if (insn->operand_count < 2 || !choice_is_scalar(to) || to->count > 2 ||
	    !strcmp(insn->mnemonic, "s_cmovk_i32"))
		return ACTION_WRITE;
	if (insn->class == OP_SELECT || insn->class == OP_CMOV)
		return ACTION_SELECT_SCC;
	if (insn->class != OP_MOVE && insn->class != OP_NOT && insn->operand_count < 3)
		return ACTION_WRITE;
	/* Printed as it is encoded. */
	step->extends = !strcmp(insn->mnemonic, "s_movk_i32");
	switch (insn->class) {
	case OP_ADD:
		step->carries =
		    strstr(insn->mnemonic, "addc") || strstr(insn->mnemonic, "add_co_ci");
		return ACTION_COMPUTE;
	case OP_SUB:
		return strstr(insn->mnemonic, "subb") || strstr(insn->mnemonic, "sub_co_ci")
			   ? ACTION_WRITE
			   : ACTION_COMPUTE;
	case OP_LSHR:
		return to->count == 1 ? ACTION_COMPUTE : ACTION_WRITE;
	case OP_FIELD_PACKED:
		return strcmp(insn->mnemonic, "s_bfe_u32") ? ACTION_WRITE : ACTION_COMPUTE;
	case OP_MOVE:
	case OP_AND:
	case OP_ANDN2:
	case OP_OR:
	case OP_XOR:
	case OP_NOT:
	case OP_ADD64:
		return ACTION_COMPUTE;
	default:
		return ACTION_WRITE;
	}
}

/* Returns true if it can be followed what an operand holds. */
static bool can_be_known(const struct choice *choice, const struct operand *operand)
{
	return operand->kind == OPERAND_CONST || choice_is_scalar(operand) ||
	       choice_vector_slot(choice, operand) < CHOICE_REGS;
}

static enum choice_action read_action(const struct choice *choice, const struct insn *insn,
				      struct choice_insn *step)
{
	if (step->destinations == INSN_OPERANDS)
		return ACTION_LOSE_ALL;
	switch (insn->class) {
	case OP_MEMORY:
		return ACTION_LOAD;
	case OP_COMPARE_SCALAR:
		return read_comparison(insn, step);
	case OP_COMPARE:
		if (insn->operand_count == 3 && !insn->sdwa && !insn->dpp &&
		    can_be_known(choice, &insn->operand[1]) &&
		    can_be_known(choice, &insn->operand[2]) && starts(insn->mnemonic, "v_cmp_"))
			read_relation(insn->mnemonic + 6, step);
		return step->relation == RELATION_NONE ? ACTION_WRITE : ACTION_COMPARE_VECTOR;
	default:
		break;
	}
	if (is_masks(insn))
		return ACTION_MASKS;
	return insn->traits & INSN_SCALAR && step->destinations ? read_scalar(insn, step)
								: ACTION_WRITE;
}

void choice_read(const struct choice *choice, const struct insn *insn, uint32_t index,
		 struct choice_insn *step)
{
	memset(step, 0, sizeof(*step));
	step->insn = insn;
	step->index = index;
	step->destinations = (uint8_t)choice_destinations(insn);
	for (unsigned i = 0; i < step->destinations && i < insn->operand_count; i++)
		for (unsigned k = 0; k < choice->vector_count; k++)
			if (insn->operand[i].kind == OPERAND_REG &&
			    insn->operand[i].reg <= choice->vector[k] &&
			    choice->vector[k] - insn->operand[i].reg < insn->operand[i].count)
				step->vectors |= (uint8_t)(1u << k);
	step->selects = insn->class == OP_SELECT && insn->traits & INSN_VECTOR;
	step->makes_flag = makes_flag(insn);
	step->keeps_scc = !(insn->traits & INSN_SCALAR) || keeps_scc(insn);
	step->action = (uint8_t)read_action(choice, insn, step);
}

enum choice_branch choice_read_branch(const struct insn *insn)
{
	static const struct {
		const char *name;
		enum choice_branch branch;
	} branches[] = {
		{ "s_cbranch_scc0", BRANCH_SCC0 },
		{ "s_cbranch_scc1", BRANCH_SCC1 },
		{ "s_cbranch_vccz", BRANCH_VCC_ZERO },
		{ "s_cbranch_vccnz", BRANCH_VCC_NOT_ZERO },
	};

	if (insn->class == OP_CBRANCH_EXECZ || insn->class == OP_CBRANCH_EXECNZ)
		return insn->class == OP_CBRANCH_EXECZ ? BRANCH_EXEC_ZERO : BRANCH_EXEC_NOT_ZERO;
	for (size_t i = 0; insn->class == OP_CBRANCH && i < sizeof(branches) / sizeof(branches[0]);
	     i++)
		if (!strcmp(insn->mnemonic, branches[i].name))
			return branches[i].branch;
	return BRANCH_UNKNOWN;
}
