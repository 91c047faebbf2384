// SPDX-License-Identifier: Apache-2.0
/*
 * Makes the key of an action from all that its result depends on: the libraries that do it, the
 * action with its options, and the data that goes in. There is no key if anything else could matter
 * (a file that a source includes, an option that names one, a variable of the environment).
 */
#include "comgr.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger inputs than the runtime's own are not worth keeping. */
#define MAX_KEY (16u << 20)

/* Actions whose result follows from what goes into them. */
static const amd_comgr_action_kind_t pure[] = {
	AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC,
	/* With the libraries that are part of libamd_comgr [SEEN64]. */
	AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC,
	AMD_COMGR_ACTION_LINK_BC_TO_BC,
	AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE,
	AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
};

/* Options that read no file and put no directory's name into the result: "*" ends a prefix. */
static const char *const options[] = {
	"-O*",
	"-D*",
	"-cl-*",
	"-Xclang",
	"-mllvm",
	"-amdgpu-prelink",
	"-amdgpu-internalize-symbols",
	"-mcumode",
	"-mwavefrontsize64",
	"-mcode-object-version=*",
	"wavefrontsize64",
	"code_object_*",
};

/* A source may not mention these words: it would read other files, or the time of day. */
static const char *const words[] = { "include", "import", "embed", "__TIME",
				     "__DATE",  "?\?/",   "\\\n" };

/* Variables with these beginnings change what the compiler does. */
static const char *const variables[] = { "AMD_COMGR_", "CCC_", "CLANG_", "LLVM_",
					 "HIP_DEVICE_LIB_PATH=" };

static bool allowed(const char *option)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		size_t length = strlen(options[i]);
		if (options[i][length - 1] == '*' ? !strncmp(option, options[i], length - 1)
						  : !strcmp(option, options[i]))
			return true;
	}
	return false;
}

static bool environment_matters(void)
{
	for (char **variable = environ; variable && *variable; variable++)
		for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
			if (!strncmp(*variable, variables[i], strlen(variables[i])))
				return true;
	return false;
}

/* ---- the libraries ---- */

static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const names[] = { "libamd_comgr.so", "libLLVM", "libclang", "liblld" };
	const char *name = info->dlpi_name, *base = strrchr(name, '/');
	struct buffer *key = data;
	struct stat status;

	(void)size;
	base = base ? base + 1 : name;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strncmp(base, names[i], strlen(names[i])))
			continue;
		if (stat(name, &status)) {
			key->failed = true;
			return 1;
		}
		buffer_add_text(key, name);
		buffer_add_u64(key, (uint64_t)status.st_size);
		buffer_add_u64(key, (uint64_t)status.st_ino);
		buffer_add_u64(key, (uint64_t)status.st_mtim.tv_sec);
		buffer_add_u64(key, (uint64_t)status.st_mtim.tv_nsec);
	}
	return 0;
}

/* ---- the action ---- */

static bool add_options(amd_comgr_action_info_t info, struct buffer *key)
{
	size_t count, size;
	char text[4096];

	if (amd_comgr_action_info_get_option_list_count(info, &count))
		return false;
	buffer_add_u64(key, count);
	for (size_t i = 0; i < count; i++) {
		/* The size is both: how much to copy, and how much there is. */
		if (amd_comgr_action_info_get_option_list_item(info, i, &size, NULL) ||
		    size > sizeof text ||
		    amd_comgr_action_info_get_option_list_item(info, i, &size, text) ||
		    !allowed(text))
			return false;
		buffer_add_text(key, text);
	}
	return true;
}

static bool add_info(amd_comgr_action_info_t info, struct buffer *key)
{
	amd_comgr_language_t language;
	size_t size = 0;
	bool logging;
	char *isa;

	if (amd_comgr_action_info_get_language(info, &language) ||
	    amd_comgr_action_info_get_logging(info, &logging) ||
	    amd_comgr_action_info_get_isa_name(info, &size, NULL))
		return false;
	buffer_add_u64(key, (uint64_t)language);
	buffer_add_u64(key, logging);
	buffer_add_u64(key, size);
	isa = buffer_extend(key, size);
	return isa && !amd_comgr_action_info_get_isa_name(info, &size, isa) &&
	       add_options(info, key);
}

/* Returns true for OpenCL. Other languages' compilers look for headers of their own. */
static bool is_opencl(amd_comgr_action_info_t info)
{
	amd_comgr_language_t language;

	return !amd_comgr_action_info_get_language(info, &language) &&
	       (language == AMD_COMGR_LANGUAGE_OPENCL_1_2 ||
		language == AMD_COMGR_LANGUAGE_OPENCL_2_0);
}

/* ---- the data ---- */

static bool self_contained(const void *source, size_t size)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(source, size, words[i], strlen(words[i])))
			return false;
	return true;
}

static bool add_data(amd_comgr_data_kind_t kind, amd_comgr_data_t data, struct buffer *key)
{
	size_t size = 0, name_size = 0;
	void *bytes;

	if (amd_comgr_get_data_name(data, &name_size, NULL) ||
	    amd_comgr_get_data(data, &size, NULL) || size + name_size + key->size > MAX_KEY)
		return false;
	buffer_add_u64(key, (uint64_t)kind);
	buffer_add_u64(key, name_size);
	buffer_add_u64(key, size);
	bytes = buffer_extend(key, name_size);
	if (!bytes || amd_comgr_get_data_name(data, &name_size, bytes))
		return false;
	bytes = buffer_extend(key, size);
	if (!bytes || (size && amd_comgr_get_data(data, &size, bytes)))
		return false;
	return (kind != AMD_COMGR_DATA_KIND_SOURCE && kind != AMD_COMGR_DATA_KIND_INCLUDE) ||
	       self_contained(bytes, size);
}

static bool add_input(amd_comgr_data_set_t input, struct buffer *key)
{
	for (int kind = AMD_COMGR_DATA_KIND_SOURCE; kind <= AMD_COMGR_DATA_KIND_LAST; kind++) {
		size_t count = 0;

		/* The numbers between the kinds are no kinds. */
		if (amd_comgr_action_data_count(input, (amd_comgr_data_kind_t)kind, &count))
			continue;
		for (size_t i = 0; i < count; i++) {
			amd_comgr_data_t data;
			bool good;
			if (amd_comgr_action_data_get_data(input, (amd_comgr_data_kind_t)kind, i,
							   &data))
				return false;
			good = add_data((amd_comgr_data_kind_t)kind, data, key);
			amd_comgr_release_data(data);
			if (!good)
				return false;
		}
	}
	return true;
}

bool key_make(amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
	      amd_comgr_data_set_t input, struct buffer *key)
{
	bool known = false, compiles;

	for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
		known |= kind == pure[i];
	compiles = kind == AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC ||
		   kind == AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC;
	if (!known || environment_matters() || (compiles && !is_opencl(info)))
		return false;
	buffer_add_u64(key, (uint64_t)kind);
	dl_iterate_phdr(add_library, key);
	return !key->failed && add_info(info, key) && add_input(input, key) && !key->failed;
}
