/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a program that uses HSA. */
#ifndef TESTS_SHUT_DOWN_H
#define TESTS_SHUT_DOWN_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <string.h>

/* Is AMD's runtime one whose HSA_AMD_SYSTEM_INFO_BUILD_VERSION begins so? "1.15." is ROCr 6.4. */
static inline bool rocr_is(const char *beginning)
{
	const char *version = "";

	hsa_system_get_info((hsa_system_info_t)HSA_AMD_SYSTEM_INFO_BUILD_VERSION, (void *)&version);
	return !strncmp(version + (*version == '"'), beginning, strlen(beginning));
}

/*
 * Does hsa_shut_down() use memory that it has freed? That of ROCr 6.1 and 6.2 does: ~GpuAgent()
 * destroys the agent's members in reverse order, the mutex scratch_lock_ before the queues, and
 * ~AqlQueue() locks it (ReleaseQueueMainScratch). glibc refuses to lock a destroyed mutex, but
 * where its memory was overwritten, as MALLOC_PERTURB_ does, which meson sets, the call hangs or
 * aborts for some values. ROCr before 6.1 does not lock it; from 6.3 on
 * the destructor deletes the queues first. 1.13 is ROCr 6.1, 1.14 is 6.2 and 6.3.
 */
static inline bool shut_down_uses_freed(void)
{
	return rocr_is("1.13.") || rocr_is("1.14.");
}

/* hsa_shut_down(), where that is correct; else the process' end is the end. */
static inline hsa_status_t shut_down(void)
{
	return shut_down_uses_freed() ? HSA_STATUS_SUCCESS : hsa_shut_down();
}

#endif
