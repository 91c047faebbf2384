/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a batch, which its own thread takes without a locked instruction: one thread adds
 * records as fast as it can, another one writes them out as often as it can. Each record is written
 * once, whole and in order. Under ThreadSanitizer (races.c) threads are too slow for this.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/core/tracer_threads.h"
#include "preload/trace/batch.h"
#include "preload/trace/batch_add.h"
#include "tracer/provider.h"

#define RECORDS 20000000u

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_config hg_config = { .batch = true, .dir = "/nothing" };
struct hg_libc hg_libc;
pid_t hg_process_id;
const struct hg_provider *hg_early_provider;
struct hg_tracers_left *hg_tracers_all_left;

static uint32_t written; /* of the records, by whoever has the lock */
static unsigned wrong;   /* atomic */
static int done;         /* atomic */

/* Records have the number as address, less the last bits, and its complement as stack_id. */
static void take_batch(const struct hg_ev_batch *event)
{
	struct hg_packed packed = { 0 };

	for (uint32_t at = 0; at < event->words; at += hg_record_words(event->records[at])) {
		const uint64_t *run = &event->records[at];
		struct hg_packed_bytes bytes = {
			.at = (const unsigned char *)(run + 1),
			.end = (const unsigned char *)(run + hg_record_words(*run)),
		};
		uint64_t record[HG_RECORD_COPY_WORDS];

		for (; hg_packed_read(&bytes, &packed, record); written++)
			if ((record[0] & HG_RECORD_ADDRESS) != (uint64_t)written * 16 ||
			    (uint32_t)record[2] != ~written)
				__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		if (bytes.damaged || *run >> 56 != HG_RECORD_PACKED)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	}
}

static void open_batch(const struct hg_ev_batch_open *event)
{
	(void)event;
}

static const volatile int recording = 1;
static const struct hg_provider provider = { .recording = &recording,
					     .batch = take_batch,
					     .batch_open = open_batch };
const struct hg_provider *hg_provider = &provider;

void hg_init(void)
{
}

void hg_tracers_give_back(void)
{
}

int hg_open_folder(const char *name)
{
	(void)name;
	return -1;
}

/* As on a system without membarrier(2). */
static bool without;

long hg_syscall(long number, ...)
{
	va_list arguments;
	int command;

	va_start(arguments, number);
	command = va_arg(arguments, int);
	va_end(arguments);
	return without && number == SYS_membarrier ? -1 : syscall(number, command, 0);
}

static void *add(void *unused)
{
	struct hg_batch_block block = { .api = 1 };
	uint32_t number = 0;

	hg_tls.busy = 1;
	while (number < RECORDS) {
		block.address = (uint64_t)number * 16;
		block.stack_id = ~number;
		if ((hg_tls.batch && hg_batch_add_here(block)) ||
		    hg_batch_add_block_otherwise(&block))
			number++;
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	without = argc > 1 && !strcmp(argv[1], "without");
	hg_libc.close = close;
	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	hg_process_id = getpid();
	hg_tls.busy = 1;
	if (hg_threads_init())
		return 1;
	hg_parts_init();
	HG_EACH_PART(loaded, hg_provider);
	pthread_create(&thread, NULL, add, NULL);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		hg_batches_flush();
	pthread_join(thread, NULL);
	hg_batches_flush();
	printf("1..1\n%sok 1 - each record is written once%s\n",
	       wrong || written != RECORDS ? "not " : "", without ? ", without membarrier(2)" : "");
	if (wrong || written != RECORDS)
		printf("# %u of %u, %u wrong\n", written, RECORDS, wrong);
	return wrong || written != RECORDS;
}
