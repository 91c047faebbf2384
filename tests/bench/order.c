/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the rules follow the order of work, and whether time and memory grow with the trace.
 *
 * usage: bench-order [LAUNCHES]
 *
 * Launches in 8 streams on 64 buffers, every tenth followed by an event that another stream waits
 * for, every thousandth by a wait of the host; then twice as many. No trace is read: events go
 * straight to replay and rules, the machine code of the kernel is given.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyzer/isa/isa.h"
#include "analyzer/rules/rules.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

#define STREAMS 8
#define BUFFERS 64
#define BYTES   0x1000

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL }, { 8, 8, true, NULL, NULL } };
static struct isa_use uses[] = { { 0, ISA_WRITE, true }, { 8, ISA_READ, true } };
static struct isa_kernel kernel = { .symbol = (char *)"copy",
				    .name = (char *)"copy",
				    .args = arguments,
				    .arg_count = 2,
				    .uses = uses,
				    .use_count = 2,
				    .uses_complete = true };
static struct isa_code_object object = { .arch = (char *)"gfx90a" };

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

#include "tests/unit/analyzer/isa_session_stub.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *unused, const char *symbol)
{
	(void)unused;
	(void)symbol;
	return &kernel;
}

static struct replay replay;
static struct findings findings;
static struct rules_engine *engine;
static uint64_t events;

static void apply(struct hg_event event)
{
	event.pid = event.tid = 1;
	event.ns = (int64_t)events++;
	rules_engine_before(engine, replay_process(&replay, 1), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

static uint64_t buffer(unsigned i)
{
	return 0x100000 + (uint64_t)BYTES * (i % BUFFERS);
}

static uint64_t stream(unsigned i)
{
	return 0x1000 + i % STREAMS;
}

static void begin(void)
{
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = &(struct hg_ev_code_object){ .code_object_id = 1,
									     .sha256 = "abc",
									     .target = "gfx90a",
									     .path = "",
									     .problem = "" } });
	apply((struct hg_event){ .type = HG_EVENT_kernel,
				 .kernel = &(struct hg_ev_kernel){
				     .kernel_id = 1, .code_object_id = 1, .symbol = "copy" } });
	for (unsigned i = 0; i < STREAMS; i++) {
		apply((struct hg_event){
		    .type = HG_EVENT_stream,
		    .stream = &(struct hg_ev_stream){ .api = HG_API_hipStreamCreateWithFlags,
						      .stream = stream(i),
						      .flags = i & 1 } });
	}
	for (unsigned i = 0; i < BUFFERS; i++) {
		apply((struct hg_event){
		    .type = HG_EVENT_alloc,
		    .alloc = &(struct hg_ev_alloc){
			.api = HG_API_hipMalloc, .ptr = buffer(i), .size = BYTES, .symbol = "" } });
	}
	for (unsigned i = 0; i < BUFFERS; i++) {
		uint64_t words[] = { buffer(i), buffer(i + STREAMS) };

		apply((struct hg_event){ .type = HG_EVENT_args,
					 .args =
					     &(struct hg_ev_args){ .args_id = i + 1,
								   .kernel_id = 1,
								   .bytes = (const uint8_t *)words,
								   .length = sizeof(words) } });
	}
}

static void step(unsigned i)
{
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 1,
								   .args_id = i % BUFFERS + 1,
								   .grid_x = 1,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .stream = stream(i) } });
	if (i % 10 == 0) {
		uint64_t event = 0x9000 + i / 10 % 100;

		apply((struct hg_event){
		    .type = HG_EVENT_event,
		    .event = &(struct hg_ev_event){
			.api = HG_API_hipEventRecord, .event = event, .stream = stream(i) } });
		apply((struct hg_event){
		    .type = HG_EVENT_event,
		    .event = &(struct hg_ev_event){ .api = HG_API_hipStreamWaitEvent,
						    .event = event,
						    .stream = stream(i + 3) } });
	}
	if (i % 1000 == 0) {
		apply((struct hg_event){
		    .type = HG_EVENT_sync,
		    .sync = &(struct hg_ev_sync){ .api = HG_API_hipStreamSynchronize,
						  .stream = stream(i / 1000) } });
	}
}

/* Nanoseconds of the processor an event. */
static double run(const char *folder, unsigned launches)
{
	struct timespec start, end;

	events = 0;
	replay_init(&replay);
	findings_init(&findings);
	engine = rules_engine_new(folder, &findings);
	begin();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (unsigned i = 0; i < launches; i++)
		step(i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	rules_engine_finish(engine, &replay);
	rules_engine_free(engine);
	findings_destroy(&findings);
	replay_destroy(&replay);
	return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
	       (double)events;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	unsigned launches = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000000;
	char *folder = g_dir_make_tmp("hipgrain-bench-XXXXXX", NULL);
	char *file = g_build_filename(folder, "abc", NULL);
	double first, second;
	long before;

	g_file_set_contents(file, "x", 1, NULL);
	first = run(folder, launches);
	before = peak_kib();
	second = run(folder, 2 * launches);
	printf("%u launches: %.0f ns an event, %ld KiB\n", launches, first, before);
	printf("%u launches: %.0f ns an event, %ld KiB\n", 2 * launches, second, peak_kib());
	printf("growth of the time an event takes: %.2f\n", second / first);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return 0;
}
