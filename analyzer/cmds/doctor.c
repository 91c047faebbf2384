/* SPDX-License-Identifier: Apache-2.0 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/doctor/doctor.h"
#include "tracer/message.h"

const char usage_doctor[] =
    "Usage: hipgrain doctor [OPTION]... [--] [CMD]\n"
    "Check whether this machine, and CMD if given, can be recorded, what findings will be worth\n"
    "here, and what to do about each problem. Nothing is changed; CMD is not started.\n"
    "Exit status: 0 nothing is broken, 1 something is.\n"
    "\n"
    "      --root DIR            read DIR/proc, DIR/sys, DIR/dev and DIR/boot: another machine's\n"
    "  -h, --help                print this help\n";

enum { DOCTOR_OPTION_ROOT = 256 };

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
		if (check->advice) {
			printf("  %-8s -> %s\n", "", check->advice);
		}
	}
}

static unsigned count(const struct doctor *doctor, enum health health)
{
	unsigned found = 0;

	for (unsigned i = 0; i < doctor->checks->len; i++) {
		const struct check *check = doctor->checks->pdata[i];

		found += check->health == health;
	}
	return found;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "root", required_argument, NULL, DOCTOR_OPTION_ROOT },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *root = "";
	struct doctor doctor;
	unsigned broken, limited;
	int code;

	while ((code = getopt_long(argc, argv, "+h", long_options, NULL)) != -1) {
		switch (code) {
		case DOCTOR_OPTION_ROOT:
			root = optarg;
			break;
		case 'h':
			fputs(usage_doctor, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (*root && access(root, R_OK | X_OK) != 0) {
		message_error("--root: %s: %m", root);
		return HG_EXIT_INPUT;
	}
	doctor_init(&doctor, root);
	doctor_check_kernel(&doctor);
	doctor_check_gpus(&doctor);
	doctor_check_runtime(&doctor);
	doctor_check_disassembler(&doctor);
	doctor_check_recording(&doctor);
	if (optind < argc) {
		doctor_check_program(&doctor, argv[optind]);
	}
	doctor_check_worth(&doctor);
	print(&doctor);
	broken = count(&doctor, HEALTH_BROKEN);
	limited = count(&doctor, HEALTH_LIMITED);
	printf("\nhipgrain: %u broken, %u limited\n", broken, limited);
	doctor_clear(&doctor);
	return broken ? HG_EXIT_FINDINGS : HG_EXIT_OK;
}
