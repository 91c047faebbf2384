/* SPDX-License-Identifier: Apache-2.0 */
/* Decoded instructions and the control flow graph of functions. */
#ifndef HIPGRAIN_ISA_INSN_H
#define HIPGRAIN_ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code_image.h"
#include "isa.h"
#include "lane_pool.h"

/*
 * Register numbers: 0..127 scalar (as encoded: 106 vcc_lo, 124 m0, 126 exec_lo), 128..383 vector,
 * 384..639 accumulation.
 */
#define REG_VCC    106u
#define REG_M0     124u
#define REG_EXEC   126u
#define REG_VECTOR 128u
#define REG_ACC    384u
#define REG_COUNT  640u

enum operand_kind {
	OPERAND_NONE,
	OPERAND_REG,     /* `count` registers from `reg` on */
	OPERAND_CONST,   /* integer `value` */
	OPERAND_FLOAT,   /* a floating point literal, value not needed */
	OPERAND_OFF,     /* the word "off" */
	OPERAND_SHARED,  /* src_shared_base */
	OPERAND_PRIVATE, /* src_private_base */
	OPERAND_HWREG,   /* hwreg(...): `value` = offset << 8 | width, reg = 1 for SH_MEM_BASES */
	OPERAND_OTHER,
};

/* Three words: there are many of them, and what few cache lines hold is found quickly. */
struct operand {
	uint32_t kind : 4;
	uint32_t low : 1;  /* the lower half of the register, which the text says */
	uint32_t half : 1; /* a part of the register only */
	uint32_t reg : 13;
	uint32_t count : 13;
	int64_t value;
} __attribute__((packed, aligned(4)));

/* A class is what an instruction means to the analysis; see optable.def. */
enum op_class {
	OP_UNKNOWN,
#define HG_CLASS(name) OP_##name,
#define HG_OPCODE(mnemonic, class)
#include "optable.def"
#undef HG_CLASS
#undef HG_OPCODE
};

/* Addressing families of memory instructions. */
enum mem_family {
	MEM_NONE,
	MEM_SCALAR,
	MEM_SCALAR_BUFFER,
	MEM_GLOBAL,
	MEM_FLAT,
	MEM_SCRATCH,
	MEM_BUFFER,
	MEM_DS,
	MEM_IMAGE,
};

struct decoder;

#define INSN_OPERANDS 8

/* Traits are what mnemonics say that is needed often. */
enum insn_trait {
	INSN_SCALAR = 1u << 0,    /* of the scalar unit: s_... */
	INSN_VECTOR = 1u << 1,    /* v_... */
	INSN_SETS_SCC = 1u << 2,  /* of the scalar unit, and may set the condition code */
	INSN_DIV_SCALE = 1u << 3, /* it has two destinations */
	INSN_CARRIES = 1u << 4,   /* adds or subtracts a carry, too */
	INSN_EQUAL = 1u << 5,     /* compares two numbers of 32 bits: whether they are equal... */
	INSN_DIFFERENT = 1u << 6, /* ...or not */
	INSN_UNSIGNED = 1u << 7,  /* ..._u32 */
	INSN_LEAST = 1u << 8,     /* the lesser of two numbers without sign */
	INSN_HIGH_PART = 1u << 9, /* the upper half of their product */
	INSN_ACCUMULATES = 1u << 10, /* its destination is a source, too: d += a * b */
	INSN_SLEEPS = 1u << 11,
};

struct insn {
	uint64_t pc;
	const char *mnemonic; /* without encoding suffix; owned by the program */
	struct insn *dual;    /* the second half of an instruction that does two things at once */
	uint64_t hash;        /* of everything but pc and walk; set by decode.c */
	uint32_t name;        /* a hash of the mnemonic */
	uint32_t walk;        /* the walk that found it last */
	int32_t offset;       /* the offset: modifier, bytes */
	uint16_t cache;       /* ISA_CACHE_*: the words it is printed with */
	uint16_t traits;      /* enum insn_trait, a bit for each */
	uint8_t length;       /* bytes */
	uint8_t class;        /* enum op_class */
	uint8_t operand_count;
	uint8_t family;   /* enum mem_family */
	uint8_t fence;    /* 1 writes caches back, 2 invalidates them */
	uint8_t settles;  /* 1 waits for all accesses of the wave to memory, 2 invalidates its L1 */
	uint8_t sdwa_src; /* of which sources it takes a part: a bit for each */
	uint8_t index_mode; /* of OP_INDEX_ON: 1 sources, 2 destinations */
	uint8_t dwords;     /* registers moved by a memory instruction */
	uint8_t atomic_op;  /* enum isa_op */
	uint8_t atomic_type;
	bool load : 1, store : 1, atomic : 1; /* of a memory instruction */
	bool returns : 1; /* atomic: writes the old value to its first operand */
	bool scaled : 1;  /* its index counts elements, not bytes */
	bool offen : 1, idxen : 1, lds : 1, sub_dword : 1, fp : 1;
	bool dpp : 1; /* operands come from other lanes */
	/* A store of one dword: the next or the last such store of its block is to the dword
	 * behind or ahead of it, by their offsets. Set by program.c. */
	bool low_half : 1, high_half : 1;
	bool sdwa : 1, sdwa_dst : 1; /* parts of operands; writes a part of the destination only */
	bool op_sel_hi[2];
	struct operand operand[INSN_OPERANDS]; /* zero from operand_count on */
};

