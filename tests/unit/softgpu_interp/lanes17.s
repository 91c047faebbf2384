// SPDX-License-Identifier: Apache-2.0
// clang 17's code of lanes17.hip, which tells how it was made and changed.
	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.protected	choose
	.globl	choose
	.p2align	8
	.type	choose,@function
choose:
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	s_load_dwordx2 s[6:7], s[8:9], 0x0
	s_load_dwordx2 s[4:5], s[8:9], 0x8
	s_mov_b64 s[8:9], src_private_base
	s_mov_b32 s10, 32
	s_lshr_b64 s[8:9], s[8:9], s10
	v_mov_b32_e32 v10, 8
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v11, v2
	v_mov_b32_e32 v8, 16
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v9, v2
	v_mov_b32_e32 v4, 24
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v5, v2
	buffer_store_dword v4, off, s[0:3], s33 offset:64
	s_waitcnt vmcnt(0)
	buffer_store_dword v5, off, s[0:3], s33 offset:68
	v_mov_b32_e32 v6, 32
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v7, v2
	buffer_store_dword v6, off, s[0:3], s33 offset:56
	s_waitcnt vmcnt(0)
	buffer_store_dword v7, off, s[0:3], s33 offset:60
	v_mov_b32_e32 v2, 40
	v_mov_b32_e32 v12, s8
	v_mov_b32_e32 v3, v12
	buffer_store_dword v2, off, s[0:3], s33 offset:48
	s_waitcnt vmcnt(0)
	buffer_store_dword v3, off, s[0:3], s33 offset:52
	v_pk_mov_b32 v[12:13], v[10:11], v[10:11] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[14:15], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dwordx2 v[12:13], v[14:15]
	flat_load_dwordx2 v[12:13], v[10:11]
	v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[0,1]
	v_pk_mov_b32 v[14:15], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[10:11], v[14:15]
	flat_load_dwordx2 v[8:9], v[8:9]
	v_pk_mov_b32 v[10:11], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[10:11], v[12:13]
	flat_store_dwordx2 v[6:7], v[8:9]
	s_mov_b32 s4, 0x3ff
	v_and_b32_e64 v0, v0, s4
	v_pk_mov_b32 v[6:7], v[2:3], v[2:3] op_sel:[0,1]
	flat_store_dword v[6:7], v0
	flat_load_dwordx2 v[8:9], v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v3, v0
	s_mov_b32 s4, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b64 v[6:7], s4, v[2:3]
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v4, v6
	v_mov_b32_e32 v0, v9
	v_mov_b32_e32 v3, v7
	v_add_co_u32_e64 v2, s[4:5], v2, v4
	v_addc_co_u32_e64 v0, s[4:5], v0, v3, s[4:5]
	v_mov_b32_e32 v3, v0
	flat_load_dword v0, v[2:3]
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, v0, s4
	s_mov_b32 s4, 0
	v_cmp_eq_u32_e64 s[4:5], v0, s4
	v_mov_b32_e32 v0, s6
	buffer_store_dword v0, off, s[0:3], s33 offset:44
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v1, s6, 0
	v_writelane_b32 v1, s7, 1
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB0_1
	s_branch .LBB0_3
