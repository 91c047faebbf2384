/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building blocks of interposed HIP functions. HG_HIP() declares one and files it under its name
 * for dlsym(). Most are whole functions, made of rows of tracer/api/:
 *
 *	#define HG_API HG_WRAP
 *	#include "tracer/api/SUBJECT.def"
 *	#undef HG_API
 *
 * A row of shape S becomes HG_WRAP_S(class, name, parameters, arguments, ...). Shapes that only one
 * file has are defined there.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_WRAP_H
#define HIPGRAIN_PRELOAD_HIP_HIP_WRAP_H

#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/wrappers.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_open.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_types.h"
#include "tracer/events.h"
#include "tracer/events/ev_free.h"

/* The row has the function by an alias that only this library sees: the loader need not look it up.
 */
#define HG_FUNCTION_AS_(symbol, library, type, name, params)                                  \
	static type here_##name params __attribute__((alias(#symbol)));                       \
	HG_EXPORT type symbol params;                                                         \
	static const struct hg_hip_function function_##name = { #symbol, (void *)here_##name, \
								library };                    \
	static const struct hg_hip_function *const row_##name                                 \
	    __attribute__((section("hg_hip_functions"), used)) = &function_##name;            \
	HG_EXPORT type symbol params
#define HG_HIP_AS_(symbol, type, name, params) \
	HG_FUNCTION_AS_(symbol, HG_OF_HIP, type, name, params)

/* Once more, because the symbol may be a macro. */
#define HG_HIP_AS(symbol, type, name, params) HG_HIP_AS_(symbol, type, name, params)
#define HG_HIP(type, name, params)            HG_HIP_AS_(name, type, name, params)

/* To come first in a function: before it calls anything (hip_dispatch.c). */
#define HG_REAL(type, name, params) \
	type(*real) params =        \
	    (type(*) params)hg_hip_real(&row_##name, HG_CALLER(), __builtin_frame_address(0))

#define HG_WRAP(id, name, class, shape, ...) HG_WRAP_##shape(class, name, __VA_ARGS__)

/* Written out in a file of preload/hip/. */
#define HG_WRAP_OWN(class, name, ...)

/* The event of a class. */
#define HG_EVENT_OF_ALLOC               alloc
#define HG_EVENT_OF_COPY                copy
#define HG_EVENT_OF_FILL                fill
#define HG_EVENT_OF_PREFETCH            prefetch
#define HG_EVENT_OF_ADVISE              advise
#define HG_EVENT_OF_STREAM              stream
#define HG_EVENT_OF_EVENT               event
#define HG_EVENT_OF_SYNC                sync
#define HG_EVENT_OF_CALL                call

#define HG_WRAP_AFTER(class, name, ...) HG_WRAP_AFTER_(HG_EVENT_OF_##class, name, __VA_ARGS__)
#define HG_WRAP_AFTER_(type, name, ...) HG_AFTER(type, name, __VA_ARGS__)

/*
 * Makes the real call: `begin` is hg_hip_begin() or a similar function, `publish` runs before the
 * call (hip_open.h), the rest runs after it.
 */
#define HG_CALLED(begin, name, params, args, publish, ...)     \
	HG_HIP(int, name, params)                              \
	{                                                      \
		HG_REAL(int, name, params);                    \
		struct hg_hip_call call;                       \
                                                               \
		if (!begin(&call, HG_API_##name, HG_CALLER())) \
			return real args;                      \
		publish;                                       \
		call.rc = real args;                           \
		hg_open_call_end();                            \
		__VA_ARGS__;                                   \
		return call.rc;                                \
	}

/* Each type of event begins by a function that determines its stack, if it has one. */
#define HG_BEGIN_OF_alloc    hg_hip_begin_walked
#define HG_BEGIN_OF_copy     hg_hip_begin_walked
#define HG_BEGIN_OF_fill     hg_hip_begin_walked
#define HG_BEGIN_OF_prefetch hg_hip_begin_walked
#define HG_BEGIN_OF_advise   hg_hip_begin_walked
#define HG_BEGIN_OF_stream   hg_hip_begin
#define HG_BEGIN_OF_event    hg_hip_begin
#define HG_BEGIN_OF_sync     hg_hip_begin_walked
#define HG_BEGIN_OF_call     hg_hip_begin_walked

/* An event of `type` after the call succeeded, an error after it failed. */
#define HG_AFTER(type, name, params, args, ...)                                      \
	HG_CALLED(HG_BEGIN_OF_##type, name, params, args,                            \
		  HG_OPEN_AS(type, .api = HG_API_##name, __VA_ARGS__),               \
		  struct hg_ev_##type event = { .api = HG_API_##name, __VA_ARGS__ }; \
		  hg_finish_##type(&call, &event))

/* A free before the call, an error after it if it failed. */
#define HG_WRAP_BEFORE(class, name, params, args, ...)                           \
	HG_HIP(int, name, params)                                                \
	{                                                                        \
		HG_REAL(int, name, params);                                      \
		struct hg_hip_call call;                                         \
                                                                                 \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER()))            \
			return real args;                                        \
		struct hg_ev_free event = { .api = HG_API_##name, __VA_ARGS__ }; \
		hg_before_free(&call, &event);                                   \
		hg_open_free(&event);                                            \
		call.rc = real args;                                             \
		hg_open_call_end();                                              \
		hg_finish_free(&call, &event);                                   \
		return call.rc;                                                  \
	}

/* No event but the failure: its pointer, size and flags. */
#define HG_WRAP_CHECK(class, name, params, args, ptr, size, flags)               \
	HG_CALLED(hg_hip_begin, name, params, args, hg_open_range(ptr, size, 0), \
		  hg_finish_checked(&call, ptr, size, flags))

/* Fields from pointers and handles; HG_OUT reads what the call stored. */
#define HG_PTR(x) ((uint64_t)(uintptr_t)(x))
#define HG_OUT(x) (call.rc == HG_NOT_RETURNED || !(x) ? 0 : HG_PTR(*(x)))

#endif
