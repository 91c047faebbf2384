/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings that the program makes; those of the C library and the loader are not seen. */
/* Else the header would give mmap() the name mmap64() and there would be no mmap(). */
#undef _FILE_OFFSET_BITS

#include <stdarg.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/start.h"
#include "preload/host/host_memory.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

#define HG_MADV_COLLAPSE 25 /* linux/mman.h, from Linux 6.1 on */

HG_EXPORT void *mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *ptr;

	ptr = hg_libc.mmap(address, size, prot, flags, fd, offset);
	if (HG_UNLIKELY(hg_active)) {
		uint64_t how = (uint64_t)(uint32_t)prot << 32 | (uint32_t)flags;

		if (ptr == MAP_FAILED)
			hg_map_failed(HG_API_mmap, address, size, how, HG_CALLER());
		else
			hg_map_alloc(HG_API_mmap, ptr, size, how, HG_CALLER());
	}
	return ptr;
}

/* off_t has 64 bits on x86-64, so both names are one function. */
HG_EXPORT void *mmap64(void *address, size_t size, int prot, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

HG_EXPORT int munmap(void *address, size_t size)
{
	int rc;

	if (HG_LIKELY(!hg_active))
		return hg_libc.munmap(address, size);
	hg_map_free(HG_API_munmap, address, size, HG_CALLER());
	rc = hg_libc.munmap(address, size);
	if (rc)
		hg_map_failed(HG_API_munmap, address, size, 0, HG_CALLER());
	else
		hg_map_freed();
	return rc;
}

/* Only advice that makes pages huge is recorded: allocators give much other. */
HG_EXPORT int madvise(void *address, size_t size, int advice)
{
	int rc = hg_libc.madvise(address, size, advice);

	if (HG_UNLIKELY(advice == MADV_HUGEPAGE || advice == HG_MADV_COLLAPSE) && hg_active && !rc)
		hg_map_advised(address, size, advice, HG_CALLER());
	return rc;
}

HG_EXPORT void *mremap(void *address, size_t old_size, size_t size, int flags, ...)
{
	void *new_address = NULL, *ptr;

	if (flags & MREMAP_FIXED) {
		va_list args;

		va_start(args, flags);
		new_address = va_arg(args, void *);
		va_end(args);
	}
	if (HG_LIKELY(!hg_active))
		return hg_libc.mremap(address, old_size, size, flags, new_address);
	hg_map_free(HG_API_mremap, address, old_size, HG_CALLER());
	ptr = hg_libc.mremap(address, old_size, size, flags, new_address);
	if (ptr == MAP_FAILED)
		hg_map_failed(HG_API_mremap, address, old_size, (uint32_t)flags, HG_CALLER());
	else
		hg_map_alloc(HG_API_mremap, ptr, size, (uint32_t)flags, HG_CALLER());
	return ptr;
}
