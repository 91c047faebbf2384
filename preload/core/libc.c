/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that ours stand in front of.
 *
 * dlsym() itself is interposed, so the real one is read from the C library's symbol table by
 * hand; everything else is then looked up with RTLD_NEXT, because an allocator of the program's
 * (jemalloc, tcmalloc) may stand between us and the C library. Until all is known the table
 * holds functions that start the lookup; while it runs, memory comes from bootstrap.c.
 */
#include "preload/core/libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/objects.h"
#include "preload/host/host_memory.h"

/* ---- once some memory came from bootstrap.c: recognise its blocks ---- */

static struct hg_libc real;

static void checked_free(void *ptr)
{
	if (!hg_bootstrap_owns(ptr))
		real.free(ptr);
}

static void *checked_realloc(void *ptr, size_t size)
{
	void *moved;
	size_t old_size;

	if (!hg_bootstrap_owns(ptr))
		return real.realloc(ptr, size);
	moved = real.malloc(size);
	old_size = hg_bootstrap_size(ptr);
	if (moved)
		memcpy(moved, ptr, old_size < size ? old_size : size);
	return moved;
}

static void *checked_reallocarray(void *ptr, size_t count, size_t size)
{
	size_t total;

	if (!hg_bootstrap_owns(ptr))
		return real.reallocarray(ptr, count, size);
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return checked_realloc(ptr, total);
}

static size_t checked_usable_size(void *ptr)
{
	return hg_bootstrap_owns(ptr) ? hg_bootstrap_size(ptr) : real.malloc_usable_size(ptr);
}

static void use_checked(void)
{
	hg_libc.free = checked_free;
	hg_libc.realloc = checked_realloc;
	hg_libc.reallocarray = checked_reallocarray;
	hg_libc.malloc_usable_size = checked_usable_size;
}

void hg_libc_check(void)
{
	use_checked();
}

/* ---- before the real functions are known ---- */

static bool known; /* real is complete */

static bool ready(void)
{
	hg_libc_init();
	return known && !hg_tls.resolving;
}

static void *early_alloc(size_t alignment, size_t size)
{
	void *block = hg_bootstrap_alloc(alignment, size);

	if (known) /* another thread finished the lookup meanwhile */
		use_checked();
	return block;
}

static void *boot_malloc(size_t size)
{
	return ready() ? hg_libc.malloc(size) : early_alloc(0, size);
}

static void *boot_calloc(size_t count, size_t size)
{
	size_t total;

	if (ready())
		return hg_libc.calloc(count, size);
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return early_alloc(0, total); /* never reused, hence zero */
}

static void *boot_realloc(void *ptr, size_t size)
{
	void *moved;

	if (ready())
		return hg_libc.realloc(ptr, size);
	moved = early_alloc(0, size);
	if (ptr && moved && hg_bootstrap_owns(ptr)) {
		size_t old_size = hg_bootstrap_size(ptr);

		memcpy(moved, ptr, old_size < size ? old_size : size);
	}
	return moved;
}

static void *boot_reallocarray(void *ptr, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return boot_realloc(ptr, total);
}

static void boot_free(void *ptr)
{
	if (ready())
		hg_libc.free(ptr);
	/* else: a block of bootstrap.c, which lives for ever */
}

static int boot_posix_memalign(void **ptr, size_t alignment, size_t size)
{
	void *block;

	if (ready())
		return hg_libc.posix_memalign(ptr, alignment, size);
	block = early_alloc(alignment, size);
	if (!block)
		return ENOMEM;
	*ptr = block;
	return 0;
}

static void *boot_aligned_alloc(size_t alignment, size_t size)
{
	return ready() ? hg_libc.aligned_alloc(alignment, size) : early_alloc(alignment, size);
}

static void *boot_memalign(size_t alignment, size_t size)
{
	return ready() ? hg_libc.memalign(alignment, size) : early_alloc(alignment, size);
}

static void *boot_valloc(size_t size)
{
	return ready() ? hg_libc.valloc(size) : early_alloc((size_t)getpagesize(), size);
}

