/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of rules share: a trace written by hand, event by event, and one kernel whose
 * machine-code facts the test sets. isa_analyze() is replaced by one that returns that kernel.
 * Included once by each test program.
 */
#ifndef HIPGRAIN_RULES_WORLD_H
#define HIPGRAIN_RULES_WORLD_H

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

/* ---- the machine code ---- */

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL }, { 8, 8, true, NULL, NULL } };
static uint32_t kernarg_offsets[] = { 0, 8 };
static struct isa_atomic atomic;
static struct isa_use use;
static struct isa_kernel kernel;
static struct isa_code_object object;

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	(void)elf;
	(void)size;
	(void)options;
	if (!object.arch) {
		*error = strdup("not a code object");
		return -1;
	}
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

/* ---- the trace ---- */

static struct replay replay;
static struct findings findings;
static struct rules_engine *engine;
static char *folder;
static int64_t clock_ns;

static inline void apply(struct hg_event event)
{
	event.pid = 1;
	event.tid = 1;
	event.ns = clock_ns++;
	rules_engine_before(engine, replay_process(&replay, 1), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

static inline void device(int8_t xnack)
{
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = { .name = "test",
					     .arch = "gfx90a",
					     .xnack = xnack,
					     .managed = 1,
					     .fine_grain = 1 } });
}

static inline void alloc(enum hg_api api, uint64_t ptr, uint64_t size, uint64_t flags,
			 uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = { .api = (uint16_t)api,
					    .ptr = ptr,
					    .size = size,
					    .flags = flags,
					    .symbol = "",
					    .stack_id = stack_id } });
}

static inline void launch(uint32_t args_id, uint64_t first, uint64_t second)
{
	uint64_t words[] = { first, second };

	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = { .args_id = args_id,
					   .kernel_id = 1,
					   .bytes = (const uint8_t *)words,
					   .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = { .api = HG_API_hipLaunchKernel,
					     .kernel_id = 1,
					     .args_id = args_id,
					     .grid_x = 2,
					     .grid_y = 1,
					     .grid_z = 1,
					     .block_x = 64,
					     .block_y = 1,
					     .block_z = 1 } });
}

static inline int setup(void **state)
{
	char *file;

	(void)state;
	memset(&atomic, 0, sizeof(atomic));
	atomic.mnemonic = (char *)"global_atomic_add_f32";
	atomic.op = ISA_OP_ADD;
	atomic.type = ISA_TYPE_F32;
	atomic.fp = atomic.native = true;
	atomic.origin.kind = ISA_ORIGIN_DIRECT;
	atomic.origin.kernarg = kernarg_offsets;
	atomic.origin.kernarg_count = 1;
	use = (struct isa_use){ .kernarg = 0, .access = ISA_READ | ISA_ATOMIC, .certain = true };
	kernel = (struct isa_kernel){ .symbol = (char *)"_Z3addPf",
				      .name = (char *)"add(float*)",
				      .kernarg_size = 16,
				      .args = arguments,
				      .arg_count = 2,
				      .atomics = &atomic,
				      .atomic_count = 1,
				      .uses = &use,
				      .use_count = 1,
				      .uses_complete = true };
	object = (struct isa_code_object){ .arch = (char *)"gfx90a" };

	clock_ns = 1000;
	folder = g_dir_make_tmp("hipgrain-rules-XXXXXX", NULL);
	file = g_build_filename(folder, "abc", NULL);
	g_file_set_contents(file, "x", 1, NULL);
	g_free(file);
	replay_init(&replay);
	findings_init(&findings);
	engine = rules_engine_new(folder, &findings);
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = { .code_object_id = 1,
						  .sha256 = "abc",
						  .target = "gfx90a",
						  .path = "",
						  .problem = "" } });
	apply((struct hg_event){
	    .type = HG_EVENT_kernel,
	    .kernel = { .kernel_id = 1, .code_object_id = 1, .symbol = "_Z3addPf" } });
	return 0;
}

static inline int teardown(void **state)
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

/*
 * The rules' names in the order of the report, separated by blanks; static. Findings that are not
 * reported (too few launches or work-items) are gone then: what leads to them again is not allowed.
 */
static inline const char *found(void)
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

static inline const struct finding *finding(unsigned index)
{
	return findings.list->pdata[index];
}

#endif
