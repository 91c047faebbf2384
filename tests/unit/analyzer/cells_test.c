/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the AMD slides (S0; docs/memory-model.md#access), cell by cell, as verdicts: every
 * allocator and flag, with and without advice, XNACK off and on, under each kind of atomic. Where
 * the runtime's sources disagree with the slides, the newer word counts and both are named.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_process.h"

#define START 0x100000
#define BYTES 8192

enum { NOT_ADVISED, ADVISED, ADVISED_AND_BACK, ADVICES };

/* The kinds of atomics; what the slides call "safe" is a loop. */
static const struct kind {
	const char *name;
	bool fp, loop;
	enum isa_op op;
	enum isa_type type;
} kinds[] = {
	{ "hardware f32 addition", true, false, ISA_OP_ADD, ISA_TYPE_F32 },
	{ "hardware f64 addition", true, false, ISA_OP_ADD, ISA_TYPE_F64 },
	{ "hardware f64 maximum", true, false, ISA_OP_MAX, ISA_TYPE_F64 },
	{ "hardware packed f16 addition", true, false, ISA_OP_ADD, ISA_TYPE_PK_F16 },
	{ "f32 loop", true, true, ISA_OP_ADD, ISA_TYPE_F32 },
	{ "f64 loop", true, true, ISA_OP_ADD, ISA_TYPE_F64 },
	{ "integer addition", false, false, ISA_OP_ADD, ISA_TYPE_I32 },
	{ "integer compare-and-swap", false, false, ISA_OP_CMPSWAP, ISA_TYPE_I32 },
};

static const struct memory {
	const char *name;
	uint16_t api;
	uint64_t flags;
	enum granularity off, on; /* by the slides, not advised; XNACK off and on */
	bool advisable_off, advisable_on;
	enum granularity newer; /* what the sources say instead, GRAIN_UNKNOWN: the same */
} memories[] = {
	{ "malloc", HG_API_malloc, 0, GRAIN_INACCESSIBLE, GRAIN_FINE, false, true, 0 },
	{ "hipMallocManaged", HG_API_hipMallocManaged, 1, GRAIN_FINE, GRAIN_FINE, true, true, 0 },
	{ "hipMalloc", HG_API_hipMalloc, 0, GRAIN_COARSE, GRAIN_COARSE, false, false, 0 },
	{ "hipHostMallocDefault", HG_API_hipHostMalloc, 0, GRAIN_FINE, GRAIN_FINE, false, false,
	  0 },
	{ "hipHostMallocPortable", HG_API_hipHostMalloc, 0x1, GRAIN_FINE, GRAIN_FINE, false, false,
	  GRAIN_COARSE },
	{ "hipHostMallocMapped", HG_API_hipHostMalloc, 0x2, GRAIN_FINE, GRAIN_FINE, false, false,
	  0 },
	{ "hipHostMallocWriteCombined", HG_API_hipHostMalloc, 0x4, GRAIN_FINE, GRAIN_FINE, false,
	  false, GRAIN_COARSE },
	{ "hipHostMallocNumaUser", HG_API_hipHostMalloc, 0x20000000, GRAIN_FINE, GRAIN_FINE, false,
	  false, 0 },
	{ "hipHostMallocCoherent", HG_API_hipHostMalloc, 0x40000000, GRAIN_FINE, GRAIN_FINE, false,
	  false, 0 },
	{ "hipHostMallocNonCoherent", HG_API_hipHostMalloc, 0x80000000, GRAIN_COARSE, GRAIN_COARSE,
	  false, false, 0 },
};

static void set_atomic(const struct kind *kind)
{
	atomic.fp = kind->fp;
	atomic.native = !kind->loop;
	atomic.cas_loop = kind->loop;
	atomic.op = kind->loop ? ISA_OP_CMPSWAP : kind->op;
	atomic.loop_op = kind->op;
	atomic.type = kind->type;
}

static void advise(int32_t advice)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){
		.api = HG_API_hipMemAdvise, .ptr = START, .size = BYTES, .advice = advice } });
}

/* What S0 says must come of it; "" for nothing. */
static const char *verdict(enum granularity granularity, const struct kind *kind)
{
	if (granularity == GRAIN_INACCESSIBLE)
		return "HG209";
	if (!kind->fp)
		return "";
	if (kind->loop)
		return granularity == GRAIN_FINE ? "HG106" : "HG107";
	return granularity == GRAIN_FINE ? "HG101" : "";
}

struct cell {
	const struct memory *memory;
	const struct kind *kind;
	int advice;
	bool xnack, coherent; /* HIP_HOST_COHERENT=1 */
};

static enum granularity expected_granularity(const struct cell *cell)
{
	const struct memory *memory = cell->memory;
	bool advisable = cell->xnack ? memory->advisable_on : memory->advisable_off;

	if (cell->advice == ADVISED && advisable)
		return GRAIN_COARSE;
	if (memory->newer != GRAIN_UNKNOWN && !cell->coherent)
		return memory->newer;
	return cell->xnack ? memory->on : memory->off;
}

/* What is found about the atomic: variables and advice without effect are other rules' business. */
static const struct finding *the_finding(void)
{
	const struct finding *got = NULL;

	found();
	for (unsigned i = 0; finding(i); i++) {
		const char *rule = finding(i)->rule->id;

		if (strcmp(rule, "HG214") != 0 && strcmp(rule, "HG904") != 0) {
			assert_null(got);
			got = finding(i);
		}
	}
	return got;
}

static void check_cell(void **state, const struct cell *cell)
{
	const struct memory *memory = cell->memory;
	const char *expected = verdict(expected_granularity(cell), cell->kind);
	const struct finding *got;

	setup(state);
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){
				     .page_size = 4096,
				     .version = "",
				     .exe = "",
				     .cmdline = "",
				     .env = cell->coherent ? "HIP_HOST_COHERENT=1" : "" } });
	code_object_event();
	kernel_event(1, "_Z3addPf");
	device(cell->xnack);
	set_atomic(cell->kind);
	alloc(memory->api, START, BYTES, memory->flags, 5);
	if (cell->advice != NOT_ADVISED)
		advise(100);
	if (cell->advice == ADVISED_AND_BACK)
		advise(101);
	launch(1, START + 64, 0);
	got = the_finding();
	if (strcmp(got ? got->rule->id : "", expected) != 0) {
		fail_msg("%s, XNACK %s, HIP_HOST_COHERENT=%d, advice %d, %s: %s, expected %s",
			 memory->name, cell->xnack ? "on" : "off", cell->coherent, cell->advice,
			 cell->kind->name, got ? got->rule->id : "nothing", expected);
	}
	if (got && memory->newer != GRAIN_UNKNOWN && !cell->coherent) {
		/* Both are named. */
		assert_non_null(strstr(got->why, "S0 documents it as fine-grained"));
	}
	teardown(state);
}

static void every_cell(void **state)
{
	struct cell cell;

	for (size_t m = 0; m < G_N_ELEMENTS(memories); m++) {
		for (unsigned i = 0; i < ADVICES * G_N_ELEMENTS(kinds) * 4; i++) {
			cell = (struct cell){ .memory = &memories[m],
					      .kind = &kinds[i / 4 % G_N_ELEMENTS(kinds)],
					      .advice = (int)(i / 4 / G_N_ELEMENTS(kinds)),
					      .xnack = i & 1,
					      .coherent = i & 2 };
			check_cell(state, &cell);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_cell) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
