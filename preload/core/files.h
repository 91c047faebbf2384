/* SPDX-License-Identifier: Apache-2.0 */
/* This opens and reads files of the bundle and of /proc. */
#ifndef HIPGRAIN_PRELOAD_CORE_FILES_H
#define HIPGRAIN_PRELOAD_CORE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the file descriptor of a directory of ours below hg_config.dir, which is made if it does
 * not exist, or -errno. Links are not followed, and a directory of another user is not used: others
 * may have put it there.
 */
int hg_open_folder(const char *name);
/* Puts the absolute path to which a path leads into `real`, of PATH_MAX bytes. Returns false with
 * errno if it fails. The C library's realpath() allocates. */
bool hg_real_path(const char *path, char *real);

/* Reads the file at `path`, cut to `size` - 1 bytes, with a 0 behind it. Returns its length, 0 if
 * it cannot be read. */
size_t hg_read_file(const char *path, char *text, size_t size);
/* Returns how many bytes from `address` on are readable, by the kernel's list of mappings, or 0 if
 * it is not mapped. */
size_t hg_readable_extent(const void *address);

#endif
