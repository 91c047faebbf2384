/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the OpenMP target regions that GCC compiled into a file. */
#ifndef HIPGRAIN_GCC_REGIONS_H
#define HIPGRAIN_GCC_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns how many functions the file has in GCC's table of those that libgomp may run on a device
 * instead, whether or not it has code for one. Returns 0 if the file cannot be read.
 */
uint64_t gcc_regions(const char *path);

/* Returns true if the file registers code for devices with libgomp. */
bool gcc_device_code(const char *path);

#endif
