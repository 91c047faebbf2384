/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as many events as requested: made-up processes that allocate, copy and launch. To be run
 * under `hipgrain record`, whose preload library announces each process; `scale-run` does that.
 *
 * Each process has a file of records of its own beside the preload library's, and stores what it
 * makes up as that does (preload/trace/batch.h).
 *
 * usage: scale EVENTS [PROCESSES [KERNELS [LIVE [DEVICE]]]]
 *
 * EVENTS, KERNELS and LIVE (allocations that are live all the time) are of all processes together;
 * DEVICE is how many HIP allocations each has beside the host's (64).
 * What each process does depends on nothing but these numbers.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/trace/count_missed.h"
#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/trace/batch_add.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_stack.h"
#include "tracer/events/ev_sync.h"
#include "tracer/provider.h"

#define STACKS       1000u
#define STACK_DEPTH  12u
#define ARGS         1000u
#define STREAMS      8u
#define HOST_BASE    0x100000000000u
#define DEVICE_BASE  0x700000000000u
#define BLOCK        4096u
#define DEVICE_BLOCK (1u << 20)

struct share {
	uint64_t events, kernels, live;
};

static uint64_t device_live; /* a multiple of STREAMS */

static const struct hg_provider *provider;
static uint64_t made, random_state;

/* Steele and others: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t draw(uint64_t below)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % below;
}

/* ---- what the rest of the preload library has ---- */

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_config hg_config;
struct hg_libc hg_libc;
pid_t hg_process_id;
bool hg_confined;
const struct hg_provider *hg_provider;

void hg_init(void)
{
}

void hg_missed_count_file(void)
{
}

const volatile int *hg_missed_recording(void)
{
	static const int always = 1;

	return &always;
}

