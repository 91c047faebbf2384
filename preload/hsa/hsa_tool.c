/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides if calls of the HSA runtime are recorded, and by which of two ways they come.
 *
 * By name: programs and libraries reach the functions that this library exports (hsa_wrap.h), by
 * reference or by dlsym(), whatever environment they were started with.
 *
 * By the tables: the runtime gives them to tools, which are the libraries that HSA_TOOLS_LIB names
 * and, from ROCr 6 on, each library in the process that exports HSA_AMD_TOOL_PRIORITY. Ours is
 * libhipgrain-hsa.so, which calls hipgrain_hsa_load(). It is opened when a runtime is about to come
 * up whose calls are wanted, and not before: in the processes of others it has nothing to do. The
 * runtime reads neither if rocprofiler-register has taken tools over [ROCR25]. Calls of libraries
 * that this one does not see (RTLD_DEEPBIND) also come by the tables.
 *
 * If only HIP uses the runtime nothing is recorded: HIP's own calls are recorded above.
 * HIPGRAIN_HSA=1 records all the same, for a HIP that is called in ways that are not recorded, and
 * so does HIPGRAIN_GPU_TIME=1; with HIPGRAIN_HSA=0 nothing ever is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_expected.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_tables.h"
#include "preload/hsa/hsa_times.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

#define NOT_INITIALIZED 0x100B /* hsa_status_t */

int hg_hsa_way = HSA_UNDECIDED;
bool hg_hsa_hip_reports;

/*
 * Protects the variables below, and is held while the runtime lists its agents. The loader, whose
 * lock a thread may hold that comes here, is not called with it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void *runtime; /* one of the functions of the runtime that hg_hsa has */
static bool patched;        /* its tables */
static bool surveyed;       /* its agents, since it came up */

/* ---- is it wanted? ---- */

struct neighbours {
	bool offloads, hip;
};

static int find_neighbours(struct dl_phdr_info *info, size_t size, void *data)
{
	/* LLVM's OpenMP, GCC's, and AMD's OpenCL have these names. */
	static const char *const offloading[] = { "libomptarget", "libgomp-plugin-gcn",
						  "libamdocl64" };
	struct neighbours *found = data;
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	for (size_t i = 0; base && i < HG_COUNT(offloading); i++)
		found->offloads |= !strncmp(base + 1, offloading[i], strlen(offloading[i]));
	found->hip |= base && !strncmp(base + 1, "libamdhip64", 11);
	return 0;
}

static bool wanted(void)
{
	const char *choice = getenv("HIPGRAIN_HSA");
	struct neighbours found = { false, false };

	hg_libc.dl_iterate_phdr(find_neighbours, &found);
	hg_hsa_hip_reports = found.hip;
	choice = choice && *choice ? choice : NULL;
	if (hg_hsa_times_decide() && !choice)
		choice = "1";
	if (choice ? !strcmp(choice, "0") : found.hip && !found.offloads)
		return false;
	__atomic_store_n(&hg_hsa_waits, 1, __ATOMIC_RELAXED);
	return true;
}

/* Holds the reason why calls below HIP are not recorded, or NULL if there is nothing to report. */
static const char *refused;

static void record_refused(void)
{
	const char *why = __atomic_load_n(&refused, __ATOMIC_ACQUIRE);
	struct hg_ev_call event = { .api = HG_API_hsa_tables_refused, .device = -1, .text = why };

	if (why && !hg_process_forked)
		hg_provider->call(&event);
}

/* Reports it to a session that records now, or to the next one when it begins. */
static void refuse(const char *why)
{
	bool recording = hg_enter();

	hg_say("this HSA runtime is not known: %s; calls below HIP are not recorded", why);
	__atomic_store_n(&refused, why, __ATOMIC_RELEASE);
	if (recording) {
		record_refused();
		hg_leave();
	}
}

/* ---- by name ---- */

