/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the checks of the software GPU (SOFTGPU_CHECK with memcheck, of `hipgrain check`): it
 * tells the GPU which memory there is, sets bytes behind each allocation aside that nothing else
 * gets, and keeps released memory for a while. Without those checks nothing happens.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_CHECKS_H
#define HIPGRAIN_PRELOAD_HIP_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/hip/hip_types.h"
#include "preload/core/base.h"
#include "tracer/events.h"

struct hg_ev_alloc;

/* Return how many bytes, rows of `row` bytes, or which extent to ask the runtime for where the
 * program wants so much. */
size_t hg_checks_size(size_t size);
size_t hg_checks_rows(size_t row, size_t rows);
struct extent hg_checks_extent(struct extent extent);
/* Says that the thread's allocation is made with what the program wants. Returns false without
 * checks. */
bool hg_checks_plain(void);
/* Tells the GPU of what the runtime gave. */
void hg_checks_alloc(const struct hg_ev_alloc *event);
/* Notes that memory was written; `from` is 0. NULL without those checks, or before any memory. */
extern void (*hg_checks_written)(uint64_t to, uint64_t from, uint64_t size);

struct hg_checks_copy {
	uint32_t api, stack_id;
	int kind; /* hipMemcpyKind */
	uint64_t dst, src, size;
};
void hg_checks_note_copy(const struct hg_checks_copy *copy);

/*
 * Memory was copied. The runtime may have the host store what comes from it, which the GPU does not
 * see; and the host may get what nothing has written.
 */
static inline void hg_checks_copied(uint32_t api, uint64_t dst, uint64_t src, uint64_t size,
				    int kind, uint32_t stack_id)
{
	if (HG_UNLIKELY(hg_checks_written != NULL))
		hg_checks_note_copy(
		    &(struct hg_checks_copy){ api, stack_id, kind, dst, src, size });
}

/*
 * The program gives `ptr` back to its pool; what was written there is not known any more. With
 * initcheck this waits for the stream, whose kernels may use the memory until then.
 */
void hg_checks_release_async(void *ptr, uint64_t stream);
/*
 * Returns what the runtime is to release where the program releases `ptr` by `api`: another block
 * that was kept long enough, NULL, or `ptr` itself, if it is not known, too large to be kept, or
 * not to be released by `api`. Waits for the GPU before, as hipFree() does; hipFreeAsync() neither
 * waits nor keeps.
 */
void *hg_checks_release(uint32_t api, void *ptr);

#endif
