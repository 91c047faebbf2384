/* SPDX-License-Identifier: Apache-2.0 */
/* The HIP runtime that a program would get, and whether the machine code of its GPUs is readable.
 */
#include AMD_COMGR_HEADER
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"
#include "../hip_library.h"
#include "analyzer/isa/arch.h"
#include "analyzer/isa/disasm.h"
#include "comgr/rocm.h"
#ifdef HIPGRAIN_PORTABLE
#include "comgr/load.h"
#endif

#define PROBE_TIMEOUT_MS 30000

/* hipDeviceAttribute_t, the same numbers in ROCm 5.2 and 6.x [H523][H62]. */
enum {
	ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 9,
	ATTRIBUTE_HOST_NATIVE_ATOMIC = 15,
	ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 65,
};

/* The results that the probing process writes into its pipe. */
struct probe {
	char path[PATH_MAX]; /* of the library that was loaded */
	char error[256];     /* why it was not */
	int version;         /* hipRuntimeGetVersion, 0: failed */
	int devices;         /* -1: hipGetDeviceCount failed */
	int device_error;
	int attributes[3]; /* of device 0, -1: failed */
};

/* In a process of its own: the runtime starts threads, and prints or aborts as it likes. */
static void probe_runtime(struct probe *probe, const char *path)
{
	static const int wanted[] = { ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
				      ATTRIBUTE_HOST_NATIVE_ATOMIC,
				      ATTRIBUTE_PAGEABLE_MEMORY_ACCESS };
	int (*get_version)(int *);
	int (*get_count)(int *);
	int (*get_attribute)(int *, int, int);
	void *library = hip_library_open(path, probe->error, sizeof(probe->error));
	Dl_info info;

	if (!library)
		return;
	*(void **)&get_version = dlsym(library, "hipRuntimeGetVersion");
	*(void **)&get_count = dlsym(library, "hipGetDeviceCount");
	*(void **)&get_attribute = dlsym(library, "hipDeviceGetAttribute");
	if (!get_version || !get_count || !get_attribute) {
		g_strlcpy(probe->error, "it lacks functions of the HIP runtime",
			  sizeof(probe->error));
		return;
	}
	if (dladdr(*(void **)&get_version, &info) && info.dli_fname)
		g_strlcpy(probe->path, info.dli_fname, sizeof(probe->path));
	if (get_version(&probe->version) != 0)
		probe->version = 0;
	probe->device_error = get_count(&probe->devices);
	if (probe->device_error)
		probe->devices = -1;
	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (probe->devices <= 0 || get_attribute(&probe->attributes[i], wanted[i], 0) != 0)
			probe->attributes[i] = -1;
}

/* Read the whole struct before the time is up: false if the child died or hangs. */
static bool read_probe(int fd, struct probe *probe)
{
	int64_t end = g_get_monotonic_time() / 1000 + PROBE_TIMEOUT_MS;
	size_t got = 0;

	while (got < sizeof(*probe)) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		int64_t left = end - g_get_monotonic_time() / 1000;
		ssize_t part;

		if (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0)
			return false;
		part = read(fd, (char *)probe + got, sizeof(*probe) - got);
		if (part <= 0)
			return false;
		got += (size_t)part;
	}
	return true;
}

static bool run_probe(struct probe *probe, const struct doctor *doctor, int *status)
{
	int channel[2];
	bool whole;
	pid_t child;

	if (pipe2(channel, O_CLOEXEC) != 0)
		return false;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		probe_runtime(probe, doctor->program.hip);
		for (size_t sent = 0; sent < sizeof(*probe);) {
			ssize_t part =
			    write(channel[1], (char *)probe + sent, sizeof(*probe) - sent);

			if (part <= 0)
				break;
			sent += (size_t)part;
		}
		_exit(0);
	}
	close(channel[1]);
	whole = child > 0 && read_probe(channel[0], probe);
	close(channel[0]);
	if (child > 0) {
		if (!whole)
			kill(child, SIGKILL);
		waitpid(child, status, 0);
	}
	return whole;
}

static void describe_probe(struct doctor *doctor, const struct probe *probe)
{
	doctor->runtime = probe->version;
	/* HIP_VERSION: major * 10 000 000 + minor * 100 000 + patch. */
	doctor_add(doctor, HEALTH_OK, NULL, "%s is HIP %d.%d", probe->path,
		   probe->version / 10000000, probe->version / 100000 % 100);
	if (probe->devices <= 0) {
		doctor_add(doctor, HEALTH_LIMITED,
			   "see the kernel and GPUs above; 'hipgrain run --softgpu' needs no GPU",
			   "the runtime finds no GPU (hipGetDeviceCount: error %d)",
			   probe->device_error);
		return;
	}
	doctor_add(doctor, HEALTH_OK, NULL, "the runtime finds %d GPU%s", probe->devices,
		   probe->devices == 1 ? "" : "s");
	if (probe->attributes[0] == 0) {
		doctor->no_svm = true;
		doctor_add(doctor, HEALTH_LIMITED, NULL,
			   "the runtime offers no concurrent managed access: hipMallocManaged "
			   "returns pinned host memory, prefetch and advice have no effect");
	}
	if (probe->attributes[1] == 0) {
		doctor_add(doctor, HEALTH_LIMITED, NULL,
			   "the runtime reports that atomics on host memory are not native");
	}
	if (probe->attributes[2] >= 0) {
		doctor_add(doctor, HEALTH_OK, NULL, "kernels %s use memory of malloc directly",
			   probe->attributes[2] ? "can" : "cannot");
	}
}

