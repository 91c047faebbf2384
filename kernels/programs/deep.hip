// SPDX-License-Identifier: Apache-2.0
// Pointers that lie in memory: what the atomic updates is known by what the memory held at the launch.
//
// hipgrain-build: -munsafe-fp-atomics
//
// A struct in managed, pinned, device and pageable memory, beside memory of another kind.
// hipgrain-run: member_managed
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 kernarg=0 api=hipMallocManaged at=@fine launches=1 confidence=proven lines=@energy
//
// hipgrain-run: member_pinned
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: member_device
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: member_pageable
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// The struct is fine-grained, what its pointer leads to is not.
// hipgrain-run: member_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
// hipgrain-silent: HG101 HG108
//
// Rows of a matrix by pointers in device memory.
// hipgrain-run: rows
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_rows argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: rows_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// A functor that refers to views, as of Kokkos.
// hipgrain-run: view
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=for_each argument=0 kernarg=8 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: view_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// A list in managed memory: every node has a pointer.
// hipgrain-run: list
// hipgrain-stdout: deep: sum 0 expected 256
// hipgrain-expect: HG101 kernel=add_list argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: list_mended
// hipgrain-stdout: deep: sum 256 expected 256
// hipgrain-expect: none
//
// A table of pointers in constant memory.
// hipgrain-run: table
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_table api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: table_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// Two pointers that a kernel exchanges: first it is the one, then the other.
// hipgrain-run: swapped
// hipgrain-stdout: deep: sum 64 expected 128
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: swapped_mended
// hipgrain-stdout: deep: sum 128 expected 128
// hipgrain-expect: none
//
// The same in device memory, which nobody reads: it is one of the two.
// hipgrain-run: swapped_device
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=likely
//
// hipgrain-run: swapped_device_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// A struct in device memory that a kernel fills in.
// hipgrain-run: made
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: made_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// Rows of one block that a kernel computes.
// hipgrain-run: made_rows
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_rows argument=0 api=hipMallocManaged at=@fine launches=1 confidence=likely
//
// hipgrain-run: made_rows_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// Four pointers deep.
// hipgrain-run: four
// hipgrain-stdout: deep: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_four argument=0 kernarg=0 api=hipMallocManaged at=@fine launches=1 confidence=proven lines=@four
//
// hipgrain-run: four_mended
// hipgrain-stdout: deep: sum 64 expected 64
// hipgrain-expect: none
//
// A pointer of the host's in a struct that was copied: the deep copy was forgotten.
// hipgrain-run: host_pointer
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=add_energy argument=0 api=malloc at=@forgotten launches=1
//
// A pointer to memory that was freed since.
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: freed_pointer
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG601 kernel=add_energy argument=0 api=hipMalloc at=@freed launches=1
//
// A pointer past the end of its memory.
// hipgrain-run: past_end
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG607 kernel=add_energy argument=0 api=hipMalloc at=@freed launches=1

#include "sample.h"

#define ITEMS 64
#define ROWS  8
#define NODES 4

struct particles {
	long count;
	float *energy, *other;
};

struct view {
	float *data;
	int stride;
};

struct adds {
	int scale;
	const view *sums;

	__device__ void operator()(int i) const
	{
		atomicAdd(&sums->data[i * sums->stride], 1.0f);
	}
};

struct node {
	node *next;
	float *sum;
};

struct level {
	char name[24];
	level *below;
	float *sum;
};

__constant__ float *table[ROWS];

__global__ void add_energy(particles *s)
{
	atomicAdd(s->energy, 1.0f); // @energy
}

__global__ void exchange(particles *s)
{
	float *energy = s->energy;

	s->energy = s->other;
	s->other = energy;
}

__global__ void make_particles(particles *s, float *sum)
{
	s->energy = sum;
	s->other = nullptr;
}

__global__ void make_rows(float **rows, float *base, int pitch)
{
	rows[threadIdx.x] = base + threadIdx.x * pitch;
}

