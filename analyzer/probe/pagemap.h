/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the kernel which pages are swapped out: /proc/PID/pagemap has an entry of 64 bits a
 * page [KPM]. */
#ifndef HIPGRAIN_PROBE_PAGEMAP_H
#define HIPGRAIN_PROBE_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "probe.h"

/*
 * Returns how many of the pages of `page` bytes that hold [address, address + bytes) are swapped
 * out by the file's entries, as pages in a GPU's memory are; -1: unknown.
 */
int pagemap_away(const char *path, uint64_t address, size_t bytes, size_t page);

/*
 * Judges the migration by the numbers before and after a kernel's loads: works, lost (nothing
 * moved), or skipped, if the machine swaps or shows nothing.
 */
enum probe_state pagemap_moved(int before, int after);

#endif
