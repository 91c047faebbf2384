/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building blocks of interposed HIP functions. HG_HIP() declares one and files it under its name
 * for dlsym(); the others are whole functions, one row each: name, parameters, arguments, and
 * the members of the event it makes (evaluated after the call).
 */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_WRAP_H
#define HIPGRAIN_PRELOAD_HIP_HIP_WRAP_H

#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/wrappers.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/events.h"

#define HG_HIP_AS_(symbol, type, name, params)                                             \
	HG_EXPORT type symbol params;                                                      \
	static const struct hg_hip_function function_##name = { #symbol, (void *)symbol }; \
	static const struct hg_hip_function *const row_##name                              \
	    __attribute__((section("hg_hip_functions"), used)) = &function_##name;         \
	HG_EXPORT type symbol params

/* Once more, because the symbol may be a macro. */
#define HG_HIP_AS(symbol, type, name, params) HG_HIP_AS_(symbol, type, name, params)
#define HG_HIP(type, name, params)            HG_HIP_AS_(name, type, name, params)

/* To come first in a function: before it calls anything (hip_dispatch.c). */
#define HG_REAL(type, name, params) \
	type(*real) params =        \
	    (type(*) params)hg_hip_real(&row_##name, HG_CALLER(), __builtin_frame_address(0))

/* An event of `type` after the call succeeded, an error after it failed. */
#define HG_AFTER(type, name, params, args, ...)                                    \
	HG_HIP(int, name, params)                                                  \
	{                                                                          \
		HG_REAL(int, name, params);                                        \
		struct hg_hip_call call;                                           \
                                                                                   \
		if (!hg_hip_begin_timed(&call, HG_API_##name, HG_CALLER()))        \
			return real args;                                          \
		call.rc = real args;                                               \
		struct hg_ev_##type event = { .api = HG_API_##name, __VA_ARGS__ }; \
		hg_finish_##type(&call, &event);                                   \
		return call.rc;                                                    \
	}

/* A free before the call, an error after it if it failed. */
#define HG_FREE(name, params, args, ...)                                         \
	HG_HIP(int, name, params)                                                \
	{                                                                        \
		HG_REAL(int, name, params);                                      \
		struct hg_hip_call call;                                         \
                                                                                 \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER()))            \
			return real args;                                        \
		struct hg_ev_free event = { .api = HG_API_##name, __VA_ARGS__ }; \
		hg_before_free(&call, &event);                                   \
		call.rc = real args;                                             \
		hg_finish_free(&call, &event);                                   \
		return call.rc;                                                  \
	}

/* No event but the failure: its pointer, size and flags. */
#define HG_CHECK(name, params, args, ptr, size, flags)                \
	HG_HIP(int, name, params)                                     \
	{                                                             \
		HG_REAL(int, name, params);                           \
		struct hg_hip_call call;                              \
                                                                      \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER())) \
			return real args;                             \
		call.rc = real args;                                  \
		hg_finish_checked(&call, ptr, size, flags);           \
		return call.rc;                                       \
	}

/* Fields from pointers and handles; HG_OUT reads what the call stored. */
#define HG_PTR(x) ((uint64_t)(uintptr_t)(x))
#define HG_OUT(x) ((x) ? HG_PTR(*(x)) : 0)

#endif
