/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This tells what the machine code of a kernel does to memory.
 *
 * It knows nothing of traces: the input is the bytes of an AMDGPU code object (ELF), the output is
 * a tree of plain structs owned by the caller until isa_code_object_free().
 */
#ifndef HIPGRAIN_ISA_H
#define HIPGRAIN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_space {
	ISA_SPACE_GLOBAL,
	ISA_SPACE_FLAT, /* may be global, LDS or scratch; see the origin */
	ISA_SPACE_BUFFER,
	ISA_SPACE_LDS,
	ISA_SPACE_SCRATCH,
};

enum isa_type {
	ISA_TYPE_I32,
	ISA_TYPE_I64,
	ISA_TYPE_F32,
	ISA_TYPE_F64,
	ISA_TYPE_PK_F16,
	ISA_TYPE_PK_BF16,
};

/* Operation of the memory instruction itself; a CAS loop has ISA_OP_CMPSWAP here. */
enum isa_op {
	ISA_OP_ADD,
	ISA_OP_SUB,
	ISA_OP_MIN,
	ISA_OP_MAX,
	ISA_OP_AND,
	ISA_OP_OR,
	ISA_OP_XOR,
	ISA_OP_INC,
	ISA_OP_DEC,
	ISA_OP_SWAP,
	ISA_OP_CMPSWAP,
	ISA_OP_OTHER,  /* only as loop_op: something else, such as a product */
	ISA_OP_MINMAX, /* only as loop_op: minimum or maximum, which of them is not known */
};

enum isa_origin_kind {
	ISA_ORIGIN_DIRECT,   /* pointer at exactly one kernarg offset */
	ISA_ORIGIN_SET,      /* pointer at one of several kernarg offsets */
	ISA_ORIGIN_INDIRECT, /* pointer loaded from memory that kernarg[0] or symbol leads to */
	ISA_ORIGIN_LDS,
	ISA_ORIGIN_GLOBAL,   /* a device variable: symbol */
	ISA_ORIGIN_CONSTANT, /* a literal address */
	ISA_ORIGIN_UNKNOWN,  /* why says what could not be followed */
};

/*
 * A step of a path leads `offset` bytes from where the pointer leads that was reached so far. A
 * step that `repeats` may be made any number of times, also never; those next to each other in any
 * order.
 */
struct isa_step {
	/* If not exact, this is what remains of it when divided by the stride; at least 0. */
	int64_t offset;
	uint32_t stride; /* 0 if it is exact, or nothing is known of it */
	bool exact;      /* false: at an offset that is chosen at run time */
	bool repeats;
	/* A pointer is loaded there, and always by a work-item that has stored there before. */
	bool stored_before;
	bool bounded; /* not exact: the offset is known to be from `first` to `last`, in bytes */
	int64_t first, last;
};

#define ISA_PATH_STEPS 8u
#define ISA_PATHS      32u

/*
 * A way through memory to an address: from the pointer at byte `kernarg` of the arguments or, if
 * `symbol` is not NULL, from that device variable. Each step but the last one loads a pointer; the
 * last one is the address.
 */
struct isa_path {
	char *symbol;
	bool managed; /* the variable holds a pointer that the runtime puts there: to what the
		       * program calls by that name */
	uint32_t kernarg;
	unsigned step_count;
	struct isa_step step[ISA_PATH_STEPS];
	char *member[ISA_PATH_STEPS]; /* is what each step leads to, "view.data"; NULL: not known */
};

/* Every path to an address, ascending; or none, and why. */
struct isa_paths {
	struct isa_path *path;
	size_t count;
	char *why;
};

struct isa_origin {
	enum isa_origin_kind kind;
	uint32_t *kernarg; /* byte offsets in the kernarg segment, ascending */
	size_t kernarg_count;
	char *symbol;           /* device variable the address starts from, or NULL */
	char *why;              /* for people; never NULL for ISA_ORIGIN_UNKNOWN */
	struct isa_paths paths; /* of ISA_ORIGIN_INDIRECT */
};

