// SPDX-License-Identifier: Apache-2.0
/*
 * The analyzer's table of memory (analyzer/model/memory.def) against what AMD's libamdhip64 really
 * does: every allocator with every combination of its flags, compared with the page table of the
 * software GPU and with what hipMemRangeGetAttribute answers; and what access.def says of calls.
 * So is what `hipgrain explain memory` prints of them. TAP on stdout; meson.build sets the
 * environments, and names hipgrain.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "analyzer/model/model.h"
#include "codeobj/codeobj.h"
#include "explained.h"
#include "kernels/softgpu/softgpu.h"
#include "tap.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

extern unsigned softgpu_page_state_now(uint64_t address) __attribute__((weak));

#define SIZE         65536
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct model_environment environment;
/*
 * The software GPU has the memory of RDNA, but executes no kernel of it. HIP has ROCr fill memory
 * by one for each of its streams.
 */
static bool without_streams;

/* ---- the machine, queried as the preload library queries it ---- */

static int attribute(int which)
{
	int value = -1;

	if (hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)which, 0)) {
		hipGetLastError();
		return -1;
	}
	return value > 0;
}

/* As the recorder does, which asks HSA: HIP 5 and 6 do not report MI300A as integrated. */
static int is_apu(void)
{
	const char *apu = getenv("SOFTGPU_APU");

	return attribute(16) == 1 || (apu && strcmp(apu, "1") == 0);
}

static void ask_machine(void)
{
	const char *coherent = getenv("HIP_HOST_COHERENT");
	hipDeviceProp_t properties;

	check(!hipGetDeviceProperties(&properties, 0), "the device's properties");
	environment.xnack = codeobj_device_xnack(properties.gcnArchName);
	without_streams = properties.warpSize == 32;
	environment.hmm = attribute(24);
	environment.fine_pool = attribute(10016);
	environment.large_bar = attribute(10011);
	environment.apu = is_apu();
	environment.host_coherent = coherent && strcmp(coherent, "0");
	hipRuntimeGetVersion(&environment.runtime_version);
	environment.no_extended_pool =
	    model_lacks_extended_pool(properties.gcnArchName, environment.runtime_version);
}

/* ---- one allocation ---- */

static unsigned state_of(const void *memory)
{
	return softgpu_page_state_now((uint64_t)(uintptr_t)memory);
}

static enum granularity grain_of(unsigned state)
{
	return !(state & SOFTGPU_PAGE_MAPPED) ? GRAIN_INACCESSIBLE
	       : state & SOFTGPU_PAGE_FINE    ? GRAIN_FINE
					      : GRAIN_COARSE;
}

/* ---- what hipgrain explain prints ---- */

static void compare_text(const char *about, const char *printed, const char *real, bool certain)
{
	char wanted[128];

	snprintf(wanted, sizeof wanted, "%s%s", real, certain ? "" : " *");
	check(!strcmp(printed, wanted), "explain of %s: \"%s\", really \"%s\"", about, printed,
	      wanted);
}

/* `name`: of its line, if explain has one about these flags. */
static void compare_call(const char *name, uint16_t api, unsigned flags, unsigned state,
			 bool certain)
{
	char *names = model_flags_text(api, flags), about[128], real[64];
	const char *printed = explained_call(name, names);

	snprintf(about, sizeof about, "%s(%s)", name, names);
	snprintf(real, sizeof real, "%s %s", model_granularity_name(grain_of(state)),
		 model_location_name(state & SOFTGPU_PAGE_HOST ? LOCATION_HOST : LOCATION_DEVICE));
	if (printed)
		compare_text(about, printed, real, certain);
	free(names);
}

/* ROCr tells APUs from 5.7 on at the latest (HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES), 5.2.3 does not.
 */
static bool explain_knows_apu(void)
{
	return environment.apu != 1 || environment.runtime_version >= 50700000;
}

