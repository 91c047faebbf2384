/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HIP runtime behind the interposed functions: finding it without ever loading it, and what
 * it and its devices are.
 */
#include "preload/hip/hip_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/fix.h"
#include "preload/hip/hip.h"
#include "preload/migration/residency.h"
#include "preload/migration/smi.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "preload/trace/batch.h"
#include "preload/trace/enter.h"
#include "preload/stacks/passed_over.h"
#include "preload/trace/enter_calls.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/provider.h"

/*
 * A copy of the runtime, and what is known of it and its devices. The first is the one in the
 * global scope, if there is one; an interposer in front of it counts as it.
 */
struct hg_hip_runtime {
	uintptr_t base; /* of its object; 0: nothing is known yet, or it was unloaded */
	char *path;     /* NULL: it is in the global scope */
	uint32_t number;
	int first_done; /* atomic: it and its devices are recorded */
	/* Functions that are called often enough to keep. */
	int (*get_device)(int *);
	int (*stream_device_id)(void *); /* of a stream's device, negative: none; one of the two */
	int (*stream_device)(void *, int *);
	int (*peek_error)(void);
	int (*get_error)(void);
	struct hg_ev_runtime event; /* as recorded, with device_events */
	struct hg_hip_device *devices;
	struct hg_ev_device *device_events;
	int device_count, host_link, host_link_atomics;
	int version;
};

static struct hg_hip_runtime runtimes[HG_HIP_RUNTIMES];
static uint32_t last_number;
static struct hg_hip_runtime *recorded; /* the one that was recorded */
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
/* This lock guards the table of runtimes; nothing is called with it. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- finding them ---- */

static bool is_runtime_file(const char *path)
{
	const char *base = strrchr(path, '/');

	return !strncmp(base ? base + 1 : path, "libamdhip64", 11);
}

bool hg_hip_is_runtime(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fname && is_runtime_file(info.dli_fname);
}

/* Puts the path of a loaded libamdhip64 into `data`, for when it is only in the scope of its
 * opener. */
static int find_runtime_path(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!info->dlpi_name || !strchr(info->dlpi_name, '/') || !is_runtime_file(info->dlpi_name))
		return 0;
	snprintf(data, 4096, "%s", info->dlpi_name);
	return 1;
}

static void *find_in(const char *path, const char *name)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *found = NULL;

	if (handle) {
		found = hg_libc.dlsym(handle, name);
		hg_dlclose(handle);
	}
	return found;
}

void *hg_hip_find_loaded(const char *name)
{
	char path[4096] = "";

	return hg_libc.dl_iterate_phdr(find_runtime_path, path) ? find_in(path, name) : NULL;
}

/* Returns the base of the runtime that every caller reaches, or 0 if there is none. */
static uintptr_t global_base(void)
{
	void *found = hg_libc.dlsym(RTLD_NEXT, "hipRuntimeGetVersion");
	Dl_info info;

	if (!found)
		found = hg_libc.dlsym(RTLD_NEXT, "hipMalloc");
	if (!found || !dladdr(found, &info))
		return 0;
	return (uintptr_t)info.dli_fbase;
}

struct hg_hip_runtime *hg_hip_runtime_of(const void *real)
{
	uintptr_t base = 0, global = global_base();
	struct hg_hip_runtime *runtime = NULL;
	Dl_info info;

	__atomic_store_n(&hg_gpu_seen, 1, __ATOMIC_RELAXED);
	if (dladdr(real, &info) && info.dli_fname && is_runtime_file(info.dli_fname))
		base = (uintptr_t)info.dli_fbase;
	if (!base || base == global)
		base = global;
	pthread_mutex_lock(&table_lock);
	for (size_t i = 0; i < HG_HIP_RUNTIMES && !runtime; i++)
		if (runtimes[i].base == base && base)
			runtime = &runtimes[i];
	for (size_t i = 0; i < HG_HIP_RUNTIMES && !runtime; i++) {
		if (!runtimes[i].base) {
			runtime = &runtimes[i];
			runtime->base = base;
			runtime->number = ++last_number;
			if (base == global)
				runtime->path = NULL;
			else if (!runtime->path || strcmp(runtime->path, info.dli_fname))
				runtime->path =
				    hg_pool_strdup(info.dli_fname); /* the old one may be in use */
		}
	}
	pthread_mutex_unlock(&table_lock);
	return runtime;
}

