/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library that HSA_TOOLS_LIB names. The functions that the HSA runtime looks up in it have
 * names that are too common to be exported by a library that is preloaded into every program; here
 * they hide no other function.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

__attribute__((visibility("default"))) bool OnLoad(void *table, uint64_t version, uint64_t failed,
						   const char *const *names);
__attribute__((visibility("default"))) bool OnLoad(void *table, uint64_t version, uint64_t failed,
						   const char *const *names)
{
	bool (*load)(void *) = (bool (*)(void *))dlsym(RTLD_DEFAULT, "hipgrain_hsa_load");

	(void)version;
	(void)failed;
	(void)names;
	return !load || load(table); /* in a process that is not recorded there is nothing to do */
}
