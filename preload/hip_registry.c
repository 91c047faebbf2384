/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels and device variables there are: registration by compiler-made constructors
 * (hip-api.md C.1.1) and loading by hipModule*. Only remembered here; nothing is read from a
 * fat binary before one of its kernels is launched.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hip_wrap.h"
#include "state.h"

/* Never held while the program's code or a call of the program's into the runtime executes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hg_hip_module *modules;

/* Kernels by handle: open addressing, a power of two, at most half full. */
static struct hg_hip_kernel **table;
static size_t table_size, table_used;

void hg_hip_lock(void)
{
	pthread_mutex_lock(&lock);
}

void hg_hip_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static size_t slot_of(const void *handle)
{
	return (size_t)(hg_hash(0, &handle, sizeof(handle)) & (table_size - 1));
}

static struct hg_hip_kernel **find_slot(const void *handle)
{
	size_t at = slot_of(handle);

	while (table[at] && table[at]->handle != handle)
		at = (at + 1) & (table_size - 1);
	return &table[at];
}

struct hg_hip_kernel *hg_hip_kernel_find(const void *handle)
{
	return table ? *find_slot(handle) : NULL;
}

static bool grow_table(void)
{
	struct hg_hip_kernel **old = table;
	size_t old_size = table_size, size = old_size ? 2 * old_size : 1024;
	struct hg_hip_kernel **more = calloc(size, sizeof(*more));

	if (!more)
		return false;
	table = more;
	table_size = size;
	for (size_t i = 0; i < old_size; i++) {
		if (old[i])
			*find_slot(old[i]->handle) = old[i];
	}
	free(old);
	return true;
}

void hg_hip_kernel_add(struct hg_hip_module *module, const void *handle, const char *name)
{
	struct hg_hip_kernel *kernel, **slot;

	if (2 * (table_used + 1) > table_size && !grow_table())
		return;
	slot = find_slot(handle);
	/* The same function asked for again, in the same module: it keeps its identity. */
	if (*slot && (*slot)->module == module && !strcmp((*slot)->name, name))
		return;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return;
	kernel->handle = handle;
	kernel->module = module;
	kernel->name = strdup(name);
	if (!kernel->name) {
		free(kernel);
		return;
	}
	table_used += !*slot;
	*slot = kernel; /* an older one of this handle belonged to something unloaded */
}

struct hg_hip_module *hg_hip_module_add(const void *handle, const uint8_t *image, const char *path)
{
	struct hg_hip_module *module = calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->path = strdup(path);
	if (!module->path) {
		free(module);
		return NULL;
	}
	module->handle = handle;
	module->image = image;
	module->next = modules;
	modules = module;
	return module;
}

struct hg_hip_module *hg_hip_module_find(const void *handle)
{
	struct hg_hip_module *module = modules;

	while (module && (module->handle != handle || module->gone))
		module = module->next;
	return module;
}

void hg_hip_variable_add(struct hg_hip_module *module, const void *shadow, const char *name,
			 uint64_t size, bool managed)
{
	struct hg_hip_variable *variable = calloc(1, sizeof(*variable));

	if (!variable)
		return;
	variable->name = strdup(name ? name : "");
	if (!variable->name) {
		free(variable);
		return;
	}
	variable->shadow = shadow;
	variable->size = size;
	variable->managed = managed;
	variable->next = module->variables;
	module->variables = variable;
	module->variables_done = false;
}

void hg_hip_launch_forget(void);
void hg_hip_memory_forget(void);

void hg_hip_forget(void)
{
	hg_hip_launch_forget();
	hg_hip_memory_forget();
}

void hg_hip_runtime_reset(void);
void hg_hip_launch_reset(void);
void hg_hip_memory_reset(void);

void hg_hip_reset(void)
{
	for (struct hg_hip_module *module = modules; module; module = module->next) {
		for (struct hg_hip_code *code = module->code; code; code = code->next)
			code->id = 0;
		for (struct hg_hip_variable *v = module->variables; v; v = v->next)
			v->ptr = 0;
		module->variables_done = false;
	}
	for (size_t i = 0; i < table_size; i++) {
		struct hg_hip_kernel_variant *variant = table[i] ? table[i]->variants : NULL;

		for (; variant; variant = variant->next)
			variant->id = 0;
	}
	hg_hip_runtime_reset();
	hg_hip_launch_reset();
	hg_hip_memory_reset();
}

/* ---- registration ---- */

