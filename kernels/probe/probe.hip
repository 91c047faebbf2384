// SPDX-License-Identifier: Apache-2.0
// The kernels of `hipgrain probe`: one for each atomic instruction, and plain loads and stores. Compiled for every processor
// that the compiler knows, without HIP's headers and device libraries; the host's side is analyzer/probe.
//
// A kernel of an atomic: (target, returned, rounds). The PROBE_ITEMS work-items of a launch each execute the instruction
// `rounds` times on the one target, with the operand that operations.def gives; returned[PROBE_ITEMS] takes what the
// returning forms gave in the last round.
#include "instructions.h"
#include "probe_layout.h"

typedef unsigned int u32;
typedef unsigned long u64; /* of 64 bits, as pointers */
typedef float f32;
typedef double f64;
typedef u32 u32_pair __attribute__((ext_vector_type(2)));
typedef u64 u64_pair __attribute__((ext_vector_type(2)));

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device, always_inline))

/* Returns the number of the work-item in the launch: one dimension, groups of PROBE_GROUP. */
DEVICE u32 item(void)
{
	return __builtin_amdgcn_workgroup_id_x() * PROBE_GROUP + __builtin_amdgcn_workitem_id_x();
}

/* A compare-and-swap takes the new value and the expected one as one register tuple. */
#define EXCHANGE(type, instruction, form)                                                                                     \
	asm volatile(instruction " %0, %1, %2, off" form RETURNING "\n\t" WAIT_RESULT                                         \
		     : "=&v"(before)                                                                                          \
		     : "v"(target), "v"(value)                                                                                \
		     : "memory")
#define COMPARE(type, instruction, form)                                                                                      \
	do {                                                                                                                  \
		type expected = *(volatile type *)target;                                                                     \
                                                                                                                              \
		for (u32 tries = 0; tries < PROBE_TRIES; tries++) {                                                           \
			type##_pair pair = { value, expected };                                                               \
                                                                                                                              \
			asm volatile(instruction " %0, %1, %2, off" form RETURNING "\n\t" WAIT_RESULT                         \
				     : "=&v"(before)                                                                          \
				     : "v"(target), "v"(pair)                                                                 \
				     : "memory");                                                                             \
			if (before == expected)                                                                               \
				break;                                                                                        \
			expected = before;                                                                                    \
		}                                                                                                             \
	} while (0)

#define WITHOUT_RESULT(name, type, instruction, operand, form)                                                                \
	KERNEL name(type *target, type *returned, u32 rounds)                                                                 \
	{                                                                                                                     \
		u64 i = item();                                                                                               \
		type value = (type)(operand);                                                                                 \
                                                                                                                              \
		(void)i;                                                                                                      \
		(void)returned;                                                                                               \
		for (u32 round = 0; round < rounds; round++)                                                                  \
			asm volatile(instruction " %0, %1, off" form : : "v"(target), "v"(value) : "memory");                 \
	}
#define WITH_RESULT(name, type, instruction, operand, form, execute)                                                          \
	KERNEL name(type *target, type *returned, u32 rounds)                                                                 \
	{                                                                                                                     \
		u64 i = item();                                                                                               \
		type value = (type)(operand), before = 0;                                                                     \
                                                                                                                              \
		for (u32 round = 0; round < rounds; round++)                                                                  \
			execute(type, instruction, form);                                                                     \
		returned[i] = before;                                                                                         \
	}


#define PLAIN_FORM(name, type, instruction, operand, form) WITHOUT_RESULT(name, type, instruction, operand, form)
#define SWAP_FORM(name, type, instruction, operand, form)  WITH_RESULT(name, type, instruction, operand, form, EXCHANGE)
#define CAS_FORM(name, type, instruction, operand, form)   WITH_RESULT(name, type, instruction, operand, form, COMPARE)

#ifdef SYSTEM
#define SCOPES(shape, name, type, instruction, operand)                                                                       \
	shape(probe_##name, type, instruction, operand, "") shape(probe_##name##_system, type, instruction, operand, SYSTEM)
#else
#define SCOPES(shape, name, type, instruction, operand) shape(probe_##name, type, instruction, operand, "")
#endif

#define PASTE(a, b)         a##b
#define CHOICE(a, b)        PASTE(a, b)
#define EMIT_0(...)
#define EMIT_1(...)         SCOPES(__VA_ARGS__)
#define OPERATION(name, kind, type, instruction, start, operand, result, form)                                                \
	CHOICE(EMIT_, HAS_##kind)(form##_FORM, name, type, instruction, operand)
#include "operations.def"

/* Copies as a program's own loads and stores do: to[i] = from[i] + add, for `count` elements. */
KERNEL probe_copy(u32 *to, const u32 *from, u32 add, u32 count)
{
	for (u32 i = item(); i < count; i += PROBE_ITEMS)
		to[i] = from[i] + add;
}

/* A word that the host waits for: stored after `spins` rounds of waiting, so that the host is waiting by then. */
KERNEL probe_late_store(u32 *word, u32 value, u32 spins)
{
	for (u32 i = 0; i < spins; i++)
		__builtin_amdgcn_s_sleep(8);
	if (item() == 0)
		*word = value;
}
