/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the AMD slides (S0; memory-model.md A.3), cell by cell, as verdicts: every
 * allocator and flag, with and without advice, XNACK off and on, under each kind of atomic. Where
 * the runtime's sources disagree with the slides, the newer word counts and both are named.
 */
#include "rules_world.h"

#define START 0x100000
#define BYTES 8192

enum { NOT_ADVISED, ADVISED, ADVISED_AND_BACK, ADVICES };
enum { HARDWARE_F32, HARDWARE_F64, LOOP_F32, INTEGER_ADD, ATOMICS };

static const struct memory {
	const char *name;
	enum hg_api api;
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

static void set_atomic(int which)
{
	atomic.fp = which != INTEGER_ADD;
	atomic.native = which != LOOP_F32;
	atomic.cas_loop = which == LOOP_F32;
	atomic.op = which == LOOP_F32 ? ISA_OP_CMPSWAP : ISA_OP_ADD;
	atomic.loop_op = ISA_OP_ADD;
	atomic.type = which == HARDWARE_F64  ? ISA_TYPE_F64
		      : which == INTEGER_ADD ? ISA_TYPE_I32
					     : ISA_TYPE_F32;
}

static void advise(int32_t advice)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = {
		.api = HG_API_hipMemAdvise, .ptr = START, .size = BYTES, .advice = advice } });
}

/* What S0 says must come of it; "" for nothing. */
static const char *verdict(enum granularity granularity, int which)
{
	if (granularity == GRAIN_INACCESSIBLE) {
		return "HG209";
	}
	switch (which) {
	case HARDWARE_F32:
	case HARDWARE_F64:
		return granularity == GRAIN_FINE ? "HG101" : "";
	case LOOP_F32:
		return granularity == GRAIN_FINE ? "HG106" : "HG107";
	default:
		return "";
	}
}

static void check_cell(void **state, const struct memory *memory, bool xnack, int advice, int which)
{
	enum granularity expected = xnack ? memory->on : memory->off;
	bool advisable = xnack ? memory->advisable_on : memory->advisable_off;
	const struct finding *got = NULL;
	char text[64];

	if (memory->newer != GRAIN_UNKNOWN) {
		expected = memory->newer;
	}
	if (advice == ADVISED && advisable) {
		expected = GRAIN_COARSE;
	}
	setup(state);
	device(xnack);
	set_atomic(which);
	alloc(memory->api, START, BYTES, memory->flags, 5);
	if (advice != NOT_ADVISED) {
		advise(100);
	}
	if (advice == ADVISED_AND_BACK) {
		advise(101);
	}
	launch(1, START + 64, 0);
	g_strlcpy(text, found(), sizeof(text));
	/* That advice without effect has none is another rule's business. */
	for (unsigned i = 0; i < findings.list->len; i++) {
		if (strcmp(finding(i)->rule->id, "HG214") != 0) {
			assert_null(got);
			got = finding(i);
		}
	}
	if (strcmp(got ? got->rule->id : "", verdict(expected, which)) != 0) {
		fail_msg("%s, XNACK %s, advice %d, atomic %d: %s, expected %s", memory->name,
			 xnack ? "on" : "off", advice, which, text, verdict(expected, which));
	}
	if (got && memory->newer != GRAIN_UNKNOWN) {
		/* Both are named. */
		assert_non_null(strstr(got->why, "S0 documents it as fine-grained"));
	}
	teardown(state);
}

static void every_cell(void **state)
{
	for (size_t m = 0; m < sizeof(memories) / sizeof(memories[0]); m++) {
		for (int advice = 0; advice < ADVICES; advice++) {
			for (int which = 0; which < ATOMICS; which++) {
				check_cell(state, &memories[m], false, advice, which);
				check_cell(state, &memories[m], true, advice, which);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_cell) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
