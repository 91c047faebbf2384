/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory model: what sources state of releases, flags and GPUs. What was measured on hardware,
 * S0's tables among it, is in tests/hardware.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/model.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_modules.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"

static const struct model_environment xnack_off = {
	.xnack = 0, .hmm = 1, .fine_pool = 1, .runtime_version = 50221153
};
static const struct model_environment xnack_on = {
	.xnack = 1, .hmm = 1, .fine_pool = 1, .runtime_version = 50221153
};

static void expect(uint16_t api, uint64_t flags, const struct model_environment *environment,
		   enum granularity granularity, enum location location, bool prefetch, bool advice)
{
	struct model_memory memory = model_memory(api, flags, environment);

	if (memory.granularity != granularity || memory.location != location ||
	    memory.prefetchable != prefetch || memory.advisable != advice) {
		fail_msg("api %d flags 0x%lx: %s in %s, prefetch %d, advice %d", api,
			 (unsigned long)flags, model_granularity_name(memory.granularity),
			 model_location_name(memory.location), memory.prefetchable,
			 memory.advisable);
	}
	assert_non_null(memory.why);
	assert_true(memory.certain);
}

/* S0, table "XNACK disabled": where the memory is, and that no doubt is left. */
static void slides_with_xnack_off(void **state)
{
	(void)state;
	expect(HG_API_malloc, 0, &xnack_off, GRAIN_INACCESSIBLE, LOCATION_HOST, false, true);
	expect(HG_API_hipMallocManaged, 1, &xnack_off, GRAIN_FINE, LOCATION_MOVABLE, true, true);
	expect(HG_API_hipMalloc, 0, &xnack_off, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	expect(HG_API_hipHostMalloc, 0, &xnack_off, GRAIN_FINE, LOCATION_HOST, false, false);
}

/* S0, table "XNACK enabled": the same. */
static void slides_with_xnack_on(void **state)
{
	(void)state;
	expect(HG_API_malloc, 0, &xnack_on, GRAIN_FINE, LOCATION_MOVABLE, true, true);
	expect(HG_API_hipMallocManaged, 1, &xnack_on, GRAIN_FINE, LOCATION_MOVABLE, true, true);
	expect(HG_API_hipMalloc, 0, &xnack_on, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	expect(HG_API_hipHostMalloc, 0, &xnack_on, GRAIN_FINE, LOCATION_HOST, false, false);
}

/* On such machines nothing about any kind of memory is uncertain; the answers are in
 * tests/hardware/tables. */
static void slides_leave_no_doubt(void **state)
{
	static const enum memory_kind kinds[] = { KIND_SYSTEM, KIND_MANAGED, KIND_DEVICE,
						  KIND_PINNED };
	struct model_environment machines[] = { xnack_off, xnack_on };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) * 2; i++) {
		machines[i % 2].large_bar = 1;
		for (int question = 0; question < QUESTIONS; question++) {
			struct model_answer answer = model_ask((enum model_question)question,
							       kinds[i / 2], &machines[i % 2]);

			if (!answer.certain || answer.access == ACCESS_UNKNOWN ||
			    !strcmp(answer.sources, "")) {
				fail_msg("kind %d, %s: %s", kinds[i / 2],
					 model_question_text((enum model_question)question),
					 model_access_text(answer.access));
			}
		}
	}
}

