// SPDX-License-Identifier: Apache-2.0
/* Start, end, and queries of the system as a whole. */
#include "runtime.h"
#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* hsa.h declares these two without a prototype. */
hsa_status_t hsa_init(void);
hsa_status_t hsa_shut_down(void);

/* Recursive: a tool may call hsa_init while it is being loaded. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint32_t references;
static bool settles; /* at exit */

hsa_status_t hsa_init(void)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!references && sg_settings_read()) {
		status = HSA_STATUS_ERROR;
	} else if (!references++) {
		sg_log("hsa_init: %lu software %s %s, XNACK %s", sg_settings.gpus,
		       sg_settings.apu ? "APUs" : "GPUs",
		       softgpu_config.processor == SOFTGPU_GFX950   ? "gfx950"
		       : softgpu_config.processor == SOFTGPU_GFX942 ? "gfx942"
								    : "gfx90a",
		       softgpu_config.xnack ? "on" : "off");
		sg_work_resume();
		if (!settles)
			settles = !atexit(sg_handlers_settle);
		sg_tools_load();
	}
	pthread_mutex_unlock(&lock);
	return status;
}

/*
 * Memory stays, and threads only pause: libamdhip64 and code of the application may still hold
 * addresses, and the process is about to end.
 */
hsa_status_t hsa_shut_down(void)
{
	hsa_status_t status = HSA_STATUS_ERROR_NOT_INITIALIZED;

	pthread_mutex_lock(&lock);
	if (references) {
		if (!--references) {
			sg_work_stop();
			sg_tools_unload();
		}
		status = HSA_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value)
{
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	switch ((int)attribute) {
	case HSA_SYSTEM_INFO_VERSION_MAJOR:
	case HSA_SYSTEM_INFO_VERSION_MINOR:
		*(uint16_t *)value = 1;
		break;
	case HSA_SYSTEM_INFO_TIMESTAMP:
		*(uint64_t *)value = sg_now_ns();
		break;
	case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
		*(uint64_t *)value = 1000000000;
		break;
	case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
		*(uint64_t *)value = UINT64_MAX;
		break;
	case HSA_SYSTEM_INFO_ENDIANNESS:
		*(hsa_endianness_t *)value = HSA_ENDIANNESS_LITTLE;
		break;
	case HSA_SYSTEM_INFO_MACHINE_MODEL:
		*(hsa_machine_model_t *)value = HSA_MACHINE_MODEL_LARGE;
		break;
	case HSA_SYSTEM_INFO_EXTENSIONS:
		memset(value, 0, 128);
		((uint8_t *)value)[0] = 1u << HSA_EXTENSION_IMAGES;
		((uint8_t *)value)[HSA_EXTENSION_AMD_LOADER / 8] = 1u
								   << HSA_EXTENSION_AMD_LOADER % 8;
		break;
	case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
		*(const char **)value = "hipgrain software GPU";
		break;
	case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
		*(bool *)value = sg_settings.svm;
		break;
	case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
		*(bool *)value = sg_settings.svm && softgpu_config.xnack;
		break;
	case SYSTEM_INFO_MWAITX_ENABLED:
	case SYSTEM_INFO_DMABUF_SUPPORTED:
		*(bool *)value = false;
		break;
	case SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
		*(bool *)value = true;
		break;
	case SYSTEM_INFO_XNACK_ENABLED:
		*(bool *)value = softgpu_config.xnack;
		break;
	/* Up to hsa_amd_vmem_address_reserve_align, as listed in hsa_ext_amd.h of 6.4. */
	case SYSTEM_INFO_EXT_VERSION_MAJOR:
		*(uint16_t *)value = 1;
		break;
	case SYSTEM_INFO_EXT_VERSION_MINOR:
		*(uint16_t *)value = 6;
		break;
	default:
		sg_warn("hsa_system_get_info: no answer for attribute %#x", attribute);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

/* It logs the packets of the runtime's own kernels, of which there are none here. */
hsa_status_t sg_hsa_amd_enable_logging(uint8_t *flags, void *file)
{
	(void)flags, (void)file;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t major, uint16_t minor,
					    bool *result)
{
	(void)minor;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = major == 1 &&
		  (extension == HSA_EXTENSION_IMAGES || extension == HSA_EXTENSION_AMD_LOADER);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t major, size_t length,
						  void *table)
{
	if (!table || !length)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (extension == HSA_EXTENSION_AMD_LOADER && major == 1)
		return sg_loader_table(length, table);
	sg_warn("hsa_system_get_major_extension_table: no extension %#x version %u", extension,
		major);
	return HSA_STATUS_ERROR;
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t major, uint16_t minor,
					    void *table)
{
	if (extension == HSA_EXTENSION_AMD_LOADER && major == 1 && !minor && table)
		return sg_loader_table(sizeof(hsa_ven_amd_loader_1_00_pfn_t), table);
	sg_warn("hsa_system_get_extension_table: no extension %#x version %u.%u", extension, major,
		minor);
	return HSA_STATUS_ERROR;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t major,
						  uint16_t *minor, bool *result)
{
	if (!minor)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*minor = 0;
	return hsa_system_extension_supported(extension, major, 0, result);
}

hsa_status_t hsa_status_string(hsa_status_t status, const char **text)
{
	static const struct {
		int status;
		const char *text;
	} names[] = {
		{ HSA_STATUS_SUCCESS,
		  "HSA_STATUS_SUCCESS: The function has been executed successfully." },
		{ HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK: A traversal was interrupted." },
		{ HSA_STATUS_ERROR, "HSA_STATUS_ERROR: A generic error has occurred." },
		{ HSA_STATUS_ERROR_INVALID_ARGUMENT,
		  "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the actual arguments does not meet a "
		  "precondition stated in the documentation of the corresponding formal "
		  "argument." },
		{ HSA_STATUS_ERROR_INVALID_ALLOCATION,
		  "HSA_STATUS_ERROR_INVALID_ALLOCATION: The requested allocation is not valid." },
		{ HSA_STATUS_ERROR_INVALID_AGENT,
		  "HSA_STATUS_ERROR_INVALID_AGENT: The agent is invalid." },
		{ HSA_STATUS_ERROR_OUT_OF_RESOURCES,
		  "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary "
		  "resources." },
		{ HSA_STATUS_ERROR_EXCEPTION,
		  "HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware "
		  "exception." },
		{ HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
		  "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT: The AQL packet is malformed." },
		{ HSA_STATUS_ERROR_INVALID_ISA,
		  "HSA_STATUS_ERROR_INVALID_ISA: The ISA is invalid." },
		{ HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
		  "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: The code object is invalid." },
		{ HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
		  "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: There is no symbol with the given name." },
		{ HSA_STATUS_ERROR_VARIABLE_UNDEFINED,
		  "HSA_STATUS_ERROR_VARIABLE_UNDEFINED: The variable is undefined." },
		{ HSA_STATUS_ERROR_INVALID_MEMORY_POOL,
		  "HSA_STATUS_ERROR_INVALID_MEMORY_POOL: The memory pool is invalid." },
	};

	if (!text)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].status == (int)status) {
			*text = names[i].text;
			return HSA_STATUS_SUCCESS;
		}
	}
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
