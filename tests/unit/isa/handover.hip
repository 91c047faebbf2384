// SPDX-License-Identifier: Apache-2.0
// Data that wavefronts hand over to each other, for analyzer/isa/handover.c. "//! KERNEL VARIANTS: ..."
// says what must be found: for each pair of memories DATA>FLAG, by the numbers of the arguments,
// "w" or "w!" for the writing side with and without release, "r" or "r!" for the reading side, of
// which "+" is a loop that waits. Only what both sides are found of. Needs no headers: see arch.hip.
#define KERNEL extern "C" __attribute__((global)) void
#define RELAXED __ATOMIC_RELAXED
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

typedef unsigned u;

// One work-group stores, the others wait.
//! spin_relaxed gfx942-*: 0>1 w! r!+
//! spin_relaxed gfx90a-*: 0>1 w! r!+
KERNEL spin_relaxed(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		data[ITEM] = ITEM + 1;
		__hip_atomic_store(flag, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, RELAXED, AGENT))
		;
	out[ITEM] = data[ITEM];
}

//! spin_ordered *: 0>1 w r+
KERNEL spin_ordered(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		data[ITEM] = ITEM + 1;
		__hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, AGENT))
		;
	out[ITEM] = data[ITEM];
}

//! spin_released *: 0>1 w r!+
KERNEL spin_released(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		data[ITEM] = ITEM + 1;
		__hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, RELAXED, AGENT))
		;
	out[ITEM] = data[ITEM];
}

//! spin_acquired *: 0>1 w! r+
KERNEL spin_acquired(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		data[ITEM] = ITEM + 1;
		__hip_atomic_store(flag, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, AGENT))
		;
	out[ITEM] = data[ITEM];
}

// System scope is more than is needed.
//! spin_system *: 0>1 w r+
KERNEL spin_system(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		data[ITEM] = ITEM + 1;
		__atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
		return;
	}
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		;
	out[ITEM] = data[ITEM];
}

// A barrier of the whole grid by hand, with a counter: what others stored is read.
//! barrier_relaxed *: 0>1 w! r!+
KERNEL barrier_relaxed(u *data, u *count, u *out)
{
	data[GROUP * 64 + ITEM] = out[ITEM];
	__builtin_amdgcn_s_barrier();
	if (ITEM == 0) {
		__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT);
		while (__hip_atomic_load(count, RELAXED, AGENT) < 8)
			;
	}
	__builtin_amdgcn_s_barrier();
	out[GROUP * 64 + ITEM] = data[(7 - GROUP) * 64 + ITEM];
}

// The same, but each work-item reads back what it stored itself.
KERNEL barrier_own(u *data, u *count, u *out)
{
	data[GROUP * 64 + ITEM] = out[ITEM];
	__builtin_amdgcn_s_barrier();
	if (ITEM == 0) {
		__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT);
		while (__hip_atomic_load(count, RELAXED, AGENT) < 8)
			;
	}
	__builtin_amdgcn_s_barrier();
	out[GROUP * 64 + ITEM] = data[GROUP * 64 + ITEM];
}

//! barrier_fenced *: 0>1 w r+
KERNEL barrier_fenced(u *data, u *count, u *out)
{
	data[GROUP * 64 + ITEM] = out[ITEM];
	__builtin_amdgcn_s_barrier();
	if (ITEM == 0) {
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
		__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT);
		while (__hip_atomic_load(count, RELAXED, AGENT) < 8)
			;
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
	}
	__builtin_amdgcn_s_barrier();
	out[GROUP * 64 + ITEM] = data[(7 - GROUP) * 64 + ITEM];
}

// The last work-group to finish adds up what all have stored.
//! last_relaxed *: 0>1 w! r!
KERNEL last_relaxed(u *part, u *count, u *out)
{
	if (ITEM)
		return;
	part[GROUP] = out[GROUP] + 3;
	if (__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT) == 7) {
		u sum = 0;

		for (u i = 0; i < 8; i++)
			sum += part[i];
		out[100] = sum;
	}
}

//! last_fenced *: 0>1 w r
KERNEL last_fenced(u *part, u *count, u *out)
{
	if (ITEM)
		return;
	part[GROUP] = out[GROUP] + 3;
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
	if (__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT) == 7) {
		u sum = 0;

		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
		for (u i = 0; i < 8; i++)
			sum += part[i];
		out[100] = sum;
	}
}

//! last_ordered *: 0>1 w r
KERNEL last_ordered(u *part, u *count, u *out)
{
	if (ITEM)
		return;
	part[GROUP] = out[GROUP] + 3;
	if (__hip_atomic_fetch_add(count, 1u, __ATOMIC_ACQ_REL, AGENT) == 7) {
		u sum = 0;

		for (u i = 0; i < 8; i++)
			sum += part[i];
		out[100] = sum;
	}
}

