// SPDX-License-Identifier: Apache-2.0
/*
 * Every HIP allocator against the table of docs/hip-api.md#hsa-calls-behind-hip-calls, under AMD's
 * libamdhip64 on the software GPU: what its page table says, and what hipMemRangeGetAttribute
 * answers. TAP on stdout. One argument names the environment that meson.build sets: plain, xnack,
 * coherent (HIP_HOST_COHERENT=1), nosvm, nohive. With OWN_MEMORY_POLICY set, the process has one,
 * which hides one of the marks of vma.c.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernels/softgpu/softgpu.h"
#include "tap.h"

extern unsigned softgpu_page_state_now(uint64_t address) __attribute__((weak));

#define SIZE        65536
#define PAGE        4096
#define STATE       (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST | SOFTGPU_PAGE_ALIAS)

#define VRAM_COARSE SOFTGPU_PAGE_MAPPED
#define VRAM_FINE   (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_FINE)
#define HOST_COARSE (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_HOST)
#define HOST_FINE   (HOST_COARSE | SOFTGPU_PAGE_FINE)
#define NONE        0u
/* In place of a state: the allocator refuses. */
#define REFUSED(error) (0x10000u | (error))

/* hipDeviceMallocFinegrained without such a pool: 5.2.3 refuses, 6.4.3 falls back [HIPAMD52, CLR62,
 * CLR63d, SEEN64]. */
#if HIP_VERSION < 60300000
#define WITHOUT_POOL REFUSED(hipErrorOutOfMemory)
#else
#define WITHOUT_POOL VRAM_COARSE
#endif

enum environment { PLAIN, XNACK, COHERENT, NOSVM, NOHIVE, ENVIRONMENTS };
static const char *const environments[] = { "plain", "xnack", "coherent", "nosvm", "nohive" };
static enum environment environment;
static bool apu;

static unsigned state(const void *pointer)
{
	return softgpu_page_state_now((uint64_t)(uintptr_t)pointer) & STATE;
}

static const char *text(unsigned flags)
{
	static char buffers[4][64];
	static unsigned next;
	char *buffer = buffers[next++ % 4];

	snprintf(buffer, sizeof buffers[0], "%s%s%s%s",
		 flags & SOFTGPU_PAGE_MAPPED ? "" : "unmapped ",
		 flags & SOFTGPU_PAGE_FINE ? "fine" : "coarse",
		 flags & SOFTGPU_PAGE_HOST ? " host" : " vram",
		 flags & SOFTGPU_PAGE_ALIAS ? " alias" : "");
	return buffer;
}

static void expect(const char *what, const void *pointer, unsigned expected)
{
	unsigned got = state(pointer);
	check(got == expected, "%s: %s, expected %s", what, text(got), text(expected));
}

static int coherency(void *pointer, size_t size)
{
	int mode = -1;
	hipError_t error = hipMemRangeGetAttribute(
	    &mode, sizeof mode, hipMemRangeAttributeCoherencyMode, pointer, size);
	return error ? -(int)error : mode;
}

/* ---- allocators with one answer each ---- */

enum how { MALLOC, PITCH, ASYNC, EXT, HOST, MALLOC_HOST, ALLOC_HOST, HOST_ALLOC, MANAGED };

