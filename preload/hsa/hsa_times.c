/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of dispatches and copies on the GPU (HIPGRAIN_GPU_TIME). The GPU's packet processor stores
 * them in the completion signal [HSAH amd_hsa_signal.h], if the queue has profiling enabled. A
 * packet that has no such signal is given one of ours, for GPUs alone, so that its completion makes
 * no interrupt. Nothing waits: what is complete is noticed when the next packet is submitted, when
 * its signal is about to be used again, and at the end.
 *
 * A runtime takes its signals back to 1 and uses them again. A time is taken before that; where a
 * signal counts several packets down, or another packet was faster, there is none, which is
 * counted. One that would have begun before it was launched is that of an earlier use, likewise.
 */
#include "preload/hsa/hsa_times.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/hip/hip_expected.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"
#include "tracer/events/ev_gpu_time.h"
#include "tracer/provider.h"

#define SLOTS     1024u /* packets and copies of which the end is awaited */
#define LOOKS     32u   /* at the oldest of them, when a packet is submitted */
#define NS        UINT64_C(1000000000)
#define CLOCKS_NS 100000 /* by which the GPU's clock, translated, may be early */

/* hsa.h, hsa_ext_amd.h */
#define TIMESTAMP           2
#define TIMESTAMP_FREQUENCY 3
#define GPU_ONLY            1

int hg_hsa_times;

struct slot {
	struct slot *next; /* that was submitted later, or is free */
	uint64_t own;      /* a signal of ours, made when it is first needed; 0: none */
	uint64_t signal;   /* 0: the slot is free */
	uint64_t agent;    /* 0: of a copy */
	uint64_t at;       /* hg_now() of its launch */
	int64_t before;    /* value of the signal */
	bool pending;      /* the runtime may yet refuse the copy */
	struct hg_ev_gpu_time what;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[SLOTS];
static struct slot *oldest, **newest = &oldest, *free_slots;
static unsigned used;           /* slots that were ever used */
static unsigned foreign;        /* slots whose signal is the program's */
static uint64_t left_out, told; /* told: of these, in the latest event */
static uint64_t frequency;
static bool copies_timed;

bool hg_hsa_times_decide(void)
{
	const char *text = getenv("HIPGRAIN_GPU_TIME");
	bool wanted = text && !strcmp(text, "1");

	__atomic_store_n(&hg_hsa_times, wanted, __ATOMIC_RELAXED);
	__atomic_store_n(&hg_hip_announces, wanted, __ATOMIC_RELAXED);
	return wanted;
}

void hg_hsa_times_queue(struct hsa_queue *queue)
{
	HSA_REAL(hsa_amd_profiling_set_profiler_enabled, int, struct hsa_queue *, int)(queue, 1);
}

static int64_t load(uint64_t signal)
{
	return HSA_REAL(hsa_signal_load_relaxed, int64_t,
			struct hsa_handle)((struct hsa_handle){ signal });
}

/* Returns the runtime's time in ns, 0 if it is down. */
static uint64_t runtime_now(void)
{
	uint64_t now = 0;

	if (HSA_REAL(hsa_system_get_info, int, int, void *)(TIMESTAMP, &now))
		return 0;
	if (!frequency &&
	    HSA_REAL(hsa_system_get_info, int, int, void *)(TIMESTAMP_FREQUENCY, &frequency))
		return 0;
	return frequency == NS ? now : (uint64_t)((double)now * (double)NS / (double)frequency);
}

static uint64_t nanoseconds(uint64_t ticks)
{
	return frequency == NS ? ticks : (uint64_t)((double)ticks * (double)NS / (double)frequency);
}

/* ---- slots; the caller holds the lock ---- */

static struct slot *take_slot(void)
{
	struct slot *slot = free_slots;

