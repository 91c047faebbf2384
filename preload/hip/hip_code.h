/* SPDX-License-Identifier: Apache-2.0 */
/* These put code objects into the bundle (hip_blob.c), and record them and their kernels
 * (hip_kernels.c). */
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
 * Gets the code object of an image (offload bundle, compressed or not, or bare ELF, at most `size`
 * bytes readable) for a device: chooses it, hashes it, stores it in the bundle, reads its metadata.
 * code->problem says what failed.
 */
void hg_hip_capture(const uint8_t *image, size_t size, const struct hg_hip_device *device,
		    struct hg_hip_code *code);

/* Forgets where the code object's bytes are: the image is about to be freed. */
void hg_hip_capture_done(struct hg_hip_code *code);

/* Records a code object, if it was not recorded yet. `path` is the host file that holds it, or
 * empty. */
void hg_hip_code_define(struct hg_hip_code *code, const char *path);
/*
 * Returns true if a kernel is to be recorded now; it then has a number, unique among those of HIP
 * and HSA.
 */
bool hg_hip_kernel_is_new(struct hg_hip_kernel_variant *variant, const char *name);
/* Returns the code object of a module for a device, and records it if it is new. Returns NULL if
 * there is no memory. */
struct hg_hip_code *hg_hip_code_for(struct hg_hip_module *module, int device);
/* Returns a kernel for a device, or NULL if there is no memory. Records the kernel, its code object
 * and its module's variables if they are new. */
struct hg_hip_kernel_variant *hg_hip_kernel_for(struct hg_hip_kernel *kernel, int device,
						const void *caller);
/* Records that the variables of a module are about to be unloaded. */
void hg_hip_variables_free(struct hg_hip_module *module, uint16_t api, const void *caller);

#endif
