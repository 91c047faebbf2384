/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child processes of the probe: they load the HIP runtime, and execute the steps on each piece
 * of memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "codeobj/codeobj.h"
#include "kernels/probe/probe_layout.h"
#include "link.h"
#include "memory.h"
#include "operations.h"
#include "probe.h"

/* hipDeviceAttribute_t (docs/memory-model.md#types-and-attributes) */
enum { HOST_NATIVE_ATOMIC = 15, INTEGRATED = 16, MANAGED_MEMORY = 24 };
enum { LARGE_BAR = 10011, FINE_POOL = 10016 };

enum { COPY_DEFAULT = 4, ADVISE_READ_MOSTLY = 1 };
enum { WORDS = PROBE_BYTES / 4, FILL_BYTE = 0x5a };
enum { TIMED_ROUNDS = 64, TIMED_RUNS = 3, LATE_SPINS = 2000 };

struct child {
	const struct probe_task *task;
	struct probe_mode *mode;
	struct hip hip;
	void *module;
	void *returned; /* device memory, 8 bytes for each work-item */
	void *scratch;  /* as large as a block */
	struct probe_block block;
};

static _Noreturn void fail(char *problem, const char *format, const char *what)
{
	snprintf(problem, PROBE_TEXT, format, what);
	_exit(0);
}

