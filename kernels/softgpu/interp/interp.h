/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the gfx90a interpreter. The public side is softgpu.h ("execution").
 *
 * decode_code.c turns an instruction into a struct sg_insn once per address (amd_comgr prints it,
 * the tables in *.def and the row arrays say what the mnemonic means); run_dispatch.c makes waves
 * of a dispatch and lets them take turns; one file per encoding family executes.
 *
 * Source of instruction semantics: AMD "Instinct MI200 Instruction Set Architecture" (public
 * reference guide) and LLVM's AMDGPUUsage (LUG in the project's source list).
 */
#ifndef SOFTGPU_INTERP_H
#define SOFTGPU_INTERP_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../softgpu.h"
#include "rows.h"

#define SG_LANES 64

/* Scalar register file by hardware encoding: s0..s101, then the named ones. */
enum {
	SG_FLAT_SCRATCH = 102,
	SG_XNACK_MASK = 104,
	SG_VCC = 106,
	SG_M0 = 124,
	SG_EXEC = 126,
	SG_SCALARS = 128,
};

/* Vector rows: v0..v255, then a0..a255. */
#define SG_AGPR_BASE 256
#define SG_VECTORS   512

/* Apertures of the flat address space (values of SH_MEM_BASES as the kernel driver sets them). */
#define SG_SHARED_BASE_HI  SOFTGPU_SHARED_APERTURE_HI
#define SG_PRIVATE_BASE_HI SOFTGPU_PRIVATE_APERTURE_HI

enum sg_kind {
	SG_K_NONE,
	SG_K_SCALAR, /* index into the scalar file */
	SG_K_VECTOR, /* index into the vector rows */
	SG_K_CONST,
	SG_K_SCC,
	SG_K_VCCZ,
	SG_K_EXECZ,
	SG_K_OFF,
	SG_K_TEXT, /* not a value; the instruction reads its encoding instead */
};

struct sg_operand {
	uint8_t kind;
	uint8_t count; /* registers named */
	bool neg, abs, sext;
	bool is_float, is_hex; /* the form in which a constant was written */
	uint16_t index;
	uint64_t value; /* constant, in the form its type wants */
	union {
		double fvalue;       /* while its type is not known */
		const uint32_t *row; /* vector ALU: the constant in 64 lanes, then its high words */
	};
};

enum sg_sdwa_sel { SG_BYTE_0, SG_BYTE_1, SG_BYTE_2, SG_BYTE_3, SG_WORD_0, SG_WORD_1, SG_DWORD };
enum sg_sdwa_unused { SG_UNUSED_PAD, SG_UNUSED_SEXT, SG_UNUSED_PRESERVE };

enum sg_dpp {
	SG_DPP_NONE,
	SG_DPP_QUAD_PERM,
	SG_DPP_ROW_SHL,
	SG_DPP_ROW_SHR,
	SG_DPP_ROW_ROR,
	SG_DPP_WAVE_SHL,
	SG_DPP_WAVE_ROL,
	SG_DPP_WAVE_SHR,
	SG_DPP_WAVE_ROR,
	SG_DPP_ROW_MIRROR,
	SG_DPP_ROW_HALF_MIRROR,
	SG_DPP_ROW_BCAST,
	SG_DPP_ROW_NEWBCAST,
};

/* Kinds of vector ALU instructions that need nothing special. */
enum sg_fast { SG_FAST_PLAIN, SG_FAST_CARRY, SG_FAST_COMPARE };

struct sg_wave;
struct sg_insn;
struct sg_run;
struct sg_lanes;
struct sg_touched;

typedef void (*sg_exec_fn)(struct sg_wave *wave, const struct sg_insn *in);
typedef void (*sg_lane_fn)(struct sg_lanes *io);
/* Returns true and in *touched what the instruction is about to access (check.h). */
typedef bool (*sg_touch_fn)(struct sg_wave *wave, const struct sg_insn *in,
			    struct sg_touched *touched);

#define SG_MAX_OPERANDS 6

