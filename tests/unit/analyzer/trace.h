/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace written by hand, for tests of the rules about sequences of calls: one process, one
 * kernel with two pointer arguments. isa_analyze() is replaced by one that returns that kernel.
 */
#ifndef HIPGRAIN_TEST_TRACE_H
#define HIPGRAIN_TEST_TRACE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/isa.h"
#include "analyzer/rules/rules.h"

/* What the kernel does through its two arguments; to be changed by tests. */
static struct isa_use uses[2];
static struct isa_kernel kernel;

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL }, { 8, 8, true, NULL, NULL } };
static struct isa_code_object object = { .arch = (char *)"gfx90a" };
static struct replay replay;
static struct findings findings;
static struct rules_engine *engine;
static char *folder;
static int64_t clock_ns;
static uint32_t last_args;

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	(void)elf;
	(void)size;
	(void)options;
	(void)error;
	*out = &object;
	return 0;
}

void isa_code_object_free(struct isa_code_object *unused)
{
	(void)unused;
}

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *unused, const char *symbol)
{
	(void)unused;
	(void)symbol;
	return &kernel;
}

static void apply(struct hg_event event)
{
	event.pid = 1;
	event.tid = 1;
	event.ns = clock_ns++;
	rules_engine_before(engine, replay_process(&replay, 1), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

static G_GNUC_UNUSED void process(const char *exe, const char *env)
{
	apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .process = {
		.page_size = 4096, .version = "", .exe = exe, .cmdline = "", .env = env } });
}

static G_GNUC_UNUSED void runtime(int32_t version, int32_t devices)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = { .path = "/lib/libamdhip64.so.5",
					      .version = version,
					      .device_count = devices } });
}

static G_GNUC_UNUSED void device_of(int32_t ordinal, const char *arch, int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = { .ordinal = ordinal,
					     .name = "test",
					     .arch = arch,
					     .xnack = xnack,
					     .managed = 1,
					     .fine_grain = 1 } });
}

static G_GNUC_UNUSED void alloc(enum hg_api api, uint64_t ptr, uint64_t size, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = { .api = (uint16_t)api,
					    .ptr = ptr,
					    .size = size,
					    .symbol = "",
					    .stack_id = stack_id } });
}

static G_GNUC_UNUSED void release(enum hg_api api, uint64_t ptr)
{
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free = { .api = (uint16_t)api, .ptr = ptr, .stack_id = 21 } });
}

static G_GNUC_UNUSED void launch_on(int32_t device, uint64_t stream, uint64_t first,
				    uint64_t second)
{
	uint64_t words[] = { first, second };

	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = { .args_id = ++last_args,
					   .kernel_id = 1,
					   .bytes = (const uint8_t *)words,
					   .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = { .api = HG_API_hipLaunchKernel,
					     .kernel_id = 1,
					     .args_id = last_args,
					     .grid_x = 1024,
					     .grid_y = 1,
					     .grid_z = 1,
					     .block_x = 64,
					     .block_y = 1,
					     .block_z = 1,
					     .device = device,
					     .stream = stream,
					     .stack_id = 11 } });
}

static G_GNUC_UNUSED void launch(uint64_t first, uint64_t second)
{
	launch_on(0, 0, first, second);
}

static G_GNUC_UNUSED void copy_on(uint64_t stream, enum hg_api api, int kind, uint64_t dst,
				  uint64_t src, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = { .api = (uint16_t)api,
					   .dst = dst,
					   .src = src,
					   .size = size,
					   .rows = 1,
					   .depth = 1,
					   .kind = kind,
					   .stream = stream,
					   .stack_id = 9 } });
}

/* hipMemcpy with hipMemcpyDefault */
static G_GNUC_UNUSED void copy(uint64_t dst, uint64_t src, uint64_t size)
{
	copy_on(0, HG_API_hipMemcpy, 4, dst, src, size);
}

static G_GNUC_UNUSED void wait(void)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = { .api = HG_API_hipDeviceSynchronize } });
}

static G_GNUC_UNUSED void call(enum hg_api api)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = { .api = (uint16_t)api, .text = "" } });
}

static int setup(void **state)
{
	char *file;

	(void)state;
	uses[0] = (struct isa_use){ .kernarg = 0, .access = ISA_READ, .certain = true };
	uses[1] = (struct isa_use){ .kernarg = 8, .access = ISA_READ | ISA_WRITE, .certain = true };
	kernel = (struct isa_kernel){ .symbol = (char *)"_Z4workPfS_",
				      .name = (char *)"work(float*, float*)",
				      .kernarg_size = 16,
				      .args = arguments,
				      .arg_count = 2,
				      .uses = uses,
				      .use_count = 2,
				      .uses_complete = true };
	clock_ns = 1000;
	last_args = 0;
	folder = g_dir_make_tmp("hipgrain-rules-XXXXXX", NULL);
	file = g_build_filename(folder, "abc", NULL);
	g_file_set_contents(file, "x", 1, NULL);
	g_free(file);
	replay_init(&replay);
	findings_init(&findings);
	engine = rules_engine_new(folder, &findings);
	return 0;
}

/* Code and kernel of the process; after process(), which begins a new one. */
static G_GNUC_UNUSED void code(void)
{
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = { .code_object_id = 1,
						  .sha256 = "abc",
						  .target = "gfx90a",
						  .path = "",
						  .problem = "" } });
	apply((struct hg_event){
	    .type = HG_EVENT_kernel,
	    .kernel = { .kernel_id = 1, .code_object_id = 1, .symbol = "_Z4workPfS_" } });
}

static int teardown(void **state)
{
	char *file = g_build_filename(folder, "abc", NULL);

	(void)state;
	rules_engine_free(engine);
	findings_destroy(&findings);
	replay_destroy(&replay);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return 0;
}

/* The rules' names in the order of the report, separated by blanks; static. Once a test. */
static G_GNUC_UNUSED const char *found(void)
{
	static char text[256];

	rules_engine_finish(engine, &replay);
	text[0] = 0;
	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		g_strlcat(text, i ? " " : "", sizeof(text));
		g_strlcat(text, finding->rule->id, sizeof(text));
	}
	return text;
}

static G_GNUC_UNUSED const struct finding *finding(unsigned index)
{
	return findings.list->pdata[index];
}

#endif
