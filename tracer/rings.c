/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is in the directory was made by others, and is checked. */
#include "tracer/rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/process_lives.h"
#include "tracer/ring.h"
#include "tracer/stage.h"

#define BLOCK 4096u

int rings_make(int bundle, bool drained)
{
	int folder, mark;

	if (mkdirat(bundle, HG_RINGS, 0700))
		return -errno;
	if (!drained)
		return 0;
	folder = openat(bundle, HG_RINGS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder >= 0 && mkdirat(folder, HG_RINGS_ENDED, 0700)) {
		close(folder);
		return -errno;
	}
	mark = folder < 0 ? -1
			  : openat(folder, HG_RINGS_DRAINED,
				   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mark >= 0)
		close(mark);
	if (folder >= 0)
		close(folder);
	return mark < 0 ? -errno : 0;
}

typedef void visitor(int file, const struct hg_ring *ring, void *data);

static void each(int parent, const char *name, visitor *function, void *data)
{
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;
	struct hg_ring ring;
	struct stat status;

	while (list && (entry = readdir(list))) {
		int file =
		    openat(folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (file < 0)
			continue;
		if (!fstat(file, &status) && S_ISREG(status.st_mode) &&
		    pread(file, &ring, sizeof(ring), 0) == (ssize_t)sizeof(ring) &&
		    ring.magic == HG_RING_MAGIC && ring.page_bytes == HG_RING_PAGE &&
		    ring.pages <= HG_RING_PAGES)
			function(file, &ring, data);
		close(file);
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
}

static void stop(int file, const struct hg_ring *ring, void *data)
{
	const uint32_t stopped = HG_RING_STOPPED, epoch = ring->epoch + 1;
	const int32_t none = 0;

	(void)data;
	(void)!pwrite(file, &stopped, sizeof(stopped), offsetof(struct hg_ring, stop));
	(void)!pwrite(file, &epoch, sizeof(epoch), offsetof(struct hg_ring, epoch));
	(void)!pwrite(file, &none, sizeof(none), offsetof(struct hg_ring, recording));
}

void rings_stop(int parent, const char *name)
{
	each(parent, name, stop, NULL);
}

static void ask(int file, const struct hg_ring *ring, void *data)
{
	const uint32_t again = ring->again + 1, epoch = ring->epoch + 1;
	const int32_t none = 0;

	(void)data;
	(void)!pwrite(file, &again, sizeof(again), offsetof(struct hg_ring, again));
	(void)!pwrite(file, &epoch, sizeof(epoch), offsetof(struct hg_ring, epoch));
	(void)!pwrite(file, &none, sizeof(none), offsetof(struct hg_ring, recording));
}

void rings_again(int parent, const char *name)
{
	each(parent, name, ask, NULL);
}

struct answer {
	int32_t pid;
	bool all;
};

static void look_for_answer(int file, const struct hg_ring *ring, void *data)
{
	struct answer *answer = data;

	(void)file;
	if (ring->pid == answer->pid && ring->end == HG_RING_RUNS)
		answer->all &= ring->answered == ring->again;
}

bool rings_answered(int parent, const char *name, int32_t pid)
{
	struct answer answer = { pid, true };

	each(parent, name, look_for_answer, &answer);
	return answer.all;
}

int rings_collect(int folder, int bundle, bool ended)
{
	int target = openat(bundle, HG_RINGS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 || target < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int error = list ? 0 : -errno;

	while (list && !error && (entry = readdir(list)))
		if (*entry->d_name != '.' &&
		    linkat(folder, entry->d_name, target, entry->d_name, 0) && errno != EEXIST &&
		    errno != ENOENT)
			error = -errno;
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
	/* Some file systems have no links, and some are not the bundle's. */
	if (error && ended && target >= 0)
		error = stage_copy(folder, target);
	if (target >= 0)
		close(target);
	return error;
}

/* Whole blocks behind what the page has: all that a thread did not store are zeros. */
static void give_back(int file, const struct hg_ring_page *page, uint32_t index)
{
	size_t used = page->state == HG_RING_FREE ? 0 : sizeof(*page);

	while (used && !((const char *)page)[used - 1])
		used--;
	used = (used + BLOCK - 1) & ~(size_t)(BLOCK - 1);
	/* A file system that cannot do that keeps the room. */
	if (used < HG_RING_PAGE)
		(void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(hg_ring_bytes(index) + used), (off_t)(HG_RING_PAGE - used));
}

uint32_t ring_end_by_now(const struct hg_ring *ring)
{
	struct stat own;

	if (ring->end != HG_RING_RUNS)
		return ring->end;
	if (stat("/proc/self/ns/pid", &own) || own.st_ino != ring->pids)
		return HG_RING_UNKNOWN;
	return process_lives(ring->pid) ? HG_RING_LATER : HG_RING_RUNS;
}

static void count_one(int file, const struct hg_ring *ring, void *data)
{
	(void)file;
	(void)ring;
	++*(uint64_t *)data;
}

uint64_t rings_count(int bundle)
{
	uint64_t count = 0;

	each(bundle, HG_RINGS, count_one, &count);
	each(bundle, HG_RINGS "/" HG_RINGS_ENDED, count_one, &count);
	return count;
}

static void end(int file, const struct hg_ring *ring, void *data)
{
	struct hg_ring_page page;
	uint64_t *lost = data;

	*lost += hg_ring_sum(ring->lost);
	if (ring->end == HG_RING_RUNS) {
		const uint32_t now = ring_end_by_now(ring);

		(void)!pwrite(file, &now, sizeof(now), offsetof(struct hg_ring, end));
	}
	/* While its process lives, the disk may have no room once more for what it writes yet. */
	if (process_lives(ring->pid))
		return;
	for (uint32_t i = 0; i < ring->pages; i++) {
		if (pread(file, &page, sizeof(page), (off_t)hg_ring_bytes(i)) !=
		    (ssize_t)sizeof(page))
			return;
		give_back(file, &page, i);
	}
}

uint64_t rings_end(int bundle)
{
	uint64_t lost = 0;

	each(bundle, HG_RINGS, end, &lost);
	return lost;
}