static const struct row {
	const char *name;
	enum how how;
	unsigned flags;
	unsigned expected[ENVIRONMENTS]; /* plain, xnack, coherent, nosvm, nohive */
} rows[] = {
#define ALL(s)                \
	{                     \
		s, s, s, s, s \
	}
	{ "hipMalloc", MALLOC, 0, ALL(VRAM_COARSE) },
	{ "hipMallocPitch", PITCH, 0, ALL(VRAM_COARSE) },
	{ "hipMallocAsync", ASYNC, 0, ALL(VRAM_COARSE) },
	{ "hipExtMallocWithFlags(Default)", EXT, hipDeviceMallocDefault, ALL(VRAM_COARSE) },
	{ "hipExtMallocWithFlags(Finegrained)",
	  EXT,
	  hipDeviceMallocFinegrained,
	  { VRAM_FINE, VRAM_FINE, VRAM_FINE, VRAM_FINE, WITHOUT_POOL } },
	{ "hipExtMallocWithFlags(SignalMemory)", EXT, hipMallocSignalMemory, ALL(HOST_FINE) },
	{ "hipHostMalloc(Default)", HOST, 0, ALL(HOST_FINE) },
	{ "hipHostMalloc(Mapped)", HOST, hipHostMallocMapped, ALL(HOST_FINE) },
	{ "hipHostMalloc(NumaUser)", HOST, hipHostMallocNumaUser, ALL(HOST_FINE) },
	{ "hipHostMalloc(Coherent)", HOST, hipHostMallocCoherent, ALL(HOST_FINE) },
	{ "hipHostMalloc(Portable|Coherent)", HOST, hipHostMallocPortable | hipHostMallocCoherent,
	  ALL(HOST_FINE) },
	{ "hipHostMalloc(Portable)",
	  HOST,
	  hipHostMallocPortable,
	  { HOST_COARSE, HOST_COARSE, HOST_FINE, HOST_COARSE, HOST_COARSE } },
	{ "hipHostMalloc(WriteCombined)",
	  HOST,
	  hipHostMallocWriteCombined,
	  { HOST_COARSE, HOST_COARSE, HOST_FINE, HOST_COARSE, HOST_COARSE } },
	{ "hipHostMalloc(NonCoherent)", HOST, hipHostMallocNonCoherent, ALL(HOST_COARSE) },
	{ "hipHostMalloc(Mapped|NonCoherent)", HOST, hipHostMallocMapped | hipHostMallocNonCoherent,
	  ALL(HOST_COARSE) },
	{ "hipMallocHost", MALLOC_HOST, 0, ALL(HOST_COARSE) },
	{ "hipMemAllocHost", ALLOC_HOST, 0, ALL(HOST_FINE) },
	{ "hipHostAlloc(Portable)", HOST_ALLOC, hipHostMallocPortable,
#if HIP_VERSION < 60400000 /* device memory before (docs/memory-model.md#hiphostalloc) */
	  ALL(VRAM_COARSE) },
#else
	  { HOST_COARSE, HOST_COARSE, HOST_FINE, HOST_COARSE, HOST_COARSE } },
#endif
	{ "hipMallocManaged",
	  MANAGED,
	  hipMemAttachGlobal,
	  { HOST_FINE, HOST_FINE, HOST_FINE, HOST_COARSE, HOST_FINE } },
};

static hipError_t allocate(const struct row *row, void **pointer)
{
	static hipStream_t stream;
	size_t pitch;
	hipError_t error;

	switch (row->how) {
	case MALLOC:
		return hipMalloc(pointer, SIZE);
	case PITCH:
		return hipMallocPitch(pointer, &pitch, 256, 256);
	case ASYNC:
		error = stream ? hipSuccess : hipStreamCreate(&stream);
		return error ? error : hipMallocAsync(pointer, SIZE, stream);
	case EXT:
		return hipExtMallocWithFlags(
		    pointer, row->flags == hipMallocSignalMemory ? 8 : SIZE, row->flags);
	case HOST:
		return hipHostMalloc(pointer, SIZE, row->flags);
	case MALLOC_HOST:
		return hipMallocHost(pointer, SIZE);
	case ALLOC_HOST:
		return hipMemAllocHost(pointer, SIZE);
	case HOST_ALLOC:
		return hipHostAlloc(pointer, SIZE, row->flags);
	case MANAGED:
		return hipMallocManaged(pointer, SIZE, row->flags);
	}
	return hipErrorUnknown;
}

/* Up to HIP 6.1 pitched memory is refused on GPUs without images (clr, ihipMallocPitch). */
static bool refuses_pitch(void)
{
	int width = 1;

	return HIP_VERSION < 60200000 &&
	       !hipDeviceGetAttribute(&width, hipDeviceAttributeMaxTexture1DWidth, 0) && !width;
}

/*
 * Memory that HIP 7.2 creates and maps at reserved addresses [SEEN72]. hipMemRangeGetAttribute does
 * not know it and asks the driver, which has attributes for the host's pages alone.
 */
static bool is_mapped(const struct row *row)
{
	return row->how == ASYNC && HIP_VERSION >= 70200000;
}

static int mode_of_mapped(void)
{
	return environment == NOSVM ? hipMemRangeCoherencyModeIndeterminate : -hipErrorInvalidValue;
}

static void test_allocators(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *pointer = NULL;
		hipError_t error = allocate(&rows[i], &pointer);
		unsigned expected = rows[i].expected[environment];
		int mode;

		if (rows[i].how == PITCH && refuses_pitch())
			expected = REFUSED(hipErrorInvalidValue);
		if (error || expected & REFUSED(0)) {
			check(expected == REFUSED(error), "%s: error %d", rows[i].name, error);
			continue;
		}
		expect(rows[i].name, pointer, expected);
		if (rows[i].flags == hipMallocSignalMemory && rows[i].how == EXT)
			continue; /* not an allocation that HSA could be queried about */
		mode = coherency(pointer, 1);
		if (is_mapped(&rows[i]))
			check(mode == mode_of_mapped(), "%s: coherency mode %d", rows[i].name,
			      mode);
		else
			check(mode == !(expected & SOFTGPU_PAGE_FINE), "%s: coherency mode %d",
			      rows[i].name, mode);
	}
}