struct block {
	uint32_t first, count; /* instructions, indexes into function.insn */
	uint32_t successor[2]; /* block indexes; NO_BLOCK if absent; [0] is the fall-through */
	bool ends;             /* the next function begins here: what precedes never returns */
	bool asks;             /* its branch may be decided by the way that led to it (way.h) */
	uint32_t *predecessor; /* in function.predecessors, ascending */
	uint32_t predecessor_count;
};
#define NO_BLOCK UINT32_MAX

/* A function: everything reachable from `entry` by branches, without calls. */
struct function {
	uint64_t entry;
	const char *symbol; /* may be NULL */
	struct insn **insn; /* ascending by pc */
	uint32_t insn_count;
	struct block *block; /* ascending by pc; blocks end at calls, too */
	uint32_t block_count;
	uint32_t *predecessors; /* of all blocks */
	uint32_t entry_block;
	const char *problem; /* is what could not be decoded, NULL if nothing */
};

/* Instructions by place. Most of it is never touched. */
struct code_map {
	const struct isa_section *section;
	struct insn **insn; /* one for each four bytes */
};

/* Decoded code of one code object, cached. */
struct program {
	const struct isa_image *image;
	struct decoder *decoder;
	struct code_map *map;   /* of each section with code that was looked at */
	size_t map_count, used; /* used: instructions */
	struct insn **chunk;    /* the instructions lie in them */
	size_t chunk_count;
	uint32_t walks;
	struct function **function;
	size_t function_count;
	struct lane_pool pool; /* of the analyses of its kernels */
};

/* Both are borrowed. 0 or -ENOMEM. */
int program_init(struct program *program, const struct isa_image *image, struct decoder *decoder);
void program_free(struct program *program);
/* Forget what was decoded if it is much. Instructions and functions handed out become invalid. */
void program_trim(struct program *program);

/* Returns the instruction at `pc`, or NULL if there is none (not code, undecodable). */
struct insn *program_insn(struct program *program, uint64_t pc);

/* Returns the function at `entry`, which the program owns; NULL only when out of memory. */
struct function *program_function(struct program *program, uint64_t entry);

/* The block in which `pc` lies, if the function has it; there must be one. */
uint32_t function_block(const struct function *function, uint64_t pc);
/* The place of an instruction in function->insn; NO_INSN if it is not there. */
#define NO_INSN UINT32_MAX
uint32_t function_index(const struct function *function, const struct insn *insn);
/* Finds its block, and its place in that. Returns false if it is not there. */
bool function_place(const struct function *function, const struct insn *insn, uint32_t *block,
		    uint32_t *index);

/* Fill everything but pc and length from a line of disassembly. Exposed for its test. */
void insn_parse(struct insn *insn, char *text);

/* Reads atomic operation and type from a mnemonic; returns false if it is not an atomic. */
bool insn_atomic(const char *mnemonic, enum isa_op *op, enum isa_type *type, bool *fp);

/* Returns true if control does not continue after it, or may continue elsewhere. */
bool insn_is_branch(const struct insn *insn, uint64_t *target, bool *falls_through);

/* Returns true if the instruction writes exec without naming it. */
static inline bool insn_writes_exec_unnamed(const struct insn *insn)
{
	return insn->class == OP_AND_SAVEEXEC || insn->class == OP_ANDN2_SAVEEXEC ||
	       insn->class == OP_OR_SAVEEXEC || insn->class == OP_OTHER_SAVEEXEC ||
	       insn->class == OP_COMPARE_EXEC;
}

/* Returns true for a store of one dword to global memory. */
static inline bool insn_stores_dword(const struct insn *insn)
{
	return insn->store && !insn->atomic && !insn->sub_dword && !insn->lds &&
	       (insn->family == MEM_GLOBAL || insn->family == MEM_FLAT) && insn->dwords == 1;
}

/* Returns true for a store of a dword that may be a half of a pointer. */
static inline bool insn_stores_half(const struct insn *insn)
{
	return insn->low_half || insn->high_half;
}

/* A store of one or two words of 64 bits, which may be pointers. */
static inline bool insn_stores_words(const struct insn *insn)
{
	return insn->store && !insn->atomic && !insn->sub_dword && !insn->lds &&
	       insn->family != MEM_DS && (insn->dwords == 2 || insn->dwords == 4);
}

#endif
