/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation functions of the C library, each a forward and one branch. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/host/alignment.h"
#include "preload/host/block.h"
#include "preload/host/host_memory.h"
#include "preload/stacks/unwind.h"
#include "preload/trace/own_ring.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

/*
 * Returns true if a block is certainly below the threshold, by the word before it. The word was
 * just used, so this costs no cache miss, and it saves a function call.
 */
static inline bool is_small(const void *ptr)
{
	size_t limit = hg_small_chunk;

	/* Without a limit the word before the block may not even be mapped. */
	return HG_LIKELY(ptr && limit) && HG_CHUNK_SIZE(ptr) < limit;
}

/*
 * A frame of ours, and the address to which the outermost function of ours returns. The compiler
 * leaves the exported functions by a jump, as it does when it optimises; then it is that of the
 * function which it jumps to. Else it is further out.
 */
#define FRAME() ((const uintptr_t *)__builtin_frame_address(0))
static inline void *caller_of(const uintptr_t *frame)
{
	return HG_LIKELY(!hg_unwind_is_own(frame[1])) ? (void *)frame[1]
						      : hg_unwind_out_of_own(frame);
}

/* Recorded unless it is certain that it is too small. */
static __attribute__((noinline)) void *returned(uint16_t api, void *ptr, size_t size)
{
	void *caller = caller_of(FRAME());

	if (HG_LIKELY(ptr && size >= hg_threshold) &&
	    (hg_block_add_without_stack(api, ptr, size, FRAME()) ||
	     hg_block_add(api, ptr, size, FRAME(), caller)))
		return ptr;
	if (HG_UNLIKELY(hg_confined) && size >= hg_threshold)
		hg_ring_confined_call(HG_UNRECORDED_ALLOC);
	if (HG_LIKELY(!hg_active) || is_small(ptr))
		return ptr;
	if (HG_LIKELY(ptr))
		hg_host_block(api, ptr, size, caller);
	else
		hg_host_alloc(api, ptr, size, 0, caller);
	return ptr;
}

/* Called by operator new, or in a thread of which anything is out of the ordinary. */
static __attribute__((noinline)) void *unusual_malloc(size_t size)
{
	bool named = hg_block_is_outside(true) && hg_block_is_ordinary(true);
	void *ptr;

	ptr = hg_libc.malloc(size);
	if (named && hg_block_add_quickly(HG_API_malloc, ptr, size, FRAME(), true))
		return ptr;
	return returned(HG_API_malloc, ptr, size);
}

/* Allocates a block that may be large enough to be recorded. */
static __attribute__((noinline)) void *watched_malloc(size_t size)
{
	void *ptr;

	if (!hg_block_is_outside(false) || !hg_block_is_ordinary(true))
		return unusual_malloc(size);
	ptr = hg_libc.malloc(size);
	if (HG_LIKELY(hg_block_add_quickly(HG_API_malloc, ptr, size, FRAME(), false)))
		return ptr;
	return returned(HG_API_malloc, ptr, size);
}

HG_EXPORT void *malloc(size_t size)
{
	if (HG_UNLIKELY(size >= hg_small_request))
		return watched_malloc(size);
	return hg_libc.malloc(size);
}

static __attribute__((noinline)) void *unusual_calloc(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		total = SIZE_MAX;
	return returned(HG_API_calloc, hg_libc.calloc(count, size), total);
}

static __attribute__((noinline)) void *watched_calloc(size_t count, size_t size)
{
	size_t total;
	void *ptr;

	if (!hg_block_is_outside(false) || !hg_block_is_ordinary(true) ||
	    HG_UNLIKELY(__builtin_mul_overflow(count, size, &total)))
		return unusual_calloc(count, size);
	ptr = hg_libc.calloc(count, size);
	if (HG_LIKELY(hg_block_add_quickly(HG_API_calloc, ptr, total, FRAME(), false)))
		return ptr;
	return returned(HG_API_calloc, ptr, total);
}

HG_EXPORT void *calloc(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total) || HG_UNLIKELY(total >= hg_small_request))
		return watched_calloc(count, size);
	return hg_libc.calloc(count, size);
}

/* Calls realloc() and records it. Only afterwards is it known if the block moved, so the old one is
 * always recorded as freed and a new one as allocated. */