void hg_hip_runtimes_unloaded(bool (*is_loaded)(uintptr_t base),
			      void (*forget)(const struct hg_hip_runtime *runtime))
{
	for (struct hg_hip_runtime *r = runtimes; r < runtimes + HG_HIP_RUNTIMES; r++) {
		if (!r->base || is_loaded(r->base))
			continue;
		forget(r);
		pthread_mutex_lock(&table_lock);
		r->base = 0;
		r->first_done = 0;
		recorded = recorded == r ? NULL : recorded;
		r->get_device = NULL;
		r->stream_device_id = NULL;
		r->stream_device = NULL;
		r->peek_error = r->get_error = NULL;
		r->device_count = 0;
		pthread_mutex_unlock(&table_lock);
	}
}

/* Returns the runtime of the call in progress. */
static struct hg_hip_runtime *current(void)
{
	return HG_LIKELY(hg_tls.hip_runtime != NULL) ? hg_tls.hip_runtime : &runtimes[0];
}

void *hg_hip_query(const char *name)
{
	const struct hg_hip_runtime *runtime = current();
	void *found;

	if (HG_UNLIKELY(runtime->path != NULL))
		return find_in(runtime->path, name);
	found = hg_libc.dlsym(RTLD_NEXT, name);
	return found ? found : hg_hip_find_loaded(name);
}

uint32_t hg_hip_runtime_number(void)
{
	return current()->number;
}

/* ---- our own calls ---- */

bool hg_hip_may_query(void)
{
	const struct hg_hip_runtime *runtime = current();

	return !runtime->peek_error || !runtime->peek_error();
}

void hg_hip_forget_error(void)
{
	const struct hg_hip_runtime *runtime = current();

	if (runtime->get_error)
		runtime->get_error();
}

/* ---- the runtime and its devices ---- */

/*
 * hipStreamPerThread has this value; 0 and hipStreamLegacy, 1, are null streams. They belong to the
 * current device.
 */
#define PER_THREAD_STREAM 2

/* hipDeviceAttribute_t; docs/memory-model.md#types-and-attributes */
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

/* hipDeviceProp_t begins with the name; gcnArchName by layout,
 * docs/memory-model.md#types-and-attributes. */
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

static int64_t place_of(int ordinal)
{
	int (*get)(char *, int, int) =
	    (int (*)(char *, int, int))hg_hip_query("hipDeviceGetPCIBusId");
	unsigned long part[4]; /* domain, bus, device, function */
	char text[64] = "", *at = text, *end;

	if (!get)
		return -1;
	if (get(text, sizeof(text), ordinal)) {
		hg_hip_forget_error();
		return -1;
	}
	for (size_t i = 0; i < HG_COUNT(part); i++, at = end + 1) {
		part[i] = strtoul(at, &end, 16);
		if (end == at || (i + 1 < HG_COUNT(part) && *end != "::."[i]))
			return -1;
	}
	return hg_smi_place((unsigned)part[0], (unsigned)part[1], (unsigned)part[2],
			    (unsigned)part[3]);
}

