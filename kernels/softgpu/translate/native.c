/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the instructions that are translated together, and executes their code.
 *
 * An instruction that is executed softgpu_config.native times becomes the start of a run: itself
 * and the instructions that follow, as far as they are straight code that native_translate() knows.
 * Scalar instructions in between are executed before the run, if that makes no difference. EXEC
 * does not change in a run.
 */
#include <stdlib.h>

#include "native.h"
#include "native_room.h"

#if defined(__x86_64__)

#define MAX_RUN     160 /* instructions */
#define MAX_SCALARS 48
#define MAX_CODE    (128u << 10) /* bytes of one translation */

struct sg_run {
	void (*every)(struct sg_wave *wave, uint32_t (*v)[SG_LANES]); /* EXEC is all ones */
	void (*some)(struct sg_wave *wave, uint32_t (*v)[SG_LANES]);
	uint64_t end;   /* the address behind it */
	unsigned count; /* instructions */
	unsigned chunk; /* of memory for code */
	uint32_t mode_bits, mode_value;
	unsigned nscalars;
	const struct sg_insn *scalar[];
};

/* The scalar registers that a run uses in some way, a bit each. */
struct set {
	uint64_t bits[2];
};

/* A run in the making. */
struct run {
	const struct sg_insn *vector[MAX_RUN], *scalar[MAX_SCALARS];
	unsigned nvectors, nscalars, count;
	struct set words;  /* read as values by vector instructions */
	struct set masks;  /* read as masks */
	struct set writes; /* written as masks */
	bool is_float;
	uint64_t end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(struct set *s, unsigned index, unsigned count)
{
	for (; count; count--, index++)
		if (index < SG_SCALARS)
			s->bits[index / 64] |= (uint64_t)1 << index % 64;
}

static bool meet(const struct set *a, const struct set *b)
{
	return (a->bits[0] & b->bits[0]) || (a->bits[1] & b->bits[1]);
}

static void join(struct set *a, const struct set *b)
{
	a->bits[0] |= b->bits[0];
	a->bits[1] |= b->bits[1];
}

/* ---- what belongs to a run ---- */

static bool does_nothing(const struct sg_insn *in)
{
	return !strcmp(in->op->name, "s_nop") || !strcmp(in->op->name, "s_waitcnt") ||
	       !strcmp(in->op->name, "v_nop");
}

static bool in_table(const struct sg_op *op, const struct sg_op *table)
{
	for (; table->name; table++)
		if (op == table)
			return true;
	return false;
}

/*
 * A scalar instruction whose effect is the same before the run's vector instructions: it reads no
 * mask that they write and writes nothing that they use, nor EXEC.
 */
static bool goes_before(const struct run *r, const struct sg_insn *in)
{
	bool loads = in_table(in->op, sg_table_smem);
	struct set uses = { { 0, 0 } }, writes = { { 0, 0 } };
	unsigned i;

	if (in->problem || (!loads && !in_table(in->op, sg_table_salu)) ||
	    strstr(in->op->name, "exec_"))
		return false;
	for (i = 0; i < in->nops; i++) {
		const struct sg_operand *o = &in->o[i];

		if (o->kind == SG_K_VCCZ || o->kind == SG_K_EXECZ || o->kind == SG_K_VECTOR)
			return false;
		if (o->kind != SG_K_SCALAR)
			continue;
		/* Some read more than they name (buffer resources), none more than sixteen. */
		add(&uses, o->index, o->count);
		if (i == 0 && !(in->op->flags & SG_F_NODST))
			add(&writes, o->index, loads ? in->op->arg : 2);
	}
	add(&writes, SG_SCALARS, 0);
	if (writes.bits[SG_EXEC / 64] >> SG_EXEC % 64)
		return false;
	return !meet(&uses, &r->writes) && !meet(&writes, &r->words) && !meet(&writes, &r->masks) &&
	       !meet(&writes, &r->writes);
}

/* Adds the scalar registers that a vector instruction uses to the run. Returns false if the run
 * must end before it. */
static bool fits(struct run *r, const struct sg_insn *in)
{
	struct set words = r->words, masks = { { 0, 0 } }, writes = { { 0, 0 } };
	unsigned i;

	for (i = 0; i < in->nops; i++) {
		const struct sg_operand *o = &in->o[i];

		if (o->kind != SG_K_SCALAR)
			continue;
		if ((i == 0 && in->op->d == SG_mask) || (in->carry_out && i == in->carry_out))
			add(&writes, o->index, 2);
		else if (in->carry_in && i == in->carry_in)
			add(&masks, o->index, 2);
		else
			add(&words, o->index, 2);
	}
	if (in->op->flags & SG_F_VCC)
		add(&masks, SG_VCC, 2);
	/* The loop would see its own masks, of lanes before, in what it takes for one value. */
	join(&writes, &r->writes);
	if (meet(&words, &writes))
		return false;
	r->words = words;
	r->writes = writes;
	join(&r->masks, &masks);
	r->is_float |= in->op->flags & SG_F_FLOAT;
	return true;
}

/* ---- translation ---- */

/* The state to return to if an instruction turns out not to be translatable. */
struct mark {
	struct native_reg reg[NATIVE_REGS];
	uint8_t *at;
	unsigned nconstants, ncolds, nmasks;
};

static void set_mark(const struct native *n, struct mark *m)
{
	memcpy(m->reg, n->reg, sizeof(m->reg));
	m->at = n->x.at;
	m->nconstants = n->nconstants;
	m->ncolds = n->ncolds;
	m->nmasks = n->nmasks;
}

static void go_back(struct native *n, const struct mark *m)
{
	memcpy(n->reg, m->reg, sizeof(n->reg));
	n->x.at = m->at;
	n->nconstants = m->nconstants;
	n->ncolds = m->ncolds;
	n->nmasks = m->nmasks;
	n->failed = false;
}

static void start(struct native *n, uint8_t *at, bool masked)
{
	memset(n, 0, sizeof(*n));
	n->x.start = n->x.at = at;
	n->x.end = at + MAX_CODE;
	n->masked = masked;
	native_begin(n);
}

/* Collect the run from `in` on, and translate it for EXEC all ones. */
static void collect(struct native *n, struct run *r, struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t pc = in->pc, fault;

	for (r->count = 0; r->count < MAX_RUN; r->count++) {
		struct run before = *r;
		struct mark mark;

		in = sg_fetch(wave, pc, &fault);
		if (!in || !in->op || in->problem)
			break;
		if (!in->op->lane) {
			if (does_nothing(in)) {
				pc += in->size;
				continue;
			}
			if (r->nscalars == MAX_SCALARS || !goes_before(r, in))
				break;
			r->scalar[r->nscalars++] = in;
			pc += in->size;
			continue;
		}
		set_mark(n, &mark);
		if (!fits(r, in) || !native_translate(n, in)) {
			*r = before;
			go_back(n, &mark);
			break;
		}
		r->vector[r->nvectors++] = in;
		pc += in->size;
	}
	r->end = pc;
}

static bool translate_again(struct native *n, const struct run *r)
{
	unsigned i;

	for (i = 0; i < r->nvectors; i++)
		if (!native_translate(n, r->vector[i]))
			return false;
	native_end(n);
	return !n->failed && !n->x.full;
}

/* Translate the run that starts at `in`; NULL when there is none. Called under `lock`. */
static struct sg_run *translate(struct sg_wave *wave, const struct sg_insn *in)
{
	static struct native n;
	static struct run r;
	struct native_room room;
	struct sg_run *run;
	const uint8_t *every, *some;

