/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers of what loads modules and libraries at run time, of queries about them, and of functions
 * by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"
#include "preload/hip/hip_wrap.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "preload/trace/enter.h"
#include "tracer/api/hip_modules.h"
#include "tracer/events.h"
#include "tracer/provider.h"
#include "tracer/events/ev_alloc.h"

/* ---- loaded: the image may be freed after the call, so it is captured now ---- */

static void add_loaded(const void *handle, const uint8_t *image, size_t size, const char *path)
{
	int device = hg_hip_device();
	const struct hg_hip_device *info = hg_hip_device_info(device);
	struct hg_hip_module *module;
	struct hg_hip_code *code;

	if (!hg_hip_enter())
		return;
	hg_hip_unpack_prepare(image);
	hg_hip_lock();
	module = hg_hip_module_add(handle, NULL, path);
	code = module ? hg_pool_calloc(1, sizeof(*code)) : NULL;
	if (code) {
		hg_hip_capture(image, size, info, code);
		hg_hip_capture_done(code); /* the image is the program's, which may free it soon */
		if (info)
			strcpy(code->arch, info->arch);
		module->code = code;
		hg_hip_code_for(module, device);
	}
	hg_hip_unlock();
	hg_leave();
}

static void add_loaded_file(const void *handle, const char *path)
{
	char absolute[PATH_MAX];
	int cancel = hg_keep_thread(), fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *image = MAP_FAILED;

	if (!hg_real_path(path, absolute))
		absolute[0] = 0;
	if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0)
		image = hg_libc.mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		hg_libc.close(fd);
	hg_release_thread(cancel);
	if (image == MAP_FAILED) {
		add_loaded(handle, NULL, 0, absolute);
		return;
	}
	add_loaded(handle, image, (size_t)status.st_size, absolute);
	hg_libc.munmap(image, (size_t)status.st_size);
}

static void add_image(const void *handle, const void *image)
{
	add_loaded(handle, image, hg_readable_extent(image), "");
}

/* ---- what is requested ---- */

static void add_kernel(const void *handle, const void *function, const char *name)
{
	struct hg_hip_module *module;

	if (!hg_hip_remember())
		return;
	module = hg_hip_module_find(handle);
	if (module)
		hg_hip_kernel_add(module, function, name);
	hg_hip_remembered();
}

static const char *name_of_function(void *function)
{
	const char *(*query)(void *) = (const char *(*)(void *))hg_hip_query("hipKernelNameRef");

	return query ? query(function) : NULL;
}

static const char *name_of_kernel(void *kernel)
{
	int (*query)(const char **, void *) =
	    (int (*)(const char **, void *))hg_hip_query("hipKernelGetName");
	const char *name = NULL;

	if (!query)
		return NULL;
	if (query(&name, kernel)) {
		hg_hip_forget_error();
		return NULL;
	}
	return name;
}

/*
 * Handles without names: `counter` says how many of the list the runtime has written, which may
 * have room for more.
 */
static void add_listed(void *handle, void **list, unsigned room, const char *counter,
		       const char *(*name_of)(void *))
{
	int (*query)(unsigned *, void *) = (int (*)(unsigned *, void *))hg_hip_query(counter);
	const char *name;
	unsigned count = 0;

	if (!list || !query || !hg_hip_may_query())
		return;
	if (query(&count, handle)) {
		hg_hip_forget_error();
		return;
	}
	for (unsigned i = 0; i < count && i < room; i++) {
		name = name_of(list[i]);
		if (name)
			add_kernel(handle, list[i], name);
	}
}

/* Adds another handle of a kernel that was registered. */
static void add_handle(const void *symbol, const void *function)
{
	struct hg_hip_kernel *kernel;

	if (!hg_hip_remember())
		return;
	kernel = hg_hip_kernel_find(symbol);
	if (kernel)
		hg_hip_kernel_add(kernel->module, function, kernel->name);
	hg_hip_remembered();
}

/* A module's variable is an allocation when the program first learns where it lies. */
static void found_variable(struct hg_hip_call *call, const void *handle, const char *name,
			   const void *ptr, size_t size)
{
	struct hg_hip_module *module;
	struct hg_hip_variable *variable;
	struct hg_ev_alloc event = { .api = call->api,
				     .ptr = HG_PTR(ptr),
				     .device_ptr = HG_PTR(ptr),
				     .size = size,
				     .symbol = name };

	if (!ptr || !size || !hg_hip_enter())
		return;
	event.device = hg_hip_device();
	hg_hip_lock();
	module = hg_hip_module_find(handle);
	variable = module ? module->variables : NULL;
	while (variable && variable->ptr[0] != event.ptr)
		variable = variable->next;
	if (module && !variable) {
		hg_hip_variable_add(module, NULL, name, size, false);
		if (module->variables && !module->variables->ptr[0])
			module->variables->ptr[0] = event.ptr;
		module->variables_done = UINT64_MAX;
		event.stack_id = hg_stack_id(call->caller);
		hg_live_lock();
		hg_provider->alloc(&event);
		event.symbol = module->variables ? module->variables->name : "";
		hg_live_alloc(&event);
		hg_live_unlock();
	}
	hg_hip_unlock();
	hg_leave();
}

static void remove_module(const struct hg_hip_call *call, const void *handle)
{
	struct hg_hip_module *module;

	if (!hg_hip_remember())
		return;
	module = hg_hip_module_find(handle);
	if (module) {
		hg_hip_variables_free(module, call->api, call->caller);
		module->unloaded = true;
	}
	hg_hip_remembered();
}

/* ---- the functions: what is done after success, what a failure is about ---- */

#define HG_WRAP_DO(class, name, params, args, after, ptr)                       \
	HG_CALLED(hg_hip_begin, name, params, args, (void)0, int saved = errno; \
		  if (!call.rc) after; errno = saved; hg_finish_checked(&call, ptr, 0, 0))

/* ---- functions by name: ours in place of the runtime's, which it forwards to ---- */

#define HG_WRAP_LOOKUP(class, name, params, args)                         \
	HG_HIP(int, name, params)                                         \
	{                                                                 \
		HG_REAL(int, name, params);                               \
		struct hg_hip_call call;                                  \
		int rc;                                                   \
                                                                          \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER())) {   \
			rc = real args;                                   \
		} else {                                                  \
			rc = call.rc = real args;                         \
			hg_open_call_end();                               \
			hg_finish_checked(&call, 0, 0, 0);                \
		}                                                         \
		if (!rc && hg_awake() && symbol && function && *function) \
			*function = hg_hip_offer(symbol, *function);      \
		return rc;                                                \
	}

#define HG_API HG_WRAP
#include "tracer/api/hip_modules.def"
#undef HG_API