.LBB0_1:
	.ifndef FIXED
	buffer_load_dword v0, off, s[0:3], s33 offset:44
	.endif
	v_readlane_b32 s4, v1, 0
	v_readlane_b32 s5, v1, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	.ifdef FIXED
	buffer_load_dword v0, off, s[0:3], s33 offset:44
	.endif
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:72
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v1, s4, 2
	v_writelane_b32 v1, s5, 3
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB0_4
	buffer_load_dword v2, off, s[0:3], s33 offset:48
	buffer_load_dword v3, off, s[0:3], s33 offset:52
	buffer_load_dword v4, off, s[0:3], s33 offset:64
	buffer_load_dword v5, off, s[0:3], s33 offset:68
	s_waitcnt vmcnt(0)
	flat_load_dwordx2 v[8:9], v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v3, v0
	s_mov_b32 s4, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b64 v[6:7], s4, v[2:3]
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v4, v6
	v_mov_b32_e32 v0, v9
	v_mov_b32_e32 v3, v7
	v_add_co_u32_e64 v2, s[4:5], v2, v4
	v_addc_co_u32_e64 v0, s[4:5], v0, v3, s[4:5]
	v_mov_b32_e32 v3, v0
	flat_load_dword v0, v[2:3]
	s_mov_b32 s4, 3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mul_lo_u32 v0, v0, s4
	buffer_store_dword v0, off, s[0:3], s33 offset:72
	s_branch .LBB0_4
.LBB0_3:
	buffer_load_dword v2, off, s[0:3], s33 offset:48
	buffer_load_dword v3, off, s[0:3], s33 offset:52
	buffer_load_dword v4, off, s[0:3], s33 offset:64
	buffer_load_dword v5, off, s[0:3], s33 offset:68
	s_waitcnt vmcnt(0)
	flat_load_dwordx2 v[8:9], v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v3, v0
	s_mov_b32 s4, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b64 v[6:7], s4, v[2:3]
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v4, v6
	v_mov_b32_e32 v0, v9
	v_mov_b32_e32 v3, v7
	v_add_co_u32_e64 v2, s[4:5], v2, v4
	v_addc_co_u32_e64 v0, s[4:5], v0, v3, s[4:5]
	v_mov_b32_e32 v3, v0
	flat_load_dword v0, v[2:3]
	s_mov_b32 s4, 0x64
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v0, v0, s4
	buffer_store_dword v0, off, s[0:3], s33 offset:44
	s_branch .LBB0_1
.LBB0_4:
	.ifndef FIXED
	buffer_load_dword v2, off, s[0:3], s33 offset:48
	buffer_load_dword v3, off, s[0:3], s33 offset:52
	buffer_load_dword v4, off, s[0:3], s33 offset:56
	buffer_load_dword v5, off, s[0:3], s33 offset:60
	buffer_load_dword v0, off, s[0:3], s33 offset:72
	.endif
	v_readlane_b32 s4, v1, 2
	v_readlane_b32 s5, v1, 3
	s_or_b64 exec, exec, s[4:5]
	.ifdef FIXED
	buffer_load_dword v2, off, s[0:3], s33 offset:48
	buffer_load_dword v3, off, s[0:3], s33 offset:52
	buffer_load_dword v4, off, s[0:3], s33 offset:56
	buffer_load_dword v5, off, s[0:3], s33 offset:60
	buffer_load_dword v0, off, s[0:3], s33 offset:72
	.endif
	s_waitcnt vmcnt(1)
	flat_load_dwordx2 v[8:9], v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, v4
	s_mov_b32 s4, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b64 v[6:7], s4, v[2:3]
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v5, v6
	v_mov_b32_e32 v3, v9
	v_mov_b32_e32 v4, v7
	v_add_co_u32_e64 v2, s[4:5], v2, v5
	v_addc_co_u32_e64 v4, s[4:5], v3, v4, s[4:5]
	v_mov_b32_e32 v3, v4
	flat_store_dword v[2:3], v0
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel choose
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 80
		.amdhsa_kernarg_size 72
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	choose, .Lfunc_end0-choose
	.section	.AMDGPU.csdata
	.text
	.p2alignl 6, 3212836864
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         24
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         32
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         40
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         48
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         56
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         64
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 72
    .max_flat_workgroup_size: 1024
    .name:           choose
    .private_segment_fixed_size: 80
    .sgpr_count:     40
    .sgpr_spill_count: 4
    .symbol:         choose.kd
    .vgpr_count:     16
    .vgpr_spill_count: 10
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 1
...
	.end_amdgpu_metadata
