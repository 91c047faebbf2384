/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HSA runtime takes this library for a tool, because HSA_TOOLS_LIB names it or, from ROCr 6 on,
 * because it is in the process and exports HSA_AMD_TOOL_PRIORITY. The functions that the runtime
 * looks up in it have names that are too common to be exported by a library that is preloaded into
 * every program; this one is opened for itself, where they hide no other function.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Tools are loaded in ascending order; the order of others is not known, and does not matter here.
 */
extern const uint32_t HSA_AMD_TOOL_PRIORITY;
__attribute__((visibility("default"))) const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

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
