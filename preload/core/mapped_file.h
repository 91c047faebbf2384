/* SPDX-License-Identifier: Apache-2.0 */
/* This makes memory that outlives the process: files of the bundle that it has mapped. */
#ifndef HIPGRAIN_PRELOAD_CORE_MAPPED_FILE_H
#define HIPGRAIN_PRELOAD_CORE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A new file HIPGRAIN_DIR/FOLDER/<pid>-<hexadecimal number> of `size` bytes, all of them 0, as
 * shared memory; its path is put into `path`. Its first `reserved` bytes have room on the disk;
 * what is behind them cannot be accessed until hg_mapped_file_grow() has reserved `size` bytes.
 * NULL if it cannot be made, or could not be written to later without a signal (a full disk, a
 * limit on the size of files): then there is no file.
 */
void *hg_mapped_file_part(const char *folder, size_t size, size_t reserved, char *path,
			  size_t path_size);
bool hg_mapped_file_grow(void *memory, const char *path, size_t reserved, size_t size);

/*
 * A table of the recorder's, HIPGRAIN_DIR/NAME of `size` bytes; NULL: there is none. *error is why
 * it cannot be opened, or 0. Keeps errno.
 */
void *hg_mapped_table(const char *name, size_t size, int *error);

/*
 * Returns `size` bytes, all 0, that the kernel clears in every child, also in those that were made
 * without the C library's knowledge. Returns NULL if there is no memory, or if the kernel cannot do
 * that (it can from Linux 4.14 on).
 */
void *hg_wiped_memory(size_t size);

/*
 * Returns true if the process may have a file of so many bytes: one that makes a larger file than
 * it may is sent a signal (RLIMIT_FSIZE). The second is of a file that exists, to which bytes are
 * added.
 */
bool hg_may_have(uint64_t size);
bool hg_may_append(int fd, size_t size);

#endif
