/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This measures what recording costs the process: the CPU time of some of our calls, chosen at
 * random, each of which stands for those since the one before. Calls that end before they make an
 * event (blocks below the threshold) are not included, nor is starting up.
 */
#include "preload/trace/cost.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"
#include "tracer/events/ev_cost.h"
#include "tracer/provider.h"

/* Every 64th call on average; of a thread that makes many, every 512th, which is as accurate. */
#define INTERVAL_MEAN 64u
#define LATER_MEAN    512u
#define LATER_FROM    64u /* samples */
#define TELL_NS       100000000u

/* Readings of the clocks from which their costs are known: the first are slower. */
#define TRIALS 4u

static uint64_t calls, timed, spent; /* atomic; ns */
static uint64_t due;                 /* atomic; when to record it next, of hg_now() */
static uint64_t began;               /* the process's CPU time then, ns */
static uint64_t clock_cost;          /* of one reading of the CPU time, ns */
static uint64_t now_cost;            /* of hg_now() */

/*
 * Reading the CPU time takes several times as long as most calls do, and not always as long. A call
 * that is so short that no other thread can have had the processor meanwhile is timed by hg_now().
 */
#define SHORT_NS  20000u

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
OF_THREAD uint64_t start, start_now, random_state;
OF_THREAD uint32_t weight, samples;

static uint64_t processor_time(clockid_t clock)
{
	struct timespec now;

	hg_clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void init(void)
{
	clock_cost = now_cost = UINT64_MAX;
	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t first = processor_time(CLOCK_THREAD_CPUTIME_ID);
		uint64_t took = processor_time(CLOCK_THREAD_CPUTIME_ID) - first;
		uint64_t now = hg_now(), now_took = hg_now() - now;

		if (took < clock_cost)
			clock_cost = took;
		if (now_took < now_cost)
			now_cost = now_took;
	}
	calls = timed = spent = 0;
	began = processor_time(CLOCK_PROCESS_CPUTIME_ID);
}

void hg_cost_record(void)
{
	struct hg_ev_cost event = { .calls = __atomic_load_n(&calls, __ATOMIC_RELAXED),
				    .timed = __atomic_load_n(&timed, __ATOMIC_RELAXED),
				    .spent = __atomic_load_n(&spent, __ATOMIC_RELAXED),
				    .processor = processor_time(CLOCK_PROCESS_CPUTIME_ID) - began };

	hg_provider->cost(&event);
}

static void record_if_due(void)
{
	uint64_t now = hg_now(), then = __atomic_load_n(&due, __ATOMIC_RELAXED);

	if (now > then && __atomic_compare_exchange_n(&due, &then, now + TELL_NS, false,
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		hg_cost_record();
}

void hg_cost_begin(void)
{
	hg_tls.timing = true;
	start = processor_time(CLOCK_THREAD_CPUTIME_ID);
	start_now = hg_now();
}

void hg_cost_end(void)
{
	uint64_t took = hg_now() - start_now, reading = now_cost;
	uint32_t mean;

	if (took >= SHORT_NS) {
		took = processor_time(CLOCK_THREAD_CPUTIME_ID) - start;
		reading = clock_cost;
	}
	hg_tls.timing = false;
	took = took > reading ? took - reading : 0;
	if (!weight)
		weight = 1; /* a thread's first call */
	__atomic_fetch_add(&calls, weight, __ATOMIC_RELAXED);
	__atomic_fetch_add(&timed, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&spent, took * weight, __ATOMIC_RELAXED);
	/* Not every so many calls: programs allocate and free in turn. */
	random_state = hg_mix(random_state ^ start, (uintptr_t)&start);
	mean = samples < LATER_FROM ? INTERVAL_MEAN : LATER_MEAN;
	samples += samples < LATER_FROM;
	weight = 1 + (uint32_t)(random_state % (2 * mean - 1));
	hg_tls.timed_at = hg_entered() + weight;
	hg_tls.until_timed = -(int32_t)weight;
	/* Other processes report it when they end. */
	if (HG_UNLIKELY(hg_config.standby))
		record_if_due();
}

static void write_out(void)
{
	uint64_t all = __atomic_exchange_n(&calls, 0, __ATOMIC_RELAXED);
	uint64_t some = __atomic_exchange_n(&timed, 0, __ATOMIC_RELAXED);
	uint64_t hooks = __atomic_exchange_n(&spent, 0, __ATOMIC_RELAXED);
	uint64_t now = processor_time(CLOCK_PROCESS_CPUTIME_ID), process = now - began;
	char line[160], path[4096 + sizeof(HG_COST_FILE)];
	int length, fd;

	began = now;
	if (!some ||
	    snprintf(path, sizeof(path), "%s/" HG_COST_FILE, hg_config.dir) >= (int)sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	length = snprintf(line, sizeof(line), "%d %llu %llu %llu %llu\n", (int)getpid(),
			  (unsigned long long)all, (unsigned long long)some,
			  (unsigned long long)hooks, (unsigned long long)process);
	/* On a full disk it is not written: the report then says that the cost is unknown. */
	if (hg_may_append(fd, (size_t)length))
		(void)!write(fd, line, (size_t)length);
	hg_libc.close(fd);
}

static void flush(void)
{
	if (hg_config.standby)
		hg_cost_record();
}

HG_PART(.name = "cost", .order = 95, .joined = init, .fork_record = init, .flush = flush,
	.exit = write_out);
