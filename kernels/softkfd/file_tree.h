/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of files that stand for those of /sys and others: its writing, and its content. */
#ifndef SOFTKFD_TREE_H
#define SOFTKFD_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A tree that is being made, or of which only the sum is computed: topology.c. */
struct making;

/* Writes a file of that name, in folders that are made for it. */
void __attribute__((format(printf, 3, 4)))
kfd_put(struct making *making, const char *name, const char *format, ...);
/* Makes a symbolic link. */
void kfd_put_link(struct making *making, const char *name, const char *target);

/* Does the same with a name that is printed: PUT(making, (FORMAT, ARGUMENT...), TEXT, ...). */
#define REST(...) __VA_ARGS__
#define PUT(making, path, ...)                            \
	do {                                              \
		char name_[128];                          \
		snprintf(name_, sizeof name_, REST path); \
		kfd_put(making, name_, __VA_ARGS__);      \
	} while (0)
#define PUT_LINK(making, path, ...)                             \
	do {                                                    \
		char name_[128], target_[128];                  \
		snprintf(name_, sizeof name_, REST path);       \
		snprintf(target_, sizeof target_, __VA_ARGS__); \
		kfd_put_link(making, name_, target_);           \
	} while (0)

/* Writes the files that do not belong to KFD (kfd_machine.c): devices of PCI and of DRM, caches of
 * processors, the kernel's module. */
void kfd_put_machine(struct making *making);

/* ---- processes: kfd_process.c ---- */

/*
 * Stores in `room` the path to open instead of a path below /sys/class/kfd/kfd/proc, of which
 * `rest` is the end (from '/' on, or empty). Returns false if there is nothing.
 */
bool kfd_process_path(const char *rest, char *room);
/* Stores in `room` the path of a file with the number of bytes of VRAM of GPU `gpu` that processes
 * use. */
bool kfd_process_vram_path(unsigned gpu, char *room);

#endif