	/* There are two pieces of code: for EXEC of all ones, and for the others. */
	if (!native_room_find(&room, 2 * MAX_CODE))
		return NULL;
	memset(&r, 0, sizeof(r));
	start(&n, room.write, false);
	collect(&n, &r, wave, in);
	if (!r.nvectors)
		return NULL;
	native_end(&n);
	if (n.failed || n.x.full)
		return NULL;
	every = room.run;
	some = every + (((size_t)(n.x.at - room.write) + 15) & ~(size_t)15);
	start(&n, room.write + (some - every), true);
	if (!translate_again(&n, &r))
		return NULL;
	run = malloc(sizeof(*run) + r.nscalars * sizeof(run->scalar[0]));
	if (!run)
		return NULL;
	native_room_take(&room, (size_t)(n.x.at - room.write));
	run->chunk = room.chunk;
	memcpy(&run->every, &every, sizeof(every));
	memcpy(&run->some, &some, sizeof(some));
	run->end = r.end;
	run->count = r.count;
	run->mode_bits = SG_MODE_GPR_IDX | (r.is_float ? 0xff : 0);
	run->mode_value = r.is_float ? SG_MODE_DEFAULT : 0;
	run->nscalars = r.nscalars;
	memcpy(run->scalar, r.scalar, r.nscalars * sizeof(run->scalar[0]));
	return run;
}

/* ---- execution ---- */

static void exec_run(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_run *run = in->run;
	unsigned i;

	if (__builtin_expect((wave->mode & run->mode_bits) != run->mode_value, 0)) {
		in->plain(wave, in);
		return;
	}
	for (i = 0; i < run->nscalars; i++) {
		wave->worker->current = run->scalar[i];
		run->scalar[i]->exec(wave, run->scalar[i]);
		if (__builtin_expect(wave->stop, 0))
			return;
	}
	if (!~sg_exec(wave)) {
		run->every(wave, wave->v);
	} else {
		(void)sg_lane_mask(wave);
		run->some(wave, wave->v);
	}
	wave->pc = run->end;
	wave->worker->more += run->count - 1;
}

static void exec_warm(struct sg_wave *wave, const struct sg_insn *in)
{
	/* Decoded instructions are constant but for how they are executed. */
	struct sg_insn *mine = (struct sg_insn *)(uintptr_t)in;
	struct sg_run *run;

	if (__atomic_add_fetch(&mine->heat, 1, __ATOMIC_RELAXED) < softgpu_config.native) {
		in->plain(wave, in);
		return;
	}
	pthread_mutex_lock(&lock);
	if (__atomic_load_n(&mine->exec, __ATOMIC_RELAXED) == exec_warm) {
		uint64_t pc = wave->pc;
		struct sg_code_page *code = wave->code;

		run = translate(wave, in);
		wave->pc = pc;
		wave->code = code;
		mine->run = run;
		__atomic_store_n(&mine->exec, run ? exec_run : in->plain, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	__atomic_load_n(&mine->exec, __ATOMIC_ACQUIRE)(wave, in);
}

void sg_native_prepare(struct sg_insn *in)
{
	__builtin_cpu_init();
	if (!softgpu_config.native || !in->op || !in->op->lane || !native_knows(in->op) ||
	    !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return;
	in->plain = in->exec;
	in->exec = exec_warm;
}

void sg_native_free(struct sg_run *run)
{
	if (run)
		native_room_return(run->chunk);
	free(run);
}

#else

void sg_native_free(struct sg_run *run)
{
	(void)run;
}

void sg_native_prepare(struct sg_insn *in)
{
	(void)in;
}

#endif
