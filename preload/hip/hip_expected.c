/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of HIP that will also be seen in the HSA runtime's queues (hsa/hsa_queue.c), which
 * checks here whether it has to record one.
 */
#include "preload/hip/hip_expected.h"

#include <string.h>
#include <sys/syscall.h>

#include "preload/core/clock.h"
#include "preload/core/id_table.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"

#define CREDITS 4096u
#define KERNELS (1u << 18)

int hg_hip_expects; /* atomic */
int hg_hip_announces;

/* Launches that are still to be submitted, the oldest first. Of more than these no packet is told.
 */
#define ANNOUNCED 256u
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct announced {
	struct hg_hip_announced launch;
	uint16_t place;
} announced[ANNOUNCED];
static unsigned announced_count;

/*
 * Launches by HIP that are still to be submitted, by the hash of the kernel's name; atomic. Two
 * names may share a place: what is expected of one can then hide a launch of the other that
 * bypassed HIP's functions.
 */
static int32_t credits[CREDITS];
static uint16_t places[KERNELS]; /* kernel_id -> place in credits */

static unsigned place_of(const char *name)
{
	return (unsigned)(hg_hash(0, name, strlen(name)) % CREDITS);
}

void hg_hip_expect_name(uint32_t kernel_id, const char *name)
{
	if (kernel_id < KERNELS)
		places[kernel_id] = (uint16_t)place_of(name);
}

/* The caller holds the lock. */
static void remove_announced(unsigned at)
{
	announced_count--;
	memmove(&announced[at], &announced[at + 1], (announced_count - at) * sizeof(*announced));
}

static int32_t own_thread(void)
{
	return (int32_t)hg_syscall(SYS_gettid);
}

static __attribute__((noinline)) void announce(uint32_t kernel_id)
{
	pthread_mutex_lock(&lock);
	if (announced_count == ANNOUNCED)
		remove_announced(0);
	announced[announced_count++] = (struct announced){
		.launch = { .kernel_id = kernel_id, .thread = own_thread(), .at = hg_now() },
		.place = places[kernel_id],
	};
	pthread_mutex_unlock(&lock);
}

/* The thread's latest launch of the kernel did not happen. */
static __attribute__((noinline)) void take_back(uint32_t kernel_id)
{
	int32_t thread = own_thread();

	pthread_mutex_lock(&lock);
	for (unsigned i = announced_count; i--;) {
		const struct hg_hip_announced *launch = &announced[i].launch;

		if (launch->kernel_id == kernel_id && launch->thread == thread) {
			remove_announced(i);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

void hg_hip_expect(uint32_t kernel_id, int count)
{
	if (!__atomic_load_n(&hg_hip_expects, __ATOMIC_RELAXED) || kernel_id >= KERNELS)
		return;
	if (HG_UNLIKELY(__atomic_load_n(&hg_hip_announces, __ATOMIC_RELAXED))) {
		if (count > 0)
			announce(kernel_id);
		else
			take_back(kernel_id);
	}
	__atomic_fetch_add(&credits[places[kernel_id]], count, __ATOMIC_RELAXED);
}

/* Runtimes submit a launch in the thread that made it, or in the order of launches. */
static __attribute__((noinline)) void take_announced(unsigned place,
						     struct hg_hip_announced *launch)
{
	int32_t thread = own_thread();
	unsigned found = ANNOUNCED;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < announced_count; i++) {
		if (announced[i].place != place)
			continue;
		if (found == ANNOUNCED)
			found = i;
		if (announced[i].launch.thread == thread) {
			found = i;
			break;
		}
	}
	if (found != ANNOUNCED) {
		*launch = announced[found].launch;
		remove_announced(found);
	}
	pthread_mutex_unlock(&lock);
}

bool hg_hip_take_expected(const char *name, struct hg_hip_announced *launch)
{
	unsigned place = place_of(name);
	int32_t value = __atomic_load_n(&credits[place], __ATOMIC_RELAXED);

	*launch = (struct hg_hip_announced){ .kernel_id = 0 };
	while (value > 0) {
		if (!__atomic_compare_exchange_n(&credits[place], &value, value - 1, true,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		if (HG_UNLIKELY(__atomic_load_n(&hg_hip_announces, __ATOMIC_RELAXED)))
			take_announced(place, launch);
		return true;
	}
	return false;
}

/* Another thread may have held the lock; what was launched is the parent's. */
static void fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	announced_count = 0;
}

HG_PART(.name = "expected-launches", .order = 98, .fork_child = fork_child);
