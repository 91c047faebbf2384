/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract interpretation of a kernel: which addresses its memory instructions use.
 *
 * A function is iterated over its blocks until the states at block entries no longer change.
 * Calls whose target is known are analysed in place with the caller's state (no summaries, so
 * pointers passed in registers and on the stack come out exactly); recursion, calls through
 * pointers and calls nested deeper than CALL_DEPTH make what they may change unknown. The whole
 * kernel is given FLOW_STEPS instruction steps; a kernel that needs more is reported as such,
 * with every origin unknown.
 */
#ifndef HIPGRAIN_ISA_FLOW_H
#define HIPGRAIN_ISA_FLOW_H

#include "arch.h"
#include "casloop.h"
#include "insn.h"
#include "slice.h"
#include "state.h"
#include "pointer_target.h"
#include "value.h"

#define CALL_DEPTH 24u
#define FLOW_STEPS 1000000u
/* Distinct (low, high) address values kept per instruction. */
#define ACCESS_PAIRS 12u
/* An evaluation keeps so many known addresses of one load apart. */
#define ACCESS_LOADS 8u
/* ... and of what it stores. */
#define ACCESS_DATA  4u
#define ACCESS_WORDS 2u
/* Call sites kept per instruction, to name the program's line instead of a header's. */
#define ACCESS_CALLERS 4u

/* An access is one memory instruction with the addresses it was seen with. */
struct access {
	const struct insn *insn;
	const struct function *function;
	uint64_t context; /* the chain of calls, in the pass of swaps.h only */
	unsigned caller_count;
	uint64_t caller[ACCESS_CALLERS]; /* calls that led here first, innermost first */
	unsigned pair_count;
	/* In an evaluation, `sure` tells with which pairs some work-item executes it for certain, a
	 * bit for each; `executes` tells if it does with any. */
	uint32_t sure;
	bool executes;
	isa_when certain; /* of a store of one word to one address: as in isa_store */
	bool overflow;    /* more pairs than kept */
	/* A load has a bit for each dword to which the lane has always stored before. */
	uint16_t stored_before;
	int64_t offset; /* that the instruction adds to each pair */
	struct value_pair {
		value_id low, high;
	} pair[ACCESS_PAIRS];
	struct casloop loop; /* of a compare-and-swap that was classified */
	bool classified;
	/* If it stores whole words of 64 bits, this is what each of them was seen to be; of half a
	 * word, `low` is the dword. */
	struct stored_word {
		unsigned count;
		bool overflow;
		struct value_pair pair[ACCESS_DATA];
	} word[ACCESS_WORDS];
};

/* An argument's extent, to tell an array inside it and pointers from numbers. */
struct flow_arg {
	uint32_t offset, size;
	bool pointer;
};

/* A wave begins so, by the kernel descriptor (docs/code-objects.md#kernel-descriptor). */
struct flow_entry {
	uint64_t
	    start; /* is what the descriptor names; 256 bytes before pc with preloaded arguments */
	uint64_t pc;
	unsigned wave_size;
	int scratch_rsrc; /* first scalar register of each, -1 if absent */
	int dispatch_ptr, queue_ptr, kernarg_ptr;
	unsigned user_count; /* user scalar registers, preloaded kernel arguments included */
	int preload;         /* first register with preloaded kernarg dwords, -1 */
	unsigned preload_offset, preload_count; /* in dwords */
	uint32_t lds_size, scratch_size;        /* fixed parts, bytes */
	int group[3];   /* registers with the work-group's numbers, -1 if absent */
	uint32_t items; /* the first vector register is less; 0: not known */
	bool dynamic_stack;
};

