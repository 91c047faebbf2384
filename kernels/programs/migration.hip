// SPDX-License-Identifier: Apache-2.0
// hipgrain-build: -std=c++17
// Pages that move: memory of three kinds goes back and forth between host and GPU, and is put where
// it is needed instead.
//
// What the GPU has incremented, the host reads and writes, four times: all pages go to and fro.
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: malloc: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=malloc at=@malloc confidence=proven
// hipgrain-expect: HG303 kernel=increment argument=0 api=malloc at=@malloc confidence=proven
//
// hipgrain-run: aligned_new
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: aligned_new: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=operator_new_array at=@new confidence=proven
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: managed: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=hipMallocManaged at=@managed confidence=proven
//
// Put where it is needed before it is needed.
// hipgrain-run: prefetched
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: prefetched: 0 wrong
// hipgrain-silent: HG301 HG302 HG304 HG305 HG308 HG311
// hipgrain-expect: none
//
// Prefetched, but the host is not done yet.
// hipgrain-run: too_early
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: too_early: 0 wrong
// hipgrain-expect: HG305 call=hipMemPrefetchAsync api=hipMallocManaged at=@early confidence=proven
//
// Two buffers in turn, and room for one and a half.
// hipgrain-run: overcommit
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-env: SOFTGPU_VRAM_MIB=14
// hipgrain-stdout: overcommit: 0 wrong
// hipgrain-expect: HG308 confidence=proven
//
// 32 MiB come to the GPU block by block, three times.
// hipgrain-run: storm
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: storm: 0 wrong
// hipgrain-expect: HG301 kernel=increment api=hipMallocManaged at=@storm confidence=proven
//
// As `prefetched`, with other memory.
// hipgrain-run: prefetched_malloc
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-runtime: before 5.7 or from 6.2: 5.7 to 6.1 refuse hipMemPrefetchAsync of memory that is not hipMallocManaged's
// hipgrain-stdout: prefetched_malloc: 0 wrong
// hipgrain-expect: HG303 kernel=increment api=malloc at=@moved confidence=proven
//
// hipgrain-run: prefetched_pages
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-runtime: before 5.7 or from 6.2: 5.7 to 6.1 refuse hipMemPrefetchAsync of memory that is not hipMallocManaged's
// hipgrain-stdout: prefetched_pages: 0 wrong
// hipgrain-expect: HG303 kernel=increment api=aligned_alloc at=@pages confidence=proven
//
// hipgrain-run: prefetched_new
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-runtime: before 5.7 or from 6.2: 5.7 to 6.1 refuse hipMemPrefetchAsync of memory that is not hipMallocManaged's
// hipgrain-stdout: prefetched_new: 0 wrong
// hipgrain-expect: none
//
// Prefetched when the kernel has begun already.
// hipgrain-run: too_late
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: too_late: 0 wrong
// hipgrain-expect: HG311 call=hipMemPrefetchAsync api=hipMallocManaged at=@late confidence=proven
//
// What the host uses lies in one block with what the GPU uses, and goes to and fro with it.
// hipgrain-run: neighbours
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: neighbours: 0 wrong
// hipgrain-expect: HG302 kernel=increment api=mmap at=@used confidence=proven
// hipgrain-expect: HG303 kernel=increment api=mmap at=@beside confidence=proven
//
// In a block of its own it stays.
// hipgrain-run: apart
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: apart: 0 wrong
// hipgrain-silent: HG302 HG303
// hipgrain-expect: none
//
// Advice maps it for the GPU where it is; launch after launch reads it over the interconnect.
// hipgrain-run: remote
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: remote: 0 wrong
// hipgrain-expect: HG307 kernel=increment api=hipMallocManaged at=@advised launches=4 confidence=proven
//
// The same advice, and where it should be.
// hipgrain-run: preferred
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: preferred: 0 wrong
// hipgrain-silent: HG307
// hipgrain-expect: none
//
// The second prefetch finds the pages where they are to go.
// hipgrain-run: twice
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: twice: 0 wrong
// hipgrain-expect: HG304 call=hipMemPrefetchAsync api=hipMallocManaged at=@twice confidence=proven

