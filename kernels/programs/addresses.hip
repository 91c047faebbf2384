// SPDX-License-Identifier: Apache-2.0
// The same addresses again and again: where a pointer leads is determined by what was allocated there last, by
// whatever thread, process or call. Each work-item adds one to a float.
//
// hipgrain-build: -munsafe-fp-atomics
//
// 64 threads allocate, resize and release blocks of the same sizes, and count in memory of two kinds.
// hipgrain-run: threads
// hipgrain-stdout: addresses: coarse 4096 expected 4096
// hipgrain-stdout: addresses: fine 0 expected 4096
// hipgrain-expect: HG101 kernel=count argument=0 api=hipMallocManaged at=@shared launches=64 confidence=proven
//
// A block that realloc leaves where it is, and one that it moves. Its page has blocks of others, too: it would move by turns.
// hipgrain-run: realloc
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: addresses: same address
// hipgrain-stdout: addresses: another address
// hipgrain-stdout: addresses: sum 0 expected 64
// hipgrain-expect: HG101 kernel=count argument=0 api=realloc at=@shrunk launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=count argument=0 api=realloc at=@grown launches=1 confidence=proven
//
// hipgrain-run: mremap
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: addresses: another address
// hipgrain-stdout: addresses: sum 0 expected 64
// hipgrain-expect: HG101 kernel=count argument=0 api=mremap at=@remapped launches=1 confidence=proven
//
// One allocation, cut into pieces by the program; advice for one of them.
// hipgrain-run: pieces
// hipgrain-stdout: addresses: sum 64 expected 64
// hipgrain-stdout: addresses: sum 0 expected 64
// hipgrain-expect: HG102 kernel=count argument=0 api=hipMallocManaged at=@arena launches=1 offset=36864 confidence=proven
//
// A pool gives the same block to one stream after the other.
// hipgrain-run: pool
// hipgrain-stdout: addresses: sum 64 expected 64
// hipgrain-expect: none
//
// Pinned memory, and then device memory, at an address that had been the other's.
// hipgrain-run: kinds_in_turn
// hipgrain-stdout: addresses: coarse 512 expected 512
// hipgrain-stdout: addresses: fine 0 expected 512
// hipgrain-expect: HG101 kernel=count argument=0 api=hipHostMalloc at=@pinned launches=8 confidence=proven
//
// Device memory of another process.
// hipgrain-run: imported
// hipgrain-stdout: addresses: sum 64 expected 64
// hipgrain-expect: none

#include "sample.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#define ITEMS   64
#define THREADS 64
#define ROUNDS  20
#define TURNS   8
#define PAGE    4096

__global__ void count(float *sum)
{
	atomicAdd(sum, 1.0f);
}

static float add_up(float *sum)
{
	float result = 0;

	/* No hipMemset: of the operating system's memory releases from 5.6 on refuse it. */
	CHECK(hipMemcpy(sum, &result, sizeof(*sum), hipMemcpyDefault));
	count<<<1, ITEMS>>>(sum);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDefault));
	return result;
}

static void show(float sum)
{
	printf("addresses: sum %g expected %d\n", sum, ITEMS);
}

static void say_same(bool same)
{
	printf("addresses: %s address\n", same ? "same" : "another");
}

/* Allocates and releases as other threads do at the same time. */
static void churn()
{
	for (int i = 0; i < ROUNDS; i++) {
		char *volatile p = (char *)malloc(3 * PAGE);
		char *volatile q = (char *)malloc(5 * PAGE);

		free(p);
		p = (char *)realloc(q, 2 * PAGE);
		q = (char *)realloc(p, 40 * PAGE);
		free(q);
	}
}

static void work(float *coarse, float *fine)
{
	float *device, *shared;

	churn();
	CHECK(hipMalloc(&device, PAGE));
	CHECK(hipMallocManaged(&shared, PAGE)); // @shared
	*coarse = add_up(device);
	*fine = add_up(shared);
	CHECK(hipFree(device));
	CHECK(hipFree(shared));
	churn();
}

