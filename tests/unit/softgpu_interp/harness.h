/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for the HSA runtime half: memory with page states, code objects, launches. */
#ifndef SOFTGPU_INTERP_HARNESS_H
#define SOFTGPU_INTERP_HARNESS_H

#include "kernels/softgpu/softgpu.h"

struct code {
	uint8_t *base; /* where the ELF's address 0 is */
	uint64_t size;
	const uint8_t *elf; /* the file */
};

/* Load the code object of gfx90a, gfx940 or gfx942, which then are what is executed, in file `path`
 * (bare or in an offload bundle); 0 or -1. */
int load_code(const char *path, struct code *code);
/* Address of kernel `name`'s descriptor, 0 if there is none. */
uint64_t find_kernel(const struct code *code, const char *name);

/* GPU memory of `size` bytes, zeroed, whose pages have state MAPPED | `state`. */
void *gpu_alloc(size_t size, unsigned state);
void gpu_free(void *p, size_t size);
/* Change the state of the pages of such memory; 0: not mapped. */
void gpu_set_state(void *p, size_t size, unsigned state);

struct launch {
	uint32_t grid[3], group[3]; /* 0 means 1 */
	bool cooperative;
	uint64_t budget;        /* of each step; 0: plenty */
	const char *shown_name; /* in messages; NULL: the kernel's own */
	/* results */
	uint64_t steps, fault;
	char message[8192];
};

/*
 * Run kernel `name` to its end with `words` 8-byte kernel arguments (a 4-byte argument that
 * follows another one shares its word).
 */
enum softgpu_status launch(const struct code *code, const char *name, struct launch *l,
			   const uint64_t *arguments, unsigned words);

#endif
