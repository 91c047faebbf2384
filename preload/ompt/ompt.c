/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP target regions: this library is the OpenMP runtime's tool (OpenMP 5.1, 4.2 "Activating a
 * First-Party Tool"), and stands in front of another tool if there is one: that gets every callback
 * that it requests, with the data words for itself, because ours needs none.
 *
 * In a process without the offloading runtime no tool is registered: the OpenMP runtime would keep
 * records of every parallel region for a tool that uses none of them.
 */
#include "preload/ompt/ompt.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"

typedef struct ompt_tool *start_tool(unsigned omp_version, const char *runtime_version);
typedef int set_callback(int number, ompt_function callback);
typedef int get_callback(int number, ompt_function *callback);

static struct {
	struct ompt_tool *next; /* the tool behind us, NULL if there is none */
	ompt_lookup lookup;
	set_callback *set;
	get_callback *get;
	unsigned omp_version;
	char version[128];
} runtime;

/* ---- callbacks: ours, and the other tool's ---- */

/*
 * This is a callback that we requested: in the newer form, and in the older one if the newer is not
 * delivered. The other tool gets either, if the runtime would have delivered it.
 */
struct row {
	int number, older; /* ompt_callbacks_t; older: 0 if there is no such form */
	ompt_function ours, ours_older;
	int result, older_result;           /* ompt_set_result_t: what each was answered */
	ompt_function theirs, theirs_older; /* atomic */
};

enum { ROW_TARGET, ROW_DATA_OP, ROW_SUBMIT, ROW_MAP, ROW_DEVICE, ROWS };
static struct row rows[ROWS];

#define THEIRS(type, row, member) \
	((type *)(void *)__atomic_load_n(&rows[row].member, __ATOMIC_ACQUIRE))

/*
 * In the newer form numbers of regions and operations are the tool's; in the older one they are the
 * runtime's, and where that uses the newer one for us, ours. Never 0.
 */