/* Begin to remember something: false when dormant. The runtime need not be up for this. */
static bool remember(void)
{
	if (hg_active != HG_ACTIVE || hg_tls.busy)
		return false;
	hg_tls.busy = 1;
	hg_hip_lock();
	return true;
}

static void remembered(void)
{
	hg_hip_unlock();
	hg_tls.busy = 0;
}

/* The file that holds an address; empty if none does. */
static void find_path(const void *address, char path[PATH_MAX])
{
	struct link_map *map = NULL;
	Dl_info info;
	ssize_t length;

	path[0] = 0;
	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		return;
	if (map && map->l_name && !map->l_name[0]) {
		length = readlink("/proc/self/exe", path, PATH_MAX - 1);
		path[length > 0 ? length : 0] = 0;
	} else if (!realpath(info.dli_fname, path)) {
		path[0] = 0;
	}
}

static void prepare(const void *image)
{
	if (hg_active != HG_ACTIVE || hg_tls.busy)
		return;
	hg_tls.busy = 1;
	hg_hip_unpack_prepare(image);
	hg_tls.busy = 0;
}

HG_HIP(void **, __hipRegisterFatBinary, (const void *wrapper))
{
	HG_REAL(void **, __hipRegisterFatBinary, (const void *));
	struct codeobj_error error;
	uint64_t image = 0;
	char path[PATH_MAX];
	void **handle;
	int status;

	hg_tls.hip++;
	handle = real(wrapper);
	hg_tls.hip--;
	status = codeobj_wrapper(wrapper, CODEOBJ_WRAPPER_SIZE, &image, &error);
	prepare(status ? NULL : (const void *)(uintptr_t)image);
	if (!remember())
		return handle;
	if (status)
		hg_say("kernels of a fat binary cannot be read: %s", error.text);
	find_path(wrapper, path);
	hg_hip_module_add(handle, (const uint8_t *)(uintptr_t)image, path);
	remembered();
	return handle;
}

HG_HIP(void, __hipRegisterFunction,
       (void **handle, const void *function, char *device_function, const char *device_name,
	unsigned thread_limit, void *tid, void *bid, void *block, void *grid, int *wave_size))
{
	HG_REAL(void, __hipRegisterFunction,
		(void **, const void *, char *, const char *, unsigned, void *, void *, void *,
		 void *, int *));
	struct hg_hip_module *module;

	hg_tls.hip++;
	real(handle, function, device_function, device_name, thread_limit, tid, bid, block, grid,
	     wave_size);
	hg_tls.hip--;
	if (!remember())
		return;
	module = hg_hip_module_find(handle);
	if (module)
		hg_hip_kernel_add(module, function, device_name);
	remembered();
}

HG_HIP(void, __hipRegisterVar,
       (void **handle, void *shadow, char *host_name, char *device_name, int external, size_t size,
	int constant, int global))
{
	HG_REAL(void, __hipRegisterVar, (void **, void *, char *, char *, int, size_t, int, int));
	struct hg_hip_module *module;

	hg_tls.hip++;
	real(handle, shadow, host_name, device_name, external, size, constant, global);
	hg_tls.hip--;
	if (!remember())
		return;
	module = hg_hip_module_find(handle);
	if (module)
		hg_hip_variable_add(module, shadow, device_name, size, false);
	remembered();
}

HG_HIP(void, __hipRegisterManagedVar,
       (void *handle, void **pointer, void *initial, const char *name, size_t size,
	unsigned alignment))
{
	HG_REAL(void, __hipRegisterManagedVar,
		(void *, void **, void *, const char *, size_t, unsigned));
	struct hg_hip_module *module;

	hg_tls.hip++;
	real(handle, pointer, initial, name, size, alignment);
	hg_tls.hip--;
	if (!remember())
		return;
	module = hg_hip_module_find(handle);
	if (module)
		hg_hip_variable_add(module, pointer, name, size, true);
	remembered();
}

HG_HIP(void, __hipUnregisterFatBinary, (void **handle))
{
	HG_REAL(void, __hipUnregisterFatBinary, (void **));
	struct hg_hip_module *module;

	if (remember()) {
		module = hg_hip_module_find(handle);
		if (module) {
			hg_hip_variables_free(module, HG_API___hipUnregisterFatBinary, HG_CALLER());
			for (struct hg_hip_code *code = module->code; code; code = code->next)
				hg_hip_capture_done(code);
			module->gone = true;
		}
		remembered();
	}
	hg_tls.hip++;
	real(handle);
	hg_tls.hip--;
}

