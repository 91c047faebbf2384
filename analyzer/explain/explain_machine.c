/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of this machine according to its HIP runtime. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/probe/probed_gpu.h"
#include "explain.h"

#define TIMEOUT_SECONDS 30

static void ask_gpu(const struct hip *hip, struct machine *machine)
{
	int count = 0;
	char name[256];
	struct host_link link;

	g_strlcpy(machine->runtime, hip->path, sizeof(machine->runtime));
	machine->environment.runtime_version = hip->version;
	if (hip->hipGetDeviceCount(&count) != 0 || count <= 0) {
		g_strlcpy(machine->problem, "the HIP runtime finds no GPU",
			  sizeof(machine->problem));
		return;
	}
	hip_identify(hip, 0, name, sizeof(name), machine->arch, sizeof(machine->arch));
	probe_host_link(hip, 0, &link);
	probe_machine(hip, 0, machine->arch, &link, &machine->environment);
}

/* In a process of its own: the runtime starts threads, and prints or aborts as it likes. */
static void ask_here(struct machine *machine)
{
	char error[256];
	struct hip hip;

	alarm(TIMEOUT_SECONDS);
	if (hip_load(&hip, error, sizeof(error)) == 0)
		ask_gpu(&hip, machine);
	else
		g_snprintf(machine->problem, sizeof(machine->problem),
			   "no libamdhip64 can be loaded: %s", error);
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
	struct machine unknown = { .environment = { .xnack = -1,
						    .hmm = -1,
						    .fine_pool = -1,
						    .large_bar = -1,
						    .apu = -1 } };
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
}
