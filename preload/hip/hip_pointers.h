/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that lie in memory which kernels use: the events `pointers`. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_POINTERS_H
#define HIPGRAIN_PRELOAD_HIP_HIP_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/events.h"

struct hg_hip_kernel_variant;

/*
 * A launch of the kernel with these arguments is about to be recorded: whether to call
 * hg_hip_pointers_read() before that, in the same thread. `key` stands for kernel and arguments.
 */
bool hg_hip_pointers_note(struct hg_hip_kernel_variant *variant, uint64_t key, const uint8_t *bytes,
			  uint32_t length, int device);
/* Whether that may be so for any arguments of this kernel. */
bool hg_hip_pointers_sought(struct hg_hip_kernel_variant *variant);
/* Record what memory of the host's that they lead to holds. Needs hg_hip_enter(), and no lock of
 * ours. */
void hg_hip_pointers_read(uint64_t key, int device);

/* A copy was recorded: what it carried from the host. The same. */
void hg_hip_pointers_copy(const struct hg_ev_copy *event);
void hg_hip_pointers_copy_bytes(uint16_t api, uint64_t dst, uint64_t src, uint64_t size, int kind);

#endif
