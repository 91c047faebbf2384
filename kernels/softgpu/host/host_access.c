// SPDX-License-Identifier: Apache-2.0
/*
 * Notices the host's accesses to pages that are with a GPU: between kernels such pages are moved to
 * addresses that nobody knows, so that the next access to their own address is a page fault, which
 * userfaultfd(2) hands to the pager, whether a thread or the kernel on its behalf made it. The
 * pages themselves move, so that no store is ever lost: UFFDIO_MOVE, of Linux 6.8.
 * The Debian 12 headers don't have it yet.
 */
#include "host_pages.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/userfaultfd.h of 6.8. */
struct move {
	uint64_t dst, src, len, mode;
	int64_t move;
};
#define FEATURE_MOVE           (UINT64_C(1) << 16)
#define MOVE_HOLES             UINT64_C(2) /* UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES */
#define UFFDIO_MOVE_PAGES      _IOWR(UFFDIO, 0x05, struct move)
#define USERFAULTFD_IOC_NEW_FD _IO(0xAA, 0x00) /* of /dev/userfaultfd, 6.1 */

/* Places are at a constant distance within each of these. */
#define AREA_SHIFT 40
#define AREA_SIZE  (UINT64_C(1) << AREA_SHIFT)

/* Calls ioctl(2) directly: a function of that name before libc's may touch memory that the pager
 * must not touch. */
