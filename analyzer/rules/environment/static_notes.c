/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on processes in which no GPU was found: what their kernels hold. */
#include "static_notes.h"

#include <string.h>

#include "analyzer/containers/containers.h"
#include "analyzer/isa/isa.h"
#include "codeobj/codeobj.h"

struct tally {
	unsigned kernels;
	unsigned unvisited; /* of these: may have atomics that were not seen */
	GHashTable *seen;   /* mangled names: the same kernel for another GPU counts once */
	GPtrArray *atomics; /* demangled names of kernels with hardware FP atomics */
	char *problem;
};

static bool has_hardware_fp_atomic(const struct isa_kernel *kernel)
{
	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		if (atomic->fp && atomic->native && atomic->space != ISA_SPACE_LDS &&
		    atomic->origin.kind != ISA_ORIGIN_LDS)
			return true;
	}
	return false;
}

static void tally_code_object(void *user, const void *elf, size_t size, const char *target)
{
	struct tally *tally = user;
	struct isa_code_object *object = NULL;
	char *message = NULL;

	(void)target;
	if (isa_analyze(elf, size, NULL, &object, &message) < 0) {
		g_free(tally->problem);
		tally->problem = g_strdup(message ? message : "analysis failed");
		free(message);
		return;
	}
	for (size_t i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];

		if (!g_hash_table_add(tally->seen, g_strdup(kernel->symbol)))
			continue;
		tally->kernels++;
		tally->unvisited += kernel->unvisited != NULL;
		if (has_hardware_fp_atomic(kernel))
			g_ptr_array_add(tally->atomics, g_strdup(kernel->name));
	}
	isa_code_object_free(object);
}

static void tally_problem(void *user, const char *text)
{
	struct tally *tally = user;

	g_free(tally->problem);
	tally->problem = g_strdup(text);
}

static void tally_file(struct tally *tally, const char *path)
{
	const struct container_sink sink = { tally_code_object, tally_problem, tally, NULL };
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	const char *data = file ? g_mapped_file_get_contents(file) : NULL;
	size_t size = file ? g_mapped_file_get_length(file) : 0;

	/* Interpreters and others without kernels are no problem. */
	if (data && codeobj_elf_section(data, size, ".hip_fatbin", &(struct codeobj_section){ 0 },
					NULL) == 0)
		containers_walk(data, size, &sink);
	if (file)
		g_mapped_file_unref(file);
}

static void note_no_device(struct findings *findings, const struct process *process, bool softgpu)
{
	struct tally tally = { 0 };

	findings_limit(
	    findings, "no GPU was found (hipGetDeviceCount: %s, %d), so no kernel ran; %s",
	    model_hip_error_name(process->runtime_result), process->runtime_result,
	    softgpu ? "the HSA runtime did not take the software GPU: the program's standard error "
		      "says why"
		    : "on a machine without one, --softgpu runs the program on the software GPU");
	tally.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	tally.atomics = g_ptr_array_new_with_free_func(g_free);
	tally_file(&tally, process->exe);
	if (tally.kernels) {
		findings_note(findings,
			      "checked without a GPU: the machine code of %u kernel%s in %s; %u "
			      "hold%s hardware floating-point atomics, which are correct on "
			      "coarse-grained memory only",
			      tally.kernels, tally.kernels == 1 ? "" : "s", process->exe,
			      tally.atomics->len, tally.atomics->len == 1 ? "s" : "");
		for (unsigned i = 0; i < tally.atomics->len; i++) {
			findings_note(findings, "hardware floating-point atomics in kernel %s",
				      (char *)tally.atomics->pdata[i]);
		}
	}
	if (tally.unvisited) {
		findings_limit(findings, "%s: code of %u kernel%s could not be followed to the end",
			       process->exe, tally.unvisited, tally.unvisited == 1 ? "" : "s");
	}
	if (tally.problem)
		findings_limit(findings, "%s: %s", process->exe, tally.problem);
	g_hash_table_destroy(tally.seen);
	g_ptr_array_free(tally.atomics, TRUE);
	g_free(tally.problem);
}

void static_notes(struct findings *findings, const struct replay *replay, bool softgpu)
{
	for (unsigned i = 0; i < replay->processes->len; i++) {
		const struct process *process = replay->processes->pdata[i];

		if (process->device_count == 0)
			note_no_device(findings, process, softgpu);
	}
}
