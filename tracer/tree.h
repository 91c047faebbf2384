/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directory trees that belong to the caller: removed, closed to others and measured through
 * directory descriptors. Whoever can write to a directory above can replace any name in a path
 * between two system calls; a descriptor keeps leading to the directory that was checked.
 *
 * No function here follows a symbolic link, enters a directory of another user's, or leaves the
 * file system of the tree.
 */
#ifndef HIPGRAIN_TRACER_TREE_H
#define HIPGRAIN_TRACER_TREE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Opens a path's parent directory; the path's last component, without trailing slashes, goes to
 * `name` (name_size bytes). Returns a descriptor, or -errno: -EINVAL for a path that names no entry
 * ("", "/", "." and "..").
 */
int tree_open_parent(const char *path, char *name, unsigned name_size);

/*
 * Opens directory `name` of directory `parent`. Returns a descriptor, or -errno: -EPERM for another
 * user's directory, -ENOTDIR or -ELOOP for anything that is no directory.
 */
int tree_open(int parent, const char *name);

/*
 * Removes directory `name` of `parent` with all that is in it. Nothing is removed if a directory of
 * it is another user's (-EPERM), is on another file system (-EXDEV), or lies too deep (-ELOOP).
 * Returns 0 or -errno.
 */
int tree_remove(int parent, const char *name);
/* Removes the directory that a path names. Returns 0, or -errno of tree_remove() and
 * tree_open_parent(). */
int tree_remove_path(const char *path);

/* Takes all permissions of group and others from directory `folder` and everything in it. */
void tree_hide(int folder);

/* Returns the bytes of all regular files in directory `folder`, which may change meanwhile. */
uint64_t tree_bytes(int folder);

/* Writes all of it. 0 or -errno. */
int tree_write(int file, const void *data, size_t size);

#endif
