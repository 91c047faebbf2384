/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What later releases of ROCr have than the headers of ROCm 5.2.3: numbers and functions of
 * hsa_ext_amd.h, hsa.h and hsa_api_trace.h of 5.7 to 6.4, under names of our own, so that this
 * library is the same with the headers of any release. Types that 5.2.3 lacks are replaced by
 * those of the same size; each function is called as hsa_..., without "sg_" (table.c).
 */
#ifndef SOFTGPU_LATER_H
#define SOFTGPU_LATER_H

/* hsa_amd_agent_info_t */
#define AGENT_INFO_MEMORY_AVAIL          0xA015 /* uint64_t */
#define AGENT_INFO_TIMESTAMP_FREQUENCY   0xA016 /* uint64_t */
#define AGENT_INFO_ASIC_FAMILY_ID        0xA107 /* uint32_t, as those that follow */
#define AGENT_INFO_UCODE_VERSION         0xA108
#define AGENT_INFO_SDMA_UCODE_VERSION    0xA109
#define AGENT_INFO_NUM_SDMA_ENG          0xA10A
#define AGENT_INFO_NUM_SDMA_XGMI_ENG     0xA10B
#define AGENT_INFO_IOMMU_SUPPORT         0xA110
#define AGENT_INFO_NUM_XCC               0xA111
#define AGENT_INFO_DRIVER_UID            0xA112
#define AGENT_INFO_NEAREST_CPU           0xA113 /* hsa_agent_t */
#define AGENT_INFO_MEMORY_PROPERTIES     0xA114 /* uint8_t[8] */
#define AGENT_INFO_AQL_EXTENSIONS        0xA115 /* uint8_t[8] */
#define MEMORY_PROPERTY_AGENT_IS_APU     1      /* of MEMORY_PROPERTIES, as a bit's number */
#define AGENT_INFO_SCRATCH_LIMIT_MAX     0xA116 /* uint64_t */
#define AGENT_INFO_SCRATCH_LIMIT_CURRENT 0xA117 /* uint64_t */

/* hsa_system_info_t */
#define SYSTEM_INFO_MWAITX_ENABLED            0x203 /* bool, as those that follow */
#define SYSTEM_INFO_DMABUF_SUPPORTED          0x204
#define SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED 0x205
#define SYSTEM_INFO_XNACK_ENABLED             0x206
#define SYSTEM_INFO_EXT_VERSION_MAJOR         0x207 /* uint16_t */
#define SYSTEM_INFO_EXT_VERSION_MINOR         0x208

/* hsa_amd_memory_pool_global_flag_t, hsa_amd_memory_pool_flag_t */
#define POOL_EXTENDED_SCOPE 8u
#define POOL_UNCACHED       8u /* from interface version 1.9 of ROCm 7 on */

/* hsa_amd_memory_pool_info_t */
#define POOL_INFO_LOCATION    17 /* uint32_t: 0 host, 1 GPU */
#define POOL_INFO_REC_GRANULE 18 /* size_t */

/* hsa_amd_vmem_address_reserve_flag_t, of 7.2.4 */
#define VMEM_ADDRESS_NO_REGISTER 1u

/* hsa_amd_pointer_type_t; the second one from interface version 1.12 on (hsa_ext_amd.h of 7.2.4) */
#define POINTER_TYPE_HSA_VMEM      6
#define POINTER_TYPE_RESERVED_ADDR 5

/* ---- copy engines: copy.c ---- */

/* `engine`: one bit, hsa_amd_sdma_engine_id_t. */
hsa_status_t sg_hsa_amd_memory_async_copy_on_engine(
    void *destination, hsa_agent_t destination_agent, const void *source, hsa_agent_t source_agent,
    size_t size, uint32_t count, const hsa_signal_t *dependencies, hsa_signal_t completion,
    uint32_t engine, bool force_copy_on_sdma);
hsa_status_t sg_hsa_amd_memory_copy_engine_status(hsa_agent_t destination_agent,
						  hsa_agent_t source_agent, uint32_t *engines);
hsa_status_t sg_hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t destination,
							 hsa_agent_t source, uint32_t *preferred);

/* ---- addresses and memory apart: vmm.c ---- */

/* hsa_amd_memory_access_desc_t */
struct sg_access {
	hsa_access_permission_t permission;
	hsa_agent_t agent;
};

/* A handle of memory is hsa_amd_vmem_alloc_handle_t's only member. */
hsa_status_t sg_hsa_amd_vmem_address_reserve(void **result, size_t size, uint64_t address,
					     uint64_t flags);
hsa_status_t sg_hsa_amd_vmem_address_reserve_align(void **result, size_t size, uint64_t address,
						   uint64_t alignment, uint64_t flags);
hsa_status_t sg_hsa_amd_vmem_address_free(void *pointer, size_t size);
hsa_status_t sg_hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type,
					   uint64_t flags, uint64_t *handle);
hsa_status_t sg_hsa_amd_vmem_handle_release(uint64_t handle);
hsa_status_t sg_hsa_amd_vmem_map(void *pointer, size_t size, size_t offset, uint64_t handle,
				 uint64_t flags);
hsa_status_t sg_hsa_amd_vmem_unmap(void *pointer, size_t size);
hsa_status_t sg_hsa_amd_vmem_set_access(void *pointer, size_t size,
					const struct sg_access *accesses, size_t count);
hsa_status_t sg_hsa_amd_vmem_get_access(void *pointer, hsa_access_permission_t *permission,
					hsa_agent_t agent);
hsa_status_t sg_hsa_amd_vmem_export_shareable_handle(int *descriptor, uint64_t handle,
						     uint64_t flags);
hsa_status_t sg_hsa_amd_vmem_import_shareable_handle(int descriptor, uint64_t *handle);
hsa_status_t sg_hsa_amd_vmem_retain_alloc_handle(uint64_t *handle, void *pointer);
hsa_status_t sg_hsa_amd_vmem_get_alloc_properties_from_handle(uint64_t handle,
							      hsa_amd_memory_pool_t *pool,
							      int *type);

/* ---- images: image.c; of 7.2.4 ---- */

/* hsa_ext_sampler_descriptor_v2_t: how coordinates outside of the image count, by dimension. */
struct sg_sampler_descriptor {
	uint32_t coordinate_mode, filter_mode, address_modes[3];
};

hsa_status_t sg_hsa_ext_sampler_create_v2(hsa_agent_t agent,
					  const struct sg_sampler_descriptor *sampler,
					  hsa_ext_sampler_t *result);

/* ---- messages of its own: system.c ---- */

hsa_status_t sg_hsa_amd_enable_logging(uint8_t *flags, void *file);

#endif
