/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that lie in memory which kernels use: the events `pointers`. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_POINTERS_H
#define HIPGRAIN_PRELOAD_HIP_HIP_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/events.h"

struct hg_ev_copy;

struct hg_hip_kernel_variant;

/*
 * Returns true if hg_hip_pointers_read() is to be called, in the same thread, before a launch of
 * the kernel with these arguments is recorded. `key` stands for kernel and arguments.
 */
bool hg_hip_pointers_note(struct hg_hip_kernel_variant *variant, uint64_t key, const uint8_t *bytes,
			  uint32_t length, int device);
/* Returns true if hg_hip_pointers_note() may return true for any arguments of this kernel. */
bool hg_hip_pointers_sought(struct hg_hip_kernel_variant *variant);
/* Records what lies in the host's memory that they lead to. Needs hg_hip_enter(), and no lock of
 * ours. */
void hg_hip_pointers_read(uint64_t key, int device);

/* Record what a copy carried from the host, after the copy was recorded. They need the same. */
void hg_hip_pointers_copy(const struct hg_ev_copy *event);
void hg_hip_pointers_copy_bytes(uint16_t api, uint64_t dst, uint64_t src, uint64_t size, int kind);

#endif
