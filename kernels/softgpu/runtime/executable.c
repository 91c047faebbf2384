// SPDX-License-Identifier: Apache-2.0
/* Code object readers, executables, their symbols, and the loader extension's queries. */
#include "runtime.h"
#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
	const void *data; /* the caller's, alive as long as the reader (hsa.h), or in `image` */
	size_t size;
	struct sg_image *image;
};

struct executable {
	hsa_profile_t profile;
	hsa_default_float_rounding_mode_t rounding;
	bool frozen;
	struct sg_define *defines;
	struct sg_code_object *objects;
	struct executable *next;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct executable *executables;

static struct executable *get(hsa_executable_t handle)
{
	struct executable *executable = executables;

	while (executable && (uint64_t)(uintptr_t)executable != handle.handle)
		executable = executable->next;
	return executable;
}

static void release_image(struct sg_image *image)
{
	if (image && !--image->references)
		free(image);
}

static struct sg_image *new_image(size_t size)
{
	struct sg_image *image = malloc(sizeof *image + size);

	if (image) {
		image->size = size;
		image->references = 1;
	}
	return image;
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void *image, size_t size,
						       hsa_code_object_reader_t *result)
{
	struct reader *reader;

	if (!image || !size || !result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	reader = malloc(sizeof *reader);
	if (!reader)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*reader = (struct reader){ image, size, NULL };
	result->handle = (uint64_t)(uintptr_t)reader;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader)
{
	if (!reader.handle)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	pthread_rwlock_wrlock(&lock);
	release_image(((struct reader *)(uintptr_t)reader.handle)->image);
	pthread_rwlock_unlock(&lock);
	free((void *)(uintptr_t)reader.handle);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
						     hsa_code_object_reader_t *result)
{
	hsa_status_t status;
	struct sg_image *image;
	struct stat info;

	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (fstat(file, &info) || !S_ISREG(info.st_mode) || !info.st_size)
		return (hsa_status_t)HSA_STATUS_ERROR_INVALID_FILE;
	image = new_image((size_t)info.st_size);
	if (!image)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	for (size_t at = 0; at < image->size;) {
		ssize_t got = pread(file, image->data + at, image->size - at, (off_t)at);
		if (got <= 0) {
			free(image);
			return (hsa_status_t)HSA_STATUS_ERROR_INVALID_FILE;
		}
		at += (size_t)got;
	}
	status = hsa_code_object_reader_create_from_memory(image->data, image->size, result);
	if (status)
		free(image);
	else
		((struct reader *)(uintptr_t)result->handle)->image = image;
	return status;
}

/* ---- code objects as they were before version 1.1 of HSA: a copy without a reader ---- */

hsa_status_t hsa_code_object_deserialize(void *data, size_t size, const char *options,
					 hsa_code_object_t *result)
{
	struct sg_image *image;

	(void)options;
	if (!data || !size || !result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	image = new_image(size);
	if (!image)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	memcpy(image->data, data, size);
	result->handle = (uint64_t)(uintptr_t)image;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t handle)
{
	if (!handle.handle)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	pthread_rwlock_wrlock(&lock);
	release_image((struct sg_image *)(uintptr_t)handle.handle);
	pthread_rwlock_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

/* ---- executables ---- */

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
				       hsa_default_float_rounding_mode_t rounding,
				       const char *options, hsa_executable_t *result)
{
	struct executable *executable;

	(void)options;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	executable = calloc(1, sizeof *executable);
	if (!executable)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	executable->profile = profile;
	executable->rounding = rounding;
	pthread_rwlock_wrlock(&lock);
	executable->next = executables;
	executables = executable;
	pthread_rwlock_unlock(&lock);
	result->handle = (uint64_t)(uintptr_t)executable;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t state,
				   const char *options, hsa_executable_t *result)
{
	hsa_status_t status = hsa_executable_create_alt(
	    profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, result);

	if (!status && state == HSA_EXECUTABLE_STATE_FROZEN)
		((struct executable *)(uintptr_t)result->handle)->frozen = true;
	return status;
}

hsa_status_t hsa_executable_destroy(hsa_executable_t handle)
{
	struct executable *executable = NULL;

	pthread_rwlock_wrlock(&lock);
	for (struct executable **link = &executables; *link; link = &(*link)->next) {
		if ((uint64_t)(uintptr_t)*link == handle.handle) {
			executable = *link;
			*link = executable->next;
			break;
		}
	}
	pthread_rwlock_unlock(&lock);
	if (!executable)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	while (executable->objects) {
		struct sg_code_object *object = executable->objects;
		struct sg_image *image = object->image;
		executable->objects = object->next;
		sg_unload(object);
		pthread_rwlock_wrlock(&lock);
		release_image(image);
		pthread_rwlock_unlock(&lock);
	}
	while (executable->defines) {
		struct sg_define *define = executable->defines;
		executable->defines = define->next;
		free(define->name);
		free(define);
	}
	free(executable);
	return HSA_STATUS_SUCCESS;
}

/* With the lock held: a symbol of that name, of `agent` unless that is NULL; or NULL. */
static struct sg_symbol *find_symbol(const struct executable *executable,
				     const struct sg_agent *agent, const char *name)
{
	for (struct sg_code_object *object = executable->objects; object; object = object->next)
		for (size_t i = 0; i < object->symbol_count; i++)
			if ((!agent || object->agent == agent) &&
			    !strcmp(object->symbols[i].name, name))
				return &object->symbols[i];
	return NULL;
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t handle,
							 hsa_agent_t agent_handle, const char *name,
							 void *address)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	const struct sg_agent *agent = sg_agent_get(agent_handle);
	struct executable *executable;
	struct sg_define *define;

	if (!name)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	pthread_rwlock_wrlock(&lock);
	executable = get(handle);
	if (!executable) {
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	} else if (executable->frozen) {
		status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
	} else if (find_symbol(executable, agent, name)) {
		status = HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
	} else {
		define = calloc(1, sizeof *define);
		if (define)
			define->name = strdup(name);
		if (!define || !define->name) {
			free(define);
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
		} else {
			define->agent = agent;
			define->address = (uint64_t)(uintptr_t)address;
			define->next = executable->defines;
			executable->defines = define;
		}
	}
	pthread_rwlock_unlock(&lock);
	return status;
}

/* Load [data, data + size), which is in `image` if that is given. */
static hsa_status_t load(hsa_executable_t handle, hsa_agent_t agent_handle, const void *data,
			 size_t size, struct sg_image *image, hsa_loaded_code_object_t *loaded)
{
	const struct sg_agent *agent = sg_agent_get(agent_handle);
	struct sg_code_object *object = NULL;
	struct executable *executable;
	hsa_status_t status;

	if (!agent || !agent->gpu)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	pthread_rwlock_wrlock(&lock);
	executable = get(handle);
	if (!executable)
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	else if (executable->frozen)
		status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
	else
		status = sg_load(agent, data, size, executable->defines, &object);
	if (!status) {
		object->image = image;
		if (image)
			image->references++;
		object->next = executable->objects;
		executable->objects = object;
		if (loaded)
			loaded->handle = (uint64_t)(uintptr_t)object;
	}
	pthread_rwlock_unlock(&lock);
	return status;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t handle, hsa_agent_t agent,
						   hsa_code_object_reader_t reader_handle,
						   const char *options,
						   hsa_loaded_code_object_t *loaded)
{
	const struct reader *reader = (const struct reader *)(uintptr_t)reader_handle.handle;

	(void)options;
	if (!reader)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	return load(handle, agent, reader->data, reader->size, reader->image, loaded);
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t handle, hsa_agent_t agent,
					     hsa_code_object_t code_object, const char *options)
{
	struct sg_image *image = (struct sg_image *)(uintptr_t)code_object.handle;

	(void)options;
	if (!image)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	return load(handle, agent, image->data, image->size, image, NULL);
}

/* What could be wrong was found when it was loaded. */
hsa_status_t hsa_executable_validate_alt(hsa_executable_t handle, const char *options,
					 uint32_t *result)
{
	struct executable *executable;

	(void)options;
	if (!result)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*result = 0;
	pthread_rwlock_rdlock(&lock);
	executable = get(handle);
	pthread_rwlock_unlock(&lock);
	return executable ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

hsa_status_t hsa_executable_validate(hsa_executable_t handle, uint32_t *result)
{
	return hsa_executable_validate_alt(handle, NULL, result);
}

hsa_status_t hsa_executable_get_info(hsa_executable_t handle, hsa_executable_info_t attribute,
				     void *value)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct executable *executable;

	if (!value)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_rwlock_rdlock(&lock);
	executable = get(handle);
	if (!executable)
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	else if (attribute == HSA_EXECUTABLE_INFO_PROFILE)
		*(hsa_profile_t *)value = executable->profile;
	else if (attribute == HSA_EXECUTABLE_INFO_STATE)
		*(hsa_executable_state_t *)value = executable->frozen
						       ? HSA_EXECUTABLE_STATE_FROZEN
						       : HSA_EXECUTABLE_STATE_UNFROZEN;
	else if (attribute == HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE)
		*(hsa_default_float_rounding_mode_t *)value = executable->rounding;
	else
		status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_rwlock_unlock(&lock);
	return status;
}

hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char *options)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct executable *executable;