static void *boot_pvalloc(size_t size)
{
	size_t page = (size_t)getpagesize();

	return ready() ? hg_libc.pvalloc(size) : early_alloc(page, (size + page - 1) & ~(page - 1));
}

static size_t boot_usable_size(void *ptr)
{
	if (ready())
		return hg_libc.malloc_usable_size(ptr);
	return ptr && hg_bootstrap_owns(ptr) ? hg_bootstrap_size(ptr) : 0;
}

static void *boot_mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (ready())
		return hg_libc.mmap(address, size, prot, flags, fd, offset);
	return (void *)hg_syscall(SYS_mmap, address, size, prot, flags, fd, offset);
}

static int boot_munmap(void *address, size_t size)
{
	return ready() ? hg_libc.munmap(address, size) : (int)hg_syscall(SYS_munmap, address, size);
}

static void *boot_mremap(void *address, size_t old_size, size_t size, int flags, void *new_address)
{
	if (ready())
		return hg_libc.mremap(address, old_size, size, flags, new_address);
	return (void *)hg_syscall(SYS_mremap, address, old_size, size, flags, new_address);
}

static int boot_madvise(void *address, size_t size, int advice)
{
	return ready() ? hg_libc.madvise(address, size, advice)
		       : (int)hg_syscall(SYS_madvise, address, size, advice);
}

static void *boot_shmat(int id, const void *address, int flags)
{
	return ready() ? hg_libc.shmat(id, address, flags)
		       : (void *)hg_syscall(SYS_shmat, id, address, flags);
}

static int boot_shmdt(const void *address)
{
	return ready() ? hg_libc.shmdt(address) : (int)hg_syscall(SYS_shmdt, address);
}

/* Only the C library knows where the break is. */
static int boot_brk(void *end)
{
	if (ready())
		return hg_libc.brk(end);
	errno = ENOMEM;
	return -1;
}

static void *boot_sbrk(intptr_t by)
{
	if (ready())
		return hg_libc.sbrk(by);
	errno = ENOMEM;
	return (void *)-1;
}

static int boot_close(int fd)
{
	return ready() ? hg_libc.close(fd) : (int)hg_syscall(SYS_close, fd);
}

static int boot_dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	return ready() ? hg_libc.dl_iterate_phdr(callback, data) : 0;
}

struct hg_libc hg_libc = {
	.malloc = boot_malloc,
	.calloc = boot_calloc,
	.realloc = boot_realloc,
	.reallocarray = boot_reallocarray,
	.free = boot_free,
	.posix_memalign = boot_posix_memalign,
	.aligned_alloc = boot_aligned_alloc,
	.memalign = boot_memalign,
	.valloc = boot_valloc,
	.pvalloc = boot_pvalloc,
	.malloc_usable_size = boot_usable_size,
	.mmap = boot_mmap,
	.munmap = boot_munmap,
	.mremap = boot_mremap,
	.madvise = boot_madvise,
	.shmat = boot_shmat,
	.shmdt = boot_shmdt,
	.brk = boot_brk,
	.sbrk = boot_sbrk,
	.close = boot_close,
	.dl_iterate_phdr = boot_dl_iterate_phdr,
};

/* An allocator without malloc_usable_size(): every block counts as large, on both sides. */
static size_t unknown_usable_size(void *ptr)
{
	(void)ptr;
	return SIZE_MAX;
}

/* The C library's own: a sanitizer's, which comes before it, does not work this early. */
static __typeof__(&dl_iterate_phdr) iterate_objects;

/* Returns true if two functions come from the same object, that is, from the same allocator. It
 * does not call dladdr(), which looks at each of an object's symbols. */
static bool same_object(const void *one, const void *other)
{
	struct hg_object object;

	return one && other && iterate_objects && hg_object_of(iterate_objects, one, &object) &&
	       (uintptr_t)other >= object.start && (uintptr_t)other < object.end;
}

/* The object with the allocator in force, where that is not the C library: its code's range. */
static struct hg_object allocator;
static bool own_allocator; /* there is one, even if it is not known where */
static struct hg_object c_library;