/* ---- hipModule*: the image may be gone after the call, so it is captured now ---- */

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
	code = module ? calloc(1, sizeof(*code)) : NULL;
	if (code) {
		hg_hip_capture(image, size, info, code);
		hg_hip_capture_done(code); /* the image is the program's, and soon gone */
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
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *image = MAP_FAILED;

	if (!realpath(path, absolute))
		absolute[0] = 0;
	if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0)
		image = hg_libc.mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (image == MAP_FAILED) {
		add_loaded(handle, NULL, 0, absolute);
		return;
	}
	add_loaded(handle, image, (size_t)status.st_size, absolute);
	hg_libc.munmap(image, (size_t)status.st_size);
}

HG_HIP(int, hipModuleLoad, (void **module, const char *path))
{
	HG_REAL(int, hipModuleLoad, (void **, const char *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipModuleLoad, HG_CALLER()))
		return real(module, path);
	call.rc = real(module, path);
	if (!call.rc)
		add_loaded_file(*module, path);
	hg_finish_checked(&call, 0, 0, 0);
	return call.rc;
}

HG_HIP(int, hipModuleLoadData, (void **module, const void *image))
{
	HG_REAL(int, hipModuleLoadData, (void **, const void *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipModuleLoadData, HG_CALLER()))
		return real(module, image);
	call.rc = real(module, image);
	if (!call.rc)
		add_loaded(*module, image, hg_readable_extent(image), "");
	hg_finish_checked(&call, HG_PTR(image), 0, 0);
	return call.rc;
}

HG_HIP(int, hipModuleLoadDataEx,
       (void **module, const void *image, unsigned count, int *options, void **values))
{
	HG_REAL(int, hipModuleLoadDataEx, (void **, const void *, unsigned, int *, void **));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipModuleLoadDataEx, HG_CALLER()))
		return real(module, image, count, options, values);
	call.rc = real(module, image, count, options, values);
	if (!call.rc)
		add_loaded(*module, image, hg_readable_extent(image), "");
	hg_finish_checked(&call, HG_PTR(image), 0, 0);
	return call.rc;
}

HG_HIP(int, hipModuleGetFunction, (void **function, void *handle, const char *name))
{
	HG_REAL(int, hipModuleGetFunction, (void **, void *, const char *));
	struct hg_hip_call call;
	struct hg_hip_module *module;

	if (!hg_hip_begin(&call, HG_API_hipModuleGetFunction, HG_CALLER()))
		return real(function, handle, name);
	call.rc = real(function, handle, name);
	if (!call.rc && remember()) {
		module = hg_hip_module_find(handle);
		if (module)
			hg_hip_kernel_add(module, *function, name);
		remembered();
	}
	hg_finish_checked(&call, HG_PTR(handle), 0, 0);
	return call.rc;
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

	if (!ptr || !hg_hip_enter())
		return;
	event.device = hg_hip_device();
	hg_hip_lock();
	module = hg_hip_module_find(handle);
	variable = module ? module->variables : NULL;
	while (variable && variable->ptr != event.ptr)
		variable = variable->next;
	if (module && !variable) {
		hg_hip_variable_add(module, NULL, name, size, false);
		if (module->variables && !module->variables->ptr)
			module->variables->ptr = event.ptr;
		module->variables_done = true;
		event.stack_id = hg_stack_id(call->caller);
		hg_state_lock();
		hg_provider->alloc(&event);
		event.symbol = module->variables ? module->variables->name : "";
		hg_state_alloc(&event);
		hg_state_unlock();
	}
	hg_hip_unlock();
	hg_leave();
}

HG_HIP(int, hipModuleGetGlobal, (void **ptr, size_t *size, void *handle, const char *name))
{
	HG_REAL(int, hipModuleGetGlobal, (void **, size_t *, void *, const char *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipModuleGetGlobal, HG_CALLER()))
		return real(ptr, size, handle, name);
	call.rc = real(ptr, size, handle, name);
	if (!call.rc && ptr && size)
		found_variable(&call, handle, name, *ptr, *size);
	hg_finish_checked(&call, HG_PTR(handle), 0, 0);
	return call.rc;
}