/* ---- the others ---- */

/* Memory of pools of extended scope, by flags that HIP has from 5.7 and 6.0 on. */
static void test_extended(void)
{
	static const unsigned flags[] = { 0x3, 0x4 };

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		void *pointer = NULL;

		if (HIP_VERSION < 60400000)
			continue;
		check(!hipExtMallocWithFlags(&pointer, SIZE, flags[i]), "hipExtMallocWithFlags(%u)",
		      flags[i]);
		expect("memory of extended scope", pointer, VRAM_FINE);
	}
}

static void test_register(void)
{
	char *host = aligned_alloc(PAGE, SIZE);
	void *device = NULL;
	hipError_t error = hipHostRegister(host + 64, SIZE - 64, hipHostRegisterDefault);
	int preferred = -1;

	check(!error, "hipHostRegister: error %d", error);
	error = hipHostGetDevicePointer(&device, host + 64, 0);
	/* AMD's library gives host memory attributes instead, from 6.2.4 on, which stay. */
	if (!error && device == host + 64 && environment != NOSVM) {
		expect("hipHostRegister", device, HOST_FINE);
		check(!hipMemAdvise(host, SIZE, hipMemAdviseSetCoarseGrain, 0), "SetCoarseGrain");
		expect("hipHostRegister, coarse", device, HOST_COARSE);
		check(!hipHostUnregister(host + 64), "hipHostUnregister");
		expect("hipHostUnregister", device, HOST_COARSE);
		check(!hipHostRegister(host, SIZE, hipHostRegisterDefault),
		      "hipHostRegister again");
		expect("hipHostRegister again", host, HOST_FINE);
		check(!hipMemPrefetchAsync(host, SIZE, 0, 0) && !hipDeviceSynchronize(),
		      "hipMemPrefetchAsync of registered memory");
		expect("hipHostRegister, prefetched", host, apu ? HOST_FINE : VRAM_FINE);
		check(!hipMemAdvise(host, SIZE, hipMemAdviseSetPreferredLocation, 0),
		      "SetPreferredLocation");
		check(!hipHostUnregister(host), "hipHostUnregister");
		error = hipMemRangeGetAttribute(&preferred, sizeof preferred,
						hipMemRangeAttributePreferredLocation, host, SIZE);
		check(!error && !preferred, "hipHostUnregister leaves the preferred location: %d",
		      preferred);
		return;
	}
	check(!error && device != host + 64, "device address differs from the host's");
	expect("hipHostRegister", device, HOST_FINE | SOFTGPU_PAGE_ALIAS);
	expect("hipHostRegister, host address", host, environment == XNACK ? HOST_FINE : NONE);
	check(!hipHostUnregister(host + 64), "hipHostUnregister");
	expect("hipHostUnregister", device, NONE);
	free(host);
}

static void test_free(void)
{
	/* AMD's runtime takes memory in blocks of 2 MiB. */
	const size_t size = 4 << 20;
	char *pointer;

	if (!hipMalloc((void **)&pointer, size)) {
		expect("hipMalloc, last page", pointer + size - PAGE, VRAM_COARSE);
		expect("the page behind it", pointer + size, NONE);
	}

	if (hipMalloc((void **)&pointer, 8 << 20) || hipFree(pointer))
		check(false, "hipMalloc and hipFree of 8 MiB");
	else
		expect("hipMalloc, freed", pointer, NONE);
}

