/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assembler's names of the instructions that operations.def lists, by the processor that is
 * compiled for.
 *
 * They are written in assembler, not as atomicAdd() or __hip_atomic_fetch_add(): compilers make a
 * loop of compare-and-swap of these when they cannot prove that the memory carries the instruction,
 * and the probe is there to measure just that.
 *
 * Source of each name: LLVM's AMDGPU back end, which refuses those that a processor does not have
 * (seen with clang 15 and 22 for every processor that they list).
 */
#ifndef HIPGRAIN_PROBE_INSTRUCTIONS_H
#define HIPGRAIN_PROBE_INSTRUCTIONS_H

#if defined(__GFX9__) && (defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
			  defined(__gfx950__) || defined(__gfx9_4_generic__))
#define CDNA3 1
#endif

/* ---- operands that stand behind the address ---- */
#if defined(__GFX12__)
#define RETURNING   " th:TH_ATOMIC_RETURN"
#define WAIT_RESULT "s_wait_loadcnt 0x0"
#define SYSTEM      " scope:SCOPE_SYS"
#elif defined(CDNA3)
#define RETURNING   " sc0"
#define WAIT_RESULT "s_waitcnt vmcnt(0)"
#define SYSTEM      " sc1"
#else
#define RETURNING   " glc"
#define WAIT_RESULT "s_waitcnt vmcnt(0)"
#endif

/* ---- integers: all processors since gfx9; other names since gfx11 ---- */
#if defined(__GFX11__) || defined(__GFX12__)
#define U32_ADD  "global_atomic_add_u32"
#define U64_ADD  "global_atomic_add_u64"
#define U32_SWAP "global_atomic_swap_b32"
#define U64_SWAP "global_atomic_swap_b64"
#define U32_CAS  "global_atomic_cmpswap_b32"
#define U64_CAS  "global_atomic_cmpswap_b64"
#define S32_MIN  "global_atomic_min_i32"
#define S32_MAX  "global_atomic_max_i32"
#define U32_MIN  "global_atomic_min_u32"
#define U32_MAX  "global_atomic_max_u32"
#define S64_MIN  "global_atomic_min_i64"
#define U64_MAX  "global_atomic_max_u64"
#define U32_SUB  "global_atomic_sub_u32"
#define U32_AND  "global_atomic_and_b32"
#define U32_OR   "global_atomic_or_b32"
#define U32_XOR  "global_atomic_xor_b32"
#define U32_INC  "global_atomic_inc_u32"
#define U32_DEC  "global_atomic_dec_u32"
#define U64_OR   "global_atomic_or_b64"
#else
#define U32_ADD  "global_atomic_add"
#define U64_ADD  "global_atomic_add_x2"
#define U32_SWAP "global_atomic_swap"
#define U64_SWAP "global_atomic_swap_x2"
#define U32_CAS  "global_atomic_cmpswap"
#define U64_CAS  "global_atomic_cmpswap_x2"
#define S32_MIN  "global_atomic_smin"
#define S32_MAX  "global_atomic_smax"
#define U32_MIN  "global_atomic_umin"
#define U32_MAX  "global_atomic_umax"
#define S64_MIN  "global_atomic_smin_x2"
#define U64_MAX  "global_atomic_umax_x2"
#define U32_SUB  "global_atomic_sub"
#define U32_AND  "global_atomic_and"
#define U32_OR   "global_atomic_or"
#define U32_XOR  "global_atomic_xor"
#define U32_INC  "global_atomic_inc"
#define U32_DEC  "global_atomic_dec"
#define U64_OR   "global_atomic_or_x2"
#endif

/* ---- floating point: HAS_NAME 0 where the processor has no such instruction ---- */
#if defined(__gfx908__) || defined(__gfx90a__) || defined(CDNA3) || defined(__GFX11__) || \
    defined(__GFX12__)
#define HAS_F32_ADD 1
#define F32_ADD     "global_atomic_add_f32"
#else
#define HAS_F32_ADD 0
#endif

#if defined(__gfx90a__) || defined(CDNA3)
#define HAS_F64_ADD 1
#define F64_ADD     "global_atomic_add_f64"
#else
#define HAS_F64_ADD 0
#endif

#if defined(__GFX10__)
#define HAS_F32_MINMAX 1
#define F32_MIN        "global_atomic_fmin"
#define F32_MAX        "global_atomic_fmax"
#elif defined(__GFX11__)
#define HAS_F32_MINMAX 1
#define F32_MIN        "global_atomic_min_f32"
#define F32_MAX        "global_atomic_max_f32"
#elif defined(__GFX12__)
#define HAS_F32_MINMAX 1
#define F32_MIN        "global_atomic_min_num_f32"
#define F32_MAX        "global_atomic_max_num_f32"
#else
#define HAS_F32_MINMAX 0
#endif

#if defined(__gfx90a__) || defined(CDNA3)
#define HAS_F64_MINMAX 1
#define F64_MIN        "global_atomic_min_f64"
#define F64_MAX        "global_atomic_max_f64"
#elif defined(__GFX10__)
#define HAS_F64_MINMAX 1
#define F64_MIN        "global_atomic_fmin_x2"
#define F64_MAX        "global_atomic_fmax_x2"
#else
#define HAS_F64_MINMAX 0
#endif

#if defined(__gfx908__) || defined(__gfx90a__) || defined(CDNA3) || defined(__GFX12__)
#define HAS_PK_F16_ADD 1
#define PK_F16_ADD     "global_atomic_pk_add_f16"
#else
#define HAS_PK_F16_ADD 0
#endif

#if defined(CDNA3) || defined(__GFX12__)
#define HAS_PK_BF16_ADD 1
#define PK_BF16_ADD     "global_atomic_pk_add_bf16"
#else
#define HAS_PK_BF16_ADD 0
#endif

/* Every processor has those of integers. */
#define HAS_INT_PCIE   1
#define HAS_INT_MINMAX 1
#define HAS_INT_OTHER  1

#endif
