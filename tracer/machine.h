/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This tells which machine this is, as far as the behaviour of its GPUs' memory depends on it, and
 * where measurements of it (`hipgrain probe`) are kept.
 */
#ifndef HIPGRAIN_TRACER_MACHINE_H
#define HIPGRAIN_TRACER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_KEY_SIZE 33
#define MACHINE_PROBES   "probes" /* directory of a bundle */

/* Puts the release of the kernel and of a driver that is not the kernel's into `text`: "Linux
 * 6.1.0, amdgpu 6.7.8". */
void machine_driver(char *text, size_t size);

/*
 * Makes a number in hexadecimal, the same on machines with the same model of board, kernel, driver,
 * GPUs and links between them (from sysfs). With `softgpu` it is that of the software GPU as the
 * environment configures it. It holds no name and no serial number of the machine.
 */
void machine_key(bool softgpu, char key[MACHINE_KEY_SIZE]);

/*
 * Returns $XDG_STATE_HOME/hipgrain/probes (~/.local/state), which holds files KEY-RUNTIME.json, the
 * output of `hipgrain probe --format=json`. Returns NULL without a home directory; free(3) it.
 */
char *machine_probe_directory(void);

/*
 * Copies the measurements of that machine into PATH/probes, so that a report anywhere knows of
 * them. `bundle` is PATH, open. Without measurements nothing is made; a failure is printed as a
 * warning: a recording does without.
 */
void machine_copy_probes(int bundle, const char *path, bool softgpu);

#endif
