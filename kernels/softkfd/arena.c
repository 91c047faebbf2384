// SPDX-License-Identifier: Apache-2.0
/*
 * The driver's memory is one large shared mapping, of which each object has an extent. It needs no
 * descriptor, which programs could close or run out of: the program's own mappings of an object are
 * made of this one by mremap(2). Objects that other processes share are in files of their own,
 * which are mapped behind it. Nothing here is ever unmapped, so that a kernel which goes on to use
 * what was freed does not end the process.
 */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGEST (UINT64_C(1) << 41)

/* Sizes that ask for huge pages; greater ones may be touched here and there only. */
#define HUGE_PAGE     (UINT64_C(2) << 20)
#define HUGE_LEAST    (UINT64_C(4) << 20)
#define HUGE_GREATEST (UINT64_C(4) << 30)

static struct extent {
	uint64_t start, end;
} * extents; /* in the order of addresses */
static size_t count, capacity;
static uint64_t base, size; /* half of it for files */

/* Maps private zeros, which lie wherever no file is mapped. */
static void *blank(void *address, uint64_t bytes)
{
	return sg_reserve(address, bytes, MAP_PRIVATE | (address ? MAP_FIXED : 0));
}

static int reserve(void)
{
	for (uint64_t wanted = LARGEST; wanted >= KFD_ARENA_LEAST; wanted /= 2) {
		void *place = blank(NULL, wanted);

		if (place == MAP_FAILED)
			continue;
		if (sg_reserve(place, wanted / 2, MAP_SHARED | MAP_FIXED) == MAP_FAILED)
			return -ENOMEM;
		/* A forked child has no device, and the memory is of no use in a core file. */
		(void)kfd_real_madvise(place, wanted, MADV_DONTFORK);
		(void)kfd_real_madvise(place, wanted, MADV_DONTDUMP);
		base = (uint64_t)(uintptr_t)place;
		size = wanted;
		return 0;
	}
	sg_warn("can't reserve %lu GiB of addresses: %s", KFD_ARENA_LEAST >> 30, strerror(errno));
	return -ENOMEM;
}