static __attribute__((noinline)) void *recorded_realloc(uint16_t api, void *old, size_t size,
							void *caller)
{
	uint32_t taken;
	bool large;
	void *ptr;

	large = old && hg_libc.malloc_usable_size(old) >= hg_threshold;
	taken = old && !large ? hg_host_take(old) : 0;
	if (large)
		hg_host_free(api, old, caller);
	ptr = hg_libc.realloc(old, size);
	if (taken)
		hg_host_taken(old, taken, ptr || !size);
	if (ptr || (!old && size))
		hg_host_alloc(api, ptr, size, 0, caller);
	else if (size && large)
		hg_host_failed(api, old, size, errno, caller);
	return ptr;
}

HG_EXPORT void *realloc(void *old, size_t size)
{
	if (HG_LIKELY(!hg_active) || (size < hg_small_request && is_small(old)))
		return hg_libc.realloc(old, size);
	return recorded_realloc(HG_API_realloc, old, size, HG_CALLER());
}

HG_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	size_t total;

	if (HG_UNLIKELY(hg_active) && !__builtin_mul_overflow(count, size, &total))
		return recorded_realloc(HG_API_reallocarray, old, total, HG_CALLER());
	return hg_libc.reallocarray(old, count, size);
}

/*
 * Frees a block if the word before it does not say enough: it is another allocator's, or a mapping
 * of its own. Anything else out of the ordinary comes here, too.
 */
static __attribute__((noinline)) void watched_free(void *ptr, const uintptr_t *frame, void *caller)
{
	if (HG_UNLIKELY(hg_confined) && hg_libc.malloc_usable_size(ptr) >= hg_threshold)
		hg_ring_confined_call(HG_UNRECORDED_FREE);
	/* Before that the allocator may not even be able to say how large a block is. */
	if (HG_LIKELY(hg_active) &&
	    !(hg_active == HG_ACTIVE && hg_libc.malloc_usable_size(ptr) >= hg_threshold &&
	      hg_block_add_free(HG_API_free, ptr, frame, caller)))
		hg_host_block_free(HG_API_free, ptr, caller);
	hg_libc.free(ptr);
}

static __attribute__((noinline)) void free_otherwise(void *ptr)
{
	void *caller = caller_of(FRAME());

	if (HG_LIKELY(hg_block_add_free(HG_API_free, ptr, FRAME(), caller)))
		hg_libc.free(ptr);
	else
		watched_free(ptr, FRAME(), caller);
}

/* Called by operator delete, or in a thread of which anything is out of the ordinary. */
static __attribute__((noinline)) void free_unusual(void *ptr)
{
	if (hg_block_is_outside(true) && hg_block_add_free_quickly(HG_API_free, ptr, FRAME(), true))
		hg_libc.free(ptr);
	else
		free_otherwise(ptr);
}

static __attribute__((noinline)) void free_large(void *ptr)
{
	if (!hg_block_is_outside(false))
		free_unusual(ptr);
	else if (HG_LIKELY(hg_block_add_free_quickly(HG_API_free, ptr, FRAME(), false)))
		hg_libc.free(ptr);
	else
		free_otherwise(ptr);
}

/* Without a limit the word before the block says nothing, or may not even be mapped. */
static __attribute__((noinline)) void free_unknown(void *ptr)
{
	watched_free(ptr, FRAME(), caller_of(FRAME()));
}

static __attribute__((noinline)) void free_unlimited(void *ptr)
{
	if (ptr && HG_UNLIKELY(hg_active))
		free_unknown(ptr);
	else
		hg_libc.free(ptr);
}

HG_EXPORT void free(void *ptr)
{
	size_t limit = hg_small_chunk, word;

	if (HG_UNLIKELY(!limit) || HG_UNLIKELY(!ptr)) {
		free_unlimited(ptr);
		return;
	}
	word = ((const size_t *)ptr)[-1];
	if (word < limit)
		hg_libc.free(ptr);
	else if (HG_UNLIKELY(word & HG_CHUNK_MAPPED))
		free_unknown(ptr);
	else
		free_large(ptr);
}

/* glibc's headers have not declared this since 2.26, but old binaries still call it. */
HG_EXPORT void cfree(void *ptr);
HG_EXPORT void cfree(void *ptr)
{
	if (HG_UNLIKELY(hg_active) && ptr)
		hg_host_free(HG_API_cfree, ptr, HG_CALLER());
	hg_libc.free(ptr);
}