/*
 * Finds the agents and pools of a runtime that is up. Returns false if calls by name are not
 * recorded: it has no agents, or the tables are patched. The caller holds the lock.
 */
static bool survey(void)
{
	uint16_t version;

	if (surveyed)
		return true;
	hg_tls.busy++;
	if (!HSA_REAL(hsa_system_get_info, int, int, void *)(0, &version)) {
		surveyed = true;
		if (!hg_hsa_survey())
			__atomic_store_n(&hg_hsa_way, HSA_PASS, __ATOMIC_RELEASE);
	}
	hg_tls.busy--;
	return __atomic_load_n(&hg_hsa_way, __ATOMIC_RELAXED) == HSA_BY_NAME;
}

/*
 * Opens the tool, which ROCr from 6 on finds by its exports. It is never closed, and nobody else
 * sees it.
 */
static void open_tool(void)
{
	static bool opened;
	char path[4096];
	const char *slash;
	Dl_info own;

	if (opened || !dladdr((void *)open_tool, &own) || !(slash = strrchr(own.dli_fname, '/')))
		return;
	opened = true;
	snprintf(path, sizeof(path), "%.*s/libhipgrain-hsa.so", (int)(slash - own.dli_fname),
		 own.dli_fname);
	dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Called with hg_tls.busy set. */
static void decide(const void *real)
{
	struct hsa_functions exports;
	Dl_info info;
	void *library;

	if (patched || __atomic_load_n(&hg_hsa_way, __ATOMIC_RELAXED) == HSA_BY_NAME ||
	    !hg_awake() || !hg_hsa_is_runtime(real))
		return;
	if (!wanted()) {
		__atomic_store_n(&hg_hsa_way, HSA_PASS, __ATOMIC_RELEASE);
		return;
	}
	library = dladdr(real, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!library)
		return;
	hg_hsa_exports_read(library, &exports);
	hg_dlclose(library);
	open_tool();
	pthread_mutex_lock(&lock);
	if (!patched && !runtime) {
		hg_hsa = exports;
		runtime = real;
		__atomic_store_n(&hg_hip_expects, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&hg_hsa_way, HSA_BY_NAME, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

static void survey_by_name(void)
{
	bool known = true;

	pthread_mutex_lock(&lock);
	if (__atomic_load_n(&hg_hsa_way, __ATOMIC_RELAXED) == HSA_BY_NAME)
		known = survey();
	pthread_mutex_unlock(&lock);
	if (!known)
		refuse("it names no agents");
}

/*
 * Asks the loader once for each function: the driver has few of them (kernels/softkfd/announce.c).
 * Two threads may both ask, and take two places for it.
 */
bool hg_hsa_is_driver(const void *real)
{
	static struct {
		const void *real;
		int driver;
	} seen[16];
	static unsigned count;
	unsigned known = __atomic_load_n(&count, __ATOMIC_ACQUIRE), place;
	int saved = errno;
	bool driver;
	Dl_info info;

	for (unsigned i = 0; i < known && i < HG_COUNT(seen); i++)
		if (__atomic_load_n(&seen[i].real, __ATOMIC_ACQUIRE) == real)
			return seen[i].driver;
	driver = dladdr(real, &info) && info.dli_fname &&
		 strstr(info.dli_fname, "/libhipgrain-softkfd.so");
	place = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
	if (place < HG_COUNT(seen)) {
		seen[place].driver = driver;
		__atomic_store_n(&seen[place].real, real, __ATOMIC_RELEASE);
	}
	errno = saved;
	return driver;
}

void hg_hsa_decide(const void *real)
{
	int saved = errno;

	hg_init();
	if (!hg_config.dir)
		__atomic_store_n(&hg_hsa_way, HSA_PASS, __ATOMIC_RELEASE);
	if (!hg_tls.busy && hg_awake()) {
		hg_tls.busy++;
		decide(real);
		hg_tls.busy--;
		survey_by_name();
	}
	errno = saved;
}

HSA_HEAD(int, hsa_init, (void))
{
	HSA_REACHED(int, hsa_init, (void));
	int rc, saved = errno;
	bool published;

	hg_init();
	if (hg_tls.busy || !hg_awake())
		return real();
	hg_tls.busy++;
	decide((const void *)real);
	hg_tls.busy--;
	published = hg_hsa_publish(HG_API_hsa_init, HG_CALLER(), __builtin_frame_address(0));
	errno = saved;
	rc = real();
	saved = errno;
	if (published)
		hg_hsa_published_end();
	if (!rc)
		survey_by_name();
	errno = saved;
	return rc;
}

/* Handles of agents and pools end with the runtime, which may come up again with other tools. */
HSA_HEAD(int, hsa_shut_down, (void))
{
	HSA_REACHED(int, hsa_shut_down, (void));
	int rc, saved = errno;
	uint16_t version;

	hg_hsa_times_end();
	errno = saved;
	rc = real();
	saved = errno;
	if (!rc && !hg_tls.busy && runtime) {
		pthread_mutex_lock(&lock);
		hg_tls.busy++;
		if (HSA_REAL(hsa_system_get_info, int, int, void *)(0, &version) ==
		    NOT_INITIALIZED) {
			runtime = NULL;
			patched = surveyed = false;
			hg_hsa_times_forget();
			__atomic_store_n(&hg_hsa_way, HSA_UNDECIDED, __ATOMIC_RELEASE);
		}
		hg_tls.busy--;
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
	return rc;
}

static void unloaded(void)
{
	Dl_info info;

	if (!runtime || dladdr(runtime, &info))
		return;
	pthread_mutex_lock(&lock);
	runtime = NULL;
	patched = surveyed = false;
	__atomic_store_n(&hg_hsa_way, HSA_UNDECIDED, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

/* ---- by the tables ---- */

/*
 * Called by libhipgrain-hsa.so. Returns false only if the layout of the runtime's tables is
 * unknown. It patches all or nothing: launches without what maps do to memory would lead to wrong
 * findings. The runtime may have found that library twice, by its name and by its exports.
 */
HG_EXPORT bool hipgrain_hsa_load(struct hsa_tables *tables);
HG_EXPORT bool hipgrain_hsa_load(struct hsa_tables *tables)
{
	struct hsa_functions before;
	const char *problem;

	hg_init();
	if (!hg_awake() || !wanted() || hg_hsa_tables_have(tables, hg_hsa_queue_wrappers))
		return true;
	hg_tls.busy++;
	problem = hg_hsa_tables_read(tables, &before);
	hg_tls.busy--;
	if (problem) {
		/* Nothing is lost where calls are seen by name. */
		if (__atomic_load_n(&hg_hsa_way, __ATOMIC_ACQUIRE) != HSA_BY_NAME)
			refuse(problem);
		return false;
	}
	pthread_mutex_lock(&lock);
	hg_tls.busy++;
	hg_hsa = before;
	hg_hsa_survey();
	hg_hsa_tables_patch(tables, hg_hsa_code_wrappers);
	hg_hsa_tables_patch(tables, hg_hsa_memory_wrappers);
	hg_hsa_tables_patch(tables, hg_hsa_queue_wrappers);
	hg_hsa_tables_patch(tables, hg_hsa_event_wrappers);
	hg_hsa_tables_patch(tables, hg_hsa_times_wrappers);
	runtime = hg_hsa.hsa_system_get_info;
	patched = surveyed = true;
	__atomic_store_n(&hg_hip_expects, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&hg_hsa_way, HSA_PASS, __ATOMIC_RELEASE);
	hg_tls.busy--;
	pthread_mutex_unlock(&lock);
	return true;
}

HG_PART(.name = "hsa", .order = 100, .after_state = record_refused, .unloaded = unloaded);
