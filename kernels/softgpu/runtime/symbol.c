// SPDX-License-Identifier: Apache-2.0
/* What is known of an executable's symbols: kernels and variables. */
#include "runtime.h"
#include <string.h>

/* Kernel descriptor fields by byte offset (docs/code-objects.md#kernel-descriptor). */
static uint32_t descriptor_word(const struct sg_symbol *symbol, unsigned offset)
{
	uint32_t word;
	memcpy(&word, (const void *)(uintptr_t)(symbol->address + offset), sizeof word);
	return word;
}

static hsa_status_t kernel_info(const struct sg_symbol *symbol, int attribute, void *value)
{
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
		*(uint64_t *)value = symbol->address;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
		*(uint32_t *)value = descriptor_word(symbol, 0);
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
		*(uint32_t *)value = descriptor_word(symbol, 4);
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
		*(uint32_t *)value = descriptor_word(symbol, 8);
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
		*(uint32_t *)value = 16;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
		*(bool *)value = descriptor_word(symbol, 56) >> 11 & 1;
		break;
	/* HIP from 5.7 on asks it of every symbol. */
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	default:
		sg_warn("hsa_executable_symbol_get_info: no answer for attribute %#x of a kernel",
			attribute);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t variable_info(const struct sg_symbol *symbol, int attribute, void *value)
{
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
		*(uint64_t *)value = symbol->address;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
		*(uint32_t *)value = (uint32_t)symbol->size;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
		*(bool *)value = symbol->constant;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
		*(hsa_variable_allocation_t *)value = HSA_VARIABLE_ALLOCATION_AGENT;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
		*(hsa_variable_segment_t *)value =
		    symbol->constant ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL;
		break;
	default:
		sg_warn("hsa_executable_symbol_get_info: no answer for attribute %#x of a variable",
			attribute);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
					    hsa_executable_symbol_info_t attribute, void *value)
{
	const struct sg_symbol *symbol = (const struct sg_symbol *)(uintptr_t)handle.handle;

	if (!symbol)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	switch ((int)attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
		*(hsa_symbol_kind_t *)value =
		    symbol->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
		*(uint32_t *)value = (uint32_t)strlen(symbol->name);
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
		memcpy(value, symbol->name, strlen(symbol->name)); /* no terminator: hsa.h */
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
		*(hsa_agent_t *)value = sg_agent_handle(symbol->agent);
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
		*(hsa_symbol_linkage_t *)value = HSA_SYMBOL_LINKAGE_PROGRAM;
		break;
	case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
		*(bool *)value = true;
		break;
	default:
		return symbol->kernel ? kernel_info(symbol, (int)attribute, value)
				      : variable_info(symbol, (int)attribute, value);
	}
	return HSA_STATUS_SUCCESS;
}
