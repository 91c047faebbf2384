// SPDX-License-Identifier: Apache-2.0
/*
 * The agents, a CPU and the GPUs, and the answers to every question about them. The values are
 * those that AMD's libamdhip64 5.2.3 accepted (docs/hip-api.md#initialisation-requirements);
 * clocks and sizes are plausible for an MI200, not measured.
 */
#include "runtime.h"
#include "tracer/softgpu_name.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sg_agent sg_cpu_agents[SG_MAX_GPUS] = { { false, 0 }, { false, 1 }, { false, 2 },
					       { false, 3 }, { false, 4 }, { false, 5 },
					       { false, 6 }, { false, 7 } };
struct sg_agent sg_gpu_agents[SG_MAX_GPUS] = { { true, 0 }, { true, 1 }, { true, 2 }, { true, 3 },
					       { true, 4 }, { true, 5 }, { true, 6 }, { true, 7 } };

/* What differs between the processors. */
static const struct processor {
	const char *name, *isa[2]; /* by XNACK */
	uint32_t chip;             /* PCI device: MI250X, MI300X, MI350X (amdgpu_drv.c) */
} processors[] = {
#define PROCESSOR(name, chip)                                          \
	{                                                              \
		name,                                                  \
		    { "amdgcn-amd-amdhsa--" name ":sramecc+:xnack-",   \
		      "amdgcn-amd-amdhsa--" name ":sramecc+:xnack+" }, \
		    chip                                               \
	}
	[SOFTGPU_GFX90A] = PROCESSOR("gfx90a", 0x7408),
	[SOFTGPU_GFX942] = PROCESSOR("gfx942", 0x74a1),
	[SOFTGPU_GFX950] = PROCESSOR("gfx950", 0x75a0),
#undef PROCESSOR
};

#define CHIP_MI300A 0x74a0

static const struct processor *processor(void)
{
	return &processors[softgpu_config.processor];
}

static const char *isa_name(void)
{
	return processor()->isa[softgpu_config.xnack];
}
/* The only ISA; its address is its handle. */
static const char isa_object;

const struct sg_agent *sg_agent_get(hsa_agent_t handle)
{
	for (unsigned i = 0; i < sg_cpus(); i++)
		if (handle.handle == sg_agent_handle(&sg_cpu_agents[i]).handle)
			return &sg_cpu_agents[i];
	for (unsigned i = 0; i < sg_settings.gpus; i++)
		if (handle.handle == sg_agent_handle(&sg_gpu_agents[i]).handle)
			return &sg_gpu_agents[i];
	return NULL;
}

enum type {
	BOOL,
	U16,
	U32,
	U64,
	TEXT,  /* value written with its terminator, within `size` bytes */
	BYTES, /* `size` bytes */
};

struct answer {
	uint32_t attribute;
	enum type type;
	uint64_t number;
	const void *data;
	size_t size;
	uint64_t step; /* between the numbers of one agent and the next */
};

#define NUMBER(attribute, type, number)             \
	{                                           \
		attribute, type, number, NULL, 0, 0 \
	}
#define PER_AGENT(attribute, type, number, step)       \
	{                                              \
		attribute, type, number, NULL, 0, step \
	}
#define STRING(attribute, text, size)             \
	{                                         \
		attribute, TEXT, 0, text, size, 0 \
	}
#define ARRAY(attribute, data)                            \
	{                                                 \
		attribute, BYTES, 0, data, sizeof data, 0 \
	}

static const uint16_t no_workgroup[3];
static const uint16_t workgroup_dim[3] = { 1024, 1024, 1024 };
static const uint32_t grid_dim[3] = { INT32_MAX, INT32_MAX, INT32_MAX };
static const uint32_t no_caches[4];
static const uint32_t caches[4] = { 16384, 8 << 20, 0, 0 };
static const uint32_t image_2d[2] = { 16384, 16384 };
static const uint32_t image_3d[3] = { 2048, 2048, 2048 };
static const hsa_amd_hdp_flush_t no_hdp;
static const uint8_t no_extensions[128];
static const uint8_t no_properties[8];
/* hipMallocPitch needs the image extension advertised
 * (docs/hip-api.md#initialisation-requirements). */
