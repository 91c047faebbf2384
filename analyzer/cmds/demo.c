/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain demo: a program whose result is silently wrong (kernels/demo) is recorded on the
 * software GPU beneath AMD's HIP runtime and reported, with a few lines on what one sees.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "tracer/install.h"
#include "tracer/message.h"
#include "tracer/tree.h"

#define NO_RUNTIME 77 /* kernels/demo/energy_demo.c */

/* AMD's HIP runtime, in a portable tree over which its archive was unpacked (tests/release). */
#define RUNTIME "amd"

const char usage_demo[] =
    "Usage: hipgrain demo\n"
    "Record a program whose result is silently wrong, on the software GPU beneath AMD's HIP "
    "runtime,\n"
    "and show the report with an explanation. It takes neither a GPU nor a compiler.\n"
    "\n"
    "  -h, --help                print this help\n";

static const char before[] = "The program: 4096 particles of 2 kg add their kinetic energy, at 1 "
			     "or 2 m/s, to one double in\n"
			     "managed memory. Right is 10240 J. It runs on a software MI200, "
			     "beneath AMD's own HIP runtime:\n"
			     "\n";

static const char after[] =
    "\n"
    "What you saw: the program printed 0 J, and no call of HIP returned an error. The report says\n"
    "  what is wrong   the GPU discarded the additions (the line of HG101)\n"
    "  where           the instruction, its line in the kernel, and the launch\n"
    "  since when      the allocation that the address lies in\n"
    "  why             managed memory is fine-grained, where this instruction has no effect\n"
    "  what to do      the last lines of the finding\n"
    "Next: 'hipgrain doctor' tells what this machine can record, 'hipgrain ./app' records a "
    "program\n"
    "of yours.\n";

/* Puts the runtime that was unpacked over the tree in front of the system's. */
static void use_runtime_of_tree(void)
{
	char *folder = install_bundled(RUNTIME);
	const char *others = getenv("LD_LIBRARY_PATH");
	char *path;

	if (!folder)
		return;
	path = others && *others ? g_strconcat(folder, ":", others, NULL) : g_strdup(folder);
	setenv("LD_LIBRARY_PATH", path, 1);
	g_free(path);
	free(folder);
}

/* Runs the demonstration. Returns its exit status, or -1 if it did not end by itself. */
static int run_demo(char *self, char *demo, char *bundle)
{
	char *command[] = { self, "run", "--softgpu", "-q", "-o", bundle, "--", demo, NULL };
	GError *error = NULL;
	int status = 0;

	if (!g_spawn_sync(NULL, command, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status,
			  &error)) {
		message_error("%s", error->message);
		g_error_free(error);
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int demonstrate(char *demo)
{
	char *self = realpath("/proc/self/exe", NULL);
	char *folder = g_dir_make_tmp("hipgrain-demo-XXXXXX", NULL);
	char *bundle = folder ? g_build_filename(folder, "demo.d", NULL) : NULL;
	int status = -1;

	if (!self || !folder) {
		message_error(
		    "there is no directory for a recording: set TMPDIR to one that can be "
		    "written to");
	} else {
		use_runtime_of_tree();
		fputs(before, stdout);
		fflush(stdout);
		status = run_demo(self, demo, bundle);
		if (status == NO_RUNTIME)
			message_error(
			    "no HIP runtime here: unpack hipgrain's archive of AMD's runtime "
			    "over this tree, or install ROCm's (Debian: libamdhip64-5)");
		else if (status != 0)
			message_error("the demonstration ended with status %d", status);
		else
			fputs(after, stdout);
	}
	if (folder)
		tree_remove_path(folder);
	g_free(bundle);
	g_free(folder);
	free(self);
	return status == 0 ? HG_EXIT_OK : HG_EXIT_INPUT;
}

int cmd_demo(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct install_paths paths = { 0 };
	char why[512] = "it was built without hipcc";
	int code, status = HG_EXIT_INPUT;

	while ((code = next_option(argc, argv, "+h", long_options)) != -1) {
		if (code != 'h')
			return HG_EXIT_USAGE;
		fputs(usage_demo, stdout);
		return HG_EXIT_OK;
	}
	if (optind < argc) {
		message_error(
		    "'%s': the demonstration takes no argument (did you mean 'hipgrain run'?)",
		    argv[optind]);
		return HG_EXIT_USAGE;
	}
	if (install_find(&paths, why, sizeof(why)) != 0 || !paths.demo)
		message_error("the demonstration is not installed: %s", why);
	else
		status = demonstrate(paths.demo);
	install_paths_free(&paths);
	return status;
}