/* The first 64 bytes are what every execution reads. */
struct sg_insn {
	sg_exec_fn exec;
	uint8_t size; /* bytes */
	uint8_t nops;
	uint8_t a, b, c, carry_in, carry_out; /* vector ALU: operand numbers, 0: absent */
	uint8_t how;                          /* fast vector ALU: enum sg_fast */
	const struct sg_op *op;
	sg_lane_fn lane;                /* op->lane */
	uint32_t mode_bits, mode_value; /* fast vector ALU: MODE must have these */
	struct sg_run *run;             /* native code that starts here */
	uint64_t pc;
	int32_t offset;
	uint32_t heat; /* executions before there was native code */
	struct sg_operand o[SG_MAX_OPERANDS];
	sg_exec_fn plain; /* the interpreter's function, if exec leads to native code */
	uint8_t type[SG_MAX_OPERANDS];
	bool simple;        /* vector ALU: no SDWA, DPP, clamp, omod, half select */
	bool direct;        /* vector ALU: sources without modifiers */
	bool glc, slc, sc1; /* gfx942 writes sc0 and nt for glc and slc */
	bool offen, idxen, gds, lds, clamp;
	int8_t omod; /* power of two to multiply the result by */
	uint8_t op_sel, op_sel_hi, neg_lo, neg_hi;
	bool has_op_sel_hi;
	bool sdwa;
	uint8_t dst_sel, dst_unused, src_sel[2];
	uint8_t dpp, dpp_arg, row_mask, bank_mask;
	bool bound_ctrl;
	uint8_t follow; /* for checks, follow.c */
	uint32_t raw[4];
	char *text;
	const char *problem; /* why it can't be executed; NULL: the mnemonic is unknown */
} __attribute__((aligned(64)));

/* A row of an opcode table. */
struct sg_op {
	const char *name; /* without _e32/_e64/_sdwa/_dpp */
	sg_exec_fn exec;
	sg_exec_fn fast; /* vector ALU: for plain operands and results */
	sg_lane_fn lane;
	uint8_t d, a, b, c; /* enum sg_type */
	uint16_t flags;
	uint16_t arg;      /* free for the family: sizes, sub-operation */
	sg_touch_fn touch; /* memory; NULL: not checked */
};

/* Bits of the MODE register that matter beside rounding and denormals. */
#define SG_MODE_DEFAULT    0xf0u /* nearest even, denormals kept, for f32 and for f64/f16 */
#define SG_MODE_DX10_CLAMP 0x100u
#define SG_MODE_IEEE       0x200u
#define SG_MODE_FP16_OVFL  0x800000u
#define SG_MODE_GPR_IDX    0x8000000u

/* Why a wave does not run at the moment. */
enum sg_stop {
	SG_GO,
	SG_YIELD, /* yielded (s_sleep) */
	SG_BARRIER,
	SG_GWS, /* waits at a global-wave-sync barrier */
	SG_ENDED,
	SG_FAULT,
	SG_UNSUPPORTED,
};

struct sg_worker;
struct sg_global_pages;

/* Decoded instructions of one page of code, by dword. */
#define SG_CODE_SLOTS (SOFTGPU_PAGE_SIZE / 4)
struct sg_code_page {
	uint64_t page;
	struct sg_code_page *next;
	struct sg_insn *slot[SG_CODE_SLOTS];
};

struct sg_wave {
	uint32_t s[SG_SCALARS];
	uint64_t pc;
	uint32_t (*v)[SG_LANES];
	uint32_t scc;
	uint32_t mode; /* hardware MODE register */
	enum sg_stop stop;
	const struct sg_insn *waiting; /* the barrier's instruction, for GWS */
	uint64_t gws_phase;
	uint64_t lane_mask_of; /* EXEC for which lane_mask[] was made */
	uint32_t lane_mask[SG_LANES];
	struct sg_code_page *code;
	struct sg_group *group;
	struct softgpu_run *run;
	struct sg_worker *worker;       /* the one that runs its group */
	uint8_t *scratch;               /* [lane][run->scratch_size] */
	unsigned index;                 /* in its group */
	bool followed;                  /* some of its registers depend on unwritten bytes, */
	struct sg_undefined *undefined; /* by follow.c; NULL: none did */

