/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what was checked, with how it is. */
#include "doctor.h"

#include "codeobj/text.h"

static void free_check(void *data)
{
	struct check *check = data;

	free(check->text);
	g_free(check->advice);
	g_free(check);
}

void doctor_init(struct doctor *doctor, const char *root)
{
	*doctor = (struct doctor){
		.checks = g_ptr_array_new_with_free_func(free_check),
		.root = root,
		.section = "",
		.targets = g_ptr_array_new_with_free_func(g_free),
	};
}

void doctor_clear(struct doctor *doctor)
{
	g_ptr_array_unref(doctor->checks);
	g_ptr_array_unref(doctor->targets);
	program_runtime_clear(&doctor->program);
}

const char *health_name(enum health health)
{
	static const char *const names[] = {
		[HEALTH_OK] = "ok",
		[HEALTH_LIMITED] = "limited",
		[HEALTH_UNKNOWN] = "unknown",
		[HEALTH_BROKEN] = "broken",
	};

	return names[health];
}

void doctor_add(struct doctor *doctor, enum health health, const char *advice, const char *format,
		...)
{
	struct check *check = g_new0(struct check, 1);
	va_list arguments;
	char *text;

	check->health = health;
	check->section = doctor->section;
	check->advice = g_strdup(advice);
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	/* Paths of others are in it. */
	check->text = text_one_line(text);
	g_free(text);
	g_ptr_array_add(doctor->checks, check);
}

void doctor_check_worth(struct doctor *doctor)
{
	doctor->section = "Coverage of findings";
	if (doctor->no_record) {
		doctor_add(
		    doctor, HEALTH_LIMITED, NULL,
		    "nothing can be recorded here; bundles of other machines can be analysed");
		return;
	}
	if (doctor->no_kernel) {
		doctor_add(doctor, HEALTH_LIMITED, NULL,
			   "nothing that the program's own kernels do: they cannot run on the GPUs "
			   "here");
		return;
	}
	if (doctor->no_code) {
		doctor_add(doctor, HEALTH_LIMITED, NULL,
			   "HG1xx (atomics): not for GPUs whose machine code cannot be read");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "HG1xx (atomics): complete");
	}
	if (doctor->no_runtime) {
		doctor_add(doctor, HEALTH_UNKNOWN, NULL,
			   "HG2xx (placement): depends on the runtime that the program uses");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "HG2xx (placement): complete");
	}
	doctor_add(doctor, HEALTH_LIMITED, NULL, "HG3xx (migration): %s",
		   doctor->no_svm
		       ? "managed memory does not migrate here; advice and prefetches without "
			 "effect are reported"
		       : "complete if the driver reports page faults and migrations (determined "
			 "when recording); otherwise only from prefetches and advice");
	doctor_add(doctor, HEALTH_OK, NULL,
		   "HG5xx, HG6xx (transfers, lifetime): complete (only API calls are needed)");
}