/*
 * Holds for which results of a kernel's conditions some code is executed: bit i is set if it is
 * executed when condition c holds exactly where bit c of i is set. Code without bits is never
 * executed.
 */
typedef uint64_t isa_when;
#define ISA_ALWAYS (~(isa_when)0)

/* Holds an address for some results of the kernel's conditions, which decide selections. */
struct isa_choice {
	isa_when when;
	struct isa_origin origin;
};

/* Words about caches and scope that an instruction is printed with; names by isa_cache_word(). */
#define ISA_CACHE_GLC       (1u << 0)
#define ISA_CACHE_SLC       (1u << 1)
#define ISA_CACHE_DLC       (1u << 2)
#define ISA_CACHE_SCC       (1u << 3)
#define ISA_CACHE_SC0       (1u << 4)
#define ISA_CACHE_SC1       (1u << 5)
#define ISA_CACHE_NT        (1u << 6)
#define ISA_CACHE_SCOPE_SE  (1u << 7)
#define ISA_CACHE_SCOPE_DEV (1u << 8)
#define ISA_CACHE_SCOPE_SYS (1u << 9)
#define ISA_CACHE_WORDS     10u

/* A scope is how far the effect of an instruction must be visible, as far as it tells itself. */
enum isa_scope {
	ISA_SCOPE_UNSTATED, /* this processor's instructions do not tell */
	ISA_SCOPE_NARROW,   /* a part of the GPU, such as the work-group */
	ISA_SCOPE_AGENT,    /* at most the whole GPU */
	ISA_SCOPE_SYSTEM,
};

enum isa_known { ISA_NOT_KNOWN = -1, ISA_NO, ISA_YES };

/* A function that holds an instruction, and the place in it. */
struct isa_frame {
	char *function; /* NULL if unknown */
	char *file;
	unsigned line;
};

/*
 * A number that arguments give: ((word at byte `kernarg` of them >> shift) & mask) + add. The word
 * has 32 bits, or 64 if it is `wide`, and so has the result. A mask of 0: the constant `add`.
 */
struct isa_field {
	uint32_t kernarg;
	bool wide;
	uint8_t shift;
	uint64_t mask, add;
};

enum isa_test { ISA_TEST_EQUAL, ISA_TEST_LESS, ISA_TEST_LESS_SIGNED };

/* A branch depends on this, the same for all work-items of a launch: left == right, or less. */
struct isa_condition {
	enum isa_test test;
	struct isa_field left, right;
};

#define ISA_CONDITIONS 6u

/* This describes one atomic instruction. */
struct isa_atomic {
	char *mnemonic;
	uint64_t offset;       /* bytes from the kernel's (or callee's) entry point */
	int64_t kernel_offset; /* bytes from the kernel's entry point, wherever the function lies */
	char *function;        /* device function that holds it, NULL if the kernel itself */
	enum isa_space space;
	enum isa_op op;
	enum isa_type type;
	bool fp;       /* floating point: the instruction's type, or what its CAS loop computes */
	bool native;   /* the operation is done by the memory instruction, not by a CAS loop */
	bool cas_loop; /* compare-and-swap whose result feeds the loop's new value */
	bool lock;     /* compare-and-swap that spins without arithmetic on the loaded value */
	/* For a compare-and-swap, this tells why it cannot be determined if it is one of these;
	 * NULL if it can. */
	const char *loop_why;
	enum isa_op loop_op; /* valid if cas_loop */
	bool returns;        /* the instruction returns the old value */
	bool system_scope;
	enum isa_scope scope;
	unsigned cache; /* ISA_CACHE_* */
	struct isa_origin origin;
	/* With ISA_ORIGIN_DIRECT, `place` is the place behind that pointer if `placed`. */
	bool placed;
	struct isa_step place;
	struct isa_choice *choices; /* all of them, if they differ; isa_given() takes the one */
	size_t choice_count;
	isa_when when;
	isa_when certain; /* with these results some work-item executes it for certain */
	char *unsure;     /* why not with all of them; NULL if it does */
	bool by_word;     /* ... and one word in memory, the same for all work-items, decides */
	bool executes;    /* as far as results are known (isa_given()) it does */
	/* In an evaluation, true means several addresses, with each of which it is executed. */
	bool every;
	const char *given_up; /* why an evaluation says nothing of it; NULL */
	bool runtime; /* a service's of the runtime (printf, malloc), not the program's own */
	char *file;   /* device source, NULL without line tables */
	unsigned line;
	/* Functions inlined into each other, innermost first; the last one was not inlined. */
	struct isa_frame *frames;
	size_t frame_count;
};

