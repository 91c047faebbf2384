/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocTX: the library that the caller would have reached is called, if there is one. Programs that
 * call it weakly reach these functions without a library, too, and get what it would return.
 */
#include <stddef.h>

#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_wrap.h"
#include "preload/ranges/range.h"

/* The thread's pushed ranges, where there is no library. */
static __thread int level __attribute__((tls_model("initial-exec")));
static uint64_t last_id; /* atomic */

/* A library's function may call another one, which is no call of the program's. */
static __thread int inside __attribute__((tls_model("initial-exec")));

static void record(enum hg_range_kind kind, uint64_t id, const char *name)
{
	if (!inside)
		hg_range_record(HG_RANGE_ROCTX, kind, id, name);
}

#define ROCTX_HEAD(type, name, params)                                                        \
	HG_FUNCTION_AS_(name, HG_OF_ROCTX, type, name, params)                                \
	{                                                                                     \
		type(*real) params = (type(*) params)hg_plain_real(&row_##name, HG_CALLER()); \
		bool absent = (void *)real == (void *)hg_no_roctx;

#define ROCTX(type, name, params, args, kind, id, text, without) \
	ROCTX_HEAD(type, name, params)                           \
	type rc;                                                 \
	inside++;                                                \
	rc = absent ? (type)(without) : real args;               \
	inside--;                                                \
	record(HG_RANGE_##kind, id, text);                       \
	return rc;                                               \
	}

#define ROCTX_VOID(name, params, args, kind, id, text) \
	ROCTX_HEAD(void, name, params)                 \
	inside++;                                      \
	if (!absent)                                   \
		real args;                             \
	inside--;                                      \
	record(HG_RANGE_##kind, id, text);             \
	}

#include "preload/ranges/roctx.def"