static const uint8_t gpu_extensions[128] = { 1u << HSA_EXTENSION_IMAGES };

/* Alike for CPU and GPU. */
static const struct answer both_answers[] = {
	NUMBER(HSA_AGENT_INFO_MACHINE_MODEL, U32, HSA_MACHINE_MODEL_LARGE),
	NUMBER(HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, U32,
	       HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR),
	NUMBER(HSA_AGENT_INFO_VERSION_MAJOR, U16, 1),
	NUMBER(HSA_AGENT_INFO_VERSION_MINOR, U16, 1),
	NUMBER(HSA_AMD_AGENT_INFO_CACHELINE_SIZE, U32, 64),
	NUMBER(HSA_AMD_AGENT_INFO_DOMAIN, U32, 0),
	NUMBER(AGENT_INFO_TIMESTAMP_FREQUENCY, U64, 1000000000),
	NUMBER(AGENT_INFO_IOMMU_SUPPORT, U32, 0),
	ARRAY(AGENT_INFO_AQL_EXTENSIONS, no_properties),
};

static const struct answer cpu_answers[] = {
	STRING(HSA_AGENT_INFO_NAME, "host CPU", 64),
	STRING(HSA_AGENT_INFO_VENDOR_NAME, "CPU", 64),
	STRING(HSA_AMD_AGENT_INFO_PRODUCT_NAME, "host CPU", 64),
	STRING(HSA_AMD_AGENT_INFO_UUID, "CPU-XX", 21),
	NUMBER(HSA_AGENT_INFO_FEATURE, U32, 0),
	NUMBER(HSA_AGENT_INFO_PROFILE, U32, HSA_PROFILE_FULL),
	NUMBER(HSA_AGENT_INFO_WAVEFRONT_SIZE, U32, 0),
	ARRAY(HSA_AGENT_INFO_WORKGROUP_MAX_DIM, no_workgroup),
	NUMBER(HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, U32, 0),
	NUMBER(HSA_AGENT_INFO_QUEUES_MAX, U32, 0),
	NUMBER(HSA_AGENT_INFO_QUEUE_MIN_SIZE, U32, 0),
	NUMBER(HSA_AGENT_INFO_QUEUE_MAX_SIZE, U32, 0),
	PER_AGENT(HSA_AGENT_INFO_NODE, U32, 0, 1),
	NUMBER(HSA_AGENT_INFO_DEVICE, U32, HSA_DEVICE_TYPE_CPU),
	ARRAY(HSA_AGENT_INFO_CACHE_SIZE, no_caches),
	NUMBER(HSA_AGENT_INFO_ISA, U64, 0),
	ARRAY(HSA_AGENT_INFO_EXTENSIONS, no_extensions),
	NUMBER(HSA_AMD_AGENT_INFO_CHIP_ID, U32, 0),
	NUMBER(HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, U32, 0),
	PER_AGENT(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, U32, 0, 1),
	NUMBER(HSA_AMD_AGENT_INFO_BDFID, U32, 0),
	NUMBER(HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS, BOOL, 1),
	NUMBER(AGENT_INFO_ASIC_FAMILY_ID, U32, 0),
	NUMBER(AGENT_INFO_UCODE_VERSION, U32, 0),
	NUMBER(AGENT_INFO_SDMA_UCODE_VERSION, U32, 0),
	NUMBER(AGENT_INFO_NUM_SDMA_ENG, U32, 0),
	NUMBER(AGENT_INFO_NUM_SDMA_XGMI_ENG, U32, 0),
	NUMBER(AGENT_INFO_NUM_XCC, U32, 0),
	NUMBER(AGENT_INFO_DRIVER_UID, U32, 0),
};