int hg_open_folder(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", hg_config.dir, name);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool begin_process(void)
{
	hg_config.dir = getenv("HIPGRAIN_DIR");
	hg_config.recorded = true;
	hg_libc.close = close;
	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	hg_process_id = getpid();
	hg_tls.busy = 1;
	hg_parts_init();
	return hg_config.dir && !hg_threads_init() && HG_ANY_PART(early_begin, &provider);
}

static void add_block(uint16_t api, uint64_t ptr, bool freed, uint32_t stack_id)
{
	struct hg_batch_block block = { .address = ptr,
					.size = freed ? 0 : BLOCK,
					.stack_id = stack_id,
					.api = api,
					.freed = freed };

	hg_batch_add_block(&block);
	made++;
}

/* ---- what the processes do ---- */

static uint32_t some_stack(void)
{
	return 1000000u + (uint32_t)draw(STACKS); /* the preload library's own ids stay below */
}

static uint64_t device_block(uint64_t i)
{
	return DEVICE_BASE + i * 2 * DEVICE_BLOCK;
}

/* One of those that are used in one stream alone: without races nobody has to report any. */
static uint64_t block_of_stream(uint64_t stream)
{
	return device_block(draw(device_live / STREAMS) * STREAMS + stream);
}

static void define_stacks(void)
{
	uint64_t frames[STACK_DEPTH];

	for (uint32_t i = 0; i < STACKS; i++, made++) {
		struct hg_ev_stack event = { .stack_id = 1000000u + i,
					     .frames = frames,
					     .depth = STACK_DEPTH };

		for (unsigned j = 0; j < STACK_DEPTH; j++)
			frames[j] = 0x400000u + i * 64u + j;
		provider->stack(&event);
	}
}

static void define_kernels(uint64_t count)
{
	struct hg_ev_code_object object = { .code_object_id = 1,
					    .sha256 = "",
					    .target = "gfx90a",
					    .path = "",
					    .problem = "made up" };

	provider->code_object(&object);
	made++;
	for (uint32_t i = 0; i < count; i++, made++) {
		char name[64];
		struct hg_ev_kernel event = { .kernel_id = i + 1,
					      .code_object_id = 1,
					      .handle = i,
					      .symbol = name,
					      .kernarg_size = 16 };

		snprintf(name, sizeof(name), "_Z6kernel%" PRIu32 "PfPKf", i);
		provider->kernel(&event);
	}
	for (uint32_t i = 0; i < ARGS && count; i++, made++) {
		uint64_t words[] = { block_of_stream(i % STREAMS), block_of_stream(i % STREAMS) };
		struct hg_ev_args event = { .args_id = i + 1,
					    .kernel_id = (uint32_t)(i % count) + 1,
					    .bytes = (const uint8_t *)words,
					    .length = sizeof(words) };

		provider->args(&event);
	}
}

static void announce(void)
{
	struct hg_ev_runtime runtime = { .path = "/made/up/libamdhip64.so.5",
					 .version = 50200000,
					 .device_count = 1,
					 .host_memory = 1ull << 40 };
	struct hg_ev_device device = { .name = "made up",
				       .arch = "gfx90a:sramecc+:xnack-",
				       .managed = 1,
				       .host_link = -1,
				       .memory = 1ull << 36 };

	provider->runtime(&runtime);
	provider->device(&device);
	made += 2;
}

/* Addresses come in no order, as if the program were old. */
static uint64_t host_place(uint64_t number, uint64_t places)
{
	return HOST_BASE + number * 2654435761u % places * BLOCK; /* a prime: each place once */
}

static void host_alloc(uint64_t ptr)
{
	add_block(HG_API_malloc, ptr, false, some_stack());
}

static void host_free(uint64_t ptr)
{
	add_block(HG_API_free, ptr, true, some_stack());
}

static void device_alloc(uint64_t i)
{
	struct hg_ev_alloc event = { .api = HG_API_hipMalloc,
				     .ptr = device_block(i),
				     .device_ptr = device_block(i),
				     .size = DEVICE_BLOCK,
				     .symbol = "",
				     .stack_id = some_stack() };

	provider->alloc(&event);
	made++;
}

static void copy(void)
{
	uint64_t stream = draw(STREAMS);
	struct hg_record_copy row = { .what = 3u << 16 | HG_API_hipMemcpyAsync,
				      .duration = 1000,
				      .dst = block_of_stream(stream),
				      .src = block_of_stream(stream),
				      .size = BLOCK,
				      .stream = 1 + stream,
				      .stack_id = some_stack() };
	struct hg_batch_room room;

	if (hg_batch_take(&room, HG_RECORD_COPY_MOST, 0))
		hg_batch_put(&room, hg_record_put_copy(room.at, room.before, &row, room.since),
			     HG_GROUP_COPY);
	made++;
}

/* Mostly the same once more, as programs with loops do. */
static void launch(uint64_t kernels)
{
	uint32_t args = (uint32_t)draw(ARGS);
	struct hg_ev_launch event = { .api = HG_API_hipLaunchKernel,
				      .kernel_id = (uint32_t)(args % kernels) + 1,
				      .args_id = args + 1,
				      .grid_x = 64,
				      .grid_y = 1,
				      .grid_z = 1,
				      .block_x = 256,
				      .block_y = 1,
				      .block_z = 1,
				      .stream = 1 + args % STREAMS,
				      .stack_id = some_stack() };

	/* Every kernel is launched, not only those that the arguments were made for. */
	if (draw(4) == 0)
		event.kernel_id = (uint32_t)draw(kernels) + 1;
	for (unsigned i = 0; i < 8; i++, made++)
		provider->launch(&event);
}

static void synchronize(void)
{
	struct hg_ev_sync event = { .api = HG_API_hipDeviceSynchronize,
				    .duration = 1000,
				    .stack_id = some_stack() };

	provider->sync(&event);
	made++;
}

/* As many blocks live as requested, and one more or less; places are used again, as malloc() does.
 */
static void work(const struct share *share)
{
	uint64_t places = share->live + share->live / 4 + 64, oldest = 0, next = 0;

	define_stacks();
	announce();
	define_kernels(share->kernels);
	for (uint64_t i = 0; i < device_live; i++)
		device_alloc(i);
	while (next < share->live)
		host_alloc(host_place(next++, places));
	for (uint64_t turn = 0; made < share->events; turn++) {
		host_alloc(host_place(next++, places));
		host_free(host_place(oldest++, places));
		if (turn % 4 == 0)
			copy();
		if (turn % 8 == 0 && share->kernels)
			launch(share->kernels);
		if (turn % 64 == 0)
			synchronize();
	}
	while (oldest < next)
		host_free(host_place(oldest++, places));
	HG_EACH_PART(thread_end);
	HG_EACH_PART(exit);
}

static uint64_t number(char **argv, int count, int index, uint64_t fallback)
{
	return index < count ? strtoull(argv[index], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	uint64_t processes = number(argv, argc, 2, 1);
	struct share share = { number(argv, argc, 1, 0) / processes,
			       number(argv, argc, 3, 64) / processes,
			       number(argv, argc, 4, 10000) / processes };
	int failed = 0, status;

	device_live = (number(argv, argc, 5, 64) + STREAMS - 1) / STREAMS * STREAMS;
	if (argc < 2) {
		fprintf(stderr, "usage: scale EVENTS [PROCESSES [KERNELS [LIVE [DEVICE]]]]\n");
		return 2;
	}
	hg_clock_gettime = clock_gettime; /* as libc.c finds it */
	for (uint64_t i = 0; i < processes; i++) {
		pid_t child = processes > 1 ? fork() : 0;

		if (child < 0) {
			perror("fork");
			failed++;
			break;
		}
		if (child == 0) {
			/* The preload library announces a child at the child's first event. */
			void *volatile block = malloc(1 << 20);

			free(block);
			if (!begin_process()) {
				fprintf(stderr, "scale: nothing records\n");
				return 1;
			}
			random_state = i;
			work(&share);
			if (processes > 1)
				_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += status != 0;
	return failed != 0;
}
