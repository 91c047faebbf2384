/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the probe on a piece of memory: what is executed, and how the result is judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "kernels/probe/probe_layout.h"
#include "operations.h"
#include "pagemap.h"

enum { COPY_DEFAULT = 4, ADVISE_READ_MOSTLY = 1 };
enum { WORDS = PROBE_BYTES / 4, FILL_BYTE = 0x5a };
enum { TIMED_ROUNDS = 64, TIMED_RUNS = 3, LATE_SPINS = 2000 };
/* Additions of each work-item, and of the host meanwhile. */
enum { TOGETHER_ROUNDS = 2000, TOGETHER_HOST = 200000 };

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

void probe_refuse(struct probe_result *result, int error)
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
		probe_refuse(result, error);
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

/* Launches an atomic with the target at its start. */
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
		probe_refuse(result, error);
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
		probe_refuse(result, error);
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
		probe_refuse(result, error);
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
		probe_refuse(result, error);
	else
		result->state = PROBE_WORKS;
}

/* Has the host and the GPU add to one word at the same time. */
static void step_together(struct child *child, struct probe_result *result)
{
	const struct probe_operation_row *row = probe_operation_row(PROBE_OP_u32_add);
	void *target = child->block.device, *returned = child->returned;
	uint32_t *word = child->block.host, rounds = TOGETHER_ROUNDS, expected, after = 0;
	void *arguments[] = { &target, &returned, &rounds };
	void *stream = NULL;
	int error;

	memcpy(word, &row->start, sizeof(*word));
	expected = *word + TOGETHER_HOST;
	for (unsigned i = 0; i < PROBE_ITEMS; i++)
		expected += (uint32_t)row->operands[i] * TOGETHER_ROUNDS;
	error = child->hip.hipStreamCreate(&stream);
	if (!error) /* of system scope, where the GPU has an instruction of its own for that */
		error = launch(child, "probe_u32_add_system", arguments, stream, false);
	if (error < 0)
		error = launch(child, "probe_u32_add", arguments, stream, false);
	for (uint32_t i = 0; !error && i < TOGETHER_HOST; i++)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	if (!error)
		error = child->hip.hipStreamSynchronize(stream);
	if (!error)
		error = copy(child, &after, target, sizeof(after));
	if (error)
		probe_refuse(result, error);
	else
		result->state = after == expected ? PROBE_WORKS : PROBE_WRONG;
	if (stream)
		child->hip.hipStreamDestroy(stream);
}

/* Returns how many of the block's pages are not in the host's memory; -1: unknown. */
static int count_moved(const struct probe_block *block)
{
	return pagemap_away("/proc/self/pagemap", (uintptr_t)block->host, PROBE_BYTES,
			    (size_t)sysconf(_SC_PAGESIZE));
}

/* Finds out if pages that the host has written move to the GPU when it loads them. */
static void step_migration(struct child *child, struct probe_result *result)
{
	int error, before, after;

	/* The pages of such memory are the host's, wherever the software GPU takes them to be. */
	if (child->task->settings->softgpu || child->block.host != child->block.device) {
		result->state = PROBE_SKIPPED;
		return;
	}
	memset(child->block.host, 1, PROBE_BYTES);
	before = count_moved(&child->block);
	error = launch_copy(child, child->scratch, child->block.device, 1, WORDS);
	after = count_moved(&child->block);
	if (error)
		probe_refuse(result, error);
	else
		result->state = pagemap_moved(before, after);
}

void probe_step(struct child *child, struct probe_result *result, int number)
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
	case PROBE_STEP_TOGETHER:
		if (child->block.host)
			step_together(child, result);
		else
			result->state = PROBE_SKIPPED;
		break;
	case PROBE_STEP_MIGRATION:
		step_migration(child, result);
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