static uint64_t next_id(void)
{
	static uint64_t last; /* atomic */

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* Number a region or an operation for a tool that has only the older form; `word` may be NULL. */
static uint64_t number(uint64_t *word, bool begins)
{
	if (!word)
		return 0;
	if (begins)
		*word = next_id();
	return *word;
}

static void on_target_emi(int kind, int endpoint, int device, union ompt_data *task,
			  union ompt_data *target_task, union ompt_data *target, const void *code)
{
	ompt_target_emi_fn *theirs = THEIRS(ompt_target_emi_fn, ROW_TARGET, theirs);
	ompt_target_fn *older = THEIRS(ompt_target_fn, ROW_TARGET, theirs_older);

	if (theirs)
		theirs(kind, endpoint, device, task, target_task, target, code);
	else if (older)
		older(kind, endpoint, device, task,
		      number(target ? &target->value : NULL, endpoint != HG_OMP_END), code);
	hg_ompt_target(kind, endpoint, device, code);
}

static void on_target(int kind, int endpoint, int device, union ompt_data *task, uint64_t target_id,
		      const void *code)
{
	ompt_target_fn *older = THEIRS(ompt_target_fn, ROW_TARGET, theirs_older);

	if (older)
		older(kind, endpoint, device, task, target_id, code);
	hg_ompt_target(kind, endpoint, device, code);
}

static void on_data_op_emi(int endpoint, union ompt_data *target_task, union ompt_data *target,
			   uint64_t *op_id, int op, void *src, int src_device, void *dst,
			   int dst_device, size_t size, const void *code)
{
	ompt_data_op_emi_fn *theirs = THEIRS(ompt_data_op_emi_fn, ROW_DATA_OP, theirs);
	ompt_data_op_fn *older = THEIRS(ompt_data_op_fn, ROW_DATA_OP, theirs_older);

	if (theirs)
		theirs(endpoint, target_task, target, op_id, op, src, src_device, dst, dst_device,
		       size, code);
	else if (older && endpoint != HG_OMP_BEGIN)
		older(target ? target->value : 0, number(op_id, true), op, src, src_device, dst,
		      dst_device, size, code);
	hg_ompt_data(endpoint, op, src, src_device, dst, dst_device, size, code);
}

static void on_data_op(uint64_t target_id, uint64_t op_id, int op, void *src, int src_device,
		       void *dst, int dst_device, size_t size, const void *code)
{
	ompt_data_op_fn *older = THEIRS(ompt_data_op_fn, ROW_DATA_OP, theirs_older);

	if (older)
		older(target_id, op_id, op, src, src_device, dst, dst_device, size, code);
	hg_ompt_data(HG_OMP_BEGIN_END, op, src, src_device, dst, dst_device, size, code);
}

static void on_submit_emi(int endpoint, union ompt_data *target, uint64_t *op_id, unsigned teams)
{
	ompt_submit_emi_fn *theirs = THEIRS(ompt_submit_emi_fn, ROW_SUBMIT, theirs);
	ompt_submit_fn *older = THEIRS(ompt_submit_fn, ROW_SUBMIT, theirs_older);

	if (theirs)
		theirs(endpoint, target, op_id, teams);
	else if (older && endpoint != HG_OMP_END)
		older(target ? target->value : 0, number(op_id, true), teams);
	hg_ompt_submit(endpoint, teams);
}

static void on_submit(uint64_t target_id, uint64_t op_id, unsigned teams)
{
	ompt_submit_fn *older = THEIRS(ompt_submit_fn, ROW_SUBMIT, theirs_older);

	if (older)
		older(target_id, op_id, teams);
	hg_ompt_submit(HG_OMP_BEGIN_END, teams);
}

static void on_map_emi(union ompt_data *target, unsigned count, void **host, void **device,
		       size_t *sizes, unsigned *flags, const void *code)
{
	ompt_map_emi_fn *theirs = THEIRS(ompt_map_emi_fn, ROW_MAP, theirs);
	ompt_map_fn *older = THEIRS(ompt_map_fn, ROW_MAP, theirs_older);

	if (theirs)
		theirs(target, count, host, device, sizes, flags, code);
	else if (older)
		older(target ? target->value : 0, count, host, device, sizes, flags, code);
	hg_ompt_map(count, host, device, sizes, flags, code);
}

static void on_map(uint64_t target_id, unsigned count, void **host, void **device, size_t *sizes,
		   unsigned *flags, const void *code)
{
	ompt_map_fn *older = THEIRS(ompt_map_fn, ROW_MAP, theirs_older);

	if (older)
		older(target_id, count, host, device, sizes, flags, code);
	hg_ompt_map(count, host, device, sizes, flags, code);
}

static void on_device_initialize(int device, const char *type, void *handle, ompt_lookup lookup,
				 const char *documentation)
{
	ompt_device_initialize_fn *theirs = THEIRS(ompt_device_initialize_fn, ROW_DEVICE, theirs);

	if (theirs)
		theirs(device, type, handle, lookup, documentation);
	hg_ompt_device(device, type, documentation);
}

#define FUNCTION(name) ((ompt_function)(void *)(name))
static struct row rows[ROWS] = {
	[ROW_TARGET] = { .number = OMPT_TARGET_EMI,
			 .older = OMPT_TARGET,
			 .ours = FUNCTION(on_target_emi),
			 .ours_older = FUNCTION(on_target) },
	[ROW_DATA_OP] = { .number = OMPT_TARGET_DATA_OP_EMI,
			  .older = OMPT_TARGET_DATA_OP,
			  .ours = FUNCTION(on_data_op_emi),
			  .ours_older = FUNCTION(on_data_op) },
	[ROW_SUBMIT] = { .number = OMPT_TARGET_SUBMIT_EMI,
			 .older = OMPT_TARGET_SUBMIT,
			 .ours = FUNCTION(on_submit_emi),
			 .ours_older = FUNCTION(on_submit) },
	[ROW_MAP] = { .number = OMPT_TARGET_MAP_EMI,
		      .older = OMPT_TARGET_MAP,
		      .ours = FUNCTION(on_map_emi),
		      .ours_older = FUNCTION(on_map) },
	[ROW_DEVICE] = { .number = OMPT_DEVICE_INITIALIZE, .ours = FUNCTION(on_device_initialize) },
};

/* Requests the callbacks. Returns which of them the runtime promised, a bit for each number. */
static uint64_t ask_for_callbacks(void)
{
	uint64_t promised = 0;

	for (struct row *row = rows; row < rows + ROWS; row++) {
		bool newer;

		row->result = runtime.set(row->number, row->ours);
		newer = row->result >= OMPT_SET_SOMETIMES;
		if (newer)
			promised |= (uint64_t)1 << row->number;
		if (!row->older)
			continue;
		row->older_result = runtime.set(row->older, row->ours_older);
		/* Only the answer was wanted, for the other tool. */
		if (newer)
			runtime.set(row->older, NULL);
		else if (row->older_result >= OMPT_SET_SOMETIMES)
			promised |= (uint64_t)1 << row->older;
	}
	return promised;
}

/* ---- what the other tool sees of the runtime ---- */

/* Returns the other tool's place for a callback that we hold, or NULL if we do not hold it. */
static ompt_function *place_of(int number, int *result)
{
	for (struct row *row = rows; row < rows + ROWS; row++) {
		if (number == row->number && row->result >= OMPT_SET_SOMETIMES) {
			*result = row->result;
			return &row->theirs;
		}
		if (number == row->older && row->older_result >= OMPT_SET_SOMETIMES) {
			*result = row->older_result;
			return &row->theirs_older;
		}
	}
	return NULL;
}

static int their_set_callback(int number, ompt_function callback)
{
	int result = 0;
	ompt_function *place = place_of(number, &result);

	if (!place)
		return runtime.set(number, callback);
	__atomic_store_n(place, callback, __ATOMIC_RELEASE);
	return result;
}

static int their_get_callback(int number, ompt_function *callback)
{
	int result = 0;
	ompt_function *place = place_of(number, &result);

	if (!place)
		return runtime.get(number, callback);
	*callback = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	return *callback != NULL;
}

static ompt_function their_lookup(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return FUNCTION(their_set_callback);
	if (!strcmp(name, "ompt_get_callback"))
		return runtime.get ? FUNCTION(their_get_callback) : NULL;
	return runtime.lookup(name);
}

/* ---- our own start and end ---- */

static int initialize(ompt_lookup lookup, int host, union ompt_data *data)
{
	uint64_t promised;

	(void)data;
	runtime.lookup = lookup;
	runtime.set = (set_callback *)(void *)lookup("ompt_set_callback");
	runtime.get = (get_callback *)(void *)lookup("ompt_get_callback");
	if (!runtime.set)
		return runtime.next ? runtime.next->initialize(lookup, host, &runtime.next->data)
				    : 0;
	hg_ompt_set_task_info((ompt_task_info_fn *)(void *)lookup("ompt_get_task_info"));
	promised = ask_for_callbacks();
	hg_ompt_runtime(runtime.version, runtime.omp_version, promised);
	if (runtime.next && !runtime.next->initialize(their_lookup, host, &runtime.next->data))
		runtime.next = NULL;
	return 1;
}

static void finalize(union ompt_data *data)
{
	(void)data;
	if (runtime.next && runtime.next->finalize)
		runtime.next->finalize(&runtime.next->data);
}

static struct ompt_tool ourselves = { .initialize = initialize, .finalize = finalize };

static int is_offloading(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (base && !strncmp(base + 1, "libomptarget", 12))
		*(bool *)found = true;
	return *(bool *)found;
}

static bool offloads(void)
{
	bool found = false;

	hg_libc.dl_iterate_phdr(is_offloading, &found);
	return found;
}

/* The libraries that the runtime would have tried next, had we not answered. */
static struct ompt_tool *from_environment(unsigned omp_version, const char *runtime_version)
{
	const char *list = getenv("OMP_TOOL_LIBRARIES");
	char *copy = list && *list ? hg_pool_strdup(list) : NULL, *rest = copy, *name;
	struct ompt_tool *tool = NULL;

	while (!tool && rest && (name = strsep(&rest, ":"))) {
		void *library = *name ? dlopen(name, RTLD_LAZY) : NULL;
		start_tool *start =
		    library ? (start_tool *)hg_libc.dlsym(library, "ompt_start_tool") : NULL;

		tool = start ? start(omp_version, runtime_version) : NULL;
		if (library && !tool)
			dlclose(library);
	}
	hg_pool_free(copy);
	return tool;
}

/* The runtime calls this when it starts: OpenMP 5.1, 4.2.1 "ompt_start_tool". */
HG_EXPORT struct ompt_tool *ompt_start_tool(unsigned omp_version, const char *runtime_version);
HG_EXPORT struct ompt_tool *ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
	start_tool *behind;
	struct ompt_tool *tool;

	hg_init();
	behind = (start_tool *)hg_libc.dlsym(RTLD_NEXT, "ompt_start_tool");
	tool = behind ? behind(omp_version, runtime_version) : NULL;
	/* A second runtime in the process: one of them can have us. */
	if (!hg_awake() || runtime.omp_version || !offloads())
		return tool;
	runtime.omp_version = omp_version ? omp_version : 1;
	strncpy(runtime.version, runtime_version ? runtime_version : "",
		sizeof(runtime.version) - 1);
	runtime.next = tool ? tool : from_environment(omp_version, runtime_version);
	return &ourselves;
}

/* Another name for it: what the plain one means is the loader's choice, also here. */
static struct ompt_tool *our_start_tool(unsigned omp_version, const char *runtime_version)
    __attribute__((alias("ompt_start_tool")));

static void check(void)
{
	void *first = hg_libc.dlsym(RTLD_DEFAULT, "ompt_start_tool");

	if (first && first != (void *)our_start_tool && offloads())
		hg_say("the program itself has an OpenMP tool (ompt_start_tool), which comes "
		       "before ours: target regions are not recorded");
}

HG_PART(.name = "openmp", .order = 101, .started = check);