struct flow {
	struct program *program;
	struct value_store store;
	const struct flow_arg *args;
	size_t arg_count;
	unsigned wave_size;
	struct access *access;
	size_t access_count, access_room;
	uint32_t *access_table; /* hash table by pc and context: index + 1 */
	size_t access_table_size;
	size_t steps;
	const char *unseen; /* a call that was not followed: callees have arguments nobody saw */
	const char *broken; /* an instruction after which nothing is certain; NULL without */
	bool exhausted;     /* FLOW_STEPS were not enough */
	const struct arch *arch;
	bool uses_lds, has_barrier;
	bool system_release,
	    system_acquire; /* caches are written back or invalidated for the host */
	char *incomplete;   /* first reason why code or memory accesses may be missing, or NULL */
	char *unvisited;    /* first reason why code was not visited, or NULL */
	uint64_t incomplete_pc, unvisited_pc; /* of what instruction; 0 if of none */
	const struct function *stack[CALL_DEPTH];
	uint64_t call[CALL_DEPTH]; /* is the address where each of them was left by a call */
	unsigned depth;
	const struct function *kernel;
	struct known_targets *known_targets; /* KNOWN_TARGETS of them */
	struct slice slice;                  /* of the kernel's function */
	bool sliced;
	isa_when *when; /* of blocks of the kernel's function (choice.h); NULL: always */
	/* It tells which operand each OP_SELECT of that function takes, 0: not known (choice.h);
	 * borrowed, or NULL. */
	const uint8_t *selects;
	/* An access may go through a word of a struct argument, or to the wave's own memory. */
	bool chosen;
	bool failed;                  /* out of memory */
	struct swaps *swaps;          /* only in the pass of swaps.h; owned by its caller */
	struct launch_values *launch; /* only in an evaluation (concrete.h); owned by its caller */
};

/* Prepare; `args` and `program` are borrowed. 0 or -ENOMEM. */
int flow_init(struct flow *flow, struct program *program, const struct arch *arch,
	      const struct flow_arg *args, size_t arg_count);
void flow_free(struct flow *flow);

/* Analyse from `entry`; results are in flow->access and the flags. 0 or -ENOMEM. */
int flow_run(struct flow *flow, const struct flow_entry *entry);

/* Record why the results cannot be complete, because of the instruction at `pc` (0: of none in
 * particular). The first reason is kept. */