static void record_device(struct hg_hip_runtime *runtime, int ordinal)
{
	struct hg_hip_device *device = &runtime->devices[ordinal];
	int (*get_attribute)(int *, int, int) =
	    (int (*)(int *, int, int))hg_hip_query("hipDeviceGetAttribute");
	int (*get_memory)(size_t *, int) =
	    (int (*)(size_t *, int))hg_hip_query("hipDeviceTotalMem");
	size_t memory = 0;
	struct hg_ev_device event = { .ordinal = ordinal,
				      .name = device->name,
				      .arch = device->arch };

	read_properties(ordinal, device);
	device->place = hg_config.migration ? place_of(ordinal) : -1;
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
	event.host_link = (int8_t)runtime->host_link;
	if (event.host_native_atomic < 0) /* HIP 5 does not know */
		event.host_native_atomic = (int8_t)runtime->host_link_atomics;
	/* HIP 5.7 answers no of an MI300A. */
	if (event.integrated <= 0 && hg_hsa_apus() == 1)
		event.integrated = 1;
	runtime->device_events[ordinal] = event;
	if (recorded == runtime)
		hg_provider->device(&event);
}

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/"

/* Returns the mode as in struct hg_ev_runtime. From Linux 6.8 on each size has a mode of its own,
 * or inherits it. */
