/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps modules and kernels; all of it is under the lock of hg_hip_lock(). */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_REGISTRY_H
#define HIPGRAIN_PRELOAD_HIP_HIP_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hip/planned_fixes.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"
#include "codeobj/codeobj.h"

struct hg_hip_code { /* a module's code object for one target id */
	struct hg_hip_code *next;
	char arch[128];      /* of the device, as key */
	uint32_t id;         /* code_object_id; 0: not recorded in this process yet */
	uint32_t generation; /* in which it was recorded last */
	char sha256[CODEOBJ_SHA256_SIZE];
	char target[256];
	uint64_t size;
	char problem[HG_HIP_PROBLEM];
	struct codeobj_metadata *metadata; /* NULL if it could not be read */
	const uint8_t *elf; /* in the module's image, as long as that is there; NULL if unknown */
	void *unpacked;     /* or in this mapping of our own, if the image is compressed; or NULL */
	size_t unpacked_size;
};

struct hg_hip_variable {
	struct hg_hip_variable *next;
	const void *shadow; /* host variable; for managed ones the pointer to the pointer */
	const char *name;
	uint64_t size;
	/* Recorded at this address of each device; 0: not yet. One of all if managed or loaded. */
	uint64_t ptr[HG_HIP_DEVICES];
	bool absent; /* from the code object: it has no address to ask for */
	bool managed;
};

struct hg_hip_module {
	struct hg_hip_module *next;
	const void *handle; /* void** of __hipRegisterFatBinary, or hipModule_t */
	const uint8_t
	    *image; /* bundle in memory; NULL if loaded by hipModuleLoad* (captured then) */
	char *path; /* host file, empty from memory */
	struct hg_hip_code *code;
	struct hg_hip_variable *variables;
	uint64_t variables_done; /* a bit for each device */
	bool unloaded;
};

struct hg_hip_kernel {
	const void *handle; /* host function or hipFunction_t */
	struct hg_hip_module *module;
	char *name; /* mangled */
	struct hg_hip_kernel_variant *variants;
};

struct hg_fix_kernel;
struct hg_places;
struct hg_hip_kernel_variant { /* a kernel on devices of one target id */
	struct hg_hip_kernel_variant *next;
	struct hg_hip_code *code;
	const struct codeobj_kernel *layout; /* NULL: unknown */
	uint32_t id;                         /* kernel_id; 0: not recorded in this process yet */
	uint32_t generation;                 /* in which it was recorded last */
	const struct hg_fix_kernel *plan;    /* planned_fixes.h, once it was looked for */
	bool plan_looked;
	uint32_t place; /* atomic; row of DIR/places that will hold an answer, from 1; 0: none */
	const struct hg_places *places; /* atomic; the answer, NULL: none yet (hip_places.h) */
};

/* Takes the lock to look only: hg_hip_lock() makes all that was found out before invalid, by a new
 * epoch. */
void hg_hip_look(void);
uint32_t hg_hip_epoch(void);
/* Returns true if the variables of a module are recorded for a device. */
bool hg_hip_variables_done(const struct hg_hip_module *module, int device);

/*
 * Begins to remember something, with the lock. Returns false, without the lock, when dormant. The
 * runtime need not be initialised.
 */
bool hg_hip_remember(void);
void hg_hip_remembered(void);
struct hg_hip_module *hg_hip_module_add(const void *handle, const uint8_t *image, const char *path);
struct hg_hip_module *hg_hip_module_find(const void *handle);
void hg_hip_kernel_add(struct hg_hip_module *module, const void *handle, const char *name);
struct hg_hip_kernel *hg_hip_kernel_find(const void *handle); /* NULL: never registered */
void hg_hip_variable_add(struct hg_hip_module *module, const void *shadow, const char *name,
			 uint64_t size, bool managed);

void hg_hip_lock(void);
void hg_hip_unlock(void);

#endif
