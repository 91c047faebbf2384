/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HIP runtime behind the interposed functions: finding it without ever loading it, and what
 * it and its devices are.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hip.h"
#include "smi.h"
#include "state.h"

#define MAX_DEVICES 64

/* Put between these two by the linker: the rows of hip_wrap.h. */
extern const struct hg_hip_function *const __start_hg_hip_functions[]
    __attribute__((visibility("hidden")));
extern const struct hg_hip_function *const __stop_hg_hip_functions[]
    __attribute__((visibility("hidden")));

/* ---- finding functions ---- */

static const struct hg_hip_function *find_row(const char *name)
{
	for (const struct hg_hip_function *const *row = __start_hg_hip_functions;
	     row < __stop_hg_hip_functions; row++) {
		if (!strcmp((*row)->name, name))
			return *row;
	}
	return NULL;
}

void *hg_hip_wrapper(const char *name)
{
	const struct hg_hip_function *row = find_row(name);

	return row ? row->wrapper : NULL;
}

bool hg_hip_bind(const char *name, void *real)
{
	const struct hg_hip_function *row = find_row(name);
	void *expected = NULL;
	Dl_info known, found;

	if (__atomic_compare_exchange_n(row->real, &expected, real, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE) ||
	    expected == real)
		return true;
	/* One runtime may hand out the same function at more than one address. */
	return dladdr(expected, &known) && dladdr(real, &found) &&
	       known.dli_fbase == found.dli_fbase;
}

/* The path of a loaded libamdhip64, for when it is in nobody's scope but its opener's. */
static int find_runtime_path(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!base || strncmp(base + 1, "libamdhip64", 11))
		return 0;
	snprintf(data, 4096, "%s", info->dlpi_name);
	return 1;
}

static void *find_in_loaded_runtime(const char *name)
{
	char path[4096] = "";
	void *handle, *found = NULL;

	if (!hg_libc.dl_iterate_phdr(find_runtime_path, path))
		return NULL;
	handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		found = hg_libc.dlsym(handle, name);
		dlclose(handle);
	}
	return found;
}

static int no_runtime(void)
{
	return HIP_NO_RUNTIME;
}

void *hg_hip_real(void **cache, const char *name, const void *caller)
{
	void *real = __atomic_load_n(cache, __ATOMIC_ACQUIRE);

	if (HG_LIKELY(real != NULL))
		return real;
	hg_init();
	hg_tls.busy++;
	real = hg_find_function(name, caller);
	if (!real)
		real = find_in_loaded_runtime(name);
	hg_tls.busy--;
	if (!real)
		return (void *)no_runtime;
	__atomic_store_n(cache, real, __ATOMIC_RELEASE);
	return real;
}

void *hg_hip_query(const char *name)
{
	void *found = hg_libc.dlsym(RTLD_NEXT, name);

	return found ? found : find_in_loaded_runtime(name);
}

/* ---- our own calls ---- */

/* Functions that are called often enough to keep. */
static int (*get_device)(int *);
static int (*peek_error)(void);
static int (*get_error)(void);

uint64_t hg_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool hg_hip_may_query(void)
{
	return !peek_error || !peek_error();
}

void hg_hip_forget_error(void)
{
	if (get_error)
		get_error();
}

/* ---- the runtime and its devices ---- */

static struct hg_hip_device devices[MAX_DEVICES];
static int device_count = -1;
static int host_link = -1, host_link_atomics = -1;
static int runtime_version;
static struct hg_ev_runtime runtime_event; /* as recorded, with device_events */
static struct hg_ev_device device_events[MAX_DEVICES];
static int first_done; /* atomic: runtime and devices are recorded */
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;

/* hipDeviceAttribute_t; memory-model.md A.2.5 */
static const struct {
	size_t member;
	int attribute;
} attributes[] = {
	{ offsetof(struct hg_ev_device, managed), 24 },
	{ offsetof(struct hg_ev_device, concurrent_managed), 9 },
	{ offsetof(struct hg_ev_device, pageable_access), 65 },
	{ offsetof(struct hg_ev_device, host_native_atomic), 15 },
	{ offsetof(struct hg_ev_device, integrated), 16 },
	{ offsetof(struct hg_ev_device, large_bar), 10011 },
	{ offsetof(struct hg_ev_device, fine_grain), 10016 },
};

/* hipDeviceProp_t begins with the name; gcnArchName by layout, memory-model.md A.2.5. */
#define NAME_SIZE         256u
#define ARCH_OFFSET_R0600 1160u
#define ARCH_OFFSET_R0000 396u

static void read_properties(int ordinal, struct hg_hip_device *device)
{
	char properties[8192] __attribute__((aligned(16))) = { 0 };
	size_t arch = ARCH_OFFSET_R0600;
	int (*get)(void *, int) = (int (*)(void *, int))hg_hip_query("hipGetDevicePropertiesR0600");

	if (!get) {
		get = (int (*)(void *, int))hg_hip_query("hipGetDeviceProperties");
		arch = ARCH_OFFSET_R0000;
	}
	if (!get || get(properties, ordinal)) {
		hg_hip_forget_error();
		return;
	}
	snprintf(device->name, sizeof(device->name), "%.*s", (int)NAME_SIZE - 1, properties);
	snprintf(device->arch, sizeof(device->arch), "%.127s", properties + arch);
	device->known = !codeobj_target_parse(device->arch, &device->target);
}