	if (slot)
		free_slots = slot->next;
	else if (used < SLOTS)
		slot = &slots[used++];
	else
		left_out++;
	return slot;
}

static void append(struct slot *slot)
{
	slot->next = NULL;
	*newest = slot;
	newest = &slot->next;
	foreign += slot->signal != slot->own;
}

/* Removes the slot at *link. */
static void release(struct slot **link)
{
	struct slot *slot = *link;

	*link = slot->next;
	if (newest == &slot->next)
		newest = link;
	foreign -= slot->signal != slot->own;
	slot->signal = 0;
	slot->next = free_slots;
	free_slots = slot;
}

static bool is_complete(const struct slot *slot)
{
	return !slot->pending && load(slot->signal) < slot->before;
}

/* Records the time of what is complete. */
static void record(struct slot *slot)
{
	struct hsa_handle signal = { slot->signal };
	struct {
		uint64_t begin, end;
	} time = { 0, 0 };
	uint64_t now, began;
	int rc;

	if (slot->agent)
		rc = HSA_REAL(hsa_amd_profiling_get_dispatch_time, int, struct hsa_handle,
			      struct hsa_handle,
			      void *)((struct hsa_handle){ slot->agent }, signal, &time);
	else
		rc = HSA_REAL(hsa_amd_profiling_get_async_copy_time, int, struct hsa_handle,
			      void *)(signal, &time);
	now = runtime_now();
	began = nanoseconds(time.begin);
	slot->what.launched = hg_now() - slot->at;
	if (rc || !now || !time.begin || time.end < time.begin ||
	    (int64_t)(now - began) > (int64_t)slot->what.launched + CLOCKS_NS) {
		left_out++;
		return;
	}
	slot->what.began = now > began ? now - began : 0;
	slot->what.duration = nanoseconds(time.end) - began;
	slot->what.left_out = told = left_out;
	hg_provider->gpu_time(&slot->what);
}

/* ---- what is submitted ---- */

/* The signal is used for something else, or destroyed: what it was for is complete, or will never
 * be known. The caller holds the lock. `recorded`: with hg_enter(). */
static void reuse(uint64_t signal, bool recorded)
{
	for (struct slot **link = &oldest; foreign && *link;) {
		struct slot *slot = *link;

		if (slot->signal != signal || slot->own == signal) {
			link = &slot->next;
			continue;
		}
		/* The one that takes it back to 1 has seen it at 0. */
		if (recorded && (slot->before == 1 ? load(signal) <= 1 : is_complete(slot)))
			record(slot);
		else
			left_out++;
		release(link);
	}
}

void hg_hsa_time_reuse(uint64_t signal)
{
	bool recorded;

	if (HG_LIKELY(!__atomic_load_n(&foreign, __ATOMIC_RELAXED)) || !signal || hg_tls.busy)
		return;
	recorded = hg_enter();
	pthread_mutex_lock(&lock);
	reuse(signal, recorded);
	pthread_mutex_unlock(&lock);
	if (recorded)
		hg_leave();
}

/* A program that writes no completion signal leaves ours in a packet of the ring. */
static bool is_ours(uint64_t signal)
{
	for (unsigned i = 0; i < used; i++)
		if (slots[i].own == signal)
			return true;
	return false;
}

/* Gives the packet a signal of ours. */
static bool give_signal(struct slot *slot, struct hsa_packet *packet)
{
	struct hsa_handle signal = { slot->own };

	if (!slot->own) {
		if (HSA_REAL(hsa_amd_signal_create, int, int64_t, uint32_t, void *, uint64_t,
			     struct hsa_handle *)(1, 0, NULL, GPU_ONLY, &signal))
			return false;
		slot->own = signal.handle;
	}
	HSA_REAL(hsa_signal_store_relaxed, void, struct hsa_handle, int64_t)(signal, 1);
	__atomic_store_n(&packet->completion, slot->own, __ATOMIC_RELAXED);
	return true;
}

void hg_hsa_time_packet(struct hsa_packet *packet, bool ours, const struct hg_ev_gpu_time *what,
			uint64_t agent, uint64_t at)
{
	struct slot *slot;

	pthread_mutex_lock(&lock);
	if (packet->completion && is_ours(packet->completion))
		packet->completion = 0;
	if (packet->completion)
		reuse(packet->completion, true);
	slot = take_slot();
	if (slot && !packet->completion && (!ours || !give_signal(slot, packet))) {
		slot->next = free_slots;
		free_slots = slot;
		left_out++;
		slot = NULL;
	}
	if (slot) {
		slot->signal = packet->completion;
		slot->agent = agent;
		slot->at = at;
		slot->what = *what;
		slot->pending = false;
		slot->before = load(slot->signal);
		append(slot);
	}
	pthread_mutex_unlock(&lock);
}

/* Returns the slot, or NULL. */
static struct slot *add_copy(uint64_t signal, uint64_t size)
{
	struct slot *slot;