static int control(int fd, unsigned long request, void *argument)
{
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

static int open_one(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), error;

	if (fd < 0) {
		/* The device's permissions may allow what the system call does not. */
		int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
		if (device < 0)
			return -errno;
		fd =
		    (int)syscall(SYS_ioctl, device, USERFAULTFD_IOC_NEW_FD, O_CLOEXEC | O_NONBLOCK);
		error = errno;
		close(device);
		if (fd < 0)
			return -error;
	}
	if (control(fd, UFFDIO_API, &api)) {
		error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

int sg_park_open(struct sg_park *park)
{
	park->queued = 0;
	park->hearing = false;
	park->faults = open_one(FEATURE_MOVE | UFFD_FEATURE_EVENT_REMAP |
				UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP);
	if (park->faults < 0)
		return park->faults;
	/* Without events: the pager would have to wait for itself. */
	park->shadow = open_one(FEATURE_MOVE);
	if (park->shadow < 0) {
		close(park->faults);
		park->faults = -1;
		return park->shadow;
	}
	return 0;
}

void sg_park_leave(const struct sg_park *park)
{
	if (park->faults < 0)
		return;
	close(park->faults);
	close(park->shadow);
}

/* Returns the place for the page at `address`, or 0 if there is no room for it. */
static uint64_t shadow_of(struct sg_park *park, uint64_t address)
{
	uint64_t key = address >> AREA_SHIFT, offset = address & (AREA_SIZE - 1);
	struct uffdio_register request = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *base;

	for (unsigned i = 0; i < park->area_count; i++)
		if (park->areas[i].key == key)
			return park->areas[i].base + offset;
	if (park->area_count == sizeof park->areas / sizeof *park->areas)
		return 0;
	base = sg_reserve(NULL, AREA_SIZE, MAP_PRIVATE);
	if (base == MAP_FAILED)
		return 0;
	request.range.start = (uint64_t)(uintptr_t)base;
	request.range.len = AREA_SIZE;
	if (control(park->shadow, UFFDIO_REGISTER, &request)) {
		munmap(base, AREA_SIZE);
		return 0;
	}
	park->areas[park->area_count].key = key;
	park->areas[park->area_count].base = request.range.start;
	__atomic_store_n(&park->area_count, park->area_count + 1, __ATOMIC_RELEASE);
	return request.range.start + offset;
}

bool sg_park_is_place(const struct sg_park *park, uint64_t address)
{
	unsigned count = __atomic_load_n(&park->area_count, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < count; i++)
		if (address - park->areas[i].base < AREA_SIZE)
			return true;
	return false;
}

void *sg_reserve(void *address, uint64_t size, int flags)
{
	char *place = (void *)syscall(SYS_mmap, address, size, PROT_NONE,
				      flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

	if (place == MAP_FAILED)
		return MAP_FAILED;
	syscall(SYS_munlock, place, size);
	if (!syscall(SYS_mprotect, place, size, PROT_READ | PROT_WRITE))
		return place;
	syscall(SYS_munmap, place, size);
	return MAP_FAILED;
}

/* ---- what the kernel tells ---- */

static void lose(struct sg_park *park, uint64_t start, uint64_t size)
{
	uint64_t place = size ? shadow_of(park, start) : 0;

	if (place)
		madvise((void *)(uintptr_t)place, size, MADV_DONTNEED);
}

/*
 * Discards what [start, end) held after the first `count` messages of the queue. The messages that
 * are not dealt with yet tell its address at the time when it was migrated.
 */
static void lose_as_of(struct sg_park *park, unsigned count, uint64_t start, uint64_t end)
{
	while (count && start < end) {
		const struct uffd_msg *message = &park->queue[--count];
		uint64_t low, high, from = message->arg.remap.from, size = message->arg.remap.len;

		if (message->event == UFFD_EVENT_UNMAP) {
			low = message->arg.remove.start;
			high = message->arg.remove.end;
		} else if (message->event == UFFD_EVENT_REMAP) {
			low = message->arg.remap.to;
			high = low + size;
		} else {
			continue;
		}
		if (low < end && start < high) {
			uint64_t first = start > low ? start : low, last = end < high ? end : high;

			lose_as_of(park, count, start, first);
			lose_as_of(park, count, last, end);
			/* Nothing is left of what was unmapped. */
			if (message->event == UFFD_EVENT_UNMAP)
				return;
			start = first - low + from;
			end = last - low + from;
		} else if (message->event == UFFD_EVENT_REMAP && from < end &&
			   start < from + size) {
			/* These pages went elsewhere. */
			lose_as_of(park, count, start, start > from ? start : from);
			start = end < from + size ? end : from + size;
		}
	}
	lose(park, start, end > start ? end - start : 0);
}

/*
 * While a thread changes its mappings nothing can be moved, and it waits until it was heard. So it
 * is heard, but what it says waits in the queue until the pager has time: only what is to be void
 * is so at once, for otherwise it might be brought back after the kernel has discarded its place.
 */
static void overhear(struct sg_park *park)
{
	struct uffd_msg *message = &park->queue[park->queued];

	if (park->queued == SG_PARK_QUEUE)
		sg_die("more than %u mappings changed while pages were moved", SG_PARK_QUEUE);
	if (read(park->faults, message, sizeof *message) != (ssize_t)sizeof *message) {
		sched_yield(); /* to the thread that was heard */
		return;
	}
	if (message->event == UFFD_EVENT_REMOVE || message->event == UFFD_EVENT_UNMAP)
		lose_as_of(park, park->queued, message->arg.remove.start, message->arg.remove.end);
	if (message->event != UFFD_EVENT_REMOVE)
		park->queued++;
}

bool sg_park_hear(struct sg_park *park, struct uffd_msg *message)
{
	if (park->hearing)
		memmove(&park->queue[0], &park->queue[1], --park->queued * sizeof park->queue[0]);
	if (!park->queued)
		overhear(park);
	park->hearing = park->queued > 0;
	if (park->hearing)
		*message = park->queue[0];
	return park->hearing;
}

/* Returns true if a part of [start, start + size) was remapped and that message is yet to be dealt
 * with. */
static bool is_leaving(const struct sg_park *park, uint64_t start, uint64_t size)
{
	for (unsigned i = park->hearing; i < park->queued; i++) {
		const struct uffd_msg *message = &park->queue[i];
		if (message->event == UFFD_EVENT_REMAP && message->arg.remap.from < start + size &&
		    start < message->arg.remap.from + message->arg.remap.len)
			return true;
	}
	return false;
}

/* ---- moving ---- */

/*
 * Brings one page back by its content, which no thread changes where it is: the kernel moves pages
 * between mappings only that are alike and writable, and mprotect(), mlock() and the like change
 * the program's. Nothing happens if there is a page already, or no mapping.
 */
static void copy_page(struct sg_park *park, uint64_t to, uint64_t from)
{
	struct uffdio_register request = { .range = { from, SOFTGPU_PAGE_SIZE },
					   .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_copy copy = { .dst = to, .src = from, .len = SOFTGPU_PAGE_SIZE };

	/* If there is no page, it is read as zeros: else the kernel would wait for this thread. */
	control(park->shadow, UFFDIO_UNREGISTER, &request.range);
	while (control(park->faults, UFFDIO_COPY, &copy))
		if (errno == EAGAIN)
			overhear(park);
		else if (errno == ENOMEM)
			sg_die("no memory for a page that the host uses again");
		else
			break;
	if (control(park->shadow, UFFDIO_REGISTER, &request))
		sg_die("can't watch the place of a page: %s", strerror(errno));
}

/*
 * Move the pages of [from, from + size) as far as they are there. Of those that can't be moved (in
 * use for input or output, shared since a fork, in a mapping that is locked or read-only) one on
 * its way back is copied, and others stay.
 */
static void transfer(struct sg_park *park, int fd, uint64_t to, uint64_t from, uint64_t size)
{
	uint64_t chunk = size;

	while (size) {
		struct move request = { .dst = to,
					.src = from,
					.len = chunk < size ? chunk : size,
					.mode = MOVE_HOLES };
		uint64_t done;

		if (!control(fd, UFFDIO_MOVE_PAGES, &request)) {
			done = request.len;
			chunk = size;
		} else if (request.move > 0) {
			done = (uint64_t)request.move;
		} else if (errno == EAGAIN && fd == park->faults) {
			overhear(park);
			continue;
		} else if (errno == EAGAIN) {
			/* Not heard here: what is being migrated might then be discarded too late.
			 */
			sched_yield();
			continue;
		} else if (errno == ESRCH) {
			return;
		} else if (request.len > SOFTGPU_PAGE_SIZE) {
			/* The part is of several mappings, or a page of it can't be moved: find out
			 * which. */
			chunk = request.len / 2 & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
			continue;
		} else {
			if (fd == park->faults)
				copy_page(park, to, from);
			done = SOFTGPU_PAGE_SIZE;
		}
		to += done;
		from += done;
		size -= done;
	}
}

bool sg_park_away(struct sg_park *park, uint64_t start, uint64_t size)
{
	struct uffdio_register request = { .range = { start, size },
					   .mode = UFFDIO_REGISTER_MODE_MISSING };
	uint64_t place;

	if (park->faults < 0)
		return false;
	place = shadow_of(park, start);
	if (!place || (start + size - 1) >> AREA_SHIFT != start >> AREA_SHIFT ||
	    control(park->faults, UFFDIO_REGISTER, &request))
		return false;
	transfer(park, park->shadow, place, start, size);
	return true;
}

void sg_park_back(struct sg_park *park, uint64_t start, uint64_t size, uint64_t home)
{
	struct uffdio_range range = { home, size };
	uint64_t place = shadow_of(park, start);

	if (place)
		transfer(park, park->faults, home, place, size);
	/* Wakes the threads that wait for them. */
	control(park->faults, UFFDIO_UNREGISTER, &range);
	control(park->faults, UFFDIO_WAKE, &range);
	/* Pages that could not go back have no place any more, unless a message about that is yet
	 * to come. */
	if (!is_leaving(park, start, size))
		lose(park, start, size);
}

void sg_park_pass(struct sg_park *park, uint64_t page)
{
	struct uffdio_zeropage zero = { .range = { page, SOFTGPU_PAGE_SIZE } };
	struct uffdio_range range = { page, SOFTGPU_PAGE_SIZE };

	if (control(park->faults, UFFDIO_ZEROPAGE, &zero))
		control(park->faults, UFFDIO_WAKE, &range);
}
