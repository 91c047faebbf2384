// SPDX-License-Identifier: Apache-2.0
/*
 * Branches by a mask that the code before set to ones or zeros (analyzer/isa/way.h), for waves of 64 and 32 lanes. Before both parts the
 * address registers hold what a pointer was multiplied by: where the address is an argument, that no wave comes to the atomic with
 * those was seen.
 * Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip. All kernels take two pointers and a number.
 */
.if .amdgcn.gfx_generation_number >= 10
	.macro set value
	s_mov_b32 s10, \value
	.endm
	.macro where_zeros
	s_andn2_b32 vcc_lo, exec_lo, s10
	.endm
	.macro where_ones
	s_and_b32 vcc_lo, exec_lo, s10
	.endm
	.macro switch_off
	s_and_saveexec_b32 s12, s10
	.endm
	.macro switch_on
	s_or_b32 exec_lo, exec_lo, s12
	.endm
	.macro compare
	v_cmp_lt_u32_e64 s10, s8, v0
	.endm
	.macro descriptor name
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 20
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.endm
.else
	.macro set value
	s_mov_b64 s[10:11], \value
	.endm
	.macro where_zeros
	s_andn2_b64 vcc, exec, s[10:11]
	.endm
	.macro where_ones
	s_and_b64 vcc, exec, s[10:11]
	.endm
	.macro switch_off
	s_and_saveexec_b64 s[12:13], s[10:11]
	.endm
	.macro switch_on
	s_or_b64 exec, exec, s[12:13]
	.endm
	.macro compare
	v_cmp_lt_u32_e64 s[10:11], s8, v0
	.endm
	.macro descriptor name
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 20
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.endm
.endif

.macro first
	v_mov_b32 v2, s4
	v_mov_b32 v3, s5
.endm
.macro second
	v_mov_b32 v2, s6
	v_mov_b32 v3, s7
.endm

.macro begin name
	.text
	.protected \name
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s8, s[0:1], 0x10
	v_mov_b32 v5, 1
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v2, s4, v0
	v_mul_lo_u32 v3, s5, v0
	s_cmp_lg_u32 s8, 0
.endm

.macro finish name
	global_atomic_add v[2:3], v5, off
	s_endpgm
	.size \name, .-\name
	.section .rodata,#alloc
	.p2align 6
	descriptor \name
.endm

//! either *: native i32 set 0,8
begin either
	set -1
	s_cbranch_scc1 .Leither
	first
	set 0
.Leither:
	where_zeros
	s_cbranch_vccnz .Leither_end
	second
.Leither_end:
finish either

//! by_ones *: native i32 set 0,8
begin by_ones
	set 0
	s_cbranch_scc1 .Lby_ones
	first
	set -1
.Lby_ones:
	where_zeros
	s_cbranch_vccz .Lby_ones_end
	second
.Lby_ones_end:
finish by_ones

//! and_mask *: native i32 set 0,8
begin and_mask
	set 0
	s_cbranch_scc1 .Land_mask
	first
	set -1
.Land_mask:
	where_ones
	s_cbranch_vccnz .Land_mask_end
	second
.Land_mask_end:
finish and_mask

// The part that would set the address is skipped where it was not set.
//! wrong_way *: native i32 unknown
begin wrong_way
	set -1
	s_cbranch_scc1 .Lwrong_way
	first
	set 0
.Lwrong_way:
	where_zeros
	s_cbranch_vccz .Lwrong_way_end
	second
.Lwrong_way_end:
finish wrong_way

//! by_comparison *: native i32 unknown
begin by_comparison
	compare
	s_cbranch_scc1 .Lby_comparison
	first
	set 0
.Lby_comparison:
	where_zeros
	s_cbranch_vccnz .Lby_comparison_end
	second
.Lby_comparison_end:
finish by_comparison

// Only a part of the mask is what was set.
//! overwritten *: native i32 unknown
begin overwritten
	set -1
	s_mul_i32 s10, s8, s8
	s_cbranch_scc1 .Loverwritten
	first
	set 0
.Loverwritten:
	where_zeros
	s_cbranch_vccnz .Loverwritten_end
	second