__global__ void add_rows(float **rows)
{
	atomicAdd(rows[threadIdx.x % ROWS] + threadIdx.x / ROWS, 1.0f);
}

template <class functor> __global__ void for_each(functor f)
{
	f(threadIdx.x);
}

__global__ void add_list(node *n)
{
	for (; n; n = n->next) {
		atomicAdd(n->sum, 1.0f);
	}
}

__global__ void add_table()
{
	atomicAdd(table[threadIdx.x % ROWS] + threadIdx.x / ROWS, 1.0f);
}

__global__ void add_four(level *top)
{
	atomicAdd(&top->below->below->below->sum[threadIdx.x], 1.0f); // @four
}

static const size_t bytes = ITEMS * sizeof(float);

/* The memory of the sums. */
static float *fine()
{
	float *p;

	CHECK(hipMallocManaged(&p, bytes)); // @fine
	memset(p, 0, bytes);
	return p;
}

static float *coarse()
{
	float *p;

	CHECK(hipMalloc(&p, bytes));
	CHECK(hipMemset(p, 0, bytes));
	return p;
}

static float *sums(bool mended)
{
	return mended ? coarse() : fine();
}

/* From one line: the compiler must not make several of it. */
static void fill(float **rows, bool mended)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < ROWS; i++) {
		rows[i] = sums(mended);
	}
}

static float total(const float *p)
{
	float all[ITEMS], result = 0;

	CHECK(hipMemcpy(all, p, bytes, hipMemcpyDefault));
	for (float each : all) {
		result += each;
	}
	return result;
}

static void finish()
{
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

static void say(float sum, int expected)
{
	printf("deep: sum %g expected %d\n", sum, expected);
}

static void *managed(size_t size)
{
	void *p;

	CHECK(hipMallocManaged(&p, size));
	memset(p, 0, size);
	return p;
}

static void *pinned(size_t size)
{
	void *p;

	CHECK(hipHostMalloc(&p, size));
	return p;
}

/* Returns a copy in device memory. */
static void *on_device(const void *from, size_t size)
{
	void *p;

	CHECK(hipMalloc(&p, size));
	CHECK(hipMemcpy(p, from, size, hipMemcpyHostToDevice));
	return p;
}

static void run_member(particles *s, float *sum)
{
	particles filled = { ITEMS, sum, coarse() };

	if (s) {
		*s = filled;
	} else {
		s = (particles *)on_device(&filled, sizeof(filled));
	}
	add_energy<<<1, ITEMS>>>(s);
	finish();
	say(total(sum), ITEMS);
}

static void run_rows(bool mended)
{
	float *rows[ROWS], sum = 0;

	fill(rows, mended);
	add_rows<<<1, ITEMS>>>((float **)on_device(rows, sizeof(rows)));
	finish();
	for (float *row : rows) {
		sum += total(row);
	}
	say(sum, ITEMS);
}

static void run_view(bool mended)
{
	view v = { sums(mended), 1 };
	adds f = { 1, (const view *)on_device(&v, sizeof(v)) };

	for_each<<<1, ITEMS>>>(f);
	finish();
	say(total(v.data), ITEMS);
}

static void run_list(bool mended)
{
	node *first = nullptr;
	float sum = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < NODES; i++) {
		node *n = (node *)managed(sizeof(*n));

		*n = { first, sums(mended) };
		first = n;
	}
	add_list<<<1, ITEMS>>>(first);
	finish();
	for (node *n = first; n; n = n->next) {
		sum += total(n->sum);
	}
	say(sum, NODES * ITEMS);
}

static void run_table(bool mended)
{
	float *rows[ROWS], sum = 0;

	fill(rows, mended);
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), rows, sizeof(rows)));
	add_table<<<1, ITEMS>>>();
	finish();
	for (float *row : rows) {
		sum += total(row);
	}
	say(sum, ITEMS);
}

