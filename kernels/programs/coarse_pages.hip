// SPDX-License-Identifier: Apache-2.0
// Every element of a four-page array gets two additions. hipMemAdvise changes whole pages, rounded
// outwards; the change belongs to the pages, not to the allocation, and lasts as long as their mapping.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: not_advised
// hipgrain-stdout: pages: 0 of 4096 elements right
// hipgrain-expect: HG101 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: whole
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: none
//
// hipgrain-run: half
// hipgrain-stdout: pages: 2048 of 4096 elements right
// hipgrain-expect: HG102 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1
//
// Nothing is added to the pointer: all work-items update one element, and the half that it is in is known.
// hipgrain-run: first_element
// hipgrain-stdout: pages: 4096 of 4096 counted
// hipgrain-expect: none
//
// hipgrain-run: last_element
// hipgrain-stdout: pages: 0 of 4096 counted
// hipgrain-expect: HG102 kernel=add_all argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// One byte of advice is a page of advice.
// hipgrain-run: one_byte
// hipgrain-stdout: pages: 1024 of 4096 elements right
// hipgrain-expect: HG102 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1
//
// A range that begins and ends inside pages covers them.
// hipgrain-run: rounded
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: none
//
// Advice that is taken back for two of the pages.
// hipgrain-run: half_unset
// hipgrain-stdout: pages: 2048 of 4096 elements right
// hipgrain-expect: HG102 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1
//
// Advice after the launch comes too late for it.
// hipgrain-run: too_late
// hipgrain-stdout: pages: 0 of 4096 elements right
// hipgrain-expect: HG101 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// Managed memory that was advised and freed: the next block of that size starts anew.
// hipgrain-run: managed_again
// hipgrain-stdout: pages: 0 of 4096 elements right
// hipgrain-expect: HG101 kernel=add_each argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// Heap memory that was advised and freed: its pages stay mapped, and coarse-grained.
// hipgrain-run: heap_again
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: same address
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: HG223 kernel=add_each argument=0 api=malloc at=@heap launches=1
// hipgrain-gpu: gfx942 without HG223: fine-grained memory works there, too
// hipgrain-run: heap_again_advised
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: same address
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: none
//
// hipgrain-run: heap
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: 0 of 4096 elements right
// hipgrain-expect: HG101 kernel=add_each argument=0 api=malloc at=@heap launches=1 confidence=proven
//
// A mapping that was advised and unmapped: the next one at that address starts anew.
// hipgrain-run: mapping_again
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: same address
// hipgrain-stdout: pages: 0 of 4096 elements right
// hipgrain-expect: HG101 kernel=add_each argument=0 api=mmap at=@mapping launches=1 confidence=proven
//
// Blocks of the heap follow each other without a gap, and the advice is for those beside it as well.
// hipgrain-run: heap_neighbours
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: HG213 call=hipMemAdvise api=malloc at=@heap
//
// hipgrain-run: own_pages
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: pages: 4096 of 4096 elements right
// hipgrain-expect: none

#include "sample.h"

#include <sys/mman.h>

#define PAGE       4096
#define BYTES      (4 * PAGE)
#define ELEMENTS   (BYTES / (int)sizeof(float))
#define GROUP_SIZE 256
#define BLOCKS     16

__global__ void add_each(float *sums, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&sums[i % n], 1.0f);
}

static void count(float *sums)
{
	int right = 0;

	memset(sums, 0, BYTES);
	add_each<<<2 * ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(sums, ELEMENTS);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < ELEMENTS; i++) {
		right += sums[i] == 2.0f;
	}
	printf("pages: %d of %d elements right\n", right, ELEMENTS);
}

static void coarse(void *p, size_t bytes)
{
	CHECK(hipMemAdvise(p, bytes, hipMemAdviseSetCoarseGrain, 0));
}

static char *managed()
{
	char *p;

	CHECK(hipMallocManaged(&p, BYTES)); // @managed
	return p;
}

static char *heap()
{
	char *p = (char *)malloc(BYTES); // @heap

	if (!p) {
		exit(1);
	}
	return p;
}

static char *own_pages()
{
	char *p = (char *)aligned_alloc(PAGE, BYTES);

	if (!p) {
		exit(1);
	}
	return p;
}