#include "sample.h"
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES      (8u << 20)
#define COUNT      (BYTES / sizeof(int))
#define BLOCK      (2u << 20)
#define PART       (BLOCK / 2)
#define ROUNDS     4
#define GROUP_SIZE 256

__global__ void increment(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i]++;
}

/* Says when it has begun, and waits for nothing. */
__global__ void increment_and_tell(int *data, int n, volatile int *begun)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i]++;
	if (i == 0) {
		__threadfence_system();
		*begun = 1;
	}
}

static void compute(int *data)
{
	increment<<<(COUNT + GROUP_SIZE - 1) / GROUP_SIZE, GROUP_SIZE>>>(data, COUNT); // @compute
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

/* Elements that are not `expected`; each is incremented. */
static int check_all(int *data, int expected)
{
	int wrong = 0;
	for (unsigned i = 0; i < COUNT; i++)
		wrong += data[i]++ != expected;
	return wrong;
}

static void back_and_forth(const char *name, int *data)
{
	int wrong = 0;
	memset(data, 0, BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(data);
		wrong += check_all(data, 2 * round + 1);
	}
	printf("%s: %d wrong\n", name, wrong);
}

static void from_malloc()
{
	int *data = (int *)malloc(BYTES); // @malloc
	back_and_forth("malloc", data);
	free(data);
}

static void from_aligned_new()
{
	int *data = new (std::align_val_t(BLOCK)) int[COUNT]; // @new
	back_and_forth("aligned_new", data);
	operator delete[](data, std::align_val_t(BLOCK));
}

static void from_managed()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @managed
	back_and_forth("managed", data);
	CHECK(hipFree(data));
}

static void prefetch(const char *name, int *data)
{
	int wrong = 0;
	memset(data, 0, BYTES);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	for (int round = 0; round < ROUNDS; round++)
		compute(data);
	CHECK(hipMemPrefetchAsync(data, BYTES, hipCpuDeviceId));
	CHECK(hipDeviceSynchronize());
	wrong = check_all(data, ROUNDS);
	printf("%s: %d wrong\n", name, wrong);
}

static void prefetched()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES));
	prefetch("prefetched", data);
	CHECK(hipFree(data));
}

static void prefetched_malloc()
{
	int *data = (int *)malloc(BYTES); // @moved
	prefetch("prefetched_malloc", data);
	free(data);
}

static void prefetched_pages()
{
	int *data = (int *)aligned_alloc(4096, BYTES); // @pages
	prefetch("prefetched_pages", data);
	free(data);
}

static void prefetched_new()
{
	int *data = new (std::align_val_t(BLOCK)) int[COUNT];
	prefetch("prefetched_new", data);
	operator delete[](data, std::align_val_t(BLOCK));
}

static void too_early()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @early
	memset(data, 0, BYTES);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	CHECK(hipDeviceSynchronize());
	check_all(data, 0);
	compute(data);
	printf("too_early: %d wrong\n", check_all(data, 2));
	CHECK(hipFree(data));
}

static void too_late()
{
	int *data;
	volatile int *begun;
	CHECK(hipMallocManaged(&data, BYTES)); // @late
	CHECK(hipHostMalloc((void **)&begun, sizeof(*begun), hipHostMallocCoherent));
	memset(data, 0, BYTES);
	*begun = 0;
	increment_and_tell<<<(COUNT + GROUP_SIZE - 1) / GROUP_SIZE, GROUP_SIZE>>>(data, COUNT, begun);
	while (!*begun)
		;
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	CHECK(hipDeviceSynchronize());
	printf("too_late: %d wrong\n", check_all(data, 1));
	CHECK(hipHostFree((void *)begun));
	CHECK(hipFree(data));
}

