/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of this machine according to its HIP runtime. */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../hip_library.h"
#include "explain.h"

#define TIMEOUT_SECONDS 30

/* hipDeviceAttribute_t (docs/memory-model.md#types-and-attributes) */
static const struct {
	size_t member;
	int attribute;
} attributes[] = {
	{ offsetof(struct model_environment, apu), 16 },
	{ offsetof(struct model_environment, hmm), 24 },
	{ offsetof(struct model_environment, large_bar), 10011 },
	{ offsetof(struct model_environment, fine_pool), 10016 },
};

/* The offsets of gcnArchName in hipDeviceProp_t, by the layout of that structure. */
enum { ARCH_R0600 = 1160, ARCH_R0000 = 396 };

static void ask_target(void *library, struct machine *machine)
{
	static char properties[8192] __attribute__((aligned(16)));
	const char *arch = properties + ARCH_R0600;
	int (*get)(void *, int);

	*(void **)&get = dlsym(library, "hipGetDevicePropertiesR0600");
	if (!get) {
		*(void **)&get = dlsym(library, "hipGetDeviceProperties");
		arch = properties + ARCH_R0000;
	}
	if (get && get(properties, 0) == 0) {
		g_strlcpy(machine->arch, arch, sizeof(machine->arch));
		machine->environment.xnack = strstr(arch, "xnack+")   ? 1
					     : strstr(arch, "xnack-") ? 0
								      : -1;
	}
}

static void ask_library(void *library, struct machine *machine)
{
	struct model_environment *environment = &machine->environment;
	int (*get_version)(int *), (*get_count)(int *), (*get_attribute)(int *, int, int);
	int count = 0;
	Dl_info info;

	*(void **)&get_version = dlsym(library, "hipRuntimeGetVersion");
	*(void **)&get_count = dlsym(library, "hipGetDeviceCount");
	*(void **)&get_attribute = dlsym(library, "hipDeviceGetAttribute");
	if (!get_version || !get_count || !get_attribute) {
		g_strlcpy(machine->problem, "libamdhip64 lacks functions of the HIP runtime",
			  sizeof(machine->problem));
		return;
	}
	if (dladdr(*(void **)&get_version, &info) && info.dli_fname)
		g_strlcpy(machine->runtime, info.dli_fname, sizeof(machine->runtime));
	if (get_version(&environment->runtime_version) != 0)
		environment->runtime_version = 0;
	if (get_count(&count) != 0 || count <= 0) {
		g_strlcpy(machine->problem, "the HIP runtime finds no GPU",
			  sizeof(machine->problem));
		return;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(attributes); i++) {
		int *member = (int *)((char *)environment + attributes[i].member);
		int value;

		*member = get_attribute(&value, attributes[i].attribute, 0) == 0 ? value > 0 : -1;
	}
	ask_target(library, machine);
}

/* In a process of its own: the runtime starts threads, and prints or aborts as it likes. */
static void ask_here(struct machine *machine)
{
	char error[256];
	void *library;

	alarm(TIMEOUT_SECONDS);
	library = hip_library_open(NULL, error, sizeof(error));
	if (library) {
		ask_library(library, machine);
	} else {
		g_snprintf(machine->problem, sizeof(machine->problem),
			   "no libamdhip64 can be loaded: %s", error);
	}
}

static bool transfer(int fd, struct machine *machine, bool out)
{
	size_t done = 0;

	while (done < sizeof(*machine)) {
		char *at = (char *)machine + done;
		ssize_t part = out ? write(fd, at, sizeof(*machine) - done)
				   : read(fd, at, sizeof(*machine) - done);

		if (part <= 0)
			return false;
		done += (size_t)part;
	}
	return true;
}

void machine_ask(struct machine *machine)
{
	const char *coherent = g_getenv("HIP_HOST_COHERENT");
	const char *force_fine = g_getenv("HSA_FORCE_FINE_GRAIN_PCIE");
	struct machine unknown = { .environment = { -1, -1, -1, 0, -1, -1, 0 } };
	bool answered = false;
	int channel[2];
	pid_t child;

	unknown.environment.host_coherent = coherent && strcmp(coherent, "0") != 0;
	*machine = unknown;
	if (pipe2(channel, O_CLOEXEC) == 0) {
		child = fork();
		if (child == 0) {
			int null = open("/dev/null", O_RDWR);

			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
			ask_here(machine);
			transfer(channel[1], machine, true);
			_exit(0);
		}
		close(channel[1]);
		answered = child > 0 && transfer(channel[0], machine, false);
		close(channel[0]);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	if (!answered) {
		*machine = unknown;
		g_strlcpy(machine->problem, "the HIP runtime crashed or hung when it was queried",
			  sizeof(machine->problem));
	}
	if (force_fine && strcmp(force_fine, "1") == 0)
		machine->environment.fine_pool = 1;
}