static bool lies_in(const void *address, const struct hg_object *object)
{
	return (uintptr_t)address >= object->start && (uintptr_t)address < object->end;
}

/*
 * Returns the function that the program's calls of malloc() reach, or NULL. An executable that
 * takes its address may answer with an entry of its own for calling it, which is no definition.
 */
static void *first_malloc(void)
{
	void *first = real.dlsym(RTLD_DEFAULT, "malloc");
	struct hg_object object;

	if (!first || !iterate_objects || !hg_object_of(iterate_objects, first, &object))
		return NULL;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if ((uintptr_t)map->l_ld >= object.start && (uintptr_t)map->l_ld < object.end)
			return hg_object_function(map, "malloc") == first ? first : NULL;
	return NULL;
}

static void find_allocator(void)
{
	void *first = first_malloc();

	if (!first || same_object(first, (void *)find_allocator))
		first = (void *)real.malloc;
	if (iterate_objects)
		hg_object_of(iterate_objects, real.dlsym(RTLD_NEXT, "__libc_start_main"),
			     &c_library);
	if (lies_in(first, &c_library))
		return;
	own_allocator = true;
	if (iterate_objects)
		hg_object_of(iterate_objects, first, &allocator);
}

bool hg_libc_is_passed(void)
{
	void *first = first_malloc();

	return first && !same_object(first, (void *)find_allocator);
}

bool hg_libc_has_own_allocator(void)
{
	return own_allocator;
}

bool hg_libc_is_allocator(const void *address)
{
	return lies_in(address, &allocator);
}

bool hg_libc_is_c_library(const void *address)
{
	return lies_in(address, &c_library);
}

size_t hg_small_chunk, hg_small_request, hg_block_least, hg_block_span;
static bool chunks_known; /* blocks look as glibc's do */

/*
 * glibc gives a request at most what is too little to be a chunk of its own beside what it
 * requested (malloc.c, MINSIZE: 32 bytes), or, if set to map even such blocks, whole pages.
 */
#define EXCESS 64u
#define PAGE   4096u

/* Other allocators' blocks are less than twice as large as the request: was seen to hold. */
static bool less_than_twice;

static size_t usable_for(size_t size)
{
	void *ptr = real.malloc(size);
	size_t usable = ptr ? real.malloc_usable_size(ptr) : SIZE_MAX;

	real.free(ptr);
	return usable;
}

/*
 * glibc's smallest chunk holds so much (malloc.c, MINSIZE less the next chunk's first word). Below
 * that another allocator answers, like valgrind, whose blocks have no chunk in front that could be
 * read.
 */
#define LEAST_USABLE 24u

static bool has_glibc_chunks(void)
{
	static const size_t sizes[] = { 1, 24, 1000, 5000, 1u << 20 };

	for (size_t i = 0; i < HG_COUNT(sizes); i++) {
		char *ptr = real.malloc(sizes[i]);
		size_t usable = ptr ? real.malloc_usable_size(ptr) : 0;
		bool expected =
		    ptr && usable >= LEAST_USABLE &&
		    (HG_CHUNK_SIZE(ptr) == usable + 8 || HG_CHUNK_SIZE(ptr) == usable + 16);

		real.free(ptr);
		if (!expected)
			return false;
	}
	return true;
}

static void set_limits(size_t threshold)
{
	size_t request = 0;

	/* A multiple of 8: below it are both a chunk's size and its flags, or neither. */
	if (chunks_known)
		__atomic_store_n(&hg_small_chunk, threshold ? (threshold + 15) & ~(size_t)7 : 0,
				 __ATOMIC_RELAXED);
	__atomic_store_n(&hg_block_least, threshold, __ATOMIC_RELAXED);
	__atomic_store_n(&hg_block_span, UINT32_MAX - threshold, __ATOMIC_RELAXED);
	if (less_than_twice)
		request = threshold / 2;
	else if (chunks_known && threshold && threshold % PAGE == 0)
		request = threshold - EXCESS;
	__atomic_store_n(&hg_small_request, request, __ATOMIC_RELAXED);
}