static void test_managed_advice(void)
{
	unsigned fine = environment == NOSVM ? HOST_COARSE : HOST_FINE;
	char *pointer, *again;

	if (hipMallocManaged((void **)&pointer, SIZE, hipMemAttachGlobal)) {
		check(false, "hipMallocManaged");
		return;
	}
	check(!hipMemAdvise(pointer + PAGE + 8, PAGE, hipMemAdviseSetCoarseGrain, 0),
	      "SetCoarseGrain of an unaligned part");
	expect("page before the advice", pointer, fine);
	expect("first page of the advice", pointer + PAGE, HOST_COARSE);
	expect("last page of the advice", pointer + 2 * PAGE, HOST_COARSE);
	expect("page behind the advice", pointer + 3 * PAGE, fine);
	if (environment != NOSVM)
		check(coherency(pointer, SIZE) == hipMemRangeCoherencyModeIndeterminate,
		      "mixed range is indeterminate");
	check(!hipMemAdvise(pointer, SIZE, hipMemAdviseUnsetCoarseGrain, 0), "UnsetCoarseGrain");
	expect("after UnsetCoarseGrain", pointer + PAGE, fine);
	check(!hipMemAdvise(pointer, SIZE, hipMemAdviseSetCoarseGrain, 0), "SetCoarseGrain");
	expect("managed, coarse", pointer, HOST_COARSE);
	check(!hipFree(pointer), "hipFree(managed)");
	expect("managed, freed", pointer, NONE);
	/* The attributes end with the mapping, whoever takes its place. */
	if (environment == NOSVM)
		return;
	if (hipMallocManaged((void **)&again, SIZE, hipMemAttachGlobal)) {
		check(false, "hipMallocManaged again");
		return;
	}
	check(again == pointer, "new managed memory at the old address");
	expect("managed, freed and allocated again", again, HOST_FINE);
	check(coherency(again, SIZE) == hipMemRangeCoherencyModeFineGrain, "and so it is reported");
	check(!hipFree(again), "hipFree");
	/* Also when the system takes the place. */
	if (mmap(again, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == again)
		expect("mmap in place of managed memory", again,
		       environment == XNACK ? HOST_FINE : NONE);
	munmap(again, SIZE);
}

static void test_system_memory(void)
{
	char *pointer =
	    mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool xnack = environment == XNACK;

	expect("mmap", pointer, xnack ? HOST_FINE : NONE);
	hipMemAdvise(pointer, SIZE, hipMemAdviseSetCoarseGrain, 0);
	expect("mmap, coarse", pointer, xnack ? HOST_COARSE : NONE);
	/* Nobody looked while the place was empty. */
	mmap(pointer + SIZE / 2, SIZE / 2, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	expect("mmap over its second half", pointer + SIZE / 2, xnack ? HOST_FINE : NONE);
	expect("its first half", pointer + SIZE / 2 - 1, xnack ? HOST_COARSE : NONE);
	munmap(pointer, SIZE);
	expect("mmap, unmapped", pointer, NONE);
}

/* The stickiness that surprises people: heap pages keep their advice when malloc reuses them. */
static void test_heap_advice(void)
{
	char *first = malloc(40000), *second;
	bool xnack = environment == XNACK;

	hipMemAdvise(first, 40000, hipMemAdviseSetCoarseGrain, 0);
	expect("heap, coarse", first + 20000, xnack ? HOST_COARSE : NONE);
	free(first);
	second = malloc(40000);
	check(first == second, "malloc returned the same block");
	expect("heap, freed and allocated again", second + 20000, xnack ? HOST_COARSE : NONE);
	free(second);
}

static void test_prefetch(void)
{
	void *pointer;

	if (environment == NOSVM)
		return;
	if (hipMallocManaged(&pointer, SIZE, hipMemAttachGlobal) ||
	    hipMemPrefetchAsync(pointer, SIZE, 0, 0) || hipDeviceSynchronize()) {
		check(false, "prefetch to the GPU");
		return;
	}
	/* In an APU there is nowhere to go. */
	expect("managed, prefetched to the GPU", pointer, apu ? HOST_FINE : VRAM_FINE);
	check(!hipMemPrefetchAsync(pointer, SIZE, hipCpuDeviceId, 0) && !hipDeviceSynchronize(),
	      "prefetch to the CPU");
	expect("managed, prefetched to the CPU", pointer, HOST_FINE);
	hipFree(pointer);
}

int main(int argc, char **argv)
{
	hipDeviceProp_t properties;

	while (environment < ENVIRONMENTS &&
	       (argc != 2 || strcmp(argv[1], environments[environment])))
		environment++;
	if (environment == ENVIRONMENTS) {
		printf("Bail out! usage: %s plain|xnack|coherent|nosvm|nohive\n", argv[0]);
		return 2;
	}
	if (!softgpu_page_state_now) {
		printf("Bail out! not on the software GPU\n");
		return 2;
	}
	apu = getenv("SOFTGPU_APU") && atoi(getenv("SOFTGPU_APU"));
	if (getenv("OWN_MEMORY_POLICY"))
		syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0ul);
	check(!hipGetDeviceProperties(&properties, 0) &&
		  strstr(properties.name, apu ? "software APU" : "software GPU"),
	      "the device's name is \"%s\"", properties.name);
	test_allocators();
	test_extended();
	test_register();
	test_free();
	test_managed_advice();
	test_system_memory();
	test_heap_advice();
	test_prefetch();
	return tap_end();
}
