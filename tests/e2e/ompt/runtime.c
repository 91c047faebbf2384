/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenMP runtime that offloads nothing, and tells tools of target regions as FAKE says:
 *
 *   all      every callback
 *   emi      of each callback only the newer form
 *   plain    only the older forms
 *   mixed    data operations in the older form, submissions not at all, the rest in the newer
 *   never    none, and says so
 *   only-set knows nothing but ompt_set_callback
 *   no-set   has not even that
 *
 * OpenMP 5.1, 4.2 and 19.3 to 19.6. Its name begins as libomptarget's, which is how offloading is
 * distinguished from OpenMP without it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/ompt/ompt.h"
#include "tracer/events.h"

#define CALLBACKS 64

typedef struct ompt_tool *start_tool(unsigned omp_version, const char *runtime_version);
int fake_run(void);

static const char *fake;
static ompt_function callbacks[CALLBACKS];
static struct ompt_tool *tool;

static bool is(const char *name)
{
	return !strcmp(fake, name);
}

static bool delivers(int number)
{
	bool newer = number >= OMPT_TARGET_EMI && number <= OMPT_TARGET_MAP_EMI;

	if (number == OMPT_DEVICE_INITIALIZE)
		return !is("never");
	if (is("mixed"))
		return number == OMPT_TARGET_EMI || number == OMPT_TARGET_DATA_OP ||
		       number == OMPT_TARGET_MAP_EMI;
	return is("all") || is("only-set") || (is("emi") && newer) || (is("plain") && !newer);
}

static int set_callback(int number, ompt_function callback)
{
	if (number < 0 || number >= CALLBACKS)
		return 0; /* ompt_set_error */
	if (!delivers(number))
		return 1; /* ompt_set_never */
	callbacks[number] = callback;
	return 5; /* ompt_set_always */
}

static int get_callback(int number, ompt_function *callback)
{
	if (number < 0 || number >= CALLBACKS || !callbacks[number])
		return 0;
	*callback = callbacks[number];
	return 1;
}

static void get_thread_data(void)
{
}

static ompt_function lookup(const char *name)
{
	if (is("no-set"))
		return NULL;
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_function)(void *)set_callback;
	if (is("only-set"))
		return NULL;
	if (!strcmp(name, "ompt_get_callback"))
		return (ompt_function)(void *)get_callback;
	if (!strcmp(name, "ompt_get_thread_data"))
		return (ompt_function)(void *)get_thread_data;
	return NULL;
}

#define CALLBACK(number, type) ((type *)(void *)callbacks[number])

/* ---- what a region does ---- */

static union ompt_data task, target_data;
static uint64_t target_id, last_id; /* one count for both, as LLVM has it */

static void target(int kind, int endpoint)
{
	if (CALLBACK(OMPT_TARGET_EMI, ompt_target_emi_fn))
		CALLBACK(OMPT_TARGET_EMI, ompt_target_emi_fn)
	(kind, endpoint, 0, &task, &task, &target_data, (void *)fake_run);
	else if (CALLBACK(OMPT_TARGET, ompt_target_fn)) CALLBACK(OMPT_TARGET, ompt_target_fn)(
	    kind, endpoint, 0, &task, target_id, (void *)fake_run);
}

static void data_op(int op, void *src, void *dst, size_t size)
{
	int src_device = op == HG_OMP_FROM_DEVICE || op == HG_OMP_DELETE ? 0 : 1;
	int dst_device = op == HG_OMP_DELETE ? -1 : 1 - src_device;
	uint64_t number = 0;

	if (CALLBACK(OMPT_TARGET_DATA_OP_EMI, ompt_data_op_emi_fn)) {
		for (int endpoint = HG_OMP_BEGIN; endpoint <= HG_OMP_END; endpoint++) {
			bool known = op != HG_OMP_ALLOC || endpoint == HG_OMP_END;

			CALLBACK(OMPT_TARGET_DATA_OP_EMI, ompt_data_op_emi_fn)
			(endpoint, &task, &target_data, &number, op, src, src_device,
			 known ? dst : NULL, dst_device, size, (void *)fake_run);
		}
	} else if (CALLBACK(OMPT_TARGET_DATA_OP, ompt_data_op_fn)) {
		CALLBACK(OMPT_TARGET_DATA_OP, ompt_data_op_fn)
		(target_id, ++last_id, op, src, src_device, dst, dst_device, size,
		 (void *)fake_run);
	}
}