/* A wheel's or a module's runtime beside the system's: handles do not go from one to the other. */
static void list_others(struct doctor *doctor, const char *used)
{
	GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
	char **found = rocm_libraries("libamdhip64.so");

	if (*used)
		g_hash_table_add(known, realpath(used, NULL) ?: strdup(used));
	for (size_t i = 0; found && found[i]; i++) {
		char *other = realpath(found[i], NULL);

		/* Each has several names. */
		if (other && g_hash_table_add(known, other)) {
			doctor_add(doctor, HEALTH_OK, NULL, "there is another runtime: %s",
				   found[i]);
		}
	}
	rocm_libraries_free(found);
	g_hash_table_destroy(known);
}

void doctor_check_runtime(struct doctor *doctor)
{
	struct probe probe = { 0 };
	int status = 0;

	doctor->section = "HIP runtime";
	if (!run_probe(&probe, doctor, &status)) {
		doctor->no_runtime = true;
		doctor_add(doctor, HEALTH_BROKEN,
			   "run a small HIP program without hipgrain, and look at its messages",
			   WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
			       ? "the query of the runtime's GPUs was killed by signal %d"
			       : "the query of the runtime's GPUs did not finish (%d)",
			   WTERMSIG(status));
	} else if (!*probe.path) {
		doctor->no_runtime = true;
		doctor_add(doctor, HEALTH_LIMITED,
			   "install ROCm's HIP runtime, or set LD_LIBRARY_PATH as the program does",
			   "no libamdhip64 is found: %s", probe.error);
	} else {
		describe_probe(doctor, &probe);
	}
	list_others(doctor, probe.path);
}

/* Does the disassembler know "gfx90a"? */
static bool knows(const char *target)
{
	size_t count = 0;

	if (amd_comgr_get_isa_count(&count) != AMD_COMGR_STATUS_SUCCESS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *name;

		if (amd_comgr_get_isa_name(i, &name) == AMD_COMGR_STATUS_SUCCESS &&
		    g_str_has_suffix(name, target))
			return true;
	}
	return false;
}

/* Does one of LLVM's libraries? */
static bool llvm_knows(const char *target)
{
	struct isa_llvm found;
	const char *why;

	for (size_t i = 0; isa_llvm_library(i, &found); i++)
		if (!found.problem && isa_llvm_reads(i, target, &why))
			return true;
	return false;
}

/* Reports of each LLVM library for which GPUs' generations it can stand in. */
static void describe_llvm(struct doctor *doctor)
{
	struct isa_llvm found;

	for (size_t i = 0; isa_llvm_library(i, &found); i++) {
		GString *can = g_string_new(NULL), *cannot = g_string_new(NULL);
		const char *why = found.problem;

		for (int j = 0; !found.problem && j < ARCH_GENERATIONS; j++) {
			const char *name = arch_of_generation((enum arch_generation)j);
			GString *list = isa_llvm_reads(i, name, &why) ? can : cannot;

			g_string_append_printf(list, "%s%s", list->len ? ", " : "", name);
		}
		if (can->len) {
			doctor_add(doctor, HEALTH_OK, NULL,
				   "%s (LLVM %u) %s %s where amd_comgr does not%s%s", found.path,
				   found.version,
				   found.tested ? "is one that the tests know, and reads"
						: "was tried, and reads",
				   can->str, cannot->len ? "; not " : "", cannot->str);
		} else {
			doctor_add(doctor, HEALTH_OK, NULL, "%s is not used: %s", found.path, why);
		}
		g_string_free(can, TRUE);
		g_string_free(cannot, TRUE);
	}
}

/* The file of amd_comgr; NULL: there is none. */
static const char *comgr_of(void)
{
#ifdef HIPGRAIN_PORTABLE
	return comgr_path();
#else
	Dl_info info;

	if (dladdr((void *)amd_comgr_get_version, &info) && info.dli_fname)
		return info.dli_fname;
	return "its library";
#endif
}

void doctor_check_disassembler(struct doctor *doctor)
{
	size_t major = 0, minor = 0, processors = 0;
	const char *path;

	doctor->section = "Machine code";
	amd_comgr_get_version(&major, &minor);
	if (amd_comgr_get_isa_count(&processors) != AMD_COMGR_STATUS_SUCCESS)
		processors = 0;
	path = comgr_of();
	if (path) {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "amd_comgr %zu.%zu (%s) reads that of %zu processors", major, minor,
			   path, processors);
	} else {
		doctor_add(doctor, HEALTH_LIMITED,
			   "set ROCM_PATH, or LD_LIBRARY_PATH, to where your ROCm is",
			   "no libamd_comgr is found");
	}
	describe_llvm(doctor);
	for (unsigned i = 0; i < doctor->targets->len; i++) {
		const char *target = doctor->targets->pdata[i];

		if (path && knows(target))
			continue;
		if (llvm_knows(target)) {
			doctor_add(doctor, HEALTH_OK, NULL,
				   "the machine code of %s is read by LLVM", target);
			continue;
		}
		doctor->no_code = true;
		doctor_add(doctor, HEALTH_LIMITED, "install the amd_comgr of your ROCm",
			   path ? "this amd_comgr does not know %s"
				: "nothing reads the machine code of %s",
			   target);
	}
}
