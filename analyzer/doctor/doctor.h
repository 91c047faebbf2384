/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is this machine fit for recording, and what will findings be worth here? Every check adds lines
 * to one list. Nothing on the machine is changed; a recording of nothing is made, and removed.
 */
#ifndef HIPGRAIN_DOCTOR_H
#define HIPGRAIN_DOCTOR_H

#include <glib.h>
#include <stdbool.h>

#include "analyzer/program_runtime.h"

enum health {
	HEALTH_OK,
	HEALTH_LIMITED, /* it works, some findings will be missing or weaker */
	HEALTH_UNKNOWN, /* could not be determined */
	HEALTH_BROKEN,  /* recording or the program will not work */
};

struct check {
	enum health health;
	const char *section; /* static */
	char *text;          /* one line */
	char *advice;        /* advice for the user, NULL if there is none */
};

/* The results of checks, with what later checks need of earlier ones. */
struct doctor {
	GPtrArray *checks; /* struct check */
	const char *root;  /* before /sys, /proc, /dev and /boot: "" for this machine */
	const char *section;
	GPtrArray *targets; /* char *: "gfx90a", one a GPU of the KFD topology */
	bool no_svm;        /* a GPU, or the kernel, has no shared virtual memory */
	bool no_runtime;    /* no libamdhip64 can be loaded */
	bool no_code;       /* the machine code of some GPU cannot be read */
	bool no_record;     /* recording does not work */
	bool no_kernel;     /* none of the program's own kernels can run on a GPU here */
	int runtime;        /* hipRuntimeGetVersion(), 0 if unknown */
	struct program_runtime program; /* the runtime of the program, if one was given */
};

/* Prepares *doctor with no check made. `root`, which stays the caller's, stands before each path
 * that is looked at. */
void doctor_init(struct doctor *doctor, const char *root);
void doctor_clear(struct doctor *doctor);
/* Returns the name that is printed and stands in JSON; static. */
const char *health_name(enum health health);

/* Adds a line to the current section; `advice` (copied) may be NULL. */
void doctor_add(struct doctor *doctor, enum health health, const char *advice, const char *format,
		...) G_GNUC_PRINTF(4, 5);

/* The checks, in the order in which they build on each other. */
void doctor_check_kernel(struct doctor *doctor);
void doctor_check_gpus(struct doctor *doctor);
/*
 * Checks the software GPU as the environment configures it, in place of the kernel and the GPUs.
 * Executes this program again with the verb's arguments if that GPU is not yet beneath the process
 * (environment_enter()).
 */
void doctor_check_softgpu(struct doctor *doctor, char **arguments);
void doctor_check_runtime(struct doctor *doctor);
void doctor_check_disassembler(struct doctor *doctor);
void doctor_check_recording(struct doctor *doctor);
/* Checks LTTng's daemons, as a part of doctor_check_recording(): starts one for the purpose. */
void doctor_check_daemon(struct doctor *doctor);
/* Checks the program that is to be recorded, found as a shell would find it. */
void doctor_check_program(struct doctor *doctor, const char *command);
/* Checks the installation by recording a demonstration on the software GPU. */
void doctor_check_self(struct doctor *doctor);
/* Says what the findings of each group will be worth, given the above; it comes last. */
void doctor_check_worth(struct doctor *doctor);
/*
 * Prints what was built, this machine, permissions, limits, variables and the checks as one block,
 * with placeholders for names of the user (hide_names.h). `command` is NULL if none is given.
 */
void doctor_print_report(const struct doctor *doctor, const char *command);

#endif