static void run_swapped(bool mended)
{
	particles *s = (particles *)managed(sizeof(*s));
	float *first = coarse(), *second = sums(mended);

	*s = { ITEMS, first, second };
	add_energy<<<1, ITEMS>>>(s);
	exchange<<<1, 1>>>(s);
	finish();
	add_energy<<<1, ITEMS>>>(s);
	finish();
	say(total(first) + total(second), 2 * ITEMS);
}

static void run_swapped_device(bool mended)
{
	float *both[ROWS];

	fill(both, mended);
	particles filled = { ITEMS, both[0], both[1] };
	particles *s = (particles *)on_device(&filled, sizeof(filled));

	exchange<<<1, 1>>>(s);
	add_energy<<<1, ITEMS>>>(s);
	finish();
	say(total(both[0]) + total(both[1]), ITEMS);
}

static void run_made(bool mended)
{
	particles *s;
	float *sum = sums(mended);

	CHECK(hipMalloc(&s, sizeof(*s)));
	make_particles<<<1, 1>>>(s, sum);
	add_energy<<<1, ITEMS>>>(s);
	finish();
	say(total(sum), ITEMS);
}

static void run_made_rows(bool mended)
{
	float **rows, *base = sums(mended);

	CHECK(hipMalloc(&rows, ROWS * sizeof(*rows)));
	make_rows<<<1, ROWS>>>(rows, base, ITEMS / ROWS);
	add_rows<<<1, ITEMS>>>(rows);
	finish();
	say(total(base), ITEMS);
}

static void run_four(bool mended)
{
	level *below = nullptr;
	float *sum = sums(mended);

	for (int i = 0; i < 4; i++) {
		level filled = { "level", below, sum };

		below = (level *)on_device(&filled, sizeof(filled));
	}
	add_four<<<1, ITEMS>>>(below);
	finish();
	say(total(sum), ITEMS);
}

static float *on_host()
{
	float *volatile p = (float *)malloc(1 << 20); // @forgotten

	return p;
}

static float *short_lived()
{
	float *p;

	CHECK(hipMalloc(&p, 2 << 20)); // @freed
	return p;
}

static void run_dangling(float *sum, bool freed)
{
	particles filled = { ITEMS, sum, coarse() };
	particles *s = (particles *)on_device(&filled, sizeof(filled));

	if (freed) {
		CHECK(hipFree(sum));
	}
	add_energy<<<1, ITEMS>>>(s);
	finish();
}

static const variant variants[] = {
	{ "member_managed", [] { run_member((particles *)managed(sizeof(particles)), fine()); } },
	{ "member_pinned", [] { run_member((particles *)pinned(sizeof(particles)), fine()); } },
	{ "member_device", [] { run_member(nullptr, fine()); } },
	{ "member_pageable", [] { run_member((particles *)malloc(sizeof(particles)), fine()); } },
	{ "member_mended", [] { run_member((particles *)managed(sizeof(particles)), coarse()); } },
	{ "rows", [] { run_rows(false); } },
	{ "rows_mended", [] { run_rows(true); } },
	{ "view", [] { run_view(false); } },
	{ "view_mended", [] { run_view(true); } },
	{ "list", [] { run_list(false); } },
	{ "list_mended", [] { run_list(true); } },
	{ "table", [] { run_table(false); } },
	{ "table_mended", [] { run_table(true); } },
	{ "swapped", [] { run_swapped(false); } },
	{ "swapped_mended", [] { run_swapped(true); } },
	{ "swapped_device", [] { run_swapped_device(false); } },
	{ "swapped_device_mended", [] { run_swapped_device(true); } },
	{ "made", [] { run_made(false); } },
	{ "made_mended", [] { run_made(true); } },
	{ "made_rows", [] { run_made_rows(false); } },
	{ "made_rows_mended", [] { run_made_rows(true); } },
	{ "host_pointer", [] { run_dangling(on_host(), false); } },
	{ "freed_pointer", [] { run_dangling(short_lived(), true); } },
	{ "past_end", [] { run_dangling(short_lived() + (2 << 20) / sizeof(float) + 16, false); } },
	{ "four", [] { run_four(false); } },
	{ "four_mended", [] { run_four(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
