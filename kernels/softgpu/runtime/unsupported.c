// SPDX-License-Identifier: Apache-2.0
/* Entry points that libamdhip64 imports and that this device can't serve: each says so. */
#include "runtime.h"

#define REFUSE(parameters, name, status)                                \
	hsa_status_t name parameters                                    \
	{                                                               \
		sg_warn(#name " is not supported by the software GPU"); \
		return (hsa_status_t)(status);                          \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

REFUSE((hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor,
	const hsa_amd_image_descriptor_t *layout, const void *data,
	hsa_access_permission_t permission, hsa_ext_image_t *image),
       hsa_amd_image_create, HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED)
REFUSE((hsa_agent_t agent, hsa_ext_image_t image, void *memory, size_t row, size_t slice,
	const hsa_ext_image_region_t *region),
       hsa_ext_image_export, HSA_STATUS_ERROR_INVALID_ARGUMENT)
REFUSE((hsa_agent_t agent, const void *memory, size_t row, size_t slice, hsa_ext_image_t image,
	const hsa_ext_image_region_t *region),
       hsa_ext_image_import, HSA_STATUS_ERROR_INVALID_ARGUMENT)
REFUSE((uint32_t count, hsa_agent_t *agents, int handle, uint32_t flags, size_t *size,
	void **pointer, size_t *metadata_size, const void **metadata),
       hsa_amd_interop_map_buffer, HSA_STATUS_ERROR_INVALID_ARGUMENT)
REFUSE((void *pointer), hsa_amd_interop_unmap_buffer, HSA_STATUS_ERROR_INVALID_ARGUMENT)
