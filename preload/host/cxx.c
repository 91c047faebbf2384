/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new and operator delete, so that a C++ program's memory carries their names.
 *
 * Each forwards to the next definition (libstdc++'s, or an allocator's own) and leaves its name
 * for the malloc() or free() that this one makes: that call is the event. So a replacement that
 * serves objects from a pool of its own makes no event, as its pool's memory already did, and an
 * exception may pass through here without anything to clean up: the malloc() that failed took
 * the name. Small requests leave no name: they make no event.
 */
#include <stdlib.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

typedef void *new_function(size_t size, uintptr_t second, uintptr_t third);
typedef void delete_function(void *ptr, uintptr_t second, uintptr_t third);

/* Without a C++ run-time library in reach nobody can throw: say so and stop. */
static void *fallback_new(size_t size, uintptr_t second, uintptr_t third)
{
	void *ptr = malloc(size ? size : 1);

	(void)second;
	(void)third;
	if (!ptr) {
		hg_say("operator new of %zu bytes failed, and no C++ run-time library was found",
		       size);
		abort();
	}
	return ptr;
}

static void fallback_delete(void *ptr, uintptr_t second, uintptr_t third)
{
	(void)second;
	(void)third;
	free(ptr);
}

static void *find(const char *name, void **cache, void *fallback, const void *caller)
{
	void *found = __atomic_load_n(cache, __ATOMIC_RELAXED);

	if (HG_LIKELY(found != NULL))
		return found;
	found = hg_find_function(name, NULL, caller);
	if (!found)
		return fallback;
	__atomic_store_n(cache, found, __ATOMIC_RELAXED);
	return found;
}

/*
 * All variants take at most three arguments, all in integer registers, so one shape fits: size
 * or pointer, then alignment, size or nothrow in their order.
 */
#define OPERATOR_NEW(symbol, api)                                                             \
	HG_EXPORT void *symbol(size_t size, uintptr_t second, uintptr_t third);               \
	HG_EXPORT void *symbol(size_t size, uintptr_t second, uintptr_t third)                \
	{                                                                                     \
		static void *cache;                                                           \
		new_function *real =                                                          \
		    (new_function *)find(#symbol, &cache, (void *)fallback_new, HG_CALLER()); \
		void *ptr;                                                                    \
                                                                                              \
		if (HG_LIKELY(size < hg_small_request) || !hg_active || hg_tls.named_api)     \
			return real(size, second, third);                                     \
		hg_tls.named_caller = HG_CALLER();                                            \
		hg_tls.named_api = HG_API_##api;                                              \
		ptr = real(size, second, third);                                              \
		hg_tls.named_api = 0;                                                         \
		return ptr;                                                                   \
	}

#define OPERATOR_DELETE(symbol, api)                                         \
	HG_EXPORT void symbol(void *ptr, uintptr_t second, uintptr_t third); \
	HG_EXPORT void symbol(void *ptr, uintptr_t second, uintptr_t third)  \
	{                                                                    \
		static void *cache;                                          \
		delete_function *real = (delete_function *)find(             \
		    #symbol, &cache, (void *)fallback_delete, HG_CALLER());  \
                                                                             \
		if (HG_LIKELY(!hg_active) || hg_tls.named_api) {             \
			real(ptr, second, third);                            \
			return;                                              \
		}                                                            \
		hg_tls.named_caller = HG_CALLER();                           \
		hg_tls.named_api = HG_API_##api;                             \
		real(ptr, second, third);                                    \
		hg_tls.named_api = 0;                                        \
	}

/* Mangled names of the Itanium C++ ABI: w new, a new[] / dl delete, da delete[]; m size_t. */
OPERATOR_NEW(_Znwm, operator_new)
OPERATOR_NEW(_Znam, operator_new_array)
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, operator_new)
OPERATOR_NEW(_ZnamRKSt9nothrow_t, operator_new_array)
OPERATOR_NEW(_ZnwmSt11align_val_t, operator_new)
OPERATOR_NEW(_ZnamSt11align_val_t, operator_new_array)
OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, operator_new)
OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, operator_new_array)
OPERATOR_DELETE(_ZdlPv, operator_delete)
OPERATOR_DELETE(_ZdaPv, operator_delete_array)
OPERATOR_DELETE(_ZdlPvm, operator_delete)
OPERATOR_DELETE(_ZdaPvm, operator_delete_array)
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t, operator_delete)
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t, operator_delete_array)
OPERATOR_DELETE(_ZdlPvSt11align_val_t, operator_delete)
OPERATOR_DELETE(_ZdaPvSt11align_val_t, operator_delete_array)
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, operator_delete)
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, operator_delete_array)
OPERATOR_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, operator_delete)
OPERATOR_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, operator_delete_array)