static void submit(void)
{
	uint64_t number = 0;

	if (CALLBACK(OMPT_TARGET_SUBMIT_EMI, ompt_submit_emi_fn)) {
		for (int endpoint = HG_OMP_BEGIN; endpoint <= HG_OMP_END; endpoint++)
			CALLBACK(OMPT_TARGET_SUBMIT_EMI, ompt_submit_emi_fn)
		(endpoint, &target_data, &number, 4);
	} else if (CALLBACK(OMPT_TARGET_SUBMIT, ompt_submit_fn)) {
		CALLBACK(OMPT_TARGET_SUBMIT, ompt_submit_fn)(target_id, ++last_id, 4);
	}
}

static void map(void *host, void *device, size_t size)
{
	unsigned flags = 3; /* ompt_target_map_flag_to, _from */

	if (CALLBACK(OMPT_TARGET_MAP_EMI, ompt_map_emi_fn))
		CALLBACK(OMPT_TARGET_MAP_EMI, ompt_map_emi_fn)
	(&target_data, 1, &host, &device, &size, &flags, (void *)fake_run);
	else if (CALLBACK(OMPT_TARGET_MAP, ompt_map_fn)) CALLBACK(OMPT_TARGET_MAP, ompt_map_fn)(
	    target_id, 1, &host, &device, &size, &flags, (void *)fake_run);
}

static void region(uint64_t *array, void *copy, size_t size)
{
	target_id = ++last_id;
	target_data.value = 0;
	target(HG_OMP_TARGET, HG_OMP_BEGIN);
	data_op(HG_OMP_ALLOC, array, copy, size);
	map(array, copy, size);
	data_op(HG_OMP_TO_DEVICE, array, copy, size);
	submit();
	array[0]++;
	data_op(HG_OMP_FROM_DEVICE, copy, array, size);
	data_op(HG_OMP_DELETE, copy, NULL, 0);
	target(HG_OMP_TARGET, HG_OMP_END);
}

/* ---- the tool ---- */

static struct ompt_tool *find_tool(void)
{
	start_tool *start = (start_tool *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	struct ompt_tool *found = start ? start(201811, "fake runtime") : NULL;
	const char *list = getenv("OMP_TOOL_LIBRARIES");
	char *copy = strdup(list ? list : ""), *rest = copy, *name;

	while (!found && (name = strsep(&rest, ":"))) {
		void *library = *name ? dlopen(name, RTLD_LAZY) : NULL;

		start = library ? (start_tool *)dlsym(library, "ompt_start_tool") : NULL;
		found = start ? start(201811, "fake runtime") : NULL;
	}
	free(copy);
	return found;
}

/* Two regions; 0 if they did what they should. */
int fake_run(void)
{
	static uint64_t array[1024], copy[1024];

	fake = getenv("FAKE") ? getenv("FAKE") : "all";
	tool = find_tool();
	if (tool && !tool->initialize(lookup, 1, &tool->data))
		tool = NULL;
	if (tool && CALLBACK(OMPT_DEVICE_INITIALIZE, ompt_device_initialize_fn))
		CALLBACK(OMPT_DEVICE_INITIALIZE, ompt_device_initialize_fn)
	(0, "fake", NULL, lookup, NULL);
	region(array, copy, sizeof(array));
	region(array, copy, sizeof(array));
	if (tool)
		tool->finalize(&tool->data);
	return array[0] != 2;
}
