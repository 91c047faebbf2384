/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and libraries that the program loads at run time, and what it asks them for. A row here,
 * and one in tracer/api.def. Parameters as in hip_runtime_api.h (5.2; hipLibrary* 7.2, 7.14).
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
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"
#include "preload/hip/hip_wrap.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"
#include "tracer/provider.h"

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

/* Another handle of a kernel that was registered. */
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
		module->gone = true;
	}
	hg_hip_remembered();
}

/* ---- the functions: what is done after success, what a failure is about ---- */

#define ROW(name, params, args, after, ptr)                           \
	HG_HIP(int, name, params)                                     \
	{                                                             \
		HG_REAL(int, name, params);                           \
		struct hg_hip_call call;                              \
		int saved;                                            \
                                                                      \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER())) \
			return real args;                             \
		call.rc = real args;                                  \
		saved = errno;                                        \
		if (!call.rc)                                         \
			after;                                        \
		errno = saved;                                        \
		hg_finish_checked(&call, ptr, 0, 0);                  \
		return call.rc;                                       \
	}

ROW(hipModuleLoad, (void **module, const char *path), (module, path),
    add_loaded_file(*module, path), 0)
ROW(hipModuleLoadData, (void **module, const void *image), (module, image),
    add_image(*module, image), HG_PTR(image))
ROW(hipModuleLoadDataEx,
    (void **module, const void *image, unsigned count, int *options, void **values),
    (module, image, count, options, values), add_image(*module, image), HG_PTR(image))
ROW(hipModuleLoadFatBinary, (void **module, const void *image), (module, image),
    add_image(*module, image), HG_PTR(image))
ROW(hipModuleGetFunction, (void **function, void *module, const char *name),
    (function, module, name), add_kernel(module, *function, name), HG_PTR(module))
ROW(hipModuleGetGlobal, (void **ptr, size_t *size, void *module, const char *name),
    (ptr, size, module, name),
    found_variable(&call, module, name, ptr ? *ptr : NULL, size ? *size : 0), HG_PTR(module))
ROW(hipModuleUnload, (void *module), (module), remove_module(&call, module), HG_PTR(module))

#define LIBRARY_PARAMS(from)                                                                     \
	(void **library, from, void *options, void **values, unsigned count, void *more_options, \
	 void **more_values, unsigned more_count)
#define LIBRARY_ARGS (library, from, options, values, count, more_options, more_values, more_count)

ROW(hipLibraryLoadData, LIBRARY_PARAMS(const void *from), LIBRARY_ARGS, add_image(*library, from),
    HG_PTR(from))
ROW(hipLibraryLoadFromFile, LIBRARY_PARAMS(const char *from), LIBRARY_ARGS,
    add_loaded_file(*library, from), 0)
ROW(hipLibraryGetKernel, (void **kernel, void *library, const char *name), (kernel, library, name),
    add_kernel(library, *kernel, name), HG_PTR(library))
ROW(hipLibraryGetGlobal, (void **ptr, size_t *size, void *library, const char *name),
    (ptr, size, library, name),
    found_variable(&call, library, name, ptr ? *ptr : NULL, size ? *size : 0), HG_PTR(library))
ROW(hipLibraryGetManaged, (void **ptr, size_t *size, void *library, const char *name),
    (ptr, size, library, name),
    found_variable(&call, library, name, ptr ? *ptr : NULL, size ? *size : 0), HG_PTR(library))
ROW(hipLibraryUnload, (void *library), (library), remove_module(&call, library), HG_PTR(library))
ROW(hipKernelGetFunction, (void **function, void *kernel), (function, kernel),
    add_handle(kernel, *function), HG_PTR(kernel))
ROW(hipGetFuncBySymbol, (void **function, const void *symbol), (function, symbol),
    add_handle(symbol, *function), HG_PTR(symbol))