	/* For barriers.c: lanes that it began with; of these, those that a barrier was passed
	 * without, which have neither stored nor reached a barrier since; that barrier's address.
	 */
	uint64_t lanes, passed_by, passed_pc[SG_LANES];
	uint64_t barrier_pc; /* the barrier that it reached last */
	uint32_t barriers;   /* that it reached */
};

struct sg_group {
	struct sg_wave **waves;
	unsigned nwaves, nallocated, alive, next; /* next: whose turn comes first */
	uint8_t *lds;
	uint32_t lds_size;
	uint32_t id[3];
	uint64_t linear;
	unsigned xcd;               /* the XCD that executes it */
	uint32_t epoch;             /* counts barriers, from 1 on, over all groups here */
	uint32_t handed_over;       /* the last epoch in which waves may have ordered each other */
	bool acquired;              /* it may have waited for other groups (global_races.c) */
	struct sg_lds_byte *shadow; /* [lds_size], races.c; NULL: none yet */
	uint8_t *lds_written;       /* [lds_size], enum sg_written; NULL: it is not followed */
	struct sg_apart {           /* barriers.c: waves met at different barriers */
		uint32_t barriers;  /* that they had reached by then; 0: they did not */
		unsigned wave[2];
		uint64_t pc[2];
	} apart;
	struct sg_cache *l1; /* of its CU, where there are several XCDs (l2.h); NULL: empty */
	struct sg_group *link;
};

/* GPU addresses [first, last) with the same state and the same distance to the host's. */
struct sg_span {
	uint64_t first, last;
	uint64_t delta; /* host = GPU address + delta */
	unsigned state;
};

#define SG_SPANS     16
#define SG_SPAN_HINT 256

/* Spans that a worker used lately. */
struct sg_memory {
	struct sg_span span[SG_SPANS];
	uint64_t generation;
	unsigned victim;
	uint8_t hint[SG_SPAN_HINT]; /* the span that an instruction, by its address, used last */
};

/* A thread's share of the dispatch's work-groups. */
struct sg_worker {
	struct softgpu_run *run;
	struct sg_group *resident, *idle; /* resident: the first one has its turn */
	unsigned nresident, unended;      /* turns since a group ended */
	uint64_t turn_used, budget;
	uint64_t ended; /* groups */
	uint64_t more;  /* instructions executed beyond one each time */
	const struct sg_insn *current;
	struct sg_touch *touches; /* for the log of accesses */
	struct sg_memory memory;
};

/* ---- decode_code.c ---- */

/* Returns the decoded instruction at `pc`; NULL if the page is not mapped (fault at *fault). */
const struct sg_insn *sg_fetch_slow(struct sg_wave *wave, uint64_t pc, uint64_t *fault);

static inline const struct sg_insn *sg_fetch(struct sg_wave *wave, uint64_t pc, uint64_t *fault)
{
	struct sg_code_page *p = wave->code;
	const struct sg_insn *in = NULL;

	if (p && p->page == pc >> SOFTGPU_PAGE_SHIFT)
		in = __atomic_load_n(&p->slot[(pc / 4) % SG_CODE_SLOTS], __ATOMIC_ACQUIRE);
	return in ? in : sg_fetch_slow(wave, pc, fault);
}

/* Let an instruction that was just decoded become the start of native code when it is used often.
 */
void sg_native_prepare(struct sg_insn *in);
/* Frees native code that will not be executed again; NULL is allowed. */
void sg_native_free(struct sg_run *run);

/* Nothing that sg_fetch returned is freed between these two. */
void sg_code_enter(void);
void sg_code_leave(void);

/* ---- tables: each ends with a row without name ---- */

extern const struct sg_op sg_table_salu[], sg_table_sopp[], sg_table_smem[], sg_table_lane[],
    sg_table_vmem[], sg_table_formatted[], sg_table_image[], sg_table_atomic[], sg_table_fp8[],
    sg_table_scale[], sg_table_gfx950[], sg_table_lds[], sg_table_transpose[], sg_table_gws[],
    sg_table_mfma[], sg_table_block_scale[], sg_table_valu[], sg_table_valu_haswell[];

/* Returns the row of mnemonic `name` (no encoding suffix), NULL if no table has it. */
const struct sg_op *sg_find_op(const char *name);