uint64_t kfd_arena_take(uint64_t bytes, int file)
{
	uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : SOFTGPU_PAGE_SIZE;
	uint64_t start, end;
	size_t i = 0;

	if (!base && reserve())
		return 0;
	if (count == capacity) {
		size_t larger = capacity ? capacity * 2 : 64;
		struct extent *moved = realloc(extents, larger * sizeof *moved);

		if (!moved)
			return 0;
		extents = moved;
		capacity = larger;
	}
	start = file < 0 ? base : base + size / 2;
	end = start + size / 2;
	start = (start + alignment - 1) & ~(alignment - 1);
	for (; i < count; i++) {
		if (extents[i].start >= start && extents[i].start - start >= bytes)
			break;
		if (extents[i].end > start)
			start = (extents[i].end + alignment - 1) & ~(alignment - 1);
	}
	if (start >= end || end - start < bytes)
		return 0;
	if (file >= 0 && kfd_real_mmap((void *)(uintptr_t)start, bytes, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
		return 0;
	if (file >= 0)
		(void)kfd_real_madvise((void *)(uintptr_t)start, bytes, MADV_DONTFORK);
	memmove(&extents[i + 1], &extents[i], (count - i) * sizeof *extents);
	extents[i] = (struct extent){ start, start + bytes };
	count++;
	/* This is only a hint: fewer faults when programs fill the memory. */
	if (bytes >= HUGE_LEAST && bytes <= HUGE_GREATEST)
		(void)kfd_real_madvise((void *)(uintptr_t)start, bytes, MADV_HUGEPAGE);
	return start;
}

void kfd_arena_give(uint64_t start)
{
	size_t i = 0;

	while (i < count && extents[i].start != start)
		i++;
	if (i == count)
		return;
	if (start >= base + size / 2)
		(void)blank((void *)(uintptr_t)start, extents[i].end - start);
	/* The next owner of the extent finds zeros, whatever still maps it. */
	else if (kfd_real_madvise((void *)(uintptr_t)start, extents[i].end - start, MADV_REMOVE))
		memset((void *)(uintptr_t)start, 0, extents[i].end - start);
	memmove(&extents[i], &extents[i + 1], (count - i - 1) * sizeof *extents);
	count--;
}

void *kfd_arena_view(uint64_t start, void *address, size_t bytes, int protection, int flags)
{
	void *place = address;

	/* Shared memory is mapped once more where nothing is to be moved. */
	if ((flags & MAP_FIXED_NOREPLACE) == MAP_FIXED_NOREPLACE || !(flags & MAP_FIXED))
		place = kfd_real_mmap(address, bytes, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					  (flags & (MAP_FIXED_NOREPLACE & ~MAP_FIXED)),
				      -1, 0);
	if (place == MAP_FAILED)
		return MAP_FAILED;
	place =
	    (void *)syscall(SYS_mremap, start, 0ul, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (place != MAP_FAILED && protection != (PROT_READ | PROT_WRITE) &&
	    syscall(SYS_mprotect, place, bytes, protection))
		return MAP_FAILED;
	return place;
}

/* ---- from the arena into a file ---- */

/* Copy the pages of [start, start + bytes) that there are, and no holes. */
static int copy_to(int file, uint64_t start, uint64_t bytes)
{
	unsigned char present[4096];

	for (uint64_t done = 0; done < bytes; done += SOFTGPU_PAGE_SIZE) {
		uint64_t index = done / SOFTGPU_PAGE_SIZE % sizeof present;
		uint64_t rest = bytes - done, most = sizeof present * SOFTGPU_PAGE_SIZE;
		const char *page = (const char *)(uintptr_t)(start + done);

		if (!index &&
		    mincore((void *)(uintptr_t)(start + done), rest < most ? rest : most, present))
			return -errno;
		if (present[index] & 1 && pwrite(file, page, SOFTGPU_PAGE_SIZE, (off_t)done) !=
					      (ssize_t)SOFTGPU_PAGE_SIZE)
			return errno ? -errno : -EIO;
	}
	return 0;
}

/* Let what the program has mapped of [start, start + bytes) be mapped of the file. */
static int change_views(int file, uint64_t start, uint64_t bytes)
{
	struct sg_vma_list list = { 0 };
	const struct sg_vma *own;
	int error = sg_vma_read(&list, false);
	uint64_t first, last;

	own = error ? NULL : sg_vma_find(&list, start);
	first = own ? own->offset + (start - own->start) : 0;
	last = first + bytes;
	for (size_t i = 0; own && i < list.count; i++) {
		const struct sg_vma *view = &list.items[i];
		uint64_t low = view->offset, high = low + (view->end - view->start);

		if (view->inode != own->inode || view->device != own->device ||
		    (view->start >= base && view->start < base + size))
			continue;
		low = low > first ? low : first;
		high = high < last ? high : last;
		if (low >= high)
			continue;
		if (kfd_real_mmap(
			(void *)(uintptr_t)(view->start + (low - view->offset)), high - low,
			(view->readable ? PROT_READ : 0) | (view->writable ? PROT_WRITE : 0) |
			    (view->executable ? PROT_EXEC : 0),
			MAP_SHARED | MAP_FIXED, file, (off_t)(low - first)) == MAP_FAILED)
			error = -errno;
		else
			(void)kfd_real_madvise(
			    (void *)(uintptr_t)(view->start + (low - view->offset)), high - low,
			    MADV_DONTFORK);
	}
	free(list.items);
	return error;
}

int kfd_arena_export(uint64_t start, uint64_t bytes, int file, uint64_t *place)
{
	int error = copy_to(file, start, bytes);

	if (error)
		return error;
	*place = kfd_arena_take(bytes, file);
	if (!*place)
		return -ENOMEM;
	error = change_views(file, start, bytes);
	kfd_arena_give(error ? *place : start);
	return error;
}

/* ---- mlockall ---- */

/* Locks one mapping as mlockall(2) does, which fails for the limit, but not where no memory can be
 * had. */
static int lock_one(const struct sg_vma *vma, bool on_fault)
{
	uint64_t bytes = vma->end - vma->start;
	unsigned char there;

	if (syscall(SYS_mlock2, vma->start, bytes, MLOCK_ONFAULT)) {
		/* Another thread may have unmapped it just now. */
		int error = errno;

		return mincore((void *)(uintptr_t)vma->start, 1, &there) ? 0 : -error;
	}
	if (!on_fault)
		syscall(SYS_mlock, vma->start, bytes);
	return 0;
}

int kfd_arena_lock_all(bool on_fault)
{
	struct sg_vma_list list = { 0 };
	const struct sg_vma *own;
	int error = sg_vma_read(&list, false);

	own = !error && base ? sg_vma_find(&list, base) : NULL;
	for (size_t i = 0; !error && i < list.count; i++) {
		const struct sg_vma *vma = &list.items[i];
		bool device = own && vma->inode == own->inode && vma->device == own->device;

		if (device || (vma->start >= base && vma->start < base + size) ||
		    sg_pages_is_place(vma->start) || (int64_t)vma->start < 0 ||
		    !(vma->readable || vma->writable || vma->executable))
			continue;
		error = lock_one(vma, on_fault);
	}
	free(list.items);
	return error;
}

void kfd_arena_forked(void)
{
	count = 0;
	base = size = 0;
}
