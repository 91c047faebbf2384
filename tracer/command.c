/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded command: its environment and its start. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/environment_names.h"
#include "tracer/environment.h"
#include "tracer/message.h"
#include "tracer/elf_needed.h"
#include "tracer/recording.h"

/*
 * The tools interface of the HSA runtime is the second way to its calls (preload/hsa/hsa_tool.c).
 * It is set up by a variable for programs that are linked with OpenMP's offloading, or with the
 * runtime but not with HIP: up to ROCr 5 there is no other means.
 */
static bool wants_tool(const struct recording *recording)
{
	const char *path = recording->executable;

	return recording->options->hsa == RECORD_HSA_YES ||
	       elf_needs_library(path, "libomptarget") ||
	       (elf_needs_library(path, "libhsa-runtime64") &&
		!elf_needs_library(path, "libamdhip64"));
}

/* The HSA runtime opens what HSA_TOOLS_LIB names, separated by spaces; other tools stay. */
static int set_hsa_tool(const struct recording *recording)
{
	const char *slash = strrchr(recording->install.preload, '/');
	const char *old = getenv("HSA_TOOLS_LIB");
	char *value;
	int result;

	if (recording->options->hsa != RECORD_HSA_AUTO &&
	    setenv("HIPGRAIN_HSA", recording->options->hsa == RECORD_HSA_YES ? "1" : "0", 1))
		return -1;
	/* A name in that list has no space in it; calls are seen without it. */
	if (recording->options->hsa == RECORD_HSA_NO || !slash || !wants_tool(recording) ||
	    strchr(recording->install.preload, ' '))
		return 0;
	if (asprintf(&value, "%.*s/libhipgrain-hsa.so%s%s",
		     (int)(slash - recording->install.preload), recording->install.preload,
		     old && *old ? " " : "", old ? old : "") < 0)
		return -1;
	result = setenv("HSA_TOOLS_LIB", value, 1);
	free(value);
	return result;
}

static int set_environment(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	char number[16];
	int result = 0;

	snprintf(number, sizeof(number), "%d", (int)getpid());
	result |= setenv(HG_COMMAND_VARIABLE, number, 1);
	result |= setenv("HIPGRAIN_DIR", recording->bundle.path, 1);
	/* Says that the process was started to be recorded. */
	result |= setenv(HG_SESSION_VARIABLE, recording->session.name, 1);
	/* The recorder comes before a driver that is preloaded. */
	if (options->softgpu)
		result |= environment_softgpu(&recording->install, &options->softgpu_model);
	result |= environment_preload(recording->install.preload);
	result |= environment_kokkos(&recording->install);
	if (recording_forgets(options)) {
		/* State that is overwritten or deleted is recorded again periodically. */
		result |= setenv("HIPGRAIN_STANDBY", "1", 1);
	}
	result |= environment_options(options->stack_depth, options->threshold,
				      options->no_memory_queries, options->kernel_arguments);
	if (options->totals)
		result |= setenv("HIPGRAIN_TOTALS", "1", 1);
	if (options->no_migration)
		result |= setenv("HIPGRAIN_MIGRATION", "0", 1);
	if (options->residency)
		result |= setenv("HIPGRAIN_RESIDENCY", options->residency, 1);
	if (options->gpu_time)
		result |= setenv("HIPGRAIN_GPU_TIME", "1", 1);
	if (options->fix)
		result |= setenv("HIPGRAIN_FIX", options->fix, 1);
	if (options->fix_plan)
		result |= setenv("HIPGRAIN_FIX_PLAN", options->fix_plan, 1);
	result |= set_hsa_tool(recording);
	return result ? -ENOMEM : 0;
}

/* In the child: execute the command, or report errno through `report`. Does not return. */
static void exec_command(const struct recording *recording, int report)
{
	int error = set_environment(recording);

	if (!error) {
		sigaction(SIGCHLD, &recording->old_sigchld, NULL);
		sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
		/* Has a slash: no search, but a text file without #! still goes to the shell. */
		execvp(recording->executable, recording->argv);
		error = -errno;
	}
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

bool recording_forgets(const struct record_options *options)
{
	return options->snapshot_mib || options->url ||
	       (rotation_is_planned(&options->rotation) && !rotation_keeps_all(&options->rotation));
}

pid_t recording_start_command(const struct recording *recording)
{
	int report[2], error = 0;
	pid_t child;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child == 0) {
		close(report[0]);
		exec_command(recording, report[1]);
	}
	error = child < 0 ? -errno : 0;
	close(report[1]);
	/* End of file means that exec succeeded. */
	if (child > 0 && read(report[0], &error, sizeof(error)) == sizeof(error))
		waitpid(child, NULL, 0);
	close(report[0]);
	return error ? error : child;
}