/* ---- generic executors named by decode_code.c ---- */

/* Execute an instruction on all lanes that exec enables; the second is for processors with AVX2 and
 * FMA. */
void sg_exec_valu(struct sg_wave *wave, const struct sg_insn *in);
void sg_exec_valu_haswell(struct sg_wave *wave, const struct sg_insn *in);
/* For sources without modifiers and a whole result in vector registers, in the mode the row needs.
 */
void sg_exec_fast(struct sg_wave *wave, const struct sg_insn *in);
void sg_exec_fast_haswell(struct sg_wave *wave, const struct sg_insn *in);
/* Work out operand numbers and types; NULL or why the form is not supported. */
const char *sg_prepare_valu(struct sg_insn *in);
/* Give a constant the bits its operand type wants (MI200 ISA: inline constants, literals). */
void sg_settle_constant(struct sg_operand *o, uint8_t type);

/* ---- operand.c ---- */

static inline uint64_t sg_pair(const struct sg_wave *wave, unsigned index)
{
	return (uint64_t)wave->s[index + 1] << 32 | wave->s[index];
}

static inline void sg_set_pair(struct sg_wave *wave, unsigned index, uint64_t value)
{
	wave->s[index] = (uint32_t)value;
	wave->s[index + 1] = (uint32_t)(value >> 32);
}

/* Returns an operand that is neither a register nor a constant; 0 if it is no value. */
uint64_t sg_read_condition(const struct sg_wave *wave, const struct sg_operand *o);

static inline uint64_t sg_read64(const struct sg_wave *wave, const struct sg_operand *o)
{
	if (o->kind == SG_K_SCALAR)
		return sg_pair(wave, o->index);
	return o->kind == SG_K_CONST ? o->value : sg_read_condition(wave, o);
}

static inline uint32_t sg_read32(const struct sg_wave *wave, const struct sg_operand *o)
{
	if (o->kind == SG_K_SCALAR)
		return wave->s[o->index];
	return (uint32_t)(o->kind == SG_K_CONST ? o->value : sg_read_condition(wave, o));
}

static inline void sg_write32(struct sg_wave *wave, const struct sg_operand *o, uint32_t value)
{
	if (o->kind == SG_K_SCALAR)
		wave->s[o->index] = value;
}

static inline void sg_write64(struct sg_wave *wave, const struct sg_operand *o, uint64_t value)
{
	if (o->kind == SG_K_SCALAR)
		sg_set_pair(wave, o->index, value);
}

/* Returns the value of a 32-bit operand in one lane. */
static inline uint32_t sg_lane32(const struct sg_wave *wave, const struct sg_operand *o,
				 unsigned lane)
{
	if (o->kind == SG_K_VECTOR)
		return wave->v[o->index][lane];
	return sg_read32(wave, o);
}

/* Stores all ones or zero per lane, for EXEC. */
void sg_make_lane_mask(struct sg_wave *wave, uint64_t exec);

static inline uint64_t sg_exec(const struct sg_wave *wave)
{
	return sg_pair(wave, SG_EXEC);
}

static inline const uint32_t *sg_lane_mask(struct sg_wave *wave)
{
	uint64_t exec = sg_exec(wave);

	if (wave->lane_mask_of != exec)
		sg_make_lane_mask(wave, exec);
	return wave->lane_mask;
}

/* ---- kernel_memory.c ---- */

/* Forget cached spans if any page changed since; once an instruction is often enough. */
void sg_memory_forget(struct sg_memory *memory, uint64_t generation);

static inline void sg_memory_refresh(struct sg_worker *worker)
{
	uint64_t generation = __atomic_load_n(&softgpu_memory_generation, __ATOMIC_RELAXED);

	if (__builtin_expect(worker->memory.generation != generation, 0))
		sg_memory_forget(&worker->memory, generation);
}

/* Returns the span that holds `address`; NULL if the GPU has no mapping there. `pc` finds it
 * quickly. */
const struct sg_span *sg_span_slow(struct sg_worker *worker, uint64_t pc, uint64_t address);