#define ISA_READ     1u
#define ISA_WRITE    2u
#define ISA_ATOMIC   4u
#define ISA_ACCESSES 3u /* bits of these */

/*
 * A limit of work-items: their numbers are less than the word at `kernarg` (of 64 bits if `wide`)
 * plus `add`, or than `add` alone if `kernarg` is negative.
 */
struct isa_limit {
	bool known; /* else there is no limit */
	bool grid;  /* numbers count through all work-groups, else through each */
	bool wide, is_signed;
	int32_t kernarg;
	int64_t add;
};

/*
 * Bytes behind a pointer that are accessed for certain, unless the kernel does not end: work-item
 * number i below the limit accesses `size` bytes from `offset` + i * `stride` on. The stride is at
 * most the size.
 */
struct isa_reach {
	bool known;
	bool grid; /* as in the limit */
	int64_t offset;
	uint32_t stride, size;
	struct isa_limit limit;
};

/* This is what the kernel does through the pointer stored at one kernarg offset. */
struct isa_use {
	uint32_t kernarg;
	unsigned access; /* ISA_READ | ISA_WRITE | ISA_ATOMIC */
	bool certain;    /* false: only one of several possible origins of the accesses */
	isa_when when[ISA_ACCESSES]; /* each kind of access, by its bit */
	unsigned width; /* bytes that the widest of them has for each work-item; 0: all have the
			 * same, or it is not known */
	/* If it is `placed`, all of them are to bytes from `first` to before `end` behind the
	 * pointer, at least; else it is not known to which. */
	bool placed;
	int64_t first, end;
	struct isa_reach reach[ISA_ACCESSES]; /* each kind of access, by its bit */
};

/* This is what the kernel does by one path through memory. */
struct isa_path_use {
	struct isa_path path;
	unsigned access; /* ISA_READ | ISA_WRITE | ISA_ATOMIC */
	bool certain;    /* false: only one of several possible paths of the accesses */
	isa_when when[ISA_ACCESSES];
};

#define ISA_STORES 256u
#define ISA_VALUES 8u /* of one store; of more nothing is known */

/*
 * The kernel may store to this, or update it: `size` bytes from where the path leads. If 8 bytes
 * are stored at once, it may be known what they are: the pointer to where one of `value` leads, or,
 * if there are none, a constant.
 */
struct isa_store {
	struct isa_path path; /* its last step is the address: also without any load */
	uint32_t size;        /* at least 4, also where it is less */
	bool value_known;
	struct isa_path *value;
	size_t value_count;
	isa_when when;
	/* As in isa_atomic, of a store of one word to one address: afterwards nothing else is
	 * there. */
	isa_when certain;
	bool executes;
};

#define ISA_READS 64u /* others are not listed */

/*
 * A load of bytes that were there before the launch: `size` of them, at least, at an exact place
 * behind one pointer of the arguments. A work-item that executes it first has stored nothing to
 * memory before.
 */
struct isa_read {
	struct isa_path path; /* of one step */
	uint32_t size;
	isa_when when;
	isa_when certain; /* as in isa_atomic */
	bool executes;
	/*
	 * Is true if what it reads decides a branch. Where it is false a compiler may have moved
	 * the load ahead of a condition, and the program may not use it.
	 */
	bool decides;
	int64_t kernel_offset;
	char *file; /* NULL without line tables */
	unsigned line;
};

