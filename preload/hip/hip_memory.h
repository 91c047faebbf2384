/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps HIP's live allocations, and records what the runtime reports about those that kernels
 * are given. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_MEMORY_H
#define HIPGRAIN_PRELOAD_HIP_HIP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/events.h"

struct hg_ev_alloc;

#define HG_HIP_SUBJECTS 16

struct hg_hip_subject {
	uint64_t base, size, host;
};
struct hg_hip_subjects {
	unsigned count;
	struct hg_hip_subject rows[HG_HIP_SUBJECTS];
};

void hg_hip_memory_add(const struct hg_ev_alloc *event);
void hg_hip_memory_remove(uint64_t ptr);
/*
 * Returns true if this fix is to be applied now to the live allocation of hipMallocManaged() that
 * holds the address, which then is in *subject; the fix then counts as applied. Prefetching is due
 * again when the host has waited for anything.
 */
bool hg_hip_memory_claim(uint64_t address, unsigned fix, int32_t device,
			 struct hg_hip_subject *subject);

extern HG_HIDDEN uint32_t hg_hip_memory_waits; /* atomic */

/* Counts that the host has waited. Without fixes nobody asks, and threads need not all write to one
 * cache line. */
static inline void hg_hip_memory_waited(void)
{
	if (HG_UNLIKELY(hg_config.fixes))
		__atomic_fetch_add(&hg_hip_memory_waits, 1, __ATOMIC_RELAXED);
}

/* Makes the runtime's answers about memory in this range out of date, and keeps coarse-grained
 * advice that was ours. */
void hg_hip_memory_answered(uint64_t ptr, uint64_t size);
/* Makes the runtime's answers about memory that overlaps this range invalid. */
void hg_hip_memory_changed(uint64_t ptr, uint64_t size);
/* Collects the allocations that these arguments point into and that have not been queried. */
void hg_hip_memory_note(struct hg_hip_subjects *subjects, uint32_t args_id, const uint8_t *bytes,
			uint32_t length);
/* Does the same whatever was checked before. Returns false if there are more, which are left for
 * another time. */
bool hg_hip_memory_gather(struct hg_hip_subjects *subjects, const uint8_t *bytes, uint32_t length);
/* Returns the device that has this memory of HIP's, or -1 if the runtime does not say. */
int32_t hg_hip_memory_device(uint64_t address);
/* Returns true if an address lies in a live allocation of HIP's. */
bool hg_hip_memory_known(uint64_t address);

/* This says how the host gets at memory. */
enum hg_hip_kind {
	HG_HIP_ON_DEVICE, /* not at all, or slowly */
	HG_HIP_PINNED,
	HG_HIP_MANAGED, /* its pages may be on a GPU, as those of registered memory may */
};
struct hg_hip_block {
	uint64_t base, size, host; /* as in struct hg_hip_subject */
	enum hg_hip_kind kind;
};
/* Finds the live allocation of HIP's that an address lies in. Returns false if there is none. */
bool hg_hip_memory_find(uint64_t address, struct hg_hip_block *block);
/* Finds which of `count` words lie in a live allocation, or at most HG_PAST_END_LIMIT behind its
 * end, puts their numbers into `found` (as long), ascending, and returns how many they are. */
uint32_t hg_hip_memory_pick(const uint64_t *words, uint32_t count, uint32_t *found);
/* Returns how many bytes from *low on hold every allocation that there ever was; 0 if there was
 * none. */
uint64_t hg_hip_memory_span(uint64_t *low);
/* Returns a number that changes when an allocation is added. */
uint32_t hg_hip_memory_change(void);
/* Queries the runtime, and records the answers. Needs hg_hip_enter(), and no lock of ours. */
void hg_hip_memory_ask(const struct hg_hip_subjects *subjects);

#endif
