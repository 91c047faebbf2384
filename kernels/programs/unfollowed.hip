// SPDX-License-Identifier: Apache-2.0
// Pointers that nobody can follow from the machine code alone: a kernel keeps one in memory and loads it
// again, or takes one of several that a struct carries.
//
// hipgrain-build: -munsafe-fp-atomics
//
// What the launch stores may be there ahead of the load, or not: only possible, as nothing is known of what was there before.
// hipgrain-run: kept_managed
// hipgrain-stdout: unfollowed: sum 0 expected 256
// hipgrain-expect: HG101 kernel=add_through argument=0 api=hipMallocManaged at=@managed launches=1 confidence=possible lines=@through
// hipgrain-limit: goes through a pointer that is loaded from memory
// hipgrain-gpu: gfx942: no update is lost there, so the pointer need not be followed
// hipgrain-stdout: unfollowed: sum 256 expected 256
// hipgrain-expect: none
//
// hipgrain-run: kept_device
// hipgrain-stdout: unfollowed: sum 256 expected 256
// hipgrain-expect: none
//
// A struct in managed memory with a pointer to other managed memory, which a kernel put there for certain.
// hipgrain-run: member_managed
// hipgrain-stdout: unfollowed: energy 0 expected 256
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@energy launches=1 confidence=likely lines=@member
// hipgrain-gpu: gfx942: no update is lost there, so the pointer need not be followed
// hipgrain-stdout: unfollowed: energy 256 expected 256
// hipgrain-expect: none
//
// The same beside device memory, to which the pointer does not lead.
// hipgrain-run: member_mixed
// hipgrain-stdout: unfollowed: energy 0 expected 256
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@energy launches=1 confidence=likely lines=@member
// hipgrain-gpu: gfx942: no update is lost there, so the pointer need not be followed
// hipgrain-stdout: unfollowed: energy 256 expected 256
// hipgrain-expect: none
//
// The struct alone is fine-grained: what its pointer leads to is not.
// hipgrain-run: member_device
// hipgrain-stdout: unfollowed: energy 256 expected 256
// hipgrain-expect: none
// hipgrain-silent: HG101 HG108
// hipgrain-gpu: gfx942: no update is lost there, so the pointer need not be followed
// hipgrain-stdout: unfollowed: energy 256 expected 256
// hipgrain-expect: none
//
// The third launch takes the list that is freed. The two before it carry that pointer, and leave it alone.
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: carried_freed
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-stdout: unfollowed: list 0
// hipgrain-stdout: unfollowed: list 1
// hipgrain-expect: HG217 kernel=add_to_list argument=0 api=hipMalloc at=@list launches=3 confidence=possible
// hipgrain-expect: HG601 kernel=add_to_list argument=0 api=hipMalloc at=@list from=@carried launches=1 confidence=proven
// hipgrain-limit: goes through a pointer that is loaded from memory
//
// hipgrain-run: carried_anew
// hipgrain-stdout: unfollowed: list 2
// hipgrain-expect: none
// hipgrain-limit: goes through a pointer that is loaded from memory

#include "sample.h"

#define ITEMS 256
#define LISTS 3

/* The slot is volatile: the pointer is stored and loaded again, and the load is all that is seen. */
__global__ void add_through(double *volatile *slots, double *sum)
{
	slots[threadIdx.x] = sum;
	atomicAdd(slots[threadIdx.x], 1.0); // @through
}

struct state {
	float *energy;
};

/* The host does not wait for this: the next kernel sees what it stores, the host does not. */
__global__ void set_energy(state *s, float *energy)
{
	s->energy = energy;
}

__global__ void add_energy(state *s)
{
	atomicAdd(s->energy, 1.0f); // @member
}

struct lists {
	double *at[LISTS];
	double *volatile *slots;
	int which;
};

__global__ void add_to_list(lists l)
{
	l.slots[threadIdx.x * LISTS + 0] = l.at[0];
	l.slots[threadIdx.x * LISTS + 1] = l.at[1];
	l.slots[threadIdx.x * LISTS + 2] = l.at[2];
	*(volatile double *)l.slots[threadIdx.x * LISTS + l.which] = 1.0;
}

static void run_kept(bool managed)
{
	double *volatile *slots;
	double *sum, total;

	CHECK(hipMalloc((void **)&slots, ITEMS * sizeof(*slots)));
	if (managed) {
		CHECK(hipMallocManaged(&sum, sizeof(*sum))); // @managed
	} else {
		CHECK(hipMalloc(&sum, sizeof(*sum)));
	}
	CHECK(hipMemset(sum, 0, sizeof(*sum)));
	add_through<<<1, ITEMS>>>(slots, sum);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&total, sum, sizeof(total), hipMemcpyDefault));
	printf("unfollowed: sum %g expected %d\n", total, ITEMS);
	CHECK(hipFree(sum));
	CHECK(hipFree((void *)slots));
}

static void run_member(bool managed, bool other)
{
	state *s;
	float *energy, *unused, total;

	CHECK(hipMallocManaged(&s, sizeof(*s)));
	if (managed) {
		CHECK(hipMallocManaged(&energy, sizeof(*energy))); // @energy
	} else {
		CHECK(hipMalloc(&energy, sizeof(*energy)));
	}
	if (other) {
		CHECK(hipMalloc(&unused, sizeof(*unused)));
	}
	CHECK(hipMemset(energy, 0, sizeof(*energy)));
	set_energy<<<1, 1>>>(s, energy);
	add_energy<<<1, ITEMS>>>(s);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&total, energy, sizeof(total), hipMemcpyDefault));
	printf("unfollowed: energy %g expected %d\n", total, ITEMS);
}

static double *list()
{
	double *p;

	CHECK(hipMalloc(&p, sizeof(*p))); // @list
	CHECK(hipMemset(p, 0, sizeof(*p)));
	return p;
}

static void run_carried(bool anew)
{
	lists l = {};

	for (double *&p : l.at) {
		p = list();
	}
	CHECK(hipMalloc((void **)&l.slots, ITEMS * LISTS * sizeof(*l.slots)));
	CHECK(hipFree(l.at[2]));
	if (anew) {
		l.at[2] = list();
	}
	for (l.which = 0; l.which < LISTS; l.which++) {
		double value;

		add_to_list<<<1, ITEMS>>>(l); // @carried
		CHECK(hipGetLastError());
		CHECK(hipDeviceSynchronize());
		CHECK(hipMemcpy(&value, l.at[l.which], sizeof(value), hipMemcpyDeviceToHost));
		printf("unfollowed: list %d\n", l.which);
		fflush(stdout);
	}
}

static const variant variants[] = {
	{ "kept_managed", [] { run_kept(true); } },
	{ "kept_device", [] { run_kept(false); } },
	{ "member_managed", [] { run_member(true, false); } },
	{ "member_mixed", [] { run_member(true, true); } },
	{ "member_device", [] { run_member(false, false); } },
	{ "carried_freed", [] { run_carried(false); } },
	{ "carried_anew", [] { run_carried(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