/* `column`: of its table, if explain has one for this allocator. */
static void compare_column(const char *column, unsigned state)
{
	static const char line[] = "granularity without advice";
	const char *printed = explained_cell(line, column);
	enum granularity real = grain_of(state);

	if (printed)
		compare_text(column, printed,
			     real == GRAIN_INACCESSIBLE ? "n/a" : model_granularity_name(real),
			     true);
	/* tests/e2e/softgpu/migration.hip shows if pages that the GPU has mapped move. */
	printed = explained_cell("GPU access", column);
	if (!printed || !explain_knows_apu())
		return;
	if (real == GRAIN_INACCESSIBLE || environment.apu == 1 || environment.xnack != 1)
		compare_text(column, printed,
			     real == GRAIN_INACCESSIBLE ? "fault"
			     : environment.apu == 1 || !(state & SOFTGPU_PAGE_HOST)
				 ? "in place, local"
				 : "in place, remote",
			     true);
}

/* What no source settles for every release is not certain, but has to be right for this one. */
static void compare_state(const char *name, const struct model_memory *table, unsigned flags,
			  unsigned state, bool certain)
{
	enum granularity real = grain_of(state);
	bool host = state & SOFTGPU_PAGE_HOST, place;

	place = real == GRAIN_INACCESSIBLE || host == (table->location != LOCATION_DEVICE);
	check(table->granularity == real && place && table->certain == certain,
	      "%s, flags 0x%x: table %s in %s%s, really %s in %s", name, flags,
	      model_granularity_name(table->granularity), model_location_name(table->location),
	      table->certain ? "" : " (not certain)", model_granularity_name(real),
	      host ? "host memory" : "device memory");
}

static bool is_pool(uint16_t api)
{
	return api == HG_API_hipMallocAsync || api == HG_API_hipMallocFromPoolAsync;
}

/*
 * Stream-ordered pools of 7.2 map created memory at reserved addresses. hipMemRangeGetAttribute
 * does not know these [SEEN72], and asks the driver, which refuses memory of objects.
 */
static bool is_answered(uint16_t api)
{
	return !is_pool(api) || environment.runtime_version < 70200000;
}

#define UNCACHED 3u /* hipDeviceMallocUncached, which headers before 5.6 lack */

/* Of extended scope the table knows of some GPUs that they do not offer it, not of all [ROCR24]. */
static bool is_settled(uint16_t api, unsigned flags)
{
	return api != HG_API_hipExtMallocWithFlags || flags < UNCACHED ||
	       (flags == UNCACHED && environment.runtime_version < 60300000) ||
	       (environment.no_extended_pool && (flags > UNCACHED || !environment.fine_pool));
}

static void compare(const char *name, uint16_t api, unsigned flags, void *seen, void *queried)
{
	struct model_memory table = model_memory(api, flags, &environment);
	hipError_t error;
	int mode = -1;

	compare_state(name, &table, flags, state_of(seen), is_settled(api, flags));
	compare_call(name, api, flags, state_of(seen), is_settled(api, flags));
	if (flags == (api == HG_API_hipMallocManaged))
		compare_column(name, state_of(seen));
	if (!queried)
		return;
	error = hipMemRangeGetAttribute(&mode, sizeof mode, hipMemRangeAttributeCoherencyMode,
					queried, 1);
	if (error)
		hipGetLastError();
	if (!is_answered(api)) {
		check(error || mode != hipMemRangeCoherencyModeCoarseGrain,
		      "%s, flags 0x%x: the runtime does not know it: error %d, mode %d", name,
		      flags, error, mode);
		return;
	}
	if (error) {
		check(false, "%s, flags 0x%x: the runtime does not answer", name, flags);
		return;
	}
	check(mode == (table.granularity == GRAIN_FINE ? hipMemRangeCoherencyModeFineGrain
						       : hipMemRangeCoherencyModeCoarseGrain),
	      "%s, flags 0x%x: the runtime says mode %d", name, flags, mode);
}

/* ---- allocators ---- */

