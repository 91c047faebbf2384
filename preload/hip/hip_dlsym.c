/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym() and dlvsym(): a runtime that was opened with RTLD_LOCAL and is looked up by name is
 * seen too. dlopen() is never wrapped, because the loader resolves paths by its caller.
 *
 * The real functions also look at their caller (RTLD_NEXT, RTLD_DEFAULT), so everything that is
 * not ours is *jumped* to with the return address as it was.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/jump.h"
#include "preload/core/libc.h"
#include "preload/core/start.h"
#include "preload/core/wrappers.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_runtime.h"
#include "preload/host/host_memory.h"
#include "preload/trace/enter.h"

/* Targets of the jumps; valid once the hooks below have returned. */
__attribute__((visibility("hidden"))) void *hg_real_dlsym;
__attribute__((visibility("hidden"))) void *hg_real_dlvsym;

/* Returns our answer to a lookup, as HG_JUMP() has it. */
__attribute__((visibility("hidden"), used)) void *
hg_dlsym_hook(void *handle, const char *name, const char *version, const void *caller);

HG_JUMP(dlsym, "	xorl %edx, %edx\n", hg_dlsym_hook, hg_real_dlsym);
HG_JUMP(dlvsym, "", hg_dlsym_hook, hg_real_dlvsym);

/*
 * Functions that exist here whether or not a runtime has them: programs that look up one that the
 * runtime lacks must get NULL.
 */
static bool is_extra(const char *name)
{
	return name[0] == 'f' &&
	       (!strcmp(name, "free_sized") || !strcmp(name, "free_aligned_sized"));
}

static void *look_up_extra(void *handle, const char *name, const char *version, const void *caller)
{
	void *ours = name[5] == 's' ? (void *)free_sized : (void *)free_aligned_sized;
	void *real;

	if (handle == RTLD_NEXT || hg_libc.dlsym(RTLD_NEXT, name))
		return NULL;
	if (handle == RTLD_DEFAULT)
		real = hg_find_function(name, version, caller);
	else
		real =
		    version ? hg_libc.dlvsym(handle, name, version) : hg_libc.dlsym(handle, name);
	if (real && real != ours)
		return real;
	hg_libc.dlsym(RTLD_NEXT, name); /* for the message in dlerror() */
	return HG_JUMP_NULL;
}

static bool is_of_hsa(const char *name)
{
	return !strncmp(name, "hsa_", 4);
}

static bool is_of_roctx(const char *name)
{
	return !strncmp(name, "roctx", 5);
}

static bool may_be_wrapped(const char *name)
{
	return !strncmp(name, "hip", 3) || !strncmp(name, "__hip", 5) || is_of_hsa(name) ||
	       is_of_roctx(name);
}

/* Returns true if `real` is a function of the library that has functions of that name. */
static bool is_runtime(const char *name, const void *real)
{
	if (is_of_roctx(name))
		return true; /* there are several libraries, and those of other tools */
	return is_of_hsa(name) ? hg_hsa_is_runtime(real) : hg_hip_is_runtime(real);
}

/* Ranges are recorded of programs that call them where they find them, without a library, too. */
static bool is_recorded_without_library(const char *name)
{
	return is_of_roctx(name) && hg_awake();
}

void *hg_dlsym_hook(void *handle, const char *name, const char *version, const void *caller)
{
	void *wrapper, *real;

	if (HG_UNLIKELY(!hg_real_dlsym)) {
		hg_libc_init();
		hg_real_dlsym = (void *)hg_libc.dlsym;
		hg_real_dlvsym = (void *)hg_libc.dlvsym;
	}
	if (name && HG_UNLIKELY(is_extra(name)))
		return look_up_extra(handle, name, version, caller);
	if (!name || hg_sanitizer || !may_be_wrapped(name))
		return NULL;
	hg_init();
	wrapper = hg_hip_wrapper(name);
	if (!wrapper)
		return NULL;
	/* RTLD_NEXT from another interposer: its next function is not ours to choose. */
	if (handle == RTLD_NEXT)
		return NULL;
	/*
	 * A search of the global scope would find our own wrapper even if no runtime is loaded, and
	 * programs test for a runtime this way: search behind this library instead.
	 */
	if (handle == RTLD_DEFAULT) {
		real = hg_find_function(name, version, caller);
		if (real)
			return hg_hip_offer(name, real);
		if (is_recorded_without_library(name))
			return wrapper;
		hg_libc.dlsym(RTLD_NEXT, name); /* for the message in dlerror() */
		return HG_JUMP_NULL;
	}
	real = version ? hg_libc.dlvsym(handle, name, version) : hg_libc.dlsym(handle, name);
	/* A handle of the global scope finds us: as above. */
	if (real == wrapper)
		return is_recorded_without_library(name) || hg_libc.dlsym(RTLD_NEXT, name)
			   ? wrapper
			   : HG_JUMP_NULL;
	if (!real || !hg_awake() || !is_runtime(name, real))
		return real;
	return hg_hip_offer(name, real);
}
