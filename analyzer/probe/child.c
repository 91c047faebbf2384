/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child processes of the probe: they load the HIP runtime and the kernels, and have each step
 * executed on each piece of memory (steps.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "codeobj/codeobj.h"
#include "kernels/probe/probe_layout.h"
#include "link.h"
#include "probed_gpu.h"

/* hipDeviceAttribute_t (docs/memory-model.md#types-and-attributes) */
enum { HOST_NATIVE_ATOMIC = 15 };

static _Noreturn void fail(char *problem, const char *format, const char *what)
{
	snprintf(problem, PROBE_TEXT, format, what);
	_exit(0);
}

static void load(struct child *child, char *problem)
{
	char error[PROBE_TEXT];
	int count = 0, code;

	if (hip_load(&child->hip, error, sizeof(error)) < 0)
		fail(problem, "%s", error);
	code = child->hip.hipGetDeviceCount(&count);
	if (code != 0)
		fail(problem, "the HIP runtime finds no GPU: %s", model_hip_error_name(code));
	if (count <= 0)
		fail(problem, "%s", "the HIP runtime finds no GPU");
	child->task->probe->gpus = count > PROBE_MAX_GPUS ? PROBE_MAX_GPUS : (unsigned)count;
}

_Noreturn void probe_child_survey(const struct probe_task *task)
{
	struct child child = { .task = task };
	struct probe *probe = task->probe;
	char arch[128];

	load(&child, probe->problem);
	snprintf(probe->runtime, sizeof(probe->runtime), "%s", child.hip.path);
	probe->runtime_version = child.hip.version;
	for (unsigned gpu = 0; gpu < probe->gpus; gpu++) {
		struct probe_gpu *row = &probe->gpu[gpu];

		hip_identify(&child.hip, (int)gpu, row->name, sizeof(row->name), arch,
			     sizeof(arch));
	}
	_exit(0);
}

/* ---- the kernels ---- */

static void *read_file(const char *path, size_t *size)
{
	FILE *stream = fopen(path, "rbe");
	char *data = NULL;
	long length;

	if (!stream)
		return NULL;
	if (fseek(stream, 0, SEEK_END) == 0 && (length = ftell(stream)) > 0 &&
	    fseek(stream, 0, SEEK_SET) == 0) {
		*size = (size_t)length;
		/* Loaders map pages of it. */
		data = aligned_alloc(4096, (*size + 4095) / 4096 * 4096);
		if (data && fread(data, 1, *size, stream) != *size) {
			free(data);
			data = NULL;
		}
	}
	fclose(stream);
	return data;
}

static void load_kernels(struct child *child)
{
	const char *path = child->task->settings->kernels;
	struct probe_mode *mode = child->mode;
	struct codeobj_target target;
	struct codeobj_entry entry;
	struct codeobj_error error = { "" };
	size_t size = 0;
	void *bundle = read_file(path, &size);
	int code;

	if (!bundle)
		fail(mode->problem, "the probe's kernels cannot be read: %s", strerror(errno));
	if (codeobj_target_parse(mode->arch, &target) < 0)
		fail(mode->problem, "the target '%s' is unknown", mode->arch);
	if (codeobj_bundle_select(bundle, size, &target, &entry, &error) < 0)
		fail(mode->problem, "no kernels of the probe run on it: %s", error.text);
	snprintf(mode->code, sizeof(mode->code), "%.63s", entry.target);
	code = child->hip.hipModuleLoadData(&child->module, entry.data);
	if (code != 0)
		fail(mode->problem, "the probe's kernels cannot be loaded: %s",
		     model_hip_error_name(code));
}

/* ---- all of it ---- */

static void describe(struct child *child)
{
	struct probe_mode *mode = child->mode;
	struct hip *hip = &child->hip;
	int gpu = (int)child->task->gpu;
	char name[PROBE_TEXT];
	struct host_link link;

	hip_identify(hip, gpu, name, sizeof(name), mode->arch, sizeof(mode->arch));
	probe_host_link(hip, gpu, &link);
	probe_machine(hip, gpu, mode->arch, &link, &mode->environment);
	mode->pcie_atomics = hip_attribute(hip, HOST_NATIVE_ATOMIC, gpu);
	if (mode->pcie_atomics < 0) /* HIP 5 does not know */
		mode->pcie_atomics = link.atomics;
	mode->link = link.type;
}

/* From 7.2 on HIP reports a fault instead of ending the process, whose GPU is of no use any more.
 */
static void end_after_fault(struct probe_result *result)
{
	enum { ILLEGAL_ADDRESS = 700, LAUNCH_FAILURE = 719 };

	if (result->state != PROBE_REFUSED ||
	    (result->error != ILLEGAL_ADDRESS && result->error != LAUNCH_FAILURE))
		return;
	__atomic_store_n(&result->state, PROBE_FAULTS, __ATOMIC_RELEASE);
	_exit(0);
}

static void measure(struct child *child, struct probe_memory *memory,
		    const struct probe_placement *placement)
{
	bool allocated = false;

	for (int number = 0; number < PROBE_STEPS; number++) {
		struct probe_result *result = &memory->steps[number];

		if (__atomic_load_n(&result->state, __ATOMIC_ACQUIRE) != PROBE_PENDING)
			continue;
		__atomic_store_n(&result->state, PROBE_STARTED, __ATOMIC_RELEASE);
		if (!allocated) {
			int error = probe_allocate(&child->hip, placement, (int)child->task->gpu,
						   &child->block);

			if (error) {
				probe_refuse(result, error);
				child->hip.hipGetLastError();
				break;
			}
			allocated = true;
		}
		probe_step(child, result, number);
		end_after_fault(result);
	}
	probe_release(&child->hip, &child->block);
}

_Noreturn void probe_child_measure(const struct probe_task *task)
{
	struct probe_mode *mode = &task->probe->gpu[task->gpu].mode[task->mode];
	struct child child = { .task = task, .mode = mode };
	int code;

	load(&child, mode->problem);
	code = child.hip.hipSetDevice((int)task->gpu);
	if (code != 0)
		fail(mode->problem, "the GPU cannot be used: %s", model_hip_error_name(code));
	describe(&child);
	load_kernels(&child);
	code = child.hip.hipMalloc(&child.returned, PROBE_ITEMS * sizeof(uint64_t));
	if (code == 0)
		code = child.hip.hipMalloc(&child.scratch, PROBE_BYTES);
	if (code != 0)
		fail(mode->problem, "the GPU has no memory left: %s", model_hip_error_name(code));
	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++)
		measure(&child, &mode->memory[i], &probe_placements[i]);
	_exit(0);
}