static hipError_t do_malloc(void **p, unsigned flags)
{
	(void)flags;
	return hipMalloc(p, SIZE);
}
static hipError_t do_pitch(void **p, unsigned flags)
{
	size_t pitch;

	(void)flags;
	return hipMallocPitch(p, &pitch, 256, 256);
}
static hipError_t do_alloc_pitch(void **p, unsigned flags)
{
	size_t pitch;

	(void)flags;
	return hipMemAllocPitch(p, &pitch, 256, 256, 4);
}
static hipError_t do_3d(void **p, unsigned flags)
{
	hipPitchedPtr out = { 0 };
	hipExtent extent = { 256, 16, 16 };
	hipError_t error = hipMalloc3D(&out, extent);

	(void)flags;
	*p = out.ptr;
	return error;
}
static hipError_t do_async(void **p, unsigned flags)
{
	static hipStream_t stream; /* 5.2.3 does not survive the null stream here */
	hipError_t error = stream ? hipSuccess : hipStreamCreate(&stream);

	(void)flags;
	return error ? error : hipMallocAsync(p, SIZE, stream);
}
static hipError_t do_pool(void **p, unsigned flags)
{
	hipMemPoolProps properties = {
		.allocType = hipMemAllocationTypePinned,
		.location = { .type = hipMemLocationTypeDevice },
	};
	hipMemPool_t pool = NULL;
	hipStream_t stream = NULL;
	hipError_t error = hipMemPoolCreate(&pool, &properties);

	(void)flags;
	if (!error)
		error = hipStreamCreate(&stream);
	return error ? error : hipMallocFromPoolAsync(p, SIZE, pool, stream);
}
static hipError_t do_ext(void **p, unsigned flags)
{
	return hipExtMallocWithFlags(p, flags == hipMallocSignalMemory ? 8 : SIZE, flags);
}
static hipError_t do_host(void **p, unsigned flags)
{
	return hipHostMalloc(p, SIZE, flags);
}
static hipError_t do_malloc_host(void **p, unsigned flags)
{
	(void)flags;
	return hipMallocHost(p, SIZE);
}
static hipError_t do_mem_alloc_host(void **p, unsigned flags)
{
	(void)flags;
	return hipMemAllocHost(p, SIZE);
}
static hipError_t do_host_alloc(void **p, unsigned flags)
{
	return hipHostAlloc(p, SIZE, flags);
}
static hipError_t do_managed(void **p, unsigned flags)
{
	return hipMallocManaged(p, SIZE, flags);
}
/* The GPU may have an address of its own for this one: it is the one that is looked at. */
static hipError_t do_register(void **p, unsigned flags)
{
	void *host = aligned_alloc(4096, SIZE);
	hipError_t error = hipHostRegister(host, SIZE, flags);

	return error ? error : hipHostGetDevicePointer(p, host, 0);
}
static hipError_t do_system(void **p, unsigned flags)
{
	(void)flags;
	*p = malloc(SIZE);
	return *p ? hipSuccess : hipErrorOutOfMemory;
}
static hipError_t do_mmap(void **p, unsigned flags)
{
	(void)flags;
	*p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return *p == MAP_FAILED ? hipErrorOutOfMemory : hipSuccess;
}

