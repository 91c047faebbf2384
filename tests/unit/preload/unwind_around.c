/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What unwind.c and its neighbours need of the preload library around them. It is in the library of
 * the test, not in the test program: a library must link and load without symbols of programs.
 */
#include "preload/batch.h"
#include "preload/preload.h"

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_libc hg_libc;
struct hg_config hg_config;

void hg_batch_end_thread(void)
{
}

void hg_batches_reset(void)
{
}
