/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of functions that the HSA runtime gives to a tool: which layout they have, whether
 * every place that is used holds the function that it should, and what is put there.
 *
 * A pointer that is taken for that of another function would make events of calls that never
 * happened, and hide those that did. So nothing is patched unless all places are verified: the
 * runtime's own exported function of that name must call through this place of this table.
 */
#include "preload/hsa/hsa_tables.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_jump.h"

struct hsa_functions hg_hsa;

/*
 * Layouts of the table of AMD's extensions by their number of functions. Read in hsa_api_trace.h of
 * ROCm 4.2 (44), 4.3 (47), 4.5 to 5.4 (48), 5.5 (51), 5.6 and 5.7 (55), 6.0 (67), 6.1 (68), 6.2
 * (70) and 6.4 (71). No release has 52 to 54.
 */
enum layout { BEFORE_5_6, SINCE_5_6, LAYOUTS };
static const struct {
	size_t fewest, most;
} layouts[LAYOUTS] = {
	[BEFORE_5_6] = { 0, 51 },
	[SINCE_5_6] = { 55, SIZE_MAX },
};

enum table { NO_TABLE, CORE_TABLE, AMD_TABLE };

static const struct row {
	const char *name;
	enum table table;
	unsigned places[LAYOUTS];
	size_t member; /* of struct hsa_functions */
} rows[] = {
#define HSA_CORE(place, name) \
	{ #name, CORE_TABLE, { place, place }, offsetof(struct hsa_functions, name) },
#define HSA_AMD(before, since, name) \
	{ #name, AMD_TABLE, { before, since }, offsetof(struct hsa_functions, name) },
#define HSA_ALIAS(name) { #name, NO_TABLE, { 0, 0 }, offsetof(struct hsa_functions, name) },
#include "preload/hsa/hsa_table.def"
#undef HSA_CORE
#undef HSA_AMD
#undef HSA_ALIAS
};

static char problem[256];
static enum layout layout;

static size_t function_count(const struct hsa_table *table)
{
	size_t start = offsetof(struct hsa_table, functions);

	return table->version.minor < start ? 0 : (table->version.minor - start) / sizeof(void *);
}

static bool choose_layout(const struct hsa_table *amd)
{
	size_t count = function_count(amd);

	for (layout = BEFORE_5_6; layout < LAYOUTS; layout++)
		if (count >= layouts[layout].fewest && count <= layouts[layout].most)
			return true;
	snprintf(problem, sizeof(problem),
		 "its table of AMD's extensions has %zu functions, as that of no known release",
		 count);
	return false;
}

static struct hsa_table *table_of(const struct hsa_tables *tables, const struct row *row)
{
	return row->table == AMD_TABLE ? tables->amd : tables->core;
}

/* Returns the place of a row, or NULL for one that is in no table. */
static void **place_of(const struct hsa_tables *tables, const struct row *row)
{
	return row->table ? &table_of(tables, row)->functions[row->places[layout]] : NULL;
}

/*
 * Another tool may have put its function there before us. That does not change which place the
 * exported function calls through.
 */
static bool is_verified(const struct hsa_tables *tables, const struct row *row, void *library)
{
	const struct hsa_table *table = table_of(tables, row);
	unsigned place = row->places[layout];
	void *exported = hg_libc.dlsym(library, row->name);

	if (place >= function_count(table)) {
		snprintf(problem, sizeof(problem), "its table has no place %u, for %s", place,
			 row->name);
		return false;
	}
	/* ROCr's pointers are those of functions that are not exported; another runtime's need not.
	 */
	if (exported && (table->functions[place] == exported ||
			 hg_jump_slot(exported) == &table->functions[place]))
		return true;
	snprintf(problem, sizeof(problem),
		 exported
		     ? "%s could not be verified to be at place %u of its table of %zu functions"
		     : "%s, for place %u of its table of %zu functions, is not exported",
		 row->name, place, function_count(table));
	return false;
}

static int find_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!base || strncmp(base + 1, "libhsa-runtime64", 16))
		return 0;
	snprintf(data, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

/* Opens the runtime's library: the one that holds the tables, or else one by its name. Returns NULL
 * if it is not found. */
static void *open_library(const struct hsa_tables *tables)
{
	char path[PATH_MAX] = "";
	Dl_info info;

	if (dladdr(tables->core, &info) && info.dli_fname)
		snprintf(path, sizeof(path), "%s", info.dli_fname);
	else
		hg_libc.dl_iterate_phdr(find_runtime, path);
	return *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static void **member_of(struct hsa_functions *functions, const struct row *row)
{
	return (void **)(void *)((char *)functions + row->member);
}

const char *hg_hsa_tables_read(const struct hsa_tables *tables, struct hsa_functions *found)
{
	const size_t root = offsetof(struct hsa_tables, amd) + sizeof(tables->amd);
	bool verified = true;
	void *library;

	/* Major versions: 1 in ROCr 5, 2 in ROCr 6 and 7; the root's is 3 since. */
	if (tables->version.minor < root || tables->core->version.major > 2 ||
	    tables->amd->version.major > 2) {
		snprintf(problem, sizeof(problem), "its tables have version %u, %u and %u",
			 tables->version.major, tables->core->version.major,
			 tables->amd->version.major);
		return problem;
	}
	if (!choose_layout(tables->amd))
		return problem;
	library = open_library(tables);
	if (!library) {
		snprintf(problem, sizeof(problem), "its library was not found");
		return problem;
	}
	for (size_t i = 0; i < HG_COUNT(rows) && verified; i++)
		verified = !rows[i].table || is_verified(tables, &rows[i], library);
	for (size_t i = 0; i < HG_COUNT(rows) && verified; i++)
		*member_of(found, &rows[i]) = rows[i].table ? *place_of(tables, &rows[i])
							    : hg_libc.dlsym(library, rows[i].name);
	hg_dlclose(library);
	return verified ? NULL : problem;
}

static int is_lacking(void)
{
	return 0x1000; /* HSA_STATUS_ERROR */
}

void hg_hsa_exports_read(void *library, struct hsa_functions *found)
{
	for (size_t i = 0; i < HG_COUNT(rows); i++) {
		void *function = hg_libc.dlsym(library, rows[i].name);

		*member_of(found, &rows[i]) = function ? function : (void *)is_lacking;
	}
}

/* Returns the place of a function by its name, or NULL if it is in no table. */
static void **place_by_name(const struct hsa_tables *tables, const char *name)
{
	for (size_t i = 0; i < HG_COUNT(rows); i++)
		if (!strcmp(rows[i].name, name))
			return place_of(tables, &rows[i]);
	return NULL;
}

void hg_hsa_tables_patch(const struct hsa_tables *tables, const struct hsa_wrapper *wrappers)
{
	for (; wrappers->name; wrappers++) {
		void **place = place_by_name(tables, wrappers->name);

		if (place)
			*place = wrappers->function;
	}
}

bool hg_hsa_tables_have(const struct hsa_tables *tables, const struct hsa_wrapper *wrappers)
{
	for (; wrappers->name; wrappers++) {
		void **place = place_by_name(tables, wrappers->name);

		if (place && *place == wrappers->function)
			return true;
	}
	return false;
}