/* The GPU counts in the one, the host in the other. */
static void count(const char *name, int *used, int *beside)
{
	const unsigned n = PART / sizeof(int);
	int wrong = 0;
	memset(used, 0, PART);
	memset(beside, 0, PART);
	for (int round = 0; round < ROUNDS; round++) {
		increment<<<n / GROUP_SIZE, GROUP_SIZE>>>(used, n);
		CHECK(hipDeviceSynchronize());
		for (unsigned i = 0; i < n; i += 1024)
			wrong += beside[i]++ != round;
	}
	for (unsigned i = 0; i < n; i++)
		wrong += used[i] != ROUNDS;
	printf("%s: %d wrong\n", name, wrong);
}

static void neighbours()
{
	const int both = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
	char *room = (char *)mmap(NULL, 2 * BLOCK, PROT_NONE, kind, -1, 0);
	char *block = (char *)(((size_t)room + BLOCK - 1) / BLOCK * BLOCK);
	void *used = mmap(block, PART, both, kind | MAP_FIXED, -1, 0);          // @used
	void *beside = mmap(block + PART, PART, both, kind | MAP_FIXED, -1, 0); // @beside
	count("neighbours", (int *)used, (int *)beside);
	munmap(room, 2 * BLOCK);
}

static void apart()
{
	int *used = (int *)aligned_alloc(BLOCK, BLOCK);
	int *beside = (int *)aligned_alloc(BLOCK, BLOCK);
	count("apart", used, beside);
	free(used);
	free(beside);
}

static void with_advice(const char *name, bool prefer)
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @advised
	memset(data, 0, BYTES);
	CHECK(hipMemAdvise(data, BYTES, hipMemAdviseSetAccessedBy, 0));
	if (prefer)
		CHECK(hipMemAdvise(data, BYTES, hipMemAdviseSetPreferredLocation, 0));
	for (int round = 0; round < ROUNDS; round++)
		compute(data);
	printf("%s: %d wrong\n", name, check_all(data, ROUNDS));
	CHECK(hipFree(data));
}

static void remote()
{
	with_advice("remote", false);
}

static void preferred()
{
	with_advice("preferred", true);
}

static void twice()
{
	int *data;
	CHECK(hipMallocManaged(&data, BYTES)); // @twice
	memset(data, 0, BYTES);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	compute(data);
	/* By clocks of two threads the first one's moves may be the second one's, within a second. */
	sleep(2);
	CHECK(hipMemPrefetchAsync(data, BYTES, 0));
	compute(data);
	printf("twice: %d wrong\n", check_all(data, 2));
	CHECK(hipFree(data));
}

static void overcommit()
{
	int *first, *second, wrong;
	CHECK(hipMallocManaged(&first, BYTES));
	CHECK(hipMallocManaged(&second, BYTES));
	memset(first, 0, BYTES);
	memset(second, 0, BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(first);
		compute(second);
	}
	wrong = check_all(first, ROUNDS) + check_all(second, ROUNDS);
	printf("overcommit: %d wrong\n", wrong);
	CHECK(hipFree(first));
	CHECK(hipFree(second));
}

/* Each round uses other buffers of the same place in the program. */
static void storm()
{
	int wrong = 0;
	for (int round = 0; round < 3; round++) {
		int *data;
		CHECK(hipMallocManaged(&data, 4 * BYTES)); // @storm
		memset(data, 0, 4 * BYTES);
		increment<<<4 * COUNT / GROUP_SIZE, GROUP_SIZE>>>(data, 4 * COUNT);
		CHECK(hipDeviceSynchronize());
		for (unsigned i = 0; i < 4 * COUNT; i += 1024)
			wrong += data[i] != 1;
		CHECK(hipFree(data));
	}
	printf("storm: %d wrong\n", wrong);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "malloc", from_malloc },    { "aligned_new", from_aligned_new },
		{ "managed", from_managed },  { "prefetched", prefetched },
		{ "too_early", too_early },   { "overcommit", overcommit },
		{ "storm", storm },           { "prefetched_malloc", prefetched_malloc },
		{ "too_late", too_late },     { "prefetched_new", prefetched_new },
		{ "neighbours", neighbours }, { "apart", apart },
		{ "remote", remote },         { "preferred", preferred },
		{ "twice", twice },	      { "prefetched_pages", prefetched_pages },
	};
	return run_variant(variants, argc, argv);
}
