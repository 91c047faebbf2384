/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amd_comgr's functions, from the library that this machine has: what is linked with this file
 * instead of libamd_comgr.so runs with any release of it, and without one (meson's option
 * `portable`).
 *
 * The library is looked for once, at the first call: the one that comgr_prefer() names, as the
 * dynamic linker finds it by its names (that includes LD_LIBRARY_PATH), then below ROCM_PATH and
 * where AMD's packages install it. Its
 * name ends in the number of its interface: .2 up to ROCm 6, .3 from 7 on; the functions used here
 * are the same in both [amd_comgr.h of 2.4, 2.8, 3.0]. Without a library each function fails with
 * AMD_COMGR_STATUS_ERROR.
 */
#include AMD_COMGR_HEADER
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "comgr/load.h"
#include "comgr/rocm.h"

/* Interfaces that may exist, newest first. */
#define HIGHEST 19
#define LOWEST  1

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static const char *preferred;

static void look(void)
{
	char **list;
	char name[32];

	if (preferred)
		library = dlopen(preferred, RTLD_NOW | RTLD_LOCAL);
	for (int number = HIGHEST; number >= LOWEST && !library; number--) {
		snprintf(name, sizeof(name), "libamd_comgr.so.%d", number);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	}
	if (library)
		return;
	list = rocm_libraries("libamd_comgr.so");
	for (size_t i = 0; list && list[i] && !library; i++)
		library = dlopen(list[i], RTLD_NOW | RTLD_LOCAL);
	rocm_libraries_free(list);
}

void comgr_prefer(const char *path)
{
	preferred = path;
}

static void *function(const char *name)
{
	pthread_once(&once, look);
	return library ? dlsym(library, name) : NULL;
}

const char *comgr_path(void)
{
	void *known = function("amd_comgr_get_version");
	Dl_info info;

	return known && dladdr(known, &info) ? info.dli_fname : NULL;
}

/* FORWARD(NAME, PARAMETERS, ARGUMENTS): the function of that name. */
#define FORWARD(name, parameters, arguments)                                        \
	amd_comgr_status_t name parameters                                          \
	{                                                                           \
		static __typeof__(&name) real; /* atomic */                         \
		__typeof__(&name) found = __atomic_load_n(&real, __ATOMIC_RELAXED); \
                                                                                    \
		if (!found) {                                                       \
			*(void **)&found = function(#name);                         \
			if (!found)                                                 \
				return AMD_COMGR_STATUS_ERROR;                      \
			__atomic_store_n(&real, found, __ATOMIC_RELAXED);           \
		}                                                                   \
		return found arguments;                                             \
	}

FORWARD(amd_comgr_create_data, (amd_comgr_data_kind_t kind, amd_comgr_data_t *data), (kind, data))
FORWARD(amd_comgr_set_data, (amd_comgr_data_t data, size_t size, const char *bytes),
	(data, size, bytes))
FORWARD(amd_comgr_get_data, (amd_comgr_data_t data, size_t *size, char *bytes), (data, size, bytes))
FORWARD(amd_comgr_release_data, (amd_comgr_data_t data), (data))
FORWARD(amd_comgr_demangle_symbol_name, (amd_comgr_data_t mangled, amd_comgr_data_t *demangled),
	(mangled, demangled))
FORWARD(amd_comgr_get_isa_count, (size_t * count), (count))
FORWARD(amd_comgr_get_isa_name, (size_t number, const char **name), (number, name))
FORWARD(amd_comgr_create_disassembly_info,
	(const char *isa, uint64_t (*read)(uint64_t, char *, uint64_t, void *),
	 void (*print)(const char *, void *), void (*annotate)(uint64_t, void *),
	 amd_comgr_disassembly_info_t *info),
	(isa, read, print, annotate, info))
FORWARD(amd_comgr_destroy_disassembly_info, (amd_comgr_disassembly_info_t info), (info))
FORWARD(amd_comgr_disassemble_instruction,
	(amd_comgr_disassembly_info_t info, uint64_t address, void *user, uint64_t *size),
	(info, address, user, size))

void amd_comgr_get_version(size_t *major, size_t *minor)
{
	void (*real)(size_t *, size_t *);

	*(void **)&real = function("amd_comgr_get_version");
	*major = *minor = 0;
	if (real)
		real(major, minor);
}