.Loverwritten_end:
finish overwritten

// Set before a loop and an if.
//! far *: native i32 set 0,8
begin far
	set -1
	s_cbranch_scc1 .Lfar
	set 0
	first
.Lfar_loop:
	s_sub_u32 s8, s8, 2
	s_cmp_lg_u32 s8, 4
	s_cbranch_scc1 .Lfar_loop
	s_cmp_lg_u32 s2, 4
	s_cbranch_scc1 .Lfar
	v_mov_b32 v5, 2
.Lfar:
	where_zeros
	s_cbranch_vccnz .Lfar_end
	second
.Lfar_end:
finish far

// Ones or zeros, by another way than the one that is left last.
//! changed *: native i32 unknown
begin changed
	first
	set 0
	s_cbranch_scc1 .Lchanged_again
	set -1
.Lchanged_again:
	s_cmp_lg_u32 s2, 4
	s_cbranch_scc1 .Lchanged
	s_nop 0
.Lchanged:
	where_ones
	s_cbranch_vccnz .Lchanged_end
	v_mul_lo_u32 v2, s4, v0
	v_mul_lo_u32 v3, s5, v0
.Lchanged_end:
finish changed

// Two such blocks one behind the other: what led to the first decides the second.
//! two *: native i32 set 0,8
begin two
	set -1
	s_cbranch_scc1 .Ltwo
	first
	set 0
.Ltwo:
	where_zeros
	s_cbranch_vccnz .Ltwo_more
	s_nop 0
.Ltwo_more:
	s_nop 0
	where_zeros
	s_cbranch_vccnz .Ltwo_end
	second
.Ltwo_end:
finish two

// No lane is left on one of the ways: its branch is not taken, whatever the mask is.
//! no_lanes *: native i32 unknown
begin no_lanes
	compare
	switch_off
	set 0
	s_cbranch_execz .Lno_lanes
	s_nop 0
.Lno_lanes:
	where_zeros
	s_cbranch_vccnz .Lno_lanes_end
	s_mul_i32 s4, s4, s8
	s_mul_i32 s5, s5, s8
.Lno_lanes_end:
	switch_on
	first
finish no_lanes

//! lanes_again *: native i32 direct 0
begin lanes_again
	compare
	switch_off
	set 0
	s_cbranch_execz .Llanes_again
	s_nop 0
.Llanes_again:
	switch_on
	where_zeros
	s_cbranch_vccnz .Llanes_again_end
	s_mul_i32 s4, s4, s8
	s_mul_i32 s5, s5, s8
.Llanes_again_end:
	first
finish lanes_again

// The end of a loop.
//! around *: native i32 direct 0
begin around
.Laround:
	set 0
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Laround_end
	first
	set -1
.Laround_end:
	where_ones
	s_cbranch_vccz .Laround
finish around

// An instruction that is not followed: atomics of LDS are some whatever the address is.
//! not_followed *: native i32 lds
//! not_followed *: native i32 unknown
begin not_followed
	first
	s_cbranch_cdbgsys .Lnot_followed
.Lnot_followed:
	v_mov_b32 v1, 0
	ds_add_u32 v1, v5
finish not_followed

.amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: either
    .symbol: either.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: by_ones
    .symbol: by_ones.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: and_mask
    .symbol: and_mask.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: wrong_way
    .symbol: wrong_way.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: by_comparison
    .symbol: by_comparison.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: overwritten
    .symbol: overwritten.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: far
    .symbol: far.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: changed
    .symbol: changed.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: two
    .symbol: two.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: no_lanes
    .symbol: no_lanes.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: lanes_again
    .symbol: lanes_again.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: around
    .symbol: around.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
  - .name: not_followed
    .symbol: not_followed.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 16
    .vgpr_count: 8
    .wavefront_size: 64
    .args: [ { .offset: 0, .size: 8, .value_kind: global_buffer }, { .offset: 8, .size: 8, .value_kind: global_buffer }, { .offset: 16, .size: 4, .value_kind: by_value } ]
...
.end_amdgpu_metadata