static void access_depends_on_the_machine(void **state)
{
	struct model_environment machine = xnack_on;

	(void)state;
	machine.apu = 1;
	assert_int_equal(model_ask(QUESTION_GPU, KIND_SYSTEM, &machine).access, ACCESS_LOCAL);
	assert_int_equal(model_ask(QUESTION_MIGRATION, KIND_MANAGED, &machine).access, ACCESS_NO);
	assert_int_equal(model_ask(QUESTION_MIGRATION, KIND_SYSTEM, &machine).access, ACCESS_NO);
	assert_int_equal(model_ask(QUESTION_CPU, KIND_DEVICE, &machine).access, ACCESS_LOCAL);
	assert_int_equal(model_ask(QUESTION_PREFETCH, KIND_MANAGED, &machine).access, ACCESS_NO);
	assert_int_equal(model_ask(QUESTION_PREFETCH, KIND_SYSTEM, &machine).access, ACCESS_NO);
	/* The GPU has a large part of its own, which depends on the release of Linux. */
	machine.carve_out = 1;
	assert_int_equal(model_ask(QUESTION_MIGRATION, KIND_MANAGED, &machine).access, ACCESS_YES);
	assert_false(model_ask(QUESTION_MIGRATION, KIND_MANAGED, &machine).certain);
	assert_true(model_memory(HG_API_hipMallocManaged, 1, &machine).prefetchable);
	machine.carve_out = 0;
	assert_false(model_memory(HG_API_hipMallocManaged, 1, &machine).prefetchable);
	/* CPUs of MI300A offer coarse-grained memory, too (RINFO). */
	assert_int_equal(model_memory(HG_API_hipHostMalloc, 0x80000000, &machine).granularity,
			 GRAIN_COARSE);
	machine.apu = machine.large_bar = 0;
	assert_int_equal(model_ask(QUESTION_CPU, KIND_DEVICE, &machine).access, ACCESS_NONE);
	machine.large_bar = -1;
	assert_int_equal(model_ask(QUESTION_CPU, KIND_DEVICE, &machine).access, ACCESS_REMOTE);
	assert_false(model_ask(QUESTION_CPU, KIND_DEVICE, &machine).certain);
	machine.xnack = -1;
	assert_int_equal(model_ask(QUESTION_GPU, KIND_SYSTEM, &machine).access, ACCESS_UNKNOWN);
}

