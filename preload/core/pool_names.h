/* SPDX-License-Identifier: Apache-2.0 */
/* Included before all else in code that the preload library shares with others: what it allocates
 * comes from the pool. */
#ifndef HIPGRAIN_PRELOAD_CORE_POOL_NAMES_H
#define HIPGRAIN_PRELOAD_CORE_POOL_NAMES_H

#include <stdlib.h>
#include <string.h>

#include "preload/core/pool.h"

#define malloc  hg_pool_alloc
#define calloc  hg_pool_calloc
#define realloc hg_pool_realloc
#define free    hg_pool_free
#undef strdup
#define strdup hg_pool_strdup
#undef strndup
#define strndup hg_pool_strndup
#define qsort   hg_pool_sort

#endif