static const struct answer gpu_answers[] = {
	STRING(HSA_AGENT_INFO_VENDOR_NAME, "hipgrain", 64),
	NUMBER(HSA_AGENT_INFO_FEATURE, U32, HSA_AGENT_FEATURE_KERNEL_DISPATCH),
	NUMBER(HSA_AGENT_INFO_PROFILE, U32, HSA_PROFILE_BASE),
	NUMBER(HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES, U32,
	       1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR),
	NUMBER(HSA_AGENT_INFO_FAST_F16_OPERATION, BOOL, 1),
	NUMBER(HSA_AGENT_INFO_WAVEFRONT_SIZE, U32, 64),
	ARRAY(HSA_AGENT_INFO_WORKGROUP_MAX_DIM, workgroup_dim),
	NUMBER(HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, U32, 1024),
	ARRAY(HSA_AGENT_INFO_GRID_MAX_DIM, grid_dim),
	NUMBER(HSA_AGENT_INFO_GRID_MAX_SIZE, U32, UINT32_MAX),
	NUMBER(HSA_AGENT_INFO_FBARRIER_MAX_SIZE, U32, 32),
	NUMBER(HSA_AGENT_INFO_QUEUES_MAX, U32, 128),
	NUMBER(HSA_AGENT_INFO_QUEUE_MIN_SIZE, U32, 64),
	NUMBER(HSA_AGENT_INFO_QUEUE_MAX_SIZE, U32, 131072),
	NUMBER(HSA_AGENT_INFO_QUEUE_TYPE, U32, HSA_QUEUE_TYPE_MULTI),
	NUMBER(HSA_AGENT_INFO_DEVICE, U32, HSA_DEVICE_TYPE_GPU),
	ARRAY(HSA_AGENT_INFO_CACHE_SIZE, caches),
	ARRAY(HSA_AGENT_INFO_EXTENSIONS, gpu_extensions),
	NUMBER(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, U32, 8),
	NUMBER(HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, U32, 1700),
	NUMBER(HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS, U32, 4),
	PER_AGENT(HSA_AMD_AGENT_INFO_BDFID, U32, 0x300, 0x100),
	NUMBER(HSA_AMD_AGENT_INFO_MEMORY_WIDTH, U32, 4096),
	NUMBER(HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, U32, 1600),
	NUMBER(HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, U32, 32),
	NUMBER(HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, U32, 4),
	NUMBER(HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, U32, 8),
	NUMBER(HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE, U32, 1),
	{ HSA_AMD_AGENT_INFO_HDP_FLUSH, BYTES, 0, &no_hdp, sizeof no_hdp, 0 },
	NUMBER(HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, BOOL, 1),
	NUMBER(HSA_AMD_AGENT_INFO_ASIC_REVISION, U32, 1),
	NUMBER(HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS, BOOL, 0),
	NUMBER(HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT, U32, 8),
	NUMBER(AGENT_INFO_ASIC_FAMILY_ID, U32, 141), /* AMDGPU_FAMILY_AI, amdgpu_drm.h */
	NUMBER(AGENT_INFO_UCODE_VERSION, U32, 1),
	NUMBER(AGENT_INFO_SDMA_UCODE_VERSION, U32, 1),
	NUMBER(AGENT_INFO_NUM_SDMA_ENG, U32, SG_COPY_ENGINES),
	PER_AGENT(AGENT_INFO_DRIVER_UID, U32, 1, 1),
	NUMBER(AGENT_INFO_SCRATCH_LIMIT_MAX, U64, 0),
	NUMBER(AGENT_INFO_SCRATCH_LIMIT_CURRENT, U64, 0),
	NUMBER(HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, U32, 16384),
	NUMBER(HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS, U32, 16384),
	NUMBER(HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS, U32, UINT32_MAX),
	ARRAY(HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS, image_2d),
	ARRAY(HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS, image_2d),
	ARRAY(HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS, image_2d),
	ARRAY(HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS, image_2d),
	ARRAY(HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, image_3d),
	NUMBER(HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, U32, 2048),
	NUMBER(HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES, U32, 128),
	NUMBER(HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES, U32, 64),
	NUMBER(HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS, U32, 16),
	NUMBER(HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT, U32, 256),
};