/* What no source settles for every release is never certain. */
static void memory_from_elsewhere(void **state)
{
	static const uint16_t apis[] = {
		HG_API_hipMemAddressReserve,
		HG_API_hipMemMap,
		HG_API_hipIpcOpenMemHandle,
		HG_API_hipMemPoolImportPointer,
		HG_API_hipExternalMemoryGetMappedBuffer,
	};
	struct model_environment newest = xnack_off;

	(void)state;
	newest.runtime_version = 70000000;
	expect(HG_API_hipModuleGetGlobal, 0, &newest, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	expect(HG_API_hipMemMap, 0, &xnack_off, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	/* From ROCm 7 on it may be of an uncached type. */
	expect(HG_API_hipMemMap, 1, &xnack_off, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	assert_false(model_memory(HG_API_hipMemMap, 1, &newest).certain);
	assert_true(model_memory(HG_API_hipMemMap, 3ull << 32 | 0x101, &newest).certain);
	assert_int_equal(model_memory(HG_API_hipMemMap, 0x201, &newest).granularity, GRAIN_UNKNOWN);
	assert_int_equal(model_memory(HG_API_hipMemMap, 1ull << 32 | 0x103, &newest).location,
			 LOCATION_HOST);
	assert_int_equal(model_memory(HG_API_hipMemMap, 2, &newest).granularity, GRAIN_UNKNOWN);
	assert_int_equal(model_memory(HG_API_hipMemMap, 2, &newest).location, LOCATION_HOST);
	for (size_t i = 0; i < sizeof(apis) / sizeof(apis[0]); i++) {
		assert_int_equal(model_memory(apis[i], 0, &newest).granularity, GRAIN_COARSE);
		assert_false(model_memory(apis[i], 0, &newest).certain);
	}
}

/* The runtime's decision procedure for pinned memory (HIPAMD52, CLR62). */
static void pinned_memory_by_flag(void **state)
{
	static const struct {
		uint64_t flags;
		enum granularity plain, host_coherent;
	} rows[] = {
		{ 0x0, GRAIN_FINE, GRAIN_FINE },
		{ 0x1, GRAIN_COARSE, GRAIN_FINE },
		{ 0x2, GRAIN_FINE, GRAIN_FINE },
		{ 0x4, GRAIN_COARSE, GRAIN_FINE },
		{ 0x5, GRAIN_COARSE, GRAIN_FINE },
		{ 0x3, GRAIN_FINE, GRAIN_FINE },
		{ 0x20000000, GRAIN_FINE, GRAIN_FINE },
		{ 0x40000000, GRAIN_FINE, GRAIN_FINE },
		{ 0x40000001, GRAIN_FINE, GRAIN_FINE },
		{ 0x80000000, GRAIN_COARSE, GRAIN_COARSE },
		{ 0x80000002, GRAIN_COARSE, GRAIN_COARSE },
	};
	struct model_environment coherent = xnack_off;

	(void)state;
	coherent.host_coherent = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect(HG_API_hipHostMalloc, rows[i].flags, &xnack_off, rows[i].plain,
		       LOCATION_HOST, false, false);
		expect(HG_API_hipHostMalloc, rows[i].flags, &coherent, rows[i].host_coherent,
		       LOCATION_HOST, false, false);
	}
	expect(HG_API_hipMallocHost, 0, &xnack_off, GRAIN_COARSE, LOCATION_HOST, false, false);
	expect(HG_API_hipHostRegister, 8, &xnack_off, GRAIN_FINE, LOCATION_HOST, false, false);
}

static void device_memory_by_flag(void **state)
{
	struct model_environment no_pool = xnack_off, unknown_pool = xnack_off;

	(void)state;
	no_pool.fine_pool = 0;
	unknown_pool.fine_pool = -1;
	/* 5.2 does not fall back: what it returned is fine-grained (seen with 5.2.3). */
	assert_true(model_memory(HG_API_hipExtMallocWithFlags, 1, &unknown_pool).certain);
	/* Nor do the releases up to 6.2 (read), and 6.4 does (seen). */
	unknown_pool.runtime_version = 60240092;
	assert_true(model_memory(HG_API_hipExtMallocWithFlags, 1, &unknown_pool).certain);
	no_pool.runtime_version = unknown_pool.runtime_version = 60443484;
	expect(HG_API_hipExtMallocWithFlags, 0, &xnack_off, GRAIN_COARSE, LOCATION_DEVICE, false,
	       false);
	expect(HG_API_hipExtMallocWithFlags, 1, &xnack_off, GRAIN_FINE, LOCATION_DEVICE, false,
	       false);
	expect(HG_API_hipExtMallocWithFlags, 1, &no_pool, GRAIN_COARSE, LOCATION_DEVICE, false,
	       false);
	assert_int_equal(model_memory(HG_API_hipExtMallocWithFlags, 1, &unknown_pool).granularity,
			 GRAIN_FINE);
	assert_false(model_memory(HG_API_hipExtMallocWithFlags, 1, &unknown_pool).certain);
}

static struct model_environment of_release(int version, int xnack)
{
	struct model_environment environment = xnack ? xnack_on : xnack_off;

	environment.runtime_version = version;
	return environment;
}

/* hipHostMallocUncached has no effect before ROCm 7 (read in 5.6 to 6.4; seen with 6.4.3). */
static void uncached_host_memory_depends_on_the_release(void **state)
{
	static const int before[] = { 50221153, 50731921, 60140093, 60443484 };
	struct model_environment newer = of_release(70100000, 0), coherent,
				 unknown = of_release(0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct model_environment older = of_release(before[i], 0);

		expect(HG_API_hipHostMalloc, 0x10000000, &older, GRAIN_COARSE, LOCATION_HOST, false,
		       false);
		expect(HG_API_hipHostMalloc, 0x10000002, &older, GRAIN_FINE, LOCATION_HOST, false,
		       false);
	}
	coherent = of_release(60443484, 0);
	coherent.host_coherent = 1;
	expect(HG_API_hipHostMalloc, 0x10000000, &coherent, GRAIN_FINE, LOCATION_HOST, false,
	       false);
	expect(HG_API_hipHostMalloc, 0x10000000, &newer, GRAIN_FINE, LOCATION_HOST, false, false);
	expect(HG_API_hipHostAlloc, 0x10000000, &newer, GRAIN_FINE, LOCATION_HOST, false, false);
	assert_int_equal(model_memory(HG_API_hipHostMalloc, 0x10000000, &unknown).granularity,
			 GRAIN_UNKNOWN);
}

/* hipDeviceMallocContiguous: seen with 6.4.3 and 7.2.4. */
static void contiguous_memory(void **state)
{
	struct model_environment newer = of_release(60443484, 0);
	struct model_memory memory = model_memory(HG_API_hipExtMallocWithFlags, 4, &newer);

	(void)state;
	assert_int_equal(memory.kind, KIND_DEVICE);
	assert_int_equal(memory.granularity, GRAIN_FINE);
	assert_int_equal(memory.location, LOCATION_DEVICE);
	assert_false(memory.certain);
}

/* gfx120x has no pool of extended scope before ROCm 7 (seen on gfx1201 with 6.4.3, and one
 * with 7.2.4). */
static void extended_scope_is_missing_on_gfx120x(void **state)
{
	struct model_environment machine = of_release(60443484, 0);

	(void)state;
	assert_false(model_lacks_extended_pool("gfx1100", 60443484));
	assert_false(model_lacks_extended_pool("gfx1201", 70253211));
	assert_true(model_lacks_extended_pool("gfx1201", machine.runtime_version));
	machine.no_extended_pool = true;
	for (int pool = 0; pool < 2; pool++) {
		machine.fine_pool = pool;
		assert_int_equal(
		    model_memory(HG_API_hipExtMallocWithFlags, 3, &machine).granularity,
		    pool ? GRAIN_FINE : GRAIN_COARSE);
		expect(HG_API_hipExtMallocWithFlags, 4, &machine, GRAIN_COARSE, LOCATION_DEVICE,
		       false, false);
	}
}

/* Pools of extended scope, whose flag is 8 alone, and what takes the host's first pool that is not
 * fine-grained. */
static void memory_of_extended_scope(void **state)
{
	static const struct {
		int version;
		enum granularity grain;
	} locks[] = { { 50221153, GRAIN_COARSE },
		      { 50731921, GRAIN_COARSE },
		      { 60300000, GRAIN_UNKNOWN },
		      { 60443484, GRAIN_FINE },
		      { 70253211, GRAIN_FINE } };
	struct model_environment unknown = of_release(0, 0);

	(void)state;
	expect(HG_API_hsa_amd_memory_pool_allocate, 0x8, &xnack_off, GRAIN_FINE, LOCATION_HOST,
	       false, false);
	expect(HG_API_hsa_amd_memory_pool_allocate, 0x100000008, &xnack_off, GRAIN_FINE,
	       LOCATION_DEVICE, false, false);
	expect(HG_API_hsa_memory_allocate, 0x8, &xnack_off, GRAIN_FINE, LOCATION_HOST, false,
	       false);
	expect(HG_API_hsa_memory_allocate, 0x100000008, &xnack_off, GRAIN_FINE, LOCATION_DEVICE,
	       false, false);
	expect(HG_API_hsa_amd_memory_lock_to_pool, 0x8, &xnack_off, GRAIN_FINE, LOCATION_HOST,
	       false, false);
	expect(HG_API_hsa_amd_memory_pool_allocate, 0x4, &xnack_off, GRAIN_COARSE, LOCATION_HOST,
	       false, false);
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		struct model_environment machine = of_release(locks[i].version, 0);

		expect(HG_API_hsa_amd_memory_lock, 0, &machine, locks[i].grain, LOCATION_HOST,
		       false, false);
	}
	assert_false(model_memory(HG_API_hsa_amd_memory_lock, 0, &unknown).certain);
}

/* Prefetching (read in each release) and filling (5.2.3 and 5.7.1 seen) memory of malloc(). */
static void host_memory_is_refused_by_some_releases(void **state)
{
	static const struct {
		int version;
		enum model_access prefetch, fill;
	} rows[] = {
		{ 50221153, ACCESS_YES, ACCESS_YES }, { 50422801, ACCESS_YES, ACCESS_UNKNOWN },
		{ 50631062, ACCESS_YES, ACCESS_NO },  { 50731921, ACCESS_NO, ACCESS_NO },
		{ 60032830, ACCESS_NO, ACCESS_NO },   { 60140092, ACCESS_NO, ACCESS_NO },
		{ 60140093, ACCESS_YES, ACCESS_NO },  { 60240092, ACCESS_YES, ACCESS_NO },
		{ 60443484, ACCESS_YES, ACCESS_NO },  { 70253211, ACCESS_YES, ACCESS_NO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model_environment on = of_release(rows[i].version, 1);
		struct model_environment off = of_release(rows[i].version, 0);

		assert_int_equal(model_ask(QUESTION_PREFETCH, KIND_SYSTEM, &on).access,
				 rows[i].prefetch);
		assert_int_equal(model_memory(HG_API_malloc, 0, &on).prefetchable,
				 rows[i].prefetch == ACCESS_YES);
		assert_int_equal(model_ask(QUESTION_FILL, KIND_SYSTEM, &on).access, rows[i].fill);
		assert_int_equal(model_ask(QUESTION_ADVICE, KIND_SYSTEM, &on).access, ACCESS_YES);
		assert_int_equal(model_ask(QUESTION_PREFETCH, KIND_SYSTEM, &off).access, ACCESS_NO);
		assert_int_equal(model_ask(QUESTION_FILL, KIND_SYSTEM, &off).access, ACCESS_NO);
		assert_int_equal(model_ask(QUESTION_PREFETCH, KIND_MANAGED, &on).access,
				 ACCESS_YES);
		assert_int_equal(model_ask(QUESTION_FILL, KIND_MANAGED, &on).access, ACCESS_YES);
	}
}

static void hip_host_alloc_depends_on_the_release(void **state)
{
	struct model_environment newer = xnack_off, unknown = xnack_off;

	(void)state;
	newer.runtime_version = 60400000;
	unknown.runtime_version = 0;
	expect(HG_API_hipHostAlloc, 0, &xnack_off, GRAIN_COARSE, LOCATION_DEVICE, false, false);
	expect(HG_API_hipHostAlloc, 0, &newer, GRAIN_FINE, LOCATION_HOST, false, false);
	assert_false(model_memory(HG_API_hipHostAlloc, 0, &unknown).certain);
}

/* XNACK in a kernel without HMM: nobody serves the faults [KFD svm_range_restore_pages]. */
static void system_memory_without_hmm(void **state)
{
	struct model_environment no_hmm = xnack_on;

	(void)state;
	no_hmm.hmm = 0;
	expect(HG_API_malloc, 0, &no_hmm, GRAIN_INACCESSIBLE, LOCATION_HOST, false, false);
	assert_int_equal(model_ask(QUESTION_GPU, KIND_SYSTEM, &no_hmm).access, ACCESS_FAULT);
	assert_int_equal(model_ask(QUESTION_MIGRATION, KIND_SYSTEM, &no_hmm).access, ACCESS_NO);
	assert_non_null(strstr(model_memory(HG_API_malloc, 0, &no_hmm).why, "HMM"));
	no_hmm.xnack = -1;
	expect(HG_API_malloc, 0, &no_hmm, GRAIN_INACCESSIBLE, LOCATION_HOST, false, false);
}

static void managed_memory_without_hmm(void **state)
{
	struct model_environment no_hmm = xnack_off;

	(void)state;
	no_hmm.hmm = 0;
	expect(HG_API_hipMallocManaged, 1, &no_hmm, GRAIN_COARSE, LOCATION_HOST, false, false);
}

static enum atomic_outcome outcome(const char *arch, enum atomic_kind kind,
				   enum granularity granularity, enum location location)
{
	struct model_atomic_use use = { .arch = arch,
					.kind = kind,
					.granularity = granularity,
					.location = location,
					.pcie_atomics = -1 };

	return model_atomic(&use).outcome;
}

static void what_is_not_known_is_not_guessed(void **state)
{
	struct model_environment nothing = { -1, -1, -1, -1, -1, -1, 0, 0, 0 };

	(void)state;
	assert_int_equal(model_memory(HG_API_malloc, 0, &nothing).granularity, GRAIN_UNKNOWN);
	assert_int_equal(model_memory(9999, 0, &nothing).granularity, GRAIN_UNKNOWN);
	assert_int_equal(outcome("gfx777", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_HOST),
			 OUTCOME_UNKNOWN);
	/* The link to the host is not known. */
	assert_int_equal(outcome("gfx90a", ATOMIC_INT_OTHER, GRAIN_FINE, LOCATION_HOST),
			 OUTCOME_UNKNOWN);
	assert_int_equal(outcome("gfx90a", ATOMIC_INT_OTHER, GRAIN_FINE, LOCATION_MOVABLE),
			 OUTCOME_UNKNOWN);
}

/* GAO: what hardware atomics do. */
static void atomics_by_gpu(void **state)
{
	static const struct {
		const char *arch;
		enum atomic_kind kind;
		enum granularity granularity;
		enum location location;
		enum atomic_outcome outcome;
	} rows[] = {
		{ "gfx90a", ATOMIC_F32_ADD, GRAIN_COARSE, LOCATION_DEVICE, OUTCOME_WORKS },
		{ "gfx90a", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_LOST },
		{ "gfx90a", ATOMIC_F64_ADD, GRAIN_FINE, LOCATION_HOST, OUTCOME_LOST },
		{ "gfx90a", ATOMIC_F64_MINMAX, GRAIN_FINE, LOCATION_MOVABLE, OUTCOME_LOST },
		{ "gfx90a", ATOMIC_F64_ADD, GRAIN_COARSE, LOCATION_HOST, OUTCOME_WORKS },
		{ "gfx90a", ATOMIC_F32_MINMAX, GRAIN_COARSE, LOCATION_DEVICE, OUTCOME_NO_OPCODE },
		{ "gfx90a", ATOMIC_PK_F16_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_LOST },
		{ "gfx908", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_LOST },
		{ "gfx908", ATOMIC_F64_ADD, GRAIN_COARSE, LOCATION_DEVICE, OUTCOME_NO_OPCODE },
		{ "gfx906", ATOMIC_F32_ADD, GRAIN_COARSE, LOCATION_DEVICE, OUTCOME_NO_OPCODE },
		{ "gfx942", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_WORKS },
		{ "gfx942", ATOMIC_F64_ADD, GRAIN_FINE, LOCATION_MOVABLE, OUTCOME_WORKS },
		{ "gfx942", ATOMIC_INT_OTHER, GRAIN_FINE, LOCATION_MOVABLE, OUTCOME_WORKS },
		{ "gfx950", ATOMIC_F64_ADD, GRAIN_FINE, LOCATION_MOVABLE, OUTCOME_WORKS },
		{ "gfx1100", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_LOST },
		{ "gfx1200", ATOMIC_F32_ADD, GRAIN_FINE, LOCATION_DEVICE, OUTCOME_WORKS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum atomic_outcome got =
		    outcome(rows[i].arch, rows[i].kind, rows[i].granularity, rows[i].location);

		if (got != rows[i].outcome)
			fail_msg("row %zu (%s): %d", i, rows[i].arch, got);
	}
}

/* What no source states or saw of that GPU says why it is possible only. */
static void doubts_have_reasons(void **state)
{
	struct model_atomic_use use = { .arch = "gfx90a",
					.kind = ATOMIC_INT_PCIE,
					.granularity = GRAIN_FINE,
					.location = LOCATION_HOST,
					.link = LINK_PCIE };

	(void)state;
	assert_non_null(model_atomic(&use).doubt);
	use.kind = ATOMIC_INT_MINMAX;
	assert_null(model_atomic(&use).doubt);
	use.arch = "gfx1031";
	assert_int_equal(model_atomic(&use).outcome, OUTCOME_LOST);
	assert_null(model_atomic(&use).doubt);
	use.kind = ATOMIC_INT_OTHER;
	assert_int_equal(model_atomic(&use).outcome, OUTCOME_LOST);
	assert_non_null(model_atomic(&use).doubt);
	use.kind = ATOMIC_INT_PCIE;
	assert_int_equal(model_atomic(&use).outcome, OUTCOME_WORKS);
	use.arch = "gfx1100"; /* nobody measured it */
	use.kind = ATOMIC_INT_MINMAX;
	assert_int_equal(model_atomic(&use).outcome, OUTCOME_UNKNOWN);
}

/* GAO's table of atomics on fine-grained host memory, column by column. */
static void atomics_on_host_memory(void **state)
{
	static const struct {
		const char *arch;
		enum model_link link;
		int pcie_atomics, apu;
		enum atomic_outcome add, other, fp, system_other, system_fp;
	} columns[] = {
		{ "gfx908", LINK_PCIE, 1, 0, OUTCOME_WORKS, OUTCOME_LOST, OUTCOME_LOST,
		  OUTCOME_LOST, OUTCOME_LOST },
		{ "gfx90a", LINK_PCIE, 1, 0, OUTCOME_WORKS, OUTCOME_LOST, OUTCOME_LOST,
		  OUTCOME_LOST, OUTCOME_LOST },
		{ "gfx90a", LINK_PCIE, -1, 0, OUTCOME_WORKS, OUTCOME_LOST, OUTCOME_LOST,
		  OUTCOME_LOST, OUTCOME_LOST },
		{ "gfx90a", LINK_PCIE, 0, 0, OUTCOME_LOST, OUTCOME_LOST, OUTCOME_LOST, OUTCOME_LOST,
		  OUTCOME_LOST },
		{ "gfx90a", LINK_XGMI, 0, 0, OUTCOME_WORKS, OUTCOME_WORKS, OUTCOME_LOST,
		  OUTCOME_WORKS, OUTCOME_LOST },
		{ "gfx942", LINK_PCIE, 1, 0, OUTCOME_WORKS, OUTCOME_WORKS, OUTCOME_WORKS,
		  OUTCOME_DOWNGRADED, OUTCOME_DOWNGRADED },
		{ "gfx942", LINK_UNKNOWN, -1, 1, OUTCOME_WORKS, OUTCOME_WORKS, OUTCOME_WORKS,
		  OUTCOME_WORKS, OUTCOME_WORKS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct model_atomic_use use = { .arch = columns[i].arch,
						.granularity = GRAIN_FINE,
						.location = LOCATION_HOST,
						.link = columns[i].link,
						.pcie_atomics = columns[i].pcie_atomics,
						.apu = columns[i].apu };
		enum atomic_outcome got[5];

		use.kind = ATOMIC_INT_PCIE;
		got[0] = model_atomic(&use).outcome;
		use.kind = ATOMIC_INT_OTHER;
		got[1] = model_atomic(&use).outcome;
		use.kind = strcmp(use.arch, "gfx908") ? ATOMIC_F64_ADD : ATOMIC_F32_ADD;
		got[2] = model_atomic(&use).outcome;
		use.system_scope = true;
		got[4] = model_atomic(&use).outcome;
		use.kind = ATOMIC_INT_OTHER;
		got[3] = model_atomic(&use).outcome;
		if (got[0] != columns[i].add || got[1] != columns[i].other ||
		    got[2] != columns[i].fp || got[3] != columns[i].system_other ||
		    got[4] != columns[i].system_fp) {
			fail_msg("column %zu (%s): %d %d %d %d %d", i, columns[i].arch, got[0],
				 got[1], got[2], got[3], got[4]);
		}
	}
}

static void flags_are_spelled_out(void **state)
{
	static const struct {
		uint16_t api;
		uint64_t flags;
		const char *text;
	} rows[] = {
		{ HG_API_hipHostMalloc, 0, "hipHostMallocDefault" },
		{ HG_API_hipHostMalloc, 0x40000001,
		  "hipHostMallocPortable | hipHostMallocCoherent" },
		{ HG_API_hipHostMalloc, 0x100, "0x100" },
		{ HG_API_hipExtMallocWithFlags, 1, "hipDeviceMallocFinegrained" },
		{ HG_API_hipMallocManaged, 1, "hipMemAttachGlobal" },
		{ HG_API_hipMalloc, 0, "" },
		{ HG_API_malloc, 64, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = model_flags_text(rows[i].api, rows[i].flags);

		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slides_with_xnack_off),
		cmocka_unit_test(slides_with_xnack_on),
		cmocka_unit_test(slides_leave_no_doubt),
		cmocka_unit_test(access_depends_on_the_machine),
		cmocka_unit_test(memory_from_elsewhere),
		cmocka_unit_test(pinned_memory_by_flag),
		cmocka_unit_test(device_memory_by_flag),
		cmocka_unit_test(uncached_host_memory_depends_on_the_release),
		cmocka_unit_test(contiguous_memory),
		cmocka_unit_test(extended_scope_is_missing_on_gfx120x),
		cmocka_unit_test(memory_of_extended_scope),
		cmocka_unit_test(host_memory_is_refused_by_some_releases),
		cmocka_unit_test(hip_host_alloc_depends_on_the_release),
		cmocka_unit_test(system_memory_without_hmm),
		cmocka_unit_test(managed_memory_without_hmm),
		cmocka_unit_test(what_is_not_known_is_not_guessed),
		cmocka_unit_test(atomics_by_gpu),
		cmocka_unit_test(doubts_have_reasons),
		cmocka_unit_test(atomics_on_host_memory),
		cmocka_unit_test(flags_are_spelled_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