static void load(struct child *child, char *problem)
{
	char error[PROBE_TEXT];
	int count = 0, code;

	if (hip_load(&child->hip, child->task->settings->softgpu, error, sizeof(error)) < 0)
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

/* 0, a hipError_t, or -1: the module has no such kernel. Waits until it is done. */
static int launch(struct child *child, const char *name, void **arguments, void *stream, bool wait)
{
	struct hip *hip = &child->hip;
	void *function = NULL;
	int error;

	if (hip->hipModuleGetFunction(&function, child->module, name) != 0) {
		hip->hipGetLastError();
		return -1;
	}
	error = hip->hipModuleLaunchKernel(function, PROBE_ITEMS / PROBE_GROUP, 1, 1, PROBE_GROUP,
					   1, 1, 0, stream, arguments, NULL);
	return error || !wait ? error : hip->hipStreamSynchronize(stream);
}

static int copy(struct child *child, void *to, const void *from, size_t bytes)
{
	return child->hip.hipMemcpy(to, from, bytes, COPY_DEFAULT);
}

static void refuse(struct probe_result *result, int error)
{
	result->error = error;
	result->state = error < 0 ? PROBE_NO_CODE : PROBE_REFUSED;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* ---- steps ---- */

static void step_host(struct child *child, struct probe_result *result)
{
	volatile uint32_t *words = child->block.host ? child->block.host : child->block.device;

	for (uint32_t i = 0; i < WORDS; i += 1024)
		words[i] = i + 7;
	result->state = PROBE_WORKS;
	for (uint32_t i = 0; i < WORDS; i += 1024)
		if (words[i] != i + 7)
			result->state = PROBE_WRONG;
}

/* `to` and `from` in any memory; `add` tells this launch from others. */
static int launch_copy(struct child *child, void *to, void *from, uint32_t add, uint32_t count)
{
	void *arguments[] = { &to, &from, &add, &count };

	return launch(child, "probe_copy", arguments, NULL, true);
}

/* Time a work-item takes for one of its words: the median of a few runs, without that of a launch.
 */
static double time_copy(struct child *child, void *to, void *from)
{
	double times[TIMED_RUNS];

	for (unsigned run = 0; run < TIMED_RUNS; run++) {
		double start = now(), middle;

		if (launch_copy(child, to, from, 1, PROBE_ITEMS))
			return 0;
		middle = now();
		if (launch_copy(child, to, from, 1, PROBE_ITEMS * TIMED_ROUNDS))
			return 0;
		times[run] = (now() - middle - (middle - start)) / (TIMED_ROUNDS - 1);
	}
	qsort(times, TIMED_RUNS, sizeof(*times), compare_times);
	return times[TIMED_RUNS / 2] > 0 ? times[TIMED_RUNS / 2] : 0;
}

static void step_plain(struct child *child, struct probe_result *result, bool store)
{
	void *to = store ? child->block.device : child->returned;
	void *from = store ? child->returned : child->block.device;
	uint32_t words[PROBE_ITEMS], back[PROBE_ITEMS];
	uint32_t add = store ? 3 : 5;
	int error;

	for (uint32_t i = 0; i < PROBE_ITEMS; i++)
		words[i] = i * 11;
	error = copy(child, from, words, sizeof(words));
	if (!error)
		error = launch_copy(child, to, from, add, PROBE_ITEMS);
	if (!error)
		error = copy(child, back, to, sizeof(back));
	if (error) {
		refuse(result, error);
		return;
	}
	result->state = PROBE_WORKS;
	for (uint32_t i = 0; i < PROBE_ITEMS; i++)
		if (back[i] != words[i] + add)
			result->state = PROBE_WRONG;
	if (result->state == PROBE_WORKS)
		result->nanoseconds = store ? time_copy(child, child->block.device, child->scratch)
					    : time_copy(child, child->scratch, child->block.device);
}

/* A launch of an atomic with the target at its start. */
static int launch_atomic(struct child *child, const char *kernel,
			 const struct probe_operation_row *row, uint32_t rounds)
{
	void *target = child->block.device, *returned = child->returned;
	void *arguments[] = { &target, &returned, &rounds };
	int error = copy(child, target, &row->start, row->size);

	return error ? error : launch(child, kernel, arguments, NULL, true);
}

static double time_atomic(struct child *child, const char *kernel,
			  const struct probe_operation_row *row)
{
	double times[TIMED_RUNS];

	for (unsigned run = 0; run < TIMED_RUNS; run++) {
		double start = now(), middle;

		if (launch_atomic(child, kernel, row, 1))
			return 0;
		middle = now();
		if (launch_atomic(child, kernel, row, 1 + TIMED_ROUNDS))
			return 0;
		times[run] = (now() - middle - (middle - start)) / TIMED_ROUNDS;
	}
	qsort(times, TIMED_RUNS, sizeof(*times), compare_times);
	return times[TIMED_RUNS / 2] > 0 ? times[TIMED_RUNS / 2] : 0;
}

static void step_atomic(struct child *child, struct probe_result *result, unsigned operation,
			bool system)
{
	const struct probe_operation_row *row = probe_operation_row(operation);
	uint64_t after = 0, returned[PROBE_ITEMS] = { 0 };
	uint8_t bytes[sizeof(returned)];
	char kernel[64];
	int error;

	snprintf(kernel, sizeof(kernel), "probe_%s%s", row->name, system ? "_system" : "");
	error = launch_atomic(child, kernel, row, 1);
	if (!error)
		error = copy(child, &after, child->block.device, row->size);
	if (!error)
		error = copy(child, bytes, child->returned, sizeof(bytes));
	if (error) {
		refuse(result, error);
		return;
	}
	for (unsigned i = 0; i < PROBE_ITEMS; i++)
		memcpy(&returned[i], bytes + (size_t)i * row->size, row->size);
	result->state = (uint8_t)probe_operation_judge(row, after, returned);
	if (!system && result->state != PROBE_WRONG)
		result->nanoseconds = time_atomic(child, kernel, row);
}

static int wait_for(struct child *child, enum probe_step how, void *stream, void *event)
{
	switch (how) {
	case PROBE_STEP_STREAM_WAIT:
		return child->hip.hipStreamSynchronize(stream);
	case PROBE_STEP_EVENT_WAIT:
		return child->hip.hipEventSynchronize(event);
	default:
		return child->hip.hipDeviceSynchronize();
	}
}

/* The kernel stores late, so that the wait is one. */
static void step_wait(struct child *child, struct probe_result *result, enum probe_step how)
{
	volatile uint32_t *word = child->block.host;
	uint32_t value = 0x600d0000u + (uint32_t)how, spins = LATE_SPINS;
	void *device = child->block.device, *stream = NULL, *event = NULL;
	void *arguments[] = { &device, &value, &spins };
	struct hip *hip = &child->hip;
	int error;

	*word = 0;
	error = hip->hipStreamCreate(&stream);
	if (!error)
		error = hip->hipEventCreate(&event);
	if (!error)
		error = launch(child, "probe_late_store", arguments, stream, false);
	if (!error)
		error = hip->hipEventRecord(event, stream);
	if (!error)
		error = wait_for(child, how, stream, event);
	if (error)
		refuse(result, error);
	else
		result->state = *word == value ? PROBE_WORKS : PROBE_LOST;
	hip->hipDeviceSynchronize();
	if (event)
		hip->hipEventDestroy(event);
	if (stream)
		hip->hipStreamDestroy(stream);
}

static void step_fill(struct child *child, struct probe_result *result)
{
	uint8_t bytes[64];
	int error = child->hip.hipMemset(child->block.device, FILL_BYTE, PROBE_BYTES);

	if (!error)
		error = child->hip.hipDeviceSynchronize();
	if (!error)
		error = copy(child, bytes, child->block.device, sizeof(bytes));
	if (error) {
		refuse(result, error);
		return;
	}
	result->state = PROBE_WORKS;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		if (bytes[i] != FILL_BYTE)
			result->state = PROBE_LOST;
}

static void step_call(struct child *child, struct probe_result *result, bool prefetch)
{
	struct hip *hip = &child->hip;
	int gpu = (int)child->task->gpu, error = -1;

	if (prefetch && hip->hipMemPrefetchAsync)
		error = hip->hipMemPrefetchAsync(child->block.device, PROBE_BYTES, gpu, NULL);
	else if (!prefetch && hip->hipMemAdvise)
		error =
		    hip->hipMemAdvise(child->block.device, PROBE_BYTES, ADVISE_READ_MOSTLY, gpu);
	if (!error)
		error = hip->hipDeviceSynchronize();
	if (error)
		refuse(result, error);
	else
		result->state = PROBE_WORKS;
}

static void step(struct child *child, struct probe_result *result, int number)
{
	switch (number) {
	case PROBE_STEP_ALLOCATE:
		result->state = PROBE_WORKS; /* it is allocated before each step */
		break;
	case PROBE_STEP_GRANULARITY:
		result->value = probe_granularity(&child->hip, &child->block);
		result->state = PROBE_WORKS;
		break;
	case PROBE_STEP_HOST:
		step_host(child, result);
		break;
	case PROBE_STEP_LOAD:
	case PROBE_STEP_STORE:
		step_plain(child, result, number == PROBE_STEP_STORE);
		break;
	case PROBE_STEP_STREAM_WAIT:
	case PROBE_STEP_EVENT_WAIT:
	case PROBE_STEP_DEVICE_WAIT:
		if (child->block.host)
			step_wait(child, result, (enum probe_step)number);
		else
			result->state = PROBE_SKIPPED;
		break;
	case PROBE_STEP_FILL:
		step_fill(child, result);
		break;
	case PROBE_STEP_PREFETCH:
	case PROBE_STEP_ADVICE:
		step_call(child, result, number == PROBE_STEP_PREFETCH);
		break;
	default:
		step_atomic(child, result, (unsigned)(number - PROBE_STEP_ATOMIC) / 2,
			    (number - PROBE_STEP_ATOMIC) % 2);
	}
	child->hip.hipGetLastError(); /* a refusal is this step's, not the next one's */
}

/* ---- all of it ---- */

static void describe(struct child *child)
{
	struct probe_mode *mode = child->mode;
	const char *coherent = getenv("HIP_HOST_COHERENT");
	const char *force_fine = getenv("HSA_FORCE_FINE_GRAIN_PCIE");
	struct hip *hip = &child->hip;
	int gpu = (int)child->task->gpu;
	char name[PROBE_TEXT];
	struct host_link link;

	hip_identify(hip, gpu, name, sizeof(name), mode->arch, sizeof(mode->arch));
	probe_host_link(gpu, &link);
	mode->environment.xnack = strstr(mode->arch, "xnack+")   ? 1
				  : strstr(mode->arch, "xnack-") ? 0
								 : -1;
	mode->environment.hmm = hip_attribute(hip, MANAGED_MEMORY, gpu);
	mode->environment.large_bar = hip_attribute(hip, LARGE_BAR, gpu);
	mode->environment.fine_pool = hip_attribute(hip, FINE_POOL, gpu);
	mode->environment.apu = hip_attribute(hip, INTEGRATED, gpu);
	/* HIP 5.7 answers no of an MI300A. */
	if (mode->environment.apu <= 0 && link.apu == 1)
		mode->environment.apu = 1;
	mode->environment.host_coherent = coherent && strcmp(coherent, "0") != 0;
	if (force_fine && strcmp(force_fine, "1") == 0)
		mode->environment.fine_pool = 1;
	mode->environment.runtime_version = hip->version;
	mode->pcie_atomics = hip_attribute(hip, HOST_NATIVE_ATOMIC, gpu);
	if (mode->pcie_atomics < 0) /* HIP 5 does not know */
		mode->pcie_atomics = link.atomics;
	mode->link = link.type;
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
				refuse(result, error);
				child->hip.hipGetLastError();
				break;
			}
			allocated = true;
		}
		step(child, result, number);
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