//! lock_relaxed *: 0>1 w! r!+
KERNEL lock_relaxed(u *data, u *lock)
{
	u expected = 0;

	if (ITEM)
		return;
	while (!__hip_atomic_compare_exchange_strong(lock, &expected, 1u, RELAXED, RELAXED, AGENT))
		expected = 0;
	*data = *data + 1;
	__hip_atomic_exchange(lock, 0u, RELAXED, AGENT);
}

//! lock_ordered *: 0>1 w r+
KERNEL lock_ordered(u *data, u *lock)
{
	u expected = 0;

	if (ITEM)
		return;
	while (!__hip_atomic_compare_exchange_strong(lock, &expected, 1u, __ATOMIC_ACQUIRE, RELAXED, AGENT))
		expected = 0;
	*data = *data + 1;
	__hip_atomic_store(lock, 0u, __ATOMIC_RELEASE, AGENT);
}

// Nothing is handed over: numbers are drawn, and what they stand for is changed in place.
KERNEL tickets(u *data, u *next, u n)
{
	for (u i; (i = __hip_atomic_fetch_add(next, 1u, RELAXED, AGENT)) < n;)
		data[i] = data[i] * 3 + 1;
}

// A list of results.
KERNEL append(u *list, u *count, const u *in)
{
	u x = in[GROUP * 64 + ITEM];

	if (x & 1)
		list[__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT)] = x;
}

// Levels of a graph: who marks a node first puts it into the list.
KERNEL levels(u *level, u *seen, u *list, u *count, const u *edges, u n)
{
	u from = list[GROUP * 64 + ITEM];

	for (u i = 0; i < n; i++) {
		u to = edges[from * n + i], expected = 0;

		if (__hip_atomic_compare_exchange_strong(seen + to, &expected, 1u, RELAXED, RELAXED, AGENT)) {
			level[to] = level[from] + 1;
			list[__hip_atomic_fetch_add(count, 1u, RELAXED, AGENT)] = to;
		}
	}
}

// A sum in floating point, which is a loop around a compare-and-swap, between a store and a load.
KERNEL sum(float *data, float *total, u *out)
{
	data[ITEM] = (float)out[ITEM];
	__hip_atomic_fetch_add(total, data[ITEM + 64], RELAXED, AGENT);
	out[ITEM] = (u)data[ITEM + 128];
}

// The same behind a flag: the loop begins with what a plain load saw, and again where that was old.
KERNEL sum_after_flag(float *data, u *flag, u n)
{
	if (GROUP == 0) {
		data[ITEM] = 1;
		__hip_atomic_store(flag, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, RELAXED, AGENT))
		;
	u old = __builtin_bit_cast(u, data[ITEM]), next;
	do
		next = __builtin_bit_cast(u, __builtin_bit_cast(float, old) + (float)n);
	while (!__hip_atomic_compare_exchange_strong((u *)data + ITEM, &old, next, RELAXED, RELAXED, AGENT));
}

// Either the flag is waited for, or the data are read.
KERNEL either(u *data, u *flag, u *out, const u *kind)
{
	u k = kind[GROUP];

	if (k == 0) {
		data[ITEM] = ITEM + 1;
		__hip_atomic_store(flag, 1u, RELAXED, AGENT);
	} else if (k == 1) {
		while (!__hip_atomic_load(flag, RELAXED, AGENT))
			;
		out[ITEM] = 1;
	} else {
		out[ITEM] = data[ITEM + k];
	}
}

// The same by lanes.
KERNEL either_lane(u *data, u *flag, u *out)
{
	if (ITEM & 1) {
		while (!__hip_atomic_load(flag, RELAXED, AGENT))
			;
		out[ITEM] = 1;
	} else {
		data[ITEM] = out[ITEM];
		__hip_atomic_fetch_add(flag, data[ITEM + 2], RELAXED, AGENT);
	}
}

// One work-item adds to a word when an earlier launch has set the flag, and sets others for the next.
KERNEL accumulate(u *total, u *flag, const u *in)
{
	if (GROUP == 0 && ITEM == 0) {
		while (!__hip_atomic_load(flag, RELAXED, AGENT))
			;
		*total += in[0];
	}
	__hip_atomic_store(flag + GROUP * 64 + ITEM, 0u, RELAXED, AGENT);
}