static uint8_t huge_pages(void)
{
	static const char *const modes[] = { "[never]", "[madvise]", "[always]" };
	static const char *const files[] = { HUGE_PAGES "hugepages-2048kB/enabled",
					     HUGE_PAGES "enabled" };
	char text[64];

	for (unsigned i = 0; i < 2 && !hg_libc_has_own_allocator(); i++) {
		if (!hg_read_file(files[i], text, sizeof(text)))
			continue;
		for (uint8_t mode = 0; mode < 3; mode++)
			if (strstr(text, modes[mode]))
				return mode + 1;
	}
	return 0;
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

/*
 * Makes the event of the runtime. The trace names only the first of several runtimes that has
 * devices: they are the same devices. If their versions differ it names none, because calls are
 * analysed by the version.
 */
static void make_runtime_event(struct hg_hip_runtime *runtime)
{
	if (recorded && recorded != runtime && recorded->device_count > 0) {
		if (recorded->event.version == runtime->event.version)
			return;
		recorded->event.version = 0;
	} else {
		recorded = runtime;
	}
	hg_provider->runtime(&recorded->event);
}

static void start_smi(const struct hg_hip_runtime *runtime)
{
	int64_t places[HG_HIP_DEVICES];

	for (int i = 0; i < runtime->device_count; i++)
		places[i] = runtime->devices[i].place;
	hg_smi_start(places, runtime->device_count);
}

static void record_runtime(struct hg_hip_runtime *runtime)
{
	int (*get_count)(int *) = (int (*)(int *))hg_hip_query("hipGetDeviceCount");
	struct hg_ev_runtime event = { .path = "", .result = HIP_NO_RUNTIME };
	Dl_info info;
	int count = 0;

	runtime->get_device = (int (*)(int *))hg_hip_query("hipGetDevice");
	runtime->stream_device_id = (int (*)(void *))hg_hip_query("hipGetStreamDeviceId");
	if (!runtime->stream_device_id)
		runtime->stream_device = (int (*)(void *, int *))hg_hip_query("hipStreamGetDevice");
	runtime->peek_error = (int (*)(void))hg_hip_query("hipPeekAtLastError");
	runtime->get_error = (int (*)(void))hg_hip_query("hipGetLastError");
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
	runtime->version = event.version;
	event.device_count = count;
	event.host_memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	event.huge_pages = huge_pages();
	runtime->event = event;
	runtime->event.path = hg_pool_strdup(event.path);
	if (!runtime->event.path)
		runtime->event.path = "";
	count = count < HG_HIP_DEVICES ? count : HG_HIP_DEVICES;
	runtime->devices = hg_pool_calloc(HG_HIP_DEVICES, sizeof(*runtime->devices));
	runtime->device_events = hg_pool_calloc(HG_HIP_DEVICES, sizeof(*runtime->device_events));
	if (!runtime->devices || !runtime->device_events)
		count = 0;
	runtime->device_count = count;
	make_runtime_event(runtime);
	runtime->host_link = runtime->host_link_atomics = -1;
	if (count) {
		hg_hsa_watch_faults(false);
		hg_hsa_watch_stale_reads();
		hg_hsa_watch_checks();
	}
	if (count && hg_config.memory_queries)
		runtime->host_link = hg_hsa_host_link(&runtime->host_link_atomics);
	for (int i = 0; i < count; i++)
		record_device(runtime, i);
	hg_fix_begin();
	start_smi(runtime);
}

/*
 * Also with an error pending: a success leaves it alone where errors stick, and where each call
 * replaces the error, the program's own call did or will do so next.
 */
int hg_hip_device(void)
{
	const struct hg_hip_runtime *runtime = current();
	int device = -1;
	bool pending;

	if (HG_UNLIKELY(runtime->device_count <= 0 || !runtime->get_device))
		return -1;
	pending = runtime->peek_error && runtime->peek_error();
	if (!runtime->get_device(&device))
		return device;
	if (!pending)
		hg_hip_forget_error();
	return -1;
}

/*
 * hipGetStreamDeviceId() neither reads nor sets the thread's last error. A program that sets
 * another device keeps the streams of the one before: work in them runs there [CLR62
 * hip_stream.cpp, hip_module.cpp].
 */
int hg_hip_stream_device(uint64_t stream)
{
	const struct hg_hip_runtime *runtime = current();
	void *handle = (void *)(uintptr_t)stream;
	int device = -1;

	if (HG_LIKELY(runtime->device_count <= 1 || stream <= PER_THREAD_STREAM))
		return hg_hip_device();
	if (runtime->stream_device_id) {
		device = runtime->stream_device_id(handle);
	} else if (!runtime->stream_device) {
		return -1;
	} else if (runtime->stream_device(handle, &device)) {
		hg_hip_forget_error();
		device = -1;
	}
	/* The call fails if the handle names no stream. */
	return device >= 0 ? device : hg_hip_device();
}

int hg_hip_version(void)
{
	return current()->version;
}

const struct hg_hip_device *hg_hip_device_info(int ordinal)
{
	const struct hg_hip_runtime *runtime = current();

	return ordinal >= 0 && ordinal < runtime->device_count ? &runtime->devices[ordinal] : NULL;
}

/*
 * At the first HIP call, before it is made: no later call of the program can precede what it is
 * analysed by, and an error of ours is cleared before the program can query it.
 */
static void record_first(struct hg_hip_runtime *runtime)
{
	pthread_mutex_lock(&first_lock);
	if (!runtime->first_done) {
		record_runtime(runtime);
		__atomic_store_n(&runtime->first_done, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&first_lock);
}

/* Without querying the runtime: another thread may be anywhere in it. */
static void record_again(void)
{
	pthread_mutex_lock(&first_lock);
	if (recorded) {
		hg_provider->runtime(&recorded->event);
		for (int i = 0; i < recorded->device_count; i++)
			hg_provider->device(&recorded->device_events[i]);
		hg_fix_begin();
		start_smi(recorded);
	}
	pthread_mutex_unlock(&first_lock);
}

static void reset(void)
{
	pthread_mutex_init(&first_lock, NULL);
	pthread_mutex_init(&table_lock, NULL);
	recorded = NULL;
	for (size_t i = 0; i < HG_HIP_RUNTIMES; i++)
		runtimes[i].first_done = 0;
}

/* ---- around a call ---- */

/* hg_hip_begin() has looked after old batches. */
bool hg_hip_enter(void)
{
	return hg_enter_batched();
}

/* Selects if old batches are looked after before the call, and if its stack is determined. */
enum look { LOOK_NOT, LOOK_AT_START, LOOK_AND_WALK };

/* Determines a stack that is not known yet, or not recorded. errno stays. */
static __attribute__((noinline)) uint32_t walk_otherwise(const struct hg_hip_call *call)
{
	int saved = errno;
	uint32_t id = hg_stack_id(call->caller);

	errno = saved;
	return id;
}

static inline uint32_t walk(const struct hg_hip_call *call)
{
	const uintptr_t *frame = (const uintptr_t *)(const void *)hg_tls.hip_frame;

	if (HG_UNLIKELY(!hg_config.stack_depth)) {
		hg_tls.walked = false;
		return 0;
	}
	if (HG_LIKELY(frame && frame[1] == (uintptr_t)call->caller && !hg_tls.outside))
		return hg_stack_id_of(frame, call->caller);
	return walk_otherwise(call);
}

/* The runtime may end the program in its first call: it is published before ours are made. */
static __attribute__((noinline)) void record_first_of(struct hg_hip_runtime *runtime,
						      const struct hg_hip_call *call)
{
	int saved = errno;

	hg_open_call_begin(call->api, hg_now(), call->caller, walk(call));
	record_first(runtime);
	errno = saved;
}

static __attribute__((noinline)) void look_at_standby(uint16_t api)
{
	hg_tls.keeping = hg_live_wants(api);
}

static inline __attribute__((always_inline)) bool begin(struct hg_hip_call *call, uint16_t api,
							const void *caller, enum look look)
{
	struct hg_hip_runtime *runtime;

	if (HG_UNLIKELY(!hg_awake()) || HG_UNLIKELY(hg_tls.busy) || hg_tls.hip) {
		hg_passed_over(api, caller);
		return false;
	}
	if (HG_UNLIKELY(hg_config.standby))
		look_at_standby(api);
	if (!hg_enter_often()) {
		hg_tls.keeping = 0;
		return false;
	}
	hg_tls.hip = 1;
	runtime = current();
	call->api = api;
	call->rc = 0;
	call->caller = caller;
	if (HG_UNLIKELY(!__atomic_load_n(&runtime->first_done, __ATOMIC_ACQUIRE)))
		record_first_of(runtime, call);
	call->walked = look == LOOK_AND_WALK;
	call->stack_id = 0;
	if (look == LOOK_AND_WALK) {
		call->generation = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
		call->stack_id = walk(call);
	}
	call->start = look == LOOK_NOT ? 0 : hg_now_counted();
	hg_open_call_begin(api, call->start, caller, call->stack_id);
	hg_leave();
	return true;
}

uint32_t hg_hip_stack_id(const struct hg_hip_call *call)
{
	/* Another session may have begun meanwhile. */
	if (HG_LIKELY(call->walked &&
		      call->generation == __atomic_load_n(&hg_generation, __ATOMIC_RELAXED))) {
		hg_tls.walked = false; /* before the call began */
		return call->stack_id;
	}
	return walk(call);
}

bool hg_hip_begin(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	return begin(call, api, caller, LOOK_AT_START);
}

bool hg_hip_begin_batched(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	return begin(call, api, caller, LOOK_NOT);
}

bool hg_hip_begin_walked(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	return begin(call, api, caller, LOOK_AND_WALK);
}

void hg_hip_end(void)
{
	hg_hip_outside();
	hg_tls.keeping = 0;
}

/* hipMemRangeAttribute (docs/memory-model.md#advice-constants) */
#define LAST_PREFETCH 4

/* Asks the runtime for residency.c where managed memory was last prefetched; an error is recorded
 * as HG_MEMORY_UNKNOWN. */
static int32_t last_prefetch(uint64_t ptr, uint64_t size, bool *known)
{
	int (*get)(void *, size_t, int, const void *, size_t);
	int32_t answer = HG_MEMORY_UNKNOWN;

	*known = false;
	if (!hg_hip_may_query())
		return answer;
	get = (int (*)(void *, size_t, int, const void *, size_t))hg_hip_query(
	    "hipMemRangeGetAttribute");
	if (!get)
		return answer;
	*known = true;
	hg_whole_pages(&ptr, &size);
	if (get(&answer, sizeof(answer), LAST_PREFETCH, (const void *)(uintptr_t)ptr, size)) {
		hg_hip_forget_error();
		answer = HG_MEMORY_UNKNOWN;
	}
	return answer;
}

static void early(void)
{
	hg_residency_last_prefetch = last_prefetch;
}

HG_PART(.name = "hip-runtime", .order = 34, .early = early, .record_state = record_again,
	.fork_standby = reset, .fork_record = reset);
