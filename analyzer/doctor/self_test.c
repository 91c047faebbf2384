/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain doctor --self-test: what is installed, tried as a user would. The demonstration
 * (kernels/demo) runs on the software GPU under `hipgrain run`, and the report must have the
 * finding that it leads to. Where there is no HIP runtime, a program that only allocates is
 * recorded.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "doctor.h"
#include "tracer/install.h"
#include "tracer/tree.h"

/* kernels/demo/energy_demo.c */
#define NO_RUNTIME 77
#define PRINTED    "energy: 0 J, expected 10240 J\n"
#define RULE       "HG101"

struct result {
	int status; /* exit status; -1: it did not end by itself */
	char *output, *errors;
};

static void clear(struct result *result)
{
	g_free(result->output);
	g_free(result->errors);
	*result = (struct result){ 0 };
}

/* Run a command and take what it prints. */
static bool run(char **command, struct result *result)
{
	int status = 0;

	*result = (struct result){ .status = -1 };
	if (!g_spawn_sync(NULL, command, NULL, G_SPAWN_DEFAULT, NULL, NULL, &result->output,
			  &result->errors, &status, NULL))
		return false;
	if (WIFEXITED(status))
		result->status = WEXITSTATUS(status);
	return true;
}

/* Returns the last line of `text`, which stands in one line of ours. */
static const char *last_line(char *text)
{
	char *newline;

	if (!text)
		return "";
	g_strchomp(text);
	newline = strrchr(text, '\n');
	return newline ? newline + 1 : text;
}

/* Returns the number of findings of the rule in a JSON report; -1 if the file is none. */
static int count_findings(const char *path, const char *rule)
{
	struct json_object *report = json_object_from_file(path), *findings, *name;
	int count = 0;

	if (!json_object_object_get_ex(report, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array)) {
		json_object_put(report);
		return -1;
	}
	for (size_t i = 0; i < json_object_array_length(findings); i++)
		if (json_object_object_get_ex(json_object_array_get_idx(findings, i), "rule",
					      &name))
			count += strcmp(json_object_get_string(name), rule) == 0;
	json_object_put(report);
	return count;
}

static void try_host(struct doctor *doctor, char *self, char *demo, char *bundle)
{
	char *record[] = { self, "record", "-q", "-o", bundle, "--", demo, "--host", NULL };
	char *events[] = { self, "events", bundle, NULL };
	struct result result;

	if (!run(record, &result) || result.status != 0) {
		doctor_add(doctor, HEALTH_BROKEN, NULL, "a program is not recorded: %s",
			   last_line(result.errors));
		clear(&result);
		return;
	}
	clear(&result);
	if (!run(events, &result) || result.status != 0 || !strstr(result.output, "alloc")) {
		doctor_add(doctor, HEALTH_BROKEN, NULL,
			   "the recording of a program that allocates has no allocation: %s",
			   last_line(result.errors));
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "a program was recorded, and its recording has the allocation");
	}
	clear(&result);
}

static void try_demo(struct doctor *doctor, char *self, char *demo, const char *folder)
{
	char *bundle = g_build_filename(folder, "demo.d", NULL);
	char *report = g_build_filename(folder, "report.json", NULL);
	char *command[] = { self,       "run",  "--softgpu", "--format=json",
			    "--report", report, "-q",        "-o",
			    bundle,     "--",   demo,        NULL };
	struct result result;
	int found;

	if (!run(command, &result)) {
		doctor_add(doctor, HEALTH_BROKEN, NULL, "%s cannot be executed", self);
	} else if (result.status == NO_RUNTIME) {
		doctor_add(doctor, HEALTH_LIMITED, "set LD_LIBRARY_PATH to where your ROCm is",
			   "there is no HIP runtime to run the demonstration with");
		try_host(doctor, self, demo, bundle);
	} else if (result.status != 0) {
		doctor_add(doctor, HEALTH_BROKEN, NULL,
			   "the demonstration ended with status %d: %s", result.status,
			   last_line(result.errors));
	} else if (strcmp(result.output, PRINTED) != 0) {
		doctor_add(doctor, HEALTH_BROKEN, NULL,
			   "the demonstration printed something else: %s",
			   last_line(result.output));
	} else {
		found = count_findings(report, RULE);
		doctor_add(doctor, found > 0 ? HEALTH_OK : HEALTH_BROKEN, NULL,
			   found > 0
			       ? "the demonstration ran on the software GPU, and the report has "
				 "its finding (" RULE ")"
			       : "the report on the demonstration does not have its finding "
				 "(" RULE ")");
	}
	clear(&result);
	g_free(bundle);
	g_free(report);
}

void doctor_check_self(struct doctor *doctor)
{
	char *self = realpath("/proc/self/exe", NULL);
	char *folder = g_dir_make_tmp("hipgrain-test-XXXXXX", NULL);
	struct install_paths paths = { 0 };
	char why[512];

	doctor->section = "Self-test";
	if (install_find(&paths, why, sizeof(why)) != 0) {
		doctor_add(doctor, HEALTH_BROKEN, "install hipgrain again", "%s", why);
	} else if (!paths.demo) {
		doctor_add(doctor, HEALTH_UNKNOWN, NULL,
			   "the demonstration is not installed: hipgrain was built without hipcc");
	} else if (!self || !folder) {
		doctor_add(doctor, HEALTH_BROKEN,
			   "set TMPDIR to a directory that can be written to",
			   "there is no directory for a recording");
	} else {
		try_demo(doctor, self, paths.demo, folder);
	}
	if (folder)
		tree_remove_path(folder);
	install_paths_free(&paths);
	g_free(folder);
	free(self);
}
