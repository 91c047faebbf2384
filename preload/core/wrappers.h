/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the interposed functions of HIP, of the HSA runtime below it, of rocTX and of libraries
 * with pools, by their names. */
#ifndef HIPGRAIN_PRELOAD_CORE_WRAPPERS_H
#define HIPGRAIN_PRELOAD_CORE_WRAPPERS_H

#include <stdbool.h>

/* Names the library that has a function. */
enum hg_function_of { HG_OF_HIP, HG_OF_HSA, HG_OF_ROCTX, HG_OF_POOLS };

/* Describes one interposed function; the linker gathers its rows (hip_wrap.h, hsa_wrap.h). */
struct hg_hip_function {
	const char *name;
	void *wrapper;
	enum hg_function_of of;
};

/* The linker puts the rows of hip/hip_wrap.h and hsa/hsa_wrap.h between these two. */
extern const struct hg_hip_function *const __start_hg_hip_functions[]
    __attribute__((visibility("hidden")));
extern const struct hg_hip_function *const __stop_hg_hip_functions[]
    __attribute__((visibility("hidden")));

/* Returns the row of a function, or NULL if the name is not interposed. */
const struct hg_hip_function *hg_hip_find_row(const char *name);
/* Returns our wrapper of it, or NULL if the name is not interposed. */
void *hg_hip_wrapper(const char *name);

#endif
