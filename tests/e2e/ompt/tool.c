/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody else's OpenMP tool: writes what is reported to it into the file TOOL_LOG, with null or
 * not for addresses. TOOL_FORM: emi, plain or both, the forms of callbacks that it asks for.
 * TOOL_REFUSES: it does not want to be one. TOOL_DECLINES: it gives up when it is initialized.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/ompt/ompt.h"
#include "tracer/events.h"

#ifndef NAME
#define NAME "tool"
#endif

typedef int set_callback(int number, ompt_function callback);
typedef int get_callback(int number, ompt_function *callback);

int tool_linked;
static uint64_t next_target = 100, next_op = 500;

static void say(const char *format, ...)
{
	const char *path = getenv("TOOL_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;
	va_list arguments;

	if (!log)
		return;
	fprintf(log, NAME ": ");
	va_start(arguments, format);
	vfprintf(log, format, arguments);
	va_end(arguments);
	fclose(log);
}

static const char *is(const void *address)
{
	return address ? "set" : "null";
}

/* The words are the tool's own: what it wrote there at the beginning is there at the end. */
static void target_emi(int kind, int endpoint, int device, union ompt_data *task,
		       union ompt_data *target_task, union ompt_data *target, const void *code)
{
	(void)task;
	(void)target_task;
	if (endpoint == HG_OMP_BEGIN && target)
		target->value = ++next_target;
	say("target kind %d endpoint %d device %d word %lu code %s\n", kind, endpoint, device,
	    target ? target->value : 0, is(code));
}

static void target(int kind, int endpoint, int device, union ompt_data *task, uint64_t target_id,
		   const void *code)
{
	(void)task;
	say("plain target kind %d endpoint %d device %d id %lu code %s\n", kind, endpoint, device,
	    target_id, is(code));
}

static void data_op_emi(int endpoint, union ompt_data *target_task, union ompt_data *word,
			uint64_t *op_id, int op, void *src, int src_device, void *dst,
			int dst_device, size_t size, const void *code)
{
	(void)target_task;
	if (endpoint == HG_OMP_BEGIN && op_id)
		*op_id = ++next_op;
	say("data op %d endpoint %d word %lu number %lu from %s %d to %s %d size %zu code %s\n", op,
	    endpoint, word ? word->value : 0, op_id ? *op_id : 0, is(src), src_device, is(dst),
	    dst_device, size, is(code));
}

static void data_op(uint64_t target_id, uint64_t op_id, int op, void *src, int src_device,
		    void *dst, int dst_device, size_t size, const void *code)
{
	say("plain data op %d id %lu number %lu from %s %d to %s %d size %zu code %s\n", op,
	    target_id, op_id, is(src), src_device, is(dst), dst_device, size, is(code));
}

static void submit_emi(int endpoint, union ompt_data *word, uint64_t *op_id, unsigned teams)
{
	if (endpoint == HG_OMP_BEGIN && op_id)
		*op_id = ++next_op;
	say("submit endpoint %d word %lu number %lu teams %u\n", endpoint, word ? word->value : 0,
	    op_id ? *op_id : 0, teams);
}

static void submit(uint64_t target_id, uint64_t op_id, unsigned teams)
{
	say("plain submit id %lu number %lu teams %u\n", target_id, op_id, teams);
}

static void map_emi(union ompt_data *word, unsigned count, void **host, void **device,
		    size_t *sizes, unsigned *flags, const void *code)
{
	say("map of %u word %lu %s %s %zu %u code %s\n", count, word ? word->value : 0, is(host[0]),
	    is(device[0]), sizes[0], flags[0], is(code));
}

static void map(uint64_t target_id, unsigned count, void **host, void **device, size_t *sizes,
		unsigned *flags, const void *code)
{
	say("plain map of %u id %lu %s %s %zu %u code %s\n", count, target_id, is(host[0]),
	    is(device[0]), sizes[0], flags[0], is(code));
}

static void device_initialize(int device, const char *type, void *handle, ompt_lookup lookup,
			      const char *documentation)
{
	(void)handle;
	(void)lookup;
	(void)documentation;
	say("device %d %s\n", device, type ? type : "");
}

#define FUNCTION(name) ((ompt_function)(void *)(name))
static const struct {
	int number;
	bool emi, plain; /* part of which form */
	ompt_function function;
} wanted[] = {
	{ OMPT_TARGET_EMI, true, false, FUNCTION(target_emi) },
	{ OMPT_TARGET_DATA_OP_EMI, true, false, FUNCTION(data_op_emi) },
	{ OMPT_TARGET_SUBMIT_EMI, true, false, FUNCTION(submit_emi) },
	{ OMPT_TARGET_MAP_EMI, true, false, FUNCTION(map_emi) },
	{ OMPT_TARGET, false, true, FUNCTION(target) },
	{ OMPT_TARGET_DATA_OP, false, true, FUNCTION(data_op) },
	{ OMPT_TARGET_SUBMIT, false, true, FUNCTION(submit) },
	{ OMPT_TARGET_MAP, false, true, FUNCTION(map) },
	{ OMPT_DEVICE_INITIALIZE, true, true, FUNCTION(device_initialize) },
};

static int initialize(ompt_lookup lookup, int host, union ompt_data *data)
{
	const char *form = getenv("TOOL_FORM");
	set_callback *set = (set_callback *)(void *)lookup("ompt_set_callback");
	get_callback *get = (get_callback *)(void *)lookup("ompt_get_callback");

	data->value = 77;
	say("initialized, host %d, set %s, get %s, other %s\n", host, is((void *)set),
	    is((void *)get), is((void *)lookup("ompt_get_thread_data")));
	if (getenv("TOOL_DECLINES"))
		return 0;
	for (size_t i = 0; set && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool both = form && !strcmp(form, "both"), plain = form && !strcmp(form, "plain");
		ompt_function before = NULL, after = NULL;
		int result, had, has;

		if (!both && !(plain ? wanted[i].plain : wanted[i].emi))
			continue;
		had = get ? get(wanted[i].number, &before) : -1;
		result = set(wanted[i].number, wanted[i].function);
		has = get ? get(wanted[i].number, &after) : -1;
		say("callback %d: %d, was %d, is %d%s\n", wanted[i].number, result, had, has,
		    has == 1 && after != wanted[i].function ? ", but another" : "");
	}
	return 1;
}

static void finalize(union ompt_data *data)
{
	say("finalized, word %lu\n", data->value);
}

static struct ompt_tool tool = { .initialize = initialize, .finalize = finalize };

__attribute__((visibility("default"))) struct ompt_tool *ompt_start_tool(unsigned omp_version,
									 const char *version);
struct ompt_tool *ompt_start_tool(unsigned omp_version, const char *version)
{
	say("requested, %u, %s\n", omp_version, version ? "named" : "unnamed");
	return getenv("TOOL_REFUSES") ? NULL : &tool;
}
