	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z9atomicMaxPff,"axG",@progbits,_Z9atomicMaxPff,comdat
	.hidden	_Z9atomicMaxPff
	.weak	_Z9atomicMaxPff
	.p2align	2
	.type	_Z9atomicMaxPff,@function
_Z9atomicMaxPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s40, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v6, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xc00
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s21, s5
	v_writelane_b32 v6, s21, 0
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[8:9], s[6:7], s8
	s_mov_b32 s22, -1
	v_writelane_b32 v6, s22, 1
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 8
	s_cmp_lg_u32 s7, s22
	s_mov_b32 s20, s8
	v_writelane_b32 v6, s20, 2
	s_cselect_b32 s6, s20, s21
	s_mov_b32 s19, s4
	v_writelane_b32 v6, s19, 3
	s_cselect_b32 s14, s7, s19
	s_mov_b32 s15, s6
	s_mov_b64 s[6:7], s[14:15]
	v_writelane_b32 v6, s6, 4
	v_writelane_b32 v6, s7, 5
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 16
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s16, s7, s19
	s_mov_b32 s17, s6
	s_mov_b64 s[6:7], s[16:17]
	v_writelane_b32 v6, s6, 6
	v_writelane_b32 v6, s7, 7
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 20
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s10, s7, s19
	s_mov_b32 s11, s6
	s_mov_b64 s[6:7], s[10:11]
	v_writelane_b32 v6, s6, 8
	v_writelane_b32 v6, s7, 9
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 24
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s12, s7, s19
	s_mov_b32 s13, s6
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 28
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s8, s7, s19
	s_mov_b32 s9, s6
	s_mov_b64 s[6:7], s[8:9]
	v_writelane_b32 v6, s6, 10
	v_writelane_b32 v6, s7, 11
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 29
	s_cmp_lg_u32 s6, s22
	s_cselect_b32 s18, s20, s21
	s_cselect_b32 s6, s6, s19
	s_mov_b32 s7, s18
	s_mov_b64 s[24:25], s[6:7]
	v_writelane_b32 v6, s24, 12
	v_writelane_b32 v6, s25, 13
	s_lshr_b32 s23, s33, 6
	s_add_i32 s23, s23, 32
	s_cmp_lg_u32 s23, s22
	s_cselect_b32 s18, s20, s21
	s_cselect_b32 s24, s23, s19
	s_mov_b32 s25, s18
	v_writelane_b32 v6, s24, 14
	v_writelane_b32 v6, s25, 15
	s_lshr_b32 s18, s33, 6
	s_add_i32 s18, s18, 36
	s_cmp_lg_u32 s18, s22
	s_cselect_b32 s20, s20, s21
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s20
	v_writelane_b32 v6, s18, 16
	v_writelane_b32 v6, s19, 17
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[0:1] glc
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s10, 0x80000000
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u32_e64 s[10:11], v0, s10
	v_cndmask_b32_e64 v2, 0, 1, s[10:11]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_mov_b32_e32 v2, 0
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_writelane_b32 v6, s4, 18
	v_writelane_b32 v6, s5, 19
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
.LBB10_1:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 12
	v_readlane_b32 s5, v6, 13
	v_readlane_b32 s6, v6, 18
	v_readlane_b32 s7, v6, 19
	v_writelane_b32 v6, s6, 20
	v_writelane_b32 v6, s7, 21
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v6, s4, 22
	v_writelane_b32 v6, s5, 23
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 24
	v_writelane_b32 v6, s5, 25
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_7
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 6
	v_readlane_b32 s5, v6, 7
	v_readlane_b32 s6, v6, 8
	v_readlane_b32 s7, v6, 9
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_nlt_f32_e64 s[6:7], v0, v1
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v6, s4, 26
	v_writelane_b32 v6, s5, 27
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 28
	v_writelane_b32 v6, s5, 29
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_5
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 10
	v_readlane_b32 s5, v6, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[6:7], v0, 1
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v6, s4, 30
	v_writelane_b32 v6, s5, 31
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 32
	v_writelane_b32 v6, s5, 33
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_6
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 6
	v_readlane_b32 s5, v6, 7
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s4, 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_f32_e64 s[4:5], v0, s4
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 30
	v_writelane_b32 v6, s5, 31
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_6
.LBB10_5:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v6, 28
	v_readlane_b32 s7, v6, 29
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 26
	v_readlane_b32 s5, v6, 27
	v_writelane_b32 v6, s4, 34
	v_writelane_b32 v6, s5, 35
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_8
.LBB10_6:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v6, 32
	v_readlane_b32 s7, v6, 33
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 30
	v_readlane_b32 s5, v6, 31
	s_orn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 26
	v_writelane_b32 v6, s5, 27
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_5
.LBB10_7:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v6, 24
	v_readlane_b32 s7, v6, 25
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 22
	v_readlane_b32 s5, v6, 23
	v_writelane_b32 v6, s4, 36
	v_writelane_b32 v6, s5, 37
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_9
.LBB10_8:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 34
	v_readlane_b32 s5, v6, 35
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 22
	v_writelane_b32 v6, s5, 23
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_7
.LBB10_9:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v6, 36
	v_readlane_b32 s7, v6, 37
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v6, s4, 38
	v_writelane_b32 v6, s5, 39
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 40
	v_writelane_b32 v6, s5, 41
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_12
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 14
	v_readlane_b32 s5, v6, 15
	v_readlane_b32 s6, v6, 8
	v_readlane_b32 s7, v6, 9
	v_readlane_b32 s8, v6, 6
	v_readlane_b32 s9, v6, 7
	v_readlane_b32 s10, v6, 4
	v_readlane_b32 s11, v6, 5
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dword v4, v[0:1]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v4
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v1, v[0:1]
	v_pk_mov_b32 v[4:5], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v4, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v5, v1
	flat_atomic_cmpswap v0, v[2:3], v[4:5] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, v1
	v_cmp_ne_u32_e64 s[6:7], v0, v1
	v_writelane_b32 v6, s4, 42
	v_writelane_b32 v6, s5, 43
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 44
	v_writelane_b32 v6, s5, 45
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB10_13
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 8
	v_readlane_b32 s5, v6, 9
	v_accvgpr_read_b32 v2, a1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_branch .LBB10_13
.LBB10_12:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s8, v6, 40
	v_readlane_b32 s9, v6, 41
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v6, 20
	v_readlane_b32 s7, v6, 21
	v_readlane_b32 s4, v6, 38
	v_readlane_b32 s5, v6, 39
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v6, s6, 18
	v_writelane_b32 v6, s7, 19
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v6, s6, 46
	v_writelane_b32 v6, s7, 47
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB10_1
	s_branch .LBB10_14
.LBB10_13:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s14, v6, 44
	v_readlane_b32 s15, v6, 45
	s_or_b64 exec, exec, s[14:15]
	v_readlane_b32 s4, v6, 10
	v_readlane_b32 s5, v6, 11
	v_readlane_b32 s6, v6, 8
	v_readlane_b32 s7, v6, 9
	v_readlane_b32 s8, v6, 12
	v_readlane_b32 s9, v6, 13
	v_readlane_b32 s10, v6, 16
	v_readlane_b32 s11, v6, 17
	v_readlane_b32 s12, v6, 42
	v_readlane_b32 s13, v6, 43
	v_cndmask_b32_e64 v2, 0, 1, s[12:13]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_mov_b32 s10, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v0, s10
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 0x80000000
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u32_e64 s[6:7], v0, s6
	v_cndmask_b32_e64 v2, 0, 1, s[6:7]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v6, s4, 38
	v_writelane_b32 v6, s5, 39
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[28:29]
	s_branch .LBB10_12
.LBB10_14:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 46
	v_readlane_b32 s5, v6, 47
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v6, 8
	v_readlane_b32 s5, v6, 9
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v6, off, s[0:3], s33 offset:40
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s40
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end10:
	.size	_Z9atomicMaxPff, .Lfunc_end10-_Z9atomicMaxPff
	.set _Z9atomicMaxPff.num_vgpr, 7
	.set _Z9atomicMaxPff.num_agpr, 2
	.set _Z9atomicMaxPff.numbered_sgpr, 41
	.set _Z9atomicMaxPff.private_seg_size, 48
	.set _Z9atomicMaxPff.uses_vcc, 0
	.set _Z9atomicMaxPff.uses_flat_scratch, 0
	.set _Z9atomicMaxPff.has_dyn_sized_stack, 0
	.set _Z9atomicMaxPff.has_recursion, 0
	.set _Z9atomicMaxPff.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	max_float
	.globl	max_float
	.p2align	8
	.type	max_float,@function