static char *mapping(void *where)
{
	const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
	void *p = mmap(where, BYTES, access, kind, -1, 0); // @mapping

	if (p == MAP_FAILED) {
		exit(1);
	}
	return (char *)p;
}

/* Managed memory of which [offset, offset + bytes) is advised. */
static void run_advised(size_t offset, size_t bytes)
{
	char *p = managed();

	if (bytes) {
		coarse(p + offset, bytes);
	}
	count((float *)p);
	CHECK(hipFree(p));
}

__global__ void add_all(float *sum)
{
	atomicAdd(sum, 1.0f);
}

/* Adds to one element of managed memory whose first half is advised. */
static void run_element(int at)
{
	char *p = managed();
	float *sum = (float *)p + at;

	coarse(p, BYTES / 2);
	*sum = 0;
	add_all<<<BLOCKS, GROUP_SIZE>>>(sum);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("pages: %d of %d counted\n", (int)*sum, BLOCKS * GROUP_SIZE);
	CHECK(hipFree(p));
}

static void run_half_unset()
{
	char *p = managed();

	coarse(p, BYTES);
	CHECK(hipMemAdvise(p + PAGE, 2 * PAGE, hipMemAdviseUnsetCoarseGrain, 0));
	count((float *)p);
	CHECK(hipFree(p));
}

static void run_too_late()
{
	char *p = managed();

	count((float *)p);
	coarse(p, BYTES);
	CHECK(hipFree(p));
}

static void run_managed_again()
{
	char *p = managed();

	coarse(p, BYTES);
	CHECK(hipFree(p));
	p = managed();
	count((float *)p);
	CHECK(hipFree(p));
}

static void say_same(const void *a, uintptr_t b)
{
	printf("pages: %s address\n", (uintptr_t)a == b ? "same" : "another");
}

static void run_heap_again(bool advised)
{
	char *p = heap();
	uintptr_t before = (uintptr_t)p;
	void *guard = malloc(64); /* keeps the freed block from going back to the system */

	coarse(p, BYTES);
	free(p);
	p = heap();
	say_same(p, before);
	if (advised) {
		coarse(p, BYTES);
	}
	count((float *)p);
	free(p);
	free(guard);
}

static void run_heap()
{
	char *p = heap();

	count((float *)p);
	free(p);
}

/* Gives advice on one block of many. */
static void run_neighbours(char *(*allocate)())
{
	char *volatile blocks[BLOCKS]; /* or the compiler would leave most of them out */

	for (char *volatile &block : blocks) {
		block = allocate();
	}
	/* By chance the heap may have put one at the beginning of a page: then the next is none. */
	char *chosen = blocks[BLOCKS / 2 + ((uintptr_t)blocks[BLOCKS / 2] % PAGE == 0)];
	coarse(chosen, BYTES);
	count((float *)chosen);
	for (char *block : blocks) {
		free(block);
	}
}

static void run_mapping_again()
{
	char *p = mapping(nullptr);
	uintptr_t before = (uintptr_t)p;

	coarse(p, BYTES);
	munmap(p, BYTES);
	p = mapping((void *)before);
	say_same(p, before);
	count((float *)p);
	munmap(p, BYTES);
}

static const variant variants[] = {
	{ "not_advised", [] { run_advised(0, 0); } },
	{ "whole", [] { run_advised(0, BYTES); } },
	{ "half", [] { run_advised(0, BYTES / 2); } },
	{ "first_element", [] { run_element(0); } },
	{ "last_element", [] { run_element(ELEMENTS - 1); } },
	{ "one_byte", [] { run_advised(PAGE + 100, 1); } },
	{ "rounded", [] { run_advised(100, BYTES - 200); } },
	{ "half_unset", run_half_unset },
	{ "too_late", run_too_late },
	{ "managed_again", run_managed_again },
	{ "heap_again", [] { run_heap_again(false); } },
	{ "heap_again_advised", [] { run_heap_again(true); } },
	{ "heap", run_heap },
	{ "heap_neighbours", [] { run_neighbours(heap); } },
	{ "own_pages", [] { run_neighbours(own_pages); } },
	{ "mapping_again", run_mapping_again },
};

int main(int argc, char **argv)
{
	/* The runtime's own first allocations must not take the address that is to be reused. */
	CHECK(hipFree(nullptr));
	return run_variant(variants, argc, argv);
}