/* This describes one explicit kernel argument, from the metadata note. */
struct isa_arg {
	uint32_t offset;
	uint32_t size;
	bool pointer;    /* value_kind global_buffer */
	char *name;      /* NULL if neither metadata nor DWARF has it */
	char *type_name; /* NULL if unknown */
};

/* An argument that the compiler appends, for services of the runtime. */
struct isa_hidden {
	uint32_t offset;
	uint32_t size;
	const char *name; /* "hidden_hostcall_buffer"; NULL for a kind that is not known; static */
};

/* A loop that sleeps (s_sleep) and reads memory: it waits for somebody else's write. */
struct isa_spin {
	int64_t kernel_offset; /* of the instruction that reads */
	char *mnemonic;
	char *function; /* as in isa_atomic */
	struct isa_origin origin;
	isa_when when;
	char *file;
	unsigned line;
};

/* An instruction that accesses memory behind one argument, or a device variable. */
struct isa_party {
	char *mnemonic;
	int64_t kernel_offset;
	uint32_t kernarg; /* unless there is a symbol */
	char *symbol;     /* or NULL */
	char *file;
	unsigned line;
	/* If `placed`, they tell from which offset behind that pointer, and how many bytes. */
	bool placed;
	struct isa_step place;
	uint32_t size;
};

/*
 * Wavefronts of the whole GPU may hand this over to each other: data that are stored before a flag
 * is written, and data that are read because of what a flag said. These are only accesses that are
 * not coherent by themselves, and flags in other memory than the data: behind another argument, or
 * elsewhere behind the same one.
 */
struct isa_handover {
	struct isa_party flag, data;
	/* The flag is a pointer to the data. `reads`: the data lie behind what the flag says, and
	 * `data` names the flag's memory. */
	bool pointer;
	bool reads; /* of the side that reads; else the one that writes */
	/* Something between the two makes the data visible (`reads`: drops what is old), or may. */
	bool ordered;
	bool waits; /* reads: in a loop that waits for the flag; else one comparison decides */
	isa_when when;
};

/* A line of a source; file NULL: not known. */
struct isa_line {
	char *file;
	unsigned line;
};

struct isa_kernel {
	char *symbol; /* mangled, without ".kd" */
	char *name;   /* demangled */
	uint32_t kernarg_size;
	struct isa_arg *args;
	size_t arg_count;
	struct isa_condition condition[ISA_CONDITIONS];
	unsigned condition_count;
	struct isa_hidden *hidden;
	size_t hidden_count;
	struct isa_atomic *atomics;
	size_t atomic_count;
	struct isa_use
	    *uses; /* ascending by kernarg; hidden arguments (hostcall buffer) included */
	size_t use_count;
	/*
	 * Every load, store and atomic of global memory has a known origin, and none goes through a
	 * pointer that was itself loaded from memory: such a pointer may lead into any allocation.
	 */
	bool uses_complete;
	struct isa_read *reads;
	size_t read_count;
	struct isa_path_use
	    *path_uses; /* accesses through pointers loaded from memory; ascending */
	size_t path_use_count;
	bool paths_complete;      /* uses_complete, or all that it lacks is in path_uses */
	struct isa_store *stores; /* to global memory; ascending by path, each once */
	size_t store_count;
	bool stores_complete; /* these are all */
	char *incomplete;     /* why uses are not complete, NULL if they are */
	char *unvisited;      /* why there may be more atomics, NULL if all are listed */
	struct isa_line incomplete_at, unvisited_at; /* of the instruction that is the reason */
	enum isa_known uses_lds;                     /* ISA_NOT_KNOWN where code was not seen */
	enum isa_known has_barrier;
	unsigned wave_size;    /* lanes */
	uint32_t lds_size;     /* bytes of LDS a work-group, without what the launch adds */
	uint32_t scratch_size; /* bytes of private memory a work-item, without a dynamic stack */
	enum isa_known dynamic_stack;
	enum isa_known hostcall;       /* calls services of the host: printf, assert, malloc */
	enum isa_known printf_buffer;  /* writes into OpenCL's printf buffer */
	enum isa_known system_release; /* writes caches back so that the host sees it */
	enum isa_known system_acquire; /* invalidates caches that may lack the host's writes */
	struct isa_spin *spins;
	size_t spin_count;
	/* On gfx90a and gfx94x, gfx950; each pair of memories once, one that is not ordered first.
	 */
	struct isa_handover *handovers;
	size_t handover_count;
	bool skipped; /* it has no atomics, and nothing else was looked at (atomics_only) */
};

