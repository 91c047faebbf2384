/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is on standby, and is its own session: what one that begins during a call
 * receives, and what is counted of small blocks while sessions come and go. Results in TAP. usage:
 * late PROVIDER
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "late-provider.h"
#include "tracer/events.h"

#define KEPT 100000u /* bytes: more than the threshold while standing by */

static struct late_control *control;
static unsigned number;
static int failed;

static void ok(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++number, what);
	failed |= !good;
}

/* ---- what the session got ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active;      /* else what is recorded goes nowhere */
static bool starts_amid; /* the session starts when the process tells who it is */
static unsigned begun;   /* processes that were recorded */
static bool telling, whole;
static const void *kept;
static bool kept_told;

/* The last totals of each largest size, and whether more was ever freed than there was. */
static struct hg_ev_host_totals totals[4096];
static bool impossible;

static void note(const char *name, const void *data)
{
	if (!strcmp(name, "process")) {
		begun++;
		kept_told = telling = whole = false;
	} else if (!strcmp(name, "state")) {
		const struct hg_ev_state *event = data;

		whole = telling && event->phase == HG_STATE_END;
		telling = event->phase == HG_STATE_BEGIN;
	} else if (!strcmp(name, "alloc") && telling) {
		const struct hg_ev_alloc *event = data;

		kept_told |= event->ptr == (uintptr_t)kept && event->size == KEPT;
	} else if (!strcmp(name, "host_totals")) {
		const struct hg_ev_host_totals *event = data;

		totals[event->largest % 4096] = *event;
		impossible |= event->freed > event->count || event->freed_bytes > event->bytes;
	}
}

static void record(const char *name, const void *event)
{
	bool starts = false;

	pthread_mutex_lock(&lock);
	if (active) {
		note(name, event);
	} else if (starts_amid && !strcmp(name, "process")) {
		starts_amid = false;
		starts = active = true;
	}
	pthread_mutex_unlock(&lock);
	if (starts)
		control->wanted();
}

static bool is_whole(void)
{
	bool answer;

	pthread_mutex_lock(&lock);
	answer = begun && whole && kept_told;
	pthread_mutex_unlock(&lock);
	return answer;
}

/* At most ten seconds. */
static bool becomes_whole(void)
{
	for (unsigned i = 0; i < 1000 && !is_whole(); i++)
		usleep(10000);
	return is_whole();
}

static void start(bool amid)
{
	pthread_mutex_lock(&lock);
	telling = whole = kept_told = false;
	begun = 0;
	memset(totals, 0, sizeof(totals));
	active = !amid;
	starts_amid = amid;
	pthread_mutex_unlock(&lock);
	control->recording = 1;
	if (!amid)
		control->wanted();
}

static void end(void)
{
	control->recording = 0;
	pthread_mutex_lock(&lock);
	active = false;
	pthread_mutex_unlock(&lock);
}

static void make_event(void)
{
	void *volatile block = malloc(KEPT);

	free(block);
}

/* ---- small blocks ---- */

#define BLOCKS 500

static __attribute__((noinline)) void allocate(void *volatile *blocks, unsigned count, size_t size)
{
	for (unsigned i = 0; i < count; i++)
		blocks[i] = malloc(size);
}

static void release(void *volatile *blocks, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		free(blocks[i]);
}

/* Have everything recorded once more, and check. */
static bool counts(size_t size, unsigned count, unsigned freed)
{
	bool good;

	pthread_mutex_lock(&lock);
	begun = 0;
	totals[size].count = 0;
	pthread_mutex_unlock(&lock);
	control->wanted();
	if (!becomes_whole())
		return false;
	/* They are written after the rest. */
	for (unsigned i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		good = totals[size].count == count && totals[size].bytes == count * size &&
		       totals[size].freed == freed && totals[size].freed_bytes == freed * size;
		pthread_mutex_unlock(&lock);
		if (good || (!count && i > 20))
			break;
		usleep(10000);
	}
	if (!good)
		printf("# %zu bytes: %llu blocks, %llu freed\n", size,
		       (unsigned long long)totals[size].count,
		       (unsigned long long)totals[size].freed);
	return good;
}

/* Its status is the child's. */
static bool count_in_child(void *volatile *parents)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		void *volatile own[60];

		allocate(own, 60, 555);
		release(own, 0, 5);
		release(parents, 10, 40);
		memset(totals, 0, sizeof(totals));
		_exit(!counts(555, 60, 5) || totals[444].count || impossible);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

static void count(void)
{
	void *volatile first[BLOCKS], *volatile unseen[50], *volatile second[40];

	start(false);
	becomes_whole();
	allocate(first, BLOCKS, 333);
	release(first, 0, 100);
	ok(counts(333, BLOCKS, 100), "small blocks are counted from a recording's beginning");
	ok(counts(333, BLOCKS, 100), "... and recorded again on another request");
	end();
	make_event();
	release(first, 100, 250);
	allocate(unseen, 50, 333);
	start(false);
	becomes_whole();
	release(first, 250, BLOCKS);
	release(unseen, 0, 50);
	allocate(second, 40, 444);
	release(second, 0, 10);
	ok(counts(444, 40, 10), "the next recording counts from 0");
	ok(counts(333, 0, 0), "... and nothing of blocks that were there before");
	ok(count_in_child(second), "a child counts its own");
	ok(counts(444, 40, 10), "... and nothing of that is the parent's");
	second[39] = realloc(second[39], 450);
	end();
	make_event();
	release(second, 10, 40);
}

static bool over; /* atomic */

static void *churn(void *unused)
{
	void *volatile blocks[64] = { NULL };

	for (unsigned i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i = (i + 1) % 64) {
		free(blocks[i]);
		blocks[i] = malloc(64 + i);
		if (i % 8 == 0)
			blocks[i] = realloc(blocks[i], 1000 + i);
	}
	for (unsigned i = 0; i < 64; i++)
		free(blocks[i]);
	return unused;
}

/* Sessions that come and go under threads that allocate and free all the time. */
static void count_amid(void)
{
	pthread_t threads[4];
	bool good = true;

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	for (unsigned i = 0; i < 40 && good; i++) {
		start(i % 2);
		if (i % 2)
			make_event();
		good = becomes_whole();
		usleep(1000);
		end();
		make_event();
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok(good, "sessions that start and end receive everything");
	ok(!impossible, "... and never of more blocks freed than there were");
}

int main(int argc, char **argv)
{
	void *provider = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) : NULL;

	control = provider ? dlsym(provider, "late_control") : NULL;
	if (!control || !control->wanted) {
		printf("Bail out! not standing by: %s\n", provider ? "no control" : dlerror());
		return 99;
	}
	kept = malloc(KEPT);
	control->record = record;

	start(false);
	ok(becomes_whole(), "a session that starts while nothing happens receives the state");
	end();
	make_event();

	/*
	 * A session's events come to be one by one before it starts, and what was recorded of them
	 * is dropped: a busy thread recorded about half for nobody, and the request was taken as
	 * answered.
	 */
	for (unsigned i = 0; i < 2; i++) {
		start(true);
		make_event();
		ok(becomes_whole(),
		   i ? "... and the next" : "one that starts while the state is recorded");
		end();
		make_event();
	}
	count();
	count_amid();
	printf("1..%u\n", number);
	return failed;
}