HG_HIP(int, hipModuleUnload, (void *handle))
{
	HG_REAL(int, hipModuleUnload, (void *));
	struct hg_hip_call call;
	struct hg_hip_module *module;

	if (!hg_hip_begin(&call, HG_API_hipModuleUnload, HG_CALLER()))
		return real(handle);
	call.rc = real(handle);
	if (!call.rc && remember()) {
		module = hg_hip_module_find(handle);
		if (module) {
			hg_hip_variables_free(module, HG_API_hipModuleUnload, HG_CALLER());
			module->gone = true;
		}
		remembered();
	}
	hg_finish_checked(&call, HG_PTR(handle), 0, 0);
	return call.rc;
}

/* ---- the same under later names, and functions that hand out functions ---- */

HG_HIP(int, hipModuleLoadFatBinary, (void **module, const void *image))
{
	HG_REAL(int, hipModuleLoadFatBinary, (void **, const void *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipModuleLoadFatBinary, HG_CALLER()))
		return real(module, image);
	call.rc = real(module, image);
	if (!call.rc)
		add_loaded(*module, image, hg_readable_extent(image), "");
	hg_finish_checked(&call, HG_PTR(image), 0, 0);
	return call.rc;
}

#define LIBRARY_PARAMS(from)                                                                     \
	(void **library, from, void *options, void **values, unsigned count, void *more_options, \
	 void **more_values, unsigned more_count)
#define LIBRARY_ARGS (library, from, options, values, count, more_options, more_values, more_count)

HG_HIP(int, hipLibraryLoadData, LIBRARY_PARAMS(const void *from))
{
	HG_REAL(int, hipLibraryLoadData, LIBRARY_PARAMS(const void *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipLibraryLoadData, HG_CALLER()))
		return real LIBRARY_ARGS;
	call.rc = real LIBRARY_ARGS;
	if (!call.rc)
		add_loaded(*library, from, hg_readable_extent(from), "");
	hg_finish_checked(&call, HG_PTR(from), 0, 0);
	return call.rc;
}

HG_HIP(int, hipLibraryLoadFromFile, LIBRARY_PARAMS(const char *from))
{
	HG_REAL(int, hipLibraryLoadFromFile, LIBRARY_PARAMS(const char *));
	struct hg_hip_call call;

	if (!hg_hip_begin(&call, HG_API_hipLibraryLoadFromFile, HG_CALLER()))
		return real LIBRARY_ARGS;
	call.rc = real LIBRARY_ARGS;
	if (!call.rc)
		add_loaded_file(*library, from);
	hg_finish_checked(&call, 0, 0, 0);
	return call.rc;
}

HG_HIP(int, hipLibraryGetKernel, (void **kernel, void *library, const char *name))
{
	HG_REAL(int, hipLibraryGetKernel, (void **, void *, const char *));
	struct hg_hip_call call;
	struct hg_hip_module *module;

	if (!hg_hip_begin(&call, HG_API_hipLibraryGetKernel, HG_CALLER()))
		return real(kernel, library, name);
	call.rc = real(kernel, library, name);
	if (!call.rc && remember()) {
		module = hg_hip_module_find(library);
		if (module)
			hg_hip_kernel_add(module, *kernel, name);
		remembered();
	}
	hg_finish_checked(&call, HG_PTR(library), 0, 0);
	return call.rc;
}

HG_HIP(int, hipLibraryUnload, (void *library))
{
	HG_REAL(int, hipLibraryUnload, (void *));
	struct hg_hip_call call;
	struct hg_hip_module *module;

	if (!hg_hip_begin(&call, HG_API_hipLibraryUnload, HG_CALLER()))
		return real(library);
	call.rc = real(library);
	if (!call.rc && remember()) {
		module = hg_hip_module_find(library);
		if (module)
			module->gone = true;
		remembered();
	}
	hg_finish_checked(&call, HG_PTR(library), 0, 0);
	return call.rc;
}

/* Another handle of a kernel that was registered. */
HG_HIP(int, hipGetFuncBySymbol, (void **function, const void *symbol))
{
	HG_REAL(int, hipGetFuncBySymbol, (void **, const void *));
	struct hg_hip_call call;
	struct hg_hip_kernel *kernel;

	if (!hg_hip_begin(&call, HG_API_hipGetFuncBySymbol, HG_CALLER()))
		return real(function, symbol);
	call.rc = real(function, symbol);
	if (!call.rc && remember()) {
		kernel = hg_hip_kernel_find(symbol);
		if (kernel)
			hg_hip_kernel_add(kernel->module, *function, kernel->name);
		remembered();
	}
	hg_finish_checked(&call, HG_PTR(symbol), 0, 0);
	return call.rc;
}
