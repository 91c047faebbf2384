/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of functions that the HSA runtime gives to a tool (hsa_tables.c). */
#ifndef HIPGRAIN_PRELOAD_HSA_HSA_TABLES_H
#define HIPGRAIN_PRELOAD_HSA_HSA_TABLES_H

#include "preload/hsa/hsa_half.h"

/* hsa_api_trace.h: ApiTableVersion, HsaApiTable. The minor version is the table's size in bytes. */
struct hsa_version {
	uint32_t major, minor, step, reserved;
};
struct hsa_table {
	struct hsa_version version;
	void *functions[];
};
struct hsa_tables {
	struct hsa_version version;
	struct hsa_table *core, *amd;
};

/*
 * Reads the runtime's tables if every function of hsa_table.def is verified to be at its place, and
 * returns NULL. Otherwise returns a static text that says what is not as expected; then nothing may
 * be patched, and *found is as it was.
 */
const char *hg_hsa_tables_read(const struct hsa_tables *tables, struct hsa_functions *found);

/*
 * Does the same with the exports of a runtime's library. A function that it lacks becomes one that
 * fails.
 */
void hg_hsa_exports_read(void *library, struct hsa_functions *found);

/* Put functions in front of the runtime's, after hg_hsa_tables_read() returned NULL. */
void hg_hsa_tables_patch(const struct hsa_tables *tables, const struct hsa_wrapper *wrappers);
/* Returns true if one of these functions is in the tables. */
bool hg_hsa_tables_have(const struct hsa_tables *tables, const struct hsa_wrapper *wrappers);

#endif
