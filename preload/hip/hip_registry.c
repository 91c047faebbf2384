/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps the kernels and device variables that there are, and handles registration by
 * compiler-made constructors (docs/code-objects.md#registration-functions); hip_modules.c handles
 * what is loaded at run time. They are only remembered here; nothing is read from a fat binary
 * before one of its kernels is launched.
 */
#include "preload/hip/hip_registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/id_table.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"
#include "preload/hip/hip_wrap.h"
#include "preload/trace/enter.h"
#include "codeobj/codeobj.h"
#include "tracer/api/hip_modules.h"
#include "tracer/events.h"

/* Never held while the program's code or a call of the program's into the runtime executes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hg_hip_module *modules;

/* Kernels by handle: open addressing, a power of two, at most half full. */
static struct hg_hip_kernel **table;
static size_t table_size, table_used;

static uint32_t epoch; /* atomic; changed under the lock */

void hg_hip_look(void)
{
	pthread_mutex_lock(&lock);
}

void hg_hip_lock(void)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&epoch, epoch + 1, __ATOMIC_RELAXED);
}

uint32_t hg_hip_epoch(void)
{
	return __atomic_load_n(&epoch, __ATOMIC_RELAXED);
}

bool hg_hip_variables_done(const struct hg_hip_module *module, int device)
{
	return device >= 0 && device < HG_HIP_DEVICES && module->variables_done >> device & 1;
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
	struct hg_hip_kernel **more = hg_pool_calloc(size, sizeof(*more));

	if (!more)
		return false;
	table = more;
	table_size = size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i])
			*find_slot(old[i]->handle) = old[i];
	hg_pool_free(old);
	return true;
}

void hg_hip_kernel_add(struct hg_hip_module *module, const void *handle, const char *name)
{
	struct hg_hip_kernel *kernel, **slot;

	if (2 * (table_used + 1) > table_size && !grow_table())
		return;
	slot = find_slot(handle);
	/* The same function requested again, in the same module: it keeps its identity. */
	if (*slot && (*slot)->module == module && !strcmp((*slot)->name, name))
		return;
	kernel = hg_pool_calloc(1, sizeof(*kernel));
	if (!kernel)
		return;
	kernel->handle = handle;
	kernel->module = module;
	kernel->name = hg_pool_strdup(name);
	if (!kernel->name) {
		hg_pool_free(kernel);
		return;
	}
	table_used += !*slot;
	*slot = kernel; /* an older one of this handle belonged to something unloaded */
}

struct hg_hip_module *hg_hip_module_add(const void *handle, const uint8_t *image, const char *path)
{
	struct hg_hip_module *module = hg_pool_calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->path = hg_pool_strdup(path);
	if (!module->path) {
		hg_pool_free(module);
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

	while (module && (module->handle != handle || module->unloaded))
		module = module->next;
	return module;
}

void hg_hip_variable_add(struct hg_hip_module *module, const void *shadow, const char *name,
			 uint64_t size, bool managed)
{
	struct hg_hip_variable *variable = hg_pool_calloc(1, sizeof(*variable));

	if (!variable)
		return;
	variable->name = hg_pool_strdup(name ? name : "");
	if (!variable->name) {
		hg_pool_free(variable);
		return;
	}
	variable->shadow = shadow;
	variable->size = size;
	variable->managed = managed;
	variable->next = module->variables;
	module->variables = variable;
	module->variables_done = 0;
}

static void reset(void)
{
	for (struct hg_hip_module *module = modules; module; module = module->next) {
		for (struct hg_hip_code *code = module->code; code; code = code->next)
			code->id = 0;
		for (struct hg_hip_variable *v = module->variables; v; v = v->next)
			memset(v->ptr, 0, sizeof(v->ptr));
		module->variables_done = 0;
	}
	for (size_t i = 0; i < table_size; i++) {
		struct hg_hip_kernel_variant *variant = table[i] ? table[i]->variants : NULL;

		for (; variant; variant = variant->next)
			variant->id = 0;
	}
}

/* ---- registration ---- */

bool hg_hip_remember(void)
{
	if (!hg_awake() || hg_tls.busy)
		return false;
	hg_tls.busy = 1;
	hg_hip_lock();
	return true;
}

void hg_hip_remembered(void)
{
	hg_hip_unlock();
	hg_tls.busy = 0;
}

/* Puts the name of the file that holds an address into `path`, or "" if none does. */
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
	} else if (!hg_real_path(info.dli_fname, path)) {
		path[0] = 0;
	}
}

static void prepare(const void *image)
{
	if (!hg_awake() || hg_tls.busy)
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
	int status, saved;

	hg_hip_inside();
	handle = real(wrapper);
	hg_hip_outside();
	saved = errno;
	status = codeobj_wrapper(wrapper, CODEOBJ_WRAPPER_SIZE, &image, &error);
	prepare(status ? NULL : (const void *)(uintptr_t)image);
	if (!hg_hip_remember())
		return handle;
	if (status)
		hg_say("kernels of a fat binary cannot be read: %s", error.text);
	find_path(wrapper, path);
	hg_hip_module_add(handle, (const uint8_t *)(uintptr_t)image, path);
	hg_hip_remembered();
	errno = saved;
	return handle;
}

/* Defines a function that registers one thing of a fat binary, which is remembered after the
 * runtime has it. */
#define REGISTER(name, params, args, add)            \
	HG_HIP(void, name, params)                   \
	{                                            \
		HG_REAL(void, name, params);         \
		struct hg_hip_module *module;        \
                                                     \
		hg_hip_inside();                     \
		real args;                           \
		hg_hip_outside();                    \
		if (!hg_hip_remember())              \
			return;                      \
		module = hg_hip_module_find(handle); \
		if (module)                          \
			add;                         \
		hg_hip_remembered();                 \
	}

REGISTER(__hipRegisterFunction,
	 (void **handle, const void *function, char *device_function, const char *name,
	  unsigned thread_limit, void *tid, void *bid, void *block, void *grid, int *wave_size),
	 (handle, function, device_function, name, thread_limit, tid, bid, block, grid, wave_size),
	 hg_hip_kernel_add(module, function, name))
REGISTER(__hipRegisterVar,
	 (void **handle, void *shadow, char *host_name, char *name, int external, size_t size,
	  int constant, int global),
	 (handle, shadow, host_name, name, external, size, constant, global),
	 hg_hip_variable_add(module, shadow, name, size, false))
REGISTER(__hipRegisterManagedVar,
	 (void *handle, void **pointer, void *initial, const char *name, size_t size,
	  unsigned alignment),
	 (handle, pointer, initial, name, size, alignment),
	 hg_hip_variable_add(module, pointer, name, size, true))

HG_HIP(void, __hipUnregisterFatBinary, (void **handle))
{
	HG_REAL(void, __hipUnregisterFatBinary, (void **));
	struct hg_hip_module *module;

	if (hg_hip_remember()) {
		module = hg_hip_module_find(handle);
		if (module) {
			hg_hip_variables_free(module, HG_API___hipUnregisterFatBinary, HG_CALLER());
			for (struct hg_hip_code *code = module->code; code; code = code->next)
				hg_hip_capture_done(code);
			module->unloaded = true;
		}
		hg_hip_remembered();
	}
	hg_hip_inside();
	real(handle);
	hg_hip_outside();
}

static void fork_unlock(bool child)
{
	(void)child;
	hg_hip_unlock();
}

HG_PART(.name = "hip-registry", .order = 31, .fork_lock = hg_hip_lock, .fork_unlock = fork_unlock,
	.fork_standby = reset, .fork_record = reset);
