/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool of the HSA runtime, for HSA_TOOLS_LIB in place of the recorder's. It gives the recorder a
 * copy of the runtime's tables: no function of the runtime calls through a place of it, as if each
 * were at another one than the recorder knows.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/hsa/hsa_tables.h"

#define EXPORT __attribute__((visibility("default")))

static void *copy_of(const struct hsa_table *table)
{
	void *copy = malloc(table->version.minor);

	return copy ? memcpy(copy, table, table->version.minor) : NULL;
}

EXPORT bool OnLoad(const struct hsa_tables *tables, uint64_t version, uint64_t failed,
		   const char *const *names);
EXPORT bool OnLoad(const struct hsa_tables *tables, uint64_t version, uint64_t failed,
		   const char *const *names)
{
	bool (*load)(void *) = (bool (*)(void *))dlsym(RTLD_DEFAULT, "hipgrain_hsa_load");
	struct hsa_tables copy = { tables->version, copy_of(tables->core), copy_of(tables->amd) };

	(void)version;
	(void)failed;
	(void)names;
	if (load && copy.core && copy.amd)
		load(&copy);
	return true;
}