bool hg_libc_has_arenas(void)
{
	if (!chunks_known && !own_allocator && real.malloc_usable_size != unknown_usable_size)
		chunks_known = has_glibc_chunks();
	return chunks_known;
}

void hg_libc_measure(size_t threshold)
{
	if (real.malloc_usable_size == unknown_usable_size)
		return;
	if (own_allocator)
		less_than_twice = usable_for(threshold / 2) < threshold;
	else
		hg_libc_has_arenas();
	set_limits(threshold);
}

void hg_libc_limit(size_t threshold)
{
	set_limits(threshold);
}

void hg_libc_init(void)
{
	void *clock;

	if (HG_LIKELY(known) || hg_tls.resolving)
		return;
	hg_tls.resolving = 1;
	hg_find_sanitizer();
	real.dlsym = (void *(*)(void *, const char *))hg_libc_function("dlsym");
	real.dlvsym = (void *(*)(void *, const char *, const char *))hg_libc_function("dlvsym");
	iterate_objects = (__typeof__(iterate_objects))hg_libc_function("dl_iterate_phdr");
	clock = hg_libc_function("clock_gettime");
	if (clock)
		hg_clock_gettime = (__typeof__(hg_clock_gettime))clock;
	if (!real.dlsym || !real.dlvsym) {
		hg_tls.resolving = 0;
		return;
	}
	hg_libc.dlsym = real.dlsym;
	hg_libc.dlvsym = real.dlvsym;
#define NEXT(name) real.name = (__typeof__(real.name))real.dlsym(RTLD_NEXT, #name)
	NEXT(malloc);
	NEXT(calloc);
	NEXT(realloc);
	NEXT(reallocarray);
	NEXT(free);
	NEXT(posix_memalign);
	NEXT(aligned_alloc);
	NEXT(memalign);
	NEXT(valloc);
	NEXT(pvalloc);
	NEXT(malloc_usable_size);
	NEXT(mmap);
	NEXT(munmap);
	NEXT(mremap);
	NEXT(madvise);
	NEXT(shmat);
	NEXT(shmdt);
	NEXT(brk);
	NEXT(sbrk);
	NEXT(close);
	NEXT(syscall);
	NEXT(_exit);
	NEXT(quick_exit);
	NEXT(execve);
	NEXT(execvpe);
	NEXT(fexecve);
	NEXT(dl_iterate_phdr);
#undef NEXT
	real.free_sized = (__typeof__(real.free_sized))hg_function_behind("free_sized");
	real.free_aligned_sized =
	    (__typeof__(real.free_aligned_sized))hg_function_behind("free_aligned_sized");
	if (!real.malloc_usable_size ||
	    !same_object((void *)real.malloc, (void *)real.malloc_usable_size))
		real.malloc_usable_size = unknown_usable_size;
	if (!hg_sanitizer)
		find_allocator();
	hg_libc = real;
	if (real.syscall)
		hg_next_syscall = real.syscall;
	known = true;
	if (hg_bootstrap_used())
		use_checked();
	hg_tls.resolving = 0;
}

static void *look_up(void *handle, const char *name, const char *version)
{
	return version ? hg_libc.dlvsym(handle, name, version) : hg_libc.dlsym(handle, name);
}

void *hg_find_function(const char *name, const char *version, const void *caller)
{
	Dl_info info;
	void *handle, *found;

	hg_libc_init();
	found = look_up(RTLD_NEXT, name, version);
	if (found || !dladdr(caller, &info) || !info.dli_fname)
		return found;
	handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	found = look_up(handle, name, version);
	hg_dlclose(handle);
	/* The executable's handle searches the global scope, where we are first. */
	if (found && dladdr(found, &info)) {
		Dl_info own;

		if (dladdr((void *)hg_find_function, &own) && own.dli_fbase == info.dli_fbase)
			return NULL;
	}
	return found;
}

static int (*real_dlclose)(void *handle);

int hg_dlclose(void *handle)
{
	if (HG_UNLIKELY(!real_dlclose)) {
		hg_libc_init();
		real_dlclose = (int (*)(void *))hg_libc.dlsym(RTLD_NEXT, "dlclose");
	}
	return real_dlclose(handle);
}
