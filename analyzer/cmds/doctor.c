/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain doctor: what of this machine works, as rows of text. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/doctor/doctor.h"
#include "analyzer/report/json_values.h"
#include "tracer/message.h"

const char usage_doctor[] =
    "Usage: hipgrain doctor [OPTION]... [--] [CMD]\n"
    "Check whether this machine, and CMD if given, can be recorded, which findings to expect, and\n"
    "how to solve each problem. Nothing is changed; CMD is not started.\n"
    "Exit status: 0 if nothing is broken, else 1.\n"
    "\n"
    "      --softgpu             check what 'hipgrain run --softgpu' needs: no driver, no GPU\n"
    "      --self-test           run a demonstration on the software GPU, record it, and check "
    "the\n"
    "                            report; nothing else is checked\n"
    "      --report              print one block for the report of a mistake: build, kernel,\n"
    "                            runtime, GPUs, permissions and limits, with placeholders for "
    "names\n"
    "      --format FORMAT       text (default) or json: schema hipgrain-doctor/1\n"
    "      --root DIR            read DIR/proc, DIR/sys, DIR/dev and DIR/boot (files of\n"
    "                            another machine)\n"
    "  -h, --help                print this help\n";

enum {
	DOCTOR_OPTION_ROOT = 256,
	DOCTOR_OPTION_FORMAT,
	DOCTOR_OPTION_REPORT,
	DOCTOR_OPTION_SOFTGPU,
	DOCTOR_OPTION_SELF_TEST
};

static unsigned count(const struct doctor *doctor, enum health health)
{
	unsigned found = 0;

	for (unsigned i = 0; i < doctor->checks->len; i++) {
		const struct check *check = doctor->checks->pdata[i];

		found += check->health == health;
	}
	return found;
}

static void print(const struct doctor *doctor)
{
	const char *section = "";

	for (unsigned i = 0; i < doctor->checks->len; i++) {
		const struct check *check = doctor->checks->pdata[i];

		if (strcmp(section, check->section) != 0) {
			printf("%s%s\n", i ? "\n" : "", check->section);
			section = check->section;
		}
		printf("  %-8s %s\n", health_name(check->health), check->text);
		if (check->advice)
			printf("  %-8s -> %s\n", "", check->advice);
	}
}

static int print_json(const struct doctor *doctor)
{
	struct json_object *root = json_object_new_object();
	struct json_object *checks = json_object_new_array();
	int result;

	json_object_object_add(root, "schema", json_object_new_string("hipgrain-doctor/1"));
	for (unsigned i = 0; i < doctor->checks->len; i++) {
		const struct check *check = doctor->checks->pdata[i];
		struct json_object *entry = json_object_new_object();

		json_object_object_add(entry, "section", json_object_new_string(check->section));
		json_object_object_add(entry, "health",
				       json_object_new_string(health_name(check->health)));
		json_object_object_add(entry, "text", text_value(check->text));
		json_object_object_add(entry, "advice", text_or_null(check->advice));
		json_object_array_add(checks, entry);
	}
	json_object_object_add(root, "checks", checks);
	for (enum health health = HEALTH_OK; health <= HEALTH_BROKEN; health++) {
		json_object_object_add(root, health_name(health),
				       json_object_new_int64(count(doctor, health)));
	}
	result = write_json(root, stdout);
	if (result < 0)
		message_error("cannot write the output: %s", strerror(-result));
	return result;
}

static void print_text(const struct doctor *doctor)
{
	print(doctor);
	printf("\nhipgrain: %u broken, %u limited\n", count(doctor, HEALTH_BROKEN),
	       count(doctor, HEALTH_LIMITED));
}

/* Makes all checks. `command` is NULL if none is given. */
static void check_machine(struct doctor *doctor, bool softgpu, const char *command,
			  char **arguments)
{
	if (softgpu) {
		doctor_check_softgpu(doctor, arguments);
	} else {
		doctor_check_kernel(doctor);
		doctor_check_gpus(doctor);
	}
	if (command)
		program_runtime_use(command, &doctor->program);
	doctor_check_runtime(doctor);
	doctor_check_disassembler(doctor);
	doctor_check_recording(doctor);
	if (command)
		doctor_check_program(doctor, command);
	doctor_check_worth(doctor);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "format", required_argument, NULL, DOCTOR_OPTION_FORMAT },
		{ "root", required_argument, NULL, DOCTOR_OPTION_ROOT },
		{ "report", no_argument, NULL, DOCTOR_OPTION_REPORT },
		{ "softgpu", no_argument, NULL, DOCTOR_OPTION_SOFTGPU },
		{ "self-test", no_argument, NULL, DOCTOR_OPTION_SELF_TEST },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *root = "";
	struct doctor doctor;
	bool json = false, softgpu = false, self_test = false, report = false;
	int code, status;

	while ((code = next_option(argc, argv, "+h", long_options)) != -1) {
		switch (code) {
		case DOCTOR_OPTION_ROOT:
			root = optarg;
			break;
		case DOCTOR_OPTION_SOFTGPU:
			softgpu = true;
			break;
		case DOCTOR_OPTION_REPORT:
			report = true;
			break;
		case DOCTOR_OPTION_SELF_TEST:
			self_test = true;
			break;
		case DOCTOR_OPTION_FORMAT:
			json = strcmp(optarg, "json") == 0;
			if (!json && strcmp(optarg, "text") != 0) {
				message_error("--format: '%s' is not text or json", optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'h':
			fputs(usage_doctor, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (*root && softgpu) {
		message_error("--softgpu and --root are mutually exclusive");
		return HG_EXIT_USAGE;
	}
	if (self_test && (*root || softgpu || optind < argc)) {
		message_error("--self-test cannot be combined with --softgpu, --root and CMD");
		return HG_EXIT_USAGE;
	}
	if (report && (*root || self_test || json)) {
		message_error(
		    "--report cannot be combined with --root, --self-test and --format=json");
		return HG_EXIT_USAGE;
	}
	if (*root && access(root, R_OK | X_OK) != 0) {
		message_error("--root: %s: %m", root);
		return HG_EXIT_INPUT;
	}
	doctor_init(&doctor, root);
	if (self_test)
		doctor_check_self(&doctor);
	else
		check_machine(&doctor, softgpu, optind < argc ? argv[optind] : NULL, argv + 1);
	status = count(&doctor, HEALTH_BROKEN) ? HG_EXIT_FINDINGS : HG_EXIT_OK;
	if (report)
		doctor_print_report(&doctor, optind < argc ? argv[optind] : NULL);
	else if (!json)
		print_text(&doctor);
	else if (print_json(&doctor) < 0)
		status = HG_EXIT_INPUT;
	doctor_clear(&doctor);
	return status;
}