void flow_incomplete(struct flow *flow, uint64_t pc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same where code was not visited: there may be atomics in it. */
void flow_unvisited(struct flow *flow, uint64_t pc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Registers may hold anything from here on: every origin is unknown, for this reason. */
void flow_broken(struct flow *flow, const struct insn *insn, const char *what);

/* A number of fewer bits is a distance within one piece of memory, whatever it was computed from.
 */
#define FLOW_INDEX_BITS 16

/* ---- between flow.c, operand_values.c, step*.c, condition.c, memory_instructions.c and exec.c
 * ---- */

/* Value of dword `part` of an operand; 64-bit constants are sign-extended. */
value_id flow_operand(struct flow *flow, const struct state *state, const struct operand *operand,
		      unsigned part);
/* Returns what sources leave in a number made of them; with `own` the destination is one, too. */
value_id flow_sources(struct flow *flow, const struct state *state, const struct insn *insn,
		      bool own);
/* Set dword `part` of an operand: nothing if that is no register, or exec. 0 or -ENOMEM. */
int flow_write(struct flow *flow, struct state *state, const struct operand *operand, unsigned part,
	       value_id value);

/* Sets all dwords of an operand to the same value. Returns 0 or -ENOMEM. */
int flow_write_all(struct flow *flow, struct state *state, const struct operand *to,
		   value_id value);

/* Applies the effect of one instruction that is no branch. Returns 0 or negative errno. */
int flow_step(struct flow *flow, const struct function *function, const struct insn *insn,
	      struct state *state);
/* Does the same without what an evaluation knows. */
int flow_step_plainly(struct flow *flow, const struct function *function, const struct insn *insn,
		      struct state *state);
/* Applies the effect of an instruction on lane masks, and then stores true in *handled. */
int flow_exec(struct flow *flow, const struct insn *insn, struct state *state, bool *handled);
/* Returns the name of the site where the instruction narrows exec. */
uint32_t flow_site(const struct insn *insn);
int flow_memory(struct flow *flow, const struct function *function, const struct insn *insn,
		struct state *state);
/* Under EXEC_SOME: its effect, and true in *handled, if it moves a register to or from a place in
 * private memory that is known. */
int flow_private_some(struct flow *flow, const struct insn *insn, struct state *state,
		      bool *handled);

/* Applies OP_READ_FIRST, OP_READ_LANE, OP_WRITE_LANE. These three return 0 or negative errno. */
int flow_lanes(struct flow *flow, struct state *state, const struct insn *insn);
/*
 * Applies an operation whose operands are of other lanes, or that changes part of the destination.
 */
int flow_lane_permute(struct flow *flow, struct state *state, const struct insn *insn);
/* A register counted from a number in a register is read, or written (`destination`). */
int flow_indexed(struct flow *flow, struct state *state, const struct insn *insn, bool destination);

/* These work on one dword each. */
enum flow_shift { SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED };
value_id flow_or(struct flow *flow, value_id a, value_id b);
value_id flow_and(struct flow *flow, value_id a, value_id b);
value_id flow_xor(struct flow *flow, value_id a, value_id b);
/* Returns the bits of `a` where `mask` has ones, else of `b`. */
value_id flow_insert(struct flow *flow, value_id mask, value_id a, value_id b);
value_id flow_not(struct flow *flow, value_id a);
value_id flow_mul(struct flow *flow, value_id a, value_id b);
/*
 * Returns true if what is multiplied by this is a number and no part of a pointer: addresses are
 * shifted, and indices are multiplied by the size of what they choose from.
 */
bool flow_is_scale(const struct flow *flow, int32_t factor);
/* Returns some multiple of a number. */
value_id flow_multiple(struct flow *flow, uint32_t stride);
/* Returns the same from 0 to `bound`, as far as that says anything (VALUE_BOUND). */
value_id flow_bounded(struct flow *flow, uint32_t stride, uint64_t bound);
/*
 * Returns what a product, a shift or a mask makes of `a`: a number, unless it was a pointer, or a
 * difference in which a pointer was subtracted (BASE_DELTA).
 */
value_id flow_mixed(struct flow *flow, value_id a);
/* For value_store.keep; `user` is the flow. */
bool flow_keeps(const void *user, uint32_t base);
value_id flow_shift(struct flow *flow, value_id a, int32_t count, enum flow_shift shift);

/* These apply s_cmp to the condition code, and return the mask that v_cmp writes. */
void condition_scalar(struct flow *flow, const struct insn *insn, struct state *state);
value_id condition_vector(struct flow *flow, const struct insn *insn, struct state *state);
/* Returns which operand an OP_SELECT takes for certain: 1 or 2; 0 if that is not known. */
int condition_select(struct flow *flow, const struct insn *insn, const struct state *state);
/* Returns true if the result of this comparison may be known: it tells equal from different. */
bool condition_followed(const struct insn *insn);
/* Forgets conditions at the beginning of a block. */
void condition_forget(struct flow *flow, struct state *state);

/* Returns an address in the code object (low half): the symbol there, or the plain address. */
value_id flow_image_address(struct flow *flow, uint64_t address);
/* Returns the high half, the same for all of them. */
value_id flow_image_high(struct flow *flow);
/* Replace sums of an image address and a constant by the symbol they reach. */
value_id flow_normalise(struct flow *flow, value_id value);
/* Returns true if the low half is exactly one address in the code object. */
bool flow_code_address(const struct flow *flow, value_id low, uint64_t *address);

/* Returns how many targets were written to target[TARGETS_MAX]; 0 for bottom. */
unsigned flow_targets(struct flow *flow, value_id low, value_id high, struct target *target);

#endif
