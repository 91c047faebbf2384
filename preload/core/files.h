/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the bundle and of /proc. */
#ifndef HIPGRAIN_PRELOAD_CORE_FILES_H
#define HIPGRAIN_PRELOAD_CORE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A directory of ours below hg_config.dir, made if it does not exist: its file descriptor, or
 * -errno. Links are not followed, and a directory of another user is not used: others may have put
 * it there.
 */
int hg_open_folder(const char *name);
/* The absolute path, of PATH_MAX bytes, of what a path leads to; false with errno. The C library's
 * realpath() allocates. */
bool hg_real_path(const char *path, char *real);

/* The file at `path`, cut to `size` - 1 bytes, with a 0 behind it; its length, 0 if it cannot be
 * read. */
size_t hg_read_file(const char *path, char *text, size_t size);
/* Readable bytes from `address` on, by the kernel's list of mappings; 0 if not mapped. */
size_t hg_readable_extent(const void *address);

#endif
