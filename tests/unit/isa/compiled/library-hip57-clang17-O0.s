	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.text
	.protected	max_float
	.globl	max_float
	.p2align	8
	.type	max_float,@function
max_float:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dword s8, s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	s_mov_b32 s9, s20
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v2, 16
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, 24
	v_mov_b32_e32 v6, s9
	v_mov_b32_e32 v1, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	v_mov_b32_e32 v6, s8
	flat_store_dword v[4:5], v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_nop 0
	flat_load_dword v2, v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v1, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMaxPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMaxPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel max_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 57
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end4:
	.size	max_float, .Lfunc_end4-max_float
	.section	.AMDGPU.csdata
	.section	.text._Z9atomicMaxPff,#alloc,#execinstr
	.hidden	_Z9atomicMaxPff
	.weak	_Z9atomicMaxPff
	.p2align	2
	.type	_Z9atomicMaxPff,@function
_Z9atomicMaxPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v3, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xc00
	v_mov_b32_e32 v14, v0
	v_mov_b32_e32 v15, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v8, 6, s33
	v_add_u32_e32 v8, 8, v8
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v9, v0
	v_accvgpr_write_b32 a1, v8
	v_accvgpr_write_b32 a0, v9
	v_lshrrev_b32_e64 v10, 6, s33
	v_add_u32_e32 v10, 16, v10
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v11, v0
	v_accvgpr_write_b32 a3, v10
	v_accvgpr_write_b32 a2, v11
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 20, v4
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v5, v0
	v_accvgpr_write_b32 a5, v4
	v_accvgpr_write_b32 a4, v5
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 24, v6
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v7, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 28, v0
	v_mov_b32_e32 v12, s4
	v_mov_b32_e32 v1, v12
	v_accvgpr_write_b32 a7, v0
	v_accvgpr_write_b32 a6, v1
	v_lshrrev_b32_e64 v12, 6, s33
	v_add_u32_e32 v12, 32, v12
	v_mov_b32_e32 v16, s4
	v_mov_b32_e32 v13, v16
	v_accvgpr_write_b32 a9, v12
	v_accvgpr_write_b32 a8, v13
	v_lshrrev_b32_e64 v12, 6, s33
	v_add_u32_e32 v12, 36, v12
	v_mov_b32_e32 v16, s4
	v_mov_b32_e32 v13, v16
	v_accvgpr_write_b32 a11, v12
	v_accvgpr_write_b32 a10, v13
	v_pk_mov_b32 v[12:13], v[8:9], v[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[12:13], v[14:15]
	flat_store_dword v[10:11], v2
	flat_load_dwordx2 v[8:9], v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[8:9] glc
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[8:9], v2
	flat_load_dword v2, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[4:5], v2
	s_mov_b32 s4, 0
	v_mov_b32_e32 v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v3, s4, 0
	v_writelane_b32 v3, s5, 1
.LBB10_1:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_readlane_b32 s4, v3, 0
	v_readlane_b32 s5, v3, 1
	v_writelane_b32 v3, s4, 2
	v_writelane_b32 v3, s5, 3
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v3, s4, 4
	v_writelane_b32 v3, s5, 5
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 6
	v_writelane_b32 v3, s5, 7
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_3
	v_accvgpr_read_b32 v4, a3
	v_accvgpr_read_b32 v5, a2
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_f32_e64 s[4:5], v0, v1
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v3, s4, 4
	v_writelane_b32 v3, s5, 5
.LBB10_3:
	v_readlane_b32 s4, v3, 6
	v_readlane_b32 s5, v3, 7
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s6, v3, 4
	v_readlane_b32 s7, v3, 5
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v3, s4, 8
	v_writelane_b32 v3, s5, 9
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 10
	v_writelane_b32 v3, s5, 11
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_6
	v_accvgpr_read_b32 v6, a9
	v_accvgpr_read_b32 v7, a8
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	v_accvgpr_read_b32 v8, a3
	v_accvgpr_read_b32 v9, a2
	v_accvgpr_read_b32 v4, a1
	v_accvgpr_read_b32 v5, a0
	flat_load_dwordx2 v[4:5], v[4:5]
	s_nop 0
	flat_load_dword v2, v[8:9]
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[8:9], v2
	flat_load_dword v1, v[0:1]
	s_nop 0
	flat_load_dword v6, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v7, v1
	flat_atomic_cmpswap v0, v[4:5], v[6:7] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a12, v0
	v_cmp_eq_u32_e64 s[4:5], v0, v1
	v_cmp_ne_u32_e64 s[6:7], v0, v1
	v_writelane_b32 v3, s4, 12
	v_writelane_b32 v3, s5, 13
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 14
	v_writelane_b32 v3, s5, 15
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_7
	v_accvgpr_read_b32 v2, a12
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_store_dword v[0:1], v2
	s_branch .LBB10_7
.LBB10_6:
	v_readlane_b32 s8, v3, 10
	v_readlane_b32 s9, v3, 11
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v3, 2
	v_readlane_b32 s7, v3, 3
	v_readlane_b32 s4, v3, 8
	v_readlane_b32 s5, v3, 9
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v3, s6, 0
	v_writelane_b32 v3, s7, 1
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v3, s6, 16
	v_writelane_b32 v3, s7, 17
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB10_1
	s_branch .LBB10_8
.LBB10_7:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_accvgpr_read_b32 v4, a11
	v_accvgpr_read_b32 v5, a10
	v_readlane_b32 s6, v3, 14
	v_readlane_b32 s7, v3, 15
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v3, 12
	v_readlane_b32 s5, v3, 13
	v_cndmask_b32_e64 v2, 0, 1, s[4:5]
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	flat_store_byte v[6:7], v2
	flat_load_ubyte v2, v[4:5]
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v3, s4, 8
	v_writelane_b32 v3, s5, 9
	s_branch .LBB10_6
.LBB10_8:
	v_readlane_b32 s4, v3, 16
	v_readlane_b32 s5, v3, 17
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v3, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffff400
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end5:
	.size	_Z9atomicMaxPff, .Lfunc_end5-_Z9atomicMaxPff
	.section	.AMDGPU.csdata
	.text
	.protected	min_float
	.globl	min_float
	.p2align	8
	.type	min_float,@function
min_float:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dword s8, s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	s_mov_b32 s9, s20
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v2, 16
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, 24
	v_mov_b32_e32 v6, s9
	v_mov_b32_e32 v1, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	v_mov_b32_e32 v6, s8
	flat_store_dword v[4:5], v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_nop 0
	flat_load_dword v2, v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v1, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMinPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMinPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel min_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 57
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end6:
	.size	min_float, .Lfunc_end6-min_float
	.section	.AMDGPU.csdata
	.section	.text._Z9atomicMinPff,#alloc,#execinstr
	.hidden	_Z9atomicMinPff
	.weak	_Z9atomicMinPff
	.p2align	2
	.type	_Z9atomicMinPff,@function
_Z9atomicMinPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v3, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xc00
	v_mov_b32_e32 v14, v0
	v_mov_b32_e32 v15, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v8, 6, s33
	v_add_u32_e32 v8, 8, v8
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v9, v0
	v_accvgpr_write_b32 a1, v8
	v_accvgpr_write_b32 a0, v9
	v_lshrrev_b32_e64 v10, 6, s33
	v_add_u32_e32 v10, 16, v10
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v11, v0
	v_accvgpr_write_b32 a3, v10
	v_accvgpr_write_b32 a2, v11
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 20, v4
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v5, v0
	v_accvgpr_write_b32 a5, v4
	v_accvgpr_write_b32 a4, v5
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 24, v6
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v7, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 28, v0
	v_mov_b32_e32 v12, s4
	v_mov_b32_e32 v1, v12
	v_accvgpr_write_b32 a7, v0
	v_accvgpr_write_b32 a6, v1
	v_lshrrev_b32_e64 v12, 6, s33
	v_add_u32_e32 v12, 32, v12
	v_mov_b32_e32 v16, s4
	v_mov_b32_e32 v13, v16
	v_accvgpr_write_b32 a9, v12
	v_accvgpr_write_b32 a8, v13
	v_lshrrev_b32_e64 v12, 6, s33
	v_add_u32_e32 v12, 36, v12
	v_mov_b32_e32 v16, s4
	v_mov_b32_e32 v13, v16
	v_accvgpr_write_b32 a11, v12
	v_accvgpr_write_b32 a10, v13
	v_pk_mov_b32 v[12:13], v[8:9], v[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[12:13], v[14:15]
	flat_store_dword v[10:11], v2
	flat_load_dwordx2 v[8:9], v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[8:9] glc
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[8:9], v2
	flat_load_dword v2, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[4:5], v2
	s_mov_b32 s4, 0
	v_mov_b32_e32 v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v3, s4, 0
	v_writelane_b32 v3, s5, 1
.LBB12_1:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_readlane_b32 s4, v3, 0
	v_readlane_b32 s5, v3, 1
	v_writelane_b32 v3, s4, 2
	v_writelane_b32 v3, s5, 3
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v3, s4, 4
	v_writelane_b32 v3, s5, 5
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 6
	v_writelane_b32 v3, s5, 7
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_3
	v_accvgpr_read_b32 v4, a3
	v_accvgpr_read_b32 v5, a2
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_gt_f32_e64 s[4:5], v0, v1
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v3, s4, 4
	v_writelane_b32 v3, s5, 5
.LBB12_3:
	v_readlane_b32 s4, v3, 6
	v_readlane_b32 s5, v3, 7
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s6, v3, 4
	v_readlane_b32 s7, v3, 5
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v3, s4, 8
	v_writelane_b32 v3, s5, 9
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 10
	v_writelane_b32 v3, s5, 11
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_6
	v_accvgpr_read_b32 v6, a9
	v_accvgpr_read_b32 v7, a8
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	v_accvgpr_read_b32 v8, a3
	v_accvgpr_read_b32 v9, a2
	v_accvgpr_read_b32 v4, a1
	v_accvgpr_read_b32 v5, a0
	flat_load_dwordx2 v[4:5], v[4:5]
	s_nop 0
	flat_load_dword v2, v[8:9]
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[8:9], v2
	flat_load_dword v1, v[0:1]
	s_nop 0
	flat_load_dword v6, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v7, v1
	flat_atomic_cmpswap v0, v[4:5], v[6:7] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a12, v0
	v_cmp_eq_u32_e64 s[4:5], v0, v1
	v_cmp_ne_u32_e64 s[6:7], v0, v1
	v_writelane_b32 v3, s4, 12
	v_writelane_b32 v3, s5, 13
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v3, s4, 14
	v_writelane_b32 v3, s5, 15
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_7
	v_accvgpr_read_b32 v2, a12
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_store_dword v[0:1], v2
	s_branch .LBB12_7
.LBB12_6:
	v_readlane_b32 s8, v3, 10
	v_readlane_b32 s9, v3, 11
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v3, 2
	v_readlane_b32 s7, v3, 3
	v_readlane_b32 s4, v3, 8
	v_readlane_b32 s5, v3, 9
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v3, s6, 0
	v_writelane_b32 v3, s7, 1
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v3, s6, 16
	v_writelane_b32 v3, s7, 17
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB12_1
	s_branch .LBB12_8
.LBB12_7:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_accvgpr_read_b32 v4, a11
	v_accvgpr_read_b32 v5, a10
	v_readlane_b32 s6, v3, 14
	v_readlane_b32 s7, v3, 15
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v3, 12
	v_readlane_b32 s5, v3, 13
	v_cndmask_b32_e64 v2, 0, 1, s[4:5]
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	flat_store_byte v[6:7], v2
	flat_load_ubyte v2, v[4:5]
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v3, s4, 8
	v_writelane_b32 v3, s5, 9
	s_branch .LBB12_6
.LBB12_8:
	v_readlane_b32 s4, v3, 16
	v_readlane_b32 s5, v3, 17
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v3, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffff400
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end7:
	.size	_Z9atomicMinPff, .Lfunc_end7-_Z9atomicMinPff
	.section	.AMDGPU.csdata
	.text
	.protected	max_double
	.globl	max_double
	.p2align	8
	.type	max_double,@function
max_double:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dwordx2 s[8:9], s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s20
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v0, 16
	v_mov_b32_e32 v2, s20
	v_mov_b32_e32 v1, v2
	v_mov_b32_e32 v2, 24
	v_mov_b32_e32 v6, s20
	v_mov_b32_e32 v3, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	v_pk_mov_b32 v[6:7], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s15, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v3, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMaxPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMaxPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel max_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 58
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end8:
	.size	max_double, .Lfunc_end8-max_double
	.section	.AMDGPU.csdata
	.section	.text._Z9atomicMaxPdd,#alloc,#execinstr
	.hidden	_Z9atomicMaxPdd
	.weak	_Z9atomicMaxPdd
	.p2align	2
	.type	_Z9atomicMaxPdd,@function
_Z9atomicMaxPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v4, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x1200
	v_mov_b32_e32 v12, v2
	v_mov_b32_e32 v16, v0
	v_mov_b32_e32 v13, v3
	v_mov_b32_e32 v17, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v8, 6, s33
	v_add_u32_e32 v8, 8, v8
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v9, v0
	v_accvgpr_write_b32 a1, v8
	v_accvgpr_write_b32 a0, v9
	v_lshrrev_b32_e64 v10, 6, s33
	v_add_u32_e32 v10, 16, v10
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v11, v0
	v_accvgpr_write_b32 a3, v10
	v_accvgpr_write_b32 a2, v11
	v_lshrrev_b32_e64 v2, 6, s33
	v_add_u32_e32 v2, 24, v2
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v3, v0
	v_accvgpr_write_b32 a5, v2
	v_accvgpr_write_b32 a4, v3
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 32, v6
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v7, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 40, v0
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v1, v5
	v_accvgpr_write_b32 a7, v0
	v_accvgpr_write_b32 a6, v1
	v_lshrrev_b32_e64 v14, 6, s33
	v_add_u32_e32 v14, 48, v14
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v15, v5
	v_accvgpr_write_b32 a9, v14
	v_accvgpr_write_b32 a8, v15
	v_lshrrev_b32_e64 v14, 6, s33
	v_add_u32_e32 v14, 56, v14
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v15, v5
	v_accvgpr_write_b32 a11, v14
	v_accvgpr_write_b32 a10, v15
	v_pk_mov_b32 v[14:15], v[8:9], v[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[14:15], v[16:17]
	flat_store_dwordx2 v[10:11], v[12:13]
	flat_load_dwordx2 v[8:9], v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dwordx2 v[10:11], v[8:9] glc
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[8:9], v[10:11]
	flat_load_dwordx2 v[6:7], v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[2:3], v[6:7]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v4, s4, 0
	v_writelane_b32 v4, s5, 1
.LBB14_1:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_readlane_b32 s4, v4, 0
	v_readlane_b32 s5, v4, 1
	v_writelane_b32 v4, s4, 2
	v_writelane_b32 v4, s5, 3
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v4, s4, 4
	v_writelane_b32 v4, s5, 5
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 6
	v_writelane_b32 v4, s5, 7
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_3
	v_accvgpr_read_b32 v2, a3
	v_accvgpr_read_b32 v3, a2
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_f64_e64 s[4:5], v[0:1], v[2:3]
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v4, s4, 4
	v_writelane_b32 v4, s5, 5
.LBB14_3:
	v_readlane_b32 s4, v4, 6
	v_readlane_b32 s5, v4, 7
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s6, v4, 4
	v_readlane_b32 s7, v4, 5
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v4, s4, 8
	v_writelane_b32 v4, s5, 9
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 10
	v_writelane_b32 v4, s5, 11
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_6
	v_accvgpr_read_b32 v6, a9
	v_accvgpr_read_b32 v7, a8
	v_accvgpr_read_b32 v2, a5
	v_accvgpr_read_b32 v3, a4
	v_accvgpr_read_b32 v8, a3
	v_accvgpr_read_b32 v9, a2
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dwordx2 v[10:11], v[8:9]
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[8:9], v[10:11]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v5, v3
	v_mov_b32_e32 v10, v2
	flat_load_dwordx2 v[6:7], v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v11, v7
	v_mov_b32_e32 v7, v11
	v_mov_b32_e32 v8, v10
	v_mov_b32_e32 v9, v5
	flat_atomic_cmpswap_x2 v[0:1], v[0:1], v[6:9] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a13, v0
	v_accvgpr_write_b32 a12, v1
	v_cmp_eq_u64_e64 s[4:5], v[0:1], v[2:3]
	v_cmp_ne_u64_e64 s[6:7], v[0:1], v[2:3]
	v_writelane_b32 v4, s4, 12
	v_writelane_b32 v4, s5, 13
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 14
	v_writelane_b32 v4, s5, 15
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_7
	v_accvgpr_read_b32 v2, a13
	v_accvgpr_read_b32 v3, a12
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_store_dwordx2 v[0:1], v[2:3]
	s_branch .LBB14_7
.LBB14_6:
	v_readlane_b32 s8, v4, 10
	v_readlane_b32 s9, v4, 11
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v4, 2
	v_readlane_b32 s7, v4, 3
	v_readlane_b32 s4, v4, 8
	v_readlane_b32 s5, v4, 9
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v4, s6, 0
	v_writelane_b32 v4, s7, 1
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v4, s6, 16
	v_writelane_b32 v4, s7, 17
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB14_1
	s_branch .LBB14_8
.LBB14_7:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_accvgpr_read_b32 v2, a11
	v_accvgpr_read_b32 v3, a10
	v_readlane_b32 s6, v4, 14
	v_readlane_b32 s7, v4, 15
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v4, 12
	v_readlane_b32 s5, v4, 13
	v_cndmask_b32_e64 v5, 0, 1, s[4:5]
	v_pk_mov_b32 v[6:7], v[2:3], v[2:3] op_sel:[0,1]
	flat_store_byte v[6:7], v5
	flat_load_ubyte v2, v[2:3]
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v4, s4, 8
	v_writelane_b32 v4, s5, 9
	s_branch .LBB14_6
.LBB14_8:
	v_readlane_b32 s4, v4, 16
	v_readlane_b32 s5, v4, 17
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dwordx2 v[2:3], v[0:1]
	s_mov_b32 s4, 32
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshrrev_b64 v[0:1], s4, v[2:3]
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v0, v2
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v4, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xffffee00
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end9:
	.size	_Z9atomicMaxPdd, .Lfunc_end9-_Z9atomicMaxPdd
	.section	.AMDGPU.csdata
	.text
	.protected	min_double
	.globl	min_double
	.p2align	8
	.type	min_double,@function
min_double:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dwordx2 s[8:9], s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s20
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v0, 16
	v_mov_b32_e32 v2, s20
	v_mov_b32_e32 v1, v2
	v_mov_b32_e32 v2, 24
	v_mov_b32_e32 v6, s20
	v_mov_b32_e32 v3, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	v_pk_mov_b32 v[6:7], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s15, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v3, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMinPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMinPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel min_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 58
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end10:
	.size	min_double, .Lfunc_end10-min_double
	.section	.AMDGPU.csdata
	.section	.text._Z9atomicMinPdd,#alloc,#execinstr
	.hidden	_Z9atomicMinPdd
	.weak	_Z9atomicMinPdd
	.p2align	2
	.type	_Z9atomicMinPdd,@function
_Z9atomicMinPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v4, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x1200
	v_mov_b32_e32 v12, v2
	v_mov_b32_e32 v16, v0
	v_mov_b32_e32 v13, v3
	v_mov_b32_e32 v17, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v8, 6, s33
	v_add_u32_e32 v8, 8, v8
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v9, v0
	v_accvgpr_write_b32 a1, v8
	v_accvgpr_write_b32 a0, v9
	v_lshrrev_b32_e64 v10, 6, s33
	v_add_u32_e32 v10, 16, v10
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v11, v0
	v_accvgpr_write_b32 a3, v10
	v_accvgpr_write_b32 a2, v11
	v_lshrrev_b32_e64 v2, 6, s33
	v_add_u32_e32 v2, 24, v2
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v3, v0
	v_accvgpr_write_b32 a5, v2
	v_accvgpr_write_b32 a4, v3
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 32, v6
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v7, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 40, v0
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v1, v5
	v_accvgpr_write_b32 a7, v0
	v_accvgpr_write_b32 a6, v1
	v_lshrrev_b32_e64 v14, 6, s33
	v_add_u32_e32 v14, 48, v14
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v15, v5
	v_accvgpr_write_b32 a9, v14
	v_accvgpr_write_b32 a8, v15
	v_lshrrev_b32_e64 v14, 6, s33
	v_add_u32_e32 v14, 56, v14
	v_mov_b32_e32 v5, s4
	v_mov_b32_e32 v15, v5
	v_accvgpr_write_b32 a11, v14
	v_accvgpr_write_b32 a10, v15
	v_pk_mov_b32 v[14:15], v[8:9], v[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[14:15], v[16:17]
	flat_store_dwordx2 v[10:11], v[12:13]
	flat_load_dwordx2 v[8:9], v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dwordx2 v[10:11], v[8:9] glc
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[8:9], v[10:11]
	flat_load_dwordx2 v[6:7], v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[2:3], v[6:7]
	s_mov_b32 s4, 0
	v_mov_b32_e32 v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v4, s4, 0
	v_writelane_b32 v4, s5, 1
.LBB16_1:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_readlane_b32 s4, v4, 0
	v_readlane_b32 s5, v4, 1
	v_writelane_b32 v4, s4, 2
	v_writelane_b32 v4, s5, 3
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v4, s4, 4
	v_writelane_b32 v4, s5, 5
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 6
	v_writelane_b32 v4, s5, 7
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_3
	v_accvgpr_read_b32 v2, a3
	v_accvgpr_read_b32 v3, a2
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_gt_f64_e64 s[4:5], v[0:1], v[2:3]
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v4, s4, 4
	v_writelane_b32 v4, s5, 5
.LBB16_3:
	v_readlane_b32 s4, v4, 6
	v_readlane_b32 s5, v4, 7
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s6, v4, 4
	v_readlane_b32 s7, v4, 5
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v4, s4, 8
	v_writelane_b32 v4, s5, 9
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 10
	v_writelane_b32 v4, s5, 11
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_6
	v_accvgpr_read_b32 v6, a9
	v_accvgpr_read_b32 v7, a8
	v_accvgpr_read_b32 v2, a5
	v_accvgpr_read_b32 v3, a4
	v_accvgpr_read_b32 v8, a3
	v_accvgpr_read_b32 v9, a2
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dwordx2 v[10:11], v[8:9]
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[8:9], v[10:11]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v5, v3
	v_mov_b32_e32 v10, v2
	flat_load_dwordx2 v[6:7], v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v11, v7
	v_mov_b32_e32 v7, v11
	v_mov_b32_e32 v8, v10
	v_mov_b32_e32 v9, v5
	flat_atomic_cmpswap_x2 v[0:1], v[0:1], v[6:9] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a13, v0
	v_accvgpr_write_b32 a12, v1
	v_cmp_eq_u64_e64 s[4:5], v[0:1], v[2:3]
	v_cmp_ne_u64_e64 s[6:7], v[0:1], v[2:3]
	v_writelane_b32 v4, s4, 12
	v_writelane_b32 v4, s5, 13
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v4, s4, 14
	v_writelane_b32 v4, s5, 15
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_7
	v_accvgpr_read_b32 v2, a13
	v_accvgpr_read_b32 v3, a12
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_store_dwordx2 v[0:1], v[2:3]
	s_branch .LBB16_7
.LBB16_6:
	v_readlane_b32 s8, v4, 10
	v_readlane_b32 s9, v4, 11
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v4, 2
	v_readlane_b32 s7, v4, 3
	v_readlane_b32 s4, v4, 8
	v_readlane_b32 s5, v4, 9
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v4, s6, 0
	v_writelane_b32 v4, s7, 1
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v4, s6, 16
	v_writelane_b32 v4, s7, 17
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB16_1
	s_branch .LBB16_8
.LBB16_7:
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_accvgpr_read_b32 v2, a11
	v_accvgpr_read_b32 v3, a10
	v_readlane_b32 s6, v4, 14
	v_readlane_b32 s7, v4, 15
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v4, 12
	v_readlane_b32 s5, v4, 13
	v_cndmask_b32_e64 v5, 0, 1, s[4:5]
	v_pk_mov_b32 v[6:7], v[2:3], v[2:3] op_sel:[0,1]
	flat_store_byte v[6:7], v5
	flat_load_ubyte v2, v[2:3]
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v2, s4
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v4, s4, 8
	v_writelane_b32 v4, s5, 9
	s_branch .LBB16_6
.LBB16_8:
	v_readlane_b32 s4, v4, 16
	v_readlane_b32 s5, v4, 17
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dwordx2 v[2:3], v[0:1]
	s_mov_b32 s4, 32
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshrrev_b64 v[0:1], s4, v[2:3]
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v0, v2
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v4, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xffffee00
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end11:
	.size	_Z9atomicMinPdd, .Lfunc_end11-_Z9atomicMinPdd
	.section	.AMDGPU.csdata
	.text
	.protected	unsafe_float
	.globl	unsafe_float
	.p2align	8
	.type	unsafe_float,@function
unsafe_float:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dword s8, s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	s_mov_b32 s9, s20
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v2, 16
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, 24
	v_mov_b32_e32 v6, s9
	v_mov_b32_e32 v1, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	v_mov_b32_e32 v6, s8
	flat_store_dword v[4:5], v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_nop 0
	flat_load_dword v2, v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v1, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z15unsafeAtomicAddPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z15unsafeAtomicAddPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel unsafe_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 52
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end12:
	.size	unsafe_float, .Lfunc_end12-unsafe_float
	.section	.AMDGPU.csdata
	.section	.text._Z15unsafeAtomicAddPff,#alloc,#execinstr
	.hidden	_Z15unsafeAtomicAddPff
	.weak	_Z15unsafeAtomicAddPff
	.p2align	2
	.type	_Z15unsafeAtomicAddPff,@function
_Z15unsafeAtomicAddPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v3, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x800
	v_mov_b32_e32 v8, v0
	v_mov_b32_e32 v9, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v0, 6, s33
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v1, v4
	v_accvgpr_write_b32 a1, v0
	v_accvgpr_write_b32 a0, v1
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 8, v0
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v1, v4
	v_accvgpr_write_b32 a3, v0
	v_accvgpr_write_b32 a2, v1
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 16, v4
	v_mov_b32_e32 v6, s4
	v_mov_b32_e32 v5, v6
	v_accvgpr_write_b32 a5, v4
	v_accvgpr_write_b32 a4, v5
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 20, v6
	v_mov_b32_e32 v10, s4
	v_mov_b32_e32 v7, v10
	v_accvgpr_write_b32 a7, v6
	v_accvgpr_write_b32 a6, v7
	v_pk_mov_b32 v[6:7], v[0:1], v[0:1] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_store_dword v[4:5], v2
	s_mov_b64 s[4:5], src_shared_base
	s_lshr_b64 s[4:5], s[4:5], s6
	flat_load_dword v0, v[0:1] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v3, s6, 0
	v_writelane_b32 v3, s7, 1
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB18_1
	s_branch .LBB18_3
.LBB18_1:
	v_readlane_b32 s4, v3, 0
	v_readlane_b32 s5, v3, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v3, s4, 2
	v_writelane_b32 v3, s5, 3
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB18_8
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_accvgpr_read_b32 v4, a5
	v_accvgpr_read_b32 v5, a4
	v_accvgpr_read_b32 v6, a3
	v_accvgpr_read_b32 v7, a2
	flat_load_dwordx2 v[6:7], v[6:7]
	s_mov_b64 s[4:5], 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u64_e64 s[4:5], v[6:7], s[4:5]
	s_mov_b32 s6, -1
	v_mov_b32_e32 v2, s6
	v_cndmask_b32_e64 v2, v2, v6, s[4:5]
	flat_load_dword v4, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_add_rtn_f32 v2, v2, v4
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_8
.LBB18_3:
	v_accvgpr_read_b32 v0, a3
	v_accvgpr_read_b32 v1, a2
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	flat_load_dword v0, v[0:1] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v3, s6, 4
	v_writelane_b32 v3, s7, 5
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB18_4
	s_branch .LBB18_6
.LBB18_4:
	v_readlane_b32 s4, v3, 4
	v_readlane_b32 s5, v3, 5
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v3, s4, 6
	v_writelane_b32 v3, s5, 7
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB18_7
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_accvgpr_read_b32 v4, a7
	v_accvgpr_read_b32 v5, a6
	v_accvgpr_read_b32 v6, a3
	v_accvgpr_read_b32 v7, a2
	v_accvgpr_read_b32 v8, a5
	v_accvgpr_read_b32 v9, a4
	v_pk_mov_b32 v[10:11], v[6:7], v[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[10:11], v[10:11]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[10:11]
	v_pk_mov_b32 v[10:11], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[10:11], v2
	v_pk_mov_b32 v[10:11], v[4:5], v[4:5] op_sel:[0,1]
	flat_load_dword v2, v[10:11]
	s_nop 0
	flat_load_dword v8, v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e64 v2, v2, v8
	flat_load_dwordx2 v[6:7], v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[6:7], v2
	flat_load_dword v2, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_7
.LBB18_6:
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_accvgpr_read_b32 v6, a5
	v_accvgpr_read_b32 v7, a4
	v_accvgpr_read_b32 v4, a3
	v_accvgpr_read_b32 v5, a2
	flat_load_dwordx2 v[4:5], v[4:5]
	s_nop 0
	flat_load_dword v2, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_atomic_add_f32 v2, v[4:5], v2, off glc
	s_waitcnt vmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_4
.LBB18_7:
	v_readlane_b32 s4, v3, 6
	v_readlane_b32 s5, v3, 7
	s_or_b64 exec, exec, s[4:5]
	s_branch .LBB18_1
.LBB18_8:
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_readlane_b32 s4, v3, 2
	v_readlane_b32 s5, v3, 3
	s_or_b64 exec, exec, s[4:5]
	flat_load_dword v0, v[0:1]
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v3, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffff800
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end13:
	.size	_Z15unsafeAtomicAddPff, .Lfunc_end13-_Z15unsafeAtomicAddPff
	.section	.AMDGPU.csdata
	.text
	.protected	unsafe_double
	.globl	unsafe_double
	.p2align	8
	.type	unsafe_double,@function
unsafe_double:
	s_mov_b32 s32, 0x800
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_load_dwordx2 s[8:9], s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	v_mov_b32_e32 v4, 8
	v_mov_b32_e32 v0, s20
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v0, 16
	v_mov_b32_e32 v2, s20
	v_mov_b32_e32 v1, v2
	v_mov_b32_e32 v2, 24
	v_mov_b32_e32 v6, s20
	v_mov_b32_e32 v3, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	v_pk_mov_b32 v[6:7], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s15, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v3, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z15unsafeAtomicAddPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z15unsafeAtomicAddPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel unsafe_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16416
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
		.amdhsa_next_free_vgpr 41
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end14:
	.size	unsafe_double, .Lfunc_end14-unsafe_double
	.section	.AMDGPU.csdata
	.section	.text._Z15unsafeAtomicAddPdd,#alloc,#execinstr
	.hidden	_Z15unsafeAtomicAddPdd
	.weak	_Z15unsafeAtomicAddPdd
	.p2align	2
	.type	_Z15unsafeAtomicAddPdd,@function
_Z15unsafeAtomicAddPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s8, s33
	s_mov_b32 s33, s32
	s_add_i32 s32, s32, 0x800
	v_mov_b32_e32 v6, v2
	v_mov_b32_e32 v8, v0
	v_mov_b32_e32 v7, v3
	v_mov_b32_e32 v9, v1
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s4, 32
	s_lshr_b64 s[6:7], s[6:7], s4
	s_mov_b32 s5, s6
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 8, v0
	v_mov_b32_e32 v2, s5
	v_mov_b32_e32 v1, v2
	v_lshrrev_b32_e64 v2, 6, s33
	v_add_u32_e32 v2, 16, v2
	v_mov_b32_e32 v4, s5
	v_mov_b32_e32 v3, v4
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[8:9]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_atomic_add_f64 v[2:3], v[0:1], v[2:3] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v2
	v_lshrrev_b64 v[2:3], s4, v[2:3]
	v_mov_b32_e32 v1, v2
	s_add_i32 s32, s32, 0xfffff800
	s_mov_b32 s33, s8
	s_setpc_b64 s[30:31]
.Lfunc_end15:
	.size	_Z15unsafeAtomicAddPdd, .Lfunc_end15-_Z15unsafeAtomicAddPdd
	.section	.AMDGPU.csdata
	.text
	.protected	add_int
	.globl	add_int
	.p2align	8
	.type	add_int,@function
add_int:
	s_mov_b32 s32, 0xc00
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	v_writelane_b32 v40, s13, 1
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	v_writelane_b32 v40, s12, 2
	v_writelane_b32 v40, s10, 3
	v_writelane_b32 v40, s11, 4
	s_mov_b64 s[16:17], s[8:9]
	v_writelane_b32 v40, s16, 5
	v_writelane_b32 v40, s17, 6
	v_writelane_b32 v40, s6, 7
	v_writelane_b32 v40, s7, 8
	v_writelane_b32 v40, s4, 9
	v_writelane_b32 v40, s5, 10
	v_mov_b32_e32 v31, v0
	v_accvgpr_write_b32 a32, v31
	s_load_dword s8, s[16:17], 0x0
	s_load_dwordx2 s[18:19], s[16:17], 0x8
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s15, 32
	s_lshr_b64 s[20:21], s[20:21], s15
	s_mov_b32 s9, s20
	v_mov_b32_e32 v2, 8
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v4, 16
	v_mov_b32_e32 v0, s9
	v_mov_b32_e32 v5, v0
	v_accvgpr_write_b32 a34, v4
	v_accvgpr_write_b32 a33, v5
	v_mov_b32_e32 v0, 24
	v_mov_b32_e32 v6, s9
	v_mov_b32_e32 v1, v6
	v_accvgpr_write_b32 a36, v0
	v_accvgpr_write_b32 a35, v1
	v_mov_b32_e32 v6, 32
	v_mov_b32_e32 v8, s9
	v_mov_b32_e32 v7, v8
	v_accvgpr_write_b32 a38, v6
	v_accvgpr_write_b32 a37, v7
	v_pk_mov_b32 v[6:7], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[2:3], v[2:3]
	v_mov_b32_e32 v6, s8
	flat_store_dword v[4:5], v6
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s17, s18
	s_mov_b32 s16, s19
	s_add_u32 s8, s8, s17
	s_addc_u32 s16, s9, s16
	s_mov_b32 s9, s16
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE@rel32@lo+4
	s_addc_u32 s17, s17, _ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE@rel32@hi+12
	s_lshr_b64 s[18:19], s[16:17], s15
	s_mov_b32 s19, s16
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv@rel32@lo+4
	s_addc_u32 s17, s17, _ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v1, s18
	s_swappc_b64 s[30:31], s[16:17]
	v_mov_b32_e32 v2, v0
	v_accvgpr_read_b32 v0, a38
	v_accvgpr_read_b32 v1, a37
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v40, s4, 11
	v_writelane_b32 v40, s5, 12
.LBB26_1:
	v_accvgpr_read_b32 v2, a34
	v_accvgpr_read_b32 v3, a33
	v_accvgpr_read_b32 v0, a38
	v_accvgpr_read_b32 v1, a37
	v_readlane_b32 s4, v40, 13
	v_readlane_b32 s5, v40, 14
	v_readlane_b32 s6, v40, 11
	v_readlane_b32 s7, v40, 12
	v_writelane_b32 v40, s6, 15
	v_writelane_b32 v40, s7, 16
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, v1
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 17
	v_writelane_b32 v40, s5, 18
	v_writelane_b32 v40, s4, 19
	v_writelane_b32 v40, s5, 20
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v40, s4, 21
	v_writelane_b32 v40, s5, 22
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB26_3
	v_accvgpr_read_b32 v31, a32
	v_accvgpr_read_b32 v2, a38
	v_accvgpr_read_b32 v3, a37
	v_accvgpr_read_b32 v0, a36
	v_accvgpr_read_b32 v1, a35
	v_readlane_b32 s14, v40, 0
	v_readlane_b32 s13, v40, 1
	v_readlane_b32 s12, v40, 2
	v_readlane_b32 s10, v40, 3
	v_readlane_b32 s11, v40, 4
	v_readlane_b32 s6, v40, 7
	v_readlane_b32 s7, v40, 8
	v_readlane_b32 s4, v40, 9
	v_readlane_b32 s5, v40, 10
	v_readlane_b32 s16, v40, 5
	v_readlane_b32 s17, v40, 6
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_ashrrev_i32_e64 v3, 31, v2
	v_mov_b32_e32 v4, v2
	v_mov_b32_e32 v5, v3
	s_mov_b32 s8, 2
	v_lshlrev_b64 v[6:7], s8, v[4:5]
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v4, v6
	v_mov_b32_e32 v0, v1
	v_mov_b32_e32 v1, v7
	v_add_co_u32_e64 v4, s[8:9], v3, v4
	v_addc_co_u32_e64 v0, s[8:9], v0, v1, s[8:9]
	v_mov_b32_e32 v5, v0
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	v_mov_b32_e32 v0, v4
	s_mov_b32 s15, 32
	v_lshrrev_b64 v[4:5], s15, v[4:5]
	v_mov_b32_e32 v1, v4
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicAddPii@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicAddPii@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_branch .LBB26_4
.LBB26_3:
	v_readlane_b32 s4, v40, 21
	v_readlane_b32 s5, v40, 22
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 15
	v_readlane_b32 s9, v40, 16
	v_readlane_b32 s6, v40, 19
	v_readlane_b32 s7, v40, 20
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 13
	v_writelane_b32 v40, s7, 14
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 11
	v_writelane_b32 v40, s7, 12
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 23
	v_writelane_b32 v40, s7, 24
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB26_1
	s_branch .LBB26_5
.LBB26_4:
	v_accvgpr_read_b32 v0, a38
	v_accvgpr_read_b32 v1, a37
	v_readlane_b32 s4, v40, 17
	v_readlane_b32 s5, v40, 18
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v2, s6
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 19
	v_writelane_b32 v40, s5, 20
	s_branch .LBB26_3
.LBB26_5:
	v_readlane_b32 s4, v40, 23
	v_readlane_b32 s5, v40, 24
	s_or_b64 exec, exec, s[4:5]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel add_int
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16464
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
		.amdhsa_next_free_vgpr 83
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end16:
	.size	add_int, .Lfunc_end16-add_int
	.section	.AMDGPU.csdata
	.section	.text._ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv,#alloc,#execinstr
	.hidden	_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv
	.weak	_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv
	.p2align	2
	.type	_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv,@function
_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s16, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b64 s[18:19], -1
	buffer_store_dword v40, off, s[0:3], s33 offset:20
	buffer_store_dword v41, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[18:19]
	v_writelane_b32 v41, s16, 0
	s_add_i32 s32, s32, 0x800
	v_writelane_b32 v40, s30, 0
	v_writelane_b32 v40, s31, 1
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v1
	s_mov_b64 s[16:17], src_private_base
	s_mov_b32 s18, 32
	s_lshr_b64 s[16:17], s[16:17], s18
	s_mov_b32 s18, s16
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 8, v0
	v_mov_b32_e32 v4, s18
	v_mov_b32_e32 v1, v4
	flat_store_dwordx2 v[0:1], v[2:3]
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 16, v0
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _ZNK15__HIP_ThreadIdxclEj@rel32@lo+4
	s_addc_u32 s17, s17, _ZNK15__HIP_ThreadIdxclEj@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	v_mov_b32_e32 v2, 0
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	v_mov_b32_e32 v1, s18
	s_swappc_b64 s[30:31], s[16:17]
	v_readlane_b32 s31, v40, 1
	v_readlane_b32 s30, v40, 0
	v_readlane_b32 s4, v41, 0
	s_or_saveexec_b64 s[6:7], -1
	buffer_load_dword v40, off, s[0:3], s33 offset:20
	buffer_load_dword v41, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[6:7]
	s_add_i32 s32, s32, 0xfffff800
	s_mov_b32 s33, s4
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end17:
	.size	_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv, .Lfunc_end17-_ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv
	.section	.AMDGPU.csdata
	.section	.text._Z9atomicAddPii,#alloc,#execinstr
	.hidden	_Z9atomicAddPii
	.weak	_Z9atomicAddPii
	.p2align	2
	.type	_Z9atomicAddPii,@function
_Z9atomicAddPii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s7, s33
	s_mov_b32 s33, s32
	s_add_i32 s32, s32, 0x800
	v_mov_b32_e32 v10, v2
	v_mov_b32_e32 v12, v0
	v_mov_b32_e32 v13, v1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v2, 6, s33
	v_add_u32_e32 v2, 8, v2
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v3, v0
	v_lshrrev_b32_e64 v6, 6, s33
	v_add_u32_e32 v6, 16, v6
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v7, v0
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 20, v4
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v5, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 24, v0
	v_mov_b32_e32 v8, s4
	v_mov_b32_e32 v1, v8
	v_pk_mov_b32 v[8:9], v[2:3], v[2:3] op_sel:[0,1]
	flat_store_dwordx2 v[8:9], v[12:13]
	v_pk_mov_b32 v[8:9], v[6:7], v[6:7] op_sel:[0,1]
	flat_store_dword v[8:9], v10
	flat_load_dwordx2 v[2:3], v[2:3]
	s_nop 0
	flat_load_dword v8, v[6:7]
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[6:7], v8
	flat_load_dword v4, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_atomic_add v4, v[2:3], v4 glc
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[2:3], v4
	flat_load_dword v0, v[0:1]
	s_add_i32 s32, s32, 0xfffff800
	s_mov_b32 s33, s7
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end18:
	.size	_Z9atomicAddPii, .Lfunc_end18-_Z9atomicAddPii
	.section	.AMDGPU.csdata
	.text
	.protected	mesh
	.globl	mesh
	.p2align	8
	.type	mesh,@function
mesh:
	s_mov_b32 s32, 0x1400
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	v_writelane_b32 v40, s15, 1
	v_writelane_b32 v40, s14, 2
	v_writelane_b32 v40, s10, 3
	v_writelane_b32 v40, s11, 4
	s_mov_b64 s[10:11], s[8:9]
	v_writelane_b32 v40, s10, 5
	v_writelane_b32 v40, s11, 6
	v_writelane_b32 v40, s6, 7
	v_writelane_b32 v40, s7, 8
	v_writelane_b32 v40, s4, 9
	v_writelane_b32 v40, s5, 10
	v_accvgpr_write_b32 a32, v0
	s_load_dwordx2 s[8:9], s[10:11], 0x18
	s_load_dword s6, s[10:11], 0x20
	s_load_dword s5, s[10:11], 0x24
	s_load_dword s4, s[10:11], 0x28
	s_mov_b64 s[12:13], src_private_base
	s_mov_b32 s7, 32
	s_lshr_b64 s[12:13], s[12:13], s7
	s_mov_b32 s7, s12
	v_writelane_b32 v40, s7, 11
	v_mov_b32_e32 v12, 4
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v13, v0
	v_accvgpr_write_b32 a34, v12
	v_accvgpr_write_b32 a33, v13
	v_mov_b32_e32 v10, 24
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v11, v0
	v_mov_b32_e32 v8, 32
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v9, v0
	v_accvgpr_write_b32 a36, v8
	v_accvgpr_write_b32 a35, v9
	v_mov_b32_e32 v6, 40
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v7, v0
	v_accvgpr_write_b32 a38, v6
	v_accvgpr_write_b32 a37, v7
	v_mov_b32_e32 v4, 44
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v5, v0
	v_accvgpr_write_b32 a40, v4
	v_accvgpr_write_b32 a39, v5
	v_mov_b32_e32 v2, 48
	v_mov_b32_e32 v0, s7
	v_mov_b32_e32 v3, v0
	v_accvgpr_write_b32 a42, v2
	v_accvgpr_write_b32 a41, v3
	v_mov_b32_e32 v0, 52
	v_mov_b32_e32 v14, s7
	v_mov_b32_e32 v1, v14
	v_accvgpr_write_b32 a44, v0
	v_accvgpr_write_b32 a43, v1
	v_mov_b32_e32 v14, 56
	v_mov_b32_e32 v16, s7
	v_mov_b32_e32 v15, v16
	v_accvgpr_write_b32 a46, v14
	v_accvgpr_write_b32 a45, v15
	v_mov_b32_e32 v14, 60
	v_mov_b32_e32 v16, s7
	v_mov_b32_e32 v15, v16
	v_accvgpr_write_b32 a48, v14
	v_accvgpr_write_b32 a47, v15
	v_mov_b32_e32 v14, 64
	v_mov_b32_e32 v16, s7
	v_mov_b32_e32 v15, v16
	v_accvgpr_write_b32 a50, v14
	v_accvgpr_write_b32 a49, v15
	v_mov_b32_e32 v14, 0x44
	v_mov_b32_e32 v16, s7
	v_mov_b32_e32 v15, v16
	v_accvgpr_write_b32 a52, v14
	v_accvgpr_write_b32 a51, v15
	s_load_dwordx4 s[12:15], s[10:11], 0x0
	s_load_dword s7, s[10:11], 0x10
	v_pk_mov_b32 v[14:15], v[12:13], v[12:13] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v16, s7
	flat_store_dword v[14:15], v16 offset:16
	v_pk_mov_b32 v[16:17], s[14:15], s[14:15] op_sel:[0,1]
	v_pk_mov_b32 v[14:15], s[12:13], s[12:13] op_sel:[0,1]
	flat_store_dwordx4 v[12:13], v[14:17]
	v_pk_mov_b32 v[12:13], v[10:11], v[10:11] op_sel:[0,1]
	v_pk_mov_b32 v[14:15], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[12:13], v[14:15]
	flat_load_dwordx2 v[10:11], v[10:11]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[8:9], v[10:11]
	v_mov_b32_e32 v8, s6
	flat_store_dword v[6:7], v8
	v_mov_b32_e32 v6, s5
	flat_store_dword v[4:5], v6
	v_mov_b32_e32 v4, s4
	flat_store_dword v[2:3], v4
	v_mov_b32_e32 v2, -1
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v40, s4, 12
	v_writelane_b32 v40, s5, 13
.LBB28_1:
	v_accvgpr_read_b32 v0, a44
	v_accvgpr_read_b32 v1, a43
	v_readlane_b32 s4, v40, 14
	v_readlane_b32 s5, v40, 15
	v_readlane_b32 s6, v40, 12
	v_readlane_b32 s7, v40, 13
	v_writelane_b32 v40, s6, 16
	v_writelane_b32 v40, s7, 17
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 18
	v_writelane_b32 v40, s5, 19
	v_writelane_b32 v40, s4, 20
	v_writelane_b32 v40, s5, 21
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v40, s4, 22
	v_writelane_b32 v40, s5, 23
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB28_3
	v_accvgpr_read_b32 v0, a46
	v_accvgpr_read_b32 v1, a45
	v_mov_b32_e32 v2, -1
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v40, s4, 24
	v_writelane_b32 v40, s5, 25
	s_branch .LBB28_4
.LBB28_3:
	v_readlane_b32 s4, v40, 22
	v_readlane_b32 s5, v40, 23
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 16
	v_readlane_b32 s9, v40, 17
	v_readlane_b32 s6, v40, 20
	v_readlane_b32 s7, v40, 21
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 14
	v_writelane_b32 v40, s7, 15
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 12
	v_writelane_b32 v40, s7, 13
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 26
	v_writelane_b32 v40, s7, 27
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB28_1
	s_branch .LBB28_17
.LBB28_4:
	v_accvgpr_read_b32 v0, a46
	v_accvgpr_read_b32 v1, a45
	v_readlane_b32 s4, v40, 28
	v_readlane_b32 s5, v40, 29
	v_readlane_b32 s6, v40, 24
	v_readlane_b32 s7, v40, 25
	v_writelane_b32 v40, s6, 30
	v_writelane_b32 v40, s7, 31
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 32
	v_writelane_b32 v40, s5, 33
	v_writelane_b32 v40, s4, 34
	v_writelane_b32 v40, s5, 35
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v40, s4, 36
	v_writelane_b32 v40, s5, 37
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB28_6
	v_accvgpr_read_b32 v0, a48
	v_accvgpr_read_b32 v1, a47
	v_mov_b32_e32 v2, -1
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v40, s4, 38
	v_writelane_b32 v40, s5, 39
	s_branch .LBB28_7
.LBB28_6:
	v_readlane_b32 s4, v40, 36
	v_readlane_b32 s5, v40, 37
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 30
	v_readlane_b32 s9, v40, 31
	v_readlane_b32 s6, v40, 34
	v_readlane_b32 s7, v40, 35
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 28
	v_writelane_b32 v40, s7, 29
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 24
	v_writelane_b32 v40, s7, 25
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 40
	v_writelane_b32 v40, s7, 41
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB28_4
	s_branch .LBB28_14
.LBB28_7:
	v_accvgpr_read_b32 v0, a48
	v_accvgpr_read_b32 v1, a47
	v_readlane_b32 s4, v40, 42
	v_readlane_b32 s5, v40, 43
	v_readlane_b32 s6, v40, 38
	v_readlane_b32 s7, v40, 39
	v_writelane_b32 v40, s6, 44
	v_writelane_b32 v40, s7, 45
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 46
	v_writelane_b32 v40, s5, 47
	v_writelane_b32 v40, s4, 48
	v_writelane_b32 v40, s5, 49
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v40, s4, 50
	v_writelane_b32 v40, s5, 51
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB28_9
	v_accvgpr_read_b32 v31, a32
	v_accvgpr_read_b32 v0, a34
	v_accvgpr_read_b32 v1, a33
	v_accvgpr_read_b32 v2, a44
	v_accvgpr_read_b32 v3, a43
	v_accvgpr_read_b32 v4, a38
	v_accvgpr_read_b32 v5, a37
	v_readlane_b32 s14, v40, 0
	v_readlane_b32 s13, v40, 1
	v_readlane_b32 s12, v40, 2
	v_readlane_b32 s10, v40, 3
	v_readlane_b32 s11, v40, 4
	v_readlane_b32 s6, v40, 7
	v_readlane_b32 s7, v40, 8
	v_readlane_b32 s4, v40, 9
	v_readlane_b32 s5, v40, 10
	v_readlane_b32 s16, v40, 5
	v_readlane_b32 s17, v40, 6
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v1, v1, v2
	s_mov_b64 s[18:19], 48
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	v_writelane_b32 v40, s8, 52
	v_writelane_b32 v40, s9, 53
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z7wrappedii@rel32@lo+4
	s_addc_u32 s17, s17, _Z7wrappedii@rel32@hi+12
	v_writelane_b32 v40, s16, 54
	v_writelane_b32 v40, s17, 55
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v4, a40
	v_accvgpr_read_b32 v5, a39
	v_accvgpr_read_b32 v2, a46
	v_accvgpr_read_b32 v3, a45
	v_accvgpr_read_b32 v6, a50
	v_accvgpr_read_b32 v7, a49
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s16, v40, 54
	v_readlane_b32 s17, v40, 55
	v_readlane_b32 s4, v40, 9
	v_readlane_b32 s5, v40, 10
	v_readlane_b32 s6, v40, 7
	v_readlane_b32 s7, v40, 8
	v_readlane_b32 s8, v40, 52
	v_readlane_b32 s9, v40, 53
	v_readlane_b32 s10, v40, 3
	v_readlane_b32 s11, v40, 4
	v_readlane_b32 s12, v40, 2
	v_readlane_b32 s13, v40, 1
	v_readlane_b32 s14, v40, 0
	v_mov_b32_e32 v8, v0
	v_accvgpr_read_b32 v0, a34
	v_accvgpr_read_b32 v1, a33
	flat_store_dword v[6:7], v8
	flat_load_dword v0, v[0:1] offset:4
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v1, v1, v2
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v10, a36
	v_accvgpr_read_b32 v11, a35
	v_accvgpr_read_b32 v8, a50
	v_accvgpr_read_b32 v9, a49
	v_accvgpr_read_b32 v6, a52
	v_accvgpr_read_b32 v7, a51
	v_accvgpr_read_b32 v4, a42
	v_accvgpr_read_b32 v5, a41
	v_accvgpr_read_b32 v2, a48
	v_accvgpr_read_b32 v3, a47
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s16, v40, 54
	v_readlane_b32 s17, v40, 55
	v_readlane_b32 s4, v40, 9
	v_readlane_b32 s5, v40, 10
	v_readlane_b32 s6, v40, 7
	v_readlane_b32 s7, v40, 8
	v_readlane_b32 s8, v40, 52
	v_readlane_b32 s9, v40, 53
	v_readlane_b32 s10, v40, 3
	v_readlane_b32 s11, v40, 4
	v_readlane_b32 s12, v40, 2
	v_readlane_b32 s13, v40, 1
	v_readlane_b32 s14, v40, 0
	v_mov_b32_e32 v14, v0
	v_accvgpr_read_b32 v0, a34
	v_accvgpr_read_b32 v1, a33
	v_pk_mov_b32 v[12:13], v[6:7], v[6:7] op_sel:[0,1]
	flat_store_dword v[12:13], v14
	flat_load_dwordx2 v[14:15], v[10:11]
	s_nop 0
	flat_load_dword v8, v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_ashrrev_i32_e64 v10, 31, v8
	v_mov_b32_e32 v9, v10
	s_mov_b32 s15, 2
	v_writelane_b32 v40, s15, 56
	v_lshlrev_b64 v[12:13], s15, v[8:9]
	v_mov_b32_e32 v8, v14
	v_mov_b32_e32 v11, v12
	v_mov_b32_e32 v9, v15
	v_mov_b32_e32 v10, v13
	v_add_co_u32_e64 v8, s[18:19], v8, v11
	v_addc_co_u32_e64 v10, s[18:19], v9, v10, s[18:19]
	v_mov_b32_e32 v9, v10
	v_accvgpr_write_b32 a54, v8
	v_accvgpr_write_b32 a53, v9
	v_pk_mov_b32 v[8:9], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v8, v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a55, v8
	flat_load_dword v6, v[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a56, v6
	v_pk_mov_b32 v[6:7], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v6, v[6:7] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a57, v6
	flat_load_dword v0, v[0:1] offset:8
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v1, v1, v2
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v6, a56
	v_accvgpr_read_b32 v3, a57
	v_accvgpr_read_b32 v2, a55
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s15, v40, 56
	v_readlane_b32 s4, v40, 9
	v_readlane_b32 s5, v40, 10
	v_readlane_b32 s6, v40, 7
	v_readlane_b32 s7, v40, 8
	v_readlane_b32 s8, v40, 52
	v_readlane_b32 s9, v40, 53
	v_readlane_b32 s10, v40, 3
	v_readlane_b32 s11, v40, 4
	v_readlane_b32 s12, v40, 2
	v_readlane_b32 s13, v40, 1
	v_readlane_b32 s14, v40, 0
	v_mov_b32_e32 v4, v0
	v_accvgpr_read_b32 v0, a54
	v_accvgpr_read_b32 v1, a53
	v_mov_b32_e32 v5, s16
	v_mov_b32_e32 v7, v5
	v_mad_u64_u32 v[4:5], s[16:17], v3, v4, v[6:7]
	v_mov_b32_e32 v3, v4
	v_mul_lo_u32 v2, v2, v3
	v_ashrrev_i32_e64 v4, 31, v2
	v_mov_b32_e32 v3, v4
	v_lshlrev_b64 v[4:5], s15, v[2:3]
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v0, v1
	v_mov_b32_e32 v1, v5
	v_add_co_u32_e64 v2, s[16:17], v2, v3
	v_addc_co_u32_e64 v0, s[16:17], v0, v1, s[16:17]
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, v2
	s_mov_b32 s15, 32
	v_lshrrev_b64 v[2:3], s15, v[2:3]
	v_mov_b32_e32 v1, v2
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicAddPii@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicAddPii@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	v_mov_b32_e32 v2, 1
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_branch .LBB28_10
.LBB28_9:
	v_readlane_b32 s4, v40, 50
	v_readlane_b32 s5, v40, 51
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 44
	v_readlane_b32 s9, v40, 45
	v_readlane_b32 s6, v40, 48
	v_readlane_b32 s7, v40, 49
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 42
	v_writelane_b32 v40, s7, 43
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 38
	v_writelane_b32 v40, s7, 39
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 57
	v_writelane_b32 v40, s7, 58
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB28_7
	s_branch .LBB28_11
.LBB28_10:
	v_accvgpr_read_b32 v0, a48
	v_accvgpr_read_b32 v1, a47
	v_readlane_b32 s4, v40, 46
	v_readlane_b32 s5, v40, 47
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v2, s6
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 48
	v_writelane_b32 v40, s5, 49
	s_branch .LBB28_9
.LBB28_11:
	v_readlane_b32 s4, v40, 57
	v_readlane_b32 s5, v40, 58
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a46
	v_accvgpr_read_b32 v1, a45
	v_readlane_b32 s4, v40, 32
	v_readlane_b32 s5, v40, 33
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v2, s6
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 34
	v_writelane_b32 v40, s5, 35
	s_branch .LBB28_6
.LBB28_14:
	v_readlane_b32 s4, v40, 40
	v_readlane_b32 s5, v40, 41
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a44
	v_accvgpr_read_b32 v1, a43
	v_readlane_b32 s4, v40, 18
	v_readlane_b32 s5, v40, 19
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v2, s6
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 20
	v_writelane_b32 v40, s5, 21
	s_branch .LBB28_3
.LBB28_17:
	v_readlane_b32 s4, v40, 26
	v_readlane_b32 s5, v40, 27
	s_or_b64 exec, exec, s[4:5]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel mesh
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16464
		.amdhsa_kernarg_size 104
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
		.amdhsa_next_free_vgpr 102
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end19:
	.size	mesh, .Lfunc_end19-mesh
	.section	.AMDGPU.csdata
	.section	.text._Z7wrappedii,#alloc,#execinstr
	.hidden	_Z7wrappedii
	.weak	_Z7wrappedii
	.p2align	2
	.type	_Z7wrappedii,@function
_Z7wrappedii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s10, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v2, off, s[0:3], s33 offset:12
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x500
	v_mov_b32_e32 v3, v1
	v_mov_b32_e32 v8, v0
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_lshrrev_b32_e64 v0, 6, s33
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v1, v4
	v_accvgpr_write_b32 a1, v0
	v_accvgpr_write_b32 a0, v1
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 4, v4
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v5, v0
	v_accvgpr_write_b32 a3, v4
	v_accvgpr_write_b32 a2, v5
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 8, v0
	v_mov_b32_e32 v6, s4
	v_mov_b32_e32 v1, v6
	v_accvgpr_write_b32 a5, v0
	v_accvgpr_write_b32 a4, v1
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	flat_store_dword v[6:7], v8
	v_pk_mov_b32 v[6:7], v[0:1], v[0:1] op_sel:[0,1]
	flat_store_dword v[6:7], v3
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[4:5], v0, v1
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 0
	v_writelane_b32 v2, s7, 1
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB27_6
	s_branch .LBB27_2
.LBB27_1:
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_accvgpr_read_b32 v4, a3
	v_accvgpr_read_b32 v5, a2
	v_accvgpr_read_b32 v6, a5
	v_accvgpr_read_b32 v7, a4
	flat_load_dword v3, v[6:7]
	s_nop 0
	flat_load_dword v4, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v3, v3, v4
	flat_store_dword v[0:1], v3
	s_branch .LBB27_8
.LBB27_2:
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_mov_b32 s4, -1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	v_mov_b32_e32 v0, s6
	v_accvgpr_write_b32 a6, v0
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 2
	v_writelane_b32 v2, s7, 3
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB27_3
	s_branch .LBB27_5
.LBB27_3:
	v_accvgpr_read_b32 v0, a6
	v_readlane_b32 s4, v2, 2
	v_readlane_b32 s5, v2, 3
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_write_b32 a7, v0
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 4
	v_writelane_b32 v2, s5, 5
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB27_7
	v_accvgpr_read_b32 v4, a3
	v_accvgpr_read_b32 v5, a2
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_nop 0
	flat_load_dword v1, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v0, v0, v1
	v_accvgpr_write_b32 a7, v0
	s_branch .LBB27_7
.LBB27_5:
	v_accvgpr_read_b32 v0, a5
	v_accvgpr_read_b32 v1, a4
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a6, v0
	s_branch .LBB27_3
.LBB27_6:
	v_readlane_b32 s4, v2, 0
	v_readlane_b32 s5, v2, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 6
	v_writelane_b32 v2, s5, 7
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB27_8
	s_branch .LBB27_1
.LBB27_7:
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_accvgpr_read_b32 v3, a7
	v_readlane_b32 s4, v2, 4
	v_readlane_b32 s5, v2, 5
	s_or_b64 exec, exec, s[4:5]
	flat_store_dword v[0:1], v3
	s_branch .LBB27_6
.LBB27_8:
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_read_b32 v1, a0
	v_readlane_b32 s4, v2, 6
	v_readlane_b32 s5, v2, 7
	s_or_b64 exec, exec, s[4:5]
	flat_load_dword v0, v[0:1]
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v2, off, s[0:3], s33 offset:12
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffffb00
	s_mov_b32 s33, s10
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end20:
	.size	_Z7wrappedii, .Lfunc_end20-_Z7wrappedii
	.section	.AMDGPU.csdata
	.text
	.protected	bytes
	.globl	bytes
	.p2align	8
	.type	bytes,@function
bytes:
	s_mov_b32 s32, 0x1000
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dwordx2 s[20:21], s[16:17], 0x18
	s_load_dword s18, s[16:17], 0x20
	s_load_dword s15, s[16:17], 0x24
	s_load_dword s9, s[16:17], 0x28
	s_mov_b64 s[22:23], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[22:23], s[22:23], s8
	s_mov_b32 s19, s22
	v_mov_b32_e32 v2, 4
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v10, 24
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v11, v0
	v_mov_b32_e32 v8, 32
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v9, v0
	v_mov_b32_e32 v4, 40
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v6, 44
	v_mov_b32_e32 v0, s19
	v_mov_b32_e32 v7, v0
	v_mov_b32_e32 v0, 48
	v_mov_b32_e32 v12, s19
	v_mov_b32_e32 v1, v12
	s_load_dwordx4 s[24:27], s[16:17], 0x0
	s_load_dword s19, s[16:17], 0x10
	v_pk_mov_b32 v[12:13], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v14, s19
	flat_store_dword v[12:13], v14 offset:16
	v_pk_mov_b32 v[12:13], v[2:3], v[2:3] op_sel:[0,1]
	v_pk_mov_b32 v[14:15], s[24:25], s[24:25] op_sel:[0,1]
	v_pk_mov_b32 v[16:17], s[26:27], s[26:27] op_sel:[0,1]
	flat_store_dwordx4 v[12:13], v[14:17]
	v_pk_mov_b32 v[12:13], v[10:11], v[10:11] op_sel:[0,1]
	v_pk_mov_b32 v[14:15], s[20:21], s[20:21] op_sel:[0,1]
	flat_store_dwordx2 v[12:13], v[14:15]
	flat_load_dwordx2 v[12:13], v[10:11]
	v_pk_mov_b32 v[10:11], v[8:9], v[8:9] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[10:11], v[12:13]
	v_pk_mov_b32 v[10:11], v[4:5], v[4:5] op_sel:[0,1]
	v_mov_b32_e32 v12, s18
	flat_store_dword v[10:11], v12
	v_pk_mov_b32 v[10:11], v[6:7], v[6:7] op_sel:[0,1]
	v_mov_b32_e32 v12, s15
	flat_store_dword v[10:11], v12
	v_pk_mov_b32 v[10:11], v[0:1], v[0:1] op_sel:[0,1]
	v_mov_b32_e32 v12, s9
	flat_store_dword v[10:11], v12
	flat_load_dwordx2 v[12:13], v[8:9]
	s_nop 0
	flat_load_dword v4, v[4:5]
	v_pk_mov_b32 v[8:9], v[2:3], v[2:3] op_sel:[0,1]
	flat_load_dword v5, v[8:9]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v10, v4, v5
	v_ashrrev_i32_e64 v4, 31, v10
	v_mov_b32_e32 v11, v4
	v_mov_b32_e32 v4, v12
	v_mov_b32_e32 v9, v10
	v_mov_b32_e32 v5, v13
	v_mov_b32_e32 v8, v11
	v_add_co_u32_e64 v4, s[18:19], v4, v9
	v_addc_co_u32_e64 v8, s[18:19], v5, v8, s[18:19]
	v_mov_b32_e32 v5, v8
	flat_load_dword v6, v[6:7]
	v_pk_mov_b32 v[8:9], v[2:3], v[2:3] op_sel:[0,1]
	flat_load_dword v7, v[8:9] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v8, v6, v7
	v_ashrrev_i32_e64 v6, 31, v8
	v_mov_b32_e32 v9, v6
	v_mov_b32_e32 v6, v4
	v_mov_b32_e32 v7, v8
	v_mov_b32_e32 v4, v5
	v_mov_b32_e32 v5, v9
	v_add_co_u32_e64 v8, s[18:19], v6, v7
	v_addc_co_u32_e64 v4, s[18:19], v4, v5, s[18:19]
	v_mov_b32_e32 v9, v4
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	flat_load_dword v1, v[4:5] offset:8
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v6, v0, v1
	v_ashrrev_i32_e64 v0, 31, v6
	v_mov_b32_e32 v7, v0
	v_mov_b32_e32 v0, v8
	v_mov_b32_e32 v5, v6
	v_mov_b32_e32 v1, v9
	v_mov_b32_e32 v4, v7
	v_add_co_u32_e64 v0, s[18:19], v0, v5
	v_addc_co_u32_e64 v4, s[18:19], v1, v4, s[18:19]
	v_mov_b32_e32 v1, v4
	flat_load_dword v4, v[2:3] offset:12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_ashrrev_i32_e64 v2, 31, v4
	v_mov_b32_e32 v5, v2
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v0, v1
	v_mov_b32_e32 v1, v5
	v_add_co_u32_e64 v2, s[18:19], v2, v3
	v_addc_co_u32_e64 v0, s[18:19], v0, v1, s[18:19]
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, v2
	v_lshrrev_b64 v[2:3], s8, v[2:3]
	v_mov_b32_e32 v1, v2
	s_mov_b64 s[18:19], 48
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicAddPii@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicAddPii@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	v_mov_b32_e32 v2, 1
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel bytes
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16448
		.amdhsa_kernarg_size 104
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
		.amdhsa_next_free_vgpr 41
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end21:
	.size	bytes, .Lfunc_end21-bytes
	.section	.AMDGPU.csdata
	.text
	.protected	through_constant
	.globl	through_constant
	.p2align	8
	.type	through_constant,@function
through_constant:
	s_mov_b32 s32, 0x400
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	s_mov_b32 s13, s15
	s_mov_b32 s12, s14
	v_readlane_b32 s14, v40, 0
	s_mov_b64 s[16:17], s[8:9]
	v_mov_b32_e32 v31, v0
	s_load_dword s9, s[16:17], 0x0
	s_mov_b64 s[18:19], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[18:19], s[18:19], s8
	s_mov_b32 s15, s18
	v_mov_b32_e32 v2, 4
	v_mov_b32_e32 v0, s15
	v_mov_b32_e32 v3, v0
	v_pk_mov_b32 v[0:1], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s9
	flat_store_dword v[0:1], v4
	s_getpc_b64 s[18:19]
	s_add_u32 s18, s18, fixed@rel32@lo+4
	s_addc_u32 s19, s19, fixed@rel32@hi+12
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_nop 0
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_ashrrev_i32_e64 v4, 31, v2
	v_mov_b32_e32 v3, v4
	s_mov_b32 s9, 2
	v_lshlrev_b64 v[4:5], s9, v[2:3]
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v0, v1
	v_mov_b32_e32 v1, v5
	v_add_co_u32_e64 v2, s[18:19], v2, v3
	v_addc_co_u32_e64 v0, s[18:19], v0, v1, s[18:19]
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, v2
	v_lshrrev_b64 v[2:3], s8, v[2:3]
	v_mov_b32_e32 v1, v2
	s_mov_b64 s[18:19], 8
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicAddPii@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicAddPii@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	v_mov_b32_e32 v2, 1
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel through_constant
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16400
		.amdhsa_kernarg_size 64
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
		.amdhsa_next_free_vgpr 41
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
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
.Lfunc_end22:
	.size	through_constant, .Lfunc_end22-through_constant
	.section	.AMDGPU.csdata
	.text
	.protected	end_list
	.globl	end_list
	.p2align	8
	.type	end_list,@function
end_list:
	s_mov_b32 s33, 0
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	s_load_dwordx2 s[4:5], s[8:9], 0x0
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[6:7], s[6:7], s8
	v_mov_b32_e32 v2, 8
	v_mov_b32_e32 v0, s6
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v0, 16
	v_mov_b32_e32 v4, s6
	v_mov_b32_e32 v1, v4
	v_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[6:7], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[4:5], v[2:3]
	v_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[2:3], v[4:5]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b64 s[4:5], 0
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3] offset:8
	s_endpgm
	.section	.rodata,#alloc
	.p2align	6, 0x0
	.amdhsa_kernel end_list
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 24
		.amdhsa_kernarg_size 64
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 8
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
.Lfunc_end23:
	.size	end_list, .Lfunc_end23-end_list
	.section	.AMDGPU.csdata
	.section	.text._ZNK15__HIP_ThreadIdxclEj,#alloc,#execinstr
	.hidden	_ZNK15__HIP_ThreadIdxclEj
	.weak	_ZNK15__HIP_ThreadIdxclEj
	.p2align	2
	.type	_ZNK15__HIP_ThreadIdxclEj,@function
_ZNK15__HIP_ThreadIdxclEj:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s19, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[16:17], -1
	buffer_store_dword v3, off, s[0:3], s33 offset:20
	s_mov_b64 exec, s[16:17]
	s_add_i32 s32, s32, 0x800
	v_writelane_b32 v3, s30, 0
	v_writelane_b32 v3, s31, 1
	v_mov_b32_e32 v6, v0
	v_mov_b32_e32 v7, v1
	s_mov_b64 s[16:17], src_private_base
	s_mov_b32 s18, 32
	s_lshr_b64 s[16:17], s[16:17], s18
	v_lshrrev_b32_e64 v4, 6, s33
	v_add_u32_e32 v4, 8, v4
	v_mov_b32_e32 v0, s16
	v_mov_b32_e32 v5, v0
	v_lshrrev_b32_e64 v0, 6, s33
	v_add_u32_e32 v0, 16, v0
	v_mov_b32_e32 v8, s16
	v_mov_b32_e32 v1, v8
	flat_store_dwordx2 v[4:5], v[6:7]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	flat_store_dword v[4:5], v2
	flat_load_dword v0, v[0:1]
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, __ockl_get_local_id@rel32@lo+4
	s_addc_u32 s17, s17, __ockl_get_local_id@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v1, v2
	v_readlane_b32 s31, v3, 1
	v_readlane_b32 s30, v3, 0
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v3, off, s[0:3], s33 offset:20
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffff800
	s_mov_b32 s33, s19
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end24:
	.size	_ZNK15__HIP_ThreadIdxclEj, .Lfunc_end24-_ZNK15__HIP_ThreadIdxclEj
	.section	.AMDGPU.csdata
	.text
	.p2align	2
	.type	__ockl_get_local_id,@function
__ockl_get_local_id:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s10, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x200
	v_accvgpr_write_b32 a0, v31
	v_accvgpr_write_b32 a1, v0
	v_accvgpr_read_b32 v0, a1
	s_mov_b32 s4, 0
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	v_mov_b32_e32 v0, s6
	v_accvgpr_write_b32 a2, v0
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 0
	v_writelane_b32 v2, s7, 1
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_4
	v_accvgpr_read_b32 v0, a1
	s_mov_b32 s4, 1
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	v_mov_b32_e32 v0, s6
	v_accvgpr_write_b32 a3, v0
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 2
	v_writelane_b32 v2, s7, 3
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_7
	v_accvgpr_read_b32 v0, a1
	s_mov_b32 s4, 2
	v_cmp_eq_u32_e64 s[6:7], v0, s4
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_accvgpr_write_b32 a4, v0
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v2, s4, 4
	v_writelane_b32 v2, s5, 5
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_10
	s_branch .LBB22_9
.LBB22_4:
	v_accvgpr_read_b32 v0, a2
	v_readlane_b32 s4, v2, 0
	v_readlane_b32 s5, v2, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_write_b32 a5, v0
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 6
	v_writelane_b32 v2, s5, 7
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB22_13
	v_accvgpr_read_b32 v0, a1
	s_mov_b32 s4, 0
	v_cmp_eq_u32_e64 s[6:7], v0, s4
	v_mov_b32_e32 v0, s4
	v_accvgpr_write_b32 a6, v0
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v2, s4, 8
	v_writelane_b32 v2, s5, 9
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_12
	v_accvgpr_read_b32 v0, a0
	s_mov_b32 s4, 0x3ff
	v_and_b32_e64 v0, v0, s4
	v_accvgpr_write_b32 a6, v0
	s_branch .LBB22_12
.LBB22_7:
	v_accvgpr_read_b32 v0, a3
	v_readlane_b32 s4, v2, 2
	v_readlane_b32 s5, v2, 3
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_write_b32 a7, v0
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 10
	v_writelane_b32 v2, s5, 11
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB22_11
	v_accvgpr_read_b32 v0, a0
	v_bfe_u32 v0, v0, 10, 10
	v_accvgpr_write_b32 a7, v0
	s_branch .LBB22_11
.LBB22_9:
	v_accvgpr_read_b32 v0, a0
	v_bfe_u32 v0, v0, 20, 10
	v_accvgpr_write_b32 a4, v0
.LBB22_10:
	v_accvgpr_read_b32 v0, a4
	v_readlane_b32 s4, v2, 4
	v_readlane_b32 s5, v2, 5
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_write_b32 a3, v0
	s_branch .LBB22_7
.LBB22_11:
	v_accvgpr_read_b32 v0, a7
	v_readlane_b32 s4, v2, 10
	v_readlane_b32 s5, v2, 11
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_write_b32 a2, v0
	s_branch .LBB22_4
.LBB22_12:
	v_accvgpr_read_b32 v0, a6
	v_readlane_b32 s4, v2, 8
	v_readlane_b32 s5, v2, 9
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_write_b32 a5, v0
.LBB22_13:
	v_accvgpr_read_b32 v0, a5
	v_readlane_b32 s4, v2, 6
	v_readlane_b32 s5, v2, 7
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v1, 0
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xfffffe00
	s_mov_b32 s33, s10
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end25:
	.size	__ockl_get_local_id, .Lfunc_end25-__ockl_get_local_id
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.section	.AMDGPU.csdata
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.type	__const.__assert_fail.fmt,@object
	.section	.rodata.str1.16,"aMS",@progbits,1
	.p2align	4, 0x0
__const.__assert_fail.fmt:
	.asciz	"%s:%u: %s: Device-side assertion `%s' failed.\n"
	.size	__const.__assert_fail.fmt, 47
	.type	_ZL9threadIdx,@object
	.section	.rodata,#alloc
_ZL9threadIdx:
	.zero	1
	.size	_ZL9threadIdx, 1
	.protected	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
	.type	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE,@object
	.section	.rodata._ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE,#alloc
	.weak	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE:
	.zero	1
	.size	_ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE, 1
	.protected	fixed
	.type	fixed,@object
	.section	.bss,#alloc,#write
	.globl	fixed
	.p2align	3, 0x0
fixed:
	.quad	0
	.size	fixed, 8
	.type	__oclc_ABI_version,@object
	.section	.rodata,#alloc
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	400
	.size	__oclc_ABI_version, 4
	.section	".note.GNU-stack"
	.addrsig
	.addrsig_sym _Z9atomicMaxPff
	.addrsig_sym _Z9atomicMinPff
	.addrsig_sym _Z9atomicMaxPdd
	.addrsig_sym _Z9atomicMinPdd
	.addrsig_sym _Z15unsafeAtomicAddPff
	.addrsig_sym _Z15unsafeAtomicAddPdd
	.addrsig_sym _ZNK17__HIP_CoordinatesI15__HIP_ThreadIdxE3__XcvjEv
	.addrsig_sym _Z9atomicAddPii
	.addrsig_sym _Z7wrappedii
	.addrsig_sym _ZNK15__HIP_ThreadIdxclEj
	.addrsig_sym __ockl_get_local_id
	.addrsig_sym __ockl_fprintf_stderr_begin
	.addrsig_sym __ockl_fprintf_append_args
	.addrsig_sym __ockl_fprintf_append_string_n
	.addrsig_sym _ZL9threadIdx
	.addrsig_sym _ZN17__HIP_CoordinatesI15__HIP_ThreadIdxE1xE
	.addrsig_sym fixed
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     13
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           max_float
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         max_float.kd
    .vgpr_count:     57
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     13
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           min_float
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         min_float.kd
    .vgpr_count:     57
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     14
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           max_double
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         max_double.kd
    .vgpr_count:     58
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     14
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           min_double
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         min_double.kd
    .vgpr_count:     58
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     8
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           unsafe_float
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         unsafe_float.kd
    .vgpr_count:     52
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           unsafe_double
    .private_segment_fixed_size: 16416
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         unsafe_double.kd
    .vgpr_count:     41
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     39
    .args:
      - .offset:         0
        .size:           4
        .value_kind:     by_value
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
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           add_int
    .private_segment_fixed_size: 16464
    .sgpr_count:     40
    .sgpr_spill_count: 29
    .symbol:         add_int.kd
    .vgpr_count:     83
    .vgpr_spill_count: 7
    .wavefront_size: 64
  - .agpr_count:     58
    .args:
      - .offset:         0
        .size:           20
        .value_kind:     by_value
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         36
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     by_value
      - .offset:         48
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         80
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         88
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         96
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 104
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           mesh
    .private_segment_fixed_size: 16464
    .sgpr_count:     40
    .sgpr_spill_count: 71
    .symbol:         mesh.kd
    .vgpr_count:     102
    .vgpr_spill_count: 26
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           20
        .value_kind:     by_value
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         36
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     by_value
      - .offset:         48
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         80
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         88
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         96
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 104
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           bytes
    .private_segment_fixed_size: 16448
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         bytes.kd
    .vgpr_count:     41
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           4
        .value_kind:     by_value
      - .offset:         8
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         16
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         24
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         32
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         40
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         48
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         56
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 64
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           through_constant
    .private_segment_fixed_size: 16400
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         through_constant.kd
    .vgpr_count:     41
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         16
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         24
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         32
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         40
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         48
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         56
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 64
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           end_list
    .private_segment_fixed_size: 24
    .sgpr_count:     40
    .sgpr_spill_count: 0
    .symbol:         end_list.kd
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 1
...
	.end_amdgpu_metadata
