/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads of the traced program share without locks, under ThreadSanitizer: ids by hash,
 * batches with those who write others' out, and which real function is behind a wrapper. Whatever
 * it reports ends the test; and nothing may be lost or exchanged.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/hip/hip_wrap.h"
#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/hip_call.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/core/tracer_threads.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_runtime.h"
#include "preload/trace/batch.h"
#include "tracer/provider.h"

#define THREADS 6u
#define ROUNDS  3000u

/* ---- what the files need of the library around them ---- */

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_config hg_config = { .batch = true, .dir = "/nothing" };
struct hg_libc hg_libc;
pid_t hg_process_id;
const struct hg_provider *hg_early_provider;

static uint64_t records_written, sum_written; /* atomic */
static unsigned failures;                     /* atomic */

#define EXPECT(condition)                                                                \
	do {                                                                             \
		if (!(condition) && !__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED)) \
			printf("# line %d: %s\n", __LINE__, #condition);                 \
	} while (0)

static void take_batch(const struct hg_ev_batch *event)
{
	uint64_t sum = 0;

	EXPECT(event->words % 3 == 0 && event->words <= HG_BATCH_WORDS);
	for (uint32_t i = 0; i < event->words; i += 3) {
		EXPECT(event->records[i] == ~event->records[i + 2]);
		sum += event->records[i];
	}
	__atomic_fetch_add(&records_written, event->words / 3, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum_written, sum, __ATOMIC_RELAXED);
}

static void open_batch(const struct hg_ev_batch_open *event)
{
	EXPECT(event->number);
}

static const volatile int recording = 1;
static const struct hg_provider provider = { .recording = &recording,
					     .batch = take_batch,
					     .batch_open = open_batch };
const struct hg_provider *hg_provider = &provider;

void hg_init(void)
{
}

struct hg_tracers_left *hg_tracers_all_left;

void hg_tracers_give_back(void)
{
}

/* So batches lie in memory of the process's own. */
int hg_open_folder(const char *name)
{
	(void)name;
	return -1;
}

bool hg_hip_goes_on(const char *frame)
{
	(void)frame;
	return true;
}

/* ---- two runtimes: each caller has its own, by its address ---- */

static int first_real(int value)
{
	return value + 1;
}

static int second_real(int value)
{
	return value + 2;
}

static char tags[2]; /* addresses stand for runtimes */

struct hg_hip_runtime *hg_hip_runtime_of(const void *real)
{
	return (struct hg_hip_runtime *)(void *)&tags[real == (void *)second_real];
}

bool hg_hip_is_runtime(const void *address)
{
	(void)address;
	return false;
}

void *hg_hip_find_loaded(const char *name)
{
	(void)name;
	return NULL;
}

void *hg_hsa_query(const char *name)
{
	(void)name;
	return NULL;
}

void *hg_find_function(const char *name, const char *version, const void *caller)
{
	(void)name;
	(void)version;
	return (uintptr_t)caller >> 12 & 1 ? (void *)second_real : (void *)first_real;
}

void hg_hip_runtimes_unloaded(bool (*is_loaded)(uintptr_t base),
			      void (*forget)(const struct hg_hip_runtime *runtime))
{
	(void)is_loaded;
	for (size_t i = 0; i < 2; i++)
		forget((struct hg_hip_runtime *)(void *)&tags[i]);
}

HG_HIP(int, hipExample, (int value))
{
	HG_REAL(int, hipExample, (int));
	return real(value);
}

/* ---- threads ---- */

static struct hg_id_table set;
static uint32_t ids[512]; /* by content, atomic; 0: not recorded yet */

static void agree_on_ids(unsigned thread, unsigned round)
{
	unsigned content = (thread * 7 + round) % 512;
	uint64_t hash = hg_hash(1, &content, sizeof(content));
	_Atomic uint32_t *kept;
	uint32_t id, expected = 0;
	bool fresh;

	id = hg_id_table_id(&set, hash, &fresh);
	if (fresh)
		hg_id_table_defined(&set, id);
	if (!__atomic_compare_exchange_n(&ids[content], &expected, id, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		EXPECT(expected == id);
	kept = hg_id_table_kept(&set, id);
	EXPECT(kept != NULL);
	if (kept)
		__atomic_store_n((uint32_t *)kept, content + 1, __ATOMIC_RELAXED);
	if (round % 1000 == 999)
		hg_id_table_forget(&set);
	hg_id_table_is_defined(&set, id);
}

static uint64_t records_made, sum_made; /* atomic */

static void gather(unsigned thread, unsigned round)
{
	uint64_t words[3] = {
		(uint64_t)HG_RECORD_ALLOC_STACK << 56 | (uint64_t)thread << 32 | round, 0, 0
	};

	words[2] = ~words[0];
	if (hg_batch_add(words, 3, 0)) {
		__atomic_fetch_add(&records_made, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&sum_made, words[0], __ATOMIC_RELAXED);
	}
	if (round % 400 == 100 + thread)
		hg_batches_look(hg_now() + 1000000000u);
	if (round % 500 == 200 + thread)
		hg_batches_flush();
}

/* As calls from `caller` would be; it need not be code. */
static void dispatch(const char *caller, unsigned round)
{
	char frame = 0;
	int (*real)(int) = (int (*)(int))hg_hip_real(&row_hipExample, caller, &frame);
	int wanted = (uintptr_t)caller >> 12 & 1 ? 2 : 1;
	int (*by_name)(int);

	EXPECT(real((int)round) == (int)round + wanted);
	EXPECT(hg_tls.hip_runtime == hg_hip_runtime_of((void *)real));
	by_name = (int (*)(int))hg_hip_offer("hipExample", (void *)real);
	EXPECT(by_name((int)round) == (int)round + wanted);
	if (round % 700 == 5)
		HG_EACH_PART(unloaded);
}

static void *work(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;
	/* Pages of no object, as of code that was made at run time. */
	const char *callers = (const char *)0x10000000;

	for (unsigned round = 0; round < ROUNDS; round++) {
		hg_tls.busy = 1;
		agree_on_ids(thread, round);
		gather(thread, round);
		hg_tls.busy = 0;
		dispatch(callers + (round + thread) % 32 * 4096, round);
	}
	return NULL;
}

static int iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	return dl_iterate_phdr(callback, data);
}

int main(void)
{
	pthread_t threads[THREADS];

	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	hg_libc.calloc = calloc;
	hg_libc.close = close;
	hg_libc.dlsym = dlsym;
	hg_libc.dl_iterate_phdr = iterate;
	hg_process_id = getpid();
	if (hg_id_table_init(&set) || hg_threads_init())
		return 1;
	hg_parts_init();
	HG_EACH_PART(loaded, hg_provider);
	/* The second ones take over what the first left. */
	for (unsigned half = 0; half < 2; half++) {
		for (unsigned i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	HG_EACH_PART(exit);
	/* A batch that another thread, off the processor, is writing out refuses a record, which
	 * then is an event of its own (TRIES_MAX of batch.c): rare, however busy the machine is. */
	EXPECT(records_made <= (uint64_t)2 * THREADS * ROUNDS);
	EXPECT(records_made >= (uint64_t)2 * THREADS * ROUNDS * 99 / 100);
	EXPECT(records_written == records_made);
	EXPECT(sum_written == sum_made);
	printf("1..1\n%sok 1 - nothing is lost or exchanged among threads\n",
	       failures ? "not " : "");
	return failures != 0;
}