/*
 * C23's, which a C library without them may get from an allocator or from a program's own (so that
 * dlsym() answers for us only where there are such: dl.c). Nothing else is in front of
 * bootstrap.c's blocks but free().
 */
HG_EXPORT void free_sized(void *ptr, size_t size)
{
	if (HG_UNLIKELY(hg_active) && ptr)
		hg_host_free(HG_API_free_sized, ptr, HG_CALLER());
	if (hg_libc.free_sized && !hg_bootstrap_owns(ptr))
		hg_libc.free_sized(ptr, size);
	else
		hg_libc.free(ptr);
}

HG_EXPORT void free_aligned_sized(void *ptr, size_t alignment, size_t size)
{
	if (HG_UNLIKELY(hg_active) && ptr)
		hg_host_free(HG_API_free_aligned_sized, ptr, HG_CALLER());
	if (hg_libc.free_aligned_sized && !hg_bootstrap_owns(ptr))
		hg_libc.free_aligned_sized(ptr, alignment, size);
	else
		hg_libc.free(ptr);
}

static inline bool valid(size_t alignment)
{
	return alignment &&
	       !(alignment & (alignment - 1)); /* else it is the C library's to judge */
}

/* Changes what to ask for, if blocks of migration are to be the allocation's alone (fix.h). Returns
 * true if it did. */
static inline bool widen(size_t *alignment, size_t *size)
{
	if (!hg_fix_aligns(*size))
		return false;
	*size = hg_fix_round(*size);
	if (*alignment < HG_FIX_BLOCK)
		*alignment = HG_FIX_BLOCK;
	return true;
}

HG_EXPORT int posix_memalign(void **ptr, size_t alignment, size_t size)
{
	size_t wanted = alignment, bytes = size;
	bool wide = valid(alignment) && widen(&wanted, &bytes);
	int rc;

	rc = hg_libc.posix_memalign(ptr, wanted, bytes);

	if (HG_UNLIKELY(hg_active)) {
		int saved = errno;

		errno = rc; /* it reports by its result, and does not touch errno */
		hg_host_alloc(HG_API_posix_memalign, rc ? NULL : *ptr, size, alignment,
			      HG_CALLER());
		if (wide && !rc)
			hg_fix_aligned(*ptr, size, HG_FIX_HOST_LEAST, HG_CALLER());
		errno = saved;
	}
	return rc;
}

HG_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	size_t wanted = alignment, bytes = size;
	bool wide = valid(alignment) && widen(&wanted, &bytes);
	void *ptr;

	ptr = hg_libc.aligned_alloc(wanted, bytes);
	if (HG_UNLIKELY(hg_active))
		hg_host_alloc(HG_API_aligned_alloc, ptr, size, alignment, HG_CALLER());
	if (wide)
		hg_fix_aligned(ptr, size, HG_FIX_HOST_LEAST, HG_CALLER());
	return ptr;
}

HG_EXPORT void *memalign(size_t alignment, size_t size)
{
	size_t wanted = alignment, bytes = size;
	bool wide = valid(alignment) && widen(&wanted, &bytes);
	void *ptr;

	ptr = hg_libc.memalign(wanted, bytes);
	if (HG_UNLIKELY(hg_active))
		hg_host_alloc(HG_API_memalign, ptr, size, alignment, HG_CALLER());
	if (wide)
		hg_fix_aligned(ptr, size, HG_FIX_HOST_LEAST, HG_CALLER());
	return ptr;
}

HG_EXPORT void *valloc(size_t size)
{
	void *ptr = hg_libc.valloc(size);

	if (HG_UNLIKELY(hg_active))
		hg_host_alloc(HG_API_valloc, ptr, size, 0, HG_CALLER());
	return ptr;
}

HG_EXPORT void *pvalloc(size_t size)
{
	void *ptr = hg_libc.pvalloc(size);

	if (HG_UNLIKELY(hg_active))
		hg_host_alloc(HG_API_pvalloc, ptr, size, 0, HG_CALLER());
	return ptr;
}

/* Also a caller's measure of a block, which may be one of bootstrap.c's. */
HG_EXPORT size_t malloc_usable_size(void *ptr)
{
	return hg_libc.malloc_usable_size(ptr);
}