static void record_device(int ordinal)
{
	struct hg_hip_device *device = &devices[ordinal];
	int (*get_attribute)(int *, int, int) =
	    (int (*)(int *, int, int))hg_hip_query("hipDeviceGetAttribute");
	int (*get_memory)(size_t *, int) =
	    (int (*)(size_t *, int))hg_hip_query("hipDeviceTotalMem");
	size_t memory = 0;
	struct hg_ev_device event = { .ordinal = ordinal,
				      .name = device->name,
				      .arch = device->arch };

	read_properties(ordinal, device);
	event.xnack = device->known ? device->target.xnack : CODEOBJ_ANY;
	for (size_t i = 0; i < HG_COUNT(attributes); i++) {
		int8_t *member = (int8_t *)&event + attributes[i].member;
		int value = -1;

		if (!get_attribute || get_attribute(&value, attributes[i].attribute, ordinal)) {
			hg_hip_forget_error();
			value = -1;
		}
		*member = (int8_t)(value > 0 ? 1 : value);
	}
	if (!get_memory || get_memory(&memory, ordinal))
		hg_hip_forget_error();
	event.memory = memory;
	event.host_link = (int8_t)host_link;
	if (event.host_native_atomic < 0) /* HIP 5 does not know */
		event.host_native_atomic = (int8_t)host_link_atomics;
	device_events[ordinal] = event;
	hg_provider->device(&event);
}

static int call_version(const char *name)
{
	int (*get)(int *) = (int (*)(int *))hg_hip_query(name);
	int version = 0;

	if (!get || get(&version)) {
		hg_hip_forget_error();
		return 0;
	}
	return version;
}

static void record_runtime(void)
{
	int (*get_count)(int *) = (int (*)(int *))hg_hip_query("hipGetDeviceCount");
	struct hg_ev_runtime event = { .path = "", .result = HIP_NO_RUNTIME };
	Dl_info info;
	int count = 0;

	get_device = (int (*)(int *))hg_hip_query("hipGetDevice");
	peek_error = (int (*)(void))hg_hip_query("hipPeekAtLastError");
	get_error = (int (*)(void))hg_hip_query("hipGetLastError");
	if (get_count) {
		event.result = get_count(&count);
		if (dladdr((void *)get_count, &info) && info.dli_fname)
			event.path = info.dli_fname;
		if (event.result) {
			hg_hip_forget_error();
			count = 0;
		}
		event.version = call_version("hipRuntimeGetVersion");
		event.driver_version = call_version("hipDriverGetVersion");
	}
	runtime_version = event.version;
	event.device_count = count;
	event.host_memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	runtime_event = event;
	runtime_event.path = strdup(event.path);
	if (!runtime_event.path)
		runtime_event.path = "";
	hg_provider->runtime(&event);
	device_count = count < MAX_DEVICES ? count : MAX_DEVICES;
	if (device_count && hg_config.memory_queries)
		host_link = hg_hsa_host_link(&host_link_atomics);
	for (int i = 0; i < device_count; i++)
		record_device(i);
	hg_smi_start(device_count);
}

/*
 * Also with an error pending: a success leaves it alone where errors stick, and where each call
 * replaces the error, the program's own call did or will do so next.
 */
int hg_hip_device(void)
{
	bool pending = !hg_hip_may_query();
	int device = -1;

	if (device_count <= 0 || !get_device)
		return -1;
	if (!get_device(&device))
		return device;
	if (!pending)
		hg_hip_forget_error();
	return -1;
}

int hg_hip_version(void)
{
	return runtime_version;
}

const struct hg_hip_device *hg_hip_device_info(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count ? &devices[ordinal] : NULL;
}

/*
 * At the first HIP call, before it is made: nothing the program does later can then precede the
 * facts it is judged by, and an error of ours is gone before it can look.
 */
static void record_first(void)
{
	pthread_mutex_lock(&first_lock);
	if (!first_done) {
		record_runtime();
		__atomic_store_n(&first_done, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&first_lock);
}

/* Without asking: another thread may be anywhere in the runtime. */
void hg_hip_runtime_again(void)
{
	pthread_mutex_lock(&first_lock);
	if (first_done) {
		hg_provider->runtime(&runtime_event);
		for (int i = 0; i < device_count; i++)
			hg_provider->device(&device_events[i]);
		hg_smi_start(device_count);
	}
	pthread_mutex_unlock(&first_lock);
}

void hg_hip_runtime_reset(void);
void hg_hip_runtime_reset(void)
{
	first_done = 0;
}

/* ---- around a call ---- */

bool hg_hip_enter(void)
{
	return hg_enter();
}

bool hg_hip_begin(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	if (HG_LIKELY(hg_active != HG_ACTIVE) || hg_tls.hip)
		return false;
	if (HG_UNLIKELY(hg_config.standby))
		hg_tls.keeping = hg_state_wants(api);
	if (!hg_enter()) {
		hg_tls.keeping = 0;
		return false;
	}
	hg_tls.hip++;
	if (HG_UNLIKELY(!__atomic_load_n(&first_done, __ATOMIC_ACQUIRE))) {
		int saved = errno;

		record_first();
		errno = saved;
	}
	hg_leave();
	call->api = api;
	call->rc = 0;
	call->caller = caller;
	call->start = 0;
	return true;
}

bool hg_hip_begin_timed(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	if (!hg_hip_begin(call, api, caller))
		return false;
	call->start = hg_now();
	return true;
}

void hg_hip_end(void)
{
	hg_tls.hip--;
	hg_tls.keeping = 0;
}
