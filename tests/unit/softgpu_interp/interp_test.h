/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the interpreter's test share. */
#ifndef HIPGRAIN_TEST_INTERP_TEST_H
#define HIPGRAIN_TEST_INTERP_TEST_H

#include <stdint.h>

#include "harness.h"

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

extern struct code code; /* of the file at hand */
extern char log_path[];  /* softgpu_config.atomic_log */

/* Launch a kernel of `code`; the test fails where it does not end properly. */
void must_run(const char *name, uint32_t grid, uint32_t group, const uint64_t *arguments,
	      unsigned words);

/* ---- interp_memory.c ---- */

void test_atomics_coarse(void **state);
void test_atomics_coarse_host(void **state);
void test_atomics_fine_device(void **state);
void test_atomics_fine_host(void **state);
void test_atomics_switches(void **state);
void test_atomic_log(void **state);
void test_fault(void **state);
void test_lds_outside(void **state);
void test_lds_negative(void **state);
void test_halves(void **state);
void test_unsupported(void **state);
void test_buffers(void **state);
void test_buffer_formats(void **state);
void test_long_name(void **state);

#endif
