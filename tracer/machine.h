/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which machine this is, as far as the behaviour of its GPUs' memory depends on it, and where
 * measurements of it (`hipgrain probe`) are kept.
 */
#ifndef HIPGRAIN_TRACER_MACHINE_H
#define HIPGRAIN_TRACER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_KEY_SIZE 33
#define MACHINE_PROBES   "probes" /* directory of a bundle */

/* "Linux 6.1.0, amdgpu 6.7.8": release of the kernel and of a driver that is not the kernel's. */
void machine_driver(char *text, size_t size);

/*
 * A number in hexadecimal, the same on machines with the same model of board, kernel, driver, GPUs
 * and links between them (from sysfs). `softgpu`: of the software GPU as the environment configures
 * it. Holds no name and no serial number of the machine.
 */
void machine_key(bool softgpu, char key[MACHINE_KEY_SIZE]);

/*
 * $XDG_STATE_HOME/hipgrain/probes (~/.local/state): files KEY-RUNTIME.json, the output of
 * `hipgrain probe --format=json`. NULL without a home directory; free(3).
 */
char *machine_probe_directory(void);

/*
 * Copy the measurements of that machine into PATH/probes, so that a report anywhere knows of them.
 * `bundle` is PATH, open. Without measurements nothing is made; a failure is printed as a warning:
 * a recording does without.
 */
void machine_copy_probes(int bundle, const char *path, bool softgpu);

#endif