/* Flags are tried in all combinations of `bits`, or in turn up to `values`. */
static const struct {
	const char *name;
	uint16_t api;
	hipError_t (*allocate)(void **p, unsigned flags);
	unsigned values, bits[7];
	unsigned accepted; /* at least so many of them are */
} allocators[] = {
	{ "hipMalloc", HG_API_hipMalloc, do_malloc, 1, { 0 }, 1 },
	{ "hipMallocPitch", HG_API_hipMallocPitch, do_pitch, 1, { 0 }, 1 },
	{ "hipMemAllocPitch", HG_API_hipMemAllocPitch, do_alloc_pitch, 1, { 0 }, 1 },
	{ "hipMalloc3D", HG_API_hipMalloc3D, do_3d, 1, { 0 }, 1 },
	{ "hipMallocAsync", HG_API_hipMallocAsync, do_async, 1, { 0 }, 1 },
	{ "hipMallocFromPoolAsync", HG_API_hipMallocFromPoolAsync, do_pool, 1, { 0 }, 1 },
	/* 5.2 knows three of them, and without a fine-grained pool refuses one. */
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, do_ext, 5, { 0 }, 2 },
	{ "hipHostMalloc",
	  HG_API_hipHostMalloc,
	  do_host,
	  0,
	  { 0x1, 0x2, 0x4, 0x10000000, 0x20000000, 0x40000000, 0x80000000 },
	  48 },
	{ "hipMallocHost", HG_API_hipMallocHost, do_malloc_host, 1, { 0 }, 1 },
	{ "hipMemAllocHost", HG_API_hipMemAllocHost, do_mem_alloc_host, 1, { 0 }, 1 },
	{ "hipHostAlloc", HG_API_hipHostAlloc, do_host_alloc, 0, { 0x1, 0x2, 0x4 }, 1 },
	{ "hipHostRegister", HG_API_hipHostRegister, do_register, 0, { 0x1, 0x2, 0x8 }, 8 },
	{ "hipMallocManaged", HG_API_hipMallocManaged, do_managed, 3, { 0 }, 2 },
	{ "malloc", HG_API_malloc, do_system, 1, { 0 }, 1 },
	{ "mmap", HG_API_mmap, do_mmap, 1, { 0 }, 1 },
};

/* Up to HIP 6.1 pitched memory is refused on GPUs without images (clr, ihipMallocPitch). */
static bool refuses_pitch(void)
{
	int width = 1;

	return HIP_VERSION < 60200000 &&
	       !hipDeviceGetAttribute(&width, hipDeviceAttributeMaxTexture1DWidth, 0) && !width;
}

/* Of what this release refuses there is nothing to compare. */
static void note_refused(const char *name, uint16_t api, unsigned flags)
{
	char *names = model_flags_text(api, flags);

	explained_call(name, names);
	free(names);
}

static void test_allocator(size_t index)
{
	unsigned values = allocators[index].values, accepted = 0;

	if (without_streams && is_pool(allocators[index].api)) {
		note_refused(allocators[index].name, allocators[index].api, 0);
		check(true, "%s # SKIP there are no streams", allocators[index].name);
		return;
	}
	for (unsigned value = 0; value < (values ? values : 128); value++) {
		unsigned flags = values ? value : 0;
		bool valid = true, system;
		void *p = NULL;

		for (unsigned bit = 0; !values && bit < COUNT(allocators[index].bits); bit++) {
			if (!(value >> bit & 1))
				continue;
			valid = valid && allocators[index].bits[bit];
			flags |= allocators[index].bits[bit];
		}
		if (!valid || allocators[index].allocate(&p, flags)) {
			note_refused(allocators[index].name, allocators[index].api, flags);
			hipGetLastError();
			continue;
		}
		accepted++;
		/* HSA cannot be queried for a signal's value, nor HIP about what it does not know.
		 */
		system = allocators[index].api < HG_HIP_APIS;
		compare(allocators[index].name, allocators[index].api, flags, p,
			system || (allocators[index].api == HG_API_hipExtMallocWithFlags &&
				   flags == hipMallocSignalMemory)
			    ? NULL
			    : p);
	}
	if (refuses_pitch() && (allocators[index].api == HG_API_hipMallocPitch ||
				allocators[index].api == HG_API_hipMemAllocPitch ||
				allocators[index].api == HG_API_hipMalloc3D))
		check(!accepted, "%s: refused without images", allocators[index].name);
	else
		check(accepted >= allocators[index].accepted, "%s: %u kinds accepted",
		      allocators[index].name, accepted);
}

/* ---- memory of another process, memory that is put together ---- */

static int to_child[2], to_parent[2];