	(void)options;
	pthread_rwlock_wrlock(&lock);
	executable = get(handle);
	if (!executable)
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	else if (executable->frozen)
		status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
	else
		executable->frozen = true;
	pthread_rwlock_unlock(&lock);
	return status;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char *name,
					       const hsa_agent_t *agent_handle,
					       hsa_executable_symbol_t *symbol)
{
	hsa_status_t status = HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
	struct executable *executable;
	const struct sg_agent *agent = agent_handle ? sg_agent_get(*agent_handle) : NULL;
	struct sg_symbol *found;

	if (!name || !symbol)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (agent_handle && !agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	pthread_rwlock_rdlock(&lock);
	executable = get(handle);
	found = executable ? find_symbol(executable, agent, name) : NULL;
	if (!executable)
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (found) {
		symbol->handle = (uint64_t)(uintptr_t)found;
		status = HSA_STATUS_SUCCESS;
	}
	pthread_rwlock_unlock(&lock);
	return status;
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t handle, const char *module,
				       const char *name, hsa_agent_t agent, int32_t convention,
				       hsa_executable_symbol_t *symbol)
{
	(void)convention;
	if (module && *module)
		return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
	return hsa_executable_get_symbol_by_name(handle, name, &agent, symbol);
}

/* The symbols of `agent`, or of all if it is NULL; the caller frees *list. */
static hsa_status_t list_symbols(hsa_executable_t handle, const struct sg_agent *agent,
				 struct sg_symbol ***list, size_t *count)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct executable *executable;

	*list = NULL;
	*count = 0;
	pthread_rwlock_rdlock(&lock);
	executable = get(handle);
	if (!executable)
		status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	for (struct sg_code_object *object = executable ? executable->objects : NULL; object;
	     object = object->next) {
		struct sg_symbol **moved;
		if (agent && object->agent != agent)
			continue;
		moved = realloc(*list, (*count + object->symbol_count + 1) * sizeof **list);
		if (!moved) {
			status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
			break;
		}
		*list = moved;
		for (size_t i = 0; i < object->symbol_count; i++)
			(*list)[(*count)++] = &object->symbols[i];
	}
	pthread_rwlock_unlock(&lock);
	return status;
}

hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *), void *data)
{
	struct sg_symbol **list;
	hsa_status_t status;
	size_t count;

	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	/* Without the lock: the callback may ask for more. */
	status = list_symbols(handle, NULL, &list, &count);
	for (size_t i = 0; !status && i < count; i++)
		status = callback(handle, (hsa_executable_symbol_t){ (uint64_t)(uintptr_t)list[i] },
				  data);
	free(list);
	return status;
}

hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t handle, hsa_agent_t agent_handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void *),
    void *data)
{
	const struct sg_agent *agent = sg_agent_get(agent_handle);
	struct sg_symbol **list;
	hsa_status_t status;
	size_t count;

	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!callback)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	status = list_symbols(handle, agent, &list, &count);
	for (size_t i = 0; !status && i < count; i++)
		status = callback(handle, agent_handle,
				  (hsa_executable_symbol_t){ (uint64_t)(uintptr_t)list[i] }, data);
	free(list);
	return status;
}

/* No symbol is allocated for all agents. */
hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *), void *data)
{
	uint32_t result;

	(void)data;
	return callback ? hsa_executable_validate_alt(handle, NULL, &result)
			: HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* With the lock held: the loaded object that holds `address`, and its executable. */
static struct sg_code_object *find_object(uint64_t address, struct executable **owner)
{
	for (struct executable *executable = executables; executable; executable = executable->next)
		for (struct sg_code_object *object = executable->objects; object;
		     object = object->next)
			if (address - object->load_base < object->code_size) {
				*owner = executable;
				return object;
			}
	return NULL;
}

const char *sg_kernel_name(uint64_t kernel_object, uint64_t *base, uint64_t *size)
{
	struct executable *owner;
	struct sg_code_object *object;
	const char *name = NULL;

	*base = *size = 0;
	pthread_rwlock_rdlock(&lock);
	object = find_object(kernel_object, &owner);
	if (object) {
		*base = object->load_base;
		*size = object->code_size;
		for (size_t i = 0; !name && i < object->symbol_count; i++)
			if (object->symbols[i].kernel &&
			    object->symbols[i].address == kernel_object)
				name = object->symbols[i].kernel_name;
	}
	pthread_rwlock_unlock(&lock);
	return name;
}

/* ---- the AMD_LOADER extension (hsa_ven_amd_loader.h), the three functions of version 1.00 ---- */

static hsa_status_t query_host_address(const void *device, const void **host)
{
	struct executable *owner;
	struct sg_code_object *object;

	if (!device || !host)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_rwlock_rdlock(&lock);
	object = find_object((uint64_t)(uintptr_t)device, &owner);
	pthread_rwlock_unlock(&lock);
	if (!object)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*host = device;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t *descriptors,
					      size_t *count)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	size_t found = 0;

	if (!count || !*count != !descriptors)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_rwlock_rdlock(&lock);
	for (struct executable *executable = executables; executable;
	     executable = executable->next) {
		for (struct sg_code_object *object = executable->objects; object;
		     object = object->next, found++) {
			if (!descriptors || found >= *count)
				continue;
			descriptors[found] = (hsa_ven_amd_loader_segment_descriptor_t){
				.agent = sg_agent_handle(object->agent),
				.executable = { (uint64_t)(uintptr_t)executable },
				.code_object_storage_type =
				    HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
				.code_object_storage_base = object->storage,
				.code_object_storage_size = object->storage_size,
				.segment_base = (void *)(uintptr_t)object->load_base,
				.segment_size = object->code_size,
			};
		}
	}
	pthread_rwlock_unlock(&lock);
	if (descriptors && found != *count)
		status = HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
	*count = found;
	return status;
}

static hsa_status_t query_executable(const void *device, hsa_executable_t *handle)
{
	struct executable *owner;
	struct sg_code_object *object;

	if (!device || !handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_rwlock_rdlock(&lock);
	object = find_object((uint64_t)(uintptr_t)device, &owner);
	if (object)
		handle->handle = (uint64_t)(uintptr_t)owner;
	pthread_rwlock_unlock(&lock);
	return object ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t sg_loader_table(size_t length, void *table)
{
	static const hsa_ven_amd_loader_1_00_pfn_t functions = {
		query_host_address,
		query_segment_descriptors,
		query_executable,
	};

	if (length > sizeof functions) {
		sg_warn("loader extension: only version 1.00 (%zu bytes) is there, %zu requested",
			sizeof functions, length);
		return HSA_STATUS_ERROR;
	}
	memcpy(table, &functions, length);
	return HSA_STATUS_SUCCESS;
}