struct isa_code_object {
	char *target; /* target id from the ELF flags and note: "gfx90a:sramecc+:xnack-" */
	char *arch;   /* "gfx90a" */
	char *note;   /* the target id in the metadata note, as it stands there; NULL if absent */
	char sha256[65];
	char *debug_problem; /* why debug information was not read; NULL if it was, or there is none
			      */
	struct isa_kernel *kernels; /* in the order of the metadata notes */
	size_t kernel_count;
	bool lasting; /* it follows from the bytes and the disassembler alone: it may be kept */
};

struct isa_options {
	const char *only_symbol; /* analyse just this kernel (mangled); NULL: all */
	bool atomics_only; /* skip kernels in which no atomic can be: no uses, `skipped` set */
	unsigned jobs;     /* threads that analyse kernels; 0 or 1: only the caller's */
	/* A name of disasm.h; NULL: as the environment says (HIPGRAIN_DISASSEMBLER), or either. */
	const char *disassembler;
	const char *sha256; /* of the code object in hex, where that is known; NULL: computed */
};

/*
 * Analyse a code object of `size` bytes (an ELF of e_machine EM_AMDGPU; not a bundle).
 * `options` may be NULL. Returns 0 and an object in *out; or a negative errno and a
 * one-line message in *error (to be freed by the caller) that names what is wrong and where.
 * An architecture that is not known is -ENOTSUP: nothing is claimed about it. What was analysed
 * before is taken from the cache, if one is in use.
 */
int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error);

/*
 * A code object that stays open while its kernels are analysed one after the other: its metadata,
 * symbols and debug information are read once. `elf` is borrowed until isa_session_close().
 */
struct isa_session;

/*
 * Does what isa_analyze() does, up to the first kernel; of `options` the disassembler and the hash
 * count. With a cache (analyzer/cache) in use, what is wrong with the code object is found by the
 * first isa_session_analyze() that needs its bytes.
 */
int isa_session_open(const void *elf, size_t size, const struct isa_options *options,
		     struct isa_session **session, char **error);

/* Does what isa_analyze() does; the result outlives the session. For one thread at a time. */
int isa_session_analyze(struct isa_session *session, const struct isa_options *options,
			struct isa_code_object **out, char **error);

/* NULL is allowed. */
void isa_session_close(struct isa_session *session);

/* NULL is allowed. */
void isa_code_object_free(struct isa_code_object *object);

/*
 * Print the code of a kernel, and of the device functions in which `kernel` (of the same code
 * object, analysed) has atomics: `line` gets each instruction's distance from the kernel's entry,
 * its text, and the atomic that it is or NULL; and for each function its name as text with `offset`
 * INT64_MIN. Returns and errors are those of isa_analyze().
 */
int isa_disassemble(const void *elf, size_t size, const struct isa_kernel *kernel,
		    void (*line)(void *user, int64_t offset, const char *text,
				 const struct isa_atomic *atomic),
		    void *user, char **error);

/* The kernel of that (mangled) name, the object's; NULL if it has none, or it was not analysed. */
const struct isa_kernel *isa_find_kernel(const struct isa_code_object *object, const char *symbol);

/*
 * The results of its conditions that are possible with the arguments of a launch. `read` gives the
 * `size` bytes (4 or 8) at an offset of these, false if they are not known.
 */
typedef bool isa_read_argument(void *user, uint32_t offset, unsigned size, uint64_t *value);
isa_when isa_possible(const struct isa_kernel *kernel, isa_read_argument *read, void *user);