/* Before HIP is up: what it has does not survive a fork. */
static void start_child(void)
{
	hipIpcMemHandle_t handle;
	unsigned state = 0;
	void *p = NULL;

	if (pipe(to_child) || pipe(to_parent) || fork())
		return;
	close(to_child[1]);
	if (read(to_child[0], &handle, sizeof handle) == sizeof handle &&
	    !hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess))
		state = state_of(p);
	/* Closing it would wait for streams, which not all of these GPUs have. */
	_exit(write(to_parent[1], &state, sizeof state) < 0);
}

static void test_imported(void)
{
	struct model_memory table = model_memory(HG_API_hipIpcOpenMemHandle, 0, &environment);
	hipIpcMemHandle_t handle;
	unsigned state = 0;
	void *p = NULL;

	check(!hipMalloc(&p, SIZE) && !hipIpcGetMemHandle(&handle, p) &&
		  write(to_child[1], &handle, sizeof handle) == sizeof handle &&
		  read(to_parent[0], &state, sizeof state) == sizeof state,
	      "memory of another process");
	compare_state("hipIpcOpenMemHandle", &table, 0, state, false);
	compare_call("hipIpcOpenMemHandle", HG_API_hipIpcOpenMemHandle, 0, state, false);
	check(!hipFree(p), "hipFree of memory that was exported");
}

/* HIP 5.2 only says that it reserves addresses, and gives none. */
static void test_mapped(void)
{
	struct model_memory table = model_memory(HG_API_hipMemMap, 1, &environment);
	hipMemAllocationProp properties = { .type = hipMemAllocationTypePinned,
					    .location = { .type = hipMemLocationTypeDevice } };
	hipMemAccessDesc access = { .location = { .type = hipMemLocationTypeDevice },
				    .flags = hipMemAccessFlagsProtReadWrite };
	hipMemGenericAllocationHandle_t handle;
	size_t size = 2 << 20;
	void *p = NULL;

	if (hipMemAddressReserve(&p, size, 0, NULL, 0) || !p) {
		hipGetLastError();
		note_refused("hipMemCreate, hipMemMap", HG_API_hipMemMap, 1);
		check(true, "hipMemMap # SKIP this runtime reserves no addresses");
		return;
	}
	check(!hipMemCreate(&handle, size, &properties, 0) && !hipMemMap(p, size, 0, handle, 0) &&
		  !hipMemSetAccess(p, size, &access, 1),
	      "memory that is created and mapped");
	/* From 7.0 on there is a type of memory that is not coarse-grained [CLR7]. */
	compare_state("hipMemMap", &table, 0, state_of(p), environment.runtime_version < 70000000);
	compare_call("hipMemCreate, hipMemMap", HG_API_hipMemMap, 1, state_of(p),
		     environment.runtime_version < 70000000);
	/* What is still mapped at the end makes ROCr 6.4.3 crash (docs/runtimes.md#processes). */
	check(!hipMemUnmap(p, size) && !hipMemRelease(handle) && !hipMemAddressFree(p, size),
	      "memory that is unmapped");
}

/* ---- what calls do with it (analyzer/model/access.def) ---- */

/* On an APU HIP only takes note, as far as it does: there is nowhere to go, and nothing moves. */
static bool prefetches(void *p)
{
	bool there = !(state_of(p) & SOFTGPU_PAGE_HOST);
	hipError_t error = hipMemPrefetchAsync(p, SIZE, 0, 0);

	hipGetLastError();
	return !hipDeviceSynchronize() && !error && !there && state_of(p) & SOFTGPU_PAGE_MAPPED &&
	       !(state_of(p) & SOFTGPU_PAGE_HOST);
}

static bool takes_advice(void *p)
{
	bool fine = state_of(p) & SOFTGPU_PAGE_FINE, coarse;

	if (hipMemAdvise(p, SIZE, hipMemAdviseSetCoarseGrain, 0))
		hipGetLastError();
	coarse = !(state_of(p) & SOFTGPU_PAGE_FINE);
	if (hipMemAdvise(p, SIZE, hipMemAdviseUnsetCoarseGrain, 0))
		hipGetLastError();
	return fine && coarse && state_of(p) & SOFTGPU_PAGE_FINE;
}