	if (!copies_timed)
		HSA_REAL(hsa_amd_profiling_async_copy_enable, int, bool)(true);
	copies_timed = true;
	reuse(signal, true);
	slot = take_slot();
	if (!slot)
		return NULL;
	slot->signal = signal;
	slot->agent = 0;
	slot->at = hg_now();
	slot->what = (struct hg_ev_gpu_time){ .kind = HG_GPU_TIME_COPY,
					      .thread = (int32_t)hg_syscall(SYS_gettid),
					      .device = -1,
					      .size = size };
	slot->pending = true;
	slot->before = load(signal);
	append(slot);
	return slot;
}

unsigned hg_hsa_time_copy(uint64_t signal, uint64_t size)
{
	const struct slot *slot;

	if (!hg_hsa_times_wanted() || !signal || hg_tls.busy || !hg_enter())
		return 0;
	pthread_mutex_lock(&lock);
	slot = add_copy(signal, size);
	pthread_mutex_unlock(&lock);
	hg_leave();
	return slot ? (unsigned)(slot - slots) + 1 : 0;
}

void hg_hsa_time_copied(unsigned number, bool taken)
{
	if (!number)
		return;
	pthread_mutex_lock(&lock);
	slots[number - 1].pending = false;
	for (struct slot **link = &oldest; !taken && *link; link = &(*link)->next) {
		if (*link == &slots[number - 1]) {
			release(link);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* ---- what is complete ---- */

void hg_hsa_times_collect(bool all)
{
	unsigned looks = all ? SLOTS : LOOKS;

	pthread_mutex_lock(&lock);
	if (used == SLOTS && !free_slots)
		looks = SLOTS;
	for (struct slot **link = &oldest; *link && looks; looks--) {
		if (is_complete(*link)) {
			record(*link);
			release(link);
		} else {
			link = &(*link)->next;
		}
	}
	pthread_mutex_unlock(&lock);
}

void hg_hsa_times_end(void)
{
	if (!hg_hsa_times_wanted() || hg_tls.busy || !hg_enter())
		return;
	hg_hsa_times_collect(true);
	hg_leave();
}

/* Signals of a runtime that is down are no memory. */
static void flush(void)
{
	struct hg_ev_gpu_time event = { .kind = HG_GPU_TIME_NONE, .device = -1 };

	if (!hg_hsa_times_wanted() || !used)
		return;
	if (runtime_now())
		hg_hsa_times_collect(true);
	pthread_mutex_lock(&lock);
	event.left_out = left_out;
	for (const struct slot *slot = oldest; slot; slot = slot->next)
		event.left_out++;
	if (event.left_out != told)
		hg_provider->gpu_time(&event);
	told = event.left_out;
	pthread_mutex_unlock(&lock);
}

void hg_hsa_times_forget(void)
{
	pthread_mutex_lock(&lock);
	for (const struct slot *slot = oldest; slot; slot = slot->next)
		left_out++;
	/* Not the others: their pages were never written. */
	memset(slots, 0, used * sizeof(*slots));
	oldest = free_slots = NULL;
	newest = &oldest;
	used = foreign = 0;
	copies_timed = false;
	pthread_mutex_unlock(&lock);
}

/* The packets were submitted by the parent, and their signals are its. */
static void fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hg_hsa_times_forget();
	left_out = told = 0;
}

static int signal_destroy(struct hsa_handle signal)
{
	int saved = errno;

	hg_hsa_time_reuse(signal.handle);
	errno = saved;
	return HSA_REAL(hsa_signal_destroy, int, struct hsa_handle)(signal);
}

HSA_WRAP(hsa_signal_destroy, signal_destroy, (struct hsa_handle signal), (signal))

const struct hsa_wrapper hg_hsa_times_wrappers[] = {
	{ "hsa_signal_destroy", (void *)signal_destroy },
	{ NULL, NULL },
};

HG_PART(.name = "gpu-times", .order = 97, .fork_child = fork_child, .flush = flush);
