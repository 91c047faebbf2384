/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects into the bundle (hip_blob.c), and what is recorded of them (hip_kernels.c). */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_CODE_H
#define HIPGRAIN_PRELOAD_HIP_HIP_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"

struct hg_hip_code;
struct hg_hip_device;
struct hg_hip_kernel;
struct hg_hip_kernel_variant;
struct hg_hip_module;

/*
 * Get the code object of an image (offload bundle, compressed or not, or bare ELF, at most `size`
 * bytes readable) for a device: choose it, hash it, store it in the bundle, read its metadata.
 * code->problem says what failed.
 */
void hg_hip_capture(const uint8_t *image, size_t size, const struct hg_hip_device *device,
		    struct hg_hip_code *code);

/* Forget where the code object's bytes are: the image is about to be freed. */
void hg_hip_capture_done(struct hg_hip_code *code);

/* Record a code object, if it was not. `path`: the host file that holds it, or empty. */
void hg_hip_code_define(struct hg_hip_code *code, const char *path);
/*
 * Whether a kernel is to be recorded now; if so it is given a number, unique among those of HIP and
 * HSA.
 */
bool hg_hip_kernel_is_new(struct hg_hip_kernel_variant *variant, const char *name);
/* The code object of a module for a device, recorded if it was not. NULL: out of memory. */
struct hg_hip_code *hg_hip_code_for(struct hg_hip_module *module, int device);
/* A kernel for a device, it, its code object and its module's variables recorded if new. */
struct hg_hip_kernel_variant *hg_hip_kernel_for(struct hg_hip_kernel *kernel, int device,
						const void *caller);
/* The variables of a module are about to be unloaded. */
void hg_hip_variables_free(struct hg_hip_module *module, uint16_t api, const void *caller);

#endif
