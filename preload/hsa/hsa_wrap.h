/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports functions of the HSA runtime. Each goes on to the wrapper of that name or to the function
 * that its caller would have reached (hip_dispatch.h), by a jump: the wrapper sees the caller's
 * address as its own caller.
 */
#ifndef HIPGRAIN_PRELOAD_HSA_HSA_WRAP_H
#define HIPGRAIN_PRELOAD_HSA_HSA_WRAP_H

#include "preload/core/base.h"
#include "preload/core/wrappers.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_wrap.h"
#include "preload/hsa/hsa_half.h"

/* Returns true if the wrapper in front of `known` must record a call of `real`. */
static inline bool hg_hsa_is_recorded(const void *real, void *const *known)
{
	int way = __atomic_load_n(&hg_hsa_way, __ATOMIC_ACQUIRE);

	if (HG_LIKELY(way == HSA_PASS))
		return false;
	if (way == HSA_UNDECIDED)
		hg_hsa_decide(real);
	return __atomic_load_n(&hg_hsa_way, __ATOMIC_ACQUIRE) == HSA_BY_NAME &&
	       (real == *known || hg_hsa_is_driver(real));
}

#define HSA_HEAD(type, name, params) HG_FUNCTION_AS_(name, HG_OF_HSA, type, name, params)
#define HSA_REACHED(type, name, params) \
	type(*real) params = (type(*) params)hg_plain_real(&row_##name, HG_CALLER())

#define HSA_WRAP(name, wrapper, params, args)                                              \
	HSA_HEAD(int, name, params)                                                        \
	{                                                                                  \
		HSA_REACHED(int, name, params);                                            \
		return hg_hsa_is_recorded((const void *)real, &hg_hsa.name) ? wrapper args \
									    : real args;   \
	}

/* Makes the wrapper of a function without result. */
#define HSA_WRAP_VOID(name, wrapper, params, args)                        \
	HSA_HEAD(void, name, params)                                      \
	{                                                                 \
		HSA_REACHED(void, name, params);                          \
		if (hg_hsa_is_recorded((const void *)real, &hg_hsa.name)) \
			wrapper args;                                     \
		else                                                      \
			real args;                                        \
	}

#endif
