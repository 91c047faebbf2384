/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What unwind.c and its neighbours need of the preload library around them. It is in the library of
 * the test, not in the test program: a library must link and load without symbols of programs.
 */
#include "preload/trace/batch.h"
#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/stacks/python.h"

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_libc hg_libc;
struct hg_config hg_config;
uint32_t hg_stacks_generation;

const struct hg_part *hg_parts[HG_PARTS_MAX];
unsigned hg_part_count;

/* No trail here has frames of Python. */
bool hg_python_same(uint64_t python)
{
	return !python;
}