static void reply(const struct answer *answer, const struct sg_agent *agent, void *value)
{
	uint64_t number = answer->number + agent->number * answer->step;

	switch (answer->type) {
	case BOOL:
		*(bool *)value = number;
		break;
	case U16:
		*(uint16_t *)value = (uint16_t)number;
		break;
	case U32:
		*(uint32_t *)value = (uint32_t)number;
		break;
	case U64:
		*(uint64_t *)value = number;
		break;
	case TEXT:
		memset(value, 0, answer->size);
		memcpy(value, answer->data, strlen(answer->data));
		break;
	case BYTES:
		memcpy(value, answer->data, answer->size);
		break;
	}
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* False: the table has no such attribute. */
static bool reply_from(const struct answer *answers, size_t count, const struct sg_agent *agent,
		       uint32_t attribute, void *value)
{
	for (size_t i = 0; i < count; i++) {
		if (answers[i].attribute == attribute) {
			reply(&answers[i], agent, value);
			return true;
		}
	}
	return false;
}

/* What GPUs without image instructions answer: sizes and numbers of 0 (ROCr, GpuAgent::GetInfo). */
static bool reply_without_images(uint32_t attribute, void *value)
{
	size_t size = sizeof(uint32_t);

	switch (attribute) {
	case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
		size = sizeof image_3d;
		break;
	case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS:
		size = sizeof image_2d;
		break;
	case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
	case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
	case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
	case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
		break;
	default:
		return false;
	}
	memset(value, 0, size);
	return true;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void *value)
{
	const struct sg_agent *agent = sg_agent_get(handle);

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (agent->gpu && softgpu_config.processor != SOFTGPU_GFX90A &&
	    reply_without_images((uint32_t)attribute, value))
		return HSA_STATUS_SUCCESS;
	if (reply_from(both_answers, COUNT(both_answers), agent, (uint32_t)attribute, value))
		return HSA_STATUS_SUCCESS;
	if (agent->gpu
		? reply_from(gpu_answers, COUNT(gpu_answers), agent, (uint32_t)attribute, value)
		: reply_from(cpu_answers, COUNT(cpu_answers), agent, (uint32_t)attribute, value))
		return HSA_STATUS_SUCCESS;
	if (agent->gpu && attribute == HSA_AGENT_INFO_ISA) {
		((hsa_isa_t *)value)->handle = (uint64_t)(uintptr_t)&isa_object;
		return HSA_STATUS_SUCCESS;
	}
	if (agent->gpu && attribute == HSA_AGENT_INFO_NAME) {
		memset(value, 0, 64);
		strcpy(value, processor()->name);
		return HSA_STATUS_SUCCESS;
	}
	if (agent->gpu && (uint32_t)attribute == HSA_AMD_AGENT_INFO_CHIP_ID) {
		*(uint32_t *)value = sg_settings.apu ? CHIP_MI300A : processor()->chip;
		return HSA_STATUS_SUCCESS;
	}
	/* Nodes of the driver: first those of CPUs. */
	if (agent->gpu && (attribute == HSA_AGENT_INFO_NODE ||
			   (uint32_t)attribute == HSA_AMD_AGENT_INFO_DRIVER_NODE_ID)) {
		*(uint32_t *)value = sg_cpus() + agent->number;
		return HSA_STATUS_SUCCESS;
	}
	/* Becomes hipDeviceProp_t.name: nobody may take this for hardware. */
	if (agent->gpu && (uint32_t)attribute == HSA_AMD_AGENT_INFO_PRODUCT_NAME) {
		memset(value, 0, 64);
		snprintf(value, 64, HG_SOFTGPU_NAME "%s (%s%s)", sg_settings.apu ? "APU" : "GPU",
			 processor()->name,
			 sg_settings.gfx942 == (softgpu_config.processor != SOFTGPU_GFX90A) ? ""
			 : sg_settings.gfx942 ? ", memory of gfx942"
					      : ", memory of gfx90a");
		return HSA_STATUS_SUCCESS;
	}
	if (agent->gpu && (uint32_t)attribute == HSA_AMD_AGENT_INFO_UUID) {
		snprintf(value, 21, "GPU-50f769%010x", agent->number + 1);
		return HSA_STATUS_SUCCESS;
	}
	if (!agent->gpu && (uint32_t)attribute == HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT) {
		*(uint32_t *)value = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
		return HSA_STATUS_SUCCESS;
	}
	switch ((uint32_t)attribute) {
	case AGENT_INFO_MEMORY_AVAIL:
		*(uint64_t *)value = agent->gpu ? sg_pool_room(agent)
						: (uint64_t)sysconf(_SC_AVPHYS_PAGES) *
						      (uint64_t)sysconf(_SC_PAGESIZE);
		return HSA_STATUS_SUCCESS;
	case AGENT_INFO_NUM_XCC:
		*(uint32_t *)value = (uint32_t)softgpu_config.xcds;
		return HSA_STATUS_SUCCESS;
	case AGENT_INFO_NEAREST_CPU:
		*(hsa_agent_t *)value =
		    sg_agent_handle(&sg_cpu_agents[sg_settings.apu ? agent->number : 0]);
		return HSA_STATUS_SUCCESS;
	case AGENT_INFO_MEMORY_PROPERTIES:
		/* hsa_flag_isset64 takes HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU for the number of a
		 * bit. */
		memcpy(value, no_properties, sizeof no_properties);
		if (agent->gpu && sg_settings.apu)
			*(uint8_t *)value = 1u << MEMORY_PROPERTY_AGENT_IS_APU;
		return HSA_STATUS_SUCCESS;
	case AGENT_INFO_NUM_SDMA_XGMI_ENG:
		*(uint32_t *)value = sg_settings.hive ? SG_HIVE_ENGINES : 0;
		return HSA_STATUS_SUCCESS;
	}
	sg_warn("hsa_agent_get_info: no answer for attribute %#x of the %s agent", attribute,
		agent->gpu ? "GPU" : "CPU");
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data)
{
	hsa_status_t status;

	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	status = HSA_STATUS_SUCCESS;
	for (unsigned i = 0; !status && i < sg_cpus(); i++)
		status = callback(sg_agent_handle(&sg_cpu_agents[i]), data);
	for (unsigned i = 0; !status && i < sg_settings.gpus; i++)
		status = callback(sg_agent_handle(&sg_gpu_agents[i]), data);
	return status;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t, void *),
				    void *data)
{
	const struct sg_agent *agent = sg_agent_get(handle);

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return agent->gpu ? callback((hsa_isa_t){ (uint64_t)(uintptr_t)&isa_object }, data)
			  : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void *value)
{
	const char *name = isa_name();

	if (isa.handle != (uint64_t)(uintptr_t)&isa_object)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	switch ((int)attribute) {
	case HSA_ISA_INFO_NAME_LENGTH:
		*(uint32_t *)value = (uint32_t)strlen(name) + 1;
		return HSA_STATUS_SUCCESS;
	case HSA_ISA_INFO_NAME:
		memcpy(value, name, strlen(name) + 1);
		return HSA_STATUS_SUCCESS;
	case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
		*(uint32_t *)value = 1024;
		return HSA_STATUS_SUCCESS;
	case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
		memcpy(value, workgroup_dim, sizeof workgroup_dim);
		return HSA_STATUS_SUCCESS;
	}
	sg_warn("hsa_isa_get_info_alt: no answer for attribute %#x", attribute);
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* The older form: `index` counts call conventions, of which there is one. */
hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void *value)
{
	return index ? HSA_STATUS_ERROR_INVALID_INDEX : hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_from_name(const char *name, hsa_isa_t *isa)
{
	const char *own = isa_name();

	if (!name || !isa)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (strcmp(name, own))
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_ISA_NAME;
	isa->handle = (uint64_t)(uintptr_t)&isa_object;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t agent, bool *result)
{
	if (code.handle != (uint64_t)(uintptr_t)&isa_object || code.handle != agent.handle)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = true;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t handle,
						 uint16_t major, uint16_t *minor, bool *result)
{
	if (!minor)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*minor = 0;
	return hsa_agent_extension_supported(extension, handle, major, 0, result);
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t handle, uint16_t major,
					   uint16_t minor, bool *result)
{
	const struct sg_agent *agent = sg_agent_get(handle);

	(void)minor;
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = agent->gpu && extension == HSA_EXTENSION_IMAGES && major == 1;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t handle, hsa_amd_coherency_type_t *type)
{
	if (!sg_agent_get(handle))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!type)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*type = HSA_AMD_COHERENCY_TYPE_COHERENT;
	return HSA_STATUS_SUCCESS;
}

/* Coherency type and profiling have no state that anybody could see here. */
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t handle, hsa_amd_coherency_type_t type)
{
	(void)type;
	return sg_agent_get(handle) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}