// Flags and data that are coherent each by itself.
KERNEL coherent(u *data, u *flag, u *out)
{
	if (GROUP == 0) {
		__hip_atomic_store(data + ITEM, ITEM + 1, RELAXED, AGENT);
		__builtin_amdgcn_s_waitcnt(0);
		__hip_atomic_store(flag, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(flag, RELAXED, AGENT))
		;
	out[ITEM] = __hip_atomic_load(data + ITEM, RELAXED, AGENT);
}

// What is read was stored by nobody here.
KERNEL inputs(const u *in, u *flag, u *out)
{
	out[ITEM] = 1;
	__hip_atomic_fetch_add(flag, 1u, RELAXED, AGENT);
	while (__hip_atomic_load(flag, RELAXED, AGENT) < 8)
		;
	out[ITEM + 64] = in[ITEM];
}

// One buffer: the flag lies in front of the data.
//! one_buffer *: 0>0 w! r!+
KERNEL one_buffer(u *memory, u *out)
{
	if (GROUP == 0) {
		memory[16 + ITEM] = ITEM + 1;
		__hip_atomic_store(memory, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(memory, RELAXED, AGENT))
		;
	out[ITEM] = memory[16 + ITEM];
}

//! one_buffer_ordered *: 0>0 w r+
KERNEL one_buffer_ordered(u *memory, u *out)
{
	if (GROUP == 0) {
		memory[16 + ITEM] = ITEM + 1;
		__hip_atomic_store(memory, 1u, __ATOMIC_RELEASE, AGENT);
		return;
	}
	while (!__hip_atomic_load(memory, __ATOMIC_ACQUIRE, AGENT))
		;
	out[ITEM] = memory[16 + ITEM];
}

// Another flag than the one that is waited for.
KERNEL one_buffer_two_flags(u *memory, u *out)
{
	if (GROUP == 0) {
		memory[16 + ITEM] = ITEM + 1;
		__hip_atomic_store(memory + 1, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(memory, RELAXED, AGENT))
		;
	out[ITEM] = memory[16 + ITEM];
}

// The data may be where the flag is.
KERNEL one_buffer_anywhere(u *memory, u *out, const u *index)
{
	u i = index[ITEM];

	if (GROUP == 0) {
		memory[i] = ITEM + 1;
		__hip_atomic_store(memory, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(memory, RELAXED, AGENT))
		;
	out[ITEM] = memory[i];
}

// Each element of an array has a flag of its own.
struct element {
	u data, more, flag, rest;
};

//! elements *: 0>0 w! r!+
KERNEL elements(element *list, u *out, const u *index)
{
	element *e = list + index[ITEM];

	if (GROUP == 0) {
		e->data = 3;
		__hip_atomic_store(&e->flag, 1u, RELAXED, AGENT);
		return;
	}
	while (!__hip_atomic_load(&e->flag, RELAXED, AGENT))
		;
	out[ITEM] = e->data;
}

// A pointer to the data is the flag.
//! pointer_relaxed *: 0>1 w! r!
KERNEL pointer_relaxed(element *pool, element **slot, u *out, const u *index)
{
	if (ITEM == 0) {
		element *e = pool + index[GROUP];

		e->more = GROUP;
		__hip_atomic_store(slot + GROUP, e, RELAXED, AGENT);
	}
	element *other = __hip_atomic_load(slot + 7 - GROUP, RELAXED, AGENT);

	if (other)
		out[ITEM] = other->more;
}

//! pointer_awaited *: 0>1 w! r!+
KERNEL pointer_awaited(element *pool, element **slot, u *out, const u *index)
{
	if (GROUP == 0) {
		element *e = pool + index[ITEM];

		e->more = ITEM;
		__hip_atomic_store(slot + ITEM, e, RELAXED, AGENT);
		return;
	}
	element *other;

	while (!(other = __hip_atomic_load(slot + ITEM, RELAXED, AGENT)))
		;
	out[ITEM] = other->more;
}

//! pointer_ordered *: 0>1 w r
KERNEL pointer_ordered(element *pool, element **slot, u *out, const u *index)
{
	if (ITEM == 0) {
		element *e = pool + index[GROUP];

		e->more = GROUP;
		__hip_atomic_store(slot + GROUP, e, __ATOMIC_RELEASE, AGENT);
	}
	element *other = __hip_atomic_load(slot + 7 - GROUP, __ATOMIC_ACQUIRE, AGENT);

	if (other)
		out[ITEM] = other->more;
}

// What is published are pointers to other data than those that are stored.
KERNEL pointer_to_others(element *pool, element **slot, u *out, const u *index)
{
	if (ITEM == 0) {
		pool[index[GROUP]].more = GROUP;
		__hip_atomic_store(slot + GROUP, pool + index[GROUP + 8], RELAXED, AGENT);
	}
	element *other = __hip_atomic_load(slot + 7 - GROUP, RELAXED, AGENT);

	if (other)
		out[ITEM] = other->more;
}