/*
 * Returns true if a launch of `groups` work-groups of `items` work-items (in x) accesses the bytes
 * from *first to before *end behind the pointer for certain.
 */
bool isa_reached(const struct isa_reach *reach, uint64_t groups, uint64_t items,
		 isa_read_argument *read, void *user, int64_t *first, int64_t *end);

/*
 * Returns the source file of the instruction `offset` bytes from the entry of kernel `symbol` in
 * the code object at `elf`, and its line, or NULL; the caller frees it. *merged: the compiler made
 * the instruction of several lines, and this one is the function's.
 */
char *isa_line_at(const void *elf, size_t size, const char *symbol, int64_t offset, unsigned *line,
		  bool *merged);

/*
 * This is what is known of a launch, for isa_session_evaluate(). Each function is called with
 * `user` and answers the same for the same question.
 */
struct isa_launch {
	uint32_t groups[3], items[3]; /* work-groups, and work-items of each; 0: not known */
	isa_read_argument *argument;  /* of explicit arguments */
	/* It tells if a word leads to memory of the process. */
	bool (*is_address)(void *user, uint64_t word);
	/*
	 * The `size` bytes (1, 2 or 4) at an address, if they are known, are no part of an address,
	 * and stay the same during the launch: by other work, and by its own stores if the caller
	 * does not compare these (isa_evaluation.stores).
	 */
	bool (*memory)(void *user, uint64_t address, unsigned size, uint32_t *number);
	void *user;
	unsigned steps; /* instructions that the evaluation may take; 0: ISA_LAUNCH_STEPS */
};
#define ISA_LAUNCH_STEPS 200000u

/* An atomic instruction does this in a launch; as in isa_atomic, whose `kernel_offset` it has. */
struct isa_evaluated {
	int64_t kernel_offset;
	struct isa_origin origin;
	bool placed;
	struct isa_step place;
	bool executes;
	bool every;
	char *unsure;
	bool by_word;
};

/* The atomics that a launch may execute: others it does not. */
struct isa_evaluation {
	struct isa_evaluated *atomics;
	size_t atomic_count;
	struct isa_store *stores; /* that it may execute, as in isa_kernel; without `when` */
	size_t store_count;
	bool stores_complete; /* these are all */
	char *why;            /* why nothing was found out, and none are listed; NULL */
};

/*
 * Follow the code of a kernel (mangled name) with what is known of a launch, within a budget of
 * instructions. The result is for isa_evaluation_free(); else as isa_session_analyze().
 */
int isa_session_evaluate(struct isa_session *session, const char *symbol,
			 const struct isa_launch *launch, struct isa_evaluation **out,
			 char **error);
/* NULL is allowed. */
void isa_evaluation_free(struct isa_evaluation *evaluation);

/*
 * Returns what of the kernel can be executed then, to be given to isa_given_free(); it borrows from
 * `kernel`. Uses of arguments that cannot be are left without access; those that may be or not, of
 * words that are not declared to be pointers, are not certain. NULL if that is all of it as it is;
 * or without memory, and then *failed.
 */
struct isa_kernel *isa_given(const struct isa_kernel *kernel, isa_when now, bool *failed);
/* NULL is allowed. */
void isa_given_free(struct isa_kernel *given);

/* Tells if, in a launch, one side writes what the other reads: the same flag and data. */
bool isa_handover_meets(const struct isa_handover *writes, const struct isa_handover *reads);

/* The same of places behind pointers alone, where flag and data may lie behind one (`together`). */
bool isa_handover_places_meet(const struct isa_handover *writes, const struct isa_handover *reads,
			      bool together);

/* Returns the word for bit number `bit` (below ISA_CACHE_WORDS) of isa_atomic.cache: "sc1". */
const char *isa_cache_word(unsigned bit);

/* These names are static, as `scan` prints them. */
const char *isa_scope_name(enum isa_scope scope);
const char *isa_op_name(enum isa_op op);
const char *isa_type_name(enum isa_type type);
const char *isa_space_name(enum isa_space space);
const char *isa_origin_name(enum isa_origin_kind kind);

#endif