static bool is_filled(void *p)
{
	unsigned char byte = 0;

	if (hipMemset(p, 42, SIZE) || hipDeviceSynchronize() ||
	    hipMemcpy(&byte, (char *)p + SIZE - 1, 1, hipMemcpyDefault)) {
		hipGetLastError();
		return false;
	}
	return byte == 42;
}

static void test_questions(void)
{
	static const struct {
		enum model_question question;
		const char *name;
		bool (*has_effect)(void *p);
	} questions[] = {
		{ QUESTION_FILL, "hipMemset", is_filled },
		{ QUESTION_ADVICE, "hipMemAdvise", takes_advice },
		{ QUESTION_PREFETCH, "hipMemPrefetchAsync", prefetches },
	};
	static const struct {
		const char *name, *column;
		uint16_t api;
		hipError_t (*allocate)(void **p, unsigned flags);
	} memory[] = {
		{ "hipMalloc", "hipMalloc", HG_API_hipMalloc, do_malloc },
		{ "hipHostMalloc", "hipHostMalloc", HG_API_hipHostMalloc, do_host },
		{ "hipMallocManaged", "hipMallocManaged", HG_API_hipMallocManaged, do_managed },
		{ "mmap", "malloc", HG_API_mmap, do_mmap },
	};

	for (size_t i = 0; i < COUNT(memory); i++) {
		unsigned flags = memory[i].api == HG_API_hipMallocManaged;
		enum memory_kind kind = model_memory(memory[i].api, flags, &environment).kind;

		for (size_t k = 0; k < COUNT(questions); k++) {
			struct model_answer table =
			    model_ask(questions[k].question, kind, &environment);
			const char *printed;
			void *p = NULL;
			bool effect;

			/* It changes pages, of which the GPU reaches none then. */
			if (kind == KIND_SYSTEM && environment.xnack == 0 &&
			    questions[k].question == QUESTION_ADVICE)
				continue;
			if (without_streams && questions[k].question != QUESTION_ADVICE)
				continue;
			/* On an APU only what HIP says tells, and it takes note of any memory. */
			if (kind == KIND_PINNED && environment.apu == 1 &&
			    questions[k].question == QUESTION_PREFETCH)
				continue;
			if (memory[i].allocate(&p, flags)) {
				check(false, "%s", memory[i].name);
				continue;
			}
			effect = questions[k].has_effect(p);
			check(table.access == (effect ? ACCESS_YES : ACCESS_NO) && table.certain,
			      "%s of %s: %s, the table says %d%s", questions[k].name,
			      memory[i].name, effect ? "has an effect" : "has none",
			      table.access == ACCESS_YES, table.certain ? "" : " (not certain)");
			/* The column stands for all memory of the operating system's. */
			printed = explained_cell(questions[k].name, memory[i].column);
			if (printed && explain_knows_apu())
				compare_text(questions[k].name, printed, effect ? "yes" : "no",
					     true);
		}
	}
}

/* Lines about variables of code objects, which this program does not have. */
static void test_lines(void)
{
	const char *line;

	while ((line = explained_left()))
		check(strstr(line, "__device__ variables") || strstr(line, "__managed__ variables"),
		      "explain's line was compared: %s", line);
}

int main(int argc, char **argv)
{
	start_child();
	if (!softgpu_page_state_now || argc != 2 || !explained_read(argv[1])) {
		printf("Bail out! not on the software GPU, or without hipgrain explain\n");
		return 2;
	}
	ask_machine();
	for (size_t i = 0; i < COUNT(allocators); i++)
		test_allocator(i);
	test_imported();
	test_mapped();
	test_questions();
	test_lines();
	return tap_end();
}