static void run_threads()
{
	float coarse[THREADS], fine[THREADS], sums[2] = {};
	std::vector<std::thread> threads;

	/* HIP 5.7.1 creates the null stream twice where threads meet at its first use. */
	CHECK(hipStreamSynchronize(nullptr));
	for (int i = 0; i < THREADS; i++) {
		threads.emplace_back(work, &coarse[i], &fine[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		threads[i].join();
		sums[0] += coarse[i];
		sums[1] += fine[i];
	}
	printf("addresses: coarse %g expected %d\n", sums[0], THREADS * ITEMS);
	printf("addresses: fine %g expected %d\n", sums[1], THREADS * ITEMS);
}

static void run_realloc()
{
	char *p = (char *)malloc(4 * PAGE), *guard;
	uintptr_t before = (uintptr_t)p;

	p = (char *)realloc(p, 3 * PAGE); // @shrunk
	say_same((uintptr_t)p == before);
	show(add_up((float *)p));
	guard = (char *)malloc(PAGE);	   /* in the way */
	p = (char *)realloc(p, 16 * PAGE); // @grown
	say_same((uintptr_t)p == before);
	show(add_up((float *)p));
	free(p);
	free(guard);
}

static void run_mremap()
{
	const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
	char *place = (char *)mmap(nullptr, 8 * PAGE, access, kind, -1, 0);
	char *p = (char *)mmap(nullptr, 2 * PAGE, access, kind, -1, 0);
	uintptr_t before = (uintptr_t)p;

	p = (char *)mremap(p, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place); // @remapped
	say_same((uintptr_t)p == before);
	show(add_up((float *)p));
	munmap(place, 8 * PAGE);
}

static void run_pieces()
{
	char *arena;

	CHECK(hipMallocManaged(&arena, 16 * PAGE)); // @arena
	CHECK(hipMemAdvise(arena + 4 * PAGE, 4 * PAGE, hipMemAdviseSetCoarseGrain, 0));
	show(add_up((float *)(arena + 5 * PAGE + 64)));
	show(add_up((float *)(arena + 9 * PAGE)));
	CHECK(hipFree(arena));
}

static void run_pool()
{
	hipStream_t streams[2];

	for (hipStream_t &stream : streams) {
		CHECK(hipStreamCreate(&stream));
	}
	for (int i = 0; i < TURNS; i++) {
		hipStream_t stream = streams[i % 2];
		float *sum, result;

		CHECK(hipMallocAsync((void **)&sum, PAGE, stream));
		CHECK(hipMemsetAsync(sum, 0, sizeof(*sum), stream));
		count<<<1, ITEMS, 0, stream>>>(sum);
		CHECK(hipGetLastError());
		CHECK(hipMemcpyAsync(&result, sum, sizeof(result), hipMemcpyDeviceToHost, stream));
		CHECK(hipFreeAsync(sum, stream));
		CHECK(hipStreamSynchronize(stream));
		show(result);
	}
}

static void run_kinds_in_turn()
{
	float coarse = 0, fine = 0;

	for (int i = 0; i < TURNS; i++) {
		float *p;

		CHECK(hipHostMalloc(&p, PAGE, hipHostMallocDefault)); // @pinned
		fine += add_up(p);
		CHECK(hipHostFree(p));
		CHECK(hipMalloc(&p, PAGE));
		coarse += add_up(p);
		CHECK(hipFree(p));
	}
	printf("addresses: coarse %g expected %d\n", coarse, TURNS * ITEMS);
	printf("addresses: fine %g expected %d\n", fine, TURNS * ITEMS);
}

static void import_and_count(int from)
{
	hipIpcMemHandle_t handle;
	float *sum;

	if (read(from, &handle, sizeof(handle)) != (ssize_t)sizeof(handle)) {
		_exit(1);
	}
	CHECK(hipIpcOpenMemHandle((void **)&sum, handle, hipIpcMemLazyEnablePeerAccess));
	add_up(sum);
	CHECK(hipIpcCloseMemHandle(sum));
	_exit(0);
}

static void run_imported()
{
	hipIpcMemHandle_t handle;
	int ends[2], status = -1;
	float *sum, result;
	pid_t child;

	if (pipe(ends)) {
		exit(1);
	}
	child = fork(); /* before the first call of HIP */
	if (child == 0) {
		import_and_count(ends[0]);
	}
	CHECK(hipMalloc(&sum, PAGE));
	CHECK(hipIpcGetMemHandle(&handle, sum));
	if (write(ends[1], &handle, sizeof(handle)) != (ssize_t)sizeof(handle)) {
		exit(1);
	}
	waitpid(child, &status, 0);
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDeviceToHost));
	show(result);
	CHECK(hipFree(sum));
}

static const variant variants[] = {
	{ "threads", run_threads },
	{ "realloc", run_realloc },
	{ "mremap", run_mremap },
	{ "pieces", run_pieces },
	{ "pool", run_pool },
	{ "kinds_in_turn", run_kinds_in_turn },
	{ "imported", run_imported },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
