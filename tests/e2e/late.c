/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that stands by, and is its own session: what is told to one that begins amid a call.
 * Results in TAP. usage: late PROVIDER
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static unsigned begun;   /* processes that were told */
static bool telling, whole;
static const void *kept;
static bool kept_told;

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
	ok(becomes_whole(), "a session that starts while nothing happens is told what there is");
	end();
	make_event();

	/*
	 * A session's events come to be one by one before it starts, and what was recorded of them
	 * is dropped: a busy thread told about half to nobody, and the question was taken as
	 * answered.
	 */
	for (unsigned i = 0; i < 2; i++) {
		start(true);
		make_event();
		ok(becomes_whole(), i ? "... and the next" : "one that starts amid what is told");
		end();
		make_event();
	}
	printf("1..%u\n", number);
	return failed;
}