static inline const struct sg_span *sg_span(struct sg_worker *worker, uint64_t pc, uint64_t address)
{
	struct sg_memory *m = &worker->memory;
	const struct sg_span *s = &m->span[m->hint[pc / 4 % SG_SPAN_HINT]];

	if (address >= s->first && address < s->last)
		return s;
	return sg_span_slow(worker, pc, address);
}

/*
 * Returns the host address of `size` bytes at GPU address `address`, or NULL after stopping the
 * wave with a fault. The bytes may be on two pages if both are next to each other in the host, too.
 * *state (may be NULL) receives the first page's SOFTGPU_PAGE_*, with SOFTGPU_PAGE_READ if any has
 * it.
 */
uint8_t *sg_global(struct sg_wave *wave, uint64_t address, unsigned size, unsigned *state);
/* Stop the wave: it wrote where at least one page may only be read. */
void sg_write_fault(struct sg_wave *wave, uint64_t address, unsigned size);
/* Returns the same for the lane's private memory; `offset` is in bytes. */
uint8_t *sg_private(struct sg_wave *wave, unsigned lane, uint64_t offset, unsigned size);
/* LDS of the wave's group; NULL (and no fault) when outside: such reads give 0, writes vanish. */
uint8_t *sg_lds(struct sg_wave *wave, uint64_t offset, unsigned size);
/* Returns any of the three by flat address. Sets *outside if NULL means "outside of LDS". */
uint8_t *sg_flat(struct sg_wave *wave, unsigned lane, uint64_t address, unsigned size,
		 unsigned *state, bool *outside);

/* ---- run_dispatch.c ---- */

/* Stop the wave: `why` with kernel, instruction text and offset become the run's message. */
void sg_unsupported(struct sg_wave *wave, const struct sg_insn *in, const char *why);
/* Stop the run: there is no such instruction. */
void sg_illegal(struct sg_wave *wave, const struct sg_insn *in);
/* Stop the wave, which executed the trap that aborts. */
void sg_trap(struct sg_wave *wave, const struct sg_insn *in);
/* Stop the wave: nothing is mapped at `address`. */
void sg_fault(struct sg_wave *wave, uint64_t address);

#define SG_ORIGINS 16 /* a power of two */

struct softgpu_run {
	struct softgpu_dispatch dispatch;
	uint64_t entry;
	uint64_t code_start; /* entry, or behind the header of a kernel with preloaded arguments */
	uint32_t rsrc1, rsrc2, rsrc3, properties, preload;
	uint64_t scratch_size; /* bytes per lane */
	uint32_t lds_size;
	uint32_t grid[3], group_size[3];
	uint64_t groups[3], ngroups;
	uint64_t step, offset; /* order: the n-th group made is (n * step + offset) % ngroups */
	uint64_t started;      /* groups given to workers (atomic) */
	uint64_t code_generation;
	uint64_t origins[SG_ORIGINS];   /* checks: allocations that need no look again (atomic) */
	struct sg_global_pages *global; /* global_races.c: accesses; NULL: none yet (atomic) */
	struct sg_watch {               /* endless.c */
		uint64_t begin, since,
		    next; /* ns: of the launch, of the last end of a group, of the next look */
		uint64_t ended; /* groups */
		bool told, waits;
	} watch;
	unsigned nxcds;             /* more than 1: each has an L2 cache, see l2.h */
	unsigned nworkers;          /* workers that have a share in this dispatch */
	bool shared;                /* with other threads than the caller's */
	unsigned waiting;           /* workers none of whose waves can go on (atomic) */
	enum softgpu_status status; /* atomic; the first worker that stops sets it, under `lock` */
	pthread_mutex_t lock;       /* status, fault_address, message */
	uint64_t fault_address;
	char *message;            /* NULL: none yet, or no memory for it */
	struct sg_worker *worker; /* [nworkers] */
};

/* Executes about `limit` instructions of a wave, at least one. Returns how many. In run_dispatch.c.
 */
uint64_t sg_run_wave(struct sg_wave *wave, uint64_t limit);

static inline bool sg_running(const struct softgpu_run *run)
{
	return __atomic_load_n(&run->status, __ATOMIC_RELAXED) == SOFTGPU_RUNNING;
}

#endif
