/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of libraries that tell of each piece by a function that they export and call through the
 * loader: Umpire [UMPIRE] and PyTorch [TORCH]. Their functions are C++; what is here is how the
 * Itanium C++ ABI passes their arguments.
 */
#include <stddef.h>

#include "include/hipgrain.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/core/libc.h"
#include "preload/hip/hip_wrap.h"
#include "preload/ranges/annotation.h"

/* ---- Umpire ---- */

struct strategy; /* umpire::strategy::AllocationStrategy: a pool, or a resource of the system */

/* std::string begins with the address of its characters in libstdc++; elsewhere that is none. */
struct string {
	const char *text;
};

/* The functions of one copy of Umpire. */
struct umpire {
	const void *of; /* its function that registers; atomic, and stored last */
	const struct string *(*name)(struct strategy *);
	struct strategy *(*parent)(const struct strategy *);
};

static void *find(const char *name, const void *caller)
{
	return hg_find_function(name, NULL, caller);
}

static struct umpire find_umpire(const void *of, const void *caller)
{
	static struct umpire kept[3]; /* by the functions below */
	static unsigned count;        /* atomic */
	struct umpire found = { of, NULL, NULL };
	unsigned at;

	for (at = 0; at < HG_COUNT(kept); at++)
		if (__atomic_load_n(&kept[at].of, __ATOMIC_ACQUIRE) == of)
			return kept[at];
	hg_tls.busy++;
	/* The first where std::string is libstdc++'s of 2015 and later. */
	found.name = (const struct string *(*)(struct strategy *))find(
	    "_ZN6umpire8strategy18AllocationStrategy7getNameB5cxx11Ev", caller);
	if (!found.name)
		found.name = (const struct string *(*)(struct strategy *))find(
		    "_ZN6umpire8strategy18AllocationStrategy7getNameEv", caller);
	found.parent = (struct strategy * (*)(const struct strategy *))
	    find("_ZNK6umpire8strategy18AllocationStrategy9getParentEv", caller);
	hg_tls.busy--;
	at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	if (at < HG_COUNT(kept)) {
		kept[at].name = found.name;
		kept[at].parent = found.parent;
		__atomic_store_n(&kept[at].of, of, __ATOMIC_RELEASE);
	}
	return found;
}

/* A resource allocates each piece by a call that is recorded itself. */
static void umpire_took(const struct umpire *umpire, const void *ptr, size_t size,
			struct strategy *strategy, const char *name, const void *caller)
{
	bool resource = umpire->parent && !umpire->parent(strategy);
	struct hg_annotation from = { .source = HG_RANGE_POOLS,
				      .act = resource ? HIPGRAIN_NAME : HIPGRAIN_ALLOC,
				      .ptr = ptr,
				      .caller = caller,
				      .size = size,
				      .name = name };

	if (resource && !name)
		return;
	if (!resource)
		from.pool = umpire->name ? umpire->name(strategy)->text : "Umpire";
	hg_annotate(&from);
}

/* mixins::Inspector::registerAllocation(void *, size_t, AllocationStrategy *) */
HG_FUNCTION_AS_(
    _ZN6umpire8strategy6mixins9Inspector18registerAllocationEPvmPNS0_18AllocationStrategyE,
    HG_OF_POOLS, void, umpire_register,
    (void *inspector, void *ptr, size_t size, struct strategy *strategy))
{
	void (*real)(void *, void *, size_t, struct strategy *) =
	    (void (*)(void *, void *, size_t, struct strategy *))hg_plain_real(&row_umpire_register,
									       HG_CALLER());
	const void *caller = HG_CALLER();

	if (hg_active) {
		struct umpire umpire = find_umpire((const void *)real, caller);

		umpire_took(&umpire, ptr, size, strategy, NULL, caller);
	}
	real(inspector, ptr, size, strategy);
}

/* The same with the name that the program gives: const std::string & */
HG_FUNCTION_AS_(
    _ZN6umpire8strategy6mixins9Inspector18registerAllocationEPvmPNS0_18AllocationStrategyERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE,
    HG_OF_POOLS, void, umpire_register_named,
    (void *inspector, void *ptr, size_t size, struct strategy *strategy, const struct string *name))
{
	void (*real)(void *, void *, size_t, struct strategy *, const struct string *) =
	    (void (*)(void *, void *, size_t, struct strategy *,
		      const struct string *))hg_plain_real(&row_umpire_register_named, HG_CALLER());
	const void *caller = HG_CALLER();

	if (hg_active) {
		struct umpire umpire = find_umpire((const void *)real, caller);

		umpire_took(&umpire, ptr, size, strategy, name->text, caller);
	}
	real(inspector, ptr, size, strategy, name);
}

/*
 * mixins::Inspector::deregisterAllocation(void *, AllocationStrategy *), whose result lies where
 * the caller says. It is called before the piece goes back, and throws if that can't be.
 */
HG_FUNCTION_AS_(
    _ZN6umpire8strategy6mixins9Inspector20deregisterAllocationEPvPNS0_18AllocationStrategyE,
    HG_OF_POOLS, void *, umpire_deregister,
    (void *result, void *inspector, void *ptr, struct strategy *strategy))
{
	void *(*real)(void *, void *, void *, struct strategy *) =
	    (void *(*)(void *, void *, void *, struct strategy *))hg_plain_real(
		&row_umpire_deregister, HG_CALLER());
	const void *caller = HG_CALLER();

	result = real(result, inspector, ptr, strategy);
	if (hg_active) {
		struct umpire umpire = find_umpire((const void *)real, caller);
		struct hg_annotation from = {
			.source = HG_RANGE_POOLS, .act = HIPGRAIN_FREE, .ptr = ptr, .caller = caller
		};

		if (!umpire.parent || umpire.parent(strategy))
			hg_annotate(&from);
	}
	return result;
}

/* ---- PyTorch ---- */

#define TORCH_CUDA 1 /* c10::DeviceType; a build for ROCm calls its GPUs so */
#define TORCH_HIP  6

/*
 * c10::reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, c10::Device), whose size is
 * negative for a piece that goes back. A device is two bytes, of which the first is its type. Work
 * of the stream that a piece belongs to may go on using it: no access is judged by it.
 */
HG_FUNCTION_AS_(_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE, HG_OF_POOLS, void,
		torch_report, (void *ptr, int64_t size, size_t used, size_t held, uint64_t device))
{
	void (*real)(void *, int64_t, size_t, size_t, uint64_t) =
	    (void (*)(void *, int64_t, size_t, size_t, uint64_t))hg_plain_real(&row_torch_report,
									       HG_CALLER());
	struct hg_annotation from = { .source = HG_RANGE_POOLS,
				      .act = size > 0 ? HIPGRAIN_SEEN : HIPGRAIN_FREE,
				      .ptr = ptr,
				      .caller = HG_CALLER(),
				      .size = size > 0 ? (size_t)size : 0,
				      .pool = "PyTorch" };

	if ((device & 0xff) == TORCH_CUDA || (device & 0xff) == TORCH_HIP)
		hg_annotate(&from);
	real(ptr, size, used, held, device);
}
