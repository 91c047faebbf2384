// SPDX-License-Identifier: Apache-2.0
/*
 * The driver's requests about events, without AMD's library: who is woken by a setting, and who
 * does not miss one. The driver is preloaded. TAP on stdout.
 */
#include "kernels/softkfd/abi.h"
#include "tests/e2e/softgpu/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CREATE = 8, DESTROY, SET, RESET, WAIT };

static int kfd;
static uint32_t shared;
static sem_t go, done;
static enum kfd_wait_result results[3];

/* 0 or the error. */
static int ask(unsigned number, void *argument, size_t size)
{
	return ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, KFD_IOCTL_TYPE, number, size), argument)
		   ? errno
		   : 0;
}

static uint32_t create(bool auto_reset)
{
	struct kfd_arg_create_event request = { .type = KFD_EVENT_SIGNAL,
						.auto_reset = auto_reset };

	return ask(CREATE, &request, sizeof request) ? 0 : request.event_id;
}

static int change(unsigned number, uint32_t id)
{
	struct kfd_arg_event request = { .event_id = id };

	return ask(number, &request, sizeof request);
}

/* KFD_WAIT_FAIL also for an error. `age`: NULL, or what the caller knows. */
static enum kfd_wait_result wait_for(uint32_t id, uint32_t ms, uint64_t *age)
{
	struct kfd_event_data data = { .last_age = age ? *age : 0, .event_id = id };
	struct kfd_arg_wait_events request = { .events = (uint64_t)(uintptr_t)&data,
					       .count = 1,
					       .timeout_ms = ms };

	if (ask(WAIT, &request, sizeof request))
		return KFD_WAIT_FAIL;
	if (age)
		*age = data.last_age;
	return (enum kfd_wait_result)request.result;
}

static void *wait_thrice(void *unused)
{
	for (unsigned i = 0; i < 3; i++) {
		sem_wait(&go);
		results[i] = wait_for(shared, i == 1 ? 10000 : 0, NULL);
		sem_post(&done);
	}
	return unused;
}

static void test_alone(void)
{
	uint32_t event = create(true), manual = create(false);
	uint64_t age = 1;

	check(event && manual && event != manual, "events are made");
	check(wait_for(event, 0, NULL) == KFD_WAIT_TIMEOUT, "one that was not set");
	check(!change(SET, event) && wait_for(event, 0, NULL) == KFD_WAIT_COMPLETE, "one that was");
	check(wait_for(event, 10, NULL) == KFD_WAIT_TIMEOUT, "it has reset itself");
	change(SET, manual);
	check(wait_for(manual, 0, NULL) == KFD_WAIT_COMPLETE &&
		  wait_for(manual, 0, NULL) == KFD_WAIT_COMPLETE,
	      "another stays set");
	check(!change(RESET, manual) && wait_for(manual, 0, NULL) == KFD_WAIT_TIMEOUT,
	      "until it is reset");
	check(wait_for(event, 0, &age) == KFD_WAIT_COMPLETE && age == 2, "by age it was set once");
	check(wait_for(event, 0, &age) == KFD_WAIT_TIMEOUT, "and not since");
	check(change(SET, 4000) == EINVAL && wait_for(4000, 0, NULL) == KFD_WAIT_FAIL,
	      "one that does not exist");
	check(!change(DESTROY, event) && change(SET, event) == EINVAL, "one that was destroyed");
	change(DESTROY, manual);
}

/* A setting that one thread takes is not lost for another that had waited before. */
static void test_two(void)
{
	pthread_t thread;

	shared = create(true);
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, wait_thrice, NULL);
	sem_post(&go);
	sem_wait(&done);
	check(results[0] == KFD_WAIT_TIMEOUT, "a thread waits for nothing");
	change(SET, shared);
	check(wait_for(shared, 0, NULL) == KFD_WAIT_COMPLETE, "another takes what is set then");
	sem_post(&go);
	sem_wait(&done);
	check(results[1] == KFD_WAIT_COMPLETE, "the first has not missed it");
	sem_post(&go);
	sem_wait(&done);
	check(results[2] == KFD_WAIT_TIMEOUT, "nor does it see it twice");
	pthread_join(thread, NULL);
}

int main(void)
{
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (kfd < 0) {
		puts("Bail out! no driver");
		return 2;
	}
	test_alone();
	test_two();
	return tap_end();
}
