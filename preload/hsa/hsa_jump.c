/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ROCr's exported functions pass their arguments on to the function whose pointer is in a table:
 *
 *	mov table(%rip), %rax		or	mov table(%rip), %rax
 *	jmp *OFFSET(%rax)			mov OFFSET(%rax), %rax
 *						jmp *%rax
 *
 * The pointers in the table are those of functions that are not exported, so that the code is the
 * only thing in a running process that connects a name with a place in the table. It is followed
 * from its first instruction: which register holds what an address in the library held, and where
 * the pointer of the first indirect jump or call came from. Prologues of other options (frame
 * pointers, stack protector, no optimization) store and load arguments meanwhile. The table's
 * pointers themselves do not matter: another tool may have replaced them.
 *
 * Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
 */
#include "preload/hsa/hsa_jump.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__

#define MAX_INSTRUCTIONS 64
#define REGISTERS        16u

struct value {
	bool known;        /* `number` is what the register holds */
	uint64_t number;   /* an address */
	const void *place; /* the address it was loaded from; NULL: elsewhere */
};

struct walk {
	const uint8_t *at;
	const void *library; /* base address of the object that the code is in */
	struct value registers[REGISTERS];
};

/* An instruction's operands by its ModRM byte. */
struct operands {
	unsigned reg, rm; /* numbers of registers */
	bool memory;      /* rm is an operand in memory, at `address` if `known` */
	bool known;
	uint64_t address;
};

/* Only what the library maps itself is read. */
static bool is_in_library(const struct walk *walk, uint64_t address)
{
	Dl_info info;

	return dladdr((const void *)(uintptr_t)address, &info) && info.dli_fbase == walk->library;
}

