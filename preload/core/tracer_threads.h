/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of LTTng-UST's threads (hg_tls.tracer), apart from the program's: tracer_threads.c. */
#ifndef HIPGRAIN_PRELOAD_CORE_TRACER_THREADS_H
#define HIPGRAIN_PRELOAD_CORE_TRACER_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/* In such a thread; zeroed. */
void *hg_tracers_alloc(size_t alignment, size_t size);

/* Whether a block is of these, whichever thread asks; and how large. */
bool hg_tracers_own(const void *ptr);
size_t hg_tracers_size(const void *ptr);

/* false: neither the block nor the thread is of these, and nothing was done. */
bool hg_tracers_free(void *ptr);
bool hg_tracers_realloc(void *old, size_t size, void **ptr);

/* Give back what such a thread could not. */
void hg_tracers_clean(void);

#endif
