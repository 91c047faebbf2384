/* SPDX-License-Identifier: Apache-2.0 */
/* Where the kernel says that pages are: /proc/PID/pagemap, an entry of 64 bits a page [KPM]. */
#ifndef HIPGRAIN_PROBE_PAGEMAP_H
#define HIPGRAIN_PROBE_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "probe.h"

/*
 * How many pages of `page` bytes, from the one that holds `address` on and as many as `bytes` have,
 * are swapped out by the file's entries, as those in a GPU's memory are; -1: unknown.
 */
int pagemap_away(const char *path, uint64_t address, size_t bytes, size_t page);

/*
 * What the numbers before and after a kernel's loads say of the migration: works, lost (nothing
 * moved), or skipped, where the machine swaps or shows nothing.
 */
enum probe_state pagemap_moved(int before, int after);

#endif