max_float:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[24:25], s[16:17], 0x0
	s_load_dword s9, s[16:17], 0x8
	s_mov_b64 s[22:23], 0
	s_mov_b32 s26, s23
	s_mov_b64 s[18:19], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[18:19], s[18:19], s8
	s_mov_b32 s27, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s27
	s_mov_b32 s15, s18
	s_cselect_b32 s18, s15, s26
	s_mov_b32 s19, s22
	s_cselect_b32 s22, s20, s19
	s_mov_b32 s23, s18
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s27
	s_cselect_b32 s18, s15, s26
	s_cselect_b32 s20, s20, s19
	s_mov_b32 s21, s18
	s_mov_b32 s18, 16
	s_cmp_lg_u32 s18, s27
	s_cselect_b32 s15, s15, s26
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s15
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[24:25], s[24:25] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_mov_b32_e32 v2, s9
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[0:1]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v1, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMaxPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMaxPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel max_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 80
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 46
		.amdhsa_next_free_sgpr 41
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end11:
	.size	max_float, .Lfunc_end11-max_float
	.set max_float.num_vgpr, max(41, _Z9atomicMaxPff.num_vgpr)
	.set max_float.num_agpr, max(0, _Z9atomicMaxPff.num_agpr)
	.set max_float.numbered_sgpr, max(34, _Z9atomicMaxPff.numbered_sgpr)
	.set max_float.private_seg_size, 32+max(_Z9atomicMaxPff.private_seg_size)
	.set max_float.uses_vcc, or(1, _Z9atomicMaxPff.uses_vcc)
	.set max_float.uses_flat_scratch, or(1, _Z9atomicMaxPff.uses_flat_scratch)
	.set max_float.has_dyn_sized_stack, or(0, _Z9atomicMaxPff.has_dyn_sized_stack)
	.set max_float.has_recursion, or(1, _Z9atomicMaxPff.has_recursion)
	.set max_float.has_indirect_call, or(0, _Z9atomicMaxPff.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z9atomicMinPff,"axG",@progbits,_Z9atomicMinPff,comdat
	.hidden	_Z9atomicMinPff
	.weak	_Z9atomicMinPff
	.p2align	2
	.type	_Z9atomicMinPff,@function
_Z9atomicMinPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s42, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v6, off, s[0:3], s33 offset:48
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xe00
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s23, s5
	v_writelane_b32 v6, s23, 0
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[8:9], s[6:7], s8
	s_mov_b32 s24, -1
	v_writelane_b32 v6, s24, 1
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 8
	s_cmp_lg_u32 s7, s24
	s_mov_b32 s22, s8
	v_writelane_b32 v6, s22, 2
	s_cselect_b32 s6, s22, s23
	s_mov_b32 s21, s4
	v_writelane_b32 v6, s21, 3
	s_cselect_b32 s12, s7, s21
	s_mov_b32 s13, s6
	s_mov_b64 s[6:7], s[12:13]
	v_writelane_b32 v6, s6, 4
	v_writelane_b32 v6, s7, 5
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 16
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s18, s7, s21
	s_mov_b32 s19, s6
	s_mov_b64 s[6:7], s[18:19]
	v_writelane_b32 v6, s6, 6
	v_writelane_b32 v6, s7, 7
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 20
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s16, s7, s21
	s_mov_b32 s17, s6
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 24
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s14, s7, s21
	s_mov_b32 s15, s6
	s_mov_b64 s[6:7], s[14:15]
	v_writelane_b32 v6, s6, 8
	v_writelane_b32 v6, s7, 9
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 28
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s8, s7, s21
	s_mov_b32 s9, s6
	s_mov_b64 s[6:7], s[8:9]
	v_writelane_b32 v6, s6, 10
	v_writelane_b32 v6, s7, 11
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 32
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s10, s7, s21
	s_mov_b32 s11, s6
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 36
	s_cmp_lg_u32 s6, s24
	s_cselect_b32 s20, s22, s23
	s_cselect_b32 s6, s6, s21
	s_mov_b32 s7, s20
	s_mov_b64 s[26:27], s[6:7]
	v_writelane_b32 v6, s26, 12
	v_writelane_b32 v6, s27, 13
	s_lshr_b32 s25, s33, 6
	s_add_i32 s25, s25, 40
	s_cmp_lg_u32 s25, s24
	s_cselect_b32 s20, s22, s23
	s_cselect_b32 s26, s25, s21
	s_mov_b32 s27, s20
	v_writelane_b32 v6, s26, 14
	v_writelane_b32 v6, s27, 15
	s_lshr_b32 s20, s33, 6
	s_add_i32 s20, s20, 44
	s_cmp_lg_u32 s20, s24
	s_cselect_b32 s22, s22, s23
	s_cselect_b32 s20, s20, s21
	s_mov_b32 s21, s22
	v_writelane_b32 v6, s20, 16
	v_writelane_b32 v6, s21, 17
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s16, 0x80000000
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u32_e64 s[16:17], v0, s16
	v_cndmask_b32_e64 v2, 0, 1, s[16:17]
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[0:1] glc
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_mov_b32_e32 v2, 0
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_writelane_b32 v6, s4, 18
	v_writelane_b32 v6, s5, 19
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
.LBB12_1:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 12
	v_readlane_b32 s5, v6, 13
	v_readlane_b32 s6, v6, 18
	v_readlane_b32 s7, v6, 19
	v_writelane_b32 v6, s6, 20
	v_writelane_b32 v6, s7, 21
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v6, s4, 22
	v_writelane_b32 v6, s5, 23
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 24
	v_writelane_b32 v6, s5, 25
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_7
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 6
	v_readlane_b32 s5, v6, 7
	v_readlane_b32 s6, v6, 10
	v_readlane_b32 s7, v6, 11
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ngt_f32_e64 s[6:7], v0, v1
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v6, s4, 26
	v_writelane_b32 v6, s5, 27
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 28
	v_writelane_b32 v6, s5, 29
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_5
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 8
	v_readlane_b32 s5, v6, 9
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[6:7], v0, 1
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v6, s4, 30
	v_writelane_b32 v6, s5, 31
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 32
	v_writelane_b32 v6, s5, 33
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_6
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 10
	v_readlane_b32 s5, v6, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s4, 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_f32_e64 s[4:5], v0, s4
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 30
	v_writelane_b32 v6, s5, 31
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_6
.LBB12_5:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v6, 28
	v_readlane_b32 s7, v6, 29
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 26
	v_readlane_b32 s5, v6, 27
	v_writelane_b32 v6, s4, 34
	v_writelane_b32 v6, s5, 35
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_8
.LBB12_6:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v6, 32
	v_readlane_b32 s7, v6, 33
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 30
	v_readlane_b32 s5, v6, 31
	s_orn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 26
	v_writelane_b32 v6, s5, 27
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_5
.LBB12_7:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v6, 24
	v_readlane_b32 s7, v6, 25
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 22
	v_readlane_b32 s5, v6, 23
	v_writelane_b32 v6, s4, 36
	v_writelane_b32 v6, s5, 37
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_9
.LBB12_8:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 34
	v_readlane_b32 s5, v6, 35
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v6, s4, 22
	v_writelane_b32 v6, s5, 23
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_7
.LBB12_9:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v6, 36
	v_readlane_b32 s7, v6, 37
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v6, s4, 38
	v_writelane_b32 v6, s5, 39
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 40
	v_writelane_b32 v6, s5, 41
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_12
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 14
	v_readlane_b32 s5, v6, 15
	v_readlane_b32 s6, v6, 10
	v_readlane_b32 s7, v6, 11
	v_readlane_b32 s8, v6, 6
	v_readlane_b32 s9, v6, 7
	v_readlane_b32 s10, v6, 4
	v_readlane_b32 s11, v6, 5
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dword v4, v[0:1]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v4
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v1, v[0:1]
	v_pk_mov_b32 v[4:5], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v4, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v5, v1
	flat_atomic_cmpswap v0, v[2:3], v[4:5] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, v1
	v_cmp_ne_u32_e64 s[6:7], v0, v1
	v_writelane_b32 v6, s4, 42
	v_writelane_b32 v6, s5, 43
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v6, s4, 44
	v_writelane_b32 v6, s5, 45
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB12_13
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 10
	v_readlane_b32 s5, v6, 11
	v_accvgpr_read_b32 v2, a1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_branch .LBB12_13
.LBB12_12:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s8, v6, 40
	v_readlane_b32 s9, v6, 41
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v6, 20
	v_readlane_b32 s7, v6, 21
	v_readlane_b32 s4, v6, 38
	v_readlane_b32 s5, v6, 39
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v6, s6, 18
	v_writelane_b32 v6, s7, 19
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v6, s6, 46
	v_writelane_b32 v6, s7, 47
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB12_1
	s_branch .LBB12_14
.LBB12_13:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s10, v6, 44
	v_readlane_b32 s11, v6, 45
	s_or_b64 exec, exec, s[10:11]
	v_readlane_b32 s4, v6, 12
	v_readlane_b32 s5, v6, 13
	v_readlane_b32 s6, v6, 16
	v_readlane_b32 s7, v6, 17
	v_readlane_b32 s8, v6, 42
	v_readlane_b32 s9, v6, 43
	v_cndmask_b32_e64 v2, 0, 1, s[8:9]
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v0, s6
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v6, s4, 38
	v_writelane_b32 v6, s5, 39
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[40:41]
	s_branch .LBB12_12
.LBB12_14:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 46
	v_readlane_b32 s5, v6, 47
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v6, 10
	v_readlane_b32 s5, v6, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v6, off, s[0:3], s33 offset:48
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s42
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end12:
	.size	_Z9atomicMinPff, .Lfunc_end12-_Z9atomicMinPff
	.set _Z9atomicMinPff.num_vgpr, 7
	.set _Z9atomicMinPff.num_agpr, 2
	.set _Z9atomicMinPff.numbered_sgpr, 43
	.set _Z9atomicMinPff.private_seg_size, 56
	.set _Z9atomicMinPff.uses_vcc, 0
	.set _Z9atomicMinPff.uses_flat_scratch, 0
	.set _Z9atomicMinPff.has_dyn_sized_stack, 0
	.set _Z9atomicMinPff.has_recursion, 0
	.set _Z9atomicMinPff.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	min_float
	.globl	min_float
	.p2align	8
	.type	min_float,@function
min_float:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[24:25], s[16:17], 0x0
	s_load_dword s9, s[16:17], 0x8
	s_mov_b64 s[22:23], 0
	s_mov_b32 s26, s23
	s_mov_b64 s[18:19], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[18:19], s[18:19], s8
	s_mov_b32 s27, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s27
	s_mov_b32 s15, s18
	s_cselect_b32 s18, s15, s26
	s_mov_b32 s19, s22
	s_cselect_b32 s22, s20, s19
	s_mov_b32 s23, s18
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s27
	s_cselect_b32 s18, s15, s26
	s_cselect_b32 s20, s20, s19
	s_mov_b32 s21, s18
	s_mov_b32 s18, 16
	s_cmp_lg_u32 s18, s27
	s_cselect_b32 s15, s15, s26
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s15
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[24:25], s[24:25] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_mov_b32_e32 v2, s9
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[0:1]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v1, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMinPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMinPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel min_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 88
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 46
		.amdhsa_next_free_sgpr 43
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end13:
	.size	min_float, .Lfunc_end13-min_float
	.set min_float.num_vgpr, max(41, _Z9atomicMinPff.num_vgpr)
	.set min_float.num_agpr, max(0, _Z9atomicMinPff.num_agpr)
	.set min_float.numbered_sgpr, max(34, _Z9atomicMinPff.numbered_sgpr)
	.set min_float.private_seg_size, 32+max(_Z9atomicMinPff.private_seg_size)
	.set min_float.uses_vcc, or(1, _Z9atomicMinPff.uses_vcc)
	.set min_float.uses_flat_scratch, or(1, _Z9atomicMinPff.uses_flat_scratch)
	.set min_float.has_dyn_sized_stack, or(0, _Z9atomicMinPff.has_dyn_sized_stack)
	.set min_float.has_recursion, or(1, _Z9atomicMinPff.has_recursion)
	.set min_float.has_indirect_call, or(0, _Z9atomicMinPff.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z9atomicMaxPdd,"axG",@progbits,_Z9atomicMaxPdd,comdat
	.hidden	_Z9atomicMaxPdd
	.weak	_Z9atomicMaxPdd
	.p2align	2
	.type	_Z9atomicMaxPdd,@function
_Z9atomicMaxPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s40, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v11, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x1200
	v_accvgpr_write_b32 a0, v3
	v_mov_b32_e32 v4, v0
	v_accvgpr_read_b32 v0, a0
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s21, s5
	v_writelane_b32 v11, s21, 0
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[8:9], s[6:7], s8
	s_mov_b32 s22, -1
	v_writelane_b32 v11, s22, 1
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 8
	s_cmp_lg_u32 s7, s22
	s_mov_b32 s20, s8
	v_writelane_b32 v11, s20, 2
	s_cselect_b32 s6, s20, s21
	s_mov_b32 s19, s4
	v_writelane_b32 v11, s19, 3
	s_cselect_b32 s14, s7, s19
	s_mov_b32 s15, s6
	s_mov_b64 s[6:7], s[14:15]
	v_writelane_b32 v11, s6, 4
	v_writelane_b32 v11, s7, 5
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 16
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s16, s7, s19
	s_mov_b32 s17, s6
	s_mov_b64 s[6:7], s[16:17]
	v_writelane_b32 v11, s6, 6
	v_writelane_b32 v11, s7, 7
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 24
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s10, s7, s19
	s_mov_b32 s11, s6
	s_mov_b64 s[6:7], s[10:11]
	v_writelane_b32 v11, s6, 8
	v_writelane_b32 v11, s7, 9
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 32
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s12, s7, s19
	s_mov_b32 s13, s6
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 40
	s_cmp_lg_u32 s7, s22
	s_cselect_b32 s6, s20, s21
	s_cselect_b32 s8, s7, s19
	s_mov_b32 s9, s6
	s_mov_b64 s[6:7], s[8:9]
	v_writelane_b32 v11, s6, 10
	v_writelane_b32 v11, s7, 11
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 41
	s_cmp_lg_u32 s6, s22
	s_cselect_b32 s18, s20, s21
	s_cselect_b32 s6, s6, s19
	s_mov_b32 s7, s18
	s_mov_b64 s[24:25], s[6:7]
	v_writelane_b32 v11, s24, 12
	v_writelane_b32 v11, s25, 13
	s_lshr_b32 s23, s33, 6
	s_add_i32 s23, s23, 48
	s_cmp_lg_u32 s23, s22
	s_cselect_b32 s18, s20, s21
	s_cselect_b32 s24, s23, s19
	s_mov_b32 s25, s18
	v_writelane_b32 v11, s24, 14
	v_writelane_b32 v11, s25, 15
	s_lshr_b32 s18, s33, 6
	s_add_i32 s18, s18, 56
	s_cmp_lg_u32 s18, s22
	s_cselect_b32 s20, s20, s21
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s20
	v_writelane_b32 v11, s18, 16
	v_writelane_b32 v11, s19, 17
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dwordx2 v[2:3], v[0:1] glc
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b32 s12, 0x80000000
	s_mov_b32 s10, 0
	s_mov_b32 s11, s12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u64_e64 s[10:11], v[0:1], s[10:11]
	v_cndmask_b32_e64 v2, 0, 1, s[10:11]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_mov_b32_e32 v2, 0
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_writelane_b32 v11, s4, 18
	v_writelane_b32 v11, s5, 19
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
.LBB14_1:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 12
	v_readlane_b32 s5, v11, 13
	v_readlane_b32 s6, v11, 18
	v_readlane_b32 s7, v11, 19
	v_writelane_b32 v11, s6, 20
	v_writelane_b32 v11, s7, 21
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v11, s4, 22
	v_writelane_b32 v11, s5, 23
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 24
	v_writelane_b32 v11, s5, 25
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_7
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 6
	v_readlane_b32 s5, v11, 7
	v_readlane_b32 s6, v11, 8
	v_readlane_b32 s7, v11, 9
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_nlt_f64_e64 s[6:7], v[0:1], v[2:3]
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v11, s4, 26
	v_writelane_b32 v11, s5, 27
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 28
	v_writelane_b32 v11, s5, 29
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_5
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 10
	v_readlane_b32 s5, v11, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[6:7], v0, 1
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v11, s4, 30
	v_writelane_b32 v11, s5, 31
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 32
	v_writelane_b32 v11, s5, 33
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_6
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 6
	v_readlane_b32 s5, v11, 7
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b64 s[4:5], 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_f64_e64 s[4:5], v[0:1], s[4:5]
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 30
	v_writelane_b32 v11, s5, 31
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_6
.LBB14_5:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v11, 28
	v_readlane_b32 s7, v11, 29
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 26
	v_readlane_b32 s5, v11, 27
	v_writelane_b32 v11, s4, 34
	v_writelane_b32 v11, s5, 35
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_8
.LBB14_6:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v11, 32
	v_readlane_b32 s7, v11, 33
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 30
	v_readlane_b32 s5, v11, 31
	s_orn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 26
	v_writelane_b32 v11, s5, 27
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_5
.LBB14_7:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v11, 24
	v_readlane_b32 s7, v11, 25
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 22
	v_readlane_b32 s5, v11, 23
	v_writelane_b32 v11, s4, 36
	v_writelane_b32 v11, s5, 37
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_9
.LBB14_8:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 34
	v_readlane_b32 s5, v11, 35
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 22
	v_writelane_b32 v11, s5, 23
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_7
.LBB14_9:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s6, v11, 36
	v_readlane_b32 s7, v11, 37
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v11, s4, 38
	v_writelane_b32 v11, s5, 39
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 40
	v_writelane_b32 v11, s5, 41
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_12
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 14
	v_readlane_b32 s5, v11, 15
	v_readlane_b32 s6, v11, 8
	v_readlane_b32 s7, v11, 9
	v_readlane_b32 s8, v11, 6
	v_readlane_b32 s9, v11, 7
	v_readlane_b32 s10, v11, 4
	v_readlane_b32 s11, v11, 5
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[2:3]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[2:3], v[4:5]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v8, v3
	v_mov_b32_e32 v9, v2
	v_pk_mov_b32 v[4:5], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v10, v5
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v6, v9
	v_mov_b32_e32 v7, v8
	flat_atomic_cmpswap_x2 v[0:1], v[0:1], v[4:7] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a3, v0
	v_accvgpr_write_b32 a2, v1
	v_cmp_eq_u64_e64 s[4:5], v[0:1], v[2:3]
	v_cmp_ne_u64_e64 s[6:7], v[0:1], v[2:3]
	v_writelane_b32 v11, s4, 42
	v_writelane_b32 v11, s5, 43
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 44
	v_writelane_b32 v11, s5, 45
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB14_13
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 8
	v_readlane_b32 s5, v11, 9
	v_accvgpr_read_b32 v2, a3
	v_accvgpr_read_b32 v3, a2
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	s_branch .LBB14_13
.LBB14_12:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s8, v11, 40
	v_readlane_b32 s9, v11, 41
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v11, 20
	v_readlane_b32 s7, v11, 21
	v_readlane_b32 s4, v11, 38
	v_readlane_b32 s5, v11, 39
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v11, s6, 18
	v_writelane_b32 v11, s7, 19
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v11, s6, 46
	v_writelane_b32 v11, s7, 47
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB14_1
	s_branch .LBB14_14
.LBB14_13:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s14, v11, 44
	v_readlane_b32 s15, v11, 45
	s_or_b64 exec, exec, s[14:15]
	v_readlane_b32 s4, v11, 10
	v_readlane_b32 s5, v11, 11
	v_readlane_b32 s6, v11, 8
	v_readlane_b32 s7, v11, 9
	v_readlane_b32 s8, v11, 12
	v_readlane_b32 s9, v11, 13
	v_readlane_b32 s10, v11, 16
	v_readlane_b32 s11, v11, 17
	v_readlane_b32 s12, v11, 42
	v_readlane_b32 s13, v11, 43
	v_cndmask_b32_e64 v2, 0, 1, s[12:13]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_mov_b32 s10, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v0, s10
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b32 s8, 0x80000000
	s_mov_b32 s6, 0
	s_mov_b32 s7, s8
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u64_e64 s[6:7], v[0:1], s[6:7]
	v_cndmask_b32_e64 v2, 0, 1, s[6:7]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v11, s4, 38
	v_writelane_b32 v11, s5, 39
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[28:29]
	s_branch .LBB14_12
.LBB14_14:
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 46
	v_readlane_b32 s5, v11, 47
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[28:29], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[28:29]
	v_readlane_b32 s4, v11, 8
	v_readlane_b32 s5, v11, 9
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	s_mov_b32 s4, 32
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshrrev_b64 v[0:1], s4, v[2:3]
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v0, v2
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v11, off, s[0:3], s33 offset:60
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s40
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end14:
	.size	_Z9atomicMaxPdd, .Lfunc_end14-_Z9atomicMaxPdd
	.set _Z9atomicMaxPdd.num_vgpr, 12
	.set _Z9atomicMaxPdd.num_agpr, 4
	.set _Z9atomicMaxPdd.numbered_sgpr, 41
	.set _Z9atomicMaxPdd.private_seg_size, 72
	.set _Z9atomicMaxPdd.uses_vcc, 0
	.set _Z9atomicMaxPdd.uses_flat_scratch, 0
	.set _Z9atomicMaxPdd.has_dyn_sized_stack, 0
	.set _Z9atomicMaxPdd.has_recursion, 0
	.set _Z9atomicMaxPdd.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	max_double
	.globl	max_double
	.p2align	8
	.type	max_double,@function
max_double:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[26:27], s[16:17], 0x0
	s_load_dwordx2 s[22:23], s[16:17], 0x8
	s_mov_b64 s[24:25], 0
	s_mov_b32 s19, s25
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[30:31], s[20:21], s8
	s_mov_b32 s28, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s28
	s_mov_b32 s9, s30
	s_cselect_b32 s15, s9, s19
	s_mov_b32 s18, s24
	s_cselect_b32 s24, s20, s18
	s_mov_b32 s25, s15
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s28
	s_cselect_b32 s15, s9, s19
	s_cselect_b32 s20, s20, s18
	s_mov_b32 s21, s15
	s_mov_b32 s15, 16
	s_cmp_lg_u32 s15, s28
	s_cselect_b32 s9, s9, s19
	s_cselect_b32 s18, s15, s18
	s_mov_b32 s19, s9
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[26:27], s[26:27] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[22:23], s[22:23] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s8, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v3, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMaxPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMaxPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel max_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 104
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 48
		.amdhsa_next_free_sgpr 41
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end15:
	.size	max_double, .Lfunc_end15-max_double
	.set max_double.num_vgpr, max(41, _Z9atomicMaxPdd.num_vgpr)
	.set max_double.num_agpr, max(0, _Z9atomicMaxPdd.num_agpr)
	.set max_double.numbered_sgpr, max(34, _Z9atomicMaxPdd.numbered_sgpr)
	.set max_double.private_seg_size, 32+max(_Z9atomicMaxPdd.private_seg_size)
	.set max_double.uses_vcc, or(1, _Z9atomicMaxPdd.uses_vcc)
	.set max_double.uses_flat_scratch, or(1, _Z9atomicMaxPdd.uses_flat_scratch)
	.set max_double.has_dyn_sized_stack, or(0, _Z9atomicMaxPdd.has_dyn_sized_stack)
	.set max_double.has_recursion, or(1, _Z9atomicMaxPdd.has_recursion)
	.set max_double.has_indirect_call, or(0, _Z9atomicMaxPdd.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z9atomicMinPdd,"axG",@progbits,_Z9atomicMinPdd,comdat
	.hidden	_Z9atomicMinPdd
	.weak	_Z9atomicMinPdd
	.p2align	2
	.type	_Z9atomicMinPdd,@function
_Z9atomicMinPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s42, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v11, off, s[0:3], s33 offset:76
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x1600
	v_accvgpr_write_b32 a0, v3
	v_mov_b32_e32 v4, v0
	v_accvgpr_read_b32 v0, a0
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s23, s5
	v_writelane_b32 v11, s23, 0
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[8:9], s[6:7], s8
	s_mov_b32 s24, -1
	v_writelane_b32 v11, s24, 1
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 8
	s_cmp_lg_u32 s7, s24
	s_mov_b32 s22, s8
	v_writelane_b32 v11, s22, 2
	s_cselect_b32 s6, s22, s23
	s_mov_b32 s21, s4
	v_writelane_b32 v11, s21, 3
	s_cselect_b32 s12, s7, s21
	s_mov_b32 s13, s6
	s_mov_b64 s[6:7], s[12:13]
	v_writelane_b32 v11, s6, 4
	v_writelane_b32 v11, s7, 5
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 16
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s18, s7, s21
	s_mov_b32 s19, s6
	s_mov_b64 s[6:7], s[18:19]
	v_writelane_b32 v11, s6, 6
	v_writelane_b32 v11, s7, 7
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 24
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s16, s7, s21
	s_mov_b32 s17, s6
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 32
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s14, s7, s21
	s_mov_b32 s15, s6
	s_mov_b64 s[6:7], s[14:15]
	v_writelane_b32 v11, s6, 8
	v_writelane_b32 v11, s7, 9
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 40
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s8, s7, s21
	s_mov_b32 s9, s6
	s_mov_b64 s[6:7], s[8:9]
	v_writelane_b32 v11, s6, 10
	v_writelane_b32 v11, s7, 11
	s_lshr_b32 s7, s33, 6
	s_add_i32 s7, s7, 48
	s_cmp_lg_u32 s7, s24
	s_cselect_b32 s6, s22, s23
	s_cselect_b32 s10, s7, s21
	s_mov_b32 s11, s6
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 56
	s_cmp_lg_u32 s6, s24
	s_cselect_b32 s20, s22, s23
	s_cselect_b32 s6, s6, s21
	s_mov_b32 s7, s20
	s_mov_b64 s[26:27], s[6:7]
	v_writelane_b32 v11, s26, 12
	v_writelane_b32 v11, s27, 13
	s_lshr_b32 s25, s33, 6
	s_add_i32 s25, s25, 64
	s_cmp_lg_u32 s25, s24
	s_cselect_b32 s20, s22, s23
	s_cselect_b32 s26, s25, s21
	s_mov_b32 s27, s20
	v_writelane_b32 v11, s26, 14
	v_writelane_b32 v11, s27, 15
	s_lshr_b32 s20, s33, 6
	s_add_i32 s20, s20, 0x48
	s_cmp_lg_u32 s20, s24
	s_cselect_b32 s22, s22, s23
	s_cselect_b32 s20, s20, s21
	s_mov_b32 s21, s22
	v_writelane_b32 v11, s20, 16
	v_writelane_b32 v11, s21, 17
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b32 s18, 0x80000000
	s_mov_b32 s16, 0
	s_mov_b32 s17, s18
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_u64_e64 s[16:17], v[0:1], s[16:17]
	v_cndmask_b32_e64 v2, 0, 1, s[16:17]
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[12:13], s[12:13] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dwordx2 v[2:3], v[0:1] glc
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_mov_b32_e32 v2, 0
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_writelane_b32 v11, s4, 18
	v_writelane_b32 v11, s5, 19
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
.LBB16_1:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 12
	v_readlane_b32 s5, v11, 13
	v_readlane_b32 s6, v11, 18
	v_readlane_b32 s7, v11, 19
	v_writelane_b32 v11, s6, 20
	v_writelane_b32 v11, s7, 21
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[4:5], v0, 1
	s_mov_b64 s[6:7], -1
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v11, s4, 22
	v_writelane_b32 v11, s5, 23
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 24
	v_writelane_b32 v11, s5, 25
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_7
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 6
	v_readlane_b32 s5, v11, 7
	v_readlane_b32 s6, v11, 10
	v_readlane_b32 s7, v11, 11
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ngt_f64_e64 s[6:7], v[0:1], v[2:3]
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v11, s4, 26
	v_writelane_b32 v11, s5, 27
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 28
	v_writelane_b32 v11, s5, 29
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_5
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 8
	v_readlane_b32 s5, v11, 9
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v0, 1, v0
	v_cmp_eq_u32_e64 s[6:7], v0, 1
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v11, s4, 30
	v_writelane_b32 v11, s5, 31
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 32
	v_writelane_b32 v11, s5, 33
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_6
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 10
	v_readlane_b32 s5, v11, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b64 s[4:5], 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_eq_f64_e64 s[4:5], v[0:1], s[4:5]
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 30
	v_writelane_b32 v11, s5, 31
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_6
.LBB16_5:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v11, 28
	v_readlane_b32 s7, v11, 29
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 26
	v_readlane_b32 s5, v11, 27
	v_writelane_b32 v11, s4, 34
	v_writelane_b32 v11, s5, 35
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_8
.LBB16_6:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v11, 32
	v_readlane_b32 s7, v11, 33
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 30
	v_readlane_b32 s5, v11, 31
	s_orn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 26
	v_writelane_b32 v11, s5, 27
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_5
.LBB16_7:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v11, 24
	v_readlane_b32 s7, v11, 25
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v11, 22
	v_readlane_b32 s5, v11, 23
	v_writelane_b32 v11, s4, 36
	v_writelane_b32 v11, s5, 37
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_9
.LBB16_8:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 34
	v_readlane_b32 s5, v11, 35
	s_and_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v11, s4, 22
	v_writelane_b32 v11, s5, 23
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_7
.LBB16_9:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s6, v11, 36
	v_readlane_b32 s7, v11, 37
	s_mov_b64 s[4:5], -1
	v_writelane_b32 v11, s4, 38
	v_writelane_b32 v11, s5, 39
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 40
	v_writelane_b32 v11, s5, 41
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_12
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 14
	v_readlane_b32 s5, v11, 15
	v_readlane_b32 s6, v11, 10
	v_readlane_b32 s7, v11, 11
	v_readlane_b32 s8, v11, 6
	v_readlane_b32 s9, v11, 7
	v_readlane_b32 s10, v11, 4
	v_readlane_b32 s11, v11, 5
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[2:3]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[2:3], v[4:5]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v8, v3
	v_mov_b32_e32 v9, v2
	v_pk_mov_b32 v[4:5], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v10, v5
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v6, v9
	v_mov_b32_e32 v7, v8
	flat_atomic_cmpswap_x2 v[0:1], v[0:1], v[4:7] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a3, v0
	v_accvgpr_write_b32 a2, v1
	v_cmp_eq_u64_e64 s[4:5], v[0:1], v[2:3]
	v_cmp_ne_u64_e64 s[6:7], v[0:1], v[2:3]
	v_writelane_b32 v11, s4, 42
	v_writelane_b32 v11, s5, 43
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v11, s4, 44
	v_writelane_b32 v11, s5, 45
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB16_13
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 10
	v_readlane_b32 s5, v11, 11
	v_accvgpr_read_b32 v2, a3
	v_accvgpr_read_b32 v3, a2
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	s_branch .LBB16_13
.LBB16_12:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s8, v11, 40
	v_readlane_b32 s9, v11, 41
	s_or_b64 exec, exec, s[8:9]
	v_readlane_b32 s6, v11, 20
	v_readlane_b32 s7, v11, 21
	v_readlane_b32 s4, v11, 38
	v_readlane_b32 s5, v11, 39
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v11, s6, 18
	v_writelane_b32 v11, s7, 19
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v11, s6, 46
	v_writelane_b32 v11, s7, 47
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB16_1
	s_branch .LBB16_14
.LBB16_13:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s10, v11, 44
	v_readlane_b32 s11, v11, 45
	s_or_b64 exec, exec, s[10:11]
	v_readlane_b32 s4, v11, 12
	v_readlane_b32 s5, v11, 13
	v_readlane_b32 s6, v11, 16
	v_readlane_b32 s7, v11, 17
	v_readlane_b32 s8, v11, 42
	v_readlane_b32 s9, v11, 43
	v_cndmask_b32_e64 v2, 0, 1, s[8:9]
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_ubyte v0, v[0:1]
	s_mov_b32 s6, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_and_b32_e64 v2, v0, s6
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_byte v[0:1], v2
	s_mov_b64 s[4:5], 0
	s_xor_b64 s[4:5], exec, -1
	v_writelane_b32 v11, s4, 38
	v_writelane_b32 v11, s5, 39
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_write_b32 a1, v11
	s_mov_b64 exec, s[40:41]
	s_branch .LBB16_12
.LBB16_14:
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 46
	v_readlane_b32 s5, v11, 47
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[40:41], -1
	v_accvgpr_read_b32 v11, a1
	s_mov_b64 exec, s[40:41]
	v_readlane_b32 s4, v11, 10
	v_readlane_b32 s5, v11, 11
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	s_mov_b32 s4, 32
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshrrev_b64 v[0:1], s4, v[2:3]
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v0, v2
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v11, off, s[0:3], s33 offset:76
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s42
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end16:
	.size	_Z9atomicMinPdd, .Lfunc_end16-_Z9atomicMinPdd
	.set _Z9atomicMinPdd.num_vgpr, 12
	.set _Z9atomicMinPdd.num_agpr, 4
	.set _Z9atomicMinPdd.numbered_sgpr, 43
	.set _Z9atomicMinPdd.private_seg_size, 88
	.set _Z9atomicMinPdd.uses_vcc, 0
	.set _Z9atomicMinPdd.uses_flat_scratch, 0
	.set _Z9atomicMinPdd.has_dyn_sized_stack, 0
	.set _Z9atomicMinPdd.has_recursion, 0
	.set _Z9atomicMinPdd.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	min_double
	.globl	min_double
	.p2align	8
	.type	min_double,@function
min_double:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[26:27], s[16:17], 0x0
	s_load_dwordx2 s[22:23], s[16:17], 0x8
	s_mov_b64 s[24:25], 0
	s_mov_b32 s19, s25
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[30:31], s[20:21], s8
	s_mov_b32 s28, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s28
	s_mov_b32 s9, s30
	s_cselect_b32 s15, s9, s19
	s_mov_b32 s18, s24
	s_cselect_b32 s24, s20, s18
	s_mov_b32 s25, s15
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s28
	s_cselect_b32 s15, s9, s19
	s_cselect_b32 s20, s20, s18
	s_mov_b32 s21, s15
	s_mov_b32 s15, 16
	s_cmp_lg_u32 s15, s28
	s_cselect_b32 s9, s9, s19
	s_cselect_b32 s18, s15, s18
	s_mov_b32 s19, s9
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[26:27], s[26:27] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[22:23], s[22:23] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s8, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v3, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z9atomicMinPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z9atomicMinPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel min_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 120
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 48
		.amdhsa_next_free_sgpr 43
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end17:
	.size	min_double, .Lfunc_end17-min_double
	.set min_double.num_vgpr, max(41, _Z9atomicMinPdd.num_vgpr)
	.set min_double.num_agpr, max(0, _Z9atomicMinPdd.num_agpr)
	.set min_double.numbered_sgpr, max(34, _Z9atomicMinPdd.numbered_sgpr)
	.set min_double.private_seg_size, 32+max(_Z9atomicMinPdd.private_seg_size)
	.set min_double.uses_vcc, or(1, _Z9atomicMinPdd.uses_vcc)
	.set min_double.uses_flat_scratch, or(1, _Z9atomicMinPdd.uses_flat_scratch)
	.set min_double.has_dyn_sized_stack, or(0, _Z9atomicMinPdd.has_dyn_sized_stack)
	.set min_double.has_recursion, or(1, _Z9atomicMinPdd.has_recursion)
	.set min_double.has_indirect_call, or(0, _Z9atomicMinPdd.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z15unsafeAtomicAddPff,"axG",@progbits,_Z15unsafeAtomicAddPff,comdat
	.hidden	_Z15unsafeAtomicAddPff
	.weak	_Z15unsafeAtomicAddPff
	.p2align	2
	.type	_Z15unsafeAtomicAddPff,@function
_Z15unsafeAtomicAddPff:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s20, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v6, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x800
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[10:11], 0
	s_mov_b32 s12, s11
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[8:9], s[4:5], s6
	s_mov_b32 s13, -1
	s_lshr_b32 s4, s33, 6
	s_cmp_lg_u32 s4, s13
	s_mov_b32 s7, s8
	s_cselect_b32 s8, s7, s12
	s_mov_b32 s11, s10
	s_cselect_b32 s4, s4, s11
	s_mov_b32 s5, s8
	v_writelane_b32 v6, s4, 0
	v_writelane_b32 v6, s5, 1
	s_lshr_b32 s4, s33, 6
	s_add_i32 s4, s4, 8
	s_cmp_lg_u32 s4, s13
	s_cselect_b32 s8, s7, s12
	s_cselect_b32 s4, s4, s11
	s_mov_b32 s5, s8
	s_mov_b64 s[8:9], s[4:5]
	v_writelane_b32 v6, s8, 2
	v_writelane_b32 v6, s9, 3
	s_lshr_b32 s8, s33, 6
	s_add_i32 s8, s8, 16
	s_cmp_lg_u32 s8, s13
	s_cselect_b32 s10, s7, s12
	s_cselect_b32 s8, s8, s11
	s_mov_b32 s9, s10
	s_mov_b64 s[14:15], s[8:9]
	v_writelane_b32 v6, s14, 4
	v_writelane_b32 v6, s15, 5
	s_lshr_b32 s10, s33, 6
	s_add_i32 s10, s10, 20
	s_cmp_lg_u32 s10, s13
	s_cselect_b32 s7, s7, s12
	s_cselect_b32 s10, s10, s11
	s_mov_b32 s11, s7
	v_writelane_b32 v6, s10, 6
	v_writelane_b32 v6, s11, 7
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1] offset:4
	s_mov_b64 s[4:5], src_shared_base
	s_lshr_b64 s[4:5], s[4:5], s6
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v6, s6, 8
	v_writelane_b32 v6, s7, 9
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[18:19]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB18_1
	s_branch .LBB18_3
.LBB18_1:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 8
	v_readlane_b32 s5, v6, 9
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v6, s4, 10
	v_writelane_b32 v6, s5, 11
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[18:19]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB18_8
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 0
	v_readlane_b32 s5, v6, 1
	v_readlane_b32 s6, v6, 4
	v_readlane_b32 s7, v6, 5
	v_readlane_b32 s8, v6, 2
	v_readlane_b32 s9, v6, 3
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_mov_b64 s[8:9], 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u64_e64 s[8:9], v[0:1], s[8:9]
	v_mov_b32_e32 v1, v0
	s_mov_b32 s10, -1
	v_mov_b32_e32 v0, s10
	v_cndmask_b32_e64 v0, v0, v1, s[8:9]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_add_rtn_f32 v2, v0, v1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_8
.LBB18_3:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s6, v6, 2
	v_readlane_b32 s7, v6, 3
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[4:5], s[4:5], s8
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v6, s6, 12
	v_writelane_b32 v6, s7, 13
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[18:19]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB18_4
	s_branch .LBB18_6
.LBB18_4:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 12
	v_readlane_b32 s5, v6, 13
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v6, s4, 14
	v_writelane_b32 v6, s5, 15
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_write_b32 a0, v6
	s_mov_b64 exec, s[18:19]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB18_7
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 0
	v_readlane_b32 s5, v6, 1
	v_readlane_b32 s6, v6, 6
	v_readlane_b32 s7, v6, 7
	v_readlane_b32 s8, v6, 2
	v_readlane_b32 s9, v6, 3
	v_readlane_b32 s10, v6, 4
	v_readlane_b32 s11, v6, 5
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_load_dword v2, v[0:1]
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e64 v2, v0, v1
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_7
.LBB18_6:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 0
	v_readlane_b32 s5, v6, 1
	v_readlane_b32 s6, v6, 4
	v_readlane_b32 s7, v6, 5
	v_readlane_b32 s8, v6, 2
	v_readlane_b32 s9, v6, 3
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_atomic_add_f32 v2, v[0:1], v2, off glc
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0)
	flat_store_dword v[0:1], v2
	s_branch .LBB18_4
.LBB18_7:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s4, v6, 14
	v_readlane_b32 s5, v6, 15
	s_or_b64 exec, exec, s[4:5]
	s_branch .LBB18_1
.LBB18_8:
	s_or_saveexec_b64 s[18:19], -1
	v_accvgpr_read_b32 v6, a0
	s_mov_b64 exec, s[18:19]
	v_readlane_b32 s6, v6, 10
	v_readlane_b32 s7, v6, 11
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v6, 0
	v_readlane_b32 s5, v6, 1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v6, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s20
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end18:
	.size	_Z15unsafeAtomicAddPff, .Lfunc_end18-_Z15unsafeAtomicAddPff
	.set _Z15unsafeAtomicAddPff.num_vgpr, 7
	.set _Z15unsafeAtomicAddPff.num_agpr, 1
	.set _Z15unsafeAtomicAddPff.numbered_sgpr, 34
	.set _Z15unsafeAtomicAddPff.private_seg_size, 32
	.set _Z15unsafeAtomicAddPff.uses_vcc, 0
	.set _Z15unsafeAtomicAddPff.uses_flat_scratch, 0
	.set _Z15unsafeAtomicAddPff.has_dyn_sized_stack, 0
	.set _Z15unsafeAtomicAddPff.has_recursion, 0
	.set _Z15unsafeAtomicAddPff.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	unsafe_float
	.globl	unsafe_float
	.p2align	8
	.type	unsafe_float,@function
unsafe_float:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[24:25], s[16:17], 0x0
	s_load_dword s9, s[16:17], 0x8
	s_mov_b64 s[22:23], 0
	s_mov_b32 s26, s23
	s_mov_b64 s[18:19], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[18:19], s[18:19], s8
	s_mov_b32 s27, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s27
	s_mov_b32 s15, s18
	s_cselect_b32 s18, s15, s26
	s_mov_b32 s19, s22
	s_cselect_b32 s22, s20, s19
	s_mov_b32 s23, s18
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s27
	s_cselect_b32 s18, s15, s26
	s_cselect_b32 s20, s20, s19
	s_mov_b32 s21, s18
	s_mov_b32 s18, 16
	s_cmp_lg_u32 s18, s27
	s_cselect_b32 s15, s15, s26
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s15
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[24:25], s[24:25] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_mov_b32_e32 v2, s9
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[0:1]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v4
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v1, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z15unsafeAtomicAddPff@rel32@lo+4
	s_addc_u32 s17, s17, _Z15unsafeAtomicAddPff@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel unsafe_float
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 64
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 45
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
	.size	unsafe_float, .Lfunc_end19-unsafe_float
	.set unsafe_float.num_vgpr, max(41, _Z15unsafeAtomicAddPff.num_vgpr)
	.set unsafe_float.num_agpr, max(0, _Z15unsafeAtomicAddPff.num_agpr)
	.set unsafe_float.numbered_sgpr, max(34, _Z15unsafeAtomicAddPff.numbered_sgpr)
	.set unsafe_float.private_seg_size, 32+max(_Z15unsafeAtomicAddPff.private_seg_size)
	.set unsafe_float.uses_vcc, or(1, _Z15unsafeAtomicAddPff.uses_vcc)
	.set unsafe_float.uses_flat_scratch, or(1, _Z15unsafeAtomicAddPff.uses_flat_scratch)
	.set unsafe_float.has_dyn_sized_stack, or(0, _Z15unsafeAtomicAddPff.has_dyn_sized_stack)
	.set unsafe_float.has_recursion, or(1, _Z15unsafeAtomicAddPff.has_recursion)
	.set unsafe_float.has_indirect_call, or(0, _Z15unsafeAtomicAddPff.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z15unsafeAtomicAddPdd,"axG",@progbits,_Z15unsafeAtomicAddPdd,comdat
	.hidden	_Z15unsafeAtomicAddPdd
	.weak	_Z15unsafeAtomicAddPdd
	.p2align	2
	.type	_Z15unsafeAtomicAddPdd,@function
_Z15unsafeAtomicAddPdd:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s18, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v8, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x800
	v_accvgpr_write_b32 a0, v3
	v_mov_b32_e32 v4, v0
	v_accvgpr_read_b32 v0, a0
	v_mov_b32_e32 v3, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[12:13], 0
	s_mov_b32 s10, s13
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	s_mov_b32 s11, -1
	s_lshr_b32 s8, s33, 6
	s_add_i32 s8, s8, 8
	s_cmp_lg_u32 s8, s11
	s_mov_b32 s7, s4
	s_cselect_b32 s4, s7, s10
	s_mov_b32 s5, s12
	s_cselect_b32 s8, s8, s5
	s_mov_b32 s9, s4
	s_lshr_b32 s4, s33, 6
	s_add_i32 s4, s4, 16
	s_cmp_lg_u32 s4, s11
	s_cselect_b32 s7, s7, s10
	s_cselect_b32 s4, s4, s5
	s_mov_b32 s5, s7
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a2, v0
	v_accvgpr_write_b32 a1, v1
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a4, v2
	v_accvgpr_write_b32 a3, v3
	v_mov_b32_e32 v0, v1
	s_mov_b64 s[4:5], src_shared_base
	s_lshr_b64 s[4:5], s[4:5], s6
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v8, s6, 0
	v_writelane_b32 v8, s7, 1
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a5, v8
	s_mov_b64 exec, s[16:17]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB20_1
	s_branch .LBB20_3
.LBB20_1:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v8, a5
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v8, 0
	v_readlane_b32 s5, v8, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_read_b32 v0, a7
	v_accvgpr_read_b32 v1, a6
	v_accvgpr_write_b32 a9, v0
	v_accvgpr_write_b32 a8, v1
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v8, s4, 2
	v_writelane_b32 v8, s5, 3
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a5, v8
	s_mov_b64 exec, s[16:17]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB20_8
	v_accvgpr_read_b32 v2, a4
	v_accvgpr_read_b32 v3, a3
	v_accvgpr_read_b32 v0, a2
	v_accvgpr_read_b32 v1, a1
	s_mov_b64 s[4:5], 0
	v_cmp_ne_u64_e64 s[4:5], v[0:1], s[4:5]
	v_mov_b32_e32 v1, v0
	s_mov_b32 s6, -1
	v_mov_b32_e32 v0, s6
	v_cndmask_b32_e64 v0, v0, v1, s[4:5]
	ds_add_rtn_f64 v[0:1], v0, v[2:3]
	s_waitcnt lgkmcnt(0)
	v_accvgpr_write_b32 a9, v0
	v_accvgpr_write_b32 a8, v1
	s_branch .LBB20_8
.LBB20_3:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v8, a5
	s_mov_b64 exec, s[16:17]
	v_accvgpr_read_b32 v0, a2
	v_accvgpr_read_b32 v1, a1
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	v_mov_b32_e32 v0, v1
	v_cmp_ne_u32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v8, s6, 4
	v_writelane_b32 v8, s7, 5
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a5, v8
	s_mov_b64 exec, s[16:17]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB20_4
	s_branch .LBB20_6
.LBB20_4:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v8, a5
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v8, 4
	v_readlane_b32 s5, v8, 5
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_read_b32 v0, a11
	v_accvgpr_read_b32 v1, a10
	v_accvgpr_write_b32 a13, v0
	v_accvgpr_write_b32 a12, v1
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v8, s4, 6
	v_writelane_b32 v8, s5, 7
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a5, v8
	s_mov_b64 exec, s[16:17]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB20_7
	v_accvgpr_read_b32 v6, a4
	v_accvgpr_read_b32 v7, a3
	v_accvgpr_read_b32 v0, a2
	v_accvgpr_read_b32 v1, a1
	s_mov_b64 s[4:5], 0
	v_cmp_ne_u64_e64 s[4:5], v[0:1], s[4:5]
	v_mov_b32_e32 v1, v0
	s_mov_b32 s6, -1
	v_mov_b32_e32 v0, s6
	v_cndmask_b32_e64 v3, v0, v1, s[4:5]
	buffer_load_dword v4, v3, s[0:3], 0 offen
	buffer_load_dword v0, v3, s[0:3], 0 offen offset:4
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v5, v0
	v_pk_mov_b32 v[0:1], v[4:5], v[4:5] op_sel:[0,1]
	v_add_f64 v[4:5], v[4:5], v[6:7]
	v_mov_b32_e32 v2, v5
	buffer_store_dword v2, v3, s[0:3], 0 offen offset:4
	v_mov_b32_e32 v2, v4
	buffer_store_dword v2, v3, s[0:3], 0 offen
	v_accvgpr_write_b32 a13, v0
	v_accvgpr_write_b32 a12, v1
	s_branch .LBB20_7
.LBB20_6:
	v_accvgpr_read_b32 v0, a2
	v_accvgpr_read_b32 v1, a1
	v_accvgpr_read_b32 v2, a4
	v_accvgpr_read_b32 v3, a3
	global_atomic_add_f64 v[0:1], v[0:1], v[2:3], off glc
	s_waitcnt vmcnt(0)
	v_accvgpr_write_b32 a11, v0
	v_accvgpr_write_b32 a10, v1
	s_branch .LBB20_4
.LBB20_7:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v8, a5
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v8, 6
	v_readlane_b32 s5, v8, 7
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a13
	v_accvgpr_read_b32 v1, a12
	v_accvgpr_write_b32 a7, v0
	v_accvgpr_write_b32 a6, v1
	s_branch .LBB20_1
.LBB20_8:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v8, a5
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v8, 2
	v_readlane_b32 s5, v8, 3
	s_or_b64 exec, exec, s[4:5]
	v_accvgpr_read_b32 v0, a9
	v_accvgpr_read_b32 v1, a8
	v_accvgpr_write_b32 a15, v0
	v_accvgpr_write_b32 a14, v1
	v_accvgpr_read_b32 v2, a15
	v_accvgpr_read_b32 v3, a14
	s_mov_b32 s4, 32
	v_lshrrev_b64 v[0:1], s4, v[2:3]
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v0, v2
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v8, off, s[0:3], s33 offset:24
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s18
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end20:
	.size	_Z15unsafeAtomicAddPdd, .Lfunc_end20-_Z15unsafeAtomicAddPdd
	.set _Z15unsafeAtomicAddPdd.num_vgpr, 9
	.set _Z15unsafeAtomicAddPdd.num_agpr, 16
	.set _Z15unsafeAtomicAddPdd.numbered_sgpr, 34
	.set _Z15unsafeAtomicAddPdd.private_seg_size, 32
	.set _Z15unsafeAtomicAddPdd.uses_vcc, 0
	.set _Z15unsafeAtomicAddPdd.uses_flat_scratch, 0
	.set _Z15unsafeAtomicAddPdd.has_dyn_sized_stack, 0
	.set _Z15unsafeAtomicAddPdd.has_recursion, 0
	.set _Z15unsafeAtomicAddPdd.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	unsafe_double
	.globl	unsafe_double
	.p2align	8
	.type	unsafe_double,@function
unsafe_double:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x800
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
	s_load_dwordx2 s[26:27], s[16:17], 0x0
	s_load_dwordx2 s[22:23], s[16:17], 0x8
	s_mov_b64 s[24:25], 0
	s_mov_b32 s19, s25
	s_mov_b64 s[20:21], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[30:31], s[20:21], s8
	s_mov_b32 s28, -1
	s_mov_b32 s20, 0
	s_cmp_lg_u32 s20, s28
	s_mov_b32 s9, s30
	s_cselect_b32 s15, s9, s19
	s_mov_b32 s18, s24
	s_cselect_b32 s24, s20, s18
	s_mov_b32 s25, s15
	s_mov_b32 s20, 8
	s_cmp_lg_u32 s20, s28
	s_cselect_b32 s15, s9, s19
	s_cselect_b32 s20, s20, s18
	s_mov_b32 s21, s15
	s_mov_b32 s15, 16
	s_cmp_lg_u32 s15, s28
	s_cselect_b32 s9, s9, s19
	s_cselect_b32 s18, s15, s18
	s_mov_b32 s19, s9
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[26:27], s[26:27] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[22:23], s[22:23] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[6:7], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v0, v6
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[4:5], v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v4
	v_lshrrev_b64 v[6:7], s8, v[6:7]
	v_mov_b32_e32 v1, v6
	v_lshrrev_b64 v[4:5], s8, v[4:5]
	v_mov_b32_e32 v3, v4
	s_mov_b64 s[18:19], 16
	s_mov_b32 s8, s16
	s_mov_b32 s9, s17
	s_mov_b32 s16, s18
	s_mov_b32 s15, s19
	s_add_u32 s8, s8, s16
	s_addc_u32 s15, s9, s15
	s_mov_b32 s9, s15
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z15unsafeAtomicAddPdd@rel32@lo+4
	s_addc_u32 s17, s17, _Z15unsafeAtomicAddPdd@rel32@hi+12
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel unsafe_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 64
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 60
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
	.size	unsafe_double, .Lfunc_end21-unsafe_double
	.set unsafe_double.num_vgpr, max(41, _Z15unsafeAtomicAddPdd.num_vgpr)
	.set unsafe_double.num_agpr, max(0, _Z15unsafeAtomicAddPdd.num_agpr)
	.set unsafe_double.numbered_sgpr, max(34, _Z15unsafeAtomicAddPdd.numbered_sgpr)
	.set unsafe_double.private_seg_size, 32+max(_Z15unsafeAtomicAddPdd.private_seg_size)
	.set unsafe_double.uses_vcc, or(1, _Z15unsafeAtomicAddPdd.uses_vcc)
	.set unsafe_double.uses_flat_scratch, or(1, _Z15unsafeAtomicAddPdd.uses_flat_scratch)
	.set unsafe_double.has_dyn_sized_stack, or(0, _Z15unsafeAtomicAddPdd.has_dyn_sized_stack)
	.set unsafe_double.has_recursion, or(1, _Z15unsafeAtomicAddPdd.has_recursion)
	.set unsafe_double.has_indirect_call, or(0, _Z15unsafeAtomicAddPdd.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	__ockl_get_local_id,@function
__ockl_get_local_id:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s12, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v2, off, s[0:3], s33 offset:36
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0xb00
	buffer_store_dword v31, off, s[0:3], s33 offset:8
	buffer_store_dword v0, off, s[0:3], s33 offset:4
	buffer_load_dword v0, off, s[0:3], s33 offset:4
	s_mov_b32 s4, 0
	s_waitcnt vmcnt(0)
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 0
	v_writelane_b32 v2, s7, 1
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_4
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	buffer_load_dword v0, off, s[0:3], s33 offset:4
	s_mov_b32 s4, 1
	s_waitcnt vmcnt(0)
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v2, s6, 2
	v_writelane_b32 v2, s7, 3
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_7
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	buffer_load_dword v0, off, s[0:3], s33 offset:4
	s_mov_b32 s4, 2
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e64 s[6:7], v0, s4
	v_mov_b32_e32 v0, 0
	buffer_store_dword v0, off, s[0:3], s33 offset:12
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v2, s4, 4
	v_writelane_b32 v2, s5, 5
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_10
	s_branch .LBB22_9
.LBB22_4:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 0
	v_readlane_b32 s5, v2, 1
	s_or_saveexec_b64 s[4:5], s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:20
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:16
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 6
	v_writelane_b32 v2, s5, 7
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB22_13
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	buffer_load_dword v1, off, s[0:3], s33 offset:4
	v_mov_b32_e32 v0, 0
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e64 s[6:7], v1, v0
	buffer_store_dword v0, off, s[0:3], s33 offset:24
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v2, s4, 8
	v_writelane_b32 v2, s5, 9
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB22_12
	buffer_load_dword v0, off, s[0:3], s33 offset:8
	s_mov_b32 s4, 0x3ff
	s_waitcnt vmcnt(0)
	v_and_b32_e64 v0, v0, s4
	buffer_store_dword v0, off, s[0:3], s33 offset:24
	s_branch .LBB22_12
.LBB22_7:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 2
	v_readlane_b32 s5, v2, 3
	s_or_saveexec_b64 s[4:5], s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:32
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:28
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v2, s4, 10
	v_writelane_b32 v2, s5, 11
	s_or_saveexec_b64 s[10:11], -1
	buffer_store_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB22_11
	buffer_load_dword v0, off, s[0:3], s33 offset:8
	s_waitcnt vmcnt(0)
	v_bfe_u32 v0, v0, 10, 10
	buffer_store_dword v0, off, s[0:3], s33 offset:28
	s_branch .LBB22_11
.LBB22_9:
	buffer_load_dword v0, off, s[0:3], s33 offset:8
	s_waitcnt vmcnt(0)
	v_bfe_u32 v0, v0, 20, 10
	buffer_store_dword v0, off, s[0:3], s33 offset:12
.LBB22_10:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 4
	v_readlane_b32 s5, v2, 5
	s_or_b64 exec, exec, s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:12
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:32
	s_branch .LBB22_7
.LBB22_11:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 10
	v_readlane_b32 s5, v2, 11
	s_or_b64 exec, exec, s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:28
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:20
	s_branch .LBB22_4
.LBB22_12:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 8
	v_readlane_b32 s5, v2, 9
	s_or_b64 exec, exec, s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:24
	s_waitcnt vmcnt(0)
	buffer_store_dword v0, off, s[0:3], s33 offset:16
.LBB22_13:
	s_or_saveexec_b64 s[10:11], -1
	buffer_load_dword v2, off, s[0:3], s33
	s_mov_b64 exec, s[10:11]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v2, 6
	v_readlane_b32 s5, v2, 7
	s_or_b64 exec, exec, s[4:5]
	buffer_load_dword v0, off, s[0:3], s33 offset:16
	v_mov_b32_e32 v1, 0
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v2, off, s[0:3], s33 offset:36
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s12
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end22:
	.size	__ockl_get_local_id, .Lfunc_end22-__ockl_get_local_id
	.set .L__ockl_get_local_id.num_vgpr, 32
	.set .L__ockl_get_local_id.num_agpr, 0
	.set .L__ockl_get_local_id.numbered_sgpr, 34
	.set .L__ockl_get_local_id.private_seg_size, 44
	.set .L__ockl_get_local_id.uses_vcc, 0
	.set .L__ockl_get_local_id.uses_flat_scratch, 0
	.set .L__ockl_get_local_id.has_dyn_sized_stack, 0
	.set .L__ockl_get_local_id.has_recursion, 0
	.set .L__ockl_get_local_id.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z9atomicAddPii,"axG",@progbits,_Z9atomicAddPii,comdat
	.hidden	_Z9atomicAddPii
	.weak	_Z9atomicAddPii
	.p2align	2
	.type	_Z9atomicAddPii,@function
_Z9atomicAddPii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s15, s33
	s_mov_b32 s33, s32
	s_add_i32 s32, s32, 0x800
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v5, v1
	s_mov_b64 s[8:9], 0
	s_mov_b32 s13, s9
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[4:5], s[4:5], s6
	s_mov_b32 s14, -1
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 8
	s_cmp_lg_u32 s6, s14
	s_mov_b32 s12, s4
	s_cselect_b32 s4, s12, s13
	s_mov_b32 s5, s8
	s_cselect_b32 s10, s6, s5
	s_mov_b32 s11, s4
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 16
	s_cmp_lg_u32 s6, s14
	s_cselect_b32 s4, s12, s13
	s_cselect_b32 s8, s6, s5
	s_mov_b32 s9, s4
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 20
	s_cmp_lg_u32 s6, s14
	s_cselect_b32 s4, s12, s13
	s_cselect_b32 s6, s6, s5
	s_mov_b32 s7, s4
	s_lshr_b32 s4, s33, 6
	s_add_i32 s4, s4, 24
	s_cmp_lg_u32 s4, s14
	s_cselect_b32 s12, s12, s13
	s_cselect_b32 s4, s4, s5
	s_mov_b32 s5, s12
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[4:5]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dword v4, v[2:3]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[2:3], v4
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_atomic_add v2, v[0:1], v2 glc
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s32, s33
	s_mov_b32 s33, s15
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end23:
	.size	_Z9atomicAddPii, .Lfunc_end23-_Z9atomicAddPii
	.set _Z9atomicAddPii.num_vgpr, 6
	.set _Z9atomicAddPii.num_agpr, 0
	.set _Z9atomicAddPii.numbered_sgpr, 34
	.set _Z9atomicAddPii.private_seg_size, 32
	.set _Z9atomicAddPii.uses_vcc, 0
	.set _Z9atomicAddPii.uses_flat_scratch, 0
	.set _Z9atomicAddPii.has_dyn_sized_stack, 0
	.set _Z9atomicAddPii.has_recursion, 0
	.set _Z9atomicAddPii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	add_int
	.globl	add_int
	.p2align	8
	.type	add_int,@function
add_int:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0xc00
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v40, s16, 0
	v_writelane_b32 v40, s15, 1
	v_writelane_b32 v40, s14, 2
	v_writelane_b32 v40, s10, 3
	v_writelane_b32 v40, s11, 4
	v_writelane_b32 v40, s8, 5
	v_writelane_b32 v40, s9, 6
	v_writelane_b32 v40, s6, 7
	v_writelane_b32 v40, s7, 8
	v_writelane_b32 v40, s4, 9
	v_writelane_b32 v40, s5, 10
	v_mov_b32_e32 v31, v0
	v_accvgpr_write_b32 a32, v31
	s_load_dword s6, s[8:9], 0x0
	s_load_dwordx2 s[12:13], s[8:9], 0x8
	s_mov_b64 s[8:9], 0
	v_writelane_b32 v40, s8, 11
	v_writelane_b32 v40, s9, 12
	s_mov_b32 s16, s9
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s7, 32
	s_lshr_b64 s[10:11], s[4:5], s7
	s_mov_b32 s17, -1
	s_mov_b32 s5, 8
	s_cmp_lg_u32 s5, s17
	s_mov_b32 s7, s10
	s_cselect_b32 s4, s7, s16
	s_mov_b32 s15, s8
	s_cselect_b32 s10, s5, s15
	s_mov_b32 s11, s4
	s_mov_b32 s5, 16
	s_cmp_lg_u32 s5, s17
	s_cselect_b32 s4, s7, s16
	s_cselect_b32 s8, s5, s15
	s_mov_b32 s9, s4
	s_mov_b64 s[4:5], s[8:9]
	v_writelane_b32 v40, s4, 13
	v_writelane_b32 v40, s5, 14
	s_mov_b32 s4, 24
	s_cmp_lg_u32 s4, s17
	s_cselect_b32 s14, s7, s16
	s_cselect_b32 s4, s4, s15
	s_mov_b32 s5, s14
	s_mov_b64 s[18:19], s[4:5]
	v_writelane_b32 v40, s18, 15
	v_writelane_b32 v40, s19, 16
	s_mov_b32 s14, 32
	s_cmp_lg_u32 s14, s17
	s_cselect_b32 s7, s7, s16
	s_cselect_b32 s14, s14, s15
	s_mov_b32 s15, s7
	v_writelane_b32 v40, s14, 17
	v_writelane_b32 v40, s15, 18
	v_writelane_b32 v40, s14, 19
	v_writelane_b32 v40, s15, 20
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[2:3], s[12:13], s[12:13] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	v_mov_b32_e32 v4, s6
	flat_store_dword v[0:1], v4
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, __ockl_get_local_id@rel32@lo+4
	s_addc_u32 s5, s5, __ockl_get_local_id@rel32@hi+12
	s_mov_b64 s[10:11], s[2:3]
	s_mov_b64 s[8:9], s[0:1]
	v_mov_b32_e32 v0, 0
	s_mov_b64 s[0:1], s[8:9]
	s_mov_b64 s[2:3], s[10:11]
	s_swappc_b64 s[30:31], s[4:5]
	v_readlane_b32 s6, v40, 17
	v_readlane_b32 s7, v40, 18
	v_readlane_b32 s4, v40, 11
	v_readlane_b32 s5, v40, 12
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v1, v2
	v_mov_b32_e32 v2, v0
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_writelane_b32 v40, s4, 21
	v_writelane_b32 v40, s5, 22
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[34:35]
.LBB24_1:
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[34:35]
	v_readlane_b32 s6, v40, 13
	v_readlane_b32 s7, v40, 14
	v_readlane_b32 s8, v40, 19
	v_readlane_b32 s9, v40, 20
	v_readlane_b32 s4, v40, 23
	v_readlane_b32 s5, v40, 24
	v_readlane_b32 s10, v40, 21
	v_readlane_b32 s11, v40, 22
	v_writelane_b32 v40, s10, 25
	v_writelane_b32 v40, s11, 26
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, v1
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 27
	v_writelane_b32 v40, s5, 28
	v_writelane_b32 v40, s4, 29
	v_writelane_b32 v40, s5, 30
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v40, s4, 31
	v_writelane_b32 v40, s5, 32
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[34:35]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB24_3
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[34:35]
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
	v_readlane_b32 s8, v40, 19
	v_readlane_b32 s9, v40, 20
	v_readlane_b32 s18, v40, 15
	v_readlane_b32 s19, v40, 16
	v_accvgpr_read_b32 v31, a32
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[8:9], s[8:9] op_sel:[0,1]
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
	s_branch .LBB24_4
.LBB24_3:
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[34:35]
	v_readlane_b32 s4, v40, 31
	v_readlane_b32 s5, v40, 32
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 25
	v_readlane_b32 s9, v40, 26
	v_readlane_b32 s6, v40, 29
	v_readlane_b32 s7, v40, 30
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 23
	v_writelane_b32 v40, s7, 24
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 21
	v_writelane_b32 v40, s7, 22
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 33
	v_writelane_b32 v40, s7, 34
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[34:35]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB24_1
	s_branch .LBB24_5
.LBB24_4:
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[34:35]
	v_readlane_b32 s4, v40, 27
	v_readlane_b32 s5, v40, 28
	v_readlane_b32 s6, v40, 19
	v_readlane_b32 s7, v40, 20
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s8, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v0, s8
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v40, s4, 29
	v_writelane_b32 v40, s5, 30
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[34:35]
	s_branch .LBB24_3
.LBB24_5:
	s_or_saveexec_b64 s[34:35], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[34:35]
	v_readlane_b32 s4, v40, 33
	v_readlane_b32 s5, v40, 34
	s_or_b64 exec, exec, s[4:5]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel add_int
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 92
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 78
		.amdhsa_next_free_sgpr 36
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end24:
	.size	add_int, .Lfunc_end24-add_int
	.set add_int.num_vgpr, max(41, .L__ockl_get_local_id.num_vgpr, _Z9atomicAddPii.num_vgpr)
	.set add_int.num_agpr, max(34, .L__ockl_get_local_id.num_agpr, _Z9atomicAddPii.num_agpr)
	.set add_int.numbered_sgpr, max(36, .L__ockl_get_local_id.numbered_sgpr, _Z9atomicAddPii.numbered_sgpr)
	.set add_int.private_seg_size, 48+max(.L__ockl_get_local_id.private_seg_size, _Z9atomicAddPii.private_seg_size)
	.set add_int.uses_vcc, or(1, .L__ockl_get_local_id.uses_vcc, _Z9atomicAddPii.uses_vcc)
	.set add_int.uses_flat_scratch, or(1, .L__ockl_get_local_id.uses_flat_scratch, _Z9atomicAddPii.uses_flat_scratch)
	.set add_int.has_dyn_sized_stack, or(0, .L__ockl_get_local_id.has_dyn_sized_stack, _Z9atomicAddPii.has_dyn_sized_stack)
	.set add_int.has_recursion, or(1, .L__ockl_get_local_id.has_recursion, _Z9atomicAddPii.has_recursion)
	.set add_int.has_indirect_call, or(0, .L__ockl_get_local_id.has_indirect_call, _Z9atomicAddPii.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text._Z7wrappedii,"axG",@progbits,_Z7wrappedii,comdat
	.hidden	_Z7wrappedii
	.weak	_Z7wrappedii
	.p2align	2
	.type	_Z7wrappedii,@function
_Z7wrappedii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s11, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[4:5], -1
	buffer_store_dword v4, off, s[0:3], s33 offset:12
	s_mov_b64 exec, s[4:5]
	s_add_i32 s32, s32, 0x500
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v3, v0
	s_mov_b64 s[12:13], 0
	s_mov_b32 s9, s13
	s_mov_b64 s[4:5], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[6:7], s[4:5], s6
	s_mov_b32 s10, -1
	s_lshr_b32 s4, s33, 6
	s_cmp_lg_u32 s4, s10
	s_mov_b32 s8, s6
	s_cselect_b32 s6, s8, s9
	s_mov_b32 s7, s12
	s_cselect_b32 s4, s4, s7
	s_mov_b32 s5, s6
	v_writelane_b32 v4, s4, 0
	v_writelane_b32 v4, s5, 1
	s_lshr_b32 s4, s33, 6
	s_add_i32 s4, s4, 4
	s_cmp_lg_u32 s4, s10
	s_cselect_b32 s6, s8, s9
	s_cselect_b32 s4, s4, s7
	s_mov_b32 s5, s6
	s_mov_b64 s[12:13], s[4:5]
	v_writelane_b32 v4, s12, 2
	v_writelane_b32 v4, s13, 3
	s_lshr_b32 s6, s33, 6
	s_add_i32 s6, s6, 8
	s_cmp_lg_u32 s6, s10
	s_cselect_b32 s8, s8, s9
	s_cselect_b32 s6, s6, s7
	s_mov_b32 s7, s8
	s_mov_b64 s[8:9], s[6:7]
	v_writelane_b32 v4, s8, 4
	v_writelane_b32 v4, s9, 5
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v3
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[4:5], v0, v1
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v4, s6, 6
	v_writelane_b32 v4, s7, 7
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a0, v4
	s_mov_b64 exec, s[16:17]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB25_6
	s_branch .LBB25_2
.LBB25_1:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 0
	v_readlane_b32 s5, v4, 1
	v_readlane_b32 s6, v4, 2
	v_readlane_b32 s7, v4, 3
	v_readlane_b32 s8, v4, 4
	v_readlane_b32 s9, v4, 5
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v2, v0, v1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_branch .LBB25_8
.LBB25_2:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 4
	v_readlane_b32 s5, v4, 5
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s4, -1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_gt_i32_e64 s[4:5], v0, s4
	s_mov_b64 s[6:7], exec
	s_and_b64 s[4:5], s[6:7], s[4:5]
	s_xor_b64 s[6:7], s[4:5], s[6:7]
	v_writelane_b32 v4, s6, 8
	v_writelane_b32 v4, s7, 9
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a0, v4
	s_mov_b64 exec, s[16:17]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB25_3
	s_branch .LBB25_5
.LBB25_3:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 8
	v_readlane_b32 s5, v4, 9
	s_or_saveexec_b64 s[4:5], s[4:5]
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_write_b32 a2, v0
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v4, s4, 10
	v_writelane_b32 v4, s5, 11
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a0, v4
	s_mov_b64 exec, s[16:17]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB25_7
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 2
	v_readlane_b32 s5, v4, 3
	v_readlane_b32 s6, v4, 4
	v_readlane_b32 s7, v4, 5
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v0, v0, v1
	v_accvgpr_write_b32 a2, v0
	s_branch .LBB25_7
.LBB25_5:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 4
	v_readlane_b32 s5, v4, 5
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a1, v0
	s_branch .LBB25_3
.LBB25_6:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s4, v4, 6
	v_readlane_b32 s5, v4, 7
	s_or_saveexec_b64 s[4:5], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	v_writelane_b32 v4, s4, 12
	v_writelane_b32 v4, s5, 13
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_write_b32 a0, v4
	s_mov_b64 exec, s[16:17]
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB25_8
	s_branch .LBB25_1
.LBB25_7:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s6, v4, 10
	v_readlane_b32 s7, v4, 11
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v4, 0
	v_readlane_b32 s5, v4, 1
	v_accvgpr_read_b32 v2, a2
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_branch .LBB25_6
.LBB25_8:
	s_or_saveexec_b64 s[16:17], -1
	v_accvgpr_read_b32 v4, a0
	s_mov_b64 exec, s[16:17]
	v_readlane_b32 s6, v4, 12
	v_readlane_b32 s7, v4, 13
	s_or_b64 exec, exec, s[6:7]
	v_readlane_b32 s4, v4, 0
	v_readlane_b32 s5, v4, 1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[4:5], -1
	buffer_load_dword v4, off, s[0:3], s33 offset:12
	s_mov_b64 exec, s[4:5]
	s_mov_b32 s33, s11
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end25:
	.size	_Z7wrappedii, .Lfunc_end25-_Z7wrappedii
	.set _Z7wrappedii.num_vgpr, 5
	.set _Z7wrappedii.num_agpr, 3
	.set _Z7wrappedii.numbered_sgpr, 34
	.set _Z7wrappedii.private_seg_size, 20
	.set _Z7wrappedii.uses_vcc, 0
	.set _Z7wrappedii.uses_flat_scratch, 0
	.set _Z7wrappedii.has_dyn_sized_stack, 0
	.set _Z7wrappedii.has_recursion, 0
	.set _Z7wrappedii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	mesh
	.globl	mesh
	.p2align	8
	.type	mesh,@function
mesh:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x1400
	s_add_u32 flat_scratch_lo, s12, s17
	s_addc_u32 flat_scratch_hi, s13, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_writelane_b32 v41, s16, 0
	v_writelane_b32 v41, s15, 1
	v_writelane_b32 v41, s14, 2
	v_writelane_b32 v41, s10, 3
	v_writelane_b32 v41, s11, 4
	s_mov_b64 s[30:31], s[8:9]
	v_writelane_b32 v41, s30, 5
	v_writelane_b32 v41, s31, 6
	v_writelane_b32 v41, s6, 7
	v_writelane_b32 v41, s7, 8
	v_writelane_b32 v41, s4, 9
	v_writelane_b32 v41, s5, 10
	v_accvgpr_write_b32 a32, v0
	s_load_dwordx2 s[22:23], s[30:31], 0x18
	s_load_dword s13, s[30:31], 0x20
	s_load_dword s12, s[30:31], 0x24
	s_load_dword s7, s[30:31], 0x28
	s_mov_b64 s[4:5], 0
	s_mov_b32 s27, s5
	v_writelane_b32 v41, s27, 11
	s_mov_b64 s[8:9], src_private_base
	s_mov_b32 s6, 32
	s_lshr_b64 s[10:11], s[8:9], s6
	s_mov_b32 s6, -1
	v_writelane_b32 v41, s6, 12
	s_mov_b32 s9, 0
	s_cmp_lg_u32 s9, s6
	s_mov_b32 s26, s10
	v_writelane_b32 v41, s26, 13
	s_cselect_b32 s8, s26, s27
	s_mov_b32 s25, s4
	v_writelane_b32 v41, s25, 14
	s_cselect_b32 s28, s9, s25
	s_mov_b32 s29, s8
	s_mov_b64 s[8:9], s[28:29]
	v_writelane_b32 v41, s8, 15
	v_writelane_b32 v41, s9, 16
	s_mov_b32 s9, 24
	s_cmp_lg_u32 s9, s6
	s_cselect_b32 s8, s26, s27
	s_cselect_b32 s20, s9, s25
	s_mov_b32 s21, s8
	s_mov_b32 s9, 32
	s_cmp_lg_u32 s9, s6
	s_cselect_b32 s8, s26, s27
	s_cselect_b32 s18, s9, s25
	s_mov_b32 s19, s8
	s_mov_b64 s[8:9], s[18:19]
	v_writelane_b32 v41, s8, 17
	v_writelane_b32 v41, s9, 18
	s_mov_b32 s9, 40
	s_cmp_lg_u32 s9, s6
	s_cselect_b32 s8, s26, s27
	s_cselect_b32 s16, s9, s25
	s_mov_b32 s17, s8
	s_mov_b64 s[8:9], s[16:17]
	v_writelane_b32 v41, s8, 19
	v_writelane_b32 v41, s9, 20
	s_mov_b32 s9, 44
	s_cmp_lg_u32 s9, s6
	s_cselect_b32 s8, s26, s27
	s_cselect_b32 s14, s9, s25
	s_mov_b32 s15, s8
	s_mov_b64 s[8:9], s[14:15]
	v_writelane_b32 v41, s8, 21
	v_writelane_b32 v41, s9, 22
	s_mov_b32 s9, 48
	s_cmp_lg_u32 s9, s6
	s_cselect_b32 s8, s26, s27
	s_cselect_b32 s10, s9, s25
	s_mov_b32 s11, s8
	s_mov_b64 s[8:9], s[10:11]
	v_writelane_b32 v41, s8, 23
	v_writelane_b32 v41, s9, 24
	s_mov_b32 s8, 52
	s_cmp_lg_u32 s8, s6
	s_cselect_b32 s24, s26, s27
	s_cselect_b32 s8, s8, s25
	s_mov_b32 s9, s24
	s_mov_b64 s[34:35], s[8:9]
	v_writelane_b32 v41, s34, 25
	v_writelane_b32 v41, s35, 26
	s_mov_b32 s34, 56
	s_cmp_lg_u32 s34, s6
	s_cselect_b32 s24, s26, s27
	s_cselect_b32 s34, s34, s25
	s_mov_b32 s35, s24
	v_writelane_b32 v41, s34, 27
	v_writelane_b32 v41, s35, 28
	s_mov_b32 s34, 60
	s_cmp_lg_u32 s34, s6
	s_cselect_b32 s24, s26, s27
	s_cselect_b32 s34, s34, s25
	s_mov_b32 s35, s24
	v_writelane_b32 v41, s34, 29
	v_writelane_b32 v41, s35, 30
	s_mov_b32 s34, 64
	s_cmp_lg_u32 s34, s6
	s_cselect_b32 s24, s26, s27
	s_cselect_b32 s34, s34, s25
	s_mov_b32 s35, s24
	v_writelane_b32 v41, s34, 31
	v_writelane_b32 v41, s35, 32
	s_mov_b32 s24, 0x44
	s_cmp_lg_u32 s24, s6
	s_cselect_b32 s26, s26, s27
	s_cselect_b32 s24, s24, s25
	s_mov_b32 s25, s26
	v_writelane_b32 v41, s24, 33
	v_writelane_b32 v41, s25, 34
	s_load_dwordx4 s[24:27], s[30:31], 0x0
	s_nop 0
	s_load_dword s30, s[30:31], 0x10
	v_pk_mov_b32 v[0:1], s[28:29], s[28:29] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s30
	flat_store_dword v[0:1], v2 offset:16
	v_pk_mov_b32 v[0:1], s[28:29], s[28:29] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[24:25], s[24:25] op_sel:[0,1]
	v_pk_mov_b32 v[4:5], s[26:27], s[26:27] op_sel:[0,1]
	flat_store_dwordx4 v[0:1], v[2:5]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[22:23], s[22:23] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[16:17], s[16:17] op_sel:[0,1]
	v_mov_b32_e32 v2, s13
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[14:15], s[14:15] op_sel:[0,1]
	v_mov_b32_e32 v2, s12
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[10:11], s[10:11] op_sel:[0,1]
	v_mov_b32_e32 v2, s7
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[8:9], s[8:9] op_sel:[0,1]
	v_mov_b32_e32 v2, s6
	flat_store_dword v[0:1], v2
	v_writelane_b32 v41, s4, 35
	v_writelane_b32 v41, s5, 36
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
.LBB26_1:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s6, v41, 25
	v_readlane_b32 s7, v41, 26
	v_readlane_b32 s4, v41, 37
	v_readlane_b32 s5, v41, 38
	v_readlane_b32 s8, v41, 35
	v_readlane_b32 s9, v41, 36
	v_writelane_b32 v41, s8, 39
	v_writelane_b32 v41, s9, 40
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 41
	v_writelane_b32 v41, s5, 42
	v_writelane_b32 v41, s4, 43
	v_writelane_b32 v41, s5, 44
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v41, s4, 45
	v_writelane_b32 v41, s5, 46
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB26_3
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 27
	v_readlane_b32 s5, v41, 28
	v_mov_b32_e32 v2, -1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v41, s4, 47
	v_writelane_b32 v41, s5, 48
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_branch .LBB26_4
.LBB26_3:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 45
	v_readlane_b32 s5, v41, 46
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v41, 39
	v_readlane_b32 s9, v41, 40
	v_readlane_b32 s6, v41, 43
	v_readlane_b32 s7, v41, 44
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v41, s6, 37
	v_writelane_b32 v41, s7, 38
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v41, s6, 35
	v_writelane_b32 v41, s7, 36
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v41, s6, 49
	v_writelane_b32 v41, s7, 50
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB26_1
	s_branch .LBB26_17
.LBB26_4:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s6, v41, 27
	v_readlane_b32 s7, v41, 28
	v_readlane_b32 s4, v41, 51
	v_readlane_b32 s5, v41, 52
	v_readlane_b32 s8, v41, 47
	v_readlane_b32 s9, v41, 48
	v_writelane_b32 v41, s8, 53
	v_writelane_b32 v41, s9, 54
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 55
	v_writelane_b32 v41, s5, 56
	v_writelane_b32 v41, s4, 57
	v_writelane_b32 v41, s5, 58
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v41, s4, 59
	v_writelane_b32 v41, s5, 60
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB26_6
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 29
	v_readlane_b32 s5, v41, 30
	v_mov_b32_e32 v2, -1
	v_pk_mov_b32 v[0:1], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[4:5], 0
	v_writelane_b32 v41, s4, 61
	v_writelane_b32 v41, s5, 62
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_branch .LBB26_7
.LBB26_6:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v40, 59
	v_readlane_b32 s5, v40, 60
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v40, 53
	v_readlane_b32 s9, v40, 54
	v_readlane_b32 s6, v40, 57
	v_readlane_b32 s7, v40, 58
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v40, s6, 51
	v_writelane_b32 v40, s7, 52
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 47
	v_writelane_b32 v40, s7, 48
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 63
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[36:37]
	v_writelane_b32 v41, s7, 0
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a34, v41
	s_mov_b64 exec, s[36:37]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB26_4
	s_branch .LBB26_14
.LBB26_7:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[36:37]
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s6, v40, 29
	v_readlane_b32 s7, v40, 30
	v_readlane_b32 s4, v41, 1
	v_readlane_b32 s5, v41, 2
	v_readlane_b32 s8, v40, 61
	v_readlane_b32 s9, v40, 62
	v_writelane_b32 v41, s8, 3
	v_writelane_b32 v41, s9, 4
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s6, 2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_i32_e64 s[6:7], v0, s6
	s_mov_b64 s[8:9], -1
	s_or_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 5
	v_writelane_b32 v41, s5, 6
	v_writelane_b32 v41, s4, 7
	v_writelane_b32 v41, s5, 8
	s_mov_b64 s[4:5], exec
	v_writelane_b32 v41, s4, 9
	v_writelane_b32 v41, s5, 10
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a34, v41
	s_mov_b64 exec, s[36:37]
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_mov_b64 exec, s[4:5]
	s_cbranch_execz .LBB26_9
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s14, v41, 0
	v_readlane_b32 s13, v41, 1
	v_readlane_b32 s12, v41, 2
	v_readlane_b32 s10, v41, 3
	v_readlane_b32 s11, v41, 4
	v_readlane_b32 s6, v41, 7
	v_readlane_b32 s7, v41, 8
	v_readlane_b32 s4, v41, 9
	v_readlane_b32 s5, v41, 10
	v_readlane_b32 s20, v41, 15
	v_readlane_b32 s21, v41, 16
	v_readlane_b32 s16, v41, 5
	v_readlane_b32 s17, v41, 6
	v_readlane_b32 s8, v41, 25
	v_readlane_b32 s9, v41, 26
	v_readlane_b32 s18, v41, 19
	v_readlane_b32 s19, v41, 20
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a34
	s_mov_b64 exec, s[36:37]
	v_accvgpr_read_b32 v31, a32
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	v_pk_mov_b32 v[2:3], s[8:9], s[8:9] op_sel:[0,1]
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
	v_writelane_b32 v40, s8, 11
	v_writelane_b32 v40, s9, 12
	s_getpc_b64 s[16:17]
	s_add_u32 s16, s16, _Z7wrappedii@rel32@lo+4
	s_addc_u32 s17, s17, _Z7wrappedii@rel32@hi+12
	v_writelane_b32 v40, s16, 13
	v_writelane_b32 v40, s17, 14
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s20, v41, 21
	v_readlane_b32 s21, v41, 22
	v_readlane_b32 s18, v41, 27
	v_readlane_b32 s19, v41, 28
	v_readlane_b32 s24, v41, 31
	v_readlane_b32 s25, v41, 32
	v_readlane_b32 s22, v41, 15
	v_readlane_b32 s23, v41, 16
	v_readlane_b32 s16, v40, 13
	v_readlane_b32 s17, v40, 14
	v_readlane_b32 s4, v41, 9
	v_readlane_b32 s5, v41, 10
	v_readlane_b32 s6, v41, 7
	v_readlane_b32 s7, v41, 8
	v_readlane_b32 s8, v40, 11
	v_readlane_b32 s9, v40, 12
	v_readlane_b32 s10, v41, 3
	v_readlane_b32 s11, v41, 4
	v_readlane_b32 s12, v41, 2
	v_readlane_b32 s13, v41, 1
	v_readlane_b32 s14, v41, 0
	v_mov_b32_e32 v2, v0
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dword v0, v[0:1] offset:4
	v_pk_mov_b32 v[2:3], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v1, v1, v2
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s28, v41, 17
	v_readlane_b32 s29, v41, 18
	v_readlane_b32 s26, v41, 31
	v_readlane_b32 s27, v41, 32
	v_readlane_b32 s24, v41, 33
	v_readlane_b32 s25, v41, 34
	v_readlane_b32 s22, v41, 15
	v_readlane_b32 s23, v41, 16
	v_readlane_b32 s20, v41, 23
	v_readlane_b32 s21, v41, 24
	v_readlane_b32 s18, v41, 29
	v_readlane_b32 s19, v41, 30
	v_readlane_b32 s16, v40, 13
	v_readlane_b32 s17, v40, 14
	v_readlane_b32 s4, v41, 9
	v_readlane_b32 s5, v41, 10
	v_readlane_b32 s6, v41, 7
	v_readlane_b32 s7, v41, 8
	v_readlane_b32 s8, v40, 11
	v_readlane_b32 s9, v40, 12
	v_readlane_b32 s10, v41, 3
	v_readlane_b32 s11, v41, 4
	v_readlane_b32 s12, v41, 2
	v_readlane_b32 s13, v41, 1
	v_readlane_b32 s14, v41, 0
	v_mov_b32_e32 v2, v0
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[28:29], s[28:29] op_sel:[0,1]
	flat_load_dwordx2 v[6:7], v[0:1]
	v_pk_mov_b32 v[0:1], s[26:27], s[26:27] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_ashrrev_i32_e64 v2, 31, v0
	v_mov_b32_e32 v1, v2
	s_mov_b32 s15, 2
	v_writelane_b32 v40, s15, 15
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a34, v40
	s_mov_b64 exec, s[36:37]
	v_lshlrev_b64 v[4:5], s15, v[0:1]
	v_mov_b32_e32 v0, v6
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v1, v7
	v_mov_b32_e32 v2, v5
	v_add_co_u32_e64 v0, s[26:27], v0, v3
	v_addc_co_u32_e64 v2, s[26:27], v1, v2, s[26:27]
	v_mov_b32_e32 v1, v2
	v_accvgpr_write_b32 a36, v0
	v_accvgpr_write_b32 a35, v1
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a37, v0
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a38, v0
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dword v0, v[0:1] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_accvgpr_write_b32 a39, v0
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dword v0, v[0:1] offset:8
	v_pk_mov_b32 v[2:3], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v1, v1, v2
	s_mov_b64 s[22:23], s[2:3]
	s_mov_b64 s[20:21], s[0:1]
	s_mov_b64 s[0:1], s[20:21]
	s_mov_b64 s[2:3], s[22:23]
	s_swappc_b64 s[30:31], s[16:17]
	v_accvgpr_read_b32 v6, a38
	v_accvgpr_read_b32 v3, a39
	v_accvgpr_read_b32 v2, a37
	v_accvgpr_read_b32 v31, a32
	v_readlane_b32 s15, v40, 15
	v_readlane_b32 s4, v41, 9
	v_readlane_b32 s5, v41, 10
	v_readlane_b32 s6, v41, 7
	v_readlane_b32 s7, v41, 8
	v_readlane_b32 s8, v40, 11
	v_readlane_b32 s9, v40, 12
	v_readlane_b32 s10, v41, 3
	v_readlane_b32 s11, v41, 4
	v_readlane_b32 s12, v41, 2
	v_readlane_b32 s13, v41, 1
	v_readlane_b32 s14, v41, 0
	v_mov_b32_e32 v4, v0
	v_accvgpr_read_b32 v0, a36
	v_accvgpr_read_b32 v1, a35
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
	s_branch .LBB26_10
.LBB26_9:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 9
	v_readlane_b32 s5, v41, 10
	s_or_b64 exec, exec, s[4:5]
	v_readlane_b32 s8, v41, 3
	v_readlane_b32 s9, v41, 4
	v_readlane_b32 s6, v41, 7
	v_readlane_b32 s7, v41, 8
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[36:37]
	s_mov_b64 s[4:5], s[6:7]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[4:5], s[4:5], s[8:9]
	v_writelane_b32 v41, s6, 1
	v_writelane_b32 v41, s7, 2
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v40, s6, 61
	v_writelane_b32 v40, s7, 62
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v40
	s_mov_b64 exec, s[36:37]
	s_mov_b64 s[6:7], s[4:5]
	v_writelane_b32 v41, s6, 16
	v_writelane_b32 v41, s7, 17
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a34, v41
	s_mov_b64 exec, s[36:37]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB26_7
	s_branch .LBB26_11
.LBB26_10:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[36:37]
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 5
	v_readlane_b32 s5, v41, 6
	v_readlane_b32 s6, v40, 29
	v_readlane_b32 s7, v40, 30
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s8, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v0, s8
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 7
	v_writelane_b32 v41, s5, 8
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a34, v41
	s_mov_b64 exec, s[36:37]
	s_branch .LBB26_9
.LBB26_11:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 16
	v_readlane_b32 s5, v41, 17
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 55
	v_readlane_b32 s5, v41, 56
	v_readlane_b32 s6, v41, 27
	v_readlane_b32 s7, v41, 28
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s8, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v0, s8
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 57
	v_writelane_b32 v41, s5, 58
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_branch .LBB26_6
.LBB26_14:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v40, a33
	s_mov_b64 exec, s[36:37]
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a34
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v40, 63
	v_readlane_b32 s5, v41, 0
	s_or_b64 exec, exec, s[4:5]
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 41
	v_readlane_b32 s5, v41, 42
	v_readlane_b32 s6, v41, 25
	v_readlane_b32 s7, v41, 26
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	s_mov_b32 s8, 1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e64 v2, v0, s8
	v_pk_mov_b32 v[0:1], s[6:7], s[6:7] op_sel:[0,1]
	flat_store_dword v[0:1], v2
	s_mov_b64 s[6:7], 0
	s_andn2_b64 s[4:5], s[4:5], exec
	v_writelane_b32 v41, s4, 43
	v_writelane_b32 v41, s5, 44
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_write_b32 a33, v41
	s_mov_b64 exec, s[36:37]
	s_branch .LBB26_3
.LBB26_17:
	s_or_saveexec_b64 s[36:37], -1
	v_accvgpr_read_b32 v41, a33
	s_mov_b64 exec, s[36:37]
	v_readlane_b32 s4, v41, 49
	v_readlane_b32 s5, v41, 50
	s_or_b64 exec, exec, s[4:5]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mesh
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 112
		.amdhsa_kernarg_size 304
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 84
		.amdhsa_next_free_sgpr 38
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end26:
	.size	mesh, .Lfunc_end26-mesh
	.set mesh.num_vgpr, max(42, _Z7wrappedii.num_vgpr, _Z9atomicAddPii.num_vgpr)
	.set mesh.num_agpr, max(40, _Z7wrappedii.num_agpr, _Z9atomicAddPii.num_agpr)
	.set mesh.numbered_sgpr, max(38, _Z7wrappedii.numbered_sgpr, _Z9atomicAddPii.numbered_sgpr)
	.set mesh.private_seg_size, 80+max(_Z7wrappedii.private_seg_size, _Z9atomicAddPii.private_seg_size)
	.set mesh.uses_vcc, or(1, _Z7wrappedii.uses_vcc, _Z9atomicAddPii.uses_vcc)
	.set mesh.uses_flat_scratch, or(1, _Z7wrappedii.uses_flat_scratch, _Z9atomicAddPii.uses_flat_scratch)
	.set mesh.has_dyn_sized_stack, or(0, _Z7wrappedii.has_dyn_sized_stack, _Z9atomicAddPii.has_dyn_sized_stack)
	.set mesh.has_recursion, or(1, _Z7wrappedii.has_recursion, _Z9atomicAddPii.has_recursion)
	.set mesh.has_indirect_call, or(0, _Z7wrappedii.has_indirect_call, _Z9atomicAddPii.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	bytes
	.globl	bytes
	.p2align	8
	.type	bytes,@function
bytes:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x1000
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
	s_load_dwordx2 s[34:35], s[16:17], 0x18
	s_load_dword s28, s[16:17], 0x20
	s_load_dword s15, s[16:17], 0x24
	s_load_dword s9, s[16:17], 0x28
	s_mov_b64 s[22:23], 0
	s_mov_b32 s36, s23
	s_mov_b64 s[18:19], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[20:21], s[18:19], s8
	s_mov_b32 s37, -1
	s_mov_b32 s18, 0
	s_cmp_lg_u32 s18, s37
	s_mov_b32 s29, s20
	s_cselect_b32 s20, s29, s36
	s_mov_b32 s21, s22
	s_cselect_b32 s18, s18, s21
	s_mov_b32 s19, s20
	s_mov_b32 s22, 24
	s_cmp_lg_u32 s22, s37
	s_cselect_b32 s20, s29, s36
	s_cselect_b32 s30, s22, s21
	s_mov_b32 s31, s20
	s_mov_b32 s22, 32
	s_cmp_lg_u32 s22, s37
	s_cselect_b32 s20, s29, s36
	s_cselect_b32 s26, s22, s21
	s_mov_b32 s27, s20
	s_mov_b32 s22, 40
	s_cmp_lg_u32 s22, s37
	s_cselect_b32 s20, s29, s36
	s_cselect_b32 s24, s22, s21
	s_mov_b32 s25, s20
	s_mov_b32 s22, 44
	s_cmp_lg_u32 s22, s37
	s_cselect_b32 s20, s29, s36
	s_cselect_b32 s22, s22, s21
	s_mov_b32 s23, s20
	s_mov_b32 s20, 48
	s_cmp_lg_u32 s20, s37
	s_cselect_b32 s29, s29, s36
	s_cselect_b32 s20, s20, s21
	s_mov_b32 s21, s29
	s_load_dwordx4 s[36:39], s[16:17], 0x0
	s_load_dword s29, s[16:17], 0x10
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s29
	flat_store_dword v[0:1], v2 offset:16
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[36:37], s[36:37] op_sel:[0,1]
	v_pk_mov_b32 v[4:5], s[38:39], s[38:39] op_sel:[0,1]
	flat_store_dwordx4 v[0:1], v[2:5]
	v_pk_mov_b32 v[0:1], s[30:31], s[30:31] op_sel:[0,1]
	v_pk_mov_b32 v[2:3], s[34:35], s[34:35] op_sel:[0,1]
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[30:31], s[30:31] op_sel:[0,1]
	flat_load_dwordx2 v[2:3], v[0:1]
	v_pk_mov_b32 v[0:1], s[26:27], s[26:27] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3]
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	v_mov_b32_e32 v2, s28
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[22:23], s[22:23] op_sel:[0,1]
	v_mov_b32_e32 v2, s15
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	v_mov_b32_e32 v2, s9
	flat_store_dword v[0:1], v2
	v_pk_mov_b32 v[0:1], s[26:27], s[26:27] op_sel:[0,1]
	flat_load_dwordx2 v[6:7], v[0:1]
	v_pk_mov_b32 v[0:1], s[24:25], s[24:25] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v4, v0, v1
	v_ashrrev_i32_e64 v0, 31, v4
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v0, v6
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v1, v7
	v_mov_b32_e32 v2, v5
	v_add_co_u32_e64 v0, s[24:25], v0, v3
	v_addc_co_u32_e64 v2, s[24:25], v1, v2, s[24:25]
	v_mov_b32_e32 v1, v2
	v_pk_mov_b32 v[2:3], s[22:23], s[22:23] op_sel:[0,1]
	flat_load_dword v2, v[2:3]
	v_pk_mov_b32 v[4:5], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v3, v[4:5] offset:4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v4, v2, v3
	v_ashrrev_i32_e64 v2, 31, v4
	v_mov_b32_e32 v5, v2
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v0, v1
	v_mov_b32_e32 v1, v5
	v_add_co_u32_e64 v6, s[22:23], v2, v3
	v_addc_co_u32_e64 v0, s[22:23], v0, v1, s[22:23]
	v_mov_b32_e32 v7, v0
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dword v0, v[0:1]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
	flat_load_dword v1, v[2:3] offset:8
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_sub_u32_e64 v4, v0, v1
	v_ashrrev_i32_e64 v0, 31, v4
	v_mov_b32_e32 v5, v0
	v_mov_b32_e32 v0, v6
	v_mov_b32_e32 v3, v4
	v_mov_b32_e32 v1, v7
	v_mov_b32_e32 v2, v5
	v_add_co_u32_e64 v0, s[20:21], v0, v3
	v_addc_co_u32_e64 v2, s[20:21], v1, v2, s[20:21]
	v_mov_b32_e32 v1, v2
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
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
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel bytes
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 96
		.amdhsa_kernarg_size 304
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 41
		.amdhsa_next_free_sgpr 40
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end27:
	.size	bytes, .Lfunc_end27-bytes
	.set bytes.num_vgpr, max(41, _Z9atomicAddPii.num_vgpr)
	.set bytes.num_agpr, max(0, _Z9atomicAddPii.num_agpr)
	.set bytes.numbered_sgpr, max(40, _Z9atomicAddPii.numbered_sgpr)
	.set bytes.private_seg_size, 64+max(_Z9atomicAddPii.private_seg_size)
	.set bytes.uses_vcc, or(1, _Z9atomicAddPii.uses_vcc)
	.set bytes.uses_flat_scratch, or(1, _Z9atomicAddPii.uses_flat_scratch)
	.set bytes.has_dyn_sized_stack, or(0, _Z9atomicAddPii.has_dyn_sized_stack)
	.set bytes.has_recursion, or(1, _Z9atomicAddPii.has_recursion)
	.set bytes.has_indirect_call, or(0, _Z9atomicAddPii.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	through_constant
	.globl	through_constant
	.p2align	8
	.type	through_constant,@function
through_constant:
	s_mov_b32 s33, 0
	s_mov_b32 s32, 0x400
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
	s_mov_b64 s[20:21], 0
	s_mov_b32 s19, s21
	s_mov_b32 s22, -1
	s_mov_b32 s18, 0
	s_cmp_lg_u32 s18, s22
	s_cselect_b32 s15, s15, s19
	s_mov_b32 s19, s20
	s_cselect_b32 s18, s18, s19
	s_mov_b32 s19, s15
	v_pk_mov_b32 v[0:1], s[18:19], s[18:19] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s9
	flat_store_dword v[0:1], v2
	s_getpc_b64 s[20:21]
	s_add_u32 s20, s20, fixed@rel32@lo+4
	s_addc_u32 s21, s21, fixed@rel32@hi+12
	v_pk_mov_b32 v[0:1], s[20:21], s[20:21] op_sel:[0,1]
	flat_load_dwordx2 v[0:1], v[0:1]
	v_pk_mov_b32 v[2:3], s[18:19], s[18:19] op_sel:[0,1]
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
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel through_constant
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 48
		.amdhsa_kernarg_size 264
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 41
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end28:
	.size	through_constant, .Lfunc_end28-through_constant
	.set through_constant.num_vgpr, max(41, _Z9atomicAddPii.num_vgpr)
	.set through_constant.num_agpr, max(0, _Z9atomicAddPii.num_agpr)
	.set through_constant.numbered_sgpr, max(34, _Z9atomicAddPii.numbered_sgpr)
	.set through_constant.private_seg_size, 16+max(_Z9atomicAddPii.private_seg_size)
	.set through_constant.uses_vcc, or(1, _Z9atomicAddPii.uses_vcc)
	.set through_constant.uses_flat_scratch, or(1, _Z9atomicAddPii.uses_flat_scratch)
	.set through_constant.has_dyn_sized_stack, or(0, _Z9atomicAddPii.has_dyn_sized_stack)
	.set through_constant.has_recursion, or(1, _Z9atomicAddPii.has_recursion)
	.set through_constant.has_indirect_call, or(0, _Z9atomicAddPii.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
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
	v_pk_mov_b32 v[2:3], 0, 0
	v_mov_b32_e32 v1, v3
	s_mov_b64 s[6:7], src_private_base
	s_mov_b32 s8, 32
	s_lshr_b64 s[8:9], s[6:7], s8
	s_mov_b32 s6, -1
	s_mov_b32 s7, 0
	s_cmp_lg_u32 s7, s6
	s_mov_b32 s9, s8
	s_cselect_b64 s[10:11], -1, 0
	v_mov_b32_e32 v0, s9
	v_cndmask_b32_e64 v6, v1, v0, s[10:11]
	v_mov_b32_e32 v0, v2
	s_cselect_b64 s[10:11], -1, 0
	v_mov_b32_e32 v4, s7
	v_cndmask_b32_e64 v4, v0, v4, s[10:11]
	v_mov_b32_e32 v5, v6
	s_mov_b32 s8, 8
	s_cmp_lg_u32 s8, s6
	s_cselect_b64 s[6:7], -1, 0
	v_mov_b32_e32 v6, s9
	v_cndmask_b32_e64 v6, v1, v6, s[6:7]
	s_cselect_b64 s[6:7], -1, 0
	v_mov_b32_e32 v1, s8
	v_cndmask_b32_e64 v0, v0, v1, s[6:7]
	v_mov_b32_e32 v1, v6
	v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]
	s_waitcnt lgkmcnt(0)
	v_pk_mov_b32 v[8:9], s[4:5], s[4:5] op_sel:[0,1]
	flat_store_dwordx2 v[6:7], v[8:9]
	flat_load_dwordx2 v[6:7], v[4:5]
	v_pk_mov_b32 v[4:5], v[0:1], v[0:1] op_sel:[0,1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[4:5], v[6:7]
	flat_load_dwordx2 v[0:1], v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dwordx2 v[0:1], v[2:3] offset:8
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel end_list
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 24
		.amdhsa_kernarg_size 264
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 34
		.amdhsa_accum_offset 12
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_flat_scratch 1
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
.Lfunc_end29:
	.size	end_list, .Lfunc_end29-end_list
	.set end_list.num_vgpr, 10
	.set end_list.num_agpr, 0
	.set end_list.numbered_sgpr, 34
	.set end_list.private_seg_size, 24
	.set end_list.uses_vcc, 0
	.set end_list.uses_flat_scratch, 1
	.set end_list.has_dyn_sized_stack, 0
	.set end_list.has_recursion, 0
	.set end_list.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 39
	.set amdgpu.max_num_agpr, 32
	.set amdgpu.max_num_sgpr, 47
	.text
	.type	__const.__assert_fail.fmt,@object
	.section	.rodata.str1.16,"aMS",@progbits,1
	.p2align	4, 0x0
__const.__assert_fail.fmt:
	.asciz	"%s:%u: %s: Device-side assertion `%s' failed.\n"
	.size	__const.__assert_fail.fmt, 47
	.protected	threadIdx
	.protected	fixed
	.type	fixed,@object
	.section	.rodata,"a",@progbits
	.globl	fixed
	.p2align	3, 0x0
fixed:
	.quad	0
	.size	fixed, 8
	.type	__hip_cuid_b1a06dea8cbd7ac2,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_b1a06dea8cbd7ac2
__hip_cuid_b1a06dea8cbd7ac2:
	.byte	0
	.size	__hip_cuid_b1a06dea8cbd7ac2, 1
	.type	__oclc_ISA_version,@object
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
__oclc_ISA_version:
	.long	9010
	.size	__oclc_ISA_version, 4
	.type	__oclc_ABI_version,@object
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	600
	.size	__oclc_ABI_version, 4
	.weak	threadIdx
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym _Z9atomicMaxPff
	.addrsig_sym _Z9atomicMinPff
	.addrsig_sym _Z9atomicMaxPdd
	.addrsig_sym _Z9atomicMinPdd
	.addrsig_sym _Z15unsafeAtomicAddPff
	.addrsig_sym _Z15unsafeAtomicAddPdd
	.addrsig_sym _Z9atomicAddPii
	.addrsig_sym _Z7wrappedii
	.addrsig_sym __ockl_get_local_id
	.addrsig_sym __ockl_fprintf_stderr_begin
	.addrsig_sym __ockl_fprintf_append_args
	.addrsig_sym __ockl_fprintf_append_string_n
	.addrsig_sym threadIdx
	.addrsig_sym fixed
	.addrsig_sym __hip_cuid_b1a06dea8cbd7ac2
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     2
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           max_float
    .private_segment_fixed_size: 80
    .sgpr_count:     47
    .sgpr_spill_count: 1
    .symbol:         max_float.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     46
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     2
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           min_float
    .private_segment_fixed_size: 88
    .sgpr_count:     49
    .sgpr_spill_count: 1
    .symbol:         min_float.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     46
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     4
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           max_double
    .private_segment_fixed_size: 104
    .sgpr_count:     47
    .sgpr_spill_count: 1
    .symbol:         max_double.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     48
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     4
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           min_double
    .private_segment_fixed_size: 120
    .sgpr_count:     49
    .sgpr_spill_count: 1
    .symbol:         min_double.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     48
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     1
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           unsafe_float
    .private_segment_fixed_size: 64
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         unsafe_float.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     45
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     16
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           unsafe_double
    .private_segment_fixed_size: 64
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         unsafe_double.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     60
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     34
    .args:
      - .offset:         0
        .size:           4
        .value_kind:     by_value
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         96
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         104
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         112
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         120
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         128
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         216
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           add_int
    .private_segment_fixed_size: 92
    .sgpr_count:     42
    .sgpr_spill_count: 39
    .symbol:         add_int.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     78
    .vgpr_spill_count: 5
    .wavefront_size: 64
  - .agpr_count:     40
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
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         52
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         56
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         60
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         62
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         64
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         66
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         68
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         70
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         96
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         104
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         112
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         128
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         136
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         144
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         152
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         160
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         248
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 304
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           mesh
    .private_segment_fixed_size: 112
    .sgpr_count:     44
    .sgpr_spill_count: 94
    .symbol:         mesh.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     84
    .vgpr_spill_count: 21
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
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         52
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         56
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         60
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         62
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         64
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         66
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         68
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         70
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         96
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         104
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         112
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         128
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         136
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         144
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         152
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         160
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         248
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 304
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           bytes
    .private_segment_fixed_size: 96
    .sgpr_count:     46
    .sgpr_spill_count: 1
    .symbol:         bytes.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     41
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           4
        .value_kind:     by_value
      - .offset:         8
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         12
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         20
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         22
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         24
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         26
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         28
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         30
        .size:           2
        .value_kind:     hidden_remainder_z
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
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         88
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         96
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         104
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         112
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         120
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         208
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           through_constant
    .private_segment_fixed_size: 48
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .symbol:         through_constant.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
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
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         12
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         20
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         22
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         24
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         26
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         28
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         30
        .size:           2
        .value_kind:     hidden_remainder_z
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
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         88
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         96
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         104
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         112
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         120
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         208
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
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
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     10
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
