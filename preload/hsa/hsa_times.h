/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of dispatches and copies on the GPU, with HIPGRAIN_GPU_TIME (hsa_times.c).
 */
#ifndef HIPGRAIN_PRELOAD_HSA_HSA_TIMES_H
#define HIPGRAIN_PRELOAD_HSA_HSA_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hsa/hsa_half.h"

struct hg_ev_gpu_time;

/* Is not 0 if times are wanted; atomic. */
extern HG_HIDDEN int hg_hsa_times;

/* Returns true if they are, and a runtime is known that has the functions for that. */
static inline bool hg_hsa_times_wanted(void)
{
	return HG_UNLIKELY(__atomic_load_n(&hg_hsa_times, __ATOMIC_RELAXED)) &&
	       hg_hsa.hsa_amd_signal_create && hg_hsa.hsa_signal_load_relaxed &&
	       hg_hsa.hsa_amd_profiling_set_profiler_enabled &&
	       hg_hsa.hsa_amd_profiling_get_dispatch_time &&
	       hg_hsa.hsa_amd_profiling_async_copy_enable &&
	       hg_hsa.hsa_amd_profiling_get_async_copy_time;
}

/* Reads HIPGRAIN_GPU_TIME. Returns true if times are wanted. */
bool hg_hsa_times_decide(void);

/* Has the queue's packets timed by the GPU, once it exists. */
void hg_hsa_times_queue(struct hsa_queue *queue);

/*
 * A packet is about to be submitted: its time will be recorded. `what` says kind, kernel_id,
 * thread, device and queue; `at` is hg_now() of its launch. If `ours` a packet without a completion
 * signal may be given one, because the GPU has not been told of it. Needs hg_enter().
 */
void hg_hsa_time_packet(struct hsa_packet *packet, bool ours, const struct hg_ev_gpu_time *what,
			uint64_t agent, uint64_t at);

/* Returns the number of a copy that will complete `signal`, to be passed on once the runtime has
 * taken it, or has not; 0: its time is not taken. */
unsigned hg_hsa_time_copy(uint64_t signal, uint64_t size);
void hg_hsa_time_copied(unsigned number, bool taken);

/* The signal is about to be used for something else, or destroyed. */
void hg_hsa_time_reuse(uint64_t signal);

/* Record the times of what is complete, or, if `all`, of all that is. Needs hg_enter(). */
void hg_hsa_times_collect(bool all);

/* Records the times of all that is complete, because queues are about to end. */
void hg_hsa_times_end(void);

/* The runtime is down, and its signals with it. */
void hg_hsa_times_forget(void);

#endif
