/* SPDX-License-Identifier: Apache-2.0 */
/* What the unwinder needs of the library around it, for its tests. */
#ifndef HIPGRAIN_TESTS_UNWIND_SET_UP_H
#define HIPGRAIN_TESTS_UNWIND_SET_UP_H

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/unwind.h"

/* For stacks of that depth; not 0 if it cannot be. */
static inline int unwind_set_up(uint32_t depth)
{
	hg_libc.mmap = mmap;
	hg_libc.munmap = munmap;
	hg_libc.madvise = madvise;
	hg_libc.dlsym = dlsym;
	hg_libc.dl_iterate_phdr = dl_iterate_phdr;
	hg_config.stack_depth = depth;
	return hg_threads_init() || hg_unwind_init();
}

#endif
