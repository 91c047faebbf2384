/* SPDX-License-Identifier: Apache-2.0 */
/* This is the C library behind us: the functions that ours stand in front of. */
#ifndef HIPGRAIN_PRELOAD_CORE_LIBC_H
#define HIPGRAIN_PRELOAD_CORE_LIBC_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/core/base.h"
#include "preload/host/host_memory.h"

struct hg_libc {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *ptr, size_t size);
	void *(*reallocarray)(void *ptr, size_t count, size_t size);
	void (*free)(void *ptr);
	int (*posix_memalign)(void **ptr, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	size_t (*malloc_usable_size)(void *ptr);
	/* Absent from C libraries before C23: NULL. */
	void (*free_sized)(void *ptr, size_t size);
	void (*free_aligned_sized)(void *ptr, size_t alignment, size_t size);
	void *(*mmap)(void *address, size_t size, int prot, int flags, int fd, off_t offset);
	int (*munmap)(void *address, size_t size);
	void *(*mremap)(void *address, size_t old_size, size_t size, int flags, void *new_address);
	int (*madvise)(void *address, size_t size, int advice);
	void *(*shmat)(int id, const void *address, int flags);
	int (*shmdt)(const void *address);
	int (*brk)(void *end);
	void *(*sbrk)(intptr_t by);
	int (*close)(int fd);
	/* NULL until they are known: */
	long (*syscall)(long number, ...);
	void (*_exit)(int status);
	void (*quick_exit)(int status);
	int (*execve)(const char *path, char *const argv[], char *const env[]);
	int (*execvpe)(const char *file, char *const argv[], char *const env[]);
	int (*fexecve)(int fd, char *const argv[], char *const env[]);
	void *(*dlsym)(void *handle, const char *name);
	void *(*dlvsym)(void *handle, const char *name, const char *version);
	int (*dl_iterate_phdr)(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data);
};

/* The members can be called at any time: until the real functions are known, they look them up
 * first. */
extern HG_HIDDEN struct hg_libc hg_libc;

/* This is the sanitizer that the program was built with, or NULL. All that we do then is to
 * forward. */
extern const char *hg_sanitizer;

/* Looks up what hg_libc needs, if that has not happened; dlsym and friends are valid after it. */
void hg_libc_init(void);

/*
 * Returns true if an address lies in an allocator of the program's own, which may hold its lock
 * while it calls mmap(): nothing that allocates can be done there.
 */
bool hg_libc_is_allocator(const void *address);
bool hg_libc_is_c_library(const void *address);

/* Returns true if the program's calls of malloc() reach a definition before ours: its own, say. */
bool hg_libc_is_passed(void);
/* Returns true if the program allocates by another allocator than the C library's. */
bool hg_libc_has_own_allocator(void);

/* Returns true if glibc's malloc() is in force, with an arena for each thread. */
bool hg_libc_has_arenas(void);

/*
 * Makes the functions of hg_libc themselves recognise blocks that are not the program's, from now
 * on: the process does not call ours any more.
 */
void hg_libc_check(void);

/*
 * glibc keeps a chunk's size, and three flags below it, in the word before the block
 * (malloc/malloc.c, "struct malloc_chunk"); what can be used of it is 8 bytes less, or 16 in a
 * mapping of its own. Blocks whose word is below hg_small_chunk are below the threshold, with the
 * flags or without. It is 0 if another allocator is in force, or blocks were found to look
 * otherwise.
 */
#define HG_CHUNK_SIZE(ptr) (((const size_t *)(ptr))[-1] & ~(size_t)7)
extern HG_HIDDEN size_t hg_small_chunk;
/* Other blocks reach the threshold, except those in a mapping of their own, which have this
 * flag. */
#define HG_CHUNK_MAPPED 2u
/* Requests below it are for such blocks; it is SIZE_MAX if nothing is recorded, 0 if it is not
 * known. */
extern HG_HIDDEN size_t hg_small_request;
/* host/block.h records blocks of these sizes: from the threshold on, so many more. */
extern HG_HIDDEN size_t hg_block_least, hg_block_span;
void hg_libc_measure(size_t threshold); /* sets both */
void hg_libc_limit(size_t threshold);   /* another threshold, after that; 0: none */

/* Allocates memory before the real malloc() is known. It fails only if there is no memory. */
void *hg_bootstrap_alloc(size_t alignment, size_t size);
bool hg_bootstrap_owns(const void *ptr);
size_t hg_bootstrap_size(const void *ptr); /* usable bytes of a block it owns */
bool hg_bootstrap_used(void);

/*
 * Returns a function of that name (and version, unless NULL) that `caller` would reach: after us in
 * the global scope, or among the dependencies of the caller's object (which may have been loaded
 * RTLD_LOCAL). Returns NULL if there is none. Never loads anything.
 */
void *hg_find_function(const char *name, const char *version, const void *caller);

int hg_dlclose(void *handle); /* of a handle that keeps nothing loaded */

#endif
