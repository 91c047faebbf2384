// SPDX-License-Identifier: Apache-2.0
/*
 * Rings of doorbells that come by the names of HSA's functions. Such a store need not wait for a
 * page fault: the page is made writable before, and the worker woken. All others, those of AMD's
 * runtime itself among them, are noticed by doorbell.c. The runtime's function is called last, by a
 * jump: tools that stand behind it see the program as its caller. AMD's runtime waits for a signal
 * by looking at it for 200 us; a kernel that packs threads onto few processors may have the worker
 * share this one.
 */
#include "kernels/softkfd/libc_below.h"
#include "kernels/softkfd/queue.h"

#include <dlfcn.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

/*
 * Returns the runtime's function. A program that has opened HIP for itself alone (RTLD_LOCAL) does
 * not have it in its global scope; the runtime then stays loaded, as the pointer is kept.
 */
static void *runtime(struct kfd_next *next)
{
	void *found = kfd_next(next), *library;

	if (!found) {
		library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		if (!library)
			sg_die("%s() is called, but no libhsa-runtime64.so.1 is loaded",
			       next->name);
		found = dlsym(library, next->name);
		__atomic_store_n(&next->found, found, __ATOMIC_RELEASE);
	}
	return found;
}

static void announce(hsa_signal_t signal)
{
	const amd_signal_t *object = (const void *)(uintptr_t)signal.handle;

	if (object && object->kind == AMD_SIGNAL_KIND_DOORBELL)
		kfd_doorbell_announce(KFD_KERNELS, object->hardware_doorbell_ptr);
}

typedef void store_function(hsa_signal_t signal, hsa_signal_value_t value);

#define STORE(function)                                              \
	void function(hsa_signal_t signal, hsa_signal_value_t value) \
	{                                                            \
		static struct kfd_next next = { .name = #function }; \
                                                                     \
		announce(signal);                                    \
		((store_function *)runtime(&next))(signal, value);   \
	}

STORE(hsa_signal_store_relaxed)
STORE(hsa_signal_store_screlease)
STORE(hsa_signal_store_release)

/* HIP asks for active waits (HSA_WAIT_STATE_ACTIVE), which would take a processor for as long as a
 * copy or a kernel takes; here it is processors that execute these. AMD's runtime looks at a signal
 * for 200 us before it sleeps. */
typedef hsa_signal_value_t wait_function(hsa_signal_t signal, hsa_signal_condition_t condition,
					 hsa_signal_value_t compare, uint64_t timeout,
					 hsa_wait_state_t state);

#define WAIT(function)                                                                        \
	hsa_signal_value_t function(hsa_signal_t signal, hsa_signal_condition_t condition,    \
				    hsa_signal_value_t compare, uint64_t timeout,             \
				    hsa_wait_state_t state)                                   \
	{                                                                                     \
		static struct kfd_next next = { .name = #function };                          \
                                                                                              \
		(void)state;                                                                  \
		kfd_doorbell_let_work(KFD_KERNELS);                                           \
		return ((wait_function *)runtime(&next))(signal, condition, compare, timeout, \
							 HSA_WAIT_STATE_BLOCKED);             \
	}

WAIT(hsa_signal_wait_scacquire)
WAIT(hsa_signal_wait_relaxed)
WAIT(hsa_signal_wait_acquire)