static int32_t read_int32(const uint8_t *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Reads ModRM, SIB and displacement; `immediate` bytes follow. */
static struct operands read_operands(struct walk *walk, unsigned rex, bool segment,
				     unsigned immediate)
{
	unsigned modrm = *walk->at++, mode = modrm >> 6;
	struct operands ops = { .reg = (modrm >> 3 & 7) | (rex & 4) << 1,
				.rm = (modrm & 7) | (rex & 1) << 3,
				.memory = mode != 3 };
	bool indexed = false, relative = false;
	int64_t offset = 0;

	if (!ops.memory)
		return ops;
	if ((modrm & 7) == 4) {
		unsigned sib = *walk->at++;

		ops.rm = (sib & 7) | (rex & 1) << 3;
		indexed = (sib >> 3 & 7) != 4 || (rex & 2) || ((sib & 7) == 5 && !mode);
	}
	relative = !mode && (modrm & 7) == 5;
	if (mode == 1) {
		offset = (int8_t)*walk->at++;
	} else if (mode == 2 || relative || (!mode && indexed && (ops.rm & 7) == 5)) {
		offset = read_int32(walk->at);
		walk->at += 4;
	}
	if (segment || indexed)
		return ops;
	if (relative) {
		ops.known = true;
		ops.address = (uintptr_t)walk->at + immediate + (uint64_t)offset;
	} else if (walk->registers[ops.rm].known) {
		ops.known = true;
		ops.address = walk->registers[ops.rm].number + (uint64_t)offset;
	}
	return ops;
}

/* The value that is at an address, as far as it may be looked at. */
static struct value load(const struct walk *walk, const struct operands *ops)
{
	struct value value = { false, 0, NULL };

	if (!ops->known)
		return value;
	value.place = (const void *)(uintptr_t)ops->address;
	if (is_in_library(walk, ops->address)) {
		memcpy(&value.number, value.place, sizeof(value.number));
		value.known = true;
	}
	return value;
}

enum step { GO_ON, FOUND, LOST };

/* FF: push, and the jump or call that ends the walk. */
static enum step step_indirect(struct walk *walk, unsigned rex, bool segment, const void **slot)
{
	struct operands ops = read_operands(walk, rex, segment, 0);
	unsigned operation = ops.reg & 7;

	if (operation == 6)
		return GO_ON;
	if (operation != 2 && operation != 4)
		return LOST;
	if (ops.memory)
		*slot = ops.known ? (const void *)(uintptr_t)ops.address : NULL;
	else
		*slot = walk->registers[ops.rm].place;
	return *slot ? FOUND : LOST;
}

/* Moves; `wide`: of 64 bits. What else ends in a register makes it unknown. */
static enum step step_move(struct walk *walk, unsigned opcode, unsigned rex, bool segment)
{
	struct operands ops = read_operands(walk, rex, segment, 0);
	struct value unknown = { false, 0, NULL };
	bool wide = (rex & 8) != 0;
	struct value *target = &walk->registers[opcode == 0x89 ? ops.rm : ops.reg];

	if (opcode == 0x89 && ops.memory)
		return GO_ON;
	if (!wide)
		*target = unknown;
	else if (opcode == 0x8d)
		*target = (struct value){ ops.known, ops.address, NULL };
	else if (opcode == 0x8b && ops.memory)
		*target = load(walk, &ops);
	else
		*target = walk->registers[opcode == 0x89 ? ops.reg : ops.rm];
	return GO_ON;
}

/* Decodes an addition, subtraction, exclusive or, or comparison: the result is not known. */
static enum step step_arithmetic(struct walk *walk, unsigned opcode, unsigned rex, bool segment)
{
	unsigned immediate = opcode == 0x83 ? 1 : opcode == 0x81 ? 4 : 0;
	struct operands ops = read_operands(walk, rex, segment, immediate);
	bool to_reg = opcode == 0x2b || opcode == 0x33 || opcode == 0x03;

	walk->at += immediate;
	if (to_reg)
		walk->registers[ops.reg].known = false, walk->registers[ops.reg].place = NULL;
	else if (!ops.memory)
		walk->registers[ops.rm].known = false, walk->registers[ops.rm].place = NULL;
	return GO_ON;
}

static enum step step(struct walk *walk, const void **slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned rex = 0, opcode;
	bool segment = false;

	if (!memcmp(walk->at, endbr64, sizeof(endbr64))) {
		walk->at += sizeof(endbr64);
		return GO_ON;
	}
	if (*walk->at == 0x3e) /* notrack */
		walk->at++;
	if (*walk->at == 0x64) { /* the thread's memory: the stack protector's number */
		segment = true;
		walk->at++;
	}
	if ((*walk->at & 0xf0) == 0x40)
		rex = *walk->at++;
	opcode = *walk->at++;
	switch (opcode) {
	case 0x90:
		return GO_ON;
	case 0x50 ... 0x57: /* push */
		return GO_ON;
	case 0x58 ... 0x5f: /* pop */
		walk->registers[(opcode & 7) | (rex & 1) << 3] = (struct value){ false, 0, NULL };
		return GO_ON;
	case 0x75: /* jne: where the stack protector is content, it goes on */
		walk->at++;
		return GO_ON;
	case 0xeb:
		walk->at += (int8_t)*walk->at + 1;
		return GO_ON;
	case 0xe9:
		walk->at += read_int32(walk->at) + 4;
		return GO_ON;
	case 0x89:
	case 0x8b:
	case 0x8d:
		return step_move(walk, opcode, rex, segment);
	case 0x03:
	case 0x2b:
	case 0x31:
	case 0x33:
	case 0x39:
	case 0x3b:
	case 0x81:
	case 0x83:
		return step_arithmetic(walk, opcode, rex, segment);
	case 0xff:
		return step_indirect(walk, rex, segment, slot);
	default:
		return LOST;
	}
}

const void *hg_jump_slot(const void *code)
{
	struct walk walk = { .at = code };
	enum step result = GO_ON;
	const void *slot = NULL;
	Dl_info info;

	if (!dladdr(code, &info))
		return NULL;
	walk.library = info.dli_fbase;
	for (int i = 0; i < MAX_INSTRUCTIONS && result == GO_ON; i++) {
		if (!is_in_library(&walk, (uintptr_t)walk.at))
			return NULL;
		result = step(&walk, &slot);
	}
	return result == FOUND ? slot : NULL;
}

#else

const void *hg_jump_slot(const void *code)
{
	(void)code;
	return NULL;
}

#endif
